import type { z } from '../../kit/zod.ts'
import { component, id, oneOf, type Rule } from '../fields.ts'
import { outgoingEdge } from '../flow.ts'

/** A block with the properties of all blocks and its own `shape`. */
export function block<const Type extends string, Shape extends z.ZodRawShape>(
  componentId: string,
  type: Type,
  description: string,
  shape: Shape,
  ...rules: Rule<z.output<z.ZodObject<ReturnType<typeof base<Type>> & Shape, z.core.$loose>>>[]
) {
  return component(componentId, description, { ...base(type), ...shape }, ...(rules as never[]))
}

function base<const Type extends string>(type: Type) {
  return {
    id: id('Id of the block.', 'blkAskEmail'),
    type: oneOf([type], 'Type of the block.'),
    outgoingEdgeId: outgoingEdge('the block').optional(),
  }
}
