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
import { isPublicAddress } from './addresses.ts'
import { addressesOf } from './names.ts'

export interface OutboundRequest {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
  /** For everything together: lookups, redirects and the answer. */
  milliseconds: number
  /** By default they are followed. */
  redirects?: 'none'
}

export type OutboundReply =
  | { ok: true; status: number; contentType: string; headers: http.IncomingHttpHeaders; body: Uint8Array }
  | { ok: false; reason: 'refused' | 'time' | 'size' | 'network'; message: string }

/** An answer whose body is still to come. */
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

/** Why a body is not whole. */
export class BrokenOff extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export interface OutboundOptions {
  /**
   * Hosts that may be reached although they are private. `host` opens ports 80 and 443, `host:port` that port only.
   * IPv6 addresses are written in brackets.
   */
  allowedHosts: readonly string[]
  maximumBytes?: number
  /**
   * Whether connections are used again for a while, each to the addresses that were checked when it was opened. A request
   * whose connection turns out to be closed by then is sent once more. By default each request has one of its own.
   */
  keepAlive?: boolean
  lookup?: (host: string) => Promise<string[]>
}

export type OutboundClient = (request: OutboundRequest) => Promise<OutboundReply>

/** The same, for bodies that are read as they come. */
export type StreamingClient = (request: OutboundRequest) => Promise<OutboundStream | Refusal>

export type Refusal = Extract<OutboundReply, { ok: false }>
interface Redirect {
  status: number
  location: string
}
interface Target {
  url: URL
  host: string
  isAllowed: boolean
}

const oneMebibyte = 1_048_576
const maximumRedirects = 5
/** How long a connection that is kept may be idle. */
const IDLE_MILLISECONDS = 4_000
const LOOKUP_MILLISECONDS = 2_000
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Headers that belong to the connection. The caller's values would contradict what is really sent. */
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
const secretHeaders = ['authorization', 'cookie']

/** Other answers of this class, such as 304, lead nowhere. */
const redirectStatuses = new Set([301, 302, 303, 307, 308])

export function outboundClient(options: OutboundOptions): OutboundClient {
  const open = streamingClient(options)
  return async (request) => {
    const reply = await open(request)
    if (!reply.ok) return reply
    const { status, contentType, headers } = reply
    const chunks: Buffer[] = []
    try {
      for await (const chunk of reply.body) chunks.push(chunk)
    } catch (error) {
      if (error instanceof BrokenOff) return error.refusal
      throw error
    }
    return { ok: true, status, contentType, headers, body: Buffer.concat(chunks) }
  }
}

export function streamingClient(options: OutboundOptions): StreamingClient {
  const find = addressFinder(options)
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()))
  const maximumBytes = options.maximumBytes ?? oneMebibyte
  const agents = options.keepAlive ? keepingAgents() : undefined

  return async (first) => {
    const deadline = Date.now() + first.milliseconds
    let request = first
    for (let redirects = 0; ; redirects += 1) {
      const target = checkTarget(request, allowed)
      if ('ok' in target) return target
      const found = await find(target.host, target.isAllowed, deadline)
      if (!Array.isArray(found)) return found
      const left = Math.max(1, deadline - Date.now())
      const reply = await send(request, target, found, left, maximumBytes, agents)
      if (!('location' in reply)) return reply
      if (request.redirects === 'none') {
        return fail('network', `The answer was a redirect (${reply.status}), which is not followed`)
      }
      if (redirects === maximumRedirects) {
        return fail('network', `The request was redirected more than ${maximumRedirects} times`)
      }
      if (!URL.canParse(reply.location, target.url.href)) {
        return fail('network', 'The request was redirected to something that is no URL')
      }
      request = redirected(request, reply.status, target.url, new URL(reply.location, target.url))
    }
  }
}

/** Ports of mail servers, which need not be allowed one by one. */
const mailPorts = new Set([25, 465, 587, 2525])

/** Where to reach a mail server that a bot brings along: its addresses, all of them public unless it is allowed. */
export function mailHostFinder(options: OutboundOptions) {
  const find = addressFinder(options)
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()))
  return async (host: string, port: number, milliseconds: number): Promise<string[] | Refusal> => {
    const isAllowed = allowed.has(`${host.toLowerCase()}:${port}`)
    if (!isAllowed && !mailPorts.has(port)) {
      return fail('refused', `Port ${port} is not open, unless the service allows ${host}:${port}`)
    }
    return find(host, isAllowed, Date.now() + milliseconds)
  }
}

function addressFinder(options: OutboundOptions) {
  const lookup = options.lookup ?? addressesOf
  return async (host: string, isAllowed: boolean, deadline: number): Promise<string[] | Refusal> => {
    const finding = findAddresses({ host, isAllowed }, lookup)
    const found = await withinTime(finding, Math.max(1, deadline - Date.now()))
    return found === 'late' ? fail('time', 'The name of the host could not be looked up in time') : found
  }
}

