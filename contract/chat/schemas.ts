import { selectUnion, wrongType } from '../bot-document/union.ts'
import { exampleIds, recordId, text, timestamp } from '../shared.ts'
import { z } from '../zod.ts'

/*
 * Requests and responses of chat clients. Bubbles and inputs have the content and options of blocks in the flow,
 * with placeholders filled in, so they are as open as blocks.
 */

const prose = (description: string, example: string) => text(1_048_576).meta({ description, example })

const blockId = text(255).meta({ description: 'Id of the block in the flow.', example: 'block-hello' })

const anyObject = (description: string) =>
  z.record(text(255), z.unknown()).meta({ description, maxProperties: 5000, example: {} })

// Messages

const textMessage = z
  .strictObject({
    type: z.enum(['text']).meta({ description: 'A text, also the choice of an item.' }),
    text: text(200_000).meta({ description: 'The text.', example: 'ada@example.com' }),
    attachedFileUrls: z
      .array(text(2048))
      .max(100)
      .optional()
      .meta({ description: 'URLs of files sent with the text.', example: ['https://example.com/plan.pdf'] }),
    metadata: z
      .strictObject({
        replyId: text(255)
          .optional()
          .meta({ description: 'Id of the item that was chosen.', example: 'item-yes' }),
      })
      .meta({ id: 'MessageMetadata', description: 'How the text came about.' })
      .optional(),
  })
  .meta({ id: 'TextMessage', description: 'A text of the person who chats.' })

const audioMessage = z
  .strictObject({
    type: z.enum(['audio']).meta({ description: 'A recording.' }),
    url: text(2048, 1).meta({ description: 'URL of the recording.', example: 'https://example.com/a.mp3' }),
  })
  .meta({ id: 'AudioMessage', description: 'A recording of the person who chats.' })

const commandMessage = z
  .strictObject({
    type: z.enum(['command']).meta({ description: 'A command.' }),
    command: text(255, 1).meta({
      description: 'The command that an event of the flow has.',
      example: 'help',
    }),
  })
  .meta({ id: 'CommandMessage', description: 'Runs the branch of a command event.' })

const structuredMessage = z
  .discriminatedUnion('type', [textMessage, audioMessage, commandMessage])
  .meta({ id: 'StructuredMessage', description: 'A message with its kind.' })

const notAMessage = 'Expected a text or an object with type text, audio or command'
const plainText = text(200_000).meta({
  id: 'PlainMessage',
  description: 'A plain text, short for a text message.',
  example: 'Ada',
})
const structured = { text: textMessage, audio: audioMessage, command: commandMessage }

/**
 * A plain text, short for a text message, or one tagged union. The union is lazy, since the emitter flattens others,
 * and generators cannot handle four branches without a tag.
 */
const message = selectUnion([plainText, z.lazy(() => structuredMessage)], (value) => {
  if (typeof value === 'string') return plainText
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
  return Object.hasOwn(structured, String(type))
    ? structured[type as keyof typeof structured]
    : wrongType(notAMessage)
}).meta({ id: 'Message', description: 'What the person says: a plain text, or a message with its kind.' })

const textBubbleContentFormat = z
  .enum(['richText', 'markdown'])
  .default('richText')
  .meta({ description: 'How texts of the bot come: as a tree of formatted nodes, or in Markdown.' })

const prefilledVariables = anyObject(
  'Values of variables, by the name of the variable. Unknown names are ignored, null empties.',
).optional()

const startProperties = {
  message: message.optional(),
  isOnlyRegistering: z
    .boolean()
    .default(false)
    .meta({ description: 'Create the session without running the flow; the first continue runs it.' }),
  isStreamEnabled: z.boolean().default(false).meta({
    description:
      'Whether start and continue answer events, each as it comes, to requests that accept `text/event-stream`.',
  }),
  prefilledVariables,
  textBubbleContentFormat,
}

