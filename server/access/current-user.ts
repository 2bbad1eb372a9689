import { eq, sql } from 'drizzle-orm'
import { MAX_LISTED_MEMBERSHIPS } from '../../contract/current-user.ts'
import type { Database } from '../db/client.ts'
import { apiTokens, users } from '../db/schema.ts'
import { JsonText } from '../kit/json/json-text.ts'
import type { UserGrant } from './index.ts'
import { tokenColumns } from './tokens.ts'

/** The user of a token, the token, and the roles of the user; in one statement. */
export async function findCurrentUser(db: Database, { caller }: UserGrant) {
  const { boundTo } = caller
  const workspaces = sql<string | Buffer>`(
    SELECT coalesce(json_agg(json_build_object('id', m.id, 'name', m.name, 'role', m.role)), '[]') FROM (
      SELECT w.id, w.name, m.role
      FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id AND w.deleted_at IS NULL
      WHERE m.user_id = ${users.id} AND ${boundTo === null ? sql`true` : sql`w.id = ${boundTo}`}
      ORDER BY m.created_at, w.id LIMIT ${MAX_LISTED_MEMBERSHIPS}) m)`
  const [row] = await db
    .select({
      user: { id: users.id, email: users.email, name: users.name, image: users.image },
      token: tokenColumns,
      workspaces,
    })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.ownerUserId))
    .where(eq(apiTokens.id, caller.tokenId))
  return row && { ...row, workspaces: new JsonText(row.workspaces) }
}
