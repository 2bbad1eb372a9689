import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createLog } from '../../server/log.ts'
import { streamingClient } from '../../server/outbound/client.ts'
import { startDeliveries } from '../../server/webhooks/deliver.ts'
import { type App, startApp } from '../support/app.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Many events of one bot are taken together and posted in turn, and in their order. */

let app: App
let site: Site
let receiver: Server
let host: string
let received: number[] = []
let respond: (event: number) => Promise<number>
let senders: { stop: () => Promise<void> }[] = []

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    for await (const _ of request);
    const event = Number(String(request.headers['webhook-id']).slice(-6))
    received.push(event)
    response.writeHead(await respond(event)).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
  app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [host] } })
  site = (await makeWorld(app)).here
})
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await app.stop()
})
beforeEach(async () => {
  received = []
  respond = async () => 200
  await addEndpoints(app, site.workspaceId, [{ id: 'endpoint', url: `http://${host}/` }])
})
afterEach(async () => {
  await Promise.all(senders.map((sender) => sender.stop()))
  senders = []
  await app.pool.query(
    'DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries; DELETE FROM webhook_events',
  )
})

function startSender() {
  const post = streamingClient({ allowedHosts: [host] })
  const log = createLog('silent', { write() {} })
  const sender = startDeliveries({ db: app.db, log, keyring: app.keyring, post }, 1_000, () => 0)
  senders.push(sender)
  return sender
}

/** Adds events of the bot, numbered from 0. */
async function addEvents(count: number) {
  await app.pool.query(
    `WITH added AS (
      INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
      SELECT $1, 'endpoint', $1, n, 'event-' || lpad(n::text, 6, '0'), 'bot.updated', 2, now(), 'epoch'
      FROM generate_series(0, $2::integer - 1) n RETURNING *
    )
    INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added`,
    [site.draft.id, count],
  )
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

async function deliveries(condition = 'true') {
  const { rows } = await app.pool.query(
    `SELECT seq, attempts, is_delivered, last_attempt_at IS NOT NULL AS is_tried, leased_until IS NOT NULL AS is_leased
    FROM webhook_deliveries WHERE ${condition} ORDER BY seq`,
  )
  return rows
}

const areDelivered = (count: number) => async () => (await deliveries('is_delivered')).length === count

test('startDeliveries posts hundreds of events of one bot in order, each once, in few passes', async () => {
  const events = Number(process.env.EVENTS ?? 500)
  await addEvents(events)
  app.statements.length = 0
  const since = performance.now()
  startSender()
  await until('all are delivered', areDelivered(events))
  if (process.env.EVENTS) console.log(`${events} events: ${Math.round(performance.now() - since)} ms`)
  expect(received).toEqual(numbers(events))
  // Bodies are read once for each pass that took some.
  const passes = app.statements.filter((text) => text.includes('"isFirst"')).length
  expect(passes).toBeLessThan(events / 2)
})

test('startDeliveries posts nothing behind an event that fails until that is redelivered', async () => {
  await addEvents(20)
  respond = async (event) => (event === 5 && received.length === 6 ? 500 : 200)
  startSender()
  await until('the sixth one has failed', async () => (await deliveries('last_status = 500')).length === 1)
  await until('no lease is left', async () => (await deliveries('leased_until IS NOT NULL')).length === 0)
  expect(received).toEqual(numbers(6))
  const waiting = { attempts: 0, is_delivered: false, is_tried: false, is_leased: false }
  expect(await deliveries('seq > 5')).toEqual(numbers(14).map((at) => ({ ...waiting, seq: 6 + at })))
  await app.client.ok('redeliverWebhookDelivery', {
    as: site.admin,
    params: { workspaceId: site.workspaceId, endpointId: 'endpoint', deliveryId: 'event-000005' },
  })
  await until('all are delivered', areDelivered(20))
  expect(received).toEqual([...numbers(6), ...numbers(20).slice(5)])
})

test('a sender that stops amid the events of one bot leaves the others to the next sender, in order', async () => {
  await addEvents(12)
  respond = async () => {
    await sleep(30)
    return 200
  }
  const first = startSender()
  await until('some are posted', () => received.length >= 3)
  await first.stop()
  expect(received.length).toBeLessThan(12)
  expect(await deliveries('leased_until IS NOT NULL')).toEqual([])
  startSender()
  await until('all are delivered', areDelivered(12))
  expect(received).toEqual(numbers(12))
})

test('events of one bot at an endpoint that responds slowly are released after a second, and keep their order', async () => {
  await addEvents(8)
  respond = async () => {
    await sleep(400)
    return 200
  }
  startSender()
  await until(
    'a series was given back',
    async () => received.length >= 3 && (await deliveries('leased_until IS NOT NULL')).length <= 1,
  )
  expect((await deliveries('NOT is_delivered')).length).toBeGreaterThanOrEqual(4)
  respond = async () => 200
  await until('all are delivered', areDelivered(8))
  expect(received).toEqual(numbers(8))
  expect((await deliveries()).map(({ attempts }) => attempts)).toEqual(numbers(8).map(() => 1))
})
