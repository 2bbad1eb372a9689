import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'
import { checkTarget, type OutboundOptions } from './client.ts'

/** Returns why no request to this URL would ever leave, without a lookup: hosts such as `api` are never public. */
export function findPermanentRejection(url: string, { allowedHosts }: OutboundOptions): string | undefined {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const target = checkTarget({ url, method: 'POST' }, allowed)
  if ('ok' in target) return target.message
  if (target.isAllowed) return undefined
  const literal = target.host.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0) return isPublicAddress(literal) ? undefined : 'The address is in a private network'
  return /^[^.]+$|\.(local|localhost|internal|home\.arpa)$/.test(literal)
    ? `The host ${literal} is in a private network`
    : undefined
}
