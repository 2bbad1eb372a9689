import type { VendorType } from '../../../contract/bot-document/blocks/vendors/all.ts'
import {
  type BlockType,
  type BubbleType,
  bubbleTypes,
  type InputType,
} from '../../../contract/bot-document/catalogue.ts'
import type { FlowFinding } from '../../../contract/publications.ts'
import {
  blocksOf,
  type FlowDocument,
  isRecord,
  type JsonRecord,
  listOf,
  versionOf,
} from '../../documents/conversion/document.ts'

export type Path = readonly (string | number)[]

/** Types of blocks that a chat goes on behind in their group: start blocks and bubbles. */
export const passedTypes: ReadonlySet<string> = new Set(['start', ...bubbleTypes])

/** Types of logic, and of integrations that are no rows of vendors. Checks list them all: see `byType`. */
export type OwnBlockType = Exclude<BlockType, 'start' | BubbleType | InputType | VendorType>

/** Findings as they come. Undefined is a pause: the work so far took little, and others may have their turn. */
export type Findings = Generator<FlowFinding | undefined, void>

/** A document with everything in it that others refer to by id. */
export interface Flow {
  version: string
  isLegacy: boolean
  groups: readonly unknown[]
  events: readonly unknown[]
  edges: readonly unknown[]
  variables: readonly unknown[]
  settings: unknown
  edgesById: Map<string, JsonRecord>
  groupsById: Map<string, JsonRecord>
  groupIndexes: Map<unknown, number>
  eventIds: Set<string>
  variableIds: Set<string>
  variableNames: Set<string>
  /** The ids of the blocks of each group. */
  blockIdsByGroup: Map<string, Set<string>>
  /** Index of each block in its group, for the groups of `groupsById`. */
  blockIndexesByGroup: Map<string, Map<string, number>>
  /** For each block its items, and for each item its paths. */
  itemsByBlock: Map<string, Map<string, Set<string>>>
  /** Sources with their edges, in the format of `departure`. */
  departures: Set<string>
  /** Characters of code that are still parsed, and names that are still compared. */
  effort: { parsing: number; comparing: number }
}

export function* readFlow(document: FlowDocument): Generator<undefined, Flow> {
  const version = versionOf(document)
  const flow: Flow = {
    version,
    isLegacy: version !== '6' && version !== '6.1',
    groups: listOf(document.groups),
    events: listOf(document.events),
    edges: listOf(document.edges),
    variables: listOf(document.variables),
    settings: document.settings,
    edgesById: new Map(),
    groupsById: new Map(),
    groupIndexes: new Map(),
    eventIds: new Set(),
    variableIds: new Set(),
    variableNames: new Set(),
    blockIdsByGroup: new Map(),
    blockIndexesByGroup: new Map(),
    itemsByBlock: new Map(),
    departures: new Set(),
    effort: { parsing: 1_000_000, comparing: 100_000 },
  }
  const noteDeparture = (source: unknown, from: Source) => {
    const edgeId = outgoingEdgeId(source)
    if (edgeId !== undefined) flow.departures.add(departure(from, edgeId))
  }
  for (const edge of flow.edges) addOnce(flow.edgesById, edge)
  yield
  for (const event of flow.events) {
    addId(flow.eventIds, event)
    noteDeparture(event, { eventId: idOf(event) })
  }
  for (const variable of flow.variables) {
    addId(flow.variableIds, variable)
    if (isRecord(variable) && typeof variable.name === 'string') flow.variableNames.add(variable.name)
  }
  for (const [index, group] of flow.groups.entries()) {
    addOnce(flow.groupsById, group)
    yield
    flow.groupIndexes.set(group, index)
    const blockIds = obtain(flow.blockIdsByGroup, idOf(group) ?? '', () => new Set<string>())
    for (const block of blocksOf(group)) {
      const blockId = idOf(block)
      addId(blockIds, block)
      noteDeparture(block, { blockId })
      const items = obtain(flow.itemsByBlock, blockId ?? '', () => new Map<string, Set<string>>())
      for (const item of itemsOf(block)) {
        const itemId = idOf(item)
        noteDeparture(item, { blockId, itemId })
        const paths = obtain(items, itemId ?? '', () => new Set<string>())
        for (const path of pathsOf(item)) {
          addId(paths, path)
          noteDeparture(path, { blockId, itemId, pathId: idOf(path) })
        }
      }
    }
  }
  for (const [id, group] of flow.groupsById) flow.blockIndexesByGroup.set(id, indexesOf(blocksOf(group)))
  return flow
}

