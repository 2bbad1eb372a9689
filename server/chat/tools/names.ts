import { lookup, Resolver } from 'node:dns/promises'

/*
 * How the name of a host becomes addresses. The system looks names up on two threads for the whole process, that of its
 * database among them, and a name whose server is silent holds one of them until it gives up. So what bots and endpoints
 * name, which can be anything, is asked of the name servers without a thread.
 */

const resolver = new Resolver({ timeout: 2_000, tries: 2 })

/** The addresses of a host. One that the installation allows may be known to the machine alone, as is one without a dot. */
export async function addressesOf(host: string, isAllowed: boolean): Promise<string[]> {
  if (isAllowed || !host.includes('.')) {
    const found = await lookup(host, { all: true })
    return found.map(({ address }) => address)
  }
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
