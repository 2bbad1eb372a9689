import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Issue } from '../../../contract/errors.ts'
import type { UpdateChat } from '../../../generated/handlers.ts'
import type { components } from '../../../generated/openapi.ts'
import type { Database } from '../../db/client.ts'
import { chatSessions as table, users, workspaceMembers } from '../../db/schema.ts'
import { JsonText } from '../../kit/json/json-text.ts'
import { inputForPeople } from '../engine/inputs/for-people.ts'
import { recordMessage, resumeFlow } from '../engine/people.ts'
import type { Effects, Flow } from '../engine/types.ts'
import { type ChatWebhookEvent, turnEventWrites } from './chat-events.ts'
import { decodeState } from './codec.ts'
import { lastMessageIn, readLastMessage } from './last-message.ts'
import type { HeldChat } from './lock-chat.ts'
import { readLastResponse, type Session } from './read-session.ts'
import { pickAwaitedParts, type TurnEnd, type TurnRequest, toTurnResponse, uploadWrites } from './run-turn.ts'
import { removeTimer } from './timer-rows.ts'
import { computeOpenExpiry, resumeTimer } from './timers.ts'
import { type Context, createEffects } from './turn-effects.ts'
import { computeLatestExpiry, measureTurn, type WrapWrite, writeTurn } from './write-turn.ts'

/*
 * A chat is handled by the bot, waits for a member, or is handled by a member. In the last two cases the bot runs and
 * says nothing, and messages of the visitor are recorded as turns without an answer of the bot.
 */

/** The sender of a change to a chat: a member, or a service that its chat goes through, which is no user. */
export interface EditGrant {
  bot: { id: string; workspaceId: string }
  caller: { userId: string | null }
  hasWebhooks: boolean
}

type Handing =
  | { changes?: Partial<typeof table.$inferInsert>; isReturned?: true }
  | { issue: Issue; isConflict: boolean }

/** Returns the changes of a locked chat when it changes hands. */
export async function planHanding(
  db: Database,
  { grant, now }: { grant: EditGrant; now: Date },
  chat: HeldChat,
  { handledBy, assigneeId, groupId }: UpdateChat['body'],
): Promise<Handing> {
  const wanted = handledBy ?? (assigneeId ? 'member' : undefined)
  if (groupId !== undefined && wanted !== 'bot') return { issue: withoutBot, isConflict: false }
  if (wanted === undefined) return {}
  if (wanted === 'bot') {
    if (chat.handledBy !== null) return { isReturned: true }
    return groupId === undefined ? {} : { issue: ofBot, isConflict: true }
  }
  const changes: Partial<typeof table.$inferInsert> = {
    handledBy: wanted,
    assigneeId: null,
    handledSince: now,
    typingUntil: null,
    expiresAt: computeLatestExpiry(chat.createdAt),
  }
  if (chat.handledBy === null) Object.assign(changes, await lastTurnOf(db, chat))
  if (wanted === 'waiting') return chat.handledBy === 'waiting' ? {} : { changes }
  const { userId } = grant.caller
  changes.assigneeId = assigneeId ?? userId
  if (chat.handledBy === 'member') {
    if (chat.assigneeId === changes.assigneeId) return {}
    if (!assigneeId) return { issue: ofAnother, isConflict: true }
  }
  if (changes.assigneeId !== null && changes.assigneeId !== userId) {
    const { workspaceId } = grant.bot
    // A disabled user cannot write to anybody.
    const isMember = and(
      isNull(users.disabledAt),
      eq(workspaceMembers.workspaceId, workspaceId),
      eq(workspaceMembers.userId, changes.assigneeId),
      inArray(workspaceMembers.role, ['ADMIN', 'MEMBER']),
    )
    const [member] = await db
      .select({ id: users.id })
      .from(workspaceMembers)
      .innerJoin(users, eq(users.id, workspaceMembers.userId))
      .where(isMember)
    if (!member) return { issue: noMember, isConflict: false }
  }
  return { changes }
}

/**
 * Columns of a chat that the bot hands over: the content that a client shows again when the bot continues, and the
 * last message.
 */
async function lastTurnOf(db: Database, { id: sessionId, ...chat }: HeldChat) {
  const answer = await readLastResponse(db, { sessionId, ...chat })
  return {
    awaited: new JsonText(JSON.stringify(pickAwaitedParts(answer === null ? {} : JSON.parse(answer)))),
    lastMessage: await readLastMessage(db, { sessionId, ...chat }),
  }
}

