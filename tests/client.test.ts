import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { errors } from '../contract/errors.ts'
import * as sdk from '../generated/client/index.js'
import { root } from '../server/root.ts'
import { endpoints } from './support/published.ts'

/* Holds the client of generated/client to its handling of responses, which a script gives in place of a service. */

const modules = ['api', 'builder', 'helpers', 'index', 'responses', 'runtime']
const read = (name: string) => readFileSync(new URL(`generated/client/${name}`, root), 'utf8')

/** The next answer: status, body and headers, a failure of the network, or none at all. */
type Answer = { status?: number; body?: unknown; headers?: Record<string, string> } | Error | 'silence'

interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

/** As HTTP/1.1 writes names of headers: `Idempotency-Key`. */
const capitalised = (name: string) => name.replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

/** The User-Agent of every request. */
const agents: (string | undefined)[] = []

let answers: Answer[]
let sent: Sent[]
/** Delays of the client before it sent a request again. */
let waits: number[]

const patience = 1234
const bot = { id: 'b', version: '6.1', name: 'Quote', updatedAt: '2026-03-04T10:15:30.120Z' }
const rejection = (code: string, issueCode?: string, headers: Record<string, string> = {}) => ({
  status: errors[code as keyof typeof errors].status,
  body: {
    code,
    message: 'No',
    issues: issueCode ? [{ path: ['body', 'name'], code: issueCode, message: 'Bad' }] : [],
  },
  headers: { 'X-Request-Id': 'request-1', ...headers },
})

const fetch = (async (url: string, { signal, ...request }: RequestInit) => {
  const { method, headers, body } = request as {
    method: string
    headers: Record<string, string>
    body?: unknown
  }
  const { 'User-Agent': agent, ...cased } = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [capitalised(name), value]),
  )
  agents.push(agent)
  // A body that is no JSON is a file, sent as it is.
  sent.push({
    method,
    url,
    headers: cased,
    body: typeof body === 'string' && /^[[{"]/.test(body) ? JSON.parse(body) : body,
  })
  const answer = answers.shift() ?? { body: {} }
  if (answer === 'silence')
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  if (answer instanceof Error) throw answer
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  return new Response(text, { status: answer.status ?? 200, headers: answer.headers })
}) as typeof globalThis.fetch

const options = { baseUrl: 'https://bots.example.com/here/', token: 'secret-token', timeout: patience, fetch }
const client = sdk.createClient(options)

beforeEach(() => {
  answers = []
  sent = []
  waits = []
  const start = globalThis.setTimeout
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, milliseconds: number) => {
    if (milliseconds !== patience) waits.push(milliseconds)
    return start(run, 0)
  }) as typeof setTimeout)
})
afterEach(() => {
  jest.restoreAllMocks()
})

/** Time limits do not end anything in the tests that are not about them. */
const patient = { timeout: Number.POSITIVE_INFINITY }

const failure = async (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error,
  )

