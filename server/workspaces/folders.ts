import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { Conditions } from '../../contract/operation.ts'
import type { FolderGrant, WorkspaceGrant } from '../access/index.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { after, newestFirst, type Position } from '../db/page.ts'
import { bots, folders as table } from '../db/schema.ts'
import { selectRows } from '../db/selection.ts'
import { hasConditions, isStale, stateTag } from '../entity-tags.ts'
import { newEntry, writeEntry } from './audit.ts'
import { holdWorkspace, laterThan } from './rows.ts'

export type FolderRow = typeof table.$inferSelect

/** What a condition of a write compares. */
export function folderState(folder: FolderRow): string {
  return stateTag(folder.id, folder)
}

/** Folders of one level after a position; null is the top level. */
export function folderPage(
  db: Database,
  { workspace }: WorkspaceGrant,
  parentId: string | null,
  position: Position,
  limit: number,
): Promise<FolderRow[]> {
  const level = parentId === null ? isNull(table.parentFolderId) : eq(table.parentFolderId, parentId)
  return db
    .select()
    .from(table)
    .where(and(eq(table.workspaceId, workspace.id), level, after(table.createdAt, table.id, position)))
    .orderBy(...newestFirst(table.createdAt, table.id))
    .limit(limit)
}

/** A folder of the granted workspace, locked against deletion when asked. */
export async function folderIn(
  db: Database,
  grant: WorkspaceGrant,
  folderId: string,
  lock?: 'key share',
): Promise<FolderRow | undefined> {
  const found = db
    .select()
    .from(table)
    .where(and(eq(table.id, folderId), eq(table.workspaceId, grant.workspace.id)))
  const [row] = await (lock ? found.for(lock) : found)
  return row
}

/** Stores a new folder; `gone` when its workspace was deleted meanwhile. */
export async function insertFolder(
  db: Database,
  grant: WorkspaceGrant,
  row: FolderRow,
): Promise<{ issue: Issue } | { gone: true } | undefined> {
  return transact(db, async (tx) => {
    if (!(await holdWorkspace(tx, row.workspaceId, 'key share'))) return { gone: true }
    if (row.parentFolderId !== null && !(await folderIn(tx, grant, row.parentFolderId, 'key share'))) {
      return { issue: noSuchParent }
    }
    await tx.insert(table).values(row)
    return undefined
  })
}

/**
 * Changes a folder and, where it says into which, moves it. Undefined when the folder is gone, `stale` with the
 * folder when it is in another state than the conditions want.
 */
export async function updateFolder(
  db: Database,
  { folder }: FolderGrant,
  conditions: Conditions,
  change: Partial<Pick<FolderRow, 'name' | 'parentFolderId'>>,
  now: Date,
): Promise<{ row: FolderRow } | { issue: Issue } | { stale: FolderRow } | undefined> {
  const { name, parentFolderId } = change
  const isSame = sql`${name === undefined ? sql`true` : sql`${table.name} = ${name}`} AND ${
    parentFolderId === undefined
      ? sql`true`
      : sql`${table.parentFolderId} IS NOT DISTINCT FROM ${parentFolderId}::text`
  }`
  // Without a change the tag stays, so that nobody's condition fails.
  const updatedAt = sql`CASE WHEN ${isSame} THEN ${table.updatedAt} ELSE ${laterThan(table.updatedAt, now)} END`
  const values = { ...change, updatedAt }
  if (parentFolderId === undefined && !hasConditions(conditions)) {
    const [row] = await db.update(table).set(values).where(eq(table.id, folder.id)).returning()
    return row && { row }
  }
  return transact(db, async (tx) => {
    // Moves and deletions in one workspace follow each other, or two of them could close a circle together.
    if (!(await holdWorkspace(tx, folder.workspaceId, 'no key update'))) return undefined
    const [current] = await tx.select().from(table).where(eq(table.id, folder.id)).for('update')
    if (!current) return undefined
    if (isStale(conditions, folderState(current))) return { stale: current }
    if (parentFolderId !== undefined && parentFolderId !== null) {
      const line = await ancestors(tx, folder.workspaceId, parentFolderId)
      if (line.length === 0) return { issue: noSuchParent }
      if (line.some(({ id }) => id === folder.id)) return { issue: circle }
    }
    const [row] = await tx.update(table).set(values).where(eq(table.id, folder.id)).returning()
    return row && { row }
  })
}

/** A folder and those that it is in; none where it is not in the workspace. */
function ancestors(tx: Transaction, workspaceId: string, folderId: string) {
  return selectRows(
    tx,
    { id: table.id },
    (list) => sql`
      SELECT ${list} FROM ${table} WHERE ${table.id} IN (
        WITH RECURSIVE line AS (
          SELECT id, parent_folder_id FROM ${table} WHERE id = ${folderId} AND workspace_id = ${workspaceId}
          UNION ALL
          SELECT parent.id, parent.parent_folder_id FROM ${table} parent JOIN line ON parent.id = line.parent_folder_id
        ) SELECT id FROM line
      )`,
  )
}

const MAXIMUM_ATTEMPTS = 20

/** Deletes a folder; what is in it moves to the folder that it was in. Undefined when it is gone. */
export async function deleteFolder(
  db: Database,
  { folder, caller }: FolderGrant,
  conditions: Conditions,
  now: Date,
): Promise<{ row: FolderRow } | { stale: FolderRow } | undefined> {
  const attempt = () =>
    transact(db, async (tx) => {
      if (!(await holdWorkspace(tx, folder.workspaceId, 'no key update'))) return undefined
      // Locked before its contents move, so that nothing can be put into it meanwhile.
      const [row] = await tx.select().from(table).where(eq(table.id, folder.id)).for('update')
      if (!row) return undefined
      if (isStale(conditions, folderState(row))) return { stale: row }
      const { parentFolderId } = row
      await tx.update(table).set({ parentFolderId }).where(eq(table.parentFolderId, row.id))
      // A new revision of each, or an update that began before would put it back.
      const revision = sql`${bots.revision} + 1`
      await tx.update(bots).set({ folderId: parentFolderId, revision }).where(eq(bots.folderId, row.id))
      await tx.delete(table).where(eq(table.id, row.id))
      const deed = { by: caller, operation: 'deleteFolder' } as const
      await writeEntry(tx, newEntry(row.workspaceId, deed, row.id, now))
      return { row }
    })
  for (let left = MAXIMUM_ATTEMPTS; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      // On a cluster each node has a folder of its own to lock, and a bot was put into that of another one.
      // Where bots move all the time, that happened seven times in a row: more than `transact` would begin again.
      if (sqlState(error) !== '23503' || left === 0) throw error
    }
  }
}

const noSuchParent: Issue = {
  path: ['body', 'folder', 'parentFolderId'],
  code: 'unknown_folder',
  message: 'There is no such folder in the workspace',
}

const circle: Issue = {
  path: ['body', 'folder', 'parentFolderId'],
  code: 'circular_move',
  message: 'A folder cannot be moved into itself or into a folder inside it',
}
