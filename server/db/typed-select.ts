import { Column, type GetColumnData, is, type SQL, sql } from 'drizzle-orm'
import { JsonText } from '../kit/json/json-text.ts'
import { topologyOf } from './citus/topology.ts'
import { type Database, prepareSql } from './client.ts'

/*
 * Columns of statements that are written in SQL, defined once: select list and type of a row are derived from it. It
 * decodes values that pg returns in another form than the column's.
 */

/** Types that an expression can be cast to, with the type of the value in a row. */
interface Types {
  text: string
  integer: number
  float8: number
  boolean: boolean
  timestamptz: Date
  json: JsonText
  bytea: Buffer
}

/** A value of a row that is not a column as it is; made by `expression` and `optional`. */
export class Expression<Data> {
  readonly sql: SQL
  readonly decode: ((value: never) => unknown) | undefined
  declare readonly data: Data

  constructor(text: SQL, decode: ((value: never) => unknown) | undefined) {
    this.sql = text
    this.decode = decode
  }
}

type Source = Column | Expression<unknown>

/** Columns and expressions by the keys of a row; a group of them becomes an object of its own. */
export type Shape = Record<string, Source | Record<string, Source>>

type DataOf<S> = S extends Expression<infer Data> ? Data : S extends Column ? GetColumnData<S> : never

export type RowOf<S extends Shape> = {
  [Key in keyof S]: S[Key] extends Source
    ? DataOf<S[Key]>
    : { [Inner in keyof S[Key]]: DataOf<S[Key][Inner]> }
}

/** The value of an expression as PostgreSQL casts it. Wrap nullable ones in `optional`. */
export function expression<Type extends keyof Types>(text: SQL, type: Type): Expression<Types[Type]> {
  return new Expression(sql`(${text})::${sql.raw(type)}`, decoders[type])
}

/** A column of a table that is outer joined, or an expression, that may be null. */
export function optional<S extends Source>(source: S): Expression<DataOf<S> | null> {
  return is(source, Column)
    ? new Expression(textOf(source), decoderOf(source))
    : new Expression(source.sql, source.decode)
}

const toDate = (value: Date | string) => (typeof value === 'string' ? new Date(value) : value)

const decoders: Partial<Record<keyof Types, (value: never) => unknown>> = {
  json: (text: string) => new JsonText(text),
  timestamptz: toDate,
}

/** Returns the function that converts a value of pg to that of the column; undefined if they are the same. */
function decoderOf(column: Column): ((value: never) => unknown) | undefined {
  const isOther =
    column.dataType === 'custom' || column.dataType === 'date' || column.columnType === 'PgBigInt53'
  return isOther ? (value) => column.mapFromDriverValue(value) : undefined
}

/** Reads a date as text: pg would make a timestamp of it, in the time zone of the process. */
function textOf(column: Column): SQL {
  return column.columnType === 'PgDateString' ? sql`${column}::text` : sql`${column}`
}

interface Field {
  /** The name of the column in the statement. */
  name: string
  key: string
  text: SQL
  decode: ((value: never) => unknown) | undefined
}

function fieldOf(key: string, source: Source, group?: string): Field {
  const name = group === undefined ? key : `${group}.${key}`
  return is(source, Column)
    ? { name, key, text: textOf(source), decode: decoderOf(source) }
    : { name, key, text: source.sql, decode: source.decode }
}

function isSource(value: Shape[string]): value is Source {
  return is(value, Column) || value instanceof Expression
}

/** The select list of a shape, and the reader of its rows from pg. */
export function selection<S extends Shape>(shape: S): { list: SQL; read: (row: unknown) => RowOf<S> } {
  const plain: Field[] = []
  const groups: { name: string; fields: Field[] }[] = []
  for (const [key, value] of Object.entries(shape)) {
    if (isSource(value)) plain.push(fieldOf(key, value))
    else
      groups.push({
        name: key,
        fields: Object.entries(value).map(([inner, source]) => fieldOf(inner, source, key)),
      })
  }
  const fields = [...plain, ...groups.flatMap((group) => group.fields)]
  const decoded = fields.filter((field) => field.decode !== undefined)
  const list = sql.join(
    fields.map(({ text, name }) => sql`${text} AS ${sql.identifier(name)}`),
    sql`, `,
  )
  const read = (given: unknown) => {
    const row = given as Record<string, unknown>
    for (const { name, decode } of decoded) {
      if (row[name] !== null) row[name] = decode?.(row[name] as never)
    }
    if (groups.length === 0) return row as RowOf<S>
    const shaped: Record<string, unknown> = {}
    for (const { name } of plain) shaped[name] = row[name]
    for (const group of groups) {
      const inner: Record<string, unknown> = {}
      for (const { key, name } of group.fields) inner[key] = row[name]
      shaped[group.name] = inner
    }
    return shaped as RowOf<S>
  }
  return { list, read }
}

/**
 * A parameter whose value is hidden from the planner: for small values it would otherwise make a custom plan for every
 * read, which takes longer than the read. A cluster has to see the bot id to route the statement.
 */
export function genericPlanParam(db: Database, name: string, type: keyof Types | 'date'): SQL {
  const value = sql`${sql.placeholder(name)}::${sql.raw(type)}`
  return topologyOf(db).canHideParameters ? sql`(SELECT ${value})` : value
}

/** Prepares a statement that is written in SQL and reads rows, for `statements`; `statement` gets the select list. */
export function prepareSelect<S extends Shape>(
  db: Database,
  name: string,
  shape: S,
  statement: (list: SQL) => SQL,
): (values: Record<string, unknown>) => Promise<RowOf<S>[]> {
  const { list, read } = selection(shape)
  const run = prepareSql(db, name, statement(list))
  return async (values) => (await run(values)).rows.map(read)
}

/** Reads rows by a statement that is written in SQL; it gets the select list. */
export async function selectRows<S extends Shape>(
  db: Database,
  shape: S,
  statement: (list: SQL) => SQL,
): Promise<RowOf<S>[]> {
  const { list, read } = selection(shape)
  const { rows } = await db.execute(statement(list))
  return rows.map(read)
}
