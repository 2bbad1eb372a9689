/*
 * What the client does the same for every operation. `make generate` compiles this file into generated/client/, in
 * both module forms, so it imports nothing at load and uses only what Node 20 and browsers have in common.
 */

export interface ClientOptions {
  /** Address of the service, such as `https://bots.example.com`. A path in it is kept. */
  baseUrl: string
  /** Access token, or a function that gives one and is asked before every request. To chat takes none. */
  token?: string | (() => string | Promise<string>)
  /** Sends the requests in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /** Headers that are sent with every request. */
  headers?: Record<string, string>
  /**
   * Milliseconds until an attempt ends as a `TimeoutError`; `Infinity` means never. Default: 60,000, of operations that
   * wait for other services 150,000, of uploads 600,000.
   */
  timeout?: number
  /** How often a request is sent again, where that is safe. Default: 2. */
  maxRetries?: number
  /** Called after every attempt. It gets no header and no body, so no secret. */
  logger?: (attempt: Attempt) => void
}

/** One attempt of a request, for a log. */
export interface Attempt {
  method: string
  url: string
  /** Counts from 1. */
  attempt: number
  milliseconds: number
  /** Absent where no response came. */
  status?: number
  requestId?: string
  /** Absent where the attempt succeeded. */
  error?: Error
}

export interface RequestOptions {
  /** Ends the call, its retries and the waits between them. The call fails with the reason of the signal. */
  signal?: AbortSignal
  /** They replace headers of the client with the same name, in any case. */
  headers?: Record<string, string>
  /** In place of the one of the client. */
  timeout?: number
  /** In place of the one of the client. */
  maxRetries?: number
}

/** Of writes that are done once, however often they arrive. */
export interface KeyOptions {
  /**
   * Names the effect: the same key and request give the same answer for 7 days. Every call has a key of its own when
   * this is absent; give one for what must be done once although the program may end and start again.
   */
  idempotencyKey?: string
}

/** Of writes that can be made to one state of the record alone. */
export interface MatchOptions {
  /** The `ETag` of the response that the record was read with. In another state it is a `PreconditionFailedError`. */
  ifMatch?: string
}

/** What an operation answers, in time: `await` it. */
export interface Reply<Body> extends Promise<Body> {
  /** The body together with the status and headers that it came with. Ask at once, in place of `await`. */
  withResponse(): Promise<{ body: Body; response: Response }>
}

/** A list: `await` gives its first page, `for await` every entry of this and all further pages. */
export interface Pages<Page, Entry> extends Reply<Page>, AsyncIterable<Entry> {
  /** Every page, each asked for when it is needed. */
  pages(): AsyncIterable<Page>
}

/** One thing that is wrong, and where. */
export interface Issue {
  /** The place (`path`, `query`, `header` or `body`), then keys; indexes are text. */
  path: string[]
  /** Kind of the issue. The list grows: take a code that you do not know for `custom`. */
  code: string
  /** What is wrong, for people. */
  message: string
  /** What is stored, on a conflict or a failed precondition. */
  current?: { updatedAt?: string; etag?: string; id?: string }
}

interface ErrorBody {
  code: string
  message: string
  issues: Issue[]
}

/** The service refused, or failed. There is a class for every code; a code without one has this class. */
export class ApiError extends Error {
  /** Status of the answer. */
  readonly status: number
  /** Code of the error, such as `NOT_FOUND`; `UNKNOWN` where something else than the service answered. */
  readonly code: string
  /** What is wrong and where; may be empty. */
  readonly issues: Issue[]
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined
  /** After how many seconds to try again, where the service said so. */
  readonly retryAfter: number | undefined
  /** Headers of the response. */
  readonly headers: Headers
  /** The body of the response as it came. */
  readonly body: string

  constructor(response: Response, { code, message, issues }: ErrorBody, body = '') {
    const [issue] = issues
    super(
      `${response.status} ${code}: ${message}${issue ? ` (${issue.path.join('.')}: ${issue.message})` : ''}`,
    )
    this.name = 'ApiError'
    this.headers = response.headers
    this.body = body
    this.status = response.status
    this.code = code
    this.issues = issues
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = secondsOf(response.headers.get('retry-after'))
  }
}

