import { and, eq } from 'drizzle-orm'
import { insertLogs } from '../chat/sessions/client-logs.ts'
import { decodeState } from '../chat/sessions/codec.ts'
import { findSession, type Session } from '../chat/sessions/read-session.ts'
import { eventsAfter, positionOf, readPosition } from '../chat/sessions/session-events.ts'
import type { Services } from '../context.ts'
import { dueAfter } from '../db/due-after.ts'
import { results } from '../db/schema.ts'
import { MS_PER_DAY, MS_PER_MINUTE } from '../durations.ts'
import { asObjects, asString, cutText } from '../json/access.ts'
import { createMessage, MAX_SENT_FILE_BYTES, type Outcome, readFile, setStatus, unassign } from './api.ts'
import { messagesOf, type Outgoing } from './messages.ts'
import { digestOfText } from './read-event.ts'
import { abandon, type Conversation, change } from './rows.ts'

/*
 * Sends the messages of a session to its conversation, as a client that follows the session does, one request at a
 * time. A request that may not have arrived is repeated only if Chatwoot has not sent its message back for a while.
 */

/** Time for which a message that may have arrived is not sent again. */
const CONFIRMATION_TIMEOUT_MS = 15_000
const MAX_RETRY_DELAY_MS = 5 * MS_PER_MINUTE
/** A message that Chatwoot rejects this often is left out. */
const MAX_REJECTIONS = 5
/** Time of failing requests after which a conversation is abandoned. */
const MAX_FAILING_MS = 3 * MS_PER_DAY
const MAX_NOTE_CHARACTERS = 8_000
const RETURNED = 'The bot has this conversation again.'
/** A bot that says something again and again does it no faster. */
const MIN_WAIT_MS = 1_000
/** In the past even where the column rounds it up. */
const AT_ONCE_MS = -1

/** `again`: there may be more. `idle`: all is sent. `lost`: another process has the conversation. */
export type Step = 'again' | 'idle' | 'lost' | { waitMs: number }

/** Sends the next message of a conversation, or sets its status. */
export async function sendNext(services: Services, row: Conversation): Promise<Step> {
  const { db } = services
  if (row.sessionId === null) return 'idle'
  const session = await findSession(db, services.chat, row.sessionId, services.now())
  if (!session) return writeChanges(db, row, { ...nothingSent, sessionId: null, isNoteDue: false })
  const position = { revision: row.sentRevision, ordinal: row.sentOrdinal }
  const [event, ...later] = await eventsAfter(db, session, session, position)
  if (event && (event.type === 'turn' || event.type === 'message')) {
    // Members' messages and later turns follow: only the last turn has an input.
    const isLast = event.type === 'turn' && !later.some(({ type }) => type === 'turn')
    const turn = event.type === 'turn' && isLast ? event.step : {}
    const bubbles =
      event.type === 'turn'
        ? (event.step.messages as never[])
        : event.turns.flatMap((each) => (each.role === 'member' ? [each.message] : []))
    const isOfBot = event.type === 'message' || session.handledBy === null || turn.handledBy !== undefined
    const outgoing = messagesOf(bubbles, isOfBot ? withoutPeople(turn) : {}, row.channel)[row.sentParts]
    if (outgoing) {
      return sendMessage(services, row, session, 'p', outgoing, { sentParts: row.sentParts + 1 })
    }
    const { revision, ordinal } = readPosition(event.id) ?? positionOf(session)
    const behind = { ...settledColumns, sentRevision: revision, sentOrdinal: ordinal, sentParts: 0 }
    return writeChanges(db, row, { ...behind, ...(isLast && { resumeAt: resumeTime(session, turn) }) })
  }
  const end = positionOf(session)
  // Very old turns are not stored any more.
  if (end.revision > position.revision || end.ordinal > position.ordinal) {
    return writeChanges(db, row, { sentRevision: end.revision, sentOrdinal: end.ordinal, sentParts: 0 })
  }
  return settleStatus(services, row, session)
}

