/** Sends requests to models through the outbound client. */
import { setTimeout as sleep } from 'node:timers/promises'
import { withExactNumbers } from '../kit/json/exact-numbers.ts'
import type { OutboundFailure, OutboundStream, StreamingClient } from './client.ts'
import type { ModelRequest } from './model-types.ts'

/** A request is retried this often after 408, 409, 429, 5xx and lost connections. */
const MAX_RETRIES = 2
const FIRST_RETRY_MS = 500

/** The outbound client did not send a request. Retrying it would not help. */
export class RequestRejected extends Error {}

/**
 * Sends a request, again where that may help: the libraries would sleep whatever the deadline is. A redirect is not
 * followed, since the key is for the host of the credentials alone.
 */
export function fetchBy(
  open: StreamingClient,
  { milliseconds, reserveMemory }: Pick<ModelRequest, 'milliseconds' | 'reserveMemory'>,
  deadline: AbortController,
): typeof fetch {
  const expiresAt = performance.now() + milliseconds
  return async (input, init = {}) => {
    const { signal, body } = init
    const request = {
      url: String(input instanceof Request ? input.url : input),
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === 'string' ? { body } : {}),
      redirects: 'none' as const,
      ...(reserveMemory && { reserveMemory }),
    }
    for (let attempt = 0; ; attempt += 1) {
      const response = await open({
        ...request,
        milliseconds: Math.max(1, Math.ceil(expiresAt - performance.now())),
      })
      const mayRetry = attempt < MAX_RETRIES && !signal?.aborted && isTemporary(response)
      if (!mayRetry) return toFetchResponse(response, signal, deadline)
      if (response.ok) response.end()
      const delay = retryDelay(response, attempt)
      if (delay >= expiresAt - performance.now()) {
        if (!response.ok) return toFetchResponse(response, signal, deadline)
        throw new RequestRejected(
          `The model answered ${response.status} and asks to be asked again in ${Math.ceil(delay / 1_000)} s`,
        )
      }
      await sleep(delay, undefined, { signal: deadline.signal })
    }
  }
}

function isTemporary(response: OutboundStream | OutboundFailure): boolean {
  if (!response.ok) return response.isConnectionLost === true
  const { status, headers } = response
  return headers['x-should-retry'] !== 'false' && (status >= 500 || [408, 409, 429].includes(status))
}

/** Returns the milliseconds until the next attempt: as many as the model requests, else longer each time. */
function retryDelay(response: OutboundStream | OutboundFailure, attempt: number): number {
  const headers = response.ok ? response.headers : {}
  const given = String(headers['retry-after'] ?? '')
  const wanted = headers['retry-after-ms']
    ? Number(headers['retry-after-ms'])
    : /^\s*[\d.]+\s*$/.test(given)
      ? Number(given) * 1_000
      : Date.parse(given) - Date.now()
  return wanted >= 0 ? wanted : FIRST_RETRY_MS * 2 ** attempt
}

function toFetchResponse(
  stream: OutboundStream | OutboundFailure,
  signal: AbortSignal | null | undefined,
  deadline: AbortController,
): Response {
  if (!stream.ok) {
    const rejection = new RequestRejected(stream.message)
    if (stream.reason === 'refused') deadline.abort(rejection)
    if (stream.reason === 'time') deadline.abort()
    throw rejection
  }
  signal?.addEventListener('abort', stream.end, { once: true })
  if (signal?.aborted) stream.end()
  const isEmpty = stream.status === 204 || stream.status === 205 || stream.status === 304
  const response = new Response(isEmpty ? null : ReadableStream.from(stream.body), {
    status: stream.status,
    headers: { 'content-type': stream.contentType },
  })
  // The libraries would round numbers in arguments of functions.
  return Object.assign(response, {
    json: async () => {
      const json = await response.text()
      return withExactNumbers(json, JSON.parse(json))
    },
  })
}
