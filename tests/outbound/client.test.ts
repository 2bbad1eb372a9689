import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import http, { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { isPublicAddress } from '../../server/outbound/addresses.ts'
import { type OutboundOptions, type OutboundResponse, outboundClient } from '../../server/outbound/client.ts'
import { addressesOf } from '../../server/outbound/dns.ts'
import { withText } from '../../server/outbound/response-body.ts'

let server: Server
let port: number
let hits: IncomingMessage[] = []
let bodies: string[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeAll(async () => {
  server = createServer((request, response) => {
    hits.push(request)
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      bodies.push(body)
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  port = (server.address() as AddressInfo).port
})

afterAll(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

function call(
  url: string,
  more: Partial<Parameters<ReturnType<typeof outboundClient>>[0]> = {},
  options: Partial<OutboundOptions> = {},
): Promise<OutboundResponse> {
  hits = []
  bodies = []
  const client = outboundClient({ allowedHosts: [], ...options })
  return client({ url, method: 'GET', headers: {}, milliseconds: 1_000, ...more })
}

const allowed = () => ({ allowedHosts: [`127.0.0.1:${port}`] })
const bodyOf = (reply: OutboundResponse) => (reply.ok ? new TextDecoder().decode(reply.body) : reply)

describe('disguises of private addresses', () => {
  const hosts = [
    '127.0.0.1',
    '127.1',
    '0',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::127.0.0.1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::1]',
    '[fd00::]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '169.254.169.254',
    '100.64.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    'localhost',
    'localhost.',
    'LOCALHOST',
    '①②⑦.0.0.1',
    '127。0。0。1',
  ]
  test.each(hosts)('%s', async (host) => {
    // With an allow-list for something else, on the usual ports and on the port of the listener.
    for (const url of [`http://${host}/`, `https://${host}/`, `http://${host}:${port}/`]) {
      const reply = await call(url, {}, { allowedHosts: [`example.test:${port}`] })
      expect(reply).toMatchObject({ ok: false, reason: 'refused' })
      expect(hits).toHaveLength(0)
    }
  })

  // The port is open here, so that only the check of the address stands between the request and the listener.
  test.each(hosts)('%s through a name that resolves to it', async (host) => {
    const literal = new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, '')
    const address = literal === 'localhost' ? '127.0.0.1' : literal
    const reply = await call('http://name.test/', {}, { lookup: async () => [address] })
    expect(reply).toMatchObject({ ok: false, reason: 'refused', message: expect.stringContaining('private') })
    expect(hits).toHaveLength(0)
  })

  test.each([
    ['https://ok@127.0.0.1/', /User name/],
    ['https://example.com:80@127.0.0.1/', /User name/],
    ['https://user:password@example.com/', /User name/],
    ['file:///etc/passwd', /http/],
    ['ftp://example.com/', /http/],
    ['unix:/var/run/docker.sock', /http/],
    ['http+unix://%2Fvar%2Frun%2Fdocker.sock/', /http/],
    ['gopher://127.0.0.1/', /http/],
    ['data:text/plain,a', /http/],
    ['javascript:alert(1)', /http/],
    ['http://', /not valid/],
    ['//example.com', /not valid/],
    ['', /not valid/],
    ['http://example.com:22/', /ports/],
    ['http://example.com:8080/', /ports/],
    ['http://example.com:0/', /ports/],
  ])('%s', async (url, message) => {
    const reply = await call(url)
    expect(reply).toMatchObject({ ok: false, reason: 'refused', message: expect.stringMatching(message) })
    expect(hits).toHaveLength(0)
  })

  test('one private address among public ones is rejected', async () => {
    const reply = await call('http://both.test/', {}, { lookup: async () => ['8.8.8.8', '127.0.0.1'] })
    expect(reply).toMatchObject({ ok: false, reason: 'refused' })
  })

  test('has its title, summary, version, contact, licence and terms', async () => {
    const answers = [['192.0.0.255'], ['127.0.0.1']]
    let asked = 0
    const lookup = async () => answers[asked++] ?? []
    expect(await call(`http://changing.test:${port}/`, {}, { lookup, allowedHosts: [] })).toMatchObject({
      ok: false,
    })
    asked = 0
    // The name is allowed here, so nothing but the pinned address decides where the connection goes.
    const reply = await call(
      `http://changing.test:${port}/`,
      { milliseconds: 300 },
      {
        lookup: async () => (asked++ === 0 ? ['203.0.113.1'] : ['127.0.0.1']),
        allowedHosts: [`changing.test:${port}`],
      },
    )
    expect(reply.ok).toBe(false)
    expect(asked).toBe(1)
    expect(hits).toHaveLength(0)
  })

  test.each([
    ['a private address', () => `http://localhost:${port}/private`, /private|ports/],
    ['a name that resolves to one', () => 'http://inside.test/private', /private/],
    ['a metadata service', () => 'http://169.254.169.254/latest/api/token', /private/],
    ['a file', () => 'file:///etc/passwd', /http/],
    ['a port that is not open', () => 'http://example.test:22/', /ports/],
  ])('a redirect to %s is rejected', async (_name, location, message) => {
    answer = (request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/again' }).end('moved')
      else if (request.url === '/again') response.writeHead(307, { location: location() }).end('moved')
      else response.end('secret')
    }
    const lookup = async (host: string) => (host === 'inside.test' ? ['127.0.0.1'] : ['8.8.8.8'])
    const reply = await call(`http://127.0.0.1:${port}/`, {}, { ...allowed(), lookup })
    expect(reply).toMatchObject({ ok: false, reason: 'refused', message: expect.stringMatching(message) })
    expect(hits.map(({ url }) => url)).toEqual(['/', '/again'])
  })

  test.each(['CONNECT', 'TRACE', 'get', 'FOO BAR', ''])('a method %p is rejected', async (method) => {
    expect(await call(`http://127.0.0.1:${port}/`, { method }, allowed())).toMatchObject({
      reason: 'refused',
    })
    expect(hits).toHaveLength(0)
  })
})

test.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '64:ff9b::8.8.8.8', '2002:808:808::1', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each(['', 'localhost', 'fe80::1%eth0', '::ffff:10.0.0.1', '2001:db8::1', '3fff::1', '4000::1', '1.2.3'])(
  '%p is not public',
  (address) => expect(isPublicAddress(address)).toBe(false),
)

describe('redirects', () => {
  const start = () => `http://127.0.0.1:${port}/0`
  const redirect = (status: number, location: string) => {
    answer = (request, response) => {
      if (request.url === '/0') response.writeHead(status, { location }).end('moved')
      else response.end('there')
    }
  }
  const headers = {
    Authorization: 'Bearer secret',
    Cookie: 'a=b',
    'Content-Type': 'text/plain',
    'X-Own': '1',
  }

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
  ])('%d turns %s into %s', async (status, method, expected) => {
    redirect(status, '../there')
    const body = method === 'HEAD' ? {} : { body: 'sent' }
    const reply = await call(start(), { method, headers, ...body }, allowed())
    expect(reply).toMatchObject({ ok: true, status: 200 })
    expect(hits[1]).toMatchObject({ url: '/there', method: expected })
    const isKept = expected === method
    expect(bodies[1]).toBe(isKept && method !== 'HEAD' ? 'sent' : '')
    expect(hits[1]?.headers['content-type']).toBe(isKept ? 'text/plain' : undefined)
    expect(hits[1]?.headers).toMatchObject({ authorization: 'Bearer secret', 'x-own': '1' })
  })

  test('a redirect to another origin has neither password nor cookies', async () => {
    redirect(307, `http://other.test:${port}/there`)
    const options = {
      allowedHosts: [`127.0.0.1:${port}`, `other.test:${port}`],
      lookup: async () => ['127.0.0.1'],
    }
    expect(await call(start(), { headers }, options)).toMatchObject({ ok: true, status: 200 })
    expect(hits[1]?.headers.authorization).toBeUndefined()
    expect(hits[1]?.headers.cookie).toBeUndefined()
    expect(hits[1]?.headers).toMatchObject({ 'x-own': '1', host: `other.test:${port}` })
  })

  test('five are followed, a sixth is not', async () => {
    let last = 5
    answer = (request, response) => {
      const step = Number(request.url?.slice(1))
      if (step < last) response.writeHead(302, { location: `/${step + 1}` }).end()
      else response.end('there')
    }
    expect(bodyOf(await call(start(), {}, allowed()))).toBe('there')
    last = 6
    expect(await call(start(), {}, allowed())).toMatchObject({ ok: false, reason: 'network' })
    expect(hits).toHaveLength(6)
  })

  test('a redirect without a valid target is a response or a failure', async () => {
    redirect(304, '/there')
    expect(await call(start(), {}, allowed())).toMatchObject({ ok: true, status: 304 })
    answer = (_request, response) => response.writeHead(302).end('where?')
    expect(bodyOf(await call(start(), {}, allowed()))).toBe('where?')
    redirect(302, 'http://[')
    expect(await call(start(), {}, allowed())).toMatchObject({ ok: false, reason: 'network' })
  })

  test('redirects share the timeout of the request', async () => {
    answer = (request, response) => {
      if (request.url === '/0') response.writeHead(302, { location: '/1' }).end()
    }
    expect(await call(start(), { milliseconds: 200 }, allowed())).toMatchObject({ reason: 'time' })
  })
})

describe('the allow-list', () => {
  test('opens a host and port for real requests', async () => {
    answer = (_request, response) =>
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"a":1}')
    const reply = await call(
      `http://127.0.0.1:${port}/path?x=1`,
      {
        method: 'POST',
        headers: { 'X-Own': 'yes', Host: 'evil.test', 'Content-Length': '3' },
        body: '{"é":1}',
      },
      allowed(),
    )
    expect(reply).toMatchObject({ ok: true, status: 201, contentType: 'application/json' })
    expect(bodyOf(reply)).toBe('{"a":1}')
    expect(bodies).toEqual(['{"é":1}'])
    expect(hits[0]?.url).toBe('/path?x=1')
    expect(hits[0]?.headers).toMatchObject({
      'x-own': 'yes',
      host: `127.0.0.1:${port}`,
      'accept-encoding': 'identity',
    })
  })

  test('applies to names and to IPv6, and not to other ports', async () => {
    answer = (_request, response) => response.end('ok')
    expect(await call(`http://[::1]:${port}/`, {}, { allowedHosts: [`[::1]:${port}`] })).toMatchObject({
      status: 200,
    })
    const named = { allowedHosts: [`Internal.test:${port}`], lookup: async () => ['127.0.0.1'] }
    expect(await call(`http://internal.test:${port}/`, {}, named)).toMatchObject({ status: 200 })
    expect(await call(`http://internal.test.:${port}/`, {}, named)).toMatchObject({ status: 200 })
    expect(await call(`http://other.test:${port}/`, {}, named)).toMatchObject({ reason: 'refused' })
    const wholeHost = { allowedHosts: ['127.0.0.1'] }
    expect(await call(`http://127.0.0.1:${port}/`, {}, wholeHost)).toMatchObject({ reason: 'refused' })
  })
})

