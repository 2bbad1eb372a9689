import type { Issue } from '../../../contract/kit/errors.ts'
import { MAX_ISSUES } from '../../../contract/kit/errors.ts'
import type { z } from '../../../contract/kit/zod.ts'
import { missingWrapper, unknownProperty } from './property-hints.ts'

/**
 * The issues of the validator in the form of the service: the first of each wrong place, with paths as text. No more
 * than an error body shows: bodies can have hundreds of thousands. `given` is the input that was validated.
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
    if (firstAt.size === MAX_ISSUES) break
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

const inWordsOfCallers: [ofValidator: string, text: string][] = [
  ['expected record', 'expected object'],
  ['Invalid discriminator value. Expected', 'Invalid option: expected'],
  ['Invalid ISO datetime', 'Expected a date and time with its time zone, such as 2026-03-05T12:30:00.000Z'],
]

/** The validator calls an absent value "undefined", which no caller can send, or an invalid option. */
function messageOf({ message, path }: z.core.$ZodIssue, given: unknown): string {
  const text = inWordsOfCallers.reduce((so, [ofValidator, words]) => so.replace(ofValidator, words), message)
  const value = valueAt(given, path)
  if (value !== undefined) {
    // A tag is a text: the number 6.1 is not one of '6' | '6.1'.
    const isOtherType = message.startsWith('Invalid discriminator') && typeof value !== 'string'
    return isOtherType ? `${text}, received ${typeof value}` : text
  }
  const misplaced = path.length === 1 ? objectWith(given, path[0] as PropertyKey) : undefined
  if (misplaced !== undefined) return `Missing: send it in the body itself, not inside ${misplaced}`
  const [, expected] = /\bexpected (.+)/i.exec(text) ?? []
  return expected === undefined ? text : `Missing: expected ${expected.replace(', received undefined', '')}`
}

/** The property whose object has the missing property beside it. */
function objectWith(given: unknown, name: PropertyKey): string | undefined {
  const objects = Object.entries(given ?? {}).filter(([, value]) => typeof value === 'object')
  return objects.find(([, value]) => valueAt(value, [name]) !== undefined)?.[0]
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((part, key) => (part as Record<PropertyKey, unknown> | null | undefined)?.[key], value)
}
