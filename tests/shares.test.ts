import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type App, startApp } from './support/app.ts'
import { ask, bot, idOf, text } from './support/chat.ts'
import { type Published, publish, stepStatement } from './support/chats.ts'
import { makeWorld, type World } from './support/world.ts'

/* One tenant that takes all it can get, and what is left for the others. */

let app: App
let world: World
let slow: Published
let files: Published
/** Asks until the answer is yes. The limit only ends a test that hangs. */
async function until(condition: () => boolean | Promise<boolean>) {
  for (const last = performance.now() + 60_000; !(await condition()); await sleep(20)) {
    if (performance.now() > last) throw new Error(`Waited in vain until ${condition}`)
  }
}

/** Requests that the bot has sent and that wait for their response. */
let asked: ServerResponse[] = []
const receiver = createServer((_request, response) => void asked.push(response))

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
  app = await startApp({
    uploadGrace: 1_000,
    config: {
      CONCURRENT_REQUESTS: 12,
      REQUEST_QUEUE_TIMEOUT: 10_000,
      OUTBOUND_ALLOWED_HOSTS: [host],
      UPLOAD_TIMEOUT: 600_000,
    },
  })
  world = await makeWorld(app)
  const call = { type: 'Webhook', options: { timeout: 60, webhook: { url: `http://${host}/` } } }
  slow = await publish(app, world.here, bot({ Start: [ask(), call, text('Sent.'), ask()] }))
  const input = { type: 'file input', options: { variableId: idOf('Files') } }
  files = await publish(app, world.here, bot({ Start: [input, text('{{Files}}')] }, { variables: ['Files'] }))
})
afterAll(async () => {
  await app.stop()
  receiver.close()
})

const list = () => app.client.call('listWorkspaces', { as: world.stranger })

async function startChat({ publicId }: Published): Promise<string> {
  return (await app.client.ok('startChat', { params: { publicId } })).sessionId
}

const say = (sessionId: string, message: string) =>
  app.client.call('continueChat', { params: { sessionId }, body: { message } })

/** A connection, what came over it, and whether it is closed. */
function open(to: App, bytes: string) {
  const socket: Socket = connect(Number(new URL(to.url).port), '127.0.0.1', () => socket.write(bytes))
  const seen = { socket, text: '', isClosed: false }
  socket.setEncoding('latin1')
  socket.on('data', (text) => (seen.text += text))
  socket.on('close', () => (seen.isClosed = true))
  socket.on('error', () => {})
  return seen
}

const post = (path: string, headers: Record<string, string | number>) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: here',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')

describe('turns that wait for another service', () => {
  test('have no slots, continue all at once, and send each request once', async () => {
    const sessions = await Promise.all(Array.from({ length: 12 }, () => startChat(slow)))
    const turns = sessions.map((sessionId) => say(sessionId, 'Hello'))
    await until(() => asked.length === 12)
    for (let turn = 0; turn < 3; turn++) expect((await list()).status).toBe(200)
    // The same message again waits for the first one, and gets its response.
    const repeated = say(sessions[0] as string, 'Hello')
    await sleep(500)
    for (const response of asked) response.end('{}')
    const answers = await Promise.all([...turns, repeated])
    expect(answers.map(({ status }) => status)).toEqual(Array(13).fill(200))
    expect(answers[12]?.text).toBe(answers[0]?.text)
    expect(asked.length).toBe(12)
    asked = []
  })

  test('are written in the end where the database was unavailable for a while, and sent once', async () => {
    const sessionId = await startChat(slow)
    const turn = say(sessionId, 'Hello')
    await until(() => asked.length === 1)
    let rejections = 3
    app.beforeStatement = async (text, _, send) => {
      if (!stepStatement.test(text) || rejections === 0) return
      rejections--
      await send('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {})
    }
    try {
      asked[0]?.end('{}')
      expect((await turn).status).toBe(200)
      expect(rejections).toBe(0)
      expect((await say(sessionId, 'Again')).status).toBe(200)
      expect(asked.length).toBe(1)
    } finally {
      app.beforeStatement = undefined
      asked = []
    }
  })
})

describe('files', () => {
  const uploadHead = (sessionId: string, length: number) =>
    post(`/api/v1/sessions/${sessionId}/uploads?fileName=a.txt`, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': length,
    })

  test('that come slowly have no slots of others, three of an address come at once, and time out', async () => {
    const sessionId = await startChat(files)
    const before = performance.now()
    const slowly = Array.from({ length: 6 }, () => open(app, `${uploadHead(sessionId, 1_000)}x`))
    await sleep(300)
    for (let turn = 0; turn < 3; turn++) expect((await list()).status).toBe(200)
    await until(() => slowly.filter(({ text }) => text.startsWith('HTTP/1.1 408')).length >= 3)
    await until(() => slowly.every(({ isClosed }) => isClosed))
    expect(performance.now() - before).toBeLessThan(60_000)
    const url = `${app.url}/api/v1/sessions/${sessionId}/uploads?fileName=b.txt`
    const headers = { 'Content-Type': 'application/octet-stream' }
    expect((await fetch(url, { method: 'POST', headers, body: 'bytes' })).status).toBe(200)
  })
})

