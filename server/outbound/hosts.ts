/** Looks up hosts that bots name: all addresses have to be public, unless the installation allows the host. */
import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'
import { addressesOf } from './dns.ts'
import { fail, type OutboundFailure } from './failure.ts'

export interface HostOptions {
  /**
   * Hosts that may be reached although they are private. `host` opens ports 80 and 443, `host:port` that port only.
   * IPv6 addresses are written in brackets.
   */
  allowedHosts: readonly string[]
  lookup?: (host: string) => Promise<string[]>
}

/** Ports of mail servers, which need not be allowed one by one. */
const mailPorts = new Set([25, 465, 587, 2525])

/** Returns a function that finds the addresses of a mail server from the settings of a bot. */
export function mailHostFinder(options: HostOptions) {
  const find = addressFinder(options)
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()))
  return async (host: string, port: number, milliseconds: number): Promise<string[] | OutboundFailure> => {
    const isAllowed = allowed.has(`${host.toLowerCase()}:${port}`)
    if (!isAllowed && !mailPorts.has(port)) {
      return fail('refused', `Port ${port} is not open, unless the service allows ${host}:${port}`)
    }
    return find(host, isAllowed, performance.now() + milliseconds)
  }
}

export function addressFinder(options: HostOptions) {
  const lookup = options.lookup ?? addressesOf
  return async (host: string, isAllowed: boolean, deadline: number): Promise<string[] | OutboundFailure> => {
    const finding = findAddresses(host, isAllowed, lookup)
    const found = await withinTime(finding, Math.max(1, deadline - performance.now()))
    return found === 'late' ? fail('time', 'The name of the host could not be looked up in time') : found
  }
}

async function findAddresses(
  host: string,
  isAllowed: boolean,
  lookup: typeof addressesOf,
): Promise<string[] | OutboundFailure> {
  const literal = host.replace(/^\[|\]$/g, '')
  let addresses: string[]
  try {
    addresses = isIP(literal) === 0 ? await lookup(host, isAllowed) : [literal]
  } catch {
    return fail('network', 'The name of the host could not be looked up')
  }
  if (addresses.length === 0) return fail('network', 'The name of the host could not be looked up')
  if (!isAllowed && !addresses.every(isPublicAddress)) {
    return fail('refused', 'The host is in a private network')
  }
  return addresses
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
