import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, type Part, text } from '../support/chat.ts'
import { type Published, publish, reply, reportOf, start, textsOf } from '../support/chats.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Responses of chats as events, whether the reader stays or disconnects. */

let app: App
let here: Site
let models: ModelServer
let published: Published
/** Asks, waits for a model, and says its answer. */
let parts: Part[]

beforeAll(async () => {
  models = await startModelServer()
  app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [models.host] } })
  here = (await makeWorld(app)).here
  const { credentials } = await app.client.ok('createCredentials', {
    as: here.member,
    params: { workspaceId: here.workspaceId },
    body: { type: 'openai', name: 'Model', data: { apiKey: 'sk-test', baseUrl: models.url } },
  })
  const options = {
    credentialsId: credentials.id,
    action: 'Create chat completion',
    model: 'model-1',
    messages: [{ role: 'user', content: '{{Question}}' }],
    responseMapping: [{ item: 'Message content', variableId: idOf('Answer') }],
  }
  parts = [
    text('Hi'),
    ask('Question'),
    text('Wait'),
    { type: 'openai', options },
    text('{{Answer}}'),
    ask('Question'),
  ]
  published = await publish(app, here, bot({ g: parts }, { variables: ['Question', 'Answer'] }))
})
afterAll(async () => {
  await app.stop()
  await models.stop()
})

interface Event {
  type: string
  [name: string]: unknown
}

const accept = { Accept: 'text/event-stream', 'Content-Type': 'application/json' }
const startPath = ({ publicId } = published) => `/api/v1/bots/${publicId}/startChat`
const continuePath = (sessionId: string) => `/api/v1/sessions/${sessionId}/continueChat`

const post = (path: string, body: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { ...accept, ...headers },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })

/** The events of an answer, whose names are their types. */
function eventsOf(body: string): Event[] {
  return body
    .split('\n\n')
    .filter((each) => each !== '' && !each.startsWith(':'))
    .map((each) => {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(each) ?? []
      const event = JSON.parse(data) as Event
      expect(event.type).toBe(name)
      return event
    })
}

const typesOf = (events: Event[]) => events.map(({ type }) => type)

async function startStreaming(body: object = {}, made = published) {
  const response = await post(startPath(made), { isStreamEnabled: true, ...body })
  const events = eventsOf(await response.text())
  return { response, events, started: events.at(-1)?.answer as Awaited<ReturnType<typeof start>> }
}

test('start and continue stream bubbles and pieces as they come, then the same response as without', async () => {
  models.says('It is noon')
  const { response, events, started } = await startStreaming()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(typesOf(events)).toEqual(['look', 'message', 'answer'])
  const { theme, settings } = started.bot
  expect(events[0]).toEqual({ type: 'look', theme, settings })
  expect(events[1]?.message).toEqual(started.messages[0])

  const continued = eventsOf(
    await (await post(continuePath(started.sessionId), { message: 'When?', revision: 1 })).text(),
  )
  expect([...new Set(typesOf(continued))]).toEqual(['message', 'delta', 'answer'])
  const deltas = continued.filter(({ type }) => type === 'delta')
  expect(deltas.map((event) => event.text).join('')).toBe('It is noon')
  expect(new Set(deltas.map(({ id }) => id))).toEqual(new Set(['g.4']))
  const answer = continued.at(-1)?.answer as typeof started
  expect(textsOf(answer)).toEqual(['Wait', 'It is noon'])
  expect(continued.filter(({ type }) => type === 'message').map(({ message }) => message)).toEqual(
    answer.messages,
  )
  // A repeated request, with or without a stream, gets the stored response.
  const repeat = await post(continuePath(started.sessionId), { message: 'When?', revision: 1 })
  expect(eventsOf(await repeat.text())).toEqual([{ type: 'answer', answer }])
  expect(await reply(app, started.sessionId, 'When?', 1)).toEqual(answer)
})

test('the text of a model is streamed into a bubble in the short form too', async () => {
  models.says('It is noon')
  const short = parts.with(4, { type: 'text', content: { plainText: '{{Answer}}' } })
  const made = await publish(app, here, bot({ g: short }, { variables: ['Question', 'Answer'] }))
  const { started } = await startStreaming({}, made)
  const events = eventsOf(await (await post(continuePath(started.sessionId), { message: 'When?' })).text())
  const deltas = events.filter(({ type }) => type === 'delta')
  expect(deltas.map(({ text }) => text).join('')).toBe('It is noon')
})