type Turn = Parameters<typeof messagesOf>[1]

/** People need no input. */
const withoutPeople = (turn: Turn): Turn => (turn.handledBy ? { ...turn, input: undefined } : turn)

/** When the chat goes on without a message: as a page would go on, which has done its part. Null if it waits for one. */
function resumeTime(session: Session, turn: Turn) {
  const state = decodeState(session)
  if (!state || session.handledBy !== null) return null
  if (state.startFrom !== undefined) return dueAfter(AT_ONCE_MS)
  const action = turn.clientSideActions?.find((each) => each.expectsDedicatedReply === true)
  if (action === undefined || action.type === 'listenForWebhook' || state.timer?.kind === 'wait') return null
  if (action.type !== 'wait') return dueAfter(AT_ONCE_MS)
  return dueAfter(Math.max(action.wait.secondsToWaitFor * 1_000, MIN_WAIT_MS))
}

/**
 * Sets the status of the conversation to that of the chat, and sends members the answers or a note that the bot
 * continues.
 */
async function settleStatus(services: Services, row: Conversation, session: Session): Promise<Step> {
  const { db } = services
  // The bot waits for nothing any more.
  if (session.handledBy !== null && row.resumeAt !== null) return writeChanges(db, row, { resumeAt: null })
  const wanted = session.isEnded
    ? row.status === 'resolved'
      ? row.status
      : ({ open: 'open', resolve: 'resolved', pending: 'pending' } as const)[row.whenOver]
    : session.handledBy === null
      ? 'pending'
      : 'open'
  if (row.status !== wanted) {
    const isReturned = wanted === 'pending' && !session.isEnded
    const done = {
      ...{ ...settledColumns, status: wanted, isNoteDue: wanted === 'open' || isReturned },
      handedAfter: Math.max(row.handedAfter, row.lastMessageId),
    }
    // The bot says nothing in a conversation that is assigned to an agent.
    const unassigned = isReturned ? await unassign(services, row) : undefined
    const isToRetry = unassigned?.ok === false && ['unknown', 'limited'].includes(unassigned.kind)
    const outcome = isToRetry ? unassigned : await setStatus(services, row, wanted)
    if (outcome.ok) return writeChanges(db, row, done)
    return handleFailure(services, row, session, outcome, done)
  }
  if (row.isNoteDue) {
    // Its id is behind all that was written before the conversation changed hands.
    const content =
      session.handledBy === null && !session.isEnded ? RETURNED : await noteOf(services, session)
    return sendMessage(services, row, session, 'n', { content }, { isNoteDue: false })
  }
  if (session.isEnded) return writeChanges(db, row, { ...nothingSent, sessionId: null })
  return 'idle'
}

async function noteOf({ db }: Services, { botId, resultId }: Session): Promise<string> {
  const [result] = await db
    .select({ variables: results.variables })
    .from(results)
    .where(and(eq(results.botId, botId), eq(results.id, resultId ?? '')))
  const variables = asObjects(JSON.parse(result?.variables?.text ?? '[]'))
  const lines = variables.flatMap(({ name, value }) => {
    const words = Array.isArray(value) ? value.join(', ') : asString(value)
    return words ? [`- **${plain(asString(name) ?? '')}**: ${plain(words)}`] : []
  })
  return cutText(['The bot hands this conversation over.', ...lines].join('\n'), MAX_NOTE_CHARACTERS)
}

