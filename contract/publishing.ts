import { exampleFlow } from './bots/examples.ts'
import { flowOf, migrateToLatestVersion, suffix, type Version, versions, versionTag } from './bots/schemas.ts'
import { recordId, successBody, successExample, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define } from './operation.ts'
import { findingCounts, firstErrors } from './publications.ts'
import { exampleIds } from './shared.ts'

const params = z.object({ botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot) })

function publishedBotOf<const V extends Version>(version: V) {
  return z
    .object({
      id: recordId(
        'Id of the published copy; it stays when the bot is published again.',
        exampleIds.publication,
      ),
      version: versionTag(version),
      createdAt: timestamp('When the bot was first published.'),
      updatedAt: timestamp('When the bot was last published.'),
      botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot),
      ...flowOf(version),
    })
    .meta({
      id: `PublishedBot${suffix(version)}`,
      description: `The published copy of a bot whose flow is written in version ${version}.`,
    })
}

const publishedBot = z
  .discriminatedUnion('version', [
    publishedBotOf('3'),
    publishedBotOf('4'),
    publishedBotOf('5'),
    publishedBotOf('6'),
    publishedBotOf('6.1'),
  ])
  .meta({ id: 'PublishedBot', description: 'The copy of a bot that chats run.' })

export const publishing = define({
  publishBot: {
    method: 'post',
    path: '/v1/bots/{botId}/publish',
    tag: 'publishing',
    summary: 'Publish a bot',
    description:
      'Copies the stored draft, in one step, and makes the copy the one that chats run. Earlier copies stay as publications; running chats finish on the copy they started with. A bot without public id gets one: its name in lower case with a random ending. Findings of the check never prevent publishing: the publication lists them, `errorsFound` and `warningsFound` count them, and `firstErrors` shows the first errors. The draft and its `updatedAt` do not change. Takes no body.',
    preparesFirst: true,
    access: bot('MEMBER', { missing: 'FORBIDDEN' }),
    isAudited: true,
    params,
    isConditional: true,
    success: {
      status: 200,
      description: 'The bot is published.',
      body: successBody.extend({ ...findingCounts, firstErrors }).meta({
        id: 'PublishedBody',
        description: 'Says that the bot is published, with findings of the check.',
      }),
      examples: {
        done: {
          summary: 'Done',
          value: { message: 'success', errorsFound: 0, warningsFound: 1, firstErrors: [] },
        },
      },
    },
  },
  unpublishBot: {
    method: 'post',
    path: '/v1/bots/{botId}/unpublish',
    tag: 'publishing',
    summary: 'Unpublish a bot',
    description:
      'Removes the published copy, so that no new chat can start; running chats finish. Public id, draft, results and earlier publications stay. Succeeds when the bot is not published. Takes no body.',
    access: bot('MEMBER', { missing: 'FORBIDDEN' }),
    isAudited: true,
    params,
    isConditional: true,
    success: {
      status: 200,
      description: 'The bot is not published.',
      body: successBody,
      examples: successExample,
    },
  },
  getPublishedBot: {
    method: 'get',
    path: '/v1/bots/{botId}/publishedBot',
    tag: 'publishing',
    summary: 'Get the published copy of a bot',
    description:
      'Returns the copy that chats run, as it was written or, on request, converted to the latest version of the schema. A bot that is not published is not found. Members of the workspace may read it, and any caller if the bot is shared publicly.',
    access: bot('GUEST', { publicShare: true }),
    params,
    query: z.strictObject({ migrateToLatestVersion }),
    isConditional: true,
    success: {
      status: 200,
      description: 'The published copy with its flow.',
      body: z
        .object({
          publishedBot,
          version: z.enum(versions).meta({
            description: 'Version in which the copy was published, also if the response is converted.',
          }),
        })
        .meta({ id: 'PublishedBotBody', description: 'The published copy of a bot.' }),
      examples: {
        published: {
          summary: 'A published bot',
          value: {
            publishedBot: {
              id: exampleIds.publication,
              version: '6.1',
              createdAt: '2026-03-04T11:00:00.000Z',
              updatedAt: '2026-03-04T11:00:00.000Z',
              botId: exampleIds.bot,
              ...exampleFlow,
              theme: {},
              settings: {},
            },
            version: '6.1',
          },
        },
      },
    },
  },
})
