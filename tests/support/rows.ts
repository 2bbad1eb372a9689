import type { App } from './app.ts'
import { isPooled } from './server.ts'

/** Caches the statement for digests, so that the tables are listed once per pool. */
const digests = new WeakMap<App['pool'], string>()

/**
 * A digest of every row of every table, for proving that something wrote nothing. The day a token was last
 * used is left out: a rejected request counts as a use of its token.
 */
export async function digestOf({ pool }: Pick<App, 'pool'>): Promise<Map<string, string>> {
  let statement = digests.get(pool)
  if (!statement) {
    const { rows } = await pool.query(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    )
    statement = rows
      .map(({ tablename }) => {
        const row = tablename === 'api_tokens' ? "(to_jsonb(t) - 'last_used_on')::text" : 't::text'
        return `SELECT '${tablename}' AS name, md5(string_agg(${row}, '|' ORDER BY ${row})) AS digest FROM "${tablename}" t`
      })
      .join(' UNION ALL ')
      .concat(' ORDER BY name')
    digests.set(pool, statement)
  }
  // Under a name it is planned once, which takes longer than to run it.
  const { rows } = await pool.query({ text: statement, ...(isPooled() ? {} : { name: 'digest' }) })
  return new Map(rows.map(({ name, digest }) => [name, digest]))
}

interface Asked {
  query(statement: string): Promise<unknown>
}

const deletions = new WeakMap<Asked, string[]>()

/**
 * Removes every row that tests have written, so that the next digest is quick. Where a test has written little, a
 * deletion takes a tenth of the time of a truncation, which makes a new file for each table and index.
 */
export async function clear(client: Asked) {
  let statements = deletions.get(client)
  if (!statements) {
    // At the end those that others refer to.
    const { rows } = (await client.query(
      `SELECT relname AS tablename FROM pg_class
        WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
          AND relname NOT IN ('schema_lock', 'installation_keys')
        ORDER BY array_position(ARRAY['bots', 'folders', 'workspaces', 'users'], relname::text) NULLS FIRST`,
    )) as { rows: { tablename: string }[] }
    statements = rows.map(({ tablename }) => `DELETE FROM ${tablename}`)
    deletions.set(client, statements)
  }
  for (const text of together(statements)) await client.query(text)
}

/**
 * Statements without parameters as one text, which is on the way once. A cluster gets one by one: it does not change
 * copied tables together with others that it changes on all nodes.
 */
export function together(statements: string[]): string[] {
  return process.env.CITUS === '1' ? statements : [statements.join(';\n')]
}
