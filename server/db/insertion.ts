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

/** The values of a row by the names of its properties, as pg takes them. */
export function encode(
  columns: Record<string, Column>,
  row: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => {
      const value = row[name]
      return [name, value === null ? null : column.mapToDriverValue(value)]
    }),
  )
}