export const startChatBody = z
  .strictObject({
    ...startProperties,
    resultId: recordId('Id of an earlier result to continue.', exampleIds.result).optional().meta({
      description:
        'Id of an earlier result of this person. Continued when the settings say that users are remembered; otherwise ignored.',
    }),
  })
  .meta({ id: 'StartChatBody', description: 'How to start a chat; every property may be absent.' })

const startFrom = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.enum(['group']).meta({ description: 'Start at a group.' }),
        groupId: text(255, 1).meta({ description: 'Id of the group.', example: 'group-welcome' }),
      })
      .meta({ id: 'StartFromGroup', description: 'Start at the first block of a group.' }),
    z
      .strictObject({
        type: z.enum(['event']).meta({ description: 'Start at an event.' }),
        eventId: text(255, 1).meta({ description: 'Id of the event.', example: 'start-event' }),
      })
      .meta({ id: 'StartFromEvent', description: 'Start where an event leads.' }),
  ])
  .meta({ id: 'StartFrom', description: 'Where a preview starts.' })

export const startPreviewBody = z
  .strictObject({
    ...startProperties,
    sessionId: recordId('Id of a preview session to start over.', exampleIds.session)
      .optional()
      .meta({ description: 'Id of an earlier preview session of this bot, which is replaced.' }),
    startFrom: startFrom.optional(),
    isProgressBarEnabled: z
      .boolean()
      .optional()
      .meta({ description: 'Whether progress is answered whatever the theme says.' }),
  })
  .meta({ id: 'StartPreviewBody', description: 'How to start a preview; every property may be absent.' })

const revision = z.int().min(0).max(2_147_483_647).meta({
  description:
    'Counts the steps of the session. Send it with the reply: the same reply sent again then gets the same answer instead of counting twice.',
  format: 'int32',
  example: 1,
})

export const continueChatBody = z
  .strictObject({
    message: z
      .union([z.lazy(() => message), z.null()], { error: notAMessage })
      .optional()
      .meta({
        description:
          'The reply; absent or null skips an input that may be skipped, or says that an awaited action is done.',
        example: 'ada@example.com',
      }),
    textBubbleContentFormat,
    revision: revision.optional(),
  })
  .meta({ id: 'ContinueChatBody', description: 'The reply of the person who chats.' })

// Bubbles

const richText = z
  .object({
    type: z.enum(['richText']).meta({ description: 'A tree of nodes.' }),
    richText: z
      .array(z.unknown())
      .max(100_000)
      .meta({ description: 'The nodes; elements have `type` and `children`, leaves have `text`.' }),
  })
  .meta({ id: 'RichTextContent', description: 'A text as a tree of formatted nodes.' })

const markdown = z
  .object({
    type: z.enum(['markdown']).meta({ description: 'Markdown.' }),
    markdown: prose('The text in Markdown.', 'Hello **Ada**'),
  })
  .meta({ id: 'MarkdownContent', description: 'A text written in Markdown.' })

const textContent = z
  .discriminatedUnion('type', [richText, markdown])
  .meta({ id: 'TextContent', description: 'A text in the format that was asked for.' })

function mediaBubble<const Type extends string>(type: Type, id: string, description: string) {
  return z
    .object({
      id: blockId,
      type: z.enum([type]).meta({ description: 'Kind of the bubble.' }),
      content: anyObject('The content of the block, with placeholders filled in.'),
    })
    .meta({ id, description })
}

export const bubble = z
  .discriminatedUnion('type', [
    z
      .object({
        id: blockId,
        type: z.enum(['text']).meta({ description: 'Kind of the bubble.' }),
        content: textContent,
      })
      .meta({ id: 'TextMessageBubble', description: 'A text that the bot says.' }),
    mediaBubble('image', 'ImageMessageBubble', 'A picture of the bot.'),
    mediaBubble('video', 'VideoMessageBubble', 'A video that the bot shows.'),
    mediaBubble('audio', 'AudioMessageBubble', 'A recording of the bot.'),
    mediaBubble('embed', 'EmbedMessageBubble', 'An embedded page of the bot.'),
  ])
  .meta({ id: 'MessageBubble', description: 'Something the bot says or shows.' })

