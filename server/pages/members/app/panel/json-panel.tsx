import { useEffect, useRef, useState } from 'preact/hooks'
import type { JsonObject } from '../model/draft.ts'
import type { Schema } from '../model/schema.ts'
import type { JsonEditor } from './json-editor.ts'

/** A value as JSON. The editor is loaded when it is first opened; valid JSON is applied. */
export function JsonPanel(props: {
  value: JsonObject
  root: Schema | undefined
  schema: Schema | undefined
  label: string
  isReadOnly: boolean
  /** Returns why a value cannot be taken. */
  check?: (value: JsonObject) => string | undefined
  onChange: (value: JsonObject) => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<JsonEditor | undefined>(undefined)
  const [problem, setProblem] = useState<string>()
  const latest = useRef(props)
  latest.current = props
  const written = useRef<JsonObject | undefined>(props.value)

  useEffect(() => {
    let isUnmounted = false
    void import('./json-editor.ts').then(({ openJsonEditor }) => {
      if (isUnmounted || !host.current) return
      const { value, root, schema, label, isReadOnly } = latest.current
      editor.current = openJsonEditor(host.current, {
        text: JSON.stringify(value, null, 2),
        root,
        schema,
        label,
        isReadOnly,
        onChange: take,
      })
    })
    function take(text: string) {
      let parsed: unknown
      try {
        parsed = JSON.parse(text)
      } catch {
        return setProblem('This is not JSON yet. The last valid state is kept.')
      }
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
        return setProblem('Write an object, in { and }.')
      }
      const refused = latest.current.check?.(parsed as JsonObject)
      setProblem(refused)
      if (refused) return
      written.current = parsed as JsonObject
      latest.current.onChange(parsed as JsonObject)
    }
    return () => {
      isUnmounted = true
      editor.current?.close()
    }
  }, [])

  // An undo, or a change of another person.
  useEffect(() => {
    if (props.value === written.current) return
    written.current = props.value
    editor.current?.setText(JSON.stringify(props.value, null, 2))
  }, [props.value])

  return (
    <>
      <div class="json-host" ref={host} />
      <p class={problem ? 'wrong' : 'about'} role="status">
        {problem ?? 'Ctrl+Space offers the properties. Escape, then Tab, leaves the editor.'}
      </p>
    </>
  )
}
