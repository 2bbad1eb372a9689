/** Blocks that decide where the flow goes. */

import { asString, filledText } from '../../../json/access.ts'
import { holds } from '../conditions.ts'
import { currentFrame, type Execution, leave, log, type Next, next, takeEdge } from '../execution.ts'
import {
  type Block,
  type FlowEvent,
  type FlowIndex,
  findPlace,
  followEdge,
  type Place,
} from '../flow-index.ts'
import type { Position, ReturnPoint } from '../types.ts'
import { onlyPlaceholder, textOfValue, valueByName } from '../variables.ts'

/** The first item that holds decides. If it leads nowhere, the branch ends there. */
export async function runCondition(run: Execution, block: Block): Promise<Next> {
  for (const item of block.items) {
    if (!(await holds(run, item.content))) continue
    const place = takeEdge(run, item.outgoingEdgeId)
    return place === null ? { kind: 'end' } : { kind: 'go', ...place }
  }
  return leave(run, block)
}

export function runAbTest(run: Execution, block: Block): Next {
  const percent = typeof block.options.aPercent === 'number' ? block.options.aPercent : 50
  const edgeOf = (path: string) => block.items.find((item) => item.path === path)?.outgoingEdgeId
  const path = run.effects.pathOf?.(block.id) ?? (run.effects.random() * 100 < percent ? 'a' : 'b')
  const place = (path === 'a' ? takeEdge(run, edgeOf('a')) : null) ?? takeEdge(run, edgeOf('b'))
  return place === null ? next : { kind: 'go', ...place }
}

/** Leaves for another group, and remembers the position behind it for `Return`. A missing target ends the branch. */
export function runJump(run: Execution, block: Block, position: Position): Next {
  const { groupId, blockId } = block.options
  if (filledText(groupId) === undefined) return leave(run, block)
  const place = findTarget(run, currentFrame(run).flow, groupId, blockId)
  const isThere =
    filledText(blockId) === undefined || place?.group.blocks.some(({ id }) => id === blockId) === true
  if (place === null || !isThere) {
    const missing = place === null ? 'group' : 'block'
    log(run, 'error', `Jump: there is no such ${missing}`, { context: block.id, isInternal: true })
    return { kind: 'end' }
  }
  remember(run, { kind: 'after', isAutomatic: false, position })
  return { kind: 'go', ...place }
}

/** A group by its id, or by its title where a placeholder names it. */
export function findTarget(
  run: Execution,
  flow: FlowIndex,
  groupId: unknown,
  blockId: unknown,
): Place | null {
  const given = asString(groupId) ?? ''
  const name = onlyPlaceholder(given)
  if (name === null) return findPlace(flow, { groupId: given, blockId: asString(blockId) })
  const wanted = textOfValue(valueByName(run, name)).trim()
  const group =
    [...flow.groups.values()].find((each) => each.title.trim() === wanted) ?? flow.groups.get(wanted)
  return group === undefined ? null : findPlace(flow, { groupId: group.id, blockId: asString(blockId) })
}

/** Keeps a position of the running bot, and drops the oldest one if there are too many. */
export function remember(run: Execution, point: ReturnPoint): void {
  const frame = currentFrame(run)
  frame.returns.push(point)
  if (frame.returns.length > run.limits.returnPoints) frame.returns.shift()
}

/** Returns the event of that type. Commands differ by their text. */
export function findEvent(run: Execution, type: string, command?: string): FlowEvent | undefined {
  const { flow } = currentFrame(run)
  return flow.events.find(
    (event) => event.type === type && (command === undefined || event.options.command === command),
  )
}

export function startEdge(flow: FlowIndex): string | undefined {
  return flow.events.find((event) => event.type === 'start')?.outgoingEdgeId
}

export function startPlace(flow: FlowIndex): Place | null {
  return followEdge(flow, startEdge(flow))
}
