import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/client.ts'
import { bots, folders, webhookEndpoints, workspaces } from '../db/schema.ts'
import { selectRows } from '../db/typed-select.ts'
import { botColumns } from '../db/visible-bots.ts'
import { botEvent, insertEvent } from '../webhooks/outbox.ts'
import { holdWorkspace } from '../workspaces/rows.ts'
import { type DueRows, type Key, removeDue } from './due.ts'

/*
 * Moves the contents of deleted folders into their parents, where readers see them already, and removes the folders
 * once they are empty. Each batch is one transaction, so that a killed process leaves nothing half done.
 */

/** Each bot is locked, and its event may go to many endpoints. */
const MAX_MOVED_BOTS = 200

/** All there is, however far the clock of another process was ahead. */
const NO_AGE = new Date('9999-12-31')

/** Folders of a deleted workspace are left to its purge. */
const deletedFolders = sql`SELECT deleted.id FROM ${folders} deleted
  JOIN ${workspaces} home ON home.id = deleted.workspace_id AND home.deleted_at IS NULL
  WHERE deleted.deleted_at IS NOT NULL`

const storedBots: DueRows = {
  name: 'bots of deleted folders',
  table: bots,
  keys: [bots.workspaceId, bots.folderId, bots.id],
  age: bots.createdAt,
  condition: sql`${bots.folderId} = ANY(ARRAY(${deletedFolders}))`,
  maxRows: MAX_MOVED_BOTS,
}

const storedFolders: DueRows = {
  name: 'folders of deleted folders',
  table: folders,
  keys: [folders.workspaceId, folders.parentFolderId, folders.id],
  age: folders.createdAt,
  condition: sql`${folders.parentFolderId} = ANY(ARRAY(${deletedFolders}))`,
}

// Arrays: a cluster joins no catalogue table with all nodes to leave something out.
const emptyFolders: DueRows = {
  name: 'deleted folders',
  table: folders,
  keys: [folders.id],
  age: folders.createdAt,
  condition: sql`${folders.deletedAt} IS NOT NULL AND ${folders.id} = ANY(ARRAY(${deletedFolders}))
    AND NOT ${folders.id} = ANY(ARRAY(
      SELECT stored.folder_id FROM ${bots} stored WHERE stored.folder_id = ANY(ARRAY(${deletedFolders}))))
    AND NOT ${folders.id} = ANY(ARRAY(
      SELECT stored.parent_folder_id FROM ${folders} stored WHERE stored.parent_folder_id = ANY(ARRAY(${deletedFolders}))))`,
}

/**
 * Moves a batch of the contents of deleted folders, or removes a batch of the folders; true while there may be more.
 */
export async function moveFromDeletedFolders(db: Database, now: Date): Promise<boolean> {
  const steps = [
    () => removeDue(db, storedBots, NO_AGE, (tx, keys) => moveBots(tx, keys, now)),
    () => removeDue(db, storedFolders, NO_AGE, moveFolders),
    () => removeDue(db, emptyFolders, NO_AGE),
  ]
  // A bot that cannot be moved does not stop the others, nor the deletion of empty folders.
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      if (await step()) return true
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return false
}

async function moveBots(tx: Transaction, keys: readonly Key[], now: Date) {
  for (const { folderId, parentFolderId, ids, workspaceId } of await destinations(tx, keys)) {
    // A new revision of each, or an update that began before would put it back.
    const moved = await tx
      .update(bots)
      .set({ folderId: parentFolderId, revision: sql`${bots.revision} + 1` })
      .where(and(inArray(bots.id, ids), eq(bots.folderId, folderId)))
      .returning(botColumns)
    const [watching] = await tx
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.workspaceId, workspaceId), eq(webhookEndpoints.isEnabled, true)))
      .limit(1)
    if (!watching) continue
    for (const bot of moved)
      if (bot.deletedAt === null) await insertEvent(tx, botEvent('bot.updated', bot), now)
  }
}

async function moveFolders(tx: Transaction, keys: readonly Key[]) {
  for (const { folderId, parentFolderId, ids } of await destinations(tx, keys)) {
    await tx
      .update(folders)
      .set({ parentFolderId })
      .where(and(inArray(folders.id, ids), eq(folders.parentFolderId, folderId)))
  }
}

/** The deleted folders in keys of workspace, folder and id, each with its parent and the ids to move there. */
async function destinations(tx: Transaction, keys: readonly Key[]) {
  const found = []
  for (const workspaceId of [...new Set(keys.map(([workspaceId]) => workspaceId as string))].sort()) {
    // As moves and deletions of folders do, so that the parent does not change.
    if (!(await holdWorkspace(tx, workspaceId, 'no key update'))) continue
    const ofWorkspace = keys.filter(([id]) => id === workspaceId)
    const rows = await selectRows(
      tx,
      { folderId: folders.id, parentFolderId: folders.parentFolderId },
      (list) => sql`
        SELECT ${list} FROM ${folders}
        WHERE id = ANY(${sql.param(ofWorkspace.map(([, folderId]) => folderId))}) AND deleted_at IS NOT NULL`,
    )
    for (const row of rows) {
      const ids = ofWorkspace.flatMap(([, folderId, id]) => (folderId === row.folderId ? (id as string) : []))
      found.push({ ...row, workspaceId, ids })
    }
  }
  return found
}
