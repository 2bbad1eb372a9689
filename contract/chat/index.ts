import { boundedArray } from '../bot-document/bounded-array.ts'
import { publicId } from '../bots/schemas.ts'
import { recordId, successBody, successExample, text } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { anyone, bot, define, type Operation } from '../operation.ts'
import { exampleIds } from '../shared.ts'
import { continueChatBody, startChatBody } from './requests.ts'
import {
  chatEvents,
  chatSessionBody,
  continuedChatBody,
  eventsAfterId,
  sessionEventStream,
  sessionEventsBody,
  startedChatBody,
} from './responses.ts'
import { startedPreviewBody, startPreviewBody } from './simulation.ts'

const clientLog = z
  .strictObject({
    description: text(10_000).meta({
      description: 'Description of the event.',
      example: 'Could not load the script',
    }),
    status: text(10_000).optional().meta({
      description: 'Kind of the entry, such as `error`, `success` or `info`; `error` when absent.',
      example: 'error',
    }),
    details: text(10_000).optional().meta({
      description: 'Further details.',
      example: 'net::ERR_BLOCKED_BY_CLIENT',
    }),
    context: text(10_000)
      .optional()
      .meta({ description: 'Location of the event.', example: 'While executing the script' }),
  })
  .meta({
    id: 'ClientLog',
    description: 'One entry of the log of a chat client. Each text is cut at 1,000 characters.',
  })

const sessionParams = z.object({
  sessionId: recordId('Id of the chat session, as start chat returns it.', exampleIds.session),
})

const exampleStep = {
  messages: [
    {
      id: 'block-hello',
      type: 'text',
      content: {
        type: 'richText',
        richText: [{ type: 'p', children: [{ text: 'Hello! What is your e-mail address?' }] }],
      },
    },
  ],
  input: { id: 'block-email', type: 'email input', options: { variableId: 'variable-email' } },
  revision: 1,
}

const examplePreview = {
  sessionId: exampleIds.session,
  bot: {
    id: exampleIds.bot,
    version: '6.1',
    theme: {},
    settings: {},
    publishedAt: '2026-03-04T11:00:00.000Z',
  },
  ...exampleStep,
}

const exampleSimulated = {
  ...examplePreview,
  simulation: {
    publicationId: null,
    steps: [{ messages: [], revision: 2 }],
    isOver: true,
    lastBlockId: 'block-email',
    isIncomplete: false,
    answers: [{ blockId: 'block-email', content: 'ada@example.com' }],
    variables: [{ id: 'variable-email', name: 'Email', value: 'ada@example.com' }],
    transcript: [
      { role: 'bot', type: 'text', text: 'Hello! What is your e-mail address?' },
      { role: 'user', type: 'text', text: 'ada@example.com' },
    ],
    requests: [],
    blockIds: ['block-hello', 'block-email'],
    edgeIds: ['edge-start'],
  },
}

const exampleStart = { ...examplePreview, resultId: exampleIds.result }

const movedOn: Operation['errorExamples'] = {
  CONFLICT: {
    summary: 'Another reply was faster',
    issues: [
      {
        path: ['body', 'revision'],
        code: 'conflict',
        message:
          'The session is at a newer revision, so this reply was ignored; get the session, and send its revision',
      },
    ],
  },
}

const exampleSession = {
  sessionId: exampleIds.session,
  resultId: exampleIds.result,
  bot: { id: exampleIds.bot, version: '6.1', theme: {}, settings: {} },
  turns: exampleStep.messages.map((message) => ({ role: 'bot', message })),
  isOver: false,
  input: exampleStep.input,
  lastEventId: '1.0',
  revision: 1,
}

