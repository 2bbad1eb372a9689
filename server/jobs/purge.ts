import { and, asc, eq, isNotNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { changeRows, removeRows, sizeOf } from '../db/row-batches.ts'
import {
  botBlockStatsDaily,
  botDrafts,
  botIdempotencyKeys,
  botIdempotencyResponses,
  botPublications,
  botStatsDaily,
  botStatsHourly,
  bots,
  chatMessages,
  chatSessions,
  chatTimers,
  chatTurns,
  chatwootConversations,
  chatwootEvents,
  customDomains,
  publicIds,
  publishedBots,
  purges,
  resultErasures,
  results,
  statsRollups,
  uploads,
  webhookDeliveries,
  webhookEvents,
  webhookOutbox,
  workspaces,
} from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'
import { partsOfResults, removeRowsOf, requestErasure } from '../results/erase.ts'
import { daysBefore, purgeWorkspaces, requestDeletedBots, stateOf } from './deleted-records.ts'

/*
 * Removes records that were deleted, which are unreachable already: in small batches, by one process at a time, and
 * again after a crash until nothing is left.
 */

const MAX_BATCH_ROWS = 2_000
/** Rows of answers, logs and transcripts that one batch removes: a single result can have thousands. */
const MAX_PART_ROWS = 10 * MAX_BATCH_ROWS
/** A batch that took longer than this is not made larger again. */
const QUICK_BATCH_MS = 500

/** Maximum bots that one query finds: as many processes can work concurrently. */
const MAX_CANDIDATE_BOTS = 20

/** Days for which the draft and publications of a deleted bot are retained, unless configured. */
const DELETED_BOTS_DAYS = 7

/**
 * Removes one batch of deleted records. True while there is more to do; false when nothing is left or other processes
 * are at work on it.
 */
export async function purgeBatch(
  db: Database,
  now: Date,
  deletedBotsDays = DELETED_BOTS_DAYS,
): Promise<boolean> {
  // Found without a lock, and locked one by one: a cluster locks only rows of one node.
  const waiting = await db
    .select({ botId: purges.botId, batchRows: purges.batchRows, failedAt: purges.failedAt })
    .from(purges)
    .orderBy(sql`${purges.failedAt} NULLS FIRST`, asc(purges.requestedAt))
    .limit(MAX_CANDIDATE_BOTS)
  const purgeFirst = async (candidates: typeof waiting) => {
    for (const { botId, batchRows } of candidates) {
      const batch = { botId, rows: batchRows ?? MAX_BATCH_ROWS, now, deletedBotsDays }
      if (await purgeInTime(db, batch)) return true
    }
    return false
  }
  const fresh = waiting.filter(({ failedAt }) => failedAt === null)
  const state = stateOf(db)
  const findMore = async () =>
    (await requestDeletedBots(db, state, now, deletedBotsDays)) || (await purgeWorkspaces(db, state))
  // In turns: results of a bot may keep coming, and deleted workspaces do not wait for their end.
  state.isTurnOfBots = !state.isTurnOfBots
  if (fresh.length > 0) return (!state.isTurnOfBots && (await findMore())) || purgeFirst(fresh)
  // A bot whose last batch failed waits for all others, so that they take as long as they take alone.
  return (await findMore()) || purgeFirst(waiting.slice(0, 1))
}

interface Batch {
  botId: string
  /** Rows to remove at most, fewer after a batch of this bot that took longer than a statement may. */
  rows: number
  now: Date
  deletedBotsDays: number
}

/** Removes a batch of one bot, or makes its next one smaller; false when another process is at it. */
async function purgeInTime(db: Database, batch: Batch): Promise<boolean> {
  const { botId, rows, now } = batch
  const begun = performance.now()
  const isQuick = () => performance.now() - begun < QUICK_BATCH_MS
  try {
    return await transact(db, (tx) =>
      purgeOf(tx, batch, () => (isQuick() ? Math.min(2 * rows, MAX_BATCH_ROWS) : rows)),
    )
  } catch (error) {
    const isTooLong = sqlState(error) === '57014' && rows > 1
    if (!isTooLong) {
      await db.update(purges).set({ failedAt: now }).where(eq(purges.botId, botId))
      throw error
    }
    await transact(db, (tx) => queueAgain(tx, botId, Math.ceil(rows / 8)))
    return true
  }
}

/** Removes a batch of one bot; false when another process is at it. */
async function purgeOf(tx: Transaction, batch: Batch, nextRows: () => number): Promise<boolean> {
  const { botId } = batch
  // The row is the lock: it ends with its process.
  const [request] = await tx
    .select()
    .from(purges)
    .where(eq(purges.botId, botId))
    .for('update', { skipLocked: true })
  if (!request) return false
  const isMoreLeft =
    (await purgeResults(tx, batch)) ||
    (await dropFiles(tx, batch)) ||
    (await purgeStats(tx, batch)) ||
    (await purgeBot(tx, batch))
  if (isMoreLeft) await queueAgain(tx, botId, nextRows())
  else await tx.delete(purges).where(eq(purges.botId, botId))
  return true
}

/** Puts a bot behind all others, whatever the clocks of processes: it may have millions of results. */
async function queueAgain(tx: Transaction, botId: string, batchRows: number) {
  const [last] = await selectRows(
    tx,
    { requestedAt: expression(sql`max(${purges.requestedAt})`, 'text') },
    (list) => sql`SELECT ${list} FROM ${purges}`,
  )
  await tx.execute(sql`
    UPDATE ${purges} SET requested_at = ${last?.requestedAt ?? null}::timestamptz + interval '1 millisecond',
      batch_rows = ${batchRows}, failed_at = NULL
    WHERE bot_id = ${botId}`)
}

const documentSize = sizeOf('groups', 'events', 'edges', 'variables', 'theme', 'settings', 'warnings')

/*
 * The ids of a batch are selected first and deleted in a second statement: in a single one the planner, if its
 * statistics of a table are wrong, selects the whole batch anew for every row of the bot. Rows are locked in the order
 * of their ids, as in the deletion of single results, so that the two cannot deadlock.
 */

/** True while unreachable results of the bot are left. */
async function purgeResults(tx: Transaction, { botId, rows: most, now }: Batch): Promise<boolean> {
  const rows = await selectRows(
    tx,
    { id: results.id },
    (list) => sql`
      SELECT ${list} FROM ${results} JOIN ${bots} ON ${bots.id} = ${results.botId}
      WHERE ${results.botId} = ${botId}
        AND ${bots.id} = ${botId} AND (${bots.deletedAt} IS NOT NULL OR ${results.createdAt} <= ${bots.resultsFloorAt})
      ORDER BY ${results.id} LIMIT ${most} FOR UPDATE OF ${results}`,
  )
  if (rows.length === 0) return false
  const ids = sql`${sql.param(rows.map(({ id }) => id))}`
  // Rows of a result go first. The next batch removes the rest; the result is unreachable meanwhile.
  const part = { botId, rows: Math.min(10 * most, MAX_PART_ROWS) }
  if (await removeRowsOf(tx, part, ids, now)) return true
  await tx.execute(sql`DELETE FROM ${results} WHERE bot_id = ${botId} AND id = ANY(${ids})`)
  await requestErasure(
    tx,
    botId,
    rows.map(({ id }) => id),
  )
  return true
}

/**
 * Files of a deleted bot that no result had; they and the others are removed by `uploads.ts`. True while there are
 * more.
 */
function dropFiles(tx: Transaction, batch: Batch): Promise<boolean> {
  const time = sql`${batch.now.toISOString()}::timestamptz`
  const isLeft = sql`NOT coalesce(remove_at <= ${time}, false)
    AND NOT EXISTS (SELECT FROM ${bots} b WHERE b.id = ${batch.botId} AND b.deleted_at IS NULL)`
  return changeRows(tx, uploads, batch, sql`remove_at = ${time}`, isLeft)
}

/** Removes the counts of days and hours of which no result is left to be seen; true while there are more. */
async function purgeStats(tx: Transaction, batch: Batch): Promise<boolean> {
  const bot = sql`SELECT FROM ${bots} b WHERE b.id = ${batch.botId}`
  const isOver = (until: SQL) => sql`EXISTS (${bot} AND (b.deleted_at IS NOT NULL OR ${until}))`
  const isOldDay = isOver(sql`day <= (b.results_floor_at AT TIME ZONE 'UTC')::date`)
  return (
    (await removeRows(tx, botStatsDaily, batch, isOldDay)) ||
    (await removeRows(tx, botStatsHourly, batch, isOver(sql`hour <= b.results_floor_at`))) ||
    (await removeRows(tx, botBlockStatsDaily, batch, isOldDay))
  )
}

/**
 * Removes the rest of a bot whose workspace is deleted, or that was deleted long enough ago; true while there is
 * more. Until then the draft and publications of a deleted bot of an existing workspace are retained.
 */
async function purgeBot(tx: Transaction, batch: Batch): Promise<boolean> {
  const { botId, rows, now, deletedBotsDays } = batch
  const [deletedBot] = await tx
    .select({ id: bots.id })
    .from(bots)
    .innerJoin(workspaces, eq(workspaces.id, bots.workspaceId))
    .where(
      and(
        eq(bots.id, botId),
        or(isNotNull(workspaces.deletedAt), lte(bots.deletedAt, daysBefore(now, deletedBotsDays))),
      ),
    )
  if (!deletedBot) return false
  // Those that go on, and by their steps, both of which have an index by bot. Chats that were over have no steps any
  // more, and expire within hours.
  const open = await tx
    .select({ sessionId: chatSessions.id })
    .from(chatSessions)
    .where(sql`${chatSessions.botId} = ${botId} AND ended_at IS NULL AND result_id IS NOT NULL`)
    .limit(rows)
  const steps = await tx
    .selectDistinct({ sessionId: chatTurns.sessionId })
    .from(chatTurns)
    .where(eq(chatTurns.botId, botId))
    .limit(rows)
  const ids = sql.param([...open, ...steps].map(({ sessionId }) => sessionId))
  await tx.execute(sql`DELETE FROM ${chatSessions} WHERE bot_id = ${botId} AND id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${chatTurns} WHERE bot_id = ${botId} AND session_id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${chatMessages} WHERE bot_id = ${botId} AND session_id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${chatTimers} WHERE bot_id = ${botId} AND session_id = ANY(${ids})`)
  if (open.length === rows || steps.length === rows) return true
  for (const [table, bytes] of partsOfBots) {
    if (await removeRows(tx, table, batch, sql`true`, bytes)) return true
  }
  await tx.delete(publicIds).where(eq(publicIds.botId, botId))
  await tx.delete(customDomains).where(eq(customDomains.botId, botId))
  await tx.delete(bots).where(eq(bots.id, botId))
  return false
}

/**
 * Tables of bots whose rows can be many or large. The deletion itself may still have written answers, logs and
 * transcripts.
 */
const partsOfBots: readonly (readonly [PgTable, SQL?])[] = [
  // Events that wait in the outbox are deliveries once the fan-out has ended.
  [webhookOutbox, sizeOf('events')],
  [webhookEvents, sizeOf('data')],
  [webhookDeliveries],
  [chatwootEvents, sizeOf('event')],
  [chatwootConversations],
  ...partsOfResults,
  [statsRollups],
  [resultErasures],
  [botIdempotencyResponses, sizeOf('body')],
  [botIdempotencyKeys, sizeOf('body')],
  [publishedBots],
  [botPublications, documentSize],
  [botDrafts],
]
