import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { BotGrant } from '../../server/access/index.ts'
import { writeTurn } from '../../server/chat/sessions/write-turn.ts'
import { detectCitus } from '../../server/db/citus/topology.ts'
import type { Database } from '../../server/db/client.ts'
import { MS_PER_HOUR } from '../../server/durations.ts'
import { newId } from '../../server/ids.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { countBlocks, rollUpBlocks } from '../../server/results/block-stats.ts'
import { rollUpBatch } from '../../server/results/stats-rollup.ts'
import fc from '../kit/fast-check.ts'
import { type App, connectTo, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { runs } from '../support/runs.ts'
import { isPooled } from '../support/server.ts'
import { firstStep } from '../support/steps.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Compares the statistics of inputs with a look at every result, under any concurrent change. */

const NOON = '2026-03-10T12:00:00.000Z'
const RESULTS = 120

let app: App
let site: Site
let reader: Database
beforeAll(async () => {
  app = await startApp()
  // One connection, so that what is read after BEGIN is of one moment.
  reader = connectTo(app.databaseUrl, { poolSize: 1 }).db
  await detectCitus(reader)
})
afterAll(async () => {
  await reader.$client.end()
  await app.stop()
})
beforeEach(async () => {
  app.clock.set(NOON)
  site = (await makeWorld(app)).here
})

const blocksOf = async (botId: string, query: Record<string, string> = {}) =>
  (await app.client.ok('getBlockStats', { as: site.guest, params: { botId }, query })).blocks

test('block statistics count visitors who answered, who are still there, and who left', async () => {
  const flow = bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] })
  const made = await publish(app, site, flow)
  const people = await Promise.all([0, 1, 2, 3].map(() => start(app, made)))
  const ids = people.map(({ sessionId }) => sessionId)
  for (const id of ids.slice(1)) await reply(app, id, 'one', 1)
  await reply(app, String(ids[3]), 'two', 2)
  expect(await blocksOf(made.id)).toEqual([
    { blockId: 'Start.0', shown: 4, answered: 3, left: 0 },
    { blockId: 'Start.1', shown: 3, answered: 1, left: 0 },
  ])
  expect(await blocksOf(made.id, { status: 'started' })).toEqual([
    { blockId: 'Start.0', shown: 2, answered: 2, left: 0 },
    { blockId: 'Start.1', shown: 2, answered: 0, left: 0 },
  ])
  const params = { botId: made.id, sessionId: String(ids[1]) }
  await app.client.ok('updateChat', { as: site.member, params, body: { isOver: true } })
  expect(await blocksOf(made.id)).toEqual([
    { blockId: 'Start.0', shown: 4, answered: 3, left: 0 },
    { blockId: 'Start.1', shown: 3, answered: 1, left: 1 },
  ])
  app.clock.advance(49 * MS_PER_HOUR)
  const left = [
    { blockId: 'Start.0', shown: 4, answered: 3, left: 1 },
    { blockId: 'Start.1', shown: 3, answered: 1, left: 2 },
  ]
  expect(await blocksOf(made.id)).toEqual(left)
  expect(await blocksOf(made.id, { createdAfter: '2026-03-11T00:00:00Z' })).toEqual([
    { blockId: 'Start.0', shown: 0, answered: 0, left: 0 },
    { blockId: 'Start.1', shown: 0, answered: 0, left: 0 },
  ])
  await app.client.ok('deleteResults', { as: site.member, params: { botId: made.id } })
  expect((await blocksOf(made.id)).map(({ shown }) => shown)).toEqual([0, 0])
})

/** A bot with a result for each hour of the last days, whose days are there to be counted. */
async function makeBot(): Promise<string> {
  const botId = newId(app.clock.now())
  await app.pool.query(
    `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
    VALUES ($1, $2, 'Bot', '6.1', 1, $3, $3)`,
    [botId, site.workspaceId, NOON],
  )
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, waiting_block_id, waits_until,
      created_at, updated_at)
    SELECT $1, 'result-' || n, '[]', n % 3 > 0, n % 7 = 0, n % 50 = 0, CASE WHEN n % 2 = 0 THEN 'block-' || n % 3 END,
      CASE WHEN n % 2 = 0 THEN at + interval '48 hours' END, at, at
    FROM (SELECT n, $3::timestamptz - n * interval '1 hour' AS at FROM generate_series(1, $2::int) n) AS made`,
    [botId, RESULTS, NOON],
  )
  await app.pool.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    SELECT $1, 'result-' || n, seq, 'block-' || (n + seq) % 3, 'a', $3
    FROM generate_series(1, $2::int) n, generate_series(0, 2) seq WHERE seq < n % 4`,
    [botId, RESULTS, NOON],
  )
  await app.pool.query(
    `INSERT INTO bot_stats_daily (bot_id, day, computed_epoch)
    SELECT $1, '2026-03-10'::date - n, 0 FROM generate_series(1, 6) n`,
    [botId],
  )
  return botId
}

