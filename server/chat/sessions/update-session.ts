import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Issue } from '../../../contract/errors.ts'
import type { ListChats, UpdateChat } from '../../../generated/handlers.ts'
import type { BotGrant } from '../../access/index.ts'
import { type Database, statements, transact } from '../../db/client.ts'
import { after, newestFirst, type Position } from '../../db/page.ts'
import { chatTimers, results, chatSessions as table } from '../../db/schema.ts'
import { expression, optional, prepareSelect, type RowOf, selectRows } from '../../db/typed-select.ts'
import { isResultVisible } from '../../db/visible-results.ts'
import { Rollback } from '../../kit/idempotency.ts'
import { JsonText } from '../../kit/json/json-text.ts'
import type { CountMessage } from '../../shares/quotas.ts'
import { setVariables } from '../engine/engine.ts'
import { wakeBridge } from './bridged.ts'
import { type ChatWebhookEvent, enqueueChatEvent } from './chat-events.ts'
import { insertLogs } from './client-logs.ts'
import { byRank, isAfterRank, rankColumn } from './handled-order.ts'
import { type EditGrant, giveBack, planHanding } from './handling.ts'
import { type HeldChat, lockChat, lockResult } from './lock-chat.ts'
import { type MemberEdit, readMemberEdits } from './member-edits.ts'
import { loadPublication } from './read-session.ts'
import { removeTimer } from './timer-rows.ts'
import { pauseTimer } from './timers.ts'
import { type Context, createEffects } from './turn-effects.ts'
import { announceChange, computeUsualExpiry, findWaitingResult } from './write-turn.ts'

/*
 * Lists and changes the sessions of a bot for its members. `member-edits.ts` merges these changes into turns that
 * run meanwhile.
 */

/**
 * The chat as operations show it. A cluster finds its timer by `botId`, which a statement about one bot gives as a
 * value.
 */
export const createChatShape = (botId: SQL) => ({
  id: table.id,
  createdAt: table.createdAt,
  updatedAt: table.updatedAt,
  expiresAt: table.expiresAt,
  publicationId: table.publicationId,
  resultId: table.resultId,
  revision: table.revision,
  blockId: optional(expression(sql`${table.state} #>> '{waiting,blockId}'`, 'text')),
  isOver: expression(sql`${table.state} IS NULL`, 'boolean'),
  handledBy: table.handledBy,
  assigneeId: table.assigneeId,
  handledSince: table.handledSince,
  messageCount: table.messageCount,
  lastMessage: optional(expression(sql`${table.lastMessage}`, 'json')),
  timer: optional(
    expression(
      sql`SELECT json_build_object(
          'kind', ${table.state} #>> '{timer,kind}', 'dueAt', timer.due_at, 'isPaused', timer.is_paused)
        FROM ${chatTimers} timer
        WHERE timer.bot_id = ${botId} AND timer.session_id = ${table.id}
          AND timer.id = ${table.state} #>> '{timer,id}'`,
      'json',
    ),
  ),
})

const chatShape = createChatShape(sql`${sql.placeholder('botId')}`)

const handledShape = { ...chatShape, rank: rankColumn }

export type ChatRow = RowOf<typeof chatShape>

const pageOf = (list: SQL, isWanted: SQL, order: SQL) => sql`SELECT ${list} FROM ${table}
  WHERE ${table.botId} = ${sql.placeholder('botId')} AND ${table.endedAt} IS NULL AND ${table.state} IS NOT NULL
    AND ${table.resultId} IS NOT NULL AND ${table.expiresAt} > ${sql.placeholder('now')}::timestamptz
    AND ${isResultVisible(sql`${sql.placeholder('botId')}`, sql`${table.resultId}`)} AND ${isWanted}
  ORDER BY ${order} LIMIT ${sql.placeholder('limit')}`

const assigneeId = sql`${sql.placeholder('assigneeId')}::text`

