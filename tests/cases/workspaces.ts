import { expect } from '@jest/globals'
import { type Cases, limited, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'

export const workspaces: Cases<'workspaces'> = {
  listWorkspaces: {
    needs: 'token',
    ok: {
      'of a member': ({ here }) => ({
        as: here.guest,
        after: ({ body }) =>
          expect(body.workspaces).toEqual([{ id: here.workspaceId, name: 'Site', icon: '🏢', plan: 'FREE' }]),
      }),
      'of a member of two, newest first': async ({ here }, { client }) => {
        const { workspace } = await client.ok('createWorkspace', { as: here.guest, body: { name: 'Own' } })
        return {
          as: here.guest,
          after: ({ body }) =>
            expect(body.workspaces.map(({ id }: { id: string }) => id)).toEqual([
              workspace.id,
              here.workspaceId,
            ]),
        }
      },
      'of a stranger': ({ stranger }) => ({
        as: stranger,
        after: ({ body }) => expect(body).toEqual({ workspaces: [], nextCursor: null }),
      }),
      'with a token that is bound to one of two': async ({ here }, app) => {
        await app.client.ok('createWorkspace', { as: here.guest, body: { name: 'Own' } })
        return {
          as: await limited(app, here.guest, { workspaceId: here.workspaceId }),
          after: ({ body }) => expect(body.workspaces).toMatchObject([{ id: here.workspaceId }]),
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({ as: here.admin, query: { page: 2 }, at: 'query.page' }),
    FORBIDDEN: async ({ here }, app) => ({
      as: await limited(app, here.admin, { scopes: ['write'] }),
      at: 'header.authorization',
    }),
  },

  createWorkspace: {
    needs: 'token',
    ok: {
      'with an icon': ({ stranger }, { client }) => ({
        as: stranger,
        body: { name: 'Acme', icon: 'https://example.com/acme.png' },
        after: async ({ body, headers }) => {
          expect(headers.location).toBe(`/v1/workspaces/${body.workspace.id}`)
          const params = { workspaceId: body.workspace.id }
          const read = await client.ok('getWorkspace', { as: stranger, params })
          expect(read.currentUserMode).toBe('write')
          expect(read.workspace).toEqual({
            ...body.workspace,
            customChatsLimit: null,
            customSeatsLimit: null,
            resultsRetentionDays: null,
          })
          const { members } = await client.ok('listMembers', { as: stranger, params })
          expect(members).toMatchObject([{ userId: stranger.id, role: 'ADMIN' }])
        },
      }),
      'without an icon': ({ stranger }) => ({
        as: stranger,
        body: { name: 'Acme' },
        after: ({ body }) => expect(body.workspace).toMatchObject({ icon: null, plan: 'FREE' }),
      }),
      'from one that was read': async ({ here }, { client }) => {
        const params = { workspaceId: here.workspaceId }
        const { workspace } = await client.ok('getWorkspace', { as: here.guest, params })
        const forged = { ...workspace, plan: 'UNLIMITED', isVerified: true, chatsHardLimit: 7 }
        return {
          as: here.guest,
          body: anyBody(forged),
          after: ({ body }) => {
            expect(body.workspace.id).not.toBe(here.workspaceId)
            expect(body.workspace).toMatchObject({
              name: workspace.name,
              icon: workspace.icon,
              plan: 'FREE',
              isVerified: false,
              chatsHardLimit: null,
            })
          },
        }
      },
      'while others made the caller an admin of theirs, and own ones are deleted': async (
        world,
        { client },
      ) => {
        const { here, stranger } = world
        const body = { name: 'Not mine' }
        for (let one = 0; one < 3; one++) {
          const { workspace } = await client.ok('createWorkspace', { as: here.admin, body })
          const params = { workspaceId: workspace.id }
          await client.ok('addMember', {
            as: here.admin,
            params,
            body: { email: stranger.email, role: 'ADMIN' },
          })
        }
        for (let one = 0; one < 3; one++) {
          const { workspace } = await client.ok('createWorkspace', { as: stranger, body: { name: 'Gone' } })
          await client.ok('deleteWorkspace', { as: stranger, params: { workspaceId: workspace.id } })
        }
        return { as: stranger, body: { name: 'Mine' } }
      },
    },
    BAD_REQUEST: {
      'without a name': ({ stranger }) => ({ as: stranger, body: anyBody({}), at: 'body.name' }),
      'a name of white space': ({ stranger }) => ({ as: stranger, body: { name: ' \t' }, at: 'body.name' }),
      'a name that is too long': ({ stranger }) => ({
        as: stranger,
        body: { name: '😀'.repeat(256) },
        at: 'body.name',
      }),
      'an icon that could run something': ({ stranger }) => ({
        as: stranger,
        body: { name: 'Acme', icon: 'javascript:alert(1)' },
        at: 'body.icon',
      }),
      'an icon whose scheme a control character hides': ({ stranger }) => ({
        as: stranger,
        body: { name: 'Acme', icon: 'java\nscript:alert(1)' },
        at: 'body.icon',
      }),
      'a property that a workspace does not have': ({ stranger }) => ({
        as: stranger,
        body: anyBody({ name: 'Acme', colour: 'red' }),
        at: 'body.colour',
      }),
    },
    FORBIDDEN: {
      'with a token that is bound to another one': async ({ here }, app) => ({
        as: await limited(app, here.admin, { workspaceId: here.workspaceId }),
        body: { name: 'Outside' },
        at: 'header.authorization',
      }),
      'a fourth one': async ({ stranger }, { client }) => {
        // The replay allows three workspaces per user.
        for (const name of ['One', 'Two', 'Three']) {
          await client.ok('createWorkspace', { as: stranger, body: { name } })
        }
        return { as: stranger, body: { name: 'Four' } }
      },
      'who has left those that they created': async ({ here, stranger }, { client }) => {
        for (const name of ['One', 'Two', 'Three']) {
          const { workspace } = await client.ok('createWorkspace', { as: stranger, body: { name } })
          const params = { workspaceId: workspace.id }
          await client.ok('addMember', {
            as: stranger,
            params,
            body: { email: here.guest.email, role: 'ADMIN' },
          })
          await client.ok('removeMember', { as: stranger, params: { ...params, userId: stranger.id } })
        }
        return { as: stranger, body: { name: 'Four' } }
      },
    },
  },

  getWorkspace: {
    needs: 'GUEST',
    ok: {
      'by an admin': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        after: ({ body }) => {
          expect(body.currentUserMode).toBe('write')
          expect(body.workspace).toMatchObject({ id: here.workspaceId, name: 'Site', plan: 'FREE' })
        },
      }),
      'by a member': ({ here }) => ({
        as: here.member,
        params: { workspaceId: here.workspaceId },
        after: ({ body }) => expect(body.currentUserMode).toBe('read'),
      }),
      'by a guest': ({ here }) => ({
        as: here.guest,
        params: { workspaceId: here.workspaceId },
        after: ({ body }) => expect(body.currentUserMode).toBe('guest'),
      }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: 'not an id' },
      at: 'path.workspaceId',
    }),
    FORBIDDEN: ({ here, there }) => ({ as: there.admin, params: { workspaceId: here.workspaceId } }),
    NOT_FOUND: {
      'one that never was': ({ here }) => ({ as: here.admin, params: { workspaceId: missingId } }),
      'one that was deleted': async ({ here }, { client }) => {
        const params = { workspaceId: here.workspaceId }
        await client.ok('deleteWorkspace', { as: here.admin, params })
        return { as: here.admin, params }
      },
    },
  },

  updateWorkspace: {
    needs: 'ADMIN',
    ok: {
      'a new name and icon': ({ here }, { client }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { name: 'Acme', icon: '🎯' },
        after: async ({ body }) => {
          expect(body).toEqual({ workspace: { name: 'Acme', icon: '🎯' } })
          const params = { workspaceId: here.workspaceId }
          const { workspace } = await client.ok('getWorkspace', { as: here.guest, params })
          expect(workspace).toMatchObject(body.workspace)
          expect(workspace.updatedAt > workspace.createdAt).toBe(true)
        },
      }),
      'how long results are kept': ({ here }, { client }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { resultsRetentionDays: 90 },
        after: async ({ body }) => {
          expect(body).toEqual({ workspace: { name: 'Site', icon: '🏢' } })
          const params = { workspaceId: here.workspaceId }
          const { workspace } = await client.ok('getWorkspace', { as: here.guest, params })
          expect(workspace.resultsRetentionDays).toBe(90)
        },
      }),
      'no icon any more': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { icon: null },
        after: ({ body }) => expect(body).toEqual({ workspace: { name: 'Site', icon: null } }),
      }),
      'what was read, sent back': async ({ here }, { client }) => {
        const params = { workspaceId: here.workspaceId }
        const { workspace } = await client.ok('getWorkspace', { as: here.admin, params })
        const forged = {
          plan: 'UNLIMITED',
          isVerified: true,
          chatsHardLimit: 1,
          customSeatsLimit: 1_000,
          billingId: 'x',
          settings: { groupTitlesAutoGeneration: {} },
          createdAt: '2020-01-01T00:00:00.000Z',
          id: missingId,
        }
        return {
          as: here.admin,
          params,
          body: anyBody({ ...workspace, ...forged, name: 'Acme' }),
          after: async () => {
            const after = await client.ok('getWorkspace', { as: here.admin, params })
            expect(after.workspace).toEqual({
              ...workspace,
              name: 'Acme',
              updatedAt: after.workspace.updatedAt,
            })
          },
        }
      },
    },
    BAD_REQUEST: {
      'a property it does not know': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: anyBody({ nmae: 'Acme' }),
        at: 'body.nmae',
      }),
      'a null name': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: anyBody({ name: null }),
        at: 'body.name',
      }),
    },
    FORBIDDEN: {
      'to a member': ({ here }) => ({
        as: here.member,
        params: { workspaceId: here.workspaceId },
        body: { name: 'Acme' },
      }),
      'to the admin of another workspace': ({ here, there }) => ({
        as: there.admin,
        params: { workspaceId: here.workspaceId },
        body: { name: 'Acme' },
      }),
    },
    NOT_FOUND: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: missingId },
      body: { name: 'Acme' },
    }),
  },

  deleteWorkspace: {
    needs: 'ADMIN',
    ok: ({ here, there }, { client }) => ({
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      after: async ({ body }) => {
        expect(body).toEqual({ message: 'Workspace deleted' })
        const as = here.admin
        const gone = [
          await client.call('getWorkspace', { as, params: { workspaceId: here.workspaceId } }),
          await client.call('getFolder', { as, params: { folderId: here.folder } }),
          await client.call('getBot', { as, params: { botId: here.draft.id } }),
          await client.call('getPublishedBot', { as, params: { botId: here.shared.id } }),
        ]
        expect(gone.map(({ status }) => status)).toEqual([404, 404, 404, 404])
        expect(await client.ok('listWorkspaces', { as })).toEqual({ workspaces: [], nextCursor: null })
        const { bot } = await client.ok('createBot', {
          as: there.admin,
          body: { workspaceId: there.workspaceId, bot: { publicId: here.published.publicId } },
        })
        expect(bot.publicId).toBe(here.published.publicId)
      },
    }),
    BAD_REQUEST: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      query: { force: true },
      at: 'query.force',
    }),
    FORBIDDEN: ({ here }) => ({ as: here.member, params: { workspaceId: here.workspaceId } }),
    NOT_FOUND: async ({ here }, { client }) => {
      const params = { workspaceId: here.workspaceId }
      await client.ok('deleteWorkspace', { as: here.admin, params })
      return { as: here.admin, params }
    },
  },
}
