/**
 * Every error code the service can answer. The contract, the published document, the server and the
 * replayed tests all read this table; a code that is not here cannot be sent.
 */
export interface ErrorDefinition {
  status: number
  /** The fixed text of the code, sent as `message`. */
  message: string
  /** When the code is answered and what to do next, for the published document. */
  when: string
  /** One realistic issue; absent where the code never carries any. */
  example?: Issue
}

/** What is wrong and where. Paths start with the place: body, query, path or header. */
export interface Issue {
  path: string[]
  code: string
  message: string
}

export interface ErrorBody<Code extends string = string> {
  code: Code
  message: string
  issues: Issue[]
}

/** More issues than this are cut: a caller fixes a few at a time, and a wrong body must not grow its answer. */
export const MAXIMUM_ISSUES = 20

export const errors = {
  BAD_REQUEST: {
    status: 400,
    message: 'Invalid input data',
    when: 'The input does not fit the contract, or names something that cannot be. The issues say what and where; nothing was changed. Correct the request before sending it again.',
    example: {
      path: ['query', 'limit'],
      code: 'too_big',
      message: 'Too big: expected number to be <=100',
    },
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'Authorization not provided',
    when: 'The Authorization header is missing, or its token is malformed, unknown, expired or revoked. Send a valid token as a Bearer credential.',
    example: {
      path: ['header', 'authorization'],
      code: 'missing',
      message: 'Send the header Authorization: Bearer <token>',
    },
  },
  FORBIDDEN: {
    status: 403,
    message: 'Insufficient access',
    when: 'The caller may not do this to this record. Ask an admin of the workspace for a higher role.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'Not found',
    when: 'The addressed record does not exist, or no longer does. Check the id.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Method not allowed',
    when: 'The path exists but does not know this method; the Allow header lists those it knows.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'Request timeout',
    when: 'The request did not arrive completely in time. Send it again.',
  },
  CONFLICT: {
    status: 409,
    message: 'Conflicting update',
    when: 'The record was changed since the caller read it, or it exists already. Read it again and repeat the change on the new state.',
    example: {
      path: ['body', 'bot', 'updatedAt'],
      code: 'conflict',
      message: 'The stored bot was updated at 2026-03-04T10:15:30.120Z',
    },
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'Payload too large',
    when: 'The request body is over the limit of the operation, which the issue names.',
    example: { path: ['body'], code: 'too_large', message: 'The body may have at most 262144 bytes' },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Unsupported media type',
    when: 'The request body is not JSON in UTF-8 without a content encoding. Send Content-Type: application/json.',
    example: {
      path: ['header', 'content-type'],
      code: 'unsupported_media_type',
      message: 'Send the body as application/json in UTF-8',
    },
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    message: 'Too many requests',
    when: 'The caller sends more requests than the installation allows. Wait as long as Retry-After says.',
  },
  REQUEST_HEADER_FIELDS_TOO_LARGE: {
    status: 431,
    message: 'Request header fields too large',
    when: 'The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    message: 'Internal server error',
    when: 'A fault of the service. The details are in its log under the request id of the X-Request-Id header.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'Service unavailable',
    when: 'The database cannot be reached or is overloaded; nothing was changed unless the request says otherwise. Try again after Retry-After seconds.',
  },
} as const satisfies Record<string, ErrorDefinition>

export type ErrorCode = keyof typeof errors

/** The one error body, as the server sends it and as the document shows it. */
export function errorBody<Code extends ErrorCode>(
  code: Code,
  issues: readonly Issue[] = [],
): ErrorBody<Code> {
  return { code, message: errors[code].message, issues: issues.slice(0, MAXIMUM_ISSUES).map(readable) }
}

/** Issues repeat keys and words that callers sent; they leave as texts that every client can read. */
function readable({ path, code, message }: Issue): Issue {
  return { path: path.map((part) => cut(part, 1_000)), code, message: cut(message, 2_000) }
}

function cut(text: string, maximum: number): string {
  return text.slice(0, maximum).replaceAll(/[\0\p{Surrogate}]/gu, '\ufffd')
}
