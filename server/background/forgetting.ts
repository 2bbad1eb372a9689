import { sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type Database, transact } from '../db/client.ts'
import { botIdempotencyKeys, botStatsHourly, idempotencyKeys, webhookDeliveries } from '../db/schema.ts'
import { expression, selectRows } from '../db/selection.ts'
import { hoursEnd } from '../results/stats-epochs.ts'

const BATCH = 2_000
const DAY = 24 * 60 * 60 * 1000

/** An hour more than the seven days that are promised, since clocks differ. */
const KEYS_KEPT = 7 * DAY + DAY / 24
const DELIVERIES_KEPT = 30 * DAY

/** Forgets one batch of idempotency keys, oldest first; true while there may be more that are old enough. */
export async function forgetKeys(db: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - KEYS_KEPT)
  const isFull = await forgetBatch(db, idempotencyKeys, before)
  return (await forgetBatch(db, botIdempotencyKeys, before)) || isFull
}

/** Forgets one batch of deliveries that are old enough, whatever came of them; true while there may be more. */
export function forgetDeliveries(db: Database, now: Date): Promise<boolean> {
  return forgetBatch(db, webhookDeliveries, new Date(now.getTime() - DELIVERIES_KEPT))
}

/** Forgets one batch of hours that were counted, once the days are kept that they are of. */
export function forgetHours(db: Database, now: Date): Promise<boolean> {
  return forgetBatch(db, botStatsHourly, hoursEnd(now), sql`hour`, sql`views >= 0`)
}

/** The oldest first, by their age alone: a cluster locks no rows over all its nodes. The condition is that of the index. */
async function forgetBatch(
  db: Database,
  table: PgTable,
  before: Date,
  age = sql`created_at`,
  condition = sql`true`,
): Promise<boolean> {
  const [batch] = await selectRows(
    db,
    { size: expression(sql`count(*)`, 'integer'), newest: expression(sql`max(age)`, 'text') },
    (list) => sql`
      SELECT ${list} FROM (
        SELECT ${age} AS age FROM ${table} WHERE ${age} < ${before.toISOString()}::timestamptz AND ${condition}
        ORDER BY ${age} LIMIT ${BATCH}
      ) AS old`,
  )
  if (!batch?.size) return false
  await transact(db, (tx) =>
    tx.execute(sql`DELETE FROM ${table} WHERE ${age} <= ${batch.newest}::timestamptz AND ${condition}`),
  )
  return batch.size === BATCH
}
