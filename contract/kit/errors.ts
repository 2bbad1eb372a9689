/**
 * Every error code of a service. The contract, the published document, the server and the replayed tests all read this
 * table; a code that is not here cannot be sent. A service may describe a code and its example in its own words.
 */
export interface ErrorDefinition {
  status: number
  /** The fixed text of the code, sent as `message`. */
  message: string
  /** Condition that leads to the code, and advice for callers, for the published document. */
  when: string
  /** One realistic issue; absent where the code never carries any. */
  example?: AnyIssue
}

/**
 * Codes of issues that the kit itself sends, with their meanings. A service adds its own. Later releases add codes, and
 * clients treat a code that they do not know as `custom`.
 */
export const issueCodes = {
  already_created:
    'a request with this idempotency key has created the record whose id `current` has; its response held a secret and cannot be repeated',
  concurrency_exceeded: 'too many requests of the caller run at once',
  conflict: 'the record is in another state than the request expects; `current` has that state',
  custom: 'another rule of the contract is broken; the message says which',
  disk_full: 'the disk of the installation has too little room left for files',
  expired: 'the token has expired',
  in_progress: 'a request with this idempotency key is still running',
  incomplete: 'the body ended early',
  invalid_cursor: 'the cursor was not made for this list and filter',
  invalid_element: 'an entry of a collection does not fit',
  invalid_encoding: 'the bytes are not UTF-8, or a percent escape is broken',
  invalid_format: 'the text does not have the required form',
  invalid_json: 'the body is not JSON',
  invalid_key: 'the name of a property cannot be stored',
  invalid_number: 'the number is too large to be stored exactly',
  invalid_text: 'the text has U+0000 or half of a surrogate pair in it',
  invalid_type: 'the value is missing, or of another type',
  invalid_union: 'the value fits none of the alternatives',
  invalid_value: 'the value is not one of those that are allowed',
  malformed: 'the header or the request cannot be read',
  missing: 'a header that is needed was not sent',
  missing_scope: 'the token lacks a scope, which the message names',
  no_role: 'the caller has no role there that allows this, or there is no such record',
  not_multiple_of: 'the number is not one of the allowed steps',
  quota_exceeded: 'the record would have more entries than it may',
  rate_exceeded: 'the caller sent too many requests in a window of time',
  repeated: 'a parameter was given more than once',
  required: 'the property is required together with another one',
  reused: 'the idempotency key belongs to another request',
  revoked: 'the token was revoked',
  taken: 'another record has this name',
  too_big: 'the value is longer or larger than allowed',
  too_deep: 'the body is nested too deeply',
  too_large: 'the body is over the limit of the operation',
  too_many_keys: 'an object has too many properties',
  too_many_values: 'the body has too many values',
  too_small: 'the value is shorter or smaller than allowed',
  unexpected: 'something was sent that this operation does not take',
  unknown: 'the token or the expectation is not known',
  unknown_method: 'the path does not take this method; the message names those it takes',
  unknown_record: 'there is no such record',
  unknown_route: 'there is no such path; the message names one that is near',
  unrecognized_keys: 'the property or parameter is not known',
  unsupported_media_type: 'the body is not sent as the media type that the operation takes',
} as const

export type IssueCode = keyof typeof issueCodes

/** State of the stored record after a conflict. The caller can build the next request from it. */
export interface CurrentState {
  /** Id of the created record, if the first response cannot be repeated. */
  id?: string
  /** Value of `updatedAt` of the record. */
  updatedAt?: string
  /** Entity tag of the record, as a read sends it in `ETag`. */
  etag?: string
}

/** One issue of a request. `path` begins with body, query, path or header, then follow keys. */
export interface Issue<Code extends string = IssueCode> {
  path: string[]
  code: Code
  message: string
  /** Present on a conflict or a failed precondition. */
  current?: CurrentState
}

/** An issue with a code of the kit or of a service. */
export type AnyIssue = Issue<string>

