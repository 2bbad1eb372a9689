import { type SQL, sql } from 'drizzle-orm'
import { createBatcher } from './batcher.ts'
import { topologyOf } from './citus/topology.ts'
import { type Database, prepareSql } from './client.ts'
import { genericPlanParam, type RowOf, type Shape, selection } from './typed-select.ts'

/** The most questions in one statement. */
const MAX_BATCH_QUESTIONS = 100

/** Types of parameters in a question, by the name of the PostgreSQL type. */
interface ParameterTypes {
  text: string
  bytea: Buffer
  timestamptz: string
  integer: number
  float8: number
  boolean: boolean
}

type Types = Record<string, keyof ParameterTypes>

type QuestionOf<T extends Types> = { [Key in keyof T]: ParameterTypes[T[Key]] }

/** A parameter for each column, and what a table of such columns is named. */
function columnsOf(db: Database, types: Types) {
  const columns = Object.entries(types)
  const comma = sql`, `
  const names = sql.join(
    columns.map(([column]) => sql.identifier(column)),
    comma,
  )
  // The planner does not see how many there are: it would plan anew for every number of them.
  const lists = columns.map(([column, type]) => sql`(SELECT ${sql.placeholder(column)}::${sql.raw(type)}[])`)
  const values = columns.map(
    ([column, type]) => sql`${genericPlanParam(db, column, type)} AS ${sql.identifier(column)}`,
  )
  return {
    several: sql`unnest(${sql.join(lists, comma)}) WITH ORDINALITY AS batch (${names}, place)`,
    one: sql`(SELECT ${sql.join(values, comma)}, 1 AS place) AS batch`,
    /** The values of the parameters. */
    listsOf: (questions: readonly Record<string, unknown>[]) =>
      Object.fromEntries(columns.map(([column]) => [column, questions.map((question) => question[column])])),
  }
}

/**
 * Prepares a statement that finds, or writes, one row per question, and batches questions of concurrent requests: a
 * round trip costs several times the lookup. On a cluster each question runs alone, since a batch would go to several
 * nodes. `statement` gets the table of the questions, named `batch`, with a column for each of `types`, and the select
 * list.
 */
export function prepareBatchedQuery<T extends Types, S extends Shape>(
  db: Database,
  named: (name: string) => string,
  name: string,
  types: T,
  shape: S,
  statement: (list: SQL, batch: SQL) => SQL,
): (question: QuestionOf<T>) => Promise<RowOf<S> | undefined> {
  const columns = columnsOf(db, types)
  const { list: own, read } = selection(shape)
  const list = sql`batch.place, ${own}`
  const one = prepareSql(db, named(name), statement(list, columns.one))
  const several = prepareSql(db, named(`${name}_several`), statement(list, columns.several))
  const find = async (questions: readonly QuestionOf<T>[]) => {
    const [first] = questions
    const { rows } =
      first !== undefined && questions.length === 1
        ? await one(first)
        : await several(columns.listsOf(questions))
    const found: (RowOf<S> | undefined)[] = questions.map(() => undefined)
    for (const row of rows) found[Number(row.place) - 1] = read(row)
    return found
  }
  if (!topologyOf(db).canBatchBots) return async (question) => (await find([question]))[0]
  return createBatcher(
    MAX_BATCH_QUESTIONS,
    () => '',
    (questions) => {
      const found = find(questions)
      return questions.map(async (_, at) => (await found)[at])
    },
  )
}

/**
 * Prepares a statement that writes several rows at once. `statement` gets their table, named `batch`, with a nullable
 * column for each of `types` and the column `place`. It returns `place` of the rows it wrote. Other placeholders hold
 * for all of them. The result is true for each row that was written.
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
    const written = new Set(rows.map(({ place }) => Number(place)))
    return given.map((_, at) => written.has(at + 1))
  }
}
