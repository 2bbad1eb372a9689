/*
 * The draft of a bot as the editor works on it. Drafts are never changed in place: an edit returns another one that
 * shares the unchanged parts, so that undo, comparison and rendering are cheap. Unknown properties are preserved.
 */

export interface JsonObject {
  [key: string]: unknown
}

export interface Point {
  x: number
  y: number
}

export interface Path extends JsonObject {
  id: string
  text?: string
  outgoingEdgeId?: string
}

export interface Item extends JsonObject {
  id: string
  outgoingEdgeId?: string
  paths?: Path[]
}

export interface Block extends JsonObject {
  id: string
  type: string
  outgoingEdgeId?: string
  items?: Item[]
  options?: JsonObject
  content?: JsonObject
}

export interface Group extends JsonObject {
  id: string
  title: string
  graphCoordinates: Point
  blocks: Block[]
}

export interface EdgeSource extends JsonObject {
  blockId?: string
  itemId?: string
  pathId?: string
  eventId?: string
}

export interface Edge extends JsonObject {
  id: string
  from: EdgeSource
  to: JsonObject & { groupId: string; blockId?: string }
}

export interface FlowEvent extends JsonObject {
  id: string
  type: string
  outgoingEdgeId?: string
  graphCoordinates: Point
}

export interface Variable extends JsonObject {
  id: string
  name: string
}

/** The parts of a bot that the editor writes, each as a whole. */
export interface Draft {
  version: string
  groups: Group[]
  events: FlowEvent[]
  edges: Edge[]
  variables: Variable[]
  theme: JsonObject
  settings: JsonObject
}

export const partNames = ['groups', 'events', 'edges', 'variables', 'theme', 'settings'] as const

/** Takes the draft out of a bot as the interface returns it. */
export function draftOf(bot: object): Draft {
  const { version, groups, events, edges, variables, theme, settings } = bot as Draft
  return { version, groups, events: events ?? [], edges, variables, theme, settings }
}

/** The parts that differ, as an update takes them. */
export function changedParts(before: Draft, after: Draft): Partial<Draft> {
  const changed = partNames.filter((name) => before[name] !== after[name])
  return Object.fromEntries(changed.map((name) => [name, after[name]]))
}

export interface Position {
  group: Group
  groupIndex: number
  block: Block
  blockIndex: number
}

const indexes = new WeakMap<Group[], Map<string, Position>>()

/** Finds a block by its id; of blocks that share one, the first. */
export function findBlock({ groups }: Draft, blockId: string): Position | undefined {
  let index = indexes.get(groups)
  if (!index) {
    index = new Map()
    for (const [groupIndex, group] of groups.entries()) {
      for (const [blockIndex, block] of group.blocks.entries()) {
        if (!index.has(block.id)) index.set(block.id, { group, groupIndex, block, blockIndex })
      }
    }
    indexes.set(groups, index)
  }
  return index.get(blockId)
}

export const findGroup = ({ groups }: Draft, groupId: string) => groups.find(({ id }) => id === groupId)

/** An id of letters and digits that no other part has. */
export function newId(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => letters[byte % letters.length])
    .join('')
}

interface Exit {
  source: EdgeSource
  edgeId: string | undefined
}

const followed = new WeakMap<Group[], { events: FlowEvent[]; sources: Map<string, EdgeSource> }>()

/** The place that a chat leaves by an edge. An edge that no place names is not followed, whatever its `from` says. */
export function sourceOf({ groups, events }: Draft, edgeId: string): EdgeSource | undefined {
  let known = followed.get(groups)
  if (known?.events !== events) {
    const exits: Exit[] = [
      ...events.map(({ id, outgoingEdgeId }) => ({ source: { eventId: id }, edgeId: outgoingEdgeId })),
      ...groups.flatMap(({ blocks }) => blocks.flatMap(exitsOf)),
    ]
    const sources = new Map(
      exits.flatMap((exit) => (exit.edgeId ? [[exit.edgeId, exit.source] as const] : [])),
    )
    known = { events, sources }
    followed.set(groups, known)
  }
  return known.sources.get(edgeId)
}

/** Each place that an edge can leave a block by, with its edge. */
export function exitsOf(block: Block): Exit[] {
  const items = (block.items ?? []).flatMap((item) => [
    { source: { blockId: block.id, itemId: item.id }, edgeId: item.outgoingEdgeId },
    ...(item.paths ?? []).map((path) => ({
      source: { blockId: block.id, itemId: item.id, pathId: path.id },
      edgeId: path.outgoingEdgeId,
    })),
  ])
  return [...items, { source: { blockId: block.id }, edgeId: block.outgoingEdgeId }]
}
