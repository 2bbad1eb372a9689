import type express from 'express'
import type { Logger } from 'pino'
import type { AnyIssue, ErrorCode } from '../../contract/kit/errors.ts'
import type { Access, Operation } from '../../contract/kit/operation.ts'
import type { AccessChecks, Credential } from './access.ts'
import { prefersMinimal, readConditions } from './conditions.ts'
import { allowOrigin, allowPreflight, plainHeaders, tokenHeaders } from './cross-origin.ts'
import { announceDeprecation } from './deprecation.ts'
import { dispatch, type InnerRequest } from './dispatch.ts'
import { hasBody } from './early-response.ts'
import { acceptsEvents, Events, sendEvents } from './events.ts'
import {
  type CompleteKey,
  digestRequest,
  type Keyed,
  type KeyStore,
  type Once,
  onceWith,
  onceWithoutKey,
  readKey,
  runKeyed,
  toCompleteKey,
  type Within,
} from './idempotency.ts'
import type { Limits } from './limits.ts'
import { addRoute, basePathOf, createRouteNode, findRoute, parametersOf, segmentsOf } from './paths.ts'
import type { PreferredOutcome } from './preferred-outcomes.ts'
import { type Address, type Input, type Rejection, readAddress, readInput, type ScanBody } from './request.ts'
import {
  type AnyRespond,
  createRespond,
  eventStream,
  type HttpResponse,
  isStream,
  measureBody,
  pacePieces,
  send,
  sendProblem,
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

type AnyHandler = (request: unknown, respond: AnyRespond, context: unknown) => Promise<HttpResponse>

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
  /** Absent for a service without operations that take keys. */
  keys?: KeyStore<Db>
  /** The third argument of a handler. */
  contextOf: (given: HandlerContext<Db>) => object
  /** Explains which record or which role is missing, where a handler responds with the code alone. */
  explain: (
    code: 'NOT_FOUND' | 'FORBIDDEN',
    operation: Operation,
    params: Record<string, unknown>,
  ) => AnyIssue
  /** Base URL of the service; available once it listens. */
  publicUrl: () => string
  /** Origins whose pages may call operations that take tokens. */
  corsOrigins?: readonly string[]
  /** Further headers that pages of other origins may send with requests without a token. */
  visitorHeaders?: readonly string[]
  /** Maximum wait of a body for room, in milliseconds. */
  bodyTimeout: number
  scanBody?: ScanBody
  /** Produces outcomes on demand, in sandbox mode. */
  preferredOutcome?: PreferredOutcome
}

/** Dependencies of the context of a handler, per request. */
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
  /**
   * Returns the row of the idempotency key with this response, for an operation with `preparesFirst` that inserts both in
   * one statement. Absent without a key. If the row is there already, the handler continues by `within`.
   */
  completeKey?: (response: unknown) => CompleteKey
  slot: Slot
  /** Runs a piece of work of the caller in its turn, if it would block the thread for too long. */
  pace: <Value>(work: () => Value | Promise<Value>) => Promise<Value>
}

