import type express from 'express'
import type { Logger } from 'pino'
import type { AnyIssue, ErrorCode } from '../../contract/kit/errors.ts'
import type { Access, Operation } from '../../contract/kit/operation.ts'
import type { AccessChecks, Credential } from './access.ts'
import { prefersMinimal, readConditions } from './conditions.ts'
import { announce } from './deprecation.ts'
import { dispatch, type InnerRequest } from './dispatch.ts'
import { hasBody } from './early-response.ts'
import { acceptsEvents, Events, sendEvents } from './events.ts'
import {
  digestOf,
  type KeyStore,
  type Once,
  onceWith,
  onceWithoutKey,
  readKey,
  runKeyed,
  type Within,
} from './idempotency.ts'
import type { Limits } from './limits.ts'
import { basePathOf, findRoute, newPlace, parametersOf, placeOf, segmentsOf } from './paths.ts'
import type { PreferredOutcome } from './preferred-outcomes.ts'
import { type Address, type Input, type Rejection, readAddress, readInput, type ScanBody } from './request.ts'
import {
  type AnyReply,
  createReply,
  eventStream,
  type HttpResponse,
  inTurns,
  isStream,
  send,
  sendProblem,
  sizeOf,
} from './response.ts'
import { brokenEscape, unknownMethod } from './route-issues.ts'
import type { Slot } from './shares/admission-queue.ts'
import { type Budget, createBudget } from './shares/budget.ts'
import { createPacing, type Pacing } from './shares/pacing.ts'

/*
 * Binds every operation of the contract to its handler. The only place with the order of checks: route (404, 405),
 * limits (429, 503), caller (401), path and query (400), body (415, 413, 400), existence and access (404, 403), then
 * the operation's own. Invariants: no body is read before the token of its caller was validated, and a handler sees
 * only input that matches the contract.
 */

type AnyHandler = (request: unknown, reply: AnyReply, context: unknown) => Promise<HttpResponse>

type Run = (request: express.Request, response: express.Response) => Promise<void>

interface Route {
  parameters: { name: string; at: number }[]
  /** By method. */
  runs: Map<string, Run>
  allow: string
  isCrossOrigin: boolean
}

/** Everything that a service gives the router. `Db` is its database, or a transaction on it. */
export interface RouterOptions<Db> {
  db: Db
  now: () => Date
  log: Logger
  limits: Limits
  access: AccessChecks
  /** Absent for a service none of whose operations takes keys. */
  keys?: KeyStore<Db>
  /** The third argument of a handler. */
  contextOf: (given: HandlerContext<Db>) => object
  /** Says which record is missing, or which role, where a handler answers the code alone. */
  explain: (
    code: 'NOT_FOUND' | 'FORBIDDEN',
    operation: Operation,
    params: Record<string, unknown>,
  ) => AnyIssue
  /** Base URL of the service; available once it listens. */
  publicUrl: () => string
  /** Origins whose pages may call the operations that take tokens. */
  corsOrigins?: readonly string[]
  /** Further headers that pages of other origins may send with requests without a token. */
  visitorHeaders?: readonly string[]
  /** Maximum wait of a body for room, in milliseconds. */
  bodyTimeout: number
  scanBody?: ScanBody
  /** Answers outcomes on demand, in sandbox mode. */
  preferredOutcome?: PreferredOutcome
}

/** From what the context of a handler is made, per request. */
export interface HandlerContext<Db> {
  request: express.Request
  db: Db
  /** Time of the request. */
  now: Date
  /** Time of its arrival by `performance.now()`. */
  arrivedAt: number
  grant: unknown
  once: Once<Db>
  within: Within<Db>
  slot: Slot
  /** Runs a piece of work of the caller in its turn, if it would keep the thread from others for too long. */
  pace: <Value>(work: () => Value | Promise<Value>) => Promise<Value>
}

