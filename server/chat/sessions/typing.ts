import { and, eq, sql } from 'drizzle-orm'
import { TYPING_SECONDS } from '../../../contract/chat/responses.ts'
import type { Contexts } from '../../context.ts'
import { chatSessions as table } from '../../db/schema.ts'
import { chatOf } from './update-session.ts'
import { announceChange } from './write-turn.ts'

/* The sign that a member is typing. It ends by itself, and leaves nothing behind. */

/** Write a sign again only where that extends it by this much, so that frequent requests cost few writes. */
const MIN_EXTENSION_SECONDS = 2

/** Shows that the caller is typing, or has stopped. Undefined if no such chat goes on. */
export async function setTyping(
  { db, grant, now }: Contexts['bot'],
  sessionId: string,
  isTyping: boolean,
): Promise<'set' | 'notHandled' | undefined> {
  const chat = await chatOf(db, grant, sessionId, now)
  if (!chat || chat.isOver) return undefined
  const { userId } = grant.caller
  if (chat.handledBy !== 'member' || chat.assigneeId !== userId) return 'notHandled'
  const later = (seconds: number) => sql.raw(`now() + interval '${seconds} seconds'`)
  const isChange = isTyping
    ? sql`(${table.typingUntil} IS NULL OR ${table.typingUntil} <= ${later(TYPING_SECONDS - MIN_EXTENSION_SECONDS)})`
    : sql`${table.typingUntil} > now()`
  const written = await db
    .update(table)
    .set({ typingUntil: (isTyping ? later(TYPING_SECONDS) : null) as unknown as Date })
    // The chat may have changed hands meanwhile.
    .where(
      and(eq(table.botId, grant.bot.id), eq(table.id, sessionId), eq(table.assigneeId, userId), isChange),
    )
    .returning({ id: table.id })
  if (written.length > 0) announceChange(db, sessionId)
  return 'set'
}
