import { sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Transaction } from '../db/client.ts'

const MAX_BATCH_BYTES = 16 * 1024 * 1024

/**
 * Removes rows of a bot, no more than a number of them and of bytes in them; true while there are more. `bytes`: the
 * stored size of a row, as far as it can be large.
 */
export async function removeRows(
  tx: Transaction,
  table: PgTable,
  { botId, rows }: { botId: string; rows: number },
  condition = sql`true`,
  bytes = sql`0`,
): Promise<boolean> {
  const isOne = sql`bot_id = ${botId} AND ${condition}`
  const { rowCount } = await tx.execute(sql`
    DELETE FROM ${table} WHERE bot_id = ${botId} AND ctid = ANY(ARRAY(
      SELECT row_place FROM (
        SELECT row_place, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) - bytes AS earlier
        FROM (SELECT ctid AS row_place, ${bytes} AS bytes FROM ${table} WHERE ${isOne} LIMIT ${rows}) AS first
      ) AS added WHERE earlier < ${MAX_BATCH_BYTES}))`)
  if (!rowCount) return false
  const left = await tx.execute(sql`SELECT FROM ${table} WHERE ${isOne} LIMIT 1`)
  return left.rowCount === 1
}

/** The stored size of some columns, computed without reading their values. */
export const sizeOf = (...columns: string[]) =>
  sql.raw(columns.map((column) => `coalesce(pg_column_size(${column}), 0)`).join(' + '))
