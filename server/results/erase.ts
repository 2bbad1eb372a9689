import { type SQL, sql } from 'drizzle-orm'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { isOfRows, sqlState } from '../db/errors.ts'
import {
  botIdempotencyKeys,
  botIdempotencyResponses,
  chatMessages,
  chatSessions,
  chatTimers,
  chatTurns,
  chatwootConversations,
  chatwootEvents,
  resultAnswers,
  resultErasures,
  resultLogs,
  resultTranscripts,
  sheetRows,
  uploads,
  webhookDeliveries,
  webhookEvents,
} from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'

/*
 * Erases the copies of what people wrote once their result is deleted. The deletion records the ids of the results, and a
 * job erases by them: a turn that was running then, or a delivery that was being sent, may write a copy a moment later, so
 * it comes again. `server/DELETION.md` lists all places.
 */

/** Seconds until the next pass; after the last one the record goes. */
const PASSES_S = [30, 600]

/** Results of one batch, all of them together in one transaction per bot. */
const MAX_BATCH_RESULTS = 200

/** Records, in the transaction that deletes results, that their copies have to be erased. */
export async function requestErasure(tx: Transaction, botId: string, ids: string[]) {
  // Values: a cluster sends what is read elsewhere through its coordinator.
  const rows = ids.map((id) => sql`(${botId}, ${id}, now())`)
  await tx.execute(sql`
    INSERT INTO ${resultErasures} (bot_id, result_id, due_at) VALUES ${sql.join(rows, sql`, `)}
    ON CONFLICT (bot_id, result_id) DO UPDATE SET passes = 0, due_at = excluded.due_at`)
  const sessions = await selectRows(
    tx,
    { id: chatSessions.id },
    (list) => sql`
      SELECT ${list} FROM ${chatSessions}
      JOIN ${chatwootConversations} c ON c.bot_id = ${chatSessions.botId} AND c.session_id = ${chatSessions.id}
      WHERE ${chatSessions.botId} = ${botId} AND ${chatSessions.resultId} = ANY(${sql.param(ids)})`,
  )
  await dropWaitingMessages(tx, botId, sessions)
}

/** Drops what waits in conversations of Chatwoot for chats of deleted results: it would begin new chats. */
export async function dropWaitingMessages(tx: Transaction, botId: string, sessions: { id: string }[]) {
  if (sessions.length === 0) return
  const isOf = sql`bot_id = ${botId} AND session_id = ANY(${sql.param(sessions.map(({ id }) => id))})`
  await tx.execute(sql`
    UPDATE ${chatwootEvents} SET event = NULL
    WHERE bot_id = ${botId} AND event IS NOT NULL AND (credentials_id, conversation_id) IN (
      SELECT credentials_id, conversation_id FROM ${chatwootConversations} WHERE ${isOf})`)
  await tx.execute(sql`UPDATE ${chatwootConversations} SET session_id = NULL WHERE ${isOf}`)
}

/** Deletes the rows that belong to results of one bot, which the caller has locked in an earlier statement. */
export async function deleteRowsOf(tx: Transaction, botId: string, ids: SQL, now: Date) {
  const isOf = sql`bot_id = ${botId} AND result_id = ANY(${ids})`
  await tx.execute(sql`DELETE FROM ${resultAnswers} WHERE ${isOf}`)
  await tx.execute(sql`DELETE FROM ${resultLogs} WHERE ${isOf}`)
  await tx.execute(sql`DELETE FROM ${resultTranscripts} WHERE ${isOf}`)
  await tx.execute(sql`DELETE FROM ${sheetRows} WHERE ${isOf}`)
  await tx.execute(sql`UPDATE ${uploads} SET remove_at = ${now.toISOString()}::timestamptz WHERE ${isOf}
    AND NOT coalesce(remove_at <= ${now.toISOString()}::timestamptz, false)`)
}

/** Erases the copies of one batch of deleted results; true while more are due. */
export async function eraseBatch(db: Database, now: Date): Promise<boolean> {
  const due = await selectRows(
    db,
    { botId: resultErasures.botId, resultId: resultErasures.resultId },
    (list) => sql`
      SELECT ${list} FROM ${resultErasures} WHERE due_at <= now() ORDER BY due_at LIMIT ${MAX_BATCH_RESULTS}`,
  )
  let failure: unknown
  // In halves where they fail together, so that one that cannot be erased keeps none of the others.
  const eraseThem = async (botId: string, ids: string[]): Promise<void> => {
    try {
      await transact(db, (tx) => erase(tx, botId, ids, now))
    } catch (error) {
      failure = error
      if (ids.length > 1 && isOfRows(error) && !isTransient(error)) {
        const half = Math.ceil(ids.length / 2)
        await eraseThem(botId, ids.slice(0, half))
        await eraseThem(botId, ids.slice(half))
      }
      // Lets the others go first, and comes back to each on its own.
      else await postpone(db, botId, ids)
    }
  }
  for (const botId of new Set(due.map((row) => row.botId))) {
    await eraseThem(
      botId,
      due.filter((row) => row.botId === botId).map(({ resultId }) => resultId),
    )
  }
  if (failure !== undefined && !isTransient(failure)) throw failure
  return due.length === MAX_BATCH_RESULTS
}

/** A deadlock with a turn, or more rows than one statement can delete in time. */
const isTransient = (error: unknown) => ['40P01', '57014', '55P03'].includes(sqlState(error) ?? '')

