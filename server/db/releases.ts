import { type Database, rootOf } from './client.ts'
import { endedReleases } from './schema.ts'

/*
 * Release 1.0 may serve a database that this release has migrated, beside it. It looks for the transcript of a chat in
 * one table, and for the last answer in the session. Both are written for it until it is known to be gone: a database that
 * this release made never had it, and of others `admin finish-upgrade` says so. This release reads what either wrote.
 */

const alone = new WeakSet<Database>()

/** True if release 1.0 may read the rows that are written. */
export function isBesideFirstRelease(db: Database): boolean {
  return !alone.has(rootOf(db))
}

/**
 * Finds out if release 1.0 has ended; runs before the first statement of a chat. `reads` is the database for reads,
 * maybe a standby.
 */
export async function noteReleases(db: Database, reads = db) {
  const ended = await db.select().from(endedReleases)
  if (ended.some(({ release }) => release === '1.0')) {
    alone.add(db)
    alone.add(reads)
  }
}

/** Records that no process of release 1.0 serves the database any more. Processes read this when they start. */
export async function finishUpgrade(db: Database, now: Date) {
  await db.insert(endedReleases).values({ release: '1.0', endedAt: now }).onConflictDoNothing()
}
