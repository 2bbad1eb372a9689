/** A bot document, read once into maps. Whatever does not have the expected form is left out. */
import { type BlockType, inputTypes } from '../../../contract/bot-document/catalogue.ts'
import { asObject, asObjects, asString, filledText, type JsonObject } from '../../json/access.ts'
import { toJson } from '../../kit/json/exact-numbers.ts'
import type { Flow, Position, VariableValue } from './types.ts'

export interface Block {
  id: string
  type: string
  outgoingEdgeId: string | undefined
  options: JsonObject
  content: JsonObject
  items: JsonObject[]
  /** The block as it is in the document. */
  source: JsonObject
}

export interface Group {
  id: string
  title: string
  blocks: Block[]
  /** Index of each block in `blocks`. If two blocks have the same id, the first counts. */
  blockIndexes: Map<string, number>
}

/** A resolved position: a group and an index in it. `index` is one past the end behind the last block. */
export interface Target {
  group: Group
  index: number
}

interface Variable {
  id: string
  name: string
  isSessionVariable: boolean
  initialValue: VariableValue
}

export interface FlowEvent {
  id: string
  type: string
  outgoingEdgeId: string | undefined
  options: JsonObject
}

export interface FlowIndex {
  flow: Flow
  groups: Map<string, Group>
  edges: Map<string, Position>
  variables: Map<string, Variable>
  variablesByName: Map<string, Variable>
  events: FlowEvent[]
}

const indexes = new WeakMap<Flow, FlowIndex>()

/** Returns the same object for the same flow, so that callers that cache published flows save the work. */
export function indexFlow(flow: Flow): FlowIndex {
  const before = indexes.get(flow)
  if (before !== undefined) return before
  const index: FlowIndex = {
    flow,
    groups: new Map(),
    edges: new Map(),
    variables: new Map(),
    variablesByName: new Map(),
    events: asObjects(flow.events).map(eventOf),
  }
  for (const source of asObjects(flow.groups)) {
    const id = asString(source.id)
    if (id === undefined || index.groups.has(id)) continue
    const blocks = asObjects(source.blocks).flatMap(blocksOf)
    index.groups.set(id, { id, title: asString(source.title) ?? '', blocks, blockIndexes: indexesOf(blocks) })
  }
  for (const source of asObjects(flow.edges)) {
    const to = asObject(source.to)
    const id = asString(source.id)
    const groupId = asString(to.groupId)
    if (id !== undefined && groupId !== undefined && !index.edges.has(id)) {
      index.edges.set(id, { groupId, blockId: asString(to.blockId) })
    }
  }
  const transcripts = transcriptVariables(index)
  for (const source of asObjects(flow.variables)) {
    const variable = variableOf(source)
    if (variable === null || index.variables.has(variable.id)) continue
    if (transcripts.has(variable.id)) variable.isSessionVariable = true
    index.variables.set(variable.id, variable)
    if (!index.variablesByName.has(variable.name)) index.variablesByName.set(variable.name, variable)
  }
  indexes.set(flow, index)
  return index
}

/**
 * Names that a placeholder may mean; the first one that a variable has counts. Spaces count in names of variables,
 * but not around the name in a placeholder.
 */
export function candidateNames(placeholder: string): [string, string] {
  return [placeholder, placeholder.trim()]
}

/** Returns the target of an edge, or `null` if the edge is absent, unknown or dangling. */
export function followEdge(flow: FlowIndex, edgeId: unknown): Target | null {
  const target = typeof edgeId === 'string' ? flow.edges.get(edgeId) : undefined
  return target === undefined ? null : resolvePosition(flow, target)
}

export function findStartEdge(flow: FlowIndex): string | undefined {
  return flow.events.find((event) => event.type === 'start')?.outgoingEdgeId
}

/** A block that is not in its group (any more) counts as not given: the target is the beginning of the group. */
export function resolvePosition(flow: FlowIndex, { groupId, blockId }: Position): Target | null {
  const group = flow.groups.get(groupId)
  if (group === undefined) return null
  return { group, index: (blockId === undefined ? undefined : group.blockIndexes.get(blockId)) ?? 0 }
}

/** The block itself, or `null` when it is not there. */
export function findBlock(flow: FlowIndex, { groupId, blockId }: Position): Block | null {
  const group = flow.groups.get(groupId)
  return group === undefined || blockId === undefined ? null : blockIn(group, blockId)
}

/** A block by its id alone, with its group. */
export function searchBlock(flow: FlowIndex, blockId: string): { block: Block; group: Group } | null {
  for (const group of flow.groups.values()) {
    const block = blockIn(group, blockId)
    if (block !== null) return { block, group }
  }
  return null
}

function blockIn(group: Group, blockId: string): Block | null {
  return group.blocks[group.blockIndexes.get(blockId) ?? -1] ?? null
}

/** Returns a map of a record that the compiler holds complete; documents may name other types. */
export function byType<Type extends BlockType, Value>(
  record: Record<Type, Value>,
): ReadonlyMap<string, Value> {
  return new Map(Object.entries<Value>(record))
}

export function isInput({ type }: Pick<Block, 'type'>): boolean {
  return inputTypes.has(type)
}

/** The items of a list and every other value become text; null stays null. */
export function toValue(value: unknown): VariableValue {
  if (value === null || value === undefined) return null
  if (Array.isArray(value))
    return value.map((item) => (item === null || item === undefined ? null : toText(item)))
  return toText(value)
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' ? toJson(value) : String(value)
}

/** Variables that take the transcript, which the result has itself, and no answer. */
function transcriptVariables(index: FlowIndex): Set<unknown> {
  const blocks = [...index.groups.values()].flatMap((group) => group.blocks)
  const answers = new Set(blocks.filter(isInput).map(({ options }) => options.variableId))
  const writers = blocks.filter(
    ({ type, options }) => type === 'Set variable' && options.type === 'Transcript',
  )
  return new Set(writers.map(({ options }) => options.variableId).filter((id) => !answers.has(id)))
}

function blocksOf(source: JsonObject): Block[] {
  const id = asString(source.id)
  const type = asString(source.type)
  if (id === undefined || type === undefined) return []
  return [
    {
      id,
      type,
      outgoingEdgeId: asString(source.outgoingEdgeId),
      options: asObject(source.options),
      content: asObject(source.content),
      items: asObjects(source.items),
      source,
    },
  ]
}

function indexesOf(blocks: Block[]): Map<string, number> {
  const indexes = new Map<string, number>()
  for (const [index, { id }] of blocks.entries()) if (!indexes.has(id)) indexes.set(id, index)
  return indexes
}

function eventOf(source: JsonObject): FlowEvent {
  return {
    id: asString(source.id) ?? '',
    type: asString(source.type) ?? '',
    outgoingEdgeId: asString(source.outgoingEdgeId),
    options: asObject(source.options),
  }
}

function variableOf(source: JsonObject): Variable | null {
  const id = filledText(source.id)
  const name = asString(source.name)
  if (id === undefined || name === undefined) return null
  const { isSessionVariable, value } = source
  return { id, name, isSessionVariable: isSessionVariable === true, initialValue: toValue(value) }
}
