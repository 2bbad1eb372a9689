import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { databaseError } from './errors.ts'

/** Does `work`, which needs the database, again every second until it works or `isOver`. */
export async function untilItWorks(log: Logger, isOver: () => boolean, work: () => Promise<void>) {
  for (let attempts = 0; !isOver(); attempts++) {
    try {
      return await work()
    } catch (error) {
      // Said now and then, since a database may be away for hours.
      if (attempts % 20 === 0) log.error({ err: databaseError(error) }, 'the database is not ready')
      await delay(1_000)
    }
  }
}
