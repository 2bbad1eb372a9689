import type { Issue } from '../../../contract/kit/errors.ts'
import { MAXIMUM_ISSUES } from '../../../contract/kit/errors.ts'
import type { z } from '../../../contract/kit/zod.ts'
import { missingWrapper, unknownProperty } from './property-hints.ts'

/**
 * The issues of the validator in the form of the service: the first of each wrong place, with paths as text. No more than an
 * error body shows: bodies can have hundreds of thousands. `given` is the input that was validated.
 */
export function toIssues(
  error: z.ZodError,
  place: readonly string[],
  schema: z.core.$ZodType,
  given: unknown,
): Issue[] {
  const wrapped = place[0] === 'body' && place.length === 1 ? missingWrapper(error.issues, schema) : undefined
  const firstAt = new Map<string, Issue>()
  for (const issue of issuesIn(error, place, schema, given, wrapped)) {
    const at = JSON.stringify(issue.path)
    if (!firstAt.has(at)) firstAt.set(at, issue)
    if (firstAt.size === MAXIMUM_ISSUES) break
  }
  return [...firstAt.values()]
}

function* issuesIn(
  error: z.ZodError,
  place: readonly string[],
  schema: z.core.$ZodType,
  given: unknown,
  wrapped: ReturnType<typeof missingWrapper>,
): Generator<Issue> {
  for (const issue of error.issues) {
    const path = [...place, ...issue.path.map(String)]
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        if (issue.path.length === 0 && wrapped?.inside.has(key)) continue
        const message = unknownProperty(key, schema, issue.path)
        yield { path: [...path, key], code: issue.code, message }
      }
    } else if (wrapped && issue.path.length === 1 && issue.path[0] === wrapped.wrapper) yield wrapped.issue
    else yield { path, code: issue.code, message: messageOf(issue, given) }
  }
}

/**
 * The validator calls an absent value "undefined", which no caller can send, or an invalid option, and an object of any
 * keys a record.
 */
function messageOf({ message, path }: z.core.$ZodIssue, given: unknown): string {
  const text = message.replace('expected record', 'expected object')
  if (valueAt(given, path) !== undefined) return text
  const [, expected] = /\bexpected (.+)/i.exec(text) ?? []
  return expected === undefined ? text : `Missing: expected ${expected.replace(', received undefined', '')}`
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((part, key) => (part as Record<PropertyKey, unknown> | null | undefined)?.[key], value)
}
