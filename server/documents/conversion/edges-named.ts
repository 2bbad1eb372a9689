import type { FlowFinding } from '../../../contract/publications.ts'
import {
  blocksOf,
  type FlowDocument,
  findStartBlock,
  isRecord,
  type JsonRecord,
  listOf,
  mapShared,
} from './document.ts'

/** Rule 8 of the repairs before an import, for the start block of a legacy bot, which a conversion makes an event. */
export function withStartNamed(groups: unknown, edges: unknown, warnings: FlowFinding[]): unknown {
  const start = findStartBlock(listOf(groups))
  if (!start || !Array.isArray(groups) || blocksOf(start.group).at(-1) !== start.block) return groups
  const edgeId = soleEdges(listOf(edges)).get(keyOf({ blockId: start.block.id }))
  if (edgeId === undefined || isSaid(start.block.outgoingEdgeId)) return groups
  warnings.push(addedFinding(edgeId, ['events', '0']))
  const block = { ...start.block, outgoingEdgeId: edgeId }
  const blocks = blocksOf(start.group).with(-1, block)
  return groups.with(start.groupIndex, { ...start.group, blocks })
}

function addedFinding(edgeId: string, path: string[]): FlowFinding {
  const message = `The edge ${JSON.stringify(edgeId)} starts here, so it was added as the outgoingEdgeId.`
  return { path: [...path, 'outgoingEdgeId'], code: 'added', message }
}

/**
 * The same for a document that is converted, whose places the warnings name. The document was made for the import, and
 * its parts are changed in place.
 */
export function nameEdges(document: FlowDocument, warnings: FlowFinding[]): void {
  const edgeOf = soleEdges(listOf(document.edges))
  if (edgeOf.size === 0) return
  const nameEdge = (source: unknown, key: string, path: string[]): unknown => {
    const edgeId = edgeOf.get(key)
    if (edgeId === undefined || !isRecord(source) || isSaid(source.outgoingEdgeId)) return source
    warnings.push(addedFinding(edgeId, path))
    return { ...source, outgoingEdgeId: edgeId }
  }
  const namedAll = (list: unknown, path: string[], name: (member: JsonRecord, path: string[]) => unknown) => {
    if (!Array.isArray(list)) return list
    let index = 0
    return mapShared(list, (member) => {
      const at = [...path, String(index++)]
      return isRecord(member) ? name(member, at) : member
    })
  }
  const withPart = (record: JsonRecord, key: string, part: unknown) =>
    record[key] === part ? record : { ...record, [key]: part }

  document.events = namedAll(document.events, ['events'], (event, path) =>
    nameEdge(event, keyOf({ eventId: event.id }), path),
  )
  document.groups = namedAll(document.groups, ['groups'], (group, groupPath) => {
    const last = blocksOf(group).at(-1)
    const blocks = namedAll(group.blocks, [...groupPath, 'blocks'], (block, blockPath) => {
      const from = { blockId: block.id }
      const items = namedAll(block.items, [...blockPath, 'items'], (item, itemPath) => {
        const paths = namedAll(item.paths, [...itemPath, 'paths'], (path, pathPath) =>
          nameEdge(path, keyOf({ ...from, itemId: item.id, pathId: path.id }), pathPath),
        )
        return nameEdge(withPart(item, 'paths', paths), keyOf({ ...from, itemId: item.id }), itemPath)
      })
      const changed = withPart(block, 'items', items)
      // Other blocks lead to the next block of the group.
      return block === last ? nameEdge(changed, keyOf(from), blockPath) : changed
    })
    return withPart(group, 'blocks', blocks)
  })
}

/** The ids of the edges that alone start where they do. */
function soleEdges(edges: readonly unknown[]): Map<string, string> {
  const found = new Map<string, string>()
  const several = new Set<string>()
  for (const edge of edges) {
    if (!isRecord(edge) || !isRecord(edge.from) || typeof edge.id !== 'string') continue
    const key = keyOf(edge.from)
    if (found.has(key)) several.add(key)
    found.set(key, edge.id)
  }
  for (const key of several) found.delete(key)
  return found
}

function keyOf({ eventId, blockId, itemId, pathId }: JsonRecord): string {
  return JSON.stringify(isSaid(eventId) ? [true, eventId] : [blockId, itemId, pathId].filter(isSaid))
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
