import { parse as parseQuery } from 'node:querystring'
import { setImmediate } from 'node:timers/promises'
import { parse as parseMediaType } from 'content-type'
import type express from 'express'
import type { ErrorCode, Issue } from '../../contract/kit/errors.ts'
import type { Operation } from '../../contract/kit/operation.ts'
import { type FileBody, fileMediaType } from '../../contract/kit/operation.ts'
import { z } from '../../contract/kit/zod.ts'
import { hasBody } from './early-response.ts'
import { toIssues } from './issues/validation.ts'
import { propertyTexts } from './json/property-texts.ts'
import { parseJson } from './json-body.ts'
import type { Budget } from './shares/budget.ts'
import { LARGE_BYTES, type Pacing } from './shares/pacing.ts'

/* Validates a request against its operation: first the address, later the body. */

/** Path and query. With issues, the values may not match the operation. */
export interface Address {
  params: unknown
  query: unknown
  issues: Issue[]
}

const noQuery = z.strictObject({})

export function readAddress(operation: Operation, request: express.Request): Address {
  const issues: Issue[] = []
  const params = operation.params?.safeParse(request.params)
  if (params && !params.success)
    issues.push(...toIssues(params.error, ['path'], operation.params as z.ZodObject, request.params))

  const at = request.url.indexOf('?')
  const text = at < 0 ? '' : request.url.slice(at + 1)
  try {
    // Node's parser accepts broken escapes, so they are looked for first.
    decodeURIComponent(text)
  } catch {
    issues.push({
      path: ['query'],
      code: 'invalid_encoding',
      message: 'The query string is not percent-encoded UTF-8',
    })
    return { params: params?.data, query: undefined, issues }
  }
  // Without a bound of its own, the parser would drop all pairs after the first 1,000; the size of the head is
  // bounded.
  const given = text === '' ? {} : parseQuery(text, '&', '=', { maxKeys: 0 })
  for (const [name, value] of Object.entries(given)) {
    if (!Array.isArray(value)) continue
    issues.push({
      path: ['query', name],
      code: 'repeated',
      message: 'The parameter was given more than once; send it once',
    })
    delete given[name]
  }
  const query = (operation.query ?? noQuery).safeParse(given)
  if (!query.success) {
    const repeated = new Set(issues.map((issue) => issue.path[1]))
    issues.push(
      ...toIssues(query.error, ['query'], operation.query ?? noQuery, given).filter(
        ({ path }) => !repeated.has(path[1]),
      ),
    )
  }
  return { params: params?.data, query: operation.query ? query.data : undefined, issues }
}

/** All that a handler is given of a request, as its operation wants it. */
export interface Input {
  params: unknown
  query: unknown
  body: unknown
  /** JSON of the properties of one object in the body, by name. */
  texts(name: string): Map<string, Buffer>
}

/** The issues of a request. */
export interface Rejection {
  code: ErrorCode
  issues: Issue[]
}

/** The budget for bytes of bodies, and the maximum wait of a body for room, in milliseconds. */
export interface Receiving {
  budget: Budget
  pacing: Pacing
  tenant: string
  timeout: number
  /** Reads a body without parsing all of it, where the service can; undefined where it has to be parsed. */
  scanBody?: ScanBody
}

export type ScanBody = (
  operation: Operation,
  bytes: Buffer,
) => { value: unknown; texts: Map<string, Buffer> } | undefined

/**
 * Reads the body and puts it beside the address, or returns the issues of both. Does not wait for a body if none is
 * due.
 */
export function readInput(
  operation: Operation,
  request: express.Request,
  response: express.Response,
  address: Address,
  receiving: Receiving,
): Input | Rejection | Promise<Input | Rejection> {
  if (operation.everythingWithout)
    return inputOf(address, requireBare(request, address, operation.everythingWithout))
  if (operation.method === 'get' || operation.method === 'delete') return inputOf(address, noBodyInput)
  if (operation.fileBody) return inputOf(address, readFile(request, response))
  return readBody(operation, request, response, receiving).then((body) => inputOf(address, body))
}

