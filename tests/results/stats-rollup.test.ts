import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { timeFilters } from '../../contract/shared.ts'
import type { BotGrant } from '../../server/access/index.ts'
import { writeTurn } from '../../server/chat/sessions/write-turn.ts'
import { isDistributed, treatAsDistributed } from '../../server/db/citus/topology.ts'
import type { Database } from '../../server/db/client.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../server/durations.ts'
import { newId } from '../../server/ids.ts'
import { forgetHours } from '../../server/jobs/expiry.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { countResults, MAX_DIRECTLY_COUNTED_RESULTS } from '../../server/results/stats.ts'
import { rollUpBatch } from '../../server/results/stats-rollup.ts'
import { type TimeRange, timeRange } from '../../server/results/time-range.ts'
import fc from '../kit/fast-check.ts'
import { type App, connectTo, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { waitingForLocks } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { runs } from '../support/runs.ts'
import { isPooled } from '../support/server.ts'
import { firstStep } from '../support/steps.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Days and hours that are counted in the background, against counting every row, whatever happens beside it. */

const NOON = '2026-03-10T12:00:00.000Z'
/** Enough for a bot to be counted by day; one result each 40 seconds, back to the beginning of March. */
const RESULTS = MAX_DIRECTLY_COUNTED_RESULTS + 500

let app: App
let site: Site
const pools: { end(): Promise<void> }[] = []
beforeAll(async () => {
  app = await startApp({
    database: { connectTimeout: 30_000, lockTimeout: 30_000, statementTimeout: 30_000 },
  })
  site = (await makeWorld(app)).here
})
afterEach(async () => {
  app.beforeStatement = undefined
  // A bot of an earlier test would be counted and purged again and again.
  for (const table of ['results', 'bot_stats_daily', 'bot_stats_hourly', 'stats_rollups', 'purges'])
    await app.pool.query(`TRUNCATE ${table}`)
  app.clock.set(NOON)
})
afterAll(async () => {
  for (const pool of pools) await pool.end()
  await app.stop()
})

/** One connection of its own, as another process has it. */
async function connectAgain(): Promise<Database> {
  const { db, pool } = connectTo(app.databaseUrl, { poolSize: 1 })
  if (isDistributed(app.db)) treatAsDistributed(db)
  pools.push(pool)
  return db
}

/** A bot whose newest result is of the moment. */
async function makeBot(results: number, moment = NOON): Promise<string> {
  const botId = newId(app.clock.now())
  await app.pool.query(
    `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
    VALUES ($1, $2, 'Bot', '6.1', 1, $3, $3)`,
    [botId, site.workspaceId, moment],
  )
  await addResults(botId, 1, results, moment)
  return botId
}

async function addResults(botId: string, first: number, last: number, moment = NOON) {
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, 'result-' || n, '[]', n % 3 > 0, n % 7 = 0, n % 100 = 0, at, at
    FROM (SELECT n, $4::timestamptz - n * interval '40 seconds' AS at FROM generate_series($2::int, $3) n) AS made`,
    [botId, first, last, moment],
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

async function keptHours(botId: string): Promise<{ hour: string; views: number; isGood: boolean }[]> {
  const { rows } = await app.pool.query(
    `SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS hour, views,
      computed_epoch IS NOT DISTINCT FROM epoch AS "isGood"
    FROM bot_stats_hourly WHERE bot_id = $1 ORDER BY hour`,
    [botId],
  )
  return rows
}

const badHours = async (botId: string) =>
  (await keptHours(botId)).filter(({ isGood }) => !isGood).map(({ hour }) => hour)

/** Statistics and the same by looking at every row, as they are at one moment. */
async function compareAtOnce(db: Database, botId: string, range: TimeRange, moment = NOON) {
  // A pool of one connection, so that all of it is in the transaction.
  const query = (text: string, values: unknown[] = []) => db.$client.query(text, values)
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  try {
    const floor = (await query('SELECT results_floor_at FROM bots WHERE id = $1', [botId])).rows[0]
      .results_floor_at as Date | null
    const grant = { bot: { id: botId, resultsFloorAt: floor } } as BotGrant
    const stats = await countResults(db, grant, range, new Date(moment))
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
    const { rows: hours } = await query(
      `SELECT (computed_epoch IS NOT DISTINCT FROM epoch) AS good FROM bot_stats_hourly h WHERE bot_id = $1
      AND NOT EXISTS (SELECT FROM bot_stats_daily d WHERE d.bot_id = $1 AND computed_epoch = epoch
        AND d.day >= (h.hour AT TIME ZONE 'UTC')::date)`,
      [botId],
    )
    const [good, bad] = [true, false].map((is) => days.filter((day) => day.good === is).length)
    const [goodHours, badHours] = [true, false].map((is) => hours.filter((hour) => hour.good === is).length)
    return { stats, counted: rows[0], good, bad, goodHours, badHours }
  } finally {
    await query('ROLLBACK')
  }
}

async function expectExact(db: Database, botId: string, range: TimeRange, moment = NOON) {
  const { stats, counted, ...kept } = await compareAtOnce(db, botId, range, moment)
  expect({ range, moment, ...stats }).toEqual({ range, moment, ...counted })
  return kept
}

const always = { from: null, to: null }

/** Steps of chats, written as the service writes them. */
function step(botId: string, flags: { hasStarted: boolean; isCompleted: boolean }, found?: number) {
  const id = newId(app.clock.now())
  const result = found === undefined ? { id, isNew: true } : { id: `result-${found}`, isNew: false }
  return firstStep({ id, botId }, result, { state: null, ...flags })
}

const completed = { hasStarted: true, isCompleted: true }

/** Completes a result of which only the start is counted: `n % 21 === 1` has started and is not completed. */
const complete = (botId: string, n: number, now = new Date(NOON)) =>
  writeTurn(app.db, step(botId, completed, n), now)

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
  // Ages within any day, and within the last hours.
  const number = fc.oneof(fc.integer({ min: 1, max: RESULTS }), fc.integer({ min: 1, max: 30 * 90 }))
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
  /** About the beginning of a day or an hour, or any time before a moment. */
  const timeBefore = (moment: number) =>
    fc.oneof(
      fc.oneof(fc.nat(11 * MS_PER_DAY), fc.nat(30 * MS_PER_HOUR)).map((age) => moment - age),
      fc
        .record({
          begin: fc.oneof(
            fc.nat(11).map((days) => Date.parse('2026-03-10') - days * MS_PER_DAY),
            fc.nat(30).map((hours) => moment - (moment % MS_PER_HOUR) - hours * MS_PER_HOUR),
          ),
          by: fc.integer({ min: -1, max: 1 }),
        })
        .map(({ begin, by }) => begin + by),
    )
  const range = (moment: number) =>
    fc.oneof(
      fc
        .tuple(fc.constantFrom(...timeFilters), fc.constantFrom(...zones))
        .map(([filter, zone]) => timeRange(filter, zone, new Date(moment))),
      fc
        .tuple(fc.option(timeBefore(moment)), fc.option(timeBefore(moment)))
        .map(([from, to]): TimeRange => ({ from: dateOf(from), to: dateOf(to) })),
    )
  const phase = (moment: number) =>
    fc.record({
      moment: fc.constant(new Date(moment).toISOString()),
      writers: fc.array(fc.array(change, { minLength: 10, maxLength: 20 }), { minLength: 3, maxLength: 3 }),
      floors: fc.array(
        fc.oneof(fc.nat(9 * MS_PER_DAY), fc.nat(12 * MS_PER_HOUR)).map((age) => new Date(moment - age)),
        { maxLength: 1 },
      ),
      ranges: fc.array(range(moment), { minLength: 15, maxLength: 30 }),
      // Skew of the clocks of those who count against the clocks of the others.
      skews: fc.tuple(fc.integer({ min: -29, max: 29 }), fc.integer({ min: -29, max: 29 })),
    })
  // At any time of day, and some time later.
  const run = fc
    .tuple(
      fc.oneof(fc.nat(MS_PER_DAY / MS_PER_MINUTE), fc.nat(90)),
      fc.oneof(fc.constant(0), fc.nat(120), fc.nat((30 * MS_PER_HOUR) / MS_PER_MINUTE)),
    )
    .chain(([minute, later]) => {
      const moment = Date.parse('2026-03-10') + minute * MS_PER_MINUTE
      return fc.tuple(phase(moment), phase(moment + later * MS_PER_MINUTE))
    })

  async function make(botId: string, kind: string, numbers: readonly number[], moment: string) {
    const [n = 0] = numbers
    const now = new Date(moment)
    if (kind === 'complete') await complete(botId, n, now)
    else if (kind === 'remove') await removeResults(botId, numbers)
    else if (kind === 'start') await writeTurn(app.db, step(botId, completed), now)
    else {
      // A chat of another bot, which links to this one.
      const made = step(site.draft.id, completed)
      const result = { botId, resultId: `result-${n}`, isNew: false, answers: [], variables: [] }
      const outcome = { ...made.outcome, linkedResults: [{ ...result, ...completed }] }
      await writeTurn(app.db, { ...made, outcome }, now)
    }
  }

  test('while results come, change and are deleted, and days and hours are counted by several processes', async () => {
    const [reader, ...others] = await Promise.all([connectAgain(), connectAgain(), connectAgain()])
    /** Number of reads that combined counts with the changes since. */
    const seen = { days: 0, hours: 0, couldHaveHours: false }
    const property = fc.asyncProperty(run, async (phases) => {
      // So many that it stays one with many when the writers have removed all they can.
      const botId = await makeBot(RESULTS + 3_000, phases[0].moment)
      let hasFloor = false
      for (const { moment, writers, floors, ranges, skews } of phases) {
        hasFloor ||= floors.length > 0
        app.clock.set(moment)
        await readAll(botId)
        let isDone = false
        const look = async (of: TimeRange) => {
          const kept = await expectExact(reader as Database, botId, of, moment)
          if (kept.good && kept.bad) seen.days++
          if (kept.goodHours && kept.badHours) seen.hours++
          return kept
        }
        const writing = writers.map(async (changes, at) => {
          for (const { kind, numbers } of changes) await make(botId, kind, numbers, moment)
          for (const floor of at === 0 ? floors : []) await raiseFloor(botId, floor)
        })
        const written = Promise.all(writing).finally(() => {
          isDone = true
        })
        const clocks = skews.map((skew) => new Date(Date.parse(moment) + skew * MS_PER_MINUTE).toISOString())
        // From one to two o'clock yesterday is counted, and no hour of today is yet: by the clock that is furthest
        // ahead, since what it counts is kept. Later on there is little of today.
        const newest = [moment, ...clocks].sort().at(-1) as string
        const isBetween = [moment, newest].some((time) => new Date(time).getUTCHours() === 1)
        const hasHours = moment === phases[0].moment && !isBetween && !isDistributed(app.db)
        seen.couldHaveHours ||= hasHours
        const counting = others.map(async (db, at) => {
          while (!isDone) await rollUp(botId, clocks[at], db)
        })
        const removing = async () => {
          while (!isDone) {
            await purgeBatch(app.db, new Date(moment))
            await forgetHours(app.db, new Date(moment))
          }
        }
        const reading = async () => {
          for (let at = 0; !isDone; at++) await look(ranges[at % ranges.length] as TimeRange)
        }
        await Promise.all([written, ...counting, removing(), reading()])
        for (const of of ranges) await look(of)
        await rollUp(botId, moment)
        for (const of of ranges) {
          const kept = await look(of)
          // Below a floor there may be too few left to be counted by day.
          if (hasFloor) continue
          expect(kept.good).toBeGreaterThan(0)
          if (hasHours) expect(kept.goodHours).toBeGreaterThan(0)
        }
        while (await purgeBatch(app.db, new Date(moment)));
        for (const of of ranges) await look(of)
      }
    })
    await fc.assert(property, { numRuns: runs(1, 16), endOnFailure: true })
    // Otherwise there was little to see; how much there is is up to the floors made up, and to who came first.
    expect(seen.days).toBeGreaterThan(0)
    if (seen.couldHaveHours) expect(seen.hours).toBeGreaterThan(0)
  })

  test('after all results were deleted, before and after they are purged', async () => {
    const botId = await makeCountedBot()
    await app.client.ok('deleteResults', { as: site.member, params: { botId } })
    const nothing = { totalViews: 0, totalStarts: 0, totalCompleted: 0 }
    expect((await readAll(botId)).stats).toEqual(nothing)
    expect(await purgeBatch(app.db, app.clock.now())).toBe(true)
    expect((await readAll(botId)).stats).toEqual(nothing)
    await writeTurn(app.db, step(botId, completed), app.clock.now())
    while (await purgeBatch(app.db, app.clock.now()));
    expect((await readAll(botId)).stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
    expect([await keptDays(botId), await keptHours(botId)]).toEqual([[], []])
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
  ])('is marked as changed from half an hour after its end on: %s', async (moment, changed) => {
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

  test('that changes while it is counted is stale, and counted again', async () => {
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
    await expectExact(await connectAgain(), botId, { from: null, to: null })
    await rollUp(botId)
    expect(await badDays(botId)).toEqual([])
  })

  test('that changes from before its first count until after it is stale', async () => {
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
    await expectExact(await connectAgain(), botId, { from: null, to: null })
  })

  test('that was counted again is not overwritten by a process that counted it before', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    app.beforeStatement = async (text) => {
      if (!text.startsWith('update "bot_stats_daily"')) return
      app.beforeStatement = undefined
      await removeResults(botId, [RESULTS - 1])
      await rollUp(botId, NOON, await connectAgain())
    }
    await rollUp(botId)
    expect(await badDays(botId)).toEqual([])
    await expectExact(await connectAgain(), botId, { from: null, to: null })
  })

  test('is not marked by changes without an effect, nor by results of today', async () => {
    const botId = await makeCountedBot()
    const before = await keptDays(botId)
    // Completed already.
    await complete(botId, 21 * 200 + 7)
    await writeTurn(app.db, step(botId, completed), app.clock.now())
    await complete(botId, 22)
    await removeResults(botId, [1, 2, 3])
    expect(await keptDays(botId)).toEqual(before)
  })
})

// On a cluster no hours are kept.
const describeHours = process.env.CITUS === '1' ? describe.skip : describe
describeHours('an hour', () => {
  /** Has what is kept of hours say something else, of which a read that takes it tells. */
  const tamper = (botId: string) =>
    app.pool.query('UPDATE bot_stats_hourly SET views = views + 100000 WHERE bot_id = $1', [botId])
  const viewsOf = async (botId: string, db: Database, range: TimeRange, moment = NOON) => {
    const grant = { bot: { id: botId, resultsFloorAt: null } } as BotGrant
    return (await countResults(db, grant, range, new Date(moment))).totalViews
  }
  const at = (time: string) => new Date(`2026-03-10T${time}Z`)

  test('is counted an hour after its end, and not before, while its day is not stored', async () => {
    const botId = await makeCountedBot()
    const hours = await keptHours(botId)
    expect(hours.map(({ hour }) => hour)).toEqual(
      Array.from({ length: 11 }, (_, hour) => `2026-03-10 ${String(hour).padStart(2, '0')}:00`),
    )
    expect(hours.every(({ isGood }) => isGood)).toBe(true)
    const lastAt = async (moment: string) => {
      await rollUp(botId, moment)
      return (await keptHours(botId)).at(-1)
    }
    expect(await lastAt('2026-03-10T12:59:59.999Z')).toMatchObject({ hour: '2026-03-10 10:00' })
    expect(await lastAt('2026-03-10T13:00:00.000Z')).toMatchObject({ hour: '2026-03-10 11:00', isGood: true })
    expect(await lastAt('2026-03-11T00:59:59.999Z')).toMatchObject({ hour: '2026-03-10 22:00', isGood: true })
    expect(await keptDays(botId)).toHaveLength(9)
    expect(await lastAt('2026-03-11T01:59:59.999Z')).toMatchObject({ hour: '2026-03-10 22:00' })
    expect(await keptDays(botId)).toHaveLength(10)
    expect(await lastAt('2026-03-11T02:00:00.000Z')).toMatchObject({ hour: '2026-03-11 00:00', isGood: true })
  })

  test('counts where all of it is within the range, and its day is not stored', async () => {
    const botId = await makeCountedBot()
    const fakes = async (range: TimeRange, moment = NOON) =>
      Math.round((await viewsOf(botId, app.db, range, moment)) / 100_000)
    await tamper(botId)
    expect(await fakes(always)).toBe(11)
    expect(await fakes({ from: at('02:00:00.000'), to: at('05:00:00.000') })).toBe(3)
    expect(await fakes({ from: at('02:00:00.001'), to: at('05:00:00.001') })).toBe(2)
    expect(await fakes({ from: at('01:59:59.999'), to: at('04:59:59.999') })).toBe(2)
    expect(await fakes({ from: at('02:10:00.000'), to: at('02:50:00.000') })).toBe(0)
    expect(await fakes({ from: null, to: at('00:00:00.000') })).toBe(0)
    expect(await fakes({ from: null, to: at('01:00:00.000') })).toBe(1)
    // A day late is still used; two days late, changes have long not been noted any more.
    expect(await fakes(always, '2026-03-11T23:59:59.999Z')).toBe(11)
    expect(await fakes(always, '2026-03-12T00:00:00.000Z')).toBe(0)
    await rollUp(botId, '2026-03-11T01:00:00.000Z')
    await tamper(botId)
    expect(await fakes(always, '2026-03-11T01:00:00.000Z')).toBe(0)
  })

  test('that changes is stale at once, and counted again alone', async () => {
    const botId = await makeCountedBot()
    const reader = await connectAgain()
    const before = await expectExact(reader, botId, always)
    expect(before).toMatchObject({ goodHours: 11, badHours: 0 })
    await complete(botId, 21 * 20 + 1)
    await removeResults(botId, [21 * 30 + 1, 21 * 20 + 2])
    expect(await badHours(botId)).toEqual(['2026-03-10 04:00', '2026-03-10 07:00'])
    expect(await badDays(botId)).toEqual([])
    const { stats } = await compareAtOnce(reader, botId, always)
    expect(await expectExact(reader, botId, always)).toMatchObject({ goodHours: 9, badHours: 2 })
    app.statements.length = 0
    await rollUp(botId)
    expect(app.statements.filter((text) => text.startsWith('update "bot_stats_hourly"'))).toHaveLength(2)
    expect(await badHours(botId)).toEqual([])
    expect((await compareAtOnce(reader, botId, always)).stats).toEqual(stats)
  })

  test('that changes in a chat that continues is stale at once', async () => {
    const botId = await makeCountedBot()
    const made = await publish(
      app,
      site,
      bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] }),
    )
    const { sessionId, resultId } = await start(app, made)
    // As if it was a result of the bot that is counted.
    const move = async (table: string, id: string) =>
      app.pool.query(`UPDATE ${table} SET created_at = $2 WHERE id = $1`, [id, at('09:30:00.000')])
    await move('results', String(resultId))
    await reply(app, sessionId, 'one', 1)
    expect(await keptHours(made.id)).toEqual([{ hour: '2026-03-10 09:00', views: 0, isGood: false }])
    expect(await badHours(botId)).toEqual([])
  })

  test.each([
    ['2026-03-10T11:29:59.999Z', []],
    ['2026-03-10T11:30:00.000Z', ['2026-03-10 10:00']],
  ])('is marked as changed from half an hour after its end on: %s', async (moment, changed) => {
    const botId = await makeCountedBot()
    // 10:50:40.
    await complete(botId, 104, new Date(moment))
    expect(await badHours(botId)).toEqual(changed)
  })

  test('is marked as changed for some days, with its day once that is over', async () => {
    const changedAt = async (moment: string) => {
      const botId = await makeCountedBot()
      await complete(botId, 104, new Date(moment))
      return [await badDays(botId), await badHours(botId)]
    }
    expect(await changedAt('2026-03-11T00:29:59.999Z')).toEqual([[], ['2026-03-10 10:00']])
    expect(await changedAt('2026-03-12T23:59:59.999Z')).toEqual([['2026-03-10'], ['2026-03-10 10:00']])
    expect(await changedAt('2026-03-13T00:30:00.000Z')).toEqual([['2026-03-10'], []])
  })

  test('that changes while it is counted is stale', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    let changed = 0
    app.beforeStatement = async (text) => {
      if (!text.startsWith('update "bot_stats_hourly"') || changed++ > 0) return
      // 00:00:40.
      await removeResults(botId, [1079])
    }
    await rollUp(botId)
    expect(changed).toBe(11)
    expect(await badHours(botId)).toEqual(['2026-03-10 00:00'])
    await expectExact(await connectAgain(), botId, always)
  })

  test('that changes from before its first count until after it is stale', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    const holder = await app.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM results WHERE bot_id = $1 AND id = $2 FOR UPDATE', [
        botId,
        'result-999',
      ])
      const removing = removeResults(botId, [998, 999])
      await until('the deletion waits', async () => (await waitingForLocks(app.pool)) === 1)
      await rollUp(botId)
      expect([(await keptHours(botId)).length, await badHours(botId)]).toEqual([11, []])
      await holder.query('ROLLBACK')
      await removing
    } finally {
      holder.release()
    }
    expect(await badHours(botId)).toEqual(['2026-03-10 00:00'])
    await expectExact(await connectAgain(), botId, always)
  })

  test('is deleted once its epoch is raised no more, and nothing is left of those below the floor', async () => {
    const botId = await makeCountedBot()
    const left = async (moment: string) => {
      while (await forgetHours(app.db, new Date(moment)));
      return (await keptHours(botId)).length
    }
    expect(await left('2026-03-13T23:59:59.999Z')).toBe(11)
    await raiseFloor(botId, at('04:00:00.000'))
    while (await purgeBatch(app.db, new Date(NOON)));
    expect((await keptHours(botId))[0]?.hour).toBe('2026-03-10 05:00')
    expect(await left('2026-03-14T00:00:00.000Z')).toBe(0)
  })
})

describe('a bot', () => {
  const noted = async (botId: string) =>
    (await app.pool.query('SELECT due_at FROM stats_rollups WHERE bot_id = $1', [botId])).rows

  test('is scheduled for counting by a read of many results, and by no other', async () => {
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

  test('is counted for itself and for its range, beside queries about others', async () => {
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
    // Reading each alone first caches the bots, so that the next reads share a statement.
    for (const question of questions) await ask(question)
    app.statements.length = 0
    const together = await Promise.all(questions.map(ask))
    expect(app.statements).toHaveLength(isDistributed(app.db) ? questions.length : 2)

    const reader = await connectAgain()
    const exact = []
    for (const { botId, range } of questions) exact.push((await compareAtOnce(reader, botId, range)).counted)
    expect(together).toEqual(exact)
    expect(new Set(exact.map((stats) => JSON.stringify(stats))).size).toBeGreaterThan(8)
  })

  test('with few results is counted from the index alone, until it has many', async () => {
    const botId = await makeBot(100)
    const reader = await connectAgain()
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
  testTimeLimit('is scheduled for counting by a read that takes too long', async () => {
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
    await expectExact(await connectAgain(), botId, { from: null, to: null })
  })

  test('is counted from where a process left it that died', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    const dying = await connectAgain()
    const { query } = dying.$client
    let counted = 0
    dying.$client.query = ((statement: { text: string }, ...rest: unknown[]) => {
      if (statement.text.startsWith('update "bot_stats_daily"') && ++counted > 4) throw new Error('killed')
      return Reflect.apply(query, dying.$client, [statement, ...rest])
    }) as typeof query
    await expect(rollUp(botId, NOON, dying)).rejects.toThrow()
    expect(await badDays(botId)).toHaveLength(5)
    const reader = await connectAgain()
    await expectExact(reader, botId, { from: null, to: null })
    while (await rollUpBatch(app.db, new Date(Date.parse(NOON) + 59_999)));
    expect(await badDays(botId)).toHaveLength(5)
    while (await rollUpBatch(app.db, new Date(Date.parse(NOON) + 60_000)));
    expect(await badDays(botId)).toEqual([])
    await expectExact(reader, botId, { from: null, to: null })
  })

  test('leaves none of its days when it is deleted, even while they are counted', async () => {
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
    expect([await noted(botId), await keptDays(botId), await keptHours(botId)]).toEqual([[], [], []])
  })

  test('leaves none of its days when its workspace is deleted', async () => {
    const own = (await makeWorld(app)).here
    const botId = await makeCountedBot()
    await app.pool.query('UPDATE bots SET workspace_id = $2 WHERE id = $1', [botId, own.workspaceId])
    await app.client.ok('deleteWorkspace', { as: own.admin, params: { workspaceId: own.workspaceId } })
    while (await purgeBatch(app.db, app.clock.now()));
    expect([await noted(botId), await keptDays(botId), await keptHours(botId)]).toEqual([[], [], []])
  })
})

describe('a clock that is ahead by 26 hours', () => {
  const AHEAD = new Date(Date.parse(NOON) + 26 * MS_PER_HOUR).toISOString()
  const run = async (moment: string) => {
    while (await rollUpBatch(app.db, new Date(moment)));
  }

  test('a process clock that is ahead by 26 hours stores no day or hour that is not over', async () => {
    const now = new Date()
    const botId = await makeBot(RESULTS, now.toISOString())
    app.clock.set(now.toISOString())
    await readAll(botId)
    await rollUp(botId, new Date(now.getTime() + 26 * MS_PER_HOUR).toISOString())
    const today = now.toISOString().slice(0, 10)
    expect((await keptDays(botId)).filter(({ day }) => day >= today)).toEqual([])
    const hour = now.toISOString().slice(0, 13).replace('T', ' ')
    expect((await keptHours(botId)).filter((kept) => kept.hour.slice(0, 13) >= hour)).toEqual([])
  })

  test('a day counted too early by both clocks is counted again once they are right', async () => {
    const botId = await makeBot(RESULTS)
    await readAll(botId)
    await rollUp(botId, AHEAD)
    const isGood = async (day: string) => (await keptDays(botId)).find((kept) => kept.day === day)?.isGood
    expect(await isGood('2026-03-10')).toBe(true)
    // The clock is right again: what comes now is there at once, and once the day is over.
    for (const moment of [NOON, NOON, NOON]) await writeTurn(app.db, step(botId, completed), new Date(moment))
    const reader = await connectAgain()
    await expectExact(reader, botId, always)
    await run(NOON)
    expect(await isGood('2026-03-10')).toBe(false)
    expect(await isGood('2026-03-09')).toBe(true)
    await expectExact(reader, botId, always)
    for (const later of [AHEAD, '2026-03-13T12:00:00.000Z']) {
      await expectExact(reader, botId, always, later)
      await run(later)
      await expectExact(reader, botId, always, later)
    }
    expect(await isGood('2026-03-10')).toBe(true)
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
