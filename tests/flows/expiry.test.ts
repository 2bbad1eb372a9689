import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Database } from '../../server/db/client.ts'
import { MS_PER_DAY } from '../../server/durations.ts'
import { forgetDeliveries, forgetKeys, forgetTokens, removeSessions } from '../../server/jobs/expiry.ts'
import { type App, connectTo, startApp } from '../support/app.ts'
import { testWithTrigger } from '../support/locks.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Jobs that remove the first rows that are due: bounds in bytes, rows that are heavy, rows that fail. */

const MEGABYTE = 1024 * 1024

let app: App
let site: Site
beforeAll(async () => {
  app = await startApp()
  site = (await makeWorld(app)).here
})
afterAll(() => app.stop())

const old = () => new Date(app.clock.now().getTime() - 60 * MS_PER_DAY)

interface Job {
  table: string
  /** The column that tells the rows apart. */
  column: string
  run: (db: Database, now: Date) => Promise<boolean>
  add: (count: number) => Promise<unknown>
}

const jobs: Record<string, Job> = {
  'keys of users': {
    table: 'idempotency_keys',
    column: 'key',
    run: forgetKeys,
    add: (count) =>
      app.pool.query(
        `INSERT INTO idempotency_keys (user_id, key, digest, status, created_at)
        SELECT 'user', 'row-' || n, '', 200, $2 FROM generate_series(1, $1::int) n`,
        [count, old()],
      ),
  },
  'keys of bots': {
    table: 'bot_idempotency_keys',
    column: 'key',
    run: forgetKeys,
    add: (count) =>
      app.pool.query(
        `INSERT INTO bot_idempotency_keys (bot_id, user_id, key, digest, status, created_at)
        SELECT 'bot', 'user', 'row-' || n, '', 200, $2 FROM generate_series(1, $1::int) n`,
        [count, old()],
      ),
  },
  deliveries: {
    table: 'webhook_deliveries',
    column: 'id',
    run: forgetDeliveries,
    add: (count) =>
      app.pool.query(
        `WITH added AS (
          INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at)
          SELECT 'bot', 'endpoint', 'subject', n, 'row-' || n, 'bot.updated', 2, $2 FROM generate_series(1, $1::int) n RETURNING *
        )
        INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added
        ON CONFLICT DO NOTHING`,
        [count, old()],
      ),
  },
  tokens: {
    table: 'api_tokens',
    column: 'id',
    run: forgetTokens,
    add: async (count) => {
      await app.pool.query(
        `INSERT INTO users (id, email, name, created_at, updated_at)
        VALUES ('owner', 'owner@example.com', '', now(), now()) ON CONFLICT DO NOTHING`,
      )
      return app.pool.query(
        `INSERT INTO api_tokens (id, token_hash, owner_user_id, name, hint, expires_at, created_at)
        SELECT 'row-' || n, sha256(n::text::bytea), 'owner', '', '', $2, $2 FROM generate_series(1, $1::int) n`,
        [count, old()],
      )
    },
  },
  'revoked tokens': {
    table: 'api_tokens',
    column: 'id',
    run: forgetTokens,
    add: async (count) => {
      await app.pool.query(
        `INSERT INTO users (id, email, name, created_at, updated_at)
        VALUES ('owner', 'owner@example.com', '', now(), now()) ON CONFLICT DO NOTHING`,
      )
      return app.pool.query(
        `INSERT INTO api_tokens (id, token_hash, owner_user_id, name, hint, revoked_at, created_at)
        SELECT 'row-' || n, sha256(n::text::bytea), 'owner', '', '', $2::timestamptz + n * interval '1 millisecond', $2 FROM generate_series(1, $1::int) n`,
        [count, old()],
      )
    },
  },
  sessions: {
    table: 'chat_sessions',
    column: 'id',
    run: removeSessions,
    add: (count) =>
      app.pool.query(
        `INSERT INTO chat_sessions (bot_id, id, revision, expires_at, created_at, updated_at)
        SELECT 'bot', 'row-' || n, 1, $2, $2, $2 FROM generate_series(1, $1::int) n`,
        [count, old()],
      ),
  },
}

