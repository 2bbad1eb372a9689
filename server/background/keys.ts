import { sql } from 'drizzle-orm'
import { type Database, transact } from '../db/client.ts'
import { botIdempotencyKeys, idempotencyKeys } from '../db/schema.ts'

const BATCH = 2_000

/** An hour more than the seven days that are promised, since clocks differ. */
const KEPT = (7 * 24 + 1) * 60 * 60 * 1000

/** Forgets one batch of idempotency keys, oldest first; true while there may be more that are old enough. */
export async function forgetKeys(db: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - KEPT).toISOString()
  let isFull = false
  for (const [table, names] of [
    [idempotencyKeys, sql.raw('user_id, key')],
    [botIdempotencyKeys, sql.raw('bot_id, user_id, key')],
  ] as const) {
    const { rowCount } = await transact(db, (tx) =>
      tx.execute(sql`
        WITH old AS MATERIALIZED (
          SELECT ${names} FROM ${table} WHERE created_at < ${before}::timestamptz
          ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM ${table} WHERE (${names}) IN (SELECT ${names} FROM old)`),
    )
    isFull ||= rowCount === BATCH
  }
  return isFull
}
