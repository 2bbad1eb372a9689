import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type express from 'express'
import type { Config } from '../../server/config.ts'
import { createRejectionLog } from '../../server/kit/rejection-log.ts'
import { createTarpit } from '../../server/kit/tarpit.ts'
import { createLog } from '../../server/log.ts'
import { type App, startApp } from '../support/app.ts'
import type { Answer, Caller } from '../support/client.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Limits of the share of one caller in the service. Windows last an hour, so that none ends while a test runs. */

/** Furnishes the worlds of all, and has no limits itself. */
let app: App
let world: World
const started: App[] = []

beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  world = await makeWorld(app)
})
afterAll(async () => {
  for (const one of started) await one.stop()
  await app.stop()
})

async function limited(config: Partial<Config>, database: object = {}): Promise<App> {
  const { databaseUrl } = app
  const one = await startApp({
    databaseUrl,
    config: { RATE_LIMIT: true, RATE_LIMIT_SECONDS: 3_600, ...config },
    ...database,
  })
  started.push(one)
  return one
}

const list = (by: App, as?: Caller, headers: Record<string, string> = {}) =>
  by.client.call('listWorkspaces', { as, headers })

const fieldsOf = ({ headers }: Answer) => [headers['ratelimit-policy'], headers.ratelimit]

describe('the rate limit', () => {
  test('every response has the remaining requests, and a 429 the time to retry', async () => {
    const { admin } = world.here
    const by = await limited({ RATE_LIMIT_TOKEN: 2 })
    const policy = '"token";q=2;w=3600, "parallel";q=20;qu="concurrent-requests"'
    expect(fieldsOf(await list(by, admin))).toEqual([policy, '"token";r=1;t=3600'])
    const missing = await by.client.call('getBot', { as: admin, params: { botId: 'none' } })
    expect(missing.status).toBe(404)
    expect(missing.headers.ratelimit).toMatch(/^"token";r=0;t=3\d{3}$/)
    const refused = await list(by, admin)
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toMatch(/^3\d{3}$/)
    expect(refused.body.issues).toEqual([
      { path: [], code: 'rate_exceeded', message: 'The token may send 2 requests in 3600 seconds' },
    ])
  })

  test('tokens are counted apart, and also where the body names the workspace', async () => {
    const { admin, member } = world.here
    const by = await limited({ RATE_LIMIT_TOKEN: 2 })
    const create = () =>
      by.client.call('createBot', { as: admin, body: { workspaceId: world.here.workspaceId, bot: {} } })
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(429)
    expect((await list(by, admin)).status).toBe(429)
    expect((await list(by, member)).status).toBe(200)
  })

  test('a body over the limit is not read', async () => {
    const by = await limited({ RATE_LIMIT_TOKEN: 1 })
    await list(by, world.here.admin)
    const answer = await by.client.send('POST', '/v1/bots', {
      as: world.here.admin,
      body: 'x'.repeat(5_000_000),
    })
    expect(answer.status).toBe(429)
  })

  test('requests without a valid token count by address, whatever they sent instead', async () => {
    const by = await limited({ RATE_LIMIT_ADDRESS: 3 })
    const callers = [undefined, world.unknown, world.revoked]
    for (const caller of callers) expect((await list(by, caller)).status).toBe(401)
    for (const caller of callers) expect((await list(by, caller)).status).toBe(429)
    expect((await list(by, world.stranger)).status).toBe(200)
    const chat = await by.client.call('startChat', { params: { publicId: world.here.published.publicId } })
    expect(chat.status).toBe(429)
    expect(chat.headers.ratelimit).toMatch(/^"address";r=0;/)
  })

  test('a token over its limit is rejected before any look-up', async () => {
    const { admin } = world.here
    const by = await limited({ RATE_LIMIT_TOKEN: 1 })
    await list(by, admin)
    by.statements.length = 0
    for (let turn = 0; turn < 3; turn++) expect((await list(by, admin)).status).toBe(429)
    expect(by.statements).toEqual([])
  })

  test('a revoked token counts as none from its first rejection on', async () => {
    const by = await limited({ RATE_LIMIT_TOKEN: 5, RATE_LIMIT_ADDRESS: 1 })
    const made = await by.client.ok('createToken', { as: world.stranger, body: { name: 'For a while' } })
    const caller = { token: made.apiToken.token }
    expect((await list(by, caller)).headers.ratelimit).toMatch(/^"token";r=4;/)
    await by.client.ok('revokeToken', { as: world.stranger, params: { tokenId: made.apiToken.id } })
    expect((await list(by, caller)).status).toBe(401)
    expect((await list(by, caller)).headers.ratelimit).toMatch(/^"address";r=0;/)
    expect((await list(by, caller)).status).toBe(429)
  })

  test('probes, metrics, fixed pages, documents, preflights and unknown paths are not counted', async () => {
    const { publicId } = world.here.published
    const by = await limited({ RATE_LIMIT_TOKEN: 1, RATE_LIMIT_ADDRESS: 1 })
    expect((await list(by, undefined)).status).toBe(401)
    expect((await list(by, world.stranger)).status).toBe(200)
    for (const path of ['/livez', '/readyz', '/metrics', '/docs', '/openapi.yaml', '/chat/files/page.js']) {
      const Authorization = `Bearer ${world.stranger.token}`
      const { status, headers } = await fetch(by.url + path, { headers: { Authorization } })
      expect([path, status, headers.get('ratelimit-policy')]).toEqual([path, 200, null])
    }
    const target = `/api/v1/bots/${publicId}/startChat`
    expect((await by.client.send('OPTIONS', target)).status).toBe(204)
    expect((await by.client.send('GET', target)).status).toBe(405)
    expect((await by.client.send('GET', '/nothing')).status).toBe(404)
    const refused = await by.client.send('POST', target, { headers: { Origin: 'https://site.example' } })
    expect(refused.status).toBe(429)
    expect(refused.headers).toMatchObject({
      'access-control-allow-origin': 'https://site.example',
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
    })
  })

  test('chat pages, the first page, files and unknown tokens at /metrics count for the address', async () => {
    const { publicId } = world.here.published
    for (const path of [`/chat/${publicId}`, '/', '/files/a/b/c', '/metrics']) {
      const by = await limited({ RATE_LIMIT_ADDRESS: 2 })
      const ask = () => fetch(by.url + path, { headers: { Authorization: `Bearer ${world.unknown.token}` } })
      const statuses = [(await ask()).status, (await ask()).status]
      expect([path, ...statuses]).not.toContain(429)
      by.statements.length = 0
      expect([path, (await ask()).status, by.statements]).toEqual([path, 429, []])
      expect([path, (await list(by, undefined)).status]).toEqual([path, 429])
      expect((await list(by, world.stranger)).status).toBe(200)
      const { status } = await by.client.send('GET', '/metrics', { as: world.stranger })
      expect(status).toBe(200)
    }
  })

  test('fixed pages and documents have a limit of their own, 200 in a window', async () => {
    const by = await limited({ RATE_LIMIT_ADDRESS: 1 })
    for (let turn = 0; turn < 200; turn++) {
      const { status } = await fetch(`${by.url}/chat/files/star.svg`)
      expect(status).toBe(200)
    }
    const refused = await fetch(`${by.url}/openapi.yaml`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^3\d{3}$/),
    ])
    expect(await refused.text()).toContain('The address may send 200 requests for pages in 3600 seconds')
    expect((await fetch(`${by.url}/livez`)).status).toBe(200)
    expect((await list(by, undefined)).status).toBe(401)
  })

  test('all tokens of a user together have twice the allowance of one', async () => {
    const by = await limited({ RATE_LIMIT_TOKEN: 2, RATE_LIMIT_CONCURRENT: 1 })
    const tokens: Caller[] = []
    for (const name of ['One', 'Two', 'Three']) {
      const { apiToken } = await app.client.ok('createToken', { as: world.stranger, body: { name } })
      tokens.push({ token: apiToken.token })
    }
    const [one, two, three] = tokens as [Caller, Caller, Caller]
    for (const token of [one, one, two, two]) expect((await list(by, token)).status).toBe(200)
    const refused = await list(by, three)
    expect(refused.status).toBe(429)
    expect(refused.headers.ratelimit).toMatch(/^"user";r=0;t=3\d{3}$/)
    expect(refused.body.issues).toEqual([
      { path: [], code: 'rate_exceeded', message: 'The user may send 4 requests in 3600 seconds' },
    ])
    expect((await list(by, world.here.member)).status).toBe(200)
  })

  test('rejections are a metric and a line now and then, not a line each', async () => {
    const { admin } = world.here
    const by = await limited({ RATE_LIMIT_TOKEN: 1, RATE_LIMIT_ADDRESS: 1 })
    await list(by, admin)
    const refused = await Promise.all([1, 2, 3].map(() => list(by, admin)))
    await list(by, undefined)
    refused.push(await list(by, undefined))
    await by.client.send('GET', '/livez')
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429])
    const ids = refused.map(({ headers }) => headers['x-request-id'])
    expect(by.logs.filter(({ requestId }) => ids.includes(requestId as string))).toEqual([])
    const { text } = await by.client.send('GET', '/metrics', { as: admin })
    expect(text).toContain('http_requests_over_limit_total{limit="token_rate"} 3\n')
    expect(text).toContain('http_requests_over_limit_total{limit="address_rate"} 1\n')
    expect(text).not.toMatch(/http_request_duration_seconds_count\{[^}]*status="429"/)
  })

  test('the line names the tokens with the most rejections, and no address', async () => {
    const lines: string[] = []
    const written = new EventEmitter()
    const log = createLog('info', { write: (line: string) => written.emit('line', lines.push(line)) })
    const tally = createRejectionLog(log, 1)
    for (let token = 0; token < 12; token++) {
      for (let turn = 0; turn <= token; turn++) tally.add(`token-${token}`)
    }
    tally.add(undefined)
    await once(written, 'line')
    const { refused, withoutToken, tokens } = JSON.parse(lines[0] as string)
    expect([refused, withoutToken, Object.keys(tokens).length]).toEqual([79, 1, 10])
    expect(tokens).toMatchObject({ 'token-11': 12, 'token-2': 3 })
    tally.add('token-0')
    await once(written, 'line')
    expect(JSON.parse(lines[1] as string)).toMatchObject({ refused: 1, tokens: { 'token-0': 1 } })
  })

  const from = (address: string) => ({ 'X-Forwarded-For': address })

  test('the header of a proxy counts only where the proxy is trusted, and its absence is logged once', async () => {
    const open = await limited({ RATE_LIMIT_ADDRESS: 1 })
    expect((await list(open, undefined, from('192.0.2.1'))).status).toBe(401)
    expect((await list(open, undefined, from('192.0.2.2'))).status).toBe(429)
    expect((await list(open, undefined, from('192.0.2.3'))).status).toBe(429)
    expect(open.logs.filter(({ msg }) => /TRUST_PROXY/.test(String(msg)))).toHaveLength(1)

    const behind = await limited({ RATE_LIMIT_ADDRESS: 1, TRUST_PROXY: ['loopback'] })
    expect((await list(behind, undefined, from('192.0.2.1'))).status).toBe(401)
    expect((await list(behind, undefined, from('192.0.2.1'))).status).toBe(429)
    // The proxy appends the address after the part that the caller wrote.
    expect((await list(behind, undefined, from('192.0.2.9, 192.0.2.1'))).status).toBe(429)
    expect((await list(behind, undefined, from('192.0.2.2'))).status).toBe(401)
    expect(behind.logs.filter(({ msg }) => /TRUST_PROXY/.test(String(msg)))).toEqual([])
  })

  test.each([
    ['TRUST_PROXY=true', true as const],
    ['a number of proxies', 1],
    ['addresses of proxies', ['loopback']],
  ])(
    'ports behind addresses and malformed addresses are no callers of their own with %s',
    async (_, trusted) => {
      const by = await limited({ RATE_LIMIT_ADDRESS: 1, TRUST_PROXY: trusted })
      expect((await list(by, undefined, from('203.0.113.9:40001'))).status).toBe(401)
      for (const same of ['203.0.113.9:40002', '203.0.113.9', '[::ffff:203.0.113.9]:5'])
        expect([same, (await list(by, undefined, from(same))).status]).toEqual([same, 429])
      expect((await list(by, undefined, from('[2001:db8::1]:443'))).status).toBe(401)
      expect((await list(by, undefined, from('2001:db8::2'))).status).toBe(429)
      expect((await list(by, undefined, from('unknown'))).status).toBe(401)
      for (const same of ['_hidden', 'made-up-1', '1', '203.0.113'])
        expect([same, (await list(by, undefined, from(same))).status]).toEqual([same, 429])
    },
  )

  test('addresses of IPv6 are counted by 64 bits, and those with an embedded IPv4 address as that', async () => {
    const by = await limited({ RATE_LIMIT_ADDRESS: 1, TRUST_PROXY: 1 })
    expect((await list(by, undefined, from('2001:db8:0:1::1'))).status).toBe(401)
    expect((await list(by, undefined, from('2001:db8:0:1:ffff::2'))).status).toBe(429)
    expect((await list(by, undefined, from('2001:db8:0:2::1'))).status).toBe(401)
    expect((await list(by, undefined, from('192.0.2.7'))).status).toBe(401)
    expect((await list(by, undefined, from('::ffff:192.0.2.7'))).status).toBe(429)
  })

  test('without limits nothing is counted and no header sent', async () => {
    const by = await limited({ RATE_LIMIT: false, RATE_LIMIT_TOKEN: 1, RATE_LIMIT_CONCURRENT: 1 })
    await list(by, world.stranger)
    expect(fieldsOf(await list(by, world.stranger))).toEqual([undefined, undefined])
  })
})

