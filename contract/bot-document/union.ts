import { z } from '../kit/zod.ts'

/*
 * Unions that choose their branch by the value instead of trying every branch. A wrong value then gives the issues of
 * the intended branch only, and a block costs one lookup.
 *
 * They are a subtype of zod's own union, so the emitter and `z.output` see an ordinary union, tagged if
 * `discriminator` is set.
 */

/** Issue of a value that fits no branch, at `path` below it. */
export interface Mismatch {
  issue: z.core.$ZodRawIssue
}

type Select = (value: unknown) => z.core.$ZodType | Mismatch

interface SelectUnionDef extends z.core.$ZodUnionDef {
  select: Select
  discriminator?: string
}

export interface SelectUnion extends z.ZodUnion {
  _zod: z.ZodUnion['_zod'] & { def: SelectUnionDef }
}

export const SelectUnion = z.core.$constructor<SelectUnion, SelectUnionDef>('SelectUnion', (union, def) => {
  z.ZodUnion.init(union, def)
  union._zod.parse = (payload, context) => {
    const selected = def.select(payload.value)
    if ('_zod' in selected) return selected._zod.run(payload, context)
    payload.issues.push(selected.issue)
    return payload
  }
})

export function selectUnion<const Options extends readonly z.core.$ZodType[]>(
  options: Options,
  select: Select,
): z.ZodUnion<Options> {
  return new SelectUnion({ type: 'union', options, select }) as unknown as z.ZodUnion<Options>
}

export function wrongType(message: string, path: PropertyKey[] = []): Mismatch {
  return { issue: { code: 'custom', message, path, input: undefined } }
}

type Tagged = z.ZodObject<z.ZodRawShape>

/** Returns the one value that a branch allows for the tag. */
export function tagOf(branch: Tagged, tag: string): string {
  const schema = branch.shape[tag]
  if (!(schema instanceof z.ZodEnum) || schema.options.length !== 1) {
    throw new TypeError(`A branch must have exactly one value for "${tag}"`)
  }
  return String(schema.options[0])
}

/**
 * A union of objects by the text property `tag`. Objects with a tag of no branch fit `opaque`, unless `messages` has
 * a message for them.
 */
export function taggedUnion<const Branches extends readonly Tagged[], Opaque extends Tagged>(
  tag: string,
  branches: Branches,
  opaque: Opaque,
  messages: ReadonlyMap<string, string> = new Map(),
): z.ZodUnion<readonly [...Branches, Opaque]> {
  const byTag = new Map(branches.map((branch) => [tagOf(branch, tag), branch]))

  const select: Select = (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { issue: { code: 'invalid_type', expected: 'object', input: value } }
    }
    const tagValue = (value as Record<string, unknown>)[tag]
    if (typeof tagValue !== 'string') {
      return { issue: { code: 'invalid_type', expected: 'string', input: tagValue, path: [tag] } }
    }
    const message = messages.get(tagValue)
    return message === undefined ? (byTag.get(tagValue) ?? opaque) : wrongType(message, [tag])
  }

  return new SelectUnion({
    type: 'union',
    options: [...branches, opaque],
    select,
    discriminator: tag,
  }) as unknown as z.ZodUnion<readonly [...Branches, Opaque]>
}
