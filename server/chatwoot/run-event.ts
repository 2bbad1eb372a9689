import { eq } from 'drizzle-orm'
import { uploadLimits } from '../chat/engine/upload-policy.ts'
import { decodeState } from '../chat/sessions/codec.ts'
import { receiveMessage } from '../chat/sessions/handling.ts'
import { lockChat, lockResult } from '../chat/sessions/lock-chat.ts'
import { addToTranscript } from '../chat/sessions/member-messages.ts'
import { closedIssue } from '../chat/sessions/origin-check.ts'
import { findPublished, findSession, readLastResponse, type Session } from '../chat/sessions/read-session.ts'
import { digestReply, runTurn } from '../chat/sessions/run-turn.ts'
import { startSession } from '../chat/sessions/start-session.ts'
import type { Context } from '../chat/sessions/turn-effects.ts'
import { updateSession } from '../chat/sessions/update-session.ts'
import type { WrapWrite } from '../chat/sessions/write-turn.ts'
import type { Services } from '../context.ts'
import { type Database, transact } from '../db/client.ts'
import { publicIds } from '../db/schema.ts'
import { asObject } from '../json/access.ts'
import { addressOf, storeGenerated, uploadsAmong } from '../uploads/uploads.ts'
import { readFile, setStatus } from './api.ts'
import { itemNumbered } from './messages.ts'
import type { StoredEvent } from './read-event.ts'
import { type Conversation, change, finish, saveEvent, workspaceOfBot } from './rows.ts'
import { handleFailure, type Step, settledColumns } from './send.ts'

/*
 * Applies events of a conversation to its chat. An event is marked as done in the transaction of its effects, so a
 * turn runs once for each message, even if a process is killed or the message comes again.
 */

type Event = StoredEvent & { key: string }

/** Another process has done the event. */
export class Lost extends Error {}

/** The bot stores no more today. */
export class Overdrawn extends Error {}

const format = { textBubbleContentFormat: 'markdown' as const }

/** Applies an event. `again` also where it has to be looked at anew, since the chat has changed meanwhile. */
export async function runEvent(services: Services, row: Conversation, event: Event): Promise<Step> {
  const { db } = services
  const context = contextOf(services)
  const session = row.sessionId === null ? undefined : await sessionOf(services, row)
  const drop = async (): Promise<Step> => ((await finish(db, row, event)) ? 'again' : 'lost')
  const update = (body: Parameters<typeof updateSession>[2]) => updateChat(context, row, session, body)

  const isOfVisitor = event.kind === 'message' || event.kind === 'choice'
  const isOfEarlierChat = event.updatedAt > 0 && event.updatedAt < row.startedAt
  if (isOfEarlierChat && !isOfVisitor) return drop()
  const isLate = wasSentBefore(row, event)
  if (event.kind === 'resolved') {
    if (isLate) return drop()
    if (session) await update({ isOver: true })
    if (!(await change(db, row, { status: 'resolved' }))) return 'lost'
    return drop()
  }
  const isForPeople = event.status !== 'pending' || event.hasAssignee
  if (event.kind === 'opened' || event.kind === 'agent') {
    if (isLate && session?.handledBy === null) return drop()
    const handledBy = event.hasAssignee || event.kind === 'agent' ? 'member' : 'waiting'
    const isHandled = session?.handledBy === 'member' || session?.handledBy === handledBy
    if (session && isForPeople && !isHandled) await update({ handledBy })
    if (isForPeople && !(await change(db, row, openedBy(row, event)))) return 'lost'
    return drop()
  }
  // People have it since: the message came before.
  const isOfEnded = isLate && row.status === 'open'
  if (!session) return isForPeople || isOfEnded ? drop() : start(services, context, row, event)
  let current = session
  const keep = keepOf(db, row, event)
  if (session.handledBy !== null) {
    const isReturned = !isForPeople && row.status === 'open' && !isLate
    if (!isReturned) {
      const text = [event.text, ...event.attachments].filter(Boolean).join('\n')
      const ran = await receiveMessage(context, session, textReply(text), keep)
      // Nothing to record is no turn.
      return typeof ran === 'object' && text === '' ? drop() : 'again'
    }
    const isRestarted = row.whenReturned === 'restart'
    await update(isRestarted ? { isOver: true } : { handledBy: 'bot' })
    const returned = { ...handedBy(row, event), status: 'pending', ...(isRestarted && { sessionId: null }) }
    if (!(await change(db, row, returned))) return 'lost'
    const resumed = isRestarted ? undefined : await sessionOf(services, row)
    if (!resumed || resumed.handledBy !== null) return 'again'
    // Immediately, so that the message answers the input that the chat waited at, and no later one.
    current = resumed
  }
  if (isForPeople && isLate) return recordForPeople(context, row, event)
  if (isForPeople) {
    await update({ handledBy: event.hasAssignee ? 'member' : 'waiting' })
    return (await change(db, row, openedBy(row, event))) ? 'again' : 'lost'
  }
  // While the bot waits for a time, messages change nothing.
  if (row.resumeInMs !== null) return drop()
  if (context.quota().findIssue('text', row.botId)) throw new Overdrawn()
  const ran = await runTurn(context, current, await replyOf(services, row, current, event), keep)
  // A bot that waits for a time or a call takes no answer.
  return typeof ran === 'object' && 'rejection' in ran ? drop() : 'again'
}

