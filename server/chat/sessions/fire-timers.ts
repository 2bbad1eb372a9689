import { type SQL, sql } from 'drizzle-orm'
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
import type { Slot } from '../../kit/shares/admission-queue.ts'
import { createErrorLog } from '../../repeated-errors.ts'
import { decodeState } from './codec.ts'
import { findSession } from './read-session.ts'
import { runTurn, timerDigest } from './run-turn.ts'

/*
 * Runs the turns of timers that are due, in every process. A lease keeps other processes away. A timer fires once
 * since its turn is written only while the session has it. The turn deletes its row; one that is left has no effect.
 */

/** Maximum timers whose turns a process runs concurrently. */
const MAX_TIMERS_AT_ONCE = 128
/** Those and the ones that wait for other services, which hold no slot. */
const MAX_TIMERS_BEGUN = 512
/** One workspace has a quarter of both beside others. The last quarter of the latter is for those that have few. */
const PLACES_SHARE = MAX_TIMERS_AT_ONCE / 4
const BEGUN_SHARE = MAX_TIMERS_BEGUN / 4
const MAX_BEGUN_BY_MANY = MAX_TIMERS_BEGUN - BEGUN_SHARE
/** As few as it takes less time to run than to take. */
const MIN_TAKEN = MAX_TIMERS_AT_ONCE / 2
/** Interval of looks behind the timers of workspaces that have their share. Those may be many. */
const OTHERS_INTERVAL_MS = 1_000
/** These looks take one in so many parts of the time, unless it takes longer until the next one. */
const OTHERS_TIME_PART = 20
const MAX_OTHERS_INTERVAL_MS = 10_000
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

const due = (columns: SQL, passedOver: readonly string[], limit: number) => sql`
  SELECT ${columns} FROM ${table}
  WHERE NOT is_paused AND due_at <= now() AND ${isLeaseOver}
    AND workspace_id <> ALL(${sql.param(passedOver)}::text[])
  ORDER BY due_at LIMIT ${limit}`

/** Leases timers that are due, the oldest first, but none of some workspaces. */
async function take(db: Database, leaseId: string, passedOver: readonly string[], limit: number) {
  const leased = sql`lease_id = ${leaseId}, leased_until = ${leaseEnd}`
  if (topologyOf(db).canWriteByQuery) {
    return selectRows(
      db,
      shape,
      (list) => sql`
        WITH due AS (${due(sql`ctid AS timer_place`, passedOver, limit)} FOR UPDATE SKIP LOCKED)
        UPDATE ${table} SET ${leased} FROM due WHERE ${table}.ctid = due.timer_place RETURNING ${list}`,
    )
  }
  // A cluster locks only rows of one node. A slower process leases nothing.
  const found = await selectRows(
    db,
    { botId: table.botId, sessionId: table.sessionId },
    (list) => sql`SELECT ${list} FROM (${due(sql`bot_id, session_id`, passedOver, limit)}) AS ${table}`,
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
      // Each await of a Drizzle statement sends it anew; its promise does not.
      const deletion = db.execute(sql`DELETE FROM ${table} WHERE ${isAmong(timers, ids)}`).then(() => {})
      return timers.map(() => deletion)
    },
  ),
)

