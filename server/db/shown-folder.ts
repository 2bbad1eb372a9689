import { type Column, type SQL, sql } from 'drizzle-orm'
import { folders } from './schema.ts'

/*
 * A deleted folder is only marked in the request, however much it holds. Until a job has moved its rows, every read goes
 * past it: what is stored in it is shown in its parent.
 */

/** The folder that callers see in place of the one in a column: the parent of a deleted one, null at the top level. */
export const shownFolderId = (column: Column): SQL => sql`(
  SELECT CASE WHEN place.deleted_at IS NULL THEN place.id ELSE place.parent_folder_id END
  FROM ${folders} place WHERE place.id = ${column})`

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
  if (parentId === null) {
    const within = selectDeleted(sql`deleted.parent_folder_id IS NULL`)
    return {
      usual: sql`${column} IS NULL AND NOT EXISTS (${within})`,
      always: sql`(${column} IS NULL OR ${column} = ANY(ARRAY(${within})))`,
    }
  }
  const within = sql`deleted.parent_folder_id = ${parentId}`
  const itself = sql`deleted.id = ${parentId}`
  return {
    usual: sql`${column} = ${parentId} AND NOT EXISTS (${selectDeleted(sql`(${within} OR ${itself})`)})`,
    always: sql`(${column} = ${parentId} AND NOT EXISTS (${selectDeleted(itself)})
      OR ${column} = ANY(ARRAY(${selectDeleted(within)})))`,
  }
}
