import { type ErrorCode, errorBody, errors, MAXIMUM_ISSUES } from '../errors.ts'
import { freeText, type JsonObject } from './schemas.ts'

/* The components of errors: a body and a response for every code, and the headers of all responses. */

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

export function errorSchemas(codes: ReadonlySet<ErrorCode>): Record<string, JsonObject> {
  const issue = {
    type: 'object',
    description: 'One thing that is wrong, and where.',
    required: ['path', 'code', 'message'],
    properties: {
      path: {
        type: 'array',
        maxItems: 100,
        description:
          'Where it is: first the place (`path`, `query`, `header` or `body`), then keys; indexes are written as text.',
        items: { type: 'string', maxLength: 1000, pattern: freeText },
        example: ['body', 'bot', 'groups', '0', 'id'],
      },
      code: {
        type: 'string',
        maxLength: 100,
        pattern: '^[a-z_]+$',
        description: 'Kind of the issue, for programs.',
        example: 'invalid_type',
      },
      message: {
        type: 'string',
        maxLength: 2000,
        pattern: freeText,
        description: 'What is wrong, for people.',
        example: 'Invalid input: expected string, received number',
      },
    },
  }
  return Object.fromEntries([
    ['ErrorIssue', issue],
    ...[...codes].map((code) => [
      errorBodyName(code),
      {
        type: 'object',
        description: errors[code].when,
        required: ['code', 'message', 'issues'],
        properties: {
          code: { type: 'string', enum: [code], description: 'The code of the error, for programs.' },
          message: {
            type: 'string',
            maxLength: 100,
            pattern: freeText,
            description: 'The fixed text of the code.',
            example: errors[code].message,
          },
          issues: {
            type: 'array',
            maxItems: MAXIMUM_ISSUES,
            description: 'What is wrong and where; empty where there is nothing to add.',
            items: { $ref: '#/components/schemas/ErrorIssue' },
          },
        },
      },
    ]),
  ])
}

export function errorResponse(code: ErrorCode): JsonObject {
  const definition = errors[code]
  return {
    description: definition.when,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(code === 'UNAUTHORIZED' ? { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } } : {}),
      ...(code === 'SERVICE_UNAVAILABLE'
        ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
        : {}),
    },
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${errorBodyName(code)}` },
        examples: {
          [code]: {
            summary: definition.message,
            value: errorBody(code, 'example' in definition ? [definition.example] : []),
          },
        },
      },
    },
  }
}

export const headers = {
  RequestId: {
    description:
      'Id of the request, as the log of the service names it; a sane one sent by the caller is kept.',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^[A-Za-z0-9_-]{1,64}$' },
    example: '01jr5x9n7w8z2g6e1v3y5a7b9d',
  },
  Location: {
    description: 'Path of the record that was created.',
    required: true,
    schema: { type: 'string', maxLength: 1000, pattern: '^/[A-Za-z0-9_/-]+$' },
    example: '/v1/folders/01jr5x1d9n0x4r8w3m5p7q9s1v',
  },
  'Access-Control-Allow-Origin': {
    description: 'The origin of the page that called, sent when the request names one.',
    schema: { type: 'string', maxLength: 2048, pattern: freeText },
    example: 'https://www.example.com',
  },
  Challenge: {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', maxLength: 255, pattern: '^Bearer' },
    example: 'Bearer realm="bot-builder"',
  },
  RetryAfter: {
    description: 'After how many seconds to try again.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3600 },
    example: 1,
  },
}