/** As the background counts the results of the days of a bot anew. In order: two at once would be in a deadlock. */
const countDays = (botId: string) =>
  app.pool.query(
    `UPDATE bot_stats_daily d SET computed_epoch = d.epoch
    FROM (SELECT day FROM bot_stats_daily WHERE bot_id = $1 ORDER BY day FOR UPDATE) locked
    WHERE d.bot_id = $1 AND d.day = locked.day`,
    [botId],
  )

/** A turn of a chat, written as the service writes it. */
async function step(botId: string, n: number, answered: number, waiting: number | null) {
  const id = newId(new Date(NOON))
  const resultId = n > RESULTS ? id : `result-${n}`
  const state =
    waiting === null
      ? null
      : { frames: [{ botId, resultId }], waiting: { groupId: 'g', blockId: `block-${waiting}` } }
  const answers = Array.from({ length: answered }, () => ({ blockId: `block-${n % 3}`, content: 'a' }))
  const outcome = { state, answers, hasStarted: answered > 0, isCompleted: waiting === null }
  const made = firstStep({ id, botId }, { id: resultId, isNew: n > RESULTS }, outcome)
  await writeTurn(app.db, made, new Date(NOON))
}

interface Look {
  from: Date | null
  to: Date | null
  status: 'started' | 'completed' | null
  now: Date
}

/** The counts and the same by looking at every row, as they are at one moment; and how many days were kept. */
async function expectExact(botId: string, { from, to, status, now }: Look): Promise<number> {
  const query = (text: string, values: unknown[] = []) => reader.$client.query(text, values)
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  try {
    const bots = await query('SELECT results_floor_at AS floor FROM bots WHERE id = $1', [botId])
    const floor = bots.rows[0].floor as Date | null
    const grant = { bot: { id: botId, resultsFloorAt: floor } } as BotGrant
    const counted = await countBlocks(reader, grant, { from, to }, status, now)
    const { rows } = await query(
      `WITH result AS (
        SELECT * FROM results WHERE bot_id = $1 AND NOT is_archived
          AND ($2::timestamptz IS NULL OR created_at > $2) AND ($3::timestamptz IS NULL OR created_at >= $3)
          AND ($4::timestamptz IS NULL OR created_at < $4)
          AND ($5::text IS NULL OR (has_started AND is_completed = ($5 = 'completed')))
      ), event AS (
        SELECT block_id, true AS answered, false AS left FROM result_answers a
        WHERE bot_id = $1 AND EXISTS (SELECT FROM result WHERE id = a.result_id)
        UNION ALL
        SELECT waiting_block_id, false, waits_until <= $6 FROM result WHERE waiting_block_id IS NOT NULL
      )
      SELECT block_id, count(*)::int AS shown, (count(*) FILTER (WHERE answered))::int AS answered,
        (count(*) FILTER (WHERE "left"))::int AS left
      FROM event GROUP BY block_id`,
      [botId, floor, from, to, status, now],
    )
    expect({ from, to, status, now, blocks: Object.fromEntries(counted) }).toEqual({
      from,
      to,
      status,
      now,
      blocks: Object.fromEntries(rows.map(({ block_id, ...counts }) => [block_id, counts])),
    })
    const days = await query('SELECT 1 FROM bot_stats_daily WHERE bot_id = $1 AND blocks_epoch = epoch', [
      botId,
    ])
    return days.rows.length
  } finally {
    await query('ROLLBACK')
  }
}

test('counts are exact while chats continue, results are deleted, and days are counted by several processes', async () => {
  const moment = fc.integer({ min: 0, max: 130 * 60 }).map((age) => new Date(Date.parse(NOON) - age * 60_000))
  const number = fc.integer({ min: 1, max: RESULTS + 20 })
  const change = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('step' as const),
        n: number,
        answered: fc.nat(2),
        waiting: fc.option(fc.nat(2)),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), n: number }) },
  )
  const look = fc.record({
    from: fc.option(moment),
    to: fc.option(moment),
    status: fc.option(fc.constantFrom('started' as const, 'completed' as const)),
    now: fc.nat(120).map((hours) => new Date(Date.parse(NOON) + hours * MS_PER_HOUR)),
  })
  let kept = 0
  const property = fc.asyncProperty(
    fc.array(fc.array(change, { minLength: 8, maxLength: 15 }), { minLength: 3, maxLength: 3 }),
    fc.option(moment),
    fc.array(look, { minLength: 8, maxLength: 16 }),
    async (writers, floor, looks) => {
      const botId = await makeBot()
      await rollUpBlocks(app.db)
      let isDone = false
      const writing = writers.map(async (changes) => {
        for (const one of changes) {
          if (one.kind === 'step') await step(botId, one.n, one.answered, one.waiting)
          else {
            const query = { resultIds: `result-${one.n}` }
            await app.client.ok('deleteResults', { as: site.member, params: { botId }, query })
          }
        }
      })
      const written = Promise.all(writing).finally(() => {
        isDone = true
      })
      const counting = [0, 1].map(async () => {
        while (!isDone) {
          await countDays(botId)
          await rollUpBlocks(app.db)
        }
      })
      const reading = async () => {
        for (let at = 0; !isDone; at++) kept += await expectExact(botId, looks[at % looks.length] as Look)
      }
      await Promise.all([written, ...counting, reading()])
      for (const one of looks) kept += await expectExact(botId, one)
      await countDays(botId)
      await rollUpBlocks(app.db)
      for (const one of looks) kept += await expectExact(botId, one)
      if (!floor) return
      await app.pool.query('UPDATE bots SET results_floor_at = $2 WHERE id = $1', [botId, floor])
      await app.pool.query('INSERT INTO purges VALUES ($1, $2)', [botId, NOON])
      for (const one of looks) kept += await expectExact(botId, one)
      while (await purgeBatch(app.db, new Date(NOON)));
      for (const one of looks) kept += await expectExact(botId, one)
    },
  )
  await fc.assert(property, { numRuns: runs(4, 30), endOnFailure: true })
  // Otherwise there was nothing to see.
  expect(kept).toBeGreaterThan(50)
})

