import { chatHandlerKinds, turn } from './chat/responses.ts'
import { cursor, limit, nextCursor, readOnly, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define, workspace } from './operation.ts'
import { exampleIds } from './shared.ts'

const botId = recordId('Id of the bot, as create and list answer it.', exampleIds.bot)
const sessionId = recordId('Id of the chat session, as start chat answers it.', exampleIds.session)

const handledBy = z.enum(chatHandlerKinds).meta({
  description:
    '`bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. The bot runs and says nothing in the last two.',
})

const assigneeId = recordId('Id of the member who handles the chat.', exampleIds.user)

const summary = {
  sessionId,
  resultId: recordId('Id of the result, as the list of results answers it.', exampleIds.result),
  createdAt: timestamp('When the chat started.'),
  updatedAt: timestamp('When its last turn ran.'),
  expiresAt: timestamp('When it can no longer be continued, unless it goes on before.'),
  blockId: text(255).nullable().meta({
    description: 'Id of the block that waits for the visitor; null where none does.',
    example: 'block-email',
  }),
  revision: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .meta({ description: 'Counts the turns of the chat.', format: 'int32', example: 1 }),
  handledBy,
  assigneeId: assigneeId.nullable().meta({
    description: 'Id of the member who handles the chat; null where none does, and for an agent of Chatwoot.',
    example: exampleIds.user,
  }),
  handledSince: timestamp('When it last changed hands.').nullable().meta({
    description: 'When it last changed hands; null where only the bot has handled it.',
    example: '2026-03-05T12:40:00.000Z',
  }),
  lastMessage: z
    .object({
      role: z.enum(['user', 'member']).meta({ description: 'Who wrote it.' }),
      text: text(200).meta({
        description: 'Its first 200 characters; of files their names.',
        example: 'Is anybody there?',
      }),
    })
    .meta({
      id: 'LastMessage',
      description:
        'The last message of the visitor or of a member in a chat that people handle; null while the bot handles it, and before the visitor has written.',
    })
    .nullable(),
  timer: z
    .object({
      kind: z.enum(['idle', 'wait', 'handoff']).meta({
        description:
          '`idle`: the branch for a visitor who does not answer. `wait`: the bot goes on. `handoff`: the way out when no member comes.',
      }),
      dueAt: timestamp('When it fires, by the clock of the database.'),
      isPaused: z
        .boolean()
        .meta({ description: 'True while people handle the chat: it does not fire then.', example: false }),
    })
    .meta({
      id: 'ChatTimer',
      description:
        'The timer of a chat: something that the bot does at a time, without a message. It goes with the chat; null where there is none.',
    })
    .nullable(),
}

const chatSummary = z
  .object(summary)
  .meta({ id: 'BotChatSummary', description: 'A chat in the list of those of a bot.' })

