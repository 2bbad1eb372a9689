import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import type { Site } from '../support/world.ts'
import { flow } from '../support/world.ts'

const hook = 'https://hook.example.com/leads'

/** The draft with a question and three blocks that send requests, of which one has an address and a method. */
async function addBlocks({ client }: App, site: Site) {
  const at = { graphCoordinates: { x: 400, y: 0 } }
  const [welcome] = flow.groups
  const leaves = (blocks: object[], edge: string) =>
    blocks.map((block, nth) => (nth === blocks.length - 1 ? { ...block, outgoingEdgeId: edge } : block))
  const groups = [
    { ...welcome, blocks: leaves(welcome?.blocks ?? [], 'edge-2') },
    {
      ...at,
      id: 'group-2',
      title: 'Plan',
      blocks: [
        { id: 'block-early', type: 'Zapier' },
        { id: 'block-plan', type: 'choice input', items: [{ id: 'item-1', content: 'Pro' }] },
        { id: 'block-make', type: 'Make.com', options: { webhook: { url: hook, method: 'PUT' } } },
      ],
    },
    { ...at, id: 'group-3', title: 'Alone', blocks: [{ id: 'block-alone', type: 'Webhook' }] },
  ]
  const edges = [
    ...flow.edges,
    { id: 'edge-2', from: { blockId: 'block-email' }, to: { groupId: 'group-2' } },
  ]
  const variables = [...flow.variables, { id: 'variable-source', name: 'Source', value: 'Campaign' }]
  const options = { as: site.member, params: { botId: site.draft.id } }
  await client.ok('updateBot', {
    ...options,
    body: { bot: { version: '6.1', groups: groups as never, edges, variables } },
  })
}

const storedBlock = async ({ client }: App, site: Site, blockId: string) => {
  const { bot } = await client.ok('getBot', { as: site.guest, params: { botId: site.draft.id } })
  const groups = bot.groups as { blocks: { id: string; options?: unknown }[] }[]
  return groups.flatMap(({ blocks }) => blocks).find(({ id }) => id === blockId)
}

const params = (site: Site, blockId: string) => ({ botId: site.draft.id, blockId })

const unknownBlock = { at: 'path.blockId' }

