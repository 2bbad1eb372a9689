import http from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Express, Request as ExpressRequest } from 'express'
import type { ErrorCode, Issue } from '../../contract/kit/errors.ts'
import type { Operation } from '../../contract/kit/operation.ts'
import { closeGently, hasBody, settleBody } from './early-response.ts'
import { addRoute, createRouteNode, findRoute, segmentsOf } from './paths.ts'
import { problem } from './problem.ts'

export interface HttpServer extends http.Server {
  /** The last two requests of each connection, as far as they are not finished. */
  responsesUnderWay(): http.ServerResponse[]
}

export interface HttpOptions {
  /** Milliseconds in which a request must have arrived completely. */
  requestTimeout: number
  /** The same for a file, however fast it comes. */
  uploadTimeout?: number
  /** Milliseconds after which a file has to come at a least speed. */
  uploadGrace?: number
  /**
   * Milliseconds without a byte until a caller that reads nothing is dropped; twice as long after a write that began to
   * flow.
   */
  readTimeout?: number
  /** The id of a request that could not be parsed. */
  newId: (now: Date) => string
  /** Says which requests are for operations that take files. */
  takesFile?: (request: http.IncomingMessage) => boolean
}

/**
 * An HTTP server for the app, whose own rejections (requests that cannot be parsed, are too large or too slow) have
 * the error body of the service.
 */
export function createServer(
  app: Express,
  {
    requestTimeout,
    uploadTimeout = requestTimeout,
    uploadGrace = 30_000,
    readTimeout = 60_000,
    newId,
    takesFile = () => false,
  }: HttpOptions,
): HttpServer {
  class Request extends http.IncomingMessage {}
  class Response extends http.ServerResponse {
    constructor(...given: ConstructorParameters<typeof http.ServerResponse>) {
      super(...given)
      this.on('timeout', dropWhoDoesNotRead)
    }

    // Every head of a response goes through here, also those that Node writes by itself.
    override writeHead(...given: unknown[]) {
      settleBody(this.req, this)
      return Reflect.apply(super.writeHead, this, given) as this
    }
  }
  adopt(app, 'request', Request.prototype)
  adopt(app, 'response', Response.prototype)
  const options = {
    maxHeaderSize: 16 * 1024,
    requestTimeout: Math.max(requestTimeout, uploadTimeout),
    headersTimeout: Math.min(10_000, requestTimeout),
    // Interval of checks of both; the default of Node is 30 seconds.
    connectionsCheckingInterval: Math.min(5_000, requestTimeout),
    // Longer than the idle time of the usual proxies, which would otherwise meet closed connections.
    keepAliveTimeout: 65_000,
    // Checked by the app, whose response has a body.
    requireHostHeader: false,
    IncomingMessage: Request,
    ServerResponse: Response,
  }
  // By connection, which lasts. V8 retains former members of a Set until it collects the whole heap: a Set of
  // responses would retain every request for that long.
  const connections = new Set<Socket>()
  const newest = new WeakMap<Duplex, { response: http.ServerResponse; before?: http.ServerResponse }>()
  const refused = new WeakSet<Duplex>()
  /** Ends a connection with an error, after the response to the earlier request on it. */
  const refuse = (socket: Duplex, code: ErrorCode, issues: Issue[] = []) => {
    if (refused.has(socket)) return
    refused.add(socket)
    const last = newest.get(socket)
    // If a request is still arriving, it is the one to reject.
    const pending = last?.response.req.complete ? last.response : last?.before
    const reject = () => {
      if (socket.writable) endWith(socket, code, issues, newId(new Date()))
    }
    if (pending && !pending.writableFinished && !pending.destroyed) pending.once('close', reject)
    else reject()
  }
  const handle: http.RequestListener = (request, response) => {
    const { socket } = request
    // After a response that closes the connection, another one would not be read.
    if (socket.writableEnded) return void socket.destroy()
    if (refused.has(socket)) return
    if (!hasPath(request)) return refuse(socket, 'BAD_REQUEST', malformed)
    newest.set(socket, { response, before: newest.get(socket)?.response })
    if (takesFile(request)) hurryFile(server, request, uploadGrace)
    else if (uploadTimeout > requestTimeout) hurry(server, request, requestTimeout)
    app(request, response)
  }
  const server = http.createServer(options, handle)
  // Node would request every body by itself, also that of a rejected request.
  server.on('checkContinue', handle)
  server.timeout = readTimeout
  // Requests of handlers to other operations come in here too.
  app.locals.server = server
  // Node would drop further headers, such as the token. The app counts them, and the size is limited anyway.
  server.maxHeadersCount = 0
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
    if (error.code === 'HPE_HEADER_OVERFLOW') return refuse(socket, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse(socket, 'REQUEST_TIMEOUT')
    refuse(socket, 'BAD_REQUEST', malformed)
  })
  server.on('checkExpectation', (request) => {
    refuse(request.socket, 'BAD_REQUEST', [
      { path: ['header', 'expect'], code: 'unknown', message: 'The expectation is not known' },
    ])
  })
  // A proxy request, which this server is not for.
  server.on('connect', (_request, socket) => refuse(socket, 'METHOD_NOT_ALLOWED'))
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  const responsesUnderWay = () =>
    [...connections].flatMap((socket) => {
      const { response, before } = newest.get(socket) ?? {}
      return [response, before].filter((each): each is http.ServerResponse => each?.closed === false)
    })
  return Object.assign(server, { responsesUnderWay })
}

