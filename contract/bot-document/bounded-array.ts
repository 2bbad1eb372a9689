import { MAX_ISSUES } from '../kit/errors.ts'
import { z } from '../kit/zod.ts'

/*
 * Lists of documents. A list that is too long is rejected before any time is spent on its elements, and validation stops
 * after enough issues. Invariant: elements have no defaults or transforms, since the results would be lost.
 */

/** Responses show `MAX_ISSUES` of different paths, and one path can have several. */
const MAX_ISSUES_FOUND = 4 * MAX_ISSUES

interface BoundedArrayDef extends z.core.$ZodArrayDef {
  maximum: number
}

export interface BoundedArray extends z.ZodArray {
  _zod: z.ZodArray['_zod'] & { def: BoundedArrayDef }
}

export const BoundedArray = z.core.$constructor<BoundedArray, BoundedArrayDef>(
  'BoundedArray',
  (schema, def) => {
    z.ZodArray.init(schema, def)
    schema._zod.parse = (payload, context) => {
      const value: unknown = payload.value
      if (!Array.isArray(value)) {
        // `continue: false` skips the checks of the length, since a text has a length too.
        const type = { code: 'invalid_type', expected: 'array', continue: false } as const
        payload.issues.push({ ...type, input: value, inst: schema })
        return payload
      }
      if (value.length > def.maximum) return payload
      const { run } = def.element._zod
      for (let index = 0; index < value.length && payload.issues.length < MAX_ISSUES_FOUND; index++) {
        const { issues } = run({ value: value[index], issues: [] }, context) as z.core.ParsePayload
        payload.issues.push(...z.core.util.prefixIssues(index, issues))
      }
      return payload
    }
  },
)

/** A list with its limits. */
export function boundedArray<Element extends z.ZodType>(
  element: Element,
  { minimum = 0, maximum }: { minimum?: number; maximum: number },
): z.ZodArray<Element> {
  const array = z.array(element).max(maximum)
  const { def } = (minimum > 0 ? array.min(minimum) : array)._zod
  return new BoundedArray({ ...def, maximum }) as unknown as z.ZodArray<Element>
}
