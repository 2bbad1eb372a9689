import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { dueAfter } from '../../db/due-after.ts'
import { chatTimers } from '../../db/schema.ts'
import type { TimerToSet } from '../engine/types.ts'

/* The row of the timer of a chat, beside its session. A session has one at most, since it waits at one place. */

interface SessionKey {
  id: string
  botId: string
}

export const isTimerOf = ({ id, botId }: SessionKey) =>
  and(eq(chatTimers.botId, botId), eq(chatTimers.sessionId, id))

/** Writes the timer that a turn has changed; null if the chat has none any more. */
export async function saveTimer(
  tx: Database,
  session: SessionKey & { workspaceId: string },
  timer: TimerToSet | null,
) {
  if (timer === null) return removeTimer(tx, session)
  const { id, at, afterMs = 0 } = timer
  const dueAt = at === undefined ? dueAfter(afterMs) : sql`${at}::timestamptz`
  const values = { id, dueAt, isPaused: false, failures: 0, leaseId: null, leasedUntil: null }
  await tx
    .insert(chatTimers)
    .values({ botId: session.botId, sessionId: session.id, workspaceId: session.workspaceId, ...values })
    .onConflictDoUpdate({
      target: [chatTimers.botId, chatTimers.sessionId],
      set: { ...values, dueAt: sql`excluded.due_at` },
    })
}

export async function removeTimer(tx: Database, session: SessionKey): Promise<undefined> {
  await tx.delete(chatTimers).where(isTimerOf(session))
}
