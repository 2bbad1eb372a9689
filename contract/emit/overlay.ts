import { type JsonObject, nameOf } from './schemas.ts'

/**
 * Pagination and retries in the words of commercial generators of clients, as an overlay, so that the document itself
 * stays free of them.
 */
export function toOverlay(document: JsonObject): JsonObject {
  const { info, paths } = document as { info: JsonObject; paths: Record<string, Record<string, Operation>> }
  const pages = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], responses }]) => {
      const isPaged = parameters.some(({ $ref }) => $ref === '#/components/parameters/CursorQuery')
      if (!isPaged) return []
      const entries = listOf(nameOf(responses[200]?.content['application/json']?.schema.$ref ?? ''), document)
      return [{ target: `$.paths['${path}'].${method}`, update: pagination(entries) }]
    }),
  )
  return {
    overlay: '1.0.0',
    info: { title: `Pagination and retries of: ${info.title}`, version: info.version },
    extends: './openapi.yaml',
    actions: [{ target: '$', update: retries }, ...pages],
  }
}

interface Operation {
  parameters?: { $ref?: string }[]
  responses: Record<string, { content: Record<string, { schema: { $ref: string } }> }>
}

/** The property of a page that holds its entries. */
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

/** Only what says so by its status is sent again: a write whose answer was lost may have been done. */
const retries = {
  'x-speakeasy-retries': {
    strategy: 'backoff',
    backoff: { initialInterval: 500, maxInterval: 60_000, maxElapsedTime: 300_000, exponent: 1.5 },
    statusCodes: ['503'],
    retryConnectionErrors: false,
  },
}
