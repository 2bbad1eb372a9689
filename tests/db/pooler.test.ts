import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { backUp, restore } from '../../server/db/backup/index.ts'
import { connect } from '../../server/db/client.ts'
import { limitsInPlace } from '../../server/db/limits.ts'
import { migrateDatabase } from '../../server/db/migrate.ts'
import { type App, startApp } from '../support/app.ts'
import { anyBody } from '../support/client.ts'
import { hasPooler, type Pooler, pooledVariables, startPooler } from '../support/pooler.ts'
import { endProcesses, startService } from '../support/process.ts'
import { createDatabase, serverUrl } from '../support/server.ts'
import { flow, makeWorld, type World } from '../support/world.ts'

/*
 * Behind PgBouncer in transaction mode, which gives each transaction another connection. `make test POOLER=1` runs
 * every test through one.
 */

const poolerDescribe = hasPooler ? describe : describe.skip

const limits = {
  statement_timeout: 4_000,
  lock_timeout: 300,
  idle_in_transaction_session_timeout: 10_000,
}

/** Runs statements in a database without the pooler. */
async function direct(url: string, ...statements: string[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const nameOf = (url: string) => new URL(url).pathname.slice(1)

afterEach(endProcesses)

poolerDescribe('behind PgBouncer (skipped where it is not installed)', () => {
  let pooler: Pooler

  beforeAll(async () => {
    // Fewer connections than requests, so that each transaction gets whichever is free.
    pooler = await startPooler(serverUrl(), 3)
  })
  afterAll(() => pooler.stop())

  /** Runs a test on a database with the limits. */
  async function pooled(
    milliseconds: Record<string, number>,
    run: (app: App, world: World) => Promise<void>,
  ) {
    const database = await createDatabase()
    await direct(
      database.url,
      ...Object.entries(milliseconds).map(
        ([name, value]) => `ALTER DATABASE ${nameOf(database.url)} SET ${name} = ${value}`,
      ),
    )
    const app = await startApp({
      databaseUrl: pooler.through(database.url),
      database: { namedStatements: false, sessionSettings: false },
    })
    try {
      await run(app, await makeWorld(app))
    } finally {
      await app.stop()
      await database.drop()
    }
  }

  // Without limits, since a busy machine makes waits for rows longer.
  test('concurrent reads and writes through a pooler work as without one', () =>
    pooled({}, async (app, { here }) => {
      const as = here.member
      const params = { botId: here.draft.id }
      const rounds = Array.from({ length: 12 }, async (_, number) => {
        const updated = await app.client.call('updateBot', {
          as,
          params,
          body: anyBody({ bot: { version: '6.1', ...flow, name: `name ${number}` } }),
        })
        const read = await app.client.call('getBot', { as, params })
        const create = () =>
          app.client.call('createFolder', {
            as,
            body: { workspaceId: here.workspaceId, folder: { name: `folder ${number}` } },
            headers: { 'idempotency-key': `key-${number}` },
          })
        const [created, again] = [await create(), await create()]
        const results = await app.client.call('listResults', { as, params: { botId: here.published.id } })
        const stats = await app.client.call('getStats', { as, params: { botId: here.published.id } })
        return [updated, read, created, again, results, stats].map(({ status }) => status)
      })
      const statuses = (await Promise.all(rounds)).flat()
      expect([...new Set(statuses)].sort()).toEqual([200, 201])
      const { rows } = await app.pool.query(
        "SELECT count(*)::int AS made FROM folders WHERE name LIKE 'folder %'",
      )
      expect(rows).toEqual([{ made: 12 }])
    }))

  test('every statement through a pooler has the timeouts of the role', () =>
    pooled(limits, async (app, { here }) => {
      const { rows } = await app.pool.query("SELECT current_setting('lock_timeout') AS lock_timeout")
      expect(rows).toEqual([{ lock_timeout: '300ms' }])
      expect(await limitsInPlace(app.db, settings)).toEqual([])
      const client = await app.pool.connect()
      try {
        await client.query('BEGIN')
        await client.query('SELECT id FROM bots WHERE id = $1 FOR UPDATE', [here.draft.id])
        const answer = await app.client.call('updateBot', {
          as: here.member,
          params: { botId: here.draft.id },
          body: anyBody({ bot: { version: '6.1', name: 'too late' } }),
        })
        expect(answer.status).toBe(503)
      } finally {
        await client.query('ROLLBACK')
        client.release()
      }
    }))

  test('migrations through a pooler leave none of their timeouts behind, and the service starts', async () => {
    const database = await createDatabase('nothing')
    const url = pooler.through(database.url)
    try {
      await direct(database.url, `ALTER DATABASE ${nameOf(url)} SET random_page_cost = 4`)
      await migrateDatabase(url)
      const { pool, db } = connect({ ...options, url })
      const ask = () => pool.query("SELECT current_setting('lock_timeout') AS value")
      const values = (await Promise.all(Array.from({ length: 20 }, ask))).map(({ rows }) => rows[0].value)
      expect(new Set(values)).toEqual(new Set(['0']))
      // The role has none either, and that is said.
      expect(await limitsInPlace(db, settings)).toEqual([
        ...Object.keys(limits).map((name) =>
          expect.stringMatching(new RegExp(`no ${name}, .* ALTER ROLE \\w+ SET ${name} = \\d+`)),
        ),
        expect.stringMatching(/random_page_cost = 4, .* ALTER ROLE \w+ SET random_page_cost = '1.1'/),
      ])
      await pool.end()
      const service = await startService({ DATABASE_URL: url, ...pooledVariables })
      const response = await fetch(`${service.url}/v1/workspaces`, {
        headers: { authorization: `Bearer ${service.token}` },
      })
      expect(response.status).toBe(200)
      service.signal('SIGTERM')
      expect((await service.ended).code).toBe(0)
    } finally {
      await database.drop()
    }
  })

  test('a backup through a pooler and its restore leave the timeouts of requests unchanged', async () => {
    const database = await createDatabase()
    const restored = await createDatabase('nothing')
    const folder = await mkdtemp(join(tmpdir(), 'bots-pooler-'))
    const all = [database.url, restored.url]
    try {
      for (const url of all)
        await direct(url, `ALTER DATABASE ${nameOf(url)} SET statement_timeout = ${limits.statement_timeout}`)
      const file = join(folder, 'backup.sql.gz')
      await backUp(pooler.through(database.url), file, () => {})
      await restore(pooler.through(restored.url), file, () => {})
      for (const url of all) {
        const { pool } = connect({ ...options, url: pooler.through(url) })
        const ask = () => pool.query("SELECT current_setting('statement_timeout') AS value")
        const values = (await Promise.all(Array.from({ length: 20 }, ask))).map(({ rows }) => rows[0].value)
        expect(new Set(values)).toEqual(new Set(['4s']))
        await pool.end()
      }
    } finally {
      await rm(folder, { recursive: true })
      await database.drop()
      await restored.drop()
    }
  })

  test('a backup waits for locks, whatever the timeouts of requests are', async () => {
    const database = await createDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'bots-pooler-'))
    const holder = new pg.Client({ connectionString: database.url })
    try {
      const set = Object.keys(limits).map(
        (name) => `ALTER DATABASE ${nameOf(database.url)} SET ${name} = 300`,
      )
      await direct(database.url, ...set)
      await holder.connect()
      await holder.query('SET idle_in_transaction_session_timeout = 0')
      await holder.query('BEGIN; LOCK TABLE webhook_endpoints IN ACCESS EXCLUSIVE MODE')
      const made = backUp(pooler.through(database.url), join(folder, 'backup.sql.gz'), () => {})
      const ended = Promise.allSettled([made])
      // Longer than any limit, so that it would have been given up.
      await Promise.race([ended, sleep(1_000)])
      await holder.query('COMMIT')
      expect((await made).rows).toHaveProperty('webhook_endpoints')
    } finally {
      await holder.end()
      await rm(folder, { recursive: true })
      await database.drop()
    }
  })
})

const settings = {
  DATABASE_SESSION_SETTINGS: false,
  DATABASE_STATEMENT_TIMEOUT: 5_000,
  DATABASE_LOCK_TIMEOUT: 2_000,
  DATABASE_POOL_SIZE: 10,
  WORKERS: 1,
}

const options = {
  url: '',
  poolSize: 8,
  connectTimeout: 60_000,
  statementTimeout: 60_000,
  lockTimeout: 60_000,
  namedStatements: false,
  sessionSettings: false,
  onError: () => {},
}

test('more connections than the database has are reported at the start', async () => {
  const { url, drop } = await createDatabase()
  const { db, pool } = connect({ ...options, url })
  try {
    const many = { ...settings, DATABASE_SESSION_SETTINGS: true, DATABASE_POOL_SIZE: 500, WORKERS: 2 }
    expect(await limitsInPlace(db, many)).toEqual([
      expect.stringMatching(
        /^DATABASE_POOL_SIZE and WORKERS ask for 1000 connections, of which .* has \d+: /,
      ),
    ])
    expect(await limitsInPlace(db, { ...many, DATABASE_POOL_SIZE: 5 })).toEqual([])
  } finally {
    await pool.end()
    await drop()
  }
})
