import { isDeepStrictEqual } from 'node:util'
import { type FlowChange, MAX_CHANGES } from '../../contract/comparison.ts'
import { MAX_PAGE_BYTES } from '../db/page.ts'
import { type FlowDocument, isRecord, type JsonRecord, listOf } from '../documents/conversion/document.ts'
import { asProperty, JsonText } from '../kit/json/json-text.ts'
import { withinBounds } from './checks/flow.ts'

/* Differences between two flows, part by part. */

type Kind = FlowChange['kind']

/** A part of a flow that can be added, removed, moved and changed by itself. */
interface Part {
  kind: Kind
  id: string | null
  /** The part it is in; null at the top level of the flow. */
  parent: Part | null
  /** Its own properties, without the parts in it. */
  own: JsonRecord
  /** All of it. */
  value: JsonRecord
  /** The parts in it, in order. */
  children: Part[]
  key: string
}

interface Comparison {
  changes: FlowChange[]
  /** Bytes of the values in `changes`. */
  size: number
  isComplete: boolean
}

/** Compares two flows of one version. */
export function compareFlows(
  from: FlowDocument,
  to: FlowDocument,
): { changes: FlowChange[]; isComplete: boolean } {
  const before = partsOf(from)
  const after = partsOf(to)
  const comparison: Comparison = { changes: [], size: 0, isComplete: true }
  const moved = findReordered(before, after)
  for (const part of after.values()) {
    const earlier = before.get(part.key)
    if (!earlier) {
      // The entry of the whole part has it.
      if (part.parent && !before.has(part.parent.key)) continue
      add(comparison, part, 'added', [], `${nameOf(part)} was added`, { after: part.value })
      continue
    }
    comparePlace(comparison, earlier, part, moved)
    compareValues(comparison, earlier, part, [], earlier.own, part.own)
  }
  for (const part of before.values()) {
    if (after.has(part.key) || (part.parent && !after.has(part.parent.key))) continue
    add(comparison, part, 'removed', [], `${nameOf(part)} was removed`, { before: part.value })
  }
  return { changes: comparison.changes, isComplete: comparison.isComplete }
}

/** Every part of a flow by its kind and id; the second of two with one id has a key of its own. */
function partsOf(document: FlowDocument): Map<string, Part> {
  const parts = new Map<string, Part>()
  const counts = new Map<string, number>()
  const addPart = (kind: Kind, value: unknown, parent: Part | null, childName?: string): Part | undefined => {
    if (!isRecord(value)) return undefined
    const id = typeof value.id === 'string' ? value.id : null
    const nth = (counts.get(`${kind} ${id}`) ?? 0) + 1
    counts.set(`${kind} ${id}`, nth)
    const key = `${kind} ${nth} ${id}`
    const own = { ...value }
    if (childName !== undefined) delete own[childName]
    const part: Part = { kind, id, parent, own, value, children: [], key }
    parts.set(key, part)
    parent?.children.push(part)
    return part
  }
  for (const group of listOf(document.groups)) {
    const groupPart = addPart('group', group, null, 'blocks')
    if (!groupPart) continue
    for (const block of listOf(groupPart.value.blocks)) {
      const blockPart = addPart('block', block, groupPart, 'items')
      if (!blockPart) continue
      for (const item of listOf(blockPart.value.items)) addPart('item', item, blockPart)
    }
  }
  for (const edge of listOf(document.edges)) addPart('edge', edge, null)
  for (const variable of listOf(document.variables)) addPart('variable', variable, null)
  for (const event of listOf(document.events)) addPart('event', event, null)
  for (const kind of ['theme', 'settings'] as const) {
    const value = document[kind]
    const own = isRecord(value) ? value : {}
    parts.set(kind, { kind, id: null, parent: null, own, value: own, children: [], key: kind })
  }
  return parts
}

/** Keys of parts whose order among the others of their parent changed: the fewest that explain the change. */
function findReordered(before: Map<string, Part>, after: Map<string, Part>): Set<string> {
  const moved = new Set<string>()
  for (const parent of after.values()) {
    const earlier = before.get(parent.key)
    if (!earlier || parent.children.length < 2) continue
    const places = new Map(earlier.children.map(({ key }, place) => [key, place]))
    const common = parent.children.filter(({ key }) => places.has(key))
    const stay = longestRise(common.map(({ key }) => places.get(key) ?? 0))
    for (const [nth, { key }] of common.entries()) if (!stay.has(nth)) moved.add(key)
  }
  return moved
}

