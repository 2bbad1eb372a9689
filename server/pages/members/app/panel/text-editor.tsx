import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Block } from '../model/draft.ts'
import { fromMarked, toMarked } from '../model/rich-text.ts'
import { VariableText } from './variable-text.tsx'

const signs = [
  { label: 'Bold', letter: 'B', sign: '**' },
  { label: 'Italic', letter: 'I', sign: '_' },
  { label: 'Underline', letter: 'U', sign: '__' },
]

/** The text of a bubble, with marks for bold, italic, underline, links and lists. */
export function TextEditor(props: { block: Block; onChange: (block: Block) => void; isReadOnly: boolean }) {
  const { block, onChange } = props
  const id = useId()
  const given = block.content?.richText
  // Older documents have the text in one of these alone.
  const stored = given === undefined ? String(block.content?.plainText ?? '') : toMarked(given)
  const [text, setText] = useState(stored)
  const written = useRef(stored)
  const field = useRef<HTMLTextAreaElement | null>(null)

  // An undo, or a change of another person.
  useEffect(() => {
    if (stored === written.current) return
    written.current = stored
    setText(stored)
  }, [stored])

  const write = (next: string) => {
    setText(next)
    const richText = fromMarked(next, given)
    written.current = toMarked(richText)
    onChange({ ...block, content: { ...block.content, richText } })
  }
  const wrap = (sign: string) => {
    const element = field.current
    if (!element) return
    const { selectionStart: start, selectionEnd: end } = element
    const chosen = text.slice(start, end)
    write(text.slice(0, start) + sign + chosen + sign + text.slice(end))
    requestAnimationFrame(() => {
      element.focus()
      element.setSelectionRange(start + sign.length, end + sign.length)
    })
  }
  const link = () => {
    const element = field.current
    if (!element) return
    const { selectionStart: start, selectionEnd: end } = element
    const words = text.slice(start, end) || 'link'
    const address = 'https://'
    write(`${text.slice(0, start)}[${words}](${address})${text.slice(end)}`)
    requestAnimationFrame(() => {
      element.focus()
      const from = start + words.length + 3
      element.setSelectionRange(from, from + address.length)
    })
  }
  return (
    <div class="text-editor">
      <label for={id} class="field-label">
        Message
      </label>
      {!props.isReadOnly && (
        <fieldset class="marks" aria-label="Marks">
          {signs.map(({ label, letter, sign }) => (
            <button
              key={label}
              type="button"
              class={`quiet square ${label.toLowerCase()}`}
              aria-label={label}
              onClick={() => wrap(sign)}
            >
              {letter}
            </button>
          ))}
          <button type="button" class="quiet" onClick={link}>
            Link
          </button>
        </fieldset>
      )}
      <VariableText
        id={id}
        value={text}
        onChange={write}
        lines={5}
        isReadOnly={props.isReadOnly}
        describedBy={`${id}-about`}
        onField={(element) => {
          field.current = element
        }}
      />
      <p id={`${id}-about`} class="about">
        **bold**, _italic_, __underline__, [link](https://…), lists with “- ” or “1. ”, variables with {'{{'}
      </p>
    </div>
  )
}
