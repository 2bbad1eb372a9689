import { expect } from '@jest/globals'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import { flow } from '../support/world.ts'

export const publishing: Cases<'publishing'> = {
  publishBot: {
    needs: 'MEMBER',
    ok: {
      'for the first time': ({ here }, { client }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        after: async ({ body }) => {
          expect(body).toEqual({ message: 'success', errorsFound: 0, warningsFound: 0, firstErrors: [] })
          const options = { as: here.guest, params: { botId: here.draft.id } }
          const { publishedBot, version } = await client.ok('getPublishedBot', options)
          expect(publishedBot).toMatchObject({ botId: here.draft.id, version: '6.1', ...flow })
          expect(version).toBe('6.1')
          const { bot } = await client.ok('getBot', options)
          expect(bot.updatedAt > here.draft.updatedAt).toBe(true)
          expect(bot.publicId).toMatch(/^draft-[a-z0-9]{10}$/)
        },
      }),
      again: async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        const before = await client.ok('getPublishedBot', options)
        const group = { id: 'group-1', title: 'Lost', graphCoordinates: { x: 0, y: 0 } }
        const blocks = [
          { id: 'b', type: 'Jump' },
          { id: 'c', type: 'text', content: { richText: [] } },
        ]
        const body = { bot: { version: '6.1', variables: [], groups: [{ ...group, blocks }] } } as const
        await client.ok('updateBot', { ...options, body: anyBody(body) })
        return {
          ...options,
          after: async ({ body }) => {
            expect(body).toMatchObject({
              errorsFound: 1,
              warningsFound: 1,
              firstErrors: [{ code: 'missing_setting', severity: 'error' }],
            })
            const { publishedBot } = await client.ok('getPublishedBot', options)
            const { id, createdAt, updatedAt } = before.publishedBot
            expect(publishedBot).toMatchObject({ id, createdAt, variables: [] })
            expect(publishedBot.updatedAt > updatedAt).toBe(true)
            const { bot } = await client.ok('getBot', options)
            expect(bot.publicId).toBe(here.published.publicId)
          },
        }
      },
      'a legacy one, with an empty object for a body': ({ here }, { client }) => ({
        as: here.member,
        params: { botId: here.legacy.id },
        body: anyBody({}),
        after: async () => {
          const params = { botId: here.legacy.id }
          const { publishedBot } = await client.ok('getPublishedBot', { as: here.guest, params })
          expect(publishedBot).toMatchObject({ version: '5', events: null })
        },
      }),
    },
    BAD_REQUEST: {
      'with a body': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ version: '6.1' }),
        at: 'body',
      }),
      'with a parameter': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { draft: true },
        at: 'query.draft',
      }),
    },
    FORBIDDEN: {
      'to a guest': ({ here }) => ({ as: here.guest, params: { botId: here.draft.id } }),
      'to a stranger, though it is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
      }),
      'one that never was': ({ here }) => ({ as: here.admin, params: { botId: missingId } }),
      'one that was archived': ({ here }) => ({ as: here.admin, params: { botId: here.archived.id } }),
    },
  },

  unpublishBot: {
    needs: 'MEMBER',
    ok: {
      'a published one': ({ here }, { client }) => ({
        as: here.member,
        params: { botId: here.published.id },
        after: async ({ body }) => {
          expect(body).toEqual({ message: 'success' })
          const options = { as: here.member, params: { botId: here.published.id } }
          expect((await client.call('getPublishedBot', options)).status).toBe(404)
          const { bot } = await client.ok('getBot', options)
          expect(bot).toMatchObject({
            publicId: here.published.publicId,
            updatedAt: here.published.updatedAt,
          })
        },
      }),
      'one that is not published': ({ here }) => ({ as: here.member, params: { botId: here.draft.id } }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { botId: here.published.id },
      body: anyBody([]),
      at: 'body',
    }),
    FORBIDDEN: {
      'to a guest': ({ here }) => ({ as: here.guest, params: { botId: here.published.id } }),
      'one that never was': ({ here }) => ({ as: here.admin, params: { botId: missingId } }),
    },
  },

  getPublishedBot: {
    needs: 'GUEST or shared',
    ok: {
      'by a guest': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        after: ({ body }) => {
          expect(body.publishedBot).toMatchObject({ botId: here.published.id, ...flow })
          expect(body.publishedBot).not.toHaveProperty('name')
        },
      }),
      'shared publicly, by a stranger': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
      }),
      'of a legacy version, converted': async ({ here }, { client }) => {
        const params = { botId: here.legacy.id }
        await client.ok('publishBot', { as: here.member, params })
        return {
          as: here.guest,
          params,
          query: { migrateToLatestVersion: true },
          after: ({ body }) => {
            expect(body.publishedBot.version).toBe('6.1')
            expect(body.version).toBe('5')
          },
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.guest,
      params: { botId: here.published.id },
      query: { migrateToLatestVersion: 'yes' },
      at: 'query.migrateToLatestVersion',
    }),
    FORBIDDEN: ({ here, stranger }) => ({ as: stranger, params: { botId: here.published.id } }),
    NOT_FOUND: {
      'one that is not published': ({ here }) => ({ as: here.member, params: { botId: here.draft.id } }),
      'of a bot that never was': ({ here }) => ({ as: here.member, params: { botId: missingId } }),
    },
  },
}
