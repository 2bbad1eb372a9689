import type { Issue } from '../../contract/errors.ts'
import { type Config, hostOf } from '../config.ts'
import { hostOfDomain } from './domains.ts'

/*
 * Hosts of the service itself. Bots get none of them, and none that could set cookies there or be set cookies by them.
 */

type Addresses = Pick<Config, 'PUBLIC_URL' | 'CHAT_URL' | 'OWN_HOSTS'>

/** All names by which members and visitors reach the service, as far as the configuration says them. */
export function ownHosts({ PUBLIC_URL, CHAT_URL, OWN_HOSTS }: Addresses): string[] {
  return [...[PUBLIC_URL, CHAT_URL].flatMap((url) => (url === undefined ? [] : [hostOf(url)])), ...OWN_HOSTS]
}

/** Returns why a bot cannot get a domain; undefined where it may. A domain that it has already stays. */
export function reservedDomain(
  config: Addresses,
  domain: string | null | undefined,
  stored: string | null = null,
): Issue | undefined {
  if (!domain || domain === stored) return undefined
  const host = hostOfDomain(domain)
  const own = ownHosts(config).find((each) => isRelated(host, each))
  if (own === undefined) return undefined
  const message =
    host === own
      ? `${host} is a host of the service; send another one`
      : `${host} shares cookies with ${own}, a host of the service; send one that is neither above nor below it`
  return { path: ['body', 'bot', 'customDomain'], code: 'reserved_host', message }
}

function isRelated(host: string, own: string): boolean {
  return host === own || host.endsWith(`.${own}`) || own.endsWith(`.${host}`)
}
