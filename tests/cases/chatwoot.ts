import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import type { Site } from '../support/world.ts'

const secret = 'a-secret-of-the-agent-bot'

/** The address of an agent bot for the published bot of a site, and a message of a visitor to it. */
export async function connected({ client }: App, { workspaceId, member, published }: Site) {
  const { credentials } = await client.ok('createCredentials', {
    as: member,
    params: { workspaceId },
    body: {
      type: 'chatwoot',
      name: 'Support',
      data: { baseUrl: 'https://chatwoot.example.com', accountId: 1, accessToken: 'token', secret },
    },
  })
  return {
    params: { botId: published.id, credentialsId: credentials.id },
    query: { secret },
    body: {
      event: 'message_created',
      id: 4711,
      content: 'Hello',
      message_type: 'incoming',
      account: { id: 1 },
      conversation: { id: 42, status: 'pending', channel: 'Channel::WebWidget', meta: { assignee: null } },
    },
  }
}

const eventsOf = async ({ pool }: App, botId: string) =>
  (await pool.query('SELECT key FROM chatwoot_events WHERE bot_id = $1', [botId])).rows

export const chatwoot: Cases<'chatwoot'> = {
  receiveChatwootEvent: {
    needs: 'nothing',
    ok: {
      'a message, once': async ({ here }, app) => {
        const request = await connected(app, here)
        await app.client.ok('receiveChatwootEvent', request)
        return {
          ...request,
          after: async ({ body }) => {
            expect(body).toEqual({ message: 'success' })
            expect(await eventsOf(app, here.published.id)).toEqual([{ key: 'message 4711' }])
          },
        }
      },
      'an event that says nothing to the bot': async ({ here }, app) => ({
        ...(await connected(app, here)),
        body: { event: 'webwidget_triggered' },
        after: async () => expect(await eventsOf(app, here.published.id)).toEqual([]),
      }),
    },
    BAD_REQUEST: {
      'of another account': async ({ here }, app) => {
        const request = await connected(app, here)
        return { ...request, body: { ...request.body, account: { id: 2 } }, at: 'body.account.id' }
      },
      'with an outcome that there is not': async ({ here }, app) => {
        const request = await connected(app, here)
        return { ...request, query: anyBody({ secret, whenOver: 'closed' }), at: 'query.whenOver' }
      },
    },
    FORBIDDEN: {
      'without a signature': async ({ here }, app) => ({
        ...(await connected(app, here)),
        query: {},
        at: 'header.x-chatwoot-signature',
      }),
      'with another secret': async ({ here }, app) => ({
        ...(await connected(app, here)),
        query: { secret: 'another-secret-of-the-same-length' },
        at: 'query.secret',
      }),
      'with another signature': async ({ here }, app) => ({
        ...(await connected(app, here)),
        headers: { 'x-chatwoot-signature': 'sha256=00', 'x-chatwoot-timestamp': '1773144000' },
        at: 'header.x-chatwoot-signature',
      }),
    },
    NOT_FOUND: {
      'of a bot that there is not': async ({ here }, app) => {
        const { params, ...request } = await connected(app, here)
        return { ...request, params: { ...params, botId: missingId }, at: 'path.credentialsId' }
      },
      'with credentials of another workspace': async ({ here, there }, app) => {
        const { params, ...request } = await connected(app, there)
        return { ...request, params: { ...params, botId: here.published.id }, at: 'path.credentialsId' }
      },
    },
  },
}
