import type { Operation } from '../operation.ts'
import { freeText, type JsonObject } from './schemas.ts'

/* Headers of operations that are conditional, deprecated or have a minimal response. */

// The tags of the service are ASCII. A quotation mark is written as \x22: some generators escape it twice.
const tag = '(W/)?\\x22[\\x21\\x23-\\x7e]*\\x22'
const tags = `(\\*|${tag}([ \\t]*,[ \\t]*${tag})*)`

/** Maximum length of one of these headers: a quarter of the 16 KiB of all headers. */
const MAX_HEADER_CHARACTERS = 4096

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query.',
  schema: { type: 'string', maxLength: MAX_HEADER_CHARACTERS, pattern: `^${tags}$` },
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state.',
  schema: { type: 'string', maxLength: MAX_HEADER_CHARACTERS, pattern: `^${tags}$` },
}

const prefer = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'With `return=minimal`, the response is a brief form of the record (RFC 7240), and has `Preference-Applied`. Other preferences are ignored.',
  schema: { type: 'string', maxLength: MAX_HEADER_CHARACTERS, pattern: freeText },
}

/**
 * Published request headers of an operation. Only the useful condition is listed, but the service applies both, as
 * HTTP requires.
 */
export function headerParameters({ isConditional, method, success }: Operation): JsonObject[] {
  const condition = method === 'get' ? ifNoneMatch : ifMatch
  return [...(isConditional ? [condition] : []), ...(success.minimal ? [prefer] : [])]
}

/** Headers of its successful response. */
export function conditionalHeaders({ isConditional, method, success, deprecated }: Operation): JsonObject {
  const headerReference = (name: string) => ({ $ref: `#/components/headers/${name}` })
  const isTagged = isConditional && method !== 'delete'
  return {
    ...(isTagged || success.minimal ? { ETag: headerReference('ETag') } : {}),
    ...(success.minimal ? { 'Preference-Applied': headerReference('PreferenceApplied') } : {}),
    ...(deprecated ? { Deprecation: headerReference('Deprecation'), Sunset: headerReference('Sunset') } : {}),
    ...(deprecated?.successor ? { Link: headerReference('Successor') } : {}),
    ...Object.fromEntries(
      Object.entries(success.headers ?? {}).map(([header, component]) => [
        header,
        headerReference(component),
      ]),
    ),
  }
}

export const notModified: JsonObject = {
  description: 'The record is in a state that `If-None-Match` names; nothing is sent again.',
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    ETag: { $ref: '#/components/headers/ETag' },
  },
}
