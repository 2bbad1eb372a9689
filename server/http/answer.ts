import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type express from 'express'
import { type ErrorCode, errors, type Issue } from '../../contract/errors.ts'
import { errorsOf, type Operation } from '../../contract/operation.ts'
import { encode } from '../json/json-text.ts'
import { problem } from './problem.ts'

/** What a request is answered with, before anything of it is sent. */
export interface Answer {
  status: number
  headers: Record<string, string>
  /** Pieces are sent as one body, a stream as long as it lasts. */
  body: string | Buffer[] | AsyncIterable<string>
  mediaType: string
}

/** Makes the answers of one operation. */
export interface AnyReply {
  ok(body: unknown): Answer
  fail(code: ErrorCode, issues?: readonly Issue[]): Answer
}

/**
 * Makes the answers an operation may give, to its handler and to all that comes before it. A code that the
 * operation does not declare, smuggled past the compiler, is a fault.
 */
export function createReply(operationId: string, operation: Operation): AnyReply {
  const declared = new Set(errorsOf(operation))
  const { status, location, mediaType = 'application/json' } = operation.success
  return {
    ok(body) {
      const headers: Record<string, string> = { 'Cache-Control': 'no-store' }
      if (location)
        headers.Location = location.replaceAll(/\{([\w.]+)\}/g, (_, path: string) => String(pick(body, path)))
      return {
        status,
        headers,
        mediaType,
        body: mediaType === 'application/json' ? encode(body) : (body as AsyncIterable<string>),
      }
    },
    fail(code, issues = []) {
      if (!declared.has(code)) throw new Error(`${operationId} does not declare ${code}`)
      if (errors[code].status === 400 && issues.length === 0)
        throw new Error(`${operationId}: a ${code} has to say what is wrong`)
      return toAnswer(code, issues)
    },
  }
}

function pick(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value)
}

const toAnswer = (code: ErrorCode, issues: readonly Issue[]) => ({
  ...problem(code, issues),
  mediaType: 'application/json',
})

/** Answers what is no operation, or no longer one: any code of the service, at once. */
export function sendProblem(response: express.Response, code: ErrorCode, issues: readonly Issue[] = []) {
  const answer = toAnswer(code, issues)
  writeHead(response, answer)
  sendText(response, answer.body)
}

/**
 * A body that is a stream is asked for its next piece when the caller has taken the last one. The first
 * piece is made before the head goes out, so that a fault until then still gets its answer.
 */
export async function send(response: express.Response, answer: Answer) {
  const { body } = answer
  if (typeof body === 'string' || Array.isArray(body)) {
    writeHead(response, answer)
    return typeof body === 'string' ? sendText(response, body) : sendPieces(response, body)
  }
  const pieces = body[Symbol.asyncIterator]()
  const first = await pieces.next()
  writeHead(response, answer)
  if (response.req.method === 'HEAD') {
    await pieces.return?.()
    return response.end()
  }
  try {
    await pipeline(Readable.from(resume(first, pieces)), response)
  } catch (error) {
    // A caller who goes away ends the stream; anything else is a fault.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

function writeHead(response: express.Response, { status, headers, mediaType }: Answer) {
  response.statusCode = status
  response.setHeader('Content-Type', `${mediaType}; charset=utf-8`)
  for (const name in headers) response.setHeader(name, headers[name] as string)
}

function sendText(response: express.Response, body: string) {
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
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

async function* resume(first: IteratorResult<string>, rest: AsyncIterator<string>) {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    await rest.return?.()
  }
}