export function openTimers(services: Services): LeaseWorker {
  const { now: currentTime, ...tools } = services
  const { db, log } = tools
  const leaseId = newId(currentTime())
  const logError = createErrorLog(log)
  // A timer has no address.
  const quota = tools.quotas()
  let resting = 0
  let othersAt = Number.NEGATIVE_INFINITY

  const slot: Pick<Slot, 'releaseDuring'> = {
    async releaseDuring(work) {
      resting++
      worker.wake()
      try {
        return await work()
      } finally {
        resting--
      }
    },
  }

  /** Runs the turn of a timer, which removes its row or sets it anew. */
  async function fire({ sessionId, id, botId }: Timer): Promise<'written' | 'obsolete' | 'superseded'> {
    const now = currentTime()
    const session = await findSession(db, tools.chat, sessionId, now)
    const state = session && decodeState(session)
    if (!session || state?.timer?.id !== id) return 'obsolete'
    const isWaiting = session.handledBy === 'waiting' && state.timer.kind === 'handoff'
    // Members took it meanwhile: its row is paused, and goes on when they give the chat back.
    if (session.handledBy !== null && !isWaiting) return 'superseded'
    if (quota.findIssue('text', botId)) throw new Overdrawn('The bot stores no more of its chats today')
    const reply = { message: { type: 'timer' as const }, options: {}, digest: timerDigest }
    const ran = await runTurn({ now, slot, quota: () => quota, ...tools }, session, reply)
    if (ran === 'superseded') return ran
    return typeof ran === 'object' && 'response' in ran ? 'written' : 'obsolete'
  }

  async function run(timer: Timer) {
    try {
      const fate = await fire(timer)
      if (fate === 'obsolete') await removing(db)(timer)
      else if (fate === 'superseded') await putOff(timer, 0, timer.failures)
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
      UPDATE ${table} SET due_at = ${dueAt}, failures = ${failures}, lease_id = NULL, leased_until = NULL
      WHERE ${isAmong([timer], [timer.id])}`)
  }

  /** Leases timers for the free places: first of workspaces that are below their share. */
  async function takeSome(free: number, counts: Map<string, number>) {
    const taken: Timer[] = []
    /** Takes those of workspaces with fewer than `share`, so that none has more than `most`. True if it took all. */
    const takeBelow = async (share: number, most: number) => {
      const full = [...counts].flatMap(([id, count]) => (count >= share ? [id] : []))
      const largest = Math.max(0, ...[...counts.values()].filter((count) => count < share))
      const running = [...counts.values()].reduce((sum, count) => sum + count, 0)
      const room = Math.max(PLACES_SHARE - largest, Math.min(most - largest, MAX_BEGUN_BY_MANY - running))
      const limit = Math.min(free - taken.length, room)
      const found = limit > 0 ? await take(db, leaseId, full, limit) : []
      for (const { workspaceId } of found) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
      taken.push(...found)
      return found.length < limit
    }
    const begun = performance.now()
    if (begun >= othersAt && [...counts.values()].some((count) => count >= PLACES_SHARE)) {
      const isAll = await takeBelow(PLACES_SHARE, BEGUN_SHARE)
      const took = performance.now() - begun
      // While they fill the places, they come first again.
      const interval = Math.min(Math.max(OTHERS_INTERVAL_MS, OTHERS_TIME_PART * took), MAX_OTHERS_INTERVAL_MS)
      if (isAll) othersAt = begun + interval
    }
    const most = counts.size > 1 ? BEGUN_SHARE : MAX_BEGUN_BY_MANY
    const isAll = await takeBelow(most, most).catch((error) => {
      // The leased timers run; the next query reports the error again if it persists.
      if (taken.length === 0) throw error
    })
    return { rows: taken, isMoreLeft: !isAll }
  }

  const worker = openLeaseWorker<Timer>({
    keyOf: ({ sessionId, id }) => `${sessionId} ${id}`,
    freePlaces: (running) =>
      Math.min(MAX_TIMERS_AT_ONCE - Math.max(running - resting, 0), MAX_TIMERS_BEGUN - running),
    minTaken: MIN_TAKEN,
    take: takeSome,
    extend: (timers) =>
      db.execute(sql`
        UPDATE ${table} SET leased_until = ${leaseEnd} WHERE ${isAmong(timers)} AND lease_id = ${leaseId}`),
    run,
    logFailure: (error) => logError(error, 'timers of chats cannot be read now'),
  })
  return worker
}

/** The bot has stored as much as it may today. */
class Overdrawn extends Error {}
