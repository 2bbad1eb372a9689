import { expect } from '@jest/globals'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import { flow, legacyFlow } from '../support/world.ts'

export const transfer: Cases<'transfer'> = {
  importBot: {
    needs: 'MEMBER',
    ok: {
      'a legacy document, converted': ({ here }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, bot: { version: '5', name: 'Old', ...legacyFlow } },
        after: ({ body }) =>
          expect(body).toMatchObject({
            bot: { version: '6.1', name: 'Old', groups: flow.groups },
            errorsFound: 0,
            warningsFound: 0,
          }),
      }),
      'what was exported': async ({ here, there }, { client }) => {
        const exported = await client.ok('exportBot', { as: here.guest, params: { botId: here.draft.id } })
        return {
          as: there.member,
          body: { workspaceId: there.workspaceId, folderId: there.folder, bot: exported.bot },
          after: ({ body, headers }) => {
            expect(headers.location).toBe(`/v1/bots/${body.bot.id}`)
            expect(body.warnings).toEqual([])
            expect(body.bot).toMatchObject({
              ...exported.bot,
              workspaceId: there.workspaceId,
              folderId: there.folder,
              publicId: null,
            })
          },
        }
      },
      'a document with a malformed edge, which is dropped': ({ here }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, bot: { version: '6.1', ...flow, edges: [{ id: 'e' }] } },
        after: ({ body }) => {
          expect(body.bot.edges).toEqual([])
          expect(body.warnings).not.toEqual([])
        },
      }),
      'a document of another product, whose links are kept': ({ here, there }) => ({
        as: here.member,
        body: {
          workspaceId: here.workspaceId,
          bot: {
            version: '4',
            ...legacyFlow,
            groups: [
              ...legacyFlow.groups,
              {
                id: 'links',
                title: 'Links',
                graphCoordinates: { x: 0, y: 0 },
                blocks: [here.published.id, there.published.id, 'gone'].map((acmeId, index) => ({
                  id: `link${index}`,
                  type: 'Acme link',
                  options: { acmeId, mergeResults: false },
                })),
              },
            ],
          },
        },
        after: ({ body }) => {
          const block = {
            id: 'link0',
            type: 'Bot link',
            options: { botId: here.published.id, mergeResults: false },
          }
          expect(body.bot.groups.at(-1)).toMatchObject({ id: 'links', blocks: [block, {}, {}] })
          const unknown = (index: string) => ({
            // The group of the start block is deleted.
            path: ['groups', `${legacyFlow.groups.length - 1}`, 'blocks', index, 'options', 'botId'],
            code: 'unknown_bot',
          })
          expect(body.warnings).toMatchObject([unknown('1'), unknown('2')])
        },
      }),
      'a document that tries to be another bot': ({ here, there }) => ({
        as: here.member,
        body: {
          workspaceId: here.workspaceId,
          bot: {
            ...flow,
            version: '6.1',
            id: there.draft.id,
            workspaceId: there.workspaceId,
            folderId: there.folder,
            publicId: there.published.publicId,
            riskLevel: 1,
          },
        },
        after: ({ body }) => {
          expect(body.bot.id).not.toBe(there.draft.id)
          expect(body.bot).toMatchObject({
            workspaceId: here.workspaceId,
            folderId: null,
            publicId: null,
            riskLevel: null,
          })
        },
      }),
    },
    BAD_REQUEST: {
      'a document without groups': ({ here }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, bot: { version: '6.1' } as never },
        at: 'body.bot.groups',
      }),
      'a folder of another workspace': ({ here, there }) => ({
        as: here.member,
        body: { workspaceId: here.workspaceId, folderId: there.folder, bot: { version: '6.1', ...flow } },
        at: 'body.folderId',
      }),
      'a version there is not': ({ here }) => ({
        as: here.member,
        body: anyBody({ workspaceId: here.workspaceId, bot: { version: '99', groups: [] } }),
        at: 'body.bot.version',
      }),
    },
    FORBIDDEN: ({ here }) => ({
      as: here.guest,
      body: { workspaceId: here.workspaceId, bot: { version: '6.1', ...flow } },
    }),
    NOT_FOUND: ({ here }) => ({
      as: here.member,
      body: { workspaceId: missingId, bot: { version: '6.1', ...flow } },
    }),
  },

  duplicateBot: {
    needs: 'MEMBER',
    ok: {
      'beside itself, without what only one bot can have': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        body: {},
        after: ({ body, headers }) => {
          expect(headers.location).toBe(`/v1/bots/${body.bot.id}`)
          expect(body.bot.id).not.toBe(here.published.id)
          expect(body.bot).toMatchObject({
            name: 'Published (copy)',
            workspaceId: here.workspaceId,
            publicId: null,
            customDomain: null,
            ...flow,
          })
        },
      }),
      'into a folder, with a name': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { name: 'Spring', folderId: here.folder },
        after: ({ body }) => expect(body.bot).toMatchObject({ name: 'Spring', folderId: here.folder }),
      }),
      'a legacy one, as it is': ({ here }) => ({
        as: here.member,
        params: { botId: here.legacy.id },
        body: {},
        after: ({ body }) => expect(body.bot).toMatchObject({ version: '5', ...legacyFlow }),
      }),
      'one that is shared, whose copy is not': async ({ here, stranger }, { client }) => ({
        as: here.member,
        params: { botId: here.shared.id },
        body: {},
        after: async ({ body }) => {
          const { status } = await client.call('getBot', { as: stranger, params: { botId: body.bot.id } })
          expect(status).toBe(403)
        },
      }),
    },
    BAD_REQUEST: {
      'a folder of another workspace': ({ here, there }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { folderId: there.folder },
        at: 'body.folderId',
      }),
      'a property there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ publicId: 'other' }),
        at: 'body.publicId',
      }),
    },
    FORBIDDEN: {
      'to a guest': ({ here }) => ({ as: here.guest, params: { botId: here.draft.id }, body: {} }),
      'to a stranger, though it is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
        body: {},
      }),
    },
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { botId: here.archived.id }, body: {} }),
  },

  exportBot: {
    needs: 'GUEST',
    ok: {
      'a current one': ({ here }) => ({
        as: here.guest,
        params: { botId: here.draft.id },
        after: ({ body }) => {
          expect(body.bot).toMatchObject({ version: '6.1', name: 'Draft', ...flow })
          for (const property of ['id', 'workspaceId', 'folderId', 'publicId', 'createdAt']) {
            expect(body.bot).not.toHaveProperty(property)
          }
        },
      }),
      'a legacy one, as it is': ({ here }) => ({
        as: here.guest,
        params: { botId: here.legacy.id },
        after: ({ body }) => expect(body.bot).toMatchObject({ version: '5', ...legacyFlow }),
      }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.guest,
      params: { botId: here.draft.id },
      query: { format: 'yaml' },
      at: 'query.format',
    }),
    FORBIDDEN: {
      'to a stranger': ({ here, stranger }) => ({ as: stranger, params: { botId: here.draft.id } }),
      'to a stranger, though it is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
      }),
    },
    NOT_FOUND: ({ here }) => ({ as: here.guest, params: { botId: here.archived.id } }),
  },

  checkBot: {
    needs: 'GUEST',
    ok: {
      'a flow without fault': ({ here }) => ({
        as: here.guest,
        params: { botId: here.draft.id },
        after: ({ body }) => expect(body).toEqual({ findings: [] }),
      }),
      'a dangling edge': async ({ here }, { client }) => {
        const edges = [{ id: 'edge-1', from: { eventId: 'start-event' }, to: { groupId: 'nowhere' } }]
        const params = { botId: here.draft.id }
        await client.ok('updateBot', { as: here.member, params, body: { bot: { version: '6.1', edges } } })
        return {
          as: here.guest,
          params,
          after: ({ body }) => expect(body.findings.length).toBeGreaterThan(0),
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.guest,
      params: { botId: here.draft.id },
      query: { strict: true },
      at: 'query.strict',
    }),
    FORBIDDEN: ({ here, stranger }) => ({ as: stranger, params: { botId: here.draft.id } }),
    NOT_FOUND: ({ here }) => ({ as: here.guest, params: { botId: missingId } }),
  },
}
