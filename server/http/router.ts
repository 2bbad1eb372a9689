import type express from 'express'
import type { Issue } from '../../contract/errors.ts'
import type { ErrorCode } from '../../contract/kit/errors.ts'
import { type Access, needOf, type Operation } from '../../contract/operation.ts'
import { expiresSoon } from '../../contract/tokens.ts'
import { type Credential, readCredential } from '../access/authenticate.ts'
import { identify, permit } from '../access/identify.ts'
import type { Authorization } from '../access/index.ts'
import type { Contexts, InnerRequest, Once, Services, Within } from '../context.ts'
import type { Database } from '../db/client.ts'
import type { Place } from '../shares/admission-queue.ts'
import { type Budget, createBudget } from '../shares/budget.ts'
import { createPacing, type Pacing } from '../shares/pacing.ts'
import { createQuotas } from '../shares/quotas.ts'
import { prefersMinimal, readConditions } from './conditions.ts'
import { announce } from './deprecation.ts'
import { dispatch } from './dispatch.ts'
import { acceptsEvents, Events, sendEvents } from './events.ts'
import { digestOf, onceWith, readKey, runKeyed } from './idempotency.ts'
import { type Limits, networkOf } from './limits.ts'
import { findRoute, newPlace, parametersOf, placeOf, segmentsOf } from './paths.ts'
import type { PreferredOutcome } from './preferred-outcomes.ts'
import { missingRecord, missingRole, unknownMethod } from './refusal-issues.ts'
import { type Address, hasBody, type Input, type Mistake, readAddress, readInput } from './request.ts'
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

