import type { Database, Transaction } from '../db/client.ts'
import { apiTokens as table } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { createToken } from './authenticate.ts'

export type TokenRow = Omit<typeof table.$inferSelect, 'tokenHash' | 'ownerUserId' | 'revokedAt'>

const DAY = 24 * 60 * 60 * 1000

/** Creates a token of a user and stores its digest; the token itself is only returned. */
export async function insertToken(
  db: Database | Transaction,
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
