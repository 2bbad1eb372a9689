import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { boundNamed } from '../support/bounds.ts'
import { until } from '../support/process.ts'
import { makeWorld } from '../support/world.ts'

/*
 * Responses that are sent before the body of their request was read, to callers that read only after they have sent
 * all.
 */

let app: App
let sandbox: App
let token: string

beforeAll(async () => {
  app = await startApp()
  sandbox = await startApp({
    config: { SANDBOX: true },
    databaseUrl: app.databaseUrl,
    uploadGrace: UPLOAD_GRACE_MS,
  })
  token = (await makeWorld(app)).here.admin.token
})
afterAll(async () => {
  await sandbox.stop()
  await app.stop()
})

const MEGABYTE = 1024 * 1024
/** Unlike that of any other timer. */
const UPLOAD_GRACE_MS = 37

/** Connects without reading anything by itself. */
async function open(to: App): Promise<Socket> {
  const socket = connect({ port: Number(new URL(to.url).port), host: '127.0.0.1' })
  await once(socket, 'connect')
  return socket
}

function headOf(to: App, line: string, length: number | 'chunked', ...headers: string[]): string {
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  return [`${line} HTTP/1.1`, `Host: ${new URL(to.url).host}`, size, ...headers, '', ''].join('\r\n')
}

/** Reads until a whole response is there, or the connection has ended. */
async function readResponse(socket: Socket): Promise<string> {
  let received = ''
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    received += piece
    const [head = '', body] = received.split('\r\n\r\n')
    if (body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1])) break
  }
  return received
}

/** Sends all of a body before anything of the response is read. */
async function sendAll(socket: Socket, bytes: number, wrap = (piece: Buffer): Buffer => piece) {
  for (let left = bytes; left > 0; left -= MEGABYTE) {
    const piece = wrap(Buffer.alloc(Math.min(left, MEGABYTE), ' '))
    if (!socket.write(piece)) await once(socket, 'drain')
  }
}

const chunk = (piece: Buffer) =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])

test('a reused connection gets each response that is sent before the body', async () => {
  const socket = await open(sandbox)
  const body = '{"folder":{"parentFolderId":null}}'
  const type = 'Content-Type: application/json'
  for (let again = 0; again < 20; again++)
    for (const code of [413, 401, 408, 503]) {
      socket.write(headOf(sandbox, 'PATCH /v1/folders/x', body.length, type, `Prefer: code=${code}`))
      // The response is there before the body, or crosses it.
      await sleep(again % 2 ? 5 : 0)
      socket.write(body)
      expect(await readResponse(socket)).toMatch(new RegExp(`^HTTP/1.1 ${code} `))
    }
  socket.destroy()
})

test.each([
  ['without a token', 'POST /v1/workspaces', 401, 20 * MEGABYTE, []],
  ['of another media type', 'POST /v1/workspaces', 415, 20 * MEGABYTE, ['token']],
  ['that is too large', 'POST /v1/workspaces', 413, 20 * MEGABYTE, ['token', 'json']],
  ['that is too large in chunks', 'POST /v1/workspaces', 413, 'chunked', ['token', 'json']],
  ['of an unknown path', 'POST /nowhere', 404, 20 * MEGABYTE, []],
  ['of an unknown path in chunks', 'POST /nowhere', 404, 'chunked', []],
  ['of another method', 'PUT /v1/workspaces', 405, 20 * MEGABYTE, []],
] as const)(
  'a caller that sends a large body %s reads why it is rejected',
  async (_, line, status, length, given) => {
    const headers = given.map((name) =>
      name === 'token' ? `Authorization: Bearer ${token}` : 'Content-Type: application/json',
    )
    const socket = await open(app)
    socket.write(headOf(app, line, length, ...headers))
    await sleep(20)
    if (length === 'chunked') {
      await sendAll(socket, 20 * MEGABYTE, chunk)
      socket.write('0\r\n\r\n')
    } else await sendAll(socket, length)
    const response = await readResponse(socket)
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(response).toMatch(/^connection: close$/im)
    socket.destroy()
  },
)

