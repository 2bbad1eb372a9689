/**
 * The one client for requests that leave the service on behalf of a bot.
 *
 * The addresses of the target are looked up once, every one of them must be public, and the connection goes to exactly
 * those addresses, so that neither a disguised private address nor a name that changes its mind reaches the inside.
 * Redirects are followed, each to a target that is checked in the same way.
 */
import { lookup as systemLookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, isIPv4 } from 'node:net'

export interface OutboundRequest {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
  /** For everything together: lookups, redirects and the answer. */
  milliseconds: number
}

export type OutboundReply =
  | { ok: true; status: number; contentType: string; body: Uint8Array }
  | { ok: false; reason: 'refused' | 'time' | 'size' | 'network'; message: string }

export interface OutboundOptions {
  /**
   * Hosts that may be reached although they are private. `host` opens ports 80 and 443, `host:port` that port only.
   * IPv6 addresses are written in brackets.
   */
  allowedHosts: readonly string[]
  maximumBytes?: number
  lookup?: (host: string) => Promise<string[]>
}

export type OutboundClient = (request: OutboundRequest) => Promise<OutboundReply>

type Refusal = Extract<OutboundReply, { ok: false }>
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
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()))
  const lookup = options.lookup ?? lookupAll
  const maximumBytes = options.maximumBytes ?? oneMebibyte

  return async (first) => {
    const deadline = Date.now() + first.milliseconds
    let request = first
    for (let redirects = 0; ; redirects += 1) {
      const target = checkTarget(request, allowed)
      if ('ok' in target) return target
      const found = await withinTime(findAddresses(target, lookup), Math.max(1, deadline - Date.now()))
      if (found === 'late') return fail('time', 'The name of the host could not be looked up in time')
      if (!Array.isArray(found)) return found
      const reply = await send(request, target, found, Math.max(1, deadline - Date.now()), maximumBytes)
      if (!('location' in reply)) return reply
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

/** Whether packets to this address stay on the public Internet. Anything that is not a plain public address does not. */
export function isPublicAddress(address: string): boolean {
  const plain = address.split('%')[0] ?? ''
  if (isIPv4(plain)) return !privateIPv4.check(plain, 'ipv4')
  if (isIP(plain) !== 6) return false
  const words = wordsOfIPv6(plain)
  if (words === null) return false
  const embedded = embeddedIPv4(words)
  if (embedded !== null) return !privateIPv4.check(embedded, 'ipv4')
  return globalIPv6.check(plain, 'ipv6') && !specialIPv6.check(plain, 'ipv6')
}

function checkTarget(request: OutboundRequest, allowed: Set<string>): Target | Refusal {
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

async function findAddresses(target: Target, lookup: (host: string) => Promise<string[]>) {
  const literal = target.host.replace(/^\[|\]$/g, '')
  let addresses: string[]
  try {
    addresses = isIP(literal) === 0 ? await lookup(target.host) : [literal]
  } catch {
    return fail('network', 'The name of the host could not be looked up')
  }
  if (addresses.length === 0) return fail('network', 'The name of the host could not be looked up')
  if (!target.isAllowed && !addresses.every(isPublicAddress)) {
    return fail('refused', 'The host is in a private network')
  }
  return addresses
}

async function lookupAll(host: string): Promise<string[]> {
  const found = await systemLookup(host, { all: true })
  return found.map((entry) => entry.address)
}

function send(
  request: OutboundRequest,
  target: Target,
  addresses: string[],
  milliseconds: number,
  maximumBytes: number,
): Promise<OutboundReply | Redirect> {
  return new Promise((resolve) => {
    const client = target.url.protocol === 'https:' ? https : http
    let sent: http.ClientRequest
    const timer = setTimeout(
      () => finish(fail('time', `No answer within ${request.milliseconds} ms`)),
      milliseconds,
    )
    const finish = (reply: OutboundReply | Redirect): void => {
      clearTimeout(timer)
      resolve(reply)
      sent?.destroy()
    }
    try {
      sent = client.request(target.url, {
        method: request.method,
        headers: headersToSend(request),
        agent: false,
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
    sent.on('error', (error) => finish(fail('network', `The request failed: ${messageOf(error)}`)))
    sent.on('response', (response) => {
      const { statusCode: status = 0 } = response
      const { location } = response.headers
      if (location !== undefined && redirectStatuses.has(status)) {
        finish({ status, location })
        return
      }
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maximumBytes) finish(fail('size', `The answer is larger than ${maximumBytes} bytes`))
        else chunks.push(chunk)
      })
      response.on('error', (error) => finish(fail('network', `The answer broke off: ${messageOf(error)}`)))
      response.on('end', () =>
        finish({
          ok: true,
          status,
          contentType: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks),
        }),
      )
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

function blockList(type: 'ipv4' | 'ipv6', subnets: [string, number][]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, type)
  return list
}

const privateIPv4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

const globalIPv6 = blockList('ipv6', [['2000::', 3]])

/** Parts of the global space that are protocol assignments (Teredo among them) or documentation. */
const specialIPv6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
])

/** The IPv4 address that packets to this IPv6 address end up at, for the forms that carry one. */
function embeddedIPv4(words: number[]): string | null {
  const [first = 0, second = 0, third = 0] = words
  const isZeroUpTo = (end: number) => words.slice(0, end).every((word) => word === 0)
  const isMapped = isZeroUpTo(5) && words[5] === 0xffff
  const isTranslated = isZeroUpTo(4) && words[4] === 0xffff && words[5] === 0
  const isCompatible = isZeroUpTo(6)
  const isNat64 = first === 0x64 && second === 0xff9b && words.slice(2, 6).every((word) => word === 0)
  if (isMapped || isTranslated || isCompatible || isNat64) return dotted(words[6] ?? 0, words[7] ?? 0)
  if (first === 0x2002) return dotted(second, third)
  return null
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight 16-bit words of an IPv6 address in any notation. */
function wordsOfIPv6(address: string): number[] | null {
  if (!URL.canParse(`http://[${address}]`)) return null
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = '', right] = canonical.split('::')
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))
  const before = words(left)
  const after = words(right ?? '')
  if (right === undefined) return before
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}
