import { useEffect, useRef, useState } from 'preact/hooks'
import type { ChatDetailBody, ChatTurn } from '../../../../../generated/client/index.js'
import { service } from '../service.ts'
import { useLoaded } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { contentOf, readChat } from './data.ts'
import { Handler, type HandlerProps } from './handler.tsx'
import { ReplyForm } from './reply-form.tsx'

/** Delay before the chat is read again where no stream is possible. */
const POLL_INTERVAL_MS = 5_000

type Props = Omit<HandlerProps, 'chat'> & {
  /** Changes when the list says that the chat has changed hands, which its stream does not. */
  handler: string
  onClose: () => void
}

/** One chat: its transcript as it grows, and the actions of a member. */
export function ChatView(props: Props) {
  const { botId, sessionId, handler } = props
  const detail = useLoaded((signal) => readChat(botId, sessionId, signal), [botId, sessionId, handler])
  const { chat, turns } = detail.value ?? {}
  const onChanged = () => {
    detail.reload()
    props.onChanged()
  }
  const typing = useTyping()
  useEvents(sessionId, chat?.isOver === true || detail.isDenied, typing.show, () => {
    typing.show(0)
    onChanged()
  })
  const section = useRef<HTMLElement>(null)
  // On a phone the link that opened it is hidden now.
  useEffect(() => {
    if (document.activeElement === document.body || innerWidth < 768) section.current?.focus()
  }, [])
  const isWithPeople = chat?.handledBy === 'member' && !chat.isOver
  const isMine = chat?.assigneeId === props.userId
  return (
    <section class="inbox-chat" aria-label="Chat" ref={section} tabIndex={-1}>
      <header class="inbox-head">
        <button type="button" class="quiet square" aria-label="Close the chat" onClick={props.onClose}>
          <Icon name="back" />
        </button>
        {chat && <Handler {...props} chat={chat} onChanged={onChanged} />}
      </header>
      {detail.error && (
        <p class="alert" role="alert">
          {detail.error}
        </p>
      )}
      {!chat && !detail.error && <p role="status">Loading …</p>}
      {turns && <Transcript turns={turns} nameOf={props.nameOf} />}
      <p class="inbox-typing about" role="status">
        {isWithPeople && !isMine && typing.isShown && `${props.nameOf(chat.assigneeId)} is typing …`}
      </p>
      {chat && (
        <ReplyForm
          botId={botId}
          sessionId={sessionId}
          handlerName={isMine || !isWithPeople ? undefined : props.nameOf(chat.assigneeId)}
          obstacle={isWithPeople ? undefined : obstacleOf(chat)}
          onSent={onChanged}
        />
      )}
    </section>
  )
}

/** The reason for which no member can write in a chat. */
function obstacleOf({ isOver, handledBy }: ChatDetailBody['chat']): string {
  if (isOver) return 'The chat is over.'
  return handledBy === 'bot'
    ? 'The bot handles the chat again: take it to write to the visitor.'
    : 'The chat waits for a member: take it to write to the visitor.'
}

/** The sign that the member who handles a chat is typing, for some seconds. */
function useTyping() {
  const [isShown, setShown] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const show = (seconds: number) => {
    clearTimeout(timer.current)
    setShown(seconds > 0)
    if (seconds > 0) timer.current = setTimeout(() => setShown(false), seconds * 1_000)
  }
  return { isShown, show }
}

/** Calls back for every event of a chat: by its stream, or by polling if the stream is rejected. */
function useEvents(
  sessionId: string,
  isOver: boolean,
  onTyping: (seconds: number) => void,
  onEvent: () => void,
) {
  const latest = useRef({ onTyping, onEvent })
  latest.current = { onTyping, onEvent }
  useEffect(() => {
    if (isOver) return
    let source: EventSource | undefined
    let timer: ReturnType<typeof setInterval> | undefined
    const close = () => {
      source?.close()
      clearInterval(timer)
    }
    const open = () => {
      const url = new URL(`api/v1/sessions/${encodeURIComponent(sessionId)}/events`, service)
      const opened = new EventSource(url)
      source = opened
      // The first one, `handled`, also stands for events before the stream.
      for (const type of ['turn', 'message', 'handled', 'over'])
        opened.addEventListener(type, () => latest.current.onEvent())
      opened.addEventListener('typing', ({ data }) => latest.current.onTyping(JSON.parse(data).seconds))
      opened.addEventListener('error', () => {
        if (opened.readyState !== EventSource.CLOSED || source !== opened) return
        clearInterval(timer)
        timer = setInterval(() => latest.current.onEvent(), POLL_INTERVAL_MS)
      })
    }
    // Browsers open few connections to one host by HTTP/1.1; hidden tabs leave them to others.
    const onVisibility = () => {
      close()
      if (!document.hidden) open()
    }
    onVisibility()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      close()
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [sessionId, isOver])
}

function Transcript({ turns, nameOf }: { turns: ChatTurn[]; nameOf: Props['nameOf'] }) {
  const log = useRef<HTMLDivElement>(null)
  const count = turns.length
  // The end stays in view, unless the reader has scrolled back.
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (isAtEnd.current) log.current?.scrollTo({ top: log.current.scrollHeight })
  }, [count])
  return (
    <div
      ref={log}
      class="inbox-turns"
      role="log"
      aria-label="Transcript"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
      }}
    >
      {turns.map((turn, index) => {
        const author =
          turn.role === 'user' ? 'Visitor' : turn.role === 'bot' ? 'Bot' : nameOf(turn.userId) || 'Member'
        return (
          <div key={index} class={`inbox-turn ${turn.role}`}>
            <span class="inbox-author">{author}</span>
            {contentOf(turn).map(({ words, url }, at) => (
              <p key={at}>
                {url ? (
                  <a href={url} target="_blank" rel="noreferrer">
                    {words}
                  </a>
                ) : (
                  words
                )}
              </p>
            ))}
          </div>
        )
      })}
    </div>
  )
}
