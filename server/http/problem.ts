import { type ErrorCode, errorBody, errors, type Issue } from '../../contract/errors.ts'
import { databaseError, sqlState, UnknownOutcome } from '../db/client.ts'

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
    headers['WWW-Authenticate'] = `Bearer realm="bot-builder"${isMissing ? '' : ', error="invalid_token"'}`
  }
  const isInProgress = issues.some((issue) => issue.code === 'in_progress')
  if (code === 'SERVICE_UNAVAILABLE' || isInProgress) headers['Retry-After'] = '1'
  // Of a quota, which no waiting frees; limits of requests say for themselves how long.
  if (code === 'TOO_MANY_REQUESTS') headers['Retry-After'] = '3600'
  return { status: errors[code].status, headers, body: JSON.stringify(errorBody(code, issues)) }
}

/** Which code a caller gets for something thrown, and the error to log, without parameters of statements. */
export function codeOf(thrown: unknown): { code: ErrorCode; issues: Issue[]; error: unknown } {
  if (thrown instanceof UnknownOutcome) return { code: 'SERVICE_UNAVAILABLE', issues: [], error: thrown }
  const error = databaseError(thrown) ?? thrown
  const state = sqlState(thrown)
  if (state && /^(22021|22P02|22P05)$/.test(state)) {
    // Validation should have refused this text; the caller is still told the truth.
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

/** What Citus says, as of an error of its own, when a node goes away under a statement: its words and those of libpq. */
const lostNode =
  /^(failure on connection marked as essential|could not commit transaction for shard|failed to prepare transaction)|SSL SYSCALL error|SSL connection has been closed|server closed the connection|connection not open|could not (send|receive) data|no connection to the server/

/**
 * Whether the database is unreachable, overloaded or refuses to write: connection failures (08, 57P0x,
 * socket errors, a lost node), too many connections or no space (53), cancelled statements and locks that took
 * too long, conflicts that did not resolve, and read-only mode.
 */
function isUnavailable(error: unknown, state: string | undefined): boolean {
  if (state && /^(08|53|57P0|57014|55P03|40001|40P01|25006)/.test(state)) return true
  if (state && /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/.test(state))
    return true
  if (state === 'XX000' && error instanceof Error && lostNode.test(error.message)) return true
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error|Cannot use a pool after calling end/.test(
      error.message,
    )
  )
}