const chatSchema = z
  .object({
    ...summary,
    botId,
    publicationId: recordId('Id of the publication that the chat runs.', exampleIds.publication),
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
  handledBy: 'bot',
  assigneeId: null,
  handledSince: null,
  lastMessage: null,
  timer: { kind: 'idle', dueAt: '2026-03-05T12:36:10.000Z', isPaused: false },
}

const workspaceChat = z
  .object({
    ...summary,
    botId,
    botName: text(255).meta({ description: 'Name of the bot.', example: 'Lead capture' }),
  })
  .meta({ id: 'WorkspaceChat', description: 'A chat in the list of those of a workspace.' })

const exampleWaiting = {
  ...exampleSummary,
  botId: exampleIds.bot,
  botName: 'Lead capture',
  handledBy: 'waiting',
  handledSince: '2026-03-05T12:31:10.000Z',
  lastMessage: { role: 'user', text: 'May I talk to a person?' },
  timer: null,
}

const exampleChat = {
  ...exampleSummary,
  botId: exampleIds.bot,
  publicationId: exampleIds.publication,
  isOver: false,
}

const exampleTaken = {
  ...exampleChat,
  handledBy: 'member',
  assigneeId: exampleIds.user,
  handledSince: '2026-03-05T12:40:00.000Z',
  lastMessage: { role: 'user', text: 'Is anybody there?' },
  timer: null,
}

export const exampleBubble = {
  id: '01jr5xcp1a2b3c4d5e6f7g8h9j',
  type: 'text',
  content: { type: 'markdown', markdown: 'I look into it **now**.' },
}

export const chats = define({
  listChats: {
    method: 'get',
    path: '/v1/bots/{botId}/chats',
    soughtAt: ['/v1/bots/{botId}/sessions'],
    tag: 'chat',
    summary: 'List the chats of a bot',
    description:
      'Returns the chats that have begun, have not ended and can still be continued, newest first. With `handledBy` `waiting` the one that has waited longest comes first; with `member` or `assigneeId`, the one that changed hands last. What was said is in each chat. Previews are not among them.',
    access: bot('MEMBER'),
    params: z.object({ botId }),
    query: z.strictObject({
      limit,
      cursor,
      handledBy: handledBy.optional().meta({
        description:
          'Only chats that are handled so: by the `bot`, `waiting` for a member, or by a `member`.',
        example: 'waiting',
      }),
      assigneeId: assigneeId
        .optional()
        .meta({ description: 'Only chats that this member handles.', example: exampleIds.user }),
    }),
    success: {
      status: 200,
      description: 'A page of chats, in their order.',
      body: z
        .object({
          chats: z.array(chatSummary).max(100).meta({ description: 'The chats, in their order.' }),
          nextCursor,
        })
        .meta({ id: 'ChatPage', description: 'A page of the chats of a bot.' }),
      examples: {
        page: { summary: 'The last page', value: { chats: [exampleSummary], nextCursor: null } },
      },
    },
  },
  listWorkspaceChats: {
    method: 'get',
    path: '/v1/workspaces/{workspaceId}/chats',
    tag: 'chat',
    summary: 'List the chats of a workspace that people handle',
    description:
      'Returns the chats of all bots of the workspace that wait for a member, the one that has waited longest first, then those that members handle, the one that changed hands last first. Chats that the bot handles are in the list of each bot.',
    access: workspace('MEMBER'),
    params: z.object({ workspaceId: recordId('Id of the workspace.', exampleIds.workspace) }),
    query: z.strictObject({
      limit,
      cursor,
      handledBy: z.enum(['waiting', 'member']).optional().meta({
        description: 'Only chats that are handled so: `waiting` for a member, or by a `member`.',
        example: 'waiting',
      }),
      assigneeId: assigneeId
        .optional()
        .meta({ description: 'Only chats that this member handles.', example: exampleIds.user }),
    }),
    success: {
      status: 200,
      description: 'A page of chats, those that wait first.',
      body: z
        .object({
          chats: z.array(workspaceChat).max(100).meta({ description: 'The chats, those that wait first.' }),
          nextCursor,
        })
        .meta({ id: 'WorkspaceChatPage', description: 'A page of the chats of a workspace.' }),
      examples: {
        page: {
          summary: 'The last page',
          value: {
            chats: [exampleWaiting],
            nextCursor: null,
          },
        },
      },
    },
  },
  getChat: {
    method: 'get',
    path: '/v1/bots/{botId}/chats/{sessionId}',
    tag: 'chat',
    summary: 'Get a chat with what was said',
    description:
      'Returns a chat as it is now, and what was said in it. A chat that ended can be read for an hour after its end; the transcript of the result stays. A preview is not found.',
    access: bot('MEMBER'),
    params: z.object({ botId, sessionId }),
    success: {
      status: 200,
      description: 'The chat, and what was said in it.',
      body: z
        .object({
          chat: chatSchema,
          turns: z
            .array(turn)
            .max(10_000)
            .meta({ description: 'What was said, oldest first; of very long chats what was said last.' }),
        })
        .meta({ id: 'ChatDetailBody', description: 'One chat of a bot with what was said in it.' }),
      examples: {
        taken: {
          summary: 'A member has written',
          value: { chat: exampleTaken, turns: [{ role: 'member', message: exampleBubble }] },
        },
      },
    },
  },
  updateChat: {
    method: 'patch',
    path: '/v1/bots/{botId}/chats/{sessionId}',
    tag: 'chat',
    summary: 'Steer a chat',
    description:
      "Sets variables of a chat, takes it, gives it back, or ends it. Variables have their new values in the result at once and in the chat from its next turn on; a turn that is running meanwhile loses neither its own changes nor these. `handledBy` `member` takes the chat for the caller, or for `assigneeId`: from then on the bot sends nothing and runs nothing, and what the visitor writes is for people. A turn that was running then is dropped; the visitor's message counts as written to the member. A chat that is taken from the bot counts among the messages that the members of the workspace may write in a day. A chat that another member handles is a conflict unless `assigneeId` is sent. `waiting` puts it among those that wait for a member. `bot` gives it back to the place where it was, or to the group of `groupId`, where it goes on with the next turn of the visitor's client. A chat that was ended is not found by its visitor, like any that is over; its result stays, with an entry in its log. A name that no variable has is invalid input. A chat that is over, and a preview, is not found.",
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
        handledBy: handledBy.optional(),
        assigneeId: assigneeId.nullable().optional().meta({
          description:
            'Id of the member who is to handle the chat, whoever does so now. Absent or null with `handledBy` `member` means the caller.',
          example: exampleIds.user,
        }),
        groupId: text(255, 1).optional().meta({
          description:
            'Only with `handledBy` `bot`, of a chat that the bot does not handle: the group of the bot where the chat goes on.',
          example: 'group-welcome',
        }),
        sessionId: readOnly('id of the chat session'),
        botId: readOnly('id of the bot'),
        publicationId: readOnly('id of the publication'),
        resultId: readOnly('id of the result'),
        createdAt: readOnly('time of the start'),
        updatedAt: readOnly('time of the last turn'),
        expiresAt: readOnly('end of its life'),
        blockId: readOnly('id of the block that waits'),
        revision: readOnly('number of turns'),
        handledSince: readOnly('time when it changed hands'),
        lastMessage: readOnly('last message'),
        timer: readOnly('timer'),
      })
      .meta({ id: 'ChatUpdate', description: 'What is to change in a chat.' }),
    requestExamples: {
      variables: { summary: 'Set a variable', value: { variables: { Email: 'ada@example.com' } } },
      take: { summary: 'Take the chat', value: { handledBy: 'member' } },
      return: { summary: 'Give it back', value: { handledBy: 'bot' } },
      end: { summary: 'End the chat', value: { isOver: true } },
    },
    success: {
      status: 200,
      description: 'The chat as it is now.',
      body: z
        .object({ chat: chatSchema })
        .meta({ id: 'ChatBody', description: 'One chat of a bot, as it is now.' }),
      resultOf: 'chat.resultId',
      examples: {
        ended: {
          summary: 'Ended',
          value: { chat: { ...exampleChat, isOver: true } },
        },
        taken: { summary: 'Taken', value: { chat: exampleTaken } },
      },
    },
    errors: ['CONFLICT'],
    errorExamples: {
      CONFLICT: {
        summary: 'Another member was faster',
        issues: [
          {
            path: ['body', 'handledBy'],
            code: 'conflict',
            message: 'Another member handles the chat; send assigneeId as well to hand it over',
          },
        ],
      },
    },
  },
})
