import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { expireResults } from '../../server/jobs/results-retention.ts'
import { createLog } from '../../server/log.ts'
import { streamingClient } from '../../server/outbound/client.ts'
import { eraseBatch } from '../../server/results/erase.ts'
import { startDeliveries } from '../../server/webhooks/deliver.ts'
import { fanOutAll } from '../../server/webhooks/outbox.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start, tryReply } from '../support/chats.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Once a result is deleted, no copy of what people wrote is left, and nothing of it is posted. */

const SECRET = 'my illness is secret'

let app: App
let site: Site
let receiver: Server
let host: string
let posted: { type: string; data: { id?: string; answers?: unknown[] } }[] = []
/** Status of the answers of the receiver. */
let answers = 200
/** The receiver responds once this is resolved. */
let held: Promise<void> | undefined

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    await held
    posted.push(JSON.parse(body))
    response.writeHead(answers).end()
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
  posted = []
  answers = 200
  held = undefined
  await app.pool.query(
    'DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries; DELETE FROM webhook_events; DELETE FROM webhook_outbox',
  )
  site = (await makeWorld(app)).here
})

const flow = bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] })
const ways = ['resultIds', 'createdBefore', 'all'] as const

async function remove(botId: string, resultId: string, way: (typeof ways)[number] = 'resultIds') {
  const { rows } = await app.pool.query('SELECT max(created_at) AS newest FROM results WHERE bot_id = $1', [
    botId,
  ])
  const before = new Date(rows[0].newest.getTime() + 1)
  if (app.clock.now() < before) app.clock.set(before.toISOString())
  const query = {
    resultIds: { resultIds: resultId },
    createdBefore: { createdBefore: before.toISOString() },
    all: {},
  }[way]
  await app.client.ok('deleteResults', { as: site.member, params: { botId }, query })
}

/** The jobs of the background, with each pass at once. */
async function erase() {
  while (await purgeBatch(app.db, app.clock.now()));
  for (let pass = 0; pass < 3; pass++) {
    await app.pool.query(`UPDATE result_erasures SET due_at = 'epoch'`)
    while (await eraseBatch(app.db, app.clock.now()));
  }
}

/** Tables with the number of rows that have a text, however it is kept. */
async function traces(text: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  const tables = await app.pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
  for (const { tablename } of tables.rows) {
    const { rows } = await app.pool.query(`SELECT t::text AS row FROM "${tablename}" t`)
    const hex = Buffer.from(text).toString('hex')
    const number = rows.filter(({ row }) => row.includes(text) || row.includes(hex)).length
    if (number > 0) found[tablename] = number
  }
  return found
}

async function subscribe() {
  const { webhookEndpoint } = await app.client.ok('createWebhookEndpoint', {
    as: site.admin,
    params: { workspaceId: site.workspaceId },
    body: { url: `http://${host}/hook` },
  })
  return webhookEndpoint
}

function startSender() {
  const post = streamingClient({ allowedHosts: [host] })
  const log = createLog('silent', { write() {} })
  return startDeliveries({ db: app.db, log, keyring: app.keyring, post }, 20)
}

test.each(ways)('deleting by %s leaves no copy of an answer in any table', async (way) => {
  await subscribe()
  const made = await publish(app, site, flow)
  const headers = { 'Idempotency-Key': 'a-long-enough-key-for-anybody' }
  const body = { prefilledVariables: { Two: SECRET } }
  const params = { publicId: made.publicId }
  const started = await app.client.ok('startChat', { params, body, headers })
  await reply(app, started.sessionId, SECRET, 1)
  const clientLogs = [{ description: SECRET }]
  await app.client.ok('saveClientLogs', { params: { sessionId: started.sessionId }, body: { clientLogs } })
  const other = await start(app, made)
  await fanOutAll(app.db)
  await reply(app, other.sessionId, SECRET, 1)
  expect(Object.keys(await traces(SECRET)).sort()).toEqual([
    'chat_sessions',
    'result_answers',
    'result_logs',
    'results',
    'webhook_events',
    // On a cluster turns enqueue no events.
    ...(process.env.CITUS === '1' ? [] : ['webhook_outbox']),
  ])
  await remove(made.id, `${started.resultId},${other.resultId}`, way)
  await fanOutAll(app.db)
  await erase()
  expect(await traces(SECRET)).toEqual({})
  expect(await traces(`"resultId":"${started.resultId}"`)).toEqual({})
  const repeat = await app.client.call('startChat', { params, body, headers })
  expect([repeat.status, repeat.body.issues?.[0].code]).toEqual([409, 'result_deleted'])
})

