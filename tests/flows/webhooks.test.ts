import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { transact } from '../../server/db/client.ts'
import { forgetDeliveries } from '../../server/jobs/expiry.ts'
import { createLog } from '../../server/log.ts'
import { streamingClient } from '../../server/outbound/client.ts'
import { deliveryCounts } from '../../server/webhooks/attempt.ts'
import { startDeliveries } from '../../server/webhooks/deliver.ts'
import { redeliver as redeliverRow } from '../../server/webhooks/endpoints.ts'
import { deliveryIsDue, fanOutAll, withWebhookEvent } from '../../server/webhooks/outbox.ts'
import { loadSince } from '../../server/webhooks/pacing.ts'
import { type App, startApp } from '../support/app.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { waitingForLocks } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { makeWorld, type World } from '../support/world.ts'

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  event: { type: string; timestamp: string; data: Record<string, unknown> }
}

/** On a cluster turns add nothing that had to be fanned out. */
const testHere = process.env.CITUS === '1' ? test.skip : test

let app: App
let world: World
let receiver: Server
let said: string[] = []
const log = createLog('info', { write: (line: string) => void said.push(line) })
let host: string
let received: Received[] = []
/** Response of the receiver by path: a status, or none at all. */
let answers: Record<string, number | 'silence'> = {}
/** `Retry-After` of an answer, by path. */
let pauses: Record<string, string> = {}
/** The receiver responds once these are resolved, by path. */
let holds: Record<string, Promise<void>> = {}
let senders: { stop: () => Promise<void> }[] = []

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = String(request.url)
    received.push({ path, headers: request.headers, body, event: JSON.parse(body) })
    await holds[path]
    const answer = answers[path] ?? 200
    const pause = pauses[path]
    if (pause !== undefined) response.setHeader('Retry-After', pause)
    if (answer === 302) response.setHeader('Location', `http://${host}/elsewhere`)
    if (answer === 'silence') return
    response.writeHead(answer)
    if (path === '/long') response.end(Buffer.alloc(2_000_000, 'a'))
    else if (path === '/broken') response.write('a', () => response.destroy())
    else response.end()
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
  answers = {}
  pauses = {}
  holds = {}
  world = await makeWorld(app)
})
afterEach(async () => {
  await Promise.all(senders.map((sender) => sender.stop()))
  senders = []
  await app.pool.query(
    'DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries; DELETE FROM webhook_events; DELETE FROM webhook_outbox',
  )
})

/** A process that sends. */
function startSender() {
  const post = streamingClient({ allowedHosts: [host] })
  const sender = startDeliveries({ db: app.db, log, keyring: app.keyring, post }, 50)
  senders.push(sender)
  return sender
}

async function subscribe(path = '/hook', types?: 'bot.updated'[]) {
  const { webhookEndpoint } = await app.client.ok('createWebhookEndpoint', {
    as: world.here.admin,
    params: { workspaceId: world.here.workspaceId },
    body: { url: `http://${host}${path}`, ...(types ? { types } : {}) },
  })
  return webhookEndpoint
}

const typesAt = (path: string) => received.filter((one) => one.path === path).map(({ event }) => event.type)

/** Keeps what answers at these paths until it is called. */
function holdBack(...paths: string[]): () => void {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  for (const path of paths) holds[path] = held
  return letGo
}

async function rename(name: string) {
  const { member, draft } = world.here
  await app.client.ok('updateBot', {
    as: member,
    params: { botId: draft.id },
    body: { bot: { version: '6.1', name }, overwrite: true },
  })
}

/** Makes what failed due now, instead of waiting for it. */
const hurry = () =>
  app.pool.query(`UPDATE webhook_deliveries SET next_attempt_at = 'epoch' WHERE next_attempt_at IS NOT NULL`)

async function rows(columns: string) {
  await fanOutAll(app.db)
  const { rows } = await app.pool.query(`SELECT ${columns} FROM webhook_deliveries ORDER BY created_at, id`)
  return rows
}

test('every event of bots and results is posted, with a signature that the official library accepts', async () => {
  startSender()
  const { secret } = await subscribe()
  const { here } = world
  const as = here.member
  const { bot } = await app.client.ok('createBot', {
    as,
    body: { workspaceId: here.workspaceId, bot: { name: 'Told' } },
  })
  const params = { botId: bot.id }
  await app.client.ok('updateBot', { as, params, body: { bot: { version: '6.1', name: 'Renamed' } } })
  await app.client.ok('publishBot', { as, params })
  await app.client.ok('unpublishBot', { as, params })
  await app.client.ok('unpublishBot', { as, params })
  await app.client.ok('deleteResults', { as, params })
  await app.client.ok('deleteBot', { as, params })

  const { publicId, id: botId } = here.published
  const { sessionId, resultId } = await app.client.ok('startChat', { params: { publicId }, body: {} })
  await app.client.ok('continueChat', { params: { sessionId }, body: { message: 'ada@example.com' } })
  const about = (id: unknown) =>
    received.filter(({ event }) => event.data.id === id || event.data.botId === id)
  await until('it was delivered', async () => about(bot.id).length === 7 && about(botId).length === 3)

  expect(about(bot.id).map(({ event }) => event.type)).toEqual([
    'bot.created',
    'bot.updated',
    // It gets its public id.
    'bot.updated',
    'bot.published',
    'bot.unpublished',
    'results.deleted',
    'bot.deleted',
  ])
  expect(about(bot.id)[1]?.event.data).toEqual({
    id: bot.id,
    workspaceId: here.workspaceId,
    folderId: null,
    name: 'Renamed',
    version: '6.1',
    publicId: null,
    createdAt: bot.createdAt,
    updatedAt: expect.any(String),
  })
  expect(about(bot.id)[2]?.event.data.publicId).toEqual(expect.stringMatching(/^renamed-/))
  expect(about(bot.id)[5]?.event.data).toEqual({ botId: bot.id, resultIds: null, createdBefore: null })
  expect(about(botId).map(({ event }) => [event.type, event.data.id])).toEqual([
    ['result.started', resultId],
    ['result.answered', resultId],
    ['result.completed', resultId],
  ])
  const { result } = await app.client.ok('getResult', { as, params: { botId, resultId: String(resultId) } })
  const { createdAt, hasStarted, isCompleted, lastChatSessionId } = result
  expect(about(botId)[1]?.event.data).toEqual({
    id: resultId,
    botId,
    createdAt,
    hasStarted,
    isCompleted,
    lastChatSessionId,
    answers: [{ blockId: 'block-email', content: 'ada@example.com' }],
  })
  for (const { headers, body } of received) {
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(verified).toEqual(JSON.parse(body))
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow()
  }
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length)
})