const malformed: Issue[] = [{ path: ['header'], code: 'malformed', message: 'The request is not valid HTTP' }]

/**
 * True if Express finds a path in the target; `https://?` has none. Without one Express responds itself, with a page.
 */
function hasPath(request: http.IncomingMessage): boolean {
  try {
    return typeof (request as ExpressRequest).path === 'string'
  } catch {
    return false
  }
}

/** Finds the requests for operations that take files, whatever their media type. */
export function takesFileOf(operations: Record<string, Operation>) {
  const top = createRouteNode<string>()
  for (const { path, method, fileBody } of Object.values(operations)) {
    if (fileBody) addRoute(top, path).route = method.toUpperCase()
  }
  return ({ method, url = '' }: { method?: string; url?: string }): boolean =>
    method !== undefined && findRoute(top, segmentsOf(url)) === method
}

/** Node has one limit for all requests; where that is the one of files, others are looked after here. */
function hurry(server: http.Server, request: http.IncomingMessage, milliseconds: number) {
  if (!hasBody(request)) return
  const timer = setTimeout(() => {
    if (!request.complete) giveUp(server, request)
  }, milliseconds)
  request.once('close', () => clearTimeout(timer))
}

function giveUp(server: http.Server, request: http.IncomingMessage) {
  const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  server.emit('clientError', error, request.socket)
}

/** A file holds one of few places while it comes, so that it may not come byte by byte. */
export const MIN_UPLOAD_BYTES_PER_SECOND = 10 * 1024

function hurryFile(server: http.Server, request: http.IncomingMessage, grace: number) {
  const start = performance.now()
  const { socket } = request
  const before = socket.bytesRead
  const timer = setInterval(() => {
    // A request whose response was sent before its body emits no 'close' when its connection ends.
    if (request.complete || socket.destroyed) return clearInterval(timer)
    // Bytes that have come and wait are none that the caller owes.
    const isWaiting = request.readableLength === 0
    const seconds = (performance.now() - start) / 1_000
    if (isWaiting && socket.bytesRead - before < seconds * MIN_UPLOAD_BYTES_PER_SECOND)
      giveUp(server, request)
  }, grace).unref()
  request.once('close', () => clearInterval(timer))
}

/** Closes a connection with unread output. A slow response is not the caller's doing; an unread one is. */
function dropWhoDoesNotRead(socket: Socket) {
  if (socket.writableLength > 0) socket.destroy()
}

/**
 * Express replaces the prototype of every request and response by one of the app, which costs four times as much as
 * all else it does. It skips objects that were made with that prototype.
 */
function adopt(app: Express, kind: 'request' | 'response', prototype: object) {
  Object.assign(app, {
    [kind]: Object.setPrototypeOf(prototype, (app as unknown as Record<typeof kind, object>)[kind]),
  })
}

function endWith(socket: Duplex, code: ErrorCode, issues: Issue[], requestId: string) {
  const { status, body } = problem(code, issues)
  const headers = Object.entries({ ...headersOf(body, requestId), Connection: 'close' })
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  closeGently(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Headers that the app sets on its own responses too, as far as they matter for a text that ends a connection. */
function headersOf(body: string, requestId: string) {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  }
}
