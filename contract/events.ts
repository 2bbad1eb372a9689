import { documentVersion } from './bots/schemas.ts'
import { chatHandlerKinds } from './chat/responses.ts'
import { recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { answer } from './results.ts'
import { exampleIds } from './shared.ts'

/* Every type of event of webhooks with its payload, published as `webhooks` of the document. */

const bot = z
  .object({
    id: recordId('Id of the bot, as create and list return it.', exampleIds.bot),
    workspaceId: recordId('Id of the workspace of the bot.', exampleIds.workspace),
    folderId: recordId('Id of the folder of the bot.', exampleIds.folder).nullable().meta({
      description: 'Id of the folder of the bot; null at the top level.',
      example: exampleIds.folder,
    }),
    name: text(255).meta({ description: 'Name of the bot.', example: 'Lead capture' }),
    version: documentVersion,
    publicId: text(255)
      .nullable()
      .meta({ description: 'Name of the bot in the address of its chat, or null.', example: 'lead-capture' }),
    createdAt: timestamp('When the bot was created.'),
    updatedAt: timestamp('When the draft was last changed; read the bot to see its current state.'),
  })
  .meta({ id: 'BotEventData', description: 'A bot without its documents.' })

const resultProperties = {
  id: recordId('Id of the result.', exampleIds.result),
  botId: recordId('Id of the bot.', exampleIds.bot),
  createdAt: timestamp('When the chat started.'),
  hasStarted: z.boolean().meta({ description: 'True if at least one answer was given.', example: true }),
  isCompleted: z.boolean().meta({
    description: 'True if the chat reached an end and had at least one answer.',
    example: false,
  }),
  lastChatSessionId: recordId('Id of the chat session that wrote last.', exampleIds.session),
}

const result = z
  .object(resultProperties)
  .meta({ id: 'ResultEventData', description: 'A result without its variables; read it to see them.' })

const answeredResult = z
  .object({
    ...resultProperties,
    answers: z.array(answer).max(1000).meta({ description: 'The answers of this turn.' }),
  })
  .meta({ id: 'AnsweredResultEventData', description: 'A result and the answers of one turn.' })

const deletedResults = z
  .object({
    botId: recordId('Id of the bot.', exampleIds.bot),
    resultIds: z
      .array(recordId('Id of a result that was to be deleted.', exampleIds.result))
      .max(500)
      .nullable()
      .meta({ description: 'Ids that the request named; null if it named none.', example: null }),
    createdBefore: timestamp('Only results that began before it were deleted.').nullable().meta({
      description:
        'Only results that began before it were deleted; null without such a bound. If `resultIds` is null too, all results were deleted.',
      example: null,
    }),
  })
  .meta({ id: 'DeletedResultsEventData', description: 'The results that were deleted.' })

const chatProperties = {
  sessionId: recordId('Id of the chat session.', exampleIds.session),
  botId: recordId('Id of the bot.', exampleIds.bot),
  resultId: recordId('Id of the result.', exampleIds.result),
  handledBy: z
    .enum(chatHandlerKinds)
    .meta({ description: 'The one who handles the chat from then on.', example: 'member' }),
  assigneeId: recordId('Id of the member who handles the chat.', exampleIds.user).nullable().meta({
    description: 'Id of the member who handles the chat; null if none does, and for an agent of Chatwoot.',
    example: exampleIds.user,
  }),
}

const chat = z.object(chatProperties).meta({ id: 'ChatEventData', description: 'A chat that changed hands.' })

const chatHandoff = z
  .object({
    ...chatProperties,
    blockId: text(255).nullable().meta({
      description: 'Id of the block that requested a member; null if a member queued the chat.',
      example: 'block-people',
    }),
  })
  .meta({ id: 'ChatHandoffEventData', description: 'A chat that waits for a member.' })

const chatMessage = z
  .object({
    ...chatProperties,
    said: z
      .array(
        z
          .object({
            text: text(262_144).meta({
              description: 'The text; may be empty.',
              example: 'Is anybody there?',
            }),
            attachedFileUrls: z
              .array(text(2048))
              .max(100)
              .optional()
              .meta({
                description: 'URLs of files sent with the text.',
                example: ['https://example.com/plan.pdf'],
              }),
          })
          .meta({ id: 'VisitorMessage', description: 'A message of a visitor.' }),
      )
      .max(100)
      .meta({ description: 'Messages of the visitor.' }),
  })
  .meta({ id: 'ChatMessageEventData', description: 'A message of a visitor to people.' })

const test = z
  .object({ endpointId: recordId('Id of the endpoint that is tested.', exampleIds.webhookEndpoint) })
  .meta({ id: 'TestEventData', description: 'The endpoint that is tested.' })

function payload<const Type extends string, Data extends z.ZodType>(
  type: Type,
  id: string,
  description: string,
  data: Data,
) {
  return z
    .object({
      type: z.literal(type).meta({ description: 'The type of the event.', example: type }),
      timestamp: timestamp(
        'Time of the event. Events of one bot come in order, but not always by this time.',
      ),
      data,
    })
    .meta({ id, description })
}

const exampleBot = {
  id: exampleIds.bot,
  workspaceId: exampleIds.workspace,
  folderId: null,
  name: 'Lead capture',
  version: '6.1',
  publicId: 'lead-capture',
  createdAt: '2026-03-04T10:15:30.120Z',
  updatedAt: '2026-03-04T10:20:00.000Z',
}

const exampleResult = {
  id: exampleIds.result,
  botId: exampleIds.bot,
  createdAt: '2026-03-05T12:30:00.000Z',
  hasStarted: true,
  isCompleted: false,
  lastChatSessionId: exampleIds.session,
}

const exampleChat = {
  sessionId: exampleIds.session,
  botId: exampleIds.bot,
  resultId: exampleIds.result,
  handledBy: 'member',
  assigneeId: exampleIds.user,
}

const exampleWaiting = { ...exampleChat, handledBy: 'waiting', assigneeId: null }

/** Every type of event with its name, its cause and its payload. */
export const events = {
  'bot.created': {
    when: 'A bot was created or imported.',
    body: payload('bot.created', 'BotCreatedEvent', 'A bot was created or imported.', bot),
    example: exampleBot,
  },
  'bot.updated': {
    when: 'The draft or a property of a bot was changed, or a publication was restored.',
    body: payload('bot.updated', 'BotUpdatedEvent', 'The draft or a property of a bot was changed.', bot),
    example: exampleBot,
  },
  'bot.deleted': {
    when: 'A bot was deleted; it cannot be read any more.',
    body: payload('bot.deleted', 'BotDeletedEvent', 'A bot was deleted; it cannot be read any more.', bot),
    example: exampleBot,
  },
  'bot.published': {
    when: 'The draft of a bot was published.',
    body: payload('bot.published', 'BotPublishedEvent', 'A bot was published.', bot),
    example: exampleBot,
  },
  'bot.unpublished': {
    when: 'A bot was taken offline.',
    body: payload('bot.unpublished', 'BotUnpublishedEvent', 'A bot was unpublished.', bot),
    example: exampleBot,
  },
  'result.started': {
    when: 'The first answer of a chat was given.',
    body: payload(
      'result.started',
      'ResultStartedEvent',
      'A visitor gave the first answer of a chat.',
      result,
    ),
    example: exampleResult,
  },
  'result.answered': {
    when: 'A turn of a chat stored answers.',
    body: payload(
      'result.answered',
      'ResultAnsweredEvent',
      'A turn of a chat stored answers.',
      answeredResult,
    ),
    example: { ...exampleResult, answers: [{ blockId: 'block-email', content: 'ada@example.com' }] },
  },
  'result.completed': {
    when: 'A chat with at least one answer reached an end.',
    body: payload(
      'result.completed',
      'ResultCompletedEvent',
      'A chat with at least one answer reached an end.',
      result,
    ),
    example: { ...exampleResult, isCompleted: true },
  },
  'chat.handoffRequested': {
    when: 'A chat waits for a member from now on.',
    body: payload(
      'chat.handoffRequested',
      'ChatHandoffRequestedEvent',
      'A chat waits for a member from now on.',
      chatHandoff,
    ),
    example: { ...exampleWaiting, blockId: 'block-people' },
  },
  'chat.taken': {
    when: 'A member handles a chat from now on.',
    body: payload('chat.taken', 'ChatTakenEvent', 'A member handles a chat from now on.', chat),
    example: exampleChat,
  },
  'chat.returned': {
    when: 'The bot handles a chat again.',
    body: payload('chat.returned', 'ChatReturnedEvent', 'The bot handles a chat again.', chat),
    example: { ...exampleChat, handledBy: 'bot', assigneeId: null },
  },
  'chat.messageReceived': {
    when: 'A visitor wrote while people handle the chat.',
    body: payload(
      'chat.messageReceived',
      'ChatMessageReceivedEvent',
      'A visitor wrote while people handle the chat.',
      chatMessage,
    ),
    example: { ...exampleChat, said: [{ text: 'Is anybody there?' }] },
  },
  'results.deleted': {
    when: 'A caller deleted results of a bot, or their retention ended.',
    body: payload('results.deleted', 'ResultsDeletedEvent', 'Results were deleted.', deletedResults),
    example: { botId: exampleIds.bot, resultIds: [exampleIds.result], createdBefore: null },
  },
} as const

export type EventType = keyof typeof events

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]]

/** Sent by the test operation alone, even to endpoints that do not subscribe to it. */
export const testEvent = {
  when: 'A caller tests the endpoint.',
  body: payload('endpoint.test', 'EndpointTestEvent', 'The endpoint is tested.', test),
  example: { endpointId: exampleIds.webhookEndpoint },
} as const

/** Events that the service may post to an endpoint, by type. */
export const webhooks: Record<string, { when: string; body: z.ZodType; example: object }> = {
  ...events,
  'endpoint.test': testEvent,
}
