/**
 * The one client for requests that leave the service on behalf of a bot.
 *
 * The addresses of the target are looked up once, every one of them must be public, and the connection goes to exactly
 * those addresses, so that neither a disguised private address nor a name that changes its mind reaches the inside.
 * Redirects are followed, each to a target that is checked in the same way.
 */
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { BrokenOff, fail, messageOf, type OutboundFailure } from './failure.ts'
import { addressFinder, type HostOptions } from './hosts.ts'
import { type ReserveMemory, readBody } from './response-body.ts'

export { BrokenOff, type OutboundFailure }

export interface OutboundRequest {
  url: string
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array
  /** Largest body of a response in bytes; by default that of the client. */
  maximumBytes?: number
  /** Limit for everything together: lookups, redirects and the response. */
  milliseconds: number
  /** By default they are followed. */
  redirects?: 'none'
  /** Counts bytes of the response in memory, before they are read; false where there is no room for them. */
  reserveMemory?: ReserveMemory
}

export type OutboundResponse =
  | { ok: true; status: number; contentType: string; headers: http.IncomingHttpHeaders; body: Uint8Array }
  | OutboundFailure

/** A response whose body is still to come. */
export interface OutboundStream {
  ok: true
  status: number
  contentType: string
  headers: http.IncomingHttpHeaders
  /** At most `maximumBytes`, within the time of the request. Throws `BrokenOff` where it ends before its end. */
  body: AsyncGenerator<Buffer>
  /** Drops the connection, however far the body was read. */
  end(): void
}

export interface OutboundOptions extends HostOptions {
  maximumBytes?: number
  /**
   * True if connections are reused for a while, each for the addresses that were checked when it was opened. If a
   * reused one turns out to be closed, the request is sent once more. By default none is reused.
   */
  keepAlive?: boolean
}

export type OutboundClient = (request: OutboundRequest) => Promise<OutboundResponse>

/** The same, for bodies that are read as they come. */
export type StreamingClient = (request: OutboundRequest) => Promise<OutboundStream | OutboundFailure>

interface Redirect {
  status: number
  location: string
}
interface Target {
  url: URL
  host: string
  isAllowed: boolean
}

export const MAX_RESPONSE_BYTES = 1_048_576
const MAX_REDIRECTS = 5
/** Time after which an idle connection is closed. */
const IDLE_TIMEOUT_MS = 4_000
const LOOKUP_TIMEOUT_MS = 2_000
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Headers that belong to the connection. Values of the caller would contradict the request on the wire. */
const connectionHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const bodyHeaders = ['content-type', 'content-encoding', 'content-language', 'content-location']
/** Custom headers for keys have names such as `x-api-key`. */
const secretHeader = /auth|cookie|key|token|secret|passw|session|signature/i

/** Other statuses of this class, such as 304, have no target. */
const redirectStatuses = new Set([301, 302, 303, 307, 308])

export function outboundClient(options: OutboundOptions): OutboundClient {
  const open = streamingClient(options)
  return async (request) => {
    const response = await open(request)
    if (!response.ok) return response
    const { status, contentType, headers } = response
    const chunks: Buffer[] = []
    try {
      for await (const chunk of response.body) chunks.push(chunk)
    } catch (error) {
      if (error instanceof BrokenOff) return error.failure
      throw error
    }
    return { ok: true, status, contentType, headers, body: Buffer.concat(chunks) }
  }
}

export function streamingClient(options: OutboundOptions): StreamingClient {
  const find = addressFinder(options)
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()))
  const maximumBytes = options.maximumBytes ?? MAX_RESPONSE_BYTES
  const agents = options.keepAlive ? keepingAgents() : undefined

  return async (first) => {
    const deadline = performance.now() + first.milliseconds
    let request = first
    for (let redirects = 0; ; redirects += 1) {
      const target = checkTarget(request, allowed)
      if ('ok' in target) return target
      const found = await find(target.host, target.isAllowed, deadline)
      if (!Array.isArray(found)) return found
      const left = Math.max(1, deadline - performance.now())
      const response = await send(request, target, found, left, request.maximumBytes ?? maximumBytes, agents)
      if (!('location' in response)) return response
      if (request.redirects === 'none') {
        const message = `The answer was a redirect (${response.status}), which is not followed`
        return { ...fail('network', message), status: response.status }
      }
      if (redirects === MAX_REDIRECTS) {
        return fail('network', `The request was redirected more than ${MAX_REDIRECTS} times`)
      }
      if (!URL.canParse(response.location, target.url.href)) {
        return fail('network', 'The request was redirected to something that is no URL')
      }
      request = redirectRequest(request, response.status, target.url, new URL(response.location, target.url))
    }
  }
}

/** Builds the request that follows a redirect, as browsers do. Secrets are not sent to another origin. */
function redirectRequest(request: OutboundRequest, status: number, from: URL, to: URL): OutboundRequest {
  const { body, ...rest } = request
  const isFetched = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST'
  const isDropped = (name: string) =>
    (isFetched && bodyHeaders.includes(name.toLowerCase())) ||
    (from.origin !== to.origin && secretHeader.test(name))
  const headers = Object.entries(request.headers).filter(([name]) => !isDropped(name))
  return {
    ...rest,
    url: to.href,
    method: isFetched ? 'GET' : request.method,
    headers: Object.fromEntries(headers),
    ...(isFetched || body === undefined ? {} : { body }),
  }
}

