import type { FlowFinding } from '../../../contract/publications.ts'
import { isInput } from '../../chat/flow.ts'
import { blocksOf, isRecord, type JsonRecord } from '../../conversion/document.ts'
import {
  type Flow,
  hasPlaceholder,
  idOf,
  isReference,
  issue,
  itemsOf,
  outgoingEdgeId,
  quote,
} from './flow.ts'

/** A block at which a chat comes into a group. */
interface Entry {
  group: JsonRecord
  index: number
}

/** How a chat goes on from an entry until it waits or leaves the group. */
interface Way {
  /** Where it may leave to; nothing where it waits or ends. */
  targets: Entry[]
  /** Whether it always leaves to the same place. */
  isCertain: boolean
  /** Whether something happens that can make a condition decide otherwise the next time. */
  isChanging: boolean
}

/**
 * Circles in which nobody is asked anything, so that a chat goes round until it is stopped: those that nothing leads
 * out of, and those in which nothing changes, so that conditions decide the same again. Loops that count are neither.
 */
export function* endlessLoops(flow: Flow): Generator<FlowFinding> {
  const entries = entriesOf(flow)
  const found = new Set<JsonRecord>()
  for (const isEndless of [(way: Way) => way.isCertain, (way: Way) => !way.isChanging]) {
    for (const circle of circles(flow, entries, isEndless)) {
      if (circle.some(({ group }) => found.has(group))) continue
      for (const { group } of circle) found.add(group)
      const group = circle[0]?.group ?? {}
      const title = typeof group.title === 'string' && group.title !== '' ? group.title : idOf(group)
      const message = `From the group ${quote(title ?? '')} the chat comes back to it without asking anything, until it is stopped.`
      yield issue(['groups', flow.groups.indexOf(group)], 'endless_loop', message)
    }
  }
}

/** The beginnings of all groups, and the blocks that edges lead to. */
function entriesOf(flow: Flow): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  const add = (entry: Entry | undefined) => entry && entries.set(keyOf(entry), entry)
  for (const group of flow.groups) if (isRecord(group)) add(entryAt(flow, idOf(group), undefined))
  for (const edge of flow.edges) if (isRecord(edge) && isRecord(edge.to)) add(entryOf(flow, edge.to))
  return entries
}

function keyOf({ group, index }: Entry): string {
  return `${index} ${idOf(group)}`
}

function entryOf(flow: Flow, { groupId, blockId }: JsonRecord): Entry | undefined {
  return entryAt(flow, groupId, blockId)
}

function entryAt(flow: Flow, groupId: unknown, blockId: unknown): Entry | undefined {
  const group = isReference(groupId) ? flow.groupsById.get(groupId) : undefined
  if (group === undefined) return undefined
  const index = isReference(blockId) ? blocksOf(group).findIndex((block) => idOf(block) === blockId) : 0
  return { group, index: Math.max(index, 0) }
}

/** One circle for each way back, along the ways that count. */
function* circles(
  flow: Flow,
  entries: Map<string, Entry>,
  isEndless: (way: Way) => boolean,
): Generator<Entry[]> {
  const done = new Set<string>()
  const targetsOf = (entry: Entry) => {
    const way = wayFrom(flow, entry)
    return isEndless(way) ? way.targets : []
  }
  for (const start of entries.values()) {
    if (done.has(keyOf(start))) continue
    // A list of what is being followed instead of recursion: a flow may be longer than the stack.
    const trail = [{ entry: start, pending: targetsOf(start) }]
    const onTrail = new Map([[keyOf(start), 0]])
    for (let step = trail.at(-1); step !== undefined; step = trail.at(-1)) {
      const next = step.pending.pop()
      if (next === undefined) {
        trail.pop()
        onTrail.delete(keyOf(step.entry))
        done.add(keyOf(step.entry))
        continue
      }
      const key = keyOf(next)
      const since = onTrail.get(key)
      if (since !== undefined) yield trail.slice(since).map(({ entry }) => entry)
      if (since !== undefined || done.has(key)) continue
      onTrail.set(key, trail.length)
      trail.push({ entry: next, pending: targetsOf(next) })
    }
  }
}

const bubbles = new Set(['start', 'text', 'image', 'video', 'audio', 'embed'])

/** At these a chat waits, ends, is somewhere else, or leaves it to chance. */
const stops = new Set(['AB test', 'Bot link', 'Return', 'Redirect', 'webhook'])

/** These change nothing that a condition could ask for. */
const unchanging = new Set(['Condition', 'Wait', 'Email', 'Chatwoot', 'Google Analytics', 'Pixel'])

function wayFrom(flow: Flow, { group, index }: Entry): Way {
  const way: Way = { targets: [], isCertain: true, isChanging: false }
  const leave = (source: unknown): boolean => {
    const edge = flow.edgesById.get(outgoingEdgeId(source) ?? '')
    const target = isRecord(edge?.to) ? entryOf(flow, edge.to) : undefined
    if (target !== undefined) way.targets.push(target)
    return edge !== undefined
  }
  const blocks = blocksOf(group)
  for (let at = index; at < blocks.length; at += 1) {
    const block = blocks[at]
    if (!isRecord(block) || typeof block.type !== 'string') continue
    const { type } = block
    const options = isRecord(block.options) ? block.options : {}
    if (isInput({ type }) || stops.has(type) || waitsForClient(block, options)) return way
    if (bubbles.has(type)) continue
    if (type === 'Jump') {
      if (typeof options.groupId === 'string' && hasPlaceholder(options.groupId)) return way
      const target = entryAt(flow, options.groupId, options.blockId)
      if (target !== undefined) way.targets.push(target)
      return way
    }
    if (type === 'Condition') {
      way.isCertain = false
      for (const item of itemsOf(block)) leave(item)
    }
    if (!unchanging.has(type)) way.isChanging = true
    if (leave(block)) return way
  }
  if (bubbles.has(String((blocks.at(-1) as JsonRecord | undefined)?.type))) leave(blocks.at(-1))
  return way
}

function waitsForClient(block: JsonRecord, options: JsonRecord): boolean {
  const { waitForEvent } = isRecord(block.content) ? block.content : {}
  const isAwaited = block.type !== 'Code' && options.isExecutedOnClient === true
  return isAwaited || (isRecord(waitForEvent) && waitForEvent.isEnabled === true)
}
