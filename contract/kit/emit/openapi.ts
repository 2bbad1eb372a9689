import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { type ErrorCode, type ErrorDefinition, errors as kitErrors } from '../errors.ts'
import { idempotencyKey } from '../idempotency.ts'
import { type Example, errorsOf, fileMediaType, minimumKeyOf, type Operation } from '../operation.ts'
import { z } from '../zod.ts'
import { conditionalHeaders, headerParameters, notModified } from './conditions.ts'
import {
  type DescribedErrors,
  errorResponse,
  errorSchemas,
  headers as kitHeaders,
  rateLimit,
  responseName,
} from './errors.ts'
import { linksOf } from './links.ts'
import { type PostedEvents, registerEvent } from './posted-events.ts'
import { samplesOf } from './samples.ts'
import { finish, finishParameter, type JsonObject, type Schemas } from './schemas.ts'

/* Renders a contract as an OpenAPI 3.1 document. The same contract always gives the same document. */

/** A contract, and the texts of its document beside the operations. */
export interface DocumentSource<O extends Operation = Operation> {
  title: string
  version: string
  /** One sentence. */
  summary: string
  /** Introduction for readers who have only the document, in Markdown. */
  introduction: string
  /** Further properties of `info`, such as `license` and `contact`. */
  about?: JsonObject
  externalDocs?: JsonObject
  operations: Record<string, O>
  tags: Record<string, { name: string; description: string }>
  /** Groups of tags in the order of the reference. Absent for one group of all. */
  tagGroups?: { name: string; tags: string[] }[]
  /** Components that no operation refers to. */
  besides?: readonly z.ZodType[]
  /** Events that the service posts to endpoints. */
  events?: PostedEvents
  errors: Record<ErrorCode, ErrorDefinition>
  issueCodes: Record<string, string>
  /** Header components that operations name in `success.headers`. */
  headers?: Record<string, JsonObject>
  /** Last paragraph of a description: the callers that may call the operation. */
  permissionOf: (operation: O) => string
  /** The scope that a token needs; undefined for any token. Absent for a service without scopes. */
  scopeOf?: (operation: O) => string | undefined
  /** Explains how callers get a token. */
  aboutTokens: string
}

export function toOpenApi<O extends Operation>(source: DocumentSource<O>): JsonObject {
  const { title, version, operations, besides = [], events, headers = {} } = source
  const tags = { ...source.tags, ...(events ? { [events.tag.id]: events.tag } : {}) }
  const described: DescribedErrors = { ...source, hasScopes: source.scopeOf !== undefined }
  const registry = new OpenAPIRegistry()
  for (const operationId of Object.keys(operations)) register(registry, operationId, source)
  for (const type of Object.keys(events?.byType ?? {})) registerEvent(registry, type, events as PostedEvents)
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
  const responses = errorResponses(operations, described)
  return {
    openapi: '3.1.0',
    info: {
      title,
      summary: source.summary,
      description: source.introduction,
      version,
      ...source.about,
    },
    ...(source.externalDocs ? { externalDocs: source.externalDocs } : {}),
    servers: [
      {
        url: '/',
        description: 'The installation that serves this document, be it local, staging or production.',
        'x-internal': false,
      },
    ],
    tags: Object.entries(sortKeys(tags)).map(([tag, { name, description }]) => ({
      name: tag,
      'x-displayName': name,
      description,
    })),
    'x-tagGroups': source.tagGroups ?? [{ name: title, tags: Object.keys(tags) }],
    security: [{ bearerAuth: [] }],
    paths,
    ...(Object.keys(generated.webhooks ?? {}).length > 0 ? { webhooks: generated.webhooks } : {}),
    components: {
      schemas: sortKeys({ ...schemas, ...errorSchemas(codes, described) }),
      parameters: shareParameters([...published, ...posted]),
      responses,
      headers: usedHeaders(sortKeys({ ...kitHeaders, ...headers }), JSON.stringify([paths, responses])),
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          description: source.aboutTokens,
        },
      },
    },
  }
}

function register<O extends Operation>(
  registry: OpenAPIRegistry,
  operationId: string,
  { operations, permissionOf, scopeOf }: DocumentSource<O>,
) {
  const operation = operations[operationId] as O
  const { success } = operation
  const minimumKey = minimumKeyOf(operation)
  const scope = scopeOf?.(operation)
  const links = linksOf(operation, operations)
  registry.registerPath({
    method: operation.method,
    path: operation.path,
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${permissionOf(operation)}`,
    ...(scope === undefined ? {} : { 'x-required-scope': scope }),
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
          ...(operation.access.kind !== 'anyone'
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
                [success.minimal.mediaType]: {
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
          kitErrors[code].status,
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
  return codes.sort((one, other) => kitErrors[one].status - kitErrors[other].status)
}

/** Every error response once. */
function errorResponses(
  operations: Record<string, Operation>,
  described: DescribedErrors,
): Record<string, JsonObject> {
  const responses: Record<string, JsonObject> = {}
  if (Object.values(operations).some(isTaggedRead)) responses.NotModified = notModified
  for (const code of new Set(Object.values(operations).flatMap(publishedErrorsOf))) {
    const own = Object.entries(operations).flatMap(([operationId, { summary, errorExamples }]) => {
      const example = errorExamples?.[code]
      return example ? [[operationId, { ...example, summary: `${summary}: ${example.summary}` }]] : []
    })
    responses[responseName(code)] = errorResponse(code, Object.fromEntries(own), described)
  }
  return responses
}

/** Components of headers that some response refers to. */
function usedHeaders(all: Record<string, JsonObject>, published: string): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => published.includes(`"#/components/headers/${name}"`)),
  )
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
  return sortKeys(shared)
}

function sortKeys<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
