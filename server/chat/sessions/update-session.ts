import { and, eq, gt, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Issue } from '../../../contract/errors.ts'
import type { UpdateChat } from '../../../generated/handlers.ts'
import type { BotGrant } from '../../access/index.ts'
import type { Contexts } from '../../context.ts'
import { type Database, Rollback, statements, transact } from '../../db/client.ts'
import { after, newestFirst, type Position } from '../../db/page.ts'
import { results, chatSessions as table } from '../../db/schema.ts'
import { expression, optional, prepareSelect, type RowOf, selectRows } from '../../db/typed-select.ts'
import { isAlive } from '../../db/undeleted-results.ts'
import { JsonText } from '../../json/json-text.ts'
import { setVariables } from '../engine/engine.ts'
import { insertLogs } from './client-logs.ts'
import { decodeState } from './codec/state.ts'
import { type ConcurrentEdit, readConcurrentEdits } from './concurrent-edits.ts'
import { loadPublication } from './read-session.ts'
import { effectsOf } from './run-turn.ts'
import { expiryOf, waitingResultOf } from './write-turn.ts'

/*
 * Lists and changes the sessions of a bot for its members. `concurrent-edits.ts` merges these changes into turns that run
 * meanwhile.
 */

/** The chat as operations show it. */
const shape = {
  id: table.id,
  createdAt: table.createdAt,
  updatedAt: table.updatedAt,
  expiresAt: table.expiresAt,
  resultId: table.resultId,
  revision: table.revision,
  blockId: optional(expression(sql`${table.state} #>> '{waiting,blockId}'`, 'text')),
  isOver: expression(sql`${table.state} IS NULL`, 'boolean'),
}

export type ChatRow = RowOf<typeof shape>

const chatStatements = statements((db, named) => ({
  page: prepareSelect(
    db,
    named('chat_page'),
    shape,
    (list) => sql`SELECT ${list} FROM ${table}
      WHERE ${table.botId} = ${sql.placeholder('botId')} AND ${table.endedAt} IS NULL AND ${table.state} IS NOT NULL
        AND ${table.resultId} IS NOT NULL AND ${table.expiresAt} > ${sql.placeholder('now')}::timestamptz
        AND ${isAlive(sql`${sql.placeholder('botId')}`, sql`${table.resultId}`)}
        AND ${after(table.createdAt, table.id)}
      ORDER BY ${sql.join(newestFirst(table.createdAt, table.id), sql`, `)} LIMIT ${sql.placeholder('limit')}`,
  ),
}))

/** Chats of the granted bot that wait, after a position, newest first. */
export function chatPage(
  db: Database,
  { bot }: BotGrant,
  now: Date,
  { createdAt, id }: Position,
  limit: number,
): Promise<ChatRow[]> {
  const position = { createdAt: createdAt.toISOString(), id }
  return chatStatements(db).page({ botId: bot.id, now: now.toISOString(), ...position, limit })
}

/** Sets variables of a chat, or ends it; undefined if no such chat is waiting. */
export function updateSession(
  context: Contexts['bot'],
  sessionId: string,
  { variables = {}, isOver }: UpdateChat['body'],
): Promise<{ chat: ChatRow } | { issues: Issue[] } | undefined> {
  const { grant, now, chat: tools } = context
  const { id: botId, workspaceId } = grant.bot
  return transact(context.db, async (db) => {
    const [row] = await db
      .select()
      .from(table)
      .where(
        and(
          eq(table.botId, botId),
          eq(table.id, sessionId),
          isNotNull(table.state),
          gt(table.expiresAt, now),
        ),
      )
      .for('update')
    if (!row?.publicationId || !row.resultId) return undefined
    // After the lock, so that a deletion which it waited for is seen.
    const [read] = await selectRows(
      db,
      { isAlive: expression(isAlive(sql`${botId}`, sql`${table.resultId}`), 'boolean') },
      (list) =>
        sql`SELECT ${list} FROM ${table} WHERE ${table.botId} = ${botId} AND ${table.id} = ${sessionId}`,
    )
    if (!read?.isAlive) return undefined
    const state = decodeState({ ...row, state: row.state?.text ?? null })
    if (!state) return undefined
    const { publicationId, resultId } = row
    const flow = await loadPublication(db, tools, botId, publicationId)
    if (!flow) return undefined

    const effects = effectsOf({ ...context, db }, { botId, workspaceId, publicationId, resultId, state })
    const set = await setVariables(flow, state, variables, effects)
    if (set.mistakes.length > 0) throw new Rollback({ issues: set.mistakes.map(toIssue) })
    const changes: Partial<typeof table.$inferInsert> = isOver
      ? { state: null, endedAt: now, expiresAt: expiryOf(true, now) }
      : {}
    if (set.values.length > 0) {
      const earlier = readConcurrentEdits(row.steered?.text ?? null)
      const place = (earlier.at(-1)?.[0] ?? 0) + 1
      const steered: ConcurrentEdit[] = [
        ...earlier.filter(([, name]) => !Object.hasOwn(variables, name)),
        ...set.values.map(([name, value]): ConcurrentEdit => [place, name, value]),
      ]
      changes.steered = toJson(steered)
      changes.state = isOver ? null : toJson(set.state)
      await db
        .update(results)
        .set({ variables: toJson(set.result), updatedAt: now })
        .where(and(eq(results.botId, botId), eq(results.id, resultId)))
    }
    // A separate statement: it waits for a transaction that deletes the result, and then sees the deletion.
    const [held] = await db
      .select({ id: results.id })
      .from(results)
      .where(and(eq(results.botId, botId), eq(results.id, resultId)))
      .for('key share')
    if (!held) return undefined
    if (isOver) {
      const log = { status: 'info', description: 'A member ended the chat' }
      await insertLogs(db, botId, resultId, [log], now)
      const waiting = waitingResultOf(state)
      // The input can no longer be answered. Statistics of counted days revisit results until `waitsUntil`.
      if (waiting) {
        await db
          .update(results)
          .set({ waitsUntil: now })
          .where(and(eq(results.botId, waiting.botId), eq(results.id, waiting.resultId)))
      }
    }
    const isThis = and(eq(table.botId, botId), eq(table.id, sessionId)) as SQL
    if (Object.keys(changes).length > 0) await db.update(table).set(changes).where(isThis)
    const [chat] = await selectRows(db, shape, (list) => sql`SELECT ${list} FROM ${table} WHERE ${isThis}`)
    return chat && { chat }
  })
}

function toIssue({ name, code, message }: { name: string; code: Issue['code']; message: string }): Issue {
  return { path: ['body', 'variables', name], code, message }
}

function toJson(value: unknown): JsonText {
  return new JsonText(JSON.stringify(value))
}