/**
 * True if Chatwoot said it before the conversation last changed between the bot and people. Messages say so by their
 * ids; everything else by the clock of Chatwoot alone, which no other clock is compared with.
 */
function wasSentBefore(row: Conversation, { kind, messageId, updatedAt }: Event): boolean {
  if (updatedAt > 0 && updatedAt < row.handedAt) return true
  const hasId = kind === 'message' || kind === 'agent' || (kind === 'choice' && updatedAt === 0)
  return hasId && messageId <= row.handedAfter
}

/** Columns of a conversation that has changed between the bot and people with an event: no earlier one changes that. */
const handedBy = (row: Conversation, { messageId, updatedAt }: Event) => ({
  handedAfter: Math.max(row.handedAfter, messageId),
  handedAt: Math.max(row.handedAt, updatedAt),
})

const openedBy = (row: Conversation, event: Event) => ({ ...handedBy(row, event), status: 'open' })

/** Adds a late message for people to the transcript: the bot, which has the chat again, is not meant. */
function recordForPeople({ db, now, quota }: Context, row: Conversation, event: Event): Promise<Step> {
  const { botId, sessionId } = row
  const text = [event.text, ...event.attachments].filter(Boolean).join('\n')
  const entries = JSON.stringify([{ role: 'user', type: 'text', text }])
  return transact(db, async (tx): Promise<Step> => {
    const chat = await lockChat(tx, botId, sessionId ?? '', now)
    const isThere = chat && text !== '' && (await lockResult(tx, chat, 'no key update'))
    if (!(await finish(tx, row, event))) return 'lost'
    if (!isThere) return 'again'
    await addToTranscript(tx, botId, chat.resultId, entries)
    quota().add('text', botId, Buffer.byteLength(entries))
    return 'again'
  })
}

/** Resumes a chat without a message. */
export async function goOn(services: Services, row: Conversation): Promise<Step> {
  const { db } = services
  const session = await sessionOf(services, row)
  const isOfBot = session?.handledBy === null && session.revision === row.sentRevision
  if (!isOfBot) return (await change(db, row, { resumeAt: null })) ? 'again' : 'lost'
  const context = contextOf(services)
  if (context.quota().findIssue('text', row.botId)) throw new Overdrawn()
  const options = { ...format, isWithoutVisitor: true }
  const reply = { message: null, options, digest: digestReply({ message: null, ...format }) }
  const ran = await runTurn(context, session, reply, (write) =>
    transact(db, async (tx) => {
      if (!(await write(tx))) return false
      if (!(await change(tx, row, { resumeAt: null }))) throw new Lost()
      return true
    }),
  )
  if (typeof ran === 'object' && 'rejection' in ran) await change(db, row, { resumeAt: null })
  return 'again'
}

/** The context of turns without a request; without an address, bytes count for the bot. */
function contextOf(services: Services): Context {
  const now = services.now()
  return { ...services, now, quota: services.quotas, slot: { releaseDuring: (work) => work() } }
}

/** The session of a conversation, unless it is over. */
async function sessionOf(
  { db, chat, now }: Services,
  { sessionId }: Conversation,
): Promise<Session | undefined> {
  const session = await findSession(db, chat, sessionId ?? '', now())
  return session && decodeState(session) ? session : undefined
}

/** Writes a turn, and marks its event as done; without an event, nothing is marked. */
function keepOf(
  db: Database,
  row: Conversation,
  event: Event | undefined,
  also?: Parameters<typeof change>[2],
): WrapWrite {
  return (write) =>
    transact(db, async (tx) => {
      if (!(await write(tx))) return false
      if (event && !(await finish(tx, row, event))) throw new Lost()
      if (also && !(await change(tx, row, also))) throw new Lost()
      return true
    })
}

async function updateChat(
  context: Context,
  row: Conversation,
  session: Session | undefined,
  body: Parameters<typeof updateSession>[2],
) {
  const bot = { id: row.botId, workspaceId: row.workspaceId }
  const hasWebhooks = session?.subscribedEvents !== null
  const grant = { bot, caller: { userId: null }, hasWebhooks }
  // No caller here has to be stopped from silencing the bot.
  const countMessage = () => undefined
  await updateSession({ ...context, grant, countMessage }, row.sessionId ?? '', body)
}

/**
 * Starts a chat with the first message of the visitor. Files belong to a session: where there are some, it is only
 * registered, and the message, which comes again, starts it.
 */
