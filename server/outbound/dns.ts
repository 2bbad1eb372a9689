import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * Resolves names of hosts. The resolver of the system has two threads for the whole process, which the lookup of the
 * database needs too, and a silent name server blocks one of them until its timeout. So names from bots and
 * endpoints, which can be anything, are sent to the name servers directly, without a thread.
 */

const resolver = new Resolver({ timeout: 2_000, tries: 2 })

/** Lookups for each family of addresses. */
interface Families {
  resolve4(host: string): Promise<string[]>
  resolve6(host: string): Promise<string[]>
}

const families: Families = {
  resolve4: (host) => resolver.resolve4(host),
  resolve6: (host) => resolver.resolve6(host),
}

/** Time that the addresses of one family wait for those of the other: some servers do not respond for IPv6. */
const OTHER_FAMILY_MS = 100

/**
 * Returns the addresses of a host. The machine resolves allowed hosts and names without a dot, which only it may
 * know.
 */
export async function addressesOf(
  host: string,
  isAllowed: boolean,
  { resolve4, resolve6 }: Families = families,
): Promise<string[]> {
  if (isAllowed || !host.includes('.')) {
    const found = await lookup(host, { all: true })
    return found.map(({ address }) => address)
  }
  const found: [string[], string[]] = [[], []]
  const lookups = [resolve4(host), resolve6(host)].map(async (asking, family) => {
    found[family] = await asking
  })
  await Promise.any(lookups).catch(() => {})
  const all = Promise.allSettled(lookups)
  if (found.some((addresses) => addresses.length > 0)) {
    await Promise.race([all, sleep(OTHER_FAMILY_MS, undefined, { ref: false })])
  } else await all
  return found.flat()
}