/** Runs the operations of the contract; what is none of them goes on to the next middleware. */
export function createRouter<Db>(
  operations: Record<string, Operation>,
  handlers: object,
  options: RouterOptions<Db>,
): express.RequestHandler {
  const top = newPlace<Route>()
  const { preferredOutcome } = options
  const origins = new Set(options.corsOrigins)
  const visitorHeaders = [
    plainHeaders,
    ...(preferredOutcome ? ['Prefer'] : []),
    ...(options.visitorHeaders ?? []),
  ].join(', ')
  const budgets = { bodies: createBudget(MAX_RECEIVED_BYTES), responses: createBudget(MAX_SENT_BYTES) }
  const shared = { budgets, pacing: createPacing(), origins }
  for (const [operationId, operation] of Object.entries(operations)) {
    const place = placeOf(top, operation.path)
    place.route ??= {
      parameters: parametersOf(operation.path),
      runs: new Map(),
      allow: '',
      isCrossOrigin: false,
    }
    const { route } = place
    const run = bind(
      operationId,
      operations,
      (handlers as Record<string, AnyHandler>)[operationId] as AnyHandler,
      options,
      shared,
    )
    route.runs.set(operation.method.toUpperCase(), run)
    if (operation.method === 'get') route.runs.set('HEAD', run)
    route.isCrossOrigin ||= operation.isCrossOrigin === true
    route.allow = ['OPTIONS', ...route.runs.keys()].sort().join(', ')
  }
  return (request, response, next) => {
    const segments = segmentsOf(request.url)
    const route = findRoute(top, segments)
    if (!route) return next()
    try {
      request.params = Object.fromEntries(
        route.parameters.map(({ name, at }) => [name, decodeURIComponent(segments[at] as string)]),
      )
    } catch {
      return sendProblem(response, 'BAD_REQUEST', [brokenEscape])
    }
    const run = route.runs.get(request.method)
    if (run) return run(request, response)
    response.setHeader('Allow', route.allow)
    if (request.method !== 'OPTIONS') {
      return sendProblem(response, 'METHOD_NOT_ALLOWED', [unknownMethod(request.method, route.allow)])
    }
    if (route.isCrossOrigin) allowPreflight(request, response, route.allow, visitorHeaders)
    else if (origins.size > 0) allowPreflight(request, response, route.allow, tokenHeaders, origins)
    response.status(204).end()
  }
}

/** Bytes of bodies that arrive or are worked on, and of large responses that are on their way, of which a tenant has a quarter. */
export const MAX_RECEIVED_BYTES = 64 * 1024 * 1024
export const MAX_SENT_BYTES = 128 * 1024 * 1024

/** Maximum time for a body to arrive before its caller is authenticated again, in milliseconds. */
const MAX_BODY_ARRIVAL_MS = 1_000

/** Parts that all operations of a process share. */
interface Shared {
  budgets: { bodies: Budget; responses: Budget }
  pacing: Pacing
  origins: ReadonlySet<string>
}