test.each([
  ['in one statement', {}],
  ['as for a cluster', { asOnCluster: true }],
] as const)('start and completion of a result are posted once, by turns written %s', async (_, options) => {
  await subscribe()
  const { here } = world
  const flow = bot(
    { Start: [ask('One'), ask('Two')] },
    { variables: ['One', 'Two'], settings: { general: { rememberUser: { isEnabled: true } } } },
  )
  const chatting = await startApp({ ...options, databaseUrl: app.databaseUrl })
  try {
    const made = await publish(app, here, flow)
    const first = await start(chatting, made)
    const resultId = String(first.resultId)
    for (const message of ['1', '2']) await reply(chatting, first.sessionId, message)
    const { sessionId } = await start(chatting, made, { resultId })
    for (const message of ['3', '4']) await reply(chatting, sessionId, message)
    await fanOutAll(app.db)
    const told = await app.pool.query(
      'SELECT seq, type, e.data FROM webhook_deliveries JOIN webhook_events e USING (bot_id, subject, id) WHERE bot_id = $1 AND subject = $2 ORDER BY seq',
      [made.id, resultId],
    )
    const known = {
      id: resultId,
      botId: made.id,
      hasStarted: true,
      isCompleted: false,
      createdAt: expect.stringMatching(/^2026-03-10T12:00:\d\d\.\d{3}Z$/),
      lastChatSessionId: first.sessionId,
    }
    const answered = (index: number, content: string) => [{ blockId: `Start.${index}`, content }]
    const over = { ...known, isCompleted: true }
    const again = { ...over, lastChatSessionId: sessionId }
    expect(told.rows.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
      ['result.started', known],
      ['result.answered', { ...known, answers: answered(0, '1') }],
      ['result.answered', { ...over, answers: answered(1, '2') }],
      ['result.completed', over],
      ['result.answered', { ...again, answers: answered(0, '3') }],
      ['result.answered', { ...again, answers: answered(1, '4') }],
    ])
  } finally {
    await chatting.stop()
  }
})

test.each([
  ['in one statement', {}],
  ['as for a cluster', { asOnCluster: true }],
] as const)('a later answer is posted alone, by turns written %s', async (_, options) => {
  await subscribe()
  const { here } = world
  const chatting = await startApp({ ...options, databaseUrl: app.databaseUrl })
  try {
    const names = ['One', 'Two', 'Three']
    const made = await publish(
      app,
      here,
      bot({ Start: names.map((name) => ask(name)) }, { variables: names }),
    )
    const { sessionId, resultId } = await start(chatting, made)
    for (const message of ['1', '2']) await reply(chatting, sessionId, message)
    await fanOutAll(app.db)
    const { rows } = await app.pool.query(
      'SELECT type, e.data FROM webhook_deliveries JOIN webhook_events e USING (bot_id, subject, id) WHERE bot_id = $1 AND subject = $2 ORDER BY seq DESC',
      [made.id, resultId],
    )
    const [last, before] = rows
    expect([before.type, last.type]).toEqual(['result.answered', 'result.answered'])
    expect(JSON.parse(last.data)).toEqual({
      ...JSON.parse(before.data),
      answers: [{ blockId: 'Start.1', content: '2' }],
    })
  } finally {
    await chatting.stop()
  }
})

test('an event is written in the transaction of its cause, or not at all', async () => {
  await subscribe()
  const { here } = world
  const grant = { bot: { id: here.draft.id, workspaceId: here.workspaceId }, hasWebhooks: true } as never
  const event = {
    type: 'bot.updated',
    workspaceId: here.workspaceId,
    botId: here.draft.id,
    data: {},
  } as const
  const doomed = transact(app.db, async (tx) => {
    await withWebhookEvent(
      tx,
      grant,
      new Date(),
      async () => undefined,
      () => event,
    )
    throw new Error('undone')
  })
  await expect(doomed).rejects.toThrow('undone')
  const stale = await app.client.call('updateBot', {
    as: here.member,
    params: { botId: here.draft.id },
    body: { bot: { version: '6.1', name: 'Stale', updatedAt: '2001-01-01T00:00:00.000Z' } },
  })
  expect(stale.status).toBe(409)
  expect(await rows('type')).toEqual([])
})

test('a workspace without endpoints costs no statement, and other workspaces get no events', async () => {
  const endpoint = await subscribe('/hook', ['bot.updated'])
  const { there } = world
  app.statements.length = 0
  await app.client.ok('createBot', {
    as: there.member,
    body: { workspaceId: there.workspaceId, bot: { name: 'Quiet' } },
  })
  expect(app.statements.filter((statement) => statement.includes('INTO "webhook_deliveries"'))).toEqual([])
  await app.client.ok('createBot', {
    as: world.here.member,
    body: { workspaceId: world.here.workspaceId, bot: { name: 'Of another type' } },
  })
  await rename('Heard')
  expect(await rows('endpoint_id, type')).toEqual([{ endpoint_id: endpoint.id, type: 'bot.updated' }])
})

