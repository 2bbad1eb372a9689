import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { backUp, restore } from '../../server/db/backup/index.ts'
import { migrateDatabase, partition } from '../../server/db/migrate.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { endProcesses, run } from '../support/process.ts'
import { runs } from '../support/runs.ts'
import { createDatabase, isPooled, type TestDatabase } from '../support/server.ts'
import { makeWorld } from '../support/world.ts'

/*
 * A database or its role can carry other defaults than ours. Behind a pooler no connection can set its own, so the role
 * has to carry them there.
 */

const testDirect = isPooled() ? test.skip : test

/** Each is a list of settings that a whole database might have. */
const foreign: Record<string, Record<string, string>> = {
  'dates as SQL writes them, day first': { DateStyle: "'SQL, DMY'", TimeZone: "'Asia/Kathmandu'" },
  'dates as in Germany': { DateStyle: "'German'", TimeZone: "'America/St_Johns'" },
  'dates in words': { DateStyle: "'Postgres, MDY'", TimeZone: "'Pacific/Kiritimati'" },
  'serialisable transactions': {
    default_transaction_isolation: "'serializable'",
    default_transaction_deferrable: 'on',
  },
  'repeatable reads': { default_transaction_isolation: "'repeatable read'" },
  'another search path': { search_path: 'elsewhere, public' },
  'no search path': { search_path: "''" },
  'other forms of values': {
    IntervalStyle: "'sql_standard'",
    extra_float_digits: '-15',
    bytea_output: "'escape'",
    standard_conforming_strings: 'off',
    array_nulls: 'off',
    transform_null_equals: 'on',
    quote_all_identifiers: 'on',
    client_encoding: "'LATIN1'",
  },
}

/** `make test` tries several on one database, since each is likely to be noticed whatever else is set. */
const combined = {
  'dates as SQL writes them, serialisable transactions, another search path and other forms of values': {
    ...foreign['dates as SQL writes them, day first'],
    ...foreign['serialisable transactions'],
    ...foreign['another search path'],
    ...foreign['other forms of values'],
  },
  'dates as in Germany, repeatable reads and no search path': {
    ...foreign['dates as in Germany'],
    ...foreign['repeatable reads'],
    ...foreign['no search path'],
  },
}
const tried: typeof foreign = runs(combined, foreign)

const databases: TestDatabase[] = []
let folder: string
let timeouts: string[]

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function databaseWith(settings: Record<string, string>): Promise<string> {
  const database = await createDatabase('nothing')
  databases.push(database)
  const name = new URL(database.url).pathname.slice(1)
  await query(database.url, 'CREATE SCHEMA elsewhere')
  for (const [setting, value] of Object.entries(settings)) {
    await query(database.url, `ALTER DATABASE ${name} SET ${setting} = ${value}`)
  }
  return database.url
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bots-settings-'))
  const { url, drop } = await createDatabase('nothing')
  const rows = await query(
    url,
    `SELECT name FROM pg_settings WHERE name LIKE '%_timeout' AND context = 'user' AND name NOT LIKE 'wal_%'`,
  )
  timeouts = rows.map(({ name }) => String(name))
  await drop()
})
afterEach(endProcesses)
afterAll(async () => {
  for (const database of databases) await database.drop()
  await rm(folder, { recursive: true })
})

/** Every row of every table, read in the same way from every database. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(
      `SET search_path = public; SET DateStyle = 'ISO'; SET TimeZone = 'UTC'; SET bytea_output = 'hex';
       SET extra_float_digits = 1; SET client_encoding = 'UTF8'; SET quote_all_identifiers = off;
       SET idle_session_timeout = 0; SET statement_timeout = 0`,
    )
    const { rows } = await client.query(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
    )
    const content: Record<string, string[]> = {}
    for (const { name } of rows) {
      const found = await client.query(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`)
      content[name] = found.rows.map(({ row }) => row)
    }
    return content
  } finally {
    await client.end()
  }
}

/** Has the service write what has times, arrays, numbers and texts in it, and read them again. */
async function use(app: App) {
  const { here } = await makeWorld(app)
  const made = await publish(
    app,
    here,
    bot({ Start: [text('Name?'), ask('Name'), text('Thank you')] }, { variables: ['Name'] }),
  )
  // `\\` and `'` together show whether a backslash is one.
  await reply(app, (await start(app, made)).sessionId, "it\\'s — ünïcode")
  const as = here.admin
  const { workspaceId } = here
  const { workspace } = await app.client.ok('getWorkspace', { as, params: { workspaceId } })
  expect(workspace.createdAt).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(Math.abs(Date.parse(workspace.createdAt) - app.clock.now().getTime())).toBeLessThan(3_600_000)
  await app.client.ok('listTokens', { as })
  await app.client.ok('listBots', { as, query: { workspaceId } })
  const params = { botId: made.id }
  const { results } = await app.client.ok('listResults', { as, params })
  expect(results).toMatchObject([{ answers: [{ content: "it\\'s — ünïcode" }] }])
  expect((await app.client.ok('getStats', { as, params })).stats).toMatchObject({ totalStarts: 1 })
  const url = 'https://example.com/hook'
  const types = ['bot.created', 'result.completed'] as const
  const { webhookEndpoint } = await app.client.ok('createWebhookEndpoint', {
    as,
    params: { workspaceId },
    body: { url, types: [...types] },
  })
  expect(webhookEndpoint.types).toEqual(types)
}

