import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { getTableName, is, SQL } from 'drizzle-orm'
import { getTableConfig, type PgColumn, PgDialect, PgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { pino } from 'pino'
import { migrateDatabase } from '../../server/db/migrate.ts'
import * as schema from '../../server/db/schema.ts'
import { root } from '../../server/root.ts'
import { migrationsWith } from '../support/later-migrations.ts'
import { endProcesses, run, until } from '../support/process.ts'
import { createDatabase, type TestDatabase } from '../support/server.ts'

const tables = (Object.values(schema) as unknown[]).filter((value): value is PgTable => is(value, PgTable))
const journal = JSON.parse(readFileSync(new URL('migrations/meta/_journal.json', root), 'utf8'))

/** Made and used by the migrations themselves. */
const own = ['schema_lock']

const databases: TestDatabase[] = []
afterEach(endProcesses)
afterAll(async () => {
  for (const database of databases) await database.drop()
})

async function emptyDatabase(): Promise<string> {
  const database = await createDatabase('nothing')
  databases.push(database)
  return database.url
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('migrateDatabase rejects a database of another encoding than UTF8', async () => {
  const url = await emptyDatabase()
  await query(
    url,
    `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
  )
  try {
    const latin = new URL(url)
    latin.pathname = '/latin'
    await expect(migrateDatabase(latin.href)).rejects.toThrow(/has the encoding LATIN1.*ENCODING 'UTF8'/)
  } finally {
    await query(url, 'DROP DATABASE latin')
  }
})

const applied = 'SELECT hash FROM drizzle.__drizzle_migrations'

/** All that a database is made of, as text. */
async function structureOf(url: string) {
  const { columns, indexes, constraints } = catalogue
  return JSON.stringify([await query(url, columns), await query(url, indexes), await query(url, constraints)])
}

const catalogue = {
  columns: `
    SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
      a.attnotnull AS "notNull", pg_get_expr(d.adbin, d.adrelid) AS default
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2`,
  indexes: `
    SELECT c.relname AS table, i.relname AS name, x.indisprimary AS "isPrimary", x.indisunique AS "isUnique",
      ARRAY(
        SELECT replace(pg_get_indexdef(i.oid, n, true), '"', '')
          || CASE WHEN x.indoption[n - 1] & 1 = 1 THEN ' DESC' ELSE '' END
          || CASE WHEN x.indoption[n - 1] & 2 = 2 THEN ' NULLS FIRST' ELSE '' END
        FROM generate_series(1, x.indnatts) n) AS columns,
      translate(pg_get_expr(x.indpred, x.indrelid), '()', '') AS condition
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
    WHERE c.relnamespace = 'public'::regnamespace ORDER BY 1, 2`,
  constraints: `
    SELECT c.conrelid::regclass::text AS table, c.conname AS name, c.contype AS kind,
      pg_get_constraintdef(c.oid) AS definition
    FROM pg_constraint c WHERE c.connamespace = 'public'::regnamespace AND c.contype <> 'n' ORDER BY 1, 2`,
}

describe('migrating', () => {
  test('by five processes at once on an empty database succeeds in all, each migration once', async () => {
    const DATABASE_URL = await emptyDatabase()
    const ended = await Promise.all(
      Array.from({ length: 5 }, () => run('server/admin.ts', ['migrate'], { DATABASE_URL })),
    )
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array(5).fill({ code: 0, stderr: '' }),
    )
    expect(await query(DATABASE_URL, applied)).toHaveLength(journal.entries.length)
    expect(await structureOf(DATABASE_URL)).toBe(await structureOf(migrated))
  })

  test('by eight callers at once in one process succeeds in all', async () => {
    const url = await emptyDatabase()
    await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(url)))
    expect(await query(url, applied)).toHaveLength(journal.entries.length)
  })

  test('a second time changes nothing', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    await query(url, `INSERT INTO installation_keys (name, key) VALUES ('kept', 'x')`)
    const before = [await structureOf(url), await query(url, applied)]
    await migrateDatabase(url)
    expect([await structureOf(url), await query(url, applied)]).toEqual(before)
    expect(await query(url, 'SELECT name FROM installation_keys')).toEqual([{ name: 'kept' }])
  })

  test('is not aborted by timeouts that the role has for requests', async () => {
    const url = await emptyDatabase()
    const name = new URL(url).pathname.slice(1)
    for (const limit of ['lock_timeout', 'idle_in_transaction_session_timeout']) {
      await query(url, `ALTER DATABASE ${name} SET ${limit} = 1`)
    }
    await Promise.all([1, 2].map(() => migrateDatabase(url)))
    expect(await query(url, applied)).toHaveLength(journal.entries.length)
  })

  test('names the blocker: the migration of another process, or a lock', async () => {
    const lines: { msg: string; holders: { application: string; pid: number }[] }[] = []
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const DATABASE_URL = await emptyDatabase()
    await migrateDatabase(DATABASE_URL)
    const folder = await migrationsWith({ '0001_note': 'ALTER TABLE "results" ADD COLUMN "note" text;' })
    const other = new pg.Client({ connectionString: DATABASE_URL, application_name: 'other release' })
    other.on('error', () => {})
    await other.connect()
    await other.query('BEGIN; SELECT FROM schema_lock FOR UPDATE')
    const waiting = migrateDatabase(DATABASE_URL, { log, folder })
    await until('it says who migrates', async () => lines.length > 0)
    expect(lines[0]).toMatchObject({
      msg: 'the start waits for the migration of another process',
      holders: [{ application: 'other release' }],
    })
    await other.query('COMMIT; BEGIN; LOCK TABLE drizzle.__drizzle_migrations, results')
    await until('it says who has a lock', async () => lines.length > 1)
    expect(lines[1]).toMatchObject({
      msg: 'the migration waits for a lock of others',
      holders: [{ application: 'other release', state: 'idle in transaction' }],
    })
    await other.end()
    await waiting
    expect(JSON.stringify(lines)).not.toContain('LOCK TABLE')
  })

  test('waits for another process that holds the lock, even one that is killed', async () => {
    const url = await emptyDatabase()
    await query(url, 'CREATE TABLE schema_lock (id text PRIMARY KEY)')
    await query(url, `INSERT INTO schema_lock VALUES ('migrations')`)
    const holder = new pg.Client({ connectionString: url })
    holder.on('error', () => {})
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM schema_lock FOR UPDATE')
    const { rows } = await holder.query('SELECT pg_backend_pid() AS pid')
    const migrating = migrateDatabase(url)
    // In between it has no transaction: who builds an index waits for the end of each that was reading at one moment of
    // it.
    await until('it has looked for the lock', async () => {
      const text = `SELECT FROM pg_stat_activity
        WHERE state = 'idle' AND query = 'ROLLBACK' AND datname = current_database()`
      return (await query(url, text)).length > 0
    })
    expect(await query(url, `SELECT to_regclass('bots') AS bots`)).toEqual([{ bots: null }])
    await query(url, `SELECT pg_terminate_backend(${rows[0].pid})`)
    await migrating
    expect(await query(url, applied)).toHaveLength(journal.entries.length)
  })
})

describe('an index that is built while the service runs', () => {
  const later = () =>
    migrationsWith({
      '0001_results_by_time':
        'CREATE INDEX CONCURRENTLY IF NOT EXISTS "results_by_update" ON "results" USING btree ("updated_at");',
    })
  const shape = "SELECT pg_get_indexdef('results_by_update'::regclass) AS definition"
  const built = [{ definition: expect.stringContaining('(updated_at)') }]

  test('is built again after an interruption', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    await query(url, 'CREATE INDEX results_by_update ON results (bot_id)')
    await query(
      url,
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'results_by_update'::regclass`,
    )
    await migrateDatabase(url, { folder: await later() })
    expect(await query(url, shape)).toEqual(built)
  })

  test('waits for no session that waits for it: several processes start at once', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    const folder = await later()
    await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(url, { folder })))
    expect(await query(url, applied)).toHaveLength(journal.entries.length + 1)
    expect(await query(url, shape)).toEqual(built)
  })
})