test('an endpoint that fails still gets its events in order, and delays no other', async () => {
  answers['/bad'] = 500
  await subscribe('/bad')
  await subscribe('/good')
  startSender()
  for (const name of ['First', 'Second', 'Third']) await rename(name)
  await until('it was delivered', async () => typesAt('/good').length === 3 && typesAt('/bad').length === 1)
  answers = {}
  await hurry()
  await until('it was delivered', async () => typesAt('/bad').length === 4)
  const heard = received.filter(({ path }) => path === '/bad').map(({ event }) => event.data.name)
  expect(heard).toEqual(['First', 'First', 'Second', 'Third'])
  const [first, again] = received.filter(({ path }) => path === '/bad')
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(again?.body).toBe(first?.body)
})

test('an event behind many delayed ones of other endpoints is sent without delay', async () => {
  answers['/hook'] = 500
  const { id: endpointId } = await subscribe()
  await rename('Failing')
  startSender()
  await until('it was tried', async () => received.length === 1)
  // More than are looked at at once, all of them older than what can be sent.
  await app.pool.query(
    `WITH added AS (
      INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
      SELECT $1, $2, $1, n, '0' || n, 'bot.updated', 2, now(), 'epoch' FROM generate_series(1, 500) AS n RETURNING *
    )
    INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added`,
    [world.here.draft.id, endpointId],
  )
  await app.client.ok('createBot', {
    as: world.here.member,
    body: { workspaceId: world.here.workspaceId, bot: { name: 'Another' } },
  })
  await until('it was sent', async () => typesAt('/hook').includes('bot.created'))
  expect(typesAt('/hook').filter((type) => type === 'bot.updated')).toHaveLength(1)
})

