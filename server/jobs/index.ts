import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { publicationThinning } from '../bots/retention.ts'
import { currentTime } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/client.ts'
import { expression, selectRows } from '../db/typed-select.ts'
import { createErrorLog } from '../repeated-errors.ts'
import { rollUpBlocks } from '../results/block-stats.ts'
import { eraseBatch } from '../results/erase.ts'
import { rollUpBatch } from '../results/stats-rollup.ts'
import type { FileStore } from '../uploads/store.ts'
import {
  forgetConversations,
  forgetDeliveries,
  forgetEndedAccess,
  forgetHours,
  forgetKeys,
  forgetSheetAccounts,
  forgetTokens,
  removeSessions,
} from './expiry.ts'
import { moveFromDeletedFolders } from './folders.ts'
import { purgeBatch } from './purge.ts'
import { expireResults } from './results-retention.ts'
import { removeFiles } from './uploads.ts'

/** Intervals between runs of a job, in milliseconds. */
const FREQUENT_INTERVAL_MS = 5_000
const RARE_INTERVAL_MS = 10 * 60_000

interface Job {
  name: string
  interval: number
  /** Does one batch; true while there may be more to do. */
  batch: (db: Database, now: Date) => Promise<boolean>
}

/**
 * Returns the time of a batch. A clock that is ahead of the database does not count: rows that are removed too early
 * cannot be restored.
 */
export async function readTime(db: Database): Promise<Date> {
  const start = currentTime().getTime()
  const [clock] = await selectRows(
    db,
    { now: expression(sql`now()`, 'timestamptz') },
    (list) => sql`SELECT ${list}`,
  )
  const aheadMs = clock ? Math.max(0, start - clock.now.getTime()) : 0
  return new Date(currentTime().getTime() - aheadMs)
}

/**
 * Does due work at intervals until stopped; `stop` waits for the batches under way, `runDue` does all due work
 * immediately.
 */
export function startBackground(
  db: Database,
  log: Logger,
  files: FileStore | null,
  config: Pick<
    Config,
    | 'RESULTS_RETENTION_DAYS'
    | 'DELETED_BOTS_RETENTION_DAYS'
    | 'PUBLICATIONS_RETENTION_DAYS'
    | 'PUBLICATIONS_KEPT'
  >,
): { stop: () => Promise<void>; runDue: () => Promise<void> } {
  const jobs: Job[] = [
    {
      name: 'purging',
      interval: FREQUENT_INTERVAL_MS,
      batch: (db, now) => purgeBatch(db, now, config.DELETED_BOTS_RETENTION_DAYS),
    },
    { name: 'emptying deleted folders', interval: FREQUENT_INTERVAL_MS, batch: moveFromDeletedFolders },
    { name: 'erasing copies of results', interval: FREQUENT_INTERVAL_MS, batch: eraseBatch },
    { name: 'removing sessions', interval: FREQUENT_INTERVAL_MS, batch: removeSessions },
    { name: 'counting results', interval: FREQUENT_INTERVAL_MS, batch: rollUpBatch },
    { name: 'counting blocks', interval: FREQUENT_INTERVAL_MS, batch: rollUpBlocks },
    { name: 'forgetting keys', interval: FREQUENT_INTERVAL_MS, batch: forgetKeys },
    { name: 'forgetting deliveries', interval: RARE_INTERVAL_MS, batch: forgetDeliveries },
    { name: 'forgetting conversations', interval: RARE_INTERVAL_MS, batch: forgetConversations },
    { name: 'forgetting accounts of sheets', interval: RARE_INTERVAL_MS, batch: forgetSheetAccounts },
    { name: 'forgetting tokens', interval: RARE_INTERVAL_MS, batch: forgetTokens },
    { name: 'forgetting ended access', interval: RARE_INTERVAL_MS, batch: forgetEndedAccess },
    { name: 'forgetting hours', interval: RARE_INTERVAL_MS, batch: forgetHours },
    {
      name: 'removing files',
      interval: FREQUENT_INTERVAL_MS,
      batch: (db, now) => removeFiles(db, files, now),
    },
    {
      name: 'expiring results',
      interval: RARE_INTERVAL_MS,
      batch: (db, now) => expireResults(db, config.RESULTS_RETENTION_DAYS, now),
    },
    { name: 'thinning publications', interval: RARE_INTERVAL_MS, batch: publicationThinning(config) },
  ]
  const stopping = new AbortController()
  const logError = createErrorLog(log)
  const { signal } = stopping
  setMaxListeners(jobs.length, signal)
  // Side by side, so that none waits for another one that goes on for long or fails every time.
  const running = jobs.map(async ({ name, interval, batch }) => {
    while (!signal.aborted) {
      let pause = interval
      const begun = performance.now()
      try {
        // Rests for as long as it has worked, so that requests have the database for at least half of the time.
        if (await batch(db, await readTime(db))) pause = Math.min(interval, performance.now() - begun)
      } catch (error) {
        pause = FREQUENT_INTERVAL_MS
        logError(error, `${name} failed and will be tried again`)
      }
      await delay(pause, undefined, { signal, ref: false }).catch(() => {})
    }
  })
  return {
    async runDue() {
      for (const { batch } of jobs) while (await batch(db, await readTime(db)));
    },
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
