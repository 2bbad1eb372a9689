import type { FlowFinding } from '../../../contract/publications.ts'
import { blocksOf, isRecord, type JsonRecord, jumpTarget } from '../../documents/conversion/document.ts'
import {
  departure,
  type Findings,
  type Flow,
  hasPlaceholder,
  idOf,
  isReference,
  issue,
  itemsOf,
  leavesOf,
  outgoingEdgeId,
  type Path,
  pathsOf,
  quote,
} from './flow.ts'

export function* duplicateIds({ groups, events, edges, variables }: Flow): Findings {
  yield* duplicates(groups, 'group', ['groups'])
  const blockIds = new Set<string>()
  for (const [groupIndex, group] of groups.entries()) {
    yield
    const blocks = blocksOf(group)
    yield* duplicates(blocks, 'block', ['groups', groupIndex, 'blocks'], blockIds)
    for (const [blockIndex, block] of blocks.entries()) {
      const path = ['groups', groupIndex, 'blocks', blockIndex, 'items']
      yield* duplicates(itemsOf(block), 'item', path)
      for (const [itemIndex, item] of itemsOf(block).entries()) {
        yield* duplicates(pathsOf(item), 'path', [...path, itemIndex, 'paths'])
      }
    }
  }
  yield* duplicates(events, 'event', ['events'])
  yield* duplicates(edges, 'edge', ['edges'])
  yield* duplicates(variables, 'variable', ['variables'])
}

function* duplicates(list: readonly unknown[], kind: string, path: Path, seen = new Set<string>()): Findings {
  for (const [index, member] of list.entries()) {
    const id = idOf(member)
    if (id === undefined) continue
    if (seen.has(id)) {
      const message = `Another ${kind} has the id ${quote(id)} already.`
      yield issue([...path, index, 'id'], 'duplicate_id', message)
    }
    seen.add(id)
  }
}

export function* eventIssues(flow: Flow): Findings {
  for (const [index, event] of flow.events.entries()) {
    yield* missingEdge(flow, event, ['events', index], 'event')
    yield* unknownVariables(flow, event, ['events', index])
  }
}

export function* missingEdge(flow: Flow, source: unknown, path: Path, kind: string): Findings {
  const edgeId = outgoingEdgeId(source)
  if (edgeId === undefined || flow.edgesById.has(edgeId)) return
  const message = `The ${kind} leaves by the edge ${quote(edgeId)}, which does not exist.`
  yield issue([...path, 'outgoingEdgeId'], 'missing_edge', message)
}

export function* missingJumpTarget(flow: Flow, block: unknown, path: Path): Findings {
  const groupId = jumpTarget(block)
  if (groupId === undefined || hasPlaceholder(groupId) || !isRecord(block)) return
  if (!flow.groupsById.has(groupId)) {
    const message = `The block leads to the group ${quote(groupId)}, which does not exist.`
    yield issue([...path, 'options', 'groupId'], 'missing_target', message)
    return
  }
  const blockId = isRecord(block.options) ? block.options.blockId : undefined
  if (block.type !== 'Jump' || !isReference(blockId)) return
  if (hasPlaceholder(blockId) || flow.blockIdsByGroup.get(groupId)?.has(blockId)) return
  const message = `The block leads to the block ${quote(blockId)}, which its group does not have.`
  yield issue([...path, 'options', 'blockId'], 'missing_target', message)
}

/** Every property whose name ends in `variableId` names a variable, in blocks of vendors as well. */
export function* unknownVariables(flow: Flow, root: unknown, path: Path): Findings {
  for (const leaf of leavesOf(root)) {
    yield
    const { value, key } = leaf
    if (!isVariableKey(key) || !isReference(value) || flow.variableIds.has(value)) continue
    yield issue(
      [...path, ...leaf.pathOf()],
      'unknown_variable',
      `The variable ${quote(value)} is not declared.`,
    )
  }
}

function isVariableKey(key: string | number): boolean {
  return typeof key === 'string' && (key === 'variableId' || key.endsWith('VariableId'))
}

export function* edgeIssues(flow: Flow): Findings {
  const leftovers: FlowFinding[] = []
  for (const [index, edge] of flow.edges.entries()) {
    yield
    if (!isRecord(edge)) continue
    const missing = missingSource(flow, edge.from, ['edges', index, 'from'])
    if (missing === undefined) yield* unusedEdge(flow, edge, ['edges', index, 'from'])
    else leftovers.push(missing)
    yield* missingTarget(flow, edge.to, ['edges', index, 'to'])
  }
  // Editors leave the edges of deleted blocks behind. They harm nothing, so all of them are one finding.
  const [first, ...others] = leftovers
  if (first === undefined) return
  const more = others.length === 1 ? ' So does 1 other edge.' : ` So do ${others.length} other edges.`
  yield others.length === 0 ? first : { ...first, message: first.message + more }
}

function missingSource(flow: Flow, from: unknown, path: Path): FlowFinding | undefined {
  if (!isRecord(from)) return undefined
  const { eventId, blockId, itemId, pathId } = from
  const missingIssue = (key: string, id: string, kind: string) =>
    issue(
      [...path, key],
      'missing_source',
      `The edge starts at the ${kind} ${quote(id)}, which does not exist.`,
    )

  if (isReference(eventId) && !flow.eventIds.has(eventId)) return missingIssue('eventId', eventId, 'event')
  if (!isReference(blockId)) return undefined
  const items = flow.itemsByBlock.get(blockId)
  if (items === undefined) return missingIssue('blockId', blockId, 'block')
  if (!isReference(itemId)) return undefined
  const paths = items.get(itemId)
  if (paths === undefined) return missingIssue('itemId', itemId, 'item')
  return isReference(pathId) && !paths.has(pathId) ? missingIssue('pathId', pathId, 'path') : undefined
}

function* unusedEdge(flow: Flow, { id, from }: JsonRecord, path: Path): Findings {
  if (!isRecord(from) || typeof id !== 'string' || flow.departures.has(departure(from, id))) return
  const { eventId, blockId, itemId, pathId } = from
  const sources = { event: eventId, path: pathId, item: itemId, block: blockId }
  const [kind, source] = Object.entries(sources).find(([, each]) => isReference(each)) ?? []
  if (kind === undefined || !isReference(source)) return
  const message = `The ${kind} ${quote(source)} does not leave by this edge: its outgoingEdgeId does not name it.`
  yield issue(path, 'unused_edge', message)
}

function* missingTarget(flow: Flow, to: unknown, path: Path): Findings {
  if (!isRecord(to) || !isReference(to.groupId)) return
  const { groupId, blockId } = to
  const blockIds = flow.groupsById.has(groupId) ? flow.blockIdsByGroup.get(groupId) : undefined
  if (blockIds === undefined) {
    const message = `The edge leads to the group ${quote(groupId)}, which does not exist.`
    yield issue([...path, 'groupId'], 'missing_target', message)
  } else if (isReference(blockId) && !blockIds.has(blockId)) {
    const message = `The edge leads to the block ${quote(blockId)}, which its group does not have.`
    yield issue([...path, 'blockId'], 'missing_target', message)
  }
}
