import type { Issue } from '../../../contract/errors.ts'
import { filledText, valueAt } from '../../json/access.ts'
import type { Flow } from '../engine/types.ts'

/* The settings of a bot that decide if a visitor may start a chat, and if the bot remembers visitors. */

export function closedIssue(flow: Flow): Issue {
  const given = filledText(valueAt(flow.settings, 'general', 'systemMessages', 'botClosed'))
  const message = given?.slice(0, 2000) ?? 'This bot is closed'
  return { path: ['path', 'publicId'], code: 'bot_closed', message }
}

export function remembersUsers(flow: Flow): boolean {
  const isEnabled = valueAt(flow.settings, 'general', 'rememberUser', 'isEnabled')
  if (typeof isEnabled === 'boolean') return isEnabled
  return valueAt(flow.settings, 'general', 'isNewResultOnRefreshEnabled') === false
}

/**
 * Rejects origins missing from `allowedOrigins`, if there is such a list. Requests without an origin come from no
 * page. Only the browser can say that a request has the same origin: pages cannot forge `sec-fetch-site`.
 */
export function checkOrigin(
  flow: Flow,
  header: (name: 'origin' | 'sec-fetch-site') => string | undefined,
  ownUrl: string | undefined,
): Issue | undefined {
  const origin = header('origin')
  const allowed = allowedOriginsOf(valueAt(flow.settings, 'security', 'allowedOrigins'))
  if (origin === undefined || allowed === undefined) return undefined
  const isOwn =
    (ownUrl !== undefined && new URL(ownUrl).origin === origin) || header('sec-fetch-site') === 'same-origin'
  if (isOwn || matchesOrigin(allowed, origin)) return undefined
  return {
    path: ['header', 'origin'],
    code: 'origin_not_allowed',
    message:
      'The bot does not allow this origin; its settings list those it does, in security.allowedOrigins',
  }
}

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
