import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { timeFilters } from '../contract/shared.ts'
import type { BotGrant } from '../server/access/index.ts'
import { purgeBatch } from '../server/background/purge.ts'
import { saveStep } from '../server/chat/saving.ts'
import type { Database } from '../server/db/client.ts'
import { isDistributed, treatAsDistributed } from '../server/db/distribution.ts'
import { newId } from '../server/ids.ts'
import { countResults, MANY, rollUpBatch } from '../server/results/stats-rollup.ts'
import { type TimeRange, timeRange } from '../server/results/time-range.ts'
import { type App, connectTo, startApp } from './support/app.ts'
import { waitingForLocks } from './support/locks.ts'
import { until } from './support/process.ts'
import { runs } from './support/runs.ts'
import { isPooled } from './support/server.ts'
import { firstStep } from './support/steps.ts'
import { makeWorld, type Site } from './support/world.ts'

/* Days that are counted in the background, against counting every row, whatever happens beside it. */

const NOON = '2026-03-10T12:00:00.000Z'
const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
/** Enough for a bot to be counted by day; one result each 40 seconds, back to the beginning of March. */
const RESULTS = MANY + 500

let app: App
let site: Site
const pools: { end(): Promise<void> }[] = []
beforeAll(async () => {
  app = await startApp({
    database: { connectTimeout: 30_000, lockTimeout: 30_000, statementTimeout: 30_000 },
  })
  site = (await makeWorld(app)).here
})
afterEach(() => {
  app.beforeStatement = undefined
  app.clock.set(NOON)
})
afterAll(async () => {
  for (const pool of pools) await pool.end()
  await app.stop()
})

/** One connection of its own, as another process has it. */
function connectAgain(): Database {
  const { db, pool } = connectTo(app.databaseUrl, { poolSize: 1 })
  if (isDistributed(app.db)) treatAsDistributed(db)
  pools.push(pool)
  return db
}

async function makeBot(results: number): Promise<string> {
  const botId = newId(app.clock.now())
  await app.pool.query(
    `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
    VALUES ($1, $2, 'Bot', '6.1', 1, $3, $3)`,
    [botId, site.workspaceId, NOON],
  )
  await addResults(botId, 1, results)
  return botId
}

