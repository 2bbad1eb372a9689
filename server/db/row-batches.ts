import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Transaction } from './client.ts'

/*
 * Batches of rows of a bot, bounded in number and in bytes. True while there are more. `bytes`: the stored size of a
 * row, as far as it can be large.
 */

const MAX_BATCH_BYTES = 16 * 1024 * 1024

export interface RowBatch {
  botId: string
  /** Maximum number of rows. */
  rows: number
}

/** Removes rows that a condition is true of. */
export function removeRows(
  tx: Transaction,
  table: PgTable,
  batch: RowBatch,
  condition = sql`true`,
  bytes = sql`0`,
): Promise<boolean> {
  return write(tx, sql`DELETE FROM ${table}`, table, batch, condition, bytes)
}

/** Changes rows in such a way that the condition is no longer true of them. */
export function changeRows(
  tx: Transaction,
  table: PgTable,
  batch: RowBatch,
  change: SQL,
  condition: SQL,
  bytes = sql`0`,
): Promise<boolean> {
  return write(tx, sql`UPDATE ${table} SET ${change}`, table, batch, condition, bytes)
}

async function write(
  tx: Transaction,
  statement: SQL,
  table: PgTable,
  { botId, rows }: RowBatch,
  condition: SQL,
  bytes: SQL,
): Promise<boolean> {
  const isOne = sql`bot_id = ${botId} AND ${condition}`
  const { rowCount } = await tx.execute(sql`
    ${statement} WHERE bot_id = ${botId} AND ctid = ANY(ARRAY(
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
