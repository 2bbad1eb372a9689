import { text } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'

/*
 * Fast path for short texts and numbers, which most of a document is. A text whose code units alone prove that it fits,
 * or a number within its bounds, skips zod's checks. Everything else runs them.
 */

interface QuickTextDef extends z.core.$ZodStringDef {
  maximum: number
  minimum: number
}

export interface QuickText extends z.ZodString {
  _zod: z.ZodString['_zod'] & { def: QuickTextDef }
}

export const QuickText = z.core.$constructor<QuickText, QuickTextDef>('QuickText', (schema, def) => {
  z.ZodString.init(schema, def)
  const { run } = schema._zod
  // A pattern or another rule that was added later needs the usual checks.
  if (def.checks?.length !== 1) return
  // A code point has at most two code units.
  const shortest = def.minimum * 2
  schema._zod.run = (payload, context) => {
    const { value } = payload
    const fits = typeof value === 'string' && value.length <= def.maximum && value.length >= shortest
    return fits ? payload : run(payload, context)
  }
})

/** The shared text with its limits and a fast path for texts that are clearly within them. */
export function quickText(maximum: number, minimum = 0): z.ZodString {
  const slow = text(maximum, minimum)
  return new QuickText({ ...slow._zod.def, maximum, minimum }).meta({ ...slow.meta() })
}

interface QuickNumberDef extends z.core.$ZodNumberDef {
  minimum: number
  maximum: number
}

export interface QuickNumber extends z.ZodNumber {
  _zod: z.ZodNumber['_zod'] & { def: QuickNumberDef }
}

export const QuickNumber = z.core.$constructor<QuickNumber, QuickNumberDef>('QuickNumber', (schema, def) => {
  z.ZodNumber.init(schema, def)
  const { run } = schema._zod
  if (def.checks?.length !== 2) return
  schema._zod.run = (payload, context) => {
    const { value } = payload
    const fits = typeof value === 'number' && value >= def.minimum && value <= def.maximum
    return fits ? payload : run(payload, context)
  }
})

/** A number within its bounds. */
export function quickNumber(minimum: number, maximum: number): z.ZodNumber {
  return new QuickNumber({ ...z.number().min(minimum).max(maximum)._zod.def, minimum, maximum })
}
