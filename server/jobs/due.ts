import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { isOfRows } from '../db/errors.ts'
import { memoizeOn } from '../db/interned-rows.ts'
import { BATCH_DIVISOR, createPassedOver } from '../db/passed-over.ts'
import { expression, selectRows } from '../db/typed-select.ts'

/*
 * Rows that are due for removal, the oldest first. A batch is bounded in rows and in bytes, and a row that fails is
 * passed over for a while.
 */

const MAX_BATCH_ROWS = 2_000
const MAX_BATCH_BYTES = 16 * 1024 * 1024

/** Rows of a table. `name` identifies the failures that a process remembers for it. */
export interface DueRows {
  name: string
  table: PgTable
  /** The primary key. On a cluster its first column determines the node. */
  keys: readonly PgColumn[]
  age: PgColumn
  /** A further condition on the row. */
  condition?: SQL
  /** The stored size of a row, as far as it can be large; null counts as 0. */
  bytes?: SQL
  /** Rows of one batch, where that is less than usual. */
  maxRows?: number
}

/** The values of the primary key, as texts. */
export type Key = readonly string[]

interface State {
  limit: number
  passedOver: ReturnType<typeof createPassedOver<Key>>
  failure: unknown
}

/**
 * Removes one batch of rows that were due before a time; true while there may be more. Throws the failures after the
 * other rows are removed. `remove` deletes by the keys by default.
 */
export async function removeDue(
  db: Database,
  due: DueRows,
  before: Date,
  remove = (tx: Transaction, keys: readonly Key[]) => removeByKeys(tx, due.table, due.keys, keys),
): Promise<boolean> {
  const { maxRows = MAX_BATCH_ROWS } = due
  const state = memoizeOn<State>(db, `due ${due.name}`, () => ({
    limit: maxRows,
    passedOver: createPassedOver(),
    failure: undefined,
  }))
  const found = await findDue(db, due, before, state)
  const batch = withinBytes(found)
  try {
    if (batch.length > 0) await transact(db, (tx) => remove(tx, batch))
  } catch (error) {
    if (!isOfRows(error)) throw error
    if (batch.length > 1) state.limit = Math.ceil(batch.length / BATCH_DIVISOR)
    else state.passedOver.add(batch[0] as Key)
    state.failure = error
    return true
  }
  const isMoreLeft = batch.length < found.length || found.length === state.limit
  state.limit = Math.min(BATCH_DIVISOR * state.limit, maxRows)
  if (isMoreLeft) return true
  const { failure } = state
  state.failure = undefined
  if (failure && state.passedOver.keys().length > 0) throw failure
  return false
}

async function findDue(
  db: Database,
  { table, keys, age, condition, bytes }: DueRows,
  before: Date,
  state: State,
) {
  const failed = state.passedOver.keys()
  const isPassedOver = sql`EXISTS (SELECT FROM ${keysTable(keys, failed)} WHERE ${isListed(keys)})`
  const rows = await selectRows(
    db,
    {
      key: keyOf(keys),
      bytes: expression(sql`coalesce(${bytes ?? sql`0`}, 0)`, 'integer'),
    },
    (list) => sql`
      SELECT ${list} FROM ${table}
      WHERE ${age} < ${before.toISOString()}::timestamptz AND ${condition ?? sql`true`}
        AND ${failed.length === 0 ? sql`true` : sql`NOT ${isPassedOver}`}
      ORDER BY ${age} LIMIT ${state.limit}`,
  )
  return rows.map((row) => ({ key: JSON.parse(row.key) as Key, bytes: row.bytes }))
}

/** A primary key as JSON. */
const keyOf = (columns: readonly PgColumn[]) =>
  expression(
    sql`json_build_array(${sql.join(
      columns.map((column) => sql`${column}::text`),
      sql`, `,
    )})::text`,
    'text',
  )

function withinBytes(found: { key: Key; bytes: number }[]): Key[] {
  let sum = 0
  const keys: Key[] = []
  for (const { key, bytes } of found) {
    sum += bytes
    if (keys.length > 0 && sum > MAX_BATCH_BYTES) break
    keys.push(key)
  }
  return keys
}

/** Removes the rows of a table with these values in some columns. */
export async function removeByKeys(
  tx: Transaction,
  table: PgTable,
  columns: readonly PgColumn[],
  keys: readonly Key[],
): Promise<void> {
  const [first] = columns as [PgColumn]
  const firsts = sql`${sql.param(keys.map(([value]) => value))}::${sql.raw(first.getSQLType())}[]`
  await tx.execute(sql`
    DELETE FROM ${table} USING ${keysTable(columns, keys)} WHERE ${first} = ANY(${firsts}) AND ${isListed(columns)}`)
}

/** Keys as a table of texts, for `isListed`. */
export function keysTable(columns: readonly PgColumn[], keys: readonly Key[]): SQL {
  const lists = columns.map((_, at) => sql`${sql.param(keys.map((key) => key[at]))}::text[]`)
  const names = columns.map((_, at) => sql.raw(`k${at}`))
  return sql`unnest(${sql.join(lists, sql`, `)}) AS listed(${sql.join(names, sql`, `)})`
}

export function isListed(columns: readonly PgColumn[]): SQL {
  const same = columns.map(
    (column, at) => sql`${column} = listed.${sql.raw(`k${at}::${column.getSQLType()}`)}`,
  )
  return sql.join(same, sql` AND `)
}
