import { and, asc, eq, isNotNull, lte, notInArray, type SQL, sql } from 'drizzle-orm'
import { type Database, transact } from '../db/client.ts'
import { isOfRows } from '../db/errors.ts'
import { memoizeOn } from '../db/interned-rows.ts'
import { createPassedOver } from '../db/passed-over.ts'
import { requestPurge } from '../db/purge-requests.ts'
import { bots, folders, purges, webhookEndpoints, workspaceMembers, workspaces } from '../db/schema.ts'
import { MS_PER_DAY } from '../durations.ts'

/*
 * Requests the purge of bots that were deleted long enough ago, and removes deleted workspaces once they have no bots.
 */

const MAX_BATCH_ROWS = 2_000
/** Bots of a deleted workspace that one batch takes on, so that other workspaces have their turn in between. */
const MAX_BOTS_OF_WORKSPACE = 200
/** Deleted bots that one look takes on. */
const MAX_DELETED_BOTS = 1_000
/** Deleted workspaces that one look finds. */
const MAX_CANDIDATE_WORKSPACES = 20

interface State {
  /** True if this look begins with bots of which something is to be purged. */
  isTurnOfBots: boolean
  /** The deleted workspace behind which the next look goes on: each has its turn, whatever the others hold. */
  lastWorkspaceId: string
  /** Deleted bots and workspaces that fail. */
  passedOver: ReturnType<typeof createPassedOver<string>>
}

export const stateOf = (db: Database) =>
  memoizeOn<State>(db, 'purge', () => ({
    isTurnOfBots: false,
    lastWorkspaceId: '',
    passedOver: createPassedOver(),
  }))

export const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * MS_PER_DAY)

const hasNoPurge = sql`NOT EXISTS (SELECT FROM ${purges} WHERE ${purges.botId} = ${bots.id})`

/** Requests the purge of bots that were deleted long enough ago; true if there were any. */
export async function requestDeletedBots(
  db: Database,
  { passedOver }: State,
  now: Date,
  days: number,
): Promise<boolean> {
  const due = await db
    .select({ id: bots.id })
    .from(bots)
    .where(
      and(lte(bots.deletedAt, daysBefore(now, days)), hasNoPurge, notInArray(bots.id, passedOver.keys())),
    )
    .orderBy(asc(bots.deletedAt))
    .limit(MAX_DELETED_BOTS)
  for (const { id } of due) {
    await passOverOnFailure(passedOver, id, () => transact(db, (tx) => requestPurge(tx, id, now)))
  }
  return due.length > 0
}

/** Skips a record for a while whose row fails: the next batch has all others before it. */
async function passOverOnFailure<Outcome>(
  passedOver: State['passedOver'],
  id: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (isOfRows(error)) passedOver.add(id)
    throw error
  }
}

/** Does a part of the removal of one deleted workspace; true when there was something to do. */
export async function purgeWorkspaces(db: Database, state: State): Promise<boolean> {
  const deletedWorkspaces = await db
    .select({
      id: workspaces.id,
      deletedAt: sql<Date>`${workspaces.deletedAt}`.mapWith(workspaces.deletedAt),
    })
    .from(workspaces)
    .where(and(isNotNull(workspaces.deletedAt), notInArray(workspaces.id, state.passedOver.keys())))
    .orderBy(sql`${workspaces.id} <= ${state.lastWorkspaceId}`, asc(workspaces.id))
    .limit(MAX_CANDIDATE_WORKSPACES)
  for (const { id, deletedAt } of deletedWorkspaces) {
    state.lastWorkspaceId = id
    if (await purgeWorkspace(db, state, id, deletedAt)) return true
  }
  return false
}

/** Removes a deleted workspace, or requests the purge of bots it still has; false while that is going on. */
async function purgeWorkspace(
  db: Database,
  { passedOver }: State,
  id: string,
  deletedAt: Date,
): Promise<boolean> {
  // Before the transaction: a cluster changes no catalogue table in one that has read from all nodes. Nothing comes
  // into a workspace that is deleted.
  const find = (condition: SQL) =>
    db
      .select({ id: bots.id })
      .from(bots)
      .where(and(eq(bots.workspaceId, id), condition, notInArray(bots.id, passedOver.keys())))
      .limit(MAX_BOTS_OF_WORKSPACE)
  // First those that an index has.
  const alive = await find(sql`${bots.deletedAt} IS NULL`)
  const left = alive.length > 0 ? alive : await find(hasNoPurge)
  for (const { id: botId } of left) {
    await passOverOnFailure(passedOver, botId, () =>
      transact(db, async (tx) => {
        await tx.update(bots).set({ deletedAt, folderId: null }).where(eq(bots.id, botId))
        await requestPurge(tx, botId, deletedAt)
      }),
    )
  }
  if (left.length > 0) return true
  const [bot] = await db.select({ id: bots.id }).from(bots).where(eq(bots.workspaceId, id)).limit(1)
  if (bot) return false
  return passOverOnFailure(passedOver, id, () => removeWorkspace(db, id))
}

/** Removes a part of a deleted workspace that has no bots any more, or the rest of it. */
async function removeWorkspace(db: Database, id: string): Promise<true> {
  const { rowCount } = await db.execute(sql`
    UPDATE ${folders} SET parent_folder_id = NULL WHERE id = ANY(ARRAY(
      SELECT id FROM ${folders} WHERE workspace_id = ${id} AND parent_folder_id IS NOT NULL LIMIT ${MAX_BATCH_ROWS}))`)
  if (rowCount) return true
  const folderDeletion = await db.execute(sql`
    DELETE FROM ${folders} WHERE id = ANY(ARRAY(
      SELECT id FROM ${folders} WHERE workspace_id = ${id} LIMIT ${MAX_BATCH_ROWS}))`)
  if (folderDeletion.rowCount) return true
  await transact(db, async (tx) => {
    await tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id)).for('update')
    await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.workspaceId, id))
    await tx.delete(workspaceMembers).where(eq(workspaceMembers.workspaceId, id))
    await tx.delete(workspaces).where(eq(workspaces.id, id))
  })
  return true
}
