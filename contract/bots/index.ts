import { edges, groups, variables } from '../bot-document/index.ts'
import { cursor, limit, nextCursor, recordId, successBody, successExample, timestamp } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { bot, define, minimalMediaType, workspace } from '../operation.ts'
import { exampleIds } from '../shared.ts'
import {
  exampleBot,
  exampleFlow,
  exampleLegacyBot,
  exampleLegacyFlow,
  exampleWebhookGroups,
} from './examples.ts'
import {
  botBody,
  botCreate,
  botIcon,
  botId,
  botName,
  botSchema,
  botUpdate,
  currentUserMode,
  documentVersion,
  folderId,
  migrateToLatestVersion,
  nullablePublicId,
} from './schemas.ts'

const params = z.object({ botId })

const documentParts = { groups, edges, variables }

const minimal = {
  mediaType: minimalMediaType,
  body: z
    .object({
      bot: z
        .object({
          id: botId,
          version: documentVersion,
          updatedAt: timestamp('When the draft was last changed.'),
        })
        .meta({ id: 'BotReference', description: 'A bot and the state of its draft.' }),
    })
    .meta({ id: 'BotReferenceBody', description: 'The bot for callers who have its flow.' }),
  examples: {
    minimal: {
      summary: 'To Prefer: return=minimal',
      value: { bot: { id: exampleIds.bot, version: '6.1', updatedAt: '2026-03-05T08:00:00.000Z' } },
    },
  },
}

const botSummary = z
  .object({
    id: botId,
    name: botName,
    icon: botIcon,
    folderId,
    publicId: nullablePublicId,
    createdAt: timestamp('When the bot was created.'),
    updatedAt: timestamp('When the draft was last changed.'),
    publishedBotId: recordId('Id of the published copy.', exampleIds.publication)
      .nullable()
      .meta({ description: 'Id of the published copy; null while the bot is not published.' }),
    publishedAt: timestamp('When the bot was last published.').nullable().meta({
      description:
        'When the bot was last published; null while it is not published. An earlier time than `updatedAt` means that the draft has changed since.',
    }),
    accessRight: currentUserMode,
  })
  .meta({ id: 'BotSummary', description: 'A bot in a list, without its flow.' })

