import { LRUCache } from 'lru-cache'
import { yieldToOthers } from './fair-scheduler.ts'

/*
 * Shares of the thread. A large body, a large response or a slice of a check takes it for tenths of a second. While
 * others are here, those of one tenant are taken one after the other, with a pause behind each that is three times as
 * long as the piece: a quarter of the time is left to this tenant, as of all else.
 */

/** A tenant with a request in this many milliseconds is still active: people send one request after the other. */
const ACTIVE_TENANT_MS = 1_000
const REST_FACTOR = 3
/** A piece that takes a second waits for the database, not for the thread. */
const MAX_PAUSE_MS = 3_000

/** Bytes from which on a body or a response takes the thread for long enough that its tenant has a share of that. */
export const LARGE_BYTES = 256 * 1024
/** For so many milliseconds after a large response, one of the same kind is expected to be large again. */
const EXPECTED_MS = 60_000

export interface Pacing {
  /** Records a request of a tenant. */
  recordRequest(tenant: string): void
  /** Does a piece of work of a tenant in its turn. Pieces of different queues do not wait for each other. */
  runPaced<Value>(tenant: string, work: () => Value | Promise<Value>, queue?: string): Promise<Value>
  /** Does work of a tenant in its turn while there are other tenants, immediately otherwise. */
  runPacedIfShared<Value>(tenant: string, work: () => Promise<Value>): Promise<Value>
  /** As `runPacedIfShared` if work of this kind gave many bytes lately, immediate otherwise. */
  runPacedIfLarge<Value>(
    tenant: string,
    kind: string,
    work: () => Promise<Value>,
    sizeOf: (value: Value) => number,
  ): Promise<Value>
}

/** For one process; `now` is its clock, in milliseconds. */
export function createPacing(now: () => number = () => performance.now()): Pacing {
  let last = { tenant: '', at: Number.NEGATIVE_INFINITY }
  /** The last one that was another than `last`. */
  let other = last
  /** The end of the last piece of each queue that has one running, with its pause. */
  const ends = new Map<string, Promise<void>>()
  /** When tenants had a large response last, by tenant and kind. */
  const largeAt = new LRUCache<string, number>({ max: 10_000 })

  const isAlone = (tenant: string) => {
    const { at } = last.tenant === tenant ? other : last
    return at < now() - ACTIVE_TENANT_MS
  }

  async function runPaced<Value>(tenant: string, work: () => Value | Promise<Value>, queue = tenant) {
    const before = ends.get(queue)
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    ends.set(queue, ended)
    await before
    // Only the work counts for the pause, not the wait for the turns of others.
    await yieldToOthers(tenant)
    const begun = now()
    const finish = () => {
      if (ends.get(queue) === ended) ends.delete(queue)
      end()
    }
    try {
      return await work()
    } finally {
      if (isAlone(tenant)) finish()
      else setTimeout(finish, Math.min((now() - begun) * REST_FACTOR, MAX_PAUSE_MS))
    }
  }

  const runPacedIfShared = <Value>(tenant: string, work: () => Promise<Value>) =>
    isAlone(tenant) ? work() : runPaced(tenant, work)

  return {
    recordRequest(tenant) {
      if (tenant !== last.tenant) other = last
      last = { tenant, at: now() }
    },
    runPaced,
    runPacedIfShared,
    async runPacedIfLarge(tenant, kind, work, sizeOf) {
      const key = `${tenant} ${kind}`
      const isExpected = (largeAt.get(key) ?? Number.NEGATIVE_INFINITY) > now() - EXPECTED_MS
      const value = await (isExpected ? runPacedIfShared(tenant, work) : work())
      if (sizeOf(value) > LARGE_BYTES) largeAt.set(key, now())
      return value
    },
  }
}
