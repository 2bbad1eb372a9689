import type { Block, Draft, Edge, FlowEvent, Group, Point, Variable } from './draft.ts'
import { findBlock } from './draft.ts'
import { summaryOf } from './words.ts'

/*
 * Sizes of the picture. They follow from the draft alone, so that edges are drawn without measuring elements; the
 * styles use the same figures.
 */

export const GROUP_WIDTH_PX = 280
export const EVENT_WIDTH_PX = 150
const EVENT_HEIGHT_PX = 44
const HEAD_HEIGHT_PX = 44
const PADDING_PX = 10
const ROW_GAP_PX = 6
const LINE_HEIGHT_PX = 20
const ROW_PADDING_PX = 16
const ITEM_HEIGHT_PX = 32
const FOOT_HEIGHT_PX = 36
const LETTERS_PER_LINE = 28
const MAX_LINES = 3

export interface Box extends Point {
  width: number
  height: number
}

/** Lines that the summary of a block takes. */
export function linesOf(block: Block, variables: Variable[]): number {
  const lines = summaryOf(block, variables)
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS_PER_LINE)), 0)
  return Math.min(MAX_LINES, lines)
}

export function exitRows(block: Block): { itemId: string; pathId?: string }[] {
  return (block.items ?? []).flatMap((item) => [
    { itemId: item.id },
    ...(item.paths ?? []).map((path) => ({ itemId: item.id, pathId: path.id })),
  ])
}

export function blockHeight(block: Block, variables: Variable[]): number {
  return ROW_PADDING_PX + linesOf(block, variables) * LINE_HEIGHT_PX + exitRows(block).length * ITEM_HEIGHT_PX
}

const heights = new WeakMap<Group, { variables: Variable[]; height: number }>()

function groupHeight(group: Group, variables: Variable[]): number {
  const known = heights.get(group)
  if (known?.variables === variables) return known.height
  const rows = group.blocks.map((block) => blockHeight(block, variables) + ROW_GAP_PX)
  const height = HEAD_HEIGHT_PX + rows.reduce((sum, row) => sum + row, 0) + FOOT_HEIGHT_PX + PADDING_PX
  heights.set(group, { variables, height })
  return height
}

/** Positions of the picture where they are not those of the draft, by the id of group or event. */
export type Arrangement = Map<string, Point>

const pointOf = (entry: Group | FlowEvent, arrangement: Arrangement | undefined): Point => {
  const point = arrangement?.get(entry.id) ?? entry.graphCoordinates
  return { x: Number(point?.x) || 0, y: Number(point?.y) || 0 }
}

export function groupBox(group: Group, variables: Variable[], arrangement?: Arrangement): Box {
  return { ...pointOf(group, arrangement), width: GROUP_WIDTH_PX, height: groupHeight(group, variables) }
}

export function eventBox(event: FlowEvent, arrangement?: Arrangement): Box {
  return { ...pointOf(event, arrangement), width: EVENT_WIDTH_PX, height: EVENT_HEIGHT_PX }
}

/** The distance of a block from the top of its group. */
function blockTop(group: Group, blockIndex: number, variables: Variable[]): number {
  return group.blocks
    .slice(0, blockIndex)
    .reduce((sum, block) => sum + blockHeight(block, variables) + ROW_GAP_PX, HEAD_HEIGHT_PX)
}

export function exitPoint(
  draft: Draft,
  edge: Pick<Edge, 'from'>,
  arrangement?: Arrangement,
): Point | undefined {
  const { from } = edge
  if (from.eventId !== undefined) {
    const event = draft.events.find(({ id }) => id === from.eventId)
    if (!event) return undefined
    const box = eventBox(event, arrangement)
    return { x: box.x + box.width, y: box.y + box.height / 2 }
  }
  const found = from.blockId === undefined ? undefined : findBlock(draft, from.blockId)
  if (!found) return undefined
  const { group, block, blockIndex } = found
  const box = groupBox(group, draft.variables, arrangement)
  const x = box.x + box.width
  const top = box.y + blockTop(group, blockIndex, draft.variables)
  const height = blockHeight(block, draft.variables)
  const rows = exitRows(block)
  const row = rows.findIndex(({ itemId, pathId }) => itemId === from.itemId && pathId === from.pathId)
  if (row >= 0) return { x, y: top + height - (rows.length - row - 0.5) * ITEM_HEIGHT_PX - 4 }
  return { x, y: top + (height - rows.length * ITEM_HEIGHT_PX) / 2 }
}

export function entryPoint(
  draft: Draft,
  edge: Pick<Edge, 'to'>,
  arrangement?: Arrangement,
): Point | undefined {
  const group = draft.groups.find(({ id }) => id === edge.to.groupId)
  if (!group) return undefined
  const box = groupBox(group, draft.variables, arrangement)
  const at = group.blocks.findIndex(({ id }) => id === edge.to.blockId)
  if (at <= 0) return { x: box.x, y: box.y + HEAD_HEIGHT_PX / 2 }
  return { x: box.x, y: box.y + blockTop(group, at, draft.variables) + 18 }
}

/** A curve that leaves to the right and arrives from the left. */
export function curve(from: Point, to: Point): string {
  const reach = Math.min(Math.max(Math.abs(to.x - from.x) / 2, 40), 160)
  const isBack = to.x < from.x + 20
  const bend = isBack ? reach + 40 : reach
  return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`
}

export function boundsOf(boxes: Box[]): Box {
  if (boxes.length === 0) return { x: 0, y: 0, width: 600, height: 400 }
  const left = Math.min(...boxes.map(({ x }) => x))
  const top = Math.min(...boxes.map(({ y }) => y))
  const right = Math.max(...boxes.map(({ x, width }) => x + width))
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height))
  return { x: left, y: top, width: right - left, height: bottom - top }
}

export function boxesOf(draft: Draft, arrangement?: Arrangement): Box[] {
  return [
    ...draft.events.map((event) => eventBox(event, arrangement)),
    ...draft.groups.map((group) => groupBox(group, draft.variables, arrangement)),
  ]
}
