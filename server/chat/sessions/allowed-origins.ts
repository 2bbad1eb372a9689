/*
 * Reads `settings.security.allowedOrigins`: the origins whose pages may show a chat and call its API. An entry is
 * `*`, an origin, or an origin whose host begins with `*.`, which stands for every subdomain.
 */

/** Returns an entry in the one form in which it is compared; undefined where it can match no page. */
export function readAllowedOrigin(entry: unknown): string | undefined {
  if (typeof entry !== 'string') return undefined
  const given = entry.trim()
  if (given === '*') return given
  const [, scheme = '', wildcard = '', host = ''] =
    /^(https?:\/\/)(\*\.)?([^\s/?#@\\*]+)\/*$/i.exec(given) ?? []
  const address = scheme + host
  if (host === '' || !URL.canParse(address)) return undefined
  const { protocol, hostname, port } = new URL(address)
  // Lawful in hosts, but these would end the directive of a policy or begin another one.
  if (!/^[\w.:[\]-]+$/.test(hostname)) return undefined
  return `${protocol}//${wildcard}${hostname.replace(/\.$/, '')}${port && `:${port}`}`
}

/** Returns the entries that can match, or undefined where the bot allows every page. */
export function allowedOriginsOf(entries: unknown): string[] | undefined {
  if (!Array.isArray(entries) || entries.length === 0) return undefined
  const read = entries.map(readAllowedOrigin).filter((entry) => entry !== undefined)
  return read.includes('*') ? undefined : read
}

/** True if one of the entries matches an origin as browsers send it. */
export function matchesOrigin(entries: readonly string[], origin: string): boolean {
  return entries.some((entry) => {
    const [scheme = '', host] = entry.split('*')
    if (host === undefined) return entry === origin
    return origin.startsWith(scheme) && origin.endsWith(host) && origin.length > scheme.length + host.length
  })
}