describe('keep-alive connections', () => {
  const ask = (client: ReturnType<typeof outboundClient>, more = {}) =>
    client({
      url: `http://127.0.0.1:${port}/`,
      method: 'POST',
      headers: {},
      body: 'a',
      milliseconds: 1_000,
      ...more,
    })

  test('are reused, and each request has its own without keep-alive', async () => {
    for (const keepAlive of [true, false]) {
      hits = []
      const client = outboundClient({ ...allowed(), keepAlive })
      answer = (_request, response) => response.end('fine')
      for (let count = 0; count < 3; count++) {
        expect(bodyOf(await ask(client))).toBe('fine')
        // The agent takes a connection back in a later turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(new Set(hits.map(({ socket }) => socket)).size).toBe(keepAlive ? 1 : 3)
    }
  })

  test('have the maximum of concurrent requests to one endpoint', async () => {
    hits = []
    const client = outboundClient({ ...allowed(), keepAlive: true })
    let waiting: ServerResponse[] = []
    answer = (_request, response) => {
      waiting.push(response)
      if (waiting.length < 32) return
      for (const each of waiting) each.end('fine')
      waiting = []
    }
    for (let time = 0; time < 2; time++) {
      await Promise.all(Array.from({ length: 32 }, () => ask(client)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(hits).toHaveLength(64)
    expect(new Set(hits.map(({ socket }) => socket)).size).toBe(32)
  })

  test('that were closed meanwhile are replaced', async () => {
    hits = []
    bodies = []
    const client = outboundClient({ ...allowed(), keepAlive: true })
    answer = (_request, response) => response.end('fine')
    await ask(client)
    await new Promise((resolve) => setImmediate(resolve))
    // Read, and hung up on without an answer: as who closes an idle connection at the same moment.
    answer = (request, response) =>
      request === hits[1] ? request.socket.resetAndDestroy() : response.end('again')
    expect(bodyOf(await ask(client))).toBe('again')
    expect(hits).toHaveLength(3)
    expect(bodies).toEqual(['a', 'a', 'a'])
  })

  test('that do not respond in time are closed, and the request is not sent again', async () => {
    hits = []
    const client = outboundClient({ ...allowed(), keepAlive: true })
    answer = (_request, response) => {
      if (bodies.at(-1) !== 'late') response.end('fine')
    }
    const sending = jest.spyOn(http, 'request')
    try {
      await ask(client)
      await new Promise((resolve) => setImmediate(resolve))
      const dropped = once(hits[0]?.socket as Socket, 'close')
      const late = await ask(client, { body: 'late', milliseconds: 500 })
      expect(late).toMatchObject({ ok: false, reason: 'time' })
      await dropped
      expect(bodyOf(await ask(client))).toBe('fine')
      expect(sending).toHaveBeenCalledTimes(3)
    } finally {
      sending.mockRestore()
    }
  })

  test('that had a timeout are not reused', async () => {
    hits = []
    const client = outboundClient({ ...allowed(), keepAlive: true })
    answer = (request, response) => {
      if (request === hits[0]) response.write('a')
      else response.end('fine')
    }
    expect(await ask(client, { milliseconds: 100 })).toMatchObject({ ok: false, reason: 'time' })
    expect(bodyOf(await ask(client))).toBe('fine')
    expect(hits[1]?.socket).not.toBe(hits[0]?.socket)
  })
})

describe('bounds', () => {
  test('a body over the limit is rejected', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(2_000_000))
    expect(await call(`http://127.0.0.1:${port}/`, {}, allowed())).toMatchObject({
      ok: false,
      reason: 'size',
    })
  })

  test('a body of exactly the limit is accepted', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(1_048_576))
    const reply = await call(`http://127.0.0.1:${port}/`, {}, allowed())
    expect(reply.ok && reply.body.length).toBe(1_048_576)
  })

  test('a request may bound its own response, and send bytes', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(2_000_000))
    const bytes = new Uint8Array([65, 0, 66])
    const post = { method: 'POST', body: bytes, maximumBytes: 2_000_000 }
    const reply = await call(`http://127.0.0.1:${port}/`, post, allowed())
    expect(reply.ok && reply.body.length).toBe(2_000_000)
    expect(bodies).toEqual(['A\0B'])
    expect(
      await call(`http://127.0.0.1:${port}/`, { ...post, maximumBytes: 1_999_999 }, allowed()),
    ).toMatchObject({
      reason: 'size',
    })
  })

  test.each([
    ['no answer', () => {}],
    ['an answer that never ends', (_: IncomingMessage, response: ServerResponse) => response.write('a')],
  ])('%s', async (_name, respond) => {
    answer = respond
    const reply = await call(`http://127.0.0.1:${port}/`, { milliseconds: 200 }, allowed())
    expect(reply).toMatchObject({ ok: false, reason: 'time' })
  })

  test('a look-up that takes for ever is aborted', async () => {
    const lookup = () => new Promise<string[]>(() => {})
    expect(await call('http://slow.test/', { milliseconds: 100 }, { lookup })).toMatchObject({
      reason: 'time',
    })
  })

  test('failures are returned as values', async () => {
    answer = (request) => request.socket.destroy()
    expect(await call(`http://127.0.0.1:${port}/`, {}, allowed())).toMatchObject({
      ok: false,
      reason: 'network',
    })
    const bad = await call(`http://127.0.0.1:${port}/`, { headers: { 'bad name': 'x' } }, allowed())
    expect(bad).toMatchObject({ ok: false, reason: 'refused' })
    const broken = await call(`http://127.0.0.1:${port}/`, { headers: { name: 'a\r\nb: c' } }, allowed())
    expect(broken).toMatchObject({ ok: false, reason: 'refused' })
    const lookup = async () => Promise.reject(new Error('ENOTFOUND 10.0.0.2'))
    const lost = await call('http://lost.test/', {}, { lookup })
    expect(lost).toMatchObject({ ok: false, reason: 'network' })
    expect(JSON.stringify(lost)).not.toContain('10.0.0.2')
  })
})