const input = z
  .looseObject({
    id: blockId,
    type: text(255).meta({
      description: 'Type of the input block, such as `email input`.',
      example: 'email input',
    }),
    options: anyObject('Options of the block, with placeholders filled in.').optional(),
    items: z
      .array(anyObject('An item of the block.'))
      .max(1000)
      .optional()
      .meta({ description: 'The items that can be chosen.' }),
    prefilledValue: prose('The value to begin with.', 'ada@example.com').optional(),
    upload: z
      .object({
        maximumSize: z
          .int()
          .min(1)
          .max(9_007_199_254_740_991)
          .meta({ description: 'Most bytes of a file.', format: 'int64', example: 10_485_760 }),
      })
      .optional()
      .meta({
        id: 'UploadLimits',
        description:
          'Where files can be uploaded for the reply. Absent with an input for files means that the installation keeps none.',
      }),
  })
  .meta({ id: 'ChatInput', description: 'The input block that waits for a reply.' })

// Actions

const actionProperties = {
  lastBubbleBlockId: text(255).optional().meta({
    description: 'Run the action after this bubble; absent means before all.',
    example: 'block-hello',
  }),
  expectsDedicatedReply: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the chat goes on only when it is continued with the outcome.' }),
}

const script = z
  .object({
    content: prose('The code.', 'console.log(name)'),
    isCode: z.boolean().optional().meta({ description: 'Whether it is code rather than an expression.' }),
    isUnsafe: z.boolean().optional().meta({ description: 'Whether the code comes from an unknown author.' }),
    args: z
      .array(
        z
          .object({
            id: text(255).meta({ description: 'Name of the parameter.', example: 'name' }),
            value: z.unknown().optional().meta({ description: 'Value of the argument.', example: 'Ada' }),
          })
          .meta({ id: 'ScriptArgument', description: 'An argument of a script.' }),
      )
      .max(5000)
      .meta({ description: 'The arguments.' }),
  })
  .meta({ id: 'ClientScript', description: 'Code for the client, with its arguments.' })

const scriptHolder = z
  .object({ scriptToExecute: script })
  .meta({ id: 'ScriptHolder', description: 'A script and what it is for.' })

function action<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  id: string,
  description: string,
  shape: Shape,
) {
  return z
    .object({
      ...actionProperties,
      type: z.enum([type]).meta({ description: 'Kind of the action.' }),
      ...shape,
    })
    .meta({ id, description })
}

