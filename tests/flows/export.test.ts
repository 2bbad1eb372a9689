import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { firstPosition } from '../../server/db/page.ts'
import { newId } from '../../server/ids.ts'
import { exportPart } from '../../server/results/export.ts'
import fc from '../kit/fast-check.ts'
import { type App, startApp } from '../support/app.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Exports in parts, while results arrive and go. */

let app: App
let site: Site
let botId: string
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  app.clock.set('2026-03-10T12:00:00.000Z')
  site = (await makeWorld(app)).here
  botId = site.draft.id
})

const NOW = Date.parse('2026-03-09T10:00:00.000Z')

/** Adds answered results, every other one completed, and gives their ids. */
async function add(times: readonly number[]): Promise<string[]> {
  const rows = times.map((time, place) => ({
    id: newId(new Date(time)),
    at: new Date(time).toISOString(),
    isCompleted: place % 2 === 0,
  }))
  await app.pool.query(
    `WITH given AS (
      SELECT * FROM json_to_recordset($2::json) AS r(id text, at timestamptz, "isCompleted" boolean)
    ), answers AS (
      INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
      SELECT $1, given.id, seq, 'block-' || seq, E'line\\none', given.at FROM given, generate_series(0, 1) AS seq
    )
    INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, id, E'[\\n  {"id": "v", "name": "V", "value": "x"}\\r\\n]', true, "isCompleted", false, at, at FROM given`,
    [botId, JSON.stringify(rows)],
  )
  return rows.map(({ id }) => id)
}

async function clear() {
  await app.pool.query('DELETE FROM results WHERE bot_id = $1', [botId])
  await app.pool.query('DELETE FROM result_answers WHERE bot_id = $1', [botId])
}

const remove = (resultIds: string) =>
  app.client.ok('deleteResults', { as: site.member, params: { botId }, query: { resultIds } })

type Query = Record<string, string | number | undefined>

const part = async (query: Query) => {
  const answer = await app.client.call('exportResults', { as: site.member, params: { botId }, query })
  expect(answer.status).toBe(200)
  return answer
}

const idsOf = (text: string, format: string): string[] =>
  format === 'csv'
    ? (parse(text, { columns: true }) as Record<string, string>[]).map((line) => String(line.Result))
    : text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id)

test('parts join without gap or repeat while results arrive and are deleted, and have the number of those left', async () => {
  const property = fc.asyncProperty(
    // Several of one moment, since that is where a position is more than a time.
    fc.array(fc.nat(6), { minLength: 1, maxLength: 15 }),
    fc.record({
      format: fc.constantFrom('csv', 'jsonl'),
      limit: fc.integer({ min: 1, max: 4 }),
      status: fc.option(fc.constantFrom('started', 'completed'), { nil: undefined }),
      doomed: fc.array(fc.nat(14), { maxLength: 5 }),
    }),
    async (ages, { format, limit, status, doomed }) => {
      await clear()
      await add(ages.map((age) => NOW - age * 1000))
      const filter = { status }
      const whole = idsOf((await part({ format, ...filter })).text, format)
      const going = doomed.map((place) => whole[place] ?? '')
      const gone = new Set<string>()
      const ids: string[] = []
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const { text, headers } = await part({ format, limit, cursor, ...filter })
        ids.push(...idsOf(text, format))
        const left = whole.filter((id) => !gone.has(id) && !ids.includes(id)).length
        expect(Number(headers['results-remaining'])).toBe(left + idsOf(text, format).length)
        cursor = headers['next-cursor']
        await add([NOW + 1000])
        const resultIds = going.shift()
        if (!resultIds) continue
        gone.add(resultIds)
        await remove(resultIds)
      }
      expect(ids.filter((id) => !gone.has(id))).toEqual(whole.filter((id) => !gone.has(id)))
      expect(new Set(ids).size).toBe(ids.length)
    },
  )
  await fc.assert(property, { numRuns: runs(8, 150) })
})

test.each([undefined, 'started' as const])(
  'a part after all results of one time were deleted has none left (status %s)',
  async (status) => {
    await add(Array.from({ length: 50 }, () => NOW))
    const { headers } = await part({ format: 'jsonl', limit: 10, status })
    await app.client.ok('deleteResults', { as: site.member, params: { botId } })
    const rest = await part({ format: 'jsonl', limit: 10, status, cursor: headers['next-cursor'] })
    expect([rest.text, rest.headers['results-remaining'], rest.headers['next-cursor']]).toEqual([
      '',
      '0',
      undefined,
    ])
  },
)

