import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

const COPIED_NOTE_MS = 2_000

/** A text to copy: one line, or several. */
export function CopyField({ label, value, lines = 1 }: { label: string; value: string; lines?: number }) {
  const [isCopied, setCopied] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), COPIED_NOTE_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    field.current?.select()
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
    } catch {
      // Without TLS there is no clipboard: the text is selected.
    }
  }
  return (
    <div class="copy-field">
      <label class="field">
        {label}
        <textarea ref={field} readOnly value={value} rows={lines} spellcheck={false} />
      </label>
      <button type="button" onClick={copy}>
        <Icon name={isCopied ? 'check' : 'copy'} /> <span role="status">{isCopied ? 'Copied' : 'Copy'}</span>
      </button>
    </div>
  )
}
