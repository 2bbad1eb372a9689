import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { dueAfter } from '../../db/due-after.ts'
import { chatTimers, chatSessions as table } from '../../db/schema.ts'
import { expression, selectRows } from '../../db/typed-select.ts'
import { idleTimesAt } from '../engine/handle-reply.ts'
import type { SessionState, TimerToSet, TurnOutcome } from '../engine/types.ts'
import { decodeState } from './codec.ts'
import { lastMessageIn, readLastMessage } from './last-message.ts'
import type { Session } from './read-session.ts'
import { isTimerOf } from './timer-rows.ts'
import { computeLatestExpiry, computeUsualExpiry, type ExtraWrite } from './write-turn.ts'

/*
 * Timers of chats, written together with the turns that set them. `fire-timers.ts` runs the turns of those that are due.
 */

interface Ids {
  id: string
  botId: string
}

/**
 * The timer that a turn sets; null if it leaves none, undefined if the row stays as it is. `before` is the timer of the
 * state that the turn follows.
 */
export function computeTimerChange(
  { state, timer }: Pick<TurnOutcome, 'state' | 'timer'>,
  before?: SessionState['timer'],
): TimerToSet | null | undefined {
  if (timer !== undefined) return timer
  return before === undefined || state?.timer?.id === before.id ? undefined : null
}

/** Hands the chat over with a turn, or back where it ends a wait for members; nothing for most turns. */
export function handoverWrites(
  ids: Ids,
  { isHandedOff, said }: Pick<TurnOutcome, 'isHandedOff' | 'said'>,
  { session, isReturned: isHandedBack = false }: { session?: Session; isReturned?: boolean },
  now: Date,
): ExtraWrite[] {
  if (!isHandedOff && !isHandedBack) return []
  return [
    async (tx) => {
      const ofTurn = isHandedOff ? lastMessageIn(said) : null
      const isEarlier = isHandedOff && ofTurn === null && session !== undefined
      const lastMessage = isEarlier ? await readLastMessage(tx, session) : ofTurn
      const handledBy = isHandedOff ? ('waiting' as const) : null
      await tx
        .update(table)
        .set({ handledBy, assigneeId: null, handledSince: now, awaited: null, lastMessage })
        .where(and(eq(table.botId, ids.botId), eq(table.id, ids.id)))
    },
  ]
}

/**
 * When a session expires after a turn that leaves it to a timer or to members; undefined where the usual time counts.
 */
export function computeTurnExpiry(
  { timer, isHandedOff }: Pick<TurnOutcome, 'timer' | 'isHandedOff'>,
  createdAt: Date,
  now: Date,
): Date | undefined {
  if (isHandedOff) return computeLatestExpiry(createdAt)
  if (timer === undefined) return undefined
  const dueAt = timer.at === undefined ? now.getTime() + (timer.afterMs ?? 0) : Date.parse(timer.at)
  return computeOpenExpiry(new Date(Math.max(dueAt, now.getTime())), createdAt)
}

/** When a chat that goes on expires if nothing happens after this time. */
export function computeOpenExpiry(lastAt: Date, createdAt: Date): Date {
  return new Date(
    Math.min(computeUsualExpiry(false, lastAt).getTime(), computeLatestExpiry(createdAt).getTime()),
  )
}

/** Stops the timer of a chat that people handle from now on. */
export async function pauseTimer(tx: Database, ids: Ids) {
  await tx.update(chatTimers).set({ isPaused: true }).where(isTimerOf(ids))
}

/**
 * Resumes the timer of a chat that the bot handles again, and returns its due time. The visitor sees the input again
 * and has the whole time to answer.
 */
export async function resumeTimer(
  tx: Database,
  ids: Ids,
  { kind, afterMs = 0 }: NonNullable<SessionState['timer']>,
): Promise<Date | undefined> {
  const dueAt = kind === 'idle' ? { dueAt: dueAfter(afterMs) } : {}
  const [row] = await tx
    .update(chatTimers)
    .set({ isPaused: false, ...dueAt })
    .where(isTimerOf(ids))
    .returning({ dueAt: chatTimers.dueAt })
  return row?.dueAt
}

/** Seconds until the timer of a session is due, by the clock of the database; undefined where none runs. */
export async function readSecondsLeft(
  db: Database,
  { botId, sessionId }: { botId: string; sessionId: string },
): Promise<number | undefined> {
  const [row] = await selectRows(
    db,
    { seconds: expression(sql`greatest(date_part('epoch', due_at - now()), 0)`, 'float8') },
    (list) => sql`
      SELECT ${list} FROM ${chatTimers}
      WHERE bot_id = ${botId} AND session_id = ${sessionId} AND NOT is_paused`,
  )
  return row?.seconds
}

/** True if a reply that names an earlier turn answers the input that waits: it was shown again to an idle visitor. */
export function isInputStillOpen(session: Session, revision: number): boolean {
  const state = decodeState(session)
  if (session.handledBy !== null || !state?.waiting) return false
  const isEarlier = revision < session.revision
  return isEarlier && session.revision - revision <= idleTimesAt(state, state.waiting)
}
