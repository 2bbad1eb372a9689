import {
  type Any,
  ApiError,
  type ClientOptions,
  ConnectionError,
  isInProgress,
  type KeyOptions,
  type MatchOptions,
  type RequestOptions,
  sleep,
  TimeoutError,
} from './api.ts'
import { bodyOf, type ErrorClasses, eventsOf, isEventStream, streamOf } from './responses.ts'

/* What the client does the same for every operation. */

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

const MAX_TIMER_MS = 2 ** 31 - 1
const DEFAULT_TIMEOUT_MS = 60_000

interface Call {
  operation: Operation
  target: string
  body: unknown
  options: CallOptions
}

/** Gives for an operation the function that calls it. */
export function connect(
  given: ClientOptions,
  errorClasses: ErrorClasses,
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