/** No answer came: `cause` says why. What was asked for may have been done. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

/** No answer came in time. What was asked for may have been done. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** How one operation is called; the generated table has one of these for each. */
export interface Operation {
  method: string
  path: string
  /** Whether the call takes a body and a query, in this order after the parameters of the path. */
  body?: boolean
  query?: boolean
  /** Whether the body is a file, sent as it is. */
  file?: boolean
  /** The parameters of the query of which one has to be given, since without them it would mean everything. */
  needs?: readonly string[]
  /** Default of the time limit in milliseconds, where it is another than that of the client. */
  timeout?: number
  /** Whether a repeat does no more than the first request did. */
  repeatable?: boolean
  /** Whether the response is a stream of events. */
  events?: boolean
  /** Whether it takes an idempotency key. */
  key?: boolean
  /** Whether it takes no token. */
  open?: boolean
  /** The property of a page that holds its entries. */
  entries?: string
  /** Whether the answer is something else than JSON, and given as the response. */
  raw?: boolean
}

interface CallOptions extends RequestOptions, KeyOptions, MatchOptions {
  minimal?: boolean
}

/** Events of a chat as they come: `for await` ends after the last one, and throws what the service could not do. */
export interface Events<Event> extends AsyncIterable<Event> {}

const MAX_TIMER_MS = 2 ** 31 - 1
const DEFAULT_TIMEOUT_MS = 60_000

interface Call {
  operation: Operation
  target: string
  body: unknown
  options: CallOptions
}

// biome-ignore lint/suspicious/noExplicitAny: the types of every operation are generated
type Any = any

