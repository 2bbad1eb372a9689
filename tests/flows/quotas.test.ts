import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Config, readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { createQuotas } from '../../server/shares/quotas.ts'
import { openFolder } from '../../server/uploads/folder.ts'
import { hasFreeDisk } from '../../server/uploads/free-disk.ts'
import { connected } from '../cases/chatwoot.ts'
import { type App, startApp } from '../support/app.ts'
import { bot, type Part, text } from '../support/chat.ts'
import { type Published, publish } from '../support/chats.ts'
import { type Answer, anyBody } from '../support/client.ts'
import { until } from '../support/process.ts'
import { makeWorld, type World } from '../support/world.ts'

/*
 * Bounds for the storage that visitors, who pay nothing for a chat, may use in a day. Quotas are fractions of a
 * megabyte here.
 */

let app: App
let world: World
let asking: Published
let forFiles: Published
const started: App[] = []

const fileInput: Part = { type: 'file input', options: { isMultipleAllowed: true } }

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
  const questions: Part[] = Array.from({ length: 20 }, () => ({ type: 'text input' }))
  asking = await publish(app, world.here, bot({ Start: questions }, { variables: ['Name'] }))
  forFiles = await publish(app, world.here, bot({ Start: [fileInput, text('Thank you')] }))
})

afterAll(async () => {
  for (const one of started) await one.stop()
  await app.stop()
})

async function limited(config: Partial<Config>, more: object = {}): Promise<App> {
  const rates = { RATE_LIMIT: true, RATE_LIMIT_ADDRESS: 10_000, RATE_LIMIT_CONCURRENT: 1_000 }
  const one = await startApp({
    databaseUrl: app.databaseUrl,
    config: { ...rates, TRUST_PROXY: true, ...config },
    ...more,
  })
  started.push(one)
  return one
}

const from = (address: string) => ({ 'X-Forwarded-For': address })

const startBy = (by: App, address: string, { publicId }: Published, body = {}, headers = {}) =>
  by.client.call('startChat', {
    params: { publicId },
    body,
    headers: { ...from(address), ...headers },
  })

const replyBy = (by: App, address: string, sessionId: string, message: string) =>
  by.client.call('continueChat', { params: { sessionId }, body: { message }, headers: from(address) })

const uploadBy = (by: App, address: string, sessionId: string, bytes: number) =>
  by.client.call('uploadFile', {
    params: { sessionId },
    query: { fileName: 'plan.pdf' },
    body: anyBody(Buffer.alloc(bytes, 'x')),
    headers: { 'Content-Type': 'application/octet-stream', ...from(address) },
  })

function expectFull({ status, headers, body }: Answer, message: string) {
  expect([status, headers['retry-after']]).toEqual([429, '3600'])
  expect(body.issues).toEqual([
    { path: [], code: 'daily_quota_exceeded', message: expect.stringContaining(message) },
  ])
}

/** Sends until something else than a success comes, and gives that with the number of successes. */
async function untilRejected(send: () => Promise<Answer>): Promise<{ sent: number; refused: Answer }> {
  for (let sent = 0; sent < 200; sent++) {
    const answer = await send()
    if (answer.status !== 200) return { sent, refused: answer }
  }
  throw new Error('Nothing was refused')
}

