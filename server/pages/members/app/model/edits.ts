import {
  type Block,
  type Draft,
  type Edge,
  type EdgeSource,
  exitsOf,
  findBlock,
  findGroup,
  type Group,
  type Item,
  newId,
  type Point,
  sourceOf,
  type Variable,
} from './draft.ts'

/* The edits of a flow. Each returns another draft, or the same one where there is nothing to do. */

const replaceAt = <Entry>(list: Entry[], index: number, entry: Entry) => list.with(index, entry)

function changeGroup(draft: Draft, groupId: string, change: (group: Group) => Group): Draft {
  const index = draft.groups.findIndex(({ id }) => id === groupId)
  const group = draft.groups[index]
  if (!group) return draft
  return { ...draft, groups: replaceAt(draft.groups, index, change(group)) }
}

export function setBlock(draft: Draft, block: Block): Draft {
  const found = findBlock(draft, block.id)
  if (!found || found.block === block) return draft
  return changeGroup(draft, found.group.id, (group) => ({
    ...group,
    blocks: replaceAt(group.blocks, found.blockIndex, block),
  }))
}

/** Puts a block in the place of the one with its id, and drops edges that left items which it no longer has. */
export function replaceBlock(draft: Draft, block: Block): Draft {
  const replaced = setBlock(draft, block)
  if (replaced === draft) return draft
  const items = new Map((block.items ?? []).map((item) => [item.id, item]))
  const lost = replaced.edges.filter(({ from }) => {
    if (from.blockId !== block.id || from.itemId === undefined) return false
    const item = items.get(from.itemId)
    return !item || (from.pathId !== undefined && !item.paths?.some(({ id }) => id === from.pathId))
  })
  return lost.length === 0
    ? replaced
    : { ...replaced, edges: replaced.edges.filter((edge) => !lost.includes(edge)) }
}

export function renameGroup(draft: Draft, groupId: string, title: string): Draft {
  return changeGroup(draft, groupId, (group) => ({ ...group, title }))
}

/** Moves groups and events to positions, by their ids. */
export function moveTo(draft: Draft, positions: Map<string, Point>): Draft {
  const move = <Entry extends { id: string; graphCoordinates: Point }>(list: Entry[]): Entry[] => {
    if (!list.some(({ id }) => positions.has(id))) return list
    return list.map((entry) => {
      const point = positions.get(entry.id)
      if (!point) return entry
      const { x, y } = point
      return { ...entry, graphCoordinates: { ...entry.graphCoordinates, x: Math.round(x), y: Math.round(y) } }
    })
  }
  return { ...draft, groups: move(draft.groups), events: move(draft.events) }
}

export function addGroup(draft: Draft, point: Point, blocks: Block[] = []): { draft: Draft; group: Group } {
  const { x, y } = point
  const group: Group = {
    id: newId(),
    title: `Group #${draft.groups.length + 1}`,
    graphCoordinates: { x: Math.round(x), y: Math.round(y) },
    blocks,
  }
  return { draft: { ...draft, groups: [...draft.groups, group] }, group }
}

/** Inserts a block. At the end of a group it takes over the edge by which the group was left, so that it is reached. */
export function addBlock(draft: Draft, groupId: string, index: number, block: Block): Draft {
  const group = findGroup(draft, groupId)
  if (!group) return draft
  const last = group.blocks.at(-1)
  const inserted = changeGroup(draft, groupId, (before) => ({
    ...before,
    blocks: before.blocks.toSpliced(index, 0, block),
  }))
  const isAtEnd = index >= group.blocks.length
  if (!isAtEnd || !last?.outgoingEdgeId || block.outgoingEdgeId) return inserted
  return handOver(inserted, last.id, block.id)
}

/** Moves the edge of one block to another one. */
function handOver(draft: Draft, fromId: string, toId: string): Draft {
  const from = findBlock(draft, fromId)?.block
  const to = findBlock(draft, toId)?.block
  if (!from?.outgoingEdgeId || !to) return draft
  const edgeId = from.outgoingEdgeId
  const { outgoingEdgeId: _, ...rest } = from
  const moved = setBlock(setBlock(draft, rest as Block), { ...to, outgoingEdgeId: edgeId })
  return {
    ...moved,
    edges: moved.edges.map((edge) =>
      edge.id === edgeId ? { ...edge, from: { ...edge.from, blockId: toId } } : edge,
    ),
  }
}