describe('bodies', () => {
  const importHead = (more: Record<string, string | number>, as = world.stranger) =>
    post('/v1/bots/import', {
      Authorization: `Bearer ${as.token}`,
      'Content-Type': 'application/json',
      ...more,
    })

  test('that are delayed have no slots of others', async () => {
    const held = Array.from({ length: 16 }, () => open(app, `${importHead({ 'Content-Length': 1_000 })}{`))
    await sleep(300)
    expect((await list()).status).toBe(200)
    for (const { socket } of held) socket.destroy()
    await until(async () => (await list()).status === 200)
  })

  test.each([
    ['a length over the limit', { 'Content-Length': 20_000_000 }],
    [
      'a length over the limit and a wish to be asked',
      { 'Content-Length': 20_000_000, Expect: '100-continue' },
    ],
  ])('with %s are rejected before a byte has come', async (_, more) => {
    const seen = open(app, importHead(more))
    await until(() => seen.isClosed)
    expect(seen.text).toMatch(/^HTTP\/1.1 413 /)
    expect(seen.text).toMatch(/\r\nConnection: close\r\n/i)
    expect(seen.text).toContain('The body may have at most 4194304 bytes')
  })

  test('in chunks are rejected at the limit, and bytes behind are not run', async () => {
    const seen = open(app, importHead({ 'Transfer-Encoding': 'chunked' }))
    await until(() => !seen.socket.connecting)
    const chunk = `100000\r\n${' '.repeat(1_048_576)}\r\n`
    for (let count = 0; count < 4; count++) seen.socket.write(chunk)
    seen.socket.write('1\r\n \r\n')
    await until(() => seen.text.includes('The body may have at most 4194304 bytes'))
    expect(seen.text).toMatch(/^HTTP\/1.1 413 /)
    expect(seen.text).toMatch(/\r\nConnection: close\r\n/i)
    app.statements.length = 0
    const body = '{"name":"Behind"}'
    const next = post('/v1/workspaces', {
      Authorization: `Bearer ${world.stranger.token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    })
    seen.socket.write(`0\r\n\r\n${next}${body}`)
    await until(() => seen.isClosed)
    expect(app.statements).toEqual([])
  })

  test.each([
    ['without a token', '', 401],
    ['in another form', 'text/plain', 415],
  ])('that wait for 100 Continue do not get it, %s', async (_, type, status) => {
    const authorization: Record<string, string> =
      type === '' ? {} : { Authorization: `Bearer ${world.stranger.token}` }
    const headers = { 'Content-Type': type || 'application/json', 'Content-Length': 1_000_000_000 }
    const seen = open(app, post('/v1/bots/import', { ...authorization, ...headers, Expect: '100-continue' }))
    await until(() => seen.isClosed)
    expect(seen.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(seen.text).not.toContain('100 Continue')
  })

  test.each([
    ['of no bytes with a content encoding', { 'Content-Encoding': 'gzip', 'Content-Length': 0 }, '', 200],
    [
      'of no chunks with a content encoding',
      { 'Content-Encoding': 'gzip', 'Transfer-Encoding': 'chunked' },
      '0\r\n\r\n',
      200,
    ],
    ['with a content encoding', { 'Content-Encoding': 'gzip', 'Content-Length': 2 }, '{}', 400],
  ])('%s are handled where no body is expected', async (_, more, bytes, status) => {
    const { admin, draft } = world.here
    const headers = { Authorization: `Bearer ${admin.token}`, Connection: 'close', ...more }
    const seen = open(app, post(`/v1/bots/${draft.id}/publish`, headers) + bytes)
    await until(() => seen.isClosed)
    expect(seen.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  test('from one user that end one byte short use at most a quarter of the memory budget', async () => {
    const length = 4_000_000
    const body = Buffer.alloc(length - 1, ' ').toString()
    const by = await startApp({
      databaseUrl: app.databaseUrl,
      config: { REQUEST_QUEUE_TIMEOUT: 500 },
    })
    const held = Array.from({ length: 12 }, () => open(by, importHead({ 'Content-Length': length }) + body))
    await until(() => held.filter(({ text }) => text.startsWith('HTTP/1.1 503')).length === 8)
    const other = await by.client.call('createWorkspace', { as: world.here.member, body: { name: 'Small' } })
    expect(other.status).toBe(201)
    // Whoever stalls has to leave for the next ones.
    await sleep(2_000)
    const next = await fetch(`${by.url}/v1/bots/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.stranger.token}`, 'Content-Type': 'application/json' },
      body: `{"x":"${'x'.repeat(3_000_000)}"}`,
    })
    expect(next.status).toBe(400)
    for (const { socket } of held) socket.destroy()
    await by.stop()
  })
})

test('Location has the path of PUBLIC_URL, also in the response to a repeated request', async () => {
  const { databaseUrl } = app
  const by = await startApp({ databaseUrl, config: { PUBLIC_URL: 'https://host.example/bots' } })
  const { admin: as, workspaceId } = world.here
  const headers = { 'Idempotency-Key': 'location-0123456789' }
  for (let turn = 0; turn < 2; turn++) {
    const made = await by.client.call('createFolder', {
      as,
      headers,
      body: { workspaceId, folder: { name: 'Folder' } },
    })
    expect(made.status).toBe(201)
    expect(made.headers.location).toMatch(/^\/bots\/v1\/folders\/\w+/)
  }
  await by.stop()
})