describe('an address stores a bounded amount of text in a day', () => {
  const ofAddress = 'The address may store 0.1 MB of messages, answers and logs in a day'

  test('by variables that start a chat, and another address stores its own', async () => {
    const by = await limited({ TEXT_MAX_SIZE_PER_ADDRESS: 0.1 })
    const body = { prefilledVariables: { Name: 'x'.repeat(10_000) } }
    const { sent, refused } = await untilRejected(() => startBy(by, '203.0.113.1', asking, body))
    expectFull(refused, ofAddress)
    expect(sent).toBeGreaterThan(5)
    expect(sent).toBeLessThan(12)
    expect((await startBy(by, '203.0.113.2', asking, body)).status).toBe(200)
    expect((await startBy(by, '2001:db8::1', asking, body)).status).toBe(200)
  })

  test('by empty chats, of which keys keep the responses', async () => {
    const by = await limited({ TEXT_MAX_SIZE_PER_ADDRESS: 0.1 })
    const plain = await untilRejected(() => startBy(by, '203.0.113.1', asking))
    let key = 0
    const newKey = () => ({ 'Idempotency-Key': `${key++}`.padStart(36, 'k') })
    const keyed = await untilRejected(() => startBy(by, '203.0.113.2', asking, {}, newKey()))
    expectFull(keyed.refused, ofAddress)
    expect(keyed.sent).toBeLessThan(plain.sent)
    const again = { 'Idempotency-Key': '0'.padStart(36, 'k') }
    const repeated = await startBy(by, '203.0.113.2', asking, {}, again)
    expect([repeated.status, repeated.headers['idempotent-replayed']]).toEqual([200, 'true'])
  })

  test('by answers, and a repeated answer still gets its response', async () => {
    const by = await limited({ TEXT_MAX_SIZE_PER_ADDRESS: 0.1 })
    const { sessionId } = (await startBy(by, '203.0.113.1', asking)).body
    const message = 'x'.repeat(9_000)
    let replies = 0
    const { sent, refused } = await untilRejected(() =>
      replyBy(by, '203.0.113.1', sessionId, message + replies++),
    )
    expectFull(refused, ofAddress)
    expect(sent).toBeGreaterThan(2)
    expect(sent).toBeLessThan(14)
    const body = { message: message + (sent - 1), revision: sent }
    const again = { params: { sessionId }, body, headers: from('203.0.113.1') }
    expect((await by.client.call('continueChat', again)).status).toBe(200)
    const read = { params: { sessionId }, headers: from('203.0.113.1') }
    expect((await by.client.call('getSession', read)).status).toBe(200)
  })

  test('by answers, of which one copy is stored for all endpoints that subscribe to them', async () => {
    const by = await limited({ TEXT_MAX_SIZE_PER_ADDRESS: 0.1 })
    const own = await makeWorld(app)
    const made = await publish(app, own.here, bot({ Start: Array(20).fill({ type: 'text input' }) }))
    const params = { workspaceId: own.here.workspaceId }
    for (const types of [null, ['result.answered'], ['result.answered'], ['bot.published']]) {
      const body = anyBody({ url: 'https://example.com/hook', types })
      await app.client.ok('createWebhookEndpoint', { as: own.here.admin, params, body })
    }
    const counts = []
    for (const [published, address] of [
      [asking, '203.0.113.1'],
      [made, '203.0.113.2'],
    ] as const) {
      const { sessionId } = (await startBy(by, address, published)).body
      const { sent } = await untilRejected(() => replyBy(by, address, sessionId, 'x'.repeat(5_000)))
      counts.push(sent)
    }
    const [alone = 0, copied = 0] = counts
    // An answer is stored once itself, and once for three endpoints.
    expect(copied).toBeLessThan(alone)
    expect(copied).toBeGreaterThan(alone / 3)
  })

  test('by log entries of clients', async () => {
    const by = await limited({ TEXT_MAX_SIZE_PER_ADDRESS: 0.1 })
    const { sessionId } = (await startBy(by, '203.0.113.1', asking)).body
    const body = { clientLogs: Array(10).fill({ description: 'x'.repeat(1_000) }) }
    const send = () =>
      by.client.call('saveClientLogs', { params: { sessionId }, body, headers: from('203.0.113.1') })
    const { sent, refused } = await untilRejected(send)
    expectFull(refused, ofAddress)
    expect(sent).toBeGreaterThan(5)
    expect(sent).toBeLessThan(11)
  })

  test('by messages that come from Chatwoot', async () => {
    const by = await limited({ TEXT_MAX_SIZE_PER_ADDRESS: 0.1 })
    const { body, ...request } = await connected(app, world.here)
    let id = 0
    const send = () => {
      const message = { ...body, id: ++id, content: 'x'.repeat(10_000) }
      return by.client.call('receiveChatwootEvent', {
        ...request,
        body: message,
        headers: from('203.0.113.1'),
      })
    }
    const { sent, refused } = await untilRejected(send)
    expectFull(refused, ofAddress)
    expect(sent).toBeGreaterThan(5)
    expect(sent).toBeLessThan(11)
  })

  test('but not by a message that Chatwoot repeats', async () => {
    const by = await limited({ TEXT_MAX_SIZE_PER_ADDRESS: 0.1 })
    const { body, ...request } = await connected(app, world.here)
    const message = { ...body, content: 'x'.repeat(10_000) }
    for (let again = 0; again < 15; again++) {
      const headers = from('203.0.113.1')
      const { status } = await by.client.call('receiveChatwootEvent', { ...request, body: message, headers })
      expect(status).toBe(200)
    }
  })

  test('but not where callers are limited elsewhere', async () => {
    const by = await limited({ TEXT_MAX_SIZE_PER_ADDRESS: 0.001, RATE_LIMIT: false })
    for (let again = 0; again < 3; again++) {
      expect((await startBy(by, '203.0.113.1', asking)).status).toBe(200)
    }
  })
})

