import { type ErrorCode, type ErrorDefinition, errorBody, MAX_ISSUES } from '../errors.ts'
import type { ErrorExample } from '../operation.ts'
import { freeText, type JsonObject } from './schemas.ts'

/* Components of errors: a body and a response for every code, and the headers of all responses. */

/** Headers of the rate limits, on every response unless the limits are off. */
export const rateLimit = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
}

/** `NOT_FOUND` names the response `NotFound` and the schema `NotFoundErrorBody`. */
export function responseName(code: ErrorCode): string {
  return code
    .toLowerCase()
    .split('_')
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('')
}

function errorBodyName(code: ErrorCode): string {
  return `${responseName(code).replace(/Error$/, '')}ErrorBody`
}

/** Errors of a service in its own words. */
export interface DescribedErrors {
  errors: Record<ErrorCode, ErrorDefinition>
  /** Every code of an issue, with its meaning. */
  issueCodes: Record<string, string>
  /** True if tokens are limited by scopes. */
  hasScopes: boolean
}

export function errorSchemas(
  codes: ReadonlySet<ErrorCode>,
  { errors, issueCodes }: DescribedErrors,
): Record<string, JsonObject> {
  const issue = {
    type: 'object',
    description: 'One issue of a request, with its path.',
    required: ['path', 'code', 'message'],
    properties: {
      path: {
        type: 'array',
        maxItems: 100,
        description:
          'Path of the issue: first `path`, `query`, `header` or `body`, then keys; indexes are written as text.',
        items: { type: 'string', maxLength: 1000, pattern: freeText },
        example: ['body', 'items', '0', 'name'],
      },
      code: { $ref: '#/components/schemas/IssueCode' },
      message: {
        type: 'string',
        maxLength: 2000,
        pattern: freeText,
        description: 'Message for people.',
        example: 'Invalid input: expected string, received number',
      },
      current: { $ref: '#/components/schemas/CurrentState' },
    },
  }
  const issueCode = {
    type: 'string',
    maxLength: 100,
    pattern: '^[a-z_]+$',
    description: `Kind of the issue, for programs. The list is open: treat an unknown code as \`custom\`.\n\n${Object.entries(
      issueCodes,
    )
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
      .join('\n')}`,
    'x-extensible-enum': Object.keys(issueCodes).sort(),
    example: 'invalid_type',
  }
  const currentState = {
    type: 'object',
    description:
      'State of the stored record, on a conflict or a failed precondition: read the record, or send these values to write on top of it. Absent if the record has none.',
    properties: {
      updatedAt: {
        type: 'string',
        format: 'date-time',
        maxLength: 24,
        description: 'Time of the last change of the record, as in its `updatedAt`.',
        example: '2026-03-04T10:15:30.120Z',
      },
      etag: {
        type: 'string',
        maxLength: 255,
        pattern: '^"[\\x21\\x23-\\x7e]*"$',
        description: 'Entity tag of the record, as in the header `ETag` of a read.',
        example: '"01jr5x2e0p1y5s9x4n6q8r0t2w-8c1d5b6e0f3a9247-4f9c02a7d1b8e365"',
      },
      id: {
        type: 'string',
        maxLength: 64,
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description: 'Id of the created record, if the response that created it cannot be repeated.',
        example: '01jr5x4g2r3a7v1z6q8s0t2w4y',
      },
    },
  }
  return Object.fromEntries([
    ['ErrorIssue', issue],
    ['IssueCode', issueCode],
    ['CurrentState', currentState],
    ...[...codes].map((code) => [
      errorBodyName(code),
      {
        type: 'object',
        description: errors[code].when,
        required: ['code', 'message', 'issues'],
        properties: {
          code: { type: 'string', enum: [code], description: 'Code of the error, for programs.' },
          message: {
            type: 'string',
            maxLength: 100,
            pattern: freeText,
            description: 'The fixed text of the code.',
            example: errors[code].message,
          },
          issues: {
            type: 'array',
            maxItems: MAX_ISSUES,
            description: 'Issues of the request; empty if there is nothing to add.',
            items: { $ref: '#/components/schemas/ErrorIssue' },
          },
        },
      },
    ]),
  ])
}

/** Examples of errors that an idempotency key can cause, for every operation that takes one. */
const keyExamples: Record<string, ErrorExample> = {
  inProgress: {
    summary: 'The first request with the key is still running',
    issues: [
      {
        path: ['header', 'idempotency-key'],
        code: 'in_progress',
        message: 'A request with this key is still running',
      },
    ],
  },
  alreadyCreated: {
    summary: 'The response held a secret',
    issues: [
      {
        path: ['header', 'idempotency-key'],
        code: 'already_created',
        message: 'The response held a secret, which is not stored',
        current: { id: '01jr5x4g2r3a7v1z6q8s0t2w4y' },
      },
    ],
  },
}

const missingScope: ErrorExample = {
  summary: 'The token lacks a scope',
  issues: [
    {
      path: ['header', 'authorization'],
      code: 'missing_scope',
      message: 'This needs a token with the scope `write`',
    },
  ],
}

const whenKeyed =
  'With the issue `in_progress`, a request with the same Idempotency-Key is still running: send this one again, unchanged, after Retry-After seconds. With `already_created`, the first response held a secret, which is not stored: `current` has the id of the created record.'

/**
 * Response with an error code, one for all operations: the shared example and the operations' own ones, by name.
 * Conflicts share only the examples of idempotency keys.
 */
