import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeBatch } from '../server/background/purge.ts'
import { type App, connectTo, startApp } from './support/app.ts'
import { testWithTrigger, waitingForLocks } from './support/locks.ts'
import { until } from './support/process.ts'
import { makeWorld, type Site } from './support/world.ts'

/* What the purge does to the database beside what it removes; that is in flows/deletion. */

let app: App
let site: Site
beforeAll(async () => {
  app = await startApp({ database: { lockTimeout: 30_000, statementTimeout: 30_000 } })
  site = (await makeWorld(app)).here
})
afterAll(() => app.stop())

/** Has each row that is removed from a table take a millisecond, until it is undone. */
async function slowDown(table: string) {
  await app.pool.query(`
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.001); RETURN OLD; END';
    CREATE TRIGGER slow BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION slow()`)
  return () => app.pool.query('DROP FUNCTION slow CASCADE')
}

async function addResults(count: number) {
  // Neither in the order of their ids nor in that of their times.
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
    SELECT $1, 'result-' || n, '[]', true, $3::timestamptz - n * interval '1 second', $3
    FROM (SELECT n FROM generate_series(1, $2::int) n ORDER BY md5(n::text)) AS made`,
    [site.draft.id, count, app.clock.now()],
  )
}

const asMember = () => ({ as: site.member, params: { botId: site.draft.id } })

test('results that are removed by their ids and by the purge are removed by both without a deadlock', async () => {
  await addResults(400)
  await app.client.ok('deleteResults', asMember())
  const holder = await app.pool.connect()
  const waiting = async (count: number) => (await waitingForLocks(app.pool)) === count
  try {
    await holder.query('BEGIN')
    await holder.query(`SELECT 1 FROM results WHERE bot_id = $1 AND id = 'result-200' FOR UPDATE`, [
      site.draft.id,
    ])
    const purged = purgeBatch(app.db, app.clock.now())
    await until('the purge waits', () => waiting(1))
    const ids = Array.from({ length: 400 }, (_, at) => `result-${at + 1}`).filter((id) => id !== 'result-200')
    const query = { resultIds: ids.join(',') }
    const removed = app.client.call('deleteResults', { ...asMember(), query })
    await until('the deletion waits', () => waiting(2))
    await holder.query('COMMIT')
    expect(await purged).toBe(true)
    expect((await removed).status).toBe(200)
  } finally {
    holder.release()
  }
  const deadlocks = app.logs.filter(({ err }) => (err as { code?: string } | undefined)?.code === '40P01')
  expect(deadlocks).toEqual([])
  const { rows } = await app.pool.query('SELECT count(*)::int AS left FROM results WHERE bot_id = $1', [
    site.draft.id,
  ])
  expect(rows).toEqual([{ left: 0 }])
})

test('a batch is small, and looked up once, however little is known about a table', async () => {
  await app.pool.query('ALTER TABLE results SET (autovacuum_enabled = false)')
  await addResults(20_000)
  await app.client.ok('deleteResults', asMember())
  app.statements.length = 0
  let batches = 0
  while (await purgeBatch(app.db, app.clock.now())) batches++
  expect(batches).toBeGreaterThanOrEqual(20_000 / 5_000)
  const removals = app.statements.filter((text) => /DELETE FROM "results"/.test(text))
  expect(removals.length).toBeGreaterThanOrEqual(20_000 / 5_000)
  // A limit inside of what removes is worked off again for every row, where the planner thinks there are few.
  for (const text of removals) expect(text).not.toMatch(/LIMIT/)
})

test('bots take turns, so that none waits for all of the results of another one', async () => {
  const bots = [site.draft.id, site.published.id]
  for (const id of bots) {
    await app.pool.query('DELETE FROM results WHERE bot_id = $1', [id])
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
      SELECT $1, 'result-' || n, '[]', true, $2, $2 FROM generate_series(1, 4001) n`,
      [id, app.clock.now()],
    )
    await app.client.ok('deleteResults', { as: site.member, params: { botId: id } })
  }
  const left = async () => {
    const { rows } = await app.pool.query(
      'SELECT bot_id, count(*)::int AS left FROM results WHERE bot_id = ANY($1) GROUP BY bot_id',
      [bots],
    )
    return bots.map((id) => rows.find((row) => row.bot_id === id)?.left ?? 0)
  }
  await purgeBatch(app.db, app.clock.now())
  await purgeBatch(app.db, app.clock.now())
  expect(await left()).toEqual([2_001, 2_001])
  while (await purgeBatch(app.db, app.clock.now()));
  expect(await left()).toEqual([0, 0])
})

testWithTrigger('a bot that cannot be removed keeps no other from it', async () => {
  const bots = [site.draft.id, site.published.id]
  for (const id of bots) {
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
      VALUES ($1, 'result', '[]', true, $2, $2)`,
      [id, app.clock.now()],
    )
    await app.client.ok('deleteResults', { as: site.member, params: { botId: id } })
  }
  await app.pool.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
    CREATE TRIGGER fail BEFORE DELETE ON results FOR EACH ROW
    WHEN (OLD.bot_id = '${bots[0]}') EXECUTE FUNCTION fail()`)
  const left = async () => {
    const asked = 'SELECT DISTINCT bot_id FROM results WHERE bot_id = ANY($1)'
    return (await app.pool.query(asked, [bots])).rows
  }
  for (let again = 0; again < 4; again++) await purgeBatch(app.db, app.clock.now()).catch(() => {})
  expect(await left()).toEqual([{ bot_id: bots[0] }])
  await app.pool.query('DROP FUNCTION fail CASCADE')
  while (await purgeBatch(app.db, app.clock.now()));
  expect(await left()).toEqual([])
})

testWithTrigger(
  'what takes longer than a statement may is removed all the same, in smaller batches',
  async () => {
    await addResults(2_000)
    await app.client.ok('deleteResults', asMember())
    const hurried = connectTo(app.databaseUrl, { statementTimeout: 1_000 })
    const undo = await slowDown('results')
    try {
      while (await purgeBatch(hurried.db, app.clock.now()));
      const { rows } = await app.pool.query('SELECT FROM results WHERE bot_id = $1', [site.draft.id])
      expect(rows).toHaveLength(0)
    } finally {
      await undo()
      await hurried.pool.end()
    }
  },
)

test('deliveries of a bot are removed in batches, however many there are', async () => {
  const { there } = await makeWorld(app)
  await app.pool.query(
    `INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, data, created_at)
    SELECT $1, 'endpoint', 'subject', n, 'delivery-' || n, 'bot.updated', '{}', $2 FROM generate_series(1, 2000) n`,
    [there.draft.id, app.clock.now()],
  )
  const params = { workspaceId: there.workspaceId }
  await app.client.ok('deleteWorkspace', { as: there.admin, params })
  const hurried = connectTo(app.databaseUrl, { statementTimeout: 1_000 })
  const undo = await slowDown('webhook_deliveries')
  try {
    while (await purgeBatch(hurried.db, app.clock.now()));
    const { rows } = await app.pool.query('SELECT FROM webhook_deliveries WHERE bot_id = $1', [
      there.draft.id,
    ])
    expect(rows).toHaveLength(0)
  } finally {
    await undo()
    await hurried.pool.end()
  }
})