/** Puts a message of a visitor that waits for a chat into its conversation. */
async function addWaitingMessage(botId: string, sessionId: string) {
  await app.pool.query(
    `INSERT INTO chatwoot_conversations (bot_id, credentials_id, conversation_id, workspace_id, session_id, status,
      channel, when_over, when_returned, started_at, sent_revision, sent_ordinal, sent_parts, last_message_id,
      handed_after, handed_at, is_note_due, due_at, changes, failures, updated_at)
     VALUES ($1, 'c', 1, $2, $3, 'pending', 'Channel::Api', 'open', 'resume', 0, 0, 0, 0, 0, 0, 0, false,
      now() + interval '1 hour', 1, 0, now())`,
    [botId, site.workspaceId, sessionId],
  )
  await app.pool.query(`INSERT INTO chatwoot_events VALUES ($1, 'c', 1, 'm1', 1, $2, now())`, [
    botId,
    { kind: 'message', text: SECRET },
  ])
}

/** As the retention does, which counts from today by the clock of the database. */
async function expire(botId: string) {
  await app.pool.query('UPDATE results SET created_at = now() WHERE bot_id <> $1', [botId])
  await app.pool.query("UPDATE results SET created_at = now() - interval '40 days' WHERE bot_id = $1", [
    botId,
  ])
  await expireResults(app.db, 30, app.clock.now())
}

test.each([...ways, 'retention'] as const)(
  'deletion by %s drops messages of Chatwoot that wait for the chat, and no others',
  async (way) => {
    const made = await publish(app, site, flow)
    const { sessionId, resultId = '' } = await start(app, made)
    const kept = await publish(app, site, flow)
    const other = await start(app, kept)
    await addWaitingMessage(made.id, sessionId)
    await addWaitingMessage(kept.id, other.sessionId)
    expect(await traces(SECRET)).toEqual({ chatwoot_events: 2 })
    await (way === 'retention' ? expire(made.id) : remove(made.id, resultId, way))
    // At once, since a chat that is not found any more is begun anew with what waits.
    expect(await traces(SECRET)).toEqual({ chatwoot_events: 1 })
    const { rows } = await app.pool.query(
      'SELECT bot_id, session_id FROM chatwoot_conversations WHERE bot_id = ANY($1)',
      [[made.id, kept.id]],
    )
    expect(rows).toContainEqual({ bot_id: made.id, session_id: null })
    expect(rows).toContainEqual({ bot_id: kept.id, session_id: other.sessionId })
    await app.pool.query('DELETE FROM chatwoot_events; DELETE FROM chatwoot_conversations')
  },
)

test.each(ways)('deleting by %s empties stored responses of requests about the chat', async (way) => {
  const made = await publish(app, site, flow)
  const { sessionId, resultId = '' } = await start(app, made)
  const chat = { as: site.member, params: { botId: made.id, sessionId } }
  await app.client.ok('updateChat', { ...chat, body: { handledBy: 'member' } })
  await reply(app, sessionId, SECRET)
  const body = { variables: { One: 'two' } }
  const headers = { 'Idempotency-Key': 'a-key-of-an-update-that-is-long' }
  await app.client.ok('updateChat', { ...chat, body, headers })
  const said = { text: SECRET }
  const keyed = { 'Idempotency-Key': 'a-key-of-a-message-that-is-long' }
  await app.client.ok('sendMessage', { ...chat, body: said, headers: keyed })
  expect(await traces(SECRET)).toMatchObject({ bot_idempotency_keys: 2 })
  await remove(made.id, resultId, way)
  await erase()
  expect(await traces(SECRET)).toEqual({})
  const repeats = [
    await app.client.call('updateChat', { ...chat, body, headers }),
    await app.client.call('sendMessage', { ...chat, body: said, headers: keyed }),
  ]
  expect(repeats.map(({ status, body }) => [status, body.issues?.[0].code])).toEqual([
    [409, 'result_deleted'],
    [409, 'result_deleted'],
  ])
})

test('deleting a bot leaves no copy of an answer in any table', async () => {
  await subscribe()
  const made = await publish(app, site, flow)
  const { sessionId } = await start(app, made)
  await reply(app, sessionId, SECRET, 1)
  await fanOutAll(app.db)
  await app.client.ok('deleteBot', { as: site.member, params: { botId: made.id } })
  await erase()
  expect(await traces(SECRET)).toEqual({})
})

test('deleting a result leaves no copy of its answer for an endpoint that was removed before', async () => {
  const { id: endpointId } = await subscribe()
  const made = await publish(app, site, flow)
  const { sessionId, resultId = '' } = await start(app, made)
  await reply(app, sessionId, SECRET, 1)
  await fanOutAll(app.db)
  const params = { workspaceId: site.workspaceId, endpointId }
  await app.client.ok('deleteWebhookEndpoint', { as: site.admin, params })
  expect(Object.keys(await traces(SECRET))).toContain('webhook_events')
  await remove(made.id, resultId)
  await erase()
  expect(await traces(SECRET)).toEqual({})
})

