import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { type ErrorCode, errors } from '../errors.ts'
import { idempotencyKey } from '../idempotency.ts'
import {
  type Example,
  errorsOf,
  fileMediaType,
  minimalMediaType,
  minimumKeyOf,
  type Need,
  needOf,
  type Operation,
  tags,
} from '../operation.ts'
import { z } from '../zod.ts'
import { conditionalHeaders, headerParameters, notModified, usedHeaders } from './conditions.ts'
import { errorResponse, errorSchemas, headers, rateLimit, responseName } from './errors.ts'
import { introduction } from './introduction.ts'
import { linksOf } from './links.ts'
import { postedTags, registerEvent } from './posted-events.ts'
import { samplesOf } from './samples.ts'
import { finish, finishParameter, type JsonObject, type Schemas } from './schemas.ts'

/* Renders the contract as an OpenAPI 3.1 document. The same contract always gives the same document. */

export interface DocumentSource {
  title: string
  version: string
  operations: Record<string, Operation>
  /** Components that no operation refers to. */
  besides?: readonly z.ZodType[]
  /** Events that the service posts to endpoints, by type. */
  events?: Record<string, { when: string; body: z.ZodType; example: object }>
}

export function toOpenApi({
  title,
  version,
  operations,
  besides = [],
  events = {},
}: DocumentSource): JsonObject {
  const registry = new OpenAPIRegistry()
  for (const operationId of Object.keys(operations)) register(registry, operationId, operations)
  for (const [type, event] of Object.entries(events)) registerEvent(registry, type, event)
  const definitions = [
    ...registry.definitions,
    ...besides.map((schema) => ({ type: 'schema' as const, schema })),
  ]
  const generated = new OpenApiGeneratorV31(definitions, {
    sortComponents: 'alphabetically',
  }).generateDocument({ openapi: '3.1.0', info: { title, version } }) as unknown as JsonObject

  const schemas = (generated.components as JsonObject).schemas as Schemas
  const paths = generated.paths as Record<string, Record<string, JsonObject>>
  for (const schema of Object.values(schemas)) finish(schema, schemas)
  const published = Object.values(paths).flatMap((path) => Object.values(path))
  for (const operation of published) addHeaders(operation, operations)
  const posted = Object.values((generated.webhooks ?? {}) as typeof paths).flatMap((path) =>
    Object.values(path),
  )
  for (const { parameters } of [...published, ...posted]) {
    for (const parameter of (parameters ?? []) as JsonObject[]) finishParameter(parameter, schemas)
  }
  for (const operation of published) {
    const parameters = (operation.parameters ?? []) as JsonObject[]
    operation['x-codeSamples'] = samplesOf(operations[String(operation.operationId)] as Operation, parameters)
  }

  const codes = new Set(Object.values(operations).flatMap(publishedErrorsOf))
  return {
    openapi: '3.1.0',
    info: {
      title,
      summary: 'Build, publish and run conversational bots.',
      description: introduction,
      version,
      contact: {
        name: 'The maintainers',
        url: 'https://example.com/bot-builder-service',
        email: 'maintainers@example.com',
      },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      termsOfService: 'https://example.com/bot-builder-service/terms',
    },
    externalDocs: {
      description: 'Guides, and a reference with requests to try.',
      url: 'http://localhost:3000/docs',
    },
    servers: [
      {
        url: '/',
        description: 'The installation that serves this document, be it local, staging or production.',
        'x-internal': false,
      },
    ],
    tags: Object.entries(sorted({ ...tags, ...(generated.webhooks ? postedTags : {}) })).map(
      ([tag, { name, description }]) => ({
        name: tag,
        'x-displayName': name,
        description,
      }),
    ),
    'x-tagGroups': [
      { name: 'Building', tags: ['workspaces', 'members', 'credentials', 'folders', 'bots', 'publishing'] },
      {
        name: 'Running',
        tags: [
          'results',
          'analytics',
          'chat',
          'webhooks',
          ...Object.keys(generated.webhooks ? postedTags : {}),
        ],
      },
      { name: 'Access', tags: ['current-user', 'tokens'] },
    ],
    security: [{ bearerAuth: [] }],
    paths,
    ...(generated.webhooks ? { webhooks: generated.webhooks } : {}),
    components: {
      schemas: sorted({ ...schemas, ...errorSchemas(codes) }),
      parameters: shareParameters([...published, ...posted]),
      responses: errorResponses(operations),
      headers: usedHeaders(headers, Object.values(operations)),
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

function register(registry: OpenAPIRegistry, operationId: string, operations: Record<string, Operation>) {
  const operation = operations[operationId] as Operation
  const { success } = operation
  const minimumKey = minimumKeyOf(operation)
  const need = needOf(operation)
  const links = linksOf(operation, operations)
  registry.registerPath({
    method: operation.method,
    path: operation.path,
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${permission(need)}${operation.isAudited ? ' What is done is in the audit log of the workspace.' : ''}`,
    ...('scope' in need && need.scope !== 'any' ? { 'x-required-scope': need.scope } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    security: operation.access.kind === 'anyone' ? [] : [{ bearerAuth: [] }],
    request: {
      ...(operation.params ? { params: operation.params } : {}),
      ...(operation.query ? { query: operation.query } : {}),
      ...(minimumKey ? { headers: z.object({ 'Idempotency-Key': idempotencyKey(minimumKey) }) } : {}),
      ...(operation.fileBody
        ? {
            body: {
              required: true,
              description: operation.fileBody,
              content: {
                [fileMediaType]: {
                  schema: { type: 'string', format: 'binary' },
                  examples: examples({ text: { summary: 'A text file.', value: 'Beagles, aged 3' } }),
                },
              },
            },
          }
        : {}),
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
          ...('scope' in need
            ? { 'Authentication-Token-Expiration': { $ref: '#/components/headers/TokenExpiration' } }
            : {}),
          ...(success.location ? { Location: { $ref: '#/components/headers/Location' } } : {}),
          ...conditionalHeaders(operation),
          ...(minimumKey && !success.secretOf
            ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
            : {}),
          ...(operation.isCrossOrigin ? allowOrigin : {}),
          ...rateLimit,
        },
        content: {
          [success.mediaType ?? 'application/json']: {
            schema: success.body,
            examples: examples(success.examples),
          },
          ...(success.otherMedia
            ? {
                [success.otherMedia.mediaType]: {
                  schema: success.otherMedia.body,
                  examples: examples(success.otherMedia.examples),
                },
              }
            : {}),
          ...(success.minimal
            ? {
                [minimalMediaType]: {
                  schema: success.minimal.body,
                  examples: examples(success.minimal.examples),
                },
              }
            : {}),
        },
        ...(Object.keys(links).length > 0 ? { links } : {}),
      },
      ...(isTaggedRead(operation) ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...Object.fromEntries(
        publishedErrorsOf(operation).map((code) => [
          errors[code].status,
          { $ref: `#/components/responses/${responseName(code)}` },
        ]),
      ),
    },
  } as Parameters<OpenAPIRegistry['registerPath']>[0])
}

