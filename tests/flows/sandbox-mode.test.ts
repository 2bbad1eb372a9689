import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Outcome } from '../../contract/kit/outcomes.ts'
import { moveClock } from '../../server/clock.ts'
import { migrateDatabase } from '../../server/db/migrate.ts'
import { markDatabase, SandboxMismatch, sandboxSearchPath } from '../../server/db/sandbox.ts'
import { root } from '../../server/root.ts'
import { readOutcomes } from '../../server/sandbox-mode/outcomes.ts'
import { openSandboxMode, type SandboxMode } from '../../server/sandbox-mode/sandbox.ts'
import { seededWorld } from '../../server/sandbox-mode/world.ts'
import { type App, startApp } from '../support/app.ts'
import { shellBlocksOf } from '../support/guides.ts'
import { endpoints } from '../support/published.ts'
import { replayedOutcomes } from '../support/replay.ts'
import { createDatabase, type TestDatabase } from '../support/server.ts'
import { runShell, testWithCurl } from '../support/shell.ts'

/* Sandbox mode: every documented outcome on demand, the seeded world and the clock. Everything else is real. */

let database: TestDatabase
let app: App
let sandbox: SandboxMode
let ranJobs = 0

beforeAll(async () => {
  database = await createDatabase('nothing')
  await markDatabase(database.url, true)
  await migrateDatabase(database.url)
  app = await startApp({
    databaseUrl: database.url,
    database: { searchPath: sandboxSearchPath },
    config: { SANDBOX: true },
    sandbox: () => sandbox,
  })
  sandbox = await openSandboxMode(app.db, app.files, app.keyring, async () => {
    ranJobs++
  })
})

afterAll(async () => {
  moveClock(0)
  await app.stop()
  await database.drop()
})

const table = readOutcomes()
const tokens = Object.fromEntries(
  Object.entries(seededWorld.tokens).map(([token, means]) => [means, { token }]),
)
const admin = tokens['admin of the garden club']
const [botOfResults = ''] =
  Object.entries(seededWorld.bots).find(([, means]) => means === 'published, with 30 results') ?? []

test.each(Object.entries(table.operations))(
  '%s has every outcome on demand',
  async (id, { request, outcomes }) => {
    const endpoint = endpoints.find(({ operation }) => operation.operationId === id)
    const documented = Object.keys(endpoint?.operation.responses ?? {}).map(Number)
    expect([...new Set(outcomes.map(({ status }) => status))].sort()).toEqual(documented.sort())
    for (const outcome of outcomes) {
      // The client holds status, headers and body of every response against the document.
      const answer = await app.client.send(request.method, request.target, {
        headers: { ...outcome.headers, ...(request.contentType && { 'Content-Type': request.contentType }) },
        body: request.body,
        wants500: true,
      })
      const { response } = outcome
      const { mediaType, headers } =
        (typeof response === 'string' ? table.responses[response] : response) ?? {}
      expect({ status: answer.status, code: answer.body?.code }).toMatchObject(codeOf(outcome))
      expect(answer.headers['content-type']).toBe(mediaType && `${mediaType}; charset=utf-8`)
      for (const [name, value] of Object.entries(headers ?? {}))
        expect({ [name]: answer.headers[name.toLowerCase()] }).toEqual({ [name]: value })
    }
  },
)

test('outcomes on demand equal those that the replay provokes', () => {
  const onDemand = Object.entries(table.operations).flatMap(([id, { outcomes }]) =>
    outcomes.map(({ status }) => `${id} ${status}`),
  )
  const replayed = replayedOutcomes.map(({ id, name }) => `${id} ${name.slice(0, 3)}`)
  expect([...new Set(onDemand)].sort()).toEqual([...new Set(replayed)].sort())
})

function codeOf({ status, code }: Outcome) {
  return code ? { status, code } : { status }
}

