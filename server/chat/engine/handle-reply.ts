import type { InputType } from '../../../contract/bot-document/catalogue.ts'
import { MAX_TIMER_SECONDS } from '../../../contract/bot-document/limits.ts'
import { asObject, cutText, filledText, type JsonObject, storableText, valueAt } from '../../json/access.ts'
import { acceptClientReply } from './blocks/http-request.ts'
import { leaveHandoff } from './blocks/people.ts'
import { acceptClientValue } from './blocks/set-variable.ts'
import { acceptBooking } from './blocks/vendors/cal-com.ts'
import { sendPlainText } from './bubbles.ts'
import {
  addReturnPoint,
  type BlockOutcome,
  currentFrame,
  type Execution,
  findEvent,
  findWaitingBlock,
  followBlockEdge,
  isPreview,
  log,
  nextBlock,
  spendOutput,
  takeEdge,
  waitFor,
} from './execution.ts'
import { type Block, byType, type FlowEvent, followEdge, isInput, searchBlock } from './flow-index.ts'
import { itemsToShow, readCard, readChoice } from './inputs/choice.ts'
import { readEmail, readPhone, readUrl } from './inputs/contact.ts'
import { readNumber, readRating } from './inputs/number.ts'
import { type Reading, type ReadReply, readFiles, readText } from './inputs/reading.ts'
import { sentencesOf } from './language.ts'
import { readPayment, showPayment } from './payments/payment.ts'
import type { Answer, InputToShow, Message, Position, SessionState } from './types.ts'
import { ownSizeOf, takesFiles } from './upload-policy.ts'
import { fill, fillDeep, fillNumber, readVariable, saveReply, setVariable } from './variables.ts'

/*
 * Passes the message of a visitor to the block that waits. Shows inputs, and shows them again after an invalid reply or
 * none.
 */