const clientSideAction = z
  .discriminatedUnion('type', [
    action('scriptToExecute', 'ScriptAction', 'Tells the client to run a script.', {
      scriptToExecute: script,
    }),
    action('setVariable', 'SetVariableAction', 'Compute a value and continue with it.', {
      setVariable: scriptHolder,
    }),
    action('chatwoot', 'ChatwootAction', 'Open or close the Chatwoot widget.', { chatwoot: scriptHolder }),
    action('zendesk', 'ZendeskAction', 'Open the Zendesk widget.', { zendesk: scriptHolder }),
    action('calendar', 'CalendarAction', 'Show a calendar, and continue with the date that was booked.', {
      calendar: z
        .object({
          url: text(262_144).meta({
            description:
              'Address of the page for a frame. It posts messages whose `originator` is `CAL`; `bookingSuccessfulV2` has the date as `data.startTime`.',
            example: 'https://app.cal.com/ada/30min/embed?embed=chat&embedType=inline',
          }),
        })
        .meta({ id: 'CalendarDetails', description: 'The calendar that the client shows.' }),
    }),
    action('redirect', 'RedirectAction', 'Tells the client to open an address.', {
      redirect: z
        .object({
          url: text(262_144).meta({ description: 'The address.', example: 'https://example.com' }),
          isNewTab: z.boolean().optional().meta({ description: 'Whether to open a new tab.' }),
        })
        .meta({ id: 'RedirectDetails', description: 'The address to open, and where.' }),
    }),
    action('wait', 'WaitAction', 'Wait before going on.', {
      wait: z
        .object({
          secondsToWaitFor: z
            .number()
            .min(0)
            .max(86_400)
            .meta({ description: 'How long, in seconds: at most a day.', example: 2 }),
        })
        .meta({ id: 'WaitDetails', description: 'How long the client waits before it goes on.' }),
    }),
    action('httpRequestToExecute', 'HttpRequestAction', 'Send a request and continue with the answer.', {
      httpRequestToExecute: z
        .object({
          url: text(262_144).meta({ description: 'The address.', example: 'https://example.com/api' }),
          method: text(16).meta({ description: 'The method.', example: 'POST' }),
          headers: z
            .record(text(255), text(16_384))
            .meta({ description: 'The headers.', maxProperties: 100, example: {} }),
          body: prose('The body.', '{}').optional(),
        })
        .meta({ id: 'HttpRequestDetails', description: 'The HTTP request that the client sends.' }),
    }),
    action('googleAnalytics', 'GoogleAnalyticsAction', 'Send an event to Google Analytics.', {
      googleAnalytics: anyObject('Options of the block, with placeholders filled in.'),
    }),
    action('pixel', 'PixelAction', 'Send an event to the Meta pixel.', {
      pixel: anyObject('Options of the block, with placeholders filled in.'),
    }),
    action('startPropsToInject', 'StartPropertiesAction', 'Load what the page needs from the start.', {
      startPropsToInject: z
        .object({
          googleAnalyticsId: text(4096)
            .optional()
            .meta({ description: 'Measurement id of Google Analytics to load.', example: 'G-1234' }),
          pixelIds: z
            .array(text(4096))
            .max(1000)
            .optional()
            .meta({ description: 'Ids of the Meta pixels to load.', example: ['1234'] }),
          gtmId: text(4096)
            .optional()
            .meta({ description: 'Container id of the tag manager to load.', example: 'GTM-1234' }),
          customHeadCode: text(16_384).optional().meta({
            description: 'Markup for the head of the page.',
            example: '<meta name="a" content="b">',
          }),
        })
        .meta({ id: 'StartProperties', description: 'What the client loads when the chat begins.' }),
    }),
    action(
      'listenForWebhook',
      'ListenForWebhookAction',
      'Wait until an outside call continues the chat.',
      {},
    ),
  ])
  .meta({ id: 'ClientSideAction', description: 'Something the client has to do.' })

const chatLog = z
  .object({
    description: text(10_000).meta({ description: 'What happened.', example: 'The mail was not sent' }),
    status: text(255)
      .optional()
      .meta({ description: 'Kind of the entry: `error`, `success` or `info`.', example: 'error' }),
    details: text(10_000).optional().meta({ description: 'More about it.', example: 'Connection refused' }),
    context: text(10_000).optional().meta({ description: 'Where it happened.', example: 'Group Welcome' }),
  })
  .meta({ id: 'ChatLog', description: 'Something noticed while the flow ran.' })

const dynamicTheme = z
  .object({
    hostAvatarUrl: text(262_144)
      .optional()
      .meta({ description: "URL of the bot's picture.", example: 'https://example.com/bot.png' }),
    guestAvatarUrl: text(262_144)
      .optional()
      .meta({ description: "URL of the person's picture.", example: 'https://example.com/ada.png' }),
    backgroundUrl: text(262_144)
      .optional()
      .meta({ description: 'URL of the background image.', example: 'https://example.com/back.png' }),
  })
  .meta({ id: 'DynamicTheme', description: 'Parts of the theme that depend on variables.' })

// Answers

export const handlers = ['bot', 'waiting', 'member'] as const

const handledByPeople = z.enum(['waiting', 'member']).meta({
  description:
    'Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; what members write comes with the session and its events.',
})

