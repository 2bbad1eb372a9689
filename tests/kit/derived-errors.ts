import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { errorBody } from '../../contract/kit/errors.ts'
import { fileMediaType, type Operation } from '../../contract/kit/operation.ts'
import { expectRejection } from './rejection.ts'
import {
  type Answer,
  type CaseRequest,
  call,
  methodOf,
  operationOf,
  type Send,
  type Subject,
  targetOf,
} from './subject.ts'

/* Errors that follow from a request that succeeds, by taking something away. They are provoked and checked here. */

/** The service in the forms that errors need. */
export interface DerivationSubject extends Subject {
  document: object
  /** The service with limits of one request an hour, which trusts `X-Forwarded-For` and got none of this caller yet. */
  newStrict(): Promise<Send>
  /** The service that gives up on a request soon. */
  hastyUrl: string
  /** The service without its database. */
  stranded: Send
  /** Gets the response while something that the operation needs is broken, one thing after the other. */
  whileBroken(id: string, get: () => Promise<Answer>): Promise<Answer[]>
  /** Gets the response while something that it needs is locked by others. Absent where nothing waits for locks. */
  whileLocked?(id: string, get: () => Promise<Answer>): Promise<Answer[]>
  /** Runs while another process holds the rows of keys. Absent for a service without keys. */
  whileKeysAreHeld?<Value>(run: () => Promise<Value>): Promise<Value>
}

const derivedCodes = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'PRECONDITION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
  'IDEMPOTENCY_MISMATCH',
  'REQUEST_TIMEOUT',
  'REQUEST_HEADER_FIELDS_TOO_LARGE',
] as const

export type Derived = (typeof derivedCodes)[number]

export function isDerived(code: string): code is Derived {
  return (derivedCodes as readonly string[]).includes(code)
}

type Derivation = (subject: DerivationSubject, id: string, request: CaseRequest) => Promise<unknown>

