import { type AnyIssue, type ErrorCode, errorBody, errors } from '../../contract/kit/errors.ts'

/** An error of the service as it leaves: status, headers and the body as text. */
export interface Problem {
  status: number
  headers: Record<string, string>
  body: string
}

/** `retryAfterSeconds` is for limits of a handler, in place of the delay that its code has. */
export function problem(
  code: ErrorCode,
  issues: readonly AnyIssue[] = [],
  retryAfterSeconds?: number,
): Problem {
  const headers: Record<string, string> = {}
  if (code === 'UNAUTHORIZED') {
    const isMissing = issues.some((issue) => issue.code === 'missing')
    headers['WWW-Authenticate'] = `Bearer realm="api"${isMissing ? '' : ', error="invalid_token"'}`
  }
  const isInProgress = issues.some((issue) => issue.code === 'in_progress')
  if (code === 'SERVICE_UNAVAILABLE' || isInProgress) headers['Retry-After'] = '1'
  // Room on a disk is made by a person or by a job.
  if (issues.some((issue) => issue.code === 'disk_full')) headers['Retry-After'] = '300'
  // Quotas last a day, or until a deletion.
  if (code === 'TOO_MANY_REQUESTS') headers['Retry-After'] = '3600'
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds)
  return { status: errors[code].status, headers, body: JSON.stringify(errorBody(code, issues)) }
}
