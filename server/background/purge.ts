import { asc, eq, isNotNull, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type Database, sqlState, type Transaction, transact } from '../db/client.ts'
import {
  botBlockStatsDaily,
  botDrafts,
  botIdempotencyKeys,
  botPublications,
  botStatsDaily,
  botStatsHourly,
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
  webhookOutbox,
  workspaceMembers,
  workspaces,
} from '../db/schema.ts'
import { selectRows } from '../db/selection.ts'

/*
 * What is deleted is unreachable at once and removed here: in small batches, by one process at a time,
 * and again after a crash until nothing is left.
 */

const BATCH = 2_000

/**
 * Rows of the next batch of a bot: fewer after one that took longer than a statement may, for one result can have thousands
 * of answers and logs, and more again after others.
 */
let size = BATCH

/** Notes, in the transaction that deletes, that rows of a bot are to be removed. */
export async function requestPurge(tx: Transaction, botId: string, now: Date) {
  await tx
    .insert(purges)
    .values({ botId, requestedAt: now })
    .onConflictDoUpdate({ target: purges.botId, set: { requestedAt: now } })
}

/**
 * Removes the steps of sessions of a bot that have rows of their own; of a chat that goes on, all but the one that it
 * waits with.
 */
export function earlierSteps(botId: SQL, sessionIds: SQLWrapper): SQL {
  return sql`
    DELETE FROM ${chatSteps} s WHERE s.bot_id = ${botId} AND s.session_id = ANY(${sessionIds})
      AND NOT EXISTS (
        SELECT FROM ${chatSessions} c
        WHERE c.bot_id = ${botId} AND c.id = s.session_id AND c.revision = s.revision AND c.ended_at IS NULL
      )`
}

/**
 * The same of those that the sessions have themselves. Of a chat that writes a step at this moment they stay until it
 * expires: whoever writes one has the session first and its result then, and who removes the reverse.
 */
export function earlierKeptSteps(botId: SQL, sessionIds: SQLWrapper): SQL {
  const newest = sql`substr(c.steps, 1, 2 + 256 * get_byte(c.steps, 0) + get_byte(c.steps, 1))`
  const isApart = sql`EXISTS (
    SELECT FROM ${chatSteps} s WHERE s.bot_id = ${botId} AND s.session_id = c.id AND s.revision = c.revision)`
  return sql`
    UPDATE ${chatSessions} c SET steps = CASE WHEN c.ended_at IS NULL AND NOT ${isApart} THEN ${newest} END
    WHERE c.bot_id = ${botId} AND c.steps IS NOT NULL AND c.id = ANY(ARRAY(
      SELECT f.id FROM ${chatSessions} f WHERE f.bot_id = ${botId} AND f.id = ANY(${sessionIds}) FOR UPDATE SKIP LOCKED
    ))`
}

/** How many bots one look finds: as many processes can be at it at once. */
const CANDIDATES = 20

/**
 * Removes one batch of what was deleted. True while there is more to do; false when nothing is left or other
 * processes are at it.
 */
export async function purgeBatch(db: Database, now: Date): Promise<boolean> {
  // Looked for without a lock, and locked one by one: a cluster locks only what one node has.
  const waiting = await db
    .select({ botId: purges.botId, last: sql<string>`max(${purges.requestedAt}) OVER ()::text` })
    .from(purges)
    .orderBy(asc(purges.requestedAt))
    .limit(CANDIDATES)
  for (const { botId, last } of waiting) {
    if (await purgeInTime(db, botId, last, now)) return true
  }
  return waiting.length === 0 && purgeWorkspace(db)
}

