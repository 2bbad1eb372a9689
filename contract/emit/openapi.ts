import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { type ErrorCode, errorBody, errors, MAXIMUM_ISSUES } from '../errors.ts'
import { type Access, type Example, errorsOf, type Operation, tags } from '../operation.ts'
import type { z } from '../zod.ts'

/*
 * The contract as an OpenAPI 3.1 document. Pure: the same contract gives the same document.
 *
 * The generator turns schemas into JSON Schema; `finish` then brings every schema into the forms that all
 * client generators read. What must stay true: no `const` without an equal `enum`, no `anyOf` of objects,
 * no `oneOf` of objects without a mapping, no free text without a bound and a pattern.
 */

export type JsonObject = { [key: string]: unknown }

export interface DocumentSource {
  title: string
  version: string
  operations: Record<string, Operation>
  /** Components that no operation refers to by itself. */
  components: Record<string, z.ZodType>
}

export function toOpenApi({ title, version, operations, components }: DocumentSource): JsonObject {
  const registry = new OpenAPIRegistry()
  for (const [operationId, operation] of Object.entries(operations))
    register(registry, operationId, operation)
  for (const component of Object.values(components)) {
    registry.registerPath({
      method: 'get',
      path: `/${String(component.meta()?.id)}`,
      responses: response(component),
    })
  }
  const generated = new OpenApiGeneratorV31(registry.definitions, {
    sortComponents: 'alphabetically',
  }).generateDocument({ openapi: '3.1.0', info: { title, version } }) as unknown as JsonObject

  const schemas = (generated.components as JsonObject).schemas as Record<string, JsonObject>
  const paths = generated.paths as Record<string, Record<string, JsonObject>>
  for (const component of Object.values(components)) delete paths[`/${String(component.meta()?.id)}`]
  for (const schema of Object.values(schemas)) finish(schema, schemas)
  for (const path of Object.values(paths)) {
    for (const operation of Object.values(path)) finishParameters(operation, schemas)
  }

  const codes = new Set(Object.values(operations).flatMap(errorsOf))
  return {
    openapi: '3.1.0',
    info: {
      title,
      summary: 'Build, publish and run conversational bots.',
      description: introduction,
      version,
      contact: { name: 'The maintainers', url: 'https://example.com/bot-builder-service' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      termsOfService: 'https://example.com/bot-builder-service/terms',
    },
    servers: [
      {
        url: 'http://localhost:3000',
        description: 'A service started on this machine.',
        'x-internal': false,
      },
    ],
    tags: Object.entries(tags).map(([tag, { name, description }]) => ({
      name: tag,
      'x-displayName': name,
      description,
    })),
    'x-tagGroups': [
      { name: 'Building', tags: ['workspaces', 'members', 'folders', 'bots', 'publishing'] },
      { name: 'Running', tags: ['results', 'analytics', 'chat'] },
      { name: 'Access', tags: ['tokens'] },
    ],
    security: [{ bearerAuth: [] }],
    paths,
    components: {
      schemas: sorted({ ...schemas, ...errorSchemas(codes) }),
      responses: Object.fromEntries([...codes].map((code) => [componentName(code), errorResponse(code)])),
      headers,
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An access token of a user. The first start of the service prints one; more are made with the operation that creates tokens or with the admin command.',
        },
      },
    },
  }
}

const introduction = `Workspaces hold folders and bots. A bot has a draft with its flow, theme and settings; publishing copies the draft into the state that chats run, and chats produce results.

Every error has the same body with a code, a fixed message and a list of issues that say what is wrong and where. Unknown properties of a request are refused, except inside flow documents, where they are kept. Lists that can grow are paged with an opaque cursor.`

function register(registry: OpenAPIRegistry, operationId: string, operation: Operation) {
  const { success } = operation
  registry.registerPath({
    method: operation.method,
    path: operation.path,
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${permission(operation.access)}`,
    security: operation.access.kind === 'anyone' ? [] : [{ bearerAuth: [] }],
    request: {
      ...(operation.params ? { params: operation.params } : {}),
      ...(operation.query ? { query: operation.query } : {}),
      ...(operation.body
        ? {
            body: {
              required: !operation.body.safeParse({}).success,
              description: `At most ${operation.bodySize === 'document' ? '4 MiB' : '256 KiB'} of JSON in UTF-8.`,
              content: {
                'application/json': {
                  schema: operation.body,
                  examples: examples(operation.requestExamples ?? {}),
                },
              },
            },
          }
        : {}),
    },
    responses: {
      [success.status]: {
        description: success.description,
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(success.location ? { Location: { $ref: '#/components/headers/Location' } } : {}),
        },
        content: {
          [success.mediaType ?? 'application/json']: {
            schema: success.body,
            examples: examples(success.examples),
          },
        },
      },
      ...Object.fromEntries(
        errorsOf(operation).map((code) => [
          errors[code].status,
          { $ref: `#/components/responses/${componentName(code)}` },
        ]),
      ),
    },
  } as Parameters<OpenAPIRegistry['registerPath']>[0])
}

