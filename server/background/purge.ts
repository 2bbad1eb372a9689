import { asc, eq, isNotNull, lt, max, type SQL, sql } from 'drizzle-orm'
import { type Database, type Transaction, transact } from '../db/client.ts'
import {
  botBlockStatsDaily,
  botDrafts,
  botIdempotencyKeys,
  botPublications,
  botStatsDaily,
  bots,
  chatSessions,
  chatSteps,
  customDomains,
  folders,
  publicIds,
  publishedBots,
  purges,
  resultAnswers,
  resultLogs,
  results,
  resultTranscripts,
  statsRollups,
  uploads,
  webhookDeliveries,
  webhookEndpoints,
  workspaceMembers,
  workspaces,
} from '../db/schema.ts'
import { selectRows } from '../db/selection.ts'

/*
 * What is deleted is unreachable at once and removed here: in small batches, by one process at a time,
 * and again after a crash until nothing is left.
 */

const BATCH = 2_000

/** Notes, in the transaction that deletes, that rows of a bot are to be removed. */
export async function requestPurge(tx: Transaction, botId: string, now: Date) {
  await tx
    .insert(purges)
    .values({ botId, requestedAt: now })
    .onConflictDoUpdate({ target: purges.botId, set: { requestedAt: now } })
}

/**
 * Removes one batch of what was deleted. True while there is more to do; false when nothing is left or
 * another process is at it.
 */
export async function purgeBatch(db: Database, now: Date): Promise<boolean> {
  return transact(db, async (tx) => {
    // The row is the lock: it ends with its process.
    const [request] = await tx
      .select()
      .from(purges)
      .orderBy(asc(purges.requestedAt))
      .limit(1)
      .for('update', { skipLocked: true })
    if (!request)
      return (await purgeWorkspace(tx)) || (await removeSessions(tx, lt(chatSessions.expiresAt, now)))
    if (await purgeResults(tx, request.botId, now)) return queueAgain(tx, request.botId)
    await dropFiles(tx, request.botId, now)
    await purgeStats(tx, request.botId)
    if (await purgeBot(tx, request.botId)) return queueAgain(tx, request.botId)
    await tx.delete(purges).where(eq(purges.botId, request.botId))
    return true
  })
}

/** Lets all others have their turn first, whatever the clocks of processes say: one bot may have millions of results. */
async function queueAgain(tx: Transaction, botId: string): Promise<true> {
  const [last] = await tx.select({ requestedAt: max(purges.requestedAt) }).from(purges)
  if (!last?.requestedAt) throw new Error('The purge that was locked is gone')
  const requestedAt = new Date(last.requestedAt.getTime() + 1)
  await tx.update(purges).set({ requestedAt }).where(eq(purges.botId, botId))
  return true
}

/*
 * What a batch removes is looked up first and removed by its ids then: in one statement the planner, when it
 * knows a table badly, looks the whole batch up anew for every row of the bot. And it is locked in the order
 * of its ids, as whoever deletes single results does, so that the two do not wait for each other.
 */

/** True while results of the bot are left that nobody can see. */
async function purgeResults(tx: Transaction, botId: string, now: Date): Promise<boolean> {
  const rows = await selectRows(
    tx,
    { id: results.id, sessionId: results.lastChatSessionId },
    (list) => sql`
      SELECT ${list} FROM ${results} JOIN ${bots} ON ${bots.id} = ${results.botId}
      WHERE ${results.botId} = ${botId}
        AND (${bots.deletedAt} IS NOT NULL OR ${results.createdAt} <= ${bots.resultsFloorAt})
      ORDER BY ${results.id} LIMIT ${BATCH} FOR UPDATE OF ${results}`,
  )
  if (rows.length === 0) return false
  const ids = sql.param(rows.map(({ id }) => id))
  const sessions = sql.param(rows.flatMap(({ sessionId }) => sessionId ?? []))
  await tx.execute(sql`DELETE FROM ${results} WHERE bot_id = ${botId} AND id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${chatSteps} WHERE bot_id = ${botId} AND session_id = ANY(${sessions})`)
  await tx.execute(sql`DELETE FROM ${resultAnswers} WHERE bot_id = ${botId} AND result_id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${resultLogs} WHERE bot_id = ${botId} AND result_id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${resultTranscripts} WHERE bot_id = ${botId} AND result_id = ANY(${ids})`)
  await tx.execute(sql`
    UPDATE ${uploads} SET remove_at = ${now.toISOString()}::timestamptz
    WHERE bot_id = ${botId} AND result_id = ANY(${ids})`)
  return true
}

