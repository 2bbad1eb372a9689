import { hash } from 'node:crypto'
import { information } from '../contract/index.ts'
import type { Conditions, NamedTag } from '../contract/operation.ts'

/*
 * Entity tags: `"<id>-<moment of the last change>-<digest>"`. The first two say which state of which record it is,
 * and are all that a write compares; the digest is over whatever else shows in the answer, such as the caller's
 * role. There is never a comma in a tag: some clients split lists at them.
 */

/** A record whose `updatedAt` is another after every change that a caller makes to it. */
export interface Versioned {
  id: string
  updatedAt: Date
}

/** The tag of an answer. `shown` is JSON from which all of the answer follows, apart from the code of this release. */
export function entityTag(record: Versioned, shown: unknown): string {
  const digest = hash('sha256', JSON.stringify([information.version, shown]), 'hex')
  return `"${stateOf(record)}-${digest.slice(0, 16)}"`
}

function stateOf({ id, updatedAt }: Versioned): string {
  return `${id}-${updatedAt.getTime().toString(36)}`
}

export function hasConditions({ ifMatch, ifNoneMatch }: Conditions): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined
}

/** What a read is answered in place of the record, whose tag is `etag`. */
export function readOutcome(
  { ifMatch, ifNoneMatch }: Conditions,
  etag: string,
): 'PRECONDITION_FAILED' | 'NOT_MODIFIED' | undefined {
  const isThis = ({ tag }: NamedTag) => `"${tag}"` === etag
  if (ifMatch && !includes(ifMatch, (named) => !named.isWeak && isThis(named))) return 'PRECONDITION_FAILED'
  return ifNoneMatch && includes(ifNoneMatch, isThis) ? 'NOT_MODIFIED' : undefined
}

/** Whether a write is not to be made, since the record is in another state than its conditions want. */
export function isStale({ ifMatch, ifNoneMatch }: Conditions, record: Versioned): boolean {
  const state = stateOf(record)
  const isThis = ({ tag }: NamedTag) => tag.slice(0, tag.lastIndexOf('-')) === state
  if (ifMatch && !includes(ifMatch, (named) => !named.isWeak && isThis(named))) return true
  return ifNoneMatch !== undefined && includes(ifNoneMatch, isThis)
}

function includes(tags: '*' | readonly NamedTag[], isThis: (named: NamedTag) => boolean): boolean {
  return tags === '*' || tags.some(isThis)
}
