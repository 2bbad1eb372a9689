import { parse as parseQuery } from 'node:querystring'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express from 'express'
import { LRUCache } from 'lru-cache'
import { type ErrorCode, errors, type Issue } from '../../contract/errors.ts'
import { type Access, errorsOf, type Operation, user } from '../../contract/operation.ts'
import { z } from '../../contract/zod.ts'
import { readCredential } from '../access/authenticate.ts'
import { type Authorization, authorize } from '../access/index.ts'
import type { Services } from '../context.ts'
import { encode } from '../json/json-text.ts'
import { propertyTexts } from '../json/property-texts.ts'
import { toIssues } from './issues.ts'
import { parseJson } from './json-body.ts'
import { findRoute, newPlace, parametersOf, placeOf, segmentsOf } from './paths.ts'
import { problem } from './problem.ts'

/*
 * Binds every operation of the contract to its handler. The only place that knows the order of refusals:
 * route (404, 405), caller (401), path and query (400), body (415, 413, 400), existence and access
 * (404, 403), then the operation's own. What must stay true: no body is read for a caller whose
 * token was not valid just now, and a handler sees only input that fits the contract.
 */

type AnyHandler = (request: unknown, reply: unknown, context: unknown) => Promise<Answer>

interface Answer {
  status: number
  headers: Record<string, string>
  /** Pieces are sent as one body, a stream as long as it lasts. */
  body: string | Buffer[] | AsyncIterable<string>
  mediaType: string
}

export function createRouter(
  operations: Record<string, Operation>,
  handlers: Record<string, unknown>,
  services: Services,
): express.RequestHandler {
  const top = newPlace<Route>()
  for (const [operationId, operation] of Object.entries(operations)) {
    const place = placeOf(top, operation.path)
    place.route ??= {
      parameters: parametersOf(operation.path),
      runs: new Map(),
      allow: '',
      isCrossOrigin: false,
    }
    const { route } = place
    const run = bind(operationId, operation, handlers[operationId] as AnyHandler, services)
    route.runs.set(operation.method.toUpperCase(), run)
    if (operation.method === 'get') route.runs.set('HEAD', run)
    route.isCrossOrigin ||= operation.isCrossOrigin === true
    route.allow = ['OPTIONS', ...route.runs.keys()].sort().join(', ')
  }
  return (request, response, next) => {
    const segments = segmentsOf(request.url)
    const route = findRoute(top, segments)
    if (!route) return next()
    request.params = {}
    for (const { name, at } of route.parameters) {
      request.params[name] = decodeURIComponent(segments[at] as string)
    }
    const run = route.runs.get(request.method)
    if (run) return run(request, response)
    response.setHeader('Allow', route.allow)
    if (request.method !== 'OPTIONS') return sendProblem(response, 'METHOD_NOT_ALLOWED')
    if (route.isCrossOrigin) allowPreflight(request, response, route.allow)
    response.status(204).end()
  }
}

interface Route {
  parameters: { name: string; at: number }[]
  runs: Map<string, (request: express.Request, response: express.Response) => Promise<void>>
  allow: string
  isCrossOrigin: boolean
}

/**
 * Lets a browser ask. Which bot allows which origin is decided by the request itself, before anything runs;
 * only its answer says so.
 */
function allowPreflight(request: express.Request, response: express.Response, methods: string) {
  response.setHeader('Vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Allow-Methods', methods)
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type, X-Request-Id')
  response.setHeader('Access-Control-Max-Age', '600')
}

export function sendProblem(response: express.Response, code: ErrorCode, issues: readonly Issue[] = []) {
  const { status, headers, body } = problem(code, issues)
  writeHead(response, status, headers, 'application/json')
  sendText(response, body)
}