/** Removes a batch of one bot, or finds that it has to be smaller; false when another process is at it. */
async function purgeInTime(db: Database, botId: string, last: string, now: Date): Promise<boolean> {
  try {
    const isDone = await transact(db, (tx) => purgeOf(tx, botId, last, now))
    size = Math.min(2 * size, BATCH)
    return isDone
  } catch (error) {
    if (sqlState(error) !== '57014' || size === 1) {
      // What fails every time lets the others go first.
      await transact(db, (tx) => queueAgain(tx, botId, last))
      throw error
    }
    size = Math.ceil(size / 8)
    return true
  }
}

/** Removes a batch of one bot; false when another process is at it. */
async function purgeOf(tx: Transaction, botId: string, last: string, now: Date): Promise<boolean> {
  // The row is the lock: it ends with its process.
  const [request] = await tx
    .select()
    .from(purges)
    .where(eq(purges.botId, botId))
    .for('update', { skipLocked: true })
  if (!request) return false
  if (await purgeResults(tx, botId, now)) return queueAgain(tx, botId, last)
  await dropFiles(tx, botId, now)
  await purgeStats(tx, botId)
  if (await purgeBot(tx, botId)) return queueAgain(tx, botId, last)
  await tx.delete(purges).where(eq(purges.botId, botId))
  return true
}