export const bots = define({
  listBots: {
    method: 'get',
    path: '/v1/bots',
    tag: 'bots',
    summary: 'List the bots of a workspace',
    description:
      'Returns the bots of a workspace or of one folder, newest first, without their flows. Bots in folders inside that folder and deleted bots are not listed.',
    access: workspace('GUEST', 'query'),
    query: z.strictObject({
      workspaceId: recordId('Id of the workspace whose bots are listed.', exampleIds.workspace),
      folderId: recordId('Id of a folder of the workspace.', exampleIds.folder).optional().meta({
        description:
          'List only the bots directly in this folder; `root` means those in none. Absent lists the whole workspace; an unknown folder is not found.',
      }),
      limit,
      cursor,
    }),
    success: {
      status: 200,
      description: 'A page of bots, newest first.',
      body: z
        .object({
          bots: z.array(botSummary).max(100).meta({ description: 'The bots, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'BotPage', description: 'A page of the bots of a workspace.' }),
      examples: {
        page: {
          summary: 'The last page',
          value: {
            bots: [
              {
                id: exampleIds.bot,
                name: 'Lead generation',
                icon: '🎯',
                folderId: null,
                publicId: null,
                createdAt: '2026-03-04T10:15:30.120Z',
                updatedAt: '2026-03-04T10:15:30.120Z',
                publishedBotId: null,
                publishedAt: null,
                accessRight: 'write',
              },
            ],
            nextCursor: null,
          },
        },
      },
    },
  },
  createBot: {
    method: 'post',
    path: '/v1/bots',
    tag: 'bots',
    summary: 'Create a bot',
    description:
      'Creates a bot in a workspace and returns it. Absent properties get defaults: a start event without edge, empty lists, an empty theme and empty settings. The new bot is a draft; nobody can chat with it before it is published.',
    access: workspace('MEMBER', 'body', 'FORBIDDEN'),
    isAudited: true,
    preparesFirst: true,
    body: z
      .strictObject({
        workspaceId: recordId('Id of the workspace to create the bot in.', exampleIds.workspace),
        bot: botCreate,
      })
      .meta({ id: 'CreateBotBody', description: 'The bot to create, and its workspace.' }),
    bodySize: 'document',
    documentParts,
    requestExamples: {
      empty: {
        summary: 'An empty bot',
        value: { workspaceId: exampleIds.workspace, bot: { name: 'Lead generation' } },
      },
      flow: {
        summary: 'With a flow',
        value: {
          workspaceId: exampleIds.workspace,
          bot: { version: '6.1', name: 'Lead generation', icon: '🎯', ...exampleFlow },
        },
      },
    },
    success: {
      status: 201,
      description: 'The new bot with its id and defaults.',
      body: botBody,
      minimal,
      location: '/v1/bots/{bot.id}',
      examples: { created: { summary: 'The new bot', value: { bot: exampleBot } } },
    },
  },
  getBot: {
    method: 'get',
    path: '/v1/bots/{botId}',
    soughtAt: ['/v1/bots/{botId}/draft'],
    tag: 'bots',
    summary: 'Get a bot',
    description:
      'Returns a bot with its draft as it was written or, on request, converted to the latest version of the schema. Members of the workspace may read it, and any caller if it is shared publicly.',
    access: bot('GUEST', { publicShare: true }),
    params,
    query: z.strictObject({ migrateToLatestVersion }),
    isConditional: true,
    success: {
      status: 200,
      description: "The bot and the caller's mode.",
      body: z
        .object({ bot: botSchema, currentUserMode })
        .meta({ id: 'BotWithModeBody', description: "One bot and the caller's rights on it." }),
      examples: {
        member: { summary: 'Seen by a member', value: { bot: exampleBot, currentUserMode: 'write' } },
        legacy: {
          summary: 'A bot in a legacy version, seen by a guest',
          value: { bot: exampleLegacyBot, currentUserMode: 'read' },
        },
      },
    },
  },
  updateBot: {
    method: 'patch',
    path: '/v1/bots/{botId}',
    tag: 'bots',
    summary: 'Update a bot',
    description:
      'Changes the draft of a bot and returns it as stored. Absent properties stay as they are, given ones replace the whole property, and the stored version becomes the given one. With `bot.updatedAt` the update is rejected as a conflict if the bot has changed since; `overwrite` waives that. A later version than the stored one first converts the stored flow. From 6 to 6.1 it also converts the theme, unless one is sent. A legacy version sent to a bot stored in a current one needs `groups`, `edges` and `variables` together. The published copy does not change; public id, domain, `isClosed` and public sharing take effect at once.',
    access: bot('MEMBER'),
    params,
    body: z
      .strictObject({
        bot: botUpdate,
        overwrite: z
          .boolean()
          .optional()
          .meta({ description: 'True to write even if the precondition `bot.updatedAt` fails.' }),
      })
      .meta({ id: 'UpdateBotBody', description: 'The change to a bot.' }),
    bodySize: 'document',
    documentParts,
    requestExamples: {
      rename: {
        summary: 'Rename, unless somebody else changed the bot',
        value: {
          bot: { version: '6.1', name: 'Lead generation 2026', updatedAt: '2026-03-04T10:15:30.120Z' },
        },
      },
      publicId: {
        summary: 'Set the public id that starts chats',
        value: { bot: { version: '6.1', publicId: 'lead-generation-8k2m4p6' } },
      },
      webhook: {
        summary: 'Let the chat wait for a call about a payment',
        value: { bot: { version: '6.1', groups: exampleWebhookGroups } },
      },
      legacy: {
        summary: 'A flow in a legacy version',
        value: { bot: { version: '5', ...exampleLegacyFlow } },
      },
    },
    isConditional: true,
    success: {
      status: 200,
      description: 'The bot as it is now.',
      body: botBody,
      minimal,
      examples: {
        renamed: {
          summary: 'Renamed',
          value: {
            bot: { ...exampleBot, name: 'Lead generation 2026', updatedAt: '2026-03-05T08:00:00.000Z' },
          },
        },
      },
    },
    errors: ['CONFLICT'],
    errorExamples: {
      CONFLICT: {
        summary: 'Somebody else changed the bot since',
        issues: [
          {
            path: ['body', 'bot', 'updatedAt'],
            code: 'conflict',
            message:
              'The stored bot was updated at 2026-03-04T10:15:30.120Z; read it again, and send that updatedAt',
            current: { updatedAt: '2026-03-04T10:15:30.120Z' },
          },
        ],
      },
    },
  },
  deleteBot: {
    method: 'delete',
    path: '/v1/bots/{botId}',
    tag: 'bots',
    summary: 'Delete a bot',
    description:
      'Archives a bot. From then on no operation finds it: its draft, publications and results are deleted, running chats end, and its public id and domain are free again. This cannot be undone; export the bot first to keep its flow.',
    access: bot('MEMBER'),
    isAudited: true,
    params,
    isConditional: true,
    success: {
      status: 200,
      description: 'The bot has been deleted.',
      body: successBody,
      examples: successExample,
    },
  },
})
