import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { chatwootConversations as table } from '../../db/schema.ts'

/**
 * Has a conversation worked on at a time or before. One that fails is put off all the same. A cluster takes no function
 * of the time within CASE or `coalesce`.
 */
export const dueEarlier = (time: SQL) =>
  sql`least(${table.dueAt}, greatest(${time}, CASE WHEN ${table.failures} > 0 THEN ${table.dueAt} END))`

/** Sends new messages of a chat to the service that it goes through. */
export async function wakeBridge(
  db: Database,
  { botId, sessionId }: { botId: string; sessionId: string },
): Promise<void> {
  await db
    .update(table)
    .set({ dueAt: dueEarlier(sql`now()`), changes: sql`${table.changes} + 1` })
    .where(and(eq(table.botId, botId), eq(table.sessionId, sessionId)))
}
