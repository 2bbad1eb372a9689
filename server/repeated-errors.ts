import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { databaseError, sqlState } from './db/errors.ts'

/** Minimum interval between two reports of the same error, in milliseconds. */
const RATE_MS = 60_000

/** Number of errors that are distinguished. */
const MAX_ERRORS = 100

/**
 * Logs an error once, and once a minute with its count as long as it repeats; at level debug each of them. Errors of
 * one message and one kind are the same. `now` is a monotonic clock in milliseconds.
 */
export function createErrorLog(
  log: Logger,
  now = () => performance.now(),
  level: 'error' | 'warn' = 'error',
) {
  const known = new LRUCache<string, { saidAt: number; times: number }>({ max: MAX_ERRORS })
  return (error: unknown, message: string, details: object = {}, kind?: string) => {
    const err = databaseError(error)
    const key = `${message} ${kind ?? sqlState(error) ?? err?.name}`
    const before = known.get(key)
    if (before && now() - before.saidAt < RATE_MS) {
      before.times++
      return log.debug({ ...details, err }, message)
    }
    known.set(key, { saidAt: now(), times: 1 })
    if (!before) return log[level]({ ...details, err }, message)
    const seconds = Math.round((now() - before.saidAt) / 1_000)
    log[level]({ ...details, err, times: before.times, seconds }, message)
  }
}
