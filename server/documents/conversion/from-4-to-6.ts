import { limits } from '../../../contract/bot-document/limits.ts'
import {
  blocksOf,
  type FlowDocument,
  filterShared,
  findStartBlock,
  isAbsent,
  isRecord,
  isStartBlock,
  type JsonRecord,
  jumpTarget,
  listOf,
  mapShared,
  type StartBlock,
} from './document.ts'

/**
 * Versions 4 and 5 to 6: the start block becomes an event.
 *
 * 1. The start block is the first block of type `start` in the first group that has one; that group is the start
 *    group.
 * 2. The events are one start event: the id and the position of the start group, and the edge by which the bot
 *    begins. Event ids and group ids are told apart wherever they are used (`from.eventId`, `to.groupId`), so the id
 *    may be in use by the group as well. The id, label and title of a usual start group have no place in an event
 *    and go.
 * 3. The edge by which the bot begins leads to the block that ran first:
 *    a. No block follows the start block: it is the start block's own edge. An id that no edge has stays.
 *    b. Blocks follow it: they ran first, whatever edge the start block had, because a group is left by the edge of
 *       its last block. So it is a new edge to the first of them, and the start block's own edge stays in the list
 *       as unused as it was. If that edge happens to lead there, it serves and no new one is made.
 * 4. The edges are the edge of 3, with `from` replaced by the event, and then all others in their order.
 * 5. All start blocks are removed. A group that held nothing else goes with them, unless an edge, a jump or a link
 *    within the bot names it. All other groups stay, empty ones too, in their order and with their ids.
 * 6. A Sheets block that gets or updates rows by a `referenceCell` and has no `filter` gets the filter that finds the
 *    same rows. The cell stays.
 * 7. Without a start block there is a start event that leads nowhere, because a bot without one would be no bot.
 *
 * Everything else stays, keys that version 6 does not know included. Old defaults that differ are not written
 * (answers prefilled, results of linked bots merged, last member of a list shown): a converted bot follows the
 * defaults of version 6. New ids are made from ids of the document, so converting twice gives the same document.
 */
export function from4To6(document: FlowDocument): FlowDocument {
  const groups = listOf(document.groups)
  const edges = listOf(document.edges)
  const start = findStartBlock(groups)
  const event = startEvent(start)
  const first = start && firstEdge(start, edges, event.id)
  const outgoingEdgeId = first?.id ?? start?.block.outgoingEdgeId
  return {
    ...document,
    version: '6',
    events: [typeof outgoingEdgeId === 'string' ? { ...event, outgoingEdgeId } : event],
    groups: Array.isArray(document.groups) ? convertedGroups(groups, edges) : document.groups,
    edges: first ? [first.edge, ...edges.filter((edge) => edge !== first.replaces)] : document.edges,
  }
}

/** Rules 2 and 7, without the edge. */
function startEvent(start: StartBlock | undefined) {
  const { id, graphCoordinates } = start?.group ?? {}
  return {
    id: typeof id === 'string' && id !== '' ? id : 'start',
    type: 'start',
    graphCoordinates: isRecord(graphCoordinates) ? graphCoordinates : { x: 0, y: 0 },
  }
}

/** Rule 3: the edge that leaves the event, and the edge of the document that it stands for, if any. */
function firstEdge(start: StartBlock, edges: readonly unknown[], eventId: string) {
  const from = { eventId }
  const { group, block } = start
  const own = edges.find((edge) => isRecord(edge) && isSame(edge.id, block.outgoingEdgeId))
  const next = blocksOf(group)
    .slice(start.blockIndex + 1)
    .find((other) => !isStartBlock(other))
  const isOwnFollowed = next === undefined || leadsTo(own, group, next)
  if (isRecord(own) && isOwnFollowed) return { id: own.id, edge: { ...own, from }, replaces: own }
  if (next === undefined || typeof group.id !== 'string') return undefined

  // The group's first block needs no name, and a group is entered there by most edges.
  const isFirst = remainingBlocks(group)[0] === next
  const to = isFirst || !isRecord(next) ? { groupId: group.id } : { groupId: group.id, blockId: next.id }
  const id = unusedId(eventId, edges)
  return { id, edge: { id, from, to }, replaces: undefined }
}

/** True if an edge leads to this block of this group; a block that is missing or not named means the first one. */
function leadsTo(edge: unknown, group: JsonRecord, block: unknown): boolean {
  if (!isRecord(edge) || !isRecord(edge.to) || !isSame(edge.to.groupId, group.id)) return false
  const { blockId } = edge.to
  const blocks = remainingBlocks(group)
  const named = blocks.find((other) => isRecord(other) && isSame(other.id, blockId))
  return (named ?? blocks[0]) === block
}

function remainingBlocks(group: unknown): readonly unknown[] {
  return filterShared(blocksOf(group), (block) => !isStartBlock(block))
}

/** Rule 5, for groups: those that stay, as they are. */
export function keptGroups(groups: readonly unknown[], edges: readonly unknown[]): readonly unknown[] {
  const named = namedGroups(groups, edges)
  return filterShared(groups, (group) => {
    const onlyStartBlocks = blocksOf(group).length > 0 && remainingBlocks(group).length === 0
    return !onlyStartBlocks || (isRecord(group) && named.has(group.id))
  })
}

/** Rules 5 and 6. */
function convertedGroups(groups: readonly unknown[], edges: readonly unknown[]): readonly unknown[] {
  return mapShared(keptGroups(groups, edges), (group) => {
    if (!isRecord(group)) return group
    const blocks = mapShared(remainingBlocks(group), withFilter)
    return blocks === blocksOf(group) || !Array.isArray(group.blocks) ? group : { ...group, blocks }
  })
}

/** The ids of all groups that an edge, a jump or a link within the bot leads to. */
function namedGroups(groups: readonly unknown[], edges: readonly unknown[]): Set<unknown> {
  const named = new Set<unknown>()
  for (const edge of edges) if (isRecord(edge) && isRecord(edge.to)) named.add(edge.to.groupId)
  for (const group of groups) for (const block of blocksOf(group)) named.add(jumpTarget(block))
  named.delete(undefined)
  return named
}

const FILTERING_ACTIONS = new Set<unknown>(['Get data from sheet', 'Update a row'])

/** Rule 6. */
function withFilter(block: unknown): unknown {
  if (!isRecord(block) || block.type !== 'Google Sheets' || !isRecord(block.options)) return block
  const { action, filter, referenceCell: cell } = block.options
  if (!FILTERING_ACTIONS.has(action) || !isAbsent(filter) || !isRecord(cell)) return block
  const comparison = {
    id: derivedId(typeof cell.id === 'string' ? cell.id : 'cell', '-filter'),
    ...(isAbsent(cell.column) ? {} : { column: cell.column }),
    comparisonOperator: 'Equal to',
    ...(isAbsent(cell.value) ? {} : { value: cell.value }),
  }
  return { ...block, options: { ...block.options, filter: { comparisons: [comparison] } } }
}

function isSame(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && one === other
}

/** An edge id that no edge of the document has. */
function unusedId(base: string, edges: readonly unknown[]): string {
  const used = new Set(edges.map((edge) => (isRecord(edge) ? edge.id : undefined)))
  for (let count = 1; ; count++) {
    const id = derivedId(base, count === 1 ? '-start' : `-start-${count}`)
    if (!used.has(id)) return id
  }
}

/** A long id is cut to make room for the suffix; by characters, not to halve an emoji. */
function derivedId(base: string, suffix: string): string {
  return [...base].slice(0, limits.id - suffix.length).join('') + suffix
}
