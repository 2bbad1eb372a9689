import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useWorkbench } from '../store/context.ts'
import { Icon } from '../ui/icons.tsx'

/* A text in which `{{` offers the variables. */

const MAX_OFFERED = 8
const MAX_ROWS = 16

interface Props {
  id: string
  value: string
  onChange: (value: string) => void
  lines?: number
  placeholder?: string
  describedBy?: string
  isReadOnly?: boolean
  isCode?: boolean
  onField?: (field: HTMLTextAreaElement | null) => void
}

export function VariableText(props: Props) {
  const { value, onChange, lines = 1 } = props
  const { state } = useWorkbench()
  const field = useRef<HTMLTextAreaElement>(null)
  const [begun, setBegun] = useState<string>()
  const [at, setAt] = useState(0)
  const listId = useId()
  const names = state.draft.variables.map(({ name }) => name)
  const offered =
    begun === undefined
      ? []
      : names.filter((name) => name.toLowerCase().includes(begun.trim().toLowerCase())).slice(0, MAX_OFFERED)
  const isOpen = offered.length > 0

  useEffect(() => props.onField?.(field.current), [])

  const read = () => {
    const element = field.current
    const before = element?.value.slice(0, element.selectionStart) ?? ''
    setBegun(/\{\{([^{}\n]{0,60})$/.exec(before)?.[1])
    setAt(0)
  }
  const choose = (name: string) => {
    const element = field.current
    if (!element) return
    const start = element.value.lastIndexOf('{{', element.selectionStart)
    const rest = element.value.slice(element.selectionStart).replace(/^\}\}/, '')
    const written = `${element.value.slice(0, start)}{{${name}}}`
    onChange(written + rest)
    setBegun(undefined)
    requestAnimationFrame(() => {
      element.focus()
      element.setSelectionRange(written.length, written.length)
    })
  }
  const insert = () => {
    const element = field.current
    if (!element) return
    element.focus()
    element.setRangeText('{{', element.selectionStart, element.selectionEnd, 'end')
    onChange(element.value)
    read()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (lines === 1 && event.key === 'Enter' && !isOpen) event.preventDefault()
    if (!isOpen) return
    if (event.key === 'ArrowDown') setAt((at + 1) % offered.length)
    else if (event.key === 'ArrowUp') setAt((at + offered.length - 1) % offered.length)
    else if (event.key === 'Enter' || event.key === 'Tab') choose(offered[at] ?? '')
    else if (event.key === 'Escape') setBegun(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const rows =
    lines === 1
      ? Math.min(3, Math.ceil(value.length / 34) || 1)
      : Math.min(MAX_ROWS, Math.max(lines, value.split('\n').length))
  return (
    <div class="variable-text">
      <textarea
        id={props.id}
        ref={field}
        class={props.isCode ? 'code' : undefined}
        value={value}
        rows={rows}
        placeholder={props.placeholder}
        readOnly={props.isReadOnly}
        spellcheck={!props.isCode}
        aria-describedby={props.describedBy}
        aria-autocomplete="list"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? `${listId}-${at}` : undefined}
        onInput={(event) => {
          const written = event.currentTarget.value
          onChange(lines === 1 ? written.replaceAll('\n', ' ') : written)
          read()
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setBegun(undefined)}
      />
      {names.length > 0 && !props.isReadOnly && (
        <button type="button" class="quiet square insert" aria-label="Insert a variable" onClick={insert}>
          <Icon name="variable" />
        </button>
      )}
      {isOpen && (
        <div class="offered" id={listId} role="listbox" aria-label="Variables">
          {offered.map((name, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus
            <div
              key={name}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === at}
              onPointerDown={(event) => {
                event.preventDefault()
                choose(name)
              }}
            >
              {name}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