async function start(services: Services, context: Context, row: Conversation, event: Event): Promise<Step> {
  const { db, chat, log } = services
  const [name] = await db
    .select({ publicId: publicIds.publicId })
    .from(publicIds)
    .where(eq(publicIds.botId, row.botId))
  // Its address is not found any more.
  if (!(await workspaceOfBot(db, row.botId))) return (await finish(db, row, event)) ? 'again' : 'lost'
  const published = name && (await findPublished(db, chat, name.publicId, undefined))
  if (!published || published.isClosed) {
    const message = published ? closedIssue(published.flow).message : 'The bot is not published'
    log.warn({ botId: row.botId, message }, 'a conversation of Chatwoot goes to the members')
    const outcome = await setStatus(services, row, 'open')
    if (!outcome.ok && outcome.kind !== 'gone' && outcome.kind !== 'rejected')
      return handleFailure(services, row, undefined, outcome, {})
    if (!(await change(db, row, { ...settledColumns, ...openedBy(row, event) }))) return 'lost'
    return (await finish(db, row, event)) ? 'again' : 'lost'
  }
  if (context.quota().findIssue('text', row.botId)) throw new Overdrawn()
  const isOnlyRegistering = event.attachments.length > 0
  const message = event.text.trim() === '' || isOnlyRegistering ? undefined : event.text
  const started = await startSession(
    context,
    published,
    {
      ...format,
      ...(message !== undefined && { message }),
      isOnlyRegistering,
      prefilledVariables: event.variables,
      isBridged: true,
    },
    {
      wrapWriteFor: ({ sessionId }) =>
        keepOf(db, row, isOnlyRegistering ? undefined : event, {
          ...{ sessionId, startedAt: event.updatedAt, status: 'pending', isNoteDue: false, resumeAt: null },
          ...handedBy(row, event),
          ...{ sentRevision: 0, sentOrdinal: 0, sentParts: 0, pending: null, confirmedId: null },
        }),
    },
  )
  if ('rejection' in started) return (await finish(db, row, event)) ? 'again' : 'lost'
  context.quota().add('text', row.botId, started.size)
  return 'again'
}

function textReply(text: string) {
  const message = { type: 'text' as const, text }
  return { message, options: format, digest: digestReply({ message, ...format }) }
}

/** The message of the visitor as an answer: with the item that it names, and with its files as files of the chat. */
async function replyOf(services: Services, row: Conversation, session: Session, event: Event) {
  const { input } = JSON.parse((await readLastResponse(services.db, session)) ?? '{}')
  const replyId = event.replyId ?? itemNumbered(event.text, input, row.channel)
  const takesFiles =
    session.resultId === null ||
    input?.type === 'file input' ||
    asObject(asObject(input?.options).attachments).isEnabled === true
  const urls = takesFiles ? await storeFiles(services, row, session, event) : event.attachments
  const message = {
    type: 'text' as const,
    text: event.text,
    ...(urls.length > 0 && { attachedFileUrls: urls }),
    ...(replyId !== undefined && { metadata: { replyId } }),
  }
  return { message, options: format, digest: digestReply({ message, ...format }) }
}

/** Stores the files of an event for the chat, and returns their addresses. A retry stores none twice. */
async function storeFiles(services: Services, row: Conversation, session: Session, event: Event) {
  const { db, publicUrl, now } = services
  const urls = [...event.attachments]
  const known = await uploadsAmong(db, publicUrl(), session.sessionId, urls, now())
  for (const [index, url] of urls.entries()) {
    const stored = known.has(url) ? undefined : await keepFile(services, row, session, url)
    if (stored === undefined) continue
    urls[index] = stored
    await saveEvent(db, row, { ...event, attachments: urls })
  }
  return urls
}

/** Stores a file of the visitor as one of the chat; undefined where the service stores none, or cannot read it. */
async function keepFile(
  services: Services,
  { workspaceId }: Conversation,
  session: Session,
  url: string,
): Promise<string | undefined> {
  const { db, files, config, publicUrl, now } = services
  const { botId, sessionId } = session
  const resultId = decodeState(session)?.resultId ?? null
  const limits = uploadLimits(config)
  if (!files) return undefined
  const memory = services.chat.memory.open(workspaceId)
  let settle = (_storedBytes: number) => {}
  let storedBytes = 0
  try {
    const file = await readFile(services, url, limits.file, memory)
    if (!file) return undefined
    const reserved = services.quotas().reserve('uploads', botId, file.bytes.length)
    if ('issue' in reserved) return undefined
    settle = reserved.settle
    const owner = { botId, sessionId, sessionBotId: botId, resultId }
    const stored = await storeGenerated(db, files, owner, file, limits.chat, now())
    if (typeof stored === 'string') return undefined
    storedBytes = file.bytes.length
    return addressOf(publicUrl(), stored)
  } finally {
    settle(storedBytes)
    memory.end()
  }
}