const chatStatements = statements((db, named) => ({
  page: prepareSelect(db, named('chat_page'), chatShape, (list) =>
    pageOf(
      list,
      sql`(${table.handledBy} IS NULL OR NOT ${sql.placeholder('isBot')}::boolean)
        AND ${after(table.createdAt, table.id)}`,
      sql.join(newestFirst(table.createdAt, table.id), sql`, `),
    ),
  ),
  // By the index of those that people handle, which are few.
  handledPage: prepareSelect(db, named('chat_handled_page'), handledShape, (list) =>
    pageOf(
      list,
      sql`${table.handledBy} = ${sql.placeholder('handledBy')}::text
        AND ${table.assigneeId} IS NOT DISTINCT FROM coalesce(${assigneeId}, ${table.assigneeId})
        AND ${isAfterRank}`,
      byRank,
    ),
  ),
  one: prepareSelect(
    db,
    named('chat_one'),
    chatShape,
    (list) => sql`SELECT ${list} FROM ${table}
      WHERE ${table.botId} = ${sql.placeholder('botId')} AND ${table.id} = ${sql.placeholder('sessionId')}
        AND ${table.resultId} IS NOT NULL AND ${table.publicationId} IS NOT NULL
        AND ${table.expiresAt} > ${sql.placeholder('now')}::timestamptz
        AND ${isResultVisible(sql`${sql.placeholder('botId')}`, sql`${table.resultId}`)}`,
  ),
}))

/**
 * Chats of the granted bot that go on, after a position: newest first, but those of one kind of handler in the order of
 * `handled-order.ts`, with a rank.
 */
export function chatPage(
  db: Database,
  { bot }: BotGrant,
  now: Date,
  { createdAt, id }: Position,
  { limit, handledBy, assigneeId }: Pick<ListChats['query'], 'handledBy' | 'assigneeId'> & { limit: number },
): Promise<(ChatRow & { rank?: number })[]> {
  const { page, handledPage } = chatStatements(db)
  const parameters = { botId: bot.id, now: now.toISOString(), id, limit }
  // Only members are assigned.
  const wanted = handledBy ?? (assigneeId === undefined ? undefined : 'member')
  if (wanted === 'waiting' || wanted === 'member') {
    const rank = createdAt.getTime()
    return handledPage({ ...parameters, rank, handledBy: wanted, assigneeId: assigneeId ?? null })
  }
  if (assigneeId !== undefined) return Promise.resolve([])
  return page({ ...parameters, createdAt: createdAt.toISOString(), isBot: wanted === 'bot' })
}

/** Returns a chat of the granted bot; undefined if there is none. */
export async function chatOf(db: Database, { bot }: BotGrant, sessionId: string, now: Date) {
  const [chat] = await chatStatements(db).one({ botId: bot.id, sessionId, now: now.toISOString() })
  return chat
}

type Steering = { chat: ChatRow } | { issues: Issue[] } | { conflict: Issue } | { full: Issue }

