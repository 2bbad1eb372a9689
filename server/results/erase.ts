import { type SQL, sql } from 'drizzle-orm'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { isOfRows, sqlState } from '../db/errors.ts'
import { changeRows, type RowBatch, removeRows, sizeOf } from '../db/row-batches.ts'
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
  results,
  resultTranscripts,
  sheetRows,
  uploads,
  webhookDeliveries,
  webhookEvents,
} from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'
import { MS_PER_HOUR } from '../durations.ts'

/*
 * Erases the copies of texts of visitors once their result is deleted. The deletion records the ids of the results,
 * and a job erases by them: a turn that was running then, or a delivery that was being sent, may write a copy a
 * little later, so the job runs again. `server/DELETION.md` lists all places.
 */

/** Seconds until the next pass; after the last one the record goes. */
const PASSES_S = [30, 600]

/** Results of one batch, all of them together in one transaction per bot. */
const MAX_BATCH_RESULTS = 200
/** Rows of one such transaction, of all results together: a single one can have millions. */
const MAX_BATCH_ROWS = 20_000
/** A batch that takes too long is followed by one of so many times fewer rows. */
const BATCH_DIVISOR = 8
/** Sessions of these results in one transaction; any caller with the id of a result can begin many. */
const MAX_BATCH_SESSIONS = 1_000