/** An operation with all that comes before and after its handler. */
function bind<Db>(
  operationId: string,
  operations: Record<string, Operation>,
  handler: AnyHandler,
  options: RouterOptions<Db>,
  { budgets, pacing, origins }: Shared,
): Run {
  const operation = operations[operationId] as Operation
  const { access, callsOut = false, preparesFirst = false } = operation
  const { db, log, limits, access: checks, publicUrl, scanBody, preferredOutcome } = options
  const reply = createReply(operationId, operation)
  const keyOf = readKey(operation)
  const refuse = ({ code, issues }: { code: ErrorCode; issues: AnyIssue[] }) => reply.fail(code, issues)

  /** Undefined where the limits have answered. */
  async function answer(
    request: express.Request,
    response: express.Response,
    credential: Credential | undefined,
    events: Events | undefined,
    arrivedAt: number,
  ): Promise<HttpResponse | undefined> {
    const now = options.now()
    const address = readAddress(operation, request)
    const key = keyOf(request, address.issues)
    const conditions = readConditions(operation, request, address.issues)

    const record = recordOf(access, address)
    const sender = await checks.identify(operation, credential, record, now)
    if (credential && 'hash' in credential) {
      const caller = 'refusal' in sender ? undefined : sender.authorization.caller
      const entry = await limits.recognize(request, response, credential.hash, caller ?? undefined)
      if (entry === 'answered') return undefined
    }
    if ('refusal' in sender) return refuse(sender.refusal)

    const begun = performance.now()
    const { tenant = '' } = response.locals
    // It was entered before anything was looked up.
    const slot = response.locals.slot as Slot
    pacing.see(tenant)
    const receiving = { budget: budgets.bodies, pacing, tenant, timeout: options.bodyTimeout, scanBody }
    const receive = () => readInput(operation, request, response, address, receiving)
    // Bytes that are still to come are not waited for with a slot that others could have.
    const isWaited = !request.complete && !operation.fileBody && hasBody(request)
    const given = isWaited ? slot.yieldDuring(async () => receive()) : receive()
    const received = given instanceof Promise ? await given : given
    if (received === undefined) return reply.fail('SERVICE_UNAVAILABLE')
    const input = 'value' in received ? received.value : received
    // The sender of a slow body may have lost token or role meanwhile.
    const isLate = performance.now() - begun > MAX_BODY_ARRIVAL_MS
    const visitor = isLate ? await checks.identify(operation, credential, record, options.now()) : sender
    if ('refusal' in visitor) return refuse(visitor.refusal)

    const authorization = await checks.permit(operation, visitor, idInBody(access, input), now)
    if (authorization.caller) checks.note?.(response, authorization, now)
    if (authorization.caller === undefined) return refuse(authorization.refusal)
    if ('issues' in input) return refuse(input)
    if ('refusal' in authorization) return refuse(authorization.refusal)
    const { owner } = response.locals
    const moved = owner === undefined || slot.moveTo(owner)
    if (moved !== true && !(await moved)) return reply.fail('SERVICE_UNAVAILABLE')
    if (operation.fileBody && !(await slot.releaseDuring(() => limits.enterUploads(request, response))))
      return reply.fail('SERVICE_UNAVAILABLE')

    const openEvents = events && (() => events.open())
    const { caller, grant } = authorization
    const { params, query, body, texts } = input
    const handlerInput = {
      params,
      query,
      body,
      texts,
      bytes: () => (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)),
      header: (name: string) => request.get(name),
      conditions,
      prefersMinimal: prefersMinimal(operation, request),
      openEvents,
      dispatch: operation.dispatches && ((inner: InnerRequest) => dispatch(request, inner)),
    }
    const pace: HandlerContext<Db>['pace'] = (work) => pacing.take(tenant, work, `slices ${tenant}`)
    const run = (db: Db, once: Once<Db>, within: Within<Db>) => {
      const given = { request, db, now, arrivedAt, grant, once, within, slot, pace }
      return handler(handlerInput, reply, options.contextOf(given))
    }
    const plain: Within<Db> = (write) => write(db)
    const keyed =
      key === undefined ? undefined : { key, digest: digestOf(request), userId: caller?.userId ?? null, now }
    if (!keyed && operation.method === 'get') {
      const read = () => run(db, onceWithoutKey(db), plain)
      return pacing.takeIfLarge(tenant, operationId, read, ({ body }) => sizeOf(body))
    }
    if (!keyed) return run(db, onceWithoutKey(db), plain)
    const keys = options.keys as KeyStore<Db>
    if (callsOut) return run(db, onceWith(keys, db, keyed, reply), plain)
    const scope = checks.keyScopeOf?.(grant) ?? null
    const within = (write: (db: Db) => Promise<HttpResponse>) =>
      runKeyed(keys, db, keyed, scope, reply, write)
    if (preparesFirst) return run(db, onceWithoutKey(db), within as Within<Db>)
    return within((tx) => run(tx, onceWithoutKey(tx), (write) => write(tx)))
  }

  const explain = (code: 'NOT_FOUND' | 'FORBIDDEN', { params }: express.Request) =>
    reply.fail(code, [options.explain(code, operation, params)])

  return async (request, response) => {
    const arrivedAt = performance.now()
    response.locals.operationId = operationId
    if (operation.isCrossOrigin) allowOrigin(request, response)
    else if (origins.size > 0) allowOrigin(request, response, origins)
    const preferred = preferredOutcome?.(operationId, request)
    if (preferred) {
      request.resume()
      await send(response, preferred, budgets.responses)
      return
    }
    const credential = access.kind === 'anyone' ? undefined : checks.readCredential(request)
    const tokenHash = credential && 'hash' in credential ? credential.hash : undefined
    const entry = await limits.enter(request, response, tokenHash)
    if (entry === 'answered') return
    announce(operationId, operation, operations, request, response, log, publicUrl)
    const events = acceptsEvents(operation, request) ? new Events(response) : undefined
    try {
      const isFull = entry === 'full'
      const answered = isFull
        ? reply.fail('SERVICE_UNAVAILABLE')
        : await answer(request, response, credential, events, arrivedAt)
      if (!answered) return
      const given = answered.unexplained ? explain(answered.unexplained, request) : answered
      if (given.status === 401 && tokenHash) limits.forget(tokenHash)
      // A page of a rejected origin may not read the response either.
      if (given.status === 403 && operation.isCrossOrigin) {
        response.removeHeader('Access-Control-Allow-Origin')
        response.removeHeader('Access-Control-Expose-Headers')
      }
      const { Location } = given.headers
      // Added to stored responses too, which are stored without it.
      const located = Location
        ? { ...given, headers: { ...given.headers, Location: basePathOf(publicUrl()) + Location } }
        : given
      if (origins.size > 0 && located.headers.Vary)
        located.headers = { ...located.headers, Vary: `${located.headers.Vary}, Origin` }
      const { tenant = '' } = response.locals
      if (located.mediaType === eventStream && isStream(located.body)) {
        if (await limits.enterStream(request, response))
          return await sendEvents(response, located.body, budgets.responses)
        await send(response, reply.fail('SERVICE_UNAVAILABLE'), budgets.responses)
        return
      }
      const paced = isStream(located.body)
        ? { ...located, body: inTurns(located.body, (make) => pacing.takeBeside(tenant, make)) }
        : located
      if (!events?.end(paced)) await send(response, paced, budgets.responses)
    } finally {
      events?.stop()
      limits.leave(response)
    }
  }
}

