import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { SaveClientLogs } from '../../../generated/handlers.ts'
import { topologyOf } from '../../db/citus/topology.ts'
import { type Database, prepareWrite, statements, transact } from '../../db/client.ts'
import { bots, chatSessions, resultLogs, results } from '../../db/schema.ts'
import { isBotVisible } from '../../db/visible-bots.ts'
import { newIds } from '../../ids.ts'
import type { LogEntry } from '../engine/types.ts'

/* Log entries of a chat, written by its blocks and by its client. */

const at = sql`${sql.placeholder('now')}::timestamptz`
const sessionId = sql.placeholder('sessionId')
const botId = sql.placeholder('botId')

/** Rows of `toLogRows` in a parameter or a column, as a statement reads them. */
const logsIn = (rows: SQL) => sql`json_to_recordset(${rows}::json)
  AS l(id text, status text, description text, details text, context text)`

/** The rows in the placeholder `logs`. */
export const givenLogs = logsIn(sql`${sql.placeholder('logs')}`)

/** Log entries of clients that a session may have. */
export const MAX_CLIENT_LOGS = 1_000

const logCount = sql`coalesce(client_logs, 0) + json_array_length(${sql.placeholder('logs')}::json)`

const counting = sql`
  UPDATE ${chatSessions} SET client_logs = ${logCount}
  WHERE bot_id = ${botId} AND id = ${sessionId} AND ${logCount} <= ${sql.raw(String(MAX_CLIENT_LOGS))}`

const insertion = (source: SQL) => sql`
  INSERT INTO ${resultLogs} (bot_id, result_id, id, status, description, details, context, created_at) ${source}`

const isThere = sql`EXISTS (SELECT FROM ${bots} WHERE ${bots.id} = ${botId} AND ${isBotVisible()})`

/** Locks the result against its deletion, and checks on the locked row that it still exists. */
const isHeld = sql`EXISTS (
  SELECT FROM ${results} r WHERE r.bot_id = ${botId} AND r.id = result_id AND NOT r.is_archived AND r.created_at > coalesce(
    (SELECT results_floor_at FROM ${bots} WHERE id = ${botId}), '-infinity') FOR KEY SHARE)`

const logStatements = statements((db, named) => ({
  count: prepareWrite(db, named('count_client_logs'), counting),
  // Checks the session in the same way as a lookup does.
  insertCounted: prepareWrite(
    db,
    named('insert_client_logs'),
    sql`
      WITH counted AS (
        ${counting} AND result_id IS NOT NULL AND expires_at > ${at} AND ${isThere}
          AND ${isHeld}
        RETURNING bot_id, result_id
      )
      ${insertion(sql`
        SELECT counted.bot_id, counted.result_id, l.id, l.status, l.description, l.details, l.context, ${at}
        FROM counted, ${givenLogs}`)}`,
  ),
}))

type ClientLogs = SaveClientLogs['body']['clientLogs']

/** Maximum characters of each text of an entry: a session may have many entries, and sessions cost nothing. */
const MAX_TEXT_CHARACTERS = 1_000

/** Returns the approximate bytes of entries, for quotas. */
export function measureLogs(logs: ClientLogs): number {
  return Buffer.byteLength(JSON.stringify(toLogs(logs)))
}

/** Adds log entries of a client to the result of its session; false if the session would have too many. */
export async function insertClientLogs(
  db: Database,
  session: { sessionId: string; botId: string; resultId: string },
  logs: ClientLogs,
  now: Date,
): Promise<boolean> {
  if (logs.length === 0) return true
  const given = toLogs(logs)
  if (topologyOf(db).canWriteByQuery)
    return (await logStatements(db).insertCounted(valuesOf(session, given, now))) > 0
  const { botId, resultId } = session
  return transact(db, async (tx) => {
    // A separate statement, which waits for a running deletion: the session was looked up before.
    const held = await tx
      .select({ id: results.id })
      .from(results)
      .where(and(eq(results.botId, botId), eq(results.id, resultId)))
      .for('key share')
    if (held.length === 0 || (await logStatements(tx).count(valuesOf(session, given, now))) !== 1)
      return false
    await insertLogs(tx, botId, resultId, given, now)
    return true
  })
}

function valuesOf({ sessionId, botId }: { sessionId: string; botId: string }, logs: Log[], now: Date) {
  return { botId, sessionId, now: now.toISOString(), logs: JSON.stringify(toLogRows(logs, now)) }
}

function toLogs(logs: ClientLogs): Log[] {
  return logs.map(({ status = 'error', description, details, context }) => ({
    status: shorten(status),
    description: shorten(description),
    details: details && shorten(details),
    context: context && shorten(context),
  }))
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT_CHARACTERS ? text : [...text].slice(0, MAX_TEXT_CHARACTERS).join('')
}

/** As a block writes it, or a client, which has its own words for the status. */
type Log = Omit<LogEntry, 'isInternal' | 'status'> & { status: string }

/** Adds logs to a result, in the order in which they are given. */
export async function insertLogs(
  db: Database,
  botId: string,
  resultId: string,
  logs: readonly Log[],
  now: Date,
): Promise<void> {
  if (logs.length === 0) return
  const rows = toLogRows(logs, now)
  await db.insert(resultLogs).values(rows.map((row) => ({ ...row, botId, resultId, createdAt: now })))
}

/** Rows without their common columns; their ids are in their order. */
export function toLogRows(logs: readonly Log[], now: Date) {
  const ids = newIds(logs.length, now)
  return logs.map(({ status, description, details, context }, place) => ({
    id: ids[place] as string,
    status,
    description,
    details,
    context,
  }))
}
