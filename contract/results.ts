import { bot, define } from './operation.ts'
import {
  cursor,
  exampleIds,
  limit,
  nextCursor,
  recordId,
  successBody,
  successExample,
  text,
  timeFilter,
  timestamp,
  timeZone,
} from './shared.ts'
import { z } from './zod.ts'

const params = z.object({ botId: recordId('Id of the bot.', exampleIds.bot) })

const answer = z
  .object({
    blockId: text(255).meta({
      description: 'Id of the input block that was answered.',
      example: 'block-email',
    }),
    content: text(1_048_576).meta({
      description: 'The answer as text; files are named by their URLs, separated by a comma.',
      example: 'ada@example.com',
    }),
    attachedFileUrls: z
      .array(text(2048))
      .max(100)
      .optional()
      .meta({
        description: 'URLs of files sent with the answer.',
        example: ['https://example.com/plan.pdf'],
      }),
  })
  .meta({ id: 'Answer', description: 'One answer of a person to one input block.' })

const resultVariable = z
  .object({
    id: text(255).meta({ description: 'Id of the variable.', example: 'variable-email' }),
    name: text(255).meta({ description: 'Name of the variable.', example: 'Email' }),
    value: z
      .union([text(1_048_576), z.array(text(1_048_576).nullable()).max(100_000)])
      .meta({ description: 'Value of the variable: a text or a list of texts.', example: 'ada@example.com' }),
    isSessionVariable: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the variable lives only as long as the chat.' }),
  })
  .meta({ id: 'ResultVariable', description: 'A variable and its value at the end of a chat.' })

export const resultSchema = z
  .object({
    id: recordId('Id of the result.', exampleIds.result),
    createdAt: timestamp('When the chat started.'),
    botId: recordId('Id of the bot.', exampleIds.bot),
    variables: z.array(resultVariable).max(5000).meta({ description: 'Variables that have a value.' }),
    isCompleted: z.boolean().meta({ description: 'Whether the chat reached an end.' }),
    hasStarted: z.boolean().meta({ description: 'Whether at least one answer was given.' }),
    isArchived: z.boolean().meta({ description: 'Always false: archived results are not shown.' }),
    lastChatSessionId: text(64).nullable().meta({
      description: 'Id of the chat session that wrote last; null when none did.',
      example: exampleIds.session,
    }),
    answers: z.array(answer).max(100_000).meta({ description: 'The answers, in the order they were given.' }),
  })
  .meta({ id: 'Result', description: 'What one person answered in one chat.' })

export const exampleResult = {
  id: exampleIds.result,
  createdAt: '2026-03-05T12:30:00.000Z',
  botId: exampleIds.bot,
  variables: [{ id: 'variable-email', name: 'Email', value: 'ada@example.com' }],
  isCompleted: true,
  hasStarted: true,
  isArchived: false,
  lastChatSessionId: exampleIds.session,
  answers: [{ blockId: 'block-email', content: 'ada@example.com' }],
}

export const results = define({
  listResults: {
    method: 'get',
    path: '/v1/bots/{botId}/results',
    tag: 'results',
    summary: 'List the results of a bot',
    description:
      'Returns the results in which at least one answer was given, newest first, with their answers and variables. Pages join without gap or repeat while new results arrive.',
    access: bot('MEMBER'),
    params,
    query: z.strictObject({ limit, cursor, timeFilter, timeZone }),
    success: {
      status: 200,
      description: 'A page of results, newest first.',
      body: z
        .object({
          results: z.array(resultSchema).max(100).meta({ description: 'The results, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'ResultPage', description: 'A page of results.' }),
      examples: {
        page: { summary: 'The last page', value: { results: [exampleResult], nextCursor: null } },
      },
    },
  },
  deleteResults: {
    method: 'delete',
    path: '/v1/bots/{botId}/results',
    tag: 'results',
    summary: 'Delete results of a bot',
    description:
      'Deletes the results named by `resultIds`, or all results of the bot when the parameter is absent. Unknown ids and ids of other bots are ignored. A body, a Content-Type header, an empty value or an unknown parameter is refused, so that a misplaced list of ids can never delete everything.',
    access: bot('MEMBER'),
    params,
    query: z.strictObject({
      resultIds: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,499}$/, {
          error: 'Expected 1 to 500 ids of results, separated by commas',
        })
        .optional()
        .meta({
          maxLength: 32_499,
          description:
            'Ids of the results to delete, 1 to 500, separated by commas. Absent deletes all results.',
          example: exampleIds.result,
        }),
    }),
    bareRequest: true,
    success: {
      status: 200,
      description: 'The results are deleted.',
      body: successBody,
      examples: successExample,
    },
  },
})
