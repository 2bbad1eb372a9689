import { filledText } from '../../json/access.ts'
import { findJumpTarget } from './blocks/logic.ts'
import {
  addReturnPoint,
  type BlockOutcome,
  currentFrame,
  type Execution,
  followBlockEdge,
  type LiveFrame,
  log,
  waitFor,
} from './execution.ts'
import {
  type Block,
  type FlowIndex,
  findStartEdge,
  followEdge,
  indexFlow,
  type Target,
} from './flow-index.ts'
import type { Flow, Frame, Position, ResultVariable, StartOptions, VariableValue } from './types.ts'
import { countCharacters, readVariable, setVariable } from './variables.ts'

/* Frames of an execution: one for the bot, one more for each bot that it links; and the block that links them. */

export function createFrame(
  flow: Flow,
  resultId: string | null,
  linked?: Pick<LiveFrame, 'botId' | 'flowId' | 'isMerged' | 'linkPosition'>,
): LiveFrame {
  return {
    botId: flow.id,
    flowId: null,
    flowIndex: indexFlow(flow),
    values: new Map(),
    characters: 0,
    returns: [],
    resultId,
    answerCount: 0,
    isMerged: false,
    linkPosition: null,
    merged: [],
    ...linked,
  }
}

/** Sets the values remembered from an earlier visit first, then those that the page passes in. */
export function setInitialValues(run: Execution, frame: LiveFrame, options: StartOptions): void {
  const { variables, variablesByName } = frame.flowIndex
  const remembered = options.rememberedVariables ?? []
  for (const { id, name, value } of remembered) {
    // Copies of a bot have its ids: one that is merged may have given another variable this id.
    const isOwn = variables.get(id)?.name === name
    const isRenamed = variables.has(id) && remembered.filter((other) => other.id === id).length === 1
    setVariable(run, isOwn ? id : (variablesByName.get(name)?.id ?? (isRenamed ? id : undefined)), value)
  }
  for (const [name, value] of Object.entries(options.prefilledVariables ?? {})) {
    setVariable(run, variablesByName.get(name)?.id, value)
  }
}

/** Returns `false` if a linked bot was deleted: its frame is then empty, and those above it are dropped. */
export async function loadFrames(run: Execution, flow: Flow, stored: Frame[]): Promise<boolean> {
  for (const { values, flowId, ...frame } of stored) {
    const own = flowId === null ? flow : await waitFor(run, run.effects.loadFlow(flowId))
    const size = values.reduce((sum, [, value]) => sum + countCharacters(value), 0)
    const live = {
      flowId,
      flowIndex: indexFlow(own ?? { id: frame.botId }),
      values: new Map(values),
      characters: size,
      ...frame,
    }
    run.frames.push(live)
    trackResult(run, live)
    if (own !== null) continue
    // The deleted bot has nothing left to come back to.
    live.returns = []
    return false
  }
  return true
}

/**
 * All variables that have a value, those of merged bots included; session variables only if the outcome is not
 * stored.
 */
export function collectResultVariables(run: Execution, frame: LiveFrame): ResultVariable[] {
  const own: ResultVariable[] = []
  for (const { id, name, isSessionVariable } of frame.flowIndex.variables.values()) {
    const value = readVariable(run, id, frame)
    if (value === null) continue
    if (!isSessionVariable) own.push({ id, name, value })
    else if (run.effects.showsSessionVariables) own.push({ id, name, value, isSessionVariable })
  }
  return own.concat(frame.merged)
}

/** The bot whose result a frame's answers go to: a merged bot has none of its own. */
export function resultBotOf(frames: Pick<Frame, 'botId' | 'isMerged'>[]): string | undefined {
  return frames.findLast(({ isMerged }) => !isMerged)?.botId
}

export async function runBotLink(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const botId = filledText(block.options.botId)
  if (botId === undefined) return skip(run, block, 'no bot is chosen')
  return botId === 'current' || botId === currentFrame(run).botId
    ? callGroup(run, block, position)
    : enterBot(run, block, position, botId)
}

/** The group of a link, or the start of the bot where none is chosen. */
function findLinkTarget(run: Execution, block: Block, flow: FlowIndex): Target | null {
  const groupId = filledText(block.options.groupId)
  return groupId === undefined
    ? followEdge(flow, findStartEdge(flow))
    : findJumpTarget(run, flow, groupId, undefined)
}

/** A link within the same bot: its group runs, then the flow goes on here. */
function callGroup(run: Execution, block: Block, position: Position): BlockOutcome {
  const { flowIndex } = currentFrame(run)
  const target = findLinkTarget(run, block, flowIndex)
  if (target === null) return skip(run, block, 'there is no such group')
  // With nothing behind the link there is nothing to come back to, so a bot that restarts itself stays small.
  if (hasMoreBehind(run, block, position)) addReturnPoint(run, { kind: 'after', isAutomatic: true, position })
  return { kind: 'go', ...target }
}