test('redelivery of an event also sends the events that wait behind it', async () => {
  answers['/hook'] = 500
  const { id: endpointId } = await subscribe()
  startSender()
  await rename('First')
  await until('it was tried', async () => (await rows('last_status'))[0]?.last_status === 500)
  await app.pool.query(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 hour'`)
  await rename('Second')
  await until(
    'it waits behind the first',
    async () => (await rows('next_attempt_at > now() AS waits'))[1]?.waits,
  )
  answers = {}
  const [{ id: deliveryId }] = await rows('id')
  await app.client.ok('redeliverWebhookDelivery', {
    as: world.here.admin,
    params: { workspaceId: world.here.workspaceId, endpointId, deliveryId },
  })
  await until('both came', async () => received.length === 3)
  expect(received.map(({ event }) => event.data.name)).toEqual(['First', 'First', 'Second'])
})

test('a delivery with a response frees its slot before its outcome is written', async () => {
  answers['/bad'] = 500
  const { id } = await subscribe('/bad')
  await app.pool.query(
    `WITH added AS (
      INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
      SELECT $1, $2, 'subject-' || n, 0, 'delivery-' || n, 'bot.updated', 2, now(), 'epoch' FROM generate_series(1, 100) n RETURNING *
    )
    INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added`,
    [world.here.draft.id, id],
  )
  const connection = await app.pool.connect()
  try {
    await connection.query('BEGIN')
    // After the first answers the sender waits to note that the endpoint fails.
    await connection.query('SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [id])
    startSender()
    await until('all were sent', async () => received.length === 100)
    const [{ n }] = await rows('count(*) FILTER (WHERE leased_until IS NOT NULL) OVER ()::integer AS n')
    expect(n).toBeGreaterThan(32)
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
})

test('a slow delivery keeps the lease of the process that sends it', async () => {
  answers['/hook'] = 'silence'
  await subscribe()
  startSender()
  await rename('Slow')
  await until('it was sent', async () => received.length === 1)
  const [{ until: before }] = await rows('leased_until AS until')
  startSender()
  await until('its lease is over', async () => {
    const { rows } = await app.pool.query('SELECT now() > $1::timestamptz AS is_over', [before])
    return rows[0].is_over
  })
  expect(await rows('attempts, leased_until > now() AS is_leased')).toEqual([
    { attempts: 1, is_leased: true },
  ])
  expect(received).toHaveLength(1)
})

test('two processes send each event once', async () => {
  await subscribe()
  for (let count = 0; count < 30; count++) {
    await app.client.ok('createBot', {
      as: world.here.member,
      body: { workspaceId: world.here.workspaceId, bot: { name: `Bot ${count}` } },
    })
  }
  startSender()
  startSender()
  await until('it was delivered', async () => (await rows('1')).length === 30 && received.length >= 30)
  await until('it was delivered', async () =>
    (await rows('is_delivered')).every(({ is_delivered }) => is_delivered),
  )
  expect(received).toHaveLength(30)
})

test('a delivery of a process that died is sent again', async () => {
  await subscribe()
  await rename('Orphan')
  // As if it had been taken, and the taker had never come back.
  await app.pool.query(
    `UPDATE webhook_deliveries SET attempts = 1, leased_until = now() + interval '1 second'`,
  )
  startSender()
  await until('it was delivered', async () => received.length === 1)
  await until('it was delivered', async () => (await rows('attempts, is_delivered'))[0].is_delivered)
  expect(await rows('attempts, is_delivered')).toEqual([{ attempts: 2, is_delivered: true }])
})

testHere(
  'events of turns for an endpoint that is unavailable do not keep others from being posted',
  async () => {
    const away = await subscribe('/away')
    const made = await publish(app, world.here, bot({ Start: [ask('One')] }, { variables: ['One'] }))
    for (let at = 0; at < 70; at++) await reply(app, (await start(app, made)).sessionId, 'Early')
    await subscribe()
    await app.pool.query('UPDATE webhook_endpoints SET is_enabled = false WHERE id = $1', [away.id])
    await reply(app, (await start(app, made)).sessionId, 'Late')
    const post = streamingClient({ allowedHosts: [host] })
    senders.push(startDeliveries({ db: app.db, log, keyring: app.keyring, post }, 3_600_000))
    // Its result began, has an answer and is completed.
    await until('it is told', async () => received.length === 3)
    expect(typesAt('/hook')).toEqual(['result.started', 'result.answered', 'result.completed'])
  },
)

test('slow endpoints leave slots for the events of others', async () => {
  const slow = Array.from({ length: 16 }, (_, at) => `/slow-${at}`)
  const letGo = holdBack(...slow)
  for (const path of slow) await subscribe(path)
  const { here, there } = world
  const create = ({ member, workspaceId }: typeof here) =>
    app.client.ok('createBot', { as: member, body: { workspaceId, bot: { name: 'Told' } } })
  for (let at = 0; at < 40; at++) await create(here)
  startSender()
  await until('as much is sent to them as may be', async () => received.length >= 384)
  await sleep(500)
  await app.client.ok('createWebhookEndpoint', {
    as: there.admin,
    params: { workspaceId: there.workspaceId },
    body: { url: `http://${host}/quick` },
  })
  await create(there)
  await until('the other one was told', async () => typesAt('/quick').length === 1)
  // None of the slow ones had to be given up for that.
  const errors = (await rows('last_error')).filter((row) => row.last_error !== null)
  letGo()
  expect(errors).toEqual([])
})

describe('redeliverWebhookDelivery while a post to the endpoint is under way', () => {
  const redeliver = (endpointId: string, deliveryId: string) =>
    app.client.ok('redeliverWebhookDelivery', {
      as: world.here.admin,
      params: { workspaceId: world.here.workspaceId, endpointId, deliveryId },
    })

  test('sends the same delivery after the response, with a count that grows', async () => {
    const letGo = holdBack('/hook')
    const { id } = await subscribe()
    startSender()
    await rename('Twice')
    await until('it is sent', async () => received.length === 1)
    await redeliver(id, (await rows('id'))[0].id)
    // Longer than a lease that is not renewed.
    await sleep(6_000)
    expect(received).toHaveLength(1)
    letGo()
    await until('it is sent again', async () => received.length === 2)
    await until('it was delivered', async () => (await rows('is_delivered'))[0].is_delivered)
    expect(await rows('attempts')).toEqual([{ attempts: 2 }])
  })

  test('sends an earlier event of the same bot after the response', async () => {
    const { id } = await subscribe()
    startSender()
    await rename('First')
    await until('it was delivered', async () => (await rows('is_delivered'))[0]?.is_delivered)
    const letGo = holdBack('/hook')
    await rename('Second')
    await until('it is sent', async () => received.length === 2)
    await redeliver(id, (await rows('id'))[0].id)
    await sleep(1_000)
    expect(received).toHaveLength(2)
    letGo()
    await until('it is sent again', async () => received.length >= 3)
    expect(received.map(({ event }) => event.data.name).slice(0, 3)).toEqual(['First', 'Second', 'First'])
  })

  testHere(
    'sends an earlier event first that is redelivered at the moment at which a later one is taken',
    async () => {
      const { id: endpointId } = await subscribe()
      const first = startSender()
      await rename('First')
      await until('it was delivered', async () => (await rows('is_delivered'))[0]?.is_delivered)
      await first.stop()
      const [{ id }] = await rows('id')
      const { admin, workspaceId } = world.here
      const grant = { workspace: { id: workspaceId }, caller: admin } as never
      const letGo = holdBack('/hook')
      const holder = await app.pool.connect()
      try {
        await app.pool.query(`
          CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_advisory_xact_lock_shared(54); RETURN NEW; END';
          CREATE TRIGGER wait BEFORE UPDATE ON webhook_deliveries FOR EACH ROW
            WHEN (OLD.id <> '${id}') EXECUTE FUNCTION wait()`)
        await holder.query('BEGIN; SELECT pg_advisory_xact_lock(54)')
        await transact(app.db, async (tx) => {
          // It does not see the later event yet, and who takes that does not see that the first one is due.
          expect(await redeliverRow(tx, grant, endpointId, id)).toBe(true)
          await rename('Second')
          startSender()
          await until('it is being taken', async () => (await waitingForLocks(app.pool)) === 1)
        })
        startSender()
        await until('the first event is sent again', async () => received.length === 2)
        await holder.query('COMMIT')
        await sleep(1_000)
        expect(received.map(({ event }) => event.data.name)).toEqual(['First', 'First'])
        letGo()
        await until('both were delivered', async () =>
          (await rows('is_delivered')).every((row) => row.is_delivered),
        )
        expect(received.map(({ event }) => event.data.name)).toEqual(['First', 'First', 'Second'])
        expect((await rows('attempts')).map(({ attempts }) => attempts)).toEqual([2, 1])
      } finally {
        holder.release(true)
        letGo()
        await app.pool.query('DROP FUNCTION IF EXISTS wait CASCADE')
      }
    },
  )
})

/** Adds endpoints to a workspace, each with so many events of subjects of their own that are due. */
async function addSlowEndpoints(number: number, events: number, bytes: number) {
  const { workspaceId, draft } = world.here
  const slow = Array.from({ length: number }, (_, at) => `slow-${at + 1}`)
  await addEndpoints(
    app,
    workspaceId,
    slow.map((id) => ({ id, url: `http://${host}/${id}` })),
  )
  await app.pool.query(
    `WITH added AS (
      INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
      SELECT $1, 'slow-' || n, 'subject-' || e, 0, n || '-' || e, 'bot.updated', $4::integer, now(), 'epoch'
      FROM generate_series(1, $2::integer) n, generate_series(1, $3::integer) e RETURNING *
    )
    INSERT INTO webhook_events (bot_id, subject, id, data)
    SELECT bot_id, subject, id, json_build_object('text', repeat('a', $4::integer)) FROM added`,
    [draft.id, number, events, bytes],
  )
}

test('many slow endpoints of one owner leave slots for the events of other owners', async () => {
  const letGo = holdBack(...Array.from({ length: 300 }, (_, at) => `/slow-${at + 1}`))
  await addSlowEndpoints(300, 3, 10)
  startSender()
  // The last quarter is for owners to whom nothing is posted.
  const most = (boundNamed('AT_ONCE') * 3) / 4
  await until('as many are sent to them as may be', async () => deliveryCounts.underWay === most)
  await sleep(1_000)
  expect(deliveryCounts.underWay).toBe(most)
  const { there } = world
  await app.client.ok('createWebhookEndpoint', {
    as: there.admin,
    params: { workspaceId: there.workspaceId },
    body: { url: `http://${host}/quick` },
  })
  const body = { workspaceId: there.workspaceId, bot: { name: 'Quick' } }
  await app.client.ok('createBot', { as: there.member, body })
  await until('the other owner is told', async () => typesAt('/quick').length === 1)
  const unanswered = await rows('last_status')
  letGo()
  // No slow request had to end for that.
  expect(unanswered.filter((row) => row.last_status !== null || row.last_error).length).toBeLessThanOrEqual(1)
})

test('large events under way are limited by their bytes', async () => {
  const letGo = holdBack(...Array.from({ length: 20 }, (_, at) => `/slow-${at + 1}`))
  await addSlowEndpoints(20, 20, 250_000)
  startSender()
  const each = '{"text" : ""}'.length + 250_000
  // A quarter of the bytes is left to other owners.
  const most = Math.floor((0.75 * boundNamed('MAX_BYTES_UNDER_WAY')) / each) + 1
  await until('as many are sent as may be', async () => received.length >= most)
  await sleep(1_000)
  const largest = received.length
  const { there } = world
  await app.client.ok('createWebhookEndpoint', {
    as: there.admin,
    params: { workspaceId: there.workspaceId },
    body: { url: `http://${host}/quick` },
  })
  const body = { workspaceId: there.workspaceId, bot: { name: 'Quick' } }
  await app.client.ok('createBot', { as: there.member, body })
  await until('the other owner is told', async () => typesAt('/quick').length === 1)
  const unanswered = await rows('last_status')
  letGo()
  expect(largest).toBe(most)
  expect(unanswered.filter((row) => row.last_status !== null || row.last_error).length).toBeLessThanOrEqual(1)
  await until('all are sent', async () => received.length === 401)
})

test('loadSince measures the load since the previous call', async () => {
  const load = loadSince()
  for (const end = performance.now() + 500; performance.now() < end; );
  expect(load()).toBeGreaterThan(0.9)
  // By the same clock, for others may keep this process from running at all.
  const asked = performance.eventLoopUtilization()
  await sleep(500)
  const { utilization } = performance.eventLoopUtilization(asked)
  expect(load()).toBeCloseTo(utilization, 1)
})

test('a busy process polls less often for events, and sends them all', async () => {
  await subscribe()
  const post = streamingClient({ allowedHosts: [host] })
  const startWith = (longestPace: number, load: () => number) => {
    const sender = startDeliveries(
      { db: app.db, log, keyring: app.keyring, post },
      3_600_000,
      load,
      longestPace,
    )
    senders.push(sender)
    return sender
  }
  let hasLooked = false
  const patient = startWith(3_600_000, () => {
    hasLooked = true
    return 1.1
  })
  await until('it has looked', async () => hasLooked)
  await rename('Told')
  await sleep(200)
  expect(received).toEqual([])
  await patient.stop()
  startWith(50, () => 1)
  await until('it was delivered', async () => received.length === 1)
  await rename('Told again')
  await until('it was delivered', async () => received.length === 2)
})

describe('a busy process that falls behind', () => {
  /** As if that much time had gone by whenever it is to say how busy it is. */
  let later = 0
  let passing = 0
  let addWaiting: (first: number, last: number) => Promise<unknown>
  let clock: { mockRestore(): void }
  /** Requests keep to the real clock, so that their timeout does not pass when the other one is put forward. */
  const isRequest = new AsyncLocalStorage<true>()

  beforeEach(async () => {
    await subscribe()
    const [endpoint] = (await app.pool.query('SELECT id FROM webhook_endpoints')).rows
    addWaiting = (first, last) =>
      app.pool.query(
        `WITH added AS (
          INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
          SELECT $1, $2, 'subject-' || n, 0, 'delivery-' || n, 'bot.updated', 2, now(), 'epoch' FROM generate_series($3::integer, $4) n RETURNING *
        )
        INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added`,
        [world.here.draft.id, endpoint.id, first, last],
      )
    later = 0
    passing = 0
    const now = performance.now.bind(performance)
    clock = jest
      .spyOn(performance, 'now')
      .mockImplementation(() => now() + (isRequest.getStore() ? 0 : later))
  })
  afterEach(() => clock.mockRestore())

  function startBusy() {
    const client = streamingClient({ allowedHosts: [host] })
    const post: typeof client = (request) => isRequest.run(true, () => client(request))
    const load = () => {
      later += passing
      return 1
    }
    senders.push(startDeliveries({ db: app.db, log, keyring: app.keyring, post }, 3_600_000, load, 60_000))
  }

  test('sends faster over time, until it has caught up', async () => {
    await addWaiting(1, 100)
    startBusy()
    await until('as many were delivered as it takes at a time', async () => received.length === 32)
    await sleep(200)
    expect(received).toHaveLength(32)
    // Not more: a delivery that several looks pass by takes as long, too.
    passing = 20_000_000
    startBusy()
    await until('all were delivered', async () => received.length === 100)
    await sleep(200)
    await addWaiting(101, 101)
    deliveryIsDue.emit('due')
    await sleep(200)
    expect(received).toHaveLength(100)
  })

  testHere('sends faster also while turns leave more events than one fan-out takes', async () => {
    // Each endpoint has fewer deliveries than one batch takes.
    for (const path of ['/a', '/b', '/c']) await subscribe(path)
    const endpoints = (await app.pool.query('SELECT id FROM webhook_endpoints')).rows
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
      SELECT $1, n, '[]', true, false, false, now(), now() FROM generate_series(1, 200) n`,
      [world.here.draft.id],
    )
    await app.pool.query(
      `INSERT INTO webhook_outbox (bot_id, written_at, id, endpoint_ids, size, events)
      SELECT $1, now() + n * interval '1 millisecond', n, ARRAY[($2::text[])[1 + n % 4]], 1,
        json_build_object('events', json_build_array(json_build_object('subject', n, 'ordinal', 0, 'id', 'event-' || n,
          'type', 'result.answered', 'data', '{}'::json, 'at', now())))
      FROM generate_series(1, 200) n`,
      [world.here.draft.id, endpoints.map(({ id }) => id)],
    )
    startBusy()
    await until('as many were delivered as it shares out', async () => received.length === 16)
    await sleep(200)
    expect(received).toHaveLength(16)
    passing = 20_000_000
    startBusy()
    await until('all were delivered', async () => received.length === 200)
  })

  test('has caught up once it has sent all, even if its last poll was full', async () => {
    await addWaiting(1, 32)
    // It looks again after 300 ms, when all is written, and then after 150 or after a minute.
    passing = 2_000_000
    startBusy()
    await until('all were written', async () => (await rows('is_delivered')).every((row) => row.is_delivered))
    await sleep(700)
    await addWaiting(33, 33)
    deliveryIsDue.emit('due')
    await sleep(200)
    expect(received).toHaveLength(32)
  })
})

test('an idle sender does not increase its delay again and again', async () => {
  startSender()
  app.statements.length = 0
  const looks = () => app.statements.filter((text) => text.includes('"webhook_endpoints"')).length
  await until('it has looked often', () => looks() > 20)
  expect(deliveryIsDue.listenerCount('due')).toBe(1)
})

test('deliveries are deleted after 30 days, whatever their outcome', async () => {
  await subscribe()
  for (const name of ['Old', 'Older', 'Recent']) await rename(name)
  const day = 24 * 60 * 60 * 1000
  const now = app.clock.now()
  const age = (seq: number, days: number) =>
    app.pool.query('UPDATE webhook_deliveries SET created_at = $1 WHERE seq = $2', [
      new Date(now.getTime() - days * day),
      seq,
    ])
  await age(0, 31)
  await age(1, 40)
  await age(2, 29)
  expect(await forgetDeliveries(app.db, now)).toBe(false)
  expect(await rows('seq')).toEqual([{ seq: 2 }])
})

describe('an endpoint', () => {
  test('that responds with 410 is disabled, and gets no events until a member enables it', async () => {
    answers['/hook'] = 410
    const { id } = await subscribe()
    startSender()
    await rename('Unheard')
    const params = { workspaceId: world.here.workspaceId, endpointId: id }
    const as = world.here.admin
    const read = async () => (await app.client.ok('getWebhookEndpoint', { as, params })).webhookEndpoint
    await until('it was delivered', async () => !(await read()).isEnabled)
    expect(await read()).toMatchObject({ isEnabled: false, disabledReason: 'gone' })
    answers = {}
    await app.client.ok('updateWebhookEndpoint', { as, params, body: { isEnabled: true } })
    await hurry()
    await until('it was delivered', async () => received.length === 2)
    expect(await read()).toMatchObject({ isEnabled: true, disabledReason: null })
  })

  test.each([
    ['is gone', 410],
    ['asks to be left alone', 503],
  ])('with a changed address is not affected by the former one: that it %s', async (_, status) => {
    answers['/old'] = status
    pauses['/old'] = '86400'
    const letGo = holdBack('/old')
    const { id } = await subscribe('/old')
    startSender()
    await rename('To the former address')
    await until('the former address was told', async () => received.length === 1)
    const params = { workspaceId: world.here.workspaceId, endpointId: id }
    const body = { url: `http://${host}/new` }
    await app.client.ok('updateWebhookEndpoint', { as: world.here.admin, params, body })
    letGo()
    await until('it was tried', async () => (await rows('last_status'))[0]?.last_status === status)
    await hurry()
    await until('the new address was told', async () => received[1]?.path === '/new')
    const { webhookEndpoint } = await app.client.ok('getWebhookEndpoint', { as: world.here.admin, params })
    expect(webhookEndpoint).toMatchObject({ isEnabled: true, disabledReason: null, failingSince: null })
  })

  test('that has accepted an event since it failed is not failing, even if both were concurrent', async () => {
    const letGo = holdBack('/slow')
    const { id } = await subscribe('/slow')
    startSender()
    await rename('Taken')
    await until('it was told', async () => received.length === 1)
    await app.pool.query('UPDATE webhook_endpoints SET failures = 1, failing_since = now() WHERE id = $1', [
      id,
    ])
    letGo()
    await until('it was delivered', async () => (await rows('is_delivered'))[0]?.is_delivered)
    const params = { workspaceId: world.here.workspaceId, endpointId: id }
    await until('it is not failing', async () => {
      const { webhookEndpoint } = await app.client.ok('getWebhookEndpoint', { as: world.here.admin, params })
      return webhookEndpoint.failingSince === null
    })
  })

  test('that has failed for five days is disabled', async () => {
    answers['/hook'] = 503
    const { id } = await subscribe()
    await app.pool.query(`UPDATE webhook_endpoints SET failing_since = now() - interval '5 days'`)
    startSender()
    await rename('Too late')
    const params = { workspaceId: world.here.workspaceId, endpointId: id }
    await until('it was delivered', async () => {
      const { webhookEndpoint } = await app.client.ok('getWebhookEndpoint', { as: world.here.admin, params })
      return webhookEndpoint.disabledReason === 'failing'
    })
    expect(said.join('')).toContain('webhook endpoint disabled')
  })

  test.each([
    ['seconds', () => '7200', 7200],
    ['a date', () => new Date(Date.now() + 7_200_000).toUTCString(), 7200],
    ['more than a day', () => '999999', 24 * 3600],
  ])('that responds with Retry-After is not called for that time: %s', async (_name, pauseOf, seconds) => {
    answers['/hook'] = 429
    pauses['/hook'] = pauseOf()
    await subscribe()
    startSender()
    await rename('Too many')
    await until('it was tried', async () => (await rows('last_status'))[0]?.last_status === 429)
    const wait = 'extract(epoch FROM next_attempt_at - last_attempt_at)::float8 AS wait'
    const [{ wait: waits }] = await rows(wait)
    expect(Math.abs(waits - seconds)).toBeLessThan(60)
    // Further events wait as well.
    await until('the endpoint is left alone', async () => {
      const { rows: paused } = await app.pool.query(
        `SELECT extract(epoch FROM paused_until - now())::float8 AS left FROM webhook_endpoints`,
      )
      return Math.abs((paused[0]?.left ?? 0) - seconds) < 60
    })
  })

  test.each(['0', '1', 'soon', '-5', '1e9', ''])(
    'that responds with %j is retried as planned',
    async (pause) => {
      answers['/hook'] = 503
      pauses['/hook'] = pause
      await subscribe()
      startSender()
      await rename('Again')
      await until('it was tried', async () => (await rows('last_status'))[0]?.last_status === 503)
      const [{ wait }] = await rows('extract(epoch FROM next_attempt_at - last_attempt_at)::float8 AS wait')
      expect(wait).toBeGreaterThan(4)
      expect(wait).toBeLessThan(60)
    },
  )

  test('that redirects has failed, and nothing is sent elsewhere', async () => {
    answers['/hook'] = 302
    await subscribe()
    startSender()
    await rename('Redirected')
    await until('it was answered', async () => (await rows('last_duration'))[0]?.last_duration !== null)
    expect(await rows('is_delivered, last_status, last_error')).toEqual([
      { is_delivered: false, last_status: 302, last_error: null },
    ])
    expect(received.map(({ path }) => path)).toEqual(['/hook'])
  })

  test.each(['/long', '/broken'])(
    'that sends a body with its status has accepted the event: %s',
    async (path) => {
      await subscribe(path)
      startSender()
      await rename('Taken')
      await until('it was tried', async () => (await rows('attempts'))[0]?.attempts > 0)
      await until('it was written', async () => (await rows('leased_until'))[0]?.leased_until === null)
      expect(await rows('is_delivered, last_status, last_error')).toEqual([
        { is_delivered: true, last_status: 200, last_error: null },
      ])
    },
  )

  test('is tested even while it is disabled', async () => {
    const { id } = await subscribe()
    const request = {
      as: world.here.admin,
      params: { workspaceId: world.here.workspaceId, endpointId: id },
    }
    await app.client.ok('updateWebhookEndpoint', { ...request, body: { isEnabled: false } })
    startSender()
    const { webhookDelivery } = await app.client.ok('testWebhookEndpoint', request)
    await until('it was delivered', async () => received.length === 1)
    expect(received[0]?.event).toEqual(webhookDelivery.payload)
    const own = { ...request, params: { ...request.params, deliveryId: webhookDelivery.id } }
    const read = async () => (await app.client.ok('getWebhookDelivery', own)).webhookDelivery
    await until('it was delivered', async () => (await read()).status === 'delivered')
    expect(await read()).toMatchObject({ attempts: 1, lastStatus: 200, lastError: null })
    await app.client.ok('redeliverWebhookDelivery', own)
    await until('it was delivered', async () => received.length === 2)
    expect(received[1]?.headers['webhook-id']).toBe(webhookDelivery.id)
    await until('it was delivered', async () => (await read()).status === 'delivered')
    expect(await read()).toMatchObject({ attempts: 2 })
  })

  test('that is not enabled gets a failing test once, and no other delivery again', async () => {
    answers['/hook'] = 500
    const { id } = await subscribe()
    await rename('Before')
    await fanOutAll(app.db)
    const as = world.here.admin
    const params = { workspaceId: world.here.workspaceId, endpointId: id }
    await app.client.ok('updateWebhookEndpoint', { as, params, body: { isEnabled: false } })
    startSender()
    const { webhookDelivery } = await app.client.ok('testWebhookEndpoint', { as, params })
    await until('the test was answered', async () =>
      (await rows('id, last_status')).some((row) => row.id === webhookDelivery.id && row.last_status === 500),
    )
    const own = { ...params, deliveryId: webhookDelivery.id }
    const { webhookDelivery: tested } = await app.client.ok('getWebhookDelivery', { as, params: own })
    expect(tested).toMatchObject({ status: 'failed', attempts: 1 })
    const [{ id: deliveryId }] = await rows('id')
    const rejected = await app.client.call('redeliverWebhookDelivery', {
      as,
      params: { ...params, deliveryId },
    })
    expect(rejected).toMatchObject({ status: 400, body: { issues: [{ path: ['path', 'endpointId'] }] } })
    expect(received.map(({ event }) => event.type)).toEqual(['endpoint.test'])
  })

  test.each([
    ['enabled', { isEnabled: true }],
    ['given another address', { url: '/new' }],
  ])('that the service disabled gets its waiting events soon after it is %s', async (_, change) => {
    answers['/hook'] = 410
    const { id } = await subscribe()
    startSender()
    await rename('Waiting')
    const as = world.here.admin
    const params = { workspaceId: world.here.workspaceId, endpointId: id }
    const read = async () => (await app.client.ok('getWebhookEndpoint', { as, params })).webhookEndpoint
    await until('it was disabled', async () => !(await read()).isEnabled)
    await app.pool.query(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 hour'`)
    const update = async (body: object) =>
      (await app.client.ok('updateWebhookEndpoint', { as, params, body })).webhookEndpoint
    // The same address is no change.
    expect(await update({ url: `http://${host}/hook`, description: 'Saved' })).toMatchObject({
      isEnabled: false,
      disabledReason: 'gone',
    })
    answers = {}
    const body = 'url' in change ? { url: `http://${host}${change.url}` } : change
    expect(await update(body)).toMatchObject({ isEnabled: true, disabledReason: null, failingSince: null })
    const since = performance.now()
    await until('what waited is sent', async () => received.length === 2)
    expect(performance.now() - since).toBeLessThan(30_000)
  })

  test('that is enabled again gets all waiting events, however many', async () => {
    const { id } = await subscribe()
    await app.pool.query(
      `UPDATE webhook_endpoints SET is_enabled = false, disabled_reason = 'failing', failing_since = now()`,
    )
    await app.pool.query(
      `INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
      SELECT $1, $2, 'subject-' || n, 0, 'many-' || n, 'bot.updated', 2, now(), now() + interval '1 day'
      FROM generate_series(1, 12000) n`,
      [world.here.draft.id, id],
    )
    await app.client.ok('updateWebhookEndpoint', {
      as: world.here.admin,
      params: { workspaceId: world.here.workspaceId, endpointId: id },
      body: { isEnabled: true },
    })
    const { rows } = await app.pool.query(
      `SELECT count(*)::int AS late FROM webhook_deliveries WHERE next_attempt_at > now() + interval '1 minute'`,
    )
    expect(rows).toEqual([{ late: 0 }])
  })

  test('that the service disabled has no reason of the service once an admin disables it', async () => {
    const { id } = await subscribe()
    await app.pool.query(
      `UPDATE webhook_endpoints SET is_enabled = false, disabled_reason = 'gone', failing_since = now()`,
    )
    const { webhookEndpoint } = await app.client.ok('updateWebhookEndpoint', {
      as: world.here.admin,
      params: { workspaceId: world.here.workspaceId, endpointId: id },
      body: { isEnabled: false },
    })
    expect(webhookEndpoint).toMatchObject({ isEnabled: false, disabledReason: null })
  })

  test('that accepts an event after a failure soon gets the events that wait for a later attempt', async () => {
    answers['/hook'] = 500
    await subscribe()
    startSender()
    await rename('Waiting')
    await until('it is failing', async () => {
      const { rows: found } = await app.pool.query(
        'SELECT FROM webhook_endpoints WHERE failing_since IS NOT NULL',
      )
      return found.length === 1
    })
    await app.pool.query(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 hour'`)
    answers = {}
    await app.client.ok('createBot', {
      as: world.here.member,
      body: { workspaceId: world.here.workspaceId, bot: { name: 'Another' } },
    })
    await until('both are sent', async () => received.length === 3)
    expect(typesAt('/hook')).toEqual(['bot.updated', 'bot.created', 'bot.updated'])
  })

  test('that is updated without a change keeps its version and adds no audit entry', async () => {
    const { id, url } = await subscribe()
    const as = world.here.admin
    const params = { workspaceId: world.here.workspaceId, endpointId: id }
    const read = async () => (await app.client.ok('getWebhookEndpoint', { as, params })).webhookEndpoint
    const entries = async () =>
      (await app.pool.query(`SELECT FROM audit_log WHERE operation = 'updateWebhookEndpoint'`)).rowCount
    const before = [await read(), await entries()]
    for (const body of [{}, { url }, { isEnabled: true }, { url, description: null, types: null }])
      await app.client.ok('updateWebhookEndpoint', { as, params, body })
    expect([await read(), await entries()]).toEqual(before)
  })

  test('with a rotated secret gets signatures of both secrets for a day', async () => {
    const before = await subscribe()
    const request = {
      as: world.here.admin,
      params: { workspaceId: world.here.workspaceId, endpointId: before.id },
    }
    const rotated = await app.client.ok('rotateWebhookSecret', request)
    await app.pool.query(`UPDATE webhook_endpoints SET rotates_until = now() + interval '1 hour'`)
    startSender()
    await rename('Signed twice')
    await until('it was delivered', async () => received.length === 1)
    const { headers, body } = received[0] as Received
    for (const { secret } of [before, rotated]) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy()
    }
    await app.pool.query(`UPDATE webhook_endpoints SET rotates_until = now() - interval '1 hour'`)
    await rename('Signed once')
    await until('it was delivered', async () => received.length === 2)
    const later = received[1] as Received
    const old = new Webhook(before.secret)
    expect(() => old.verify(later.body, later.headers as Record<string, string>)).toThrow()
  })
})

test('a signature equals the test vector of other libraries', () => {
  const webhook = new Webhook('whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY')
  const body = '{"type":"bot.published","timestamp":"2023-11-14T22:13:20.000Z","data":{"id":"bot_1"}}'
  expect(webhook.sign('msg_0123456789abcdefghjkmnpqrs', new Date(1_700_000_000_000), body)).toBe(
    'v1,aAONCjl1SdP5Tpk1AE8vEQkg+tF7yfJmqooKk+//IC4=',
  )
})
