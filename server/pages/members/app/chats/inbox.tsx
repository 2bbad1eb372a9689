import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../api.ts'
import { navigate } from '../router.ts'
import { countOf } from '../ui/count.ts'
import { type Loaded, useLoaded } from '../ui/hooks.ts'
import { Link } from '../ui/link.tsx'
import { agoOf } from '../ui/times.ts'
import { ChatView } from './chat-view.tsx'
import { type ListedChat, maxChats, readChats, type Source } from './data.ts'
import { isSoundOn, switchSound, useNotifications } from './notify.ts'

const POLL_INTERVAL_MS = 4_000
/** A hidden page polls rarely, for the sound and the title. */
const HIDDEN_POLL_INTERVAL_MS = 30_000

const sections: [ListedChat['handledBy'], string][] = [
  ['waiting', 'Waiting'],
  ['member', 'With members'],
  ['bot', 'With the bot'],
]

/** Chats on one side, the open one on the other; on a phone one of the two. */
export function Inbox(props: {
  title: string
  tabTitle: string
  source: Source
  /** Path of this page; the open chat is in its query. */
  path: string
  /** The bot and the session of the open chat, with a slash between them; empty for none. */
  chosen: string
}) {
  const { source, chosen } = props
  const [botId = '', sessionId = ''] = chosen.split('/')
  const [steps, setSteps] = useState(1)
  const list = useLoaded((signal) => readChats(source, steps, signal), [JSON.stringify(source), steps])
  usePolling(list, steps)
  const people = useLoaded(
    async (signal) => {
      const names = new Map<string, string>()
      const active = new Set<string>()
      const reading = client.currentUser.get({ signal })
      for await (const { userId, user, role, isDisabled } of client.members.list(
        source.workspaceId,
        {},
        { signal },
      )) {
        names.set(userId, user.name ?? user.email ?? 'A member')
        if (role !== 'GUEST' && !isDisabled) active.add(userId)
      }
      return { names, active, userId: (await reading).user.id }
    },
    [source.workspaceId],
  )
  const chats = list.value ?? []
  const userId = people.value?.userId
  const links = useRef<HTMLElement>(null)
  const nameOf = (id: string | null | undefined) => {
    // Only agents of Chatwoot handle a chat without being users here.
    if (!id) return 'An agent of Chatwoot'
    return people.value ? (people.value.names.get(id) ?? 'A former member') : 'A member'
  }
  const pathOf = (chat: string) => {
    const [path, query] = props.path.split('?')
    const next = new URLSearchParams(query)
    if (chat) next.set('chat', chat)
    return next.size > 0 ? `${path}?${next}` : String(path)
  }
  const close = () => {
    navigate(pathOf(''))
    // On a phone the list was hidden until now.
    requestAnimationFrame(() =>
      links.current?.querySelector<HTMLElement>(`[href*="${encodeURIComponent(chosen)}"]`)?.focus(),
    )
  }
  const countOfKind = (kind: ListedChat['handledBy']) =>
    chats.filter(({ handledBy }) => handledBy === kind).length
  /** A chat whose member can no longer write waits for another one. */
  const sectionOf = ({ handledBy, assigneeId }: ListedChat) =>
    assigneeId && people.value && !people.value.active.has(assigneeId) ? 'waiting' : handledBy
  const waiting = chats.filter((chat) => sectionOf(chat) === 'waiting').length
  const isWhole = countOfKind('waiting') < maxChats('waiting', steps)
  useNotifications(list.value, { userId, title: props.tabTitle, isWhole })
  return (
    <div class={sessionId ? 'inbox has-chat' : 'inbox'}>
      <section class="inbox-list" aria-label="Chats" ref={links}>
        <div class="inbox-list-head">
          <h2>{props.title}</h2>
          <Sound />
        </div>
        <p class="about" role="status">
          {list.value ? `${isWhole ? '' : 'At least '}${countOf(waiting, 'chat')} waiting` : 'Loading …'}
        </p>
        {(list.error ?? people.error) && (
          <p class="alert" role="alert">
            {list.error ?? people.error}
          </p>
        )}
        {list.value && chats.length === 0 && (
          <p class="about">
            Nobody is here. Chats come when a bot hands them over; those of a bot can be taken at any time on
            its page.
          </p>
        )}
        {sections.map(([handledBy, label]) => {
          const these = chats.filter((chat) => sectionOf(chat) === handledBy)
          if (these.length === 0) return null
          return (
            <section key={handledBy}>
              <h3>{label}</h3>
              <ul class="inbox-chats">
                {these.map((chat) => (
                  <li key={chat.sessionId}>
                    <Link
                      to={pathOf(`${chat.botId}/${chat.sessionId}`)}
                      class={chat.lastMessage?.role === 'user' ? 'inbox-link unanswered' : 'inbox-link'}
                      current={chat.sessionId === sessionId}
                    >
                      <span class="inbox-name">
                        {chat.botName}
                        <span class="about">{agoOf(chat.handledSince ?? chat.createdAt)}</span>
                      </span>
                      {chat.lastMessage && (
                        <span class="inbox-last">
                          {chat.lastMessage.role === 'member' && 'Answered: '}
                          {chat.lastMessage.text}
                        </span>
                      )}
                      {chat.handledBy === 'member' && (
                        <span class="about">
                          {chat.assigneeId === userId ? 'You' : nameOf(chat.assigneeId)}
                        </span>
                      )}
                    </Link>
                  </li>
                ))}
              </ul>
              {countOfKind(handledBy) >= maxChats(handledBy, steps) && (
                <button type="button" onClick={() => setSteps(steps + 1)}>
                  Show more
                </button>
              )}
            </section>
          )
        })}
      </section>
      {sessionId && (
        <ChatView
          key={chosen}
          handler={handlerOf(chats.find((chat) => chat.sessionId === sessionId))}
          botId={botId}
          sessionId={sessionId}
          userId={userId}
          nameOf={nameOf}
          onClose={close}
          onChanged={list.reload}
        />
      )}
    </div>
  )
}

const handlerOf = (chat: ListedChat | undefined) => `${chat?.handledBy} ${chat?.assigneeId}`

/** Polls, and loads immediately when the page comes into view. A longer list is read more rarely. */
function usePolling({ isLoading, isDenied: isGone, reload }: Loaded<unknown>, steps: number) {
  useEffect(() => {
    if (isLoading || isGone) return
    let timer: ReturnType<typeof setTimeout>
    const plan = () => {
      clearTimeout(timer)
      timer = setTimeout(reload, document.hidden ? HIDDEN_POLL_INTERVAL_MS : POLL_INTERVAL_MS * steps)
    }
    const onVisibility = () => (document.hidden ? plan() : reload())
    plan()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [isLoading, isGone, reload, steps])
}

function Sound() {
  const [isOn, setOn] = useState(isSoundOn)
  return (
    <label class="inbox-sound">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => {
          switchSound(event.currentTarget.checked)
          setOn(event.currentTarget.checked)
        }}
      />
      Sound
    </label>
  )
}
