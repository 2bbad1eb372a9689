import {
  cursor,
  flag,
  limit,
  nextCursor,
  recordId,
  successBody,
  successExample,
  text,
  timestamp,
} from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define } from './operation.ts'
import { inOrder, rangeFilters, searchFilters, timestampParameter } from './result-filters.ts'
import { exampleIds } from './shared.ts'

const params = z.object({ botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot) })

export const answer = z
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
  .meta({ id: 'Answer', description: 'One answer of a visitor to one input block.' })

export const resultVariable = z
  .object({
    id: text(255).meta({ description: 'Id of the variable.', example: 'variable-email' }),
    name: text(255).meta({ description: 'Name of the variable.', example: 'Email' }),
    // Published as any value, since few generators can read a union of text and list; always present.
    value: z
      .unknown()
      .refine((value): boolean => value !== undefined)
      .meta({
        description: 'Value of the variable: a text, or a list whose entries are texts or null.',
        example: 'ada@example.com',
      }),
    isSessionVariable: z
      .boolean()
      .optional()
      .meta({ description: 'True if the variable lives only as long as the chat.' }),
  })
  .meta({ id: 'ResultVariable', description: 'A variable and its last value in the chat.' })

const resultSchema = z
  .object({
    id: recordId('Id of the result, as the list of results returns it.', exampleIds.result),
    createdAt: timestamp('When the chat started.'),
    botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot),
    variables: z.array(resultVariable).max(5000).meta({ description: 'Variables that have a value.' }),
    isCompleted: z
      .boolean()
      .meta({ description: 'True if the chat reached an end and had at least one answer.' }),
    hasStarted: z.boolean().meta({ description: 'True if at least one answer was given.' }),
    isArchived: z.boolean().meta({ description: 'Always false: archived results are not shown.' }),
    lastChatSessionId: text(64).nullable().meta({
      description: 'Id of the chat session that wrote last; null when none did.',
      example: exampleIds.session,
    }),
    answers: z.array(answer).max(100_000).meta({ description: 'The answers, in the order they were given.' }),
  })
  .meta({ id: 'Result', description: 'The answers of one visitor in one chat.' })