async function enterBot(
  run: Execution,
  block: Block,
  position: Position,
  botId: string,
): Promise<BlockOutcome> {
  if (run.frames.length > run.limits.linkedBots)
    return skip(run, block, 'too many bots are linked inside each other')
  const linked = await waitFor(run, run.effects.findLinkedFlow(botId))
  if (linked === null) return skip(run, block, 'the bot does not exist or is not published')
  const flow = indexFlow(linked.flow)
  const target = findLinkTarget(run, block, flow)
  if (target === null) return skip(run, block, 'the bot has no such group')
  const parent = currentFrame(run)
  const isMerged = block.options.mergeResults === true
  const resultId = parent.resultId === null || isMerged ? parent.resultId : run.effects.newId()
  const { flowId } = linked
  const frame = createFrame(linked.flow, resultId, { botId, flowId, isMerged, linkPosition: position })
  const inherited = collectValuesByName(run)
  run.frames.push(frame)
  for (const { id, name } of flow.variables.values()) {
    const value = inherited.get(name)
    if (value !== undefined && value !== null) setVariable(run, id, value, frame)
  }
  trackResult(run, frame, true)
  return { kind: 'go', ...target }
}

/** Ends the running bot. Returns the position of the link in its parent, where the flow goes on. */
export function leaveBot(run: Execution): Position | null {
  const ended = run.frames.pop()
  if (ended === undefined) return null
  if (ended.isMerged) mergeIntoParent(run, ended, currentFrame(run))
  else completeResult(run, ended)
  return ended.linkPosition
}

/** Brings the variables of merged bots down to the bots they are merged into, from the top on. */
export function mergeVariablesIntoParents(run: Execution): void {
  for (let level = run.frames.length - 1; level > 0; level -= 1) {
    const frame = run.frames[level]
    const parent = run.frames[level - 1]
    if (frame?.isMerged && parent !== undefined) mergeIntoParent(run, frame, parent)
  }
}

/** Adds the result of a linked bot that has its own, for its answers. */
function trackResult(run: Execution, frame: LiveFrame, isNew = false): void {
  const { resultId, flowId, botId } = frame
  if (resultId === null || flowId === null || resultId === run.state.resultId) return
  if (run.linkedResults.has(resultId)) return
  run.linkedResults.set(resultId, {
    resultId,
    botId,
    isNew,
    answers: [],
    variables: [],
    hasStarted: false,
    isCompleted: false,
  })
}

/** Updates the variables of a linked result, and if it has begun. */
export function updateResult(run: Execution, frame: LiveFrame): void {
  const result = frame.resultId === null || frame.isMerged ? undefined : run.linkedResults.get(frame.resultId)
  if (result === undefined) return
  result.variables = collectResultVariables(run, frame)
  result.hasStarted = frame.answerCount > 0
}

function completeResult(run: Execution, frame: LiveFrame): void {
  updateResult(run, frame)
  const result = frame.resultId === null ? undefined : run.linkedResults.get(frame.resultId)
  if (result !== undefined) result.isCompleted = result.hasStarted
}

/** A variable of the same name takes the value; others stay beside the variables of the parent. */
function mergeIntoParent(run: Execution, from: LiveFrame, to: LiveFrame): void {
  const byName = new Map(to.merged.map((each) => [each.name, each]))
  const carry = (each: ResultVariable, isSession: boolean): void => {
    const own = to.flowIndex.variablesByName.get(each.name)
    if (own === undefined && !isSession) byName.set(each.name, each)
    else if (own !== undefined && readVariable(run, own.id, to) !== each.value)
      setVariable(run, own.id, each.value, to)
  }
  for (const each of from.merged) carry(each, false)
  for (const { id, name, isSessionVariable } of from.flowIndex.variables.values()) {
    const value = readVariable(run, id, from)
    if (value !== null) carry({ id, name, value }, isSessionVariable)
  }
  let size = 0
  to.merged = [...byName.values()].filter((each) => {
    size += JSON.stringify(each.value).length
    return size <= run.limits.totalValueCharacters
  })
  if (to.merged.length < byName.size)
    log(run, 'error', 'Some variables of linked bots were dropped: they are too large')
}

/** Values of all running bots by name; the nearest bot counts. */
function collectValuesByName(run: Execution): Map<string, VariableValue> {
  const values = new Map<string, VariableValue>()
  for (const frame of run.frames) {
    for (const { name, value } of frame.merged) values.set(name, value)
    for (const { id, name } of frame.flowIndex.variables.values()) {
      const value = readVariable(run, id, frame)
      if (value !== null) values.set(name, value)
    }
  }
  return values
}

function hasMoreBehind(run: Execution, block: Block, position: Position): boolean {
  const { flowIndex } = currentFrame(run)
  const isLast = flowIndex.groups.get(position.groupId)?.blocks.at(-1)?.id === block.id
  return !isLast || (block.outgoingEdgeId !== undefined && flowIndex.edges.has(block.outgoingEdgeId))
}

function skip(run: Execution, block: Block, reason: string): BlockOutcome {
  log(run, 'error', `Bot link: skipped, ${reason}`, { context: block.id, isInternal: true })
  return followBlockEdge(run, block)
}
