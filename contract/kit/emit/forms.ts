import { type JsonObject, nameOf } from './schemas.ts'

/*
 * Forms of the document for other tools: a slim one with opaque parts, the same in OpenAPI 3.0.3, one without the
 * discriminators of open unions, and one in OpenAPI 3.2, which is more expressive.
 */

interface OpenApi extends JsonObject {
  info: JsonObject
  paths: JsonObject
  components: Record<string, Record<string, JsonObject>> & { schemas: Record<string, JsonObject> }
}

function toSlim(document: JsonObject, opaque: readonly string[]): JsonObject {
  const slim = structuredClone(document) as OpenApi
  for (const name of opaque) {
    const { description } = slim.components.schemas[name] as JsonObject
    slim.components.schemas[name] = {
      type: 'object',
      additionalProperties: true,
      maxProperties: 5000,
      description: `${description} The whole document, \`openapi.yaml\`, describes its content.`,
    }
  }
  return withoutUnused(slim)
}

/** Removes redundant keywords of free objects. With them, the generator for Ruby makes a class that it cannot build. */
function withPlainParts(slim: JsonObject, opaque: readonly string[]): JsonObject {
  const plain = structuredClone(slim) as OpenApi
  for (const name of opaque) {
    const {
      additionalProperties: _,
      maxProperties: __,
      ...part
    } = plain.components.schemas[name] as JsonObject
    plain.components.schemas[name] = part
  }
  return plain
}

/** Removes components that no operation refers to. */
function withoutUnused(document: OpenApi): OpenApi {
  const used = new Set<string>()
  const follow = (value: unknown) => {
    for (const [, reference = ''] of JSON.stringify(value).matchAll(/"(#\/components\/[^"]+)"/g)) {
      if (used.has(reference)) continue
      used.add(reference)
      const [, , kind = '', name = ''] = reference.split('/')
      follow(document.components[kind]?.[name])
    }
  }
  follow(document.paths)
  follow(document.webhooks ?? {})
  for (const [kind, components] of Object.entries(document.components)) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(components)) {
      if (!used.has(`#/components/${kind}/${name}`)) delete components[name]
    }
  }
  return document
}

/**
 * Converts to OpenAPI 3.0, which has no type null but `nullable` beside a type. A reference allows nothing beside it,
 * so a component or null becomes a component `Nullable...`; a union or null becomes any value.
 */
function toOpenApi30(document: JsonObject): JsonObject {
  // OpenAPI 3.0 has no webhooks.
  const { openapi: _, info, webhooks: __, ...rest } = structuredClone(document) as OpenApi
  const { summary: ___, ...known } = info
  const { schemas } = rest.components
  const nullables: Record<string, JsonObject> = {}
  const plain = withNullable({ openapi: '3.0.3', info: known, ...rest }, (reference) => {
    const name = nameOf(reference)
    const schema = schemas[name] as JsonObject
    if (typeof schema.type !== 'string') return undefined
    // Null would have to be a value of the enumeration; absent means the same.
    if (schema.enum) return { $ref: reference }
    nullables[`Nullable${name}`] = {
      ...(withNullable(schema, () => undefined) as JsonObject),
      nullable: true,
    }
    return { $ref: `#/components/schemas/Nullable${name}` }
  }) as OpenApi
  Object.assign(plain.components.schemas, nullables)
  return withoutUnused(plain)
}

function withNullable(value: unknown, orNull: (reference: string) => JsonObject | undefined): unknown {
  const inner = (one: unknown) => withNullable(one, orNull)
  if (Array.isArray(value)) return value.map(inner)
  if (typeof value !== 'object' || value === null) return value
  const given = value as JsonObject
  const isExample = 'value' in given && 'summary' in given
  if (isExample) return given
  const { type, oneOf, ...rest } = given
  const copy = Object.fromEntries(
    Object.entries(rest).map(([key, one]) => [key, key === 'enum' || key === 'example' ? one : inner(one)]),
  )
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== 'null')
    if (types.length !== 1) throw new Error(`OpenAPI 3.0 knows one type: ${type}`)
    return { type: types[0], nullable: true, ...copy }
  }
  if (Array.isArray(oneOf)) {
    const branches = (oneOf as JsonObject[]).filter((branch) => branch.type !== 'null')
    if (branches.length === oneOf.length) return { oneOf: inner(oneOf), ...copy }
    if (branches.length !== 1) throw new Error(`Null goes beside one reference: ${JSON.stringify(oneOf)}`)
    return orNull(String(branches[0]?.$ref)) ?? copy
  }
  return type === undefined ? copy : { type: inner(type), ...copy }
}

