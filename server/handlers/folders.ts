import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { FoldersHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { FolderGrant, WorkspaceGrant } from '../access/index.ts'
import type { Contexts } from '../context.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { newestFirst } from '../db/page.ts'
import { bots, folders as table, workspaces } from '../db/schema.ts'
import { newId } from '../ids.ts'

type FolderRow = typeof table.$inferSelect

export const folders: FoldersHandlers<Contexts> = {
  async listFolders({ query }, reply, { db, grant }) {
    const parentId = query.parentFolderId === 'root' ? undefined : query.parentFolderId
    const rows = await foldersIn(db, grant, parentId)
    // A folder inside proves that the parent is there; only an empty list has to ask.
    if (rows.length === 0 && parentId !== undefined && !(await folderIn(db, grant, parentId))) {
      return reply.fail('NOT_FOUND')
    }
    return reply.ok({ folders: rows.map(toFolder) })
  },

  async createFolder({ body }, reply, { db, grant, now }) {
    const { name, parentFolderId = null } = body.folder
    const row: FolderRow = {
      id: newId(now),
      workspaceId: grant.workspace.id,
      parentFolderId,
      name,
      createdAt: now,
      updatedAt: now,
    }
    const created = await transact(db, async (tx) => {
      if (parentFolderId !== null && !(await folderIn(tx, grant, parentFolderId, 'key share'))) return false
      await tx.insert(table).values(row)
      return true
    })
    return created ? reply.ok({ folder: toFolder(row) }) : reply.fail('BAD_REQUEST', [noSuchParent])
  },

  async getFolder({ query }, reply, { grant }) {
    if (isElsewhere(grant, query.workspaceId)) return reply.fail('NOT_FOUND')
    return reply.ok({ folder: toFolder(grant.folder) })
  },

  async updateFolder({ body }, reply, { db, grant, now }) {
    if (isElsewhere(grant, body.workspaceId)) return reply.fail('NOT_FOUND')
    const { name, parentFolderId } = body.folder
    const change = { updatedAt: now, ...(name === undefined ? {} : { name }) }
    if (parentFolderId === undefined) {
      const [row] = await db.update(table).set(change).where(eq(table.id, grant.folder.id)).returning()
      return row ? reply.ok({ folder: toFolder(row) }) : reply.fail('NOT_FOUND')
    }
    const outcome = await moveFolder(db, grant, parentFolderId, change)
    if (!outcome) return reply.fail('NOT_FOUND')
    return 'row' in outcome
      ? reply.ok({ folder: toFolder(outcome.row) })
      : reply.fail('BAD_REQUEST', [outcome.issue])
  },

  async deleteFolder({ query }, reply, { db, grant }) {
    if (isElsewhere(grant, query.workspaceId)) return reply.fail('NOT_FOUND')
    const deleted = await transact(db, async (tx) => {
      await lockWorkspace(tx, grant.folder.workspaceId)
      // Locked before its contents move, so that nothing can be put into it meanwhile.
      const [row] = await tx.select().from(table).where(eq(table.id, grant.folder.id)).for('update')
      if (!row) return undefined
      const { parentFolderId } = row
      await tx.update(table).set({ parentFolderId }).where(eq(table.parentFolderId, row.id))
      await tx.update(bots).set({ folderId: parentFolderId }).where(eq(bots.folderId, row.id))
      await tx.delete(table).where(eq(table.id, row.id))
      return row
    })
    return deleted ? reply.ok({ folder: toFolder(deleted) }) : reply.fail('NOT_FOUND')
  },
}

const noSuchParent: Issue = {
  path: ['body', 'folder', 'parentFolderId'],
  code: 'unknown_folder',
  message: 'There is no such folder in the workspace',
}

function isElsewhere(grant: FolderGrant, workspaceId: string | undefined): boolean {
  return workspaceId !== undefined && workspaceId !== grant.folder.workspaceId
}

function toFolder(row: FolderRow): components['schemas']['Folder'] {
  return {
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    name: row.name,
    parentFolderId: row.parentFolderId,
    workspaceId: row.workspaceId,
  }
}

function foldersIn(
  db: Database,
  { workspace }: WorkspaceGrant,
  parentId: string | undefined,
): Promise<FolderRow[]> {
  const level = parentId === undefined ? isNull(table.parentFolderId) : eq(table.parentFolderId, parentId)
  return db
    .select()
    .from(table)
    .where(and(eq(table.workspaceId, workspace.id), level))
    .orderBy(...newestFirst(table.createdAt, table.id))
}

/** A folder of the granted workspace, locked against deletion when asked. */
export async function folderIn(
  db: Database | Transaction,
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

/** Moves and deletions in one workspace follow each other, or two of them could close a circle together. */
async function lockWorkspace(tx: Transaction, workspaceId: string) {
  await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId))
    .for('no key update')
}

async function moveFolder(
  db: Database,
  { folder }: FolderGrant,
  parentFolderId: string | null,
  change: Partial<FolderRow>,
): Promise<{ row: FolderRow } | { issue: Issue } | undefined> {
  return transact(db, async (tx) => {
    await lockWorkspace(tx, folder.workspaceId)
    if (parentFolderId !== null) {
      const ancestors = await tx.execute<{ id: string }>(sql`
        WITH RECURSIVE ancestors AS (
          SELECT id, parent_folder_id FROM ${table}
          WHERE id = ${parentFolderId} AND workspace_id = ${folder.workspaceId}
          UNION ALL
          SELECT parent.id, parent.parent_folder_id FROM ${table} parent
          JOIN ancestors ON parent.id = ancestors.parent_folder_id
        ) SELECT id FROM ancestors`)
      if (ancestors.rows.length === 0) return { issue: noSuchParent }
      if (ancestors.rows.some(({ id }) => id === folder.id)) return { issue: circle }
    }
    const [row] = await tx
      .update(table)
      .set({ ...change, parentFolderId })
      .where(eq(table.id, folder.id))
      .returning()
    return row && { row }
  })
}

const circle: Issue = {
  path: ['body', 'folder', 'parentFolderId'],
  code: 'circular_move',
  message: 'A folder cannot be moved into itself or into a folder inside it',
}