function inputOf({ params, query, issues }: Address, body: Body | Rejection): Input | Rejection {
  if (issues.length === 0)
    return 'code' in body ? body : { params, query, body: body.value, texts: body.texts }
  // If the address is wrong too, issues of a body that could be read are included.
  const ofBody = 'code' in body && body.code === 'BAD_REQUEST' ? body.issues : []
  return { code: 'BAD_REQUEST', issues: [...issues, ...ofBody] }
}

/**
 * Above this size, bodies that arrived together are parsed one per turn of the event loop: the first is being stored
 * while the next is parsed.
 */
const IMMEDIATE_BODY_BYTES = 8 * 1024

/** Bytes of a body: of one with a large document, and of every other one. */
export const MAX_BODY_BYTES = { small: 256 * 1024, document: 4 * 1024 * 1024 }

interface Body {
  value: unknown
  texts: Input['texts']
}

const emptyBody = Buffer.alloc(0)
const emptyObject = Buffer.from('{}')
const noTexts = () => new Map<string, Buffer>()
const noBodyInput: Body = { value: undefined, texts: noTexts }

async function readBody(
  operation: Operation,
  request: express.Request,
  response: express.Response,
  receiving: Receiving,
): Promise<Body | Rejection> {
  const isRight = isJson(request.headers['content-type'])
  const size = operation.bodySize ?? 'small'
  const bytes = hasBody(request) ? await receiveBytes(request, response, size, receiving) : emptyBody
  if (!Buffer.isBuffer(bytes)) {
    if (bytes.code === 'BAD_REQUEST' || bytes.code === 'SERVICE_UNAVAILABLE') return bytes
    // Without a body in the operation, other issues of it do not matter.
    if (!operation.body) return badRequest([noBody])
    return isRight ? bytes : otherMediaType
  }
  request.body = bytes
  const check = () => checkBody(operation, bytes, isRight, receiving.scanBody)
  if (bytes.length > LARGE_BYTES) return receiving.pacing.runPaced(receiving.tenant, check)
  if (bytes.length > IMMEDIATE_BODY_BYTES) await setImmediate()
  return check()
}

/** Reads the bytes of a body, in one piece. */
function checkBody(
  operation: Operation,
  bytes: Buffer,
  isRight: boolean,
  scanBody: ScanBody | undefined,
): Body | Rejection {
  const isEmpty = bytes.length === 0
  if (!operation.body) return isEmpty || isEmptyObject(bytes) ? noBodyInput : badRequest([noBody])
  if (!isEmpty && !isRight) return otherMediaType
  const unparsed = scanBody?.(operation, bytes)
  if (unparsed) return { value: unparsed.value, texts: () => unparsed.texts }
  const parsed = parseJson(isEmpty ? emptyObject : bytes, operation.keepsNumbers)
  if ('issues' in parsed) return badRequest(parsed.issues)
  const checked = operation.body.safeParse(parsed.value)
  return checked.success
    ? { value: checked.data, texts: (name) => propertyTexts(parsed.bytes, name) }
    : badRequest(toIssues(checked.error, ['body'], operation.body, parsed.value))
}

/** Takes the bytes of a body. One that is too large is rejected as soon as that is certain. */
async function receiveBytes(
  request: express.Request,
  response: express.Response,
  size: keyof typeof MAX_BODY_BYTES,
  { budget, tenant, timeout }: Receiving,
): Promise<Buffer | Rejection> {
  const { headers } = request
  const maxBytes = MAX_BODY_BYTES[size]
  const announced = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  // The media type comes before the size, and neither needs a byte of the body.
  if (announced !== undefined && !isPlain(headers)) return unsupportedEncoding
  if (announced !== undefined && announced > maxBytes) return tooLarge(maxBytes)
  const holding = budget.open(tenant, () => request.destroy())
  // A parsed document is much larger than its bytes, and stays until the response.
  if (size === 'document') response.once('close', holding.end)
  if (announced !== undefined && !(await holding.addWithin(announced, timeout))) {
    holding.end()
    return noRoom
  }
  askForBody(request, response)
  const pieces: Buffer[] = []
  let received = 0
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += piece.length
      if (received > maxBytes) return tooLarge(maxBytes)
      if (announced === undefined && !(await holding.addWithin(piece.length, timeout))) return noRoom
      holding.move(piece.length)
      pieces.push(piece)
    }
  } catch {
    return badRequest([{ path: ['body'], code: 'incomplete', message: 'The body did not arrive completely' }])
  } finally {
    if (size === 'small') holding.end()
  }
  if (received > 0 && !isPlain(headers)) return unsupportedEncoding
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
}

