import { useRef, useState } from 'preact/hooks'
import { client } from '../api.ts'
import { useTask } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'

interface Draft {
  text: string
  files: { url: string; name: string }[]
}

/** Interval at which the sign is sent again while the member types. */
const TYPING_INTERVAL_MS = 3_000
/** Lifetime of a sign: `TYPING_SECONDS` of the contract. */
const TYPING_LIFETIME_MS = 6_000

/** The keyboards of phones have no Shift+Enter: Enter begins a line there. */
const hasKeyboard = !matchMedia('(pointer: coarse)').matches

const empty: Draft = { text: '', files: [] }

/** Replies that were begun, by the session, so that a look at another chat loses none. */
const drafts = new Map<string, Draft>()

/** Writes to the visitor, in Markdown and with files. */
export function ReplyForm(props: {
  botId: string
  sessionId: string
  /** The member who handles the chat; undefined if it is this one. */
  handlerName: string | undefined
  onSent: () => void
}) {
  const { botId, sessionId } = props
  const [draft, setState] = useState(drafts.get(sessionId) ?? empty)
  const field = useRef<HTMLTextAreaElement>(null)
  const file = useRef<HTMLInputElement>(null)
  const task = useTask()
  const setDraft = (next: Draft) => {
    if (next.text === '' && next.files.length === 0) drafts.delete(sessionId)
    else drafts.set(sessionId, next)
    setState(next)
  }
  const signAt = useRef(Number.NEGATIVE_INFINITY)
  const lastSign = useRef<Promise<unknown> | undefined>(undefined)
  /** Shows the visitor that this member is typing. A failure matters to nobody. */
  const showTyping = (isTyping: boolean) => {
    const ageMs = performance.now() - signAt.current
    const isNeedless = isTyping ? ageMs < TYPING_INTERVAL_MS : ageMs > TYPING_LIFETIME_MS
    if (props.handlerName !== undefined || isNeedless) return
    signAt.current = isTyping ? performance.now() : Number.NEGATIVE_INFINITY
    lastSign.current = client.typingSigns
      .update(botId, sessionId, { isTyping }, { maxRetries: 0 })
      .catch(() => {})
  }
  const isEmpty = draft.text.trim() === '' && draft.files.length === 0
  const send = () => {
    if (isEmpty) return
    void task.run(async () => {
      // A sign that arrives behind its message would stay.
      await lastSign.current
      const attachedFileUrls = draft.files.map(({ url }) => url)
      await client.messages.send(botId, sessionId, {
        ...(draft.text.trim() !== '' && { text: draft.text, textFormat: 'markdown' as const }),
        ...(attachedFileUrls.length > 0 && { attachedFileUrls }),
      })
      // More may have been written meanwhile.
      signAt.current = Number.NEGATIVE_INFINITY
      const { text = '' } = drafts.get(sessionId) ?? empty
      setDraft({ ...empty, text: text.startsWith(draft.text) ? text.slice(draft.text.length) : text })
      props.onSent()
      field.current?.focus()
    })
  }
  const upload = (chosen: FileList | null) =>
    task.run(async () => {
      for (const one of chosen ?? []) {
        const { upload } = await client.files.upload(sessionId, one, { fileName: one.name })
        const before = drafts.get(sessionId) ?? empty
        setDraft({ ...before, files: [...before.files, { url: upload.url, name: upload.name }] })
      }
    })
  return (
    <form
      class="inbox-reply"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {props.handlerName && (
        <p class="about">{props.handlerName} handles this chat. The visitor sees your messages, too.</p>
      )}
      {draft.files.length > 0 && (
        <ul class="inbox-files" aria-label="Files to send">
          {draft.files.map(({ url, name }) => (
            <li key={url}>
              {name}
              <button
                type="button"
                class="text"
                aria-label={`Remove ${name}`}
                onClick={() =>
                  setDraft({ ...draft, files: draft.files.filter((other) => other.url !== url) })
                }
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="inbox-text">
        <span class="visually-hidden">Message to the visitor</span>
        <textarea
          ref={field}
          rows={2}
          maxLength={8_000}
          placeholder={
            hasKeyboard
              ? 'Message in Markdown. Enter sends, Shift+Enter begins a line.'
              : 'Message in Markdown'
          }
          value={draft.text}
          onInput={(event) => {
            setDraft({ ...draft, text: event.currentTarget.value })
            showTyping(event.currentTarget.value.trim() !== '')
          }}
          onKeyDown={(event) => {
            if (!hasKeyboard || event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            send()
          }}
        />
      </label>
      <input
        ref={file}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          void upload(event.currentTarget.files)
          event.currentTarget.value = ''
        }}
      />
      <button
        type="button"
        class="square"
        aria-label="Attach files"
        disabled={task.isBusy}
        onClick={() => file.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <button type="submit" class="main" disabled={task.isBusy || isEmpty}>
        Send
      </button>
      {task.error && (
        <p class="alert" role="alert">
          {task.error}
        </p>
      )}
    </form>
  )
}
