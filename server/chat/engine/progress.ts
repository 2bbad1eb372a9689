/** Progress of a visitor: answers given, divided by these plus the inputs that may still come. */
import { bubbleTypes } from '../../../contract/bot-document/catalogue.ts'
import { asObjects, asString } from '../../json/access.ts'
import type { Execution } from './execution.ts'
import {
  type Block,
  type FlowIndex,
  followEdge,
  type Group,
  isInput,
  resolvePosition,
  type Target,
} from './flow-index.ts'

/** 0 to 100. */
export function progressOf(run: Execution): number {
  if (run.waitKind === null) return 100
  const answered = run.frames.reduce((sum, frame) => sum + (frame.isMerged ? 0 : frame.answerCount), 0)
  let ahead = 0
  run.frames.forEach((frame, level) => {
    const above = run.frames[level + 1]
    const position = above === undefined ? run.waiting : above.linkPosition
    const target = position === null ? null : resolvePosition(frame.flowIndex, position)
    if (target === null) return
    ahead += inputsAhead(
      frame.flowIndex,
      above === undefined ? target : { ...target, index: target.index + 1 },
    )
  })
  return answered === 0 ? 0 : Math.round((answered / (answered + ahead)) * 100)
}

/** A position of a flow, with the inputs ahead of it. There is one object for each position. */
interface Spot {
  /** Inputs of its group from here on. */
  inputs: number
  /** The ways out of the group, the last one first; each spot of the group has the first `count` of them. */
  exits: Exit[]
  count: number
  /** The most inputs on a way from here on, once that is known. */
  ahead: number | undefined
}

interface Exit {
  to: Spot
  /** Inputs of the group that come behind this way out. */
  inputsBehind: number
}

const known = new WeakMap<FlowIndex, Map<Group, Spot[]>>()

/**
 * The most inputs on a way from this place on. Where ways lead back, the way back counts nothing, which makes it an
 * estimate there. Without recursion, since flows can be thousands of groups long, and once for each place of a flow.
 */
function inputsAhead(flow: FlowIndex, from: Target): number {
  const start = spotAt(spotsOf(flow), from)
  const opened = new Set<Spot>()
  const open: { spot: Spot; next: number }[] = []
  const enter = (spot: Spot | undefined) => {
    if (spot === undefined || spot.ahead !== undefined || opened.has(spot)) return
    opened.add(spot)
    open.push({ spot, next: 0 })
  }
  enter(start)
  for (let place = open.at(-1); place !== undefined; place = open.at(-1)) {
    const { spot } = place
    const exit = place.next < spot.count ? spot.exits[place.next] : undefined
    place.next += 1
    if (exit === undefined) {
      open.pop()
      spot.ahead = mostAhead(spot)
    } else enter(exit.to)
  }
  return start?.ahead ?? 0
}

function mostAhead({ inputs, exits, count }: Spot): number {
  let most = inputs
  for (let index = 0; index < count; index += 1) {
    const exit = exits[index]
    if (exit !== undefined) most = Math.max(most, inputs - exit.inputsBehind + (exit.to.ahead ?? 0))
  }
  return most
}

/** The spots of each group: its blocks, and the place behind the last one. */
function spotsOf(flow: FlowIndex): Map<Group, Spot[]> {
  const before = known.get(flow)
  if (before !== undefined) return before
  const spots = new Map<Group, Spot[]>()
  for (const group of flow.groups.values()) {
    const exits: Exit[] = []
    const spotOf = (): Spot => ({ inputs: 0, exits, count: 0, ahead: undefined })
    spots.set(group, Array.from({ length: group.blocks.length + 1 }, spotOf))
  }
  for (const [group, ofGroup] of spots) findExits(flow, spots, group, ofGroup)
  known.set(flow, spots)
  return spots
}

/** Reads the group once, backwards. Of several ways to the same place the last one has the most inputs before it. */
function findExits(flow: FlowIndex, spots: Map<Group, Spot[]>, { blocks }: Group, ofGroup: Spot[]): void {
  const seen = new Set<Spot>()
  let inputs = 0
  const add = ({ exits }: Spot, target: Target | null) => {
    const to = target === null ? undefined : spotAt(spots, target)
    if (to === undefined || seen.has(to)) return
    seen.add(to)
    exits.push({ to, inputsBehind: inputs })
  }
  for (const [index, spot] of [...ofGroup.entries()].reverse()) {
    const block = blocks[index]
    if (block === undefined) add(spot, followEdge(flow, blocks.at(-1)?.outgoingEdgeId))
    else {
      if (block.type === 'Jump' || block.type === 'Bot link') {
        add(spot, resolvePosition(flow, { groupId: asString(block.options.groupId) ?? '' }))
      }
      for (const edgeId of edgesOf(block).reverse()) add(spot, followEdge(flow, edgeId))
      if (isInput(block)) inputs += 1
    }
    spot.inputs = inputs
    spot.count = spot.exits.length
  }
}

/** A place may be one past the end of an empty group too, which has one spot. */
function spotAt(spots: Map<Group, Spot[]>, { group, index }: Target): Spot | undefined {
  const ofGroup = spots.get(group)
  return ofGroup?.[index] ?? ofGroup?.at(-1)
}

function edgesOf(block: Block): unknown[] {
  const ofItems = block.items.flatMap((item) => [
    item.outgoingEdgeId,
    ...asObjects(item.paths).map((path) => path.outgoingEdgeId),
  ])
  return bubbleTypes.has(block.type)
    ? []
    : [block.outgoingEdgeId, ...ofItems].filter((id) => id !== undefined)
}
