import { recordId, text, timestamp } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { resultVariable } from '../results.ts'
import { exampleIds } from '../shared.ts'
import { bubble, chatLog, clientSideAction, dynamicTheme, input } from './content.ts'
import { anyObject, blockId, prose, revision } from './fields.ts'

// Responses

export const chatHandlerKinds = ['bot', 'waiting', 'member'] as const

/** Seconds for which a member counts as typing. */
export const TYPING_SECONDS = 6

const handledByPeople = z.enum(['waiting', 'member']).meta({
  description:
    'Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events.',
})

const expectsEvents = z.boolean().meta({
  description:
    'True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise.',
  example: true,
})

const turnProperties = {
  messages: z.array(bubble).max(10_000).meta({ description: 'Messages of the bot, in order.' }),
  input: input.optional(),
  clientSideActions: z
    .array(clientSideAction)
    .max(10_000)
    .optional()
    .meta({ description: 'Actions of the client, in order; absent if there are none.' }),
  logs: z
    .array(chatLog)
    .max(10_000)
    .optional()
    .meta({ description: 'Log of the turn, for developers of the client.' }),
  variables: z
    .array(resultVariable)
    .max(5_000)
    .optional()
    .meta({ description: 'The variables that have a value after the turn; in previews only.' }),
  dynamicTheme: dynamicTheme.optional(),
  progress: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: 'Progress of the chat in percent; only with the progress bar on.', example: 40 }),
  lastMessageNewFormat: prose(
    'The reply as it was understood, if that differs from the sent one.',
    '+33 1 23 45 67 89',
  ).optional(),
  handledBy: handledByPeople.optional(),
  expectsEvents: expectsEvents.optional(),
  revision,
}

const chatBot = z
  .object({
    id: recordId('Id of the bot, as create and list return it.', exampleIds.bot),
    version: text(16).meta({ description: 'Version of the flow that runs.', example: '6.1' }),
    theme: anyObject('The theme, with placeholders filled in.'),
    settings: anyObject('The settings a client needs: `general` and `typingEmulation`.'),
    publishedAt: timestamp('When the running copy was published.').optional(),
  })
  .meta({ id: 'ChatBot', description: 'The bot that runs: its version, theme and settings.' })

export const startedChatBody = z
  .object({
    sessionId: recordId('Id of the chat session, needed to continue.', exampleIds.session),
    resultId: recordId('Id of the result, as the list of results returns it.', exampleIds.result)
      .optional()
      .meta({ description: 'Id of the result; absent while the chat is only registered, and in a preview.' }),
    bot: chatBot,
    ...turnProperties,
  })
  .meta({
    id: 'StartedChatBody',
    description: 'The first turn of a chat. Without `input` and awaited action it is over.',
  })

// Sessions of returning visitors

export const turn = z
  .discriminatedUnion('role', [
    z
      .object({
        role: z.enum(['bot']).meta({ description: 'Role of the author.' }),
        message: bubble,
      })
      .meta({ id: 'BotTurn', description: 'A message of the bot.' }),
    z
      .object({
        role: z.enum(['user']).meta({ description: 'Role of the author.' }),
        text: prose(
          'Text as clients show it: the label of a chosen item, the URL of a recording. Empty for a picture without a title, and if only files were sent.',
          'ada@example.com',
        ),
        attachedFileUrls: z
          .array(text(2048))
          .max(100)
          .optional()
          .meta({
            description: 'URLs of files sent with the text.',
            example: ['https://example.com/plan.pdf'],
          }),
      })
      .meta({ id: 'UserTurn', description: 'A message of the visitor.' }),
    z
      .object({
        role: z.enum(['member']).meta({ description: 'Role of the author.' }),
        message: bubble,
        userId: recordId('Id of the member; only members see it.', exampleIds.user).optional(),
      })
      .meta({ id: 'MemberTurn', description: 'A message of a member to the visitor.' }),
  ])
  .meta({ id: 'ChatTurn', description: 'A message in a chat.' })

