import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { operations } from '../../contract/index.ts'
import type { rangeFilters, searchFilters } from '../../contract/result-filters.ts'
import { newId } from '../../server/ids.ts'
import { MAX_EXAMINED_BYTES, MAX_EXAMINED_RESULTS } from '../../server/results/page.ts'
import fc from '../kit/fast-check.ts'
import { type App, startApp } from '../support/app.ts'
import type { Answer } from '../support/client.ts'
import { until } from '../support/process.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Filters of results, against looking at every result. */

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

interface Made {
  id: string
  createdAt: number
  hasStarted: boolean
  isCompleted: boolean
  answers: string[]
  variables: { id: string; name: string; value: string | (string | null)[] }[]
}

async function insert(made: readonly Made[]) {
  const rows = made.map(({ createdAt, ...rest }) => ({
    ...rest,
    created_at: new Date(createdAt).toISOString(),
  }))
  await app.pool.query(
    `WITH given AS (
      SELECT * FROM json_to_recordset($2::json)
        AS r(id text, created_at timestamptz, "hasStarted" boolean, "isCompleted" boolean, answers json, variables json)
    ), answers AS (
      INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
      SELECT $1, given.id, place, 'block', content, given.created_at
      FROM given, json_array_elements_text(given.answers) WITH ORDINALITY AS a(content, place)
    )
    INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, id, variables, "hasStarted", "isCompleted", false, created_at, created_at FROM given`,
    [botId, JSON.stringify(rows)],
  )
}

type Query = Record<string, string | number>

const list = (query: Query): Promise<Answer> =>
  app.client.call('listResults', { as: site.member, params: { botId }, query })

const statsOf = async (query: Query) =>
  (await app.client.ok('getStats', { as: site.member, params: { botId }, query })).stats

/** All that is listed, page by page. */
async function collect(query: Query, between: () => Promise<unknown> = async () => {}): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { status, body, text } = await list(cursor === undefined ? query : { ...query, cursor })
    if (status !== 200) throw new Error(text)
    ids.push(...body.results.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
    await between()
  }
  return ids
}

async function exported(query: Query): Promise<string[]> {
  const { text } = await app.client.call('exportResults', { as: site.member, params: { botId }, query })
  return text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => String(line.split(',')[0]))
}

const TIMES = [-2, -1, 0, 1, 2].map((minutes) => Date.parse('2026-03-09T10:00:00.000Z') + minutes * 60_000)

/** Texts that a pattern would take for something else than they are. */
const words = fc.constantFrom('a', 'A', 'b', '%', '_', '\\', 'é', 'É', 'e\u0301', "'", '"', ':')
const phrase = fc.array(words, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''))
const name = fc.constantFrom('Name', 'name', 'N%', 'with:colon')
const value = fc.oneof(phrase, fc.array(fc.option(phrase), { maxLength: 2 }))

const record = fc.record({
  createdAt: fc.constantFrom(...TIMES),
  hasStarted: fc.boolean(),
  isCompleted: fc.boolean(),
  answers: fc.array(phrase, { maxLength: 3 }),
  variables: fc.array(
    fc.record({ name, value }).map((variable) => ({ id: variable.name, ...variable })),
    {
      maxLength: 2,
    },
  ),
})

type FilterName = Exclude<keyof typeof rangeFilters | keyof typeof searchFilters, 'timeFilter' | 'timeZone'>

/** Every filter of the contract but those by days, which tests/results/time-range.test.ts has. */
const filters = {
  status: fc.constantFrom('started', 'completed'),
  createdAfter: fc.constantFrom(...TIMES.slice(0, 3)).map((time) => new Date(time).toISOString()),
  createdBefore: fc
    .constantFrom(...TIMES.slice(3))
    .map((time) => new Date(time + 3_600_000).toISOString().replace('Z', '+01:00')),
  answerContains: phrase,
  variable: fc.tuple(name, phrase).map((parts) => parts.join(':')),
  limit: fc.integer({ min: 1, max: 5 }),
} satisfies Record<FilterName | 'limit', fc.Arbitrary<unknown>>

const filter = fc.record(filters, { requiredKeys: ['limit'] })

type Filter = typeof filter extends fc.Arbitrary<infer T> ? T : never

