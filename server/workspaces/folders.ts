import { and, eq, getTableColumns, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { Conditions } from '../../contract/kit/operation.ts'
import type { FolderGrant, WorkspaceGrant } from '../access/index.ts'
import { newEntry, writeEntry } from '../audit/log.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { after, newestFirst, type Position } from '../db/page.ts'
import { folders as table } from '../db/schema.ts'
import { selectRows } from '../db/typed-select.ts'
import { shownFolderId, shownIn } from '../db/visible-bots.ts'
import { digestRecordState } from '../entity-tags.ts'
import { hasConditions, isStale } from '../kit/conditions.ts'
import { holdWorkspace, laterThan } from './rows.ts'

export type FolderRow = typeof table.$inferSelect

/** State of a folder that conditions of a write are compared with. */
export function folderState(folder: FolderRow): string {
  const { deletedAt: _, ...shown } = folder
  return digestRecordState(folder.id, shown)
}

/** Folders of one level after a position; null is the top level. */
export async function folderPage(
  db: Database,
  { workspace }: WorkspaceGrant,
  parentId: string | null,
  position: Position,
  limit: number,
): Promise<FolderRow[]> {
  const { usual, always } = shownIn(table.parentFolderId, workspace.id, parentId)
  for (const level of [usual, always]) {
    const page = await db
      .select(folderColumns)
      .from(table)
      .where(
        and(
          eq(table.workspaceId, workspace.id),
          isNull(table.deletedAt),
          level,
          after(table.createdAt, table.id, position),
        ),
      )
      .orderBy(...newestFirst(table.createdAt, table.id))
      .limit(limit)
    if (page.length > 0) return page
  }
  return []
}

/** The columns of a folder as callers see it. */
const folderColumns = {
  ...getTableColumns(table),
  parentFolderId: sql<string | null>`${shownFolderId(table.parentFolderId)}`.as('parent_folder_id'),
}

/** A folder of the granted workspace, optionally locked against deletion. */
export async function folderIn(
  db: Database,
  grant: WorkspaceGrant,
  folderId: string,
  lock?: 'key share',
): Promise<FolderRow | undefined> {
  const found = db
    .select(folderColumns)
    .from(table)
    .where(and(eq(table.id, folderId), eq(table.workspaceId, grant.workspace.id), isNull(table.deletedAt)))
  const [row] = await (lock ? found.for(lock) : found)
  return row
}

/** Stores a new folder; `isDeleted` if its workspace was deleted meanwhile. */
export async function insertFolder(
  db: Database,
  grant: WorkspaceGrant,
  row: FolderRow,
): Promise<{ issue: Issue } | { isDeleted: true } | undefined> {
  return transact(db, async (tx) => {
    if (!(await holdWorkspace(tx, row.workspaceId, 'key share'))) return { isDeleted: true }
    if (row.parentFolderId !== null && !(await folderIn(tx, grant, row.parentFolderId, 'key share'))) {
      return { issue: noSuchParent }
    }
    await tx.insert(table).values(row)
    return undefined
  })
}

/**
 * Changes a folder and, if a new parent is given, moves it. Undefined if the folder is deleted, `stale` with the folder
 * if its state does not match the conditions.
 */
export async function updateFolder(
  db: Database,
  { folder }: FolderGrant,
  conditions: Conditions,
  change: Partial<Pick<FolderRow, 'name' | 'parentFolderId'>>,
  now: Date,
): Promise<{ row: FolderRow } | { issue: Issue } | { stale: FolderRow } | undefined> {
  const { parentFolderId } = change
  const isSame = sql.join(
    [
      sql`true`,
      ...Object.entries(change).map(([name, value]) => {
        const column = table[name as keyof typeof change]
        const shown = name === 'parentFolderId' ? shownFolderId(column) : column
        return sql`${shown} IS NOT DISTINCT FROM ${sql.param(value, column)}`
      }),
    ],
    sql` AND `,
  )
  // Without a change the tag stays, so that conditions of other callers still match.
  const updatedAt = sql`CASE WHEN ${isSame} THEN ${table.updatedAt} ELSE ${laterThan(table.updatedAt, now)} END`
  const values = { ...change, updatedAt }
  const write = async (on: Database) => {
    const isThere = and(eq(table.id, folder.id), isNull(table.deletedAt))
    const [row] = await on.update(table).set(values).where(isThere).returning(folderColumns)
    return row && { row }
  }
  if (parentFolderId === undefined && !hasConditions(conditions)) return write(db)
  return transact(db, async (tx) => {
    // Moves and deletions in one workspace follow each other, or two of them could close a circle together.
    if (!(await holdWorkspace(tx, folder.workspaceId, 'no key update'))) return undefined
    const current = await lockFolder(tx, folder.id)
    if (!current) return undefined
    if (isStale(conditions, folderState(current))) return { stale: current }
    if (parentFolderId !== undefined && parentFolderId !== null) {
      const line = await ancestors(tx, folder.workspaceId, parentFolderId)
      if (line.length === 0) return { issue: noSuchParent }
      if (line.some(({ id }) => id === folder.id)) return { issue: circle }
    }
    return write(tx)
  })
}

/** Locks the row of a folder until the transaction ends; undefined if it was deleted. */
async function lockFolder(tx: Transaction, folderId: string): Promise<FolderRow | undefined> {
  const [row] = await tx
    .select(folderColumns)
    .from(table)
    .where(and(eq(table.id, folderId), isNull(table.deletedAt)))
    .for('update')
  return row
}

/**
 * A folder and those that it is in, deleted ones that still hold something too; none where it is not in the workspace.
 */
function ancestors(tx: Transaction, workspaceId: string, folderId: string) {
  return selectRows(
    tx,
    { id: table.id },
    (list) => sql`
      SELECT ${list} FROM ${table} WHERE ${table.id} IN (
        WITH RECURSIVE line AS (
          SELECT id, parent_folder_id FROM ${table} WHERE id = ${folderId} AND workspace_id = ${workspaceId}
            AND deleted_at IS NULL
          UNION ALL
          SELECT parent.id, parent.parent_folder_id FROM ${table} parent JOIN line ON parent.id = line.parent_folder_id
        ) SELECT id FROM line
      )`,
  )
}

/**
 * Deletes a folder; its contents move to its parent. The request only marks the folder, which moves its contents for
 * every reader; `jobs/folders.ts` moves the rows. Undefined if it is deleted already.
 */
export async function deleteFolder(
  db: Database,
  { folder, caller }: FolderGrant,
  conditions: Conditions,
  now: Date,
): Promise<{ row: FolderRow } | { stale: FolderRow } | undefined> {
  return transact(db, async (tx) => {
    if (!(await holdWorkspace(tx, folder.workspaceId, 'no key update'))) return undefined
    const row = await lockFolder(tx, folder.id)
    if (!row) return undefined
    if (isStale(conditions, folderState(row))) return { stale: row }
    const { parentFolderId } = row
    // The parent of a deleted folder is no deleted one, so that readers look one step up and no further.
    await tx.update(table).set({ deletedAt: now, parentFolderId }).where(eq(table.id, row.id))
    await tx
      .update(table)
      .set({ parentFolderId })
      .where(
        and(
          eq(table.workspaceId, row.workspaceId),
          eq(table.parentFolderId, row.id),
          isNotNull(table.deletedAt),
        ),
      )
    const deed = { by: caller, operation: 'deleteFolder' } as const
    await writeEntry(tx, newEntry(row.workspaceId, deed, row.id, now))
    return { row }
  })
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