export const eventId = z
  .string()
  .regex(/^\d{1,9}\.\d{1,9}$/, { error: 'Expected the id of an event of the session, such as 3.1' })
  .meta({
    minLength: 3,
    maxLength: 19,
    description: 'Id of the last event of the session; the next events come after it.',
    example: '3.1',
  })

export const chatSessionBody = z
  .object({
    sessionId: recordId('Id of the chat session.', exampleIds.session),
    resultId: recordId('Id of the result, as the list of results returns it.', exampleIds.result)
      .optional()
      .meta({ description: 'Id of the result; absent while the chat is only registered, and in a preview.' }),
    bot: chatBot,
    turns: z
      .array(turn)
      .max(10_000)
      .meta({ description: 'The messages, oldest first; for very long chats, only the latest.' }),
    isOver: z.boolean().meta({ description: 'True if the chat has ended.', example: false }),
    input: input.optional(),
    clientSideActions: z.array(clientSideAction).max(10_000).optional().meta({
      description: 'Actions that the chat waits for; one-time actions are not repeated.',
    }),
    dynamicTheme: dynamicTheme.optional(),
    progress: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .meta({ description: 'Progress of the chat in percent; only with the progress bar on.', example: 40 }),
    handledBy: handledByPeople.optional(),
    expectsEvents: expectsEvents.optional(),
    lastEventId: eventId,
    revision,
  })
  .meta({
    id: 'ChatSessionBody',
    description: 'The current state of a chat, for a client that comes back to it.',
  })

export const continuedChatBody = z.object(turnProperties).meta({
  id: 'ContinuedChatBody',
  description: 'A further turn of a chat. Without `input` and awaited action it is over.',
})

// Events of a streamed turn

const eventOf = <const Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  id: string,
  description: string,
  shape: Shape,
) =>
  z
    .object({ type: z.enum([type]).meta({ description: 'Name of the event.' }), ...shape })
    .meta({ id, description })

/** Data of each streamed event. The name of an event is the `type` of its data. */
export const chatEvent = z
  .discriminatedUnion('type', [
    eventOf(
      'look',
      'ChatLookEvent',
      'Appearance of the chat: the first event of a start. The event `answer` repeats it.',
      {
        theme: chatBot.shape.theme,
        settings: chatBot.shape.settings,
      },
    ),
    eventOf('message', 'ChatMessageEvent', 'A message of the bot. The event `answer` repeats it.', {
      message: bubble,
    }),
    eventOf('action', 'ChatActionEvent', 'An action of the client. The event `answer` repeats it.', {
      action: clientSideAction,
    }),
    eventOf(
      'delta',
      'ChatDeltaEvent',
      'A piece of a text that a language model is writing. The bubble that will show the text has this id, and replaces the pieces.',
      { id: blockId, text: prose('The piece.', 'Hel') },
    ),
    eventOf('answer', 'ChatAnswerEvent', 'The last event: the response of a request without a stream.', {
      answer: z.record(text(255), z.unknown()).meta({
        description: 'A `StartedChatBody` for a start, a `ContinuedChatBody` for a continuation.',
        maxProperties: 100,
        example: { messages: [], revision: 2 },
      }),
    }),
    eventOf('error', 'ChatErrorEvent', 'The last event of a request that failed after others were sent.', {
      status: z.int().min(400).max(599).meta({
        format: 'int32',
        description: 'Status of the response without a stream.',
        example: 409,
      }),
      error: z.record(text(255), z.unknown()).meta({
        description: 'Body of the response without a stream.',
        maxProperties: 100,
        example: { code: 'CONFLICT', message: 'Conflicting update', issues: [] },
      }),
    }),
  ])
  .meta({
    id: 'ChatEvent',
    description: 'Data of an event of a streamed chat, as JSON in one line.',
  })