test('only requests that accept events get them, in chats that were started for them', async () => {
  const asked = { headers: { Accept: 'application/json, text/event-stream;q=0' } }
  const plain = await app.client.call('startChat', {
    params: { publicId: published.publicId },
    body: { isStreamEnabled: true },
    ...asked,
  })
  expect(plain.headers['content-type']).toContain('application/json')
  const { sessionId } = await start(app, published)
  const response = await post(continuePath(sessionId), { message: 'When?' })
  expect(response.headers.get('content-type')).toContain('application/json')
})

test('a rejection has the same body as without a stream', async () => {
  const { started } = await startStreaming()
  const rejected = await post(continuePath(started.sessionId), { message: 'When?', revision: 7 })
  expect([rejected.status, await rejected.json()]).toMatchObject([409, { code: 'CONFLICT' }])
  const missing = await post('/api/v1/bots/no-such-bot/startChat', { isStreamEnabled: true })
  expect([missing.status, missing.headers.get('content-type')]).toEqual([
    404,
    'application/json; charset=utf-8',
  ])
})

test('a repeated start with a key is streamed too', async () => {
  const key = { 'Idempotency-Key': randomUUID() }
  const body = { isStreamEnabled: true }
  const first = eventsOf(await (await post(startPath(), body, key)).text())
  const again = await post(startPath(), body, key)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(eventsOf(await again.text())).toEqual([first.at(-1)])
})

test('little is buffered for a reader who reads nothing, and the turn runs to its end', async () => {
  const streaming = await startApp({
    config: { OUTBOUND_ALLOWED_HOSTS: [models.host] },
    databaseUrl: app.databaseUrl,
    readTimeout: 1_000,
  })
  let waiting = 0
  let close: () => void = () => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  streaming.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const look = setInterval(() => {
      // The last event, which has all of the text, is sent whatever waits.
      if (!response.writableEnded) waiting = Math.max(waiting, response.writableLength)
    }, 5)
    response.on('close', () => {
      clearInterval(look)
      if (request.url?.endsWith('/continueChat')) close()
    })
  })
  // Short ones, so that the stream is many times as long as the text and more than two sockets hold.
  const piece = { choices: [{ index: 0, delta: { content: 'abc' } }] }
  models.says(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let sent = 0; sent < 1_000; sent += 1) {
      if (!response.write(`data: ${JSON.stringify(piece)}\n\n`.repeat(90))) await once(response, 'drain')
    }
    response.end('data: [DONE]\n\n')
  })
  const { started } = await startStreaming()
  const socket = connect(Number(new URL(streaming.url).port), '127.0.0.1')
  socket.pause()
  const body = JSON.stringify({ message: 'When?', revision: 1 })
  socket.write(
    `POST ${continuePath(started.sessionId)} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n` +
      `Accept: text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await closed
  expect(waiting).toBeGreaterThan(200_000)
  expect(waiting).toBeLessThan(300_000)
  const answer = await reply(streaming, started.sessionId, 'When?', 1)
  expect(textsOf(answer)[1]?.length).toBeGreaterThan(100_000)
  socket.destroy()
  await streaming.stop()
})

test('a reader who disconnects loses nothing: the turn runs to its end, once', async () => {
  let asked = 0
  let isAnswered: () => void = () => {}
  const mayAnswer = new Promise<void>((resolve) => {
    isAnswered = resolve
  })
  models.says((response) => {
    asked += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const piece = (content: string) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
    piece('Half')
    void mayAnswer.then(() => {
      piece(' and whole')
      response.end('data: [DONE]\n\n')
    })
  })
  const { started } = await startStreaming()
  const leaving = new AbortController()
  const response = await post(
    continuePath(started.sessionId),
    { message: 'When?', revision: 1 },
    {},
    leaving.signal,
  )
  const reader = response.body?.getReader()
  let read = ''
  while (!read.includes('Half')) read += new TextDecoder().decode((await reader?.read())?.value)
  leaving.abort()
  // Came back, and waits for the same turn.
  const back = reply(app, started.sessionId, 'When?', 1)
  isAnswered()
  expect(textsOf(await back)).toEqual(['Wait', 'Half and whole'])
  expect(asked).toBe(1)
  const { results } = await reportOf(app, published, here.member)
  const answers = results.find(({ id }) => id === started.resultId)?.answers ?? []
  expect(answers.map(({ content }) => content)).toEqual(['When?'])
})