export function removeBlock(draft: Draft, blockId: string): Draft {
  const found = findBlock(draft, blockId)
  if (!found) return draft
  const { group, block, blockIndex } = found
  const before = group.blocks[blockIndex - 1]
  const isLast = blockIndex === group.blocks.length - 1
  const canHandOver = isLast && before && !before.outgoingEdgeId && !block.items?.length
  const handed = canHandOver ? handOver(draft, blockId, before.id) : draft
  const left = exitsOf(findBlock(handed, blockId)?.block ?? block).map(({ edgeId }) => edgeId)
  const leftEdgeIds = new Set(left.filter((id) => id !== undefined))
  const withoutBlock = changeGroup(handed, group.id, (each) => ({
    ...each,
    blocks: each.blocks.filter(({ id }) => id !== blockId),
  }))
  const edges = withoutBlock.edges.filter(({ id, from }) => !leftEdgeIds.has(id) && from.blockId !== blockId)
  // An edge that led to the block leads to the beginning of its group.
  const led = edges.map((edge) => {
    if (edge.to.blockId !== blockId) return edge
    const { blockId: _, ...to } = edge.to
    return { ...edge, to: to as Edge['to'] }
  })
  return { ...withoutBlock, edges: led }
}

export function moveBlock(draft: Draft, blockId: string, groupId: string, index: number): Draft {
  const found = findBlock(draft, blockId)
  const target = findGroup(draft, groupId)
  if (!found || !target) return draft
  const isSame = found.group.id === groupId
  if (isSame && (index === found.blockIndex || index === found.blockIndex + 1)) return draft
  const isLast = found.blockIndex === found.group.blocks.length - 1
  const before = found.group.blocks[found.blockIndex - 1]
  // The edge at the end of a group stays there when its last block goes.
  const keepsEdge = isLast && before && !before.outgoingEdgeId && !found.block.items?.length
  const handed = keepsEdge ? handOver(draft, blockId, before.id) : draft
  const block = findBlock(handed, blockId)?.block
  if (!block) return draft
  const without = changeGroup(handed, found.group.id, (group) => ({
    ...group,
    blocks: group.blocks.filter(({ id }) => id !== blockId),
  }))
  const at = isSame && index > found.blockIndex ? index - 1 : index
  const moved = addBlock(without, groupId, at, block)
  if (isSame) return moved
  const edges = moved.edges.map((edge) =>
    edge.to.blockId === blockId ? { ...edge, to: { ...edge.to, groupId } } : edge,
  )
  return { ...moved, edges }
}

/** Copies with new ids. Edges are not copied: each of them has one source. */
function copyBlock(block: Block): Block {
  const { outgoingEdgeId: _, ...rest } = block
  const items = block.items?.map((item): Item => {
    const { outgoingEdgeId: __, ...own } = item
    const paths = item.paths?.map(({ outgoingEdgeId: ___, ...path }) => ({ ...path, id: newId() }))
    return { ...own, id: newId(), ...(paths ? { paths } : {}) }
  })
  return { ...rest, id: newId(), ...(items ? { items } : {}) } as Block
}

export function duplicateBlock(draft: Draft, blockId: string): { draft: Draft; block: Block } | undefined {
  const found = findBlock(draft, blockId)
  if (!found) return undefined
  const block = copyBlock(found.block)
  return { draft: addBlock(draft, found.group.id, found.blockIndex + 1, block), block }
}

const COPY_OFFSET = 40

export function duplicateGroup(draft: Draft, groupId: string): { draft: Draft; group: Group } | undefined {
  const found = findGroup(draft, groupId)
  if (!found) return undefined
  const { x, y } = found.graphCoordinates
  const group: Group = {
    ...found,
    id: newId(),
    title: `${found.title} copy`,
    graphCoordinates: { ...found.graphCoordinates, x: x + COPY_OFFSET, y: y + COPY_OFFSET },
    blocks: found.blocks.map(copyBlock),
  }
  return { draft: { ...draft, groups: [...draft.groups, group] }, group }
}

export function removeGroup(draft: Draft, groupId: string): Draft {
  const group = findGroup(draft, groupId)
  if (!group) return draft
  const inside = new Set(group.blocks.map(({ id }) => id))
  const deletedEdges = draft.edges.filter((edge) => {
    const { blockId } = sourceOf(draft, edge.id) ?? edge.from
    return edge.to.groupId === groupId || (blockId !== undefined && inside.has(blockId))
  })
  const without = disconnectAll(draft, deletedEdges)
  return { ...without, groups: without.groups.filter(({ id }) => id !== groupId) }
}

const disconnectAll = (draft: Draft, edges: Edge[]) =>
  edges.reduce((current, { id }) => disconnect(current, id), draft)

