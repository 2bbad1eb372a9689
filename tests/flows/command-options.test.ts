import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createProgram } from '../../server/command/program.ts'
import { runBots } from '../support/command.ts'

/*
 * Every option of every command: it is used, or rejected where the command would ignore it. Nothing here asks a
 * service.
 */

const nowhere = { url: 'http://127.0.0.1:9' }
let top: string

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'bots-options-'))
})

afterAll(() => rmSync(top, { recursive: true }))

const terminal = () => Object.assign(Readable.from([]), { isTTY: true })
const given = { env: { BOTS_TOKEN: 'a-token' }, stdin: terminal() }
const piped = { input: 'a-token\n' }

interface Rejected {
  argv: string[]
  run?: Parameters<typeof runBots>[3]
}

type Use = 'used' | Rejected[]

const login = (...argv: string[]): Rejected[] =>
  [given, piped].map((run) => ({ argv: ['login', nowhere.url, ...argv], run }))

/** Options by command: used in each combination, or those that are rejected. */
const uses: Record<string, Record<string, Use>> = {
  login: {
    profile: [{ argv: ['login', nowhere.url, '--profile', 'x'] }],
    folder: [{ argv: ['login', nowhere.url, '--folder', 'x'] }],
    json: 'used',
    name: 'used',
    scopes: login('--scopes', 'read'),
    workspace: login('--workspace', 'x'),
    days: login('--days', '90'),
  },
  pull: { profile: 'used', folder: 'used', json: 'used', workspace: 'used', overwrite: 'used' },
  migrate: {
    profile: 'used',
    folder: 'used',
    json: 'used',
    from: 'used',
    workspace: 'used',
    publish: 'used',
  },
  push: {
    profile: 'used',
    folder: 'used',
    json: 'used',
    dryRun: 'used',
    overwrite: 'used',
    publish: 'used',
    create: 'used',
  },
  diff: { profile: 'used', folder: 'used', json: 'used', published: 'used' },
  new: {
    profile: [{ argv: ['new', 'x', '--profile', 'x'] }],
    folder: 'used',
    json: 'used',
    template: 'used',
  },
  list: { profile: 'used', folder: 'used', json: 'used', workspace: 'used' },
  check: { profile: 'used', folder: 'used', json: 'used' },
  publish: {
    profile: 'used',
    folder: 'used',
    json: 'used',
    requireTests: 'used',
  },
  prove: { profile: 'used', folder: 'used', json: 'used', last: 'used', paths: 'used' },
  rollback: { profile: 'used', folder: 'used', json: 'used', to: 'used', dryRun: 'used' },
  promote: {
    profile: 'used',
    folder: 'used',
    json: 'used',
    to: 'used',
    workspace: 'used',
    bot: 'used',
    from: 'used',
    publish: 'used',
    overwrite: 'used',
    create: 'used',
    dryRun: 'used',
  },
  chat: {
    profile: 'used',
    folder: 'used',
    json: [{ argv: ['chat', 'x', '--json'] }],
    published: 'used',
  },
  results: {
    profile: 'used',
    folder: 'used',
    json: [{ argv: ['results', 'x', '--json'] }],
    out: 'used',
    format: 'used',
    timeFilter: 'used',
    createdAfter: 'used',
    createdBefore: 'used',
    status: 'used',
  },
  open: { profile: 'used', folder: 'used', json: 'used' },
  test: {
    profile: 'used',
    folder: 'used',
    json: [{ argv: ['test', 'x.bot.json', '--record', '--json'] }],
    published: 'used',
    record: 'used',
    name: [{ argv: ['test', '--name', 'x'] }],
  },
  completion: {
    profile: [{ argv: ['completion', 'bash', '--profile', 'x'] }],
    folder: [{ argv: ['completion', 'bash', '--folder', 'x'] }],
    json: [{ argv: ['completion', 'bash', '--json'] }],
  },
}

const program = createProgram({} as never)

test('the table has every option of every command', () => {
  const globals = program.options.map((option) => option.attributeName()).filter((name) => name !== 'version')
  const options = program.commands.map((command) => [
    command.name(),
    [...globals, ...command.options.map((option) => option.attributeName())].sort(),
  ])
  const listed = Object.entries(uses).map(([name, each]) => [name, Object.keys(each).sort()])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(options))
})

const rejected = Object.values(uses).flatMap((each) =>
  Object.entries(each).flatMap(([option, use]) =>
    use === 'used' ? [] : use.map(({ argv, run = {} }) => ({ option, argv, run })),
  ),
)

test.each(rejected)(
  'bots $argv is rejected for its $option, before anything is done',
  async ({ option, argv, run }) => {
    const { code, out, err } = await runBots(nowhere, top, argv, { as: null, ...run })
    const name = program.commands
      .find((command) => command.name() === argv[0])
      ?.options.concat(program.options)
      .find((each) => each.attributeName() === option)?.long
    const words = argv.includes('--json') ? JSON.parse(err).error : err
    expect([code, out]).toEqual([2, ''])
    expect(words).toContain(name)
    // It says what is wrong, and then what to do.
    expect(words.length).toBeGreaterThan(40)
  },
)
