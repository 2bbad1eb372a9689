import type { Issue } from '../../contract/errors.ts'
import type { z } from '../../contract/zod.ts'

/** The issues of the validator in the form of the service: the first of each wrong place, with paths as text. */
export function toIssues(error: z.ZodError, place: readonly string[]): Issue[] {
  const issues = error.issues.flatMap((issue): Issue[] => {
    const path = [...place, ...issue.path.map(String)]
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [...path, key],
        code: issue.code,
        message: 'Unknown property',
      }))
    }
    return [{ path, code: issue.code, message: issue.message }]
  })
  const firstAt = new Map<string, Issue>()
  for (const issue of issues) {
    const at = JSON.stringify(issue.path)
    if (!firstAt.has(at)) firstAt.set(at, issue)
  }
  return [...firstAt.values()]
}