/** Source of an edge. Absent and malformed values count as not given. */
export interface Source {
  eventId?: unknown
  blockId?: unknown
  itemId?: unknown
  pathId?: unknown
}

export function departure({ eventId, blockId, itemId, pathId }: Source, edgeId: string): string {
  const from = isReference(eventId) ? [eventId] : [blockId, itemId, pathId].filter(isReference)
  return JSON.stringify([isReference(eventId), ...from, edgeId])
}

export function outgoingEdgeId(source: unknown): string | undefined {
  return isRecord(source) && isReference(source.outgoingEdgeId) ? source.outgoingEdgeId : undefined
}

export function hasEdge(source: unknown): boolean {
  return outgoingEdgeId(source) !== undefined
}

export function itemsOf(block: unknown): readonly unknown[] {
  return isRecord(block) ? listOf(block.items) : []
}

export function pathsOf(item: unknown): readonly unknown[] {
  return isRecord(item) ? listOf(item.paths) : []
}

/** True if a text is only known while the bot runs. */
export function hasPlaceholder(text: string): boolean {
  return text.includes('{{')
}

/** Editors store an empty text where nothing is chosen. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

export function idOf(value: unknown): string | undefined {
  return isRecord(value) && typeof value.id === 'string' ? value.id : undefined
}

function addId(ids: Set<string>, value: unknown): void {
  const id = idOf(value)
  if (id !== undefined) ids.add(id)
}

/** The first of two with the same id counts, as in the runtime. */
function addOnce(byId: Map<string, JsonRecord>, value: unknown): void {
  const id = idOf(value)
  if (id !== undefined && isRecord(value) && !byId.has(id)) byId.set(id, value)
}

/** The first of two with the same id counts here too. */
function indexesOf(list: readonly unknown[]): Map<string, number> {
  const indexes = new Map<string, number>()
  for (const [index, member] of list.entries()) {
    const id = idOf(member)
    if (id !== undefined && !indexes.has(id)) indexes.set(id, index)
  }
  return indexes
}

function obtain<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const present = map.get(key)
  if (present !== undefined) return present
  const created = create()
  map.set(key, created)
  return created
}

export function issue(path: Path, code: string, message: string): FlowFinding {
  const bounded = withinBounds(path, message)
  return { path: bounded.path, code, message: bounded.message }
}

/** Keys of a document may be as long as the document, and texts of the engine that parses code too. */
export function withinBounds(path: Path, message: string) {
  return {
    path: path.slice(0, MAX_PATH_PARTS).map((part) => cutText(String(part), MAX_PART_LENGTH)),
    message: cutText(message, MAX_MESSAGE_LENGTH),
  }
}

/** The bounds of the contract. */
const MAX_PATH_PARTS = 100
const MAX_PART_LENGTH = 1_000
const MAX_MESSAGE_LENGTH = 2_000

function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}

/** Ids and titles in a message are in quotes, and long ones are cut. */
export function quote(text: string): string {
  // No character has more than two units.
  const characters = [...text.slice(0, 162)]
  return JSON.stringify(characters.length > 80 ? `${characters.slice(0, 80).join('')}…` : text)
}

/** A value inside of another one that is neither a list nor an object. */
export interface Leaf {
  value: unknown
  key: string | number
  pathOf: () => Path
}

/** All leaves in the order of the document. */
export function* leavesOf(root: unknown): Generator<Leaf> {
  // A list of values still to be visited instead of recursion: rich text may be nested deeper than the stack.
  interface Place {
    value: unknown
    key: string | number
    parent: Place | undefined
  }
  const places: Place[] = [{ value: root, key: '', parent: undefined }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, key } = place
    if (typeof value === 'object' && value !== null) {
      const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
      for (const [inner, member] of members.reverse())
        places.push({ value: member, key: inner, parent: place })
      continue
    }
    const leaf: Place = place
    yield {
      value,
      key,
      pathOf: () => {
        const path: (string | number)[] = []
        for (let at: Place = leaf; at.parent !== undefined; at = at.parent) path.push(at.key)
        return path.reverse()
      },
    }
  }
}

/** Texts with placeholders or code in them may be anywhere in a block. */
export function* textsOf(root: unknown): Generator<{ text: string; path: Path }> {
  for (const leaf of leavesOf(root)) {
    if (typeof leaf.value === 'string') yield { text: leaf.value, path: leaf.pathOf() }
  }
}

export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
