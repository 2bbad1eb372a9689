import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type express from 'express'
import { type AnyIssue, type ErrorCode, errors, type Issue } from '../../contract/kit/errors.ts'
import type { Operation } from '../../contract/kit/operation.ts'
import { type Conditions, errorsOf, type Stream } from '../../contract/kit/operation.ts'
import { readOutcome } from './conditions.ts'
import { encode } from './json/json-text.ts'
import { problem } from './problem.ts'
import type { Budget, Holding } from './shares/budget.ts'

/** The response to a request, before any of it is sent. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  /** Pieces are sent as one body, a stream as long as it lasts. */
  body: string | Buffer[] | AsyncIterable<string>
  /** Absent where there is no body. */
  mediaType?: string
  /** The code of a rejection to which the router adds the issue, since it follows from the route alone. */
  unexplained?: 'NOT_FOUND' | 'FORBIDDEN'
  /** Id of the created record, if the body holds its secret. */
  madeId?: string
  /** Id of the result in the body. */
  resultId?: string
}

/** The media type of server-sent events. */
export const eventStream = 'text/event-stream'

/** Builds the responses of one operation. */
export interface AnyRespond {
  ok(body: unknown, etag?: string): HttpResponse
  minimal(body: unknown, etag: string): HttpResponse
  notModified(conditions: Conditions, etag: string): HttpResponse | undefined
  preconditionFailed(conditions: Conditions, etag: string): HttpResponse
  events(pieces: AsyncIterable<string>): HttpResponse
  fail(code: ErrorCode, issues?: readonly AnyIssue[], retryAfterSeconds?: number): HttpResponse
}

/**
 * Makes the builder of responses for an operation, for its handler and all checks before it. A code that the operation
 * does not declare, in spite of the compiler, is an internal error.
 */
export function createRespond(operationId: string, operation: Operation): AnyRespond {
  const declared = new Set(errorsOf(operation))
  const { status, location, secretOf, resultOf, mediaType = 'application/json' } = operation.success
  const isRead = operation.method === 'get'
  const fail: AnyRespond['fail'] = (code, issues = [], retryAfterSeconds) => {
    if (!declared.has(code)) throw new Error(`${operationId} does not declare ${code}`)
    if (errors[code].status === 400 && issues.length === 0)
      throw new Error(`${operationId}: a ${code} has to say what is wrong`)
    const rejection = toErrorResponse(code, issues, retryAfterSeconds)
    const isExplained = issues.length > 0 || (code !== 'NOT_FOUND' && code !== 'FORBIDDEN')
    return isExplained ? rejection : { ...rejection, unexplained: code }
  }
  const preconditionFailed = ({ ifMatch }: Conditions, etag: string): HttpResponse => {
    const path = ['header', ifMatch ? 'if-match' : 'if-none-match']
    const issue: Issue = { path, code: 'conflict', message: staleMessage(etag), current: { etag } }
    const rejection = fail('PRECONDITION_FAILED', [issue])
    return { ...rejection, headers: { ...rejection.headers, ETag: etag } }
  }
  const headersOf = (body: unknown, etag: string | undefined): Record<string, string> => ({
    'Cache-Control': 'no-store',
    ...(etag && (isRead ? privateReadHeaders(etag) : { ETag: etag })),
    ...(location && {
      Location: location.replaceAll(/\{([\w.]+)\}/g, (_, path: string) => String(pick(body, path))),
    }),
  })
  return {
    ok(body, etag) {
      const headers = headersOf(body, etag)
      if (mediaType !== 'application/json') {
        const stream = body as Stream
        const { mediaType, pieces } = stream
        return { status, headers: { ...headers, ...stream.headers }, mediaType, body: pieces }
      }
      const madeId = secretOf && String(pick(body, secretOf))
      const resultId = resultOf && (pick(body, resultOf) as string | undefined)
      return { status, headers, mediaType, madeId, resultId, body: encode(body) }
    },
    minimal: (body, etag) => ({
      status,
      headers: { 'Preference-Applied': 'return=minimal', ...headersOf(body, etag) },
      mediaType: operation.success.minimal?.mediaType,
      body: encode(body),
    }),
    notModified(conditions, etag) {
      const outcome = readOutcome(conditions, etag)
      if (outcome === 'PRECONDITION_FAILED') return preconditionFailed(conditions, etag)
      return outcome && { status: 304, headers: privateReadHeaders(etag), body: '' }
    },
    preconditionFailed,
    events: (pieces) => ({ status: 200, headers: {}, mediaType: eventStream, body: pieces }),
    fail,
  }
}

/** For a read with an entity tag: the caller alone may cache it, and revalidates before every use. */
export const privateReadHeaders = (etag: string) => ({
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization',
  ETag: etag,
})

function pick(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value)
}

const toErrorResponse = (code: ErrorCode, issues: readonly AnyIssue[], retryAfterSeconds?: number) => ({
  ...problem(code, issues, retryAfterSeconds),
  mediaType: 'application/json',
})