const exampleResult = {
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

export const transcriptEntry = z
  .object({
    role: z.enum(['bot', 'user', 'member']).meta({
      description: 'Author of the entry: the bot, the visitor, or a member of the workspace.',
    }),
    type: z.enum(['text', 'image', 'video', 'audio']).meta({ description: 'Kind of the entry.' }),
    text: text(1_048_576).optional().meta({ description: 'The text.', example: 'ada@example.com' }),
    image: text(262_144)
      .optional()
      .meta({ description: 'URL of the picture.', example: 'https://example.com/cat.png' }),
    video: text(262_144)
      .optional()
      .meta({ description: 'URL of the video.', example: 'https://example.com/tour.mp4' }),
    audio: text(262_144)
      .optional()
      .meta({ description: 'URL of the recording.', example: 'https://example.com/a.mp3' }),
  })
  .meta({ id: 'TranscriptEntry', description: 'An entry of the transcript of a chat.' })

const resultLog = z
  .object({
    id: recordId('Id of the entry.', exampleIds.log),
    createdAt: timestamp('Time of the entry.'),
    resultId: recordId('Id of the result, as the list of results returns it.', exampleIds.result),
    status: text(10_000).meta({
      description: 'Kind of the entry: `error`, `success`, `info`, or any text that a client sent.',
      example: 'error',
    }),
    description: text(10_000).meta({
      description: 'Description of the event.',
      example: 'The mail was not sent',
    }),
    details: text(10_000)
      .nullable()
      .meta({ description: 'Further details, or null.', example: 'Connection refused' }),
    context: text(10_000)
      .nullable()
      .meta({ description: 'Location of the event, or null.', example: 'Group Welcome' }),
  })
  .meta({ id: 'ResultLog', description: 'A log entry of a chat.' })

const resultParams = z.object({
  botId: params.shape.botId,
  resultId: recordId('Id of the result, as the list of results returns it.', exampleIds.result),
})

export const results = define({
  listResults: {
    method: 'get',
    path: '/v1/bots/{botId}/results',
    tag: 'results',
    summary: 'List the results of a bot',
    description:
      'Returns the results with at least one answer, newest first, with their answers and variables. Results of earlier publications are among them. Pages join without gap or repeat while new results arrive. With `status`, `answerContains` or `variable`, a page ends once it has examined 800 results, or 24 MB of answers and variables. It may then have fewer entries than `limit`, or none, and a `nextCursor` all the same.',
    tool: {
      name: 'list_results',
      description:
        'Lists chats of visitors with their answers and variables, newest first. Long texts are cut. Filter before you page.',
    },
    access: bot('MEMBER'),
    params,
    query: z.strictObject({ limit, cursor, ...rangeFilters, ...searchFilters }).refine(...inOrder),
    success: {
      status: 200,
      description: 'A page of results, newest first.',
      body: z
        .object({
          results: z.array(resultSchema).max(100).meta({ description: 'The results, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'ResultPage', description: 'A page of the results of a bot.' }),
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
      'Deletes results of the bot with their answers, transcripts, logs and files. `resultIds` names them, or `createdBefore` bounds their start; with both, results must meet both, and with neither all are deleted. This cannot be undone. Their chats are over, and webhook endpoints get only `results.deleted` for them. Unknown ids and ids of other bots are ignored. A body, an empty value or an unknown parameter is rejected, and without a filter a Content-Type header too. So a misplaced list of ids can never delete everything.',
    access: bot('MEMBER'),
    isAudited: true,
    params,
    query: z.strictObject({
      resultIds: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,499}$/, {
          error: 'Expected 1 to 500 ids of results, separated by commas',
        })
        // Length of 500 ids of this service. More would not fit the head of a request.
        .max(13_499)
        .transform((ids) => ids.split(','))
        .optional()
        .meta({
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' },
          minItems: 1,
          maxItems: 500,
          description:
            'Ids of the results to delete, separated by commas. Absent means no restriction to ids.',
          example: [exampleIds.result],
          param: { style: 'form', explode: false },
        }),
      createdBefore: timestampParameter(
        'Only results whose chats began before this time, with its time zone; not in the future. Results without an answer are among them.',
        '2026-03-01T00:00:00Z',
      ),
    }),
    everythingWithout: ['resultIds', 'createdBefore'],
    success: {
      status: 200,
      description: 'The results are deleted.',
      body: successBody,
      examples: successExample,
    },
  },
  getResult: {
    method: 'get',
    path: '/v1/bots/{botId}/results/{resultId}',
    tag: 'results',
    summary: 'Get a result',
    description: 'Returns one result with its answers and variables, even if no answer was given yet.',
    access: bot('MEMBER'),
    params: resultParams,
    isConditional: true,
    success: {
      status: 200,
      description: 'The result with its answers.',
      body: z
        .object({ result: resultSchema })
        .meta({ id: 'ResultBody', description: 'One result with its answers.' }),
      examples: { completed: { summary: 'A completed chat', value: { result: exampleResult } } },
    },
  },
  getTranscript: {
    method: 'get',
    path: '/v1/bots/{botId}/results/{resultId}/transcript',
    tag: 'results',
    summary: 'Get the transcript of a result',
    description:
      'Returns the messages of the bot, the visitor and members, in order, as they were sent: later changes of the bot do not change them.',
    access: bot('MEMBER'),
    params: resultParams,
    success: {
      status: 200,
      description: 'The complete transcript.',
      body: z
        .object({
          transcript: z.array(transcriptEntry).max(1_000_000).meta({ description: 'The entries, in order.' }),
        })
        .meta({ id: 'TranscriptBody', description: 'The transcript of a chat.' }),
      examples: {
        short: {
          summary: 'A question and its answer',
          value: {
            transcript: [
              { role: 'bot', type: 'text', text: 'What is your e-mail address?' },
              { role: 'user', type: 'text', text: 'ada@example.com' },
            ],
          },
        },
      },
    },
  },
  listResultLogs: {
    method: 'get',
    path: '/v1/bots/{botId}/results/{resultId}/logs',
    tag: 'results',
    summary: 'List the logs of a result',
    description: 'Returns the log entries of the service and of chat clients for the chat, newest first.',
    access: bot('MEMBER'),
    params: resultParams,
    query: z.strictObject({ limit, cursor }),
    success: {
      status: 200,
      description: 'A page of entries, newest first.',
      body: z
        .object({
          logs: z.array(resultLog).max(100).meta({ description: 'The entries, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'ResultLogPage', description: 'A page of the log of a result.' }),
      examples: {
        one: {
          summary: 'One entry',
          value: {
            logs: [
              {
                id: exampleIds.log,
                createdAt: '2026-03-05T12:30:10.000Z',
                resultId: exampleIds.result,
                status: 'error',
                description: 'The mail was not sent',
                details: 'Connection refused',
                context: null,
              },
            ],
            nextCursor: null,
          },
        },
      },
    },
  },
  exportResults: {
    method: 'get',
    path: '/v1/bots/{botId}/resultsExport',
    tag: 'results',
    summary: 'Export results as CSV or JSON lines',
    description:
      'Streams the results with at least one answer, newest first, one line per result. CSV (RFC 4180, UTF-8) begins with the names of the columns. First come the questions of the published flow and of the bots that merge their results into it, answered or not: one column per variable that they fill, one per question without a variable. Then come answered questions that are in none of these flows, unless their variable has a column. Variables that no question fills come last. The last ten publications before the live one name deleted questions and variables. A cell has the final value of the variable. If that is the last answer to its questions, the cell has all of their answers. Values that a spreadsheet would take for a formula are prefixed with a single quote. In JSON lines, each line is a result as the list of results has it.\n\nWith `limit` the export comes in parts that can be requested again. A part covers that many results from its `cursor` on, and contains those that match the filters; its header `Next-Cursor` is the start of the next part. Results that arrive or are deleted meanwhile make no gap and no repeat. Every part of a CSV has the names of the columns. `Results-Remaining` is the number of results left, for a display of progress.',
    access: bot('MEMBER'),
    params,
    query: z
      .strictObject({
        format: z.enum(['csv', 'jsonl']).default('csv').meta({
          description: 'Form of the lines: comma-separated values, or a JSON object each.',
          example: 'jsonl',
        }),
        limit: z
          .string()
          .regex(/^[0-9]{1,9}$/, { error: 'Expected a whole number from 1 to 100000' })
          .transform(Number)
          .pipe(z.int().min(1).max(100_000))
          .optional()
          .meta({
            type: 'integer',
            format: 'int32',
            minimum: 1,
            maximum: 100_000,
            description: 'Number of results that the part covers. Absent covers all, in one response.',
            example: 10_000,
          }),
        cursor: cursor.unwrap().optional().meta({
          maxLength: 512,
          description:
            'The `Next-Cursor` of the part before, sent with the same filter; absent for the first part. An altered cursor, or one of another bot or filter, is invalid input.',
        }),
        byteOrderMark: flag(
          'True to begin a CSV with a byte order mark, by which Excel recognises UTF-8. Only the first part has one.',
        ),
        ...rangeFilters,
        ...searchFilters,
      })
      .refine(...inOrder),
    success: {
      status: 200,
      description: 'The lines; in a CSV, the names of the columns first.',
      headers: {
        'Next-Cursor': 'NextCursor',
        'Results-Remaining': 'ResultsRemaining',
        'Content-Disposition': 'FileName',
      },
      mediaType: 'text/csv',
      otherMedia: {
        mediaType: 'application/x-ndjson',
        item: 'Result',
        body: z.string().max(2_147_483_647).meta({
          description: 'A `Result` as JSON in each line; lines end with a line feed.',
          maxLength: 2_147_483_647,
          pattern: '^[^\\x00]*$',
          example: '{"id":"01jr5x5h3s4b8w2a7r9t1v3x5z"}',
        }),
        examples: {
          one: { summary: 'One result', value: `${JSON.stringify(exampleResult)}\n` },
        },
      },
      body: z.string().max(2_147_483_647).meta({
        description: 'CSV with CRLF line ends.',
        maxLength: 2_147_483_647,
        pattern: '^[^\\x00]*$',
        example: 'Result,Submitted at',
      }),
      examples: {
        one: {
          summary: 'One result',
          value: `Result,Submitted at,Completed,Email\r\n${exampleIds.result},2026-03-05T12:30:00.000Z,true,ada@example.com\r\n`,
        },
      },
    },
  },
})