/**
 * Returns why no request to this URL would ever leave; undefined if one would, or if its host cannot be looked up
 * now.
 */
export async function findRejection(url: string, options: OutboundOptions): Promise<string | undefined> {
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()))
  const target = checkTarget({ url, method: 'POST' }, allowed)
  if ('ok' in target) return target.message
  const found = await addressFinder(options)(
    target.host,
    target.isAllowed,
    performance.now() + LOOKUP_TIMEOUT_MS,
  )
  return 'ok' in found && found.reason === 'refused' ? found.message : undefined
}

export function checkTarget(
  request: Pick<OutboundRequest, 'url' | 'method'>,
  allowed: Set<string>,
): Target | OutboundFailure {
  if (!methods.has(request.method)) return fail('refused', `The method ${request.method} is not supported`)
  let url: URL
  try {
    url = new URL(request.url)
  } catch {
    return fail('refused', 'The URL is not valid')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return fail('refused', 'Only http and https URLs are supported')
  }
  if (url.username !== '' || url.password !== '') {
    return fail('refused', 'User name and password in a URL are not supported, use a header')
  }
  const host = url.hostname.replace(/\.$/, '')
  const isUsualPort = url.port === ''
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const isOtherUsualPort = port === '80' || port === '443'
  const isAllowed = allowed.has(`${host}:${port}`) || (isOtherUsualPort && allowed.has(host))
  if (!isAllowed && !isUsualPort && !isOtherUsualPort)
    return fail('refused', `Only ports 80 and 443 are open, unless the service allows ${host}:${port}`)
  return { url, host, isAllowed }
}

interface Agents {
  'http:': http.Agent
  'https:': https.Agent
}

/** Closes idle connections before usual servers and balancers do. Retains as many as one host serves concurrently. */
function keepingAgents(): Agents {
  const settings = { keepAlive: true, maxFreeSockets: 32, timeout: IDLE_TIMEOUT_MS }
  return { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) }
}

function send(
  request: OutboundRequest,
  target: Target,
  addresses: string[],
  milliseconds: number,
  maximumBytes: number,
  agents?: Agents,
): Promise<OutboundStream | OutboundFailure | Redirect> {
  const deadline = performance.now() + milliseconds
  return new Promise((resolve) => {
    const client = target.url.protocol === 'https:' ? https : http
    let sent: http.ClientRequest
    let late: OutboundFailure | undefined
    let isAnswered = false
    const end = (isWhole = false): void => {
      clearTimeout(timer)
      if (!isWhole || !agents) sent?.destroy()
    }
    const finish = (response: OutboundFailure | Redirect): void => {
      end()
      resolve(response)
    }
    const timer = setTimeout(() => {
      late = fail('time', `No answer within ${request.milliseconds} ms`)
      finish(late)
    }, milliseconds)
    try {
      sent = client.request(target.url, {
        method: request.method,
        headers: headersToSend(request),
        agent: agents?.[target.url.protocol as keyof Agents] ?? false,
        lookup: (_host, lookupOptions, found) => {
          const records = addresses.map((address) => ({ address, family: isIP(address) }))
          const first = records[0]
          if (lookupOptions.all === true) found(null, records)
          else found(null, first?.address ?? '', first?.family)
        },
      })
    } catch (error) {
      finish(fail('refused', `The request cannot be sent: ${messageOf(error)}`))
      return
    }
    sent.on('error', (error) => {
      // A timeout drops the connection itself, which causes the same errors.
      const isDead = !late && ['ECONNRESET', 'EPIPE'].includes(messageOf(error))
      if (sent.reusedSocket && !isAnswered && isDead) {
        clearTimeout(timer)
        resolve(send(request, target, addresses, Math.max(1, deadline - performance.now()), maximumBytes))
        return
      }
      finish({ ...fail('network', `The request failed: ${messageOf(error)}`), isConnectionLost: true })
    })
    // Without a listener Node would wait for another response after this one.
    sent.on('upgrade', () => finish(fail('network', 'The answer changes the protocol (101)')))
    sent.on('response', (response) => {
      isAnswered = true
      const { statusCode: status = 0, headers } = response
      // The reader of the body receives the error.
      response.on('error', () => {})
      // Node takes any three digits.
      if (status < 100) {
        sent.destroy()
        finish(fail('network', 'The answer has no status of HTTP'))
        return
      }
      const { location } = headers
      if (location !== undefined && redirectStatuses.has(status)) {
        finish({ status, location })
        return
      }
      const body = readBody(response, maximumBytes, end, () => late, request.reserveMemory)
      resolve({ ok: true, status, contentType: headers['content-type'] ?? '', headers, body, end })
    })
    sent.end(request.body)
  })
}

function headersToSend(request: OutboundRequest): Record<string, string> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  for (const [name, value] of Object.entries(request.headers)) {
    if (!connectionHeaders.has(name.toLowerCase())) headers[name.toLowerCase()] = value
  }
  if (request.body !== undefined) headers['content-length'] = String(Buffer.byteLength(request.body))
  return headers
}
