import type { Issue } from '../../contract/errors.ts'
import type { z } from '../../contract/zod.ts'
import { missingWrapper, unknownProperty } from './property-hints.ts'

/** The issues of the validator in the form of the service: the first of each wrong place, with paths as text. */
export function toIssues(error: z.ZodError, place: readonly string[], schema: z.core.$ZodType): Issue[] {
  const wrapped = place[0] === 'body' && place.length === 1 ? missingWrapper(error.issues, schema) : undefined
  const issues = error.issues.flatMap((issue): Issue[] => {
    const path = [...place, ...issue.path.map(String)]
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys.filter((key) => !(issue.path.length === 0 && wrapped?.inside.has(key)))
      return keys.map((key) => ({
        path: [...path, key],
        code: issue.code,
        message: unknownProperty(key, schema, issue.path),
      }))
    }
    if (wrapped && issue.path.length === 1 && issue.path[0] === wrapped.wrapper) return [wrapped.issue]
    return [{ path, code: issue.code, message: messageOf(issue) }]
  })
  const firstAt = new Map<string, Issue>()
  for (const issue of issues) {
    const at = JSON.stringify(issue.path)
    if (!firstAt.has(at)) firstAt.set(at, issue)
  }
  return [...firstAt.values()]
}

/** The validator calls a value that is absent "undefined", which no caller can send. */
function messageOf({ message }: z.core.$ZodIssue): string {
  const [, expected] = /^Invalid input: expected (.+), received undefined$/.exec(message) ?? []
  if (expected !== undefined) return `Missing: expected ${expected}`
  return message
}
