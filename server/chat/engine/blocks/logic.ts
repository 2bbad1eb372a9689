/** Blocks that decide where the flow goes. */

import { asString, filledText } from '../../../json/access.ts'
import { holds } from '../conditions.ts'
import {
  addReturnPoint,
  type BlockOutcome,
  currentFrame,
  type Execution,
  followBlockEdge,
  log,
  nextBlock,
  takeEdge,
} from '../execution.ts'
import { type Block, type FlowIndex, resolvePosition, type Target } from '../flow-index.ts'
import type { Position } from '../types.ts'
import { onlyPlaceholder, textOfValue, valueByName } from '../variables.ts'

/** The first item that holds decides. If it leads nowhere, the branch ends there. */
export async function runCondition(run: Execution, block: Block): Promise<BlockOutcome> {
  for (const item of block.items) {
    if (!(await holds(run, item.content))) continue
    const target = takeEdge(run, item.outgoingEdgeId)
    return target === null ? { kind: 'end' } : { kind: 'go', ...target }
  }
  return followBlockEdge(run, block)
}

export function runAbTest(run: Execution, block: Block): BlockOutcome {
  const percent = typeof block.options.aPercent === 'number' ? block.options.aPercent : 50
  const edgeOf = (path: string) => block.items.find((item) => item.path === path)?.outgoingEdgeId
  const path = run.effects.pathOf?.(block.id) ?? (run.effects.random() * 100 < percent ? 'a' : 'b')
  const target = (path === 'a' ? takeEdge(run, edgeOf('a')) : null) ?? takeEdge(run, edgeOf('b'))
  return target === null ? nextBlock : { kind: 'go', ...target }
}

/** Leaves for another group, and remembers the position behind it for `Return`. A missing target ends the branch. */
export function runJump(run: Execution, block: Block, position: Position): BlockOutcome {
  const { groupId, blockId } = block.options
  if (filledText(groupId) === undefined) return followBlockEdge(run, block)
  const target = findJumpTarget(run, currentFrame(run).flowIndex, groupId, blockId)
  const isThere =
    filledText(blockId) === undefined || target?.group.blocks.some(({ id }) => id === blockId) === true
  if (target === null || !isThere) {
    const missing = target === null ? 'group' : 'block'
    log(run, 'error', `Jump: there is no such ${missing}`, { context: block.id, isInternal: true })
    return { kind: 'end' }
  }
  addReturnPoint(run, { kind: 'after', isAutomatic: false, position })
  return { kind: 'go', ...target }
}

/** A group by its id, or by its title where a placeholder names it. */
export function findJumpTarget(
  run: Execution,
  flow: FlowIndex,
  groupId: unknown,
  blockId: unknown,
): Target | null {
  const given = asString(groupId) ?? ''
  const name = onlyPlaceholder(given)
  if (name === null) return resolvePosition(flow, { groupId: given, blockId: asString(blockId) })
  const wanted = textOfValue(valueByName(run, name)).trim()
  const group =
    [...flow.groups.values()].find((each) => each.title.trim() === wanted) ?? flow.groups.get(wanted)
  return group === undefined ? null : resolvePosition(flow, { groupId: group.id, blockId: asString(blockId) })
}