/** Has PostgreSQL end the statements that count answers of more than so many hours, as its time limit does. */
function endLongCounts(hours: number) {
  app.beforeStatement = async (text, values, send) => {
    const isRead = text.includes('bot_block_stats_daily') && text.includes('gap.begins')
    const numbers = values.filter((value) => typeof value === 'number')
    const isLong = text.includes('max(settle_at)') && Number(numbers[1]) - Number(numbers[0]) > hours
    if (isRead || isLong) await send('SELECT pg_cancel_backend(pg_backend_pid())')
  }
}

async function rollUp(botId: string) {
  await app.pool.query('UPDATE stats_rollups SET due_at = $2 WHERE bot_id = $1', [botId, app.clock.now()])
  while (await rollUpBatch(app.db, app.clock.now()));
  while (await rollUpBlocks(app.db));
}

test('the blocks of few results with many answers are counted in the background, in parts', async () => {
  const botId = await makeBot()
  await app.pool.query('DELETE FROM bot_stats_daily WHERE bot_id = $1', [botId])
  const grant = { bot: { id: botId, resultsFloorAt: null } } as BotGrant
  const count = () => countBlocks(app.db, grant, { from: null, to: null }, null, app.clock.now())
  const expected = await count()
  endLongCounts(2)
  try {
    await expect(count()).rejects.toMatchObject({ code: '57014' })
    await rollUp(botId)
  } finally {
    app.beforeStatement = undefined
  }
  const { rows } = await app.pool.query(
    'SELECT count(*)::int FROM bot_stats_daily WHERE bot_id = $1 AND blocks_epoch = epoch',
    [botId],
  )
  expect(rows[0].count).toBeGreaterThan(3)
  expect(await count()).toEqual(expected)
})

test('answers in linked bots that merge their results are not counted at blocks of the same id', async () => {
  const inner = await publish(
    app,
    site,
    bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] }),
  )
  const link = { type: 'Bot link', options: { botId: inner.id, mergeResults: true } }
  const made = await publish(app, site, bot({ Start: [ask('One'), link] }, { variables: ['One'] }))
  const [first, second] = await Promise.all([start(app, made), start(app, made)])
  for (const { sessionId } of [first, second]) await reply(app, sessionId, 'main', 1)
  await reply(app, first.sessionId, 'linked', 2)
  const expected = [{ blockId: 'Start.0', shown: 2, answered: 2, left: 0 }]
  expect(await blocksOf(made.id)).toEqual(expected)
  app.clock.advance(72 * MS_PER_HOUR)
  await app.pool.query(
    `INSERT INTO stats_rollups (bot_id, due_at, has_many_answers) VALUES ($1, 'epoch', true)`,
    [made.id],
  )
  await rollUp(made.id)
  expect(await blocksOf(made.id)).toEqual(expected)
})

// The time of a statement is the role's to limit behind a pooler, for all who use it.
const testTimeLimit = isPooled() ? test.skip : test
testTimeLimit('a bot whose blocks take too long to count has its days counted', async () => {
  const slow = await startApp({ databaseUrl: app.databaseUrl, database: { statementTimeout: 200 } })
  const { id: botId } = await publish(app, site, bot({ Start: [ask('One')] }, { variables: ['One'] }))
  const blocker = await app.pool.connect()
  try {
    await blocker.query('BEGIN; LOCK TABLE results')
    const answer = await slow.client.call('getBlockStats', { as: site.guest, params: { botId } })
    expect(answer.status).toBe(503)
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
    await slow.stop()
  }
  const { rows } = await app.pool.query('SELECT FROM stats_rollups WHERE bot_id = $1', [botId])
  expect(rows).toHaveLength(1)
})
