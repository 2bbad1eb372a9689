import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import type { SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { treatAsDistributed } from '../server/db/citus/topology.ts'
import { connect, renderSql, statementBuilders } from '../server/db/client.ts'
import { root } from '../server/root.ts'

/*
 * Each prepared statement as PostgreSQL gets it, in `__snapshots__`: a reviewer sees there what a change of its parts
 * makes of it. `make test ONLY="statements -u"` writes them anew.
 */

const server = fileURLToPath(new URL('server/', root))
for (const path of readdirSync(server, { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.ts')) continue
  if (/= statements\(/.test(readFileSync(join(server, path), 'utf8'))) await import(join(server, path))
}

/** Renders all statements for one server or for a cluster, by name. */
async function renderAll(isCluster: boolean): Promise<Map<string, string>> {
  const { db, pool } = connect({
    url: 'postgres://nobody@localhost:1/none',
    poolSize: 1,
    connectTimeout: 1,
    statementTimeout: 0,
    lockTimeout: 0,
    namedStatements: true,
    sessionSettings: false,
    onError: () => {},
  })
  if (isCluster) treatAsDistributed(db)
  const rendered = new Map<string, string>()
  const unrendered: string[] = []
  let name = ''
  const { sqlToQuery } = PgDialect.prototype
  PgDialect.prototype.sqlToQuery = function (statement: SQL, ...more) {
    const wanted = name
    name = ''
    if (wanted !== '') rendered.set(wanted, dedent(renderSql(statement).text))
    return sqlToQuery.call(this, statement, ...more)
  }
  try {
    for (const build of statementBuilders) {
      build(db, (given) => {
        if (name !== '') unrendered.push(name)
        name = given
        return given
      })
    }
  } finally {
    PgDialect.prototype.sqlToQuery = sqlToQuery
    await pool.end()
  }
  expect(unrendered).toEqual([])
  return rendered
}

/** Takes out empty lines, and indents lines by their depth in parentheses alone. */
function dedent(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const closing = /^[)]*/.exec(line)?.[0].length ?? 0
      const indented = '  '.repeat(Math.max(0, depth - closing)) + line
      for (const character of line) depth += character === '(' ? 1 : character === ')' ? -1 : 0
      return indented
    })
    .join('\n')
}

/** Statements for more bots differ from that for two in their number alone. */
const repeated = /^insert_(keyed_)?bots_[3-9]$/

const alone = await renderAll(false)
const onCluster = await renderAll(true)

test.each([...alone].filter(([name]) => !repeated.test(name)))('%s is sent as reviewed', (_, text) => {
  expect(text).toMatchSnapshot()
})

const different = [...onCluster].filter(([name, text]) => alone.get(name) !== text && !repeated.test(name))

test.each(different)('%s is sent to a cluster as reviewed', (_, text) => {
  expect(text).toMatchSnapshot()
})

test('no statement that updates rows on a cluster calls a function of the time as Citus refuses it', () => {
  const rejected = /clock_timestamp|(?:coalesce\(|CASE)[^;]*?(?:now|statement_timestamp)\(/
  const names = [...onCluster].filter(([, text]) => /^UPDATE/.test(text) && rejected.test(text))
  expect(names.map(([name]) => name)).toEqual([])
})