/** Everything that is done to a database, on one with such settings; what it holds at the end, and a backup of it. */
async function runOn(settings: Record<string, string>, file: string): Promise<string> {
  const url = await databaseWith(settings)
  await migrateDatabase(url)
  const app = await startApp({ databaseUrl: url })
  try {
    await use(app)
  } finally {
    await app.stop()
  }
  // A day and a month that can be taken for each other, and fractions of all kinds.
  await query(
    url,
    `SET search_path = public; SET idle_session_timeout = 0;
     UPDATE users SET created_at = '2026-02-03T10:00:00.120Z', disabled_at = '2026-12-11T23:59:59.999Z'
     WHERE id = (SELECT min(id) FROM users)`,
  )
  const [user] = (await run('server/admin.ts', ['user', 'list'], { DATABASE_URL: url })).stdout.split('\n')
  expect(JSON.parse(user as string)).toMatchObject({
    createdAt: '2026-02-03T10:00:00.120Z',
    disabledAt: '2026-12-11T23:59:59.999Z',
  })
  await backUp(url, file, () => {})
  expect(await partition(url, () => {})).toHaveLength(5)
  const app2 = await startApp({ databaseUrl: url })
  await use(app2).finally(() => app2.stop())
  return url
}

describe('a database with other defaults', () => {
  testDirect.each(Object.keys(tried))(
    'with %s is migrated, served, backed up and partitioned as ours, and its backup has equal rows everywhere',
    async (name) => {
      const settings = tried[name] as Record<string, string>
      const file = join(folder, `${Object.keys(tried).indexOf(name)}.gz`)
      await runOn(settings, file)
      const ours = await databaseWith({})
      await restore(ours, file, () => {}, { isLive: true })
      const expected = await contentOf(ours)
      expect(expected.users?.some((row) => row.includes('2026-02-03 10:00:00.12+00'))).toBe(true)
      for (const other of runs(Object.values(combined), [settings, foreign['dates as in Germany'] ?? {}])) {
        const url = await databaseWith(other)
        await restore(url, file, () => {}, { isLive: true })
        expect(await contentOf(url)).toEqual(expected)
      }
    },
  )

  const testLong = runs(test.skip, testDirect)
  testLong('a backup of a database with other dates has equal rows in each of the others', async () => {
    const [dates = {}, ...others] = Object.values(foreign)
    const file = join(folder, 'dates.gz')
    await runOn(dates, file)
    const ours = await databaseWith({})
    await restore(ours, file, () => {}, { isLive: true })
    const expected = await contentOf(ours)
    for (const other of others) {
      const url = await databaseWith(other)
      await restore(url, file, () => {}, { isLive: true })
      expect(await contentOf(url)).toEqual(expected)
    }
  })

  testDirect('with every timeout at 50 ms is migrated, backed up, restored and partitioned', async () => {
    expect(timeouts).toEqual(expect.arrayContaining(['statement_timeout', 'idle_session_timeout']))
    // That of a socket is enforced by the system, on a connection that has nothing to wait for here.
    const settings = Object.fromEntries(timeouts.map((name) => [name, '50']))
    const url = await databaseWith(settings)
    await migrateDatabase(url)
    await query(
      url,
      `SET statement_timeout = 0; SET idle_session_timeout = 0; SET transaction_timeout = 0;
       INSERT INTO results (bot_id, id, created_at, updated_at, variables, has_started, is_completed)
       SELECT 'b', n::text, now(), now(), '[]', true, true FROM generate_series(1, 60000) n`,
    )
    const file = join(folder, 'limits.gz')
    expect((await backUp(url, file, () => {})).rows.results).toBe(60_000)
    const target = await databaseWith(settings)
    await restore(target, file, () => {})
    expect(await partition(target, () => {})).toHaveLength(5)
    const app = await startApp({ databaseUrl: target })
    await use(app).finally(() => app.stop())
    for (const words of [['migrate'], ['user', 'list']]) {
      expect(await run('server/admin.ts', words, { DATABASE_URL: target })).toMatchObject({ code: 0 })
    }
  })

  testDirect(
    'in which the role has a schema of its own name is migrated into the schema public',
    async () => {
      const database = await createDatabase('nothing')
      databases.push(database)
      const { username } = new URL(database.url)
      await query(database.url, `CREATE SCHEMA "${username}"`)
      await migrateDatabase(database.url)
      const app = await startApp({ databaseUrl: database.url })
      await use(app).finally(() => app.stop())
      const schemas = await query(
        database.url,
        `SELECT DISTINCT schemaname AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
      )
      expect(schemas.map(({ name }) => name)).toEqual(['drizzle', 'public'])
    },
  )
})