/** Gives a locked chat back to the bot, by a turn without a message. Returns an issue if there is no such group. */
export async function giveBack(
  db: Database,
  { grant, now }: { grant: EditGrant; now: Date },
  chat: HeldChat & { flow: Flow; effects: Effects },
  groupId: string | undefined,
): Promise<Issue | undefined> {
  const { botId, id, publicationId, resultId, revision, memberEdits, inlineTurns } = chat
  const outcome = await resumeFlow(chat.flow, chat.state, groupId, chat.effects)
  if (!outcome) return noGroup
  const timer = outcome.state?.timer
  const dueAt = timer ? await resumeTimer(db, chat, timer) : await removeTimer(db, chat)
  const awaited = groupId === undefined && chat.awaited ? JSON.parse(chat.awaited.text) : {}
  const body: components['schemas']['ContinuedChatBody'] = {
    messages: [],
    ...awaited,
    expectsEvents: timer ? true : undefined,
    revision: revision + 1,
  }
  const expiresAt = computeOpenExpiry(dueAt && dueAt > now ? dueAt : now, chat.createdAt)
  const isWritten = await writeTurn(
    db,
    {
      session: { id, botId, workspaceId: grant.bot.workspaceId, publicationId },
      subscribedEvents: null,
      base: {
        memberEdits: memberEdits?.text ?? null,
        isEnded: false,
        inlineTurnsBytes: inlineTurns?.length ?? 0,
      },
      expiresAt,
      revision,
      resultId,
      isNewResult: false,
      hasEarlierAnswer: true,
      outcome,
      lastDigest: null,
      response: JSON.stringify(body),
    },
    now,
  )
  if (!isWritten) throw new Error('The turn that gives a locked chat back was not written')
  await db
    .update(table)
    .set({
      handledBy: null,
      assigneeId: null,
      handledSince: now,
      awaited: null,
      lastMessage: null,
      leaseId: null,
    })
    .where(and(eq(table.botId, botId), eq(table.id, id)))
  return undefined
}

/**
 * Records a message of the visitor in a chat that people handle. `moved` also if the chat has changed hands since it
 * was read.
 */
export async function receiveMessage(
  context: Context,
  session: Session,
  { message, options, digest }: Pick<TurnRequest, 'message' | 'options' | 'digest'>,
  keep?: WrapWrite,
): Promise<TurnEnd> {
  const { sessionId, botId, workspaceId, publicationId, handledBy, revision, subscribedEvents } = session
  const state = decodeState(session)
  if (!state || handledBy === null) return 'over'
  const hasEarlierAnswer = (state.frames[0]?.answerCount ?? 0) > 0
  const effects = createEffects(context, { ...session, resultId: state.resultId, state })
  const outcome = await recordMessage(session.flow, state, message, options, effects)
  const input = inputForPeople(effects.uploads?.maximumSize)
  const unchanged = { messages: [], input, handledBy, expectsEvents: true, revision }
  if (!outcome) return { response: JSON.stringify(unchanged) }
  outcome.handledBy = handledBy
  const response = JSON.stringify(toTurnResponse(outcome, revision + 1, publicationId === null))
  const { resultId } = state
  const visitorMessages = outcome.said.map(({ role: _, ...message }) => message)
  const event: ChatWebhookEvent | undefined =
    resultId === null
      ? undefined
      : {
          type: 'chat.messageReceived',
          data: {
            sessionId,
            botId,
            resultId,
            handledBy,
            assigneeId: session.assigneeId,
            said: visitorMessages,
          },
        }
  const isWritten = await writeTurn(
    context.db,
    {
      session: { id: sessionId, botId, workspaceId, publicationId },
      subscribedEvents,
      base: session,
      expiresAt: session.expiresAt,
      revision,
      resultId: state.resultId,
      isNewResult: session.resultId === null,
      hasEarlierAnswer,
      outcome,
      lastDigest: digest,
      response,
    },
    context.now,
    keep,
    [
      ...uploadWrites(sessionId, outcome.uploads),
      (tx) =>
        tx
          .update(table)
          .set({ lastMessage: lastMessageIn(outcome.said) })
          .where(and(eq(table.botId, botId), eq(table.id, sessionId))),
      ...turnEventWrites(session, event, context.now),
    ],
  )
  if (!isWritten) return 'superseded'
  const eventBytes = subscribedEvents && event ? Buffer.byteLength(JSON.stringify(event)) : 0
  context
    .quota()
    .add('text', botId, eventBytes + measureTurn({ outcome, response, base: session, subscribedEvents }))
  return { response }
}

const withoutBot: Issue = {
  path: ['body', 'handledBy'],
  code: 'required',
  message: 'A chat goes on at a group when the bot handles it again; send handledBy with bot as well',
}

const ofBot: Issue = {
  path: ['body', 'groupId'],
  code: 'conflict',
  message: 'The bot handles the chat already; take it first, then give it back at this group',
}

const ofAnother: Issue = {
  path: ['body', 'handledBy'],
  code: 'conflict',
  message: 'Another member handles the chat; send assigneeId as well to hand it over',
}

const noMember: Issue = {
  path: ['body', 'assigneeId'],
  code: 'unknown_member',
  message: 'Nobody with this id who can sign in has the role MEMBER or ADMIN in the workspace',
}

const noGroup: Issue = {
  path: ['body', 'groupId'],
  code: 'unknown_start',
  message: 'The bot has no such group',
}