/** Words of a visitor in one line, without a mark-up or a mention. */
const plain = (words: string) => words.replace(/\s+/g, ' ').replace(/[\\[\]()<>*_~`#|!@]/g, '\\$&')

/** Columns of a request that has succeeded, and of a conversation whose next chat has no messages yet. */
export const settledColumns = {
  pending: null,
  pendingSince: null,
  confirmedId: null,
  failures: 0,
  failingSince: null,
}
const nothingSent = { ...settledColumns, sentRevision: 0, sentOrdinal: 0, sentParts: 0, resumeAt: null }

/** Sends a message once. `done` are the changes once it has arrived. */
async function sendMessage(
  services: Services,
  row: Conversation,
  session: Session,
  kind: 'p' | 'n',
  outgoing: Outgoing,
  done: Parameters<typeof change>[2],
): Promise<Step> {
  const { db } = services
  const arrived = (id: number | null | undefined, createdAt = 0) => {
    const handed = { handedAfter: id ?? 0, handedAt: Math.max(row.handedAt, createdAt) }
    const ids = id ? { lastMessageId: id, ...(kind === 'n' && handed) } : {}
    return writeChanges(db, row, { ...settledColumns, ...done, ...ids })
  }
  // A file that could not be read was sent as its address.
  const contents = outgoing.fileUrl === undefined ? [outgoing.content] : [outgoing.content, '']
  const isThis = contents.some((content) => row.pending === kind + digestOfText(content))
  // Values in a note may have changed since.
  if (isThis || (kind === 'n' && row.pending?.startsWith(kind))) {
    if (row.confirmedId !== null) return arrived(row.confirmedId)
    const waitMs = CONFIRMATION_TIMEOUT_MS - (row.pendingForMs ?? CONFIRMATION_TIMEOUT_MS)
    if (waitMs > 0) return { waitMs }
  }
  const memory = services.chat.memory.open(row.workspaceId)
  let outcome: Outcome
  try {
    const { fileUrl } = outgoing
    const file =
      fileUrl === undefined ? undefined : await readFile(services, fileUrl, MAX_SENT_FILE_BYTES, memory)
    const pending = kind + digestOfText(file ? '' : outgoing.content)
    if (!(await change(db, row, { pending, pendingSince: dueAfter(0), confirmedId: null }))) return 'lost'
    outcome = await createMessage(services, row, outgoing, file, kind === 'n')
  } finally {
    memory.end()
  }
  return outcome.ok
    ? arrived(outcome.id, outcome.createdAt)
    : handleFailure(services, row, session, outcome, done)
}

/** Puts a request off that has failed. One that never succeeds is left out, by `done`. */
export async function handleFailure(
  services: Services,
  row: Conversation,
  session: Session | undefined,
  { kind, message, retryAfterMs }: Exclude<Outcome, { ok: true }>,
  done: Parameters<typeof change>[2],
): Promise<Step> {
  const { db, log, now } = services
  const failures = row.failures + 1
  const ids = { botId: row.botId, conversationId: row.conversationId }
  log.warn({ ...ids, failures, message }, 'a request to Chatwoot failed')
  const isGivenUp = (row.failingForMs ?? 0) > MAX_FAILING_MS
  if (isGivenUp || (kind === 'gone' && failures >= MAX_REJECTIONS)) {
    log.error(ids, 'a conversation of Chatwoot is given up, since its requests fail')
    await abandon(db, row)
    return 'lost'
  }
  if (kind === 'rejected' && failures >= MAX_REJECTIONS) {
    const entry = { status: 'error', description: 'Chatwoot rejects a message', details: message }
    if (session?.resultId) await insertLogs(db, row.botId, session.resultId, [entry], now())
    return writeChanges(db, row, { ...settledColumns, ...done })
  }
  const isUnknown = kind === 'unknown'
  const wait = Math.max(retryAfterMs, Math.min(1_000 * 2 ** (failures - 1), MAX_RETRY_DELAY_MS))
  const certainty = isUnknown ? {} : { pending: null, pendingSince: null, confirmedId: null }
  if (!(await change(db, row, { failures, failingSince: row.failingSince ?? dueAfter(0), ...certainty })))
    return 'lost'
  return { waitMs: wait }
}

async function writeChanges(
  db: Services['db'],
  row: Conversation,
  changes: Parameters<typeof change>[2],
): Promise<Step> {
  return (await change(db, row, changes)) ? 'again' : 'lost'
}
