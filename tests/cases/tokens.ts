import { expect } from '@jest/globals'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'

export const tokens: Cases<'tokens'> = {
  listTokens: {
    needs: 'token',
    ok: async ({ stranger }, { client }) => {
      const { apiToken } = await client.ok('createToken', { as: stranger, body: { name: 'Newer' } })
      return {
        as: stranger,
        after: ({ body, text }) => {
          expect(body.apiTokens).toMatchObject([{ id: apiToken.id, name: 'Newer' }, { id: stranger.tokenId }])
          expect(text).not.toContain(apiToken.token)
          expect(text).not.toContain(stranger.token)
        },
      }
    },
    BAD_REQUEST: ({ stranger }) => ({ as: stranger, query: { token: 'x' }, at: 'query.token' }),
  },

  createToken: {
    needs: 'token',
    ok: {
      'that lasts': ({ stranger }, { client }) => ({
        as: stranger,
        body: { name: 'Nightly export' },
        after: async ({ body, headers }) => {
          const { apiToken } = body
          expect(headers.location).toBe(`/v1/users/me/tokens/${apiToken.id}`)
          expect(apiToken).toMatchObject({ name: 'Nightly export', expiresAt: null, lastUsedAt: null })
          expect(apiToken.token.endsWith(apiToken.hint)).toBe(true)
          const { apiTokens } = await client.ok('listTokens', { as: apiToken })
          expect(apiTokens[0]).toMatchObject({ id: apiToken.id, lastUsedAt: '2026-03-10T00:00:00.000Z' })
        },
      }),
      'that expires': ({ stranger }) => ({
        as: stranger,
        body: { name: 'Nightly export', expiresInDays: 90 },
        after: ({ body }) => {
          const { createdAt, expiresAt } = body.apiToken
          expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(90 * 24 * 60 * 60 * 1000)
        },
      }),
    },
    BAD_REQUEST: {
      'without a name': ({ stranger }) => ({ as: stranger, body: anyBody({}), at: 'body.name' }),
      'that never was valid': ({ stranger }) => ({
        as: stranger,
        body: { name: 'Nightly export', expiresInDays: 0 },
        at: 'body.expiresInDays',
      }),
    },
  },

  revokeToken: {
    needs: 'token',
    ok: {
      'another one, effective at once': async ({ stranger }, { client }) => {
        const { apiToken } = await client.ok('createToken', { as: stranger, body: { name: 'Other' } })
        return {
          as: stranger,
          params: { tokenId: apiToken.id },
          after: async ({ body, text }) => {
            expect(body.apiToken).toMatchObject({ id: apiToken.id, name: 'Other' })
            expect(text).not.toContain(apiToken.token)
            expect((await client.call('listTokens', { as: apiToken })).status).toBe(401)
          },
        }
      },
      itself: ({ stranger }, { client }) => ({
        as: stranger,
        params: { tokenId: stranger.tokenId },
        after: async () => {
          expect((await client.call('listWorkspaces', { as: stranger })).status).toBe(401)
        },
      }),
    },
    BAD_REQUEST: ({ stranger }) => ({
      as: stranger,
      params: { tokenId: '~' },
      at: 'path.tokenId',
    }),
    NOT_FOUND: {
      'one that never was': ({ stranger }) => ({ as: stranger, params: { tokenId: missingId } }),
      'one of somebody else': ({ here, stranger }) => ({
        as: stranger,
        params: { tokenId: here.admin.tokenId },
      }),
      'one that was revoked before': async ({ stranger }, { client }) => {
        const { apiToken } = await client.ok('createToken', { as: stranger, body: { name: 'Other' } })
        const params = { tokenId: apiToken.id }
        await client.ok('revokeToken', { as: stranger, params })
        return { as: stranger, params }
      },
    },
  },
}
