/* The settings of a bot that decide if a visitor may start a chat, and if the bot remembers visitors. */

import type { Issue } from '../../../contract/errors.ts'
import { at, filledText } from '../../json/access.ts'
import type { Flow } from '../engine/types.ts'
import { allowedOriginsOf, matchesOrigin } from './allowed-origins.ts'

export function closedIssue(flow: Flow): Issue {
  const given = filledText(at(flow.settings, 'general', 'systemMessages', 'botClosed'))
  const message = given?.slice(0, 2000) ?? 'This bot is closed'
  return { path: ['path', 'publicId'], code: 'bot_closed', message }
}

export function remembersUsers(flow: Flow): boolean {
  const isEnabled = at(flow.settings, 'general', 'rememberUser', 'isEnabled')
  if (typeof isEnabled === 'boolean') return isEnabled
  return at(flow.settings, 'general', 'isNewResultOnRefreshEnabled') === false
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
  const allowed = allowedOriginsOf(at(flow.settings, 'security', 'allowedOrigins'))
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
