import type { Issue } from '../../contract/errors.ts'
import { isSkipped } from '../chat/walk.ts'
import {
  blocksOf,
  type FlowDocument,
  findStartBlock,
  isRecord,
  type JsonRecord,
  jumpTarget,
  listOf,
} from '../conversion/document.ts'

/**
 * What is doubtful in a flow, in the order of the document: references to things that do not exist, ids that are
 * there twice, blocks, edges and groups that no chat runs, follows or reaches, a bot without a beginning. Such a flow
 * can be stored and published, because the runtime treats a reference that leads nowhere as absent; its author wants
 * to know.
 *
 * Takes documents of every version, the legacy ones with their start block. Looks at everything once, so the time
 * grows with the size of the document only. Never throws: what has an odd shape is skipped, the contract judges it.
 *
 * | code | what |
 * |---|---|
 * | `duplicate_id` | an id is there before: of a group, block, edge, event or variable; of an item in its block |
 * | `missing_start` | the bot has no start event, or no start block |
 * | `start_without_edge` | the start leads nowhere |
 * | `missing_edge` | `outgoingEdgeId` names no edge |
 * | `missing_source` | an edge starts at a block, item, path or event that does not exist |
 * | `missing_target` | an edge, a jump or a link within the bot leads to a group or block that does not exist |
 * | `unused_edge` | what an edge starts at does not leave by it, and chats follow `outgoingEdgeId` alone |
 * | `skipped_block` | chats do not run blocks of this type: it is misspelt, or of an outside service |
 * | `unknown_variable` | a variable that is not declared |
 * | `unreachable_group` | no path leads from the start or another event to the group |
 */
export function checkFlow(document: FlowDocument): Issue[] {
  const flow = readFlow(document)
  return [
    ...duplicateIds(flow),
    ...startIssues(flow),
    ...eventIssues(flow),
    ...blockIssues(flow),
    ...edgeIssues(flow),
    ...unreachableGroups(flow),
  ]
}

type Path = readonly (string | number)[]

/** A document with everything in it that others refer to by id. */
interface Flow {
  isLegacy: boolean
  groups: readonly unknown[]
  events: readonly unknown[]
  edges: readonly unknown[]
  variables: readonly unknown[]
  edgesById: Map<string, JsonRecord>
  groupsById: Map<string, JsonRecord>
  eventIds: Set<string>
  variableIds: Set<string>
  /** The ids of the blocks of each group. */
  blockIdsByGroup: Map<string, Set<string>>
  /** For each block its items, and for each item its paths. */
  itemsByBlock: Map<string, Map<string, Set<string>>>
  /** Who leaves by which edge, as `departure` writes it. */
  departures: Set<string>
}

