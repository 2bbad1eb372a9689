import type { EdgeStart, FlowEdit } from '../../contract/tools/changes.ts'
import type { BotHeader } from '../bots/update.ts'
import { isRecord, type JsonRecord, listOf } from '../documents/conversion/document.ts'

/* Applies small changes to a flow of the current version. */

/** A flow that is edited in place, with the properties of its bot that changes can set. */
export interface EditedFlow {
  groups: JsonRecord[]
  events: JsonRecord[]
  edges: JsonRecord[]
  variables: JsonRecord[]
  theme: JsonRecord
  settings: JsonRecord
  bot: JsonRecord
}

/** A change that cannot be made, by its index. */
export interface EditIssue {
  index: number
  message: string
}

type EditOf<Name extends FlowEdit['op']> = Extract<FlowEdit, { op: Name }>

/** A change with the flow, a source of ids, and the ids that it has given. */
interface Editing {
  flow: EditedFlow
  newId: () => string
  given: string[]
}

/** Makes the changes in order, and returns the ids that each has given, or the first that cannot be made. */
export function editFlow(
  flow: EditedFlow,
  edits: readonly FlowEdit[],
  newId: () => string,
): { given: string[][] } | { issue: EditIssue } {
  const given: string[][] = []
  for (const [index, edit] of edits.entries()) {
    const editing: Editing = { flow, newId, given: [] }
    const message = (apply[edit.op] as (editing: Editing, edit: FlowEdit) => string | undefined)(
      editing,
      edit,
    )
    if (message !== undefined) return { issue: { index, message } }
    given.push(editing.given)
  }
  return { given }
}

