import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { stepStatement } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { flow, type Site } from '../support/world.ts'

async function logsOf({ pool }: App, resultId: string) {
  const { rows } = await pool.query(
    'SELECT status, description, details, context FROM result_logs WHERE result_id = $1 ORDER BY id',
    [resultId],
  )
  return rows.slice(1)
}

/** Starts a chat with the published bot, as a person whose page says nothing about itself. */
function start({ client }: App, site: Site) {
  return client.ok('startChat', { params: { publicId: site.published.publicId } })
}

/** Lets only one origin chat with the published bot. */
async function restrict({ client }: App, site: Site) {
  const options = { as: site.member, params: { botId: site.published.id } }
  const settings = { security: { allowedOrigins: ['https://allowed.example'] } }
  await client.ok('updateBot', { ...options, body: { bot: { version: '6.1', settings } } })
  await client.ok('publishBot', options)
}

/** A chat that waits at a webhook block, in the published bot. */
async function waitAtWebhook(app: App, site: Site) {
  const options = { as: site.member, params: { botId: site.published.id } }
  const blocks = [{ id: 'block-webhook', type: 'webhook' }]
  const groups = flow.groups.map((group) => ({ ...group, blocks }))
  await app.client.ok('updateBot', { ...options, body: anyBody({ bot: { version: '6.1', groups } }) })
  await app.client.ok('publishBot', options)
  const { sessionId, resultId } = await start(app, site)
  const params = { ...options.params, blockId: 'block-webhook', resultId: String(resultId) }
  return { sessionId, params }
}

