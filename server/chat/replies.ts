/** What a message from the client does, depending on the block that waits for it. */
import { tell } from './bubbles.ts'
import { type Block, type FlowEvent, followEdge, isInput, searchBlock } from './flow.ts'
import { acceptClientReply } from './http-request.ts'
import { acceptReply, askAgain, readReply, textOfMessage } from './inputs/index.ts'
import { findEvent, isInEvent, remember } from './logic.ts'
import { record, text } from './loose.ts'
import { currentFrame, leave, log, type Next, next, type Run, waitingBlock } from './run.ts'
import { acceptClientValue } from './set-variable.ts'
import type { Message, Position } from './types.ts'
import { saveReply, setVariable } from './variables.ts'

/** Hands the message to the waiting block. The outcome is relative to that block. */
export async function replyToWaiting(run: Run, message: Message | null): Promise<Next> {
  const block = waitingBlock(run)
  const position = run.waiting
  run.waiting = null
  run.waitsFor = null
  run.input = undefined
  if (block === null || position === null) {
    log(run, 'error', 'The block that waited for this reply no longer exists')
    return { kind: 'end' }
  }
  if (isInput(block)) {
    const branch = takeEvent(run, block, message, 'reply')
    if (branch === null) return answerInput(run, block, position, message)
    remember(run, { kind: 'answer', isAutomatic: true, position, message })
    return branch
  }
  const reply = message === null ? null : textOfMessage(message)
  switch (block.type) {
    case 'embed': {
      const { saveDataInVariableId } = record(block.content.waitForEvent)
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
    default:
      return leave(run, block)
  }
}

/** Reads the reply, stores it and goes on, or asks again. */
export async function answerInput(
  run: Run,
  block: Block,
  position: Position,
  message: Message | null,
): Promise<Next> {
  const reading = await readReply(run, block, message)
  if (reading.kind !== 'invalid') return acceptReply(run, block, message, reading)
  const words = textOfMessage(message)
  if (words !== '') tell(run, { role: 'user', type: 'text', text: words })
  const branch = takeEvent(run, block, message, 'invalidReply')
  if (branch === null) return askAgain(run, block, position)
  remember(run, { kind: 'again', isAutomatic: true, position })
  return branch
}

/** Tells the event about the reply. `null` when there is none, or when it leads nowhere. Events do not nest. */
function takeEvent(
  run: Run,
  block: Block,
  message: Message | null,
  type: 'reply' | 'invalidReply',
): Next | null {
  const { flow } = currentFrame(run)
  const event = isInEvent(currentFrame(run)) ? undefined : findEvent(run, type)
  if (event === undefined) return null
  describeReply(run, event, block, message)
  const place = followEdge(flow, event.outgoingEdgeId)
  return place === null ? null : { kind: 'go', ...place }
}

function describeReply(run: Run, event: FlowEvent, block: Block, message: Message | null): void {
  const { flow } = currentFrame(run)
  const variable = flow.variables.get(text(block.options.variableId) ?? '')
  const { contentVariableId, inputNameVariableId, inputTypeVariableId } = event.options
  setVariable(run, contentVariableId, textOfMessage(message))
  setVariable(run, inputNameVariableId, variable?.name ?? searchBlock(flow, block.id)?.group.title ?? '')
  setVariable(run, inputTypeVariableId, block.type)
}
