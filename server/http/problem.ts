import { errors, type Issue } from '../../contract/errors.ts'
import { type ErrorCode, errorBody } from '../../contract/kit/errors.ts'
import { UnknownOutcome } from '../db/client.ts'
import { databaseError, sqlState } from '../db/errors.ts'
import { isUnavailable } from '../db/unavailable.ts'

/** An error of the service as it leaves: status, headers and the body as text. */
export interface Problem {
  status: number
  headers: Record<string, string>
  body: string
}

export function problem(code: ErrorCode, issues: readonly Issue[] = []): Problem {
  const headers: Record<string, string> = {}
  if (code === 'UNAUTHORIZED') {
    const isMissing = issues.some((issue) => issue.code === 'missing')
    headers['WWW-Authenticate'] = `Bearer realm="api"${isMissing ? '' : ', error="invalid_token"'}`
  }
  const isInProgress = issues.some((issue) => issue.code === 'in_progress')
  if (code === 'SERVICE_UNAVAILABLE' || isInProgress) headers['Retry-After'] = '1'
  // Room on a disk is made by a person or by a job.
  if (issues.some((issue) => issue.code === 'disk_full')) headers['Retry-After'] = '300'
  // For quotas, which are per day or need a deletion; limits of requests set their own delay.
  if (code === 'TOO_MANY_REQUESTS') headers['Retry-After'] = '3600'
  return { status: errors[code].status, headers, body: JSON.stringify(errorBody(code, issues)) }
}

/** Returns the error code for a thrown value, and the error to log, without parameters of statements. */
export function codeOf(thrown: unknown): { code: ErrorCode; issues: Issue[]; error: unknown } {
  if (thrown instanceof UnknownOutcome) return { code: 'SERVICE_UNAVAILABLE', issues: [], error: thrown }
  const error = databaseError(thrown) ?? thrown
  const state = sqlState(thrown)
  if (state && /^(22021|22P02|22P05)$/.test(state)) {
    // Validation should have rejected this text; the caller still gets the true reason.
    return {
      code: 'BAD_REQUEST',
      issues: [{ path: ['body'], code: 'invalid_text', message: 'A text cannot be stored' }],
      error,
    }
  }
  return {
    code: isUnavailable(error, state) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR',
    issues: [],
    error,
  }
}
