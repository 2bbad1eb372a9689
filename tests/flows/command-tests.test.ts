import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { MAX_FILE_BYTES } from '../../server/command/test-file.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, text } from '../support/chat.ts'
import { publish } from '../support/chats.ts'
import { type Run, runBots, runBotsWell } from '../support/command.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Tests of conversations beside a bot: `bots test`, and `bots publish --require-tests`. */

let app: App
let here: Site
let top: string
let folder: string
let file: string
let botId: string

const flow = (greeting: string) =>
  bot(
    {
      Start: [
        text(greeting),
        ask('Name'),
        {
          id: 'prices',
          type: 'Webhook',
          options: {
            webhook: { url: 'https://prices.example/of', method: 'POST', body: '{"name": "{{Name}}"}' },
            isCustomBody: true,
            responseVariableMapping: [{ id: 'm', variableId: idOf('Price'), bodyPath: 'data.price' }],
          },
        },
        {
          id: 'test',
          type: 'AB test',
          options: { aPercent: 50 },
          items: [
            { id: 'ia', path: 'a', to: 'Cheap' },
            { id: 'ib', path: 'b', to: 'Dear' },
          ],
        },
      ],
      Cheap: [text('Only {{Price}}, {{Name}}')],
      Dear: [text('Just {{Price}}!')],
    },
    { variables: ['Name', 'Price'] },
  )

beforeAll(async () => {
  app = await startApp()
  top = mkdtempSync(join(tmpdir(), 'bots-tests-'))
})

beforeEach(async () => {
  here = (await makeWorld(app)).here
  botId = (await publish(app, here, flow('Your name?'), 'Prices')).id
  folder = mkdtempSync(join(top, 'folder-'))
  await ok(['pull', '--workspace', here.workspaceId])
  file = 'prices.bot.json'
})

afterAll(async () => {
  rmSync(top, { recursive: true })
  await app.stop()
})

const bots = (argv: string[], options: Run = {}) =>
  runBots(app, top, argv, { as: here.admin, folder, ...options })
const ok = (argv: string[], options: Run = {}) =>
  runBotsWell(app, top, argv, { as: here.admin, folder, ...options })
const write = (words: string) => writeFileSync(join(folder, 'prices.test.yaml'), words)

const passing = `# The price that the shop gives
tests:
  - name: says the price
    branches: { test: a }
    requests:
      - block: prices
        body: { price: 12 }
    chat:
      - bot: Your name?
      - visitor: Ada
      - bot: { contains: "Only 12" }
    expect:
      variables: { Name: Ada, Price: 12 }
      answers: [Ada]
      sent:
        - { url: "https://prices.example/", contains: '"Ada"' }
      isOver: true
`

test('bots test runs a file against the draft, and names tests that were not run', async () => {
  write(passing)
  const { value } = await ok(['test', '--json'])
  expect(value).toMatchObject({ passed: 1, failed: 0, bots: [{ botId, file: 'prices.test.yaml' }] })
  const [{ coverage }] = value.bots
  expect(coverage.blocks).toMatchObject({
    covered: 5,
    total: 6,
    missing: [{ id: 'Dear.0', group: 'Title Dear', type: 'text' }],
  })
  expect(coverage.edges).toMatchObject({ covered: 2, total: 3 })
  const { out } = await ok(['test', file])
  expect(out).toContain('pass says the price')
  expect(out).toContain('5 of 6 blocks, 2 of 3 edges')
  const stats = await app.client.ok('getStats', { as: here.member, params: { botId } })
  expect(stats.stats.totalViews).toBe(0)
})

test.each([
  ['bot: Your name?', 'bot: Your email?', 'at the start: expected "Your email?", the bot says "Your name?"'],
  ['contains: "Only 12"', 'contains: "Only 13"', 'after "Ada": expected {"contains":"Only 13"}'],
  ['{ test: a }', '{ test: b }', 'the bot says "Just 12!"'],
  ['block: prices', 'block: other', 'no response is given for POST https://prices.example/of'],
  ['Price: 12 }', 'Price: 13 }', 'variable Price: expected "13", it is "12"'],
  ['answers: [Ada]', 'answers: [Bob]', 'answers: expected ["Bob"], they are ["Ada"]'],
  [`'"Ada"'`, `'"Bob"'`, 'nothing was sent to https://prices.example/ with'],
  ['isOver: true', 'isOver: false', 'the chat is over; it should go on'],
  ['    expect:', '      - visitor: more\n    expect:', 'after "more": the chat was over before'],
])('bots test with %s changed to %s fails and says so', async (from, to, message) => {
  write(passing.replace(from, to))
  const { code, out } = await bots(['test', file])
  expect([code, out]).toEqual([4, expect.stringContaining(message)])
  expect(out).toContain('prices.test.yaml:3: ')
})

