import type { Issue } from '../../contract/errors.ts'
import type { ErrorCode } from '../../contract/kit/errors.ts'
import { UnknownOutcome } from '../db/client.ts'
import { databaseError, sqlState } from '../db/errors.ts'
import { isUnavailable } from '../db/unavailable.ts'

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