/**
 * Bytes of the body of a request that is no operation. Undefined if it has more than `maxBytes` or breaks off; the
 * connection is left to the response: see early-response.ts.
 */
export async function readBytes(request: express.Request, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  let received = 0
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += piece.length
      if (received > maxBytes) {
        request.resume()
        return undefined
      }
      pieces.push(piece)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(pieces)
}

/** Sends 100 Continue to a caller that waits for it, right before the body is read. */
function askForBody({ headers }: express.Request, response: express.Response) {
  if (/^100-continue$/i.test(headers.expect ?? '')) response.writeContinue()
}

const isPlain = (headers: express.Request['headers']) =>
  (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'

function tooLarge(maxBytes: number): Rejection {
  const message = `The body may have at most ${maxBytes} bytes`
  return { code: 'PAYLOAD_TOO_LARGE', issues: [{ path: ['body'], code: 'too_large', message }] }
}

const noRoom: Rejection = { code: 'SERVICE_UNAVAILABLE', issues: [] }

/** Does not read a file: the handler does, once it knows that the file is accepted. */
function readFile(request: express.Request, response: express.Response): Body | Rejection {
  const { headers } = request
  const type = headers['content-type']
  if (type === undefined || parseMediaType(type).type !== fileMediaType) return noFile
  if (!isPlain(headers)) return unsupportedEncoding
  const length = headers['content-length']
  const body: FileBody = {
    bytes: bytesOf(request, response),
    length: length === undefined ? undefined : Number(length),
  }
  return { value: body, texts: noTexts }
}

/** The bytes as they arrive. The rest of an abandoned body is discarded, so that the response is still sent. */
async function* bytesOf(request: express.Request, response: express.Response): AsyncGenerator<Buffer> {
  askForBody(request, response)
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } finally {
    request.resume()
  }
}

const badRequest = (issues: Issue[]): Rejection => ({ code: 'BAD_REQUEST', issues })

const noBody: Issue = {
  path: ['body'],
  code: 'unexpected',
  message: 'This operation takes no body; send none',
}

function isEmptyObject(bytes: Buffer): boolean {
  return /^\s*\{\s*\}\s*$/.test(bytes.toString('latin1'))
}

/** A body is never taken; a Content-Type without one, as generated clients send it, only where records are named. */
function requireBare(
  request: express.Request,
  { query, issues }: Address,
  filters: readonly string[],
): Body | Rejection {
  const { url, headers } = request
  if (hasBody(request)) {
    const message = `This operation takes no body; name the records in the query, as ?${filters[0]}=ID1,ID2`
    return badRequest([{ path: ['body'], code: 'unexpected', message }])
  }
  const given = (query ?? {}) as Record<string, unknown>
  const isNamed = filters.some((name) => given[name] !== undefined)
  // A link that lost its parameters on the way still ends with the characters between them.
  if (!isNamed && issues.length === 0 && /[?]./.test(url)) {
    const message = `Without ${filters.join(' or ')}, send no query string at all`
    return badRequest([{ path: ['query'], code: 'unexpected', message }])
  }
  if (headers['content-type'] === undefined || isNamed) return noBodyInput
  const message = `This operation takes no body, hence no Content-Type; name records in the query parameter ${filters.join(' or ')}`
  return badRequest([{ path: ['header', 'content-type'], code: 'unexpected', message }])
}

/** JSON in UTF-8; the charset may be left out or said, in any case and quoted or not. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  const { type, parameters } = parseMediaType(contentType)
  const { charset = 'utf-8' } = parameters
  return type === 'application/json' && charset.toLowerCase() === 'utf-8'
}

function unsupportedMediaType(header: string, message: string): Rejection {
  return {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    issues: [{ path: ['header', header], code: 'unsupported_media_type', message }],
  }
}

const otherMediaType = unsupportedMediaType('content-type', 'Send the body as application/json in UTF-8')
const noFile = unsupportedMediaType('content-type', `Send the file as ${fileMediaType}, whatever its type`)
const unsupportedEncoding = unsupportedMediaType(
  'content-encoding',
  'Send the body without a content encoding',
)
