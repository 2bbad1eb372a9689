import type express from 'express'
import type { Logger } from 'pino'
import type { Operation } from '../../contract/kit/operation.ts'
import { basePathOf } from './paths.ts'

/*
 * Sends the headers of a deprecated operation: since when (RFC 9745), until when (RFC 8594) and its successor. Responses
 * to callers over their limits have none. The log names the callers.
 */

/** Sets the headers of a deprecated operation, and logs the call once the response is sent. */
export function announceDeprecation(
  operationId: string,
  { deprecated }: Operation,
  operations: Record<string, Operation>,
  request: express.Request,
  response: express.Response,
  log: Logger,
  publicUrl: () => string,
) {
  if (!deprecated) return
  const { since, sunset, successor } = deprecated
  response.setHeader('Deprecation', `@${Date.parse(since) / 1000}`)
  response.setHeader('Sunset', new Date(sunset).toUTCString())
  const path = successor && operations[successor]?.path
  if (path) {
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(request.params[name])),
    )
    response.setHeader('Link', `<${basePathOf(publicUrl())}${target}>; rel="successor-version"`)
  }
  response.on('close', () => {
    const { requestId, caller } = response.locals
    const userAgent = request.get('user-agent')
    log.warn({ requestId, operationId, ...caller, userAgent, sunset }, 'deprecated operation called')
  })
}
