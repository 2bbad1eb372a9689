import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { errors } from '../contract/errors.ts'
import { type OperationId, operations } from '../contract/index.ts'
import { type ErrorCode, errorBody } from '../contract/kit/errors.ts'
import { fileMediaType, minimumKeyOf, ownErrorsOf } from '../contract/kit/operation.ts'
import type { Operation } from '../contract/operation.ts'
import { cases } from './cases/index.ts'
import { type App, startApp } from './support/app.ts'
import { type Case, type CaseRequest, derivedCodes } from './support/cases.ts'
import { type Answer, anyBody, targetOf } from './support/client.ts'
import { codeOfResponse, endpoints, pathOf, published } from './support/published.ts'
import { clear, digestOf } from './support/rows.ts'
import { runs } from './support/runs.ts'
import { makeWorld } from './support/world.ts'

/*
 * Every answer that the published document promises, provoked for real: those of tests/cases, and those that
 * follow from an `ok` case by taking something away. The list to replay comes from the document, so a code
 * without a case fails here; and the client refuses every answer that the document does not list.
 */

let app: App
/** The same service without a database behind it. */
let stranded: App
/** The same service, where each caller has one request an hour. */
let strict: App
/** The same service, which soon gives up on a request. */
let hasty: App
/** Breaks what operations need. Has no time limits, unlike the connections of the app. */
let saboteur: pg.Client

beforeAll(async () => {
  app = await startApp({ config: { MAX_WORKSPACES_PER_USER: 3 }, database: { lockTimeout: 50 } })
  stranded = await startApp({ databaseUrl: 'postgres://127.0.0.1:1/none', cursorKey: Buffer.alloc(32) })
  strict = await startApp({
    databaseUrl: app.databaseUrl,
    config: {
      RATE_LIMIT: true,
      RATE_LIMIT_SECONDS: 3_600,
      RATE_LIMIT_TOKEN: 1,
      RATE_LIMIT_ADDRESS: 1,
      TRUST_PROXY: true,
    },
  })
  hasty = await startApp({ databaseUrl: app.databaseUrl, requestTimeout: 50 })
  saboteur = new pg.Client({ connectionString: app.databaseUrl })
  await saboteur.connect()
})

beforeEach(() => {
  app.beforeStatement = undefined
})

afterAll(async () => {
  await saboteur.end()
  await stranded.stop()
  await strict.stop()
  await hasty.stop()
  await app.stop()
})

/**
 * Round trips to the database of those reads that may need more than two: an empty list has to ask whether
 * its folder or result is there, an export goes from page to page after its columns, which are asked of the answers
 * until days are counted, and the first statistics of blocks read the flow.
 */
const longReads: Partial<Record<OperationId, number>> = {
  // One of them where a level shows nothing, for what a folder that is being removed still holds.
  listFolders: 4,
  listBots: 4,
  compareBot: 3,
  // One of them for messages of members, where there are any.
  getSession: 4,
  getChat: 4,
  // One of them for turns, one for messages of members.
  listSessionEvents: 3,
  checkBot: 3,
  getTranscript: 3,
  listResultLogs: 3,
  // Two of them for the publications before the live one, which name columns of deleted blocks.
  exportResults: 10,
  getBlockStats: 4,
}

/** Empties the cache of documents, which needs no table. */
async function forgetDocuments() {
  app.forgetFlows()
  await saboteur.query('UPDATE bots SET draft_updated_at = now()')
}

/** The prepared request of an operation, while nothing has been written since. */
let unspent: { id: OperationId; request: CaseRequest } | undefined

/** A world of its own, alone in the database. */
async function newWorld() {
  unspent = undefined
  await clear(saboteur)
  return makeWorld(app)
}

/**
 * Rejections that leave everything as it is, so that the next one needs no other world. What a timeout leaves of a file
 * is removed later.
 */
const harmless: readonly Derived[] = [
  'UNAUTHORIZED',
  'UNSUPPORTED_MEDIA_TYPE',
  'TOO_MANY_REQUESTS',
  'SERVICE_UNAVAILABLE',
  'REQUEST_HEADER_FIELDS_TOO_LARGE',
]

let addresses = 0
const newAddress = () => `10.0.${addresses >> 8}.${addresses++ & 255}`

type Derived = (typeof derivedCodes)[number]