function writeHead(
  response: express.Response,
  status: number,
  headers: Record<string, string>,
  mediaType: string,
) {
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

/**
 * A body that is a stream is asked for its next piece when the caller has taken the last one. The first
 * piece is made before the head goes out, so that a fault until then still gets its answer.
 */
async function send(response: express.Response, { status, headers, body, mediaType }: Answer) {
  if (typeof body === 'string' || Array.isArray(body)) {
    writeHead(response, status, headers, mediaType)
    return typeof body === 'string' ? sendText(response, body) : sendPieces(response, body)
  }
  const pieces = body[Symbol.asyncIterator]()
  const first = await pieces.next()
  writeHead(response, status, headers, mediaType)
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

async function* resume(first: IteratorResult<string>, rest: AsyncIterator<string>) {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    await rest.return?.()
  }
}

function bind(operationId: string, operation: Operation, handler: AnyHandler, services: Services) {
  const { access } = operation
  const declared = new Set(errorsOf(operation))
  const refuse = (response: express.Response, code: ErrorCode, issues: readonly Issue[]) => {
    if (!declared.has(code)) throw new Error(`${operationId} does not declare ${code}`)
    sendProblem(response, code, issues)
  }
  const reply = createReply(operationId, operation, declared)
  const isInBody = access.kind === 'workspace' && access.place === 'body'

  return async (request: express.Request, response: express.Response) => {
    response.locals.operationId = operationId
    const { origin } = request.headers
    if (operation.isCrossOrigin) {
      response.setHeader('Vary', 'Origin')
      if (origin !== undefined) response.setHeader('Access-Control-Allow-Origin', origin)
    }
    const now = services.now()
    const address = parseAddress(operation, request)
    let authorization: Authorization | undefined
    let tokenHash: Buffer | undefined
    if (access.kind !== 'anyone') {
      const credential = readCredential(request)
      if ('issue' in credential) return refuse(response, 'UNAUTHORIZED', [credential.issue])
      tokenHash = credential.hash
      const { asked, id } = targetOf(access, address)
      if (!isInBody || !recentCallers.has(tokenHash.toString('base64'))) {
        authorization = await authorize(services.db, asked, tokenHash, id, now)
        if (authorization.caller === undefined) {
          return refuse(response, authorization.refusal.code, authorization.refusal.issues)
        }
        if (isInBody) recentCallers.set(tokenHash.toString('base64'), true)
      }
    }

    const body = await readBody(operation, request, response)
    const isRefused = address.issues.length > 0 || 'issues' in body
    if (isInBody && tokenHash && (!isRefused || !authorization)) {
      const workspaceId = isRefused ? '' : (body.value as { workspaceId: string }).workspaceId
      authorization = await authorize(services.db, isRefused ? user : access, tokenHash, workspaceId, now)
      if (authorization.caller === undefined) {
        return refuse(response, authorization.refusal.code, authorization.refusal.issues)
      }
    }
    if (isRefused) {
      // A body that cannot be read is told alone, and only when the address is right.
      const code = address.issues.length > 0 || !('code' in body) ? 'BAD_REQUEST' : body.code
      const unreadable = 'code' in body && code === 'BAD_REQUEST'
      return refuse(response, code, [
        ...address.issues,
        ...('issues' in body && !unreadable ? body.issues : []),
      ])
    }
    if (authorization && 'refusal' in authorization) {
      return refuse(response, authorization.refusal.code, authorization.refusal.issues)
    }
    const answer = await handler(
      {
        params: address.params,
        query: address.query,
        body: body.value,
        texts: (name: string) => propertyTexts(body.text, name),
        header: (name: string) => request.get(name),
      },
      reply,
      { ...services, now, grant: authorization?.grant },
    )
    if (answer.status === 403) response.removeHeader('Access-Control-Allow-Origin')
    await send(response, answer)
  }
}

/**
 * Digests of tokens that were valid a moment ago: their bodies may be read before the database is asked, which
 * is then asked once, for the token and the workspace that the body names.
 */
const recentCallers = new LRUCache<string, true>({ max: 10_000, ttl: 10_000 })

/** Which record the access check is about. A wrong address still has to name its caller first. */
function targetOf(access: Exclude<Access, { kind: 'anyone' }>, address: Address) {
  const caller = { asked: user, id: '' }
  if (address.issues.length > 0 || access.kind === 'user') return caller
  if (access.kind === 'workspace' && access.place === 'body') return caller
  const source = access.kind === 'workspace' && access.place === 'query' ? address.query : address.params
  return { asked: access, id: (source as Record<string, string>)[`${access.kind}Id`] as string }
}

// Path and query

interface Address {
  params: unknown
  query: unknown
  issues: Issue[]
}

const noQuery = z.strictObject({})

function parseAddress(operation: Operation, request: express.Request): Address {
  const issues: Issue[] = []
  const params = operation.params?.safeParse(request.params)
  if (params && !params.success) issues.push(...toIssues(params.error, ['path']))

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
  const given = text === '' ? {} : parseQuery(text)
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
    issues.push(...toIssues(query.error, ['query']).filter(({ path }) => !repeated.has(path[1])))
  }
  return { params: params?.data, query: operation.query ? query.data : undefined, issues }
}