/** Lets all others have their turn first, whatever the clocks of processes say: one bot may have millions of results. */
async function queueAgain(tx: Transaction, botId: string, last: string): Promise<true> {
  await tx.execute(sql`
    UPDATE ${purges} SET requested_at = ${last}::timestamptz + interval '1 millisecond' WHERE bot_id = ${botId}`)
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
        AND ${bots.id} = ${botId} AND (${bots.deletedAt} IS NOT NULL OR ${results.createdAt} <= ${bots.resultsFloorAt})
      ORDER BY ${results.id} LIMIT ${size} FOR UPDATE OF ${results}`,
  )
  if (rows.length === 0) return false
  const ids = sql.param(rows.map(({ id }) => id))
  const sessions = sql.param(rows.flatMap(({ sessionId }) => sessionId ?? []))
  await tx.execute(sql`DELETE FROM ${results} WHERE bot_id = ${botId} AND id = ANY(${ids})`)
  await tx.execute(earlierSteps(sql`${botId}`, sessions))
  await tx.execute(earlierKeptSteps(sql`${botId}`, sessions))
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

/** Removes the counts of days and hours of which no result is left to be seen. */
async function purgeStats(tx: Transaction, botId: string) {
  await tx.execute(sql`
    DELETE FROM ${botStatsDaily} s USING ${bots} b
    WHERE s.bot_id = ${botId} AND b.id = s.bot_id
      AND (b.deleted_at IS NOT NULL OR s.day <= (b.results_floor_at AT TIME ZONE 'UTC')::date)`)
  await tx.execute(sql`
    DELETE FROM ${botStatsHourly} s USING ${bots} b
    WHERE s.bot_id = ${botId} AND b.id = s.bot_id AND (b.deleted_at IS NOT NULL OR s.hour <= b.results_floor_at)`)
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
  // Those that go on, and by their steps, both of which have an index by bot. Chats that were over have no steps any more,
  // and expire within hours.
  const open = await tx
    .select({ sessionId: chatSessions.id })
    .from(chatSessions)
    .where(sql`${chatSessions.botId} = ${botId} AND ended_at IS NULL AND result_id IS NOT NULL`)
    .limit(size)
  const steps = await tx
    .selectDistinct({ sessionId: chatSteps.sessionId })
    .from(chatSteps)
    .where(eq(chatSteps.botId, botId))
    .limit(size)
  const ids = sql.param([...open, ...steps].map(({ sessionId }) => sessionId))
  await tx.execute(sql`DELETE FROM ${chatSessions} WHERE bot_id = ${botId} AND id = ANY(${ids})`)
  await tx.execute(sql`DELETE FROM ${chatSteps} WHERE bot_id = ${botId} AND session_id = ANY(${ids})`)
  if (open.length === size || steps.length === size) return true
  // What is being shared out is waited for, and is among the deliveries then: of a busy bot millions.
  await tx.delete(webhookOutbox).where(eq(webhookOutbox.botId, botId))
  const { rowCount } = await tx.execute(sql`
    DELETE FROM ${webhookDeliveries} WHERE bot_id = ${botId} AND ctid = ANY(ARRAY(
      SELECT ctid FROM ${webhookDeliveries} WHERE bot_id = ${botId} LIMIT ${size}))`)
  if (rowCount) return true
  // Names and what belongs to results were removed before, except what was written at that very moment.
  const tables = [resultAnswers, resultLogs, resultTranscripts, publicIds, customDomains] as const
  for (const table of [
    ...tables,
    statsRollups,
    botBlockStatsDaily,
    botIdempotencyKeys,
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
async function purgeWorkspace(db: Database): Promise<boolean> {
  const [deleted] = await db
    .select({ id: workspaces.id, deletedAt: workspaces.deletedAt })
    .from(workspaces)
    .where(isNotNull(workspaces.deletedAt))
    .limit(1)
  if (!deleted?.deletedAt) return false
  const { id, deletedAt } = deleted
  // Before the transaction: a cluster changes no catalogue table in one that has read from all nodes. Nothing comes
  // into a workspace that is deleted.
  const left = await db.select({ id: bots.id }).from(bots).where(eq(bots.workspaceId, id)).limit(BATCH)
  for (const { id: botId } of left) {
    await transact(db, async (tx) => {
      await tx.update(bots).set({ deletedAt, folderId: null }).where(eq(bots.id, botId))
      await requestPurge(tx, botId, deletedAt)
    })
  }
  if (left.length > 0) return true
  await transact(db, async (tx) => {
    await tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id)).for('update')
    await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.workspaceId, id))
    await tx.delete(workspaceMembers).where(eq(workspaceMembers.workspaceId, id))
    await tx.update(folders).set({ parentFolderId: null }).where(eq(folders.workspaceId, id))
    await tx.delete(folders).where(eq(folders.workspaceId, id))
    await tx.delete(workspaces).where(eq(workspaces.id, id))
  })
  return true
}

/** Removes chat sessions that nobody can continue any more; true while there may be more. */
export async function removeSessions(db: Database, now: Date): Promise<boolean> {
  const time = now.toISOString()
  const expired = await db
    .select({ botId: chatSessions.botId, id: chatSessions.id })
    .from(chatSessions)
    .where(lt(chatSessions.expiresAt, now))
    .orderBy(asc(chatSessions.expiresAt))
    .limit(BATCH)
  if (expired.length > 0) await transact(db, (tx) => removeExpired(tx, expired, time))
  return expired.length === BATCH
}

/** Removes sessions with their steps, as far as they are still so. */
async function removeExpired(tx: Transaction, found: { botId: string; id: string }[], now: string) {
  const listed = (rows: { botId: string; id: string }[]) => {
    const bots = sql.param(rows.map(({ botId }) => botId))
    const ids = sql.param(rows.map(({ id }) => id))
    return { bots, table: sql`unnest(${bots}::text[], ${ids}::text[]) AS listed(bot_id, id)` }
  }
  const expected = listed(found)
  const removed = await selectRows(
    tx,
    { botId: chatSessions.botId, id: chatSessions.id },
    (list) => sql`
      DELETE FROM ${chatSessions} USING ${expected.table}
      WHERE ${chatSessions.botId} = ANY(${expected.bots}) AND ${chatSessions.botId} = listed.bot_id
        AND ${chatSessions.id} = listed.id AND expires_at < ${now}::timestamptz
      RETURNING ${list}`,
  )
  const gone = listed(removed)
  await tx.execute(sql`
    DELETE FROM ${chatSteps} USING ${gone.table}
    WHERE ${chatSteps.botId} = ANY(${gone.bots}) AND ${chatSteps.botId} = listed.bot_id
      AND ${chatSteps.sessionId} = listed.id`)
}
