import { type SQL, sql } from 'drizzle-orm'
import { createBatcher } from './batcher.ts'
import { topologyOf } from './citus/topology.ts'
import { type Database, prepareSql } from './client.ts'
import { genericPlanParam, type RowOf, type Shape, selection } from './typed-select.ts'

/** Maximum lookups in one statement. */
const MAX_BATCH_LOOKUPS = 100

/** Types of parameters in a lookup, by the name of the PostgreSQL type. */
interface ParameterTypes {
  text: string
  bytea: Buffer
  timestamptz: string
  integer: number
  float8: number
  boolean: boolean
}

type Types = Record<string, keyof ParameterTypes>

type LookupOf<T extends Types> = { [Key in keyof T]: ParameterTypes[T[Key]] }

/** A parameter for each column, and the name of a table of such columns. */
function columnsOf(db: Database, types: Types) {
  const columns = Object.entries(types)
  const comma = sql`, `
  const names = sql.join(
    columns.map(([column]) => sql.identifier(column)),
    comma,
  )
  // Subqueries hide the number of values from the planner, which would plan anew for every number.
  const lists = columns.map(([column, type]) => sql`(SELECT ${sql.placeholder(column)}::${sql.raw(type)}[])`)
  const values = columns.map(
    ([column, type]) => sql`${genericPlanParam(db, column, type)} AS ${sql.identifier(column)}`,
  )
  return {
    several: sql`unnest(${sql.join(lists, comma)}) WITH ORDINALITY AS batch (${names}, ordinal)`,
    one: sql`(SELECT ${sql.join(values, comma)}, 1 AS ordinal) AS batch`,
    /** The values of the parameters. */
    listsOf: (lookups: readonly Record<string, unknown>[]) =>
      Object.fromEntries(columns.map(([column]) => [column, lookups.map((lookup) => lookup[column])])),
  }
}

/**
 * Prepares a statement that finds, or writes, one row per lookup, and batches lookups of concurrent requests: a
 * round trip costs several times as much. On a cluster each lookup runs alone, since a batch would go to several
 * nodes. `statement` gets the table of the lookups, named `batch`, with a column for each of `types`, and the select
 * list.
 */
export function prepareBatchedQuery<T extends Types, S extends Shape>(
  db: Database,
  named: (name: string) => string,
  name: string,
  types: T,
  shape: S,
  statement: (list: SQL, batch: SQL) => SQL,
): (lookup: LookupOf<T>) => Promise<RowOf<S> | undefined> {
  const columns = columnsOf(db, types)
  const { list: own, read } = selection(shape)
  const list = sql`batch.ordinal, ${own}`
  const one = prepareSql(db, named(name), statement(list, columns.one))
  const several = prepareSql(db, named(`${name}_several`), statement(list, columns.several))
  const find = async (lookups: readonly LookupOf<T>[]) => {
    const [first] = lookups
    const { rows } =
      first !== undefined && lookups.length === 1 ? await one(first) : await several(columns.listsOf(lookups))
    const found: (RowOf<S> | undefined)[] = lookups.map(() => undefined)
    for (const row of rows) found[Number(row.ordinal) - 1] = read(row)
    return found
  }
  if (!topologyOf(db).canBatchBots) return async (lookup) => (await find([lookup]))[0]
  return createBatcher(
    MAX_BATCH_LOOKUPS,
    () => '',
    (lookups) => {
      const found = find(lookups)
      return lookups.map(async (_, at) => (await found)[at])
    },
  )
}

/**
 * Prepares a statement that writes several rows at once. `statement` gets their table, named `batch`, with a nullable
 * column for each of `types` and the column `ordinal`. It returns `ordinal` of the rows it wrote. Other placeholders
 * hold for all of them. The result is true for each row that was written.
 */
export function prepareBatchedWrite<T extends Types>(
  db: Database,
  name: string,
  types: T,
  statement: (batch: SQL) => SQL,
): (given: readonly Record<string, unknown>[], forAll: Record<string, unknown>) => Promise<boolean[]> {
  const columns = columnsOf(db, types)
  const run = prepareSql(db, name, statement(columns.several))
  return async (given, forAll) => {
    const { rows } = await run(Object.assign(columns.listsOf(given), forAll))
    const written = new Set(rows.map(({ ordinal }) => Number(ordinal)))
    return given.map((_, at) => written.has(at + 1))
  }
}