/** Sends an error outside of operations immediately, with any code of the service. */
export function sendProblem(response: express.Response, code: ErrorCode, issues: readonly AnyIssue[] = []) {
  const httpResponse = toErrorResponse(code, issues)
  writeHead(response, httpResponse)
  sendText(response, httpResponse.body)
}

/** Bodies from this size on are sent in pieces, and count towards the memory that slow readers occupy. */
export const LARGE_BODY_BYTES = 64 * 1024

/**
 * Sends a response. A streamed body produces its next piece when the caller has taken the last one. The first piece is
 * produced before the head is sent, so that a failure until then still gets an error response.
 */
export async function send(response: express.Response, httpResponse: HttpResponse, budget: Budget) {
  const { body } = httpResponse
  if (!httpResponse.mediaType) {
    writeHead(response, httpResponse)
    return response.end()
  }
  if (!isStream(body)) {
    if (measureBody(body) >= LARGE_BODY_BYTES) return sendLarge(response, httpResponse, bytesOf(body), budget)
    writeHead(response, httpResponse)
    return typeof body === 'string' ? sendText(response, body) : sendPieces(response, body)
  }
  const pieces = body[Symbol.asyncIterator]()
  const first = await pieces.next()
  writeHead(response, httpResponse)
  if (response.req.method === 'HEAD') {
    await pieces.return?.()
    return response.end()
  }
  try {
    await pipeline(Readable.from(prependPiece(first, pieces)), response)
  } catch (error) {
    // A caller that closes the connection ends the stream; any other error is a failure.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

export const isStream = (body: HttpResponse['body']): body is AsyncIterable<string> =>
  typeof body !== 'string' && !Array.isArray(body)

/** A stream whose pieces are made by `take`, each in its turn. */
export async function* pacePieces(
  body: AsyncIterable<string>,
  pace: <Piece>(make: () => Promise<Piece>) => Promise<Piece>,
): AsyncGenerator<string> {
  const pieces = body[Symbol.asyncIterator]()
  const next = () => pace(() => pieces.next())
  try {
    for (let piece = await next(); !piece.done; piece = await next()) yield piece.value
  } finally {
    await pieces.return?.()
  }
}

/** At least the characters of a text, which is no more than its bytes. Of a stream it is not known. */
export function measureBody(body: HttpResponse['body']): number {
  if (isStream(body)) return 0
  return typeof body === 'string' ? body.length : body.reduce((size, piece) => size + piece.length, 0)
}

function bytesOf(body: string | Buffer[]): Buffer[] {
  return typeof body === 'string' ? [Buffer.from(body)] : body
}

/**
 * Sends each piece when the caller has taken the last one. A read is not sent if the budget has no room. The response
 * to a change is always sent.
 */
async function sendLarge(
  response: express.Response,
  httpResponse: HttpResponse,
  body: Buffer[],
  budget: Budget,
) {
  const size = measureBody(body)
  const tenant = response.locals.owner ?? response.locals.tenant ?? ''
  const holding = budget.open(tenant, () => response.destroy())
  response.once('close', holding.end)
  const { method } = response.req
  if (!holding.add(size) && (method === 'GET' || method === 'HEAD')) {
    holding.end()
    return sendProblem(response, 'SERVICE_UNAVAILABLE')
  }
  writeHead(response, httpResponse)
  response.setHeader('Content-Length', size)
  for (const part of body) await writeLarge(response, part, holding)
  response.end()
}

/** Writes bytes that a budget has room for, piece by piece, each when the caller has taken the one before. */
export async function writeLarge(response: express.Response, bytes: Buffer, holding: Holding) {
  for (let at = 0; at < bytes.length && !response.destroyed; at += LARGE_BODY_BYTES) {
    const piece = bytes.subarray(at, at + LARGE_BODY_BYTES)
    if (!response.write(piece)) await waitForDrain(response)
    holding.move(piece.length)
  }
}

export const staleMessage = (etag: string) =>
  `The record is in the state ${etag}; read it again, and send that tag`

export function waitForDrain(response: express.Response): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle)
      response.off('close', settle)
      resolve()
    }
    response.once('drain', settle)
    response.once('close', settle)
  })
}

function writeHead(response: express.Response, { status, headers, mediaType }: HttpResponse) {
  response.statusCode = status
  if (mediaType) response.setHeader('Content-Type', `${mediaType}; charset=utf-8`)
  for (const name in headers) response.setHeader(name, headers[name] as string)
}

function sendText(response: express.Response, body: string) {
  const size = Buffer.byteLength(body)
  response.setHeader('Content-Length', size)
  // Plain ASCII, as most is, has the same bytes in both, and is not measured and encoded once more.
  response.end(body, size === body.length ? 'latin1' : 'utf8')
}

function sendPieces(response: express.Response, pieces: Buffer[]) {
  response.setHeader(
    'Content-Length',
    pieces.reduce((size, piece) => size + piece.length, 0),
  )
  // The head and all pieces go out together.
  response.cork()
  for (const piece of pieces) response.write(piece)
  response.end()
  response.uncork()
}

async function* prependPiece(first: IteratorResult<string>, rest: AsyncIterator<string>) {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    await rest.return?.()
  }
}
