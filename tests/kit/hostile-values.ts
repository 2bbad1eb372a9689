import fc from './fast-check.ts'
import type { JsonSchema } from './replay/document.ts'

/*
 * Values that nearly fit a schema of a document: made to fit, then spoilt in a few places. Where
 * an id is due there is a placeholder, since ids are known only when a world is.
 */

const ID = '@id:'

const awkwardTexts = [
  '',
  ' ',
  'null',
  '{{Name}}',
  '{{= 1 + 1 =}}',
  "'; DROP TABLE users; --",
  '$1',
  '\u202eabc',
  '👩🏽‍💻',
  'ａ'.repeat(300),
  `${'a'.repeat(5_000)}!`,
  '../../etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  '2026-02-30T25:61:61Z',
  '-1',
  '1e3',
  'NaN',
]

const awkwardValues: unknown[] = [
  ...awkwardTexts,
  'a\0b',
  '\ud800',
  null,
  true,
  0,
  -1,
  0.1,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  [[]],
  [null],
  { '': '' },
  { constructor: { prototype: { polluted: true } } },
  { toString: 1, valueOf: 1, hasOwnProperty: 1, toJSON: 1 },
  { $ref: '#' },
  Array.from({ length: 2_000 }, () => ({})),
  Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at])),
  JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`),
]

/** Something wrong for any place. */
export const awkwardValue = fc.constantFrom(...awkwardValues)

const anyKey = fc.constantFrom('x', '__key__', 'constructor', 'id', 'version', 'type', '', 'a\0b', '0')

/** Returns a function for values that fit a schema, small ones. `resolve` follows a reference of the document. */
export function createFitting(resolve: (schema: JsonSchema) => JsonSchema) {
  const known = new Map<string, fc.Arbitrary<unknown>>()

  function fitting(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
    if (!schema.$ref) return make(schema, depth)
    const key = `${schema.$ref} ${depth}`
    const found = known.get(key) ?? make(resolve(schema), depth)
    known.set(key, found)
    return found
  }

  function make(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    if (schema.enum) return fc.constantFrom(...schema.enum)
    const branches = schema.oneOf ?? schema.anyOf
    if (branches) {
      const reachable = depth > 8 ? branches.slice(0, 1) : branches
      return fc.oneof(
        ...reachable.map((branch) => fc.constant(branch).chain((one) => fitting(one, depth + 1))),
      )
    }
    const types = Array.isArray(schema.type) ? schema.type : [schema.type]
    return fc.oneof(...types.map((type) => ofType(type, schema, depth)))
  }

  function ofType(type: string | undefined, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const { minimum = -1_000, maximum = 1_000_000 } = schema as { minimum?: number; maximum?: number }
    switch (type) {
      case 'object':
        return objectOf(schema, depth)
      case 'array': {
        const { minItems = 0 } = schema as { minItems?: number }
        if (depth > 8 && minItems === 0) return fc.constant([])
        return fc.array(fitting(schema.items ?? {}, depth + 1), {
          minLength: minItems,
          maxLength: minItems + 2,
        })
      }
      case 'string':
        return textOf(schema)
      case 'integer':
        return fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 40) })
      case 'number':
        return fc.double({ min: minimum, max: maximum, noNaN: true }).map((number) => number + 0)
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      default:
        return fc.jsonValue({ maxDepth: 2 })
    }
  }

  function objectOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries(schema.properties ?? {})
    const required = schema.required ?? []
    const wanted = depth > 8 ? properties.filter(([name]) => required.includes(name)) : properties
    const shape = Object.fromEntries(wanted.map(([name, inner]) => [name, fitting(inner, depth + 1)]))
    const named = fc.record(shape, { requiredKeys: required, noNullPrototype: true })
    const { additionalProperties } = schema
    if (!additionalProperties || properties.length > 0) return named
    const values = fitting(additionalProperties === true ? {} : additionalProperties, depth + 1)
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), values, {
      maxKeys: 3,
      noNullPrototype: true,
    })
  }

  return fitting
}

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const {
    pattern = '',
    minLength = 0,
    example,
  } = schema as {
    pattern?: string
    minLength?: number
    example?: unknown
  }
  if (pattern === '^[A-Za-z0-9_-]{1,64}$') return fc.nat(100).map((at) => `${ID}${at}`)
  if (schema.format || !pattern.includes('x00')) return fc.constant(String(example ?? 'text'))
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: minLength + 10 }),
    fc.constant(String(example ?? 'text')),
    fc.constantFrom(...awkwardTexts.filter((text) => text.length >= minLength)),
  )
}

/** Change of a value: replaces the part at one place, or adds a key beside it. */
export interface Change {
  at: number
  value: unknown
  key: string | undefined
}

export const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(10_000),
  value: awkwardValue,
  key: fc.option(anyKey, { nil: undefined, freq: 3 }),
})

/** The value with its changes, and with ids where placeholders were. */
export function spoil(value: unknown, changes: readonly Change[], ids: readonly string[]): unknown {
  const root = { value: fill(structuredClone(value), ids) }
  for (const { at, value, key } of changes) {
    const other = structuredClone(value)
    const places: [holder: Record<string, unknown>, name: string][] = []
    collect(root as Record<string, unknown>, places)
    const [holder, name] = places[at % places.length] ?? [root as Record<string, unknown>, 'value']
    const inner = holder[name]
    if (key !== undefined && typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      Object.assign(inner, { [key]: other })
    } else if (key === 'x') delete holder[name]
    else holder[name] = other
  }
  return root.value
}

function collect(holder: Record<string, unknown>, places: [Record<string, unknown>, string][]) {
  for (const [name, inner] of Object.entries(holder)) {
    if (places.length > 5_000) return
    places.push([holder, name])
    if (typeof inner === 'object' && inner !== null) collect(inner as Record<string, unknown>, places)
  }
}

function fill(value: unknown, ids: readonly string[]): unknown {
  if (typeof value === 'string') {
    return value.startsWith(ID) ? (ids[Number(value.slice(ID.length)) % ids.length] as string) : value
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, ids)]))
}