test('look-ups for bots use none of the threads of look-ups for the database', async () => {
  const made: string[] = []
  const hook = createHook({ init: (_id, type) => void made.push(type) }).enable()
  await call('http://name.invalid/', { milliseconds: 500 })
  hook.disable()
  expect(made).toContain('QUERYWRAP')
  expect(made).not.toContain('GETADDRINFOREQWRAP')
})

test('a status that HTTP does not have is a network error', async () => {
  answer = (_request, response) => {
    response.socket?.end('HTTP/1.1 099 Early\r\nContent-Length: 0\r\n\r\n')
  }
  expect(await call(`http://127.0.0.1:${port}/`, {}, allowed())).toEqual({
    ok: false,
    reason: 'network',
    message: 'The answer has no status of HTTP',
  })
})

describe('the body of a response', () => {
  const json = Buffer.from('{"a":"\u00fc"}')
  test.each<[string, Buffer]>([
    ['gzip', gzipSync(json)],
    ['GZIP', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['deflate', deflateRawSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', json],
    ['deflate, gzip', gzipSync(deflateSync(json))],
  ])('is decompressed where it is %s', async (encoding, body) => {
    answer = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body)
    expect(bodyOf(await call(`http://127.0.0.1:${port}`, {}, allowed()))).toBe(json.toString())
  })

  test.each<[string, Buffer, string, string]>([
    ['zstd', json, 'network', 'zstd'],
    ['gzip', json, 'network', 'gzip'],
    ['gzip', gzipSync(json).subarray(0, 20), 'network', 'gzip'],
    ['gzip', gzipSync(Buffer.alloc(3_000_000)), 'size', '1048576 bytes'],
    ['gzip, gzip, gzip', json, 'network', 'cannot be read'],
  ])('is a failure where %s cannot be decompressed', async (encoding, body, reason, message) => {
    answer = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body)
    const reply = await call(`http://127.0.0.1:${port}`, {}, allowed())
    expect(reply).toEqual({ ok: false, reason, message: expect.stringContaining(message) })
  })

  test('may be empty whatever encoding its headers name', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end()
    expect(bodyOf(await call(`http://127.0.0.1:${port}`, { method: 'HEAD' }, allowed()))).toBe('')
    expect(bodyOf(await call(`http://127.0.0.1:${port}`, {}, allowed()))).toBe('')
  })

  const text = (contentType: string, body: Uint8Array) => withText({ ok: true, contentType, body })
  test.each<[string, number[], string]>([
    ['text/plain; charset=iso-8859-1', [0x43, 0x61, 0x66, 0xe9], 'Café'],
    ['text/plain;charset="UTF-16LE"', [0x41, 0, 0xe9, 0], 'Aé'],
    ['text/plain; charset=windows-1252', [0x80], '€'],
    ['text/plain; charset=', [0xc3, 0xa9], 'é'],
    ['application/json', [0xef, 0xbb, 0xbf, 0xc3, 0xa9], 'é'],
    ['', [0xc3, 0xa9], 'é'],
    ['nonsense;;=', [0xc3, 0xa9], 'é'],
  ])('is decoded from the charset of %s', (contentType, bytes, expected) => {
    expect(text(contentType, Uint8Array.from(bytes))).toMatchObject({ ok: true, text: expected })
  })

  test('is a failure in an unknown charset', () => {
    expect(text('text/plain; charset=klingon', Buffer.from('x'))).toMatchObject({
      ok: false,
      message: 'The answer has the charset klingon, which cannot be read',
    })
  })
})

