import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Database, databaseError } from '../db/client.ts'
import { rollUpBatch } from '../results/stats-rollup.ts'
import { forgetKeys } from './keys.ts'
import { purgeBatch } from './purge.ts'

/** What is done in the background, a batch at a time; a batch is true while there may be more to do. */
const jobs = { purging: purgeBatch, 'counting results': rollUpBatch, 'forgetting keys': forgetKeys }

/** Does what is due now and then until stopped; `stop` waits for the batches under way. */
export function startBackground(db: Database, log: Logger, interval = 5_000): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  // Side by side, so that none waits for another one that goes on for long or fails every time.
  const running = Object.entries(jobs).map(async ([name, batch]) => {
    while (!signal.aborted) {
      try {
        if (await batch(db, new Date())) continue
      } catch (error) {
        log.warn({ err: databaseError(error) }, `${name} failed and will be tried again`)
      }
      await delay(interval, undefined, { signal, ref: false }).catch(() => {})
    }
  })
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