describe('a bad file', () => {
  test.each([
    ['tests: [', ':1: not valid YAML'],
    ['- a', ':1: the file: '],
    ['tests: []', ':1: tests: Write at least one test'],
    ['tests:\n  - chat: []', ':2: tests.0.name: Write a name for the test'],
    [
      'tests:\n  - name: x\n    chat:\n      - bot: a\n        visitor: b',
      ':4: tests.0.chat.0: Write either',
    ],
    [
      'tests:\n  - name: x\n    chat:\n      - visitor: { says: a }',
      ':4: tests.0.chat.0.visitor: Write the reply as a text',
    ],
    [
      'tests:\n  - name: x\n    talk: []\n    chat: []',
      ':3: tests.0: unknown: talk; it takes name, at, group',
    ],
    ['tests:\n  - name: x\n    chat: []\n    at: today', ':4: tests.0.at: Write a time such as'],
    ['tests:\n  - name: x\n    chat: []\n    branches: { t: c }', 'tests.0.branches.t: Write `block: a`'],
    [
      'tests:\n  - name: x\n    chat: []\n    requests:\n      - failure: late',
      ':5: tests.0.requests.0.failure: Write refused',
    ],
  ])('%j is reported with its line', async (words, message) => {
    write(words)
    const { code, err } = await bots(['test', file])
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`prices.test.yaml${message.startsWith(':') ? message : ''}`),
    ])
    expect(err).toContain(message)
  })

  test('has as many bytes as the table says, and one more is rejected', async () => {
    const words = `${passing}#${'x'.repeat(MAX_FILE_BYTES - passing.length - 1)}`
    write(words)
    expect((await bots(['test', file])).code).toBe(0)
    write(`${words}x`)
    expect((await bots(['test', file])).err).toContain('at most 2000000 bytes')
  })

  test('that expands without end is rejected', async () => {
    const levels = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 9; level++)
      levels.push(
        `${String.fromCharCode(97 + level)}: &${String.fromCharCode(97 + level)} [${Array(10)
          .fill(`*${String.fromCharCode(96 + level)}`)
          .join(', ')}]`,
      )
    write(levels.join('\n'))
    const { code, err } = await bots(['test', file])
    expect([code, err]).toEqual([1, expect.stringContaining('prices.test.yaml')])
  })
})

test('bots test --record adds a chat with its responses, which then passes', async () => {
  write('# Kept\ntests:\n  - name: first\n    chat:\n      - bot: Your name?\n')
  const input = 'Ada\n{"price": 7}\n'
  const recorded = await ok(['test', file, '--record', '--name', 'recorded'], { input })
  expect(recorded.out).toContain('POST https://prices.example/of')
  const words = readFileSync(join(folder, 'prices.test.yaml'), 'utf8')
  expect(words).toMatch(/^# Kept/)
  expect(words).toContain('price: 7')
  const { value } = await ok(['test', file, '--json'])
  expect(value).toMatchObject({ passed: 2, failed: 0 })
  expect(await bots(['test', '--record'])).toMatchObject({ code: 2 })
})

test('bots test --record --published records what visitors get, not the draft', async () => {
  const { groups } = flow('Your first name?')
  await app.client.ok('updateBot', {
    as: here.member,
    params: { botId },
    body: { bot: { version: '6.1', groups } } as never,
  })
  const { out } = await ok(['test', file, '--record', '--published'], { input: 'Ada\n{"price": 7}\n' })
  expect(out).toContain('Your name?')
  expect((await ok(['test', file, '--published', '--json'])).value).toMatchObject({ passed: 1, failed: 0 })
  expect((await bots(['test', file])).code).toBe(4)
})

test('bots test --record gives the terminal back when the chat is over', async () => {
  const terminal = new PassThrough()
  terminal.write('Ada\n{"price": 7}\n')
  await ok(['test', file, '--record', '--name', 'recorded'], { stdin: terminal })
  expect(terminal.isPaused()).toBe(true)
  expect((await ok(['test', file, '--json'])).value).toMatchObject({ passed: 1, failed: 0 })
})

test('bots publish --require-tests publishes only a draft that passes, in the tested state', async () => {
  const publications = async () =>
    (await app.client.ok('listPublications', { as: here.member, params: { botId } })).publications.length
  expect(await bots(['publish', file, '--require-tests'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no prices.test.yaml; nothing was published'),
  })
  write(passing.replace('Only 12', 'Only 13'))
  expect(await bots(['publish', file, '--require-tests'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('1 tests failed; nothing was published'),
  })
  expect(await publications()).toBe(1)
  write(passing)
  await ok(['publish', file, '--require-tests'])
  expect(await publications()).toBe(2)
})
