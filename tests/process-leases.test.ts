import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { ask, bot, type Part, text } from './support/chat.ts'
import { storable } from './support/chats.ts'
import { startMailServer } from './support/mail-server.ts'
import { endProcesses, type Service, startService, until } from './support/process.ts'
import { createDatabase, type TestDatabase } from './support/server.ts'
import { clockOff } from './torture/installation.ts'

/*
 * One reply that is sent many times at once, to two processes over one database whose clocks differ, by bots that call
 * out: a request and an e-mail between the reply and the answer.
 */

let database: TestDatabase
let pool: pg.Pool
let services: [Service, Service]
let mailServer: Awaited<ReturnType<typeof startMailServer>>
/** Requests that the bot has sent, and what is to be done with the next ones. */
let requests: ServerResponse[] = []
let isHeld = false
const endpoint = createServer((_request, response) => {
  requests.push(response)
  if (!isHeld) response.end('{}')
})

beforeAll(async () => {
  database = await createDatabase('nothing')
  pool = new pg.Pool({ connectionString: database.url })
  mailServer = await startMailServer()
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  const { port } = endpoint.address() as AddressInfo
  const variables = {
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${port}`,
    SMTP_URL: mailServer.url,
  }
  const first = await startService(variables)
  services = [first, await startService({ ...variables, ...clockOff(3_000) })]
  const url = `http://127.0.0.1:${port}/`
  const calls: Part[] = [
    { type: 'Webhook', options: { timeout: 60, webhook: { url } } },
    { type: 'Email', options: { recipients: ['ada@example.com'], subject: 'Hello' } },
  ]
  const flow = bot({ Start: [ask(), ...calls, text('Sent.'), ask()] })
  const { id: _, ...document } = storable(flow)
  const { workspaces } = await call(first, 'GET', '/v1/workspaces')
  const made = { workspaceId: workspaces[0].id, bot: { ...document, name: 'Bot', publicId: 'calls' } }
  const created = await call(first, 'POST', '/v1/bots', made)
  await call(first, 'POST', `/v1/bots/${created.bot.id}/publish`, {})
})

beforeEach(() => {
  requests = []
  mailServer.mails.splice(0)
  isHeld = false
})

afterAll(async () => {
  await endProcesses()
  endpoint.closeAllConnections()
  endpoint.close()
  mailServer.close()
  await pool.end()
  await database.drop()
})

// biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
async function call({ url }: Service, method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${services?.[0].token ?? ''}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
  return { status: response.status, ...((await response.json()) as object) }
}

const start = () => call(services[0], 'POST', '/api/v1/bots/calls/startChat', {})

const reply = (service: Service, sessionId: string, body: object) =>
  call(service, 'POST', `/api/v1/sessions/${sessionId}/continueChat`, body)

async function answersOf(resultId: string): Promise<string[]> {
  const { rows } = await pool.query('SELECT content FROM result_answers WHERE result_id = $1', [resultId])
  return rows.map(({ content }) => content)
}

test('one of twenty equal concurrent replies runs, and the others get its response', async () => {
  const { sessionId, resultId, revision } = await start()
  const body = { message: 'Ada', revision }
  const replies = Array.from({ length: 20 }, (_, index) =>
    reply(services[index % 2] as Service, sessionId, body),
  )
  const answers = await Promise.all(replies)
  expect(answers[0]).toMatchObject({ status: 200, revision: revision + 1, messages: [{ type: 'text' }] })
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(await answersOf(resultId)).toEqual(['Ada'])
  expect(requests).toHaveLength(1)
  expect(mailServer.mails).toHaveLength(1)
})

test('equal replies without a revision too, while the first one is under way; another reply is rejected', async () => {
  isHeld = true
  const { sessionId, resultId } = await start()
  const first = reply(services[0], sessionId, { message: 'Ada' })
  await until('the bot has called out', () => requests.length > 0)
  const others = Array.from({ length: 19 }, (_, index) =>
    reply(services[index % 2] as Service, sessionId, { message: 'Ada' }),
  )
  const different = reply(services[1], sessionId, { message: 'Bob' })
  // All of them have come in, and read the session, before a request that was sent after them is answered.
  for (const service of services) await call(service, 'GET', '/v1/workspaces')
  for (const response of requests) response.end('{}')
  const answer = await first
  expect(answer).toMatchObject({ status: 200 })
  for (const other of await Promise.all(others)) expect(other).toEqual(answer)
  expect(await different).toMatchObject({ status: 409, code: 'CONFLICT' })
  expect(await answersOf(resultId)).toEqual(['Ada'])
  expect(requests).toHaveLength(1)
  expect(mailServer.mails).toHaveLength(1)
  // The same again is a new reply, to the next input.
  expect(await reply(services[0], sessionId, { message: 'Ada' })).toMatchObject({
    revision: answer.revision + 1,
  })
  expect(await answersOf(resultId)).toEqual(['Ada', 'Ada'])
})

test('an equal reply without a revision is a new one after the first response, whatever the clocks say', async () => {
  const { sessionId, resultId } = await start()
  const first = await reply(services[1], sessionId, { message: 'Ada' })
  const second = await reply(services[0], sessionId, { message: 'Ada' })
  expect(second).toMatchObject({ status: 200, revision: first.revision + 1 })
  expect(await answersOf(resultId)).toEqual(['Ada', 'Ada'])
})

test('a turn that lasts longer than a lease is not taken over', async () => {
  isHeld = true
  const { sessionId, resultId, revision } = await start()
  const body = { message: 'Ada', revision }
  const first = reply(services[0], sessionId, body)
  await until('the bot has called out', () => requests.length > 0)
  const second = reply(services[1], sessionId, body)
  await sleep(18_000)
  expect(requests).toHaveLength(1)
  for (const response of requests) response.end('{}')
  expect(await second).toEqual(await first)
  expect(await answersOf(resultId)).toEqual(['Ada'])
  expect(requests).toHaveLength(1)
})

test('a lease of a turn counts for its revision only', async () => {
  const { sessionId, resultId, revision } = await start()
  // As a release that knows no claims leaves it.
  await pool.query('UPDATE chat_sessions SET lease_id = $2 WHERE id = $1', [
    sessionId,
    `${revision - 1}/older`,
  ])
  expect(await reply(services[1], sessionId, { message: 'Ada', revision })).toMatchObject({ status: 200 })
  expect(await answersOf(resultId)).toEqual(['Ada'])
})

test('a process that dies between its lease and its response is replaced', async () => {
  isHeld = true
  const { sessionId, resultId, revision } = await start()
  const body = { message: 'Ada', revision }
  const lost = reply(services[0], sessionId, body).catch(() => 'lost')
  await until('the bot has called out', () => requests.length > 0)
  services[0].signal('SIGKILL')
  await services[0].ended
  expect(await lost).toBe('lost')
  isHeld = false
  const answers = await Promise.all([
    reply(services[1], sessionId, body),
    reply(services[1], sessionId, body),
  ])
  expect(answers[0]).toMatchObject({ status: 200, revision: revision + 1 })
  expect(answers[1]).toEqual(answers[0])
  expect(await answersOf(resultId)).toEqual(['Ada'])
  // One of the dead process, one of the living.
  expect(requests).toHaveLength(2)
  expect(mailServer.mails).toHaveLength(1)
})