describe('the package', () => {
  test.each(['js', 'cjs'])('has less than 15 kB, compressed, as .%s', (form) => {
    expect(gzipSync(modules.map((name) => read(`${name}.${form}`)).join('')).length).toBeLessThan(15_000)
  })

  test('depends on the library of webhooks alone, and has the version of the contract', () => {
    const { version, dependencies, peerDependencies } = JSON.parse(read('package.json'))
    expect([Object.keys(dependencies), peerDependencies]).toEqual([['standardwebhooks'], undefined])
    expect(readFileSync(new URL('openapi.yaml', root), 'utf8')).toContain(`\n  version: ${version}\n`)
  })

  test('has a method for every operation, which sends the documented request', async () => {
    const patterns = new Set<string>()
    for (const [resource, methods] of Object.entries(client)) {
      for (const [name, method] of Object.entries(methods)) {
        if (['edit', 'deleteAll', 'converse', 'verify'].includes(name) || name.endsWith('Streaming')) continue
        sent = []
        await (method as (...args: unknown[]) => Promise<unknown>)('a', 'b', 'c', {}).catch(() => {})
        const [request] = sent.length > 0 ? sent : await sendWithQuery(method)
        const path = request?.url.slice('https://bots.example.com/here'.length) ?? ''
        const found = endpoints.find(
          (endpoint) =>
            endpoint.method === request?.method &&
            new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[abc]')}(\\?.*)?$`).test(path),
        )
        if (!found) throw new Error(`${resource}.${name} sends ${request?.method} ${path}`)
        const { security, operationId, parameters = [] } = found.operation
        const isSecured = security.some((scheme) => 'bearerAuth' in scheme)
        expect([operationId, 'Authorization' in (request?.headers ?? {})]).toEqual([operationId, isSecured])
        const takesKey = parameters.some(
          (one) =>
            JSON.stringify(one).includes('IdempotencyKey') || JSON.stringify(one).includes('Idempotency-Key'),
        )
        expect([operationId, 'Idempotency-Key' in (request?.headers ?? {})]).toEqual([operationId, takesKey])
        patterns.add(operationId)
      }
    }
    expect([...patterns].sort()).toEqual(endpoints.map(({ operation }) => operation.operationId).sort())
  })

  test('names every method by a verb alone, since the resource has the noun', () => {
    const names = Object.values(client).flatMap((methods) => Object.keys(methods))
    expect(names.length).toBeGreaterThan(endpoints.length)
    expect(names.filter((name) => !/^[a-z]+(?:All|Streaming)?$/.test(name))).toEqual([])
  })

  async function sendWithQuery(method: unknown) {
    await (method as (...args: unknown[]) => Promise<unknown>)('a', { resultIds: 'b' })
    return sent
  }
})