test('a result whose turn is being written while it is deleted keeps no row', async () => {
  const made = await publish(app, site, flow)
  const { resultId = '' } = await start(app, made)
  const turn = await app.pool.connect()
  try {
    await turn.query('BEGIN')
    await turn.query('UPDATE results SET has_started = true WHERE bot_id = $1 AND id = $2', [
      made.id,
      resultId,
    ])
    const deleted = remove(made.id, resultId)
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (const values of [
      `result_answers (bot_id, result_id, seq, block_id, content, created_at) VALUES ($1, $2, 0, 'b', 'x', now())`,
      `result_logs (bot_id, result_id, id, status, description, created_at) VALUES ($1, $2, '0', 'info', 'x', now())`,
      `result_transcripts (bot_id, result_id, id, entries) VALUES ($1, $2, '0', '[]')`,
    ])
      await turn.query(`INSERT INTO ${values}`, [made.id, resultId])
    await turn.query('COMMIT')
    await deleted
  } finally {
    turn.release()
  }
  for (const table of ['result_answers', 'result_logs', 'result_transcripts']) {
    const { rows } = await app.pool.query(`SELECT FROM ${table} WHERE bot_id = $1 AND result_id = $2`, [
      made.id,
      resultId,
    ])
    expect([table, rows.length]).toEqual([table, 0])
  }
})

test('answers that are sent while their results are deleted leave no row', async () => {
  const made = await publish(app, site, flow)
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const { sessionId, resultId = '' } = await start(app, made)
        const answered = tryReply(app, sessionId, SECRET, 1)
        await new Promise((resolve) => setTimeout(resolve, at))
        await remove(made.id, resultId)
        expect([200, 404, 409]).toContain((await answered).status)
      }),
    )
  }
  const { rows } = await app.pool.query('SELECT result_id FROM result_answers WHERE bot_id = $1', [made.id])
  expect(rows).toEqual([])
  await erase()
  expect(await traces(SECRET)).toEqual({})
})

test.each(ways)('a chat whose result was deleted by %s is over, and publishes nothing', async (way) => {
  const made = await publish(app, site, flow)
  await subscribe()
  const chats = await Promise.all([1, 2, 3].map(() => start(app, made)))
  await remove(made.id, chats.map(({ resultId }) => resultId).join(), way)
  for (const { sessionId, resultId } of chats) {
    expect((await tryReply(app, sessionId, SECRET)).status).toBe(404)
    expect((await app.client.call('getSession', { params: { sessionId } })).status).toBe(404)
    const body = { clientLogs: [{ description: SECRET }] }
    expect((await app.client.call('saveClientLogs', { params: { sessionId }, body })).status).toBe(400)
    const ended = { as: site.member, params: { botId: made.id, sessionId }, body: { isOver: true as const } }
    expect((await app.client.call('updateChat', ended)).status).toBe(404)
    const again = await start(app, made, { resultId })
    expect(again.resultId).not.toBe(resultId)
  }
  const { chats: listed } = await app.client.ok('listChats', { as: site.member, params: { botId: made.id } })
  expect(listed.map(({ resultId }) => resultId)).not.toContain(chats[0]?.resultId)
  expect(await traces(SECRET)).toEqual({})
})

test('the result of a linked bot that was deleted does not come back with the next answer', async () => {
  const inner = await publish(
    app,
    site,
    bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] }),
  )
  const outer = await publish(
    app,
    site,
    bot({ Start: [{ type: 'Bot link', options: { botId: inner.id, mergeResults: false } }] }),
  )
  const { sessionId } = await start(app, outer)
  await reply(app, sessionId, 'first', 1)
  const list = async () =>
    (await app.client.ok('listResults', { as: site.member, params: { botId: inner.id } })).results
  const [linked] = await list()
  await remove(inner.id, String(linked?.id))
  await reply(app, sessionId, 'second', 2)
  expect(await list()).toEqual([])
  const { rows } = await app.pool.query('SELECT FROM results WHERE bot_id = $1', [inner.id])
  expect(rows).toEqual([])
})