/** Files of a deleted bot that no result had; they and the others are removed by `files.ts`. */
async function dropFiles(tx: Transaction, botId: string, now: Date) {
  await tx.execute(sql`
    UPDATE ${uploads} SET remove_at = ${now.toISOString()}::timestamptz
    WHERE bot_id = ${botId} AND NOT coalesce(remove_at <= ${now.toISOString()}::timestamptz, false)
      AND NOT EXISTS (SELECT FROM ${bots} b WHERE b.id = ${botId} AND b.deleted_at IS NULL)`)
}

/** Removes the counts of days of which no result is left to be seen. */
async function purgeStats(tx: Transaction, botId: string) {
  await tx.execute(sql`
    DELETE FROM ${botStatsDaily} s USING ${bots} b
    WHERE s.bot_id = ${botId} AND b.id = s.bot_id
      AND (b.deleted_at IS NOT NULL OR s.day <= (b.results_floor_at AT TIME ZONE 'UTC')::date)`)
  await tx.execute(sql`
    DELETE FROM ${botBlockStatsDaily} s USING ${bots} b
    WHERE s.bot_id = ${botId} AND b.id = s.bot_id
      AND (b.deleted_at IS NOT NULL OR s.day <= (b.results_floor_at AT TIME ZONE 'UTC')::date)`)
}

/**
 * Removes what is left of a bot whose workspace is gone; true while there is more. An archived bot of a
 * living workspace is kept.
 */
async function purgeBot(tx: Transaction, botId: string): Promise<boolean> {
  const [gone] = await tx
    .select({ id: bots.id })
    .from(bots)
    .innerJoin(workspaces, eq(workspaces.id, bots.workspaceId))
    .where(sql`${bots.id} = ${botId} AND ${workspaces.deletedAt} IS NOT NULL`)
  if (!gone) return false
  if (await removeSessions(tx, eq(chatSessions.botId, botId))) return true
  // Names and what belongs to results were removed before, except what was written at that very moment.
  const tables = [resultAnswers, resultLogs, resultTranscripts, publicIds, customDomains] as const
  for (const table of [
    ...tables,
    chatSteps,
    chatSessions,
    statsRollups,
    botBlockStatsDaily,
    botIdempotencyKeys,
    webhookDeliveries,
    publishedBots,
    botPublications,
    botDrafts,
  ]) {
    await tx.delete(table).where(eq(table.botId, botId))
  }
  await tx.delete(bots).where(eq(bots.id, botId))
  return false
}

/** Removes one deleted workspace, or asks for the purge of the bots it still has. */
async function purgeWorkspace(tx: Transaction): Promise<boolean> {
  const [workspace] = await tx
    .select({ id: workspaces.id, deletedAt: workspaces.deletedAt })
    .from(workspaces)
    .where(isNotNull(workspaces.deletedAt))
    .limit(1)
    .for('update', { skipLocked: true })
  if (!workspace?.deletedAt) return false
  const left = await tx
    .select({ id: bots.id })
    .from(bots)
    .where(eq(bots.workspaceId, workspace.id))
    .limit(BATCH)
  for (const { id } of left) {
    await tx.update(bots).set({ deletedAt: workspace.deletedAt, folderId: null }).where(eq(bots.id, id))
    await requestPurge(tx, id, workspace.deletedAt)
  }
  if (left.length > 0) return true
  await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.workspaceId, workspace.id))
  await tx.delete(workspaceMembers).where(eq(workspaceMembers.workspaceId, workspace.id))
  await tx.update(folders).set({ parentFolderId: null }).where(eq(folders.workspaceId, workspace.id))
  await tx.delete(folders).where(eq(folders.workspaceId, workspace.id))
  await tx.delete(workspaces).where(eq(workspaces.id, workspace.id))
  return true
}

/** Removes chat sessions that nobody can continue any more; true while there may be more. */
async function removeSessions(tx: Transaction, condition: SQL): Promise<boolean> {
  const found = await tx
    .select({ id: chatSessions.id })
    .from(chatSessions)
    .where(condition)
    .limit(BATCH)
    .for('update', { skipLocked: true })
  const ids = sql.param(found.map(({ id }) => id))
  if (found.length > 0) {
    await tx.execute(sql`
      DELETE FROM ${chatSteps} USING ${chatSessions} s
      WHERE s.id = ANY(${ids}) AND ${chatSteps.botId} = s.bot_id AND ${chatSteps.sessionId} = s.id`)
    await tx.delete(chatSessions).where(sql`${chatSessions.id} = ANY(${ids})`)
  }
  return found.length === BATCH
}
