import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { type App, connectTo, startApp } from '../support/app.ts'
import { testWithTrigger, waitingForLocks } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Effects of the purge on the database beside the deletions; those are in flows/deletion. */

let app: App
let world: World
let site: Site
beforeAll(async () => {
  app = await startApp({ database: { lockTimeout: 30_000, statementTimeout: 30_000 } })
  world = await makeWorld(app)
  site = world.here
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

test('results that ids and the purge delete at once are deleted without a deadlock', async () => {
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

test('a deleted workspace is purged while results of a bot keep coming', async () => {
  const { here } = await makeWorld(app)
  const params = { workspaceId: here.workspaceId }
  await app.client.ok('deleteWorkspace', { as: here.admin, params })
  const isThere = async () =>
    (await app.pool.query('SELECT FROM workspaces WHERE id = $1', [here.workspaceId])).rowCount === 1
  for (let rounds = 0; await isThere(); rounds++) {
    expect(rounds).toBeLessThan(100)
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
      VALUES ($1, $2, '[]', true, $3, $3)`,
      [site.draft.id, `coming-${rounds}`, app.clock.now()],
    )
    await app.client.ok('deleteResults', asMember())
    await purgeBatch(app.db, app.clock.now())
  }
  while (await purgeBatch(app.db, app.clock.now()));
})

testWithTrigger('a bot that cannot be purged does not keep others', async () => {
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
  'a deleted bot and a deleted workspace that cannot be purged do not keep others',
  async () => {
    const [{ here: stuck }, { here: other }] = [await makeWorld(app), await makeWorld(app)]
    await app.pool.query(`UPDATE bots SET deleted_at = '2020-01-01' WHERE id = $1`, [site.draft.id])
    await app.pool.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
      CREATE TRIGGER fail BEFORE INSERT ON purges FOR EACH ROW
        WHEN (NEW.bot_id IN ('${site.draft.id}', '${stuck.draft.id}')) EXECUTE FUNCTION fail();
      CREATE TRIGGER fail BEFORE DELETE ON workspaces FOR EACH ROW
        WHEN (OLD.id = '${world.there.workspaceId}') EXECUTE FUNCTION fail()`)
    for (const { admin, workspaceId } of [stuck, world.there, other])
      await app.client.ok('deleteWorkspace', { as: admin, params: { workspaceId } })
    const count = async (from: string) =>
      (await app.pool.query(`SELECT count(*)::int FROM ${from}`)).rows[0].count
    let failures = 0
    for (let batches = 0, isMore = true; isMore; batches++) {
      expect(batches).toBeLessThan(200)
      isMore = await purgeBatch(app.db, app.clock.now()).catch(() => {
        // Each is tried once in an hour.
        expect(++failures).toBeLessThanOrEqual(3)
        return true
      })
    }
    expect(failures).toBe(3)
    expect(await count(`workspaces WHERE id = '${other.workspaceId}'`)).toBe(0)
    expect(await count(`bots WHERE workspace_id = '${stuck.workspaceId}'`)).toBe(1)
    expect(await count(`bots WHERE workspace_id = '${world.there.workspaceId}'`)).toBe(0)
    await app.pool.query('DROP FUNCTION fail CASCADE')
    await app.pool.query('UPDATE bots SET deleted_at = NULL WHERE id = $1', [site.draft.id])
  },
)

testWithTrigger('rows that take longer than a statement may are deleted in smaller batches', async () => {
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
})

test('deliveries of a bot are removed in batches, however many there are', async () => {
  const { there } = await makeWorld(app)
  await app.pool.query(
    `WITH added AS (
      INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at)
      SELECT $1, 'endpoint', 'subject', n, 'delivery-' || n, 'bot.updated', 2, $2 FROM generate_series(1, 2000) n RETURNING *
    )
    INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added`,
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

/** Deletes bots of their own with so many results each, and gives their ids. */
async function addDeletedBots(count: number, resultsOfEach: number): Promise<string[]> {
  const { rows } = await app.pool.query(
    `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at, deleted_at)
    SELECT 'deleted-' || gen_random_uuid(), $1, 'Deleted', '6.1', 1, $3, $3, $3 FROM generate_series(1, $2::int)
    RETURNING id`,
    [site.workspaceId, count, app.clock.now()],
  )
  const ids = rows.map(({ id }) => id)
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
    SELECT id, 'result-' || n, '[]', true, $2, $2 FROM unnest($1::text[]) id, generate_series(1, $3::int) n`,
    [ids, app.clock.now(), resultsOfEach],
  )
  await app.pool.query(`INSERT INTO purges (bot_id, requested_at) SELECT unnest($1::text[]), $2`, [
    ids,
    app.clock.now(),
  ])
  return ids
}

/** Purges until none of these bots has a result; returns in how many rounds. */
async function roundsFor(ids: string[], db = app.db): Promise<number> {
  for (let rounds = 0; ; rounds++) {
    const { rows } = await app.pool.query('SELECT FROM results WHERE bot_id = ANY($1) LIMIT 1', [ids])
    if (rows.length === 0) return rounds
    await purgeBatch(db, app.clock.now()).catch(() => {})
  }
}

testWithTrigger(
  'bots that are deleted beside a failing and a heavy one are purged in about as many rounds as alone',
  async () => {
    const bots = runs(6, 20)
    while (await purgeBatch(app.db, app.clock.now()));
    const alone = await roundsFor(await addDeletedBots(bots, 3_000))
    while (await purgeBatch(app.db, app.clock.now()));

    const [failing, heavy] = (await addDeletedBots(2, 300)) as [string, string]
    await app.pool.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
        IF OLD.bot_id = '${failing}' THEN RAISE EXCEPTION 'damaged'; END IF;
        PERFORM pg_sleep(0.01);
        RETURN OLD;
      END$$;
      CREATE TRIGGER fail BEFORE DELETE ON results FOR EACH ROW
      WHEN (OLD.bot_id IN ('${failing}', '${heavy}')) EXECUTE FUNCTION fail()`)
    const hurried = connectTo(app.databaseUrl, { statementTimeout: 1_000 })
    try {
      const beside = await roundsFor(await addDeletedBots(bots, 3_000), hurried.db)
      // The failing bot has one round, the heavy one no more than each of the others.
      expect(beside).toBeLessThanOrEqual(alone + 1 + Math.ceil(alone / bots))
      await roundsFor([heavy], hurried.db)
    } finally {
      await hurried.pool.end()
      await app.pool.query('DROP FUNCTION fail CASCADE')
    }
    while (await purgeBatch(app.db, app.clock.now()));
    const { rows } = await app.pool.query('SELECT FROM results WHERE bot_id = $1', [failing])
    expect(rows).toEqual([])
  },
)

test('a deleted bot with publications of many megabytes is purged in batches of bytes', async () => {
  const [id] = (await addDeletedBots(1, 0)) as [string]
  const bytes = 2 * 1024 * 1024
  await app.pool.query(
    `INSERT INTO bot_publications (bot_id, id, source_revision, version, groups, edges, variables, theme, settings,
      warnings, published_by, created_at)
    SELECT $1, 'publication-' || n, 1, '6.1', to_json(random.text), '[]', '[]', '{}', '{}', '[]', 'nobody', $2
    FROM generate_series(1, 24) n,
      (SELECT string_agg(md5(m::text), '') AS text FROM generate_series(1, $3::int / 32) m) AS random`,
    [id, app.clock.now(), bytes],
  )
  const left = async () => {
    const { rows } = await app.pool.query('SELECT FROM bot_publications WHERE bot_id = $1', [id])
    return rows.length
  }
  const later = new Date(app.clock.now().getTime() + 8 * 24 * 60 * 60 * 1000)
  const numbers: number[] = []
  while (await purgeBatch(app.db, later)) numbers.push(await left())
  expect(numbers.filter((number) => number > 0 && number < 24).length).toBeGreaterThanOrEqual(2)
  expect(await left()).toBe(0)
})

test('a result with more answers than a batch may remove is purged in parts', async () => {
  const [id] = (await addDeletedBots(1, 1)) as [string]
  await app.pool.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    SELECT $1, 'result-1', n, 'block', 'answer', $2 FROM generate_series(1, 45000) n`,
    [id, app.clock.now()],
  )
  const rounds = await roundsFor([id])
  expect(rounds).toBeGreaterThanOrEqual(3)
  const { rows } = await app.pool.query('SELECT FROM result_answers WHERE bot_id = $1', [id])
  expect(rows).toEqual([])
})

test('a deleted bot keeps draft and publications for the configured days, and is purged then', async () => {
  const { here } = await makeWorld(app)
  const id = here.published.id
  await app.client.ok('deleteBot', { as: here.admin, params: { botId: id } })
  const left = async () => {
    const found: Record<string, number> = {}
    for (const [table, column] of [
      ['bots', 'id'],
      ['bot_drafts', 'bot_id'],
      ['bot_publications', 'bot_id'],
      ['results', 'bot_id'],
    ]) {
      const { rows } = await app.pool.query(`SELECT FROM ${table} WHERE ${column} = $1`, [id])
      found[table as string] = rows.length
    }
    return found
  }
  const after = (days: number) => new Date(app.clock.now().getTime() + days * 24 * 60 * 60 * 1000)
  while (await purgeBatch(app.db, after(6)));
  expect(await left()).toMatchObject({ bots: 1, bot_drafts: 1, bot_publications: 1, results: 0 })
  while (await purgeBatch(app.db, after(29), 30));
  expect(await left()).toMatchObject({ bots: 1 })
  while (await purgeBatch(app.db, after(8)));
  expect(await left()).toEqual({ bots: 0, bot_drafts: 0, bot_publications: 0, results: 0 })
})

testWithTrigger('a deleted workspace that cannot be purged does not keep others', async () => {
  const worlds = [await makeWorld(app), await makeWorld(app), await makeWorld(app)]
  const ids = worlds.map(({ here }) => here.workspaceId)
  for (const { here } of worlds)
    await app.client.ok('deleteWorkspace', { as: here.admin, params: { workspaceId: here.workspaceId } })
  await app.pool.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
    CREATE TRIGGER fail BEFORE DELETE ON workspaces FOR EACH ROW
    WHEN (OLD.id = '${ids[0]}') EXECUTE FUNCTION fail()`)
  const left = async () => {
    const { rows } = await app.pool.query('SELECT id FROM workspaces WHERE id = ANY($1)', [ids])
    return rows
  }
  for (let round = 0; (await left()).length > 1; round++) {
    expect(round).toBeLessThan(100)
    await purgeBatch(app.db, app.clock.now()).catch(() => {})
  }
  expect(await left()).toEqual([{ id: ids[0] }])
  await app.pool.query('DROP FUNCTION fail CASCADE')
  // This process comes back to it in an hour.
  const other = connectTo(app.databaseUrl, {})
  while (await purgeBatch(other.db, app.clock.now()));
  await other.pool.end()
  expect(await left()).toEqual([])
})