export const derivedErrors: Record<Derived, Derivation> = {
  BAD_REQUEST(subject, id, request) {
    const query = { ...request.query, nonsense: 1 }
    return expectRejection(subject, id, { ...request, query }, 'BAD_REQUEST', 'query.nonsense')
  },

  UNAUTHORIZED(subject, id, request) {
    return expectRejection(subject, id, { ...request, as: undefined }, 'UNAUTHORIZED', 'header.authorization')
  },

  async PRECONDITION_FAILED(subject, id, request) {
    const reject = (
      headers: Record<string, string>,
      code: 'PRECONDITION_FAILED' | 'BAD_REQUEST',
      at: string,
    ) => expectRejection(subject, id, { ...request, headers: { ...request.headers, ...headers } }, code, at)
    for (const tags of ['"other"', 'W/"other"', '"a,b" , W/"c"']) {
      const { body, headers } = await reject({ 'If-Match': tags }, 'PRECONDITION_FAILED', 'header.if-match')
      assert.deepEqual(body.issues[0].current, { etag: headers.etag })
    }
    const operation = operationOf(subject, id)
    const any = { 'If-None-Match': '*' }
    if (operation.method === 'get') {
      const headers = { ...request.headers, ...any }
      assert.equal((await call(subject.send, operation, { ...request, headers })).status, 304)
    } else await reject(any, 'PRECONDITION_FAILED', 'header.if-none-match')
    for (const tags of ['unquoted', '', '"a" "b"'])
      await reject({ 'If-Match': tags }, 'BAD_REQUEST', 'header.if-match')
    for (const tags of ['w/"a"', '"a", *', '"open'])
      await reject({ 'If-None-Match': tags }, 'BAD_REQUEST', 'header.if-none-match')
  },

  async PAYLOAD_TOO_LARGE(subject, id, request) {
    const operation = operationOf(subject, id)
    const limit = bodyLimitOf(subject.document, operation)
    const body = JSON.stringify(request.body ?? {})
    const tooLarge = { ...request, body: body.padEnd(limit + 1) }
    const { text } = await expectRejection(subject, id, tooLarge, 'PAYLOAD_TOO_LARGE', 'body')
    assert(text.includes(String(limit)), text)
    const largest = body.padEnd(limit - (Buffer.byteLength(body) - body.length))
    const { status } = await call(subject.send, operation, { ...request, body: largest })
    assert.equal(status, operation.success.status)
  },

  UNSUPPORTED_MEDIA_TYPE(subject, id, request) {
    const headers = { ...request.headers, 'Content-Type': 'text/plain' }
    const other = { body: {}, ...request, headers }
    return expectRejection(subject, id, other, 'UNSUPPORTED_MEDIA_TYPE', 'header.content-type')
  },

  async TOO_MANY_REQUESTS(subject, id, request) {
    const from = { ...request, headers: { ...request.headers, 'X-Forwarded-For': newAddress() } }
    // One that is rejected for another reason counts as well.
    const wrong = { ...from, query: { ...request.query, nonsense: 1 } }
    const strict = await subject.newStrict()
    const { headers } = await call(strict, operationOf(subject, id), wrong)
    const kind = request.as ? 'token' : 'address'
    assert.match(headers.ratelimit ?? '', new RegExp(`^"${kind}";r=0;t=3[56]\\d\\d$`))
    assert(headers['ratelimit-policy']?.startsWith(`"${kind}";q=1;w=3600, "parallel"`))
    const answer = await expectRejection(subject, id, from, 'TOO_MANY_REQUESTS', '', strict)
    assert(Number(answer.headers['retry-after']) > 3_000)
    assert.equal(answer.body.issues[0].code, 'rate_exceeded')
  },

  async INTERNAL_SERVER_ERROR(subject, id, request) {
    const answers = await subject.whileBroken(id, () => call(subject.send, operationOf(subject, id), request))
    assert(answers.length > 0, `nothing that ${id} needs was broken`)
    for (const { status, text } of answers)
      assert.deepEqual([status, text], [500, JSON.stringify(errorBody('INTERNAL_SERVER_ERROR'))])
  },

  async SERVICE_UNAVAILABLE(subject, id, request) {
    const operation = operationOf(subject, id)
    const { status, text } = await call(subject.stranded, operation, request)
    assert.deepEqual([status, text], [503, JSON.stringify(errorBody('SERVICE_UNAVAILABLE'))])
    const locked = await subject.whileLocked?.(id, () => call(subject.send, operation, request))
    assert.deepEqual(
      locked?.filter((answer) => answer.status !== 503).map((answer) => answer.text),
      locked && [],
    )
  },

  async REQUEST_TIMEOUT(subject, id, request) {
    const received = await sendHalf(subject.hastyUrl, operationOf(subject, id), request)
    assert.match(received, /^HTTP\/1\.1 408 /)
    assert(received.includes('"code":"REQUEST_TIMEOUT"'), received)
  },

  async REQUEST_HEADER_FIELDS_TOO_LARGE(subject, id, { as, ...request }) {
    const operation = operationOf(subject, id)
    const headers = { ...request.headers, 'X-Long': 'x'.repeat(17_000) }
    const { status, body } = await subject.send(methodOf(operation), targetOf(operation, request), {
      as,
      headers,
    })
    assert.deepEqual([status, body?.code], [431, 'REQUEST_HEADER_FIELDS_TOO_LARGE'])
  },

  async IDEMPOTENCY_MISMATCH(subject, id, request) {
    const operation = operationOf(subject, id)
    const keyed = withKey(request)
    const first = await call(subject.send, operation, keyed)
    const { success } = operation
    assert.equal(first.status, success.status, first.text)
    // The same to a reader of JSON, but not the same bytes.
    const other = { ...keyed, body: `${JSON.stringify(request.body ?? {})} ` }
    await expectRejection(subject, id, other, 'IDEMPOTENCY_MISMATCH', 'header.idempotency-key')

    const before = await subject.stored()
    const repeat = await call(subject.send, operation, keyed)
    if (success.secretOf) {
      const current = { id: success.secretOf.split('.').reduce((value, name) => value[name], first.body) }
      const { code, current: found } = repeat.body.issues[0]
      assert.deepEqual([repeat.status, code, found], [409, 'already_created', current])
    } else {
      const visible = ({ status, text, headers }: Answer) => ({ status, text, location: headers.location })
      assert.deepEqual(visible(repeat), visible(first))
      assert.equal(repeat.headers['idempotent-replayed'], 'true')
    }
    assert.equal(await subject.stored(), before)
  },
}

