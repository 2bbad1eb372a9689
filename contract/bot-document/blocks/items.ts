import type { z } from '../../kit/zod.ts'
import { id, list, reference } from '../fields.ts'
import { outgoingEdge } from '../flow.ts'
import { limits } from '../limits.ts'

/** Properties of the items of every block. Each item can have its own outgoing edge. */
export function itemBase(exampleId: string) {
  return {
    id: id('Id of the item.', exampleId),
    outgoingEdgeId: outgoingEdge('the item').optional(),
  }
}

/** Items of versions 3, 4 and 5 also name the block they belong to. */
export const itemOwner = {
  blockId: reference('Id of the block that the item belongs to.', 'blkAskPlan').optional(),
}

export function items<Item extends z.ZodType>(item: Item, description: string) {
  return list(item, description, limits.itemsPerBlock)
}