function setExit(draft: Draft, source: EdgeSource, edgeId: string | undefined): Draft {
  const set = <Entry extends { outgoingEdgeId?: string }>(entry: Entry): Entry => {
    if (entry.outgoingEdgeId === edgeId) return entry
    const { outgoingEdgeId: _, ...rest } = entry
    return (edgeId === undefined ? rest : { ...entry, outgoingEdgeId: edgeId }) as Entry
  }
  if (source.eventId !== undefined) {
    return {
      ...draft,
      events: draft.events.map((event) => (event.id === source.eventId ? set(event) : event)),
    }
  }
  const block = source.blockId === undefined ? undefined : findBlock(draft, source.blockId)?.block
  if (!block) return draft
  if (source.itemId === undefined) return setBlock(draft, set(block))
  const items = block.items?.map((item) => {
    if (item.id !== source.itemId) return item
    if (source.pathId === undefined) return set(item)
    return { ...item, paths: item.paths?.map((path) => (path.id === source.pathId ? set(path) : path)) }
  })
  return setBlock(draft, { ...block, items })
}

/** Removes an edge, and its id from the place that it leaves. */
export function disconnect(draft: Draft, edgeId: string): Draft {
  const edge = draft.edges.find(({ id }) => id === edgeId)
  if (!edge) return draft
  const source = sourceOf(draft, edgeId)
  const cleared = source ? setExit(draft, source, undefined) : draft
  return { ...cleared, edges: cleared.edges.filter(({ id }) => id !== edgeId) }
}

/** The id of the edge that leaves a place. */
export function exitOf(draft: Draft, source: EdgeSource): string | undefined {
  if (source.eventId !== undefined)
    return draft.events.find(({ id }) => id === source.eventId)?.outgoingEdgeId
  const block = source.blockId === undefined ? undefined : findBlock(draft, source.blockId)?.block
  if (!block || source.itemId === undefined) return block?.outgoingEdgeId
  const item = block.items?.find(({ id }) => id === source.itemId)
  if (source.pathId === undefined) return item?.outgoingEdgeId
  return item?.paths?.find(({ id }) => id === source.pathId)?.outgoingEdgeId
}

/** Connects a source with a group, or with a block of it. A source has one edge. */
export function connect(draft: Draft, source: EdgeSource, to: { groupId: string; blockId?: string }): Draft {
  const before = exitOf(draft, source)
  const existing = draft.edges.find(({ id }) => id === before)
  if (existing && existing.to.groupId === to.groupId && existing.to.blockId === to.blockId) return draft
  const cleared = before === undefined ? draft : disconnect(draft, before)
  const edge: Edge = { id: newId(), from: source, to }
  return setExit({ ...cleared, edges: [...cleared.edges, edge] }, source, edge.id)
}

export function addVariable(draft: Draft, name: string): { draft: Draft; variable: Variable } {
  const variable: Variable = { id: newId(), name }
  return { draft: { ...draft, variables: [...draft.variables, variable] }, variable }
}

export function setVariable(draft: Draft, variable: Variable): Draft {
  return { ...draft, variables: draft.variables.map((each) => (each.id === variable.id ? variable : each)) }
}

/** Renames a variable, and with it the placeholders that name it. */
export function renameVariable(draft: Draft, variableId: string, name: string): Draft {
  const variable = draft.variables.find(({ id }) => id === variableId)
  if (!variable || variable.name === name) return draft
  const renamed = setVariable(draft, { ...variable, name })
  const isShared = draft.variables.some((each) => each.name === variable.name && each.id !== variableId)
  if (isShared || variable.name === '' || name === '') return renamed
  const replace = replacer(`{{${variable.name}}}`, `{{${name}}}`)
  return { ...renamed, groups: replace(renamed.groups) as Group[] }
}

/** Replaces a text in all texts of a value. Parts without it stay the same objects. */
function replacer(text: string, by: string): (value: unknown) => unknown {
  return function replace(value: unknown): unknown {
    if (typeof value === 'string') return value.includes(text) ? value.replaceAll(text, by) : value
    if (Array.isArray(value)) {
      const replaced = value.map(replace)
      return replaced.some((entry, index) => entry !== value[index]) ? replaced : value
    }
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, inner]) => [key, inner, replace(inner)] as const)
    if (entries.every(([, inner, replaced]) => inner === replaced)) return value
    return Object.fromEntries(entries.map(([key, , replaced]) => [key, replaced]))
  }
}

export function removeVariable(draft: Draft, variableId: string): Draft {
  return { ...draft, variables: draft.variables.filter(({ id }) => id !== variableId) }
}