/** Gives for an operation the function that calls it. */
export function connect(
  given: ClientOptions,
  errorClasses: ReadonlyMap<string, typeof ApiError>,
  version: string,
): (operation: Operation) => (...args: Any[]) => Any {
  const { baseUrl, token, fetch = globalThis.fetch, headers = {}, maxRetries = 2, logger } = given
  const { href } = new URL(baseUrl)
  const base = href.endsWith('/') ? href.slice(0, -1) : href
  // Browsers name themselves, and a header of ours would ask the service for permission first.
  const userAgent = 'document' in globalThis ? undefined : `bot-builder-client/${version}`
  const timeoutOf = ({ operation, options }: Call) =>
    options.timeout ?? given.timeout ?? operation.timeout ?? DEFAULT_TIMEOUT_MS

  async function headersOf({ operation, body, options }: Call, key: string | undefined): Promise<Headers> {
    const bearer = operation.open ? undefined : typeof token === 'function' ? await token() : token
    const all = new Headers()
    const set = (name: string, value: string | undefined) => value !== undefined && all.set(name, value)
    set('User-Agent', userAgent)
    set('Authorization', bearer === undefined ? undefined : `Bearer ${bearer}`)
    set(
      'Content-Type',
      body === undefined ? undefined : operation.file ? 'application/octet-stream' : 'application/json',
    )
    set('Accept', operation.events ? 'text/event-stream' : undefined)
    set('Idempotency-Key', key)
    set('If-Match', options.ifMatch)
    set('Prefer', options.minimal ? 'return=minimal' : undefined)
    for (const more of [headers, options.headers ?? {}]) {
      for (const [name, value] of Object.entries(more)) all.set(name, value)
    }
    return all
  }

  /** Sends a request once, and reads the response within the same time. */
  async function attempt(call: Call, key: string | undefined): Promise<{ body: Any; response: Response }> {
    const { operation, target, options } = call
    const { signal } = options
    const timeout = timeoutOf(call)
    const request = `${operation.method} ${target}`
    signal?.throwIfAborted()
    const controller = new AbortController()
    const timer = timeout <= MAX_TIMER_MS ? setTimeout(() => controller.abort(), timeout) : undefined
    const abort = () => controller.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    let isReading = false
    const release = () => signal?.removeEventListener('abort', abort)
    try {
      const sent = await orAborted(headersOf(call, key), controller.signal)
      const response = await fetch(base + target, {
        method: operation.method,
        headers: Object.fromEntries(sent),
        body: call.body === undefined || operation.file ? (call.body as Blob) : JSON.stringify(call.body),
        signal: controller.signal,
      })
      // The caller reads these, without a time limit; until its end the signal of the caller ends it.
      if (response.ok && (operation.raw || (operation.events && isEventStream(response)))) {
        isReading = operation.events === true
        return { body: operation.raw ? response : eventsOf(response, errorClasses, release), response }
      }
      if (response.status === 304) return { body: undefined, response }
      return bodyOf(response, await response.text(), errorClasses)
    } catch (cause) {
      if (cause instanceof ApiError) throw cause
      signal?.throwIfAborted()
      if (controller.signal.aborted) throw new TimeoutError(`${request} had no response in ${timeout} ms`)
      throw new ConnectionError(`${request} had no response`, { cause })
    } finally {
      clearTimeout(timer)
      if (!isReading) release()
    }
  }

  async function logged(call: Call, key: string | undefined, count: number) {
    if (!logger) return attempt(call, key)
    const { method } = call.operation
    const began = performance.now()
    const line = () => ({
      method,
      url: base + call.target,
      attempt: count,
      milliseconds: performance.now() - began,
    })
    const idOf = (requestId: string | null | undefined) => (requestId ? { requestId } : {})
    try {
      const answer = await attempt(call, key)
      const { status, headers } = answer.response
      logger({ ...line(), status, ...idOf(headers.get('x-request-id')) })
      return answer
    } catch (error) {
      const known = error instanceof ApiError ? { status: error.status, ...idOf(error.requestId) } : {}
      logger({ ...line(), ...known, error: error as Error })
      throw error
    }
  }

  async function send(call: Call): Promise<{ body: Any; response: Response }> {
    const { operation, options, body } = call
    if (options.ifMatch === null) throw new TypeError('ifMatch is null: without an entity tag, leave it out')
    const key = operation.key ? (options.idempotencyKey ?? newKey()) : undefined
    const hasRevision = typeof (body as Any)?.revision === 'number'
    const isRepeatable =
      operation.method === 'GET' || key !== undefined || operation.repeatable === true || hasRevision
    const retries = options.maxRetries ?? maxRetries
    let runningSince: number | undefined
    for (let attempts = 0; ; attempts++) {
      try {
        return await logged(call, key, attempts + 1)
      } catch (error) {
        // A deletion that is sent again finds nothing where the first one was done.
        if (
          attempts > 0 &&
          operation.method === 'DELETE' &&
          error instanceof ApiError &&
          error.status === 404
        ) {
          return { body: { message: 'success' }, response: new Response(null, { status: 204 }) }
        }
        if (isInProgress(error)) runningSince ??= performance.now()
        // The first request is waited for from when it was found running, as long as a response would be.
        const isRunning = isInProgress(error) && performance.now() - (runningSince ?? 0) < timeoutOf(call)
        const isLast = attempts >= retries && !(isRunning && retries > 0)
        const wait = mayRepeat(error, isRepeatable, key !== undefined)
          ? waitAfter(error, attempts)
          : undefined
        if (isLast || wait === undefined) throw error
        await sleep(wait, options.signal)
      }
    }
  }

  return (operation) => {
    const { path, entries } = operation
    const queryAt = path.split('{').length - 1 + (operation.body ? 1 : 0)
    const method = (...args: Any[]): Any => {
      const ids = args.slice(0, path.split('{').length - 1)
      const body = operation.body ? args[queryAt - 1] : undefined
      const query = operation.query ? args[queryAt] : undefined
      const options: CallOptions = args[queryAt + (operation.query ? 1 : 0)] ?? {}
      const sent = (async () => send({ operation, target: targetOf(operation, ids, query), body, options }))()
      if (operation.events) return streamOf(sent)
      const reply = Object.assign(
        sent.then((answer) => answer.body),
        {
          withResponse() {
            // Whoever takes this promise learns of a failure from it.
            reply.catch(() => {})
            return sent
          },
        },
      )
      if (entries === undefined) return reply
      const turn = (cursor: string) => method(...args.slice(0, queryAt), { ...query, cursor }, options)
      return Object.assign(reply, {
        pages: () => pagesOf(reply, turn),
        async *[Symbol.asyncIterator]() {
          for await (const page of pagesOf(reply, turn)) yield* page[entries]
        },
      })
    }
    return method
  }
}

