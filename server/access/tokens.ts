import { and, eq, isNull, sql } from 'drizzle-orm'
import { scopes as allScopes, type Scope } from '../../contract/operation.ts'
import { expiresSoon } from '../../contract/tokens.ts'
import type { components } from '../../generated/openapi.ts'
import { type AuditAction, tokenEntries } from '../audit/log.ts'
import { type Database, transact } from '../db/client.ts'
import { after, newestFirst, type Position } from '../db/page.ts'
import { apiTokens as table, users, workspaceMembers } from '../db/schema.ts'
import { MS_PER_DAY } from '../durations.ts'
import { newId } from '../ids.ts'
import { createToken } from './bearer-tokens.ts'
import type { UserGrant } from './index.ts'

/** All but the digest. */
export const tokenColumns = {
  id: table.id,
  name: table.name,
  hint: table.hint,
  createdAt: table.createdAt,
  expiresAt: table.expiresAt,
  scopes: table.scopes,
  workspaceId: table.workspaceId,
  lastUsedOn: table.lastUsedOn,
}

export type TokenRow = Pick<typeof table.$inferSelect, keyof typeof tokenColumns>

export interface TokenWish {
  userId: string
  name: string
  /** Undefined for one that does not end. */
  expiresInDays?: number
  /** Null for one that can do everything. */
  scopes: readonly Scope[] | null
  /** Null for one that is bound to none. */
  workspaceId: string | null
}

/**
 * Creates a token of a user and stores its digest; the token itself is only returned. Undefined when the user is
 * disabled.
 */
export async function insertToken(
  db: Database,
  { userId, name, expiresInDays, scopes, workspaceId }: TokenWish,
  deed: AuditAction,
  now: Date,
): Promise<{ token: string; row: TokenRow } | undefined> {
  const { token, hash, hint } = createToken()
  const row = {
    id: newId(now),
    name,
    hint,
    createdAt: now,
    expiresAt: expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * MS_PER_DAY),
    scopes: scopes && [...scopes],
    workspaceId,
    lastUsedOn: null,
  }
  // Disabling the user waits for this row and then revokes the token. On a cluster the two statements may deadlock; the
  // one that is aborted is retried.
  const statement = sql`
    WITH made AS (
    INSERT INTO ${table} (id, token_hash, owner_user_id, name, hint, expires_at, scopes, workspace_id, created_at)
    SELECT ${row.id}, ${hash}::bytea, id, ${name}, ${hint}, ${row.expiresAt?.toISOString() ?? null}::timestamptz,
      ${sql.param(row.scopes)}::text[], ${workspaceId}, ${now.toISOString()}::timestamptz
    FROM ${users} WHERE id = ${userId} AND disabled_at IS NULL FOR KEY SHARE
    RETURNING id, owner_user_id, workspace_id
    ), entries AS (${tokenEntries(deed, sql`made`, now)})
    SELECT id FROM made`
  const { rowCount } = await transact(db, (tx) => tx.execute(statement))
  return rowCount === 1 ? { token, row } : undefined
}

/** A token that is bound to a workspace sees only tokens bound to the same one. */
function isVisibleTo({ caller }: UserGrant) {
  const { userId, boundTo } = caller
  const inReach = boundTo === null ? undefined : eq(table.workspaceId, boundTo)
  return and(
    eq(table.ownerUserId, userId),
    isNull(table.revokedAt),
    // Those of pages are listed by their browser session.
    isNull(table.browserSessionId),
    inReach,
  )
}

/** The tokens of the caller that are not revoked after a position, newest first. */
export function tokenPage(
  db: Database,
  grant: UserGrant,
  position: Position,
  limit: number,
): Promise<TokenRow[]> {
  return db
    .select(tokenColumns)
    .from(table)
    .where(and(isVisibleTo(grant), after(table.createdAt, table.id, position)))
    .orderBy(...newestFirst(table.createdAt, table.id))
    .limit(limit)
}

/** True if a user has a role in a workspace, whatever the scopes of their tokens. */
export async function isMember(db: Database, userId: string, workspaceId: string): Promise<boolean> {
  const [row] = await db
    .select({ role: workspaceMembers.role })
    .from(workspaceMembers)
    .where(and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.userId, userId)))
  return row !== undefined
}

/** Revokes a token of the caller; undefined where there is none, or it was revoked before. */
export async function revokeToken(
  db: Database,
  grant: UserGrant,
  tokenId: string,
  now: Date,
): Promise<TokenRow | undefined> {
  const revocation = db.$with('revoked').as(
    db
      .update(table)
      .set({ revokedAt: now })
      .where(and(eq(table.id, tokenId), isVisibleTo(grant)))
      .returning({ ...tokenColumns, ownerUserId: table.ownerUserId }),
  )
  const deed = { by: grant.caller, operation: 'revokeToken' } as const
  const entries = db.$with('entries', {}).as(tokenEntries(deed, sql`revoked`, now))
  const [row] = await db.with(revocation, entries).select().from(revocation)
  return row
}

/** A token as responses show it. */
export function toApiToken(row: TokenRow, now: Date): components['schemas']['ApiToken'] {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    expiresSoon: expiresSoon(row.expiresAt, now),
    scopes: row.scopes ?? [...allScopes],
    workspaceId: row.workspaceId,
    lastUsedAt: row.lastUsedOn && `${row.lastUsedOn}T00:00:00.000Z`,
  }
}