/** The id of the record that a right address names. */
function recordOf(access: Access, { params, query, issues }: Address): string | undefined {
  if (issues.length > 0 || !('missing' in access) || access.place === 'body') return undefined
  return ((access.place === 'query' ? query : params) as Record<string, string>)[`${access.kind}Id`]
}

/** The id of the record that a right body names. */
function idInBody(access: Access, input: Input | Rejection): string | undefined {
  if (!('missing' in access) || access.place !== 'body' || 'issues' in input) return undefined
  return (input.body as Record<string, string>)[`${access.kind}Id`]
}

/**
 * Lets a browser read the response, from these origins or from all; true if it may. The operation decides the allowed
 * origins of a record before it does anything; only its response states them. Credentials of browsers are never requested.
 */
function allowOrigin(request: express.Request, response: express.Response, origins?: ReadonlySet<string>) {
  response.setHeader('Vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined || origins?.has(origin) === false) return false
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', readable)
  return true
}

/** Headers of responses that a page of another origin can read: all that the document names. */
const readable =
  'Authentication-Token-Expiration, Content-Disposition, Deprecation, ETag, Idempotent-Replayed, Link, Location, Next-Cursor, Preference-Applied, RateLimit, RateLimit-Policy, Results-Remaining, Retry-After, Sunset, WWW-Authenticate, X-Request-Id'

/** Headers of requests that such a page can send: without a token, and with one. */
const plainHeaders = 'Content-Type, Idempotency-Key, X-Request-Id'
const tokenHeaders = `Authorization, ${plainHeaders}, If-Match, If-None-Match, MCP-Protocol-Version, Prefer`

/** Lets a browser ask. */
function allowPreflight(
  request: express.Request,
  response: express.Response,
  methods: string,
  headers: string,
  origins?: ReadonlySet<string>,
) {
  if (!allowOrigin(request, response, origins)) return
  response.setHeader('Access-Control-Allow-Methods', methods)
  response.setHeader('Access-Control-Allow-Headers', headers)
  response.setHeader('Access-Control-Max-Age', '600')
}
