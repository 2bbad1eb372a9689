import { sql } from 'drizzle-orm'
import type { SaveClientLogs } from '../../generated/handlers.ts'
import { type Database, prepareWrite, statements, transact } from '../db/client.ts'
import { isDistributed } from '../db/distribution.ts'
import { chatSessions, resultLogs } from '../db/schema.ts'
import { newIds } from '../ids.ts'
import type { LogEntry } from './types.ts'

/* What was noticed while a chat ran, by its blocks and by its client. */

const at = sql`${sql.placeholder('now')}::timestamptz`
const sessionId = sql.placeholder('sessionId')
const botId = sql.placeholder('botId')
const resultId = sql.placeholder('resultId')

/** Rows of `toLogRows`, as a statement reads them. */
export const givenLogs = sql`json_to_recordset(${sql.placeholder('logs')}::json)
  AS l(id text, status text, description text, details text, context text)`

/** Log entries of clients that a session may have. */
export const MAXIMUM_CLIENT_LOGS = 1_000

const logCount = sql`coalesce(client_logs, 0) + json_array_length(${sql.placeholder('logs')}::json)`

const counting = sql`
  UPDATE ${chatSessions} SET client_logs = ${logCount}
  WHERE bot_id = ${botId} AND id = ${sessionId} AND ${logCount} <= ${sql.raw(String(MAXIMUM_CLIENT_LOGS))}`

const logStatements = statements((db, named) => ({
  count: prepareWrite(db, named('count_client_logs'), counting),
  insertCounted: prepareWrite(
    db,
    named('insert_client_logs'),
    sql`
      WITH counted AS (${counting} RETURNING bot_id), written AS (
        INSERT INTO ${resultLogs} (bot_id, result_id, id, status, description, details, context, created_at)
        SELECT counted.bot_id, ${resultId}, l.id, l.status, l.description, l.details, l.context, ${at}
        FROM counted, ${givenLogs}
      )
      SELECT bot_id FROM counted`,
  ),
}))

const DETAILS_LENGTH = 1_000

/** Adds what a client noticed to the result of its session; false when the session would have too many entries. */
export async function insertClientLogs(
  db: Database,
  session: { sessionId: string; botId: string; resultId: string },
  logs: SaveClientLogs['body']['clientLogs'],
  now: Date,
): Promise<boolean> {
  if (logs.length === 0) return true
  const given = logs.map(({ status = 'error', description, details, context }) => ({
    status,
    description,
    details: details && shortened(details),
    context,
  }))
  const { botId, resultId } = session
  const values = { ...session, now: now.toISOString(), logs: JSON.stringify(toLogRows(given, now)) }
  if (!isDistributed(db)) return (await logStatements(db).insertCounted(values)) === 1
  return transact(db, async (tx) => {
    if ((await logStatements(tx).count(values)) !== 1) return false
    await insertLogs(tx, botId, resultId, given, now)
    return true
  })
}

function shortened(details: string): string {
  return details.length <= DETAILS_LENGTH ? details : [...details].slice(0, DETAILS_LENGTH).join('')
}

/** As a block writes it, or a client, whose words for the status are its own. */
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

/** Rows without what they have in common; their ids keep their order. */
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