export const chatEvents = {
  mediaType: 'text/event-stream',
  item: 'ChatEvent',
  isTurn: true,
  body: z.string().max(2_147_483_647).meta({
    description:
      'Server-sent events, for chats that were started with `isStreamEnabled`; each has a `ChatEvent` as its data and its `type` as its name. The last one is the whole response, and only it counts: clients correct their display by it. Repeat a stream that broke off like any request whose response was lost.',
    maxLength: 2_147_483_647,
    pattern: '^[^\\x00]*$',
    example: 'event: delta\ndata: {"type":"delta","id":"block-answer","text":"Hel"}\n\n',
  }),
  examples: {
    streamed: {
      summary: 'A growing text, and the response',
      value:
        'event: delta\ndata: {"type":"delta","id":"block-answer","text":"Hel"}\n\nevent: answer\ndata: {"type":"answer","answer":{"messages":[],"revision":2}}\n\n',
    },
  },
} as const

// Events of a session

const sessionEventOf = <const Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  id: string,
  description: string,
  shape: Shape,
) =>
  z
    .object({
      type: z.enum([type]).meta({ description: 'Name of the event.' }),
      id: eventId.meta({ description: 'Id of the event, to continue from.', example: '3.1' }),
      ...shape,
    })
    .meta({ id, description })

const sessionEvent = z
  .discriminatedUnion('type', [
    sessionEventOf('turn', 'SessionTurnEvent', 'A turn of the chat, in any client.', {
      said: z.array(turn).max(100).meta({ description: 'Messages of the visitor in this turn.' }),
      step: z.record(text(255), z.unknown()).meta({
        description: 'The turn, a `ContinuedChatBody`.',
        maxProperties: 100,
        example: { messages: [], revision: 3 },
      }),
    }),
    sessionEventOf('message', 'SessionMessageEvent', 'A member wrote to the visitor.', {
      turns: z.array(turn).max(21).meta({ description: 'The message, as it is shown.' }),
    }),
    sessionEventOf(
      'handled',
      'SessionHandledEvent',
      'The first event of a stream, and sent whenever the chat changes hands.',
      { handledBy: z.enum(chatHandlerKinds).meta({ description: 'The one who handles the chat now.' }) },
    ),
    sessionEventOf(
      'typing',
      'SessionTypingEvent',
      'A member is typing, or has stopped without a message. Only streams have it. A message and a change of hands end it, too.',
      {
        seconds: z.number().min(0).max(TYPING_SECONDS).meta({
          description: 'Seconds for which a client shows it, unless another one comes before; 0 ends it.',
          example: TYPING_SECONDS,
        }),
      },
    ),
    sessionEventOf(
      'over',
      'SessionOverEvent',
      'The chat has ended, or no longer exists: the last event.',
      {},
    ),
  ])
  .meta({ id: 'SessionEvent', description: 'An event of a chat session.' })

/** A query parameter; browsers that connect again say the same in a header. */
export const eventsAfterId = eventId.optional().meta({
  description:
    'Id of the last event that the client has. Absent means from now on. The header `Last-Event-ID` takes precedence.',
  example: '3.1',
})

export const sessionEventsBody = z
  .object({
    events: z.array(sessionEvent).max(10_000).meta({
      description:
        'The events since then, in order; the last one says who handles the chat, or that it is over.',
    }),
  })
  .meta({ id: 'SessionEventsBody', description: 'Events of a chat session.' })

export const sessionEventStream = {
  mediaType: 'text/event-stream',
  item: 'SessionEvent',
  body: z.string().max(2_147_483_647).meta({
    description:
      'Server-sent events, for requests that accept `text/event-stream`, until the chat ends. Each has a `SessionEvent` as its data, its `type` as its name and its `id`.',
    maxLength: 2_147_483_647,
    pattern: '^[^\\x00]*$',
    example: 'id: 3.0\nevent: handled\ndata: {"type":"handled","id":"3.0","handledBy":"member"}\n\n',
  }),
  examples: {
    handled: {
      summary: 'A member handles the chat',
      value: 'id: 3.0\nevent: handled\ndata: {"type":"handled","id":"3.0","handledBy":"member"}\n\n',
    },
  },
} as const
