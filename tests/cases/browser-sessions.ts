import { expect } from '@jest/globals'
import { type Cases, limited, missingId } from '../support/cases.ts'
import { pageTokenOf, signIn } from '../support/sign-in.ts'

export const browserSessions: Cases<'browserSessions'> = {
  listBrowserSessions: {
    needs: 'token',
    ok: {
      'newest first, by a page of one of them': async ({ stranger, here }, app) => {
        const { cookie } = await signIn(app, stranger, 'Phone')
        await signIn(app, stranger, 'Desk')
        await signIn(app, here.admin)
        return {
          as: await pageTokenOf(app, cookie),
          after: async ({ body, text }) => {
            expect(body).toMatchObject({
              browserSessions: [
                { userAgent: 'Desk', isCurrent: false },
                { userAgent: 'Phone', isCurrent: true, lastUsedAt: '2026-03-10T00:00:00.000Z' },
              ],
              nextCursor: null,
            })
            expect(text).not.toContain(cookie)
            // Tokens of pages are not among those that the user created.
            const { apiTokens } = await app.client.ok('listTokens', { as: stranger })
            expect(apiTokens).toMatchObject([{ id: stranger.tokenId }])
          },
        }
      },
      'none, and none that has ended': async ({ stranger }, app) => {
        await signIn(app, stranger)
        await app.pool.query('UPDATE browser_sessions SET expires_at = created_at')
        return { as: stranger, after: ({ body }) => expect(body.browserSessions).toEqual([]) }
      },
    },
    BAD_REQUEST: ({ stranger }) => ({ as: stranger, query: { limit: 0 }, at: 'query.limit' }),
    FORBIDDEN: {
      'with a token that is bound to a workspace': async ({ here }, app) => ({
        as: await limited(app, here.admin, { workspaceId: here.workspaceId }),
        at: 'header.authorization',
      }),
      'with a token that may not read': async ({ stranger }, app) => ({
        as: await limited(app, stranger, { scopes: ['write'] }),
        at: 'header.authorization',
      }),
    },
  },

  revokeBrowserSession: {
    needs: 'token',
    ok: {
      'another one, with the tokens of its pages': async ({ stranger }, app) => {
        const { cookie } = await signIn(app, stranger, 'Lost phone')
        const page = await pageTokenOf(app, cookie)
        const { browserSessions } = await app.client.ok('listBrowserSessions', { as: stranger })
        return {
          as: stranger,
          params: { browserSessionId: browserSessions[0]?.id as string },
          after: async ({ body }) => {
            expect(body.browserSession).toMatchObject({ userAgent: 'Lost phone', isCurrent: false })
            expect((await app.client.call('getCurrentUser', { as: page })).status).toBe(401)
            await expect(pageTokenOf(app, cookie)).rejects.toThrow()
          },
        }
      },
      'its own': async ({ stranger }, app) => {
        const { cookie } = await signIn(app, stranger)
        const as = await pageTokenOf(app, cookie)
        const { browserSessions } = await app.client.ok('listBrowserSessions', { as })
        return {
          as,
          params: { browserSessionId: browserSessions[0]?.id as string },
          after: async ({ body }) => {
            expect(body.browserSession.isCurrent).toBe(true)
            expect((await app.client.call('getCurrentUser', { as })).status).toBe(401)
          },
        }
      },
    },
    BAD_REQUEST: ({ stranger }) => ({
      as: stranger,
      params: { browserSessionId: '~' },
      at: 'path.browserSessionId',
    }),
    FORBIDDEN: async ({ here }, app) => ({
      as: await limited(app, here.admin, { workspaceId: here.workspaceId }),
      params: { browserSessionId: missingId },
      at: 'header.authorization',
    }),
    NOT_FOUND: {
      'one that never was': ({ stranger }) => ({ as: stranger, params: { browserSessionId: missingId } }),
      'one of another user': async ({ stranger, here }, app) => {
        await signIn(app, stranger)
        const { browserSessions } = await app.client.ok('listBrowserSessions', { as: stranger })
        return { as: here.admin, params: { browserSessionId: browserSessions[0]?.id as string } }
      },
    },
  },
}
