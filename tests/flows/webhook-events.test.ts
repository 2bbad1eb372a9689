import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { forgetDeliveries } from '../../server/jobs/expiry.ts'
import { createLog } from '../../server/log.ts'
import { type OutboundRequest, streamingClient } from '../../server/outbound/client.ts'
import { startDeliveries } from '../../server/webhooks/deliver.ts'
import { fanOutAll } from '../../server/webhooks/outbox.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* An event is stored once, however many endpoints want it, and each endpoint gets its own. */

const ENDPOINTS = 20
const ANSWERS = 40
const LONG = 196_000

let app: App
let site: Site
let receiver: Server
let host: string
let received: { path: string; id: string; body: string }[] = []
let said: string[] = []
/** The receiver responds once this is resolved. */
let held: Promise<void> | undefined
let senders: { stop: () => Promise<void> }[] = []

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    received.push({ path: String(request.url), id: String(request.headers['webhook-id']), body })
    await held
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
  app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [host] } })
})
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await app.stop()
})
beforeEach(async () => {
  received = []
  said = []
  held = undefined
  site = (await makeWorld(app)).here
})
afterEach(async () => {
  await Promise.all(senders.map((sender) => sender.stop()))
  senders = []
  await app.pool.query(
    'DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries; DELETE FROM webhook_outbox; DELETE FROM webhook_events',
  )
})

function startSender(onPost = (_request: OutboundRequest): unknown => undefined) {
  const client = streamingClient({ allowedHosts: [host] })
  const post: typeof client = (request) => {
    onPost(request)
    return client(request)
  }
  const log = createLog('info', { write: (line: string) => void said.push(line) })
  senders.push(startDeliveries({ db: app.db, log, keyring: app.keyring, post }, 50))
}

/** Endpoints at `/0`, `/1` and so on, with the types that they want. */
async function subscribe(count: number, typesOf: (at: number) => string[] | null = () => null) {
  await addEndpoints(
    app,
    site.workspaceId,
    Array.from({ length: count }, (_, at) => ({
      id: `endpoint-${at}`,
      url: `http://${host}/${at}`,
      types: typesOf(at),
    })),
  )
}

const flow = bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] })

/** Chats that answer the first question with texts that no table can make shorter. */
async function answer(count: number, bytes: number) {
  const made = await publish(app, site, flow)
  const texts: string[] = []
  const resultIds: string[] = []
  for (let at = 0; at < count; at++) {
    const text = randomBytes((bytes / 4) * 3).toString('base64')
    const { sessionId, resultId } = await start(app, made)
    await reply(app, sessionId, text)
    texts.push(text)
    resultIds.push(String(resultId))
  }
  return { made, texts, resultIds }
}

const tables = ['webhook_deliveries', 'webhook_events', 'webhook_outbox']

async function count(from: string): Promise<number> {
  return (await app.pool.query(`SELECT count(*)::int FROM ${from}`)).rows[0].count
}

/** Bytes on disk of what the tables of events have. */
async function sizeOfTables(): Promise<number> {
  let bytes = 0
  for (const table of tables) {
    await app.pool.query(`VACUUM FULL ${table}`)
    const { rows } = await app.pool.query('SELECT pg_total_relation_size($1)::int AS bytes', [table])
    bytes += rows[0].bytes
  }
  return bytes
}

test('a long answer is stored once for twenty endpoints, and each of them gets it', async () => {
  await subscribe(ENDPOINTS, () => ['result.answered'])
  const { texts } = await answer(ANSWERS, LONG)
  await fanOutAll(app.db)
  expect(await count('webhook_deliveries')).toBe(ENDPOINTS * ANSWERS)
  expect(await sizeOfTables()).toBeLessThan(1.5 * ANSWERS * LONG)
  startSender()
  await until(
    'all are delivered',
    async () => (await count('webhook_deliveries WHERE is_delivered')) === ENDPOINTS * ANSWERS,
  )
  for (let at = 0; at < ENDPOINTS; at++) {
    const own = received.filter(({ path }) => path === `/${at}`)
    const contents = own.map(({ body }) => JSON.parse(body).data.answers[0].content)
    expect(contents.sort()).toEqual([...texts].sort())
  }
})

const testHere = process.env.CITUS === '1' ? test.skip : test