/** Positions of a longest series of rising numbers. */
function longestRise(numbers: readonly number[]): Set<number> {
  /** For each length of a series, the position of the smallest number that ends one. */
  const ends: number[] = []
  const previous: (number | undefined)[] = []
  for (const [at, value] of numbers.entries()) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[ends[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    previous[at] = ends[low - 1]
    ends[low] = at
  }
  const positions = new Set<number>()
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) positions.add(at)
  return positions
}

function comparePlace(comparison: Comparison, earlier: Part, part: Part, moved: ReadonlySet<string>) {
  if (!part.parent || !earlier.parent) return
  const placeOf = ({ parent, key }: Part) => ({
    [parent?.kind === 'group' ? 'groupId' : 'blockId']: parent?.id,
    index: parent?.children.findIndex((child) => child.key === key),
  })
  if (earlier.parent.key !== part.parent.key) {
    const message = `${nameOf(part)} moved here from ${nameOf(earlier.parent).toLowerCase()}`
    add(comparison, part, 'moved', [], message, { before: placeOf(earlier), after: placeOf(part) })
  } else if (moved.has(part.key)) {
    const message = `${nameOf(part)} changed its place in the order`
    add(comparison, part, 'moved', [], message, { before: placeOf(earlier), after: placeOf(part) })
  }
}

/** Compares two values of a part, property by property; lists are compared as a whole. */
function compareValues(
  comparison: Comparison,
  earlier: Part,
  part: Part,
  path: readonly string[],
  before: unknown,
  after: unknown,
) {
  const isName = path.length === 1 && path[0] === (part.kind === 'group' ? 'title' : 'name')
  const isPlace = path.length === 1 && path[0] === 'graphCoordinates'
  const values = {
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
  if (isRecord(before) && isRecord(after) && !isPlace) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const propertyOf = (record: JsonRecord) => (Object.hasOwn(record, name) ? record[name] : undefined)
      compareValues(comparison, earlier, part, [...path, name], propertyOf(before), propertyOf(after))
    }
  } else if (isDeepStrictEqual(before, after)) {
    return
  } else if (isName && (part.kind === 'group' || part.kind === 'variable')) {
    add(comparison, part, 'renamed', path, `${nameOf(earlier)} is now ${JSON.stringify(after)}`, values)
  } else if (isPlace) {
    add(comparison, part, 'moved', path, `${nameOf(part)} moved on the canvas`, values)
  } else {
    const change = before === undefined ? 'was added' : after === undefined ? 'was removed' : 'changed'
    add(comparison, part, 'changed', path, `${nameOf(part)}: ${path.join('.')} ${change}`, values)
  }
}

function add(
  comparison: Comparison,
  part: Part,
  change: FlowChange['change'],
  path: readonly string[],
  message: string,
  values: { before?: unknown; after?: unknown },
) {
  if (!comparison.isComplete) return
  const texts = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)] as const)
  comparison.size += texts.reduce((size, [, text]) => size + Buffer.byteLength(text), 0)
  if (comparison.changes.length === MAX_CHANGES || comparison.size > MAX_PAGE_BYTES) {
    comparison.isComplete = false
    return
  }
  const { parent } = part
  comparison.changes.push({
    kind: part.kind,
    change,
    id: part.id,
    groupId: (part.kind === 'item' ? parent?.parent?.id : part.kind === 'block' ? parent?.id : null) ?? null,
    blockId: (part.kind === 'item' ? parent?.id : null) ?? null,
    ...withinBounds(path, message),
    ...Object.fromEntries(texts.map(([name, text]) => [name, asProperty(new JsonText(text))])),
  })
}

/** The part in words. */
function nameOf({ kind, id, own, parent }: Part): string {
  if (kind === 'theme') return 'Theme'
  if (kind === 'settings') return 'Settings'
  if (kind === 'group') return `Group ${JSON.stringify(own.title ?? id)}`
  if (kind === 'variable') return `Variable ${JSON.stringify(own.name ?? id)}`
  if (kind === 'block') {
    return `Block ${id} (${own.type}) in group ${JSON.stringify(parent?.own.title ?? parent?.id)}`
  }
  if (kind === 'item') return `Item ${id} of block ${parent?.id}`
  return `${kind === 'edge' ? 'Edge' : 'Event'} ${id}`
}