export const chat = define({
  startChat: {
    method: 'post',
    path: '/api/v1/bots/{publicId}/startChat',
    tag: 'chat',
    summary: 'Start a chat',
    description:
      'Starts a chat with a published bot and runs it up to its first input. The chat stays with the copy that is published now, and its answers go to a new result. A public id that no published bot has is not found; a bot that is closed is invalid input; a page whose origin the bot does not allow is forbidden.',
    access: anyone,
    takesLongKey: true,
    callsOut: true,
    isCrossOrigin: true,
    params: z.object({ publicId }),
    body: startChatBody,
    requestExamples: {
      plain: { summary: 'From the start', value: {} },
      prefilled: {
        summary: 'With a known name',
        value: { prefilledVariables: { Name: 'Ada' }, textBubbleContentFormat: 'markdown' },
      },
    },
    success: {
      status: 200,
      description: 'The first messages of the bot, and the input it waits at.',
      body: startedChatBody,
      resultOf: 'resultId',
      examples: { started: { summary: 'Waiting for an e-mail address', value: exampleStart } },
      otherMedia: chatEvents,
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  },
  getSession: {
    method: 'get',
    path: '/api/v1/sessions/{sessionId}',
    tag: 'chat',
    summary: 'Get a chat session',
    description:
      'Returns the current state of a chat: its messages, and the input or the action it waits for. A client that was closed shows this and continues with `revision`; nothing runs again. A session can be read as long as it can be continued, and for an hour after it ended.',
    access: anyone,
    isCrossOrigin: true,
    params: sessionParams,
    success: {
      status: 200,
      description: 'The messages, and the input or the action that the chat waits for.',
      body: chatSessionBody,
      examples: { waiting: { summary: 'Waiting for an e-mail address', value: exampleSession } },
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  },
  listSessionEvents: {
    method: 'get',
    path: '/api/v1/sessions/{sessionId}/events',
    tag: 'chat',
    summary: 'Follow a chat session',
    description:
      'Returns the events of a chat after a given one: turns, messages of members, changes of hands, the end. A client that accepts `text/event-stream` gets them as they come. A browser that lost the connection continues from its last event by itself. Clients need it only while `expectsEvents` is true; reading the session again shows the same.',
    access: anyone,
    isCrossOrigin: true,
    params: sessionParams,
    query: z.strictObject({ after: eventsAfterId }),
    success: {
      status: 200,
      description: 'The events after the given one.',
      body: sessionEventsBody,
      otherMedia: sessionEventStream,
      examples: {
        handled: {
          summary: 'A member handles the chat',
          value: { events: [{ type: 'handled', id: '3.0', handledBy: 'member' }] },
        },
      },
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  },
  continueChat: {
    method: 'post',
    path: '/api/v1/sessions/{sessionId}/continueChat',
    tag: 'chat',
    summary: 'Continue a chat',
    description:
      'Sends a reply and runs the flow up to its next input. A reply that the input does not accept gets a message and the same input. A chat that waits at a webhook block returns the same turn again until the webhook is called; in a preview a text stands for the call, such as `{"data": {"isPaid": true}}`. With `revision` a repeated request gets the same response again. If equal replies arrive at once, one counts and all get its response; if they differ, one counts and the others are a conflict. A session can be continued for at least 48 hours after its last turn; then, or when the bot is deleted, it is not found.',
    access: anyone,
    isCrossOrigin: true,
    params: sessionParams,
    body: continueChatBody,
    requestExamples: {
      reply: { summary: 'A reply', value: { message: 'ada@example.com', revision: 1 } },
    },
    success: {
      status: 200,
      description: 'The next messages of the bot, and the input it waits at.',
      body: continuedChatBody,
      otherMedia: chatEvents,
      examples: { ended: { summary: 'The chat is over', value: { messages: [], revision: 2 } } },
    },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
    errorExamples: movedOn,
  },
  startPreview: {
    method: 'post',
    path: '/api/v1/bots/{botId}/preview/startChat',
    tag: 'chat',
    summary: 'Preview the draft of a bot',
    description:
      'Starts a chat with the draft instead of the published copy. It stores no result; every turn runs the current draft. Continue it with the operation that continues chats. With `simulation`, the engine of live chats runs a whole chat at once, from given replies, responses, a clock and branches. Nothing is sent or stored, and with `startsAt` the same request runs the same chat. Blocks get stand-ins in place of the data of credentials.',
    access: bot('MEMBER'),
    scope: 'write',
    callsOut: true,
    params: z.object({ botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot) }),
    body: startPreviewBody,
    requestExamples: {
      group: {
        summary: 'From a group',
        value: { startFrom: { type: 'group', groupId: 'group-welcome' } },
      },
      simulation: {
        summary: 'A whole chat, without sending anything',
        value: {
          simulation: {
            replies: [{ message: 'ada@example.com' }],
            responses: [{ url: 'https://api.example.com/', body: { price: 12 } }],
            startsAt: '2026-03-04T11:00:00Z',
          },
        },
      },
    },
    success: {
      status: 200,
      description: 'The first messages of the bot, and the input it waits at.',
      body: startedPreviewBody,
      resultOf: 'resultId',
      examples: {
        started: { summary: 'Waiting for an e-mail address', value: examplePreview },
        simulated: { summary: 'A chat that was simulated', value: exampleSimulated },
      },
    },
  },
  executeWebhook: {
    method: 'post',
    path: '/api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook',
    tag: 'chat',
    summary: 'Call the webhook that a chat waits for',
    description:
      'Continues a chat that waits at a webhook block, with the body as the data that the block maps into variables. Numbers of any length stay as they are written. The waiting client continues without a message and with its `revision`, and gets the next turn in the text format of its last request. A chat that does not wait at this block is invalid input.',
    access: bot('MEMBER'),
    callsOut: true,
    keepsNumbers: true,
    params: z.object({
      botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot),
      blockId: text(255, 1).meta({ description: 'Id of the webhook block.', example: 'block-webhook' }),
      resultId: recordId('Id of the result of the chat.', exampleIds.result),
    }),
    body: z.record(text(255), z.unknown()).meta({
      id: 'WebhookData',
      description: 'Any data, as the caller of the webhook sends it.',
      maxProperties: 5000,
      example: { isPaid: true },
    }),
    requestExamples: { paid: { summary: 'A payment came in', value: { isPaid: true } } },
    success: {
      status: 200,
      description: 'The chat continued with the data.',
      body: successBody,
      examples: successExample,
    },
    errors: ['CONFLICT'],
    errorExamples: movedOn,
  },
  saveClientLogs: {
    method: 'post',
    path: '/api/v2/sessions/{sessionId}/clientLogs',
    tag: 'chat',
    summary: 'Save log entries of a chat client',
    description:
      'Stores log entries of a chat client with the result of the chat. Needs no token: any caller with the id of the session may write. An unknown session is invalid input. A session may have 1,000 entries in all. A request that exceeds them, or the daily limit of its address (`daily_quota_exceeded`), is rejected as a whole with `TOO_MANY_REQUESTS`.',
    access: anyone,
    isCrossOrigin: true,
    params: sessionParams,
    body: z
      .strictObject({
        clientLogs: boundedArray(clientLog, { maximum: 100 }).meta({ description: 'The entries, in order.' }),
      })
      .meta({ id: 'SaveClientLogsBody', description: 'Entries of the log of a chat client.' }),
    requestExamples: {
      one: {
        summary: 'One entry',
        value: {
          clientLogs: [
            {
              description: 'Could not load the script',
              status: 'error',
              details: 'net::ERR_BLOCKED_BY_CLIENT',
              context: 'While executing the script',
            },
          ],
        },
      },
    },
    success: {
      status: 200,
      description: 'The entries are saved.',
      body: successBody,
      examples: successExample,
    },
  },
})
