import { sql } from 'drizzle-orm'
import type { Services } from '../../context.ts'
import { createBatcher } from '../../db/batcher.ts'
import { topologyOf } from '../../db/citus/topology.ts'
import { type Database, statements } from '../../db/client.ts'
import { dueAfter } from '../../db/due-after.ts'
import { isLeaseOver, leaseEnd } from '../../db/lease.ts'
import { type LeaseWorker, openLeaseWorker } from '../../db/lease-worker.ts'
import { chatTimers as table } from '../../db/schema.ts'
import { selectRows } from '../../db/typed-select.ts'
import { isUnavailable } from '../../db/unavailable.ts'
import { MS_PER_HOUR, MS_PER_MINUTE } from '../../durations.ts'
import { newId } from '../../ids.ts'
import type { Place } from '../../kit/shares/admission-queue.ts'
import { createErrorLog } from '../../repeated-errors.ts'
import { decodeState } from './codec/state.ts'
import { findSession } from './read-session.ts'
import { runTurn, timerDigest } from './run-turn.ts'

/*
 * Runs the turns of timers that are due, in every process. A lease keeps other processes away. A timer fires once since
 * its turn is written only while the session has it: a process that dies after that leaves a row that says nothing any more.
 */

/** Turns of timers that a process runs at once, and those that then wait for other services. */
const MAX_TIMERS_AT_ONCE = 64
const MAX_TIMERS_RESTING = 256
/** One workspace has so many beside others. */
const WORKSPACE_SHARE = MAX_TIMERS_AT_ONCE / 4
/** As few as it takes less time to run than to take. */
const MIN_TAKEN = 16
/** Interval of looks behind the timers of workspaces that have their share. Those may be many. */
const OTHERS_INTERVAL_MS = 1_000
const MAX_ROWS_REMOVED = 200
/** A timer whose turn fails this often is removed. */
const MAX_FAILURES = 8

interface Timer {
  botId: string
  sessionId: string
  id: string
  workspaceId: string
  failures: number
}

const shape = {
  botId: table.botId,
  sessionId: table.sessionId,
  id: table.id,
  workspaceId: table.workspaceId,
  failures: table.failures,
}

const due = (passedOver: readonly string[], limit: number) => sql`
  SELECT bot_id, session_id FROM ${table}
  WHERE NOT is_paused AND due_at <= now() AND ${isLeaseOver}
    AND workspace_id <> ALL(${sql.param(passedOver)}::text[])
  ORDER BY due_at LIMIT ${limit}`

/** Leases timers that are due, the oldest first, but none of some workspaces. */
async function take(db: Database, claim: string, passedOver: readonly string[], limit: number) {
  const leased = sql`claim = ${claim}, claimed_until = ${leaseEnd}`
  if (topologyOf(db).canWriteByQuery) {
    return selectRows(
      db,
      shape,
      (list) => sql`
        WITH due AS (${due(passedOver, limit)} FOR UPDATE SKIP LOCKED)
        UPDATE ${table} SET ${leased} FROM due
        WHERE ${table.botId} = due.bot_id AND ${table.sessionId} = due.session_id RETURNING ${list}`,
    )
  }
  // A cluster locks only what one node has. A process that was slower leases nothing.
  const found = await selectRows(
    db,
    { botId: table.botId, sessionId: table.sessionId },
    (list) => sql`SELECT ${list} FROM (${due(passedOver, limit)}) AS ${table}`,
  )
  if (found.length === 0) return []
  return selectRows(
    db,
    shape,
    (list) => sql`UPDATE ${table} SET ${leased} WHERE ${isAmong(found)} AND ${isLeaseOver} RETURNING ${list}`,
  )
}

/** A condition that is true of the rows of these sessions. */
function isAmong(timers: readonly Pick<Timer, 'botId' | 'sessionId'>[], withId?: readonly string[]) {
  const bots = sql.param([...new Set(timers.map(({ botId }) => botId))])
  const sessions = sql.param(timers.map(({ sessionId }) => sessionId))
  // The id of a session begins with that of its bot.
  const isThose = sql`bot_id = ANY(${bots}::text[]) AND session_id = ANY(${sessions}::text[])`
  return withId ? sql`${isThose} AND id = ANY(${sql.param(withId)}::text[])` : isThose
}