function isTaggedRead({ isConditional, method }: Operation): boolean {
  return isConditional === true && method === 'get'
}

/** Adds request headers. The contract has no schemas for them, since they are the same on every operation. */
function addHeaders(published: JsonObject, operations: Record<string, Operation>) {
  const added = headerParameters(operations[String(published.operationId)] as Operation)
  if (added.length === 0) return
  published.parameters = [...((published.parameters ?? []) as JsonObject[]), ...structuredClone(added)]
}

/** Error codes of the HTTP parser, which responds before any operation runs. */
function parserErrorsOf({ body, fileBody }: Operation): ErrorCode[] {
  return [...(body || fileBody ? (['REQUEST_TIMEOUT'] as const) : []), 'REQUEST_HEADER_FIELDS_TOO_LARGE']
}

function publishedErrorsOf(operation: Operation): ErrorCode[] {
  const codes = [...errorsOf(operation), ...parserErrorsOf(operation)]
  return codes.sort((one, other) => errors[one].status - errors[other].status)
}

/** Every error response once. */
function errorResponses(operations: Record<string, Operation>): Record<string, JsonObject> {
  const responses: Record<string, JsonObject> = {}
  if (Object.values(operations).some(isTaggedRead)) responses.NotModified = notModified
  for (const code of new Set(Object.values(operations).flatMap(publishedErrorsOf))) {
    const own = Object.entries(operations).flatMap(([operationId, { summary, errorExamples }]) => {
      const example = errorExamples?.[code]
      return example ? [[operationId, { ...example, summary: `${summary}: ${example.summary}` }]] : []
    })
    responses[responseName(code)] = errorResponse(code, Object.fromEntries(own))
  }
  return responses
}

const allowOrigin = {
  'Access-Control-Allow-Origin': { $ref: '#/components/headers/Access-Control-Allow-Origin' },
  'Access-Control-Expose-Headers': { $ref: '#/components/headers/Access-Control-Expose-Headers' },
}

function examples(named: Record<string, Example>) {
  return Object.fromEntries(
    Object.entries(named).map(([name, { summary, value }]) => [name, { summary, value }]),
  )
}

/** Describes the required role and scope. There is no other policy. */
function permission(need: Need): string {
  const token =
    'scope' in need && need.scope !== 'any' ? `a token with the scope \`${need.scope}\`` : 'any token'
  switch (need.kind) {
    case 'anyone':
      return 'Permission: none; no token is needed.'
    case 'user': {
      const unbound = need.isUnbound ? ' that is bound to no workspace' : ''
      return `Permission: any user, by ${token}${unbound}.`
    }
    default: {
      const role = {
        ADMIN: 'an admin',
        MEMBER: 'a member or an admin',
        GUEST: 'a guest, a member or an admin',
      }[need.role]
      const share =
        need.kind === 'bot' && need.publicShare ? ', or any user when the bot is shared publicly' : ''
      const missing =
        need.missing === 'FORBIDDEN' ? ' A record that does not exist is answered as one without access.' : ''
      return `Permission: ${role} of the workspace${share}, by ${token}.${missing}`
    }
  }
}

/** Moves parameters that are identical in several operations to one component each, by name. */
function shareParameters(operations: JsonObject[]): Record<string, JsonObject> {
  const uses = new Map<string, number>()
  const all = operations.flatMap(({ parameters }) => (parameters ?? []) as JsonObject[])
  for (const parameter of all) {
    const text = JSON.stringify(parameter)
    uses.set(text, (uses.get(text) ?? 0) + 1)
  }
  const shared: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const parameters = operation.parameters as JsonObject[] | undefined
    operation.parameters = parameters?.map((parameter) => {
      const text = JSON.stringify(parameter)
      if (uses.get(text) === 1) return parameter
      const given = String(parameter.name)
      const name =
        given.charAt(0).toUpperCase() +
        given.slice(1).replaceAll(/-(\w)/g, (_, first: string) => first.toUpperCase()) +
        (parameter.in === 'query' ? 'Query' : '')
      const other = shared[name]
      if (other && JSON.stringify(other) !== text) throw new Error(`Two shared parameters are called ${name}`)
      shared[name] = parameter
      return { $ref: `#/components/parameters/${name}` }
    })
    if (!parameters) delete operation.parameters
  }
  return sorted(shared)
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