// Body

const sizes = { small: 256 * 1024, document: 4 * 1024 * 1024 }

const readRaw = {
  small: express.raw({ type: () => true, inflate: false, limit: sizes.small }),
  document: express.raw({ type: () => true, inflate: false, limit: sizes.document }),
}

type Body = { value: unknown; text: string } | { issues: Issue[] } | { code: ErrorCode; issues: Issue[] }

const nothing = { value: undefined, text: '{}' }

async function readBody(
  operation: Operation,
  request: express.Request,
  response: express.Response,
): Promise<Body> {
  if (operation.bareRequest) return requireBare(request)
  if (operation.method === 'get' || operation.method === 'delete') return nothing
  const size = operation.bodySize ?? 'small'
  let bytes: Buffer | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      readRaw[size](request, response, (error: unknown) => (error ? reject(error) : resolve()))
    })
    bytes = request.body as Buffer | undefined
  } catch (error) {
    const body = unreadable(error, sizes[size])
    // Where no body is due, it does not matter what is wrong with one.
    return operation.body || !('code' in body) ? body : { issues: [noBody] }
  }
  const isEmpty = !bytes || bytes.length === 0
  if (!operation.body) return isEmpty || isEmptyObject(bytes as Buffer) ? nothing : { issues: [noBody] }
  if (!isEmpty && !isJson(request.headers['content-type'])) {
    return {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      issues: [mediaType('content-type', 'Send the body as application/json in UTF-8')],
    }
  }
  const parsed = isEmpty ? { value: {}, text: '{}' } : parseJson(bytes as Buffer)
  if ('issues' in parsed) return parsed
  const checked = operation.body.safeParse(parsed.value)
  return checked.success
    ? { value: checked.data, text: parsed.text }
    : { issues: toIssues(checked.error, ['body']) }
}

const noBody: Issue = { path: ['body'], code: 'unexpected', message: 'This operation takes no body' }

function isEmptyObject(bytes: Buffer): boolean {
  return /^\s*\{\s*\}\s*$/.test(bytes.toString('latin1'))
}

function requireBare(request: express.Request): Body {
  const { headers } = request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (hasBody) return { issues: [noBody] }
  if (headers['content-type'] === undefined) return nothing
  const message =
    'This operation takes no body, hence no Content-Type; name results in the query parameter resultIds'
  return { issues: [{ path: ['header', 'content-type'], code: 'unexpected', message }] }
}

/** JSON in UTF-8; the charset may be left out or said, in any case and quoted or not. */
function isJson(contentType: string | undefined): boolean {
  return (
    contentType !== undefined &&
    /^\s*application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i.test(contentType)
  )
}

function mediaType(header: string, message: string): Issue {
  return { path: ['header', header], code: 'unsupported_media_type', message }
}

function unreadable(error: unknown, limit: number): Body {
  const { type } = error as { type?: string }
  if (type === 'entity.too.large') {
    const message = `The body may have at most ${limit} bytes`
    return { code: 'PAYLOAD_TOO_LARGE', issues: [{ path: ['body'], code: 'too_large', message }] }
  }
  if (type === 'encoding.unsupported') {
    return {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      issues: [mediaType('content-encoding', 'Send the body without a content encoding')],
    }
  }
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return { issues: [{ path: ['body'], code: 'incomplete', message: 'The body did not arrive completely' }] }
  }
  throw error
}

// Replies

/**
 * Makes the answers a handler may give. A code that the operation does not declare, smuggled past the
 * compiler, is a fault.
 */
function createReply(operationId: string, operation: Operation, declared: ReadonlySet<ErrorCode>) {
  const { status, location, mediaType = 'application/json' } = operation.success
  return {
    ok(body: unknown): Answer {
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
    fail(code: ErrorCode, issues: Issue[] = []): Answer {
      if (!declared.has(code)) throw new Error(`${operationId} does not declare ${code}`)
      if (errors[code].status === 400 && issues.length === 0)
        throw new Error(`${operationId}: a ${code} has to say what is wrong`)
      return { ...problem(code, issues), mediaType: 'application/json' }
    },
  }
}

function pick(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value)
}