const stepProperties = {
  messages: z.array(bubble).max(10_000).meta({ description: 'What the bot says, in order.' }),
  input: input.optional(),
  clientSideActions: z
    .array(clientSideAction)
    .max(10_000)
    .optional()
    .meta({ description: 'What the client has to do, in order; absent when there is nothing.' }),
  logs: z
    .array(chatLog)
    .max(10_000)
    .optional()
    .meta({ description: 'What was noticed while the step ran, for whoever builds the client.' }),
  dynamicTheme: dynamicTheme.optional(),
  progress: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: 'How far the chat is, in percent; only with the progress bar on.', example: 40 }),
  lastMessageNewFormat: prose(
    'The reply as it was understood, when that differs from what was sent.',
    '+33 1 23 45 67 89',
  ).optional(),
  handledBy: handledByPeople.optional(),
  revision,
}

const chatBot = z
  .object({
    id: recordId('Id of the bot, as create and list answer it.', exampleIds.bot),
    version: text(16).meta({ description: 'Version of the flow that runs.', example: '6.1' }),
    theme: anyObject('The theme, with placeholders filled in.'),
    settings: anyObject('The settings a client needs: `general` and `typingEmulation`.'),
    publishedAt: timestamp('When the running copy was published.').optional(),
  })
  .meta({ id: 'ChatBot', description: 'The bot that runs: its version, look and settings.' })

export const startedChatBody = z
  .object({
    sessionId: recordId('Id of the chat session, needed to continue.', exampleIds.session),
    resultId: recordId('Id of the result, as the list of results answers it.', exampleIds.result)
      .optional()
      .meta({ description: 'Id of the result; absent while the chat is only registered, and in a preview.' }),
    bot: chatBot,
    ...stepProperties,
  })
  .meta({
    id: 'StartedChatBody',
    description: 'The first step of a chat. Without `input` and awaited action it is over.',
  })

// Sessions of returning visitors

