/*
 * What the client does the same for every operation. `make generate` compiles this file into generated/client/, in
 * both module forms, so it imports nothing and uses only what Node 20 and browsers have in common.
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
  /** Milliseconds until an attempt is given up; `Infinity` waits for ever. Default: 60,000. */
  timeout?: number
  /** How often a request is sent again, where that is safe. Default: 2. */
  maxRetries?: number
}

export interface RequestOptions {
  /** Ends the call, its retries and the waits between them. The call fails with the reason of the signal. */
  signal?: AbortSignal
  /** Headers beside those of the client, which they replace. */
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
  /** The `ETag` of the answer that the record was read with. In another state it is a `PreconditionFailedError`. */
  ifMatch?: string | null
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

  constructor(response: Response, { code, message, issues }: ErrorBody) {
    const [issue] = issues
    super(
      `${response.status} ${code}: ${message}${issue ? ` (${issue.path.join('.')}: ${issue.message})` : ''}`,
    )
    this.name = new.target.name
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
  /** The parameter of the query without which it would mean everything. */
  needs?: readonly string[]
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
  { baseUrl, token, fetch = globalThis.fetch, headers, timeout = 60_000, maxRetries = 2 }: ClientOptions,
  errorClasses: ReadonlyMap<string, typeof ApiError>,
): (operation: Operation) => (...args: Any[]) => Any {
  const { href } = new URL(baseUrl)
  const base = href.endsWith('/') ? href.slice(0, -1) : href

  async function headersOf({ operation, body, options }: Call, key: string | undefined) {
    const bearer = operation.open ? undefined : typeof token === 'function' ? await token() : token
    return {
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      ...(body === undefined
        ? {}
        : { 'Content-Type': operation.file ? 'application/octet-stream' : 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(options.ifMatch ? { 'If-Match': options.ifMatch } : {}),
      ...(options.minimal ? { Prefer: 'return=minimal' } : {}),
      ...headers,
      ...options.headers,
    }
  }

  /** Sends a request once, and reads the answer within the same time. */
  async function attempt(call: Call, key: string | undefined): Promise<{ body: Any; response: Response }> {
    const { operation, target, options } = call
    const { signal } = options
    const sent = await headersOf(call, key)
    signal?.throwIfAborted()
    const patience = options.timeout ?? timeout
    const controller = new AbortController()
    const timer = Number.isFinite(patience) ? setTimeout(() => controller.abort(), patience) : undefined
    const abort = () => controller.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    let response: Response
    let text: string
    try {
      response = await fetch(base + target, {
        method: operation.method,
        headers: sent,
        body: call.body === undefined || operation.file ? (call.body as Blob) : JSON.stringify(call.body),
        signal: controller.signal,
      })
      // The caller reads it, without a limit of time.
      if (response.ok && operation.raw) return { body: response, response }
      text = await response.text()
      signal?.removeEventListener('abort', abort)
    } catch (cause) {
      signal?.throwIfAborted()
      const request = `${operation.method} ${target}`
      if (controller.signal.aborted) throw new TimeoutError(`${request} had no answer in ${patience} ms`)
      throw new ConnectionError(`${request} had no answer`, { cause })
    } finally {
      clearTimeout(timer)
    }
    const answer = parsed(text)
    if (response.ok && answer !== undefined) return { body: answer, response }
    const problem = errorBodyOf(answer)
    throw new (errorClasses.get(problem.code) ?? ApiError)(response, problem)
  }

  async function send(call: Call): Promise<{ body: Any; response: Response }> {
    const { operation, options } = call
    const key = operation.key ? (options.idempotencyKey ?? newKey()) : undefined
    const isRepeatable = operation.method === 'GET' || key !== undefined
    const retries = options.maxRetries ?? maxRetries
    const began = Date.now()
    for (let attempts = 0; ; attempts++) {
      try {
        return await attempt(call, key)
      } catch (error) {
        // A request that is still running is waited for as long as for one that has not answered.
        const isRunning = isInProgress(error) && Date.now() - began < (options.timeout ?? timeout)
        const isLast = attempts >= retries && !(isRunning && retries > 0)
        const wait = mayRepeat(error, isRepeatable) ? waitAfter(error, attempts) : undefined
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
      const reply = Object.assign(
        sent.then((answer) => answer.body),
        {
          withResponse() {
            // Who takes this promise learns of a failure from it.
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
  // An empty list would be sent as nothing, which means everything.
  const isGiven = (name: string) => String(query[name] ?? '') !== ''
  if (needs && !needs.some(isGiven)) throw new TypeError(`${needs.join(' or ')} is missing`)
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? filled : `${filled}?${given}`
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
function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (!(error instanceof ApiError)) return isRepeatable && error instanceof ConnectionError
  if (error.status === 429) return true
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