/** Each returns why the change cannot be made, if it cannot. */
const apply: { [Name in FlowEdit['op']]: (editing: Editing, edit: EditOf<Name>) => string | undefined } = {
  add_group(editing, { id, title, blocks = [], graphCoordinates }) {
    const { flow } = editing
    if (id !== undefined && groupOf(flow, id)) return `There is a group ${id} already`
    const group: JsonRecord = {
      id: id ?? giveId(editing),
      title,
      graphCoordinates: graphCoordinates ?? besideGroups(flow),
      blocks: [],
    }
    flow.groups.push(group)
    return addBlocks(editing, group, blocks, 0)
  },
  update_group({ flow }, { groupId, title, graphCoordinates }) {
    const group = groupOf(flow, groupId)
    if (!group) return noGroup(groupId)
    if (title !== undefined) group.title = title
    if (graphCoordinates) group.graphCoordinates = graphCoordinates
    return undefined
  },
  remove_group({ flow }, { groupId }) {
    const group = groupOf(flow, groupId)
    if (!group) return noGroup(groupId)
    const ids = new Set(recordsOf(group.blocks).map(({ id }) => id))
    flow.groups.splice(flow.groups.indexOf(group), 1)
    removeEdges(flow, ({ from, to }) => ids.has(from.blockId) || to.groupId === groupId)
    return undefined
  },
  add_block(editing, { groupId, block, index }) {
    const group = groupOf(editing.flow, groupId)
    if (!group) return noGroup(groupId)
    return addBlocks(editing, group, [block], index ?? recordsOf(group.blocks).length)
  },
  update_block(editing, { blockId, set }) {
    const found = blockOf(editing.flow, blockId)
    if (!found) return noBlock(blockId)
    if (set.id !== undefined && set.id !== blockId) return 'The id of a block cannot be changed'
    const { block } = found
    const before = block.items
    Object.assign(block, merge(block, set))
    for (const [name, value] of Object.entries(set)) if (value === null) delete block[name]
    const message = nameParts(editing, block)
    if (message === undefined && block.items !== before) removeLostEdges(editing.flow, block)
    return message
  },
  move_block({ flow }, { blockId, groupId, index }) {
    const found = blockOf(flow, blockId)
    const group = groupOf(flow, groupId)
    if (!found) return noBlock(blockId)
    if (!group) return noGroup(groupId)
    const from = found.group.blocks as JsonRecord[]
    from.splice(from.indexOf(found.block), 1)
    const to = listIn(group, 'blocks')
    to.splice(index ?? to.length, 0, found.block)
    for (const edge of flow.edges) {
      if (isRecord(edge.to) && edge.to.blockId === blockId) edge.to.groupId = groupId
    }
    return undefined
  },
  remove_block({ flow }, { blockId }) {
    const found = blockOf(flow, blockId)
    if (!found) return noBlock(blockId)
    const blocks = found.group.blocks as JsonRecord[]
    blocks.splice(blocks.indexOf(found.block), 1)
    removeEdges(flow, ({ from, to }) => from.blockId === blockId || to.blockId === blockId)
    return undefined
  },
  connect(editing, { from, to }) {
    const { flow } = editing
    const source = sourceOf(flow, from)
    if (typeof source === 'string') return source
    const group = groupOf(flow, to.groupId)
    if (!group) return noGroup(to.groupId)
    if (to.blockId !== undefined && !recordsOf(group.blocks).some(({ id }) => id === to.blockId))
      return `Group ${to.groupId} has no block ${to.blockId}`
    leave(flow, source)
    const id = giveId(editing)
    flow.edges.push({ id, from: { ...from }, to: { ...to } })
    source.outgoingEdgeId = id
    return undefined
  },
  disconnect({ flow }, { from }) {
    const source = sourceOf(flow, from)
    if (typeof source === 'string') return source
    leave(flow, source)
    return undefined
  },
  add_event(editing, { event }) {
    const { flow } = editing
    if (event.type === 'start') return 'A flow has one start event; connect that'
    if (event.id !== undefined && flow.events.some(({ id }) => id === event.id))
      return `There is an event ${event.id} already`
    const graphCoordinates = event.graphCoordinates ?? { x: 0, y: 200 * flow.events.length }
    flow.events.push({ id: event.id ?? giveId(editing), ...event, graphCoordinates })
    return undefined
  },
  remove_event({ flow }, { eventId }) {
    const at = flow.events.findIndex(({ id }) => id === eventId)
    if (at < 0) return `The flow has no event ${eventId}`
    if (at === 0) return 'The start event cannot be removed'
    flow.events.splice(at, 1)
    removeEdges(flow, ({ from }) => from.eventId === eventId)
    return undefined
  },
  set_variable(editing, { variable }) {
    const { variables } = editing.flow
    const stored = variables.find(({ id }) => id === variable.id)
    const isTaken = variables.some((other) => other !== stored && other.name === variable.name)
    if (isTaken) return `There is another variable with the name ${variable.name}; use its id`
    if (stored) Object.assign(stored, variable)
    else if (variable.name === undefined) return 'A new variable needs a name'
    else variables.push({ ...variable, id: variable.id ?? giveId(editing) })
    return undefined
  },
  remove_variable({ flow }, { variableId }) {
    const at = flow.variables.findIndex(({ id }) => id === variableId)
    if (at < 0) return `The flow has no variable ${variableId}`
    flow.variables.splice(at, 1)
    return undefined
  },
  set_theme({ flow }, { set }) {
    flow.theme = merge(flow.theme, set)
    return undefined
  },
  set_settings({ flow }, { set }) {
    flow.settings = merge(flow.settings, set)
    return undefined
  },
  set_bot({ flow }, { set }) {
    const unknown = Object.keys(set).find((name) => !settable.includes(name))
    if (unknown !== undefined) return `set_bot takes ${settable.join(', ')}, not ${unknown}`
    Object.assign(flow.bot, set)
    return undefined
  },
}

/** True if agents may set a property of a bot. Complete by its type. */
const isSettable: Record<keyof BotHeader, boolean> = {
  name: true,
  icon: true,
  publicId: true,
  isClosed: true,
  selectedThemeTemplateId: false,
  folderId: false,
  customDomain: false,
  messagingCredentialsId: false,
}
const settable = Object.entries(isSettable).flatMap(([name, isIncluded]) => (isIncluded ? [name] : []))

const noGroup = (id: string) => `The flow has no group ${id}`
const noBlock = (id: string) => `The flow has no block ${id}`

function giveId({ newId, given }: Editing): string {
  const id = newId()
  given.push(id)
  return id
}

export const recordsOf = (list: unknown): JsonRecord[] => listOf(list).filter(isRecord)

/** The list in a property, which is made where there is none. */
function listIn(record: JsonRecord, name: string): JsonRecord[] {
  if (!Array.isArray(record[name])) record[name] = []
  return record[name] as JsonRecord[]
}

function groupOf({ groups }: EditedFlow, id: string): JsonRecord | undefined {
  return groups.find((group) => group.id === id)
}