describe('deliveries of a deleted result', () => {
  const delivery = async (type: string) => {
    const { rows } = await app.pool.query('SELECT id, endpoint_id FROM webhook_deliveries WHERE type = $1', [
      type,
    ])
    const params = { workspaceId: site.workspaceId, endpointId: rows[0].endpoint_id, deliveryId: rows[0].id }
    return { as: site.admin, params }
  }

  test('that failed are not posted again, show no answer, and are not redelivered', async () => {
    answers = 500
    const sender = startSender()
    await subscribe()
    const made = await publish(app, site, flow)
    const { sessionId, resultId = '' } = await start(app, made)
    await reply(app, sessionId, SECRET, 1)
    await until('the first event is posted', () => posted.some(({ type }) => type === 'result.started'))
    answers = 200
    await remove(made.id, resultId)
    await until('the deletion is posted', () => posted.some(({ type }) => type === 'results.deleted'))
    posted = []
    await app.pool.query(
      `UPDATE webhook_deliveries SET next_attempt_at = 'epoch' WHERE next_attempt_at IS NOT NULL`,
    )
    const asked = await delivery('result.answered')
    const rejected = await app.client.call('redeliverWebhookDelivery', asked)
    expect([rejected.status, rejected.body.issues[0].code]).toEqual([409, 'result_deleted'])
    await erase()
    const { webhookDelivery } = await app.client.ok('getWebhookDelivery', asked)
    expect(webhookDelivery).toMatchObject({
      status: 'failed',
      payload: { data: { id: resultId, answers: [] } },
    })
    await sender.stop()
    expect(posted.filter(({ type }) => type.startsWith('result.'))).toEqual([])
  })

  test('that are being posted end before the event of the deletion, and never after it', async () => {
    let release = () => {}
    held = new Promise((resolve) => {
      release = resolve
    })
    const sender = startSender()
    await subscribe()
    const made = await publish(app, site, flow)
    const { sessionId, resultId = '' } = await start(app, made)
    await reply(app, sessionId, SECRET, 1)
    await until('a delivery is leased', async () => {
      const { rows } = await app.pool.query('SELECT FROM webhook_deliveries WHERE leased_until > now()')
      return rows.length > 0
    })
    await remove(made.id, resultId)
    await new Promise((resolve) => setTimeout(resolve, 500))
    release()
    await until('the deletion is posted', () => posted.some(({ type }) => type === 'results.deleted'))
    await new Promise((resolve) => setTimeout(resolve, 500))
    await sender.stop()
    const types = posted.map(({ type }) => type).filter((type) => type.startsWith('result'))
    expect(types.at(-1)).toBe('results.deleted')
    expect(types).not.toContain('result.answered')
  })
})

describe('events of a deleted workspace', () => {
  const removeWorkspace = () =>
    app.client.ok('deleteWorkspace', { as: site.admin, params: { workspaceId: site.workspaceId } })
  const changeBot = (name: string) =>
    app.client.ok('updateBot', {
      as: site.member,
      params: { botId: site.draft.id },
      body: { bot: { version: '6.1', name } },
    })
  const waits = async () => {
    const { rows } = await app.pool.query(
      'SELECT type, attempts FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL AND leased_until IS NULL',
    )
    return rows
  }
  /** An event of another workspace, which comes after those that are not posted. */
  async function postOther() {
    const { there } = await makeWorld(app)
    const body = { url: `http://${host}/other` }
    const params = { workspaceId: there.workspaceId }
    await app.client.ok('createWebhookEndpoint', { as: there.admin, params, body })
    const bot = { version: '6.1' as const, name: 'Other' }
    await app.client.ok('updateBot', { as: there.member, params: { botId: there.draft.id }, body: { bot } })
    await until('the other event is posted', () => posted.length > 0)
  }

  test('that wait are not posted, whatever they are about, nor is a test', async () => {
    const { id: endpointId } = await subscribe()
    await changeBot('Before')
    const params = { workspaceId: site.workspaceId, endpointId }
    await app.client.ok('testWebhookEndpoint', { as: site.admin, params })
    await removeWorkspace()
    const sender = startSender()
    await postOther()
    await sender.stop()
    expect(posted).toMatchObject([{ data: { name: 'Other' } }])
    while (await purgeBatch(app.db, app.clock.now()));
    expect((await waits()).filter(({ type }) => type === 'bot.updated')).toEqual([])
  })

  test('are not posted if they were leased during the deletion', async () => {
    await subscribe()
    await changeBot('Before')
    let isDeleted = false
    app.beforeStatement = async (text) => {
      // After the lease is committed, and before the post.
      if (isDeleted || !text.includes('"isFirst"')) return
      isDeleted = true
      await removeWorkspace()
    }
    const sender = startSender()
    try {
      await until('the event was taken', () => isDeleted)
      await postOther()
    } finally {
      app.beforeStatement = undefined
      await sender.stop()
    }
    expect(posted).toMatchObject([{ data: { name: 'Other' } }])
    expect(await waits()).toEqual([{ type: 'bot.updated', attempts: 0 }])
  })
})
