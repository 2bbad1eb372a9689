import { get, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { parse } from 'yaml'
import { type OperationId, operations } from '../../contract/index.ts'
import { errorBody } from '../../contract/kit/errors.ts'
import { takesFileOf } from '../../server/kit/server.ts'
import { type App, startApp } from '../support/app.ts'
import { limited } from '../support/cases.ts'
import { anyBody, type CallOptions } from '../support/client.ts'
import { statusOf, until } from '../support/process.ts'
import { publishedText } from '../support/published.ts'
import { clear, digestOf } from '../support/rows.ts'
import { makeWorld } from '../support/world.ts'

/* Tests below and beside the operations: bytes that are no request, pages, headers, the log. */

let app: App
/** Gives up on requests quickly, and has no database. */
let hasty: App

beforeAll(async () => {
  app = await startApp()
  hasty = await startApp({
    databaseUrl: 'postgres://127.0.0.1:1/none',
    cursorKey: Buffer.alloc(32),
    requestTimeout: 300,
    uploadTimeout: 600_000,
  })
})
afterAll(async () => {
  await hasty.stop()
  await app.stop()
})
beforeEach(() => clear(app.pool))

interface RawAnswer {
  status: number
  headers: Record<string, string>
  text: string
  body: { code: string; message: string; issues: { path: string[] }[] }
}

/** Writes bytes to the server and reads what it says until it closes the connection. */
function raw(to: App, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(new URL(to.url).port), '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (received += chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })
}

async function ask(to: App, ...lines: string[]): Promise<RawAnswer> {
  return read(await raw(to, lines.join('\r\n')))
}

function read(answer: string): RawAnswer {
  const at = answer.indexOf('\r\n\r\n')
  const [statusLine = '', ...fields] = answer.slice(0, at).split('\r\n')
  const text = answer.slice(at + 4)
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 2),
      ]),
    ),
    text,
    body: JSON.parse(text),
  }
}

function expectProblem(answer: RawAnswer, status: number, code: string) {
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(answer.text)),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[0-9a-z]{26}$/),
    connection: 'close',
  })
}

const host = 'Host: localhost'
const close = 'Connection: close'

test('Strict-Transport-Security is sent where the service is reached over TLS, without its subdomains', async () => {
  const plain = await fetch(`${app.url}/livez`)
  expect(plain.headers.get('strict-transport-security')).toBeNull()
  const secure = await startApp({
    databaseUrl: app.databaseUrl,
    config: { PUBLIC_URL: 'https://bots.example.org/builder' },
  })
  const answer = await fetch(`${secure.url}/livez`)
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
  await secure.stop()
})

