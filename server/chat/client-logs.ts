import { sql } from 'drizzle-orm'
import type { SaveClientLogs } from '../../generated/handlers.ts'
import { type Database, prepareWrite, statements, transact } from '../db/client.ts'
import { isDistributed } from '../db/distribution.ts'
import { bots, chatSessions, resultLogs } from '../db/schema.ts'
import { newIds } from '../ids.ts'
import type { LogEntry } from './types.ts'

/* What was noticed while a chat ran, by its blocks and by its client. */

const at = sql`${sql.placeholder('now')}::timestamptz`
const sessionId = sql.placeholder('sessionId')
const botId = sql.placeholder('botId')

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
  // Asks of the session what a look at it asks, so that none has to come first.
  insertCounted: prepareWrite(
    db,
    named('insert_client_logs'),
    sql`
      WITH counted AS (
        ${counting} AND result_id IS NOT NULL AND expires_at > ${at}
          AND EXISTS (SELECT FROM ${bots} WHERE ${bots.id} = ${botId} AND ${bots.deletedAt} IS NULL)
        RETURNING bot_id, result_id
      )
      INSERT INTO ${resultLogs} (bot_id, result_id, id, status, description, details, context, created_at)
      SELECT counted.bot_id, counted.result_id, l.id, l.status, l.description, l.details, l.context, ${at}
      FROM counted, ${givenLogs}`,
  ),
}))

type ClientLogs = SaveClientLogs['body']['clientLogs']

const DETAILS_LENGTH = 1_000

/** Adds what a client noticed to the result of its session; false when the session would have too many entries. */
export async function insertClientLogs(
  db: Database,
  session: { sessionId: string; botId: string; resultId: string },
  logs: ClientLogs,
  now: Date,
): Promise<boolean> {
  if (logs.length === 0) return true
  if (!isDistributed(db)) return addClientLogs(db, session, logs, now)
  const given = toLogs(logs)
  const { botId, resultId } = session
  return transact(db, async (tx) => {
    if ((await logStatements(tx).count(valuesOf(session, given, now))) !== 1) return false
    await insertLogs(tx, botId, resultId, given, now)
    return true
  })
}

/**
 * The same for a session that was not looked up, of which there are logs: false also when there is none with a result.
 * Not on a cluster.
 */
export async function addClientLogs(
  db: Database,
  session: { sessionId: string; botId: string },
  logs: ClientLogs,
  now: Date,
): Promise<boolean> {
  return (await logStatements(db).insertCounted(valuesOf(session, toLogs(logs), now))) > 0
}

function valuesOf({ sessionId, botId }: { sessionId: string; botId: string }, logs: Log[], now: Date) {
  return { sessionId, botId, now: now.toISOString(), logs: JSON.stringify(toLogRows(logs, now)) }
}

function toLogs(logs: ClientLogs): Log[] {
  return logs.map(({ status = 'error', description, details, context }) => ({
    status,
    description,
    details: details && shortened(details),
    context,
  }))
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
