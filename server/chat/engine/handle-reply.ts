/** Handles a message of the client, depending on the block that waits for it. */

import type { InputType } from '../../../contract/bot-document/catalogue.ts'
import { asObject } from '../../json/access.ts'
import { appendToTranscript } from './blocks/bubbles.ts'
import { acceptClientReply } from './blocks/http-request.ts'
import { findEvent, remember } from './blocks/logic.ts'
import { leaveHandoff } from './blocks/people.ts'
import { acceptClientValue } from './blocks/set-variable.ts'
import { acceptBooking } from './blocks/vendors/cal-com.ts'
import {
  currentFrame,
  type Execution,
  leave,
  log,
  type Next,
  next,
  takeEdge,
  waitingBlock,
} from './execution.ts'
import { type Block, byType, type FlowEvent, followEdge, isInput, searchBlock } from './flow-index.ts'
import { takeIdle } from './idle.ts'
import { acceptReply, askAgain, readReply, textOfMessage } from './inputs/index.ts'
import type { Message, Position } from './types.ts'
import { saveReply, setVariable } from './variables.ts'

/** Hands the message to the waiting block. The outcome is relative to that block. */
export async function replyToWaiting(run: Execution, message: Message | null): Promise<Next> {
  const block = waitingBlock(run)
  const position = run.waiting
  run.waiting = null
  run.waitsFor = null
  run.input = undefined
  if (block === null || position === null) {
    log(run, 'error', 'The block that waited for this reply no longer exists')
    return { kind: 'end' }
  }
  if (typeof message === 'object' && message?.type === 'timer') {
    if (isInput(block)) return takeIdle(run, block, position)
    return block.type === 'handoff' ? leaveHandoff(run, block, 'unanswered') : leave(run, block)
  }
  if (isInput(block)) {
    const branch = takeEvent(run, block, message, 'reply')
    if (branch === null) return answerInput(run, block, position, message)
    // Drops the positions that an earlier branch of the event has left for good.
    const frame = currentFrame(run)
    frame.returns = frame.returns.filter(({ kind }) => kind !== 'answer')
    remember(run, { kind: 'answer', isAutomatic: false, position, message })
    return branch
  }
  const reply = message === null ? null : textOfMessage(message)
  switch (block.type) {
    case 'embed': {
      const { saveDataInVariableId } = asObject(block.content.waitForEvent)
      if (reply !== null) saveReply(run, saveDataInVariableId, reply)
      return next
    }
    case 'Set variable':
      return acceptClientValue(run, block, reply)
    case 'Webhook':
    case 'Zapier':
    case 'Make.com':
    case 'Pabbly':
    case 'webhook':
      return acceptClientReply(run, block, reply)
    case 'cal-com':
      return acceptBooking(run, block, reply)
    default:
      return leave(run, block)
  }
}

/** Reads the reply. Stores it and goes on, or shows the input again if the reply is invalid. */
export async function answerInput(
  run: Execution,
  block: Block,
  position: Position,
  message: Message | null,
): Promise<Next> {
  const reading = await readReply(run, block, message)
  if (reading.kind !== 'invalid') return acceptReply(run, block, message, reading)
  const words = textOfMessage(message)
  if (words !== '') {
    appendToTranscript(run, { role: 'user', type: 'text', text: words })
    run.said.push({ role: 'user', text: words })
  }
  const branch = takeEvent(run, block, message, 'invalidReply')
  if (branch === null) return askAgain(run, block, position, reading.retryMessage)
  remember(run, { kind: 'again', isAutomatic: false, position })
  return branch
}

/**
 * Takes the branch of an event for the reply; `null` without such an event or its target. The chat ends with the
 * branch unless a `Return` block comes back. Inputs of the branch itself do not trigger it: it would loop for ever.
 */
function takeEvent(
  run: Execution,
  block: Block,
  message: Message | null,
  type: 'reply' | 'invalidReply',
): Next | null {
  const { flow } = currentFrame(run)
  const event = findEvent(run, type)
  if (event === undefined) return null
  if (followEdge(flow, event.outgoingEdgeId)?.group.blocks.includes(block)) return null
  const place = takeEdge(run, event.outgoingEdgeId)
  describeReply(run, event, block, message)
  return place === null ? null : { kind: 'go', ...place }
}

/** Names of inputs for conditions of flows that compare the type of an input. */
const inputNames = byType<InputType, string>({
  'text input': 'text',
  'number input': 'number',
  'email input': 'email',
  'url input': 'url',
  'date input': 'date',
  'time input': 'time',
  'phone number input': 'phone',
  'choice input': 'buttons',
  'picture choice input': 'picture choice',
  'payment input': 'payment',
  'rating input': 'rating',
  'file input': 'file',
  cards: 'cards',
})

function describeReply(run: Execution, event: FlowEvent, block: Block, message: Message | null): void {
  const { flow } = currentFrame(run)
  const { contentVariableId, inputNameVariableId, inputTypeVariableId } = event.options
  setVariable(run, contentVariableId, textOfMessage(message))
  setVariable(run, inputNameVariableId, searchBlock(flow, block.id)?.group.title ?? '')
  setVariable(run, inputTypeVariableId, inputNames.get(block.type))
}
