import { ApiError, ConnectionError, createClient } from '../../../../generated/client/index.js'
import { service } from './service.ts'
import { currentToken, expireToken, hasPastedToken, SignedOutError } from './session.ts'

export { ApiError, ConnectionError } from '../../../../generated/client/index.js'

/** Calls the service as the person in front of the page. */
export const client = createClient({
  baseUrl: service.href,
  token: currentToken,
  // A token of a session may have ended early: one attempt more gets a new one.
  fetch: async (input, init) => {
    const response = await fetch(input, init)
    if (response.status !== 401 || hasPastedToken()) return response
    expireToken()
    const headers = { ...init?.headers, Authorization: `Bearer ${await currentToken()}` }
    return fetch(input, { ...init, headers })
  },
})

/** An error in words for a person. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) {
    if (error.status === 403) return 'Your role does not allow this. Ask an admin of the workspace.'
    if (error.status === 404 && error.issues.length === 0) return 'Not found. It may have been deleted.'
    const [issue] = error.issues
    if (!issue) return bare(error.message)
    const path = issue.path.slice(1).join(' › ')
    return path ? `${path}: ${issue.message}` : issue.message
  }
  if (error instanceof ConnectionError)
    return 'The service did not answer. Check the connection and try again.'
  return error instanceof Error ? error.message : String(error)
}

/** The message without the status and code in front of it. */
const bare = (message: string) => message.replace(/^\d+ [A-Z_]+: /, '')

export function isSignedOut(error: unknown): boolean {
  if (error instanceof SignedOutError) return true
  if (error instanceof ConnectionError) return error.cause instanceof SignedOutError
  return error instanceof ApiError && error.status === 401
}
