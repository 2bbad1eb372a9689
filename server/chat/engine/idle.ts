/** The event of a visitor who does not answer for a while. */

import { MAX_TIMER_SECONDS } from '../../../contract/bot-document/limits.ts'
import { findEvent, remember } from './blocks/logic.ts'
import { currentFrame, type Execution, log, type Next, takeEdge } from './execution.ts'
import { type Block, type FlowEvent, followEdge } from './flow-index.ts'
import { showInput } from './inputs/index.ts'
import type { Position, SessionState } from './types.ts'

const MAX_IDLE_TIMES = 20

/** The options of the event, if it has an effect. */
function optionsOf({
  options,
}: FlowEvent): { seconds: number; times: number; isEnding: boolean } | undefined {
  const seconds = Number(options.seconds)
  if (!(seconds > 0)) return undefined
  const times = typeof options.times === 'number' ? options.times : 1
  return {
    seconds: Math.min(seconds, MAX_TIMER_SECONDS),
    times: Math.min(Math.max(Math.floor(times), 0), MAX_IDLE_TIMES),
    isEnding: options.isEnding === true,
  }
}

/** The number of times that the branch has run since an input was shown. */
export function idleTimesAt({ idle }: Pick<SessionState, 'idle'>, { groupId, blockId }: Position): number {
  return idle?.groupId === groupId && idle.blockId === blockId ? idle.times : 0
}

/** Sets the timer of an input that was just shown, where the bot has such an event. */
export function setIdleTimer(run: Execution): void {
  const { waiting, waitsFor } = run
  const event = waitsFor === 'input' && waiting !== null ? findEvent(run, 'idle') : undefined
  const options = event && optionsOf(event)
  if (waiting === null || options === undefined) {
    delete run.session.idle
    return
  }
  const times = idleTimesAt(run.session, waiting)
  if (times === 0) delete run.session.idle
  if (times > options.times || (times === options.times && !options.isEnding)) return
  run.timer = { id: run.effects.newId(), kind: 'idle', afterMs: options.seconds * 1_000 }
}

/** Runs the branch once more, or ends the chat. An input of the branch itself is shown again. */
export async function takeIdle(run: Execution, block: Block, position: Position): Promise<Next> {
  const event = findEvent(run, 'idle')
  const options = event && optionsOf(event)
  if (event === undefined || options === undefined) return showInput(run, block, position)
  const times = idleTimesAt(run.session, position) + 1
  if (times > options.times) {
    log(run, 'info', 'The chat was ended: the visitor did not answer', { context: block.id })
    run.isAborted = true
    return { kind: 'end' }
  }
  run.session.idle = { ...position, times }
  const branch = followEdge(currentFrame(run).flow, event.outgoingEdgeId)
  if (branch === null || branch.group.blocks.includes(block)) return showInput(run, block, position)
  const place = takeEdge(run, event.outgoingEdgeId)
  remember(run, { kind: 'again', isAutomatic: true, position })
  return place === null ? { kind: 'end' } : { kind: 'go', ...place }
}
