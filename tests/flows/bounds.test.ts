import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { safeName } from '../../server/files/kinds.ts'
import { type App, startApp } from '../support/app.ts'
import { boundNamed } from '../support/bounds.ts'
import type { Caller } from '../support/client.ts'
import { makeWorld, type World } from '../support/world.ts'

/*
 * As much as server/BOUNDS.md allows is taken, and one more is not, with the defaults of the service. Bounds that take long
 * to reach are driven by the tests that the table names.
 */

let app: App
let world: World
const started: App[] = []

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
})
afterAll(async () => {
  for (const one of started) await one.stop()
  await app.stop()
})

/** With limits whose window lasts longer than a test. */
async function limited(): Promise<App> {
  const config = { RATE_LIMIT: true, RATE_LIMIT_SECONDS: 3_600 }
  const one = await startApp({ databaseUrl: app.databaseUrl, config })
  started.push(one)
  return one
}

/** The statuses of so many requests and one more, in their order, each once for those in a row. */
async function statusesOf(count: number, send: (nth: number) => Promise<{ status: number }>) {
  const statuses: number[] = []
  for (let nth = 0; nth <= count; nth++) statuses.push((await send(nth)).status)
  return statuses.flatMap((status, at) => (status === statuses[at - 1] ? [] : [[status, at]]))
}

const list = (by: App, as?: Caller) => by.client.call('listWorkspaces', { as })

test('a token sends as many requests as the table says, and one more is a 429', async () => {
  const by = await limited()
  const most = boundNamed('RATE_LIMIT_TOKEN')
  expect(await statusesOf(most, () => list(by, world.here.admin))).toEqual([
    [200, 0],
    [429, most],
  ])
})

test('the tokens of a user send as many requests as the table says, and one more is a 429', async () => {
  const by = await limited()
  const each = boundNamed('RATE_LIMIT_TOKEN')
  const tokens: Caller[] = []
  for (let nth = 0; nth <= boundNamed('TOKENS_PER_USER'); nth++) {
    const body = { name: `Token ${nth}` }
    const { apiToken } = await app.client.ok('createToken', { as: world.stranger, body })
    tokens.push({ token: apiToken.token })
  }
  const most = boundNamed('TOKENS_PER_USER') * each
  expect(await statusesOf(most, (nth) => list(by, tokens[Math.floor(nth / each)]))).toEqual([
    [200, 0],
    [429, most],
  ])
})

test('an address sends as many requests as the table says, and one more is a 429', async () => {
  const by = await limited()
  const most = boundNamed('RATE_LIMIT_ADDRESS')
  expect(await statusesOf(most, () => list(by))).toEqual([
    [401, 0],
    [429, most],
  ])
})

test('an address loads as many pages as the table says, and one more is a 429', async () => {
  const by = await limited()
  const most = boundNamed('MAX_PAGES_PER_ADDRESS')
  expect(await statusesOf(most, () => fetch(`${by.url}/chat/files/star.svg`))).toEqual([
    [200, 0],
    [429, most],
  ])
})

test('a body without a document has as many bytes as the table says, and one more is a 413', async () => {
  const most = boundNamed('MAX_BODY_BYTES')
  const send = (bytes: number) =>
    fetch(`${app.url}/v1/workspaces`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${world.stranger.token}`,
        'Content-Type': 'application/json',
      },
      body: '{"name":"Large"}'.padEnd(bytes),
    })
  expect([(await send(most)).status, (await send(most + 1)).status]).toEqual([201, 413])
})

test('a name of a file has as many bytes as the table says, and is cut beyond', () => {
  const most = boundNamed('MAX_NAME_BYTES')
  // Only a few letters, since letters have a bound of their own.
  const letters = Math.floor((most - 4) / 3)
  const name = `${'名'.repeat(letters)}${'a'.repeat(most - 4 - 3 * letters)}.pdf`
  expect(safeName(name)).toBe(name)
  expect(Buffer.byteLength(name)).toBe(most)
  const cut = safeName(`a${name}`)
  expect([Buffer.byteLength(cut) <= most, cut.endsWith('.pdf')]).toEqual([true, true])
})
