import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { databaseError, sqlState } from './db/errors.ts'

/** How often an error that repeats is said again, in milliseconds. */
const RATE_MS = 60_000

/** Errors that are told apart. */
const MAX_ERRORS = 100

/**
 * Logs an error once, and as long as it repeats once a minute with how often it came. `now` is a monotonic clock in
 * milliseconds.
 */
export function createErrorLog(log: Logger, now = () => performance.now()) {
  const known = new LRUCache<string, { saidAt: number; times: number }>({ max: MAX_ERRORS })
  return (error: unknown, message: string) => {
    const err = databaseError(error)
    const key = `${message} ${sqlState(error) ?? err?.name}`
    const before = known.get(key)
    if (before && now() - before.saidAt < RATE_MS) return void before.times++
    known.set(key, { saidAt: now(), times: 1 })
    if (!before) return log.error({ err }, message)
    const seconds = Math.round((now() - before.saidAt) / 1_000)
    log.error({ err, times: before.times, seconds }, message)
  }
}