/** Waits for work that knows no signal, and no longer than the signal allows. */
function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function bodyOf(response: Response, text: string, errorClasses: ReadonlyMap<string, typeof ApiError>) {
  if (response.ok && isEventStream(response)) {
    // Without a stream, its last event has what counts.
    const last = dataOf(text).at(-1)
    if (last?.type === 'answer') return { body: last.answer, response }
    if (last?.type === 'error') throw errorOf(response, last.error, text, errorClasses)
  }
  const answer = parsed(text)
  if (response.ok && answer !== undefined) return { body: answer, response }
  throw errorOf(response, answer, text, errorClasses)
}

function errorOf(
  response: Response,
  answer: Any,
  text: string,
  errorClasses: ReadonlyMap<string, typeof ApiError>,
): ApiError {
  const problem = errorBodyOf(answer)
  return new (errorClasses.get(problem.code) ?? ApiError)(response, problem, text)
}

function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** The data of whole events, each of which ends with an empty line. */
function dataOf(text: string): Any[] {
  return text.split('\n\n').flatMap((event) => {
    const lines = event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    const data = lines.length > 0 ? parsed(lines.join('\n')) : undefined
    return data === undefined ? [] : [data]
  })
}

function streamOf(sent: Promise<{ body: Any; response: Response }>): Any {
  sent.catch(() => {})
  return {
    async *[Symbol.asyncIterator]() {
      const { body } = await sent
      // A service behind a proxy without streams answers at once.
      if (!(Symbol.asyncIterator in body)) yield { type: 'answer', answer: body }
      else yield* body
    },
  }
}

async function* eventsOf(
  response: Response,
  errorClasses: ReadonlyMap<string, typeof ApiError>,
  release: () => void,
): AsyncGenerator<Any> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      text += done ? '' : decoder.decode(value, { stream: true }).replaceAll('\r', '')
      const end = text.lastIndexOf('\n\n')
      const events = end < 0 ? [] : dataOf(text.slice(0, end))
      if (end >= 0) text = text.slice(end + 2)
      for (const event of events) {
        if (event.type === 'error') {
          const failed = new Response(null, { status: event.status, headers: response.headers })
          throw errorOf(failed, event.error, JSON.stringify(event.error), errorClasses)
        }
        yield event
        if (event.type === 'answer') return
      }
      if (done) throw new ConnectionError('The stream ended before the last event')
    }
  } catch (cause) {
    if (cause instanceof ApiError || cause instanceof ConnectionError) throw cause
    throw new ConnectionError('The stream broke off', { cause })
  } finally {
    release()
    await reader.cancel().catch(() => {})
  }
}

async function* pagesOf(first: Promise<Any>, turn: (cursor: string) => Promise<Any>): AsyncGenerator<Any> {
  let page = await first
  yield page
  while (typeof page.nextCursor === 'string') {
    page = await turn(page.nextCursor)
    yield page
  }
}

function targetOf({ path, needs }: Operation, ids: unknown[], query: Record<string, unknown> = {}): string {
  let index = 0
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const id = ids[index++]
    // An id that is missing, or that a browser takes for the way up, would make it another request.
    if (typeof id !== 'string' || ['', '.', '..'].includes(id)) throw new TypeError(`${name} is not an id`)
    return encodeURIComponent(id)
  })
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  if (needs) {
    if (!needs.some((name) => given.has(name))) throw new TypeError(`${needs.join(' or ')} is missing`)
    // An empty list would be sent as no list, which means everything.
    const empty = needs.find((name) => given.get(name) === '')
    if (empty !== undefined) throw new TypeError(`${empty} is empty`)
  }
  // Older browsers have no size of it.
  const text = String(given)
  return text === '' ? filled : `${filled}?${text}`
}