async function addResults(botId: string, first: number, last: number) {
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, 'result-' || n, '[]', n % 3 > 0, n % 7 = 0, n % 100 = 0, at, at
    FROM (SELECT n, $4::timestamptz - n * interval '40 seconds' AS at FROM generate_series($2::int, $3) n) AS made`,
    [botId, first, last, NOON],
  )
}

/** Reads what there is of a bot, whose number of results is noted then. */
const readAll = (botId: string) => app.client.ok('getStats', { as: site.member, params: { botId } })

/** Has the background look at a bot, and at all others that are due. */
async function rollUp(botId: string, moment = NOON, db = app.db) {
  const now = new Date(moment)
  await app.pool.query('UPDATE stats_rollups SET due_at = $2 WHERE bot_id = $1', [botId, now])
  while (await rollUpBatch(db, now));
}

/** A bot with many results, of which all closed days are counted. */
async function makeCountedBot(): Promise<string> {
  const botId = await makeBot(RESULTS)
  await readAll(botId)
  await rollUp(botId)
  return botId
}

interface Kept {
  day: string
  epoch: number
  isGood: boolean
}

async function keptDays(botId: string): Promise<Kept[]> {
  const { rows } = await app.pool.query(
    `SELECT day::text, epoch::int, computed_epoch IS NOT DISTINCT FROM epoch AS "isGood"
    FROM bot_stats_daily WHERE bot_id = $1 ORDER BY day`,
    [botId],
  )
  return rows
}

const badDays = async (botId: string) =>
  (await keptDays(botId)).filter(({ isGood }) => !isGood).map(({ day }) => day)

/** Statistics and the same by looking at every row, as they are at one moment. */
async function compareAtOnce(db: Database, botId: string, range: TimeRange) {
  // A pool of one connection, so that all of it is in the transaction.
  const query = (text: string, values: unknown[] = []) => db.$client.query(text, values)
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  try {
    const floor = (await query('SELECT results_floor_at FROM bots WHERE id = $1', [botId])).rows[0]
      .results_floor_at as Date | null
    const grant = { bot: { id: botId, resultsFloorAt: floor } } as BotGrant
    const stats = await countResults(db, grant, range, new Date(NOON))
    const { rows } = await query(
      `SELECT count(*)::int AS "totalViews", (count(*) FILTER (WHERE has_started))::int AS "totalStarts",
        (count(*) FILTER (WHERE has_started AND is_completed))::int AS "totalCompleted"
      FROM (SELECT * FROM results WHERE bot_id = $1 AND NOT is_archived OFFSET 0) AS result
      WHERE ($2::timestamptz IS NULL OR created_at > $2) AND ($3::timestamptz IS NULL OR created_at >= $3)
        AND ($4::timestamptz IS NULL OR created_at < $4)`,
      [botId, floor, range.from, range.to],
    )
    const { rows: days } = await query(
      'SELECT (computed_epoch IS NOT DISTINCT FROM epoch) AS good FROM bot_stats_daily WHERE bot_id = $1',
      [botId],
    )
    return {
      stats,
      counted: rows[0],
      good: days.filter(({ good }) => good).length,
      bad: days.filter(({ good }) => !good).length,
    }
  } finally {
    await query('ROLLBACK')
  }
}

async function expectExact(db: Database, botId: string, range: TimeRange) {
  const { stats, counted, ...days } = await compareAtOnce(db, botId, range)
  expect({ range, ...stats }).toEqual({ range, ...counted })
  return days
}

/** Steps of chats, written as the service writes them. */
function step(botId: string, flags: { hasStarted: boolean; isCompleted: boolean }, found?: number) {
  const id = newId(new Date(NOON))
  const result = found === undefined ? { id, isNew: true } : { id: `result-${found}`, isNew: false }
  return firstStep({ id, botId }, result, { state: null, ...flags })
}

const completed = { hasStarted: true, isCompleted: true }

/** Completes a result of which only the start is counted: `n % 21 === 1` has started and is not completed. */
const complete = (botId: string, n: number, now = new Date(NOON)) =>
  saveStep(app.db, step(botId, completed, n), now)

const removeResults = (botId: string, numbers: readonly number[]) =>
  app.client.ok('deleteResults', {
    as: site.member,
    params: { botId },
    query: { resultIds: numbers.map((n) => `result-${n}`).join(',') },
  })

/** As deleting all results at that moment. */
async function raiseFloor(botId: string, moment: Date) {
  await app.pool.query(
    'UPDATE bots SET results_floor_at = greatest(results_floor_at, $2::timestamptz) WHERE id = $1',
    [botId, moment],
  )
  await app.pool.query('INSERT INTO purges VALUES ($1, $2) ON CONFLICT DO NOTHING', [botId, NOON])
}

const dateOf = (time: number | null) => (time === null ? null : new Date(time))

describe('statistics are exact', () => {
  const zones = ['UTC', 'America/St_Johns', 'Pacific/Apia', 'Africa/Cairo', 'Asia/Kathmandu']
  const number = fc.integer({ min: 1, max: RESULTS })
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('complete'), numbers: fc.tuple(number) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('link'), numbers: fc.tuple(number) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('start'), numbers: fc.constant([]) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('remove'),
        numbers: fc.array(number, { minLength: 1, maxLength: 20 }),
      }),
    },
  )
  const moment = fc.oneof(
    fc.integer({ min: 0, max: 11 * DAY }).map((age) => Date.parse(NOON) - age),
    // About the beginning of a day.
    fc
      .record({ days: fc.nat(11), by: fc.integer({ min: -1, max: 1 }) })
      .map(({ days, by }) => Date.parse('2026-03-10') - days * DAY + by),
  )
  const range = fc.oneof(
    fc
      .tuple(fc.constantFrom(...timeFilters), fc.constantFrom(...zones))
      .map(([filter, zone]) => timeRange(filter, zone, new Date(NOON))),
    fc
      .tuple(fc.option(moment), fc.option(moment))
      .map(([from, to]): TimeRange => ({ from: dateOf(from), to: dateOf(to) })),
  )
  const run = fc.record({
    writers: fc.array(fc.array(change, { minLength: 15, maxLength: 30 }), { minLength: 3, maxLength: 3 }),
    floors: fc.array(
      fc.integer({ min: 0, max: 9 * DAY }).map((age) => new Date(Date.parse(NOON) - age)),
      { maxLength: 2 },
    ),
    ranges: fc.array(range, { minLength: 20, maxLength: 40 }),
  })

  async function make(botId: string, { kind, numbers }: { kind: string; numbers: readonly number[] }) {
    const [n = 0] = numbers
    if (kind === 'complete') await complete(botId, n)
    else if (kind === 'remove') await removeResults(botId, numbers)
    else if (kind === 'start') await saveStep(app.db, step(botId, completed), new Date(NOON))
    else {
      // A chat of another bot, which links to this one.
      const made = step(site.draft.id, completed)
      const result = { botId, resultId: `result-${n}`, answers: [], variables: [] }
      const outcome = { ...made.outcome, linkedResults: [{ ...result, ...completed }] }
      await saveStep(app.db, { ...made, outcome }, new Date(NOON))
    }
  }

  test('while results come, change and go, and days are counted by several at once', async () => {
    const [reader, ...others] = [connectAgain(), connectAgain(), connectAgain()] as const
    let looks = 0
    let [good, bad] = [0, 0]
    const property = fc.asyncProperty(run, async ({ writers, floors, ranges }) => {
      const botId = await makeBot(RESULTS)
      await readAll(botId)
      let isDone = false
      const look = async (of: TimeRange) => {
        const days = await expectExact(reader, botId, of)
        looks++
        if (days.good > 0) good++
        if (days.good > 0 && days.bad > 0) bad++
      }
      const writing = writers.map(async (changes, at) => {
        for (const one of changes) await make(botId, one)
        for (const floor of at === 0 ? floors : []) await raiseFloor(botId, floor)
      })
      const written = Promise.all(writing).finally(() => {
        isDone = true
      })
      const counting = others.map(async (db) => {
        while (!isDone) {
          await rollUp(botId, NOON, db)
        }
      })
      const purging = async () => {
        while (!isDone) await purgeBatch(app.db, new Date(NOON))
      }
      const reading = async () => {
        for (let at = 0; !isDone; at++) await look(ranges[at % ranges.length] as TimeRange)
      }
      await Promise.all([written, ...counting, purging(), reading()])
      for (const of of ranges) await look(of)
      await rollUp(botId)
      for (const of of ranges) await look(of)
      while (await purgeBatch(app.db, new Date(NOON)));
      for (const of of ranges) await look(of)
    })
    await fc.assert(property, { numRuns: runs(4, 16), endOnFailure: true })
    // Otherwise there was nothing to see.
    expect(good).toBeGreaterThan(looks / 4)
    expect(bad).toBeGreaterThan(0)
  })

  test('after all results were deleted, before and after they are purged', async () => {
    const botId = await makeCountedBot()
    await app.client.ok('deleteResults', { as: site.member, params: { botId } })
    const nothing = { totalViews: 0, totalStarts: 0, totalCompleted: 0 }
    expect((await readAll(botId)).stats).toEqual(nothing)
    expect(await purgeBatch(app.db, app.clock.now())).toBe(true)
    expect((await readAll(botId)).stats).toEqual(nothing)
    await saveStep(app.db, step(botId, completed), app.clock.now())
    while (await purgeBatch(app.db, app.clock.now()));
    expect((await readAll(botId)).stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
    expect(await keptDays(botId)).toEqual([])
  })
})

describe('a day', () => {
  test('is counted an hour after its end, and not before', async () => {
    const botId = await makeCountedBot()
    const lastAt = async (moment: string) => {
      await rollUp(botId, moment)
      return (await keptDays(botId)).at(-1)
    }
    expect(await keptDays(botId)).toHaveLength(9)
    expect(await lastAt('2026-03-11T00:59:59.999Z')).toMatchObject({ day: '2026-03-09', isGood: true })
    expect(await lastAt('2026-03-11T01:00:00.000Z')).toMatchObject({ day: '2026-03-10', isGood: true })
  })

  test.each([
    ['2026-03-11T00:29:59.999Z', []],
    ['2026-03-11T00:30:00.000Z', ['2026-03-10']],
  ])('is noted as changed from half an hour after its end on: %s', async (moment, changed) => {
    const botId = await makeCountedBot()
    await complete(botId, 22, new Date(moment))
    expect(await badDays(botId)).toEqual(changed)
  })

  test('that has changed is counted again, alone', async () => {
    const botId = await makeCountedBot()
    await complete(botId, 21 * 200 + 1)
    await removeResults(botId, [21 * 400 + 1])
    expect(await badDays(botId)).toEqual(['2026-03-06', '2026-03-08'])
    app.statements.length = 0
    await rollUp(botId)
    expect(app.statements.filter((text) => text.startsWith('update "bot_stats_daily"'))).toHaveLength(2)
    expect(await badDays(botId)).toEqual([])
  })

  test('that changes while it is counted is not good, and counted again', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    let changed = 0
    app.beforeStatement = async (text) => {
      if (!text.startsWith('update "bot_stats_daily"') || changed++ > 0) return
      await removeResults(botId, [RESULTS - 1])
    }
    await rollUp(botId)
    expect(changed).toBe(9)
    expect(await badDays(botId)).toEqual(['2026-03-01'])
    await expectExact(connectAgain(), botId, { from: null, to: null })
    await rollUp(botId)
    expect(await badDays(botId)).toEqual([])
  })

  test('that changes from before it is counted for the first time until after it is not good', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    const holder = await app.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM results WHERE bot_id = $1 AND id = $2 FOR UPDATE', [
        botId,
        `result-${RESULTS}`,
      ])
      const removing = removeResults(botId, [RESULTS - 1, RESULTS])
      await until('the deletion waits', async () => (await waitingForLocks(app.pool)) === 1)
      await rollUp(botId)
      expect(await badDays(botId)).toEqual([])
      await holder.query('ROLLBACK')
      await removing
    } finally {
      holder.release()
    }
    expect(await badDays(botId)).toEqual(['2026-03-01'])
    await expectExact(connectAgain(), botId, { from: null, to: null })
  })

  test('that was counted anew is not lost to a process that counted it before', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    app.beforeStatement = async (text) => {
      if (!text.startsWith('update "bot_stats_daily"')) return
      app.beforeStatement = undefined
      await removeResults(botId, [RESULTS - 1])
      await rollUp(botId, NOON, connectAgain())
    }
    await rollUp(botId)
    expect(await badDays(botId)).toEqual([])
    await expectExact(connectAgain(), botId, { from: null, to: null })
  })

  test('is left alone by what changes nothing that is counted, and by results of today', async () => {
    const botId = await makeCountedBot()
    const before = await keptDays(botId)
    // Completed already.
    await complete(botId, 21 * 200 + 7)
    await saveStep(app.db, step(botId, completed), app.clock.now())
    await complete(botId, 22)
    await removeResults(botId, [1, 2, 3])
    expect(await keptDays(botId)).toEqual(before)
  })
})

describe('a bot', () => {
  const noted = async (botId: string) =>
    (await app.pool.query('SELECT due_at FROM stats_rollups WHERE bot_id = $1', [botId])).rows

  test('is noted by a read that counts many results, and by no other', async () => {
    const [few, many] = [await makeBot(100), await makeBot(RESULTS)]
    await readAll(few)
    expect(await noted(few)).toEqual([])
    const params = { botId: many }
    await app.client.ok('getStats', { as: site.member, params, query: { timeFilter: 'today' } })
    expect(await noted(many)).toEqual([])
    await readAll(many)
    expect(await noted(many)).toHaveLength(1)
    app.statements.length = 0
    await readAll(many)
    expect(app.statements).toHaveLength(2)
  })

  test('is counted for itself and for its range, whoever asks about others at the same moment', async () => {
    const bots = [await makeBot(100), await makeCountedBot(), await makeBot(300), await makeCountedBot()]
    const hour = (n: number) => new Date(Date.parse(NOON) - n * 60 * 60 * 1000)
    const ranges = [
      { from: null, to: null },
      { from: hour(1), to: null },
      { from: hour(100), to: hour(3) },
      { from: null, to: hour(2) },
    ]
    const questions = bots.flatMap((botId) => ranges.map((range) => ({ botId, range })))
    const ask = ({ botId, range }: (typeof questions)[number]) =>
      countResults(app.db, { bot: { id: botId, resultsFloorAt: null } } as BotGrant, range, new Date(NOON))
    // What is known of the bots afterwards has them asked about together.
    for (const question of questions) await ask(question)
    app.statements.length = 0
    const together = await Promise.all(questions.map(ask))
    expect(app.statements).toHaveLength(isDistributed(app.db) ? questions.length : 2)

    const reader = connectAgain()
    const exact = []
    for (const { botId, range } of questions) exact.push((await compareAtOnce(reader, botId, range)).counted)
    expect(together).toEqual(exact)
    expect(new Set(exact.map((stats) => JSON.stringify(stats))).size).toBeGreaterThan(8)
  })

  test('with few results is counted from the index alone, until it has many', async () => {
    const botId = await makeBot(100)
    const reader = connectAgain()
    const asksForDays = async (timeFilter: 'allTime' | 'today') => {
      app.statements.length = 0
      await app.client.ok('getStats', { as: site.member, params: { botId }, query: { timeFilter } })
      return app.statements.some((text) => text.includes('bot_stats_daily'))
    }
    expect([await asksForDays('today'), await asksForDays('today')]).toEqual([true, true])
    expect([await asksForDays('allTime'), await asksForDays('allTime')]).toEqual([true, false])
    expect(await asksForDays('today')).toBe(false)
    await expectExact(reader, botId, { from: null, to: null })
    await expectExact(reader, botId, {
      from: new Date('2026-03-10T11:30:00.000Z'),
      to: new Date('2026-03-10T11:50:00.000Z'),
    })

    await addResults(botId, 101, RESULTS)
    await readAll(botId)
    expect(await noted(botId)).toHaveLength(1)
    await expectExact(reader, botId, { from: null, to: null })
    await rollUp(botId)
    expect((await expectExact(reader, botId, { from: null, to: null })).good).toBeGreaterThan(0)
    expect(await asksForDays('allTime')).toBe(true)
    await raiseFloor(botId, new Date('2026-03-10T11:40:00.000Z'))
    expect(await asksForDays('allTime')).toBe(true)
    await expectExact(reader, botId, { from: null, to: null })
  })

  // The time of a statement is the role's to limit behind a pooler, for all who use it.
  const testTimeLimit = isPooled() ? test.skip : test
  testTimeLimit('is noted by a read that takes too long', async () => {
    const slow = await startApp({ databaseUrl: app.databaseUrl, database: { statementTimeout: 200 } })
    const botId = await makeBot(10)
    const blocker = await app.pool.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE results')
      const answer = await slow.client.call('getStats', { as: site.member, params: { botId } })
      expect(answer.status).toBe(503)
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
      await slow.stop()
    }
    expect(await noted(botId)).toHaveLength(1)
    await rollUp(botId)
    expect([await noted(botId), await keptDays(botId)]).toEqual([[], []])
  })

  test('is no longer counted by day when few results are left', async () => {
    const botId = await makeCountedBot()
    await raiseFloor(botId, new Date('2026-03-09T00:00:00.000Z'))
    await rollUp(botId)
    expect(await noted(botId)).toEqual([])
    await expectExact(connectAgain(), botId, { from: null, to: null })
  })

  test('is taken up where a process left it that died', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    const dying = connectAgain()
    const { query } = dying.$client
    let counted = 0
    dying.$client.query = ((statement: { text: string }, ...rest: unknown[]) => {
      if (statement.text.startsWith('update "bot_stats_daily"') && ++counted > 4) throw new Error('killed')
      return Reflect.apply(query, dying.$client, [statement, ...rest])
    }) as typeof query
    await expect(rollUp(botId, NOON, dying)).rejects.toThrow()
    expect(await badDays(botId)).toHaveLength(5)
    const reader = connectAgain()
    await expectExact(reader, botId, { from: null, to: null })
    while (await rollUpBatch(app.db, new Date(Date.parse(NOON) + 59_999)));
    expect(await badDays(botId)).toHaveLength(5)
    while (await rollUpBatch(app.db, new Date(Date.parse(NOON) + 60_000)));
    expect(await badDays(botId)).toEqual([])
    await expectExact(reader, botId, { from: null, to: null })
  })

  test('leaves nothing of its days when it is deleted, even while they are counted', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    app.beforeStatement = async (text) => {
      if (!/insert into "bot_stats_daily"/i.test(text)) return
      app.beforeStatement = undefined
      await app.client.ok('deleteBot', { as: site.member, params: { botId } })
    }
    await rollUp(botId)
    while (await purgeBatch(app.db, app.clock.now()));
    await rollUp(botId)
    expect([await noted(botId), await keptDays(botId)]).toEqual([[], []])
  })

  test('leaves nothing of its days when its workspace is deleted', async () => {
    const own = (await makeWorld(app)).here
    const botId = await makeCountedBot()
    await app.pool.query('UPDATE bots SET workspace_id = $2 WHERE id = $1', [botId, own.workspaceId])
    await app.client.ok('deleteWorkspace', { as: own.admin, params: { workspaceId: own.workspaceId } })
    while (await purgeBatch(app.db, app.clock.now()));
    expect([await noted(botId), await keptDays(botId)]).toEqual([[], []])
  })
})

test('a floor never sinks, however wrong a clock is', async () => {
  const botId = await makeBot(0)
  const remove = () => app.client.ok('deleteResults', { as: site.member, params: { botId } })
  await remove()
  app.clock.set('2026-03-10T11:00:00.000Z')
  await remove()
  const { rows } = await app.pool.query('SELECT results_floor_at FROM bots WHERE id = $1', [botId])
  expect(rows[0].results_floor_at.getTime()).toBeGreaterThan(Date.parse('2026-03-10T11:30:00.000Z'))
})