export const chat: Cases<'chat'> = {
  startChat: {
    needs: 'nothing',
    ok: {
      'up to the first input': ({ here }, { client }) => ({
        params: { publicId: here.published.publicId },
        after: async ({ body }) => {
          expect(body).toMatchObject({
            bot: { id: here.published.id, version: '6.1', theme: {} },
            messages: [{ id: 'block-hello', type: 'text' }],
            input: { id: 'block-email', type: 'email input' },
            revision: 1,
          })
          const params = { botId: here.published.id, resultId: body.resultId }
          const { result } = await client.ok('getResult', { as: here.member, params })
          expect(result).toMatchObject({ isCompleted: false, hasStarted: false, answers: [] })
        },
      }),
      'of which nothing runs yet': ({ here }) => ({
        params: { publicId: here.published.publicId },
        body: { isOnlyRegistering: true },
        after: ({ body }) => {
          expect(body).toMatchObject({ messages: [] })
          expect(body).not.toHaveProperty('resultId')
        },
      }),
      'with texts as Markdown': ({ here }) => ({
        params: { publicId: here.published.publicId },
        body: { textBubbleContentFormat: 'markdown' },
        after: ({ body }) =>
          expect(body.messages[0].content).toMatchObject({ type: 'markdown', markdown: 'Hi' }),
      }),
      'from a page of an origin that is allowed': async ({ here }, app) => {
        await restrict(app, here)
        return {
          params: { publicId: here.published.publicId },
          headers: { Origin: 'https://allowed.example' },
          after: ({ headers }) => {
            expect(headers['access-control-allow-origin']).toBe('https://allowed.example')
            expect(headers.vary).toBe('Origin')
          },
        }
      },
    },
    BAD_REQUEST: {
      'with a bot that is closed': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        await client.ok('updateBot', { ...options, body: { bot: { version: '6.1', isClosed: true } } })
        return { params: { publicId: here.published.publicId }, at: 'path.publicId' }
      },
      'with variables that are no object': ({ here }) => ({
        params: { publicId: here.published.publicId },
        body: anyBody({ prefilledVariables: ['Ada'] }),
        at: 'body.prefilledVariables',
      }),
    },
    FORBIDDEN: async ({ here }, app) => {
      await restrict(app, here)
      return {
        params: { publicId: here.published.publicId },
        headers: { Origin: 'https://allowed.example.evil.example' },
        at: 'header.origin',
        after: ({ headers }) => expect(headers).not.toHaveProperty('access-control-allow-origin'),
      }
    },
    NOT_FOUND: {
      'under a name that no bot has': () => ({ params: { publicId: 'nobody' } }),
      'with a bot that is not published any more': async ({ here }, { client }) => {
        await client.ok('unpublishBot', { as: here.member, params: { botId: here.published.id } })
        return { params: { publicId: here.published.publicId } }
      },
    },
  },

  listSessionEvents: {
    needs: 'nothing',
    ok: {
      'from now on': async ({ here }, app) => ({
        params: { sessionId: (await start(app, here)).sessionId },
        after: ({ body }) => expect(body.events).toEqual([{ type: 'handled', id: '1.0', handledBy: 'bot' }]),
      }),
      'after an event': async ({ here }, app) => {
        const { sessionId } = await start(app, here)
        const chat = { as: here.member, params: { botId: here.published.id, sessionId } }
        await app.client.ok('continueChat', { params: { sessionId }, body: { message: 'nobody' } })
        await app.client.ok('updateChat', { ...chat, body: { handledBy: 'member' } })
        await app.client.ok('sendMessage', { ...chat, body: { text: 'Hello' } })
        return {
          params: { sessionId },
          query: { after: '1.0' },
          after: ({ body }) =>
            expect(body.events).toMatchObject([
              { type: 'turn', id: '2.0', said: [{ role: 'user', text: 'nobody' }], step: { revision: 2 } },
              { type: 'message', id: '2.1', turns: [{ role: 'member' }] },
              { type: 'handled', id: '2.1', handledBy: 'member' },
            ]),
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      params: { sessionId: here.session },
      query: { after: 'yesterday' },
      at: 'query.after',
    }),
    FORBIDDEN: async ({ here }, app) => {
      await restrict(app, here)
      return {
        params: { sessionId: (await start(app, here)).sessionId },
        headers: { Origin: 'null' },
        at: 'header.origin',
      }
    },
    NOT_FOUND: () => ({ params: { sessionId: missingId } }),
  },

  getSession: {
    needs: 'nothing',
    ok: {
      'that waits for a reply': async ({ here }, app) => {
        const started = await start(app, here)
        const { sessionId, resultId } = started
        await app.client.ok('continueChat', { params: { sessionId }, body: { message: 'nobody' } })
        return {
          params: { sessionId },
          after: ({ body }) => {
            expect(body).toMatchObject({
              sessionId,
              resultId,
              bot: { id: here.published.id, version: '6.1', theme: started.bot.theme },
              turns: [
                { role: 'bot', message: started.messages[0] },
                { role: 'user', text: 'nobody' },
                { role: 'bot', message: { type: 'text' } },
              ],
              isOver: false,
              input: started.input,
              revision: 2,
            })
            expect(body.turns).toHaveLength(3)
          },
        }
      },
      'that is over': async ({ here }, app) => {
        const { sessionId } = await start(app, here)
        const body = { message: 'ada@example.com' }
        await app.client.ok('continueChat', { params: { sessionId }, body })
        return {
          params: { sessionId },
          after: ({ body }) => {
            expect(body).toMatchObject({ isOver: true, revision: 2 })
            expect(body.turns.at(-1)).toEqual({ role: 'user', text: 'ada@example.com' })
            expect(body).not.toHaveProperty('input')
          },
        }
      },
      'that waits for a webhook, and only for that': async ({ here }, app) => {
        const { sessionId } = await waitAtWebhook(app, here)
        return {
          params: { sessionId },
          after: ({ body }) =>
            expect(body.clientSideActions).toEqual([
              { type: 'listenForWebhook', expectsDedicatedReply: true },
            ]),
        }
      },
      'of a preview': async ({ here }, { client }) => {
        const params = { botId: here.draft.id }
        const { sessionId } = await client.ok('startPreview', { as: here.member, params })
        return {
          params: { sessionId },
          after: ({ body }) => {
            expect(body).toMatchObject({ isOver: false, input: { id: 'block-email' }, revision: 1 })
            expect(body).not.toHaveProperty('resultId')
          },
        }
      },
    },
    BAD_REQUEST: () => ({ params: { sessionId: 'x'.repeat(256) }, at: 'path.sessionId' }),
    FORBIDDEN: async ({ here }, app) => {
      await restrict(app, here)
      return {
        params: { sessionId: (await start(app, here)).sessionId },
        headers: { Origin: 'null' },
        at: 'header.origin',
      }
    },
    NOT_FOUND: {
      'that never was': () => ({ params: { sessionId: missingId } }),
      'that has expired': ({ here }) => ({ params: { sessionId: here.expiredSession } }),
    },
  },

  continueChat: {
    needs: 'nothing',
    ok: {
      'with an answer': async ({ here }, app) => {
        const { sessionId, resultId } = await start(app, here)
        return {
          params: { sessionId },
          body: { message: 'ada@example.com', revision: 1 },
          after: async ({ body }) => {
            expect(body).toMatchObject({ messages: [], revision: 2 })
            expect(body).not.toHaveProperty('input')
            const params = { botId: here.published.id, resultId: String(resultId) }
            const { result } = await app.client.ok('getResult', { as: here.member, params })
            expect(result).toMatchObject({
              isCompleted: true,
              hasStarted: true,
              lastChatSessionId: sessionId,
              answers: [{ blockId: 'block-email', content: 'ada@example.com' }],
            })
          },
        }
      },
      'with an answer that the input does not take': async ({ here }, app) => ({
        params: { sessionId: (await start(app, here)).sessionId },
        body: { message: 'nobody' },
        after: ({ body }) => {
          expect(body.messages).toHaveLength(1)
          expect(body.input.id).toBe('block-email')
        },
      }),
      'again with the same reply': async ({ here }, app) => {
        const params = { sessionId: (await start(app, here)).sessionId }
        const body = { message: 'ada@example.com', revision: 1 }
        const first = await app.client.ok('continueChat', { params, body })
        return { params, body, after: (answer) => expect(answer.body).toEqual(first) }
      },
    },
    BAD_REQUEST: async ({ here }, app) => ({
      params: { sessionId: (await start(app, here)).sessionId },
      body: anyBody({ message: { type: 'video', url: 'x' } }),
      at: 'body.message',
    }),
    FORBIDDEN: async ({ here }, app) => {
      await restrict(app, here)
      return {
        params: { sessionId: (await start(app, here)).sessionId },
        body: { message: 'ada@example.com' },
        headers: { Origin: 'null' },
        at: 'header.origin',
      }
    },
    NOT_FOUND: {
      'of a session that never was': () => ({ params: { sessionId: missingId }, body: { message: 'Hi' } }),
      'of a session that has expired': ({ here }) => ({
        params: { sessionId: here.expiredSession },
        body: { message: 'Hi' },
      }),
    },
    CONFLICT: async ({ here }, app) => {
      const params = { sessionId: (await start(app, here)).sessionId }
      await app.client.ok('continueChat', { params, body: { message: 'nobody', revision: 1 } })
      return { params, body: { message: 'ada@example.com', revision: 1 }, at: 'body.revision' }
    },
  },

  startPreview: {
    needs: 'MEMBER',
    ok: {
      'of the draft': ({ here }, { client }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        after: async ({ body }) => {
          expect(body).toMatchObject({ input: { id: 'block-email' }, revision: 1 })
          expect(body).not.toHaveProperty('resultId')
          const { stats } = await client.ok('getStats', {
            as: here.guest,
            params: { botId: here.draft.id },
          })
          expect(stats.totalViews).toBe(0)
        },
      }),
      'from a group': ({ here }) => ({
        as: here.member,
        params: { botId: here.legacy.id },
        body: { startFrom: { type: 'group', groupId: 'group-1' } },
      }),
      'of a whole chat, of which nothing is stored': ({ here }, app) => ({
        as: here.member,
        params: { botId: here.published.id },
        body: {
          simulation: { of: 'published', replies: [{ message: 'nobody' }, { message: 'ada@example.com' }] },
        },
        after: async ({ body }) => {
          expect(body).toMatchObject({ input: { id: 'block-email' }, revision: 1 })
          expect(body).not.toHaveProperty('resultId')
          expect(body.simulation).toMatchObject({
            steps: [
              { input: { id: 'block-email' }, revision: 2 },
              { messages: [], revision: 3 },
            ],
            isOver: true,
            isIncomplete: false,
            answers: [{ blockId: 'block-email', content: 'ada@example.com' }],
            requests: [],
          })
          const { rows } = await app.pool.query('SELECT 1 FROM chat_sessions WHERE id = $1', [body.sessionId])
          expect(rows).toEqual([])
        },
      }),
      'over the session of another visitor, which stays unchanged': ({ here }, app) => ({
        as: here.member,
        params: { botId: here.published.id },
        body: { sessionId: here.session },
        after: async ({ body }) => {
          expect(body.sessionId).not.toBe(here.session)
          const { rows } = await app.pool.query('SELECT revision FROM chat_sessions WHERE id = $1', [
            here.session,
          ])
          expect(rows).toEqual([{ revision: 1 }])
        },
      }),
    },
    BAD_REQUEST: {
      'from a place of no kind': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ startFrom: { type: 'block', blockId: 'block-email' } }),
        at: 'body.startFrom.type',
      }),
      'with a reply that is a number': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ simulation: { replies: [{ message: 1 }] } }),
        at: 'body.simulation.replies.0.message',
      }),
      'with a command that the bot does not have': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: {
          simulation: { replies: [{ message: 'no' }, { message: { type: 'command', command: 'no' } }] },
        },
        at: 'body.simulation.replies.1',
      }),
      'with a property it does not know': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: anyBody({ resultId: here.results[0] }),
        at: 'body.resultId',
      }),
    },
    FORBIDDEN: {
      'to a guest': ({ here }) => ({ as: here.guest, params: { botId: here.draft.id } }),
      'to a stranger, though it is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
      }),
    },
    NOT_FOUND: {
      'of a bot that is deleted': ({ here }) => ({ as: here.member, params: { botId: here.archived.id } }),
      'of a bot that was never published': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { simulation: { of: 'published' } },
        at: 'body.simulation.of',
      }),
      'of a publication of another bot': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { simulation: { of: missingId } },
        at: 'body.simulation.of',
      }),
    },
  },

  executeWebhook: {
    needs: 'MEMBER',
    ok: async ({ here }, app) => {
      const { sessionId, params } = await waitAtWebhook(app, here)
      return {
        as: here.member,
        params,
        body: { isPaid: true },
        after: async ({ body }) => {
          expect(body).toEqual({ message: 'success' })
          const step = await app.client.ok('continueChat', { params: { sessionId }, body: { revision: 1 } })
          expect(step).toMatchObject({ messages: [], revision: 2 })
        },
      }
    },
    BAD_REQUEST: async ({ here }, app) => {
      const { params } = await waitAtWebhook(app, here)
      return {
        as: here.member,
        params: { ...params, blockId: 'block-hello' },
        body: { isPaid: true },
        at: 'path.blockId',
      }
    },
    FORBIDDEN: async ({ here }, app) => {
      const { params } = await waitAtWebhook(app, here)
      return { as: here.guest, params, body: { isPaid: true } }
    },
    NOT_FOUND: {
      'of a result that never was': async ({ here }, app) => {
        const { params } = await waitAtWebhook(app, here)
        return { as: here.member, params: { ...params, resultId: missingId }, body: { isPaid: true } }
      },
      'of a result of another bot': async ({ here, there }, app) => {
        const { params } = await waitAtWebhook(app, there)
        return { as: here.member, params: { ...params, botId: here.published.id }, body: { isPaid: true } }
      },
    },
    CONFLICT: async ({ here }, app) => {
      const { params } = await waitAtWebhook(app, here)
      app.beforeStatement = async (text) => {
        if (!stepStatement.test(text)) return
        app.beforeStatement = undefined
        await app.client.ok('executeWebhook', { as: here.member, params, body: { isPaid: false } })
      }
      return { as: here.member, params, body: { isPaid: true }, isRace: true, at: 'body.revision' }
    },
  },

  saveClientLogs: {
    needs: 'nothing',
    ok: {
      'three entries, of which each text is cut': ({ here }, app) => ({
        params: { sessionId: here.session },
        body: {
          clientLogs: [
            { description: 'One' },
            { description: 'Two', status: 'info', details: '😀'.repeat(1_001), context: 'Script' },
            { description: 'd'.repeat(1_001), status: 's'.repeat(10_000), context: '😀'.repeat(1_001) },
          ],
        },
        after: async ({ body }) => {
          expect(body).toEqual({ message: 'success' })
          expect(await logsOf(app, here.results[0])).toEqual([
            { status: 'error', description: 'One', details: null, context: null },
            { status: 'info', description: 'Two', details: '😀'.repeat(1_000), context: 'Script' },
            {
              status: 's'.repeat(1_000),
              description: 'd'.repeat(1_000),
              details: null,
              context: '😀'.repeat(1_000),
            },
          ])
        },
      }),
      'no entries': ({ here }) => ({ params: { sessionId: here.session }, body: { clientLogs: [] } }),
      'whatever the token': ({ here, revoked }) => ({
        as: revoked,
        params: { sessionId: here.session },
        body: { clientLogs: [{ description: 'One' }] },
      }),
    },
    BAD_REQUEST: {
      'a session that never was': () => ({
        params: { sessionId: missingId },
        body: { clientLogs: [{ description: 'One' }] },
        at: 'path.sessionId',
      }),
      'a session that has expired': ({ here }) => ({
        params: { sessionId: here.expiredSession },
        body: { clientLogs: [{ description: 'One' }] },
        at: 'path.sessionId',
      }),
      'the session of an archived bot': async ({ here }, { client }) => {
        await client.ok('deleteBot', { as: here.member, params: { botId: here.published.id } })
        return {
          params: { sessionId: here.session },
          body: { clientLogs: [{ description: 'One' }] },
          at: 'path.sessionId',
        }
      },
      'an entry without a description': ({ here }) => ({
        params: { sessionId: here.session },
        body: anyBody({ clientLogs: [{ status: 'error' }] }),
        at: 'body.clientLogs.0.description',
      }),
      'too many entries': ({ here }) => ({
        params: { sessionId: here.session },
        body: { clientLogs: Array.from({ length: 101 }, () => ({ description: 'One' })) },
        at: 'body.clientLogs',
      }),
    },
  },
}
