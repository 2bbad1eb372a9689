import { parse as parseQuery } from 'node:querystring'
import { setImmediate } from 'node:timers/promises'
import { parse as parseMediaType } from 'content-type'
import express from 'express'
import type { ErrorCode, Issue } from '../../contract/errors.ts'
import { type FileBody, fileMediaType, type Operation } from '../../contract/operation.ts'
import { z } from '../../contract/zod.ts'
import { propertyTexts } from '../json/property-texts.ts'
import { readUnparsed } from './document-body.ts'
import { toIssues } from './issues.ts'
import { parseJson } from './json-body.ts'

/* What a request brings, held against its operation: first the address, later the body. */

/** Path and query. Where there are issues, the rest may not be what the operation wants. */
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
    issues.push(...toIssues(params.error, ['path'], operation.params as z.ZodObject))

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
  // Without a bound of its own, the parser would drop what comes after 1,000 pairs; the size of the head is bounded.
  const given = text === '' ? {} : parseQuery(text, '&', '=', { maxKeys: 0 })
  for (const [name, value] of Object.entries(given)) {
    if (!Array.isArray(value)) continue
    issues.push({
      path: ['query', name],
      code: 'repeated',
      message: 'The parameter was given more than once',
    })
    delete given[name]
  }
  const query = (operation.query ?? noQuery).safeParse(given)
  if (!query.success) {
    const repeated = new Set(issues.map((issue) => issue.path[1]))
    issues.push(
      ...toIssues(query.error, ['query'], operation.query ?? noQuery).filter(
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

/** What is wrong with a request. */
export interface Mistake {
  code: ErrorCode
  issues: Issue[]
}

/** Reads the body and puts it beside the address, or says what is wrong with both. What has none is not waited for. */
export function readInput(
  operation: Operation,
  request: express.Request,
  response: express.Response,
  address: Address,
): Input | Mistake | Promise<Input | Mistake> {
  if (operation.everythingWithout)
    return inputOf(address, requireBare(request, address, operation.everythingWithout))
  if (operation.method === 'get' || operation.method === 'delete') return inputOf(address, nothing)
  if (operation.fileBody) return inputOf(address, readFile(request))
  return readBody(operation, request, response).then((body) => inputOf(address, body))
}

function inputOf({ params, query, issues }: Address, body: Body | Mistake): Input | Mistake {
  if (issues.length === 0)
    return 'code' in body ? body : { params, query, body: body.value, texts: body.texts }
  // Beside a wrong address, a body is told if it could be read.
  const ofBody = 'code' in body && body.code === 'BAD_REQUEST' ? body.issues : []
  return { code: 'BAD_REQUEST', issues: [...issues, ...ofBody] }
}

/**
 * Bytes from which on bodies that came at once are taken one after the other: what is stored of the first is under way while the
 * next is parsed.
 */
const LONG = 8 * 1024

const sizes = { small: 256 * 1024, document: 4 * 1024 * 1024 }

const readRaw = {
  small: express.raw({ type: () => true, inflate: false, limit: sizes.small }),
  document: express.raw({ type: () => true, inflate: false, limit: sizes.document }),
}

interface Body {
  value: unknown
  texts: Input['texts']
}

const emptyObject = Buffer.from('{}')
const noTexts = () => new Map<string, Buffer>()
const nothing: Body = { value: undefined, texts: noTexts }

async function readBody(
  operation: Operation,
  request: express.Request,
  response: express.Response,
): Promise<Body | Mistake> {
  const isRight = isJson(request.headers['content-type'])
  const size = operation.bodySize ?? 'small'
  let bytes: Buffer | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      readRaw[size](request, response, (error: unknown) => (error ? reject(error) : resolve()))
    })
    bytes = request.body as Buffer | undefined
  } catch (error) {
    const mistake = unreadable(error, sizes[size])
    if (mistake.code === 'BAD_REQUEST') return mistake
    // Where no body is due, it does not matter what is wrong with one.
    if (!operation.body) return wrong([noBody])
    return isRight ? mistake : otherMediaType
  }
  if (bytes && bytes.length > LONG) await setImmediate()
  const isEmpty = !bytes || bytes.length === 0
  if (!operation.body) return isEmpty || isEmptyObject(bytes as Buffer) ? nothing : wrong([noBody])
  if (!isEmpty && !isRight) return otherMediaType
  const unparsed = bytes && readUnparsed(operation, bytes)
  if (unparsed) return { value: unparsed.value, texts: () => unparsed.texts }
  const parsed = parseJson(isEmpty ? emptyObject : (bytes as Buffer), operation.keepsNumbers)
  if ('issues' in parsed) return wrong(parsed.issues)
  const checked = operation.body.safeParse(parsed.value)
  return checked.success
    ? { value: checked.data, texts: (name) => propertyTexts(parsed.bytes, name) }
    : wrong(toIssues(checked.error, ['body'], operation.body))
}

