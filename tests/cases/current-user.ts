import { expect } from '@jest/globals'
import { type Cases, limited } from '../support/cases.ts'

export const currentUser: Cases<'currentUser'> = {
  getCurrentUser: {
    needs: 'token',
    ok: {
      'with every role': async ({ here, there }, { client }) => {
        const { admin, workspaceId } = here
        const params = { workspaceId: there.workspaceId }
        const body = { email: admin.email, role: 'GUEST' as const }
        await client.ok('addMember', { as: there.admin, params, body })
        return {
          as: admin,
          after: ({ body }) =>
            expect(body).toMatchObject({
              user: { id: admin.id, email: admin.email, name: 'Ada', image: null },
              token: {
                id: admin.tokenId,
                scopes: ['read', 'write', 'results', 'chat-admin'],
                expiresAt: null,
              },
              workspaces: [
                { id: workspaceId, name: 'Site', role: 'ADMIN' },
                { id: there.workspaceId, name: 'Site', role: 'GUEST' },
              ],
            }),
        }
      },
      'by a token of any scope, bound to one of two workspaces': async ({ here }, app) => {
        const { admin, workspaceId } = here
        await app.client.ok('createWorkspace', { as: admin, body: { name: 'Own' } })
        const limits = { scopes: ['results' as const], workspaceId }
        const as = await limited(app, admin, limits)
        return {
          as,
          after: ({ body }) =>
            expect(body).toMatchObject({
              user: { id: admin.id },
              token: { name: 'Limited', expiresSoon: false, ...limits },
              workspaces: [{ id: workspaceId, role: 'ADMIN' }],
            }),
        }
      },
      'without a role, and without workspaces that were deleted': async ({ here, stranger }, { client }) => {
        const { workspace } = await client.ok('createWorkspace', { as: stranger, body: { name: 'Own' } })
        await client.ok('deleteWorkspace', { as: stranger, params: { workspaceId: workspace.id } })
        return {
          as: stranger,
          after: ({ body, text }) => {
            expect(body.workspaces).toEqual([])
            expect(text).not.toContain(here.workspaceId)
            expect(text).not.toContain(stranger.token)
          },
        }
      },
    },
    BAD_REQUEST: ({ stranger }) => ({ as: stranger, query: { user: 'me' }, at: 'query.user' }),
  },
}
