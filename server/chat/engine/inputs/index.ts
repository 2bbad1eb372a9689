/** Inputs: how they are shown, and how a reply to one is read, stored and followed. */

import type { InputType } from '../../../../contract/bot-document/catalogue.ts'
import { asObject, at, cutText, filledText, type JsonObject, storableText } from '../../../json/access.ts'
import { appendToTranscript, sendPlainText } from '../blocks/bubbles.ts'
import {
  currentFrame,
  type Execution,
  isPreview,
  leave,
  log,
  type Next,
  spendOutput,
  takeEdge,
  waitFor,
} from '../execution.ts'
import { type Block, byType } from '../flow-index.ts'
import { sentencesOf } from '../language.ts'
import { readPayment, showPayment } from '../payments/payment.ts'
import type { Answer, InputToShow, Message, Position } from '../types.ts'
import { ownSizeOf, takesFiles } from '../upload-policy.ts'
import { fill, fillDeep, fillNumber, readVariable, saveReply } from '../variables.ts'
import { itemsToShow, readCard, readChoice } from './choice.ts'
import { readEmail, readPhone, readUrl } from './contact.ts'
import { readFiles } from './file.ts'
import { readNumber, readRating } from './number.ts'
import type { Reading, ReadReply } from './reading.ts'
import { readText } from './text.ts'

const readers = byType<InputType, ReadReply>({
  'text input': readText,
  'number input': readNumber,
  'email input': readEmail,
  'url input': readUrl,
  'phone number input': readPhone,
  // Loaded for the first such input, with what reads dates: every seventh module of the service.
  'date input': async (...given) => (await waitFor(given[0], import('./date.ts'))).readDate(...given),
  'time input': async (...given) => (await waitFor(given[0], import('./date.ts'))).readTime(...given),
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

/** Shows the input and ends the turn. Inputs that nobody could answer are skipped. */
export async function showInput(run: Execution, block: Block, position: Position): Promise<Next> {
  const input: InputToShow = { id: block.id, type: block.type }
  if (block.outgoingEdgeId !== undefined) input.outgoingEdgeId = block.outgoingEdgeId
  if (block.source.options !== undefined) input.options = await optionsToShow(run, block)
  if (Array.isArray(block.source.items)) {
    const items = await itemsToShow(run, block)
    if (items.length === 0) {
      log(run, 'info', 'A choice without items was skipped', { context: block.id })
      return leave(run, block)
    }
    input.items = items
  }
  const isPrefilled = at(currentFrame(run).flow.flow.settings, 'general', 'isInputPrefillEnabled') === true
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
  run.waitsFor = 'input'
  return { kind: 'wait' }
}

/** Reads a reply to the input without storing anything yet. */
export async function readReply(run: Execution, block: Block, message: Message | null): Promise<Reading> {
  const reader = readers.get(block.type)
  if (reader === undefined) return { kind: 'skipped' }
  const mayBeEmpty = block.type === 'file input' || block.type === 'payment input'
  if (message === null && !mayBeEmpty) return { kind: 'invalid' }
  return reader(run, block, { text: textOfMessage(message), message })
}

/** Stores what was understood and goes on behind the input. */
export function acceptReply(run: Execution, block: Block, message: Message | null, reading: Reading): Next {
  if (reading.kind !== 'understood') return leave(run, block)
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
  appendToTranscript(
    run,
    isAudio ? { role: 'user', type: 'audio', audio: content } : { role: 'user', type: 'text', text: content },
  )
  if (content !== textOfMessage(message)) run.newFormat = content
  saveReply(run, block.options.variableId, reading.value ?? content)
  for (const { variableId, value } of reading.assignments ?? []) saveReply(run, variableId, value)
  const place = takeEdge(run, reading.edgeId)
  return place === null ? leave(run, block) : { kind: 'go', ...place }
}

/** Says that the reply is not valid, and shows the input again. */
export async function askAgain(
  run: Execution,
  block: Block,
  position: Position,
  retryMessage?: string,
): Promise<Next> {
  const general = at(currentFrame(run).flow.flow.settings, 'general', 'systemMessages', 'invalidMessage')
  const { invalidEmail, invalidAnswer } = sentencesOf(run)
  const own =
    retryMessage ??
    filledText(block.options.retryMessageContent) ??
    (block.type === 'email input' ? invalidEmail : undefined)
  sendPlainText(run, await fill(run, own ?? filledText(general) ?? invalidAnswer))
  return showInput(run, block, position)
}

export function textOfMessage(message: Message | null): string {
  if (message === null) return ''
  if (typeof message === 'string') return message
  if (message.type === 'text') return message.text
  if (message.type === 'webhook') return message.body
  if (message.type === 'timer') return ''
  return message.type === 'audio' ? message.url : message.command
}

/** True if a message says something, in words or by files. */
export function isAnswer(message: Message | null): boolean {
  const files = typeof message === 'object' && message?.type === 'text' ? message.attachedFileUrls : undefined
  return textOfMessage(message) !== '' || (files ?? []).length > 0
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

/** Stores the answer with the result of the bot that asked, and counts it for all bots that it is merged into. */
function addAnswer(run: Execution, answer: Answer): void {
  const frame = currentFrame(run)
  const linked = frame.resultId === null ? undefined : run.linkedResults.get(frame.resultId)
  const answers = linked?.answers ?? run.answers
  answers.push(answer)
  if (isPreview(run)) run.session.preview?.answers.push(answer)
  for (let level = run.frames.length - 1; level >= 0; level -= 1) {
    const counted = run.frames[level]
    if (counted === undefined) break
    counted.answerCount += 1
    if (!counted.isMerged) break
  }
}
