import { bot, define } from './operation.ts'
import { cursor, exampleIds, limit, nextCursor, readOnly, recordId, text, timestamp } from './shared.ts'
import { z } from './zod.ts'

const botId = recordId('Id of the bot, as create and list answer it.', exampleIds.bot)
const sessionId = recordId('Id of the chat session, as start chat answers it.', exampleIds.session)

const summary = {
  sessionId,
  resultId: recordId('Id of the result, as the list of results answers it.', exampleIds.result),
  createdAt: timestamp('When the chat started.'),
  updatedAt: timestamp('When its last step ran.'),
  expiresAt: timestamp('When it can no longer be continued, unless it goes on before.'),
  blockId: text(255).nullable().meta({
    description: 'Id of the block that waits for the visitor; null where none does.',
    example: 'block-email',
  }),
  revision: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .meta({ description: 'Counts the steps of the chat.', format: 'int32', example: 1 }),
}

const chatSummary = z
  .object(summary)
  .meta({ id: 'BotChatSummary', description: 'A chat in the list of those of a bot that wait.' })

const chatSchema = z
  .object({
    ...summary,
    botId,
    isOver: z.boolean().meta({ description: 'Whether the chat has ended.', example: false }),
  })
  .meta({ id: 'BotChat', description: 'A chat that somebody has with a bot.' })

const exampleSummary = {
  sessionId: exampleIds.session,
  resultId: exampleIds.result,
  createdAt: '2026-03-05T12:30:00.000Z',
  updatedAt: '2026-03-05T12:31:10.000Z',
  expiresAt: '2026-03-07T12:31:10.000Z',
  blockId: 'block-email',
  revision: 2,
}

export const chats = define({
  listChats: {
    method: 'get',
    path: '/v1/bots/{botId}/chats',
    tag: 'chat',
    summary: 'List the chats of a bot that wait',
    description:
      'Returns the chats that wait for their visitor, newest first: those that have begun, have not ended and can still be continued. What was said is in the transcript of the result. Previews are not among them.',
    access: bot('MEMBER'),
    params: z.object({ botId }),
    query: z.strictObject({ limit, cursor }),
    success: {
      status: 200,
      description: 'A page of chats, newest first.',
      body: z
        .object({
          chats: z.array(chatSummary).max(100).meta({ description: 'The chats, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'ChatPage', description: 'A page of the chats of a bot that wait.' }),
      examples: {
        page: { summary: 'The last page', value: { chats: [exampleSummary], nextCursor: null } },
      },
    },
  },
  updateChat: {
    method: 'patch',
    path: '/v1/bots/{botId}/chats/{sessionId}',
    tag: 'chat',
    summary: 'Steer a chat',
    description:
      'Sets variables of a chat that waits, or ends it. Variables have their new values in the result at once and in the chat from its next step on; a step that is running meanwhile loses neither its own changes nor these. A chat that was ended is not found by its visitor, like any that is over; its result stays, with an entry in its log. A name that no variable has is invalid input. A chat that is over, and a preview, is not found.',
    access: bot('MEMBER'),
    params: z.object({ botId, sessionId }),
    body: z
      .strictObject({
        variables: z
          .record(text(255), z.unknown())
          .optional()
          .meta({
            description: 'New values, by the name of the variable; null empties. Others stay.',
            maxProperties: 5000,
            example: { Email: 'ada@example.com' },
          }),
        isOver: z
          .boolean()
          .optional()
          .meta({ description: '`true` ends the chat; `false` changes nothing.', example: true }),
        sessionId: readOnly('id of the chat session'),
        botId: readOnly('id of the bot'),
        resultId: readOnly('id of the result'),
        createdAt: readOnly('time of the start'),
        updatedAt: readOnly('time of the last step'),
        expiresAt: readOnly('end of its life'),
        blockId: readOnly('id of the block that waits'),
        revision: readOnly('number of steps'),
      })
      .meta({ id: 'ChatUpdate', description: 'What is to change in a chat.' }),
    requestExamples: {
      variables: { summary: 'Set a variable', value: { variables: { Email: 'ada@example.com' } } },
      end: { summary: 'End the chat', value: { isOver: true } },
    },
    success: {
      status: 200,
      description: 'The chat as it is now.',
      body: z
        .object({ chat: chatSchema })
        .meta({ id: 'ChatBody', description: 'One chat of a bot, as it is now.' }),
      examples: {
        ended: {
          summary: 'Ended',
          value: { chat: { ...exampleSummary, botId: exampleIds.bot, isOver: true } },
        },
      },
    },
  },
})
