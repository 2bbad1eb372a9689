import { type Column, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { Expression, type RowOf } from './typed-select.ts'

/*
 * Caches callers and the records of requests. Every request reads both from the database, and most get the same as
 * before.
 */

/** Maximum characters of cached records per group of columns. */
const MAX_INTERNED_CHARACTERS = 4 * 1024 * 1024

/**
 * Reads columns as one text and returns one frozen record for equal texts, since most requests get the same records as
 * before. `shown` replaces columns by expressions of the same type.
 */
export function createInternedRows<S extends Record<string, Column>>(
  columns: S,
  shown: { [Name in keyof S]?: SQL } = {},
): Expression<Readonly<RowOf<S>>> {
  const fields = Object.entries(columns).map(([key, column]) => ({ key, column, read: readerOf(column) }))
  const items = sql.join(
    fields.map(({ key, column }) => shown[key] ?? itemOf(column)),
    sql`, `,
  )
  const known = new LRUCache<string, object>({
    maxSize: MAX_INTERNED_CHARACTERS,
    sizeCalculation: (_, text) => text.length,
  })
  return new Expression(sql`json_build_array(${items})::text`, (text: string) => {
    const found = known.get(text)
    if (found) return found
    const values: unknown[] = JSON.parse(text)
    const record = Object.fromEntries(
      fields.map(({ key, read }, at) => [key, values[at] === null ? null : read(values[at])]),
    )
    known.set(text, Object.freeze(record))
    return record
  })
}

/** A column as an item of a JSON array. Types that JSON would write differently become strings. */
function itemOf(column: Column): SQL {
  const isJson = column.getSQLType() === 'json'
  if (column.dataType === 'custom' && !isJson)
    throw new Error(`JSON has nothing for the column ${column.name}`)
  return isJson || column.dataType === 'date' ? sql`${column}::text` : sql`${column}`
}

function readerOf(column: Column): (item: unknown) => unknown {
  if (column.dataType !== 'date') return (item) => column.mapFromDriverValue(item)
  const { TIMESTAMPTZ } = pg.types.builtins
  return (item) => pg.types.getTypeParser(TIMESTAMPTZ)(item as string)
}

const memos = new WeakMap<object, Map<string, unknown>>()

/** Memoizes `make` for a cached record, once per object and name. The name contains every other input of `make`. */
export function memoizeOn<Made>(record: object, name: string, make: () => Made): Made {
  const ofRecord = memos.get(record) ?? new Map<string, unknown>()
  memos.set(record, ofRecord)
  const found = ofRecord.get(name) ?? make()
  ofRecord.set(name, found)
  return found as Made
}
