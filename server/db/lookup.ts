import DataLoader from 'dataloader'
import { type SQL, sql } from 'drizzle-orm'
import { type Database, prepareSql } from './client.ts'
import { isDistributed } from './distribution.ts'
import { type RowOf, type Shape, selection } from './selection.ts'

/** The most questions in one statement. */
const BATCH = 100

/** What questions are made of, by the type that PostgreSQL reads it as. */
interface Asked {
  text: string
  bytea: Buffer
  timestamptz: string
}

type QuestionOf<Types extends Record<string, keyof Asked>> = { [Key in keyof Types]: Asked[Types[Key]] }

/**
 * Prepares a statement that finds one row for a question, and asks the questions of all requests that come in
 * the same turn of the event loop at once: asking costs several times what finding does. Of a cluster each is asked
 * alone, since together they would go to several nodes. `statement` gets the table of the questions, named `asked`,
 * with a column for each of `types`, and the select list.
 */
export function prepareLookup<Types extends Record<string, keyof Asked>, S extends Shape>(
  db: Database,
  named: (name: string) => string,
  name: string,
  types: Types,
  shape: S,
  statement: (list: SQL, asked: SQL) => SQL,
): (question: QuestionOf<Types>) => Promise<RowOf<S> | undefined> {
  const columns = Object.entries<string>(types)
  const names = columns.map(([column]) => sql.identifier(column))
  const values = columns.map(
    ([column, type]) => sql`${sql.placeholder(column)}::${sql.raw(type)} AS ${sql.identifier(column)}`,
  )
  // The planner does not see how many there are: it would plan anew for every number of them.
  const lists = columns.map(([column, type]) => sql`(SELECT ${sql.placeholder(column)}::${sql.raw(type)}[])`)
  const comma = sql`, `
  const { list: own, read } = selection(shape)
  const list = sql`asked.place, ${own}`
  const one = prepareSql(
    db,
    named(name),
    statement(list, sql`(SELECT ${sql.join(values, comma)}, 1 AS place) AS asked`),
  )
  const several = prepareSql(
    db,
    named(`${name}_several`),
    statement(
      list,
      sql`unnest(${sql.join(lists, comma)}) WITH ORDINALITY AS asked (${sql.join(names, comma)}, place)`,
    ),
  )
  const loader = new DataLoader<QuestionOf<Types>, RowOf<S> | undefined>(
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
      const found: (RowOf<S> | undefined)[] = questions.map(() => undefined)
      for (const row of rows) found[Number(row.place) - 1] = read(row)
      return found
    },
    {
      cache: false,
      maxBatchSize: isDistributed(db) ? 1 : BATCH,
      batchScheduleFn: (ask) => setImmediate(ask),
    },
  )
  return (question) => loader.load(question)
}
