import { z } from '../zod.ts'

/*
 * Unions that find their branch by looking at the value instead of trying one branch after the other: a
 * wrong value gives the one issue of the one branch that was meant, and a block costs one lookup.
 *
 * They are a subtype of zod's own union, so that whatever reads schemas (the emitter, the type of
 * `z.output`) sees an ordinary union, tagged where `discriminator` is set.
 */

/** Why no branch fits: one issue, at `path` below the value. */
export interface Refusal {
  refused: z.core.$ZodRawIssue
}

type Select = (value: unknown) => z.core.$ZodType | Refusal

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
    payload.issues.push(selected.refused)
    return payload
  }
})

export function selectUnion<const Options extends readonly z.core.$ZodType[]>(
  options: Options,
  select: Select,
): z.ZodUnion<Options> {
  return new SelectUnion({ type: 'union', options, select }) as unknown as z.ZodUnion<Options>
}

export function wrongType(message: string, path: PropertyKey[] = []): Refusal {
  return { refused: { code: 'custom', message, path, input: undefined } }
}

type Tagged = z.ZodObject<z.ZodRawShape>

/** The one value that a branch allows for the tag. */
export function tagOf(branch: Tagged, tag: string): string {
  const schema = branch.shape[tag]
  if (!(schema instanceof z.ZodEnum) || schema.options.length !== 1) {
    throw new TypeError(`A branch must have exactly one value for "${tag}"`)
  }
  return String(schema.options[0])
}

/**
 * A union of objects keyed on the text property `tag`. Objects with a tag that no branch knows fit
 * `opaque`, unless `refusals` says why they do not.
 */
export function taggedUnion<const Branches extends readonly Tagged[], Opaque extends Tagged>(
  tag: string,
  branches: Branches,
  opaque: Opaque,
  refusals: ReadonlyMap<string, string> = new Map(),
): z.ZodUnion<readonly [...Branches, Opaque]> {
  const byTag = new Map(branches.map((branch) => [tagOf(branch, tag), branch]))

  const select: Select = (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { refused: { code: 'invalid_type', expected: 'object', input: value } }
    }
    const given = (value as Record<string, unknown>)[tag]
    if (typeof given !== 'string') {
      return { refused: { code: 'invalid_type', expected: 'string', input: given, path: [tag] } }
    }
    const refusal = refusals.get(given)
    return refusal === undefined ? (byTag.get(given) ?? opaque) : wrongType(refusal, [tag])
  }

  return new SelectUnion({
    type: 'union',
    options: [...branches, opaque],
    select,
    discriminator: tag,
  }) as unknown as z.ZodUnion<readonly [...Branches, Opaque]>
}
