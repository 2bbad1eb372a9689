import type express from 'express'

/* Requests of pages of other origins (CORS). */

/**
 * Allows a browser to read the response, from these origins or from all; true if it may. The operation decides the
 * allowed origins of a record before it does anything; only its response states them. Credentials of browsers are
 * never requested.
 */
export function allowOrigin(
  request: express.Request,
  response: express.Response,
  origins?: ReadonlySet<string>,
) {
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
export const plainHeaders = 'Content-Type, Idempotency-Key, X-Request-Id'
export const tokenHeaders = `Authorization, ${plainHeaders}, If-Match, If-None-Match, MCP-Protocol-Version, Prefer`

/** Allows a preflight request of a browser. */
export function allowPreflight(
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
