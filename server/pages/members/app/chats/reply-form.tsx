import { useRef } from 'preact/hooks'
import { client } from '../api.ts'
import { Icon } from '../ui/icons.tsx'
import { addFiles, changeDraft, isBlank, sendDraft, useDraft } from './drafts.ts'

/** Interval at which the sign is sent again while the member types. */
const TYPING_INTERVAL_MS = 3_000
/** Lifetime of a sign: `TYPING_SECONDS` of the contract. */
const TYPING_LIFETIME_MS = 6_000

/** The keyboards of phones have no Shift+Enter: Enter begins a line there. */
const hasKeyboard = !matchMedia('(pointer: coarse)').matches

/** Writes to the visitor, in Markdown and with files. If that is not possible, it shows the unsent text, if any. */
export function ReplyForm(props: {
  botId: string
  sessionId: string
  /** The member who handles the chat; undefined if it is this one. */
  handlerName: string | undefined
  /** The reason for which nothing can be sent now; undefined where a member handles the chat. */
  obstacle: string | undefined
  onSent: () => void
}) {
  const { botId, sessionId, obstacle } = props
  const draft = useDraft(sessionId)
  const field = useRef<HTMLTextAreaElement>(null)
  const file = useRef<HTMLInputElement>(null)
  const signAt = useRef(Number.NEGATIVE_INFINITY)
  const lastSign = useRef<Promise<unknown> | undefined>(undefined)
  /** Shows the visitor that this member is typing. Failures are ignored. */
  const showTyping = (isTyping: boolean) => {
    const ageMs = performance.now() - signAt.current
    const isNeedless = isTyping ? ageMs < TYPING_INTERVAL_MS : ageMs > TYPING_LIFETIME_MS
    if (props.handlerName !== undefined || obstacle !== undefined || isNeedless) return
    signAt.current = isTyping ? performance.now() : Number.NEGATIVE_INFINITY
    lastSign.current = client.typingSigns
      .update(botId, sessionId, { isTyping }, { maxRetries: 0 })
      .catch(() => {})
  }
  const isUnsendable = draft.isBusy || isBlank(draft) || obstacle !== undefined
  const send = async () => {
    if (isUnsendable) return
    // A sign that arrives behind its message would stay.
    await lastSign.current
    signAt.current = Number.NEGATIVE_INFINITY
    const isSent = await sendDraft(botId, sessionId)
    props.onSent()
    if (isSent) field.current?.focus()
  }
  if (obstacle !== undefined && isBlank(draft) && !draft.isBusy) return null
  const reason = obstacle === undefined ? draft.error : `${obstacle} This was not sent.`
  return (
    <form
      class="inbox-reply"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {props.handlerName && (
        <p class="about">{props.handlerName} handles this chat. The visitor sees your messages, too.</p>
      )}
      {draft.files.length > 0 && (
        <ul class="inbox-files" aria-label="Files to send">
          {draft.files.map(({ file: { name } }, place) => (
            <li key={place}>
              {name}
              <button
                type="button"
                class="text"
                aria-label={`Remove ${name}`}
                onClick={() =>
                  changeDraft(sessionId, { files: draft.files.filter((_, other) => other !== place) })
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
            changeDraft(sessionId, { text: event.currentTarget.value })
            showTyping(event.currentTarget.value.trim() !== '')
          }}
          onKeyDown={(event) => {
            if (!hasKeyboard || event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            void send()
          }}
        />
      </label>
      <input
        ref={file}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          addFiles(sessionId, event.currentTarget.files ?? [])
          event.currentTarget.value = ''
        }}
      />
      {obstacle === undefined ? (
        <>
          <button
            type="button"
            class="square"
            aria-label="Attach files"
            disabled={draft.isBusy}
            onClick={() => file.current?.click()}
          >
            <Icon name="clip" />
          </button>
          <button type="submit" class="main" disabled={isUnsendable}>
            Send
          </button>
        </>
      ) : (
        <button
          type="button"
          disabled={draft.isBusy}
          onClick={() => changeDraft(sessionId, { text: '', files: [], error: undefined })}
        >
          Discard
        </button>
      )}
      {reason && (
        <p class="alert" role="alert">
          {reason}
        </p>
      )}
    </form>
  )
}