describe('an address uploads a bounded amount in a day', () => {
  test('however many chats it starts, and without uploads that did not arrive', async () => {
    const by = await limited(
      { UPLOAD_MAX_SIZE_PER_ADDRESS: 0.1, UPLOAD_MAX_SIZE: 1 },
      { database: { poolSize: 40 } },
    )
    const chats = () => startBy(by, '203.0.113.1', forFiles).then(({ body }) => body.sessionId as string)
    const empty = await uploadBy(by, '203.0.113.1', await chats(), 0)
    expect(empty.status).toBe(400)
    const { sent, refused } = await untilRejected(async () =>
      uploadBy(by, '203.0.113.1', await chats(), 30_000),
    )
    expectFull(refused, 'The address may store 0.1 MB of files in a day')
    expect(sent).toBe(3)
    expect((await uploadBy(by, '203.0.113.2', await chats(), 30_000)).status).toBe(200)
  })

  test('also when two files come at once', async () => {
    const by = await limited({ UPLOAD_MAX_SIZE_PER_ADDRESS: 0.1, UPLOAD_MAX_SIZE: 1 })
    const chat = async () => (await startBy(by, '203.0.113.1', forFiles)).body.sessionId
    const sessions = [await chat(), await chat()]
    // Nothing is stored before each request has read the quota.
    let waiting = 0
    let refused = 0
    by.beforeStatement = async (statement) => {
      if (!statement.startsWith('select count(*)')) return
      waiting += 1
      await until('both have asked', () => waiting === 2 || refused === 1)
    }
    const upload = async (sessionId: string) => {
      const answer = await uploadBy(by, '203.0.113.1', sessionId, 60_000)
      if (answer.status === 429) refused += 1
      return answer.status
    }
    expect((await Promise.all(sessions.map(upload))).sort()).toEqual([200, 429])
  })
})

test('all visitors of a bot together store a bounded amount in a day, which is logged once, and other bots are unaffected', async () => {
  const by = await limited({ STORED_MAX_SIZE_PER_BOT: 0.1, RATE_LIMIT: false })
  let address = 0
  const body = { prefilledVariables: { Name: 'x'.repeat(10_000) } }
  const { sent, refused } = await untilRejected(() => startBy(by, `203.0.113.${address++}`, asking, body))
  expectFull(refused, 'The visitors of the bot may store 0.1 MB in a day')
  expect(sent).toBeLessThan(12)
  expect((await startBy(by, '198.51.100.1', asking)).status).toBe(429)
  const { sessionId } = (await startBy(by, '198.51.100.1', forFiles)).body
  expect((await uploadBy(by, '198.51.100.1', sessionId, 1_000)).status).toBe(200)
  const said = by.logs.filter(({ msg }) => String(msg).includes('STORED_MAX_SIZE_PER_BOT'))
  expect(said).toMatchObject([{ botId: asking.id }])
})

test('a quota is free again a day after its first use', async () => {
  const time = { at: 1, now: () => time.at }
  const read = readConfig({ UPLOAD_MAX_SIZE_PER_ADDRESS: '1' })
  if ('problems' in read) throw new Error(read.problems.join())
  const log = createLog('silent', { write: () => {} })
  const quota = createQuotas({ config: read.config, log }, time)('203.0.113.1')
  quota.add('uploads', 'bot', 700_000)
  time.at = 86_000_000
  // The cache reads its clock once a millisecond.
  await setTimeout(5)
  expect(quota.findIssue('uploads', 'bot', 700_000)?.code).toBe('daily_quota_exceeded')
  expect(quota.findIssue('uploads', 'bot', 300_000)).toBeUndefined()
  quota.add('uploads', 'bot', 300_000)
  time.at = 86_500_000
  await setTimeout(5)
  expect(quota.findIssue('uploads', 'bot', 700_000)).toBeUndefined()
})

