import type express from 'express'
import type { Operation } from '../../contract/kit/operation.ts'
import type { Database } from '../db/client.ts'
import type { Limits } from '../kit/limits.ts'
import { addRoute, createRouteNode, findRoute, segmentsOf } from '../kit/paths.ts'
import { isBotHost, isLookedUp, recallBotHost } from './domains.ts'
import { botHost, type HostReader } from './visited.ts'

/*
 * Hides the pages and operations of members on hosts that serve chats alone. Code of authors runs in the origin of
 * these hosts, so that it could read the pages and tokens of members there.
 */

/** Probes get a response on every host, also without a database. */
const probes = /^\/(livez|readyz)$/

/** Paths beside the contract that chats need. */
const chatPaths = /^\/(chat\/|files\/|embed\.js$|home\.css$)/

/** The operations that visitors call, from pages of any origin. */
export function visitorOperations(operations: Record<string, Operation>): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(operations).filter(
      ([, { access, isCrossOrigin }]) => access.kind === 'anyone' && isCrossOrigin,
    ),
  )
}

export interface Gate {
  db: Database
  hosts: HostReader
  limits: Limits
  operations: Record<string, Operation>
  /** True once the database responds. */
  isReady: () => boolean
  /** Serves the rest on hosts of chats: pages of their bots, and a 404 for all else. */
  serveRest: express.RequestHandler
}

/** Passes only requests for chats on hosts that serve chats alone, and all of them elsewhere. */
export function createGate({
  db,
  hosts,
  limits,
  operations,
  isReady,
  serveRest,
}: Gate): express.RequestHandler {
  const top = createRouteNode<true>()
  for (const { path } of Object.values(visitorOperations(operations))) addRoute(top, path).route = true

  function pass(request: express.Request, response: express.Response, next: express.NextFunction) {
    if (response.locals.visited?.kind === 'main') return next()
    const segments = segmentsOf(request.url)
    const path = segments.join('/')
    if (probes.test(path) || chatPaths.test(path) || findRoute(top, segments)) return next()
    return serveRest(request, response, next)
  }

  function enterDomain(request: express.Request, response: express.Response, domain: string) {
    response.locals.visited = botHost(request, domain)
    // The host belongs to others, who may serve it without TLS tomorrow.
    response.removeHeader('Strict-Transport-Security')
  }

  /** Looks a host up that this process has not seen lately, at the expense of the first caller. */
  async function lookUp(
    request: express.Request,
    response: express.Response,
    next: express.NextFunction,
    domain: string,
  ) {
    if (!isLookedUp(domain) && (await limits.countAddress(request, response)) === 'rejected') return
    if (await isBotHost(db, domain)) enterDomain(request, response, domain)
    return pass(request, response, next)
  }

  return (request, response, next) => {
    const domain = response.locals.visited?.kind === 'main' ? hosts.readDomain(request) : undefined
    if (domain === undefined || !isReady()) return pass(request, response, next)
    if (probes.test(segmentsOf(request.url).join('/'))) return next()
    const isOfBots = recallBotHost(domain)
    if (isOfBots === undefined) return lookUp(request, response, next, domain)
    if (isOfBots) enterDomain(request, response, domain)
    return pass(request, response, next)
  }
}
