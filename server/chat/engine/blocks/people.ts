/** Blocks that hand a chat to members, and that wait for a time. */

import { MAX_TIMER_SECONDS } from '../../../../contract/bot-document/limits.ts'
import { asString } from '../../../json/access.ts'
import { sendPlainText } from '../bubbles.ts'
import { instantOf, isOpen, zoneOf } from '../calendar.ts'
import {
  type BlockOutcome,
  type Execution,
  followBlockEdge,
  isPreview,
  log,
  sendAwaitedAction,
  takeEdge,
} from '../execution.ts'
import type { Block } from '../flow-index.ts'
import { inputForPeople } from '../inputs/for-people.ts'
import type { Position } from '../types.ts'
import { fill } from '../variables.ts'
import { MAX_WAIT_SECONDS } from './client-actions.ts'

/** Hands the chat to the members of the workspace. Previews have none. */
export async function runHandoff(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const { message, officeHours, timeoutSeconds } = block.options
  if (isPreview(run)) {
    log(run, 'info', 'handoff: not run in previews', { context: block.id })
    return followBlockEdge(run, block)
  }
  if (!isOpen(officeHours, run.effects.now())) {
    log(run, 'info', 'handoff: outside of office hours', { context: block.id, isInternal: true })
    return leaveHandoff(run, block, 'closed')
  }
  const words = await fill(run, asString(message) ?? '')
  if (words.trim() !== '') sendPlainText(run, words)
  const seconds = Number(timeoutSeconds)
  if (seconds > 0) setTimer(run, 'handoff', { afterMs: Math.min(seconds, MAX_TIMER_SECONDS) * 1_000 })
  run.input = inputForPeople(run.effects.uploads?.maximumSize)
  run.isHandedOff = true
  run.waiting = position
  run.waitKind = 'member'
  return { kind: 'wait' }
}

/** Leaves by a way out; behind the block where that leads nowhere. */
export function leaveHandoff(run: Execution, block: Block, path: 'unanswered' | 'closed'): BlockOutcome {
  const item = block.items.find((each) => each.path === path)
  const target = takeEdge(run, item?.outgoingEdgeId)
  return target === null ? followBlockEdge(run, block) : { kind: 'go', ...target }
}

/** Waits by a timer of the service. The client waits too, and then polls until the timer has fired. */
export async function runWaitUntil(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const fail = (description: string, details: string) => {
    log(run, 'error', `wait until: ${description}`, { details, context: block.id })
  }
  const { until, secondsToWaitFor, timeZone } = block.options
  const now = run.effects.now()
  const maxMs = MAX_TIMER_SECONDS * 1_000
  const time = (await fill(run, asString(until) ?? '')).trim()
  let waitMs = 0
  if (time !== '') {
    const zone = zoneOf(timeZone)
    if (zone === undefined) fail('the time zone is unknown, UTC counts', String(timeZone))
    const at = instantOf(time, zone ?? 'UTC', now)
    if (at === undefined) fail('this is no time', time)
    waitMs = at === undefined ? 0 : at.getTime() - now.getTime()
  } else {
    const filled = (await fill(run, asString(secondsToWaitFor) ?? '')).trim()
    const seconds = Number.parseFloat(filled.replace(',', '.'))
    if (!Number.isNaN(seconds)) waitMs = seconds * 1_000
  }
  if (!(waitMs > 0)) return followBlockEdge(run, block)
  if (waitMs > maxMs) fail('cut to 29 days', time)
  setTimer(
    run,
    'wait',
    time === '' || waitMs > maxMs
      ? { afterMs: Math.min(waitMs, maxMs) }
      : { at: new Date(now.getTime() + waitMs).toISOString() },
  )
  const secondsOfClient = Math.min(Math.ceil(waitMs / 1_000), MAX_WAIT_SECONDS)
  return sendAwaitedAction(run, { type: 'wait', wait: { secondsToWaitFor: secondsOfClient } }, position)
}

/** Sets the timer of the chat, which has one at most, since it waits at one place. */
function setTimer(run: Execution, kind: 'handoff' | 'wait', due: { afterMs: number } | { at: string }): void {
  run.timer = { id: run.effects.newId(), kind, ...due }
}
