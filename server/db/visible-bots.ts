import { type Column, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { bots, folders, workspaces } from './schema.ts'

/*
 * A deleted folder is only marked in the request, regardless of its size. Until a job has moved its rows, every read
 * skips it: its contents are shown in its parent.
 */

/** The folder that callers see in place of the one in a column: the parent of a deleted one, null at the top level. */
export const shownFolderId = (column: Column): SQL => sql`(
  SELECT CASE WHEN stored.deleted_at IS NULL THEN stored.id ELSE stored.parent_folder_id END
  FROM ${folders} stored WHERE stored.id = ${column})`

/**
 * Contents of a folder, as two conditions on the column with the stored folder; null is the top level, and a deleted
 * folder has no contents. `usual` reads an index in its order, and finds no rows while a deleted folder has rows to be
 * shown there. `always` finds all.
 */
export function shownIn(
  column: Column,
  workspaceId: unknown,
  parentId: unknown,
): { usual: SQL; always: SQL } {
  const selectDeleted = (condition: SQL) => sql`
    SELECT deleted.id FROM ${folders} deleted
    WHERE deleted.workspace_id = ${workspaceId} AND deleted.deleted_at IS NOT NULL AND ${condition}`
  // The second half of `usual` is never true: on PostgreSQL 15 and 16, a cluster takes no condition without a column
  // beside an outer join.
  if (parentId === null) {
    const within = selectDeleted(sql`deleted.parent_folder_id IS NULL`)
    return {
      usual: sql`${column} IS NULL AND (NOT EXISTS (${within}) OR ${column} IS NOT NULL)`,
      always: sql`(${column} IS NULL OR ${column} = ANY(ARRAY(${within})))`,
    }
  }
  const within = sql`deleted.parent_folder_id = ${parentId}`
  const itself = sql`deleted.id = ${parentId}`
  return {
    usual: sql`${column} = ${parentId}
      AND (NOT EXISTS (${selectDeleted(sql`(${within} OR ${itself})`)}) OR ${column} IS NULL)`,
    always: sql`(${column} = ${parentId} AND NOT EXISTS (${selectDeleted(itself)})
      OR ${column} = ANY(ARRAY(${selectDeleted(within)})))`,
  }
}

/**
 * True of a bot that callers can see: neither it nor its workspace is deleted. `bot`: its name in the statement. Not
 * EXISTS, of which the planner would make a join.
 */
export const isBotVisible = (bot: SQL = sql`${bots}`): SQL => sql`(${bot}.deleted_at IS NULL AND (
  SELECT home.deleted_at IS NULL FROM ${workspaces} home WHERE home.id = ${bot}.workspace_id))`

/** The columns of a bot as callers see it. */
export const botColumns = {
  ...getTableColumns(bots),
  folderId: sql<string | null>`${shownFolderId(bots.folderId)}`.as('folder_id'),
}
