import { MAXIMUM_ISSUES } from '../kit/errors.ts'
import { z } from '../kit/zod.ts'

/*
 * zod copies objects and lists, puts known keys first, and visits every key of a shape. Blocks have dozens of known
 * keys and use three, and documents are stored as sent. These subtypes visit present keys only and keep the value and
 * its key order. Invariant: their schemas have no defaults or transforms, since the results would be lost.
 */

/** Validation stops after these. Responses show `MAXIMUM_ISSUES` of different paths, and one path can have several. */
const MAX_ISSUES_FOUND = 4 * MAXIMUM_ISSUES

export interface ObjectDef extends z.core.$ZodObjectDef {
  oneOf?: OneOf
}

/** Keys of which at least one is required, with the message if all are absent. */
interface OneOf<Key extends string = string> {
  keys: readonly Key[]
  message: string
}

interface InPlaceObject extends z.ZodObject {
  _zod: z.ZodObject['_zod'] & { def: ObjectDef }
}

export const InPlaceObject = z.core.$constructor<InPlaceObject, ObjectDef>('InPlaceObject', (schema, def) => {
  z.ZodObject.init(schema, def)
  let plan: Plan | undefined

  schema._zod.parse = (payload, context) => {
    const value: unknown = payload.value
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      payload.issues.push({ code: 'invalid_type', expected: 'object', input: value, inst: schema })
      return payload
    }
    plan ??= planOf(def.shape)
    const record = value as Record<string, unknown>
    let inner: z.core.ParsePayload = { value: undefined, issues: [] }
    for (const key in record) {
      const known = plan.known.get(key)
      if (known === undefined) continue
      inner.value = record[key]
      const run = inner.value === undefined ? known.declared : known.present
      const { issues } = run(inner, context) as z.core.ParsePayload
      if (issues.length === 0) continue
      payload.issues.push(...z.core.util.prefixIssues(key, issues))
      if (payload.issues.length >= MAX_ISSUES_FOUND) return payload
      inner = { value: undefined, issues: [] }
    }
    for (const [key, property] of plan.required) {
      if (key in record) continue
      const { issues } = property._zod.run({ value: undefined, issues: [] }, context) as z.core.ParsePayload
      payload.issues.push(...z.core.util.prefixIssues(key, issues))
    }
    const { oneOf } = def
    if (oneOf && payload.issues.length === 0 && !oneOf.keys.some((key) => record[key] !== undefined)) {
      payload.issues.push({ code: 'custom', message: oneOf.message, path: [], input: value })
    }
    return payload
  }
})

/** Stored directly: its lookup in a schema takes longer than the validation of a short text. */
type Run = z.core.$ZodType['_zod']['run']

interface Plan {
  /** Validators by key: `declared` as in the shape, `present` for a value that is there. */
  known: Map<string, { declared: Run; present: Run }>
  required: [string, z.core.$ZodType][]
}

function planOf(shape: z.core.$ZodShape): Plan {
  const entries = Object.entries(shape)
  return {
    known: new Map(
      entries.map(([key, declared]) => [
        key,
        {
          declared: declared._zod.run,
          present: (declared instanceof z.ZodOptional ? declared._zod.def.innerType : declared)._zod.run,
        },
      ]),
    ),
    required: entries.filter(([, schema]) => schema._zod.optin === undefined),
  }
}

/** An object with validated known properties and preserved unknown ones. It can require one of several keys. */
export function looseObject<Shape extends z.ZodRawShape>(
  shape: Shape,
  oneOf?: OneOf<keyof Shape & string>,
): z.ZodObject<Shape, z.core.$loose> {
  const { def } = z.looseObject(shape)._zod
  return new InPlaceObject({ ...def, oneOf }) as unknown as z.ZodObject<Shape, z.core.$loose>
}

interface ListDef extends z.core.$ZodArrayDef {
  maximum: number
}

export interface InPlaceArray extends z.ZodArray {
  _zod: z.ZodArray['_zod'] & { def: ListDef }
}

export const InPlaceArray = z.core.$constructor<InPlaceArray, ListDef>('InPlaceArray', (schema, def) => {
  z.ZodArray.init(schema, def)

  schema._zod.parse = (payload, context) => {
    const value: unknown = payload.value
    if (!Array.isArray(value)) {
      // `continue: false` skips the checks of the length, since a text has a length too.
      const issue = {
        code: 'invalid_type',
        expected: 'array',
        input: value,
        inst: schema,
        continue: false,
      } as const
      payload.issues.push(issue)
      return payload
    }
    // Rejects a list that is too long before any time is spent on its elements.
    if (value.length > def.maximum) return payload
    const { run } = def.element._zod
    let inner: z.core.ParsePayload = { value: undefined, issues: [] }
    for (let index = 0; index < value.length; index++) {
      inner.value = value[index]
      const { issues } = run(inner, context) as z.core.ParsePayload
      if (issues.length === 0) continue
      payload.issues.push(...z.core.util.prefixIssues(index, issues))
      if (payload.issues.length >= MAX_ISSUES_FOUND) return payload
      inner = { value: undefined, issues: [] }
    }
    return payload
  }

  const { run, parse } = schema._zod
  // A minimum length, or a rule that was added later, needs the usual checks.
  if (def.checks?.length !== 1) return
  schema._zod.run = (payload, context) => {
    const { value } = payload
    const fits = Array.isArray(value) && value.length <= def.maximum
    return fits ? parse(payload, context) : run(payload, context)
  }
})

/** A list with its limits. */
export function boundedArray<Element extends z.ZodType>(
  element: Element,
  { minimum = 0, maximum }: { minimum?: number; maximum: number },
): z.ZodArray<Element> {
  const array = z.array(element).max(maximum)
  const { def } = (minimum > 0 ? array.min(minimum) : array)._zod
  return new InPlaceArray({ ...def, maximum }) as unknown as z.ZodArray<Element>
}