/** The same without a database. */
function isWanted(result: Made, { status, createdAfter, createdBefore, answerContains, variable }: Filter) {
  const has = (what: string | (string | null)[], wanted: string, named: string) =>
    named === wanted.slice(0, wanted.indexOf(':')) &&
    (Array.isArray(what) ? what : [what]).includes(wanted.slice(wanted.indexOf(':') + 1))
  return (
    (status === undefined || (result.hasStarted && result.isCompleted === (status === 'completed'))) &&
    (createdAfter === undefined || result.createdAt >= Date.parse(createdAfter)) &&
    (createdBefore === undefined || result.createdAt < Date.parse(createdBefore)) &&
    (answerContains === undefined ||
      result.answers.some((answer) =>
        answer.normalize().toLowerCase().includes(answerContains.normalize().toLowerCase()),
      )) &&
    (variable === undefined || result.variables.some((one) => has(one.value, variable, one.name)))
  )
}

const newestFirst = (a: Made, b: Made) => b.createdAt - a.createdAt || (b.id < a.id ? -1 : 1)

test('a filter by variable reads the first colon as the end of the name', async () => {
  const one = { createdAt: TIMES[0] as number, hasStarted: true, isCompleted: false, answers: ['x'] }
  await insert([
    { ...one, id: 'value-with-colon', variables: [{ id: 'u', name: 'UTM', value: 'source:mail' }] },
    { ...one, id: 'entry-with-colon', variables: [{ id: 'u', name: 'UTM', value: [null, 'source:mail'] }] },
    { ...one, id: 'name-with-colon', variables: [{ id: 's', name: 'UTM:source', value: 'mail' }] },
    { ...one, id: 'list-of-name-with-colon', variables: [{ id: 's', name: 'UTM:source', value: ['mail'] }] },
  ])
  const ids = ['value-with-colon', 'entry-with-colon']
  expect(await collect({ variable: 'UTM:source:mail' })).toEqual(ids)
  expect(await exported({ variable: 'UTM:source:mail' })).toEqual(ids)
})

test('lists, exports and statistics have the same results as a search through all', async () => {
  const property = fc.asyncProperty(
    fc.array(record, { maxLength: 15 }),
    fc.array(filter, { minLength: 3, maxLength: 6 }),
    async (records, filters) => {
      await app.pool.query('DELETE FROM results WHERE bot_id = $1', [botId])
      await app.pool.query('DELETE FROM result_answers WHERE bot_id = $1', [botId])
      const made = records.map((one) => ({ ...one, id: newId(new Date(one.createdAt)) })).sort(newestFirst)
      await insert(made)
      for (const query of filters) {
        const started = made.filter((one) => one.hasStarted && isWanted(one, query)).map(({ id }) => id)
        const { limit: _, answerContains, variable, ...range } = query
        expect({ query, ids: await collect(query) }).toEqual({ query, ids: started })
        const search = {
          ...range,
          ...(answerContains ? { answerContains } : {}),
          ...(variable ? { variable } : {}),
        }
        expect({ query, ids: await exported(search) }).toEqual({ query, ids: started })
        const counted = made.filter((one) => isWanted(one, { ...range, limit: 1 }))
        expect({ range, ...(await statsOf(range)) }).toEqual({
          range,
          totalViews: counted.length,
          totalStarts: counted.filter(({ hasStarted }) => hasStarted).length,
          totalCompleted: counted.filter(({ hasStarted, isCompleted }) => hasStarted && isCompleted).length,
        })
      }
    },
  )
  await fc.assert(property, { numRuns: runs(6, 150) })
})

const plain = (createdAt: number, answer: string): Made => ({
  id: newId(new Date(createdAt)),
  createdAt,
  hasStarted: true,
  isCompleted: false,
  answers: [answer],
  variables: [],
})

test('filtered pages join while results arrive, change and go', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.boolean(), { minLength: 5, maxLength: 20 }),
    fc.array(fc.nat(19), { maxLength: 6 }),
    fc.integer({ min: 1, max: 3 }),
    async (wanted, doomed, limit) => {
      await app.pool.query('DELETE FROM results WHERE bot_id = $1', [botId])
      await app.pool.query('DELETE FROM result_answers WHERE bot_id = $1', [botId])
      const at = Date.parse('2026-03-09T10:00:00.000Z')
      const made = wanted
        .map((isIt, place) => plain(at - place * 1000, isIt ? 'wanted' : 'other'))
        .sort(newestFirst)
      await insert(made)
      const going = doomed.map((place) => made[place % made.length]?.id ?? '')
      const gone = new Set<string>()
      let later = 0
      const ids = await collect({ limit, answerContains: 'WANTED' }, async () => {
        await insert([plain(at + ++later * 1000, 'wanted')])
        const resultIds = going.shift()
        if (resultIds === undefined) return
        gone.add(resultIds)
        await app.client.ok('deleteResults', { as: site.member, params: { botId }, query: { resultIds } })
      })
      const staying = made.filter(({ id, answers }) => answers[0] === 'wanted' && !gone.has(id))
      expect(ids.filter((id) => !gone.has(id))).toEqual(staying.map(({ id }) => id))
      expect(new Set(ids).size).toBe(ids.length)
    },
  )
  await fc.assert(property, { numRuns: runs(4, 60) })
})