export function errorResponse(
  code: ErrorCode,
  own: Record<string, ErrorExample>,
  { errors, hasScopes }: DescribedErrors,
): JsonObject {
  const definition = errors[code]
  const isConflict = code === 'CONFLICT'
  const shared = {
    [code]: { summary: definition.message, issues: definition.example ? [definition.example] : [] },
  }
  const forbidden: Record<string, ErrorExample> = code === 'FORBIDDEN' && hasScopes ? { missingScope } : {}
  const examples: Record<string, ErrorExample> = isConflict
    ? { ...own, ...keyExamples }
    : { ...shared, ...forbidden, ...own }
  return {
    description: isConflict ? `${definition.when} ${whenKeyed}` : definition.when,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(code === 'UNAUTHORIZED' ? { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } } : {}),
      ...(code === 'PRECONDITION_FAILED' ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
      ...(code === 'SERVICE_UNAVAILABLE' || code === 'TOO_MANY_REQUESTS'
        ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
        : {}),
      ...(isConflict ? { 'Retry-After': { $ref: '#/components/headers/RetryAfterInProgress' } } : {}),
      ...rateLimit,
    },
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${errorBodyName(code)}` },
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, { summary, issues }]) => [
            name,
            { summary, value: errorBody(code, issues) },
          ]),
        ),
      },
    },
  }
}

export const headers = {
  RequestId: {
    description: 'Id of the request in the log of the service; a sane one sent by the caller is used.',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^[A-Za-z0-9_-]{1,64}$' },
    example: '01jr5x9n7w8z2g6e1v3y5a7b9d',
  },
  TokenExpiration: {
    description:
      'Time when the token of this request expires; sent with every response in its last 7 days. Create another one in time.',
    schema: { type: 'string', format: 'date-time', maxLength: 24 },
    example: '2026-06-02T10:15:30.120Z',
  },
  Location: {
    description: 'Path of the created record.',
    required: true,
    schema: { type: 'string', maxLength: 1000, pattern: '^/[A-Za-z0-9_/-]+$' },
    example: '/v1/records/01jr5x1d9n0x4r8w3m5p7q9s1v',
  },
  ETag: {
    description:
      'Entity tag of the record: it changes whenever the record, as this caller sees it, changes. Opaque; send it back unchanged.',
    required: true,
    schema: { type: 'string', maxLength: 255, pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"01jr5x2e0p1y5s9x4n6q8r0t2w-8c1d5b6e0f3a9247-4f9c02a7d1b8e365"',
  },
  PreferenceApplied: {
    description: 'The preference that was followed, if any.',
    schema: { type: 'string', maxLength: 255, enum: ['return=minimal'] },
    example: 'return=minimal',
  },
  Deprecation: {
    description: 'Time of the deprecation of the operation, as `@` and seconds since 1970 (RFC 9745).',
    required: true,
    schema: { type: 'string', maxLength: 20, pattern: '^@[0-9]+$' },
    example: '@1767225600',
  },
  Sunset: {
    description: 'Time of the removal of the operation (RFC 8594).',
    required: true,
    schema: { type: 'string', maxLength: 40, pattern: freeText },
    example: 'Fri, 01 Jan 2027 00:00:00 GMT',
  },
  Successor: {
    description: 'Path of the operation to call instead, with `rel="successor-version"`.',
    schema: { type: 'string', maxLength: 2048, pattern: freeText },
    example: '</v1/records/01jr5x1d9n0x4r8w3m5p7q9s1v>; rel="successor-version"',
  },
  NextCursor: {
    description: 'Send it as `cursor` to get the following part; absent on the last one.',
    schema: { type: 'string', maxLength: 512, pattern: '^[A-Za-z0-9_-]+$' },
    example: 'AZx0mC1jZ3JhbnQ',
  },
  'Access-Control-Allow-Origin': {
    description: 'Origin of the calling page, sent if the request names one.',
    schema: { type: 'string', maxLength: 2048, pattern: freeText },
    example: 'https://www.example.com',
  },
  'Access-Control-Expose-Headers': {
    description: 'Headers that the page can read, sent if the request names an origin.',
    schema: { type: 'string', maxLength: 255, pattern: freeText },
    example: 'Idempotent-Replayed, RateLimit, Retry-After, X-Request-Id',
  },
  Challenge: {
    description: 'Scheme of authentication to use.',
    required: true,
    schema: { type: 'string', maxLength: 255, pattern: '^Bearer' },
    example: 'Bearer realm="api"',
  },
  RetryAfter: {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3600 },
    example: 1,
  },
  RetryAfterInProgress: {
    description:
      'Seconds to wait before the next attempt, while a request with the same Idempotency-Key is running.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3600 },
    example: 1,
  },
  IdempotentReplayed: {
    description: 'Marks the response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  RateLimit: {
    description: 'Requests left (`r`) and seconds until there are more (`t`). Absent if limits are off.',
    schema: {
      type: 'string',
      maxLength: 255,
      pattern: '^"(token|user|address|page|parallel)";r=[0-9]+(;t=[0-9]+)?$',
    },
    example: '"token";r=57;t=1',
  },
  'RateLimit-Policy': {
    description:
      'Limits of the caller: requests (`q`) in a window of seconds (`w`), and requests at once. Absent if limits are off.',
    schema: { type: 'string', maxLength: 255, pattern: '^"(token|address)";q=[0-9]+;w=[0-9]+, "parallel";' },
    example: '"token";q=100;w=2, "parallel";q=20;qu="concurrent-requests"',
  },
}