describe('malformed requests', () => {
  test.each([
    ['no HTTP', 'HELO example.com\r\n\r\n'],
    ['a method there is not', `BREW /livez HTTP/1.1\r\n${host}\r\n\r\n`],
    ['a version there is not', `GET /livez HTTP/9.9\r\n${host}\r\n\r\n`],
    ['U+0000 in a header', `GET /livez HTTP/1.1\r\n${host}\r\nX-A: a\0b\r\n\r\n`],
    ['a header that goes on in the next line', `GET /livez HTTP/1.1\r\n${host}\r\nX-A: a\r\n b\r\n\r\n`],
    ['a space before the colon', `GET /livez HTTP/1.1\r\nHost : localhost\r\n\r\n`],
    ['two lengths', `POST /v1/bots HTTP/1.1\r\n${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    ['a length that is none', `POST /v1/bots HTTP/1.1\r\n${host}\r\nContent-Length: -1\r\n\r\n`],
    [
      'a length and chunks',
      `POST /v1/bots HTTP/1.1\r\n${host}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ...['https://', 'http://?', 'https://?a', 'what://', 'http://[/'].map((target): [string, string] => [
      `the target ${target}`,
      `GET ${target} HTTP/1.1\r\n${host}\r\n\r\n`,
    ]),
    ['an encrypted hello', Buffer.from('16030100a5010000a10303', 'hex')],
  ])('%s is a 400', async (_name, bytes) => {
    expectProblem(read(await raw(app, bytes)), 400, 'BAD_REQUEST')
  })

  test('invalid chunks are a 400', async () => {
    const world = await makeWorld(app)
    const head = [
      'POST /v1/workspaces HTTP/1.1',
      host,
      `Authorization: Bearer ${world.stranger.token}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]
    const answer = await ask(app, ...head, '', 'zz', '{}', '')
    expect(answer.status).toBe(400)
  })

  test.each([
    ['a long header', `GET /livez HTTP/1.1\r\n${host}\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a long address', `GET /livez?${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n\r\n`],
    [
      'many long headers',
      `GET /livez HTTP/1.1\r\n${host}\r\n${`X-A: ${'x'.repeat(1_000)}\r\n`.repeat(20)}\r\n`,
    ],
  ])('%s is too large', async (_name, bytes) => {
    expectProblem(read(await raw(app, bytes)), 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
  })

  test('a hundred headers are accepted, and one more is a 431', async () => {
    const world = await makeWorld(app)
    const first = ['GET /v1/workspaces HTTP/1.1', host, close]
    const last = `Authorization: Bearer ${world.stranger.token}`
    const headers = Array.from({ length: 97 }, (_, at) => `X-${at}: 1`)
    expect((await ask(app, ...first, ...headers, last, '', '')).status).toBe(200)
    const answer = await ask(app, ...first, 'X-One: more', ...headers, last, '', '')
    expectProblem(answer, 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
  })

  test('a request without Host is a 400', async () => {
    const answer = await ask(app, 'GET /livez HTTP/1.1', close, '', '')
    expectProblem(answer, 400, 'BAD_REQUEST')
    expect(answer.body.issues[0]?.path).toEqual(['header', 'host'])
    expect((await ask(app, 'GET /livez HTTP/1.0', '', '')).status).toBe(200)
  })

  test.each([
    ['alike', host],
    ['different', 'HOST: other.example'],
  ])('two lines with Host that are %s are a 400', async (_name, second) => {
    const answer = await ask(app, 'GET /livez HTTP/1.1', host, second, close, '', '')
    expectProblem(answer, 400, 'BAD_REQUEST')
    expect(answer.body.issues).toMatchObject([{ path: ['header', 'host'], code: 'repeated' }])
  })

  test.each([
    ['an expectation', ['GET /livez HTTP/1.1', host, 'Expect: nothing', '', '']],
    ['no HTTP', ['HELO example.com', '', '']],
    ['no path', ['GET https://? HTTP/1.1', host, '', '']],
    ['headers that are too large', ['GET /livez HTTP/1.1', host, `X-A: ${'x'.repeat(20_000)}`, '', '']],
    ['a tunnel', ['CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443', '', '']],
  ])('the response to a request is sent before the rejection of %s behind it', async (_name, second) => {
    const { here } = await makeWorld(app)
    const body = JSON.stringify({ workspaceId: here.workspaceId, folder: { name: 'First' } })
    const first = (name: string) => [
      'POST /v1/folders HTTP/1.1',
      host,
      `Authorization: Bearer ${here.member.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body.replace('First', name),
    ]
    const answer = await raw(
      app,
      `${first('First').join('\r\n')}${second.join('\r\n')}${first('Third').join('\r\n')}`,
    )
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', expect.stringMatching(/ 4(00|05|31)$/)])
    const query = { workspaceId: here.workspaceId }
    const { folders } = await app.client.ok('listFolders', { as: here.member, query })
    const names = folders.map(({ name }) => name)
    expect(names).toContain('First')
    expect(names).not.toContain('Third')
  })

  test('an unknown expectation is a 400', async () => {
    const answer = await ask(app, 'GET /livez HTTP/1.1', host, close, 'Expect: tea', '', '')
    expectProblem(answer, 400, 'BAD_REQUEST')
    expect(answer.body.issues[0]?.path).toEqual(['header', 'expect'])
  })

  test('a CONNECT request is a 405', async () => {
    const answer = await ask(app, 'CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443', '', '')
    expectProblem(answer, 405, 'METHOD_NOT_ALLOWED')
  })

  test.each(['OPTIONS *', 'GET //', 'GET /../etc/passwd', 'GET /%2e%2e/%2e%2e/etc/passwd', 'GET /v1/%00'])(
    '%s leads nowhere',
    async (line) => {
      const answer = await ask(app, `${line} HTTP/1.1`, host, close, '', '')
      expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND'])
    },
  )
})

describe('slow requests', () => {
  test.each([
    ['head', ['GET /livez HTTP/1.1', host]],
    ['body', ['POST /api/v1/bots/x/startChat HTTP/1.1', host, 'Content-Length: 10', '', '{']],
    [
      'body that calls itself a file',
      [
        'POST /api/v1/bots/x/startChat HTTP/1.1',
        host,
        'Content-Type: application/octet-stream',
        'Content-Length: 10',
        '',
        '{',
      ],
    ],
  ])('a request is a 408 when the %s does not arrive', async (_part, lines) => {
    const answer = await ask(hasty, ...lines)
    expectProblem(answer, 408, 'REQUEST_TIMEOUT')
  })

  test('uploads have a timeout of their own, on their operations', () => {
    const path = '/api/v1/sessions/x/uploads?fileName=a.pdf'
    const takesFile = takesFileOf(operations)
    const takes = (method: string, url: string) => takesFile({ method, url })
    expect([takes('POST', path), takes('POST', `http://localhost${path}`)]).toEqual([true, true])
    expect([takes('GET', path), takes('POST', '/api/v1/bots/x/startChat')]).toEqual([false, false])
  })

  test('a caller who disconnects leaves nothing behind', async () => {
    const world = await makeWorld(app)
    const before = await digestOf(app)
    const closed = new Promise((resolve) =>
      app.server.once('connection', (socket) => socket.once('close', resolve)),
    )
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    const head = [
      'POST /v1/workspaces HTTP/1.1',
      host,
      `Authorization: Bearer ${world.stranger.token}`,
      'Content-Type: application/json',
      'Content-Length: 1000',
    ]
    socket.write([...head, '', '{"name":"Acme"'].join('\r\n'), () => socket.destroy())
    await closed
    await app.client.ok('listWorkspaces', { as: world.stranger })
    expect(await digestOf(app)).toEqual(before)
  })

  test('a caller who never reads is disconnected, and one with a slow response is not', async () => {
    const impatient = await startApp({ readTimeout: 300 })
    try {
      const { here } = await makeWorld(impatient)
      const port = Number(new URL(impatient.url).port)
      const dropped = new Promise((resolve) =>
        impatient.server.once('connection', (socket) => socket.once('close', resolve)),
      )
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {}).pause()
      // More than lies in the buffers of both sides.
      socket.write(`GET /openapi.yaml HTTP/1.1\r\n${host}\r\n\r\n`.repeat(20))
      await dropped
      socket.destroy()

      const lock = await impatient.pool.connect()
      await lock.query('BEGIN; LOCK TABLE workspaces')
      const workspaceId = here.workspaceId
      const answer = impatient.client.call('getWorkspace', { as: here.member, params: { workspaceId } })
      await sleep(1_000)
      await lock.query('ROLLBACK')
      lock.release()
      expect((await answer).status).toBe(200)
    } finally {
      await impatient.stop()
    }
  })

  test('a request without a token gets its response before the body has come', async () => {
    const head = ['POST /v1/workspaces HTTP/1.1', host, close, 'Content-Length: 1000000', '', '{"name":']
    expect((await ask(app, ...head)).status).toBe(401)
  })

  test('a request with a token revoked a moment ago gets its response before the body has come', async () => {
    const { here } = await makeWorld(app)
    const { member, workspaceId } = here
    for (let again = 0; again < 2; again++) {
      await app.client.ok('createFolder', { as: member, body: { workspaceId, folder: { name: 'x' } } })
    }
    await app.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [member.tokenId])
    const authorization = `Authorization: Bearer ${member.token}`
    const head = ['POST /v1/folders HTTP/1.1', host, close, authorization, 'Content-Length: 1000000', '', '{']
    expect((await ask(app, ...head)).status).toBe(401)
  })

  test.each([
    [
      'token was revoked',
      '/v1/users/me/tokens',
      { name: 'Another' },
      401,
      'UPDATE api_tokens SET revoked_at = now()',
    ],
    ['role ended', '/members', { role: 'ADMIN' }, 403, 'DELETE FROM workspace_members'],
  ])(
    'a request whose %s while the body was delayed is rejected',
    async (_, path, given, status, statement) => {
      const { here, stranger } = await makeWorld(app)
      const { admin, workspaceId } = here
      const isToken = path.startsWith('/v1')
      const body = JSON.stringify(isToken ? given : { ...given, email: stranger.email })
      const head = [
        `POST ${isToken ? path : `/v1/workspaces/${workspaceId}${path}`} HTTP/1.1`,
        host,
        close,
        `Authorization: Bearer ${admin.token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ]
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
      let received = ''
      socket.setEncoding('utf8').on('data', (chunk) => (received += chunk))
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write([...head, '', body.slice(0, 5)].join('\r\n'))
      await sleep(1_500)
      await app.pool.query(`${statement} WHERE ${isToken ? 'id' : 'user_id'} = $1`, [
        isToken ? admin.tokenId : admin.id,
      ])
      socket.write(body.slice(5))
      await closed
      expect(read(received).status).toBe(status)
    },
  )

  // A cluster stores a bot by several statements.
  const testAlone = process.env.CITUS === '1' ? test.skip : test
  testAlone('the first of several long bodies is stored before the next are parsed', async () => {
    const { here } = await makeWorld(app)
    const { member, workspaceId } = here
    // The workspace is known, and there is a connection for each.
    await app.client.ok('createBot', { as: member, body: { workspaceId, bot: {} } })
    await Promise.all([1, 2, 3].map(() => app.pool.query('SELECT pg_sleep(0.1)')))

    const body = JSON.stringify({
      workspaceId,
      bot: { name: 'Long', theme: { customCss: 'x'.repeat(9_000) } },
    })
    const head = [
      'POST /v1/bots HTTP/1.1',
      host,
      `Authorization: Bearer ${member.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    const request = `${head.join('\r\n')}\r\n\r\n${body}`
    const done: string[] = []
    const { parse } = JSON
    const parsing = jest.spyOn(JSON, 'parse').mockImplementation((text, ...rest) => {
      if (text === body) done.push('parsed')
      return parse(text, ...rest)
    })
    app.beforeStatement = async (_, values) => {
      if (values.includes('Long')) done.push('sent')
    }
    try {
      const last = `GET /livez HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`
      const answer = await raw(app, request.repeat(3) + last)
      expect(answer.match(/HTTP\/1.1 201/g)).toHaveLength(3)
    } finally {
      app.beforeStatement = undefined
      parsing.mockRestore()
    }
    // One statement stores the bodies that arrive while the first is processed.
    expect(done).toEqual(['parsed', 'sent', 'parsed', 'parsed', 'sent'])
  })

  test('a body in chunks is rejected like one with a length', async () => {
    const { stranger } = await makeWorld(app)
    const large = `{"broken":${' '.repeat(300_000)}`
    for (const [type, body, status] of [
      ['text/plain', large, 415],
      ['text/plain', '{"broken":', 415],
      ['application/json', large, 413],
      ['application/json', '{"broken":', 400],
      ['text/plain', '', 400],
    ] as const) {
      const head = [
        'POST /v1/workspaces HTTP/1.1',
        host,
        close,
        `Authorization: Bearer ${stranger.token}`,
        `Content-Type: ${type}`,
        'Transfer-Encoding: chunked',
      ]
      const chunks = body === '' ? ['0'] : [body.length.toString(16), body, '0']
      const answer = await ask(app, ...head, '', ...chunks, '', '')
      expect([type, body.length, answer.status]).toEqual([type, body.length, status])
    }
  })

  test('a body is requested when the caller waits for that', async () => {
    const world = await makeWorld(app)
    const body = '{"name":"Acme"}'
    const head = [
      'POST /v1/workspaces HTTP/1.1',
      host,
      close,
      `Authorization: Bearer ${world.stranger.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ]
    const answer = await raw(app, [...head, '', body].join('\r\n'))
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/)
  })

  test('blanks in a header are skipped quickly', async () => {
    const head = ['POST /api/v1/bots/x/startChat HTTP/1.1', host, 'Content-Length: 2']
    const request = [...head, `Content-Type: application/json${' '.repeat(15_300)}x`, '', '{}'].join('\r\n')
    const last = `GET /livez HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`
    // Each took 0.4 s, so all of them longer than a test may.
    const answer = await raw(app, request.repeat(300) + last)
    expect(answer.match(/HTTP\/1.1 415/g)).toHaveLength(300)
  })

  test('two pipelined requests get two responses', async () => {
    const lines = ['GET /livez HTTP/1.1', host, '', 'GET /nowhere HTTP/1.1', host, close, '', '']
    const answer = await raw(app, lines.join('\r\n'))
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404'])
  })
})

describe('pages', () => {
  const statuses = async (on: App, ...paths: string[]) => {
    const answers = await Promise.all(paths.map((path) => on.client.send('GET', path)))
    return answers.map(({ status }) => status)
  }

  test('health pages report the state of the service', async () => {
    expect(await statuses(app, '/livez', '/readyz')).toEqual([200, 200])
    expect(await statuses(hasty, '/livez', '/readyz')).toEqual([200, 503])
  })

  test('the starting service responds to health checks alone', async () => {
    app.setPhase('starting')
    expect(await statuses(app, '/livez', '/readyz', '/v1/workspaces')).toEqual([200, 503, 503])
    app.setPhase('serving')
  })

  test('the stopping service handles requests and closes connections', async () => {
    app.setPhase('draining')
    expect(await statuses(app, '/livez', '/readyz', '/v1/workspaces')).toEqual([200, 503, 401])
    expect((await app.client.send('GET', '/livez')).headers.connection).toBe('close')
    app.setPhase('serving')
  })

  test('the document is the same in both forms, with the address of the service', async () => {
    const yaml = await app.client.send('GET', '/openapi.yaml')
    const json = await app.client.send('GET', '/openapi.json')
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(json.body).toEqual(parse(yaml.text))
    expect(json.body.servers[0].url).toBe(app.url)
    expect(json.body.externalDocs.url).toBe(`${app.url}/docs`)
    const { info, ...document } = parse(publishedText)
    const { contact: _, termsOfService: __, ...named } = info
    const here = { servers: undefined, externalDocs: undefined }
    expect({ ...json.body, ...here }).toEqual({ ...document, info: named, ...here })
  })

  test.each(['openapi-slim', 'openapi-slim-3.0', 'openapi-untagged', 'openapi-3.2'])(
    'the document %s is available in both forms too',
    async (name) => {
      const yaml = await app.client.send('GET', `/${name}.yaml`)
      const json = await app.client.send('GET', `/${name}.json`)
      expect([yaml.status, json.body]).toEqual([200, parse(yaml.text)])
      expect(json.body.servers[0].url).toBe(app.url)
    },
  )

  test('the first conversion of a document to JSON does not block the process', async () => {
    const fresh = await startApp()
    try {
      let isSent = false
      let turns = 0
      const count = () => {
        turns += 1
        if (!isSent) setImmediate(count)
      }
      const sent = fresh.client.send('GET', '/openapi.json', { headers: { 'Accept-Encoding': 'identity' } })
      count()
      expect((await sent).status).toBe(200)
      isSent = true
      expect(turns).toBeGreaterThan(500)
    } finally {
      await fresh.stop()
    }
  })

  test('the document names a contact and terms only if the installation has them', async () => {
    const plain = parse((await app.client.send('GET', '/openapi.yaml')).text)
    expect(plain.info).not.toHaveProperty('contact')
    expect(plain.info).not.toHaveProperty('termsOfService')
    const other = await startApp({
      config: {
        CONTACT_NAME: 'Acme: "help"',
        CONTACT_EMAIL: 'help@acme.test',
        TERMS_URL: 'https://acme.test/terms',
      },
    })
    for (const path of ['/openapi.yaml', '/openapi-slim.yaml', '/openapi-slim-3.0.yaml']) {
      const { info } = parse((await other.client.send('GET', path)).text)
      expect(info.contact).toEqual({ name: 'Acme: "help"', email: 'help@acme.test' })
      expect(info.termsOfService).toBe('https://acme.test/terms')
    }
    await other.stop()
  })

  test.each(['3', '4', '5', '6', '6.1'])('any editor can read the schema of bots %s', async (version) => {
    const answer = await app.client.send('GET', `/schemas/bot-${version}.json`)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/schema\+json/)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(JSON.parse(answer.text).title).toBe(`Bot, version ${version}`)
  })

  test('forms can read the data of each type of credentials', async () => {
    const { text } = await app.client.send('GET', '/schemas/credentials.json')
    const { properties, definitions } = JSON.parse(text)
    expect(properties).toMatchObject({ openai: { $ref: '#/definitions/ApiKeyData' }, smtp: {}, stripe: {} })
    expect(definitions.ApiKeyData.properties.apiKey).toMatchObject({ format: 'password' })
  })

  test('the page of metrics needs a token', async () => {
    const world = await makeWorld(app)
    expect(await statuses(app, '/metrics')).toEqual([401])
    const answer = await app.client.send('GET', '/metrics', { as: world.stranger })
    expect(answer.status).toBe(200)
    expect(answer.text).toMatch(/^# (HELP|TYPE) /)
    expect((await app.client.send('GET', '/metrics', { as: world.revoked })).status).toBe(401)
    // They are of the whole installation.
    const { workspaceId, admin } = world.here
    for (const as of [
      await limited(app, admin, { workspaceId }),
      await limited(app, admin, { scopes: ['write', 'results'] }),
    ]) {
      expect((await app.client.send('GET', '/metrics', { as })).status).toBe(403)
    }
  })

  test.each([
    '/openapi.yaml',
    '/openapi.json',
    '/openapi-slim.yaml',
    '/schemas/bot-6.1.json',
    '/docs',
    '/docs/files/page.js',
    '/embed.js',
    '/home.css',
    '/results',
    '/results/files/page.js',
    '/chat/files/page.js',
  ])('%s can be cached, in every coding with a tag of its own', async (path) => {
    const ask = (headers: Record<string, string>) => fetchRaw(app.url + path, headers)
    const tags = new Set<string>()
    const plain = await ask({})
    for (const [accepted, coding] of [
      ['br;q=1, gzip;q=0.5', 'br'],
      ['gzip', 'gzip'],
      ['deflate', undefined],
    ] as const) {
      const answer = await ask({ 'Accept-Encoding': accepted })
      const { headers } = answer
      expect([accepted, answer.status, headers['content-encoding']]).toEqual([accepted, 200, coding])
      expect(headers.vary).toMatch(/\bAccept-Encoding\b/)
      expect(headers['cache-control']).toMatch(/^public, (max-age=600|no-cache)$/)
      const decode = { br: brotliDecompressSync, gzip: gunzipSync, undefined: (bytes: Buffer) => bytes }
      expect(decode[String(coding) as 'br'](answer.body).equals(plain.body)).toBe(true)
      tags.add(String(headers.etag))
      for (const known of [headers.etag, `W/${headers.etag}`, `"other", ${headers.etag}`, '*']) {
        const again = await ask({ 'Accept-Encoding': accepted, 'If-None-Match': String(known) })
        expect([known, again.status, again.body.length]).toEqual([known, 304, 0])
        expect(again.headers.etag).toBe(headers.etag)
        expect(again.headers).toMatchObject({ vary: headers.vary, 'cache-control': headers['cache-control'] })
        expect(again.headers).not.toHaveProperty('content-encoding')
      }
      const other = await ask({ 'Accept-Encoding': accepted, 'If-None-Match': '"other"' })
      expect(other.status).toBe(200)
    }
    expect(tags.size).toBe(3)
  })

  test.each(['/livez', '/readyz', '/metrics', '/openapi.yaml', '/openapi.json'])(
    '%s is read-only',
    async (path) => {
      for (const method of ['POST', 'PUT', 'DELETE', 'TRACE']) {
        const answer = await app.client.send(method, path)
        expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
        expect(answer.body).toMatchObject({
          ...errorBody('METHOD_NOT_ALLOWED'),
          issues: [{ code: 'unknown_method' }],
        })
      }
      expect((await app.client.send('OPTIONS', path)).status).toBe(204)
      expect((await app.client.send('GET', `${path}/`)).status).toBe(404)
    },
  )
})

describe('headers', () => {
  test('headers of published documents let pages of every origin read them', async () => {
    const documents = ['/openapi.yaml', '/openapi.json', '/openapi-slim.yaml', '/openapi-slim-3.0.json']
    const others = ['/openapi-3.2.yaml', '/openapi-untagged.json', '/openapi-overlay.yaml', '/arazzo.yaml']
    for (const path of [...documents, ...others, '/schemas/bot-6.1.json']) {
      const { status, headers } = await app.client.send('GET', path)
      expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 200, '*'])
    }
  })

  test.each(['/livez', '/v1/workspaces', '/nowhere'])('headers of %s reveal nothing', async (path) => {
    const { headers } = await app.client.send('GET', path)
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': expect.stringMatching(/DENY|SAMEORIGIN/),
    })
    for (const name of ['x-powered-by', 'server', 'set-cookie', 'access-control-allow-origin']) {
      expect(headers).not.toHaveProperty(name)
    }
  })

  test.each(['a', 'A-b_9', 'x'.repeat(64)])('a valid request id is returned: %s', async (id) => {
    const answer = await app.client.send('GET', '/livez', { headers: { 'X-Request-Id': id } })
    expect(answer.headers['x-request-id']).toBe(id)
    expect(app.logs.at(-1)).toMatchObject({ requestId: id })
  })

  test.each(['', 'a b', 'x'.repeat(65), 'a,b', '{"a":1}', 'é'])(
    'an invalid request id is replaced: %s',
    async (id) => {
      const answer = await app.client.send('GET', '/livez', { headers: { 'X-Request-Id': id } })
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-z]{26}$/)
    },
  )

  test('API responses are not for pages of other origins, those of chats are', async () => {
    const world = await makeWorld(app)
    const headers = { Origin: 'https://page.example' }
    const builder = await app.client.call('listWorkspaces', { as: world.stranger, headers })
    expect(builder.headers).not.toHaveProperty('access-control-allow-origin')
    const preflight = await app.client.send('OPTIONS', '/v1/workspaces', { headers })
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin')
    const params = { publicId: world.here.published.publicId }
    for (const answer of [
      await app.client.call('startChat', { params, headers }),
      await app.client.send('OPTIONS', `/api/v1/bots/${params.publicId}/startChat`, { headers }),
    ]) {
      expect(answer.headers['access-control-allow-origin']).toBe('https://page.example')
      expect(answer.headers.vary).toBe('Origin')
    }
  })
})

describe('pages of the origins in CORS_ORIGINS', () => {
  const editor = 'https://editor.example'
  let open: App
  beforeAll(async () => {
    open = await startApp({ databaseUrl: app.databaseUrl, config: { CORS_ORIGINS: [editor] } })
  })
  afterAll(() => open.stop())

  test('may send a preflight for every method and header of an operation with a token', async () => {
    const asked = { Origin: editor, 'Access-Control-Request-Method': 'PATCH' }
    const { status, headers } = await open.client.send('OPTIONS', '/v1/workspaces/any', { headers: asked })
    expect([status, headers.vary]).toEqual([204, 'Origin'])
    expect(headers).toMatchObject({
      'access-control-allow-origin': editor,
      'access-control-allow-methods': 'DELETE, GET, HEAD, OPTIONS, PATCH',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, X-Request-Id, If-Match, If-None-Match, MCP-Protocol-Version, Prefer',
    })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  test('may read responses, errors and their headers; caches tell origins apart', async () => {
    const { here, stranger } = await makeWorld(app)
    const headers = { Origin: editor }
    const params = { workspaceId: here.workspaceId }
    const found = await open.client.call('getWorkspace', { as: here.admin, params, headers })
    expect([found.status, found.headers.vary]).toEqual([200, 'Authorization, Origin'])
    for (const answer of [
      found,
      await open.client.call('getWorkspace', { as: stranger, params, headers }),
      await open.client.send('GET', '/v1/workspaces', { headers }),
    ]) {
      expect(answer.headers['access-control-allow-origin']).toBe(editor)
      expect(answer.headers['access-control-expose-headers']).toMatch(
        /ETag, Idempotent-Replayed, .*X-Request-Id/,
      )
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  test.each(['https://other.example', 'https://editor.example.org', 'http://editor.example', 'null'])(
    'do not include %s',
    async (origin) => {
      const headers = { Origin: origin }
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await open.client.send(method, '/v1/workspaces', { headers })
        expect(answer.headers.vary).toBe('Origin')
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
        expect(answer.headers).not.toHaveProperty('access-control-allow-methods')
      }
    },
  )
})

describe('the log', () => {
  test('has one line per request, with the operation and its outcome', async () => {
    const world = await makeWorld(app)
    app.logs.length = 0
    const answer = await app.client.call('listWorkspaces', { as: world.stranger })
    expect(app.logs).toEqual([
      expect.objectContaining({
        requestId: answer.headers['x-request-id'],
        method: 'GET',
        operationId: 'listWorkspaces',
        status: 200,
        msg: 'request',
      }),
    ])
  })

  test('has no status for a request whose caller left before the response', async () => {
    const world = await makeWorld(app)
    const lock = await app.pool.connect()
    try {
      await lock.query('BEGIN; LOCK TABLE workspaces')
      app.logs.length = 0
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
      app.server.once('request', () => socket.destroy())
      const token = `Authorization: Bearer ${world.stranger.token}`
      socket.write(['GET /v1/workspaces HTTP/1.1', host, token, '', ''].join('\r\n'))
      await until('the request is in the log', () => app.logs.some(({ msg }) => msg === 'request'))
      const lines = app.logs.filter(({ msg }) => msg === 'request')
      expect(lines).toEqual([expect.objectContaining({ operationId: 'listWorkspaces', status: 499 })])
    } finally {
      await lock.query('ROLLBACK')
      lock.release()
    }
  })

  test('callers get a warning in the last week of their token, also when they are rejected', async () => {
    const { stranger } = await makeWorld(app)
    const body = { name: 'Brief', expiresInDays: 8 }
    const { apiToken } = await app.client.ok('createToken', { as: stranger, body })
    const told = async (query?: Record<string, string>) => {
      const answer = await app.client.call('listWorkspaces', { as: apiToken, query })
      return [answer.status, answer.headers['authentication-token-expiration']]
    }
    expect(await told()).toEqual([200, undefined])
    app.clock.advance(24 * 60 * 60 * 1000 + 1)
    expect(await told()).toEqual([200, apiToken.expiresAt])
    expect(await told({ unknown: 'x' })).toEqual([400, apiToken.expiresAt])
    app.clock.advance(7 * 24 * 60 * 60 * 1000)
    expect(await told()).toEqual([401, undefined])
    expect(await app.client.call('listWorkspaces', { as: stranger })).not.toHaveProperty(
      'headers.authentication-token-expiration',
    )
  })

  test('names the token, its user and the workspace of a request', async () => {
    const { here, stranger, expired } = await makeWorld(app)
    const { workspaceId, folder, draft, member } = here
    const lineOf = async (id: OperationId, options: CallOptions) => {
      const answer = await app.client.call(id, options)
      const line = app.logs.find(({ requestId }) => requestId === answer.headers['x-request-id'])
      return { status: answer.status, ...line }
    }
    const caller = { userId: member.id, tokenId: member.tokenId }
    const as = member
    for (const [id, options, status] of [
      ['getWorkspace', { as, params: { workspaceId } }, 200],
      ['listBots', { as, query: { workspaceId } }, 200],
      ['getFolder', { as, params: { folderId: folder } }, 200],
      ['getBot', { as, params: { botId: draft.id } }, 200],
      ['createFolder', { as, body: { workspaceId, folder: { name: 'New' } } }, 201],
    ] as const) {
      expect(await lineOf(id, options as CallOptions)).toMatchObject({ status, ...caller, workspaceId })
    }
    // Requests without a right and invalid requests log their caller, but no workspace.
    for (const options of [
      { as: stranger, params: { botId: draft.id } },
      { as: member, params: { botId: 'missing' } },
      { as: member, params: { botId: draft.id }, query: { unknown: 1 } },
    ]) {
      const line = await lineOf('getBot', options)
      expect(line).toMatchObject({ userId: options.as.id, tokenId: options.as.tokenId })
      expect(line).not.toHaveProperty('workspaceId')
    }
    const unknown = await lineOf('getBot', { as: expired, params: { botId: draft.id } })
    for (const name of ['userId', 'tokenId', 'workspaceId']) expect(unknown).not.toHaveProperty(name)
  })

  test('names pages by their routes, and nothing else', async () => {
    const world = await makeWorld(app)
    const { publicId } = world.here.published
    app.logs.length = 0
    for (const path of ['/livez', '/openapi.json', `/chat/${publicId}`, '/chat/nobody-knows', '/nowhere']) {
      await statusOf(app.url + path)
    }
    expect(app.logs.map(({ path }) => path)).toEqual([
      '/livez',
      '/openapi.json',
      '/chat/:publicId',
      '/chat/:publicId',
      undefined,
    ])
  })

  test('has no content of callers, even after a 500', async () => {
    const world = await makeWorld(app)
    const secret = 'canary-7f3a'
    const as = { token: world.stranger.token }
    const answers = [
      await app.client.call('createWorkspace', { as, body: { name: secret } }),
      await app.client.call('createWorkspace', {
        as,
        body: anyBody({ name: 5, icon: `javascript:${secret}` }),
      }),
      await app.client.call('createWorkspace', { as, body: anyBody(`{"name":"${secret}`) }),
      await app.client.call('createWorkspace', { as: { token: secret }, body: { name: 'Acme' } }),
      await app.client.send('GET', `/v1/workspaces/${secret}.`, { as }),
      await app.client.send('GET', `/v1/workspaces?limit=${secret}`, { as }),
      await app.client.send('GET', '/livez', { headers: { Cookie: secret, 'User-Agent': secret } }),
    ]
    await app.pool.query('ALTER TABLE workspaces RENAME TO hidden')
    const fault = await app.client.call('createWorkspace', { as, body: { name: secret }, wants500: true })
    await app.pool.query('ALTER TABLE hidden RENAME TO workspaces')
    expect(fault.text).toBe(JSON.stringify(errorBody('INTERNAL_SERVER_ERROR')))
    const log = JSON.stringify(app.logs)
    expect(log).not.toContain(secret)
    expect(log).not.toContain(as.token)
    for (const { text } of answers.slice(1)) expect(text).not.toContain(secret)
  })

  test('has one line per request, whatever an id or a path contains', async () => {
    app.logs.length = 0
    await app.client.send('GET', '/%0A%1B[31m', { headers: { 'X-Request-Id': 'a%0Ab' } })
    expect(app.logs).toHaveLength(1)
  })
})

/** As it goes over the wire, before anything is decoded. */
function fetchRaw(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    }).on('error', reject)
  })
}
