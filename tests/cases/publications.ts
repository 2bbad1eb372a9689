import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import { flow, type Site } from '../support/world.ts'

const live = (site: Site) => ({ botId: site.published.id, publicationId: site.published.publicationId })

/** Changes the variables of the published bot and publishes it once more. */
async function publishAgain({ client }: App, site: Site) {
  const options = { as: site.member, params: { botId: site.published.id } }
  await client.ok('updateBot', { ...options, body: { bot: { version: '6.1', variables: [] } } })
  await client.ok('publishBot', options)
}

export const publications: Cases<'publications'> = {
  listPublications: {
    needs: 'GUEST',
    ok: {
      'newest first': async ({ here }, app) => {
        await publishAgain(app, here)
        return {
          as: here.guest,
          params: { botId: here.published.id },
          after: ({ body }) => {
            expect(body.publications).toMatchObject([
              { isLive: true, publishedBy: here.member.id, version: '6.1' },
              { isLive: false, id: here.published.publicationId, publishedBy: here.admin.id },
            ])
            expect(body.nextCursor).toBeNull()
          },
        }
      },
      'in pages': async ({ here }, app) => {
        await publishAgain(app, here)
        const options = { as: here.guest, params: { botId: here.published.id } }
        const first = await app.client.ok('listPublications', { ...options, query: { limit: 1 } })
        expect(first.publications).toHaveLength(1)
        return {
          ...options,
          query: { limit: 1, cursor: String(first.nextCursor) },
          after: ({ body }) =>
            expect(body).toMatchObject({
              publications: [{ id: here.published.publicationId }],
              nextCursor: null,
            }),
        }
      },
      'of a bot that was never published': ({ here }) => ({
        as: here.guest,
        params: { botId: here.draft.id },
        after: ({ body }) => expect(body).toEqual({ publications: [], nextCursor: null }),
      }),
    },
    BAD_REQUEST: {
      'a page without entries': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { limit: 0 },
        at: 'query.limit',
      }),
      'the cursor of another bot': async ({ here }, app) => {
        await publishAgain(app, here)
        const options = { as: here.guest, params: { botId: here.published.id }, query: { limit: 1 } }
        const { nextCursor } = await app.client.ok('listPublications', options)
        return {
          as: here.guest,
          params: { botId: here.shared.id },
          query: { cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
    },
    FORBIDDEN: {
      'to a stranger': ({ here, stranger }) => ({ as: stranger, params: { botId: here.published.id } }),
      'to a stranger, though it is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
      }),
    },
    NOT_FOUND: ({ here }) => ({ as: here.guest, params: { botId: missingId } }),
  },

  getPublication: {
    needs: 'GUEST',
    ok: {
      'the live one': ({ here }) => ({
        as: here.guest,
        params: live(here),
        after: ({ body }) =>
          expect(body.publication).toMatchObject({
            id: here.published.publicationId,
            botId: here.published.id,
            isLive: true,
            publishedBy: here.admin.id,
            warnings: [],
            ...flow,
          }),
      }),
      'one that was replaced': async ({ here }, app) => {
        await publishAgain(app, here)
        return {
          as: here.guest,
          params: live(here),
          after: ({ body }) => expect(body.publication).toMatchObject({ isLive: false, ...flow }),
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.guest,
      params: { botId: here.published.id, publicationId: 'no.id' },
      at: 'path.publicationId',
    }),
    FORBIDDEN: ({ here, there }) => ({ as: there.admin, params: live(here) }),
    NOT_FOUND: {
      'one that never was': ({ here }) => ({
        as: here.guest,
        params: { ...live(here), publicationId: missingId },
      }),
      'one of another bot': ({ here, there }) => ({
        as: here.guest,
        params: { ...live(here), publicationId: there.published.publicationId },
      }),
    },
  },

  restorePublication: {
    needs: 'MEMBER',
    ok: {
      'into a draft that went on': async ({ here }, app) => {
        await publishAgain(app, here)
        const options = { as: here.guest, params: { botId: here.published.id } }
        const before = await app.client.ok('getPublishedBot', options)
        return {
          as: here.member,
          params: live(here),
          after: async ({ body }) => {
            expect(body.bot).toMatchObject({ id: here.published.id, name: 'Published', ...flow })
            expect(body.bot.updatedAt > here.published.updatedAt).toBe(true)
            expect(await app.client.ok('getPublishedBot', options)).toEqual(before)
          },
        }
      },
      'that shared the bot, which it leaves as it is': async ({ here, stranger }, { client }) => {
        const options = { as: here.member, params: { botId: here.shared.id } }
        const { publications } = await client.ok('listPublications', options)
        await client.ok('updateBot', { ...options, body: { bot: { version: '6.1', settings: {} } } })
        return {
          as: here.member,
          params: { botId: here.shared.id, publicationId: String(publications[0]?.id) },
          after: async () => {
            const { status } = await client.call('getBot', {
              as: stranger,
              params: { botId: here.shared.id },
            })
            expect(status).toBe(403)
          },
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: live(here),
      body: anyBody({ publish: true }),
      at: 'body',
    }),
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: live(here) }),
    NOT_FOUND: {
      'one that never was': ({ here }) => ({
        as: here.member,
        params: { ...live(here), publicationId: missingId },
      }),
      'one of another bot': ({ here, there }) => ({
        as: here.member,
        params: { ...live(here), publicationId: there.published.publicationId },
      }),
      'of an archived bot': ({ here }) => ({
        as: here.member,
        params: { ...live(here), botId: here.archived.id },
      }),
    },
  },
}