function response(schema: z.ZodType) {
  return { 200: { description: '', content: { 'application/json': { schema } } } }
}

function examples(named: Record<string, Example>) {
  return Object.fromEntries(
    Object.entries(named).map(([name, { summary, value }]) => [name, { summary, value }]),
  )
}

/** Who may call, in words: the only policy is that of roles. */
function permission(access: Access): string {
  switch (access.kind) {
    case 'anyone':
      return 'Permission: none; no token is needed.'
    case 'user':
      return 'Permission: any user.'
    default: {
      const role = {
        ADMIN: 'an admin',
        MEMBER: 'a member or an admin',
        GUEST: 'any member, guests included,',
      }[access.role]
      const share =
        access.kind === 'bot' && access.publicShare ? ', or any user when the bot is shared publicly' : ''
      const missing =
        access.missing === 'FORBIDDEN'
          ? ' A record that does not exist is answered as one without access.'
          : ''
      return `Permission: ${role} of the workspace${share}.${missing}`
    }
  }
}

// Errors

/** `NOT_FOUND` names the response `NotFound` and the schema `NotFoundErrorBody`. */
function componentName(code: ErrorCode): string {
  return code
    .toLowerCase()
    .split('_')
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('')
}

function errorBodyName(code: ErrorCode): string {
  return `${componentName(code).replace(/Error$/, '')}ErrorBody`
}

function errorSchemas(codes: ReadonlySet<ErrorCode>): Record<string, JsonObject> {
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

function errorResponse(code: ErrorCode): JsonObject {
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

const headers = {
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

// Schemas

/** Written with \x00, which RE2 knows too. The server refuses U+0000 in every text. */
const freeText = '^[^\\x00]*$'

function finish(schema: JsonObject, schemas: Record<string, JsonObject>) {
  if (Array.isArray(schema.anyOf)) finishUnion(schema, schemas)
  if (schema.type === 'integer' && schema.format === undefined) schema.format = 'int32'
  if (isText(schema) && !schema.enum && !schema.pattern && !schema.format) schema.pattern = freeText
  for (const key of ['properties', 'additionalProperties', 'items', 'anyOf', 'oneOf', 'allOf'] as const) {
    const inner = schema[key]
    if (typeof inner !== 'object' || inner === null) continue
    const children = key === 'additionalProperties' || key === 'items' ? [inner] : Object.values(inner)
    for (const child of children) finish(child as JsonObject, schemas)
  }
}

function isText({ type }: JsonObject): boolean {
  return type === 'string' || (Array.isArray(type) && type.includes('string'))
}

/**
 * A reference or null stays a union with null outside; a union of objects gets its discriminator, from the
 * property that has exactly one value in each branch. A branch without such a value takes what the others
 * do not know.
 */
function finishUnion(schema: JsonObject, schemas: Record<string, JsonObject>) {
  const branches = schema.anyOf as JsonObject[]
  const references = branches.filter((branch) => typeof branch.$ref === 'string')
  if (references.length === 0) return
  delete schema.anyOf
  schema.oneOf = branches
  if (references.length === 1) return
  const named = references.map((branch) => {
    const reference = branch.$ref as string
    return { reference, schema: schemas[reference.slice('#/components/schemas/'.length)] as JsonObject }
  })
  const tag = ['version', 'type', 'role', 'action', 'task'].find((property) =>
    named.some((branch) => tagValue(branch.schema, property) !== undefined),
  )
  if (!tag) throw new Error(`A union of objects needs a tag: ${JSON.stringify(schema)}`)
  const mapping: Record<string, string> = {}
  for (const { reference, schema: branch } of named) {
    const value = tagValue(branch, tag)
    if (value !== undefined) mapping[value] = reference
  }
  schema.discriminator = { propertyName: tag, mapping }
}

function tagValue(schema: JsonObject, tag: string): string | undefined {
  const property = (schema.properties as Record<string, JsonObject> | undefined)?.[tag]
  const values = property?.enum
  return Array.isArray(values) && values.length === 1 ? String(values[0]) : undefined
}

/** Parameters arrive as text: what is published is the value they stand for. */
function finishParameters(operation: JsonObject, schemas: Record<string, JsonObject>) {
  for (const parameter of (operation.parameters ?? []) as JsonObject[]) {
    const schema = parameter.schema as JsonObject
    if (schema.type === 'integer') delete schema.pattern
    if (schema.type === 'boolean') delete schema.enum
    finish(schema, schemas)
    delete schema.description
    if (schema.example !== undefined) {
      parameter.example = schema.example
      delete schema.example
    }
  }
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
