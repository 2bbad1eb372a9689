import { and, type Column, count, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Conditions } from '../../contract/kit/operation.ts'
import type { UserGrant, WorkspaceGrant } from '../access/index.ts'
import { auditCte, newEntry, writeEntry } from '../audit/log.ts'
import { topologyOf } from '../db/citus/topology.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { firstPosition, isBeyond, newestFirst, type Position, withinPage } from '../db/page.ts'
import { credentials, workspaces as table, users, workspaceMembers } from '../db/schema.ts'
import { expression, optional, selectRows } from '../db/typed-select.ts'
import { digestRecordState } from '../entity-tags.ts'
import { newId } from '../ids.ts'
import { hasConditions, isStale } from '../kit/conditions.ts'

export type WorkspaceRow = typeof table.$inferSelect

/** Properties that admins may set. */
type OwnProperties = Pick<WorkspaceRow, 'name' | 'icon' | 'resultsRetentionDays'>

/**
 * The workspaces in which the caller has a role after a position: first their own, then those of others, newest
 * first; of a bound token, the one it is bound to. The id of a position begins with a flag for their own.
 */
export async function workspacePage(db: Database, { caller }: UserGrant, position: Position) {
  const isOwn = sql`coalesce(${table.createdBy} = ${caller.userId}, false)`
  const [own, id] = position.id.split(':')
  const isAfter =
    position === firstPosition
      ? sql`true`
      : sql`(${isOwn}, ${table.createdAt}, ${table.id})
          < (${own}::boolean, ${position.createdAt.toISOString()}::timestamptz, ${id})`
  const rows = sql`SELECT ${table}.*, ${isOwn} AS is_own
    FROM ${workspaceMembers} JOIN ${table} ON ${table.id} = ${workspaceMembers.workspaceId} AND ${table.deletedAt} IS NULL
    WHERE ${workspaceMembers.userId} = ${caller.userId}
      AND ${caller.boundTo === null ? sql`true` : eq(table.id, caller.boundTo)} AND ${isAfter}`
  const bytes = sql`octet_length(${table.name}) + coalesce(octet_length(${table.icon}), 0)`
  const inOrder = [sql`is_own DESC`, ...newestFirst(table.createdAt, table.id)]
  return selectRows(
    db,
    {
      id: expression(sql`concat(is_own, ':', ${table.id})`, 'text'),
      createdAt: table.createdAt,
      isBeyond: isBeyond(table),
      workspace: { id: table.id, name: table.name, icon: optional(table.icon), plan: table.plan },
    },
    (list) => sql`SELECT ${list} FROM ${withinPage(rows, table, bytes, inOrder)}
      ORDER BY ${sql.join(inOrder, sql`, `)}`,
  )
}

/** Creates a workspace, unless the caller has created `maximum` that are still there. */
export async function createWorkspace(
  db: Database,
  { caller }: UserGrant,
  properties: OwnProperties,
  maximum: number,
  now: Date,
): Promise<WorkspaceRow | undefined> {
  return transact(db, async (tx) => {
    // The lock of the user's row makes simultaneous requests count one after the other.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, caller.userId)).for('no key update')
    const [row] = await tx
      .select({ created: count() })
      .from(table)
      .where(and(eq(table.createdBy, caller.userId), isNull(table.deletedAt)))
    if ((row?.created ?? 0) >= maximum) return undefined
    const workspace = await insertWorkspace(tx, caller.userId, properties, now)
    const deed = { by: caller, operation: 'createWorkspace' } as const
    await writeEntry(tx, newEntry(workspace.id, deed, workspace.id, now))
    return workspace
  })
}

/** State of a workspace that conditions of a write are compared with. */
export function workspaceState(workspace: WorkspaceRow): string {
  const { createdBy: _, deletedAt: __, ...shown } = workspace
  return digestRecordState(workspace.id, shown)
}

/** Stores a workspace with its first admin, who created it. */
export async function insertWorkspace(
  tx: Transaction,
  userId: string,
  properties: OwnProperties,
  now: Date,
): Promise<WorkspaceRow> {
  const [row] = await tx
    .insert(table)
    .values({ id: newId(now), ...properties, createdBy: userId, createdAt: now, updatedAt: now })
    .returning()
  if (!row) throw new Error('An inserted row was not returned')
  await tx.insert(workspaceMembers).values({ workspaceId: row.id, userId, role: 'ADMIN', createdAt: now })
  return row
}