/** Sets variables of a chat, hands it over, or ends it; undefined if there is no such chat or it has ended. */
export function updateSession(
  context: Context & { grant: EditGrant; countMessage: CountMessage },
  sessionId: string,
  body: Pick<UpdateChat['body'], 'variables' | 'isOver' | 'handledBy' | 'assigneeId' | 'groupId'>,
): Promise<Steering | undefined> {
  const { variables = {}, isOver } = body
  const { grant, now, chat: tools, countMessage } = context
  const { id: botId, workspaceId } = grant.bot
  return transact(context.db, async (db) => {
    const held = await lockChat(db, botId, sessionId, now)
    if (!held) return undefined
    const { publicationId, resultId } = held
    const flow = await loadPublication(db, tools, botId, publicationId)
    if (!flow) return undefined

    const effects = createEffects(
      { ...context, db },
      { botId, workspaceId, publicationId, resultId, state: held.state },
    )
    const set = await setVariables(flow, held.state, variables, effects)
    if (set.issues.length > 0) throw new Rollback({ issues: set.issues.map(toIssue) })
    const changes: Partial<typeof table.$inferInsert> = isOver
      ? {
          state: null,
          endedAt: now,
          expiresAt: computeUsualExpiry(true, now),
          handledBy: null,
          assigneeId: null,
          awaited: null,
          lastMessage: null,
        }
      : {}
    const memberEdits = readMemberEdits(held.memberEdits?.text ?? null)
    const ordinal = (memberEdits.at(-1)?.[0] ?? 0) + 1
    if (set.values.length > 0) {
      const values = set.values.map(([name, value]): MemberEdit => [ordinal, name, value])
      const others = memberEdits.filter(([, name]) => name === undefined || !Object.hasOwn(variables, name))
      memberEdits.splice(0, memberEdits.length, ...others, ...values)
      changes.memberEdits = toJson(memberEdits)
      changes.state = isOver ? null : toJson(set.state)
      await db
        .update(results)
        .set({ variables: toJson(set.result), updatedAt: now })
        .where(and(eq(results.botId, botId), eq(results.id, resultId)))
    }
    // A separate statement: it waits for a transaction that deletes the result, and then sees the deletion.
    if (!(await lockResult(db, held, 'key share'))) return undefined
    const waiting = findWaitingResult(held.state)
    if (isOver) {
      const log = { status: 'info', description: 'A member ended the chat' }
      await insertLogs(db, botId, resultId, [log], now)
    }
    const handing = isOver ? undefined : await planHanding(db, context, held, body)
    if (handing && 'issue' in handing) {
      throw new Rollback(handing.isConflict ? { conflict: handing.issue } : { issues: [handing.issue] })
    }
    const { awaited } = handing?.changes ?? {}
    // The turn that gives the chat back stores it once more.
    const isFull = awaited && countMessage(workspaceId, Buffer.byteLength(awaited.text))
    if (isFull) throw new Rollback({ full: isFull })
    if (handing?.changes) {
      // A turn that runs finds its session changed, and is not written.
      // The last of those without a value says all: a chat that goes to and fro must not grow.
      const values = memberEdits.filter(([, name]) => name !== undefined)
      Object.assign(changes, handing.changes, { leaseId: null, memberEdits: toJson([...values, [ordinal]]) })
    }
    const { timer } = held.state
    if (timer && (isOver || (timer.kind === 'handoff' && changes.handledBy))) await removeTimer(db, held)
    else if (timer && changes.handledBy) await pauseTimer(db, held)
    if (waiting && changes.expiresAt) {
      // The input of an ended chat takes no answer. Statistics of counted days revisit results until then.
      await db
        .update(results)
        .set({ waitsUntil: isOver ? now : changes.expiresAt })
        .where(and(eq(results.botId, waiting.botId), eq(results.id, waiting.resultId)))
    }
    const isThis = and(eq(table.botId, botId), eq(table.id, sessionId)) as SQL
    if (Object.keys(changes).length > 0) await db.update(table).set(changes).where(isThis)
    if (handing?.isReturned) {
      const state = set.values.length > 0 ? set.state : held.state
      const given = { ...held, state, memberEdits: changes.memberEdits ?? held.memberEdits }
      const issue = await giveBack(db, context, { flow, effects, ...given }, body.groupId)
      if (issue) throw new Rollback({ issues: [issue] })
    }
    const [chat] = await selectRows(
      db,
      createChatShape(sql`${botId}`),
      (list) => sql`SELECT ${list} FROM ${table} WHERE ${isThis}`,
    )
    const event = chat && grant.hasWebhooks ? handingEvent(botId, held, chat) : undefined
    if (event) await enqueueChatEvent(db, workspaceId, event, now)
    if (held.state.isBridged) await wakeBridge(db, { botId, sessionId })
    announceChange(db, sessionId)
    return chat && { chat }
  })
}

/** The event of a chat that a member has handed over; undefined if its handler is still the same. */
function handingEvent(
  botId: string,
  { handledBy: before, assigneeId: assigneeBefore }: HeldChat,
  { id: sessionId, resultId, handledBy, assigneeId, isOver }: ChatRow,
): ChatWebhookEvent | undefined {
  const isSame = handledBy === before && assigneeId === assigneeBefore
  if (isSame || isOver || resultId === null) return undefined
  const ids = { sessionId, botId, resultId }
  if (handledBy === 'waiting') {
    return { type: 'chat.handoffRequested', data: { ...ids, handledBy, assigneeId, blockId: null } }
  }
  return handledBy === 'member'
    ? { type: 'chat.taken', data: { ...ids, handledBy, assigneeId } }
    : { type: 'chat.returned', data: { ...ids, handledBy: 'bot', assigneeId } }
}

function toIssue({ name, code, message }: { name: string; code: Issue['code']; message: string }): Issue {
  return { path: ['body', 'variables', name], code, message }
}

function toJson(value: unknown): JsonText {
  return new JsonText(JSON.stringify(value))
}
