import { z } from '../zod.ts'

/*
 * zod's loose object copies what it reads, known keys first, and visits every key the shape knows. Blocks
 * know dozens of keys and use three, and documents are stored as they were sent. This subtype therefore
 * visits the keys that are there and leaves the value, its key order included, untouched. Shapes must not
 * hold defaults or transforms: their results would be lost.
 */
const LooseObject = z.core.$constructor<z.ZodObject>('LooseObject', (object, def) => {
  z.ZodObject.init(object, def)
  let plan: Plan | undefined

  object._zod.parse = (payload, context) => {
    const value: unknown = payload.value
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      payload.issues.push({ code: 'invalid_type', expected: 'object', input: value, inst: object })
      return payload
    }
    plan ??= planOf(def.shape)
    const record = value as Record<string, unknown>
    let inner: z.core.ParsePayload = { value: undefined, issues: [] }
    for (const key in record) {
      const known = plan.known.get(key)
      if (known === undefined) continue
      inner.value = record[key]
      const schema = inner.value === undefined ? known.declared : known.present
      const { issues } = schema._zod.run(inner, context) as z.core.ParsePayload
      if (issues.length === 0) continue
      payload.issues.push(...z.core.util.prefixIssues(key, issues))
      inner = { value: undefined, issues: [] }
    }
    for (const [key, schema] of plan.required) {
      if (key in record) continue
      const { issues } = schema._zod.run({ value: undefined, issues: [] }, context) as z.core.ParsePayload
      payload.issues.push(...z.core.util.prefixIssues(key, issues))
    }
    return payload
  }
})

interface Plan {
  /** What a key was declared as, and what that means for a value that is there. */
  known: Map<string, { declared: z.core.$ZodType; present: z.core.$ZodType }>
  required: [string, z.core.$ZodType][]
}

function planOf(shape: z.core.$ZodShape): Plan {
  const entries = Object.entries(shape)
  return {
    known: new Map(
      entries.map(([key, declared]) => [
        key,
        { declared, present: declared instanceof z.ZodOptional ? declared._zod.def.innerType : declared },
      ]),
    ),
    required: entries.filter(([, schema]) => schema._zod.optin === undefined),
  }
}

/** An object whose known properties are checked and whose unknown ones are kept. */
export function looseObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return new LooseObject(z.looseObject(shape)._zod.def) as unknown as z.ZodObject<Shape, z.core.$loose>
}