/** Rejects a key of a request that still runs. Others write every key for as long as the request is willing to wait. */
export async function rejectWhileKeyRuns(subject: DerivationSubject, id: string, request: CaseRequest) {
  assert(subject.whileKeysAreHeld, 'the subject cannot hold keys')
  const before = await subject.stored()
  const answer = await subject.whileKeysAreHeld(() =>
    call(subject.send, operationOf(subject, id), withKey(request)),
  )
  assert.deepEqual([answer.status, answer.headers['retry-after']], [409, '1'], answer.text)
  const [{ path, code }] = answer.body.issues
  assert.deepEqual([path, code], [['header', 'idempotency-key'], 'in_progress'])
  assert.equal(await subject.stored(), before)
}

/** Rejects a request with a key, and gets the right request with the same key through. */
export async function rejectWithKey(
  subject: DerivationSubject,
  id: string,
  request: CaseRequest,
  code: 'BAD_REQUEST' | 'PRECONDITION_FAILED',
) {
  const keyed = withKey(request)
  if (code === 'BAD_REQUEST') {
    const wrong = { ...keyed, query: { ...request.query, nonsense: 1 } }
    await expectRejection(subject, id, wrong, code, 'query.nonsense')
  } else {
    const wrong = { ...keyed, headers: { ...keyed.headers, 'If-Match': '"other"' } }
    await expectRejection(subject, id, wrong, code, 'header.if-match')
  }
  const operation = operationOf(subject, id)
  const { status, headers, text } = await call(subject.send, operation, keyed)
  assert.equal(status, operation.success.status, `the rejected request used up its key: ${text}`)
  assert.equal(headers['idempotent-replayed'], undefined)
}

export function withKey(request: CaseRequest): CaseRequest {
  return { ...request, headers: { ...request.headers, 'Idempotency-Key': randomUUID() } }
}

let addresses = 0
const newAddress = () => `10.0.${addresses >> 8}.${addresses++ & 255}`

/** The bytes that the document allows for the body of an operation. */
function bodyLimitOf(document: object, { path, method }: Operation): number {
  const { paths } = document as {
    paths: Record<string, Record<string, { requestBody?: { description?: string } }>>
  }
  const { description = '' } = paths[path]?.[method]?.requestBody ?? {}
  const [, count, unit] = /^At most (\d+) (KiB|MiB)/.exec(description) ?? []
  assert(count, `The document does not say how large a body of ${path} may be`)
  return Number(count) * (unit === 'MiB' ? 1024 * 1024 : 1024)
}

/** Sends the head of a request and no body, and returns everything that comes until the connection ends. */
function sendHalf(url: string, operation: Operation, request: CaseRequest): Promise<string> {
  const { hostname, port, host } = new URL(url)
  const head = [
    `${methodOf(operation)} ${targetOf(operation, request)} HTTP/1.1`,
    `Host: ${host}`,
    `Content-Type: ${operation.fileBody ? fileMediaType : 'application/json'}`,
    'Content-Length: 100',
    ...(request.as ? [`Authorization: Bearer ${request.as.token}`] : []),
  ]
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n`))
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (received += chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })
}
