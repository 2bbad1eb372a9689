import { exampleBot, exampleFlow } from './bots/examples.ts'
import { botBody, flowOf, suffix, type Version, versions, versionTag } from './bots/schemas.ts'
import { cursor, limit, nextCursor, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define } from './operation.ts'
import { exampleIds } from './shared.ts'

const botId = recordId('Id of the bot, as create and list return it.', exampleIds.bot)
export const publicationId = recordId('Id of the publication.', exampleIds.publication)

/** Maximum findings of a response. A flow with more needs a review anyway. */
export const MAX_FINDINGS = 1_000

export const flowFindings = z
  .array(
    z
      .object({
        path: z
          .array(text(1000))
          .max(100)
          .meta({
            description: 'Path in the flow; indexes are written as text.',
            example: ['groups', '0', 'blocks', '2', 'outgoingEdgeId'],
          }),
        code: z
          .string()
          .regex(/^[a-z_]+$/)
          .max(100)
          .meta({
            maxLength: 100,
            description: 'Kind of the finding, for programs.',
            example: 'missing_edge',
          }),
        message: text(2000).meta({
          description: 'Effect of the finding, for people.',
          example: 'The edge it leaves by does not exist',
        }),
        severity: z.enum(['error', 'warning']).optional().meta({
          description:
            '`error`: a chat cannot do what the flow says. `warning`: the author probably did not mean it. Absent in the warnings of an import.',
        }),
      })
      .meta({ id: 'FlowFinding', description: 'A part of a flow that would misbehave when it runs.' }),
  )
  .max(MAX_FINDINGS)

export type FlowFinding = z.output<typeof flowFindings>[number]

/** Counts of the findings of a check, as responses have them. */
export const findingCounts = {
  errorsFound: count(
    'Number of findings that keep a chat from doing what the flow says. Check a bot lists them.',
  ),
  warningsFound: count('Number of findings that the author probably did not mean. Check a bot lists them.'),
}

/** Maximum errors in the response of publish. */
export const MAX_FIRST_ERRORS = 10

export const firstErrors = flowFindings.max(MAX_FIRST_ERRORS).meta({
  description: 'The first ten errors. Check a bot lists all findings.',
})

function count(description: string) {
  return z.int().min(0).max(1e9).meta({ description, example: 0 })
}

const summary = {
  id: publicationId,
  createdAt: timestamp('When it was published.'),
  publishedBy: recordId('Id of the user who published it.', exampleIds.user),
  isLive: z.boolean().meta({ description: 'True if new chats run this publication.' }),
}

const publicationSummary = z
  .object({
    ...summary,
    version: z.enum(versions).meta({ description: 'Version of the schema the flow is written in.' }),
  })
  .meta({ id: 'PublicationSummary', description: 'A publication in a list, without its flow.' })

function publicationOf<const V extends Version>(version: V) {
  return z
    .object({
      ...summary,
      version: versionTag(version),
      botId,
      warnings: flowFindings.meta({
        description: 'Findings of the check when it was published; they never prevent publishing.',
      }),
      ...flowOf(version),
    })
    .meta({
      id: `Publication${suffix(version)}`,
      description: `A publication whose flow is written in version ${version}.`,
    })
}

const publication = z
  .discriminatedUnion('version', [
    publicationOf('3'),
    publicationOf('4'),
    publicationOf('5'),
    publicationOf('6'),
    publicationOf('6.1'),
  ])
  .meta({ id: 'Publication', description: 'One copy of a bot that was published. It never changes.' })

const exampleSummary = {
  id: exampleIds.publication,
  createdAt: '2026-03-04T11:00:00.000Z',
  publishedBy: exampleIds.user,
  isLive: true,
  version: '6.1',
}

const params = z.object({ botId, publicationId })

export const publications = define({
  listPublications: {
    method: 'get',
    path: '/v1/bots/{botId}/publications',
    soughtAt: ['/v1/bots/{botId}/versions', '/v1/bots/{botId}/history'],
    tag: 'publishing',
    summary: 'List the publications of a bot',
    description:
      'Returns the published copies of the bot, newest first, without their flows. Publishing again and unpublishing do not remove them; deleting the bot does. An installation may delete copies that were replaced long ago: these are not listed, and get and restore return 404.',
    tool: {
      name: 'list_publications',
      description:
        'Lists earlier published copies of a bot, newest first, for compare_bot and restore_publication.',
    },
    access: bot('GUEST'),
    params: z.object({ botId }),
    query: z.strictObject({ limit, cursor }),
    success: {
      status: 200,
      description: 'A page of publications, newest first.',
      body: z
        .object({
          publications: z
            .array(publicationSummary)
            .max(100)
            .meta({ description: 'The publications, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'PublicationPage', description: 'A page of publications.' }),
      examples: {
        page: { summary: 'The last page', value: { publications: [exampleSummary], nextCursor: null } },
      },
    },
  },
  getPublication: {
    method: 'get',
    path: '/v1/bots/{botId}/publications/{publicationId}',
    tag: 'publishing',
    summary: 'Get a publication',
    description:
      'Returns one published copy with its flow and the findings of the check when it was published.',
    access: bot('GUEST'),
    params,
    isConditional: true,
    success: {
      status: 200,
      description: 'The publication with its flow.',
      body: z
        .object({ publication })
        .meta({ id: 'PublicationBody', description: 'One publication with its flow.' }),
      examples: {
        live: {
          summary: 'The live publication',
          value: {
            publication: {
              ...exampleSummary,
              botId: exampleIds.bot,
              warnings: [],
              ...exampleFlow,
              theme: {},
              settings: {},
            },
          },
        },
      },
    },
  },
  restorePublication: {
    method: 'post',
    path: '/v1/bots/{botId}/publications/{publicationId}/restore',
    soughtAt: ['/v1/bots/{botId}/rollback'],
    tag: 'publishing',
    summary: 'Restore a publication into the draft',
    description:
      'Copies flow, theme and settings of an earlier publication into the draft, and returns the bot with a new `updatedAt`. It replaces the draft and its version; publish the draft first to keep it. Name, folder, public id, the live copy and public sharing stay as they are: publish to make the restored draft live. Takes no body.',
    access: bot('MEMBER'),
    isAudited: true,
    params,
    isConditional: true,
    success: {
      status: 200,
      description: 'The bot with the restored draft.',
      body: botBody,
      examples: {
        restored: {
          summary: 'Restored',
          value: { bot: { ...exampleBot, updatedAt: '2026-03-06T09:00:00.000Z' } },
        },
      },
    },
  },
})
