import { createRequire } from 'node:module'
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema } from './document.ts'

/* Values and schemas of a document: the check of a value, its undocumented properties, and a value that fits. */

export interface Checker {
  /** Mistakes of a value under a schema; an empty list if it fits. */
  mistakesOf(value: unknown, schema: JsonSchema): string[]
  /** Paths of properties that the schema does not show, where it lists properties and says nothing of others. */
  undocumentedIn(value: unknown, schema: JsonSchema): string[]
  /** A value from the examples of a schema, as small as its required properties let it be. */
  sampleOf(schema: JsonSchema): unknown
  resolve(schema: JsonSchema): JsonSchema
}

const require = createRequire(import.meta.url)
const MAX_DEPTH = 20

export function createChecker(root: object): Checker {
  const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: new (options: object) => Ajv2020 }
  const ajv = new Ajv({ strict: false, validateFormats: true, inlineRefs: false, logger: false })
  require('ajv-formats')(ajv)
  ajv.addSchema({ $id: 'document', ...(referring(root) as object) }, undefined, undefined, false)
  const compiled = new Map<string, ValidateFunction>()

  function resolve(schema: JsonSchema): JsonSchema {
    if (typeof schema.$ref !== 'string') return schema
    const names = schema.$ref.slice(2).split('/')
    const target = names.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], root)
    return resolve(target as JsonSchema)
  }

  function mistakesOf(value: unknown, schema: JsonSchema): string[] {
    const key = JSON.stringify(schema)
    const validate = compiled.get(key) ?? ajv.compile(referring(schema) as object)
    compiled.set(key, validate)
    if (validate(value)) return []
    return (validate.errors ?? [])
      .slice(0, 3)
      .map(({ instancePath, message }) => `${instancePath || 'the value'} ${message}`)
  }

  function undocumentedIn(value: unknown, schema: JsonSchema, at = '', depth = 0): string[] {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
    const shapes = branchesOf(schema, resolve).filter(
      (shape) => !shape.isAlternative || mistakesOf(value, shape.schema).length === 0,
    )
    if (Array.isArray(value)) {
      const items = shapes.flatMap(({ schema: { items } }): JsonSchema[] => (items ? [items] : []))
      return value.flatMap((item, index) =>
        items.flatMap((one) => undocumentedIn(item, one, `${at}/${index}`, depth + 1)),
      )
    }
    const isOpen = shapes.some(
      ({ schema }) => schema.additionalProperties !== undefined || schema.patternProperties !== undefined,
    )
    const known = shapes.flatMap(({ schema }) => (schema.properties ? [schema.properties] : []))
    if (known.length === 0) return []
    return Object.entries(value).flatMap(([name, inner]) => {
      const schemas = known.flatMap((properties): JsonSchema[] =>
        Object.hasOwn(properties, name) ? [properties[name] as JsonSchema] : [],
      )
      if (schemas.length === 0) return isOpen ? [] : [`${at}/${name}`]
      const found = schemas.map((one) => undocumentedIn(inner, one, `${at}/${name}`, depth + 1))
      return found.find((list) => list.length === 0) ?? found[0] ?? []
    })
  }

  function sampleOf(given: JsonSchema, depth = 0): unknown {
    const schema = resolve(given)
    if (schema.example !== undefined) return schema.example
    if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
    if (schema.default !== undefined) return schema.default
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return schema.enum[0]
    if (depth > MAX_DEPTH) return null
    if (schema.allOf) {
      const parts = schema.allOf.map((part) => sampleOf(part, depth + 1))
      return Object.assign({}, ...parts)
    }
    const [alternative] = schema.oneOf ?? schema.anyOf ?? []
    if (alternative) return sampleOf(alternative, depth + 1)
    const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type
    if (type === 'object' || schema.properties) {
      const names = schema.required ?? []
      return Object.fromEntries(
        names.map((name) => [name, sampleOf(schema.properties?.[name] ?? {}, depth + 1)]),
      )
    }
    if (type === 'array')
      return Array.from({ length: Number(schema.minItems ?? 0) }, () =>
        sampleOf(schema.items ?? {}, depth + 1),
      )
    if (type === 'integer' || type === 'number') return Number(schema.minimum ?? 1)
    if (type === 'boolean') return true
    return textFor(schema)
  }

  return { mistakesOf, undocumentedIn, sampleOf: (schema) => sampleOf(schema), resolve }
}

/** A schema with those that it consists of. Of alternatives only those count that a value fits. */
function branchesOf(
  given: JsonSchema,
  resolve: (schema: JsonSchema) => JsonSchema,
  isAlternative = false,
): { schema: JsonSchema; isAlternative: boolean }[] {
  const schema = resolve(given)
  return [
    { schema, isAlternative },
    ...(schema.allOf ?? []).flatMap((part) => branchesOf(part, resolve, isAlternative)),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((part) => branchesOf(part, resolve, true)),
  ]
}

function textFor({ format, minLength }: JsonSchema): string {
  const byFormat: Record<string, string> = {
    'date-time': '2026-01-05T09:00:00Z',
    date: '2026-01-05',
    email: 'ada@example.com',
    uri: 'https://example.com/',
    uuid: '0197c7a8-3a52-7cc1-8f0e-1b6f9d3a5e10',
  }
  return (byFormat[String(format)] ?? 'text').padEnd(Number(minLength ?? 0), 'x')
}

/** References of a document to itself, as the checker knows it. */
function referring(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"$ref":"#/', '"$ref":"document#/'))
}
