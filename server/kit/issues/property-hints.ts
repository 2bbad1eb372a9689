import type { Issue } from '../../../contract/kit/errors.ts'
import { z } from '../../../contract/kit/zod.ts'
import { nearest } from './nearest.ts'

/* Hints for properties that no schema has: the nearest one that it has, and the wrapper that was forgotten. */

const MAX_NAMES_LISTED = 20

/**
 * The properties that an input may have at a path below it, of those that are wanted; of a union those of all its
 * branches.
 */
function knownKeys(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  isWanted = (_property: z.core.$ZodType) => true,
): string[] {
  if (schema instanceof z.ZodObject) {
    const [first, ...rest] = path
    if (first === undefined)
      return Object.keys(schema.shape).filter((name) => isWanted(schema.shape[name] as z.core.$ZodType))
    const inner = schema.shape[String(first)] as z.core.$ZodType | undefined
    return inner ? knownKeys(inner, rest, isWanted) : []
  }
  if (schema instanceof z.ZodUnion) {
    const branches = schema.options as readonly z.core.$ZodType[]
    return [...new Set(branches.flatMap((branch) => knownKeys(branch, path, isWanted)))]
  }
  if (schema instanceof z.ZodArray)
    return path.length > 0 ? knownKeys(schema.element, path.slice(1), isWanted) : []
  if (schema instanceof z.ZodPipe) return knownKeys(schema.in, path, isWanted)
  if (schema instanceof z.ZodLazy) return knownKeys(schema.unwrap(), path, isWanted)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return knownKeys(schema.unwrap(), path, isWanted)
  }
  return []
}

/** The text of an issue for a property that there is not. */
export function unknownProperty(key: string, schema: z.core.$ZodType, path: readonly PropertyKey[]): string {
  const known = knownKeys(schema, path)
  // A quarter of the letters may differ: with a third, `published` would be near `publicId`.
  const most = Math.max(1, Math.round(key.length / 4))
  const meant = nearest(key, known, { comparing: known.length }, most)
  if (meant !== undefined) return `Unknown property; probably ${meant} is meant`
  const written = knownKeys(schema, path, (property) => !z.globalRegistry.get(property)?.readOnly)
  if (written.length === 0 || written.length > MAX_NAMES_LISTED) return 'Unknown property'
  return `Unknown property; known here: ${written.join(', ')}`
}

/**
 * One issue in place of many where a body has the properties of a required object beside it instead of inside it.
 * Undefined for other bodies.
 */
export function missingWrapper(
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
): { wrapper: string; issue: Issue; inside: ReadonlySet<string> } | undefined {
  const missing = issues.find(
    (issue) => issue.code === 'invalid_type' && issue.expected === 'object' && issue.path.length === 1,
  )
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0)
  if (!missing || unknown?.code !== 'unrecognized_keys') return undefined
  const wrapper = String(missing.path[0])
  const known = new Set(knownKeys(schema, [wrapper]))
  const inside = unknown.keys.filter((key) => known.has(key))
  if (inside.length === 0) return undefined
  const [example] = inside
  const message = `Missing: wrap the properties of the ${wrapper} as {"${wrapper}": {"${example}": ...}}`
  return {
    wrapper,
    issue: { path: ['body', wrapper], code: 'invalid_type', message },
    inside: new Set(inside),
  }
}