test('an aborted part is the same when repeated', async () => {
  await add(Array.from({ length: 7 }, (_, place) => NOW - place * 1000))
  const { headers } = await part({ format: 'jsonl', limit: 3 })
  const query = { format: 'jsonl', limit: 3, cursor: headers['next-cursor'] }
  const broken = await part(query)
  await add([NOW + 1000])
  const again = await part(query)
  expect(again.text).toBe(broken.text)
  expect(again.headers['next-cursor']).toBe(broken.headers['next-cursor'])
})

test('a line is a result as in the list, whatever white space its documents have', async () => {
  await add([NOW, NOW - 1000])
  const { text } = await part({ format: 'jsonl' })
  const { results } = await app.client.ok('listResults', { as: site.member, params: { botId } })
  expect(results).toHaveLength(2)
  const lines = text.split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.map((line) => JSON.parse(line))).toEqual(results)
})

test('an export of counted days takes its columns from the counts and reads no answer for them', async () => {
  await add([NOW])
  const head = async () => (await part({ format: 'csv', limit: 1 })).text.split('\r\n')[0]
  expect(await head()).toContain('Deleted block block-0,Deleted block block-1')
  await app.pool.query(
    `INSERT INTO bot_stats_daily (bot_id, day, starts, views, epoch, computed_epoch, blocks_epoch)
    VALUES ($1, '2026-03-09', 1, 1, 7, 7, 7)`,
    [botId],
  )
  await app.pool.query(
    `INSERT INTO bot_block_stats_daily (bot_id, day, block_id, status, answered, waiting)
    VALUES ($1, '2026-03-09', 'block-7', 'started', 1, 0), ($1, '2026-03-09', 'block-8', 'started', 0, 1)`,
    [botId],
  )
  expect(await head()).toMatch(/Completed,Email,Deleted block block-7$/)
  expect(await head()).not.toMatch(/block-[018]/)
})

test('an export whose answers take too long has them counted in the background', async () => {
  await add([NOW])
  await app.pool.query('DELETE FROM bot_stats_daily')
  app.beforeStatement = async (text, _, send) => {
    if (/select distinct .*"result_answers"/.test(text))
      await send('SELECT pg_cancel_backend(pg_backend_pid())')
  }
  try {
    const answer = await app.client.call('exportResults', {
      as: site.member,
      params: { botId },
      query: { format: 'csv' },
    })
    expect(answer.status).toBe(503)
  } finally {
    app.beforeStatement = undefined
  }
  const { rows } = await app.pool.query('SELECT bot_id, has_many_answers FROM stats_rollups')
  expect(rows).toEqual([{ bot_id: botId, has_many_answers: true }])
})

test('more than one page of a search, in one part and in several', async () => {
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, 'many-' || lpad(n::text, 6, '0'), '[]', true, n % 5 = 0, false, at, at
    FROM (SELECT n, '2026-03-01T00:00:00Z'::timestamptz - (n / 3) * interval '1 second' AS at
      FROM generate_series(1, 13000) n) AS made`,
    [botId],
  )
  const whole = idsOf((await part({ format: 'jsonl', status: 'completed' })).text, 'jsonl')
  expect(whole).toHaveLength(2_600)
  const ids: string[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const { text, headers } = await part({ format: 'jsonl', status: 'completed', limit: 5_500, cursor })
    ids.push(...idsOf(text, 'jsonl'))
    cursor = headers['next-cursor']
  }
  expect(ids).toEqual(whole)
})

test('results that are long are loaded a few at a time', async () => {
  const ids = await add(Array.from({ length: 300 }, (_, place) => NOW - place))
  await app.pool.query('UPDATE results SET variables = $2 WHERE bot_id = $1', [
    botId,
    JSON.stringify([{ id: 'v', name: 'V', value: 'x'.repeat(100_000) }]),
  ])
  const grant = { bot: { id: botId, workspaceId: site.workspaceId, resultsFloorAt: null } }
  const filter = { range: { from: null, to: null }, status: null, answerContains: null, variable: null }
  const query = { format: 'jsonl' as const }
  const { lines } = await exportPart(app.db, grant as never, filter, firstPosition, query, new Date(NOW))
  let longest = 0
  let count = 0
  for await (const piece of lines) {
    longest = Math.max(longest, piece.length)
    count += piece.split('\n').length - 1
  }
  expect(count).toBe(ids.length)
  expect(longest).toBeLessThan(10_000_000)
})