export interface ErrorBody<Code extends string = string> {
  code: Code
  message: string
  issues: AnyIssue[]
}

/** Maximum issues of a response, so that a wrong body cannot enlarge it. Callers fix a few at a time. */
export const MAX_ISSUES = 20

export const errors = {
  BAD_REQUEST: {
    status: 400,
    message: 'Invalid input data',
    when: 'The input does not fit the contract, or names something that cannot be. Nothing was changed. Correct what the issues name before sending the request again.',
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
    when: 'The caller may not do this to this record, or their token may not do it at all. With the issue `missing_scope`, use another token.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'Not found',
    when: 'The addressed record does not exist, or no longer does. Check the id.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Method not allowed',
    when: 'The path exists but does not take this method; the Allow header lists those it takes.',
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
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'Precondition failed',
    when: 'The record is not in the state that `If-Match` or `If-None-Match` requires; nothing was changed. The issue and the header `ETag` have its current tag: read the record again and repeat the change on that state.',
    example: {
      path: ['header', 'if-match'],
      code: 'conflict',
      message:
        'The record is in the state "01jr5x2e0p1y5s9x4n6q8r0t2w-8c1d5b6e0f3a9247-4f9c02a7d1b8e365"; read it again, and send that tag',
      current: { etag: '"01jr5x2e0p1y5s9x4n6q8r0t2w-8c1d5b6e0f3a9247-4f9c02a7d1b8e365"' },
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
    when: 'The request body is not what the operation takes: JSON in UTF-8, sent as Content-Type: application/json, or a file, sent as application/octet-stream; both without a content encoding.',
    example: {
      path: ['header', 'content-type'],
      code: 'unsupported_media_type',
      message: 'Send the body as application/json in UTF-8',
    },
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    message: 'Idempotency key used for another request',
    when: 'The Idempotency-Key was sent with another method, path or body before. Nothing was changed. Send another request with another key, and a repeat exactly as the first time.',
    example: {
      path: ['header', 'idempotency-key'],
      code: 'reused',
      message: 'This key belongs to another request; send this one with a key of its own',
    },
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    message: 'Too many requests',
    when: 'The caller sends more requests than the installation allows, in a window of time or at once, or a record would have more entries than it may. Nothing was done. Wait as many seconds as Retry-After says; with the issue `quota_exceeded` waiting does not help.',
    example: {
      path: [],
      code: 'rate_exceeded',
      message: 'The token may send 100 requests in 2 seconds',
    },
  },
  REQUEST_HEADER_FIELDS_TOO_LARGE: {
    status: 431,
    message: 'Request header fields too large',
    when: 'The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    message: 'Internal server error',
    when: 'The service failed. Its log has the details under the request id of the X-Request-Id header.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'Service unavailable',
    when: 'The database cannot be reached or is overloaded. As a rule nothing was changed; it may have been if the connection to the database was lost at the very end. Try again after Retry-After seconds, a POST or PATCH with the same Idempotency-Key. If something else is missing, an issue names it.',
  },
} as const satisfies Record<string, ErrorDefinition>

export type ErrorCode = keyof typeof errors

/** The one error body, as the server sends it and as the document shows it. */
export function errorBody<Code extends ErrorCode>(
  code: Code,
  issues: readonly AnyIssue[] = [],
): ErrorBody<Code> {
  return { code, message: errors[code].message, issues: issues.slice(0, MAX_ISSUES).map(readable) }
}

/** Makes keys and values that callers sent well-formed Unicode, which every client can read. */
function readable({ path, code, message, current }: AnyIssue): AnyIssue {
  return {
    path: path.map((part) => cutText(part, 1_000)),
    code,
    message: cutText(message, 2_000),
    ...(current && { current }),
  }
}

function cutText(text: string, maximum: number): string {
  return text.slice(0, maximum).replaceAll(/[\0\p{Surrogate}]/gu, '\ufffd')
}