describe('a page', () => {
  async function addMany(count: number) {
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
      SELECT $1, 'many-' || lpad(n::text, 6, '0'), '[]', true, n = $2, false, at, at
      FROM (SELECT n, '2026-03-01T00:00:00Z'::timestamptz - n * interval '1 second' AS at
        FROM generate_series(1, $2::int) n) AS made`,
      [botId, count],
    )
  }

  test('examines a bounded number of results: it may be empty and not be the last', async () => {
    await addMany(1_601)
    const query = { status: 'completed', limit: 5 }
    const pages: { ids: string[]; hasNext: boolean }[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await list(cursor === undefined ? query : { ...query, cursor })
      pages.push({
        ids: body.results.map(({ id }: { id: string }) => id),
        hasNext: body.nextCursor !== null,
      })
      cursor = body.nextCursor
    }
    expect(pages).toEqual([
      { ids: [], hasNext: true },
      { ids: [], hasNext: true },
      { ids: ['many-001601'], hasNext: false },
    ])
    expect(await exported({ status: 'completed' })).toEqual(['many-001601'])
  })

  test.each(['variable=Name:nothing', 'answerContains=nothing'])(
    'ends once it has examined 24 MB, and the pages after it find the rest: %s',
    async (filter) => {
      const [key = '', value = ''] = filter.split('=')
      await addMany(40)
      await app.pool.query(
        `UPDATE results SET variables = json_build_array(json_build_object(
          'id', 'n', 'name', 'Name', 'value', repeat('long ', 200000))) WHERE bot_id = $1`,
        [botId],
      )
      await app.pool.query(
        `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
        SELECT bot_id, id, 0, 'b', repeat('long ', 200000), created_at FROM results WHERE bot_id = $1`,
        [botId],
      )
      const first = await list({ [key]: value })
      expect([first.status, first.body.results, first.body.nextCursor === null]).toEqual([200, [], false])
      const second = await list({ [key]: value, cursor: first.body.nextCursor })
      expect([second.status, second.body.results, second.body.nextCursor]).toEqual([200, [], null])
      await app.pool.query('DELETE FROM result_answers WHERE bot_id = $1', [botId])
    },
  )

  test('examines the maximum of its operation', () => {
    const megabytes = MAX_EXAMINED_BYTES / 1_000_000
    expect(operations.listResults.description).toContain(
      `examined ${MAX_EXAMINED_RESULTS} results, or ${megabytes} MB of answers and variables`,
    )
  })

  test('includes the very last result that it examines', async () => {
    await addMany(800)
    const { body } = await list({ status: 'completed' })
    expect(body.results).toHaveLength(1)
  })
})

test('a timestamp finer than a millisecond is compared exactly', async () => {
  const made = plain(Date.parse('2026-03-09T10:00:00.001Z'), 'a')
  await insert([made])
  expect(await collect({ createdAfter: '2026-03-09T10:00:00.000999Z' })).toEqual([made.id])
  expect(await collect({ createdAfter: '2026-03-09T10:00:00.001Z' })).toEqual([made.id])
  expect(await collect({ createdAfter: '2026-03-09T10:00:00.0010000001Z' })).toEqual([])
  expect(await collect({ createdBefore: '2026-03-09T10:00:00.001Z' })).toEqual([])
  expect(await collect({ createdBefore: '2026-03-09T10:00:00.0010000001Z' })).toEqual([made.id])
  // Before and after all that can be stored.
  expect(await collect({ createdAfter: '0000-01-01T00:00:00+23:59' })).toEqual([made.id])
  expect(await collect({ createdBefore: '9999-12-31T23:59:59-23:59' })).toEqual([made.id])
})

test('a workspace runs at most two searches at once, and those of others do not wait', async () => {
  const { there } = await makeWorld(app)
  let searching = 0
  let letGo = () => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  app.beforeStatement = async (text, values) => {
    if (!text.includes('shown_bytes') || !values.includes(botId)) return
    searching++
    await held
  }
  try {
    const searches = Array.from({ length: 5 }, () => list({ answerContains: 'nobody' }))
    await until('two are searched for', () => searching === 2)
    const params = { botId: there.published.id }
    await app.client.ok('listResults', { as: there.member, params, query: { answerContains: 'nobody' } })
    expect(searching).toBe(2)
    letGo()
    expect((await Promise.all(searches)).map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(searching).toBe(5)
  } finally {
    app.beforeStatement = undefined
    letGo()
  }
})
