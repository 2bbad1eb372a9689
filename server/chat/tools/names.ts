import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * How the name of a host becomes addresses. The system looks names up on two threads for the whole process, that of its
 * database among them, and a name whose server is silent holds one of them until it gives up. So what bots and endpoints
 * name, which can be anything, is asked of the name servers without a thread.
 */

const resolver = new Resolver({ timeout: 2_000, tries: 2 })

/** How each family of addresses is looked up. */
interface Families {
  resolve4(host: string): Promise<string[]>
  resolve6(host: string): Promise<string[]>
}

const families: Families = {
  resolve4: (host) => resolver.resolve4(host),
  resolve6: (host) => resolver.resolve6(host),
}

/** How long the addresses of one family wait for those of the other: servers are silent about IPv6 at times. */
const OTHER_FAMILY_MS = 100

/** The addresses of a host. One that the installation allows may be known to the machine alone, as is one without a dot. */
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
  const asked = [resolve4(host), resolve6(host)].map(async (asking, family) => {
    found[family] = await asking
  })
  await Promise.any(asked).catch(() => {})
  const all = Promise.allSettled(asked)
  if (found.some((addresses) => addresses.length > 0)) {
    await Promise.race([all, sleep(OTHER_FAMILY_MS, undefined, { ref: false })])
  } else await all
  return found.flat()
}