const derivations: Record<Derived, (id: OperationId, request: CaseRequest) => Promise<void>> = {
  async UNAUTHORIZED(id, request) {
    await refused(id, { ...request, as: undefined }, 'UNAUTHORIZED', 'header.authorization')
  },

  async PRECONDITION_FAILED(id, request) {
    for (const tags of ['"other"', 'W/"other"', '"a,b" , W/"c"']) {
      const headers = { 'If-Match': tags }
      const answer = await refused(id, { ...request, headers }, 'PRECONDITION_FAILED', 'header.if-match')
      expect(answer.body.issues[0].current).toEqual({ etag: answer.headers.etag })
    }
    const any = { 'If-None-Match': '*' }
    if (methodOf(id) === 'get') {
      expect((await app.client.call(id, { ...request, headers: any })).status).toBe(304)
    } else {
      await refused(id, { ...request, headers: any }, 'PRECONDITION_FAILED', 'header.if-none-match')
    }
    for (const [name, value] of [
      ['If-Match', 'unquoted'],
      ['If-Match', ''],
      ['If-Match', '"a" "b"'],
      ['If-None-Match', 'w/"a"'],
      ['If-None-Match', '"a", *'],
      ['If-None-Match', '"open'],
    ] as const) {
      await refused(
        id,
        { ...request, headers: { [name]: value } },
        'BAD_REQUEST',
        `header.${name.toLowerCase()}`,
      )
    }
  },

  async PAYLOAD_TOO_LARGE(id, request) {
    const limit = bodyLimitOf(id)
    const body = JSON.stringify(request.body ?? {})
    const tooLarge = anyBody(body.padEnd(limit + 1))
    const answer = await refused(id, { ...request, body: tooLarge }, 'PAYLOAD_TOO_LARGE', 'body')
    expect(answer.text).toContain(String(limit))
    const largest = anyBody(body.padEnd(limit - (Buffer.byteLength(body) - body.length)))
    expect((await app.client.call(id, { ...request, body: largest })).status).toBe(successOf(id))
  },

  async UNSUPPORTED_MEDIA_TYPE(id, request) {
    const headers = { 'Content-Type': 'text/plain' }
    await refused(
      id,
      { body: anyBody({}), ...request, headers },
      'UNSUPPORTED_MEDIA_TYPE',
      'header.content-type',
    )
  },

  async TOO_MANY_REQUESTS(id, request) {
    const kind = request.as ? 'token' : 'address'
    const from = { ...request, headers: { ...request.headers, 'X-Forwarded-For': newAddress() } }
    // One that is refused for another reason counts as well.
    const first = await strict.client.call(id, { ...from, query: { ...request.query, nonsense: 1 } })
    expect(first.headers.ratelimit).toBe(`"${kind}";r=0;t=3600`)
    const answer = await refused(id, from, 'TOO_MANY_REQUESTS', '', strict)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_000)
    expect(answer.body.issues[0].code).toBe('rate_exceeded')
    expect(first.headers['ratelimit-policy']).toBe(
      `"${kind}";q=1;w=3600, "parallel";q=20;qu="concurrent-requests"`,
    )
  },

  async INTERNAL_SERVER_ERROR(id, request) {
    for (const table of some(await tablesOf(id), id)) {
      await forgetDocuments()
      await saboteur.query(`ALTER TABLE ${table} RENAME TO hidden`)
      const answer = await app.client
        .call(id, { ...request, wants500: true })
        .finally(() => saboteur.query(`ALTER TABLE hidden RENAME TO ${table}`))
      expect({ table, status: answer.status }).toEqual({ table, status: 500 })
      expect(answer.text).toBe(JSON.stringify(errorBody('INTERNAL_SERVER_ERROR')))
      const requestId = answer.headers['x-request-id']
      const logged = app.logs.filter((line) => line.requestId === requestId && line.msg === 'request failed')
      expect(logged).toMatchObject([{ operationId: id, err: { message: expect.stringContaining(table) } }])
    }
  },

  async SERVICE_UNAVAILABLE(id, request) {
    const answer = await stranded.client.call(id, request)
    expect(answer.body).toEqual(errorBody('SERVICE_UNAVAILABLE'))
    for (const table of some(await tablesOf(id), id)) {
      await forgetDocuments()
      await saboteur.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
      const locked = await app.client.call(id, request).finally(() => saboteur.query('ROLLBACK'))
      expect({ table, status: locked.status }).toEqual({ table, status: 503 })
    }
  },

  async REQUEST_TIMEOUT(id, request) {
    const { pathname, search, host } = new URL(targetOf(id, request), hasty.url)
    const type = (operations[id] as Operation).fileBody ? fileMediaType : 'application/json'
    const head = [
      `${methodOf(id).toUpperCase()} ${pathname}${search} HTTP/1.1`,
      `Host: ${host}`,
      `Content-Type: ${type}`,
      'Content-Length: 100',
      ...(request.as ? [`Authorization: Bearer ${request.as.token}`] : []),
    ]
    const received = await receivedFor(hasty, `${head.join('\r\n')}\r\n\r\n`)
    expect(received).toMatch(/^HTTP\/1\.1 408 /)
    expect(received).toContain('"code":"REQUEST_TIMEOUT"')
  },

  async REQUEST_HEADER_FIELDS_TOO_LARGE(id, request) {
    const headers = { ...request.headers, 'X-Long': 'x'.repeat(17_000) }
    const answer = await app.client.send(methodOf(id).toUpperCase(), targetOf(id, request), {
      as: request.as,
      headers,
    })
    expect([answer.status, answer.body.code]).toEqual([431, 'REQUEST_HEADER_FIELDS_TOO_LARGE'])
  },

  async IDEMPOTENCY_MISMATCH(id, request) {
    const headers = withKey(request)
    const first = await app.client.call(id, { ...request, headers })
    expect({ status: first.status, body: first.body }).toMatchObject({ status: successOf(id) })
    // The same to a reader of JSON, but not the same bytes.
    const body = anyBody(`${JSON.stringify(request.body ?? {})} `)
    await refused(id, { ...request, body, headers }, 'IDEMPOTENCY_MISMATCH', 'header.idempotency-key')

    const before = await digestOf(app)
    const repeat = await app.client.call(id, { ...request, headers })
    const { secretOf } = (operations[id] as Operation).success
    if (secretOf) {
      const [issue] = repeat.body.issues
      const current = {
        id: secretOf.split('.').reduce((value: Answer['body'], name) => value[name], first.body),
      }
      expect({ status: repeat.status, issue }).toMatchObject({
        status: 409,
        issue: { code: 'already_created', current },
      })
    } else {
      const { location, 'idempotent-replayed': mark } = repeat.headers
      const { status, text } = repeat
      expect({ status, text, location, mark }).toEqual({
        status: first.status,
        text: first.text,
        location: first.headers.location,
        mark: 'true',
      })
    }
    expect(await digestOf(app)).toEqual(before)
  },
}

