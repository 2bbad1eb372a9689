import { selectUnion } from '../bot-document/union.ts'
import { recordId, text, zonedTime, zonedTimeForm } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { publicationId } from '../publications.ts'
import { answer, resultVariable, transcriptEntry } from '../results.ts'
import { exampleIds } from '../shared.ts'
import { blockId } from './fields.ts'
import { message, startFrom, startProperties } from './requests.ts'
import { continuedChatBody, startedChatBody } from './responses.ts'

/* Previews. A simulation is one that runs a whole chat in one request from given data, and sends nothing. */

const time = (description: string) =>
  zonedTime().meta({ ...zonedTimeForm, description, example: '2026-03-05T12:30:00Z' })

const simulatedReply = z
  .strictObject({
    message: selectUnion([z.lazy(() => message), z.null()], (value) => (value === null ? z.null() : message))
      .optional()
      .meta({
        description:
          'The reply, as continue chat takes it; absent or null skips an optional input, or confirms that an awaited action is done.',
        example: 'ada@example.com',
      }),
    at: time('Time of the turn on the clock of the bot; absent means that of the turn before.').optional(),
  })
  .meta({ id: 'SimulatedReply', description: 'One reply of the visitor.' })

const simulatedResponse = z
  .strictObject({
    blockId: blockId.optional().meta({
      description: 'Id of the block that sends the request; absent means any.',
      example: 'block-prices',
    }),
    url: text(2048).optional().meta({
      description: 'Beginning of the address of the request; absent means any.',
      example: 'https://api.example.com/prices',
    }),
    status: z
      .int()
      .min(100)
      .max(599)
      .default(200)
      .meta({ format: 'int32', description: 'Status of the response.', example: 200 }),
    body: z
      .unknown()
      .optional()
      .meta({
        description:
          'Body of the response: a text is sent as it is, other values as JSON. For a language model, the text that it writes.',
        example: { price: 12 },
      }),
    failure: z
      .enum(['refused', 'time', 'size', 'network'])
      .optional()
      .meta({ description: 'Failure in place of a response.' }),
  })
  .meta({
    id: 'SimulatedResponse',
    description:
      'The response to requests of a block, an address, or both. If several fit, each is given once, in order, and the last one to all further requests.',
  })

const simulatedBranch = z
  .strictObject({
    blockId: blockId.meta({ description: 'Id of the A/B test.', example: 'block-test' }),
    path: z.enum(['a', 'b']).meta({ description: 'The path that is taken.' }),
  })
  .meta({
    id: 'SimulatedBranch',
    description:
      'The path that an A/B test takes. Several for one test are taken in order, and the last one from then on.',
  })

export const simulation = z
  .strictObject({
    of: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, {
        error: 'Expected `draft`, `published`, or the id of a publication',
      })
      .default('draft')
      .meta({
        minLength: 1,
        maxLength: 64,
        description: 'The state to run: `draft`, `published`, or the id of a publication. Default `draft`.',
        example: 'draft',
      }),
    replies: z
      .array(simulatedReply)
      .max(200)
      .default([])
      .meta({ description: 'The replies, in order. Those after the end of the chat are left out.' }),
    responses: z.array(simulatedResponse).max(100).default([]).meta({
      description: 'The responses to requests of the bot. A request without one fails as a lost connection.',
    }),
    branches: z
      .array(simulatedBranch)
      .max(1_000)
      .default([])
      .meta({ description: 'Paths of A/B tests. Other tests choose by the seed.' }),
    startsAt: time('Time of the first turn; the current time when absent.').optional(),
    seed: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .default(0)
      .meta({ format: 'int32', description: 'Seed of random numbers and ids.', example: 0 }),
  })
  .meta({
    id: 'Simulation',
    description: 'A chat that is run at once from the given data. Nothing is sent or stored.',
  })

const simulatedRequest = z
  .object({
    blockId: blockId.meta({ description: 'Id of the block that sent it.', example: 'block-prices' }),
    step: z.int().min(0).max(200).meta({
      format: 'int32',
      description: 'The turn in which it was sent: 0 for the start, then the position of the reply.',
      example: 1,
    }),
    kind: z.enum(['request', 'model', 'email']).meta({ description: 'Kind of the request.' }),
    method: text(16).meta({ description: 'Method of a request; `POST` for all else.', example: 'POST' }),
    url: text(10_000).meta({
      description: 'Address, cut at 10,000 characters; that of an e-mail begins with `mailto:`.',
      example: 'https://api.example.com/prices',
    }),
    body: text(10_000).optional().meta({
      description:
        'Body, cut at 10,000 characters; absent where there is none, or the block has credentials.',
      example: '{"plan":"basic"}',
    }),
    isAnswered: z.boolean().meta({
      description: 'True if a response was given for it. E-mails need none.',
      example: true,
    }),
  })
  .meta({ id: 'SimulatedRequest', description: 'A request that the bot would have sent.' })

export const simulated = z
  .object({
    publicationId: publicationId.nullable().meta({
      description: 'Id of the publication that ran; null for the draft.',
      example: exampleIds.publication,
    }),
    steps: z.array(continuedChatBody).max(200).meta({ description: 'The turn after each reply, in order.' }),
    isOver: z.boolean().meta({ description: 'True if the chat has ended.', example: true }),
    lastBlockId: blockId.nullable().meta({
      description: 'Id of the block that the chat waits at, or that ran last; null if none ran.',
    }),
    isIncomplete: z.boolean().meta({
      description:
        'True if the simulation was stopped before its last reply: at 2 s of work, 20 s in all, or 8 MB.',
      example: false,
    }),
    answers: z.array(answer).max(10_000).meta({ description: 'The answers, in order.' }),
    variables: z
      .array(resultVariable)
      .max(10_000)
      .meta({ description: 'Variables that have a value at the end, session variables included.' }),
    transcript: z.array(transcriptEntry).max(100_000).meta({ description: 'The transcript, in order.' }),
    requests: z
      .array(simulatedRequest)
      .max(10_000)
      .meta({ description: 'Requests that the bot would have sent.' }),
    blockIds: z
      .array(text(255))
      .max(10_000)
      .meta({ description: 'Ids of the blocks of this bot that ran.', example: ['block-hello'] }),
    edgeIds: z
      .array(text(255))
      .max(10_000)
      .meta({ description: 'Ids of the edges of this bot that were taken.', example: ['edge-start'] }),
  })
  .meta({
    id: 'SimulatedChat',
    description: 'A chat that was simulated as a whole. Its session is not stored, so it is not found.',
  })

export const startPreviewBody = z
  .strictObject({
    ...startProperties,
    sessionId: recordId('Id of a preview session to start over.', exampleIds.session)
      .optional()
      .meta({ description: 'Id of an earlier preview session of this bot, which is replaced.' }),
    startFrom: startFrom.optional(),
    simulation: simulation.optional(),
    isProgressBarEnabled: z
      .boolean()
      .optional()
      .meta({ description: 'True to return the progress whatever the theme says.' }),
  })
  .meta({ id: 'StartPreviewBody', description: 'Options of a preview; every property may be absent.' })

export const startedPreviewBody = startedChatBody
  .extend({
    simulation: simulated.optional(),
  })
  .meta({
    id: 'StartedPreviewBody',
    description: 'The first turn of a preview. Without `input` and awaited action it is over.',
  })