test('a request without such a preference runs normally', async () => {
  const [workspaceId = ''] = Object.keys(seededWorld.workspaces)
  const read = await app.client.ok('getWorkspace', { as: admin, params: { workspaceId } })
  expect(read.workspace.name).toBe('Garden club')
  const other = await app.client.call('getWorkspace', {
    as: admin,
    params: { workspaceId },
    headers: { Prefer: 'respond-async, wait=10' },
  })
  expect(other.body).toEqual(read)
})

test('an outcome that the operation does not have is a 400 that lists those it has', async () => {
  for (const Prefer of ['code=418', 'code=200, example=nonsense', 'example=""']) {
    const answer = await app.client.send('GET', '/v1/workspaces', { headers: { Prefer } })
    expect(answer.body).toMatchObject({
      code: 'BAD_REQUEST',
      issues: [{ path: ['header', 'prefer'], code: 'invalid_value' }],
    })
    expect(answer.body.issues[0].message).toContain('code=401, example=UNAUTHORIZED')
  }
})

test('Accept and return=minimal choose among the media types of an outcome', async () => {
  const typeOf = async (method: string, target: string, headers: Record<string, string>) =>
    (await app.client.send(method, target, { headers })).headers['content-type']?.split(';')[0]
  const chat = '/api/v1/bots/any/startChat'
  expect(await typeOf('POST', chat, { Prefer: 'code=200' })).toBe('application/json')
  expect(await typeOf('POST', chat, { Prefer: 'code=200', Accept: 'text/event-stream' })).toBe(
    'text/event-stream',
  )
  expect(await typeOf('POST', '/v1/bots', { Prefer: 'code=201' })).toBe('application/json')
  expect(await typeOf('POST', '/v1/bots', { Prefer: 'return=minimal, code=201' })).toBe(
    'application/vnd.bot-builder.minimal+json',
  )
})

test('the seeded tokens have the roles and scopes that their names say', async () => {
  const statusOf = async (means: string, id: 'listWorkspaces' | 'listResults' | 'deleteResults') =>
    (
      await app.client.call(id, {
        as: tokens[means],
        params: id === 'listWorkspaces' ? {} : { botId: botOfResults },
        query: id === 'deleteResults' ? { resultIds: 'none' } : {},
      })
    ).status
  expect(await statusOf('expired', 'listWorkspaces')).toBe(401)
  expect(await statusOf('revoked', 'listWorkspaces')).toBe(401)
  expect(await statusOf('a user without a role', 'listResults')).toBe(403)
  expect(await statusOf('guest of the garden club', 'listResults')).toBe(403)
  expect(await statusOf('admin of the bike shop', 'listResults')).toBe(403)
  expect(await statusOf('admin of the garden club, with the scope read alone', 'listResults')).toBe(403)
  expect(await statusOf('admin of the garden club, with the scope results alone', 'listResults')).toBe(200)
  expect(await statusOf('member of the garden club', 'listResults')).toBe(200)
})

test('every seeded bot can be read in its version, and a chat with the published one runs to its end', async () => {
  for (const [botId, means] of Object.entries(seededWorld.bots)) {
    const { bot } = await app.client.ok('getBot', {
      as: means.endsWith('bike shop') ? tokens['admin of the bike shop'] : admin,
      params: { botId },
    })
    const [, version = '6.1'] = /version ([\d.]+)/.exec(means) ?? []
    expect(bot.version).toBe(version)
    const { findings } = await app.client.ok('checkBot', {
      as: means.endsWith('bike shop') ? tokens['admin of the bike shop'] : admin,
      params: { botId },
    })
    expect(findings).toEqual([])
  }
  const started = await app.client.ok('startChat', { params: { publicId: 'sandbox-newsletter' } })
  const { input } = await app.client.ok('continueChat', {
    params: { sessionId: started.sessionId },
    body: { message: 'ada@example.com' },
  })
  expect(input).toBeUndefined()
})

