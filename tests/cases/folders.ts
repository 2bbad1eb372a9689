import { expect } from '@jest/globals'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

export const folders: Cases<'folders'> = {
  listFolders: {
    needs: 'GUEST',
    ok: {
      'the top level, newest first': async ({ here }, { client }) => {
        const body = { workspaceId: here.workspaceId, folder: { name: 'Newer' } }
        const { folder } = await client.ok('createFolder', { as: here.member, body })
        return {
          as: here.guest,
          query: { workspaceId: here.workspaceId },
          after: (answer) => expect(idsOf(answer.body.folders)).toEqual([folder.id, here.folder]),
        }
      },
      'the top level by its name': ({ here }) => ({
        as: here.guest,
        query: { workspaceId: here.workspaceId, parentFolderId: 'root' },
        after: ({ body }) => expect(idsOf(body.folders)).toEqual([here.folder]),
      }),
      'in a folder': ({ here }) => ({
        as: here.guest,
        query: { workspaceId: here.workspaceId, parentFolderId: here.folder },
        after: ({ body }) =>
          expect(body.folders).toMatchObject([{ id: here.subfolder, parentFolderId: here.folder }]),
      }),
      'a page and the one after it': async ({ here }, { client }) => {
        const query = { workspaceId: here.workspaceId, limit: 1 }
        const body = { workspaceId: here.workspaceId, folder: { name: 'Newer' } }
        const { folder } = await client.ok('createFolder', { as: here.member, body })
        const first = await client.ok('listFolders', { as: here.guest, query })
        expect(idsOf(first.folders)).toEqual([folder.id])
        return {
          as: here.guest,
          query: { ...query, cursor: first.nextCursor as string },
          after: (answer) => {
            expect(idsOf(answer.body.folders)).toEqual([here.folder])
            expect(answer.body.nextCursor).toBeNull()
          },
        }
      },
      'in a folder that holds none': ({ here }) => ({
        as: here.guest,
        query: { workspaceId: here.workspaceId, parentFolderId: here.deepFolder },
        after: ({ body }) => expect(body).toEqual({ folders: [], nextCursor: null }),
      }),
    },
    BAD_REQUEST: {
      'without a workspace': ({ here }) => ({ as: here.admin, at: 'query.workspaceId' }),
      'a page that is too long': ({ here }) => ({
        as: here.admin,
        query: { workspaceId: here.workspaceId, limit: 101 },
        at: 'query.limit',
      }),
      'the cursor of another level': async ({ here }, { client }) => {
        const body = { workspaceId: here.workspaceId, folder: { name: 'Newer' } }
        await client.ok('createFolder', { as: here.member, body })
        const query = { workspaceId: here.workspaceId, limit: 1 }
        const { nextCursor } = await client.ok('listFolders', { as: here.admin, query })
        const cursor = nextCursor as string
        return {
          as: here.admin,
          query: { ...query, cursor, parentFolderId: here.folder },
          at: 'query.cursor',
        }
      },
      'a misspelt filter': ({ here }) => ({
        as: here.admin,
        query: { workspaceId: here.workspaceId, parentFolderID: here.folder },
        at: 'query.parentFolderID',
      }),
    },
    FORBIDDEN: ({ here, there }) => ({ as: there.admin, query: { workspaceId: here.workspaceId } }),
    NOT_FOUND: {
      'of no workspace': ({ here }) => ({ as: here.admin, query: { workspaceId: missingId } }),
      'in no folder': ({ here }) => ({
        as: here.admin,
        query: { workspaceId: here.workspaceId, parentFolderId: missingId },
      }),
      'in a folder of another workspace': ({ here, there }) => ({
        as: here.admin,
        query: { workspaceId: here.workspaceId, parentFolderId: there.folder },
      }),
    },
  },

  createFolder: {
    needs: 'MEMBER',
    ok: {
      'at the top level': ({ here }, { client }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, folder: { name: 'Leads' } },
        after: async ({ body, headers }) => {
          const { folder } = body
          expect(headers.location).toBe(`/v1/folders/${folder.id}`)
          expect(folder).toMatchObject({ name: 'Leads', parentFolderId: null })
          const read = await client.ok('getFolder', { as: here.guest, params: { folderId: folder.id } })
          expect(read.folder).toEqual(folder)
        },
      }),
      'in another folder, under a name that is there twice': ({ here }) => ({
        as: here.member,
        body: {
          workspaceId: here.workspaceId,
          folder: { name: 'Subfolder', parentFolderId: here.folder },
        },
        after: ({ body }) => expect(body.folder).toMatchObject({ parentFolderId: here.folder }),
      }),
      'from one that was read': async ({ here }, { client }) => {
        const { folder } = await client.ok('getFolder', {
          as: here.admin,
          params: { folderId: here.subfolder },
        })
        return {
          as: here.member,
          body: { workspaceId: here.workspaceId, folder },
          after: ({ body }) => {
            expect(body.folder.id).not.toBe(folder.id)
            expect(body.folder).toMatchObject({ name: folder.name, parentFolderId: here.folder })
          },
        }
      },
    },
    BAD_REQUEST: {
      'in no folder': ({ here }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, folder: { name: 'Leads', parentFolderId: missingId } },
        at: 'body.folder.parentFolderId',
      }),
      'in a folder of another workspace': ({ here, there }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, folder: { name: 'Leads', parentFolderId: there.folder } },
        at: 'body.folder.parentFolderId',
      }),
      'without a name': ({ here }) => ({
        as: here.member,
        body: anyBody({ workspaceId: here.workspaceId, folder: {} }),
        at: 'body.folder.name',
      }),
      'a property beside the folder': ({ here }) => ({
        as: here.member,
        body: anyBody({ workspaceId: here.workspaceId, folder: { name: 'Leads' }, name: 'Leads' }),
        at: 'body.name',
      }),
    },
    FORBIDDEN: ({ here }) => ({
      as: here.guest,
      body: { workspaceId: here.workspaceId, folder: { name: 'Leads' } },
    }),
    NOT_FOUND: ({ here }) => ({
      as: here.admin,
      body: { workspaceId: missingId, folder: { name: 'Leads' } },
    }),
  },

  getFolder: {
    needs: 'GUEST',
    ok: {
      'by its id': ({ here }) => ({
        as: here.guest,
        params: { folderId: here.subfolder },
        after: ({ body }) =>
          expect(body.folder).toMatchObject({
            id: here.subfolder,
            name: 'Subfolder',
            parentFolderId: here.folder,
            workspaceId: here.workspaceId,
          }),
      }),
      'in its workspace': ({ here }) => ({
        as: here.guest,
        params: { folderId: here.folder },
        query: { workspaceId: here.workspaceId },
      }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.guest,
      params: { folderId: here.folder },
      query: { workspaceId: '' },
      at: 'query.workspaceId',
    }),
    FORBIDDEN: ({ here, there }) => ({ as: there.admin, params: { folderId: here.folder } }),
    NOT_FOUND: {
      'one that never was': ({ here }) => ({ as: here.admin, params: { folderId: missingId } }),
      'in another workspace': ({ here, there }) => ({
        as: here.admin,
        params: { folderId: here.folder },
        query: { workspaceId: there.workspaceId },
      }),
    },
  },

  updateFolder: {
    needs: 'MEMBER',
    ok: {
      rename: ({ here }, { client }) => ({
        as: here.member,
        params: { folderId: here.subfolder },
        body: { folder: { name: 'Leads' } },
        after: async ({ body }) => {
          const read = await client.ok('getFolder', { as: here.guest, params: { folderId: here.subfolder } })
          expect(read).toEqual(body)
          expect(body.folder).toMatchObject({ name: 'Leads', parentFolderId: here.folder })
          expect(body.folder.updatedAt > body.folder.createdAt).toBe(true)
        },
      }),
      'to what it is already: nothing changes': async ({ here }, { client }) => {
        const { folder } = await client.ok('getFolder', {
          as: here.member,
          params: { folderId: here.subfolder },
        })
        const { name, parentFolderId } = folder
        return {
          as: here.member,
          params: { folderId: here.subfolder },
          body: { folder: { name, parentFolderId } },
          after: async ({ body }) => {
            expect(body.folder).toEqual(folder)
            const params = { folderId: here.subfolder }
            const again = { as: here.member, params, body: { folder: { name } } }
            expect((await client.ok('updateFolder', again)).folder).toEqual(folder)
          },
        }
      },
      'move to the top level': ({ here }) => ({
        as: here.member,
        params: { folderId: here.subfolder },
        body: { workspaceId: here.workspaceId, folder: { parentFolderId: null } },
        after: ({ body }) => expect(body.folder).toMatchObject({ name: 'Subfolder', parentFolderId: null }),
      }),
      'move into another folder': ({ here }) => ({
        as: here.member,
        params: { folderId: here.deepFolder },
        body: { folder: { parentFolderId: here.folder } },
        after: ({ body }) => expect(body.folder.parentFolderId).toBe(here.folder),
      }),
      'what was read, sent back': async ({ here, there }, { client }) => {
        const params = { folderId: here.subfolder }
        const { folder } = await client.ok('getFolder', { as: here.admin, params })
        const forged = { ...folder, id: here.folder, workspaceId: there.workspaceId, createdAt: 'long ago' }
        return {
          as: here.member,
          params,
          body: { folder: { ...forged, name: 'Leads' } },
          after: ({ body }) =>
            expect(body.folder).toEqual({ ...folder, name: 'Leads', updatedAt: body.folder.updatedAt }),
        }
      },
    },
    BAD_REQUEST: {
      'into itself': ({ here }) => ({
        as: here.member,
        params: { folderId: here.folder },
        body: { folder: { parentFolderId: here.folder } },
        at: 'body.folder.parentFolderId',
      }),
      'into a folder inside it': ({ here }) => ({
        as: here.member,
        params: { folderId: here.folder },
        body: { folder: { name: 'Not kept', parentFolderId: here.deepFolder } },
        at: 'body.folder.parentFolderId',
      }),
      'into a folder of another workspace': ({ here, there }) => ({
        as: here.member,
        params: { folderId: here.folder },
        body: { folder: { parentFolderId: there.folder } },
        at: 'body.folder.parentFolderId',
      }),
      'without a folder': ({ here }) => ({
        as: here.member,
        params: { folderId: here.folder },
        body: anyBody({}),
        at: 'body.folder',
      }),
    },
    FORBIDDEN: ({ here }) => ({
      as: here.guest,
      params: { folderId: here.folder },
      body: { folder: { name: 'Leads' } },
    }),
    NOT_FOUND: {
      'one that never was': ({ here }) => ({
        as: here.admin,
        params: { folderId: missingId },
        body: { folder: { name: 'Leads' } },
      }),
      'in another workspace': ({ here, there }) => ({
        as: here.admin,
        params: { folderId: here.folder },
        body: { workspaceId: there.workspaceId, folder: { name: 'Leads' } },
      }),
    },
  },

  deleteFolder: {
    needs: 'MEMBER',
    ok: {
      'what is in it moves up': ({ here }, { client }) => ({
        as: here.member,
        params: { folderId: here.folder },
        after: async ({ body }) => {
          expect(body.folder).toMatchObject({ id: here.folder, name: 'Folder' })
          const as = here.guest
          expect((await client.call('getFolder', { as, params: { folderId: here.folder } })).status).toBe(404)
          const { folder } = await client.ok('getFolder', { as, params: { folderId: here.subfolder } })
          expect(folder.parentFolderId).toBeNull()
          const { bot } = await client.ok('getBot', { as, params: { botId: here.draft.id } })
          expect(bot).toMatchObject({ folderId: null, updatedAt: here.draft.updatedAt })
        },
      }),
      'a folder between two': ({ here }, { client }) => ({
        as: here.member,
        params: { folderId: here.subfolder },
        query: { workspaceId: here.workspaceId },
        after: async () => {
          const params = { folderId: here.deepFolder }
          const { folder } = await client.ok('getFolder', { as: here.guest, params })
          expect(folder.parentFolderId).toBe(here.folder)
        },
      }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { folderId: here.folder },
      query: { recursive: true },
      at: 'query.recursive',
    }),
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: { folderId: here.folder } }),
    NOT_FOUND: {
      'one that was deleted': async ({ here }, { client }) => {
        const params = { folderId: here.folder }
        await client.ok('deleteFolder', { as: here.member, params })
        return { as: here.member, params }
      },
      'in another workspace': ({ here, there }) => ({
        as: here.admin,
        params: { folderId: here.folder },
        query: { workspaceId: there.workspaceId },
      }),
    },
  },
}
