import { type JsonObject, nameOf, type Schemas } from '../kit/emit/schemas.ts'

/*
 * JSON Schemas of bots for editors and of credentials for forms, in draft 7, which every editor reads. They are
 * stricter than the service: an unknown property of a known block is an error, since it is most likely misspelt. The
 * service preserves it.
 */

const versions = ['3', '4', '5', '6', '6.1']

/** Schemas by file name. */
export function editorSchemas(document: JsonObject): Record<string, JsonObject> {
  const { schemas } = document.components as { schemas: Schemas }
  return {
    ...Object.fromEntries(versions.map((version) => [`bot-${version}.json`, botSchema(version, schemas)])),
    'credentials.json': credentialsSchema(schemas),
  }
}

/** Data of credentials by their type, for forms. */
function credentialsSchema(schemas: Schemas): JsonObject {
  const { discriminator } = schemas.CredentialsCreate as {
    discriminator: { mapping: Record<string, string> }
  }
  const definitions: Schemas = {}
  const strict = toStrict('6.1', schemas, definitions)
  const data = Object.entries(discriminator.mapping).map(([type, reference]) => {
    const { properties } = schemas[nameOf(reference)] as { properties: { data: JsonObject } }
    return [type, properties.data]
  })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Data of credentials',
    description: 'The data of credentials by the type that create and update take.',
    type: 'object',
    properties: strict(Object.fromEntries(data)),
    additionalProperties: false,
    definitions,
  }
}

function botSchema(version: string, schemas: Schemas): JsonObject {
  const { properties } = schemas[`BotV${version.replace('.', '')}`] as { properties: JsonObject }
  const definitions: Schemas = {}
  const strict = toStrict(version, schemas, definitions)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Bot, version ${version}`,
    description: `A bot with a flow in version ${version}: the response of export, and \`bot\` of import, create and update. Unknown properties and types of blocks are errors here; the service preserves them.`,
    type: 'object',
    required: ['version'],
    properties: {
      $schema: { type: 'string', description: 'Address of this schema; ignored by the service.' },
      ...(strict(properties) as JsonObject),
    },
    additionalProperties: false,
    definitions,
  }
}

/** Rewrites a schema for editors and collects the components that it references. */
function toStrict(version: string, schemas: Schemas, definitions: Schemas) {
  const refer = (name: string): JsonObject => {
    if (!(name in definitions)) {
      definitions[name] = {}
      definitions[name] = strict(schemas[name] as JsonObject) as JsonObject
    }
    return { $ref: `#/definitions/${name}` }
  }

  const strict = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strict)
    if (typeof value !== 'object' || value === null) return value
    const schema = value as JsonObject
    if (typeof schema.$ref === 'string') return refer(nameOf(schema.$ref))
    if (schema.discriminator) return unionOf(schema)
    const { properties, additionalProperties, items, oneOf, example, format, pattern, ...rest } = schema
    const preset = defaultOf(schema, version)
    return {
      ...rest,
      // Editors need no other one.
      ...(format === 'password' && { format }),
      ...(pattern === undefined || pattern === '^[^\\x00]*$' ? {} : { pattern }),
      ...(example === undefined ? {} : { examples: [example] }),
      ...(preset === undefined ? {} : { default: preset }),
      ...(items === undefined ? {} : { items: strict(items) }),
      ...(oneOf === undefined ? {} : { anyOf: strict(oneOf) }),
      ...(properties
        ? { properties: valuesOf(properties as JsonObject), additionalProperties: false }
        : additionalProperties === undefined
          ? {}
          : { additionalProperties: strict(additionalProperties) }),
    }
  }

  const valuesOf = (properties: JsonObject) =>
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, strict(inner)]))

  /** If the tag is present, only its branch applies, so an editor shows one error and suggests the right keys. */
  const unionOf = ({ discriminator, description }: JsonObject): JsonObject => {
    const { propertyName: tag, mapping } = discriminator as {
      propertyName: string
      mapping: Record<string, string>
    }
    const known = Object.entries(mapping).filter(([value, reference]) => value !== nameOf(reference))
    return {
      type: 'object',
      description,
      required: [tag],
      properties: {
        [tag]: { enum: known.map(([value]) => value), description: `Type. ${description}` },
      },
      allOf: known.map(([value, reference]) => ({
        if: { properties: { [tag]: { const: value } }, required: [tag] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: refer(nameOf(reference)),
      })),
    }
  }

  return (properties: JsonObject) => valuesOf(properties)
}

/**
 * Value that renderers use if the property is absent. The document does not publish it as `default`, since generated
 * clients would write it into every flow.
 */
export function defaultOf({ description, type, enum: values, oneOf }: JsonObject, version: string): unknown {
  const defaultText = /\bDefault ([^:].*?)[.:](?=\s|$)/.exec(String(description ?? ''))?.[1]
  const word = defaultText && wordFor(defaultText, version)
  if (!word) return undefined
  if (values) return (values as unknown[]).includes(word) ? word : undefined
  if (type === 'boolean') return word === 'true' ? true : word === 'false' ? false : undefined
  if (type === 'number' || type === 'integer' || oneOf) {
    const number = Number(word)
    return Number.isNaN(number) ? (oneOf ? word : undefined) : number
  }
  return type === 'string' && !/[,;]/.test(word) ? word : undefined
}

/** Picks the value of one version from `#FFF in version 6, #EEE in 6.1` or `false, in versions 3, 4 and 5 true`. */
function wordFor(said: string, version: string): string {
  const current = /^(.+) in version 6, (.+) in 6\.1$/.exec(said)
  if (current) return String(current[version === '6.1' ? 2 : 1])
  const legacy = /^(.+), in versions 3, 4 and 5 (.+)$/.exec(said)
  return legacy ? String(legacy[Number(version) < 6 ? 2 : 1]) : said
}