/** Records, in the transaction that deletes results, that their copies have to be erased. */
export async function requestErasure(tx: Transaction, botId: string, ids: string[]) {
  // As values: a cluster would send rows of a query through its coordinator.
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

/** Drops messages that wait in conversations of Chatwoot for chats of deleted results: they would begin new chats. */
export async function dropWaitingMessages(tx: Transaction, botId: string, sessions: { id: string }[]) {
  if (sessions.length === 0) return
  const isOf = sql`bot_id = ${botId} AND session_id = ANY(${sql.param(sessions.map(({ id }) => id))})`
  await tx.execute(sql`
    UPDATE ${chatwootEvents} SET event = NULL
    WHERE bot_id = ${botId} AND event IS NOT NULL AND (credentials_id, conversation_id) IN (
      SELECT credentials_id, conversation_id FROM ${chatwootConversations} WHERE ${isOf})`)
  await tx.execute(sql`UPDATE ${chatwootConversations} SET session_id = NULL WHERE ${isOf}`)
}

/** Tables with rows of results. */
export const partsOfResults = [
  [resultAnswers, sizeOf('content', 'transcript')],
  [resultLogs, sizeOf('description', 'details')],
  [resultTranscripts, sizeOf('entries')],
  [sheetRows, sizeOf('cells', 'filter')],
] as const

/**
 * Removes some of the rows that belong to results of one bot, which the caller has locked in an earlier statement. True
 * while there are more.
 */
export async function removeRowsOf(tx: Transaction, batch: RowBatch, ids: SQL, now: Date): Promise<boolean> {
  const isOf = sql`result_id = ANY(${ids})`
  for (const [table, bytes] of partsOfResults) {
    if (await removeRows(tx, table, batch, isOf, bytes)) return true
  }
  const time = sql`${now.toISOString()}::timestamptz`
  const isLeft = sql`${isOf} AND NOT coalesce(remove_at <= ${time}, false)`
  return changeRows(tx, uploads, batch, sql`remove_at = ${time}`, isLeft)
}

/** Removes some of the results of one bot by their ids, which the caller has locked; true while there are more. */
export const removeResults = (tx: Transaction, batch: RowBatch, ids: SQL): Promise<boolean> =>
  removeRows(tx, results, batch, sql`id = ANY(${ids})`, sizeOf('variables', 'transcript'))

/** Erases a batch of the copies of deleted results; true while more are due. */
export async function eraseBatch(db: Database, now: Date): Promise<boolean> {
  const due = await selectRows(
    db,
    { botId: resultErasures.botId, resultId: resultErasures.resultId },
    (list) => sql`
      SELECT ${list} FROM ${resultErasures} WHERE due_at <= now() ORDER BY due_at LIMIT ${MAX_BATCH_RESULTS}`,
  )
  let failure: unknown
  let isMoreLeft = due.length === MAX_BATCH_RESULTS
  // In halves if they fail together, so that one that cannot be erased does not stop the others.
  const eraseThem = async (botId: string, ids: string[], rows = MAX_BATCH_ROWS): Promise<void> => {
    try {
      if (await transact(db, (tx) => erase(tx, { botId, rows }, ids, now))) isMoreLeft = true
    } catch (error) {
      const isTooLong = sqlState(error) === '57014'
      if (isTooLong && rows > 1) return eraseThem(botId, ids, Math.ceil(rows / BATCH_DIVISOR))
      failure = error
      if (ids.length > 1 && isOfRows(error) && (isTooLong || !isTransient(error))) {
        const half = Math.ceil(ids.length / 2)
        await eraseThem(botId, ids.slice(0, half), rows)
        await eraseThem(botId, ids.slice(half), rows)
      }
      // Others go first, and each is retried on its own: one that fails by itself much later, since each failure
      // stops the job for some seconds.
      else await postpone(db, botId, ids, isOfRows(error) && !isTransient(error) ? MS_PER_HOUR / 1_000 : 1)
    }
  }
  for (const botId of new Set(due.map((row) => row.botId))) {
    await eraseThem(
      botId,
      due.filter((row) => row.botId === botId).map(({ resultId }) => resultId),
    )
  }
  if (failure !== undefined && !isTransient(failure)) throw failure
  return isMoreLeft
}

/** A deadlock with a turn, or more rows than one statement can delete in time. */
const isTransient = (error: unknown) => ['40P01', '57014', '55P03'].includes(sqlState(error) ?? '')

/** The time of the database and seconds that a row says, in functions that a cluster takes. */
const later = (seconds: SQL) =>
  sql`(now() AT TIME ZONE 'UTC' + (${seconds}) * interval '1 second') AT TIME ZONE 'UTC'`

/** Puts off rows that failed together by some seconds, and spreads them over ten. */
async function postpone(db: Database, botId: string, ids: string[], seconds: number) {
  const salt = String(Math.random())
  await db.execute(sql`
    UPDATE ${resultErasures} SET due_at = ${later(sql`${seconds}::integer + abs(hashtext(result_id || ${salt}) % 100) / 10.0`)}
    WHERE bot_id = ${botId} AND result_id = ANY(${sql.param(ids)})`)
}

/** Erases as many rows of some results of a bot as one transaction can; true while more are left. */
async function erase(tx: Transaction, batch: RowBatch, found: string[], now: Date): Promise<boolean> {
  const { botId } = batch
  const locked = await selectRows(
    tx,
    { resultId: resultErasures.resultId },
    (list) => sql`
      SELECT ${list} FROM ${resultErasures}
      WHERE bot_id = ${botId} AND result_id = ANY(${sql.param(found)}) AND due_at <= now()
      ORDER BY result_id FOR UPDATE SKIP LOCKED`,
  )
  if (locked.length === 0) return false
  const ids = sql`${sql.param(locked.map(({ resultId }) => resultId))}`
  // Hidden ones, which the deletion left. A turn that waits for the lock finds them removed.
  await tx.execute(sql`
    SELECT FROM ${results} WHERE bot_id = ${botId} AND id = ANY(${ids}) ORDER BY id FOR UPDATE`)
  const isMoreLeft =
    (await removeResults(tx, batch, ids)) ||
    (await removeRowsOf(tx, batch, ids, now)) ||
    (await removeSessions(tx, batch, ids)) ||
    (await emptyKeys(tx, batch, ids)) ||
    (await emptyEvents(tx, batch, ids))
  const isOf = sql`bot_id = ${botId} AND result_id = ANY(${ids})`
  if (isMoreLeft) {
    // Behind all others that are due.
    await tx.execute(sql`UPDATE ${resultErasures} SET due_at = now() WHERE ${isOf}`)
    return true
  }
  const done = sql.raw(String(PASSES_S.length))
  const delays = sql.raw(`ARRAY[${PASSES_S.join()}]`)
  await tx.execute(sql`DELETE FROM ${resultErasures} WHERE ${isOf} AND passes >= ${done}`)
  await tx.execute(sql`
    UPDATE ${resultErasures} SET passes = passes + 1, due_at = ${later(sql`(${delays})[passes + 1]`)}
    WHERE ${isOf}`)
  return false
}

async function removeSessions(tx: Transaction, batch: RowBatch, ids: SQL): Promise<boolean> {
  const { botId } = batch
  const most = Math.min(batch.rows, MAX_BATCH_SESSIONS)
  const sessions = await selectRows(
    tx,
    { id: chatSessions.id },
    (list) => sql`
      SELECT ${list} FROM ${chatSessions} WHERE bot_id = ${botId} AND result_id = ANY(${ids})
      ORDER BY id LIMIT ${most} FOR UPDATE`,
  )
  if (sessions.length === 0) return false
  const sessionIds = sql.param(sessions.map(({ id }) => id))
  const isOf = sql`session_id = ANY(${sessionIds})`
  await tx.execute(sql`DELETE FROM ${chatTimers} WHERE bot_id = ${botId} AND ${isOf}`)
  return (
    (await removeRows(tx, chatTurns, batch, isOf, sizeOf('turn'))) ||
    (await removeRows(tx, chatMessages, batch, isOf, sizeOf('bubbles'))) ||
    (await removeRows(
      tx,
      chatSessions,
      batch,
      sql`id = ANY(${sessionIds})`,
      sizeOf('state', 'inline_turns'),
    )) ||
    sessions.length === most
  )
}

/**
 * Empties the responses of requests. The rows stay until the keys expire, so that a repeat does not start the chat
 * anew.
 */
async function emptyKeys(tx: Transaction, batch: RowBatch, ids: SQL): Promise<boolean> {
  const isOf = sql`result_id = ANY(${ids})`
  const isResponse = sql`(user_id, key) IN (
    SELECT k.user_id, k.key FROM ${botIdempotencyKeys} k WHERE k.bot_id = ${batch.botId} AND ${isOf})`
  return (
    (await removeRows(tx, botIdempotencyResponses, batch, isResponse, sizeOf('body'))) ||
    (await changeRows(tx, botIdempotencyKeys, batch, sql`body = NULL`, sql`${isOf} AND body IS NOT NULL`))
  )
}

export const DELETED = 'The result was deleted'

/**
 * Empties the events of results, and ends their deliveries but those that are being sent: the next pass comes to these.
 */
async function emptyEvents(tx: Transaction, batch: RowBatch, ids: SQL): Promise<boolean> {
  const { botId } = batch
  // Ids and times stay.
  for (const name of ['answers', 'said']) {
    const words = sql.raw(`data->'${name}'`)
    const emptied = sql`data = jsonb_set(data::jsonb, ${`{${name}}`}, '[]')::json`
    const isFull = sql`subject = ANY(${ids}) AND json_array_length(${words}) > 0`
    if (await changeRows(tx, webhookEvents, batch, emptied, isFull, sizeOf('data'))) return true
  }
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
  if (endpoints.length === 0) return false
  const isWaiting = sql`endpoint_id = ANY(${sql.param(endpoints.map(({ id }) => id))}) AND subject = ANY(${ids})
    AND NOT coalesce(leased_until > now(), false) AND next_attempt_at IS NOT NULL`
  const ended = sql`next_attempt_at = NULL, last_error = ${DELETED}`
  return changeRows(tx, webhookDeliveries, batch, ended, isWaiting)
}
