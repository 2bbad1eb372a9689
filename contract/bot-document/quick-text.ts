import { text } from '../shared.ts'
import { z } from '../zod.ts'

/*
 * Most of a document is short texts. Where the number of code units alone says that a text fits, nothing
 * needs to be counted and none of zod's check machinery needs to run; everything else takes the usual way.
 */
interface QuickTextDef extends z.core.$ZodStringDef {
  maximum: number
  minimum: number
}

const QuickText = z.core.$constructor<z.ZodString, QuickTextDef>('QuickText', (schema, def) => {
  z.ZodString.init(schema, def)
  const { run } = schema._zod
  // A pattern or another rule added later must be asked.
  if (def.checks?.length !== 1) return
  // A code point has at most two code units.
  const shortest = def.minimum * 2
  schema._zod.run = (payload, context) => {
    const { value } = payload
    const fits = typeof value === 'string' && value.length <= def.maximum && value.length >= shortest
    return fits ? payload : run(payload, context)
  }
})

/** The shared text with its limits, fast for texts that are clearly within them. */
export function quickText(maximum: number, minimum = 0): z.ZodString {
  const slow = text(maximum, minimum)
  return new QuickText({ ...slow._zod.def, maximum, minimum }).meta({ ...slow.meta() })
}