/** The time of the database and seconds that a row says, in functions that a cluster takes. */
const later = (seconds: SQL) =>
  sql`(now() AT TIME ZONE 'UTC' + (${seconds}) * interval '1 second') AT TIME ZONE 'UTC'`

/** Spreads rows that failed together over ten seconds. */
async function postpone(db: Database, botId: string, ids: string[]) {
  const salt = String(Math.random())
  await db.execute(sql`
    UPDATE ${resultErasures} SET due_at = ${later(sql`1 + abs(hashtext(result_id || ${salt}) % 100) / 10.0`)}
    WHERE bot_id = ${botId} AND result_id = ANY(${sql.param(ids)})`)
}

async function erase(tx: Transaction, botId: string, found: string[], now: Date) {
  const locked = await selectRows(
    tx,
    { resultId: resultErasures.resultId },
    (list) => sql`
      SELECT ${list} FROM ${resultErasures}
      WHERE bot_id = ${botId} AND result_id = ANY(${sql.param(found)}) AND due_at <= now()
      ORDER BY result_id FOR UPDATE SKIP LOCKED`,
  )
  if (locked.length === 0) return
  const ids = sql`${sql.param(locked.map(({ resultId }) => resultId))}`
  const isOf = sql`bot_id = ${botId} AND result_id = ANY(${ids})`
  await deleteRowsOf(tx, botId, ids, now)
  const sessions = await selectRows(
    tx,
    { id: chatSessions.id },
    (list) => sql`SELECT ${list} FROM ${chatSessions} WHERE ${isOf} ORDER BY id FOR UPDATE`,
  )
  const sessionIds = sql.param(sessions.map(({ id }) => id))
  await tx.execute(sql`DELETE FROM ${chatTurns} WHERE bot_id = ${botId} AND session_id = ANY(${sessionIds})`)
  await tx.execute(
    sql`DELETE FROM ${chatMessages} WHERE bot_id = ${botId} AND session_id = ANY(${sessionIds})`,
  )
  await tx.execute(sql`DELETE FROM ${chatTimers} WHERE bot_id = ${botId} AND session_id = ANY(${sessionIds})`)
  await tx.execute(sql`DELETE FROM ${chatSessions} WHERE bot_id = ${botId} AND id = ANY(${sessionIds})`)
  // The row stays until the key expires, so that a repeat does not start the chat anew.
  await tx.execute(sql`
    DELETE FROM ${botIdempotencyResponses} r USING ${botIdempotencyKeys} k
    WHERE r.bot_id = ${botId} AND k.bot_id = ${botId} AND k.result_id = ANY(${ids})
      AND r.user_id = k.user_id AND r.key = k.key`)
  await tx.execute(sql`UPDATE ${botIdempotencyKeys} SET body = NULL WHERE ${isOf} AND body IS NOT NULL`)
  await emptyEvents(tx, botId, ids)
  const done = sql.raw(String(PASSES_S.length))
  const delays = sql.raw(`ARRAY[${PASSES_S.join()}]`)
  await tx.execute(sql`DELETE FROM ${resultErasures} WHERE ${isOf} AND passes >= ${done}`)
  await tx.execute(sql`
    UPDATE ${resultErasures} SET passes = passes + 1, due_at = ${later(sql`(${delays})[passes + 1]`)}
    WHERE ${isOf}`)
}

export const DELETED = 'The result was deleted'

/** Empties the events of results, and ends their deliveries but those that are being sent: the next pass comes to these. */
async function emptyEvents(tx: Transaction, botId: string, ids: SQL) {
  // Ids and times stay.
  await tx.execute(sql`
    UPDATE ${webhookEvents} SET data = jsonb_set(data::jsonb, '{answers}', '[]')::json
    WHERE bot_id = ${botId} AND subject = ANY(${ids}) AND json_array_length(data->'answers') > 0`)
  await tx.execute(sql`
    UPDATE ${webhookEvents} SET data = jsonb_set(data::jsonb, '{said}', '[]')::json
    WHERE bot_id = ${botId} AND subject = ANY(${ids}) AND json_array_length(data->'said') > 0`)
  // Endpoint by endpoint, for the index; also those that were removed meanwhile.
  const endpoints = await selectRows(
    tx,
    { id: expression(sql`endpoint_id`, 'text') },
    (list) => sql`
      WITH RECURSIVE known AS (
        SELECT min(endpoint_id) AS endpoint_id FROM ${webhookDeliveries} WHERE bot_id = ${botId}
        UNION ALL
        SELECT (SELECT min(d.endpoint_id) FROM ${webhookDeliveries} d
          WHERE d.bot_id = ${botId} AND d.endpoint_id > known.endpoint_id)
        FROM known WHERE known.endpoint_id IS NOT NULL
      )
      SELECT ${list} FROM known WHERE endpoint_id IS NOT NULL`,
  )
  if (endpoints.length === 0) return
  await tx.execute(sql`
    UPDATE ${webhookDeliveries} SET next_attempt_at = NULL, last_error = ${DELETED}
    WHERE bot_id = ${botId} AND endpoint_id = ANY(${sql.param(endpoints.map(({ id }) => id))})
      AND subject = ANY(${ids}) AND NOT coalesce(leased_until > now(), false)
      AND next_attempt_at IS NOT NULL`)
}