test('a migration that waits for a request which waits for it starts again', async () => {
  const url = await emptyDatabase()
  await migrateDatabase(url)
  const folder = await migrationsWith({
    '0001_notes': `ALTER TABLE "bot_stats_daily" ADD COLUMN "note" text;--> statement-breakpoint
      ALTER TABLE "results" ADD COLUMN "note" text;`,
  })
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  try {
    await other.query('BEGIN; LOCK TABLE results IN ACCESS SHARE MODE')
    const migrating = migrateDatabase(url, { folder })
    const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'results'::regclass"
    await until('the migration waits', async () => (await query(url, waiting)).length > 0)
    await other.query('SELECT FROM bot_stats_daily')
    await other.query('COMMIT')
    await migrating
  } finally {
    await other.end()
  }
  expect(await query(url, applied)).toHaveLength(journal.entries.length + 1)
})

test('a database of a build before 1.0.0 is rejected, and stays unchanged', async () => {
  const url = await emptyDatabase()
  await migrateDatabase(url)
  await query(url, 'UPDATE drizzle.__drizzle_migrations SET created_at = 1')
  await expect(migrateDatabase(url)).rejects.toThrow('made by a build before 1.0.0')
  expect(await query(url, applied)).toHaveLength(journal.entries.length)
})

let migrated: string
beforeAll(async () => {
  migrated = await emptyDatabase()
  await migrateDatabase(migrated)
})