/** 128 bits by chance; `randomUUID` is not there on pages without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function parsed(text: string): Any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorBodyOf(answer: Any): ErrorBody {
  if (typeof answer?.code === 'string' && Array.isArray(answer.issues)) return answer
  return { code: 'UNKNOWN', message: 'Not an answer of the service', issues: [] }
}

function secondsOf(retryAfter: string | null): number | undefined {
  if (!retryAfter) return undefined
  const seconds = Number.isNaN(Number(retryAfter))
    ? (Date.parse(retryAfter) - Date.now()) / 1000
    : Number(retryAfter)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

function isInProgress(error: unknown): boolean {
  return error instanceof ApiError && error.issues.some(({ code }) => code === 'in_progress')
}

/** What was too much was refused before anything was done; after all else a request may have been carried out. */
function mayRepeat(error: unknown, isRepeatable: boolean, hasKey: boolean): boolean {
  if (!(error instanceof ApiError)) return isRepeatable && error instanceof ConnectionError
  if (error.status === 429) return true
  if (error.status === 500) return hasKey
  return isRepeatable && ([408, 502, 503, 504].includes(error.status) || isInProgress(error))
}

/** Milliseconds to wait; undefined where the service wants more patience than a call has. */
function waitAfter(error: unknown, attempts: number): number | undefined {
  const asked = error instanceof ApiError ? error.retryAfter : undefined
  if (asked !== undefined) return asked <= 60 ? asked * 1000 : undefined
  return Math.min(500 * 2 ** attempts, 8000) * (1 - Math.random() / 4)
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Headers of a delivery: as `fetch` has them, or as Node has them. */
export type DeliveryHeaders = Headers | Record<string, string | string[] | undefined>

/**
 * Proves that a delivery was signed by the service, and gives its event. `body` is the text as it came, `secret` the
 * one that the endpoint was created with. Throws where the signature is wrong or older than five minutes.
 */
export async function verify(body: string, headers: DeliveryHeaders, secret: string): Promise<Any> {
  const { Webhook } = await import('standardwebhooks')
  const plain = headers instanceof Headers ? Object.fromEntries(headers) : headers
  return new Webhook(secret).verify(body, plain as Record<string, string>)
}

interface Turn {
  sessionId: string
  revision?: number
  messages: Any[]
  input?: Any
}

/** A chat that keeps its session and its revision between answers. */
export function conversation(chat: {
  start: (...args: Any[]) => Promise<Any>
  continue: (...args: Any[]) => Promise<Any>
}): (publicId: string, body?: Any, options?: RequestOptions) => Promise<Any> {
  return async (publicId, body, options) => {
    const first: Turn = await chat.start(publicId, body, options)
    const own = {
      sessionId: first.sessionId,
      /** The latest response. */
      turn: first,
      async say(message: Any, more?: RequestOptions) {
        const { revision } = own.turn
        const answered = { message, ...(revision === undefined ? {} : { revision }) }
        own.turn = { sessionId: own.sessionId, ...(await chat.continue(own.sessionId, answered, more)) }
        return own.turn
      },
    }
    return own
  }
}

interface EditOptions extends RequestOptions {
  migrateToLatestVersion?: boolean
  attempts?: number
}

/** Reads a bot, makes the change on it, and writes it to the state that was read; again when that was another by then. */
export function editor(bots: {
  get: (...args: Any[]) => Promise<Any>
  update: (...args: Any[]) => Promise<Any>
}): (botId: string, change: (bot: Any) => Any, options?: EditOptions) => Promise<Any> {
  return async (botId, change, { attempts = 10, migrateToLatestVersion, ...options } = {}) => {
    for (let attempt = 1; ; attempt++) {
      const { bot } = await bots.get(botId, { migrateToLatestVersion }, options)
      const { version, updatedAt } = bot
      const changed = await change(bot)
      if (!changed) throw new TypeError('The change has to return the properties to write')
      try {
        return await bots.update(botId, { bot: { version, ...changed, updatedAt } }, options)
      } catch (error) {
        const isStale = error instanceof ApiError && error.status === 409 && !isInProgress(error)
        if (!isStale || attempt >= attempts) throw error
        await sleep(100 * attempt * Math.random(), options.signal)
      }
    }
  }
}
