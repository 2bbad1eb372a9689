import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { newestFirst } from '../db/page.ts'
import { apiTokens as table } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { createToken } from './authenticate.ts'
import type { UserGrant } from './index.ts'

/** All but the digest. */
const columns = {
  id: table.id,
  name: table.name,
  hint: table.hint,
  createdAt: table.createdAt,
  expiresAt: table.expiresAt,
  lastUsedOn: table.lastUsedOn,
}

export type TokenRow = Pick<typeof table.$inferSelect, keyof typeof columns>

const DAY = 24 * 60 * 60 * 1000

/** Creates a token of a user and stores its digest; the token itself is only returned. */
export async function insertToken(
  db: Database,
  userId: string,
  name: string,
  expiresInDays: number | undefined,
  now: Date,
): Promise<{ token: string; row: TokenRow }> {
  const { token, hash, hint } = createToken()
  const row = {
    id: newId(now),
    name,
    hint,
    createdAt: now,
    expiresAt: expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * DAY),
    lastUsedOn: null,
  }
  await db.insert(table).values({ ...row, tokenHash: hash, ownerUserId: userId })
  return { token, row }
}

/** The tokens of the caller that are not revoked, newest first. */
export function tokensOf(db: Database, { caller }: UserGrant): Promise<TokenRow[]> {
  return db
    .select(columns)
    .from(table)
    .where(and(eq(table.ownerUserId, caller.userId), isNull(table.revokedAt)))
    .orderBy(...newestFirst(table.createdAt, table.id))
}

/** Revokes a token of the caller; undefined where there is none, or it was revoked before. */
export async function revokeToken(
  db: Database,
  { caller }: UserGrant,
  tokenId: string,
  now: Date,
): Promise<TokenRow | undefined> {
  const [row] = await db
    .update(table)
    .set({ revokedAt: now })
    .where(and(eq(table.id, tokenId), eq(table.ownerUserId, caller.userId), isNull(table.revokedAt)))
    .returning(columns)
  return row
}