/** A file is not read here: its handler does, once it knows that the file is wanted. */
function readFile(request: express.Request): Body | Mistake {
  const { headers } = request
  const type = headers['content-type']
  if (type === undefined || parseMediaType(type).type !== fileMediaType) return noFile
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return encoded
  const length = headers['content-length']
  const body: FileBody = {
    bytes: bytesOf(request),
    length: length === undefined ? undefined : Number(length),
  }
  return { value: body, texts: noTexts }
}

/** The bytes as they come. What is left when nobody wants more goes by unread, so that the answer is still sent. */
async function* bytesOf(request: express.Request): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } finally {
    request.resume()
  }
}

const wrong = (issues: Issue[]): Mistake => ({ code: 'BAD_REQUEST', issues })

const noBody: Issue = { path: ['body'], code: 'unexpected', message: 'This operation takes no body' }

function isEmptyObject(bytes: Buffer): boolean {
  return /^\s*\{\s*\}\s*$/.test(bytes.toString('latin1'))
}

/** A body is never taken; a Content-Type without one, as generated clients send it, only where records are named. */
function requireBare(
  { url, headers }: express.Request,
  { query, issues }: Address,
  filters: readonly string[],
): Body | Mistake {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (hasBody) {
    const message = `This operation takes no body; name the records in the query, as ?${filters[0]}=ID1,ID2`
    return wrong([{ path: ['body'], code: 'unexpected', message }])
  }
  const given = (query ?? {}) as Record<string, unknown>
  const isNamed = filters.some((name) => given[name] !== undefined)
  // A link that lost its parameters on the way still ends with what stood between them.
  if (!isNamed && issues.length === 0 && /[?]./.test(url)) {
    const message = `Without ${filters.join(' or ')}, send no query string at all`
    return wrong([{ path: ['query'], code: 'unexpected', message }])
  }
  if (headers['content-type'] === undefined || isNamed) return nothing
  const message = `This operation takes no body, hence no Content-Type; name records in the query parameter ${filters.join(' or ')}`
  return wrong([{ path: ['header', 'content-type'], code: 'unexpected', message }])
}

/** JSON in UTF-8; the charset may be left out or said, in any case and quoted or not. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  const { type, parameters } = parseMediaType(contentType)
  const { charset = 'utf-8' } = parameters
  return type === 'application/json' && charset.toLowerCase() === 'utf-8'
}

function unsupported(header: string, message: string): Mistake {
  return {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    issues: [{ path: ['header', header], code: 'unsupported_media_type', message }],
  }
}

const otherMediaType = unsupported('content-type', 'Send the body as application/json in UTF-8')
const noFile = unsupported('content-type', `Send the file as ${fileMediaType}, whatever its type`)
const encoded = unsupported('content-encoding', 'Send the body without a content encoding')

function unreadable(error: unknown, limit: number): Mistake {
  const { type } = error as { type?: string }
  if (type === 'entity.too.large') {
    const message = `The body may have at most ${limit} bytes`
    return { code: 'PAYLOAD_TOO_LARGE', issues: [{ path: ['body'], code: 'too_large', message }] }
  }
  if (type === 'encoding.unsupported') {
    return encoded
  }
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return wrong([{ path: ['body'], code: 'incomplete', message: 'The body did not arrive completely' }])
  }
  throw error
}
