import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express from 'express'
import helmet from 'helmet'
import type { Pool } from 'pg'
import { operations } from '../contract/index.ts'
import { protocols } from '../contract/tools/protocol.ts'
import { viewerOperations } from '../contract/viewer.ts'
import { readCredential } from './access/bearer-tokens.ts'
import { decideAccess } from './access/index.ts'
import { tryChat } from './chat/sessions/read-session.ts'
import type { Services } from './context.ts'
import { createProbe, UnknownOutcome } from './db/client.ts'
import { handlers } from './handlers/index.ts'
import { createGate, visitorOperations } from './hosts/gate.ts'
import { serveKnownHosts } from './hosts/known.ts'
import { createHostReader, visitedUrl } from './hosts/visited.ts'
import { codeOf } from './http/failures.ts'
import { createOperations } from './http/operations.ts'
import { newId } from './ids.ts'
import { createLimits, withoutPort } from './kit/limits.ts'
import { preferOutcomes } from './kit/preferred-outcomes.ts'
import { sendProblem } from './kit/response.ts'
import { brokenEscape, unknownMethod, unknownRoute } from './kit/route-issues.ts'
import { callTool } from './mcp/index.ts'
import { createMetrics } from './metrics.ts'
import { serveDomains } from './pages/chat-page.ts'
import { serveDocs } from './pages/docs/index.ts'
import { serveDocuments } from './pages/documents.ts'
import { redirectViewer, servePages, VIEWER_PATH } from './pages/index.ts'
import { notFoundPage } from './pages/not-found/index.ts'
import { servePaymentHooks } from './payments/hooks.ts'
import { createErrorLog } from './repeated-errors.ts'
import { readOutcomes } from './sandbox-mode/outcomes.ts'
import { serveSandbox } from './sandbox-mode/routes.ts'
import type { SandboxMode } from './sandbox-mode/sandbox.ts'
import { viewerHandlers } from './viewer/index.ts'

declare global {
  namespace Express {
    /** Data of a request for the log. */
    interface Locals {
      /** For a page: its path as the service writes it. */
      path?: string
    }
  }
}

/** Requests are rejected while starting; while draining they are served, but no new ones should come. */
export type Phase = 'starting' | 'serving' | 'draining'

export interface AppOptions extends Services {
  pool: Pool
  phase: () => Phase
  /** The sandbox, once it is open; called in sandbox mode only. */
  sandbox?: () => SandboxMode | undefined
}

const MAX_HEADERS = 100

/** Metrics cover the whole installation. */
const metricsNeed = { kind: 'user', isUnbound: true, scope: 'read' } as const

/** Status in log and metrics if the connection ended before the response began, as in nginx. */
const STATUS_UNANSWERED = 499

/** Browsers use TLS only for a year. Subdomains are not included, since they may belong to other services. */
const STRICT_TRANSPORT = 'max-age=31536000'

const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  referrerPolicy: { policy: 'no-referrer' },
  // Only said over TLS; see STRICT_TRANSPORT.
  strictTransportSecurity: false,
  // Headers for obsolete browsers, or without effect outside of documents.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
})

/**
 * Security headers of all responses. Helmet computes them once, since they never change; pages set their own content
 * policy.
 */
const securityHeaders = constantHeaders(protect)

function constantHeaders(middleware: typeof protect): [name: string, value: string][] {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  middleware(response.req, response, () => {})
  return response.getHeaderNames().map((name) => [name, String(response.getHeader(name))])
}

