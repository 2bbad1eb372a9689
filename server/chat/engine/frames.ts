/* Frames of an execution: one for the bot, one more for each bot that it links. */
import { trackResult } from './blocks/bot-link.ts'
import { type Execution, type LiveFrame, waitFor } from './execution.ts'
import { indexFlow } from './flow-index.ts'
import type { Flow, Frame, StartOptions } from './types.ts'
import { setVariable, sizeOf } from './variables.ts'

export function firstFrame(flow: Flow, options: Pick<StartOptions, 'resultId'>): LiveFrame {
  return {
    botId: flow.id,
    flowId: null,
    flow: indexFlow(flow),
    values: new Map(),
    size: 0,
    returns: [],
    resultId: options.resultId,
    answerCount: 0,
    isMerged: false,
    linkPosition: null,
    merged: [],
  }
}

/** Sets the values remembered from an earlier visit first, then those that the page passes in. */
export function giveValues(run: Execution, frame: LiveFrame, options: StartOptions): void {
  const { variables, variablesByName } = frame.flow
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

/** Returns `false` if a linked bot was deleted; the session is then cut back to the bot that linked it. */
export async function loadFrames(run: Execution, flow: Flow, stored: Frame[]): Promise<boolean> {
  for (const { values, publicationId: flowId, ...frame } of stored) {
    const own = flowId === null ? flow : await waitFor(run, run.effects.loadFlow(flowId))
    const size = values.reduce((sum, [, value]) => sum + sizeOf(value), 0)
    const live = {
      flowId,
      flow: indexFlow(own ?? { id: frame.botId }),
      values: new Map(values),
      size,
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