describe('below the floor of free disk', () => {
  test('files are rejected with the missing amount, which is logged, and chats continue', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'full-disk-'))
    const asked: number[] = []
    const hasRoom = async (bytes: number) => asked.push(bytes) > 1
    const by = await limited({}, { files: { ...openFolder(folder), hasRoom } })
    const { sessionId } = (await startBy(by, '203.0.113.1', forFiles)).body
    const refused = await uploadBy(by, '203.0.113.1', sessionId, 1_234)
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '300'])
    expect(refused.body.issues).toMatchObject([{ path: ['body'], code: 'disk_full' }])
    expect(by.logs).toContainEqual(
      expect.objectContaining({ level: 50, msg: expect.stringContaining('DISK_MIN_FREE') }),
    )
    expect((await uploadBy(by, '203.0.113.1', sessionId, 1_234)).status).toBe(200)
    expect(asked).toEqual([1_234, 1_234])
    await rm(folder, { recursive: true })
  })

  test('disk space is read for each folder, and a missing folder has no floor', async () => {
    const folder = tmpdir()
    expect(await hasFreeDisk([folder], 0, 0)).toBe(true)
    expect(await hasFreeDisk([folder], Number.MAX_SAFE_INTEGER, 0)).toBe(false)
    expect(await hasFreeDisk([join(folder, 'not there')], Number.MAX_SAFE_INTEGER, 0)).toBe(true)
    expect(await hasFreeDisk([join(folder, 'not there'), folder], Number.MAX_SAFE_INTEGER, 0)).toBe(false)
  })
})

describe('the members of a workspace write a bounded amount to visitors in a day', () => {
  async function taken(config: Partial<Config>) {
    const by = await limited({ RATE_LIMIT: false, ...config })
    const { sessionId } = (await startBy(by, '203.0.113.1', asking)).body
    const as = world.here.member
    const params = { botId: asking.id, sessionId }
    await by.client.ok('updateChat', { as, params, body: { handledBy: 'member' } })
    const write = (words: string) => by.client.call('sendMessage', { as, params, body: { text: words } })
    return { by, params, write }
  }

  test('by number, over all chats, and a rejected message is not stored', async () => {
    const { by, params, write } = await taken({ MEMBER_MESSAGES_PER_WORKSPACE: 5 })
    const { sent, refused } = await untilRejected(() => write('Hello'))
    expectFull(refused, 'The members of the workspace may write 5 messages in a day')
    // Taking the chat was the first.
    expect(sent).toBe(4)
    const { turns } = await by.client.ok('getChat', { as: world.here.member, params })
    expect(turns.filter(({ role }) => role === 'member')).toHaveLength(4)
    const other = (await startBy(by, '203.0.113.1', asking)).body.sessionId
    const ofOther = { as: world.here.member, params: { ...params, sessionId: other } }
    const take = { ...ofOther, body: { handledBy: 'member' as const } }
    expectFull(await by.client.call('updateChat', take), 'The members of the workspace may write 5 messages')
    expect((await by.client.ok('getChat', ofOther)).chat.handledBy).toBe('bot')
    // The visitor writes all the same, and the chat can be given back.
    expect((await replyBy(by, '203.0.113.1', params.sessionId, 'Hello?')).status).toBe(200)
    const given = { as: world.here.member, params, body: { handledBy: 'bot' as const } }
    expect((await by.client.call('updateChat', given)).status).toBe(200)
  })

  test('by bytes', async () => {
    const { write } = await taken({ MEMBER_MESSAGES_MAX_SIZE: 0.1 })
    const { sent, refused } = await untilRejected(() => write('x'.repeat(8_000)))
    expectFull(refused, 'The members of the workspace may write 0.1 MB of messages in a day')
    expect(sent).toBeGreaterThan(3)
    expect(sent).toBeLessThan(13)
  })
})