describe('a request', () => {
  test('has the path of the address, escaped ids, the query, and no body where there is none', async () => {
    await client.results.list('a/b', { limit: 2, cursor: undefined }, patient)
    expect(sent).toEqual([
      {
        method: 'GET',
        url: 'https://bots.example.com/here/v1/bots/a%2Fb/results?limit=2',
        headers: { Authorization: 'Bearer secret-token' },
        body: undefined,
      },
    ])
  })

  test('asks for the token each time, and hides it in logs', async () => {
    let count = 0
    const asking = sdk.createClient({ ...options, token: async () => `token-${++count}` })
    await asking.workspaces.list({}, patient)
    await asking.workspaces.list({}, patient)
    expect(sent.map(({ headers }) => headers.Authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
    answers = [rejection('NOT_FOUND')]
    const error = await failure(client.bots.get('b', {}, patient))
    expect(inspect(client, { depth: 9, showHidden: true }) + inspect(error)).not.toContain('secret-token')
  })

  test('has the headers of the client, replaced by those of the call', async () => {
    const tracing = sdk.createClient({ ...options, headers: { 'X-Trace': '1', 'X-Kept': '1' } })
    await tracing.bots.update(
      'b',
      { bot: { version: '6.1' } },
      {
        ...patient,
        headers: { 'X-Trace': '2' },
        ifMatch: '"tag"',
        idempotencyKey: 'mine',
        minimal: true,
      },
    )
    expect(sent[0]?.headers).toEqual({
      Authorization: 'Bearer secret-token',
      'Content-Type': 'application/json',
      'Idempotency-Key': 'mine',
      'If-Match': '"tag"',
      Prefer: 'return=minimal',
      'X-Trace': '2',
      'X-Kept': '1',
    })
  })

  test.each(['', '.', '..', undefined])('is not sent with the id %p', async (id) => {
    expect(await failure(client.bots.delete(id as string))).toBeInstanceOf(TypeError)
    expect(sent).toEqual([])
  })

  test('for all results is never sent because of a missing argument', async () => {
    for (const resultIds of [undefined, '', []]) {
      const query = { resultIds } as unknown as { resultIds: string[] }
      expect(await failure(client.results.delete('b', query))).toBeInstanceOf(TypeError)
    }
    await client.results.delete('b', { resultIds: ['c', 'd'] }, patient)
    await client.results.delete('b', { createdBefore: '2026-03-01T00:00:00Z' }, patient)
    await client.results.deleteAll('b', patient)
    expect(sent.map(({ url }) => url.split('/').at(-1))).toEqual([
      'results?resultIds=c%2Cd',
      'results?createdBefore=2026-03-01T00%3A00%3A00Z',
      'results',
    ])
  })
})

describe('a response', () => {
  test('has its headers for callers that ask', async () => {
    answers = [{ body: { bot }, headers: { ETag: '"tag"' } }]
    const { body, response } = await client.bots.get('b', {}, patient).withResponse()
    expect([body.bot, response.headers.get('etag')]).toEqual([bot, '"tag"'])
  })

  test('with an error rejects the promise of its caller, and no other', async () => {
    answers = [rejection('NOT_FOUND')]
    expect(await failure(client.bots.get('b', {}, patient).withResponse())).toBeInstanceOf(sdk.NotFoundError)
  })

  test.each(Object.entries(errors))('%s has an error class', async (code, { status }) => {
    answers = [rejection(code, 'too_small')]
    const error = await failure(client.bots.get('b', {}, { ...patient, maxRetries: 0 }))
    const [name] = Object.entries(sdk).find(([, one]) => one === error.constructor) ?? []
    expect(name?.replace(/Error$/, '').toLowerCase()).toBe(
      code
        .replace(/_ERROR$/, '')
        .replaceAll('_', '')
        .toLowerCase(),
    )
    expect(error).toBeInstanceOf(sdk.ApiError)
    expect(error).toMatchObject({
      name,
      status,
      code,
      requestId: 'request-1',
      issues: [{ path: ['body', 'name'], code: 'too_small', message: 'Bad' }],
      message: `${status} ${code}: No (body.name: Bad)`,
    })
  })

  test.each([
    ['a page of a proxy', { status: 502, body: '<h1>Bad gateway</h1>' }, 502],
    ['a page in place of an answer', { status: 200, body: '<h1>Welcome</h1>' }, 200],
    [
      'a code that came later',
      { status: 418, body: { code: 'constructor', message: 'New', issues: [] } },
      418,
    ],
  ])('%s is an error too', async (_, answer, status) => {
    answers = [answer]
    const error = await failure(client.bots.get('b', {}, { ...patient, maxRetries: 0 }))
    expect(error.constructor).toBe(sdk.ApiError)
    expect(error.status).toBe(status)
  })
})

describe('a retry', () => {
  const busy = rejection('SERVICE_UNAVAILABLE', undefined, { 'Retry-After': '7' })

  test('waits for Retry-After, else longer each time', async () => {
    answers = [busy, rejection('REQUEST_TIMEOUT'), { body: { workspaces: [] } }]
    await client.workspaces.list({}, patient)
    expect(waits[0]).toBe(7_000)
    expect(waits[1]).toBeGreaterThanOrEqual(750)
    expect(waits[1]).toBeLessThanOrEqual(1_000)
    expect(sent).toHaveLength(3)
  })

  test('reads a date, and waits for at most a minute', async () => {
    answers = [
      rejection('TOO_MANY_REQUESTS', undefined, {
        'Retry-After': new Date(Date.now() - 5_000).toUTCString(),
      }),
      rejection('TOO_MANY_REQUESTS', undefined, { 'Retry-After': '3600' }),
    ]
    expect(await failure(client.workspaces.list({}, patient))).toMatchObject({
      status: 429,
      retryAfter: 3600,
    })
    expect(waits).toEqual([0])
  })

  test('ends after two attempts, or the configured number', async () => {
    answers = [busy, busy, busy, busy]
    expect(await failure(client.workspaces.list({}, patient))).toBeInstanceOf(sdk.ServiceUnavailableError)
    expect(sent).toHaveLength(3)
    answers = [busy]
    await failure(client.workspaces.list({}, { ...patient, maxRetries: 0 }))
    expect(sent).toHaveLength(4)
  })

  test('for a write has the same idempotency key, and another call has another one', async () => {
    answers = [new TypeError('reset'), busy]
    await client.workspaces.create({ name: 'Acme' }, patient)
    await client.workspaces.create({ name: 'Acme' }, patient)
    const keys = sent.map(({ headers }) => headers['Idempotency-Key'])
    expect(keys).toEqual([keys[0], keys[0], keys[0], expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(new Set(keys).size).toBe(2)
  })

  test('for a deletion succeeds if the first attempt was done', async () => {
    answers = [new TypeError('reset'), rejection('NOT_FOUND')]
    expect(await client.bots.delete('b', patient)).toEqual({ message: 'success' })
    answers = [rejection('NOT_FOUND')]
    expect(await failure(client.bots.delete('b', patient))).toBeInstanceOf(sdk.NotFoundError)
  })

  test('for an answer in a chat is sent if it has a revision', async () => {
    answers = [new TypeError('reset'), busy]
    await client.chat.continue('s', { message: 'Hi', revision: 3 }, patient)
    expect(sent).toHaveLength(3)
  })

  test('after a 500 is sent with an idempotency key alone', async () => {
    answers = [rejection('INTERNAL_SERVER_ERROR')]
    await client.workspaces.create({ name: 'Acme' }, patient)
    answers = [rejection('INTERNAL_SERVER_ERROR')]
    await failure(client.workspaces.list({}, patient))
    expect(sent).toHaveLength(3)
  })

  test('waits for a running write from the moment it is reported, not from the first attempt', async () => {
    const clock = [0, 100_000, 100_500, 101_000, 101_500]
    jest.spyOn(performance, 'now').mockImplementation(() => clock.shift() ?? 102_000)
    const running = rejection('CONFLICT', 'in_progress', { 'Retry-After': '1' })
    answers = [new TypeError('reset'), running, running, running, running]
    await client.workspaces.create({ name: 'Acme' }, patient)
    expect(sent).toHaveLength(6)
  })

  const unsafe = [
    ['all deletions', () => client.results.deleteAll('b', patient)],
    ['an answer without a revision', () => client.chat.continue('s', { message: 'Hi' }, patient)],
  ] as const
  test.each(unsafe)('for %s is sent only if nothing was done', async (_, call) => {
    answers = [busy]
    expect(await failure(call())).toBeInstanceOf(sdk.ServiceUnavailableError)
    answers = [new TypeError('reset')]
    expect(await failure(call())).toBeInstanceOf(sdk.ConnectionError)
    expect(sent).toHaveLength(2)
    answers = [rejection('TOO_MANY_REQUESTS', undefined, { 'Retry-After': '1' })]
    await call()
    expect(sent).toHaveLength(4)
  })

  test('waits for a write that is still running', async () => {
    answers = Array.from({ length: 5 }, () => rejection('CONFLICT', 'in_progress', { 'Retry-After': '1' }))
    await client.workspaces.create({ name: 'Acme' }, patient)
    expect(waits).toEqual([1_000, 1_000, 1_000, 1_000, 1_000])
  })

  test.each(['CONFLICT', 'IDEMPOTENCY_MISMATCH', 'BAD_REQUEST'])('is not sent after %s', async (code) => {
    answers = [rejection(code, 'conflict')]
    await failure(client.workspaces.create({ name: 'Acme' }, patient))
    expect(sent).toHaveLength(1)
  })
})

describe('a timeout', () => {
  test('ends an attempt with an error that says so', async () => {
    answers = ['silence', 'silence', 'silence']
    const error = await failure(client.workspaces.list())
    expect(error).toBeInstanceOf(sdk.TimeoutError)
    expect(error.message).toBe('GET /v1/workspaces had no response in 1234 ms')
    expect(sent).toHaveLength(3)
  })

  test('is not the signal of the caller, who may abort at any time', async () => {
    const reason = new Error('Enough')
    const stopped = AbortSignal.abort(reason)
    expect(await failure(client.workspaces.list({}, { ...patient, signal: stopped }))).toBe(reason)
    expect(sent).toEqual([])
    const stop = new AbortController()
    answers = ['silence']
    const call = failure(client.workspaces.list({}, { ...patient, signal: stop.signal }))
    while (sent.length === 0) await Promise.resolve()
    stop.abort(reason)
    expect(await call).toBe(reason)
  })

  test.each([
    ['while it lasts', (stop: () => void) => queueMicrotask(stop)],
    ['as it begins', (stop: () => void) => stop()],
  ])('leaves the wait before a retry to the caller too, %s', async (_, when) => {
    const stop = new AbortController()
    jest.spyOn(globalThis, 'setTimeout').mockImplementation((() => {
      when(() => stop.abort(new Error('Enough')))
      return 0
    }) as unknown as typeof setTimeout)
    answers = [new TypeError('reset')]
    const error = await failure(client.workspaces.list({}, { ...patient, signal: stop.signal }))
    expect([error.message, sent.length]).toEqual(['Enough', 1])
  })

  test('does not keep a program running after the response', async () => {
    const started = jest.mocked(globalThis.setTimeout)
    const cleared = jest.spyOn(globalThis, 'clearTimeout')
    await client.workspaces.list()
    expect(cleared).toHaveBeenCalledWith(started.mock.results[0]?.value as NodeJS.Timeout)
  })
})

describe('a stream of a chat', () => {
  const lines = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const streamed = (text: string): Answer => ({
    body: text,
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8' },
  })
  const delta = { type: 'delta', id: 'b', text: 'Hel' }
  const answer = { type: 'answer', answer: { messages: [], revision: 2 } }

  test('gives its events one by one and ends after the response', async () => {
    answers = [streamed(lines(delta, answer))]
    const types: string[] = []
    for await (const { type } of client.chat.startStreaming('p', { isStreamEnabled: true }, patient))
      types.push(type)
    expect(types).toEqual(['delta', 'answer'])
    expect(sent[0]?.headers.Accept).toBe('text/event-stream')
  })

  test('is the whole response for a caller who awaits it', async () => {
    answers = [streamed(lines(delta, answer))]
    const headers = { Accept: 'text/event-stream' }
    const body = await client.chat.start('p', { isStreamEnabled: true }, { ...patient, headers })
    expect(body).toEqual({ messages: [], revision: 2 })
  })

  test('throws the error of its last event', async () => {
    const error = { code: 'CONFLICT', message: 'No', issues: [] }
    answers = [streamed(lines(delta, { type: 'error', status: 409, error }))]
    const all = (async () => {
      for await (const _ of client.chat.continueStreaming('s', { message: 'Hi' }, patient));
    })()
    expect(await failure(all)).toBeInstanceOf(sdk.ConflictError)
  })

  test('throws where it breaks off', async () => {
    answers = [streamed(lines(delta))]
    const all = (async () => {
      for await (const _ of client.chat.startStreaming('p', {}, patient));
    })()
    expect(await failure(all)).toBeInstanceOf(sdk.ConnectionError)
  })
})

describe('a conversation', () => {
  test('keeps its session and its revision', async () => {
    answers = [
      { body: { sessionId: 's', revision: 1, messages: [] } },
      { body: { revision: 2, messages: [] } },
    ]
    const chat = await client.chat.converse('p', {}, patient)
    await chat.say('Ada', patient)
    await chat.say('Grace', patient)
    expect(sent.slice(1).map(({ url, body }) => [url.split('/').at(-2), body])).toEqual([
      ['s', { message: 'Ada', revision: 1 }],
      ['s', { message: 'Grace', revision: 2 }],
    ])
  })
})

describe('a delivery of a webhook', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const body = JSON.stringify({ type: 'bot.created', timestamp: '2026-03-05T12:31:00.000Z', data: {} })
  const headersAt = (date: Date) => ({
    'webhook-id': 'd',
    'webhook-timestamp': String(Math.floor(date.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('d', date, body),
  })

  test('returns its event where the signature is right', async () => {
    const headers = headersAt(new Date())
    expect(await sdk.webhooks.verify(body, headers, secret)).toMatchObject({ type: 'bot.created' })
    expect(await sdk.webhooks.verify(body, new Headers(headers), secret)).toMatchObject({
      type: 'bot.created',
    })
  })

  test('is rejected where the body differs or the time is long ago', async () => {
    const now = headersAt(new Date())
    expect(await failure(sdk.webhooks.verify(`${body} `, now, secret))).toBeInstanceOf(Error)
    const old = headersAt(new Date(Date.now() - 3_600_000))
    expect(await failure(sdk.webhooks.verify(body, old, secret))).toBeInstanceOf(Error)
  })
})

describe('the runtime', () => {
  test('sends its name and version to the service', async () => {
    await client.workspaces.list({}, patient)
    const { version } = JSON.parse(read('package.json'))
    expect(agents.at(-1)).toBe(`bot-builder-client/${version}`)
  })

  test('replaces headers of the same name in any case', async () => {
    await client.workspaces.list({}, { ...patient, headers: { authorization: 'Bearer other' } })
    expect(sent[0]?.headers).toEqual({ Authorization: 'Bearer other' })
  })

  test('rejects an entity tag that is null', async () => {
    const ifMatch = null as unknown as string
    expect(await failure(client.bots.delete('b', { ...patient, ifMatch }))).toBeInstanceOf(TypeError)
    expect(sent).toEqual([])
  })

  test('removes its listener from the signal of the caller', async () => {
    const { signal } = new AbortController()
    const removed = jest.spyOn(signal, 'removeEventListener')
    const added = jest.spyOn(signal, 'addEventListener')
    answers = [new TypeError('reset')]
    await client.results.export('b', {}, { ...patient, signal }).then((table) => table.text())
    await client.workspaces.list({}, { ...patient, signal })
    answers = ['silence']
    expect(await failure(client.workspaces.list({}, { signal, maxRetries: 0 }))).toBeInstanceOf(
      sdk.TimeoutError,
    )
    expect(added.mock.calls.length).toBeGreaterThan(3)
    expect(removed.mock.calls.length).toBe(added.mock.calls.length)
  })

  test('ends a token function that hangs', async () => {
    const hanging = sdk.createClient({ ...options, token: () => new Promise<string>(() => {}) })
    expect(await failure(hanging.workspaces.list({}, { maxRetries: 0 }))).toBeInstanceOf(sdk.TimeoutError)
    const stop = new AbortController()
    const call = failure(hanging.workspaces.list({}, { ...patient, signal: stop.signal }))
    stop.abort(new Error('Enough'))
    expect(await call).toMatchObject({ message: 'Enough' })
  })

  test('treats a timeout beyond the maximum of a timer as none', async () => {
    await client.workspaces.list({}, { timeout: Number.MAX_SAFE_INTEGER })
    expect(globalThis.setTimeout).not.toHaveBeenCalled()
  })

  test('returns a 304 as a response without a body', async () => {
    answers = [{ status: 304 }]
    const headers = { 'If-None-Match': '"tag"' }
    const { body, response } = await client.bots.get('b', {}, { ...patient, headers }).withResponse()
    expect([body, response.status]).toEqual([undefined, 304])
  })

  test('waits longer for operations that call other services, and longest for uploads', async () => {
    const { timeout: _, ...withoutTimeout } = options
    const usual = sdk.createClient(withoutTimeout)
    await usual.workspaces.list()
    await usual.chat.start('p')
    await usual.files.upload('s', new Blob(['x']), { fileName: 'a.txt' })
    expect(waits).toEqual([60_000, 150_000, 600_000])
  })

  test('calls a logger for every attempt, without a secret', async () => {
    const lines: sdk.Attempt[] = []
    const logging = sdk.createClient({ ...options, logger: (line) => lines.push(line) })
    answers = [rejection('SERVICE_UNAVAILABLE')]
    await logging.workspaces.list({}, patient)
    expect(lines).toMatchObject([
      { method: 'GET', attempt: 1, status: 503, requestId: 'request-1', error: expect.any(Error) },
      { method: 'GET', attempt: 2, status: 200 },
    ])
    expect(inspect(lines, { depth: 9 })).not.toContain('secret-token')
  })

  test('puts headers and the original body on errors', async () => {
    answers = [{ status: 502, body: '<h1>Bad gateway</h1>', headers: { 'X-Via': 'proxy' } }]
    const error = await failure(client.bots.get('b', {}, { ...patient, maxRetries: 0 }))
    expect([error.body, error.headers.get('x-via')]).toEqual(['<h1>Bad gateway</h1>', 'proxy'])
  })
})

describe('a list', () => {
  const pages = [
    { body: { bots: [{ id: '1' }, { id: '2' }], nextCursor: 'c1' } },
    { body: { bots: [{ id: '3' }], nextCursor: 'c2' } },
    { body: { bots: [], nextCursor: null } },
  ]
  const list = () => client.bots.list({ workspaceId: 'w', limit: 2 }, patient)

  test('iterates over every entry, fetching pages as needed', async () => {
    answers = [...pages]
    const ids: string[] = []
    for await (const { id } of list()) {
      ids.push(id)
      if (id === '2') expect(sent).toHaveLength(1)
    }
    expect(ids).toEqual(['1', '2', '3'])
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual([
      'workspaceId=w&limit=2',
      'workspaceId=w&limit=2&cursor=c1',
      'workspaceId=w&limit=2&cursor=c2',
    ])
  })

  test('ends when the caller breaks out', async () => {
    answers = [...pages]
    for await (const { id } of list()) if (id === '1') break
    expect(sent).toHaveLength(1)
  })

  test('returns its pages, or the first one', async () => {
    answers = [...pages, ...pages]
    const sizes: number[] = []
    for await (const page of list().pages()) sizes.push(page.bots.length)
    expect(sizes).toEqual([2, 1, 0])
    expect((await list()).nextCursor).toBe('c1')
  })

  test('throws where a page does', async () => {
    answers = [...pages.slice(0, 1), rejection('BAD_REQUEST', 'invalid_cursor')]
    const all = (async () => {
      for await (const _ of list());
    })()
    expect(await failure(all)).toBeInstanceOf(sdk.BadRequestError)
  })
})

describe('an edit', () => {
  const stale = rejection('CONFLICT', 'conflict')
  const at = (name: string, updatedAt: string) => ({ body: { bot: { ...bot, name, updatedAt } } })

  test('changes the current state, and repeats after a concurrent write', async () => {
    answers = [at('Old', '1'), stale, at('Newer', '2'), stale, at('Newest', '3'), at('Newest!', '4')]
    const edited = await client.bots.edit('b', ({ name }) => ({ name: `${name}!` }), patient)
    expect(edited.bot.name).toBe('Newest!')
    expect(sent.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
      { bot: { version: '6.1', name: 'Old!', updatedAt: '1' } },
      { bot: { version: '6.1', name: 'Newer!', updatedAt: '2' } },
      { bot: { version: '6.1', name: 'Newest!', updatedAt: '3' } },
    ])
    const keys = sent.flatMap(({ headers }) => headers['Idempotency-Key'] ?? [])
    expect(new Set(keys).size).toBe(3)
  })

  test('keeps the time of the read, whatever the change does with it', async () => {
    answers = [at('Old', '1'), at('New', '2')]
    await client.bots.edit(
      'b',
      (current) => Object.assign(current, { name: 'New', updatedAt: 'later' }),
      patient,
    )
    expect(sent[1]?.body).toEqual({ bot: { ...bot, name: 'New', updatedAt: '1' } })
  })

  test('gives up after the configured attempts, at another error, and without a change', async () => {
    answers = [at('Old', '1'), stale, at('Old', '1'), stale]
    const edit = client.bots.edit('b', () => ({ name: 'New' }), { ...patient, attempts: 2 })
    expect(await failure(edit)).toBeInstanceOf(sdk.ConflictError)
    answers = [at('Old', '1'), rejection('FORBIDDEN')]
    expect(await failure(client.bots.edit('b', () => ({ name: 'New' }), patient))).toBeInstanceOf(
      sdk.ForbiddenError,
    )
    answers = [at('Old', '1')]
    const nothing = (() => undefined) as unknown as () => object
    expect(await failure(client.bots.edit('b', nothing, patient))).toBeInstanceOf(TypeError)
    expect(sent.filter(({ method }) => method === 'PATCH')).toHaveLength(3)
  })

  test('can request the latest version', async () => {
    answers = [at('Old', '1'), at('New', '2')]
    const change = (current: sdk.BotV61) => ({ groups: current.groups })
    await client.bots.edit('b', change, { ...patient, migrateToLatestVersion: true })
    expect(sent[0]?.url).toContain('?migrateToLatestVersion=true')
  })
})