function blockOf({ groups }: EditedFlow, id: string): { group: JsonRecord; block: JsonRecord } | undefined {
  for (const group of groups) {
    const block = recordsOf(group.blocks).find((one) => one.id === id)
    if (block) return { group, block }
  }
  return undefined
}

/** Everything in a block that an edge can leave, with the block itself. */
function sourcesIn(block: JsonRecord): JsonRecord[] {
  return [block, ...recordsOf(block.items).flatMap((item) => [item, ...recordsOf(item.paths)])]
}

/** The record that an edge leaves, or why there is none. */
function sourceOf(flow: EditedFlow, { eventId, blockId, itemId, pathId }: EdgeStart): JsonRecord | string {
  if (eventId !== undefined)
    return flow.events.find(({ id }) => id === eventId) ?? `The flow has no event ${eventId}`
  const found = blockOf(flow, blockId as string)
  if (!found) return noBlock(blockId as string)
  let source = found.block
  for (const [id, name, noun] of [
    [itemId, 'items', 'item'],
    [pathId, 'paths', 'path'],
  ] as const) {
    if (id === undefined) continue
    const next = recordsOf(source[name]).find((one) => one.id === id)
    if (!next) return `Block ${blockId} has no ${noun} ${id}`
    source = next
  }
  return source
}

/** Takes away the edge by which a record is left. */
function leave(flow: EditedFlow, source: JsonRecord) {
  const { outgoingEdgeId } = source
  delete source.outgoingEdgeId
  flow.edges = flow.edges.filter(({ id }) => id !== outgoingEdgeId)
}

function removeEdges(flow: EditedFlow, isRemoved: (edge: { from: JsonRecord; to: JsonRecord }) => boolean) {
  const part = (value: unknown) => (isRecord(value) ? value : {})
  const edgeIds = new Set(
    flow.edges.filter(({ from, to }) => isRemoved({ from: part(from), to: part(to) })).map(({ id }) => id),
  )
  if (edgeIds.size === 0) return
  flow.edges = flow.edges.filter(({ id }) => !edgeIds.has(id))
  const blocks = flow.groups.flatMap(({ blocks }) => recordsOf(blocks))
  for (const source of [...flow.events, ...blocks.flatMap(sourcesIn)]) {
    if (edgeIds.has(source.outgoingEdgeId)) delete source.outgoingEdgeId
  }
}

/** Removes edges of items and paths that a block no longer has. */
function removeLostEdges(flow: EditedFlow, block: JsonRecord) {
  const ids = new Set(sourcesIn(block).map(({ id }) => id))
  removeEdges(
    flow,
    ({ from }) =>
      from.blockId === block.id && [from.itemId, from.pathId].some((id) => id !== undefined && !ids.has(id)),
  )
}

function addBlocks(
  editing: Editing,
  group: JsonRecord,
  blocks: readonly JsonRecord[],
  index: number,
): string | undefined {
  const added: JsonRecord[] = []
  for (const given of blocks) {
    if (typeof given.type !== 'string') return 'A block needs a type; describe_block lists them'
    const isTaken = given.id !== undefined && blockOf(editing.flow, String(given.id)) !== undefined
    if (isTaken || added.some(({ id }) => id !== undefined && id === given.id))
      return `There is a block ${given.id} already`
    const block = { ...given, id: given.id ?? giveId(editing) }
    const message = nameParts(editing, block)
    if (message !== undefined) return message
    added.push(block)
  }
  listIn(group, 'blocks').splice(index, 0, ...added)
  return undefined
}

/** Gives ids to items and paths without one. */
function nameParts(editing: Editing, block: JsonRecord): string | undefined {
  const ids = new Set<unknown>()
  for (const part of sourcesIn(block).slice(1)) {
    part.id ??= giveId(editing)
    if (ids.has(part.id)) return `The block has two items with the id ${part.id}`
    ids.add(part.id)
  }
  return undefined
}

/** A place to the right of all groups. */
function besideGroups({ groups }: EditedFlow) {
  const lefts = groups.map(({ graphCoordinates }) =>
    isRecord(graphCoordinates) && typeof graphCoordinates.x === 'number' ? graphCoordinates.x : 0,
  )
  return { x: lefts.reduce((most, left) => Math.max(most, left), -200) + 400, y: 0 }
}

/** A JSON merge patch, as RFC 7396 defines it. */
function merge(target: unknown, patch: JsonRecord): JsonRecord {
  const merged: JsonRecord = isRecord(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = isRecord(value) ? merge(merged[name], value) : value
  }
  return merged
}
