import type { ChatsHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { rankedPosition } from '../chat/sessions/handled-order.ts'
import { readConversation } from '../chat/sessions/read-session.ts'
import { type ChatRow, chatOf, chatPage, updateSession } from '../chat/sessions/update-session.ts'
import { workspaceChatPage } from '../chat/sessions/workspace-chats.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'

export const chats: ChatsHandlers<Contexts> = {
  async listChats({ query }, respond, { db, grant, now, cursorKey }) {
    const { handledBy, assigneeId } = query
    const scope = ['chats', grant.bot.id, handledBy ?? '', assigneeId ?? '']
    const list = await readPage(
      cursorKey,
      scope,
      query,
      (position, limit) => chatPage(db, grant, now, position, { handledBy, assigneeId, limit }),
      ({ rank, ...row }) => (rank === undefined ? row : rankedPosition({ rank, id: row.id })),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    return respond.ok({ chats: list.page.map(toSummary), nextCursor: list.nextCursor })
  },

  async listWorkspaceChats({ query }, respond, { db, grant, now, cursorKey }) {
    const { handledBy, assigneeId } = query
    const scope = ['workspace chats', grant.workspace.id, handledBy ?? '', assigneeId ?? '']
    const list = await readPage(
      cursorKey,
      scope,
      query,
      (position, limit) => workspaceChatPage(db, grant, now, position, { handledBy, assigneeId, limit }),
      (row) => rankedPosition(row),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    const chats = list.page.map((row) => ({ ...toSummary(row), botId: row.botId, botName: row.botName }))
    return respond.ok({ chats, nextCursor: list.nextCursor })
  },

  async getChat({ params: { sessionId } }, respond, { db, grant, now }) {
    const row = await chatOf(db, grant, sessionId, now)
    if (!row) return respond.fail('NOT_FOUND')
    const { turns } = await readConversation(
      db,
      { botId: grant.bot.id, sessionId, ...row },
      { hasAuthors: true },
    )
    return respond.ok({ chat: toChat(grant.bot.id, row), turns })
  },

  async updateChat({ params, body }, respond, context) {
    const updated = await updateSession(context, params.sessionId, body)
    if (!updated) return respond.fail('NOT_FOUND')
    if ('issues' in updated) return respond.fail('BAD_REQUEST', updated.issues)
    if ('conflict' in updated) return respond.fail('CONFLICT', [updated.conflict])
    if ('full' in updated) return respond.fail('TOO_MANY_REQUESTS', [updated.full])
    return respond.ok({ chat: toChat(context.grant.bot.id, updated.chat) })
  },
}

function toChat(botId: string, row: ChatRow): components['schemas']['BotChat'] {
  // Only chats of publications are found.
  return { ...toSummary(row), botId, publicationId: row.publicationId ?? '', isOver: row.isOver }
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
    handledBy: row.handledBy ?? 'bot',
    assigneeId: row.assigneeId,
    handledSince: row.handledSince?.toISOString() ?? null,
    lastMessage: row.lastMessage && JSON.parse(row.lastMessage.text),
    timer: row.timer && timerOf(JSON.parse(row.timer.text)),
  }
}

/** The timer of a row, whose time has the form of the database. */
function timerOf({ dueAt, ...timer }: NonNullable<components['schemas']['BotChatSummary']['timer']>) {
  return { ...timer, dueAt: new Date(dueAt).toISOString() }
}
