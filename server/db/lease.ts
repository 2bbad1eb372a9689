import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'

/*
 * Exclusive rights that expire. The row has its holder in `lease_id` and, by the clock of the database, the end of the
 * right in `leased_until`, which heartbeats of the holder move on. So a process of any age sees that another one has
 * died.
 */

const HEARTBEAT_INTERVAL_MS = 3_000
/** Several heartbeats, since a slow database delays them. */
export const LEASE_TIMEOUT_MS = 15_000

/** The end of a right that is taken or extended now. Constant within a statement, as a cluster needs it. */
export const leaseEnd = sql.raw(`statement_timestamp() + interval '${LEASE_TIMEOUT_MS} milliseconds'`)
/** True once the lease has expired. Citus rejects a function of time within `coalesce`. */
export const isLeaseOverOf = (end: SQL) => sql`(${end} IS NULL OR ${end} <= statement_timestamp())`
export const isLeaseOver = isLeaseOverOf(sql.raw('leased_until'))

/**
 * Extends a right until it is ended. `extend` resolves with false once another process has taken it; it may fail, and is
 * called again. The returned function resolves when no heartbeat is under way any more.
 */
export function startHeartbeat(extend: () => Promise<boolean>, onLost = () => {}): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  const beating = (async () => {
    for (;;) {
      await sleep(HEARTBEAT_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      if (!(await extend().catch(() => true))) return onLost()
    }
  })()
  return () => {
    ending.abort()
    return beating
  }
}
