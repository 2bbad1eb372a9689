import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { databaseError, sqlState } from './errors.ts'
import { isUnavailable } from './unavailable.ts'

/** Does `work`, which needs the database, again every second until it works or `isOver`. */
export async function retryUntilReady(log: Logger, isOver: () => boolean, work: () => Promise<void>) {
  for (let attempts = 0; !isOver(); attempts++) {
    try {
      return await work()
    } catch (error) {
      // Said now and then, since a database may be away for hours.
      if (attempts % 20 === 0) {
        const isFull = sqlState(error) === '53100'
        const what = isUnavailable(error) ? 'does not answer, or not in time' : 'is not ready'
        const cause = isFull ? 'disk of the database is full, make room on it' : `database ${what}`
        log.error({ err: databaseError(error) }, `the ${cause}: the start waits and tries again`)
      }
      await delay(1_000)
    }
  }
}