const removing = statements((db) =>
  createBatcher<Timer, void>(
    MAX_ROWS_REMOVED,
    () => '',
    (timers) => {
      const ids = timers.map(({ id }) => id)
      // A statement of Drizzle is sent anew by each who awaits it; its promise is not.
      const deletion = db.execute(sql`DELETE FROM ${table} WHERE ${isAmong(timers, ids)}`).then(() => {})
      return timers.map(() => deletion)
    },
  ),
)

export function openTimers(services: Services): LeaseWorker {
  const { db, log } = services
  const claim = newId(services.now())
  const logError = createErrorLog(log)
  // A timer has no address.
  const quota = services.quotas()
  let resting = 0
  let othersAt = Number.NEGATIVE_INFINITY

  const place: Pick<Place, 'rest'> = {
    async rest(work) {
      if (resting >= MAX_TIMERS_RESTING) return work()
      resting++
      worker.wake()
      try {
        return await work()
      } finally {
        resting--
      }
    },
  }

  /** Runs the turn of a timer. True if its row has done its work; false if it has to be looked at again. */
  async function fire({ sessionId, id, botId }: Timer): Promise<boolean> {
    const now = services.now()
    const session = await findSession(db, services.chat, sessionId, now)
    const state = session && decodeState(session)
    if (!session || state?.timer?.id !== id) return true
    const isWaiting = session.handledBy === 'waiting' && state.timer.kind === 'handoff'
    // Members took it meanwhile: its row is paused, and goes on when they give the chat back.
    if (session.handledBy !== null && !isWaiting) return false
    if (quota.refusal('text', botId)) throw new Overdrawn('The bot stores no more of its chats today')
    const reply = { message: { type: 'timer' as const }, options: {}, digest: timerDigest }
    const ran = await runTurn({ ...services, now, place, quota }, session, reply)
    return ran !== 'moved'
  }

  async function run(timer: Timer) {
    try {
      if (await fire(timer)) await removing(db)(timer)
      else await putOff(timer, 0, timer.failures)
    } catch (error) {
      // The lease ends by itself.
      if (isUnavailable(error)) return logError(error, 'timers of chats cannot be run now')
      const { botId, sessionId, failures } = timer
      if (error instanceof Overdrawn) return putOff(timer, MS_PER_HOUR, failures).catch(() => {})
      logError(error, 'the timer of a chat failed', { botId, sessionId, failures: failures + 1 })
      const isLast = failures + 1 >= MAX_FAILURES
      const later = isLast ? removing(db)(timer) : putOff(timer, MS_PER_MINUTE * 2 ** failures, failures + 1)
      await later.catch((failure) => logError(failure, 'the timer of a chat cannot be put off'))
    }
  }

  async function putOff(timer: Timer, milliseconds: number, failures: number) {
    const later = sql`greatest(due_at, ${dueAfter(milliseconds)})`
    const dueAt = milliseconds > 0 ? later : sql`due_at`
    await db.execute(sql`
      UPDATE ${table} SET due_at = ${dueAt}, failures = ${failures}, claim = NULL, claimed_until = NULL
      WHERE ${isAmong([timer], [timer.id])}`)
  }

  /** Takes what there are places for: first of workspaces that have not their share. */
  async function takeSome(free: number, counts: Map<string, number>): Promise<Timer[]> {
    const passedOver = [...counts].flatMap(([id, count]) => (count >= WORKSPACE_SHARE ? [id] : []))
    const taken: Timer[] = []
    if (passedOver.length > 0 && performance.now() - othersAt >= OTHERS_INTERVAL_MS) {
      taken.push(...(await take(db, claim, passedOver, free)))
      // While they fill the places, they come first again.
      if (taken.length < free) othersAt = performance.now()
    }
    const left = free - taken.length
    return left > 0 ? [...taken, ...(await take(db, claim, [], left))] : taken
  }

  const worker = openLeaseWorker<Timer>({
    keyOf: ({ sessionId, id }) => `${sessionId} ${id}`,
    freePlaces: (running) => MAX_TIMERS_AT_ONCE - Math.max(running - resting, 0),
    minTaken: MIN_TAKEN,
    take: takeSome,
    extend: (timers) =>
      db.execute(sql`
        UPDATE ${table} SET claimed_until = ${leaseEnd} WHERE ${isAmong(timers)} AND claim = ${claim}`),
    run,
    logFailure: (error) => logError(error, 'timers of chats cannot be read now'),
  })
  return worker
}

/** The bot has stored as much as it may today. */
class Overdrawn extends Error {}
