import { selectUnion, wrongType } from '../bot-document/union.ts'
import { recordId, text } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { exampleIds } from '../shared.ts'
import { anyObject, revision } from './fields.ts'

/* Bodies of requests in a chat. */

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
      .meta({ id: 'MessageMetadata', description: 'Origin of the text of a message.' })
      .optional(),
  })
  .meta({ id: 'TextMessage', description: 'A text of the visitor.' })

const audioMessage = z
  .strictObject({
    type: z.enum(['audio']).meta({ description: 'A recording.' }),
    url: text(2048, 1).meta({ description: 'URL of the recording.', example: 'https://example.com/a.mp3' }),
  })
  .meta({ id: 'AudioMessage', description: 'A recording of the visitor.' })

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
export const message = selectUnion([plainText, z.lazy(() => structuredMessage)], (value) => {
  if (typeof value === 'string') return plainText
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
  return Object.hasOwn(structured, String(type))
    ? structured[type as keyof typeof structured]
    : wrongType(notAMessage)
}).meta({ id: 'Message', description: 'Message of the visitor: a plain text, or a message with its kind.' })

const nothing = z.null()

const textBubbleContentFormat = z
  .enum(['richText', 'markdown'])
  .default('richText')
  .meta({ description: 'Format of the texts of the bot: a tree of formatted nodes, or Markdown.' })

const prefilledVariables = anyObject(
  'Values of variables, by variable name. Unknown names are ignored, null empties.',
).optional()

export const startProperties = {
  message: message.optional(),
  isOnlyRegistering: z
    .boolean()
    .default(false)
    .meta({ description: 'Create the session without running the flow; the first continue runs it.' }),
  isStreamEnabled: z.boolean().default(false).meta({
    description: 'True to stream events from start and continue to requests that accept `text/event-stream`.',
  }),
  prefilledVariables,
  textBubbleContentFormat,
}

export const startChatBody = z
  .strictObject({
    ...startProperties,
    resultId: recordId('Id of an earlier result to continue.', exampleIds.result).optional().meta({
      description:
        'Id of an earlier result of this visitor. It is continued if the settings remember visitors; otherwise ignored.',
    }),
  })
  .meta({ id: 'StartChatBody', description: 'Options of a new chat; every property may be absent.' })

export const startFrom = z
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
      .meta({ id: 'StartFromEvent', description: 'Start at the target of an event.' }),
  ])
  .meta({ id: 'StartFrom', description: 'Start position of a preview.' })

export const continueChatBody = z
  .strictObject({
    message: selectUnion([z.lazy(() => message), nothing], (value) => (value === null ? nothing : message))
      .optional()
      .meta({
        description:
          'The reply; absent or null skips an optional input, or confirms that an awaited action is done.',
        example: 'ada@example.com',
      }),
    textBubbleContentFormat,
    revision: revision.optional(),
  })
  .meta({ id: 'ContinueChatBody', description: 'The reply of the visitor.' })