/** Runs the operations of the contract; what is none of them goes on to the next middleware. */
export function createRouter(
  operations: Record<string, Operation>,
  handlers: Record<string, unknown>,
  services: Services,
  limits: Limits,
  /** Answers outcomes on demand, in sandbox mode. */
  preferredOutcome?: PreferredOutcome,
): express.RequestHandler {
  const top = newPlace<Route>()
  const origins = new Set(services.config.CORS_ORIGINS)
  const visitorHeaders = preferredOutcome ? `${chatHeaders}, Prefer` : chatHeaders
  const budgets = { bodies: createBudget(MAX_RECEIVED_BYTES), responses: createBudget(MAX_SENT_BYTES) }
  const shared = {
    limits,
    quotas: createQuotas(services),
    budgets,
    pacing: createPacing(),
    origins,
    preferredOutcome,
  }
  for (const [operationId, operation] of Object.entries(operations)) {
    const place = placeOf(top, operation.path)
    place.route ??= {
      parameters: parametersOf(operation.path),
      runs: new Map(),
      allow: '',
      isCrossOrigin: false,
    }
    const { route } = place
    const run = bind(operationId, operations, handlers[operationId] as AnyHandler, services, shared)
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

/** Services that all operations of a process share. */
interface Shared {
  limits: Limits
  quotas: ReturnType<typeof createQuotas>
  budgets: { bodies: Budget; responses: Budget }
  pacing: Pacing
  /** Origins whose pages may call the operations that take tokens. */
  origins: ReadonlySet<string>
  preferredOutcome: PreferredOutcome | undefined
}

/** An operation with all that comes before and after its handler. */
function bind(
  operationId: string,
  operations: Record<string, Operation>,
  handler: AnyHandler,
  services: Services,
  { limits, quotas, budgets, pacing, origins, preferredOutcome }: Shared,
): Run {
  const operation = operations[operationId] as Operation
  const { access, callsOut = false, preparesFirst = false } = operation
  const need = needOf(operation)
  const { db, reads, config, log, cursorKey, chat, keyring, files, publicUrl } = services
  const reply = createReply(operationId, operation)
  const keyOf = readKey(operation)
  const refuse = ({ code, issues }: { code: ErrorCode; issues: Issue[] }) => reply.fail(code, issues)

  /** Undefined where the limits have answered. */
  async function answer(
    request: express.Request,
    response: express.Response,
    credential: Credential | undefined,
    events: Events | undefined,
    arrivedAt: number,
  ): Promise<HttpResponse | undefined> {
    const now = services.now()
    const address = readAddress(operation, request)
    const key = keyOf(request, address.issues)
    const conditions = readConditions(operation, request, address.issues)

    const record = recordOf(access, address)
    const sender = await identify(db, need, credential, record, now)
    if (credential && 'hash' in credential) {
      const caller = 'refusal' in sender ? undefined : sender.authorization.caller
      const entry = await limits.recognize(request, response, credential.hash, caller ?? undefined)
      if (entry === 'answered') return undefined
    }
    if ('refusal' in sender) return refuse(sender.refusal)

    const begun = performance.now()
    const { tenant = '' } = response.locals
    // It was entered before anything was looked up.
    const place = response.locals.place as Place
    pacing.see(tenant)
    const receiving = { budget: budgets.bodies, pacing, tenant, timeout: config.REQUEST_QUEUE_TIMEOUT }
    const receive = () => readInput(operation, request, response, address, receiving)
    // Bytes that are still to come are not waited for with a place that others could have.
    const isWaited = !request.complete && !operation.fileBody && hasBody(request)
    const given = isWaited ? place.yieldDuring(async () => receive()) : receive()
    const received = given instanceof Promise ? await given : given
    if (received === undefined) return reply.fail('SERVICE_UNAVAILABLE')
    const input = 'value' in received ? received.value : received
    // Whoever holds a body back may have lost token or role meanwhile, and would leave another one behind.
    const isLate = performance.now() - begun > MAX_BODY_ARRIVAL_MS
    const visitor = isLate ? await identify(db, need, credential, record, services.now()) : sender
    if ('refusal' in visitor) return refuse(visitor.refusal)

    const authorization = await permit(db, need, visitor, workspaceOf(access, input), now)
    note(response, authorization, now)
    if (authorization.caller === undefined) return refuse(authorization.refusal)
    if ('issues' in input) return refuse(input)
    if ('refusal' in authorization) return refuse(authorization.refusal)
    const { workspaceId } = response.locals
    const moved = workspaceId === undefined || place.moveTo(workspaceId)
    if (moved !== true && !(await moved)) return reply.fail('SERVICE_UNAVAILABLE')
    if (operation.fileBody && !(await place.rest(() => limits.enterUploads(request, response))))
      return reply.fail('SERVICE_UNAVAILABLE')

    const openEvents = events && (() => events.open())
    const { caller, grant } = authorization
    const { params, query, body, texts } = input
    const asked = {
      params,
      query,
      body,
      texts,
      header: (name: string) => request.get(name),
      conditions,
      prefersMinimal: prefersMinimal(operation, request),
      openEvents,
      dispatch: operation.dispatches && ((inner: InnerRequest) => dispatch(request, inner)),
    }
    const run = (db: Database, once: Once, within: Within) => {
      // Written out, since Node 20 adds to what was spread a property in a microsecond.
      const context: Contexts['anyone'] & { grant: typeof grant } = {
        db,
        reads,
        config,
        log,
        cursorKey,
        chat,
        keyring,
        files,
        publicUrl,
        now,
        arrivedAt,
        once,
        place,
        pace: (work) => pacing.take(tenant, work, `slices ${tenant}`),
        // Computed on first use, since only chats need it.
        get quota() {
          return quotas(networkOf(request))
        },
        within,
        grant,
      }
      return handler(asked, reply, context)
    }
    const keyed =
      key === undefined ? undefined : { key, digest: digestOf(request), userId: caller?.userId ?? null, now }
    if (!keyed && operation.method === 'get') {
      const read = () => run(db, onceWith(db, undefined, reply), (write) => write(db))
      return pacing.takeIfLarge(tenant, operationId, read, ({ body }) => sizeOf(body))
    }
    if (!keyed || callsOut) return run(db, onceWith(db, keyed, reply), (write) => write(db))
    const botId = grant && 'bot' in grant ? grant.bot.id : null
    const within = (write: (db: Database) => Promise<HttpResponse>) =>
      runKeyed(db, keyed, botId, reply, write)
    if (preparesFirst) return run(db, onceWith(db, undefined, reply), within as Within)
    return within((tx) => run(tx, onceWith(tx, undefined, reply), (write) => write(tx)))
  }

  const explain = (code: 'NOT_FOUND' | 'FORBIDDEN', { params }: express.Request) =>
    reply.fail(code, [code === 'NOT_FOUND' ? missingRecord(operation, params) : missingRole(operation)])

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
    const credential = access.kind === 'anyone' ? undefined : readCredential(request)
    const tokenHash = credential && 'hash' in credential ? credential.hash : undefined
    const entry = await limits.enter(request, response, tokenHash)
    if (entry === 'answered') return
    announce(operationId, operation, operations, request, response, log, basePathOf(publicUrl()))
    const events = acceptsEvents(operation, request) ? new Events(response) : undefined
    try {
      const isFull = entry === 'full'
      const answered = isFull
        ? reply.fail('SERVICE_UNAVAILABLE')
        : await answer(request, response, credential, events, arrivedAt)
      if (!answered) return
      const given = answered.unexplained ? explain(answered.unexplained, request) : answered
      if (given.status === 401 && tokenHash) limits.forget(tokenHash)
      // A page whose origin the bot refuses is not to read the answer either.
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
        if (await limits.enterStream(request, response)) return await sendEvents(response, located.body)
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

/** The path that a proxy puts before those of the service. */
function basePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}

/** The id of the record that a right address names. */
function recordOf(access: Access, { params, query, issues }: Address): string | undefined {
  if (issues.length > 0 || access.kind === 'anyone' || access.kind === 'user') return undefined
  if (access.kind === 'workspace' && access.place === 'body') return undefined
  const place = access.kind === 'workspace' && access.place === 'query' ? query : params
  return (place as Record<string, string>)[`${access.kind}Id`]
}

/** The id of the workspace that a right body names. */
function workspaceOf(access: Access, input: Input | Mistake): string | undefined {
  if (access.kind !== 'workspace' || access.place !== 'body' || 'issues' in input) return undefined
  return (input.body as { workspaceId: string }).workspaceId
}

/** Sets caller and record for the log, and headers about the caller's token. */
function note(response: express.Response, { caller, ...outcome }: Authorization, now: Date) {
  if (!caller) return
  const { userId, tokenId, expiresAt } = caller
  const { locals } = response
  locals.caller = { userId, tokenId }
  if (expiresAt && expiresSoon(expiresAt, now)) {
    response.setHeader('Authentication-Token-Expiration', expiresAt.toISOString())
  }
  if (!('grant' in outcome) || !outcome.grant) return
  const { grant } = outcome
  if ('workspace' in grant) locals.workspaceId = grant.workspace.id
  else if ('folder' in grant) locals.workspaceId = grant.folder.workspaceId
  else if ('bot' in grant) locals.workspaceId = grant.bot.workspaceId
}

/**
 * Lets a browser read the response, from these origins or from all; true if it may. The operation decides the allowed
 * origins of a bot before it does anything; only its response states them. Credentials of browsers are never requested.
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

/** Headers of requests that such a page can send: of visitors, and with a token. */
const chatHeaders = 'Content-Type, Idempotency-Key, X-Request-Id'
const tokenHeaders = `Authorization, ${chatHeaders}, If-Match, If-None-Match, MCP-Protocol-Version, Prefer`

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
