import type { components } from '../../../generated/openapi.ts'
import type { Database } from '../../db/client.ts'
import { readMemberMessages, readStoredTurns, type Session } from './read-session.ts'
import { sessionQueries } from './session-queries.ts'
import { sessionChanges } from './write-turn.ts'

/*
 * Events of a session for its clients: turns, messages of members, changes of hands and the end. All of these are read
 * from the session after a position, so a client that comes back misses nothing. Signs of typing have no position, so a
 * client that comes back may miss one. Writers of this process wake followers; for those of other processes each
 * follower looks again after a while.
 */

type SessionEvent = components['schemas']['SessionEvent']

/** The last turn and the last message of a member that a client has. The id of an event has both. */
export interface EventPosition {
  revision: number
  ordinal: number
}

type Followed = Pick<Session, 'revision' | 'messageCount' | 'handledBy' | 'isEnded'> & {
  /** Milliseconds for which a member still counts as typing. */
  typingForMs?: number | null
}

/** Delay before a session is looked at again, while people handle it and while the bot does. */
const POLL_INTERVAL_MS = 1_000
const IDLE_POLL_INTERVAL_MS = 2_000
/** Maximum time without an event, since proxies close silent connections. */
const KEEPALIVE_INTERVAL_MS = 15_000
/** A sign that ends at most this much later is the one that was sent already. */
const TYPING_TOLERANCE_MS = 1_000
/** Delay before a browser connects again, in the words of the stream. */
const RECONNECT_DELAY_MS = 2_000

export function readPosition(id: string | undefined): EventPosition | undefined {
  const [, revision, ordinal] = /^(\d{1,9})\.(\d{1,9})$/.exec(id ?? '') ?? []
  return revision && ordinal ? { revision: Number(revision), ordinal: Number(ordinal) } : undefined
}

export function positionOf({ revision, messageCount }: Pick<Followed, 'revision' | 'messageCount'>) {
  return { revision, ordinal: messageCount ?? 0 }
}

export const idOf = ({ revision, ordinal }: EventPosition) => `${revision}.${ordinal}`

/** Returns the turns and messages of a session after a position, in order, and the state it is in then. */
export async function eventsAfter(
  db: Database,
  ids: Pick<Session, 'botId' | 'sessionId'>,
  session: Followed,
  from: EventPosition,
): Promise<SessionEvent[]> {
  const end = positionOf(session)
  const [turns, messages] = await Promise.all([
    end.revision > from.revision ? readStoredTurns(db, { ...ids, ...session }, from.revision + 1) : [],
    end.ordinal > from.ordinal ? readMemberMessages(db, ids, { after: from.ordinal }) : [],
  ])
  const at = { ...from }
  const events: SessionEvent[] = []
  const addMessages = (isBefore: (revision: number) => boolean) => {
    for (let next = messages[0]; next && isBefore(next.revision); next = messages[0]) {
      messages.shift()
      if (next.ordinal > end.ordinal) continue
      at.ordinal = next.ordinal
      events.push({ type: 'message', id: idOf(at), turns: next.turns })
    }
  }
  for (const { revision, entries: said, response: answer } of turns) {
    addMessages((after) => after < revision)
    at.revision = revision
    const own = said.filter(({ role }) => role === 'user')
    events.push({ type: 'turn', id: idOf(at), said: own, step: { ...answer } })
  }
  addMessages(() => true)
  const handledBy = session.handledBy ?? 'bot'
  events.push(
    session.isEnded ? { type: 'over', id: idOf(end) } : { type: 'handled', id: idOf(end), handledBy },
  )
  return events
}

/** Follows a session from a position on, as the text of server-sent events, until it ends or the reader leaves. */
export function followSession(
  db: Database,
  session: Session,
  from: EventPosition,
  now: Date,
): AsyncIterable<string> {
  const { botId, sessionId, revision, messageCount, handledBy, isEnded } = session
  // Streams are many and last: none caches the state or the flow of its session.
  const first: Followed = { revision, messageCount, handledBy, isEnded }
  const begun = performance.now()
  let isClosed = false
  let isDue = false
  let wake: (() => void) | undefined
  const onChange = () => {
    isDue = true
    wake?.()
  }
  const close = () => {
    isClosed = true
    sessionChanges.off(sessionId, onChange)
    wake?.()
  }

  async function wait(milliseconds: number) {
    if (isDue || isClosed) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      wake = resolve
      timer = setTimeout(resolve, milliseconds)
    })
    clearTimeout(timer)
  }

  async function* follow(): AsyncGenerator<string> {
    const lookup = { botId, sessionId }
    let seen = first
    let at = from
    const textOf = async (current: Followed, isFirst: boolean) => {
      const events = await eventsAfter(db, lookup, current, at)
      const isSame = !isFirst && current.handledBy === seen.handledBy && !current.isEnded
      if (isSame) events.pop()
      seen = current
      at = positionOf(current)
      // These end the sign, too.
      if (events.length > 0) typingUntil = 0
      const typing = typingEvent(current)
      return [...events, ...(typing ? [typing] : [])].map(eventText).join('')
    }
    let typingUntil = 0
    const typingEvent = ({ handledBy, typingForMs }: Followed): SessionEvent | undefined => {
      const time = performance.now()
      const until = time + (handledBy === 'member' ? (typingForMs ?? 0) : 0)
      const isLonger = until > Math.max(typingUntil, time) + TYPING_TOLERANCE_MS
      const isStopped = until === time && typingUntil > time + TYPING_TOLERANCE_MS
      if (!isLonger && !isStopped) return undefined
      typingUntil = until
      return { type: 'typing', id: idOf(at), seconds: Math.round((until - time) / 100) / 10 }
    }
    yield `retry: ${RECONNECT_DELAY_MS}\n\n${await textOf(first, true)}`
    let spokenAt = performance.now()
    while (!isClosed && !seen.isEnded) {
      await wait(seen.handledBy === null ? IDLE_POLL_INTERVAL_MS : POLL_INTERVAL_MS)
      if (isClosed) return
      isDue = false
      const current = await sessionQueries(db).follow({
        ...lookup,
        now: new Date(now.getTime() + performance.now() - begun).toISOString(),
      })
      const text = current ? await textOf(current, false) : eventText({ type: 'over', id: idOf(at) })
      const isSilent = text === '' && performance.now() - spokenAt < KEEPALIVE_INTERVAL_MS
      if (isSilent) continue
      spokenAt = performance.now()
      yield text || ': still here\n\n'
      if (!current) return
    }
  }

  return {
    [Symbol.asyncIterator]() {
      // Not before: a stream for which there is no room is never read, nor closed.
      sessionChanges.on(sessionId, onChange)
      const events = follow()
      return {
        async next() {
          const step = await events.next()
          if (step.done) close()
          return step
        },
        return() {
          close()
          return events.return(undefined)
        },
      }
    },
  }
}

function eventText(event: SessionEvent): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