describe('the schema of migrations', () => {
  test('has the tables of schema.ts', async () => {
    const rows = await query(migrated, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
    const expected = [...tables.map(getTableName), ...own]
    expect(rows.map(({ tablename }) => tablename).sort()).toEqual(expected.sort())
  })

  const perTable = tables.map((table) => [getTableName(table), table] as const)

  test.each(perTable)('has the columns of %s', async (name, table) => {
    const rows = (await query(migrated, catalogue.columns)).filter((row) => row.table === name)
    const expected = getTableConfig(table).columns.map((column) => ({
      table: name,
      name: column.name,
      type: typeOf(column),
      notNull: column.notNull,
      default: defaultOf(column),
    }))
    expect(rows).toEqual(expected.sort((a, b) => (a.name < b.name ? -1 : 1)))
  })

  test.each(perTable)('has the keys and indexes of %s', async (name, table) => {
    const { columns, primaryKeys, indexes } = getTableConfig(table)
    const rows = (await query(migrated, catalogue.indexes)).filter((row) => row.table === name)
    const primary = columns.filter((column) => column.primary).map((column) => column.name)
    const keys = primaryKeys.map((key) => key.columns.map((column) => column.name))
    expect(rows.filter(({ isPrimary }) => isPrimary).map((row) => row.columns)).toEqual(
      primary.length > 0 ? [primary] : keys,
    )
    const expected = indexes.map(({ config }) => ({
      table: name,
      name: config.name as string,
      isPrimary: false,
      isUnique: config.unique,
      columns: (config.columns as (IndexedColumn | SQL)[]).map((column) => {
        if (column instanceof SQL) return dialect.sqlToQuery(column).sql.replaceAll(/"\w+"\.|"/g, '')
        const { name, indexConfig } = column
        return [
          name,
          indexConfig?.order === 'desc' && 'DESC',
          indexConfig?.nulls === 'first' && 'NULLS FIRST',
        ]
          .filter(Boolean)
          .join(' ')
      }),
      condition: config.where ? dialect.sqlToQuery(config.where).sql.replaceAll(/[()]/g, '') : null,
    }))
    const found = rows
      .filter(({ isPrimary }) => !isPrimary)
      .map((row) => ({
        ...row,
        columns: (row.columns as string[]).map((column) => column.replaceAll('::text', '')),
      }))
    expect(found).toEqual(expected.sort((a, b) => (a.name < b.name ? -1 : 1)))
  })

  test.each(perTable)('has the foreign keys of %s, and no other constraints', async (name, table) => {
    const rows = (await query(migrated, catalogue.constraints)).filter((row) => row.table === name)
    const expected = getTableConfig(table).foreignKeys.map((key) => {
      const { columns, foreignColumns, foreignTable } = key.reference()
      const names = (list: PgColumn[]) => list.map((column) => column.name).join(', ')
      const onDelete = key.onDelete === 'cascade' ? ' ON DELETE CASCADE' : ''
      return `FOREIGN KEY (${names(columns)}) REFERENCES ${getTableName(foreignTable)}(${names(foreignColumns)})${onDelete}`
    })
    const others = rows.filter(({ kind }) => kind !== 'p')
    expect(others.map(({ definition }) => definition).sort()).toEqual(expected.sort())
  })
})

type IndexedColumn = PgColumn & { indexConfig?: { order?: 'asc' | 'desc'; nulls?: 'first' | 'last' } }

const dialect = new PgDialect()

/** The type as PostgreSQL names it. */
function typeOf(column: PgColumn): string {
  return column.getSQLType().replace('timestamp (3) with time zone', 'timestamp(3) with time zone')
}

function defaultOf(column: PgColumn): string | null {
  if (column.default === undefined) return null
  return typeof column.default === 'string' ? `'${column.default}'::text` : String(column.default)
}

describe('tables that can be distributed by bot', () => {
  const catalogueTables = [
    schema.users,
    schema.workspaces,
    schema.workspaceMembers,
    schema.folders,
    schema.browserSessions,
    schema.signInLinks,
    schema.invitations,
    schema.deviceLogins,
    schema.apiTokens,
    schema.credentials,
    schema.idempotencyResponses,
    schema.publicIds,
    schema.customDomains,
    schema.installationKeys,
    schema.idempotencyKeys,
    schema.webhookEndpoints,
  ].map((table): string => getTableName(table))
  const keyOf = (name: string) => (name === 'bots' ? 'id' : 'bot_id')
  // The log grows with what is done in a workspace, and is spread by that. Accounts of sheets are of a workspace, too.
  const beside = [
    ...catalogueTables,
    ...[schema.auditLog, schema.sheetAccounts].map((table): string => getTableName(table)),
  ]
  const botTables = tables.map(getTableName).filter((name) => !beside.includes(name))

  test.each(botTables)('%s has its distribution column first in every key', async (name) => {
    const rows = (await query(migrated, catalogue.indexes)).filter((row) => row.table === name)
    const unique = rows.filter(({ isUnique }) => isUnique)
    expect(unique).not.toHaveLength(0)
    for (const { columns } of unique) expect((columns as string[])[0]).toBe(keyOf(name))
  })

  test('no foreign key leads to a bot table', async () => {
    const rows = await query(migrated, catalogue.constraints)
    const targets = rows
      .filter(({ kind }) => kind === 'f')
      .map(({ definition }) => /REFERENCES (\w+)/.exec(String(definition))?.[1])
    expect(targets.filter((target) => botTables.includes(String(target)))).toEqual([])
  })

  test('no time, sequence, trigger or procedure is made by the database', async () => {
    const defaults = (await query(migrated, catalogue.columns)).filter(({ default: value }) => value !== null)
    for (const { default: value } of defaults) expect(value).toMatch(/^(true|false|'\w*'::text|\d+)$/)
    const made = await query(
      migrated,
      `SELECT 'sequence' AS kind FROM pg_sequences WHERE schemaname = 'public'
       UNION ALL SELECT 'trigger' FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT 'procedure' FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       UNION ALL SELECT 'extension' FROM pg_extension WHERE extname <> 'plpgsql'`,
    )
    expect(made).toEqual([])
  })
})
