import { expect } from '@jest/globals'
import { type Cases, limited, missingId } from '../support/cases.ts'
import { anyBody, type BodyOf } from '../support/client.ts'

const everything = ['read', 'write', 'results', 'chat-admin']

export const tokens: Cases<'tokens'> = {
  listTokens: {
    needs: 'token',
    ok: {
      'newest first': async ({ stranger }, { client }) => {
        const { apiToken } = await client.ok('createToken', { as: stranger, body: { name: 'Newer' } })
        return {
          as: stranger,
          after: ({ body, text }) => {
            expect(body.apiTokens).toMatchObject([
              { id: apiToken.id, name: 'Newer' },
              { id: stranger.tokenId },
            ])
            expect(text).not.toContain(apiToken.token)
            expect(text).not.toContain(stranger.token)
          },
        }
      },
      'those that can be limited say how, and those that are about to end say so': async (
        { here },
        { client },
      ) => {
        const { admin, workspaceId } = here
        const make = (body: BodyOf<'createToken'>) => client.ok('createToken', { as: admin, body })
        await make({ name: 'Soon', expiresInDays: 6 })
        await make({ name: 'Later', expiresInDays: 8, scopes: ['results', 'read', 'read'], workspaceId })
        return {
          as: admin,
          after: ({ body }) =>
            expect(body.apiTokens).toMatchObject([
              { name: 'Later', expiresSoon: false, scopes: ['read', 'results'], workspaceId },
              { name: 'Soon', expiresSoon: true, scopes: everything, workspaceId: null },
              { id: admin.tokenId, expiresSoon: false, scopes: everything, workspaceId: null },
            ]),
        }
      },
      'of one workspace, with a token that is bound to it': async ({ here }, app) => {
        const { apiToken } = await app.client.ok('createToken', {
          as: here.admin,
          body: { name: 'Bound', workspaceId: here.workspaceId },
        })
        return {
          as: await limited(app, here.admin, { workspaceId: here.workspaceId, scopes: ['read'] }),
          after: ({ body }) =>
            expect(body.apiTokens).toMatchObject([{ name: 'Limited' }, { id: apiToken.id }]),
        }
      },
    },
    BAD_REQUEST: {
      'an unknown parameter': ({ stranger }) => ({ as: stranger, query: { token: 'x' }, at: 'query.token' }),
      'a cursor of another user': async ({ stranger, here }, { client }) => {
        await client.ok('createToken', { as: stranger, body: { name: 'Newer' } })
        const { nextCursor } = await client.ok('listTokens', { as: stranger, query: { limit: 1 } })
        expect(nextCursor).not.toBeNull()
        const second = { as: stranger, query: { limit: 1, cursor: nextCursor ?? '' } }
        const { apiTokens, nextCursor: end } = await client.ok('listTokens', second)
        expect([apiTokens.map(({ id }) => id), end]).toEqual([[stranger.tokenId], null])
        return { as: here.admin, query: { cursor: nextCursor ?? '' }, at: 'query.cursor' }
      },
    },
    FORBIDDEN: async ({ stranger }, app) => ({
      as: await limited(app, stranger, { scopes: ['write', 'results', 'chat-admin'] }),
      at: 'header.authorization',
    }),
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
      'that is as limited as the one it is asked with': async ({ here }, app) => {
        const limits = { scopes: ['read', 'write'], workspaceId: here.workspaceId } as const
        return {
          as: await limited(app, here.admin, { ...limits, scopes: [...limits.scopes] }),
          body: { name: 'The next one' },
          after: ({ body }) => expect(body.apiToken).toMatchObject(limits),
        }
      },
      'that is more limited': async ({ here }, app) => ({
        as: await limited(app, here.admin, { scopes: ['results', 'write'] }),
        body: { name: 'Less', scopes: ['results'], workspaceId: here.workspaceId },
        after: ({ body }) =>
          expect(body.apiToken).toMatchObject({ scopes: ['results'], workspaceId: here.workspaceId }),
      }),
    },
    BAD_REQUEST: {
      'without a name': ({ stranger }) => ({ as: stranger, body: anyBody({}), at: 'body.name' }),
      'that never was valid': ({ stranger }) => ({
        as: stranger,
        body: { name: 'Nightly export', expiresInDays: 0 },
        at: 'body.expiresInDays',
      }),
      'with a scope that does not exist': ({ stranger }) => ({
        as: stranger,
        body: anyBody({ name: 'Nightly export', scopes: ['read', 'admin'] }),
        at: 'body.scopes.1',
      }),
      'that can do nothing': ({ stranger }) => ({
        as: stranger,
        body: { name: 'Nightly export', scopes: [] },
        at: 'body.scopes',
      }),
      'bound to a workspace of others': ({ here, there }) => ({
        as: here.admin,
        body: { name: 'Nightly export', workspaceId: there.workspaceId },
        at: 'body.workspaceId',
      }),
      'bound to a workspace that is not there': ({ here }) => ({
        as: here.admin,
        body: { name: 'Nightly export', workspaceId: missingId },
        at: 'body.workspaceId',
      }),
    },
    FORBIDDEN: {
      'that can do more': async ({ stranger }, app) => ({
        as: await limited(app, stranger, { scopes: ['write', 'read'] }),
        body: { name: 'More', scopes: ['write', 'results'] },
        at: 'body.scopes.1',
      }),
      'for another workspace': async ({ here }, app) => {
        const { workspace } = await app.client.ok('createWorkspace', {
          as: here.admin,
          body: { name: 'Own' },
        })
        return {
          as: await limited(app, here.admin, { workspaceId: here.workspaceId }),
          body: { name: 'More', workspaceId: workspace.id },
          at: 'body.workspaceId',
        }
      },
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
      'one that is bound to the same workspace': async ({ here }, app) => {
        const limits = { workspaceId: here.workspaceId }
        const { apiToken } = await app.client.ok('createToken', {
          as: here.admin,
          body: { name: 'Bound', ...limits },
        })
        return { as: await limited(app, here.admin, limits), params: { tokenId: apiToken.id } }
      },
    },
    FORBIDDEN: async ({ stranger }, app) => ({
      as: await limited(app, stranger, { scopes: ['read'] }),
      params: { tokenId: stranger.tokenId },
      at: 'header.authorization',
    }),
    BAD_REQUEST: ({ stranger }) => ({
      as: stranger,
      params: { tokenId: '~' },
      at: 'path.tokenId',
    }),
    NOT_FOUND: {
      'one that never was': ({ stranger }) => ({ as: stranger, params: { tokenId: missingId } }),
      'one of another user': ({ here, stranger }) => ({
        as: stranger,
        params: { tokenId: here.admin.tokenId },
      }),
      'one that is not bound, by one that is': async ({ here }, app) => ({
        as: await limited(app, here.admin, { workspaceId: here.workspaceId }),
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
