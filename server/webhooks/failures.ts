import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { topologyOf } from '../db/citus/topology.ts'
import type { Database } from '../db/client.ts'
import { databaseError } from '../db/errors.ts'
import { webhookDeliveries as deliveries, webhookEndpoints as endpoints } from '../db/schema.ts'
import type { OpenEndpoint, Outcome, Taken } from './leases.ts'

/** Number of failures in a row before an endpoint is paused. */
export const MAX_FAILURES_IN_A_ROW = 10
const PAUSE_MS = 60_000
/** Time of failures only after which an endpoint is disabled. */
const DISABLE_AFTER_MS = 5 * 24 * 60 * 60 * 1000

/** Outcome of an attempt. */
export interface Answer {
  delivery: Taken
  endpoint: OpenEndpoint
  outcome: Outcome
  isGone: boolean
  /** False for tests, and if nothing was posted. */
  isCounted: boolean
  /** Delay that the receiver requests, in milliseconds. */
  pause: number
}

/** An endpoint with a certain URL: responses of a former URL do not count for the next one. */
type EndpointKey = Pick<OpenEndpoint, 'id' | 'url'>

const isStill = ({ id, url }: EndpointKey) => and(eq(endpoints.id, id), eq(endpoints.url, url))

/** Updates endpoints by their responses, in the order of these. */
export async function recordAnswers(db: Database, log: Logger, answers: readonly Answer[]): Promise<void> {
  const counted = answers.filter(({ isCounted }) => isCounted)
  const nameOf = ({ id, url }: EndpointKey) => `${id} ${url}`
  const all = new Map(counted.map(({ endpoint }) => [nameOf(endpoint), endpoint]))
  // If this fails, the next response does it again.
  const failing = await failingOf(db, counted).catch(() => new Set<string>())
  for (const [name, endpoint] of all) {
    const endpointId = endpoint.id
    const its = counted.filter(({ endpoint }) => nameOf(endpoint) === name)
    const failed = its.slice(its.findLastIndex(({ outcome }) => outcome.isDelivered) + 1)
    try {
      if (failed.length < its.length && failing.has(endpointId)) await recordSuccess(db, endpoint)
      const reason = failed.length > 0 && (await recordFailures(db, endpoint, failed))
      if (reason) log.warn({ endpointId, reason }, 'webhook endpoint disabled')
    } catch (error) {
      // The next response corrects it.
      log.warn({ endpointId, err: databaseError(error) }, 'an endpoint keeps what was known of it')
    }
  }
}

/**
 * Returns the endpoints that accepted an event and are currently marked as failing. The state at the time of sending
 * may be outdated.
 */
async function failingOf(db: Database, answers: readonly Answer[]): Promise<Set<string>> {
  const taken = answers.filter(({ outcome }) => outcome.isDelivered)
  const ids = [...new Set(taken.map(({ endpoint }) => endpoint.id))]
  if (ids.length === 0) return new Set()
  const rows = await db
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(inArray(endpoints.id, ids), isNotNull(endpoints.failingSince)))
  return new Set(rows.map(({ id }) => id))
}

async function recordSuccess(db: Database, endpoint: EndpointKey) {
  const { rowCount } = await db
    .update(endpoints)
    .set({ failures: 0, failingSince: null, pausedUntil: null })
    .where(and(isStill(endpoint), isNotNull(endpoints.failingSince)))
  if (rowCount) await hurryDeliveries(db, endpoint.id)
}

/** Deliveries that one statement makes due, and concurrent statements. */
const MAX_HURRIED_ROWS = 5_000
const MAX_HURRIED_BATCHES = 20

/** Makes deliveries due within some seconds that wait for the next attempt at an endpoint. Their order stays. */
export async function hurryDeliveries(db: Database, endpointId: string): Promise<void> {
  const waits = sql`endpoint_id = ${endpointId} AND next_attempt_at > now() + interval '5 seconds'`
  // A cluster limits no update over all its nodes.
  const isFirst = topologyOf(db).canWriteByQuery
    ? sql`${waits} AND ctid = ANY(ARRAY(
        SELECT ctid FROM ${deliveries} WHERE ${waits} ORDER BY next_attempt_at LIMIT ${MAX_HURRIED_ROWS}))`
    : waits
  for (let batch = 0; batch < MAX_HURRIED_BATCHES; batch++) {
    const { rowCount } = await db.execute(sql`
      UPDATE ${deliveries} SET next_attempt_at = now() + (hashtext(bot_id || subject) & 1023) * interval '4 milliseconds'
      WHERE ${isFirst} AND coalesce(leased_until <= now(), true)`)
    if (!rowCount || rowCount < MAX_HURRIED_ROWS) return
  }
}

/** Why the endpoint is disabled now, if it is. */
async function recordFailures(
  db: Database,
  endpoint: EndpointKey,
  failed: readonly Answer[],
): Promise<'gone' | 'failing' | undefined> {
  const at = new Date(Math.max(...failed.map(({ delivery }) => delivery.at.getTime())))
  const pausing = failed.filter(({ pause }) => pause > 0)
  const asksUntil = pausing.map(
    ({ delivery, outcome, pause }) => delivery.at.getTime() + outcome.lastDuration + pause,
  )
  const pause = pausing.length > 0 ? new Date(Math.max(...asksUntil)).toISOString() : null
  const failures = sql`${endpoints.failures} + ${failed.length}`
  const [row] = await db
    .update(endpoints)
    .set({
      failures,
      failingSince: sql`coalesce(${endpoints.failingSince}, ${at.toISOString()}::timestamptz)`,
      pausedUntil: sql`greatest(${endpoints.pausedUntil}, ${pause}::timestamptz,
        CASE WHEN ${failures} >= ${MAX_FAILURES_IN_A_ROW}
          THEN ${new Date(at.getTime() + PAUSE_MS).toISOString()}::timestamptz END)`,
    })
    .where(isStill(endpoint))
    .returning({ failingSince: endpoints.failingSince })
  if (!row) return undefined
  const isFailing = row.failingSince && at.getTime() - row.failingSince.getTime() >= DISABLE_AFTER_MS
  const reason = failed.some(({ isGone }) => isGone) ? 'gone' : isFailing ? 'failing' : undefined
  if (!reason) return undefined
  const { rowCount } = await db
    .update(endpoints)
    .set({ isEnabled: false, disabledReason: reason })
    .where(and(isStill(endpoint), eq(endpoints.isEnabled, true)))
  return rowCount === 1 ? reason : undefined
}
