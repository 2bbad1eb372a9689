import { and, desc, eq, isNull } from 'drizzle-orm'
import type { TokensHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { insertToken, type TokenRow } from '../access/tokens.ts'
import type { Contexts } from '../context.ts'
import { apiTokens as table } from '../db/schema.ts'

const columns = {
  id: table.id,
  name: table.name,
  hint: table.hint,
  createdAt: table.createdAt,
  expiresAt: table.expiresAt,
  lastUsedOn: table.lastUsedOn,
}

export const tokens: TokensHandlers<Contexts> = {
  async listTokens(_request, reply, { db, grant }) {
    const rows = await db
      .select(columns)
      .from(table)
      .where(and(eq(table.ownerUserId, grant.caller.userId), isNull(table.revokedAt)))
      .orderBy(desc(table.createdAt), desc(table.id))
    return reply.ok({ apiTokens: rows.map(toApiToken) })
  },

  async createToken({ body }, reply, { db, grant, now }) {
    const { token, row } = await insertToken(db, grant.caller.userId, body.name, body.expiresInDays, now)
    return reply.ok({ apiToken: { ...toApiToken(row), token } })
  },

  async revokeToken({ params }, reply, { db, grant, now }) {
    const [row] = await db
      .update(table)
      .set({ revokedAt: now })
      .where(
        and(
          eq(table.id, params.tokenId),
          eq(table.ownerUserId, grant.caller.userId),
          isNull(table.revokedAt),
        ),
      )
      .returning(columns)
    return row ? reply.ok({ apiToken: toApiToken(row) }) : reply.fail('NOT_FOUND')
  },
}

function toApiToken(row: TokenRow): components['schemas']['ApiToken'] {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedOn && `${row.lastUsedOn}T00:00:00.000Z`,
  }
}
