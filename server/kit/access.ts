import type { IncomingMessage } from 'node:http'
import type express from 'express'
import type { AnyIssue, ErrorCode, Issue } from '../../contract/kit/errors.ts'
import type { Operation } from '../../contract/kit/operation.ts'

/*
 * The door to the policy of a service: it authenticates a request before the body is read and authorises it afterwards.
 * The router does not know roles, scopes or records.
 */

/** The digest of the request's token, or why there is none. */
export type Credential = { hash: string } | { issue: Issue }

export interface AccessRejection {
  code: Extract<ErrorCode, 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND'>
  issues: AnyIssue[]
}

export interface Caller {
  userId: string
  tokenId: string
}

/**
 * The caller with a grant or a rejection. A rejection of the caller comes before any other check of a request. The
 * caller is null if the operation is public and the request has no token.
 */
export type Authorization =
  | { caller: undefined; rejection: AccessRejection }
  | { caller: Caller; rejection: AccessRejection }
  | { caller: Caller | null; grant: unknown }

/** The sender of a request, and what they may do with the record that was looked up with their token. */
export interface Sender {
  authorization: Authorization
  /** Absent for an operation that anyone may call. */
  tokenHash?: string
  /** The id of the record; absent where none was looked up. */
  id?: string | undefined
}

export interface AccessChecks {
  readCredential(request: express.Request): Credential
  /**
   * The sender of a request, or the reason that there is none. `credential` is absent if anyone may call. `id` is the
   * record in the address.
   */
  authenticate(
    operation: Operation,
    credential: Credential | undefined,
    id: string | undefined,
    now: Date,
  ): Promise<Sender | { rejection: AccessRejection }>
  /** Authorises a sender. `id` is the id of the record in the body; undefined if the body has none. */
  authorise(operation: Operation, sender: Sender, id: string | undefined, now: Date): Promise<Authorization>
  /** Id of the record that the rows of idempotency keys belong to; undefined for those of the user. */
  keyScopeOf?(grant: unknown): string | undefined
  /** Sets caller and owner in `response.locals`, and headers about the caller's token. */
  recordCaller?(response: express.Response, authorization: Authorization, now: Date): void
}

/** The token of a request, or why there is none. */
export function readBearer(request: IncomingMessage): { token: string } | { issue: Issue } {
  const howTo = 'Send the header Authorization: Bearer <token>'
  const given = request.headers.authorization
  if (given === undefined) return { issue: unauthorizedIssue('missing', howTo) }
  if (isRepeated(request, 'authorization'))
    return { issue: unauthorizedIssue('malformed', 'The header was sent more than once; send it once') }
  const [, token] = /^bearer +(\S+) *$/i.exec(given) ?? []
  if (token !== undefined) return { token }
  const wrong = /^bearer\b/i.test(given)
    ? 'Exactly one token has to follow the word Bearer'
    : 'The header does not begin with the word Bearer'
  return { issue: unauthorizedIssue('malformed', `${wrong}. ${howTo}`) }
}

/** True if a header came more than once. `headers` has only the first. */
function isRepeated({ rawHeaders }: IncomingMessage, wanted: string): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === wanted.length && name.toLowerCase() === wanted) count++
  }
  return count > 1
}

export function unauthorizedIssue(
  code: 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked',
  message: string,
): Issue {
  return { path: ['header', 'authorization'], code, message }
}