test('a response that changes the protocol is a failure at once', async () => {
  answer = (request) =>
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
  const begun = performance.now()
  const reply = await call(`http://127.0.0.1:${port}`, { milliseconds: 5_000 }, allowed())
  expect(reply).toMatchObject({ ok: false, reason: 'network', message: expect.stringContaining('101') })
  expect(performance.now() - begun).toBeLessThan(3_000)
})

test('a redirect to another origin has no header with a key of any name', async () => {
  const other = createServer((request, response) => {
    hits.push(request)
    response.end()
  })
  await new Promise<void>((resolve) => other.listen(0, '::', resolve))
  const { port: otherPort } = other.address() as AddressInfo
  answer = (_, response) => response.writeHead(307, { location: `http://127.0.0.1:${otherPort}/` }).end()
  const headers = {
    'api-key': 'k',
    'X-Api-Key': 'k',
    'x-auth': 'k',
    'X-Session-Token': 'k',
    accept: 'text/plain',
  }
  await call(
    `http://127.0.0.1:${port}`,
    { headers },
    { allowedHosts: [`127.0.0.1:${port}`, `127.0.0.1:${otherPort}`] },
  )
  other.close()
  expect(hits).toHaveLength(2)
  expect(hits[1]?.headers).toMatchObject({ accept: 'text/plain' })
  expect(JSON.stringify(hits[1]?.headers)).not.toContain('"k"')
})

