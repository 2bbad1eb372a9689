import type { BotChatSummary } from '../../../../../generated/client/index.js'

type Chat = Pick<BotChatSummary, 'sessionId' | 'handledBy' | 'assigneeId' | 'revision' | 'lastMessage'>

/**
 * True if a chat has begun to wait since `before`, or a visitor has written in a chat of this member. Chats of a list
 * that is cut off come into it for other reasons, too.
 */
export function hasNews(
  before: ReadonlyMap<string, Chat>,
  chats: readonly Chat[],
  userId: string | undefined,
  isWhole = true,
): boolean {
  return chats.some((chat) => {
    const earlier = before.get(chat.sessionId)
    if (chat.handledBy === 'waiting') return isWhole && earlier?.handledBy !== 'waiting'
    const isMine = chat.assigneeId !== null && chat.assigneeId === userId
    const hasTurn = earlier?.assigneeId === userId && chat.revision > (earlier?.revision ?? 0)
    return isMine && hasTurn && chat.lastMessage?.role === 'user'
  })
}
