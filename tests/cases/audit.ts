import { expect } from '@jest/globals'
import { type Cases, missingId } from '../support/cases.ts'

export const audit: Cases<'audit'> = {
  listAuditLog: {
    needs: 'ADMIN',
    ok: {
      'newest first, page by page': async ({ here, there, stranger }, { client, clock }) => {
        const { admin: as, workspaceId } = here
        const params = { workspaceId }
        await client.ok('addMember', { as, params, body: { email: stranger.email, role: 'GUEST' } })
        clock.advance(1)
        const member = { ...params, userId: stranger.id }
        await client.ok('updateMember', { as, params: member, body: { role: 'ADMIN' } })
        clock.advance(1)
        await client.ok('removeMember', { as: stranger, params: member })
        await client.ok('updateWorkspace', {
          as: there.admin,
          params: { workspaceId: there.workspaceId },
          body: { name: 'Theirs' },
        })
        return {
          as,
          params,
          query: { limit: 2 },
          after: async ({ body }) => {
            const { entries, nextCursor: cursor } = body
            const next = await client.ok('listAuditLog', { as, params, query: { limit: 2, cursor } })
            expect(next.nextCursor).toBeNull()
            expect([...entries, ...next.entries]).toMatchObject([
              {
                userId: stranger.id,
                email: stranger.email,
                tokenId: stranger.tokenId,
                operation: 'removeMember',
                recordId: stranger.id,
                outcome: 'success',
                details: { role: null, formerRole: 'ADMIN' },
              },
              { userId: as.id, operation: 'updateMember', details: { role: 'ADMIN', formerRole: 'GUEST' } },
              { userId: as.id, operation: 'addMember', recordId: stranger.id, details: { role: 'GUEST' } },
            ])
          },
        }
      },
      'of a workspace in which nothing was done': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        after: ({ body }) => expect(body).toEqual({ entries: [], nextCursor: null }),
      }),
    },
    BAD_REQUEST: {
      'a page of nothing': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        query: { limit: 0 },
        at: 'query.limit',
      }),
      'a cursor of another workspace': async ({ here, there }, { client }) => {
        const params = { workspaceId: there.workspaceId }
        for (const name of ['One', 'Two']) {
          await client.ok('updateWorkspace', { as: there.admin, params, body: { name } })
        }
        const page = await client.ok('listAuditLog', { as: there.admin, params, query: { limit: 1 } })
        return {
          as: here.admin,
          params: { workspaceId: here.workspaceId },
          query: { cursor: page.nextCursor ?? '' },
          at: 'query.cursor',
        }
      },
    },
    FORBIDDEN: ({ here }) => ({ as: here.member, params: { workspaceId: here.workspaceId } }),
    NOT_FOUND: ({ here }) => ({ as: here.admin, params: { workspaceId: missingId } }),
  },
}