test('each endpoint gets its subscribed events, and an event without subscribers is not stored', async () => {
  const types = ['result.started', 'result.answered', 'bot.updated']
  await subscribe(6, (at) =>
    at < 3 ? [String(types[at])] : at === 3 ? ['result.started', 'result.answered'] : ['bot.deleted'],
  )
  const { resultIds } = await answer(3, 100)
  await fanOutAll(app.db)
  startSender()
  // Publishing changes the bot; two endpoints get the start of each chat, and two its answer.
  await until(
    'all are delivered',
    async () => (await count('webhook_deliveries WHERE NOT is_delivered')) === 0,
  )
  const typesAt = (at: number) =>
    received.filter(({ path }) => path === `/${at}`).map(({ body }) => JSON.parse(body).type)
  const three = (type: string) => Array(3).fill(type)
  expect(typesAt(0)).toEqual(three('result.started'))
  expect(typesAt(1)).toEqual(three('result.answered'))
  expect([...new Set(typesAt(2))]).toEqual(['bot.updated'])
  expect(typesAt(3).sort()).toEqual([...three('result.answered'), ...three('result.started')])
  expect([typesAt(4), typesAt(5)]).toEqual([[], []])
  const ids = new Set(received.map(({ id }) => id))
  expect(await count('webhook_events')).toBe(ids.size)
  const { rows } = await app.pool.query('SELECT DISTINCT subject FROM webhook_events')
  expect(rows.map(({ subject }) => subject)).toEqual(expect.arrayContaining(resultIds))
})

test('all posts of an event send the same bytes in memory', async () => {
  let letGo = () => {}
  held = new Promise((resolve) => (letGo = resolve))
  await subscribe(ENDPOINTS, () => ['result.answered'])
  await answer(10, LONG)
  await fanOutAll(app.db)
  const bodies = new Set<unknown>()
  startSender(({ body }) => bodies.add(body))
  await until('all are under way', () => received.length === 10 * ENDPOINTS)
  // Once for each pass that took some of its deliveries, which are few.
  expect(bodies.size).toBeLessThanOrEqual((10 * ENDPOINTS) / 2)
  letGo()
  await until('all are delivered', async () => (await count('webhook_deliveries WHERE is_delivered')) === 200)
})

testHere(
  'an event that cannot be read does not keep others from being posted, and is tried again later',
  async () => {
    await subscribe(3, () => ['result.answered'])
    await answer(4, 100)
    await fanOutAll(app.db)
    const [, damaged] = (await app.pool.query('SELECT subject, id FROM webhook_events ORDER BY id')).rows
    await app.pool.query(`
    ALTER TABLE webhook_events RENAME TO whole_events;
    CREATE VIEW webhook_events AS SELECT bot_id, subject, id,
      CASE id WHEN '${damaged.id}' THEN ('damaged' || id)::json ELSE data END AS data FROM whole_events`)
    try {
      startSender()
      await until(
        'all are tried',
        async () => (await count('webhook_deliveries WHERE last_duration >= 0')) === 12,
      )
      const left = await app.pool.query(
        `SELECT subject, attempts, last_error, next_attempt_at > created_at AS is_due FROM webhook_deliveries
      WHERE NOT is_delivered`,
      )
      const last_error = 'The event cannot be read from the database'
      expect(left.rows).toEqual(
        Array(3).fill({ subject: damaged.subject, attempts: 1, last_error, is_due: true }),
      )
      // Nothing is said against the endpoints.
      expect(await count('webhook_endpoints WHERE failures > 0 OR failing_since IS NOT NULL')).toBe(0)
      expect(said.filter((line) => line.includes('an event cannot be read')).length).toBeGreaterThan(0)
    } finally {
      await app.pool.query('DROP VIEW webhook_events; ALTER TABLE whole_events RENAME TO webhook_events')
    }
  },
)

test('deliveries expire together with their events', async () => {
  await subscribe(3, () => ['result.started'])
  await answer(2, 100)
  await fanOutAll(app.db)
  const [old] = (await app.pool.query('SELECT id FROM webhook_deliveries ORDER BY id')).rows
  await app.pool.query(
    `UPDATE webhook_deliveries SET created_at = $1::timestamptz - interval '31 days' WHERE id = $2`,
    [app.clock.now(), old.id],
  )
  while (await forgetDeliveries(app.db, app.clock.now()));
  for (const table of ['webhook_deliveries', 'webhook_events']) {
    const { rows } = await app.pool.query(`SELECT DISTINCT id FROM ${table}`)
    expect([rows.length, rows.some(({ id }) => id === old.id)]).toEqual([1, false])
  }
})

testHere.each(['unpublishBot', 'deleteBot'] as const)(
  'the event of %s has the bot of its commit, not of the arrival of the request',
  async (operation) => {
    await subscribe(1, () => ['bot.unpublished', 'bot.deleted'])
    const { id: botId } = await publish(app, site, flow)
    app.beforeStatement = async (text, _values, send) => {
      if (!/from "bots" .*for update/is.test(text)) return
      app.beforeStatement = undefined
      await send(`UPDATE bots SET name = 'Renamed', revision = revision + 1 WHERE id = '${botId}'`)
    }
    await app.client.ok(operation, { as: site.member, params: { botId } })
    const { rows } = await app.pool.query('SELECT data FROM webhook_events WHERE bot_id = $1', [botId])
    expect(rows.map(({ data }) => JSON.parse(data).name)).toEqual(['Renamed'])
  },
)
