import type { App } from './app.ts'

/**
 * A digest of every row of every table, for proving that something wrote nothing. The day a token was last
 * used is left out: a refused request counts as a use of its token.
 */
export async function digestOf({ pool }: Pick<App, 'pool'>): Promise<Map<string, string>> {
  const tables = await pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
  const digests = tables.rows.map(({ tablename }) => {
    const row = tablename === 'api_tokens' ? "(to_jsonb(t) - 'last_used_on')::text" : 't::text'
    return `SELECT '${tablename}' AS name, md5(string_agg(${row}, '|' ORDER BY ${row})) AS digest FROM "${tablename}" t`
  })
  const { rows } = await pool.query(digests.join(' UNION ALL '))
  return new Map(rows.map(({ name, digest }) => [name, digest]))
}

/**
 * Removes every row that tests have written, so that the next digest is quick. Where a test has written little, a
 * deletion takes a tenth of the time of a truncation, which makes a new file for each table and index.
 */
export async function clear(client: {
  query(statement: string): Promise<{ rows: { tablename: string }[] }>
}) {
  // At the end those that others refer to.
  const { rows } = await client.query(
    `SELECT relname AS tablename FROM pg_class
      WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
        AND relname NOT IN ('schema_lock', 'installation_keys')
      ORDER BY array_position(ARRAY['bots', 'folders', 'workspaces', 'users'], relname::text) NULLS FIRST`,
  )
  // One by one: a cluster does not change copied tables together with others that it changes on all nodes.
  for (const { tablename } of rows) await client.query(`DELETE FROM ${tablename}`)
}
