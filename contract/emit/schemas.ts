/*
 * Brings generated schemas into the forms that all client generators read. What must stay true: no `const`
 * without an equal `enum`, no `anyOf` of objects, no `oneOf` of objects without a mapping, no free text
 * without a bound and a pattern.
 */

export type JsonObject = { [key: string]: unknown }
export type Schemas = Record<string, JsonObject>

/** Written with \x00, which RE2 knows too. The server refuses U+0000 in every text. */
export const freeText = '^[^\\x00]*$'

export function finish(schema: JsonObject, schemas: Schemas, isBranch = false) {
  if (schema.anyOf ?? schema.oneOf) finishUnion(schema, schemas)
  if (schema.type === 'integer' && schema.format === undefined) schema.format = 'int32'
  // Without a format some clients keep 32 bits of a number, and move every block of a flow a little. Beside a text
  // it has none: a client takes `double` for numbers with a point only, and has no branch for others.
  if (isOfType(schema, 'number') && schema.format === undefined && !isBranch) schema.format = 'double'
  if (isOfType(schema, 'string') && !schema.enum && !schema.pattern && !schema.format)
    schema.pattern = freeText
  // The source of a regular expression escapes slashes, which other languages take for an unknown escape.
  if (typeof schema.pattern === 'string') schema.pattern = schema.pattern.replaceAll('\\/', '/')
  // Said by the value true, since readers of older tools take an empty schema for one that null does not fit.
  if (isEmpty(schema.additionalProperties)) schema.additionalProperties = true
  for (const key of ['properties', 'additionalProperties', 'items', 'anyOf', 'oneOf', 'allOf'] as const) {
    const inner = schema[key]
    if (typeof inner !== 'object' || inner === null) continue
    const children = key === 'additionalProperties' || key === 'items' ? [inner] : Object.values(inner)
    for (const child of children) finish(child as JsonObject, schemas, key === 'oneOf')
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function isOfType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name))
}

/**
 * A reference or null stays a union with null outside; a union of objects gets its discriminator, from the
 * property that has exactly one value in each branch. A branch without such a value takes what the others do
 * not know; the mapping names it by its own name, as OpenAPI does by itself. A union beside a text has none, since
 * it would say nothing about the text; its branches say that they are objects.
 */
function finishUnion(schema: JsonObject, schemas: Schemas) {
  const branches = (schema.anyOf ?? schema.oneOf) as JsonObject[]
  const references = branches.flatMap(({ $ref }) =>
    typeof $ref === 'string' && resolve($ref, schemas).type !== 'string' ? [$ref] : [],
  )
  delete schema.anyOf
  schema.oneOf = branches
  if (references.length <= 1) return
  const objects = references.map((reference) => ({ reference, schema: resolve(reference, schemas) }))
  const tag = ['version', 'type', 'role', 'action', 'task'].find((property) =>
    objects.some((object) => tagValue(object.schema, property) !== undefined),
  )
  if (!tag) throw new Error(`A union of objects needs a tag: ${JSON.stringify(schema)}`)
  if (references.length < branches.length) return
  const mapping: Record<string, string> = {}
  for (const object of objects) {
    mapping[tagValue(object.schema, tag) ?? nameOf(object.reference)] = object.reference
  }
  schema.discriminator = { propertyName: tag, mapping }
}

function resolve(reference: string, schemas: Schemas): JsonObject {
  return schemas[nameOf(reference)] as JsonObject
}

export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function tagValue(schema: JsonObject, tag: string): string | undefined {
  const property = (schema.properties as Record<string, JsonObject> | undefined)?.[tag]
  const values = property?.enum
  return Array.isArray(values) && values.length === 1 ? String(values[0]) : undefined
}

/** Parameters arrive as text: what is published is the value they stand for. */
export function finishParameter(parameter: JsonObject, schemas: Schemas) {
  const schema = parameter.schema as JsonObject
  if (schema.type === 'integer') delete schema.pattern
  if (schema.type === 'boolean') delete schema.enum
  finish(schema, schemas)
  // Some generators escape a quotation mark of a header twice.
  if (parameter.in === 'header' && typeof schema.pattern === 'string') {
    schema.pattern = schema.pattern.replaceAll('"', '\\x22')
  }
  delete schema.description
  if (schema.example !== undefined) {
    parameter.example = schema.example
    delete schema.example
  }
}
