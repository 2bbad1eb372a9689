import { chatHandlerKinds, turn } from './chat/responses.ts'
import { cursor, limit, nextCursor, readOnly, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define, workspace } from './operation.ts'
import { exampleIds } from './shared.ts'

const botId = recordId('Id of the bot, as create and list return it.', exampleIds.bot)
const sessionId = recordId('Id of the chat session, as start chat returns it.', exampleIds.session)

const handledBy = z.enum(chatHandlerKinds).meta({
  description:
    '`bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends.',
})

const assigneeId = recordId('Id of the member who handles the chat.', exampleIds.user)

const summary = {
  sessionId,
  resultId: recordId('Id of the result, as the list of results returns it.', exampleIds.result),
  createdAt: timestamp('When the chat started.'),
  updatedAt: timestamp('When its last turn ran.'),
  expiresAt: timestamp('When it can no longer be continued, unless another turn runs before.'),
  blockId: text(255).nullable().meta({
    description: 'Id of the block that waits for the visitor; null if none does.',
    example: 'block-email',
  }),
  revision: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .meta({ description: 'Counts the turns of the chat.', format: 'int32', example: 1 }),
  handledBy,
  assigneeId: assigneeId.nullable().meta({
    description: 'Id of the member who handles the chat; null if none does, and for an agent of Chatwoot.',
    example: exampleIds.user,
  }),
  handledSince: timestamp('When it last changed hands.').nullable().meta({
    description: 'When it last changed hands; null where only the bot has handled it.',
    example: '2026-03-05T12:40:00.000Z',
  }),
  lastMessage: z
    .object({
      role: z.enum(['user', 'member']).meta({ description: 'Author of the message.' }),
      text: text(200).meta({
        description: 'First 200 characters of the text; for files, their names.',
        example: 'Is anybody there?',
      }),
    })
    .meta({
      id: 'LastMessage',
      description:
        'The last message of the visitor or a member in a chat that people handle. Null while the bot handles it, and before the visitor has written.',
    })
    .nullable(),
  timer: z
    .object({
      kind: z.enum(['idle', 'wait', 'handoff']).meta({
        description:
          '`idle`: the branch for a visitor who does not answer. `wait`: the bot continues. `handoff`: the branch for a chat that no member takes.',
      }),
      dueAt: timestamp('When it fires, by the clock of the database.'),
      isPaused: z.boolean().meta({
        description: 'True while people handle the chat; the timer does not fire then.',
        example: false,
      }),
    })
    .meta({
      id: 'ChatTimer',
      description:
        'The timer of a chat: an action of the bot at a set time, without a message. It ends with the chat; null if there is none.',
    })
    .nullable(),
}

const chatSummary = z
  .object(summary)
  .meta({ id: 'BotChatSummary', description: 'A chat in the list of a bot.' })

const chatSchema = z
  .object({
    ...summary,
    botId,
    publicationId: recordId('Id of the publication that the chat runs.', exampleIds.publication),
    isOver: z.boolean().meta({ description: 'True if the chat has ended.', example: false }),
  })
  .meta({ id: 'BotChat', description: 'A chat of a visitor with a bot.' })

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
  .meta({ id: 'WorkspaceChat', description: 'A chat in the list of a workspace.' })

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
      'Returns the chats that have begun, have not ended and can still be continued, newest first. With `handledBy` `waiting` the one that has waited longest comes first; with `member` or `assigneeId`, the one that changed hands last. Get a chat returns the messages. Previews are not listed.',
    access: bot('MEMBER'),
    params: z.object({ botId }),
    query: z.strictObject({
      limit,
      cursor,
      handledBy: handledBy.optional().meta({
        description:
          'Only chats in this state: handled by the `bot`, `waiting` for a member, or handled by a `member`.',
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
      'Returns the chats of all bots of the workspace that wait for a member, longest wait first. Chats that members handle follow, latest change of hands first. Chats that the bot handles are in the list of each bot.',
    access: workspace('MEMBER'),
    params: z.object({ workspaceId: recordId('Id of the workspace.', exampleIds.workspace) }),
    query: z.strictObject({
      limit,
      cursor,
      handledBy: z.enum(['waiting', 'member']).optional().meta({
        description: 'Only chats in this state: `waiting` for a member, or handled by a `member`.',
        example: 'waiting',
      }),
      assigneeId: assigneeId
        .optional()
        .meta({ description: 'Only chats that this member handles.', example: exampleIds.user }),
    }),
    success: {
      status: 200,
      description: 'A page of chats, waiting ones first.',
      body: z
        .object({
          chats: z.array(workspaceChat).max(100).meta({ description: 'The chats, waiting ones first.' }),
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
    summary: 'Get a chat with its messages',
    description:
      'Returns the current state of a chat with its messages. A chat that ended can be read for an hour after its end; the transcript of the result stays. A preview is not found.',
    access: bot('MEMBER'),
    params: z.object({ botId, sessionId }),
    success: {
      status: 200,
      description: 'The chat with its messages.',
      body: z
        .object({
          chat: chatSchema,
          turns: z
            .array(turn)
            .max(10_000)
            .meta({ description: 'The messages, oldest first; for very long chats, only the latest.' }),
        })
        .meta({ id: 'ChatDetailBody', description: 'One chat of a bot with its messages.' }),
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
      "Sets variables of a chat, takes it, gives it back, or ends it. Variables have their new values in the result at once, and in the chat from its next turn on. A turn that runs meanwhile loses neither its own changes nor these. `handledBy` `member` takes the chat for the caller, or for `assigneeId`: from then on the bot neither runs nor sends, and the visitor writes to people. A turn that is running then is dropped; the visitor's message counts as written to the member. A chat that is taken from the bot counts towards the daily limit of messages from the members of the workspace. A chat that another member handles is a conflict unless `assigneeId` is sent. `waiting` queues the chat for a member. `bot` gives it back at the position where it was, or at the group of `groupId`; it continues there with the next turn of the visitor's client. A chat that was ended is not found by its visitor, like any that is over; its result stays, with an entry in its log. A name that no variable has is invalid input. A chat that is over, and a preview, is not found.",
    access: bot('MEMBER'),
    params: z.object({ botId, sessionId }),
    body: z
      .strictObject({
        variables: z
          .record(text(255), z.unknown())
          .optional()
          .meta({
            description: 'New values, by variable name; null empties a variable. Others stay.',
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
            'Id of the member who takes the chat, also from another member. Absent or null with `handledBy` `member` means the caller.',
          example: exampleIds.user,
        }),
        groupId: text(255, 1).optional().meta({
          description:
            'Group of the bot where the chat continues. Only with `handledBy` `bot`, for a chat that the bot does not handle.',
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
      .meta({ id: 'ChatUpdate', description: 'Changes to a chat; absent properties stay as they are.' }),
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
