import { z } from '../../contract/kit/zod.ts'
import fc from '../kit/fast-check.ts'

/*
 * Values that fit a schema of the contract, unknown keys included. They follow the schemas, so a property
 * added to the contract is generated without a change here.
 */

export type Json = Record<string, unknown>
type Schema = z.core.$ZodType

/** Keys that editors and vendors add, and keys that are awkward in objects. */
const foreignKey = fc.constantFrom(
  'groupId',
  'isAdvanced',
  'x-vendor',
  '0',
  '42',
  '007',
  'constructor',
  'toString',
  'with space',
  'ключ',
  '🧩',
)

/** Any JSON value, small. Without `__proto__`, which the service rejects, and without -0, which JSON loses. */
export const json = fc
  .jsonValue({ maxDepth: 2, stringUnit: 'grapheme' })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as unknown)

const awkwardText = fc.constantFrom(
  '',
  ' ',
  '{{Name}}',
  '{{= 1 + 1 =}}',
  '👩🏽‍💻🚀',
  'null',
  '42',
  'a\nb\t"c"\\',
)

const cache = new Map<Schema, fc.Arbitrary<unknown>>()

export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const known = cache.get(schema)
  if (known) return known
  const made = make(schema)
  cache.set(schema, made)
  return made
}

export function objectsOf(schema: z.ZodObject): fc.Arbitrary<Json> {
  return valuesOf(schema) as fc.Arbitrary<Json>
}

function make(schema: Schema): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional) return valuesOf(schema._zod.def.innerType)
  if (schema instanceof z.ZodNullable) return fc.option(valuesOf(schema._zod.def.innerType), { freq: 4 })
  if (schema instanceof z.ZodObject) return fitting(schema, shapeOf(schema))
  if (schema instanceof z.ZodArray) return arrayOf(schema)
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(valuesOf))
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options)
  if (schema instanceof z.ZodBoolean) return fc.boolean()
  if (schema instanceof z.ZodNull) return fc.constant(null)
  if (schema instanceof z.ZodString) return textOf(schema)
  if (schema instanceof z.ZodNumber) return numberOf(schema)
  if (schema instanceof z.ZodUnknown) return json.filter((value) => schema.safeParse(value).success)
  throw new TypeError(`No values for a schema of type ${schema._zod.def.type}`)
}

function shapeOf(schema: z.ZodObject): fc.Arbitrary<Json> {
  const shape = schema.shape as Record<string, Schema>
  const known = fc.record(
    Object.fromEntries(Object.entries(shape).map(([key, property]) => [key, valuesOf(property)])),
    {
      requiredKeys: Object.keys(shape).filter((key) => shape[key]?._zod.optin === undefined),
      noNullPrototype: true,
    },
  )
  const foreign = fc.dictionary(
    foreignKey.filter((key) => !Object.hasOwn(shape, key)),
    json,
    { maxKeys: 2, noNullPrototype: true },
  )
  return fc.oneof(
    { weight: 4, arbitrary: known },
    // Unknown keys first, so that a stored copy that reorders keys is noticed.
    { weight: 1, arbitrary: fc.tuple(foreign, known).map(([extra, value]) => ({ ...extra, ...value })) },
  ) as fc.Arbitrary<Json>
}

/** Rules between properties: what they reject is left out, and where that is required too, the tag is. */
function fitting(schema: z.ZodObject, values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const { checks = [] } = schema._zod.def
  if (checks.length === 0) return values
  return values
    .map((value) => {
      let fixed = value
      for (let attempt = 0; attempt < 3; attempt++) {
        const issue = schema.safeParse(fixed).error?.issues[0]
        if (!issue) break
        const rejected = String(issue.path[0])
        fixed = without(fixed, Object.hasOwn(fixed, rejected) ? [rejected] : ['action', 'task'])
      }
      return fixed
    })
    .filter((value) => schema.safeParse(value).success)
}

export function without(value: Json, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
}

function arrayOf(schema: z.ZodArray): fc.Arbitrary<unknown> {
  const { element } = schema
  const path = element instanceof z.ZodObject ? (element.shape as Record<string, Schema>).path : undefined
  // The two ways of an AB test are the only list with a place for each entry.
  if (path instanceof z.ZodEnum && element instanceof z.ZodObject) {
    const ways = path.options.map((way) => objectsOf(element).map((item) => ({ ...item, path: way })))
    return fc.tuple(...ways)
  }
  const minimum = limitOf(schema, 'min_length', 'minimum') ?? 0
  const maximum = limitOf(schema, 'max_length', 'maximum') ?? 2
  return fc.array(valuesOf(element), { minLength: minimum, maxLength: Math.min(maximum, minimum + 2) })
}

function textOf(schema: z.ZodString): fc.Arbitrary<string> {
  const { minLength = 0, example } = schema.meta() as { minLength?: number; example?: string }
  if (checksOf(schema).some(({ check }) => check === 'string_format')) return fc.constant(String(example))
  const generated = fc.string({ unit: 'grapheme', minLength, maxLength: 8 })
  const awkward = awkwardText.filter((value) => value.length >= minLength)
  return fc.oneof({ weight: 3, arbitrary: generated }, { weight: 1, arbitrary: awkward })
}

function numberOf(schema: z.ZodNumber): fc.Arbitrary<number> {
  const minimum = schema.minValue ?? -1e9
  const maximum = schema.maxValue ?? 1e9
  return fc
    .oneof(
      fc.constantFrom(minimum, maximum),
      fc.double({ min: minimum, max: maximum, noNaN: true }),
      fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) }),
    )
    .map((value) => value + 0)
}

function limitOf(schema: Schema, check: string, limit: 'minimum' | 'maximum'): number | undefined {
  return checksOf(schema).find((definition) => definition.check === check)?.[limit]
}

function checksOf(schema: Schema): { check: string; minimum?: number; maximum?: number }[] {
  return (schema._zod.def.checks ?? []).map(({ _zod }) => _zod.def)
}
