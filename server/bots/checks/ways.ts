import { byType, isInput } from '../../chat/engine/flow-index.ts'
import { blocksOf, isRecord, type JsonRecord } from '../../documents/conversion/document.ts'
import {
  type Flow,
  hasPlaceholder,
  isReference,
  itemsOf,
  type OwnBlockType,
  outgoingEdgeId,
  passedTypes,
} from './flow.ts'

/** A block at which a chat may come into a group. There is one object for each. */
export interface Entry {
  group: JsonRecord
  way: Way
}

/** The way of a chat from an entry until it waits or leaves the group. */
export interface Way {
  /**
   * Entries it may leave to, the last exit first; empty if it waits or ends. The ways of the blocks before it go on as
   * this one does and then add their own. So they share this set, and each has the first `count` of it.
   */
  exits: Set<Entry>
  count: number
  /** True if it always leaves to the same entry. */
  isCertain: boolean
  /** True if a change on the way can make a condition decide otherwise the next time. */
  isChanging: boolean
}

/**
 * Returns the target of an edge or a jump; undefined if there is no such group. An unknown block means the first one.
 */
export type FindEntry = (groupId: unknown, blockId: unknown) => Entry | undefined

/** Every way of a flow. Those of a group are read from its last block backwards, so that each block is read once. */
export function* readWays(flow: Flow): Generator<undefined, FindEntry> {
  const entries = new Map<string, Entry[]>()
  for (const [id, group] of flow.groupsById) {
    const count = Math.max(blocksOf(group).length, 1)
    entries.set(
      id,
      Array.from({ length: count }, () => ({ group, way: endingAt(undefined) })),
    )
  }
  const find: FindEntry = (groupId, blockId) => {
    if (!isReference(groupId)) return undefined
    const index = isReference(blockId) ? flow.blockIndexesByGroup.get(groupId)?.get(blockId) : 0
    return entries.get(groupId)?.[index ?? 0]
  }
  for (const [id, group] of flow.groupsById) {
    yield
    const blocks = blocksOf(group)
    let way = wayBehind(flow, find, blocks.at(-1))
    for (let index = blocks.length - 1; index >= 0; index -= 1) {
      way = wayFrom(flow, find, blocks[index], way)
      const entry = entries.get(id)?.[index]
      if (entry !== undefined) entry.way = way
    }
  }
  return find
}

/**
 * The exits of a way, the last one first. Each entry of a group iterates over them, so the maximum number of blocks
 * of a group bounds the iterations.
 */
export function* exitsOf({ exits, count }: Way): Generator<Entry, undefined> {
  let left = count
  for (const exit of exits) {
    if (left === 0) return
    left -= 1
    yield exit
  }
}

function endingAt(exit: Entry | undefined): Way {
  const exits = new Set(exit === undefined ? [] : [exit])
  return { exits, count: exits.size, isCertain: true, isChanging: false }
}

/**
 * The known way of a chat `stops` at a block where the chat waits, ends, is somewhere else or leaves it to chance.
 * Other blocks change the values of conditions, as those of vendors do, or keep them.
 */
const actsOnWay = byType<OwnBlockType, 'stops' | 'changes' | 'keeps'>({
  'Set variable': 'changes',
  Condition: 'keeps',
  'AB test': 'stops',
  // The way goes on at its target.
  Jump: 'keeps',
  Return: 'stops',
  'Bot link': 'stops',
  Redirect: 'stops',
  Wait: 'keeps',
  Code: 'changes',
  handoff: 'stops',
  'wait until': 'stops',
  webhook: 'stops',
  Webhook: 'changes',
  Zapier: 'changes',
  'Make.com': 'changes',
  Pabbly: 'changes',
  Email: 'keeps',
  'Google Sheets': 'changes',
  Chatwoot: 'keeps',
  'Google Analytics': 'keeps',
  Pixel: 'keeps',
  OpenAI: 'changes',
})

/** The end of a group, where a bubble leaves by its edge. */
function wayBehind(flow: Flow, find: FindEntry, last: unknown): Way {
  const isBubble = isRecord(last) && passedTypes.has(String(last.type))
  return endingAt(isBubble ? targetOf(find, edgeOf(flow, last)) : undefined)
}

/** The way from a block, computed from the way of the next block. */
function wayFrom(flow: Flow, find: FindEntry, block: unknown, next: Way): Way {
  if (!isRecord(block) || typeof block.type !== 'string') return next
  const { type } = block
  const options = isRecord(block.options) ? block.options : {}
  const act = actsOnWay.get(type) ?? 'changes'
  if (isInput({ type }) || act === 'stops' || waitsForClient(block, options)) return endingAt(undefined)
  if (passedTypes.has(type)) return next
  if (type === 'Jump') {
    const isComputed = typeof options.groupId === 'string' && hasPlaceholder(options.groupId)
    return endingAt(isComputed ? undefined : find(options.groupId, options.blockId))
  }
  const edge = edgeOf(flow, block)
  const way = { ...(edge === undefined ? next : endingAt(targetOf(find, edge))) }
  if (act === 'changes') way.isChanging = true
  if (type === 'Condition') {
    way.isCertain = false
    for (const item of [...itemsOf(block)].reverse()) {
      const exit = targetOf(find, edgeOf(flow, item))
      if (exit !== undefined) way.exits.add(exit)
    }
    way.count = way.exits.size
  }
  return way
}

function edgeOf(flow: Flow, source: unknown): JsonRecord | undefined {
  return flow.edgesById.get(outgoingEdgeId(source) ?? '')
}

function targetOf(find: FindEntry, edge: JsonRecord | undefined): Entry | undefined {
  return isRecord(edge?.to) ? find(edge.to.groupId, edge.to.blockId) : undefined
}

function waitsForClient(block: JsonRecord, options: JsonRecord): boolean {
  const { waitForEvent } = isRecord(block.content) ? block.content : {}
  const isAwaited = block.type !== 'Code' && options.isExecutedOnClient === true
  return isAwaited || (isRecord(waitForEvent) && waitForEvent.isEnabled === true)
}
