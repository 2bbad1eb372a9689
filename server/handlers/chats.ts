import type { ChatsHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { type ChatRow, chatPage, steer } from '../chat/steering.ts'
import type { Contexts } from '../context.ts'
import { paged } from '../db/page.ts'

export const chats: ChatsHandlers<Contexts> = {
  async listChats({ query }, reply, { db, grant, now, cursorKey }) {
    const scope = ['chats', grant.bot.id]
    const list = await paged(cursorKey, scope, query, (position, limit) =>
      chatPage(db, grant, now, position, limit),
    )
    if ('issue' in list) return reply.fail('BAD_REQUEST', [list.issue])
    return reply.ok({ chats: list.page.map((row) => toChat(grant.bot.id, row)), nextCursor: list.nextCursor })
  },

  async updateChat({ params, body }, reply, context) {
    const steered = await steer(context, params.sessionId, body)
    if (!steered) return reply.fail('NOT_FOUND')
    if ('issues' in steered) return reply.fail('BAD_REQUEST', steered.issues)
    return reply.ok({ chat: toChat(context.grant.bot.id, steered.chat) })
  },
}

function toChat(botId: string, row: ChatRow): components['schemas']['BotChat'] {
  const { id: sessionId, createdAt, updatedAt, expiresAt, resultId, ...rest } = row
  return {
    ...rest,
    sessionId,
    botId,
    // Only chats with a result are found.
    resultId: resultId ?? '',
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}
