import { type Column, type SQL, sql } from 'drizzle-orm'

/** The names and the values of columns, cast to their types, for an insertion that is written in SQL. */
export function listsOf(columns: Record<string, Column>, value: (name: string) => SQL) {
  const comma = sql`, `
  const entries = Object.entries(columns)
  return {
    names: sql.join(
      entries.map(([, column]) => sql.identifier(column.name)),
      comma,
    ),
    values: sql.join(
      entries.map(([name, column]) => sql`${value(name)}::${sql.raw(column.getSQLType())}`),
      comma,
    ),
  }
}

/**
 * Returns a function that adds the values of a row, as pg takes them, to an object. Keys are the names of properties
 * after a prefix.
 */
export function encoderOf(columns: Record<string, Column>, prefix = '') {
  const fields = Object.entries(columns).map(([name, column]) => ({ name, key: prefix + name, column }))
  return (row: Record<string, unknown>, values: Record<string, unknown>): Record<string, unknown> => {
    for (const { name, key, column } of fields) {
      const value = row[name]
      values[key] = value === null ? null : column.mapToDriverValue(value)
    }
    return values
  }
}
