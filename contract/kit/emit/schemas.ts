/*
 * Converts generated schemas to forms that all client generators read. Invariants: no `const` without an equal `enum`,
 * no `anyOf` of objects, no `oneOf` of objects without a mapping, no free text without a bound and a pattern.
 */

export type JsonObject = { [key: string]: unknown }
export type Schemas = Record<string, JsonObject>

/** Excludes U+0000, which the server rejects in every text. Written as \x00, since RE2 supports that too. */
export const freeText = '^[^\\x00]*$'

export function finish(schema: JsonObject, schemas: Schemas, isBranch = false) {
  if (schema.anyOf ?? schema.oneOf) finishUnion(schema, schemas)
  if (schema.type === 'integer' && schema.format === undefined) schema.format = 'int32'
  // Without a format some clients read numbers as 32-bit floats, which changes fine ones a little. Branches
  // beside a text have no format, since a client accepts only numbers with a decimal point as `double`.
  if (isOfType(schema, 'number') && schema.format === undefined && !isBranch) schema.format = 'double'
  if (isOfType(schema, 'string') && !schema.enum && !schema.pattern && !schema.format)
    schema.pattern = freeText
  // JavaScript escapes slashes in the source of a regular expression; other languages reject that escape.
  if (typeof schema.pattern === 'string') schema.pattern = schema.pattern.replaceAll('\\/', '/')
  // Older tools read an empty schema as one that excludes null, so it becomes true.
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
 * A reference or null stays a union, with null outside. A union of objects gets a discriminator: the property with
 * exactly one value in each branch. A branch without such a value is for unknown tags; the mapping lists it by its own
 * name, as OpenAPI implies. A union beside a text has no discriminator, which would not cover the text, so its branches
 * have `type: object`.
 */
function finishUnion(schema: JsonObject, schemas: Schemas) {
  const branches = branchesOf(schema)
  const references = branches.flatMap(({ $ref }) =>
    typeof $ref === 'string' && resolve($ref, schemas).type !== 'string' ? [$ref] : [],
  )
  delete schema.anyOf
  schema.oneOf = branches
  if (references.length < branches.length) {
    for (const reference of references) typeUnion(reference, schemas)
  }
  if (references.length <= 1) return
  const objects = references.map((reference) => ({ reference, schema: resolve(reference, schemas) }))
  const tag = tagOf(objects.map((object) => object.schema))
  if (!tag) throw new Error(`A union of objects needs a tag: ${JSON.stringify(schema)}`)
  if (references.length < branches.length) return
  const mapping: Record<string, string> = {}
  for (const object of objects) {
    mapping[tagValue(object.schema, tag) ?? nameOf(object.reference)] = object.reference
  }
  schema.discriminator = { propertyName: tag, mapping }
}

/** Validators that follow a discriminator in place of the branches accept a text or null for a union without a type. */
function typeUnion(reference: string, schemas: Schemas) {
  const union = resolve(reference, schemas)
  const branches = branchesOf(union)
  const isOfObjects = branches.every(
    ({ $ref }) => typeof $ref === 'string' && resolve($ref, schemas).type === 'object',
  )
  if (branches.length > 0 && isOfObjects) union.type = 'object'
}

function branchesOf(schema: JsonObject): JsonObject[] {
  return (schema.anyOf ?? schema.oneOf ?? []) as JsonObject[]
}

function resolve(reference: string, schemas: Schemas): JsonObject {
  return schemas[nameOf(reference)] as JsonObject
}

export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The property that distinguishes most branches. */
function tagOf(branches: JsonObject[]): string | undefined {
  const values = new Map<string, Set<string>>()
  for (const branch of branches) {
    for (const name of Object.keys((branch.properties ?? {}) as JsonObject)) {
      const value = tagValue(branch, name)
      if (value !== undefined) values.set(name, (values.get(name) ?? new Set()).add(value))
    }
  }
  const [most] = [...values].sort(([, one], [, other]) => other.size - one.size)
  return most?.[0]
}

function tagValue(schema: JsonObject, tag: string): string | undefined {
  const property = (schema.properties as Record<string, JsonObject> | undefined)?.[tag]
  const values = property?.enum
  return Array.isArray(values) && values.length === 1 ? String(values[0]) : undefined
}

/** Publishes the type of the parsed value, although parameters arrive as text. */
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
