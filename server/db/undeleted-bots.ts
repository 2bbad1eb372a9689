import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { bots, workspaces } from './schema.ts'
import { shownFolderId } from './shown-folder.ts'

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