test('timeouts work when the clock of the machine is set back', async () => {
  answer = () => {}
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => 0)
  const begun = performance.now()
  const lookup = async () => {
    clock.mockImplementation(() => -20_000)
    return ['127.0.0.1']
  }
  const options = { allowedHosts: [`bots.test:${port}`], lookup }
  const reply = await call(`http://bots.test:${port}`, { milliseconds: 200 }, options)
  clock.mockRestore()
  expect(reply).toMatchObject({ ok: false, reason: 'time' })
  expect(performance.now() - begun).toBeLessThan(5_000)
})

describe('addressesOf', () => {
  const silent = () => sleep(5_000, ['192.0.2.9'], { ref: false })
  const unknown = async () => Promise.reject(new Error('ENODATA'))
  test.each([
    ['IPv4 alone where IPv6 is silent', async () => ['192.0.2.1'], silent, ['192.0.2.1']],
    ['IPv6 alone where IPv4 is silent', silent, async () => ['2001:db8::1'], ['2001:db8::1']],
    ['IPv4 alone where there is no IPv6', async () => ['192.0.2.1'], unknown, ['192.0.2.1']],
    [
      'both where both answer',
      async () => ['192.0.2.1'],
      async () => ['2001:db8::1'],
      ['192.0.2.1', '2001:db8::1'],
    ],
    [
      'IPv6 that comes later where there is no IPv4',
      unknown,
      () => sleep(300, ['2001:db8::1']),
      ['2001:db8::1'],
    ],
    ['nothing where there is neither', unknown, unknown, []],
  ])('gives %s', async (_case, resolve4, resolve6, expected) => {
    const begun = performance.now()
    expect(await addressesOf('a.test', false, { resolve4, resolve6 })).toEqual(expected)
    expect(performance.now() - begun).toBeLessThan(3_000)
  })
})
