import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type Database, transact } from '../db/client.ts'
import { botIdempotencyKeys, idempotencyKeys, webhookDeliveries } from '../db/schema.ts'

const BATCH = 2_000
const DAY = 24 * 60 * 60 * 1000

/** An hour more than the seven days that are promised, since clocks differ. */
const KEYS_KEPT = 7 * DAY + DAY / 24
const DELIVERIES_KEPT = 30 * DAY

/** Forgets one batch of idempotency keys, oldest first; true while there may be more that are old enough. */
export async function forgetKeys(db: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - KEYS_KEPT)
  const isFull = await forgetBatch(db, idempotencyKeys, sql`user_id, key`, before)
  return (await forgetBatch(db, botIdempotencyKeys, sql`bot_id, user_id, key`, before)) || isFull
}

/** Forgets one batch of deliveries that are old enough, whatever came of them; true while there may be more. */
export function forgetDeliveries(db: Database, now: Date): Promise<boolean> {
  const key = sql`bot_id, endpoint_id, subject, seq`
  return forgetBatch(db, webhookDeliveries, key, new Date(now.getTime() - DELIVERIES_KEPT))
}

/** Rows that another process is forgetting are left to it. */
async function forgetBatch(db: Database, table: PgTable, key: SQL, before: Date): Promise<boolean> {
  const { rowCount } = await transact(db, (tx) =>
    tx.execute(sql`
      WITH old AS MATERIALIZED (
        SELECT ${key} FROM ${table} WHERE created_at < ${before.toISOString()}::timestamptz
        ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      )
      DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM old)`),
  )
  return rowCount === BATCH
}