test('the clock moves the time of requests and of the database, and due jobs run', async () => {
  const send = (body: unknown) => app.client.send('POST', '/sandbox/clock', { body })
  const [first] = (await app.db.execute('SELECT now() AS now, clock_timestamp() AS then')).rows
  expect(String(first?.now)).toMatch(/^2026-01-05/)
  expect(String(first?.then)).toMatch(/^2026-01-05/)
  const before = ranJobs
  const set = await send({ now: '2031-05-06T07:08:09Z' })
  expect(set.body.now).toMatch(/^2031-05-06T07:08:/)
  expect(ranJobs).toBe(before + 1)
  const [row] = (await app.db.execute('SELECT now() AS now')).rows
  expect(String(row?.now)).toMatch(/^2031-05-06/)
  const created = await app.client.ok('createWorkspace', { as: admin, body: { name: 'Later' } })
  expect(created.workspace.createdAt).toMatch(/^2031-05-06T07:08:/)
  const advanced = await send({ advanceSeconds: 86_400 })
  expect(advanced.body.now).toMatch(/^2031-05-07T07:08:/)
  for (const body of [
    {},
    'x',
    { now: 'tomorrow' },
    { now: '2100-01-01T00:00:00Z' },
    { advanceSeconds: -1 },
    ' '.repeat(2_000),
  ])
    expect((await send(body)).body).toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: ['body'] }] })
})

test('a reset creates the same world anew, with the same clock', async () => {
  const [, publicId = ''] = seededWorld.publicIds
  const bots = async () => (await app.client.send('GET', '/sandbox')).body
  await app.client.ok('deleteBot', { as: admin, params: { botId: botOfResults } })
  await app.client.ok('startChat', { params: { publicId } })
  const reset = await app.client.send('POST', '/sandbox/reset')
  expect(reset.body).toEqual({ ...(await bots()), now: reset.body.now })
  expect(reset.body.now).toMatch(/^2026-01-05T09:00:/)
  const { results } = await app.client.ok('listResults', { as: admin, params: { botId: botOfResults } })
  expect(results).toHaveLength(20)
  const { workspaces } = await app.client.ok('listWorkspaces', { as: admin })
  expect(workspaces.map(({ name }) => name)).toEqual(['Garden club'])
})

test('a sandbox rejects a database with other data, and a service one of a sandbox', async () => {
  const real = await createDatabase()
  try {
    await expect(markDatabase(real.url, true)).rejects.toThrow(/set DATABASE_URL to an empty database/)
    await expect(markDatabase(database.url, false)).rejects.toThrow(SandboxMismatch)
    await expect(markDatabase(real.url, false)).resolves.toBeUndefined()
    await expect(markDatabase(database.url, true)).resolves.toBeUndefined()
  } finally {
    await real.drop()
  }
})

const guide = readFileSync(new URL('contract/guides/sandbox.md', root), 'utf8')

testWithCurl('the commands of the guide get outcomes, move the clock and reset', async () => {
  const [, outcomes = '', clock = ''] = shellBlocksOf(guide)
  const send = (script: string) => runShell(script, { env: { URL: app.url }, curl: '' })
  const sent = await send(outcomes)
  expect(sent.match(/HTTP\/1\.1 \d+|event: \w+/g)).toEqual([
    'HTTP/1.1 404',
    'HTTP/1.1 409',
    'event: delta',
    'event: answer',
  ])
  const moved = await send(clock)
  expect(moved.match(/(?<="now":")[^T]+/g)).toEqual(['2026-02-01', '2026-02-03', '2026-01-05'])
})

test('the guide lists every token and record of the world', () => {
  const { tokens, workspaces, users, folders, bots, webhookEndpoints, publicIds, results } = seededWorld
  const named = [tokens, workspaces, users, folders, bots, webhookEndpoints].flatMap((each) =>
    Object.entries(each),
  )
  expect(named.filter(([id, means]) => !guide.includes(`| \`${id}\` |`) || !guide.includes(means))).toEqual(
    [],
  )
  expect([...publicIds, results[0]].filter((id) => !guide.includes(`\`${id}\``))).toEqual([])
})