export const turn = z
  .discriminatedUnion('role', [
    z
      .object({
        role: z.enum(['bot']).meta({ description: 'Who said it.' }),
        message: bubble,
      })
      .meta({ id: 'BotTurn', description: 'Something the bot said or showed.' }),
    z
      .object({
        role: z.enum(['user']).meta({ description: 'Who said it.' }),
        text: prose(
          'What was said, as clients show it: the label of a chosen item, of a recording its URL. Empty for a picture without a title, and where only files were sent.',
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
      .meta({ id: 'UserTurn', description: 'Something the person said.' }),
    z
      .object({
        role: z.enum(['member']).meta({ description: 'Who said it.' }),
        message: bubble,
      })
      .meta({ id: 'MemberTurn', description: 'Something a member of the workspace wrote to the person.' }),
  ])
  .meta({ id: 'ChatTurn', description: 'Something that was said in a chat.' })

const eventId = z
  .string()
  .regex(/^\d{1,9}\.\d{1,9}$/, { error: 'Expected the id of an event of the session, such as 3.1' })
  .meta({
    minLength: 3,
    maxLength: 19,
    description: 'Id of the last event of the session; the events after it are those that come next.',
    example: '3.1',
  })

export const chatSessionBody = z
  .object({
    sessionId: recordId('Id of the chat session.', exampleIds.session),
    resultId: recordId('Id of the result, as the list of results answers it.', exampleIds.result)
      .optional()
      .meta({ description: 'Id of the result; absent while the chat is only registered, and in a preview.' }),
    bot: chatBot,
    turns: z
      .array(turn)
      .max(10_000)
      .meta({ description: 'What was said, oldest first; of very long chats what was said last.' }),
    isOver: z.boolean().meta({ description: 'Whether the chat has ended.', example: false }),
    input: input.optional(),
    clientSideActions: z.array(clientSideAction).max(10_000).optional().meta({
      description: 'What the chat waits for the client to do; actions that are done once are not repeated.',
    }),
    dynamicTheme: dynamicTheme.optional(),
    progress: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .meta({ description: 'How far the chat is, in percent; only with the progress bar on.', example: 40 }),
    handledBy: handledByPeople.optional(),
    lastEventId: eventId,
    revision,
  })
  .meta({ id: 'ChatSessionBody', description: 'A chat as it is now, for a client that comes back to it.' })

export const continuedChatBody = z.object(stepProperties).meta({
  id: 'ContinuedChatBody',
  description: 'A further step of a chat. Without `input` and awaited action it is over.',
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
      'How the chat looks: the first event of a start. It is in the answer again.',
      {
        theme: chatBot.shape.theme,
        settings: chatBot.shape.settings,
      },
    ),
    eventOf('message', 'ChatMessageEvent', 'The bot says something. It is in the answer again.', {
      message: bubble,
    }),
    eventOf('action', 'ChatActionEvent', 'Something for the client to do. It is in the answer again.', {
      action: clientSideAction,
    }),
    eventOf(
      'delta',
      'ChatDeltaEvent',
      'More of a text that a language model is writing. The bubble that is going to show it has this id, and replaces what came in pieces.',
      { id: blockId, text: prose('The piece.', 'Hel') },
    ),
    eventOf('answer', 'ChatAnswerEvent', 'The last event: what is answered without a stream.', {
      answer: z.record(text(255), z.unknown()).meta({
        description: 'Of a start a `StartedChatBody`, of a continuation a `ContinuedChatBody`.',
        maxProperties: 100,
        example: { messages: [], revision: 2 },
      }),
    }),
    eventOf('error', 'ChatErrorEvent', 'The last event of a request that failed after others were sent.', {
      status: z.int().min(400).max(599).meta({
        format: 'int32',
        description: 'The status that it has without a stream.',
        example: 409,
      }),
      error: z.record(text(255), z.unknown()).meta({
        description: 'The body that it has without a stream.',
        maxProperties: 100,
        example: { code: 'CONFLICT', message: 'Conflicting update', issues: [] },
      }),
    }),
  ])
  .meta({
    id: 'ChatEvent',
    description: 'The data of an event of a chat that is streamed, as JSON in one line.',
  })

export const chatEvents = {
  mediaType: 'text/event-stream',
  item: 'ChatEvent',
  body: z.string().max(2_147_483_647).meta({
    description:
      'Server-sent events, for chats that were started with `isStreamEnabled`; each has a `ChatEvent` as its data and its `type` as its name. The last one is the whole answer, by which a client corrects what it has shown: only that is what counts. A stream that broke off is repeated like any request whose answer was lost.',
    maxLength: 2_147_483_647,
    pattern: '^[^\\x00]*$',
    example: 'event: delta\ndata: {"type":"delta","id":"block-answer","text":"Hel"}\n\n',
  }),
  examples: {
    streamed: {
      summary: 'A text as it grows, and the answer',
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
      id: eventId.meta({ description: 'Id of the event, to go on from.', example: '3.1' }),
      ...shape,
    })
    .meta({ id, description })

const sessionEvent = z
  .discriminatedUnion('type', [
    sessionEventOf('turn', 'SessionTurnEvent', 'A step of the chat, in whichever client.', {
      said: z.array(turn).max(100).meta({ description: 'The words of the person in this step.' }),
      step: z.record(text(255), z.unknown()).meta({
        description: 'The step, a `ContinuedChatBody`.',
        maxProperties: 100,
        example: { messages: [], revision: 3 },
      }),
    }),
    sessionEventOf('message', 'SessionMessageEvent', 'A member wrote to the person.', {
      turns: z.array(turn).max(21).meta({ description: 'The message, as it is shown.' }),
    }),
    sessionEventOf(
      'handled',
      'SessionHandledEvent',
      'The first event of a stream, and sent whenever the chat changes hands.',
      { handledBy: z.enum(handlers).meta({ description: 'The one who handles the chat now.' }) },
    ),
    sessionEventOf(
      'over',
      'SessionOverEvent',
      'The chat has ended, or is not there any more: the last event.',
      {},
    ),
  ])
  .meta({ id: 'SessionEvent', description: 'Something that happened in a chat.' })

/** A query parameter; browsers that connect again say the same in a header. */
export const eventsAfterId = eventId.optional().meta({
  description:
    'Id of the last event that the client has. Absent means from now on. The header `Last-Event-ID` counts instead where it is sent.',
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