/** Keeps every change of a bot from going on until `release`; `arrived` after so many came. */
function hold(by: App, count: number) {
  let release = () => {}
  let arrive = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  let left = count
  by.beforeStatement = async (text) => {
    if (!/UPDATE "?bots/i.test(text)) return
    if (--left === 0) arrive()
    await gate
  }
  return { release, arrived }
}

const rename = (by: App, as: Caller) =>
  by.client.call('updateBot', {
    as,
    params: { botId: world.here.draft.id },
    body: { bot: { version: '6.1', name: 'Another' } },
  })

describe('the limit of concurrent requests', () => {
  test('a token with the maximum of concurrent requests is rejected, and others are not', async () => {
    const { admin, member } = world.here
    const by = await limited({ RATE_LIMIT_CONCURRENT: 2 })
    const { release, arrived } = hold(by, 2)
    const running = [rename(by, admin), rename(by, admin)]
    await arrived
    const refused = await list(by, admin)
    expect(refused.status).toBe(429)
    expect(refused.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"parallel";r=0' })
    expect(refused.body.issues).toEqual([
      { path: [], code: 'concurrency_exceeded', message: 'The token may send 2 requests at once' },
    ])
    for (let turn = 0; turn < 10; turn++) expect((await list(by, member)).status).toBe(200)
    release()
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200)
    expect((await list(by, admin)).status).toBe(200)
  })

  test('a slot is free again after every rejection and error', async () => {
    const by = await limited({ RATE_LIMIT_CONCURRENT: 1, CONCURRENT_REQUESTS: 1, REQUEST_QUEUE_LENGTH: 0 })
    const { draft } = world.here
    for (let turn = 0; turn < 2; turn++) {
      expect((await list(by, world.unknown)).status).toBe(401)
      expect(
        (await by.client.call('getBot', { as: world.stranger, params: { botId: draft.id } })).status,
      ).toBe(403)
      expect((await by.client.send('POST', '/v1/bots', { as: world.stranger, body: '{' })).status).toBe(400)
      await app.pool.query('ALTER TABLE workspaces RENAME TO hidden')
      const broken = await by.client
        .call('listWorkspaces', { as: world.stranger, wants500: true })
        .finally(() => app.pool.query('ALTER TABLE hidden RENAME TO workspaces'))
      expect(broken.status).toBe(500)
      expect((await list(by, world.stranger)).status).toBe(200)
    }
  })

  test('when the process is full, the next requests wait in a bounded queue, each until its timeout', async () => {
    const { admin, member } = world.here
    const full = { CONCURRENT_REQUESTS: 1, REQUEST_QUEUE_LENGTH: 1 }
    const patient = await limited({ ...full, REQUEST_QUEUE_TIMEOUT: 600_000 })
    const { release, arrived } = hold(patient, 1)
    const running = rename(patient, admin)
    await arrived
    // One of both waits, the other finds the line full; which, their arrival decides.
    const next = [list(patient, member), list(patient, admin)]
    const first = await Promise.race(next)
    expect(first.status).toBe(503)
    expect(first.headers['retry-after']).toBe('1')
    release()
    expect((await running).status).toBe(200)
    expect((await Promise.all(next)).map(({ status }) => status).sort()).toEqual([200, 503])

    const hasty = await limited({ ...full, REQUEST_QUEUE_TIMEOUT: 1 })
    const other = hold(hasty, 1)
    const held = rename(hasty, admin)
    await other.arrived
    expect((await list(hasty, member)).status).toBe(503)
    other.release()
    expect((await held).status).toBe(200)
    expect((await list(hasty, member)).status).toBe(200)
  })
})

describe('the tarpit', () => {
  /** So long that no test sees the end of it. */
  const long = { RATE_LIMIT_TOKEN: 1, RATE_LIMIT_DELAY: 10_000_000 }

  /** Sends on a connection of its own, which \`leave\` cuts. */
  function ask(by: App, { token }: Caller) {
    const headers = { Authorization: `Bearer ${token}` }
    const asked = request(`${by.url}/v1/workspaces`, { agent: false, headers }).end()
    asked.on('error', () => {})
    const answered = once(asked, 'response').then(([{ statusCode, headers }]) => ({ statusCode, headers }))
    answered.catch(() => {})
    return { answered, leave: () => asked.destroy() }
  }

  test('a 429 over the limit is delayed, others are not; beyond 100 delayed ones it is sent at once', async () => {
    const { admin, member } = world.here
    const by = await limited(long)
    await list(by, admin)
    const held = Array.from({ length: 101 }, () => ask(by, admin))
    // One of these 101 is too many, whichever comes last.
    const first = await Promise.race(held.map(({ answered }) => answered))
    expect(first).toMatchObject({ statusCode: 429, headers: { connection: 'close' } })
    expect((await list(by, member)).status).toBe(200)
    for (const { leave } of held) leave()
  })

  test('a bounded number of one caller and of all wait, and a disconnect frees one', async () => {
    const holding = createTarpit()
    const waiting: EventEmitter[] = []
    const ask = (caller: string) => {
      const response = new EventEmitter()
      const answer = holding.wait(caller, response as unknown as express.Response, 1_000_000)
      return Promise.race([answer, Promise.resolve('held' as const)]).finally(() => waiting.push(response))
    }
    for (let count = 0; count < 100; count++) expect(await ask('one')).toBe('held')
    expect(await ask('one')).toBe(false)
    for (let count = 0; count < 900; count++) expect(await ask(`other ${count}`)).toBe('held')
    expect(await ask('last')).toBe(false)
    waiting[0]?.emit('close')
    expect(await ask('one')).toBe('held')
    expect(await ask('one')).toBe(false)
    for (const response of waiting) response.emit('close')
    for (const response of waiting) expect(response.listenerCount('close')).toBe(0)
    expect(await ask('last')).toBe('held')
    waiting.at(-1)?.emit('close')
  })

  test('its delay is subtracted from Retry-After', async () => {
    const { admin } = world.here
    const by = await limited({ RATE_LIMIT_TOKEN: 1, RATE_LIMIT_SECONDS: 2, RATE_LIMIT_DELAY: 1_500 })
    // Windows end while this runs, so a rejection is looked for.
    const answers = await Promise.all([1, 2, 3].map(() => list(by, admin)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1')
  })
})

describe('limits of the client logs of a session', () => {
  const save = (sessionId: string, count: number) =>
    app.client.call('saveClientLogs', {
      params: { sessionId },
      body: { clientLogs: Array.from({ length: count }, (_, at) => ({ description: `${at}` })) },
    })

  async function kept(resultId: string | undefined): Promise<number> {
    const { rows } = await app.pool.query(
      `SELECT count(*)::int AS kept FROM result_logs WHERE result_id = $1 AND description ~ '^[0-9]+$'`,
      [resultId],
    )
    return rows[0].kept
  }

  test('a session keeps 1,000 entries, rejects more as a whole, and others have their own', async () => {
    const params = { publicId: world.here.published.publicId }
    const { sessionId, resultId } = await app.client.ok('startChat', { params })
    // At once, so that each counts what the others have written.
    const filled = await Promise.all(Array.from({ length: 11 }, () => save(sessionId, 90)))
    expect(filled.map(({ status }) => status)).toEqual(Array(11).fill(200))
    const refused = await save(sessionId, 11)
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('3600')
    expect(refused.body.issues).toEqual([
      {
        path: ['body', 'clientLogs'],
        code: 'quota_exceeded',
        message: 'A session may have 1000 entries in all, and would have more',
      },
    ])
    expect((await save(sessionId, 10)).status).toBe(200)
    const late = await Promise.all([save(sessionId, 1), save(sessionId, 1), save(sessionId, 0)])
    expect(late.map(({ status }) => status)).toEqual([429, 429, 200])
    expect(await kept(resultId)).toBe(1_000)
    const other = await app.client.ok('startChat', { params })
    expect((await save(other.sessionId, 100)).status).toBe(200)
    // The chat continues all the same.
    const reply = { params: { sessionId }, body: { message: 'ada@example.com' } }
    expect((await app.client.call('continueChat', reply)).status).toBe(200)
  })
})