describe.each(Object.entries(jobs))('expired %s', (_, { table, column, run, add }) => {
  const left = async (): Promise<string[]> => {
    const { rows } = await app.pool.query(
      `SELECT ${column} AS name FROM ${table} WHERE ${column} LIKE 'row-%'`,
    )
    return rows.map(({ name }) => name)
  }

  testWithTrigger('are deleted beside a failing one, in whole batches before and behind it', async () => {
    await add(10_000)
    await app.pool.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
      CREATE TRIGGER fail BEFORE DELETE ON ${table} FOR EACH ROW
      WHEN (OLD.${column} = 'row-1') EXECUTE FUNCTION fail()`)
    let rounds = 0
    try {
      const failure = async () => {
        while (await run(app.db, app.clock.now())) rounds++
      }
      await expect(failure()).rejects.toThrow()
      expect(await left()).toEqual(['row-1'])
      // Five batches alone; four to find the row, and four until batches are whole again.
      expect(rounds).toBeLessThanOrEqual(5 + 4 + 4 + 1)
      // It is not looked for again before an hour has passed.
      expect(await run(app.db, app.clock.now())).toBe(false)
    } finally {
      await app.pool.query('DROP FUNCTION fail CASCADE')
      await app.pool.query(`DELETE FROM ${table} WHERE ${column} LIKE 'row-%'`)
    }
  })

  testWithTrigger('are deleted in smaller batches where one takes longer than a statement may', async () => {
    await add(40)
    await app.pool.query(`
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN OLD; END';
      CREATE TRIGGER slow BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION slow()`)
    const hurried = connectTo(app.databaseUrl, { statementTimeout: 1_000 })
    try {
      while (await run(hurried.db, app.clock.now()));
      expect(await left()).toEqual([])
    } finally {
      await hurried.pool.end()
      await app.pool.query('DROP FUNCTION slow CASCADE')
    }
  })
})

test('large responses of keys are stored compressed apart, replayed byte for byte, and deleted by bytes', async () => {
  const theme = { general: { later: 'x'.repeat(MEGABYTE) } }
  const params = { botId: site.draft.id }
  await app.client.ok('updateBot', { as: site.admin, params, body: { bot: { version: '6.1', theme } } })
  // The document comes from the database: what the request has is not stored.
  const body = { bot: { version: '6.1' as const, name: 'Large' } }
  const request = { as: site.admin, params, body, headers: { 'Idempotency-Key': randomUUID() } }
  const first = await app.client.call('updateBot', request)
  const second = await app.client.call('updateBot', request)
  expect({ status: first.status, issues: first.body.issues }).toEqual({ status: 200 })
  expect(second.headers['idempotent-replayed']).toBe('true')
  expect(second.text).toBe(first.text)
  const { rows } = await app.pool.query(
    `SELECT k.body AS small, octet_length(r.body) AS large FROM bot_idempotency_keys k
    JOIN bot_idempotency_responses r USING (bot_id, user_id, key) WHERE k.bot_id = $1`,
    [site.draft.id],
  )
  expect(rows).toEqual([{ small: null, large: expect.any(Number) }])
  expect(rows[0].large).toBeLessThan(MEGABYTE / 10)

  // A batch has eight of these 24 incompressible responses of 2 MB.
  await app.pool.query(
    `INSERT INTO idempotency_keys (user_id, key, digest, status, created_at)
    SELECT 'user', 'large-' || n, '', 200, $1 FROM generate_series(1, 24) n`,
    [old()],
  )
  await app.pool.query(
    `INSERT INTO idempotency_responses (user_id, key, body)
    SELECT 'user', 'large-' || n, random.bytes FROM generate_series(1, 24) n,
      (SELECT decode(string_agg(md5(m::text), ''), 'hex') AS bytes FROM generate_series(1, $1::int / 16) m) AS random`,
    [2 * MEGABYTE],
  )
  const numbers: number[] = []
  do {
    const found = await app.pool.query(`SELECT FROM idempotency_responses WHERE key LIKE 'large-%'`)
    numbers.push(found.rows.length)
  } while (await forgetKeys(app.db, app.clock.now()))
  expect(numbers).toEqual([24, 16, 8])
  expect((await app.pool.query(`SELECT FROM idempotency_responses WHERE key LIKE 'large-%'`)).rows).toEqual(
    [],
  )
})
