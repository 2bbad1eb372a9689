import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import type { Site } from '../support/world.ts'

/** A public address, which needs no DNS query. These tests send nothing. */
const url = 'https://93.184.216.34/hook'

async function endpointOf({ client }: App, { admin, workspaceId }: Site) {
  const { webhookEndpoint } = await client.ok('createWebhookEndpoint', {
    as: admin,
    params: { workspaceId },
    body: { url },
  })
  return webhookEndpoint
}

/** A request about an endpoint of a site. */
async function about(app: App, site: Site) {
  const { id, secret } = await endpointOf(app, site)
  return { as: site.admin, params: { workspaceId: site.workspaceId, endpointId: id }, secret }
}

async function request(app: App, site: Site) {
  const { as, params } = await about(app, site)
  return { as, params }
}

/** A request about a delivery to an endpoint of a site. */
async function delivered(app: App, site: Site) {
  const { as, params } = await request(app, site)
  const { webhookDelivery } = await app.client.ok('testWebhookEndpoint', { as, params })
  return { as, params: { ...params, deliveryId: webhookDelivery.id } }
}

const unknownEndpoint = ({ admin, workspaceId }: Site) => ({
  as: admin,
  params: { workspaceId, endpointId: missingId },
})

export const webhooks: Cases<'webhooks'> = {
  listWebhookEndpoints: {
    needs: 'ADMIN',
    ok: async ({ here, there }, app) => {
      const own = await endpointOf(app, here)
      await endpointOf(app, there)
      return {
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        after: ({ body, text }) => {
          expect(body.webhookEndpoints).toMatchObject([{ id: own.id, url, types: null, isEnabled: true }])
          expect(text).not.toContain('whsec_')
        },
      }
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      query: { limit: 10 },
      at: 'query.limit',
    }),
    FORBIDDEN: ({ here }) => ({ as: here.member, params: { workspaceId: here.workspaceId } }),
    NOT_FOUND: ({ here }) => ({ as: here.admin, params: { workspaceId: missingId } }),
  },

  createWebhookEndpoint: {
    needs: 'ADMIN',
    ok: {
      'for everything': ({ here }, { client }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { url },
        after: async ({ body, headers }) => {
          const { webhookEndpoint } = body
          expect(webhookEndpoint).toMatchObject({ url, types: null, description: null, isEnabled: true })
          expect(webhookEndpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
          const params = { workspaceId: here.workspaceId, endpointId: webhookEndpoint.id }
          expect(headers.location).toBe(
            `/v1/workspaces/${here.workspaceId}/webhookEndpoints/${webhookEndpoint.id}`,
          )
          const { secret: _, ...shown } = webhookEndpoint
          const read = await client.ok('getWebhookEndpoint', { as: here.admin, params })
          expect(read.webhookEndpoint).toEqual(shown)
        },
      }),
      'for some types': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { url, description: 'CRM', types: ['result.completed'], isEnabled: false },
        after: ({ body }) =>
          expect(body.webhookEndpoint).toMatchObject({
            description: 'CRM',
            types: ['result.completed'],
            isEnabled: false,
          }),
      }),
    },
    BAD_REQUEST: {
      'a private address': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { url: 'https://127.1/hook' },
        at: 'body.url',
      }),
      'another scheme': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { url: 'file:///etc/passwd' },
        at: 'body.url',
      }),
      'no URL': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { url: 'nonsense' },
        at: 'body.url',
      }),
      'a name in the URL': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { url: 'https://ada:secret@93.184.216.34/' },
        at: 'body.url',
      }),
      'a type there is not': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: anyBody({ url, types: ['bot.exploded'] }),
        at: 'body.types.0',
      }),
    },
    FORBIDDEN: {
      'a member': ({ here }) => ({
        as: here.member,
        params: { workspaceId: here.workspaceId },
        body: { url },
      }),
      'one too many': async ({ here }, app) => {
        for (let count = 0; count < 20; count++) await endpointOf(app, here)
        return { as: here.admin, params: { workspaceId: here.workspaceId }, body: { url } }
      },
    },
    NOT_FOUND: ({ here }) => ({ as: here.admin, params: { workspaceId: missingId }, body: { url } }),
  },

  getWebhookEndpoint: {
    needs: 'ADMIN',
    ok: async ({ here }, app) => ({
      ...(await request(app, here)),
      after: ({ body, text }) => {
        expect(body.webhookEndpoint).toMatchObject({ url, failingSince: null, disabledReason: null })
        expect(text).not.toContain('whsec_')
      },
    }),
    BAD_REQUEST: async ({ here }, app) => ({
      ...(await request(app, here)),
      query: { secret: 'true' },
      at: 'query.secret',
    }),
    FORBIDDEN: async ({ here }, app) => ({ ...(await request(app, here)), as: here.member }),
    NOT_FOUND: {
      unknown: ({ here }) => unknownEndpoint(here),
      'of another workspace': async ({ here, there }, app) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId, endpointId: (await endpointOf(app, there)).id },
      }),
    },
  },

  updateWebhookEndpoint: {
    needs: 'ADMIN',
    ok: {
      'one property': async ({ here }, app) => ({
        ...(await request(app, here)),
        body: { isEnabled: false },
        after: ({ body }) => expect(body.webhookEndpoint).toMatchObject({ url, isEnabled: false }),
      }),
      'what was read, sent back': async ({ here }, app) => {
        const { as, params } = await request(app, here)
        const { webhookEndpoint } = await app.client.ok('getWebhookEndpoint', { as, params })
        return {
          as,
          params,
          body: anyBody({ ...webhookEndpoint, types: ['bot.updated'], failingSince: '2020' }),
          after: ({ body }) =>
            expect(body.webhookEndpoint).toMatchObject({ types: ['bot.updated'], failingSince: null }),
        }
      },
    },
    BAD_REQUEST: {
      'a private address': async ({ here }, app) => ({
        ...(await request(app, here)),
        body: { url: 'http://[::1]/' },
        at: 'body.url',
      }),
      'no types at all': async ({ here }, app) => ({
        ...(await request(app, here)),
        body: { types: [] },
        at: 'body.types',
      }),
    },
    FORBIDDEN: async ({ here }, app) => ({ ...(await request(app, here)), as: here.member, body: {} }),
    NOT_FOUND: ({ here }) => ({ ...unknownEndpoint(here), body: { isEnabled: false } }),
  },

  deleteWebhookEndpoint: {
    needs: 'ADMIN',
    ok: async ({ here }, app) => {
      const { as, params } = await request(app, here)
      return {
        as,
        params,
        after: async () => {
          expect((await app.client.call('getWebhookEndpoint', { as, params })).status).toBe(404)
        },
      }
    },
    BAD_REQUEST: async ({ here }, app) => ({
      ...(await request(app, here)),
      query: { force: 'true' },
      at: 'query.force',
    }),
    FORBIDDEN: async ({ here }, app) => ({ ...(await request(app, here)), as: here.member }),
    NOT_FOUND: ({ here }) => unknownEndpoint(here),
  },

  testWebhookEndpoint: {
    needs: 'ADMIN',
    ok: async ({ here }, app) => {
      const { as, params } = await request(app, here)
      return {
        as,
        params,
        after: async ({ body }) => {
          const { endpointId } = params
          expect(body.webhookDelivery).toMatchObject({
            type: 'endpoint.test',
            status: 'pending',
            attempts: 0,
            payload: { type: 'endpoint.test', data: { endpointId } },
          })
          const list = await app.client.ok('listWebhookDeliveries', { as, params })
          expect(list.webhookDeliveries).toMatchObject([{ id: body.webhookDelivery.id }])
        },
      }
    },
    BAD_REQUEST: async ({ here }, app) => ({
      ...(await request(app, here)),
      query: { type: 'x' },
      at: 'query.type',
    }),
    FORBIDDEN: async ({ here }, app) => ({ ...(await request(app, here)), as: here.member }),
    NOT_FOUND: ({ here }) => unknownEndpoint(here),
  },

  rotateWebhookSecret: {
    needs: 'ADMIN',
    ok: async ({ here }, app) => {
      const { as, params, secret } = await about(app, here)
      return {
        as,
        params,
        after: async ({ body }) => {
          const { webhookEndpoint } = await app.client.ok('getWebhookEndpoint', { as, params })
          const aDayLater = Date.parse(webhookEndpoint.updatedAt) + 24 * 60 * 60 * 1000
          expect(body).toEqual({
            endpointId: params.endpointId,
            secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
            previousSecretExpiresAt: new Date(aDayLater).toISOString(),
          })
          expect(body.secret).not.toBe(secret)
        },
      }
    },
    BAD_REQUEST: async ({ here }, app) => ({
      ...(await request(app, here)),
      query: { now: 'true' },
      at: 'query.now',
    }),
    FORBIDDEN: async ({ here }, app) => ({ ...(await request(app, here)), as: here.member }),
    NOT_FOUND: ({ here }) => unknownEndpoint(here),
  },

  listWebhookDeliveries: {
    needs: 'ADMIN',
    ok: {
      'newest first': async ({ here }, app) => {
        const { as, params } = await request(app, here)
        const body = { bot: { name: 'Told' }, workspaceId: here.workspaceId }
        const { bot } = await app.client.ok('createBot', { as, body })
        return {
          as,
          params,
          after: async (answer) => {
            const [delivery] = answer.body.webhookDeliveries
            expect(answer.body.webhookDeliveries).toMatchObject([
              { type: 'bot.created', status: 'pending', attempts: 0, lastStatus: null, nextAttemptAt: null },
            ])
            const own = { as, params: { ...params, deliveryId: delivery.id } }
            const { webhookDelivery } = await app.client.ok('getWebhookDelivery', own)
            expect(webhookDelivery.payload).toMatchObject({ data: { id: bot.id, name: 'Told' } })
          },
        }
      },
      'page by page': async ({ here }, app) => {
        const { as, params } = await delivered(app, here)
        const { webhookDelivery } = await app.client.ok('testWebhookEndpoint', { as, params })
        const { deliveryId, ...endpoint } = params
        return {
          as,
          params: endpoint,
          query: { limit: 1 },
          after: async ({ body }) => {
            expect(body.webhookDeliveries).toMatchObject([{ id: webhookDelivery.id }])
            const query = { limit: 1, cursor: body.nextCursor }
            const next = await app.client.ok('listWebhookDeliveries', { as, params: endpoint, query })
            expect(next).toMatchObject({ webhookDeliveries: [{ id: deliveryId }], nextCursor: null })
          },
        }
      },
    },
    BAD_REQUEST: async ({ here }, app) => ({
      ...(await request(app, here)),
      query: { cursor: 'AZx0mC1jZ3JhbnQ' },
      at: 'query.cursor',
    }),
    FORBIDDEN: async ({ here }, app) => ({ ...(await request(app, here)), as: here.member }),
    NOT_FOUND: ({ here }) => unknownEndpoint(here),
  },

  getWebhookDelivery: {
    needs: 'ADMIN',
    ok: async ({ here }, app) => ({
      ...(await delivered(app, here)),
      after: ({ body }) => expect(body.webhookDelivery.payload.type).toBe('endpoint.test'),
    }),
    BAD_REQUEST: async ({ here }, app) => ({
      ...(await delivered(app, here)),
      query: { payload: 'true' },
      at: 'query.payload',
    }),
    FORBIDDEN: async ({ here }, app) => ({ ...(await delivered(app, here)), as: here.member }),
    NOT_FOUND: {
      unknown: async ({ here }, app) => {
        const { as, params } = await request(app, here)
        return { as, params: { ...params, deliveryId: missingId } }
      },
      'to another endpoint': async ({ here }, app) => {
        const { as, params } = await delivered(app, here)
        return { as, params: { ...params, endpointId: (await endpointOf(app, here)).id } }
      },
    },
  },

  redeliverWebhookDelivery: {
    needs: 'ADMIN',
    ok: async ({ here }, app) => {
      const { as, params } = await delivered(app, here)
      await app.pool.query(
        'UPDATE webhook_deliveries SET next_attempt_at = NULL, is_delivered = true, attempts = 3 WHERE id = $1',
        [params.deliveryId],
      )
      return {
        as,
        params,
        after: async ({ body }) => {
          expect(body).toEqual({ message: 'success' })
          const { webhookDelivery } = await app.client.ok('getWebhookDelivery', { as, params })
          expect(webhookDelivery).toMatchObject({ status: 'pending', attempts: 3 })
        },
      }
    },
    BAD_REQUEST: async ({ here }, app) => ({
      ...(await delivered(app, here)),
      query: { x: '1' },
      at: 'query.x',
    }),
    FORBIDDEN: async ({ here }, app) => ({ ...(await delivered(app, here)), as: here.member }),
    CONFLICT: async ({ here }, app) => {
      const { as, params } = await delivered(app, here)
      await app.pool.query(
        `WITH event AS (UPDATE webhook_events SET subject = 'deleted' WHERE id = $1)
        UPDATE webhook_deliveries SET type = 'result.answered', subject = 'deleted' WHERE id = $1`,
        [params.deliveryId],
      )
      return { as, params, at: 'path.deliveryId' }
    },
    NOT_FOUND: {
      unknown: async ({ here }, app) => {
        const { as, params } = await request(app, here)
        return { as, params: { ...params, deliveryId: missingId } }
      },
      'of another workspace': async ({ here, there }, app) => {
        const { params } = await delivered(app, there)
        return { as: here.admin, params: { ...params, workspaceId: here.workspaceId } }
      },
    },
  },
}
