import type express from 'express'
import type { Operation } from '../../contract/kit/operation.ts'
import { findRoute, newPlace, placeOf, segmentsOf } from '../kit/paths.ts'

/*
 * Keeps what members use away from hosts that serve chats alone. Code of authors runs on these hosts as their own, so
 * that it could read the pages and tokens of members there.
 */

/** Paths beside the contract that chats need, and those of probes. */
const chatPaths = /^\/(chat\/|files\/|embed\.js$|home\.css$|livez$|readyz$)/

/** The operations that visitors call, from pages of any origin. */
export function visitorOperations(operations: Record<string, Operation>): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(operations).filter(
      ([, { access, isCrossOrigin }]) => access.kind === 'anyone' && isCrossOrigin,
    ),
  )
}

/** Passes only requests for chats on hosts that serve chats alone, and all of them elsewhere. */
export function createGate(
  operations: Record<string, Operation>,
  reject: express.RequestHandler,
): express.RequestHandler {
  const top = newPlace<true>()
  for (const { path } of Object.values(visitorOperations(operations))) placeOf(top, path).route = true
  return (request, response, next) => {
    if (response.locals.visited?.kind === 'main') return next()
    const segments = segmentsOf(request.url)
    if (chatPaths.test(segments.join('/')) || findRoute(top, segments)) return next()
    return reject(request, response, next)
  }
}
