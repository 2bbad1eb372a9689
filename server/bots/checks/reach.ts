import type { FlowFinding } from '../../../contract/publications.ts'
import { blocksOf, findStartBlock, isRecord, type JsonRecord, jumpTarget } from '../../conversion/document.ts'
import {
  type Flow,
  hasEdge,
  hasPlaceholder,
  idOf,
  isReference,
  issue,
  itemsOf,
  outgoingEdgeId,
  pathsOf,
  quote,
} from './flow.ts'

export function* startIssues(flow: Flow): Generator<FlowFinding> {
  if (flow.isLegacy) {
    const start = findStartBlock(flow.groups)
    if (start === undefined) {
      yield issue(['groups'], 'missing_start', 'No group has a start block, so a chat cannot begin.')
    } else if (!hasEdge(start.block) && start.blockIndex === blocksOf(start.group).length - 1) {
      const path = ['groups', start.groupIndex, 'blocks', start.blockIndex, 'outgoingEdgeId']
      yield issue(path, 'start_without_edge', 'The start block leads nowhere, so a chat ends at once.')
    }
    return
  }
  const [start] = flow.events
  if (!isStartEvent(start)) {
    yield issue(['events'], 'missing_start', 'The first event is no start event, so a chat cannot begin.')
  } else if (!hasEdge(start)) {
    const message = 'The start event leads nowhere, so a chat ends at once.'
    yield issue(['events', 0, 'outgoingEdgeId'], 'start_without_edge', message)
  }
}

/**
 * Follows the flow from its events, as the runtime does: by `outgoingEdgeId`, jumps, and links within the bot. Says
 * nothing where the start leads nowhere, which is the one thing to mend, or where a jump computes its target.
 */
export function* unreachableGroups(flow: Flow): Generator<FlowFinding> {
  const start = flow.isLegacy ? findStartBlock(flow.groups)?.group : targetOf(flow, flow.events[0])
  if (start === undefined || (!flow.isLegacy && !isStartEvent(flow.events[0]))) return

  const reached = new Set<JsonRecord>()
  const pending: JsonRecord[] = []
  const reach = (group: JsonRecord | undefined) => {
    if (group === undefined || reached.has(group)) return
    reached.add(group)
    pending.push(group)
  }
  reach(start)
  if (!flow.isLegacy) for (const event of flow.events) reach(targetOf(flow, event))

  for (let group = pending.pop(); group !== undefined; group = pending.pop()) {
    const blocks = blocksOf(group)
    for (const [index, block] of blocks.entries()) {
      const named = jumpTarget(block)
      if (named !== undefined && hasPlaceholder(named)) return
      if (named !== undefined) reach(flow.groupsById.get(named))
      if (index === blocks.length - 1 || !isPassedThrough(block)) reach(targetOf(flow, block))
      for (const item of itemsOf(block)) {
        reach(targetOf(flow, item))
        for (const path of pathsOf(item)) reach(targetOf(flow, path))
      }
    }
  }
  for (const [index, group] of flow.groups.entries()) {
    if (!isRecord(group) || reached.has(group)) continue
    const name = typeof group.title === 'string' && group.title !== '' ? group.title : idOf(group)
    const message = `No path leads from the start to the group ${quote(name ?? '')}.`
    yield issue(['groups', index], 'unreachable_group', message)
  }
}

/** The group that the edge of an event, block, item or path leads to. */
function targetOf(flow: Flow, source: unknown): JsonRecord | undefined {
  const edge = flow.edgesById.get(outgoingEdgeId(source) ?? '')
  const to = isRecord(edge?.to) ? edge.to : {}
  return isReference(to.groupId) ? flow.groupsById.get(to.groupId) : undefined
}

const BUBBLES = new Set<unknown>(['start', 'text', 'image', 'video', 'embed', 'audio'])

/** Bubbles and start blocks leave their group only as its last block; other blocks leave it anywhere. */
function isPassedThrough(block: unknown): boolean {
  return isRecord(block) && BUBBLES.has(block.type)
}

function isStartEvent(event: unknown): boolean {
  return isRecord(event) && event.type === 'start'
}
