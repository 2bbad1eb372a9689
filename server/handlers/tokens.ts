import type { TokensHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { insertToken, revokeToken, type TokenRow, tokensOf } from '../access/tokens.ts'
import type { Contexts } from '../context.ts'

export const tokens: TokensHandlers<Contexts> = {
  async listTokens(_request, reply, { db, grant }) {
    const rows = await tokensOf(db, grant)
    return reply.ok({ apiTokens: rows.map(toApiToken) })
  },

  async createToken({ body }, reply, { db, grant, now }) {
    const { token, row } = await insertToken(db, grant.caller.userId, body.name, body.expiresInDays, now)
    return reply.ok({ apiToken: { ...toApiToken(row), token } })
  },

  async revokeToken({ params }, reply, { db, grant, now }) {
    const row = await revokeToken(db, grant, params.tokenId, now)
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
