import type { IncomingMessage } from 'node:http'
import type { Issue } from '../../contract/kit/errors.ts'
import type { Conditions, NamedTag, Operation } from '../../contract/kit/operation.ts'

/*
 * Conditions of a request on the state of its record (RFC 9110, 13.1), and its preference for the response (RFC 7240).
 */

/**
 * Reads the conditions of a request and adds their issues to `issues`. A write without support for conditions rejects
 * them, since its caller relies on them. A read without support has no tags, so callers have none to send.
 */
export function readConditions(
  { isConditional, method }: Operation,
  request: IncomingMessage,
  issues: Issue[],
): Conditions {
  const conditions: Conditions = {}
  if (!isConditional && method === 'get') return conditions
  for (const [name, header] of [
    ['ifMatch', 'if-match'],
    ['ifNoneMatch', 'if-none-match'],
  ] as const) {
    const given = request.headers[header]
    if (given === undefined) continue
    if (!isConditional) {
      issues.push({ path: ['header', header], code: 'unexpected', message: noConditions })
      continue
    }
    const tags = given.trim() === '*' ? '*' : parseTags(given)
    if (tags) conditions[name] = tags
    else issues.push({ path: ['header', header], code: 'malformed', message: howTo })
  }
  return conditions
}

const howTo =
  'Send entity tags as the header ETag has them, with their double quotes and separated by commas, or *'

const noConditions = 'This operation takes no conditions; send the request without this header'

/** One entry of a list; tags may have commas in them, so the list cannot be split at those. */
const entry = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y

function parseTags(text: string): NamedTag[] | undefined {
  const tags: NamedTag[] = []
  entry.lastIndex = 0
  while (entry.lastIndex < text.length) {
    const found = entry.exec(text)
    if (!found) return undefined
    // Entries may be empty, as in every list of HTTP.
    if (found[2] !== undefined) tags.push({ isWeak: found[1] !== undefined, tag: found[2] })
  }
  return tags.length > 0 ? tags : undefined
}

/** True if a request prefers `return=minimal`. */
export function prefersMinimal({ success }: Operation, request: IncomingMessage): boolean {
  if (!success.minimal || request.headers.prefer === undefined) return false
  return preferencesOf(request).get('return') === 'minimal'
}

/** Preferences of a request, by their names in lower case; the first of duplicates counts. */
export function preferencesOf({ headers }: IncomingMessage): Map<string, string> {
  const preferences = new Map<string, string>()
  for (const [preference] of String(headers.prefer ?? '').matchAll(outsideQuotes)) {
    const [, name, value = ''] = /^[ \t]*([^=; \t]+)[ \t]*=[ \t]*("[^"]*"|[^"; \t]*)/.exec(preference) ?? []
    const key = name?.toLowerCase()
    if (key && !preferences.has(key)) preferences.set(key, value.replaceAll('"', ''))
  }
  return preferences
}

/** Matches the parts between commas outside quotes. A quote always ends, so no character is read twice. */
const outsideQuotes = /(?:[^",]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/gs

export function hasConditions({ ifMatch, ifNoneMatch }: Conditions): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined
}

/** Returns the response to a conditional read if it is not the record itself. `etag` is the tag of the record. */
export function readOutcome(
  { ifMatch, ifNoneMatch }: Conditions,
  etag: string,
): 'PRECONDITION_FAILED' | 'NOT_MODIFIED' | undefined {
  const isThis = ({ tag }: NamedTag) => `"${tag}"` === etag
  if (ifMatch && !includes(ifMatch, (named) => !named.isWeak && isThis(named))) return 'PRECONDITION_FAILED'
  return ifNoneMatch && includes(ifNoneMatch, isThis) ? 'NOT_MODIFIED' : undefined
}

/** True if the conditions of a write do not match the state of the record. */
export function isStale({ ifMatch, ifNoneMatch }: Conditions, state: string): boolean {
  const isThis = ({ tag }: NamedTag) => tag.slice(0, tag.lastIndexOf('-')) === state
  if (ifMatch && !includes(ifMatch, (named) => !named.isWeak && isThis(named))) return true
  return ifNoneMatch !== undefined && includes(ifNoneMatch, isThis)
}

function includes(tags: '*' | readonly NamedTag[], isThis: (named: NamedTag) => boolean): boolean {
  return tags === '*' || tags.some(isThis)
}
