/** How far a visitor has come: answers given, over those plus the inputs that may still come. */
import { blockCatalogue } from '../../contract/bot-document/catalogue.ts'
import { type Block, type FlowIndex, findPlace, followEdge, isInput, type Place } from './flow.ts'
import { records, text } from './loose.ts'
import type { Run } from './run.ts'

/** Bubbles have no ways of their own: what they say is all they do. */
const bubbleTypes = new Set(
  blockCatalogue.filter(({ family }) => family === 'bubble').map(({ type }) => type),
)

/** 0 to 100. */
export function progressOf(run: Run): number {
  if (run.waitsFor === null) return 100
  const answered = run.frames.reduce((sum, frame) => sum + (frame.isMerged ? 0 : frame.answerCount), 0)
  let ahead = 0
  run.frames.forEach((frame, level) => {
    const above = run.frames[level + 1]
    const position = above === undefined ? run.waiting : above.linkPosition
    const place = position === null ? null : findPlace(frame.flow, position)
    if (place === null) return
    ahead += inputsAhead(frame.flow, above === undefined ? place : { ...place, index: place.index + 1 })
  })
  return answered === 0 ? 0 : Math.round((answered / (answered + ahead)) * 100)
}

/**
 * The most inputs on a way from this place on. Where ways lead back, the way back counts nothing, which makes it an
 * estimate there. Without recursion, since flows can be thousands of groups long, and once for each place of a flow.
 */
function inputsAhead(flow: FlowIndex, from: Place): number {
  flow.inputsAhead ??= new Map()
  const counts = flow.inputsAhead
  const opened = new Set<string>()
  const open = [from]
  for (let place = open.at(-1); place !== undefined; place = open.at(-1)) {
    const key = keyOf(place)
    if (!counts.has(key) && !opened.has(key)) {
      opened.add(key)
      for (const exit of exitsOf(flow, place)) {
        const target = exit.place === null ? null : keyOf(exit.place)
        if (target !== null && !counts.has(target) && !opened.has(target) && exit.place) open.push(exit.place)
      }
      continue
    }
    open.pop()
    if (counts.has(key)) continue
    const exits = exitsOf(flow, place)
    counts.set(
      key,
      Math.max(...exits.map((exit) => exit.inputs + (exit.place ? (counts.get(keyOf(exit.place)) ?? 0) : 0))),
    )
  }
  return counts.get(keyOf(from)) ?? 0
}

/** Every way out of the rest of the group, with the inputs before it. The last one is its end. */
function exitsOf(flow: FlowIndex, place: Place): { inputs: number; place: Place | null }[] {
  const exits: { inputs: number; place: Place | null }[] = []
  let inputs = 0
  for (const block of place.group.blocks.slice(place.index)) {
    if (isInput(block)) inputs += 1
    for (const edgeId of edgesOf(block)) exits.push({ inputs, place: followEdge(flow, edgeId) })
    if (block.type === 'Jump' || block.type === 'Bot link') {
      const target = findPlace(flow, { groupId: text(block.options.groupId) ?? '' })
      if (target !== null) exits.push({ inputs, place: target })
    }
  }
  exits.push({ inputs, place: followEdge(flow, place.group.blocks.at(-1)?.outgoingEdgeId) })
  return exits
}

function edgesOf(block: Block): unknown[] {
  const ofItems = block.items.flatMap((item) => [
    item.outgoingEdgeId,
    ...records(item.paths).map((path) => path.outgoingEdgeId),
  ])
  return bubbleTypes.has(block.type)
    ? []
    : [block.outgoingEdgeId, ...ofItems].filter((id) => id !== undefined)
}

function keyOf(place: Place): string {
  return `${place.index}:${place.group.id}`
}