/** Hands the message to the waiting block. The outcome is relative to that block. */
export async function replyToWaiting(run: Execution, message: Message | null): Promise<BlockOutcome> {
  const block = findWaitingBlock(run)
  const position = run.waiting
  run.waiting = null
  run.waitKind = null
  run.input = undefined
  if (block === null || position === null) {
    log(run, 'error', 'The block that waited for this reply no longer exists')
    return { kind: 'end' }
  }
  if (typeof message === 'object' && message?.type === 'timer') {
    if (isInput(block)) return takeIdle(run, block, position)
    return block.type === 'handoff' ? leaveHandoff(run, block, 'unanswered') : followBlockEdge(run, block)
  }
  if (isInput(block)) {
    const branch = takeEvent(run, block, message, 'reply')
    if (branch === null) return answerInput(run, block, position, message)
    // Drops the return points of an earlier branch of the event, which never comes back.
    const frame = currentFrame(run)
    frame.returns = frame.returns.filter(({ kind }) => kind !== 'answer')
    addReturnPoint(run, { kind: 'answer', isAutomatic: false, position, message })
    return branch
  }
  const reply = message === null ? null : readMessageText(message)
  switch (block.type) {
    case 'embed': {
      const { saveDataInVariableId } = asObject(block.content.waitForEvent)
      if (reply !== null) saveReply(run, saveDataInVariableId, reply)
      return nextBlock
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
      return followBlockEdge(run, block)
  }
}

/** Reads the reply. Stores it and goes on, or shows the input again if the reply is invalid. */
export async function answerInput(
  run: Execution,
  block: Block,
  position: Position,
  message: Message | null,
): Promise<BlockOutcome> {
  const reading = await readReply(run, block, message)
  if (reading.kind !== 'invalid') return acceptReply(run, block, message, reading)
  const words = readMessageText(message)
  if (words !== '') {
    run.transcript.push({ role: 'user', type: 'text', text: words })
    run.said.push({ role: 'user', text: words })
  }
  const branch = takeEvent(run, block, message, 'invalidReply')
  if (branch === null) return askAgain(run, block, position, reading.retryMessage)
  addReturnPoint(run, { kind: 'again', isAutomatic: false, position })
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
): BlockOutcome | null {
  const { flowIndex } = currentFrame(run)
  const event = findEvent(run, type)
  if (event === undefined) return null
  if (followEdge(flowIndex, event.outgoingEdgeId)?.group.blocks.includes(block)) return null
  const target = takeEdge(run, event.outgoingEdgeId)
  describeReply(run, event, block, message)
  return target === null ? null : { kind: 'go', ...target }
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
  const { flowIndex } = currentFrame(run)
  const { contentVariableId, inputNameVariableId, inputTypeVariableId } = event.options
  setVariable(run, contentVariableId, readMessageText(message))
  setVariable(run, inputNameVariableId, searchBlock(flowIndex, block.id)?.group.title ?? '')
  setVariable(run, inputTypeVariableId, inputNames.get(block.type))
}

const readers = byType<InputType, ReadReply>({
  'text input': readText,
  'number input': readNumber,
  'email input': readEmail,
  'url input': readUrl,
  'phone number input': readPhone,
  // Loaded for the first such input: its date library is every seventh module of the service.
  'date input': async (...given) => (await waitFor(given[0], import('./inputs/date.ts'))).readDate(...given),
  'time input': async (...given) => (await waitFor(given[0], import('./inputs/date.ts'))).readTime(...given),
  'payment input': (run, block) => readPayment(run, block),
  'rating input': readRating,
  'file input': readFiles,
  'choice input': readChoice,
  'picture choice input': readChoice,
  cards: readCard,
})

const numberOptions: Record<string, string[]> = {
  'number input': ['min', 'max', 'step'],
  'rating input': ['startsAt'],
}

/** Shows the input and ends the turn. Inputs that no visitor could answer are skipped. */
export async function showInput(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const input: InputToShow = { id: block.id, type: block.type }
  if (block.outgoingEdgeId !== undefined) input.outgoingEdgeId = block.outgoingEdgeId
  if (block.source.options !== undefined) input.options = await optionsToShow(run, block)
  if (Array.isArray(block.source.items)) {
    const items = await itemsToShow(run, block)
    if (items.length === 0) {
      log(run, 'info', 'A choice without items was skipped', { context: block.id })
      return followBlockEdge(run, block)
    }
    input.items = items
  }
  const isPrefilled =
    valueAt(currentFrame(run).flowIndex.flow.settings, 'general', 'isInputPrefillEnabled') === true
  const value = isPrefilled ? readVariable(run, block.options.variableId) : null
  if (typeof value === 'string' && value !== '') input.prefilledValue = value
  if (takesFiles(block)) {
    const { uploads } = run.effects
    if (uploads) input.upload = { maximumSize: ownSizeOf(block) ?? uploads.maximumSize }
    else
      log(run, 'error', 'No file can be uploaded: the service has no place for files', { context: block.id })
  }
  if (block.type === 'payment input') {
    const shown = await showPayment(run, block, asObject(input.options))
    if (shown === null) return { kind: 'end' }
    Object.assign(input, shown)
  }
  if (!spendOutput(run, input)) return { kind: 'end' }
  run.input = input
  run.waiting = position
  run.waitKind = 'input'
  return { kind: 'wait' }
}

/** Reads a reply to the input without storing anything yet. */
async function readReply(run: Execution, block: Block, message: Message | null): Promise<Reading> {
  const reader = readers.get(block.type)
  if (reader === undefined) return { kind: 'skipped' }
  const mayBeEmpty = block.type === 'file input' || block.type === 'payment input'
  if (message === null && !mayBeEmpty) return { kind: 'invalid' }
  return reader(run, block, { text: readMessageText(message), message })
}

/** Stores the value that the input understood and continues behind the input. */
function acceptReply(run: Execution, block: Block, message: Message | null, reading: Reading): BlockOutcome {
  if (reading.kind !== 'valid') return followBlockEdge(run, block)
  const content = storableText(cutText(reading.content, run.limits.valueCharacters))
  const { botId, isMerged } = currentFrame(run)
  const answer: Answer = { blockId: block.id, ...(isMerged && { botId }), content }
  if (reading.attachedFileUrls !== undefined) answer.attachedFileUrls = reading.attachedFileUrls
  addAnswer(run, answer)
  const shown = storableText(cutText(reading.shown ?? content, run.limits.valueCharacters))
  // The content of a file input is the addresses of its files, so they are not repeated.
  const beside = reading.attachedFileUrls?.join(', ') === content ? undefined : reading.attachedFileUrls
  run.said.push({ role: 'user', text: shown, ...(beside?.length && { attachedFileUrls: beside }) })
  run.uploads.push(...(reading.uploads ?? []))
  const isAudio = typeof message === 'object' && message?.type === 'audio'
  run.transcript.push(
    isAudio ? { role: 'user', type: 'audio', audio: content } : { role: 'user', type: 'text', text: content },
  )
  if (content !== readMessageText(message)) run.newFormat = content
  saveReply(run, block.options.variableId, reading.value ?? content)
  for (const { variableId, value } of reading.assignments ?? []) saveReply(run, variableId, value)
  const target = takeEdge(run, reading.edgeId)
  return target === null ? followBlockEdge(run, block) : { kind: 'go', ...target }
}

/** Says that the reply is not valid, and shows the input again. */
async function askAgain(
  run: Execution,
  block: Block,
  position: Position,
  retryMessage?: string,
): Promise<BlockOutcome> {
  const general = valueAt(
    currentFrame(run).flowIndex.flow.settings,
    'general',
    'systemMessages',
    'invalidMessage',
  )
  const { invalidEmail, invalidAnswer } = sentencesOf(run)
  const own =
    retryMessage ??
    filledText(block.options.retryMessageContent) ??
    (block.type === 'email input' ? invalidEmail : undefined)
  sendPlainText(run, await fill(run, own ?? filledText(general) ?? invalidAnswer))
  return showInput(run, block, position)
}

export function readMessageText(message: Message | null): string {
  if (message === null) return ''
  if (typeof message === 'string') return message
  if (message.type === 'text') return message.text
  if (message.type === 'webhook') return message.body
  if (message.type === 'timer') return ''
  return message.type === 'audio' ? message.url : message.command
}

/** True if a message says something, in words or by files. */
export function hasContent(message: Message | null): boolean {
  const files = typeof message === 'object' && message?.type === 'text' ? message.attachedFileUrls : undefined
  return readMessageText(message) !== '' || (files ?? []).length > 0
}

async function optionsToShow(run: Execution, block: Block): Promise<JsonObject> {
  const options = asObject(await fillDeep(run, block.options))
  for (const key of numberOptions[block.type] ?? []) {
    const number = await fillNumber(run, block.options[key])
    if (number === undefined) delete options[key]
    else options[key] = number
  }
  return options
}

/** Stores the answer with the result of the bot of the input, and counts it for all bots that it is merged into. */
function addAnswer(run: Execution, answer: Answer): void {
  const frame = currentFrame(run)
  const linked = frame.resultId === null ? undefined : run.linkedResults.get(frame.resultId)
  const answers = linked?.answers ?? run.answers
  answers.push(answer)
  if (isPreview(run)) run.state.preview?.answers.push(answer)
  for (let level = run.frames.length - 1; level >= 0; level -= 1) {
    const counted = run.frames[level]
    if (counted === undefined) break
    counted.answerCount += 1
    if (!counted.isMerged) break
  }
}

// The event of a visitor who has not answered for a while

const MAX_IDLE_TIMES = 20

/** The options of the event, if it has an effect. */
function readIdleOptions({
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
  const { waiting, waitKind } = run
  const event = waitKind === 'input' && waiting !== null ? findEvent(run, 'idle') : undefined
  const options = event && readIdleOptions(event)
  if (waiting === null || options === undefined) {
    delete run.state.idle
    return
  }
  const times = idleTimesAt(run.state, waiting)
  if (times === 0) delete run.state.idle
  if (times > options.times || (times === options.times && !options.isEnding)) return
  run.timer = { id: run.effects.newId(), kind: 'idle', afterMs: options.seconds * 1_000 }
}

/** Runs the branch once more, or ends the chat. An input of the branch itself is shown again. */
async function takeIdle(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const event = findEvent(run, 'idle')
  const options = event && readIdleOptions(event)
  if (event === undefined || options === undefined) return showInput(run, block, position)
  const times = idleTimesAt(run.state, position) + 1
  if (times > options.times) {
    log(run, 'info', 'The chat was ended: the visitor did not answer', { context: block.id })
    run.isAborted = true
    return { kind: 'end' }
  }
  run.state.idle = { ...position, times }
  const branch = followEdge(currentFrame(run).flowIndex, event.outgoingEdgeId)
  if (branch === null || branch.group.blocks.includes(block)) return showInput(run, block, position)
  const target = takeEdge(run, event.outgoingEdgeId)
  addReturnPoint(run, { kind: 'again', isAutomatic: true, position })
  return target === null ? { kind: 'end' } : { kind: 'go', ...target }
}
