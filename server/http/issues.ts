import type { Issue } from '../../contract/errors.ts'
import type { z } from '../../contract/zod.ts'

/** The issues of the validator in the form of the service: one per wrong place, with paths as text. */
export function toIssues(error: z.ZodError, place: readonly string[]): Issue[] {
  return error.issues.flatMap((issue): Issue[] => {
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
}
