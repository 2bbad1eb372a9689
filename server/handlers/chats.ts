import type { ChatsHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { type ChatRow, chatPage, updateSession } from '../chat/sessions/update-session.ts'
import type { Contexts } from '../context.ts'
import { paged } from '../db/page.ts'

export const chats: ChatsHandlers<Contexts> = {
  async listChats({ query }, reply, { db, grant, now, cursorKey }) {
    const scope = ['chats', grant.bot.id]
    const list = await paged(cursorKey, scope, query, (position, limit) =>
      chatPage(db, grant, now, position, limit),
    )
    if ('issue' in list) return reply.fail('BAD_REQUEST', [list.issue])
    return reply.ok({ chats: list.page.map(toSummary), nextCursor: list.nextCursor })
  },

  async updateChat({ params, body }, reply, context) {
    const steered = await updateSession(context, params.sessionId, body)
    if (!steered) return reply.fail('NOT_FOUND')
    if ('issues' in steered) return reply.fail('BAD_REQUEST', steered.issues)
    return reply.ok({ chat: toChat(context.grant.bot.id, steered.chat) })
  },
}

function toChat(botId: string, row: ChatRow): components['schemas']['BotChat'] {
  return { ...toSummary(row), botId, isOver: row.isOver }
}

function toSummary(row: ChatRow): components['schemas']['BotChatSummary'] {
  return {
    sessionId: row.id,
    // Only chats with a result are found.
    resultId: row.resultId ?? '',
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    blockId: row.blockId,
    revision: row.revision,
  }
}
