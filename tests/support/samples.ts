import { z } from '../../contract/kit/zod.ts'
import { type Json, without } from './arbitraries.ts'

/*
 * One value per schema, as small or as complete as it gets, and the ways to spoil it. Where
 * arbitraries.ts looks for surprises, these reach every property exactly once.
 */

type Schema = z.core.$ZodType
type Path = (string | number)[]

/** The value with every property that the schema knows, or with the required ones only. */
export function sampleOf(schema: Schema, size: 'full' | 'minimal', at = 0): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return sampleOf(schema._zod.def.innerType, size, at)
  }
  if (schema instanceof z.ZodObject) return sampleObject(schema, size, at)
  if (schema instanceof z.ZodArray) {
    const checks = (schema._zod.def.checks ?? []).map(
      ({ _zod }) => _zod.def as { check: string; minimum?: number },
    )
    const minimum = checks.find(({ check }) => check === 'min_length')?.minimum ?? 0
    const length = size === 'full' ? Math.max(1, minimum) : minimum
    return Array.from({ length }, (_, index) => sampleOf(schema.element, size, index))
  }
  if (schema instanceof z.ZodUnion) return sampleOf(schema.options[0] as Schema, size, at)
  // Entries of a list take the values in turn: the two ways of an AB test are a and b.
  if (schema instanceof z.ZodEnum) return schema.options[at % schema.options.length]
  if (schema instanceof z.ZodBoolean) return true
  if (schema instanceof z.ZodNumber) return schema.meta()?.example ?? 1
  if (schema instanceof z.ZodString) return schema.meta()?.example ?? 'text'
  if (schema instanceof z.ZodUnknown) return schema.meta()?.example ?? null
  throw new TypeError(`No sample for a schema of type ${schema._zod.def.type}`)
}

function sampleObject(schema: z.ZodObject, size: 'full' | 'minimal', at: number): Json {
  const entries = Object.entries(schema.shape as Record<string, Schema>)
  const wanted = entries.filter(([, property]) => size === 'full' || property._zod.optin === undefined)
  const sample = Object.fromEntries(wanted.map(([key, property]) => [key, sampleOf(property, size, at)]))
  // Examples are given for each property alone; where they do not go with the example of the tag, it is left out.
  return schema.safeParse(sample).success ? sample : without(sample, ['action'])
}

export interface Mistake {
  path: Path
  value: unknown
}

/** One wrong value for everything inside the schema that is checked, places of a full sample. */
export function mistakesIn(schema: Schema, path: Path = []): Mistake[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return mistakesIn(schema._zod.def.innerType, path)
  }
  const own = { path, value: wrongFor(schema) }
  if (schema instanceof z.ZodObject) {
    const inner = Object.entries(schema.shape as Record<string, Schema>)
    return [own, ...inner.flatMap(([key, property]) => mistakesIn(property, [...path, key]))]
  }
  if (schema instanceof z.ZodArray) return [own, ...mistakesIn(schema.element, [...path, 0])]
  if (schema instanceof z.ZodUnknown) return []
  if (schema instanceof z.ZodString) return [own, { path, value: tooLongFor(schema) }]
  if (schema instanceof z.ZodNumber) return [own, { path, value: (schema.maxValue ?? 0) + 1 }]
  return [own]
}

function wrongFor(schema: Schema): unknown {
  if (schema instanceof z.ZodEnum) return 'no such value'
  if (schema instanceof z.ZodObject || schema instanceof z.ZodArray) return 'neither object nor list'
  if (schema instanceof z.ZodUnion) return true
  if (schema instanceof z.ZodBoolean) return 'yes'
  return schema instanceof z.ZodString ? 42 : 'many'
}

/** Begins with the example, because it shall break the limit only and not a pattern. */
function tooLongFor(schema: z.ZodString): string {
  const { maxLength, example = '' } = schema.meta() as { maxLength: number; example?: string }
  return example + '😀'.repeat(maxLength + 1 - [...example].length)
}

/** A copy of `target` with another value at one place. */
export function plant<Target>(target: Target, [key, ...rest]: Path, value: unknown): Target {
  if (key === undefined) return value as Target
  const copy = (Array.isArray(target) ? [...target] : { ...target }) as Record<string | number, unknown>
  copy[key] = plant(copy[key], rest, value)
  return copy as Target
}