/** Everything that comes for these bytes until the connection ends. */
function receivedFor(to: App, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(new URL(to.url).port), '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (received += chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })
}

/** Somebody else writes every key, for as long as the request is willing to wait. */
async function inProgress(id: OperationId, request: CaseRequest) {
  const before = await digestOf(app)
  await saboteur.query('BEGIN; LOCK TABLE idempotency_keys, bot_idempotency_keys IN ACCESS EXCLUSIVE MODE')
  const answer = await app.client
    .call(id, { ...request, headers: withKey(request) })
    .finally(() => saboteur.query('ROLLBACK'))
  expect({ status: answer.status, retryAfter: answer.headers['retry-after'] }).toEqual({
    status: 409,
    retryAfter: '1',
  })
  expect(answer.body.issues).toMatchObject([{ path: ['header', 'idempotency-key'], code: 'in_progress' }])
  expect(await digestOf(app)).toEqual(before)
}

function withKey({ headers }: CaseRequest): Record<string, string> {
  return { ...headers, 'Idempotency-Key': randomUUID() }
}

describe.each(endpoints)('$operation.operationId', ({ operation }) => {
  const id = operation.operationId as OperationId
  const codes = Object.entries(operation.responses).flatMap(([status, response]) =>
    status < '400' ? [] : [codeOfResponse(response) as ErrorCode],
  )

  test.each(casesOf(id, 'ok'))('ok %s', async (_name, one) => {
    const world = await newWorld()
    const request = await one(world, app)
    app.statements.length = 0
    const answer = await app.client.call(id, request)
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: successOf(id) })
    if (methodOf(id) === 'get') expect(tooManyStatements(id)).toBe('')
    await request.after?.(answer)
    const { location } = answer.headers
    if (location && published.paths[pathOf(location) ?? '']?.get) {
      expect((await app.client.send('GET', location, { as: request.as })).status).toBe(200)
    }
  })

  for (const code of codes) {
    if (code === 'CONFLICT' && minimumKeyOf(operations[id]) !== undefined) {
      test('CONFLICT while the first request with the key is running', async () => {
        await inProgress(id, await firstRequest(id))
      })
      // Without a reason of its own, the case above covers it.
      if (!ownErrorsOf(operations[id]).includes(code)) continue
    }
    if (isDerived(code)) {
      test(`${code}`, async () => {
        const request = unspent?.id === id ? unspent.request : await firstRequest(id)
        unspent = undefined
        await derivations[code](id, request)
        if (harmless.includes(code)) unspent = { id, request }
      })
    } else {
      test.each(casesOf(id, code))(`${code} %s`, async (_name, one) => {
        const world = await newWorld()
        const request = await one(world, app)
        const answer = await refused(id, request, code, request.at)
        await request.after?.(answer)
      })
    }
  }

  test('has a case for every documented code, and none for another', () => {
    const { needs: _, ...written } = cases[id] ?? { needs: 'nothing' }
    expect(Object.keys(written).sort()).toEqual(
      ['ok', ...ownErrorsOf(operations[id]).filter((code) => !isDerived(code))].sort(),
    )
  })
})