/** The request that follows a redirect, as browsers make it. Another origin is not told who the caller is. */
function redirected(request: OutboundRequest, status: number, from: URL, to: URL): OutboundRequest {
  const { body, ...rest } = request
  const isFetched = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST'
  const dropped = new Set<string>()
  if (isFetched) for (const name of bodyHeaders) dropped.add(name)
  if (from.origin !== to.origin) for (const name of secretHeaders) dropped.add(name)
  const headers = Object.entries(request.headers).filter(([name]) => !dropped.has(name.toLowerCase()))
  return {
    ...rest,
    url: to.href,
    method: isFetched ? 'GET' : request.method,
    headers: Object.fromEntries(headers),
    ...(isFetched || body === undefined ? {} : { body }),
  }
}

/** Why no request to this URL would ever leave; undefined where one would, or its host cannot be looked up now. */
export async function whyRefused(url: string, options: OutboundOptions): Promise<string | undefined> {
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()))
  const target = checkTarget({ url, method: 'POST' }, allowed)
  if ('ok' in target) return target.message
  const found = await addressFinder(options)(target.host, target.isAllowed, Date.now() + LOOKUP_MILLISECONDS)
  return 'ok' in found && found.reason === 'refused' ? found.message : undefined
}

function checkTarget(
  request: Pick<OutboundRequest, 'url' | 'method'>,
  allowed: Set<string>,
): Target | Refusal {
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

async function findAddresses(
  target: Pick<Target, 'host' | 'isAllowed'>,
  lookup: typeof addressesOf,
): Promise<string[] | Refusal> {
  const literal = target.host.replace(/^\[|\]$/g, '')
  let addresses: string[]
  try {
    addresses = isIP(literal) === 0 ? await lookup(target.host, target.isAllowed) : [literal]
  } catch {
    return fail('network', 'The name of the host could not be looked up')
  }
  if (addresses.length === 0) return fail('network', 'The name of the host could not be looked up')
  if (!target.isAllowed && !addresses.every(isPublicAddress)) {
    return fail('refused', 'The host is in a private network')
  }
  return addresses
}

interface Agents {
  'http:': http.Agent
  'https:': https.Agent
}

/** Idle connections are closed before usual servers and balancers do so. As many are kept as one host is asked at once. */
function keepingAgents(): Agents {
  const settings = { keepAlive: true, maxFreeSockets: 32, timeout: IDLE_MILLISECONDS }
  return { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) }
}

function send(
  request: OutboundRequest,
  target: Target,
  addresses: string[],
  milliseconds: number,
  maximumBytes: number,
  agents?: Agents,
): Promise<OutboundStream | Refusal | Redirect> {
  const deadline = Date.now() + milliseconds
  return new Promise((resolve) => {
    const client = target.url.protocol === 'https:' ? https : http
    let sent: http.ClientRequest
    let late: Refusal | undefined
    let isAnswered = false
    const end = (isWhole = false): void => {
      clearTimeout(timer)
      if (!isWhole || !agents) sent?.destroy()
    }
    const finish = (reply: Refusal | Redirect): void => {
      end()
      resolve(reply)
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
      // Whose time is over has dropped the connection, which says the same.
      const isDead = !late && ['ECONNRESET', 'EPIPE'].includes(messageOf(error))
      if (sent.reusedSocket && !isAnswered && isDead) {
        clearTimeout(timer)
        resolve(send(request, target, addresses, Math.max(1, deadline - Date.now()), maximumBytes))
        return
      }
      finish(fail('network', `The request failed: ${messageOf(error)}`))
    })
    sent.on('response', (response) => {
      isAnswered = true
      const { statusCode: status = 0, headers } = response
      // Whoever reads the body is told there.
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
      const body = read(response, maximumBytes, end, () => late)
      resolve({ ok: true, status, contentType: headers['content-type'] ?? '', headers, body, end })
    })
    sent.end(request.body)
  })
}

async function* read(
  response: http.IncomingMessage,
  maximumBytes: number,
  end: (isWhole: boolean) => void,
  whyLate: () => Refusal | undefined,
): AsyncGenerator<Buffer> {
  let size = 0
  let isWhole = false
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maximumBytes) {
        throw new BrokenOff(fail('size', `The answer is larger than ${maximumBytes} bytes`))
      }
      yield chunk
    }
    isWhole = true
  } catch (error) {
    if (error instanceof BrokenOff) throw error
    throw new BrokenOff(whyLate() ?? fail('network', `The answer broke off: ${messageOf(error)}`))
  } finally {
    end(isWhole)
  }
}

function headersToSend(request: OutboundRequest): Record<string, string> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  for (const [name, value] of Object.entries(request.headers)) {
    if (!connectionHeaders.has(name.toLowerCase())) headers[name.toLowerCase()] = value
  }
  if (request.body !== undefined) headers['content-length'] = String(Buffer.byteLength(request.body))
  return headers
}

async function withinTime<Value>(work: Promise<Value>, milliseconds: number): Promise<Value | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function fail(reason: Refusal['reason'], message: string): Refusal {
  return { ok: false, reason, message }
}

/** The system's code where there is one: messages of the resolver and the socket name addresses. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
