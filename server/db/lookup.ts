import DataLoader from 'dataloader'
import { type SQL, sql } from 'drizzle-orm'
import type { QueryResultRow } from 'pg'
import { type Database, prepareSql } from './client.ts'

/** The most questions in one statement. */
const BATCH = 100

/**
 * Prepares a statement that finds one row for a question, and asks the questions of all requests that come in
 * the same turn of the event loop at once: asking costs several times what finding does. `statement` gets the
 * table of the questions, named `asked`, with a column for each of `types` and one named `place`, which it
 * has to return. Rows are as pg gives them.
 */
export function prepareLookup<Question extends Record<string, unknown>, Row extends QueryResultRow>(
  db: Database,
  named: (name: string) => string,
  name: string,
  types: Record<keyof Question & string, 'text' | 'bytea' | 'timestamptz'>,
  statement: (asked: SQL) => SQL,
): (question: Question) => Promise<Row | undefined> {
  const columns = Object.entries<string>(types)
  const names = columns.map(([column]) => sql.identifier(column))
  const values = columns.map(
    ([column, type]) => sql`${sql.placeholder(column)}::${sql.raw(type)} AS ${sql.identifier(column)}`,
  )
  // The planner does not see how many there are: it would plan anew for every number of them.
  const lists = columns.map(([column, type]) => sql`(SELECT ${sql.placeholder(column)}::${sql.raw(type)}[])`)
  const comma = sql`, `
  // As pg gives a bigint and an integer.
  type Found = Row & { place: string | number }
  const one = prepareSql<Found>(
    db,
    named(name),
    statement(sql`(SELECT ${sql.join(values, comma)}, 1 AS place) AS asked`),
  )
  const several = prepareSql<Found>(
    db,
    named(`${name}_several`),
    statement(
      sql`unnest(${sql.join(lists, comma)}) WITH ORDINALITY AS asked (${sql.join(names, comma)}, place)`,
    ),
  )
  const loader = new DataLoader<Question, Row | undefined>(
    async (questions) => {
      const [first] = questions
      const { rows } =
        first !== undefined && questions.length === 1
          ? await one(first)
          : await several(
              Object.fromEntries(
                columns.map(([column]) => [column, questions.map((asked) => asked[column])]),
              ),
            )
      const found: (Row | undefined)[] = questions.map(() => undefined)
      for (const row of rows) found[Number(row.place) - 1] = row
      return found
    },
    { cache: false, maxBatchSize: BATCH, batchScheduleFn: (ask) => setImmediate(ask) },
  )
  return (question) => loader.load(question)
}
