import type { Operation as ContractOperation } from '../operation.ts'
import { type JsonObject, nameOf } from './schemas.ts'

/**
 * Overlay with the pagination and retry extensions of commercial generators, so that the document itself has no
 * vendor extensions.
 */
export function toOverlay(document: JsonObject, operations: Record<string, ContractOperation>): JsonObject {
  const { info, paths } = document as { info: JsonObject; paths: Record<string, Record<string, Operation>> }
  const pages = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], responses }]) => {
      const isPaged = parameters.some(({ $ref }) => $ref === '#/components/parameters/CursorQuery')
      if (!isPaged) return []
      const entries = listOf(nameOf(responses[200]?.content['application/json']?.schema.$ref ?? ''), document)
      return [{ target: `$.paths['${path}'].${method}`, update: pagination(entries) }]
    }),
  )
  const safe = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { operationId }]) => isSafe(method, operations[operationId]))
      .map(([method]) => ({ target: `$.paths['${path}'].${method}`, update: retriesOn('429', '503') })),
  )
  return {
    overlay: '1.0.0',
    info: { title: `Pagination and retries of: ${info.title}`, version: info.version },
    extends: './openapi.yaml',
    actions: [{ target: '$', update: retriesOn('429') }, ...safe, ...pages],
  }
}

/** A retried deletion of everything would also delete records that were added since. */
function isSafe(method: string, operation: ContractOperation | undefined): boolean {
  return method === 'get' || (method === 'delete' && operation?.everythingWithout === undefined)
}

interface Operation {
  operationId: string
  parameters?: { $ref?: string }[]
  responses: Record<string, { content: Record<string, { schema: { $ref: string } }> }>
}

/** Property of a page that holds its entries. */
export function listOf(page: string, document: JsonObject): string {
  const { schemas } = document.components as {
    schemas: Record<string, { properties: Record<string, JsonObject> }>
  }
  const properties = Object.entries(schemas[page]?.properties ?? {})
  const [name] = properties.find(([, { type }]) => type === 'array') ?? []
  if (name === undefined) throw new Error(`${page} is no page`)
  return name
}

function pagination(entries: string): JsonObject {
  return {
    'x-speakeasy-pagination': {
      type: 'cursor',
      inputs: [{ name: 'cursor', in: 'parameters', type: 'cursor' }],
      outputs: { nextCursor: '$.nextCursor', results: `$.${entries}` },
    },
    'x-fern-pagination': {
      cursor: '$request.cursor',
      next_cursor: '$response.nextCursor',
      results: `$response.${entries}`,
    },
  }
}

/** A 429 means that nothing was done. After a 503 a write may have been done, so only safe operations are retried. */
const retriesOn = (...statusCodes: string[]) => ({
  'x-speakeasy-retries': {
    strategy: 'backoff',
    backoff: { initialInterval: 500, maxInterval: 60_000, maxElapsedTime: 300_000, exponent: 1.5 },
    statusCodes,
    retryConnectionErrors: false,
  },
})
