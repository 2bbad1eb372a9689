import { type Draft, sourceOf } from './draft.ts'
import { type Arrangement, type Box, boxesOf, eventBox, groupBox } from './geometry.ts'

/* Positions for flows that have none, or whose groups lie on top of each other. */

/** The share of a group that another one may cover before the positions count as unusable. */
const MAX_COVERED_SHARE = 0.5
/** Beyond this many, looking for pairs takes longer than a new arrangement is worth. */
const MAX_COMPARED_BOXES = 1_000

export function needsArrangement(draft: Draft): boolean {
  const hasPositions = draft.groups.every(
    ({ graphCoordinates: point }) => Number.isFinite(point?.x) && Number.isFinite(point?.y),
  )
  if (!hasPositions) return true
  const boxes = boxesOf(draft)
  if (boxes.length > MAX_COMPARED_BOXES) return false
  const ordered = boxes.toSorted((one, other) => one.x - other.x)
  for (const [index, box] of ordered.entries()) {
    for (const other of ordered.slice(index + 1)) {
      if (other.x >= box.x + box.width) break
      if (coveredShare(box, other) > MAX_COVERED_SHARE) return true
    }
  }
  return false
}

function coveredShare(one: Box, other: Box): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y)
  if (width <= 0 || height <= 0) return 0
  return (width * height) / Math.min(one.width * one.height, other.width * other.height)
}

/** Lays the flow out from left to right, along its edges. */
export async function arrange(draft: Draft): Promise<Arrangement> {
  const { Graph, layout } = await import('@dagrejs/dagre')
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 50, ranksep: 120 })
  graph.setDefaultEdgeLabel(() => ({}))
  const boxes = new Map<string, Box>()
  for (const event of draft.events) boxes.set(event.id, eventBox(event))
  for (const group of draft.groups) boxes.set(group.id, groupBox(group, draft.variables))
  for (const [id, { width, height }] of boxes) graph.setNode(id, { width, height })
  const groupOf = new Map(
    draft.groups.flatMap(({ id, blocks }) => blocks.map((block) => [block.id, id] as const)),
  )
  for (const { id, from: written, to } of draft.edges) {
    const from = sourceOf(draft, id) ?? written
    const source = from.eventId ?? groupOf.get(from.blockId ?? '')
    if (source && boxes.has(source) && boxes.has(to.groupId)) graph.setEdge(source, to.groupId, {}, id)
  }
  layout(graph)
  return new Map(
    [...boxes].map(([id, { width, height }]) => {
      const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number }
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
    }),
  )
}
