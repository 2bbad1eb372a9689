import { expect } from '@jest/globals'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import { flow, legacyFlow } from '../support/world.ts'

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

export const bots: Cases<'bots'> = {
  listBots: {
    needs: 'GUEST',
    ok: {
      'of the whole workspace, newest first': ({ here }) => ({
        as: here.guest,
        query: { workspaceId: here.workspaceId },
        after: ({ body }) => {
          expect(idsOf(body.bots)).toEqual([here.shared.id, here.published.id, here.legacy.id, here.draft.id])
          expect(body.bots[1]).toMatchObject({
            publicId: here.published.publicId,
            publishedBotId: here.published.publicationId,
            publishedAt: expect.any(String),
            accessRight: 'read',
          })
          expect(body.bots[3]).toMatchObject({
            folderId: here.folder,
            publishedBotId: null,
            publishedAt: null,
          })
          expect(body.nextCursor).toBeNull()
        },
      }),
      'in a folder': ({ here }) => ({
        as: here.member,
        query: { workspaceId: here.workspaceId, folderId: here.folder },
        after: ({ body }) => expect(body.bots).toMatchObject([{ id: here.draft.id, accessRight: 'write' }]),
      }),
      'at the top level': ({ here }) => ({
        as: here.member,
        query: { workspaceId: here.workspaceId, folderId: 'root' },
        after: ({ body }) =>
          expect(idsOf(body.bots)).toEqual([here.shared.id, here.published.id, here.legacy.id]),
      }),
      'in a folder without bots': ({ here }) => ({
        as: here.member,
        query: { workspaceId: here.workspaceId, folderId: here.deepFolder },
        after: ({ body }) => expect(body).toEqual({ bots: [], nextCursor: null }),
      }),
      'the second page': async ({ here }, { client }) => {
        const query = { workspaceId: here.workspaceId, limit: 3 }
        const { nextCursor } = await client.ok('listBots', { as: here.member, query })
        return {
          as: here.member,
          query: { ...query, cursor: String(nextCursor) },
          after: ({ body }) => {
            expect(idsOf(body.bots)).toEqual([here.draft.id])
            expect(body.nextCursor).toBeNull()
          },
        }
      },
    },
    BAD_REQUEST: {
      'a page that is too large': ({ here }) => ({
        as: here.member,
        query: { workspaceId: here.workspaceId, limit: 101 },
        at: 'query.limit',
      }),
      'a limit that is no whole number': ({ here }) => ({
        as: here.member,
        query: { workspaceId: here.workspaceId, limit: '1e1' },
        at: 'query.limit',
      }),
      'the cursor of another folder': async ({ here }, { client }) => {
        const query = { workspaceId: here.workspaceId, limit: 1 }
        const { nextCursor } = await client.ok('listBots', { as: here.member, query })
        return {
          as: here.member,
          query: { ...query, folderId: 'root', cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
      'the cursor of another workspace': async ({ here, there }, { client }) => {
        const query = { workspaceId: there.workspaceId, limit: 1 }
        const { nextCursor } = await client.ok('listBots', { as: there.member, query })
        return {
          as: here.member,
          query: { workspaceId: here.workspaceId, cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
    },
    FORBIDDEN: ({ here, there }) => ({ as: there.admin, query: { workspaceId: here.workspaceId } }),
    NOT_FOUND: {
      'of no workspace': ({ here }) => ({ as: here.admin, query: { workspaceId: missingId } }),
      'in no folder': ({ here }) => ({
        as: here.admin,
        query: { workspaceId: here.workspaceId, folderId: missingId },
      }),
      'in a folder of another workspace': ({ here, there }) => ({
        as: here.admin,
        query: { workspaceId: here.workspaceId, folderId: there.folder },
      }),
    },
  },

  createBot: {
    needs: 'MEMBER',
    ok: {
      'with nothing given': ({ here }, { client }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, bot: {} },
        after: async ({ body, headers }) => {
          const { bot } = body
          expect(headers.location).toBe(`/v1/bots/${bot.id}`)
          expect(bot).toMatchObject({
            version: '6.1',
            name: 'My bot',
            groups: [],
            edges: [],
            variables: [],
            theme: {},
            settings: {},
            icon: null,
            folderId: null,
            publicId: null,
            customDomain: null,
            workspaceId: here.workspaceId,
            isArchived: false,
            isClosed: false,
          })
          expect(bot.events).toMatchObject([{ type: 'start', graphCoordinates: { x: 0, y: 0 } }])
          expect(bot.events[0]).not.toHaveProperty('outgoingEdgeId')
          const params = { botId: bot.id }
          expect((await client.ok('getBot', { as: here.guest, params })).bot).toEqual(bot)
          expect((await client.call('getPublishedBot', { as: here.member, params })).status).toBe(404)
        },
      }),
      'with everything given': ({ here }) => {
        const bot = {
          ...flow,
          version: '6',
          name: 'Leads',
          icon: '🎯',
          selectedThemeTemplateId: 'template-1',
          folderId: here.subfolder,
          publicId: `leads-${here.workspaceId}`,
          customDomain: `${here.workspaceId}.example.com/leads`,
          resultsTablePreferences: {
            columnsOrder: ['date'],
            columnsVisibility: { date: true },
            columnsWidth: { date: 120 },
          },
        } as const
        return {
          as: here.member,
          body: anyBody({ workspaceId: here.workspaceId, bot }),
          after: ({ body }) => expect(body.bot).toMatchObject(bot),
        }
      },
      'a copy of one that was read': async ({ here }, { client }) => {
        const { bot } = await client.ok('getBot', { as: here.member, params: { botId: here.draft.id } })
        return {
          as: here.member,
          body: anyBody({ workspaceId: here.workspaceId, bot: { ...bot, isClosed: true, riskLevel: 3 } }),
          after: ({ body }) => {
            const { id, createdAt, updatedAt } = body.bot
            expect(id).not.toBe(bot.id)
            expect(body.bot).toEqual({ ...bot, id, createdAt, updatedAt })
          },
        }
      },
    },
    BAD_REQUEST: {
      'a public id that is taken': ({ here, there }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, bot: { publicId: there.published.publicId } },
        at: 'body.bot.publicId',
      }),
      'a domain that is taken, in other letters': async ({ here, there }, { client }) => {
        const domain = `${there.workspaceId}.example.com`
        const bot = { customDomain: domain }
        await client.ok('createBot', { as: there.member, body: { workspaceId: there.workspaceId, bot } })
        return {
          as: here.member,
          body: { workspaceId: here.workspaceId, bot: { customDomain: domain.toUpperCase() } },
          at: 'body.bot.customDomain',
        }
      },
      'a folder of another workspace': ({ here, there }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, bot: { folderId: there.folder } },
        at: 'body.bot.folderId',
      }),
      'a legacy version': ({ here }) => ({
        as: here.member,
        body: anyBody({ workspaceId: here.workspaceId, bot: { version: '5' } }),
        at: 'body.bot.version',
      }),
      'a property it does not know': ({ here }) => ({
        as: here.member,
        body: anyBody({ workspaceId: here.workspaceId, bot: { title: 'Leads' } }),
        at: 'body.bot.title',
      }),
      'a block without a type': ({ here }) => {
        const group = { id: 'g', title: 'G', graphCoordinates: { x: 0, y: 0 }, blocks: [{ id: 'b' }] }
        return {
          as: here.member,
          body: anyBody({ workspaceId: here.workspaceId, bot: { groups: [group] } }),
          at: 'body.bot.groups.0.blocks.0.type',
        }
      },
      'preferences that are not complete': ({ here }) => ({
        as: here.member,
        body: anyBody({
          workspaceId: here.workspaceId,
          bot: { resultsTablePreferences: { columnsOrder: [], columnsVisibility: {} } },
        }),
        at: 'body.bot.resultsTablePreferences',
      }),
    },
    FORBIDDEN: {
      'to a guest': ({ here }) => ({ as: here.guest, body: { workspaceId: here.workspaceId, bot: {} } }),
      'to an admin of another workspace': ({ here, there }) => ({
        as: there.admin,
        body: { workspaceId: here.workspaceId, bot: {} },
      }),
      'in no workspace': ({ here }) => ({ as: here.admin, body: { workspaceId: missingId, bot: {} } }),
    },
  },

  getBot: {
    needs: 'GUEST or shared',
    ok: {
      'by a member': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        after: ({ body }) => {
          expect(body.bot).toMatchObject({ id: here.draft.id, version: '6.1', ...flow })
          expect(body.currentUserMode).toBe('write')
        },
      }),
      'by a guest': ({ here }) => ({
        as: here.guest,
        params: { botId: here.draft.id },
        after: ({ body }) => expect(body.currentUserMode).toBe('read'),
      }),
      'shared publicly, by a stranger': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
        after: ({ body }) => expect(body.currentUserMode).toBe('guest'),
      }),
      'of a legacy version, as it is': ({ here }) => ({
        as: here.member,
        params: { botId: here.legacy.id },
        query: { migrateToLatestVersion: false },
        after: ({ body }) => expect(body.bot).toMatchObject({ version: '5', ...legacyFlow }),
      }),
      'of a legacy version, converted without being written': ({ here }, { client }) => ({
        as: here.guest,
        params: { botId: here.legacy.id },
        query: { migrateToLatestVersion: true },
        after: async ({ body }) => {
          expect(body.bot).toMatchObject({ version: '6.1', events: [{ type: 'start' }] })
          const params = { botId: here.legacy.id }
          const { bot } = await client.ok('getBot', { as: here.guest, params })
          expect(bot).toMatchObject({ version: '5', updatedAt: here.legacy.updatedAt })
        },
      }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { botId: here.draft.id },
      query: { migrateToLatestVersion: 1 },
      at: 'query.migrateToLatestVersion',
    }),
    FORBIDDEN: {
      'to a stranger': ({ here, stranger }) => ({ as: stranger, params: { botId: here.draft.id } }),
      'to an admin of another workspace': ({ here, there }) => ({
        as: there.admin,
        params: { botId: here.published.id },
      }),
      'once it is no longer shared': async ({ here, stranger }, { client }) => {
        const params = { botId: here.shared.id }
        const bot = { version: '6.1', settings: { publicShare: { isEnabled: false } } } as const
        await client.ok('updateBot', { as: here.member, params, body: { bot } })
        return { as: stranger, params }
      },
    },
    NOT_FOUND: {
      'one that never was': ({ here }) => ({ as: here.admin, params: { botId: missingId } }),
      'one that was archived': ({ here }) => ({ as: here.admin, params: { botId: here.archived.id } }),
    },
  },

  updateBot: {
    needs: 'MEMBER',
    ok: {
      'one property': ({ here }, { client }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { bot: { version: '6.1', name: 'Leads' } },
        after: async ({ body }) => {
          expect(body.bot).toMatchObject({ name: 'Leads', folderId: here.folder, ...flow })
          expect(body.bot.updatedAt > here.draft.updatedAt).toBe(true)
          const read = await client.ok('getBot', { as: here.guest, params: { botId: here.draft.id } })
          expect(read.bot).toEqual(body.bot)
        },
      }),
      'with the precondition that holds': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { bot: { version: '6.1', updatedAt: here.draft.updatedAt, isClosed: true } },
        after: ({ body }) => expect(body.bot.isClosed).toBe(true),
      }),
      'with a precondition that fails, waived': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: {
          bot: { version: '6.1', updatedAt: '2020-01-01T00:00:00.000Z', folderId: null },
          overwrite: true,
        },
        after: ({ body }) => expect(body.bot.folderId).toBeNull(),
      }),
      'a public id and a domain': ({ here, there }, { client }) => ({
        as: here.member,
        params: { botId: here.published.id },
        body: {
          bot: { version: '6.1', publicId: `n-${here.workspaceId}`, customDomain: 'new.example.com/leads' },
        },
        after: async ({ body }) => {
          expect(body.bot).toMatchObject({ customDomain: 'new.example.com/leads' })
          const bot = { publicId: here.published.publicId }
          await client.ok('createBot', { as: there.member, body: { workspaceId: there.workspaceId, bot } })
          // A domain is unique over the installation, and so would be in the way of the next world.
          const freed = { version: '6.1', customDomain: null } as const
          await client.ok('updateBot', {
            as: here.member,
            params: { botId: here.published.id },
            body: { bot: freed },
          })
        },
      }),
      'a legacy flow, in its own version': ({ here }) => ({
        as: here.member,
        params: { botId: here.legacy.id },
        body: { bot: { version: '5', variables: [{ id: 'v', name: 'V' }] } },
        after: ({ body }) =>
          expect(body.bot).toMatchObject({ version: '5', variables: [{ id: 'v' }], events: null }),
      }),
      'a legacy flow, in a current version': ({ here }) => ({
        as: here.member,
        params: { botId: here.legacy.id },
        body: { bot: { version: '6', name: 'Converted' } },
        after: ({ body }) => {
          expect(body.bot).toMatchObject({ version: '6', name: 'Converted', events: [{ type: 'start' }] })
          expect(body.bot.groups).toEqual(flow.groups)
        },
      }),
      'a current flow, replaced by a legacy one': ({ here }) => {
        const { groups, edges, variables } = legacyFlow
        return {
          as: here.member,
          params: { botId: here.draft.id },
          body: anyBody({ bot: { version: '5', groups, edges, variables } }),
          after: ({ body }) => expect(body.bot).toMatchObject({ version: '5', ...legacyFlow }),
        }
      },
      'what was read, sent back': async ({ here, there }, { client }) => {
        const params = { botId: here.draft.id }
        const { bot } = await client.ok('getBot', { as: here.member, params })
        const forged = {
          id: missingId,
          workspaceId: there.workspaceId,
          createdAt: '2020-01-01T00:00:00.000Z',
          isArchived: true,
          riskLevel: 7,
        }
        return {
          as: here.member,
          params,
          body: anyBody({ bot: { ...bot, ...forged, name: 'Leads' } }),
          after: ({ body }) =>
            expect(body.bot).toEqual({ ...bot, name: 'Leads', updatedAt: body.bot.updatedAt }),
        }
      },
    },
    BAD_REQUEST: {
      'without a version': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ bot: { name: 'Leads' } }),
        at: 'body.bot.version',
      }),
      'a version there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ bot: { version: '7' } }),
        at: 'body.bot.version',
      }),
      'without a bot': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ overwrite: true }),
        at: 'body.bot',
      }),
      'a legacy version without its flow': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ bot: { version: '5', groups: [], edges: [] } }),
        at: 'body.bot.variables',
      }),
      'a public id that is taken': ({ here, there }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { bot: { version: '6.1', publicId: there.published.publicId } },
        at: 'body.bot.publicId',
      }),
      'a public id that cannot be one': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { bot: { version: '6.1', publicId: 'Two--Hyphens' } },
        at: 'body.bot.publicId',
      }),
      'a folder of another workspace': ({ here, there }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { bot: { version: '6.1', folderId: there.folder } },
        at: 'body.bot.folderId',
      }),
      'a malformed edge': ({ here }) => ({
        as: here.member,
        params: { botId: here.legacy.id },
        body: anyBody({ bot: { version: '5', edges: [{ id: 'e', from: { blockId: 'b' } }] } }),
        at: 'body.bot.edges.0.to',
      }),
      'an icon that could run something': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { bot: { version: '6.1', icon: 'data:text/html,<script>' } },
        at: 'body.bot.icon',
      }),
    },
    FORBIDDEN: {
      'to a guest': ({ here }) => ({
        as: here.guest,
        params: { botId: here.draft.id },
        body: { bot: { version: '6.1', name: 'Leads' } },
      }),
      'to a stranger, though it is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
        body: { bot: { version: '6.1', name: 'Leads' } },
      }),
    },
    NOT_FOUND: {
      'one that never was': ({ here }) => ({
        as: here.admin,
        params: { botId: missingId },
        body: { bot: { version: '6.1' } },
      }),
      'one that was archived': ({ here }) => ({
        as: here.admin,
        params: { botId: here.archived.id },
        body: { bot: { version: '6.1' } },
      }),
    },
    CONFLICT: {
      'by a millisecond': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: {
          bot: {
            version: '6.1',
            name: 'Leads',
            updatedAt: new Date(Date.parse(here.draft.updatedAt) - 1).toISOString(),
          },
        },
        at: 'body.bot.updatedAt',
        after: ({ text }) => expect(text).toContain(here.draft.updatedAt),
      }),
      'with names that others have': ({ here, there }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: {
          bot: {
            version: '6.1',
            publicId: there.published.publicId,
            updatedAt: '2020-01-01T00:00:00.000Z',
          },
        },
        at: 'body.bot.updatedAt',
      }),
      'before anything else is looked at': ({ here, there }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: {
          bot: { version: '6.1', folderId: there.folder, updatedAt: '2020-01-01T00:00:00.000Z' },
          overwrite: false,
        },
        at: 'body.bot.updatedAt',
      }),
    },
  },

  deleteBot: {
    needs: 'MEMBER',
    ok: ({ here, there }, { client }) => ({
      as: here.member,
      params: { botId: here.published.id },
      after: async ({ body }) => {
        expect(body).toEqual({ message: 'success' })
        const options = { as: here.admin, params: { botId: here.published.id } }
        const answers = [
          await client.call('getBot', options),
          await client.call('getPublishedBot', options),
          await client.call('listResults', options),
          await client.call('deleteBot', options),
          await client.call('publishBot', options),
        ]
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 403])
        const query = { workspaceId: here.workspaceId }
        const { bots } = await client.ok('listBots', { as: here.admin, query })
        expect(idsOf(bots)).not.toContain(here.published.id)
        const bot = { publicId: here.published.publicId }
        await client.ok('createBot', { as: there.member, body: { workspaceId: there.workspaceId, bot } })
      },
    }),
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { botId: here.draft.id },
      query: { hard: true },
      at: 'query.hard',
    }),
    FORBIDDEN: {
      'to a guest': ({ here }) => ({ as: here.guest, params: { botId: here.draft.id } }),
      'to a stranger, though it is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
      }),
    },
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { botId: here.archived.id } }),
  },
}
