import { bubble } from './chat/content.ts'
import { TYPING_SECONDS } from './chat/responses.ts'
import { exampleBubble } from './chats.ts'
import { recordId, successBody, successExample, text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define } from './operation.ts'
import { exampleIds } from './shared.ts'

/* Messages of members to visitors, and typing signs. */

const botId = recordId('Id of the bot, as create and list return it.', exampleIds.bot)
const sessionId = recordId('Id of the chat session, as start chat returns it.', exampleIds.session)

export const memberMessages = define({
  sendMessage: {
    method: 'post',
    path: '/v1/bots/{botId}/chats/{sessionId}/messages',
    tag: 'chat',
    summary: 'Write to the visitor of a chat',
    description:
      'Sends a message to the visitor of a chat that a member handles, in plain text or Markdown, with or without files. The visitor gets it with the events of the session, or by reading the session; the transcript of the result has it too. Upload files before, with the operation of visitors, which takes any file while a member handles the chat. A chat that no member handles is a conflict: take it first. A chat has at most 2,000 messages of members. The installation limits those of a workspace in a day, by default to 50,000 with 100 MB; more are a 429. A chat that is over, and a preview, is not found.',
    access: bot('MEMBER'),
    params: z.object({ botId, sessionId }),
    body: z
      .strictObject({
        text: text(8_000)
          .optional()
          .meta({ description: 'The text; may be absent if files are sent.', example: 'I look into it.' }),
        textFormat: z.enum(['plain', 'markdown']).default('plain').meta({
          description: 'Format of the text. Markdown is shown with its formatting.',
        }),
        attachedFileUrls: z
          .array(text(2048, 1))
          .max(20)
          .optional()
          .meta({
            description: 'URLs of files that were uploaded for this chat.',
            example: ['https://bots.example.com/files/bot/file/plan.pdf'],
          }),
      })
      .meta({ id: 'MemberMessage', description: 'Message of a member to a visitor.' }),
    requestExamples: {
      text: { summary: 'A text', value: { text: 'I look into it **now**.', textFormat: 'markdown' } },
    },
    success: {
      status: 200,
      description: 'The bubbles that the visitor sees.',
      body: z
        .object({
          messages: z
            .array(bubble)
            .max(21)
            .meta({ description: 'The bubbles that the visitor sees: the text, then each file.' }),
        })
        .meta({ id: 'SentMessageBody', description: 'A message as the visitor sees it.' }),
      examples: { sent: { summary: 'Sent', value: { messages: [exampleBubble] } } },
    },
    errors: ['CONFLICT'],
    errorExamples: {
      CONFLICT: {
        summary: 'No member handles it',
        issues: [
          {
            path: ['path', 'sessionId'],
            code: 'conflict',
            message: 'No member handles the chat; take it first',
          },
        ],
      },
    },
  },
  updateTypingSign: {
    method: 'put',
    path: '/v1/bots/{botId}/chats/{sessionId}/typing',
    tag: 'chat',
    summary: 'Show the visitor of a chat that a member is typing',
    description: `Shows the visitor of a chat that the caller, who handles it, is typing: clients that follow the session get the event \`typing\`. It ends by itself after ${TYPING_SECONDS} seconds, and with the next message; send it again every three seconds while the member types. The transcript does not have it. A chat that the caller does not handle is a conflict: take it first. A chat that is over, and a preview, is not found.`,
    access: bot('MEMBER'),
    params: z.object({ botId, sessionId }),
    body: z
      .strictObject({
        isTyping: z.boolean().meta({
          description: '`false` ends the sign early.',
          example: true,
        }),
      })
      .meta({ id: 'TypingSign', description: 'State of the sign: true while the member types.' }),
    requestExamples: { typing: { summary: 'The member is typing', value: { isTyping: true } } },
    success: {
      status: 200,
      description: 'Clients that follow the session get it.',
      body: successBody,
      examples: successExample,
    },
    errors: ['CONFLICT'],
    errorExamples: {
      CONFLICT: {
        summary: 'The caller does not handle it',
        issues: [
          {
            path: ['path', 'sessionId'],
            code: 'conflict',
            message: 'You do not handle the chat; take it first',
          },
        ],
      },
    },
  },
})
