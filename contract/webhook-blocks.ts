import { limits } from './bot-document/limits.ts'
import { recordId, text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define } from './operation.ts'
import { exampleIds } from './shared.ts'

/*
 * The blocks that send requests, for apps of automation services: they choose one, see an example, and set its address.
 */

/** Types of blocks whose address an app may set. */
export const webhookBlockTypes = ['Webhook', 'Zapier', 'Make.com', 'Pabbly'] as const

/** Maximum blocks in the response. An author looks for one of them in a menu. */
export const MAX_WEBHOOK_BLOCKS = 1_000

const blockId = text(limits.id, 1).meta({
  description: 'Id of the block, as the list returns it.',
  example: 'block-crm',
})

const address = text(limits.url, 1).meta({
  description: 'Address that the block sends its request to; null if it has none.',
  example: 'https://hook.example.com/leads',
})

const botParams = z.object({
  botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot),
})
const blockParams = botParams.extend({ blockId })

const webhookBlock = z
  .object({
    id: blockId,
    type: z.enum(webhookBlockTypes).meta({ description: 'Type of the block.', example: 'Make.com' }),
    label: text(limits.name + limits.id + 3).meta({
      description: 'Title of its group and id of the block, for menus.',
      example: 'Contact > block-crm',
    }),
    url: text(limits.url).optional().meta({
      description: 'Address that the block sends its request to; absent if it has none.',
      example: 'https://hook.example.com/leads',
    }),
  })
  .meta({ id: 'WebhookBlock', description: 'A block that sends an HTTP request.' })

const subscription = z
  .object({ id: blockId, url: address.nullable() })
  .meta({ id: 'WebhookSubscription', description: 'The address of a block after it was set or cleared.' })

const subscribed = { id: 'block-crm', url: 'https://hook.example.com/leads' }

export const webhookBlocks = define({
  listWebhookBlocks: {
    method: 'get',
    path: '/v1/bots/{botId}/webhookBlocks',
    tag: 'bots',
    summary: 'List the blocks that send requests',
    description:
      'Returns the HTTP request blocks of the draft, in the order of the document: at most 1,000 of the types Webhook, Zapier, Make.com and Pabbly. An app of an automation service offers them in a menu.',
    access: bot('GUEST'),
    params: botParams,
    success: {
      status: 200,
      description: 'The blocks that send requests.',
      body: z
        .object({
          webhookBlocks: z
            .array(webhookBlock)
            .max(MAX_WEBHOOK_BLOCKS)
            .meta({ description: 'The blocks, in the order of the document.' }),
        })
        .meta({ id: 'WebhookBlocksBody', description: 'The blocks of a bot that send requests.' }),
      examples: {
        one: {
          summary: 'One block',
          value: { webhookBlocks: [{ ...subscribed, type: 'Make.com', label: 'Contact > block-crm' }] },
        },
      },
    },
  },
  getResultExample: {
    method: 'get',
    path: '/v1/bots/{botId}/webhookBlocks/{blockId}/getResultExample',
    tag: 'bots',
    summary: 'Get an example of the body of a block',
    description:
      'Returns made-up answers in the form in which the block sends them. The body has one for each input that a chat can have passed before the block. It also has one for each variable with a value of its own. `submittedAt` is the current time, and `message` says that the data is made up; requests of chats have no `message`. A block with a body of its own sends that instead.',
    access: bot('GUEST'),
    params: blockParams,
    success: {
      status: 200,
      description: 'The example of the data that the block sends.',
      body: z
        .object({
          resultExample: z.record(text(limits.name), text(limits.prose)).meta({
            description: 'Made-up values by name.',
            maxProperties: 2 * limits.variables,
            example: { Email: 'ada@example.com' },
          }),
        })
        .meta({ id: 'ResultExampleBody', description: 'An example of the data that a block sends.' }),
      examples: {
        email: {
          summary: 'One input',
          value: {
            resultExample: {
              message: 'This is an example with made-up answers',
              submittedAt: '2026-03-04T10:15:30.120Z',
              Email: 'ada@example.com',
            },
          },
        },
      },
    },
  },
  subscribeWebhookBlock: {
    method: 'post',
    path: '/v1/bots/{botId}/webhookBlocks/{blockId}/subscribe',
    tag: 'bots',
    summary: 'Set the address of a block',
    description:
      'Sets the address that a block of the draft sends its request to. An app of an automation service does this when a user switches its trigger on. The rest of the block stays as it is. Chats use the address once the bot is published again. A bot in version 3 keeps its requests outside of the document, so its block cannot be set: update the bot to a newer version first.',
    access: bot('MEMBER'),
    params: blockParams,
    body: z
      .strictObject({
        url: text(limits.url, 1)
          .refine(isWebAddress, { error: 'Expected an address that begins with https:// or http://' })
          .meta({
            description: 'Address that begins with https:// or http://.',
            example: 'https://hook.example.com/leads',
          }),
      })
      .meta({ id: 'SubscribeWebhookBlockBody', description: 'The new address of a block.' }),
    requestExamples: {
      hook: { summary: 'The hook of an app', value: { url: 'https://hook.example.com/leads' } },
    },
    success: {
      status: 200,
      description: 'The block with its new address.',
      body: subscription,
      examples: { subscribed: { summary: 'Set', value: subscribed } },
    },
  },
  unsubscribeWebhookBlock: {
    method: 'post',
    path: '/v1/bots/{botId}/webhookBlocks/{blockId}/unsubscribe',
    tag: 'bots',
    summary: 'Clear the address of a block',
    description:
      'Removes the address of a block of the draft. An app does this when a user switches its trigger off. Chats send no request there once the bot is published again. A block without an address stays as it is. Takes no body.',
    access: bot('MEMBER'),
    params: blockParams,
    success: {
      status: 200,
      description: 'The block without an address.',
      body: subscription,
      examples: { cleared: { summary: 'Cleared', value: { id: 'block-crm', url: null } } },
    },
  },
})

function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}