/** The whole service as an Express app, without listening. */
export function createApp(options: AppOptions): express.Express {
  const { log, now, phase, pool, publicUrl } = options
  const logError = createErrorLog(log)
  const metrics = createMetrics(pool)
  const limits = createLimits(options)
  // These lines hold nothing a caller sent, and looking for secrets in each takes longer than writing it.
  const requestLog = log.child({}, { redact: [] })
  const hasProxy = options.config.TRUST_PROXY !== false
  const hostReader = createHostReader(options.config)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  // Operations read their query themselves, and nothing else has one.
  app.set('query parser', false)
  app.set('trust proxy', options.config.TRUST_PROXY)

  app.use((request, response, next) => {
    const start = performance.now()
    const forwarded = request.headers['x-forwarded-for']
    if (hasProxy && typeof forwarded === 'string' && forwarded.includes(':'))
      request.headers['x-forwarded-for'] = forwarded.split(',').map(withoutPort).join(', ')
    const given = request.headers['x-request-id']
    const id = typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : newId(now())
    response.locals.requestId = id
    response.setHeader('X-Request-Id', id)
    response.setHeader('Cache-Control', 'no-store')
    for (const [name, value] of securityHeaders) response.setHeader(name, value)
    response.locals.visited = hostReader.read(request)
    if (visitedUrl(request, publicUrl()).startsWith('https:'))
      response.setHeader('Strict-Transport-Security', STRICT_TRANSPORT)
    if (phase() === 'draining') response.setHeader('Connection', 'close')
    response.on('close', () => {
      const ms = performance.now() - start
      const { operationId, path, caller, owner: workspaceId, limit } = response.locals
      if (limit) return metrics.observeLimit(limit)
      const { method } = request
      const status = response.headersSent ? response.statusCode : STATUS_UNANSWERED
      metrics.observe(operationId ?? 'other', status, ms / 1000)
      requestLog.info(
        { requestId: id, method, operationId, path, status, ms, ...caller, workspaceId },
        'request',
      )
    })
    const hosts = countHosts(request.rawHeaders)
    const hasHost = hosts === 1 || (hosts === 0 && request.httpVersion !== '1.1')
    const areFew = request.rawHeaders.length <= MAX_HEADERS * 2
    if (hasHost && areFew) return next()
    response.setHeader('Connection', 'close')
    if (!areFew) return sendProblem(response, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
    sendProblem(response, 'BAD_REQUEST', [
      hosts === 0
        ? { path: ['header', 'host'], code: 'missing', message: 'Send the header Host' }
        : { path: ['header', 'host'], code: 'repeated', message: 'Send the header Host once' },
    ])
  })

  const served = { ...operations, ...protocols, ...(options.config.TYPEBOT_VIEWER && viewerOperations) }
  const notFound = notFoundPage()
  const ofVisitors = visitorOperations(served)
  const serveDomain = serveDomains(options)
  app.use(
    createGate({
      db: options.db,
      hosts: hostReader,
      limits,
      operations: served,
      isReady: () => phase() !== 'starting',
      serveRest: async (request, response) => {
        if ((await limits.countAddress(request, response)) === 'rejected') return
        await serveDomain(request, response, () =>
          notFound(request, response, () =>
            sendProblem(response, 'NOT_FOUND', [unknownRoute(request.url, ofVisitors)]),
          ),
        )
      },
    }),
  )

  // Before the pages, since Express compares the path of each on the way to later routes.
  const outcomes = options.config.SANDBOX ? readOutcomes() : undefined
  const prefer = outcomes && preferOutcomes(outcomes)
  const runOperation = createOperations(
    served,
    { ...handlers, callTool, ...viewerHandlers },
    options,
    limits,
    prefer,
  )
  app.use((request, response, next) =>
    phase() === 'starting' ? next() : runOperation(request, response, next),
  )

  const isReachable = createProbe(() => tryChat(options.db))
  serve(app, '/livez', (_request, response) => response.json({ status: 'ok' }))
  serve(app, '/readyz', async (_request, response) => {
    if (phase() === 'serving' && (await isReachable())) response.json({ status: 'ok' })
    else sendProblem(response, 'SERVICE_UNAVAILABLE')
  })
  serve(app, '/metrics', async (request, response) => {
    const credential = readCredential(request)
    if ('issue' in credential) return sendProblem(response, 'UNAUTHORIZED', [credential.issue])
    const entry = await limits.countAddress(request, response, credential.hash)
    if (entry === 'rejected') return
    const authorization = await decideAccess(options.db, metricsNeed, credential.hash, '', now())
    if (authorization.caller) limits.cacheToken(credential.hash, authorization.caller)
    if ('rejection' in authorization) {
      if (authorization.rejection.code === 'UNAUTHORIZED') limits.dropToken(credential.hash)
      return sendProblem(response, authorization.rejection.code, authorization.rejection.issues)
    }
    response.type(metrics.mediaType).send(await metrics.text())
  })
  const counted =
    (handler: express.RequestHandler, count: typeof limits.countPage): express.RequestHandler =>
    async (request, response, next) => {
      if ((await count(request, response)) === 'admitted') return handler(request, response, next)
    }
  /** The first page, sign-in and paths that name a record query the database as operations do; others are in memory. */
  const serveCounted = (path: string, get?: express.RequestHandler, post?: express.RequestHandler) => {
    const countGet = /:|^\/$|^\/device$|^\/sign-in(\/|$)/.test(path) ? limits.countAddress : limits.countPage
    serve(app, path, get && counted(get, countGet), post && counted(post, limits.countAddress))
  }
  serveDocuments(serveCounted, options)

  app.use((_request, response, next) => {
    if (phase() === 'starting') sendProblem(response, 'SERVICE_UNAVAILABLE')
    else next()
  })
  if (outcomes && options.sandbox) serveSandbox(app, options.sandbox, outcomes)
  const references = serveDocs(serveCounted, publicUrl)
  servePages(serveCounted, options)
  servePaymentHooks(serveCounted, options)
  serveKnownHosts(serveCounted, options.db, hostReader)
  // Without a route of its own: other methods find no page there.
  if (options.config.TYPEBOT_VIEWER)
    app.get(VIEWER_PATH, counted(redirectViewer(options), limits.countAddress))
  for (const path of ['/docs', ...references, '/results', '/bots', '/sign-in', '/device', '/chat/:publicId'])
    redirectSlash(app, path, publicUrl)
  app.use(notFound)
  app.use((request, response) => sendProblem(response, 'NOT_FOUND', [unknownRoute(request.url, operations)]))
  app.use(((thrown: unknown, _request, response, _next) => {
    const status = (thrown as { status?: number }).status
    // Paths of pages are decoded by Express.
    if (status === 400 || thrown instanceof URIError)
      return sendProblem(response, 'BAD_REQUEST', [brokenEscape])
    const { code, issues, error } = codeOf(thrown)
    const { requestId, operationId } = response.locals
    const outcome = error instanceof UnknownOutcome ? 'unknown' : undefined
    // A database without room says the same of each request.
    const kind = `${operationId} ${code} ${outcome} ${(error as Error).message}`.slice(0, 300)
    logError(error, 'request failed', { requestId, operationId, code, outcome }, kind)
    if (response.headersSent) response.destroy()
    else sendProblem(response, code, issues)
  }) satisfies express.ErrorRequestHandler)
  return app
}

/** Node uses the first of several Host headers, and a proxy may have used another one. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** Leads from a page's address with a slash at the end to the one without, as people and proxies write it. */
function redirectSlash(app: express.Express, path: string, publicUrl: () => string) {
  app.get(`${path}/`, (request, response) => {
    const { publicId = '' } = request.params as { publicId?: string }
    // Built of the route: an address of the caller's could lead to another host.
    const target = path.replace(':publicId', () => encodeURIComponent(publicId))
    const query = request.originalUrl.match(/\?.*/s)?.[0] ?? ''
    const base = visitedUrl(request, publicUrl()).replace(/\/$/, '')
    response.redirect(308, `${base}${target}${query}`)
  })
}

/** A path beside the contract, for GET with HEAD, or for POST. */
function serve(
  app: express.Express,
  path: string,
  get?: express.RequestHandler,
  post?: express.RequestHandler,
) {
  const allow = [...(get ? ['GET', 'HEAD'] : []), 'OPTIONS', ...(post ? ['POST'] : [])].join(', ')
  const route = app.route(path).all((_request, response, next) => {
    // The path as it is written here, since that of the request is the caller's.
    response.locals.path = path
    next()
  })
  if (get) route.get(get)
  if (post) route.post(post)
  route.all((request, response) => {
    response.setHeader('Allow', allow)
    if (request.method === 'OPTIONS') response.status(204).end()
    else sendProblem(response, 'METHOD_NOT_ALLOWED', [unknownMethod(request.method, allow)])
  })
}
