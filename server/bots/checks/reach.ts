import {
  blocksOf,
  findStartBlock,
  isRecord,
  type JsonRecord,
  jumpTarget,
} from '../../documents/conversion/document.ts'
import {
  type Findings,
  type Flow,
  hasEdge,
  hasPlaceholder,
  idOf,
  isReference,
  issue,
  itemsOf,
  outgoingEdgeId,
  passedTypes,
  pathsOf,
  quote,
} from './flow.ts'

export function* startIssues(flow: Flow): Findings {
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
 * Follows the flow from its events, as the runtime does: by `outgoingEdgeId`, jumps, and links within the bot. Reports
 * nothing if the start leads nowhere, which is the one thing to fix, or if a jump computes its target. If groups that
 * lead to each other are cut off, it reports the first. It reports none if as many connections are `broken`, because
 * fixing those may be enough.
 */
export function* unreachableGroups(flow: Flow, broken: number): Findings {
  const start = flow.isLegacy ? findStartBlock(flow.groups)?.group : targetOf(flow, flow.events[0])
  if (start === undefined || (!flow.isLegacy && !isStartEvent(flow.events[0]))) return
  const events = flow.isLegacy ? [] : flow.events.map((event) => targetOf(flow, event))
  const reached = new Set<JsonRecord>()
  if ((yield* follow(flow, [start, ...events], reached)) === 'anywhere') return

  const cutOff = flow.groups.filter((group): group is JsonRecord => isRecord(group) && !reached.has(group))
  const ledTo = new Set<JsonRecord>()
  for (const group of cutOff) {
    yield
    for (const target of targetsOf(flow, group)) if (isRecord(target) && target !== group) ledTo.add(target)
  }
  const first: JsonRecord[] = []
  for (const group of [...cutOff.filter((each) => !ledTo.has(each)), ...cutOff]) {
    if (reached.has(group)) continue
    first.push(group)
    yield* follow(flow, [group], reached)
  }
  if (first.length <= broken) return
  for (const group of first) {
    const name = typeof group.title === 'string' && group.title !== '' ? group.title : idOf(group)
    const message = `No path leads from the start to the group ${quote(name ?? '')}.`
    yield issue(['groups', flow.groupIndexes.get(group) ?? -1], 'unreachable_group', message)
  }
}

/** Adds all reachable groups and blocks to `reached`. */
function* follow(
  flow: Flow,
  from: (JsonRecord | undefined)[],
  reached: Set<JsonRecord>,
): Generator<undefined, 'anywhere' | undefined> {
  const pending = [...from]
  while (pending.length > 0) {
    const group = pending.pop()
    if (group === undefined || reached.has(group)) continue
    reached.add(group)
    yield
    for (const target of targetsOf(flow, group)) {
      if (target === 'anywhere') return target
      pending.push(target)
    }
  }
  return undefined
}

/** The groups from which a chat may come to a group; the group itself if it may come back to it. */
export function* groupsBefore(flow: Flow, group: JsonRecord): Generator<undefined, Set<JsonRecord>> {
  const sources = new Map<JsonRecord | 'anywhere', JsonRecord[]>()
  for (const source of flow.groups.filter(isRecord)) {
    yield
    for (const target of targetsOf(flow, source)) {
      if (target === undefined) continue
      const known = sources.get(target)
      if (known === undefined) sources.set(target, [source])
      else if (known.at(-1) !== source) known.push(source)
    }
  }
  const before = new Set<JsonRecord>()
  // A group that jumps anywhere may lead to this one: such groups are added once.
  const pending: (JsonRecord | 'anywhere')[] = ['anywhere', group]
  while (pending.length > 0) {
    yield
    const target = pending.pop() as JsonRecord | 'anywhere'
    for (const source of sources.get(target) ?? []) {
      if (before.has(source)) continue
      before.add(source)
      pending.push(source)
    }
  }
  return before
}

/** The groups that a group leads to. */
function* targetsOf(flow: Flow, group: JsonRecord): Generator<JsonRecord | 'anywhere' | undefined> {
  const blocks = blocksOf(group)
  for (const [index, block] of blocks.entries()) {
    const named = jumpTarget(block)
    if (named !== undefined) yield hasPlaceholder(named) ? 'anywhere' : flow.groupsById.get(named)
    if (index === blocks.length - 1 || !isPassedThrough(block)) yield targetOf(flow, block)
    for (const item of itemsOf(block)) {
      yield targetOf(flow, item)
      for (const path of pathsOf(item)) yield targetOf(flow, path)
    }
  }
}

/** The group that the edge of an event, block, item or path leads to. */
function targetOf(flow: Flow, source: unknown): JsonRecord | undefined {
  const edge = flow.edgesById.get(outgoingEdgeId(source) ?? '')
  const to = isRecord(edge?.to) ? edge.to : {}
  return isReference(to.groupId) ? flow.groupsById.get(to.groupId) : undefined
}

/** Bubbles and start blocks leave their group only as its last block; other blocks leave it anywhere. */
function isPassedThrough(block: unknown): boolean {
  return isRecord(block) && passedTypes.has(String(block.type))
}

function isStartEvent(event: unknown): boolean {
  return isRecord(event) && event.type === 'start'
}