test('every operation with cases is documented', () => {
  const documented = endpoints.map(({ operation }) => operation.operationId)
  expect(Object.keys(cases).sort()).toEqual(documented.sort())
})

test('no token has come into the log', () => {
  expect(app.logs.length).toBeGreaterThan(0)
  expect(app.logs.filter((line) => JSON.stringify(line).includes('botb_pat_'))).toEqual([])
})

/** Sends a request that must be refused with this code, and proves that it wrote nothing. */
async function refused(
  id: OperationId,
  request: CaseRequest,
  code: ErrorCode,
  at: string | undefined,
  by = app,
): Promise<Answer> {
  const before = await digestOf(app)
  const answer = await by.client.call(id, request)
  app.beforeStatement = undefined
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status: errors[code].status,
    body: { code, message: errors[code].message },
  })
  const paths: string[] = answer.body.issues.map(({ path }: { path: string[] }) => path.join('.'))
  expect(paths.filter((path, place) => paths.indexOf(path) < place)).toEqual([])
  // A refusal always says what was not found, or what is not allowed.
  const isExplained = code === 'NOT_FOUND' || code === 'FORBIDDEN'
  if (at !== undefined) expect(paths).toContain(at)
  else if (isExplained) expect(paths).not.toEqual([])
  else expect(paths).toEqual([])
  if (!request.isRace) expect(await digestOf(app)).toEqual(before)
  return answer
}

function tooManyStatements(id: OperationId): string {
  const cap = longReads[id] ?? 2
  if (app.statements.length <= cap) return ''
  return [
    `${id} sent ${app.statements.length} statements and may send ${cap}. Join them, or say in \`longReads\` of`,
    `tests/replay.test.ts how many it may send, and why. They were:`,
    ...app.statements,
  ].join('\n')
}

function casesOf(id: OperationId, outcome: string): [string, Case][] {
  const written = cases[id]?.[outcome]
  if (typeof written === 'function') return [['', written as Case]]
  return Object.entries((written ?? {}) as Record<string, Case>)
}

function isDerived(code: string): code is Derived {
  return (derivedCodes as readonly string[]).includes(code)
}

function successOf(id: OperationId): number {
  return operations[id].success.status
}

function methodOf(id: OperationId): string {
  return (operations[id] as Operation).method
}

/** The bytes that the document allows for the body. */
function bodyLimitOf(id: OperationId): number {
  const endpoint = endpoints.find(({ operation }) => operation.operationId === id)
  const { description = '' } = (endpoint?.operation.requestBody ?? {}) as { description?: string }
  const [, count, unit] = /^At most (\d+) (KiB|MiB)/.exec(description) ?? []
  return Number(count) * (unit === 'MiB' ? 1024 * 1024 : 1024)
}

/** Returns one of the tables in `make test`, a different one for each operation, and all in `make test-long`. */
function some(tables: string[], id: OperationId): string[] {
  const first = Object.keys(operations).indexOf(id) % tables.length
  return [...tables.slice(first), ...tables.slice(0, first)].slice(0, runs(1, tables.length))
}

/** Prepares the first `ok` case of an operation in a world of its own, and returns its request. */
async function firstRequest(id: OperationId): Promise<CaseRequest> {
  const [first] = casesOf(id, 'ok')
  if (!first) throw new Error(`${id} has no case of success`)
  return first[1](await newWorld(), app)
}

const tablesById = new Map<OperationId, string[]>()

/** The tables that the first `ok` case of an operation reads or writes. */
async function tablesOf(id: OperationId): Promise<string[]> {
  const known = tablesById.get(id)
  if (known) return known
  const [first] = casesOf(id, 'ok')
  const request = (await first?.[1](await makeWorld(app), app)) ?? {}
  app.statements.length = 0
  await app.client.call(id, request)
  const words = new Set(app.statements.join(' ').match(/\w+/g))
  // Counts first: a bot that was counted once is known to be small, and not looked for there again.
  const { rows } = await saboteur.query(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename NOT LIKE '%stats%', tablename",
  )
  const tables = rows.map(({ tablename }) => tablename as string).filter((table) => words.has(table))
  tablesById.set(id, tables)
  return tables
}
