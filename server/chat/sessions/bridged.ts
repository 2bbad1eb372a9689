import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { chatwootConversations as table } from '../../db/schema.ts'

/** Has what a chat says sent to the service that it goes through. */
export async function wakeBridge(
  db: Database,
  { botId, sessionId }: { botId: string; sessionId: string },
): Promise<void> {
  await db
    .update(table)
    .set({ dueAt: sql`now()`, changes: sql`${table.changes} + 1` })
    .where(and(eq(table.botId, botId), eq(table.sessionId, sessionId)))
}