export const webhookBlocks: Cases<'webhookBlocks'> = {
  listWebhookBlocks: {
    needs: 'GUEST',
    ok: {
      'each with its group and its address': async ({ here }, app) => {
        await addBlocks(app, here)
        return {
          as: here.guest,
          params: { botId: here.draft.id },
          after: ({ body }) =>
            expect(body.webhookBlocks).toEqual([
              { id: 'block-early', type: 'Zapier', label: 'Plan > block-early' },
              { id: 'block-make', type: 'Make.com', label: 'Plan > block-make', url: hook },
              { id: 'block-alone', type: 'Webhook', label: 'Alone > block-alone' },
            ]),
        }
      },
      'none of a bot without them': ({ here }) => ({
        as: here.guest,
        params: { botId: here.legacy.id },
        after: ({ body }) => expect(body).toEqual({ webhookBlocks: [] }),
      }),
    },
    BAD_REQUEST: ({ here }) => ({ as: here.guest, params: { botId: 'no.id' }, at: 'path.botId' }),
    FORBIDDEN: ({ here, stranger }) => ({ as: stranger, params: { botId: here.draft.id } }),
    NOT_FOUND: ({ here }) => ({ as: here.guest, params: { botId: here.archived.id } }),
  },

  getResultExample: {
    needs: 'GUEST',
    ok: {
      'with answers to the inputs before the block, and values of variables': async ({ here }, app) => {
        await addBlocks(app, here)
        return {
          as: here.guest,
          params: params(here, 'block-make'),
          after: ({ body }) =>
            expect(body.resultExample).toEqual({
              message: expect.any(String),
              submittedAt: expect.stringMatching(/^2026-.*Z$/),
              Email: 'ada@example.com',
              Plan: 'Pro',
              Source: 'Campaign',
            }),
        }
      },
      'without those behind it': async ({ here }, app) => {
        await addBlocks(app, here)
        return {
          as: here.guest,
          params: params(here, 'block-early'),
          after: ({ body }) =>
            expect(Object.keys(body.resultExample).sort()).toEqual([
              'Email',
              'Source',
              'message',
              'submittedAt',
            ]),
        }
      },
      'without answers where no chat comes to': async ({ here }, app) => {
        await addBlocks(app, here)
        return {
          as: here.guest,
          params: params(here, 'block-alone'),
          after: ({ body }) =>
            expect(Object.keys(body.resultExample).sort()).toEqual(['Source', 'message', 'submittedAt']),
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.guest,
      params: { botId: 'no.id', blockId: 'block-make' },
      at: 'path.botId',
    }),
    FORBIDDEN: ({ here, stranger }) => ({ as: stranger, params: params(here, 'block-make') }),
    NOT_FOUND: {
      'a block that sends nothing': ({ here }) => ({
        as: here.guest,
        params: params(here, 'block-email'),
        ...unknownBlock,
      }),
      'a block that never was': ({ here }) => ({
        as: here.guest,
        params: params(here, missingId),
        ...unknownBlock,
      }),
    },
  },

  subscribeWebhookBlock: {
    needs: 'MEMBER',
    ok: {
      'a block without an address': async ({ here }, app) => {
        await addBlocks(app, here)
        return {
          as: here.member,
          params: params(here, 'block-early'),
          body: { url: hook },
          after: async ({ body }) => {
            expect(body).toEqual({ id: 'block-early', url: hook })
            expect(await storedBlock(app, here, 'block-early')).toEqual({
              id: 'block-early',
              type: 'Zapier',
              options: { webhook: { url: hook } },
            })
          },
        }
      },
      'a block with another address, whose method stays': async ({ here }, app) => {
        await addBlocks(app, here)
        const url = 'https://hook.example.com/other'
        return {
          as: here.member,
          params: params(here, 'block-make'),
          body: { url },
          after: async () =>
            expect(await storedBlock(app, here, 'block-make')).toMatchObject({
              options: { webhook: { url, method: 'PUT' } },
            }),
        }
      },
    },
    BAD_REQUEST: {
      'an address of another kind': async ({ here }, app) => {
        await addBlocks(app, here)
        return {
          as: here.member,
          params: params(here, 'block-make'),
          body: { url: 'ftp://hook.example.com' },
          at: 'body.url',
        }
      },
      'a bot in version 3': async ({ here }, { client }) => {
        const group = { id: 'g', title: 'G', graphCoordinates: { x: 0, y: 0 } }
        const bot = {
          version: '3' as const,
          groups: [{ ...group, blocks: [{ id: 'b', type: 'Webhook', webhookId: 'w' }] }] as never,
          edges: [],
          variables: [],
        }
        const options = { as: here.member, params: { botId: here.legacy.id } }
        await client.ok('updateBot', { ...options, body: { bot } })
        return {
          as: here.member,
          params: { botId: here.legacy.id, blockId: 'b' },
          body: { url: hook },
          at: 'path.botId',
        }
      },
    },
    FORBIDDEN: ({ here }) => ({
      as: here.guest,
      params: params(here, 'block-make'),
      body: { url: hook },
    }),
    NOT_FOUND: {
      'a block that sends nothing': ({ here }) => ({
        as: here.member,
        params: params(here, 'block-email'),
        body: { url: hook },
        ...unknownBlock,
      }),
      'a bot that is deleted': ({ here }) => ({
        as: here.member,
        params: { botId: here.archived.id, blockId: 'block-make' },
        body: { url: hook },
      }),
    },
  },

  unsubscribeWebhookBlock: {
    needs: 'MEMBER',
    ok: {
      'a block with an address, whose method stays': async ({ here }, app) => {
        await addBlocks(app, here)
        return {
          as: here.member,
          params: params(here, 'block-make'),
          after: async ({ body }) => {
            expect(body).toEqual({ id: 'block-make', url: null })
            expect(await storedBlock(app, here, 'block-make')).toMatchObject({
              options: { webhook: { method: 'PUT' } },
            })
          },
        }
      },
      'a block without one': async ({ here }, app) => {
        await addBlocks(app, here)
        return { as: here.member, params: params(here, 'block-early') }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { botId: 'no.id', blockId: 'block-make' },
      at: 'path.botId',
    }),
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: params(here, 'block-make') }),
    NOT_FOUND: ({ here }) => ({
      as: here.member,
      params: params(here, 'block-email'),
      ...unknownBlock,
    }),
  },
}