test('a caller that takes longer than a second to send its body reads why it is rejected', async () => {
  const socket = await open(app)
  socket.write(headOf(app, 'POST /v1/workspaces', 4 * MEGABYTE))
  for (let second = 0; second < 4; second++) {
    await sendAll(socket, MEGABYTE)
    await sleep(900)
  }
  expect(await readResponse(socket)).toMatch(/^HTTP\/1.1 401 /)
  socket.destroy()
})

test('a connection stays after a rejected body of as many bytes as the table says, and one more ends it', async () => {
  const max = boundNamed('MAX_DRAINED_BYTES')
  for (const [bytes, ends] of [
    [max, false],
    [max + 1, true],
  ] as const) {
    const socket = await open(app)
    socket.write(headOf(app, 'POST /v1/workspaces', bytes))
    await sendAll(socket, bytes)
    expect(/^connection: close$/im.test(await readResponse(socket))).toBe(ends)
    if (ends) expect(await readResponse(socket)).toBe('')
    else {
      socket.write(headOf(app, 'GET /livez', 0))
      expect(await readResponse(socket)).toMatch(/^HTTP\/1.1 200 /)
    }
    socket.destroy()
  }
})

test('a rejected body without end ends its connection', async () => {
  const socket = await open(app)
  socket.write(headOf(app, 'POST /v1/workspaces', 'chunked'))
  const sending = sendAll(socket, 500 * MEGABYTE, chunk)
  await expect(sending).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) })
})

test('a body that crosses its response leaves the next request on the connection as it is', async () => {
  const socket = await open(sandbox)
  const next = headOf(sandbox, 'GET /livez', 0)
  for (const { upgrade, ends } of [
    { upgrade: [], ends: false },
    {
      upgrade: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAA'],
      ends: true,
    },
  ]) {
    socket.write(headOf(sandbox, 'POST /v1/workspaces', 2, 'Prefer: code=413', ...upgrade))
    await once(socket, 'readable')
    // The caller has seen nothing of the response yet, and sends its next request at once when it has.
    const first = await readResponse(socket)
    socket.write(`{}${next}`)
    expect([first.slice(0, 13), /^connection: close$/im.test(first)]).toEqual(['HTTP/1.1 413 ', ends])
    if (!ends) expect(await readResponse(socket)).toMatch(/^HTTP\/1.1 200 /)
  }
  socket.destroy()
})

test('a caller that waits for permission to send its body gets Connection: close', async () => {
  const socket = await open(app)
  socket.write(headOf(app, 'POST /v1/workspaces', 100, 'Expect: 100-continue'))
  const response = await readResponse(socket)
  expect(response).toMatch(/^HTTP\/1.1 401 /)
  expect(response).toMatch(/^connection: close$/im)
  socket.destroy()
})

test('the timer of a file ends if its caller hangs up after a response that was sent before the file', async () => {
  const start = jest.spyOn(globalThis, 'setInterval')
  const clear = jest.spyOn(globalThis, 'clearInterval')
  const socket = await open(sandbox)
  socket.write(headOf(sandbox, 'POST /api/v1/sessions/x/uploads?fileName=a', 100, 'Prefer: code=404'))
  expect(await readResponse(socket)).toMatch(/^HTTP\/1.1 404 /)
  socket.destroy()
  const [timer] = start.mock.calls.flatMap(([, delay], nth) =>
    delay === UPLOAD_GRACE_MS ? [start.mock.results[nth]?.value as NodeJS.Timeout] : [],
  )
  expect(timer?.hasRef()).toBe(false)
  await until('the timer ends', () => clear.mock.calls.some(([cleared]) => cleared === timer))
  jest.restoreAllMocks()
})