function readFlow(document: FlowDocument): Flow {
  const { version } = document
  const flow: Flow = {
    isLegacy: version !== '6' && version !== '6.1',
    groups: listOf(document.groups),
    events: listOf(document.events),
    edges: listOf(document.edges),
    variables: listOf(document.variables),
    edgesById: new Map(),
    groupsById: new Map(),
    eventIds: new Set(),
    variableIds: new Set(),
    blockIdsByGroup: new Map(),
    itemsByBlock: new Map(),
    departures: new Set(),
  }
  const noteDeparture = (source: unknown, from: Source) => {
    const edgeId = outgoingEdgeId(source)
    if (edgeId !== undefined) flow.departures.add(departure(from, edgeId))
  }
  for (const edge of flow.edges) addOnce(flow.edgesById, edge)
  for (const event of flow.events) {
    addId(flow.eventIds, event)
    noteDeparture(event, { eventId: idOf(event) })
  }
  for (const variable of flow.variables) addId(flow.variableIds, variable)
  for (const group of flow.groups) {
    addOnce(flow.groupsById, group)
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
  return flow
}

/** Where an edge starts. What is absent or odd counts as not given. */
interface Source {
  eventId?: unknown
  blockId?: unknown
  itemId?: unknown
  pathId?: unknown
}

function departure({ eventId, blockId, itemId, pathId }: Source, edgeId: string): string {
  const from = isReference(eventId) ? [eventId] : [blockId, itemId, pathId].filter(isReference)
  return JSON.stringify([isReference(eventId), ...from, edgeId])
}

function* duplicateIds({ groups, events, edges, variables }: Flow): Generator<Issue> {
  yield* duplicates(groups, 'group', ['groups'])
  const blockIds = new Set<string>()
  for (const [groupIndex, group] of groups.entries()) {
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

function* duplicates(
  list: readonly unknown[],
  kind: string,
  path: Path,
  seen = new Set<string>(),
): Generator<Issue> {
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

function* startIssues(flow: Flow): Generator<Issue> {
  if (flow.isLegacy) {
    const start = findStartBlock(flow.groups)
    if (start === undefined) {
      yield issue(['groups'], 'missing_start', 'No group has a start block, so a chat cannot begin.')
    } else if (!hasEdge(start.block) && start.blockIndex === blocksOf(start.group).length - 1) {
      const path = ['groups', start.groupIndex, 'blocks', start.blockIndex, 'outgoingEdgeId']
      yield issue(path, 'start_without_edge', 'The start block leads nowhere, so a chat ends at once.')
    }
    return
  }
  const [start] = flow.events
  if (!isStartEvent(start)) {
    yield issue(['events'], 'missing_start', 'The first event is no start event, so a chat cannot begin.')
  } else if (!hasEdge(start)) {
    const message = 'The start event leads nowhere, so a chat ends at once.'
    yield issue(['events', 0, 'outgoingEdgeId'], 'start_without_edge', message)
  }
}

function* eventIssues(flow: Flow): Generator<Issue> {
  for (const [index, event] of flow.events.entries()) {
    yield* missingEdge(flow, event, ['events', index], 'event')
    yield* unknownVariables(flow, event, ['events', index])
  }
}

function* blockIssues(flow: Flow): Generator<Issue> {
  for (const [groupIndex, group] of flow.groups.entries()) {
    for (const [blockIndex, block] of blocksOf(group).entries()) {
      const path = ['groups', groupIndex, 'blocks', blockIndex]
      yield* skippedBlock(block, path)
      yield* missingEdge(flow, block, path, 'block')
      for (const [itemIndex, item] of itemsOf(block).entries()) {
        const itemPath = [...path, 'items', itemIndex]
        yield* missingEdge(flow, item, itemPath, 'item')
        for (const [pathIndex, cardPath] of pathsOf(item).entries()) {
          yield* missingEdge(flow, cardPath, [...itemPath, 'paths', pathIndex], 'path')
        }
      }
      yield* missingJumpTarget(flow, block, path)
      yield* unknownVariables(flow, block, path)
    }
  }
}

function* skippedBlock(block: unknown, path: Path): Generator<Issue> {
  if (!isRecord(block) || typeof block.type !== 'string' || !isSkipped(block.type)) return
  const message = `Chats skip this block: the service does not run blocks of the type ${quote(block.type)}.`
  yield issue([...path, 'type'], 'skipped_block', message)
}

function* missingEdge(flow: Flow, source: unknown, path: Path, kind: string): Generator<Issue> {
  const edgeId = outgoingEdgeId(source)
  if (edgeId === undefined || flow.edgesById.has(edgeId)) return
  const message = `The ${kind} leaves by the edge ${quote(edgeId)}, which does not exist.`
  yield issue([...path, 'outgoingEdgeId'], 'missing_edge', message)
}

function* missingJumpTarget(flow: Flow, block: unknown, path: Path): Generator<Issue> {
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
function* unknownVariables(flow: Flow, root: unknown, path: Path): Generator<Issue> {
  // A list of what is still to be seen instead of recursion: rich text may be nested deeper than the stack.
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
    } else if (isVariableKey(key) && isReference(value) && !flow.variableIds.has(value)) {
      const inside: (string | number)[] = []
      for (let at: Place = place; at.parent !== undefined; at = at.parent) inside.push(at.key)
      const message = `The variable ${quote(value)} is not declared.`
      yield issue([...path, ...inside.reverse()], 'unknown_variable', message)
    }
  }
}

function isVariableKey(key: string | number): boolean {
  return typeof key === 'string' && (key === 'variableId' || key.endsWith('VariableId'))
}

function* edgeIssues(flow: Flow): Generator<Issue> {
  for (const [index, edge] of flow.edges.entries()) {
    if (!isRecord(edge)) continue
    const missing = [...missingSource(flow, edge.from, ['edges', index, 'from'])]
    if (missing.length > 0) yield* missing
    else yield* unusedEdge(flow, edge, ['edges', index, 'from'])
    yield* missingTarget(flow, edge.to, ['edges', index, 'to'])
  }
}

function* missingSource(flow: Flow, from: unknown, path: Path): Generator<Issue> {
  if (!isRecord(from)) return
  const { eventId, blockId, itemId, pathId } = from
  const missing = (key: string, id: string, kind: string) =>
    issue(
      [...path, key],
      'missing_source',
      `The edge starts at the ${kind} ${quote(id)}, which does not exist.`,
    )

  if (isReference(eventId) && !flow.eventIds.has(eventId)) yield missing('eventId', eventId, 'event')
  if (!isReference(blockId)) return
  const items = flow.itemsByBlock.get(blockId)
  if (items === undefined) {
    yield missing('blockId', blockId, 'block')
    return
  }
  if (!isReference(itemId)) return
  const paths = items.get(itemId)
  if (paths === undefined) yield missing('itemId', itemId, 'item')
  else if (isReference(pathId) && !paths.has(pathId)) yield missing('pathId', pathId, 'path')
}

function* unusedEdge(flow: Flow, { id, from }: JsonRecord, path: Path): Generator<Issue> {
  if (!isRecord(from) || typeof id !== 'string' || flow.departures.has(departure(from, id))) return
  const { eventId, blockId, itemId, pathId } = from
  const sources = { event: eventId, path: pathId, item: itemId, block: blockId }
  const [kind, source] = Object.entries(sources).find(([, each]) => isReference(each)) ?? []
  if (kind === undefined || !isReference(source)) return
  const message = `The ${kind} ${quote(source)} does not leave by this edge: its outgoingEdgeId does not name it.`
  yield issue(path, 'unused_edge', message)
}

function* missingTarget(flow: Flow, to: unknown, path: Path): Generator<Issue> {
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

/**
 * Follows the flow from its events, as the runtime does: by `outgoingEdgeId`, jumps, and links within the bot. Says
 * nothing where the start leads nowhere, which is the one thing to mend, or where a jump computes its target.
 */
function* unreachableGroups(flow: Flow): Generator<Issue> {
  const start = flow.isLegacy ? findStartBlock(flow.groups)?.group : targetOf(flow, flow.events[0])
  if (start === undefined || (!flow.isLegacy && !isStartEvent(flow.events[0]))) return

  const reached = new Set<JsonRecord>()
  const pending: JsonRecord[] = []
  const reach = (group: JsonRecord | undefined) => {
    if (group === undefined || reached.has(group)) return
    reached.add(group)
    pending.push(group)
  }
  reach(start)
  if (!flow.isLegacy) for (const event of flow.events) reach(targetOf(flow, event))

  for (let group = pending.pop(); group !== undefined; group = pending.pop()) {
    const blocks = blocksOf(group)
    for (const [index, block] of blocks.entries()) {
      const named = jumpTarget(block)
      if (named !== undefined && hasPlaceholder(named)) return
      if (named !== undefined) reach(flow.groupsById.get(named))
      if (index === blocks.length - 1 || !isPassedThrough(block)) reach(targetOf(flow, block))
      for (const item of itemsOf(block)) {
        reach(targetOf(flow, item))
        for (const path of pathsOf(item)) reach(targetOf(flow, path))
      }
    }
  }
  for (const [index, group] of flow.groups.entries()) {
    if (!isRecord(group) || reached.has(group)) continue
    const name = typeof group.title === 'string' && group.title !== '' ? group.title : idOf(group)
    const message = `No path leads from the start to the group ${quote(name ?? '')}.`
    yield issue(['groups', index], 'unreachable_group', message)
  }
}

/** The group that the edge of an event, block, item or path leads to. */
function targetOf(flow: Flow, source: unknown): JsonRecord | undefined {
  const edge = flow.edgesById.get(outgoingEdgeId(source) ?? '')
  const to = isRecord(edge?.to) ? edge.to : {}
  return isReference(to.groupId) ? flow.groupsById.get(to.groupId) : undefined
}

const BUBBLES = new Set<unknown>(['start', 'text', 'image', 'video', 'embed', 'audio'])

/** Bubbles and start blocks leave their group only as its last block; other blocks leave it anywhere. */
function isPassedThrough(block: unknown): boolean {
  return isRecord(block) && BUBBLES.has(block.type)
}

function isStartEvent(event: unknown): boolean {
  return isRecord(event) && event.type === 'start'
}

function outgoingEdgeId(source: unknown): string | undefined {
  return isRecord(source) && isReference(source.outgoingEdgeId) ? source.outgoingEdgeId : undefined
}

function hasEdge(source: unknown): boolean {
  return outgoingEdgeId(source) !== undefined
}

function itemsOf(block: unknown): readonly unknown[] {
  return isRecord(block) ? listOf(block.items) : []
}

function pathsOf(item: unknown): readonly unknown[] {
  return isRecord(item) ? listOf(item.paths) : []
}

/** Whether a text is only known while the bot runs. */
function hasPlaceholder(text: string): boolean {
  return text.includes('{{')
}

/** Editors store an empty text where nothing is chosen. */
function isReference(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function idOf(value: unknown): string | undefined {
  return isRecord(value) && typeof value.id === 'string' ? value.id : undefined
}

function addId(ids: Set<string>, value: unknown): void {
  const id = idOf(value)
  if (id !== undefined) ids.add(id)
}

/** Of two with the same id the first counts, as it does for the runtime. */
function addOnce(byId: Map<string, JsonRecord>, value: unknown): void {
  const id = idOf(value)
  if (id !== undefined && isRecord(value) && !byId.has(id)) byId.set(id, value)
}

function obtain<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const present = map.get(key)
  if (present !== undefined) return present
  const created = create()
  map.set(key, created)
  return created
}

function issue(path: Path, code: string, message: string): Issue {
  return { path: path.map(String), code, message }
}

/** Ids and titles in a message are in quotes, and long ones are cut. */
function quote(text: string): string {
  const characters = [...text]
  return JSON.stringify(characters.length > 80 ? `${characters.slice(0, 80).join('')}…` : text)
}