/** Runs the operations of the contract; passes all other requests to the next middleware. */
export function createRouter<Db>(
  operations: Record<string, Operation>,
  handlers: object,
  options: RouterOptions<Db>,
): express.RequestHandler {
  const top = createRouteNode<Route>()
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
    const node = addRoute(top, operation.path)
    node.route ??= {
      parameters: parametersOf(operation.path),
      runs: new Map(),
      allow: '',
      isCrossOrigin: false,
    }
    const { route } = node
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

/**
 * Bytes of bodies that arrive or are worked on, and of large responses that are on their way, of which a tenant has a
 * quarter.
 */
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
  const respond = createRespond(operationId, operation)
  const keyOf = readKey(operation)
  const reject = ({ code, issues }: { code: ErrorCode; issues: AnyIssue[] }) => respond.fail(code, issues)

  /** Undefined if the limits have sent the response. */
  async function handleRequest(
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

    const record = findRecordId(access, address)
    const sender = await checks.authenticate(operation, credential, record, now)
    if (credential && 'hash' in credential) {
      const caller = 'rejection' in sender ? undefined : sender.authorization.caller
      const entry = await limits.countLookedUp(request, response, credential.hash, caller ?? undefined)
      if (entry === 'rejected') return undefined
    }
    if ('rejection' in sender) return reject(sender.rejection)

    const begun = performance.now()
    const { tenant = '' } = response.locals
    // It was entered before anything was looked up.
    const slot = response.locals.slot as Slot
    pacing.recordRequest(tenant)
    const receiving = { budget: budgets.bodies, pacing, tenant, timeout: options.bodyTimeout, scanBody }
    const receive = () => readInput(operation, request, response, address, receiving)
    // Bytes that are still to come are not waited for with a slot that others could have.
    const hasPendingBody = !request.complete && !operation.fileBody && hasBody(request)
    const reading = hasPendingBody ? slot.yieldDuring(async () => receive()) : receive()
    const received = reading instanceof Promise ? await reading : reading
    if (received === undefined) return respond.fail('SERVICE_UNAVAILABLE')
    const input = 'value' in received ? received.value : received
    // The sender of a slow body may have lost token or role meanwhile.
    const isLate = performance.now() - begun > MAX_BODY_ARRIVAL_MS
    const currentSender = isLate
      ? await checks.authenticate(operation, credential, record, options.now())
      : sender
    if ('rejection' in currentSender) return reject(currentSender.rejection)

    const authorization = await checks.authorise(operation, currentSender, findIdInBody(access, input), now)
    if (authorization.caller) checks.recordCaller?.(response, authorization, now)
    if (authorization.caller === undefined) return reject(authorization.rejection)
    if ('issues' in input) return reject(input)
    if ('rejection' in authorization) return reject(authorization.rejection)
    const { owner } = response.locals
    const move = owner === undefined || slot.moveTo(owner)
    if (move !== true && !(await move)) return respond.fail('SERVICE_UNAVAILABLE')
    if (operation.fileBody && !(await slot.releaseDuring(() => limits.enterUploads(request, response))))
      return respond.fail('SERVICE_UNAVAILABLE')

    const openEvents = events && (() => events.open())
    const { caller, grant } = authorization
    const { params, query, body } = input
    const bytes = () => (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    const keyed: Keyed | undefined =
      key === undefined
        ? undefined
        : {
            key,
            digest: digestRequest(request, bytes()),
            userId: caller?.userId ?? null,
            now,
            sent: { bytes: bytes(), texts: new Map() },
          }
    const texts: Input['texts'] = (name) => {
      const found = input.texts(name)
      // A transaction that is run again asks for them again.
      if (keyed) for (const [property, text] of found) keyed.sent.texts.set(property, text)
      return found
    }
    const handlerInput = {
      params,
      query,
      body,
      texts,
      bytes,
      header: (name: string) => request.get(name),
      conditions,
      prefersMinimal: prefersMinimal(operation, request),
      openEvents,
      dispatch: operation.dispatches && ((inner: InnerRequest) => dispatch(request, inner)),
    }
    const pace: HandlerContext<Db>['pace'] = (work) => pacing.runPaced(tenant, work, `slices ${tenant}`)
    const run = (
      db: Db,
      once: Once<Db>,
      within: Within<Db>,
      completeKey?: HandlerContext<Db>['completeKey'],
    ) => {
      const handlerContext = { request, db, now, arrivedAt, grant, once, within, completeKey, slot, pace }
      return handler(handlerInput, respond, options.contextOf(handlerContext))
    }
    const plain: Within<Db> = (write) => write(db)
    if (!keyed && operation.method === 'get') {
      const read = () => run(db, onceWithoutKey(db), plain)
      return pacing.runPacedIfLarge(tenant, operationId, read, ({ body }) => measureBody(body))
    }
    if (!keyed) return run(db, onceWithoutKey(db), plain)
    const keys = options.keys as KeyStore<Db>
    if (callsOut) return run(db, onceWith(keys, db, keyed, respond), plain)
    const scope = checks.keyScopeOf?.(grant) ?? null
    const within = (write: (db: Db) => Promise<HttpResponse>) =>
      runKeyed(keys, db, keyed, scope, respond, write)
    if (preparesFirst) {
      const completeKey = (response: unknown) => toCompleteKey(keyed, scope, response as HttpResponse)
      return run(db, onceWithoutKey(db), within as Within<Db>, completeKey)
    }
    return within((tx) => run(tx, onceWithoutKey(tx), (write) => write(tx)))
  }

  const explain = (code: 'NOT_FOUND' | 'FORBIDDEN', { params }: express.Request) =>
    respond.fail(code, [options.explain(code, operation, params)])

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
    if (entry === 'rejected') return
    announceDeprecation(operationId, operation, operations, request, response, log, publicUrl)
    const events = acceptsEvents(operation, request) ? new Events(response) : undefined
    try {
      const isFull = entry === 'full'
      const httpResponse = isFull
        ? respond.fail('SERVICE_UNAVAILABLE')
        : await handleRequest(request, response, credential, events, arrivedAt)
      if (!httpResponse) return
      const explained = httpResponse.unexplained ? explain(httpResponse.unexplained, request) : httpResponse
      if (explained.status === 401 && tokenHash) limits.dropToken(tokenHash)
      // A page of a rejected origin may not read the response either.
      if (explained.status === 403 && operation.isCrossOrigin) {
        response.removeHeader('Access-Control-Allow-Origin')
        response.removeHeader('Access-Control-Expose-Headers')
      }
      const { Location } = explained.headers
      // Added to stored responses too, which are stored without it.
      const withLocation = Location
        ? { ...explained, headers: { ...explained.headers, Location: basePathOf(publicUrl()) + Location } }
        : explained
      if (origins.size > 0 && withLocation.headers.Vary)
        withLocation.headers = { ...withLocation.headers, Vary: `${withLocation.headers.Vary}, Origin` }
      const { tenant = '' } = response.locals
      if (withLocation.mediaType === eventStream && isStream(withLocation.body)) {
        if (await limits.enterStream(request, response))
          return await sendEvents(response, withLocation.body, budgets.responses)
        await send(response, respond.fail('SERVICE_UNAVAILABLE'), budgets.responses)
        return
      }
      const withPacing = isStream(withLocation.body)
        ? {
            ...withLocation,
            body: pacePieces(withLocation.body, (make) => pacing.runPacedIfShared(tenant, make)),
          }
        : withLocation
      if (!events?.end(withPacing)) await send(response, withPacing, budgets.responses)
    } finally {
      events?.stop()
      limits.endRequest(response)
    }
  }
}

/** The id of the record that a right address names. */
function findRecordId(access: Access, { params, query, issues }: Address): string | undefined {
  if (issues.length > 0 || !('missing' in access) || access.idIn === 'body') return undefined
  return ((access.idIn === 'query' ? query : params) as Record<string, string>)[`${access.kind}Id`]
}

/** The id of the record that a right body names. */
function findIdInBody(access: Access, input: Input | Rejection): string | undefined {
  if (!('missing' in access) || access.idIn !== 'body' || 'issues' in input) return undefined
  return (input.body as Record<string, string>)[`${access.kind}Id`]
}
