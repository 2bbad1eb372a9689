import { asc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { type Database, databaseError, type Transaction, transact } from './db/client.ts'
import {
  botDrafts,
  botPublications,
  bots,
  chatSessions,
  customDomains,
  folders,
  publicIds,
  publishedBots,
  purges,
  resultAnswers,
  resultLogs,
  results,
  resultTranscripts,
  workspaceMembers,
  workspaces,
} from './db/schema.ts'

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
    if (!request) return (await purgeWorkspace(tx)) || (await purgeSessions(tx, now))
    if (await purgeResults(tx, request.botId)) return true
    await purgeBot(tx, request.botId)
    await tx.delete(purges).where(eq(purges.botId, request.botId))
    return true
  })
}

/** True while results of the bot are left that nobody can see. */
async function purgeResults(tx: Transaction, botId: string): Promise<boolean> {
  const removed = await tx.execute<{ id: string }>(sql`
    DELETE FROM ${results} WHERE bot_id = ${botId} AND id IN (
      SELECT r.id FROM ${results} r JOIN ${bots} b ON b.id = r.bot_id
      WHERE r.bot_id = ${botId} AND (b.deleted_at IS NOT NULL OR r.created_at <= b.results_floor_at)
      LIMIT ${BATCH}
    ) RETURNING id`)
  const ids = sql.param(removed.rows.map(({ id }) => id))
  if (removed.rows.length === 0) return false
  await tx.execute(sql`DELETE FROM ${resultAnswers} WHERE bot_id = ${botId} AND result_id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${resultLogs} WHERE bot_id = ${botId} AND result_id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${resultTranscripts} WHERE bot_id = ${botId} AND result_id = ANY(${ids})`)
  return true
}

/** Removes what is left of a bot whose workspace is gone. An archived bot of a living workspace is kept. */
async function purgeBot(tx: Transaction, botId: string) {
  const [gone] = await tx
    .select({ id: bots.id })
    .from(bots)
    .innerJoin(workspaces, eq(workspaces.id, bots.workspaceId))
    .where(sql`${bots.id} = ${botId} AND ${workspaces.deletedAt} IS NOT NULL`)
  if (!gone) return
  // Names and what belongs to results were removed before, except what was written at that very moment.
  const tables = [resultAnswers, resultLogs, resultTranscripts, publicIds, customDomains] as const
  for (const table of [...tables, chatSessions, publishedBots, botPublications, botDrafts]) {
    await tx.delete(table).where(eq(table.botId, botId))
  }
  await tx.delete(bots).where(eq(bots.id, botId))
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
  await tx.delete(workspaceMembers).where(eq(workspaceMembers.workspaceId, workspace.id))
  await tx.update(folders).set({ parentFolderId: null }).where(eq(folders.workspaceId, workspace.id))
  await tx.delete(folders).where(eq(folders.workspaceId, workspace.id))
  await tx.delete(workspaces).where(eq(workspaces.id, workspace.id))
  return true
}

/** Removes chat sessions that nobody can continue any more. */
async function purgeSessions(tx: Transaction, now: Date): Promise<boolean> {
  const expired = tx
    .select({ id: chatSessions.id })
    .from(chatSessions)
    .where(lt(chatSessions.expiresAt, now))
    .limit(BATCH)
    .for('update', { skipLocked: true })
  const removed = await tx.delete(chatSessions).where(inArray(chatSessions.id, expired))
  return removed.rowCount === BATCH
}

/** Purges now and then until stopped; `stop` waits for the batch under way. */
export function startPurging(db: Database, log: Logger, interval = 5_000): { stop: () => Promise<void> } {
  let stopped = false
  let wake = () => {}
  const run = async () => {
    while (!stopped) {
      try {
        if (await purgeBatch(db, new Date())) continue
      } catch (error) {
        log.warn({ err: databaseError(error) }, 'purging failed and will be tried again')
      }
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, interval).unref()
      })
    }
  }
  const running = run()
  return {
    async stop() {
      stopped = true
      wake()
      await running
    },
  }
}
