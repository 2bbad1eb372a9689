import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { ask, bot, type Part } from './support/chat.ts'
import { storable } from './support/chats.ts'
import { endProcesses, type Service, startService, until } from './support/process.ts'
import { runs } from './support/runs.ts'
import { createDatabase, type TestDatabase } from './support/server.ts'

/* Processes that are killed while they run requests with an idempotency key; others answer the repeats. */

let database: TestDatabase
let pool: pg.Pool
let variables: Record<string, string>
/** Is not killed. */
let lasting: Service
let token: string | undefined
let workspaceId: string
/** Requests that the bot has sent. */
const requests: ServerResponse[] = []
const endpoint = createServer((_request, response) => requests.push(response))

beforeAll(async () => {
  database = await createDatabase('nothing')
  pool = new pg.Pool({ connectionString: database.url })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  const { port } = endpoint.address() as AddressInfo
  variables = { DATABASE_URL: database.url, OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${port}` }
  lasting = await startService(variables)
  token = lasting.token
  workspaceId = (await send(lasting, 'GET', '/v1/workspaces')).body.workspaces[0].id
  const url = `http://127.0.0.1:${port}/`
  const calling: Part = { type: 'Webhook', options: { timeout: 60, webhook: { url } } }
  const { id: _, ...document } = storable(bot({ Start: [calling, ask()] }))
  const made = { workspaceId, bot: { ...document, name: 'Bot', publicId: 'calls' } }
  const created = await send(lasting, 'POST', '/v1/bots', made)
  await send(lasting, 'POST', `/v1/bots/${created.body.bot.id}/publish`, {})
})

afterAll(async () => {
  await endProcesses()
  endpoint.closeAllConnections()
  endpoint.close()
  await pool.end()
  await database.drop()
})

interface Sent {
  /** Undefined where the connection broke. */
  status: number | undefined
  isReplayed: boolean
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
  body: any
}

async function send(
  { url }: Service,
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<Sent> {
  const headers = {
    authorization: `Bearer ${token}`,
    connection: 'close',
    ...(body && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  try {
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    const text = await response.text()
    const isReplayed = response.headers.get('idempotent-replayed') === 'true'
    return { status: response.status, isReplayed, text, body: JSON.parse(text) }
  } catch {
    return { status: undefined, isReplayed: false, text: '', body: undefined }
  }
}

/** Sends a request until it is answered by other than a request to wait. */
async function sendAgain(...request: Parameters<typeof send>): Promise<Sent> {
  let sent: Sent | undefined
  await until('the repeat is answered', async () => {
    sent = await send(...request)
    return sent.status !== undefined && sent.status !== 409 && sent.status !== 503
  })
  return sent as Sent
}

test('writers whose process is killed again and again have written everything once', async () => {
  const acknowledged = new Map<string, Sent>()
  const keys: string[] = []
  for (let round = 0; round < runs(2, 4); round++) {
    const doomed = await startService(variables)
    const writers = Array.from({ length: 8 }, async () => {
      for (let isAlive = true; isAlive; ) {
        const key = randomUUID()
        keys.push(key)
        const sent = await send(doomed, 'POST', '/v1/folders', { workspaceId, folder: { name: key } }, key)
        isAlive = sent.status !== undefined
        if (sent.status === 201) acknowledged.set(key, sent)
      }
    })
    const before = acknowledged.size
    await until('some requests were answered', () => acknowledged.size > before + 20 + round * 7)
    doomed.signal('SIGKILL')
    await Promise.all(writers)
  }
  const repeats = new Map<string, Sent>()
  for (const key of keys) {
    const request = { workspaceId, folder: { name: key } }
    repeats.set(key, await sendAgain(lasting, 'POST', '/v1/folders', request, key))
  }
  expect(keys.length).toBeGreaterThan(acknowledged.size)
  for (const [key, { text }] of acknowledged) {
    expect(repeats.get(key)).toMatchObject({ status: 201, isReplayed: true, text })
  }
  for (const { status } of repeats.values()) expect(status).toBe(201)
  const { rows } = await pool.query('SELECT name FROM folders WHERE name = ANY($1)', [keys])
  expect(rows.map(({ name }) => name).sort()).toEqual(keys.sort())
})

test('a chat whose start was killed during a call is started by a repeat, once', async () => {
  const doomed = await startService(variables)
  const key = randomUUID()
  const path = '/api/v1/bots/calls/startChat'
  const lost = send(doomed, 'POST', path, {}, key)
  await until('the bot has called out', () => requests.length > 0)
  const meanwhile = await send(lasting, 'POST', path, {}, key)
  expect(meanwhile).toMatchObject({ status: 409, body: { issues: [{ code: 'in_progress' }] } })
  // A process that lives shows that it does.
  await sleep(4_000)
  expect((await send(lasting, 'POST', path, {}, key)).status).toBe(409)
  doomed.signal('SIGKILL')
  expect((await lost).status).toBeUndefined()
  const answering = setInterval(() => {
    for (const response of requests.splice(0)) response.end('{}')
  }, 50)
  const taken = await sendAgain(lasting, 'POST', path, {}, key).finally(() => clearInterval(answering))
  expect(taken).toMatchObject({ status: 200, isReplayed: false })
  const repeat = await send(lasting, 'POST', path, {}, key)
  expect(repeat).toMatchObject({ status: 200, isReplayed: true, text: taken.text })
  const { rows } = await pool.query('SELECT id FROM chat_sessions')
  expect(rows).toEqual([{ id: taken.body.sessionId }])
})