/**
 * Locks a workspace against deletion until the transaction ends; false if it was deleted. Inserts into the workspace
 * use `key share`. Transactions with `no key update` run one after the other. On a cluster all use that, since two that
 * share a row there cannot both go on to write.
 */
export async function holdWorkspace(
  tx: Transaction,
  workspaceId: string,
  lock: 'key share' | 'no key update',
): Promise<boolean> {
  const held = await tx
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, workspaceId), isNull(table.deletedAt)))
    .for(topologyOf(tx).canShareCatalogueLocks ? lock : 'no key update')
  return held.length > 0
}

/**
 * A timestamp later than the one in the column, even if the clocks of two processes differ. In UTC, since a cluster
 * updates no row by an expression that depends on the time zone of the connection.
 */
export function laterThan(column: Column, now: Date): SQL<Date> {
  const next = sql`(${column} AT TIME ZONE 'UTC' + interval '1 millisecond') AT TIME ZONE 'UTC'`
  return sql`greatest(${now.toISOString()}::timestamptz, ${next})`
}

/**
 * Changes a workspace. Undefined when it was deleted, `stale` with the workspace when it is in another state than
 * the conditions want.
 */
export async function updateWorkspace(
  db: Database,
  { workspace, caller }: WorkspaceGrant,
  conditions: Conditions,
  change: { [Name in keyof OwnProperties]?: OwnProperties[Name] | undefined },
  now: Date,
): Promise<{ row: WorkspaceRow } | { stale: WorkspaceRow } | undefined> {
  // Values that are equal already are no change: no entry is written, and the tag stays valid.
  const changes = (row: WorkspaceRow) =>
    Object.entries(change).some(
      ([name, value]) => value !== undefined && value !== row[name as keyof OwnProperties],
    )
  const write = async (writer: Database) => {
    const changed = writer.$with('changed').as(
      writer
        .update(table)
        .set({ ...change, updatedAt: laterThan(table.updatedAt, now) })
        .where(and(eq(table.id, workspace.id), isNull(table.deletedAt)))
        .returning(),
    )
    const deed = { by: caller, operation: 'updateWorkspace' } as const
    const noted = auditCte(newEntry(workspace.id, deed, workspace.id, now), sql`changed`)
    const [row] = await writer.with(changed, writer.$with('entry', {}).as(noted)).select().from(changed)
    return row && { row }
  }
  if (!hasConditions(conditions) && changes(workspace)) return write(db)
  return transact(db, async (tx) => {
    const current = await lockWorkspace(tx, workspace.id)
    if (current && isStale(conditions, workspaceState(current))) return { stale: current }
    return current && !changes(current) ? { row: current } : write(tx)
  })
}

/** Locks the row of a workspace until the transaction ends; undefined if it was deleted. */
async function lockWorkspace(tx: Transaction, workspaceId: string): Promise<WorkspaceRow | undefined> {
  const [row] = await tx
    .select()
    .from(table)
    .where(and(eq(table.id, workspaceId), isNull(table.deletedAt)))
    .for('update')
  return row
}

/**
 * Makes a workspace and everything in it unreachable immediately, regardless of its size: every query of a bot, a
 * folder, a session or a name checks the mark. The purge removes the rows. Returns `isDeleted` if it was deleted
 * already, `stale` as with an update.
 */
export async function deleteWorkspace(
  tx: Transaction,
  { workspace, caller }: WorkspaceGrant,
  conditions: Conditions,
  now: Date,
): Promise<{ isDeleted: true } | { stale: WorkspaceRow } | undefined> {
  // Waits for writes that put something into it; later ones find it deleted.
  const current = await lockWorkspace(tx, workspace.id)
  if (!current) return { isDeleted: true }
  if (isStale(conditions, workspaceState(current))) return { stale: current }
  await tx.update(table).set({ deletedAt: now }).where(eq(table.id, workspace.id))
  await tx.delete(workspaceMembers).where(eq(workspaceMembers.workspaceId, workspace.id))
  await tx.delete(credentials).where(eq(credentials.workspaceId, workspace.id))
  const deed = { by: caller, operation: 'deleteWorkspace' } as const
  await writeEntry(tx, newEntry(workspace.id, deed, workspace.id, now))
  return undefined
}