/** Unions with a branch for unknown tags, and the name of that branch. */
function openUnionsOf({ components }: OpenApi): [union: JsonObject, branch: string][] {
  return Object.values(components.schemas).flatMap((schema) => {
    const { mapping = {} } = (schema.discriminator ?? {}) as { mapping?: Record<string, string> }
    const [, branch] = Object.entries(mapping).find(([value, reference]) => value === nameOf(reference)) ?? []
    return branch === undefined ? [] : [[schema, branch] as [JsonObject, string]]
  })
}

/** Removes discriminators: before OpenAPI 3.2 an unmapped tag names a schema, so strict tools reject unknown blocks. */
function toUntagged(document: JsonObject): JsonObject {
  const untagged = structuredClone(document) as OpenApi
  for (const [union] of openUnionsOf(untagged)) delete union.discriminator
  return untagged
}

/** Converts to OpenAPI 3.2, in which an open union names its default branch and a stream the schema of its items. */
function toOpenApi32(document: JsonObject, items: Record<string, string>): JsonObject {
  const copy = structuredClone(document) as OpenApi
  copy.openapi = '3.2.0'
  for (const [union, branch] of openUnionsOf(copy)) {
    const discriminator = union.discriminator as { mapping: Record<string, string> }
    delete discriminator.mapping[nameOf(branch)]
    union.discriminator = { ...discriminator, defaultMapping: branch }
  }
  for (const methods of Object.values(copy.paths as Record<string, Record<string, JsonObject>>)) {
    for (const { operationId, responses } of Object.values(methods)) {
      const item = items[String(operationId)]
      if (item !== undefined) streamItems(responses as Record<string, JsonObject>, item)
    }
  }
  return copy
}

function streamItems(responses: Record<string, JsonObject>, item: string) {
  for (const { content = {} } of Object.values(responses) as { content?: Record<string, JsonObject> }[]) {
    for (const [mediaType, { examples }] of Object.entries(content)) {
      const itemSchema = { $ref: `#/components/schemas/${item}` }
      if (mediaType === 'application/x-ndjson')
        content[mediaType] = { itemSchema, examples: serializeExamples(examples) }
      if (mediaType === 'text/event-stream') {
        content[mediaType] = { itemSchema: eventOf(itemSchema), examples: serializeExamples(examples) }
      }
    }
  }
}

function eventOf(data: JsonObject): JsonObject {
  return {
    type: 'object',
    description: 'One event of the stream.',
    required: ['event', 'data'],
    properties: {
      event: { type: 'string', description: 'The `type` of the data.', example: 'delta' },
      data: {
        type: 'string',
        description: 'The event as JSON in one line.',
        contentMediaType: 'application/json',
        contentSchema: data,
      },
    },
  }
}

/** Marks examples of a stream as serialized text, since they are not values of its items. */
function serializeExamples(examples: unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(examples as Record<string, JsonObject>).map(([name, { summary, value }]) => [
      name,
      { summary, serializedValue: value },
    ]),
  )
}

/**
 * All forms except the whole document, by file name. `items` has the component of stream items by operation, `opaque`
 * the components that tools copy without a look inside.
 */
export function formsOf(
  document: JsonObject,
  items: Record<string, string>,
  opaque: readonly string[] = [],
): Record<string, JsonObject> {
  const slim = toSlim(document, opaque)
  return {
    'openapi-slim.yaml': slim,
    'openapi-slim-3.0.yaml': toOpenApi30(withPlainParts(slim, opaque)),
    'openapi-untagged.yaml': toUntagged(document),
    'openapi-3.2.yaml': toOpenApi32(document, items),
  }
}
