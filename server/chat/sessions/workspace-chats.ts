import { sql } from 'drizzle-orm'
import type { ListWorkspaceChats } from '../../../generated/handlers.ts'
import type { WorkspaceGrant } from '../../access/index.ts'
import { type Database, statements } from '../../db/client.ts'
import type { Position } from '../../db/page.ts'
import { bots, chatSessions as table } from '../../db/schema.ts'
import { prepareSelect, type RowOf } from '../../db/typed-select.ts'
import { isBotVisible } from '../../db/visible-bots.ts'
import { isResultVisible } from '../../db/visible-results.ts'
import { byRank, isAfterRank, rankColumn } from './handled-order.ts'
import { createChatShape } from './update-session.ts'

/* Lists the chats of all bots of a workspace that people handle. */

const shape = {
  ...createChatShape(sql`${table.botId}`),
  rank: rankColumn,
  botId: table.botId,
  botName: bots.name,
}

const workspaceStatements = statements((db, named) => ({
  // By the index of the chats that people handle, which are few.
  page: prepareSelect(
    db,
    named('chat_workspace_page'),
    shape,
    (list) => sql`SELECT ${list} FROM ${table} JOIN ${bots} ON ${bots.id} = ${table.botId}
      WHERE ${bots.workspaceId} = ${sql.placeholder('workspaceId')} AND ${isBotVisible()}
        AND ${table.handledBy} = ANY(${sql.placeholder('handlers')}::text[])
        AND ${table.assigneeId} IS NOT DISTINCT FROM coalesce(${sql.placeholder('assigneeId')}::text, ${table.assigneeId})
        AND ${table.endedAt} IS NULL AND ${table.state} IS NOT NULL AND ${table.resultId} IS NOT NULL
        AND ${table.expiresAt} > ${sql.placeholder('now')}::timestamptz
        AND ${isResultVisible(sql`${table.botId}`, sql`${table.resultId}`)}
        AND ${isAfterRank}
      ORDER BY ${byRank} LIMIT ${sql.placeholder('limit')}`,
  ),
}))

/** Returns the chats of the granted workspace that people handle, after a position, in their order. */
export function workspaceChatPage(
  db: Database,
  { workspace }: WorkspaceGrant,
  now: Date,
  { createdAt, id }: Position,
  { limit, handledBy, assigneeId }: Omit<ListWorkspaceChats['query'], 'limit'> & { limit: number },
): Promise<RowOf<typeof shape>[]> {
  return workspaceStatements(db).page({
    workspaceId: workspace.id,
    handlers: handledBy === undefined ? ['waiting', 'member'] : [handledBy],
    assigneeId: assigneeId ?? null,
    now: now.toISOString(),
    rank: createdAt.getTime(),
    id,
    limit,
  })
}
