/**
 * The engine: one function to start a chat, one to continue it.
 *
 * Neither retains anything between two calls. The state of the outcome has all that the next call needs, and points
 * to the flow by its publication. No document, visitor or other service can make them throw.
 */

import type { InputType } from '../../../contract/bot-document/catalogue.ts'
import { cutText, type JsonObject, storableText } from '../../json/access.ts'
import { deviceOf, hasProgressBar, readAppearance, readDynamicTheme, readStartProps } from './appearance.ts'
import {
  abortChat,
  addReturnPoint,
  type BlockOutcome,
  createExecution,
  currentFrame,
  type Execution,
  findEvent,
  findWaitingBlock,
  followBlockEdge,
  isPreview,
  log,
  sendAction,
  takeEdge,
} from './execution.ts'
import { byType, findBlock, findStartEdge, resolvePosition, type Target } from './flow-index.ts'
import {
  collectResultVariables,
  createFrame,
  loadFrames,
  mergeVariablesIntoParents,
  setInitialValues,
  updateResult,
} from './frames.ts'
import { hasContent, readMessageText, replyToWaiting, setIdleTimer } from './handle-reply.ts'
import { visitorLanguage } from './language.ts'
import { progressOf } from './progress.ts'
import { rememberPreview } from './result-parts.ts'
import { runBlocks } from './run-blocks.ts'
import type {
  BotAppearance,
  Effects,
  Flow,
  Frame,
  Message,
  ResultVariable,
  SessionState,
  StartOptions,
  StartResult,
  TurnOptions,
  TurnOutcome,
  TurnRejection,
  TurnResult,
  VariableValue,
} from './types.ts'
import { readVariable, setVariable } from './variables.ts'

/** False for inputs at which the visitor has to see first the choices or the price. */
const isAnsweredInAdvance = byType<InputType, boolean>({
  'text input': true,
  'number input': true,
  'email input': true,
  'url input': true,
  'phone number input': true,
  'date input': true,
  'time input': true,
  'rating input': true,
  'file input': true,
  'payment input': false,
  'choice input': false,
  'picture choice input': false,
  cards: false,
})

const MAX_ATTACHMENTS = 50

/** Runs a flow from its start to the first point where it waits, or only registers the session. */
export async function startFlow(flow: Flow, options: StartOptions, effects: Effects): Promise<StartResult> {
  const language = visitorLanguage(options.acceptLanguage)
  const run = createExecution(options, effects, {
    format: 1,
    resultId: options.resultId,
    userId: options.resultId ?? effects.newId(),
    device: deviceOf(options.userAgent),
    isProgressBarEnabled: options.isProgressBarEnabled === true,
    ...(options.isStreamEnabled === true ? { isStreamEnabled: true } : {}),
    ...(options.isBridged === true ? { isBridged: true } : {}),
    ...(language === undefined ? {} : { language }),
    ...(options.startFrom === undefined ? {} : { startFrom: options.startFrom }),
    ...(options.resultId === null ? { preview: { answers: [], transcript: [] } } : {}),
  })
  const frame = createFrame(flow, options.resultId)
  run.frames = [frame]
  setInitialValues(run, frame, options)
  const rejection = checkStart(run)
  if (rejection !== null) return rejection
  const props = options.resultId === null ? null : await readStartProps(run)
  if (props !== null) sendAction(run, { type: 'startPropsToInject', startPropsToInject: props })
  const bot = await readAppearance(run)
  if (options.isOnlyRegistering === true) return { bot, ...(await buildOutcome(run, true)) }
  effects.emit?.({ type: 'look', ...bot })
  await runFromStart(run, cleanMessage(run, options.message))
  const outcome = await buildOutcome(run)
  return { bot: run.isAborted ? bot : await readAppearance(run), ...outcome }
}

/** Theme and settings of a chat as its variables are now; `null` is the state of one that is over. */
export async function readChatAppearance(
  flow: Flow,
  state: SessionState | null,
  effects: Effects,
): Promise<BotAppearance> {
  const {
    frames = [],
    waiting: _,
    ...session
  } = state ?? {
    format: 1 as const,
    resultId: null,
    userId: '',
    device: deviceOf(undefined),
    isProgressBarEnabled: false,
  }
  const run = createExecution({}, effects, session)
  if (state === null || !(await loadFrames(run, flow, frames)))
    run.frames = [createFrame(flow, session.resultId)]
  return readAppearance(run)
}

/**
 * Sets variables of a chat from outside, by their names, in every bot of it that has them. `values` are those that they
 * have then, `result` is all variables of the result. With issues nothing counts.
 */
export async function setVariables(
  flow: Flow,
  state: SessionState,
  given: JsonObject,
  effects: Effects,
): Promise<{
  issues: { name: string; code: 'unknown_variable' | 'too_big'; message: string }[]
  values: [name: string, value: VariableValue][]
  state: SessionState
  result: ResultVariable[]
}> {
  const { frames: stored, waiting: _, ...session } = state
  const run = createExecution({}, effects, session)
  await loadFrames(run, flow, stored)
  const values = new Map<string, VariableValue>()
  const issues: Awaited<ReturnType<typeof setVariables>>['issues'] = []
  for (const [name, value] of Object.entries(given)) {
    for (const frame of run.frames) {
      const variable = frame.flowIndex.variablesByName.get(name)
      if (variable === undefined) continue
      setVariable(run, variable.id, value, frame)
      values.set(name, readVariable(run, variable.id, frame))
    }
    const [cut] = run.logs.splice(0)
    if (cut) issues.push({ name, code: 'too_big', message: cut.description })
    else if (!values.has(name)) {
      issues.push({ name, code: 'unknown_variable', message: 'No bot of the chat has this variable' })
    }
  }
  mergeVariablesIntoParents(run)
  // The next turn handles a linked bot that was deleted.
  const frames = stored.map((frame, level) => {
    const live = run.frames[level]
    return live ? { ...frame, values: [...live.values], merged: live.merged } : frame
  })
  const first = run.frames[0] ?? currentFrame(run)
  return {
    issues,
    values: [...values],
    state: { ...state, frames },
    result: collectResultVariables(run, first),
  }
}

/**
 * Takes the visitor's message, or the outcome of an action, and runs on to the next point where the flow waits.
 * The outcome reuses parts of the state, so do not use it again.
 */
export async function continueFlow(
  flow: Flow,
  state: SessionState,
  message: Message | null | undefined,
  options: TurnOptions,
  effects: Effects,
): Promise<TurnResult> {
  const { frames, waiting, ...session } = state
  const run = createExecution(options, effects, session)
  const isComplete = await loadFrames(run, flow, frames)
  const sent = cleanMessage(run, message)
  if (!isComplete) {
    log(run, 'error', 'A linked bot is no longer there, the chat goes on behind it')
    await runBlocks(run, null, { kind: 'end' })
    return buildOutcome(run)
  }
  run.waiting = waiting
  const rejection = checkWebhook(run, sent) ?? checkTimer(run, sent)
  if (rejection !== null) return rejection
  const isCommand = typeof sent === 'object' && sent?.type === 'command'
  if (isTimer(sent) || options.isWithoutVisitor === true) {
    run.state.turnsWithoutVisitor = (run.state.turnsWithoutVisitor ?? 0) + 1
    if (run.state.turnsWithoutVisitor > run.limits.timersInARow) {
      abortChat(
        run,
        `The chat was stopped: ${run.limits.timersInARow} timers came without a message of the visitor`,
      )
    }
  } else if (!isCommand) {
    delete run.state.idle
    delete run.state.turnsWithoutVisitor
  }
  if (isCommand && waiting !== null) return runCommand(run, sent.command)
  // A chat that was only registered starts, whatever comes first.
  if (waiting === null) await runFromStart(run, isCommand ? null : sent)
  else await passReply(run, sent)
  return buildOutcome(run)
}

/** From the start of the flow. A message given in advance answers the first input if nothing is shown before it. */
async function runFromStart(run: Execution, message: Message | null): Promise<void> {
  const { startFrom } = run.state
  delete run.state.startFrom
  if (startFrom?.type === 'behind') {
    const target = resolvePosition(currentFrame(run).flowIndex, startFrom.position)
    const block = findBlock(currentFrame(run).flowIndex, startFrom.position)
    await runBlocks(run, target, block === null ? { kind: 'end' } : followBlockEdge(run, block))
  } else {
    const target = findStartTarget(run, startFrom)
    await runBlocks(run, null, target === null ? { kind: 'end' } : { kind: 'go', ...target })
  }
  const type = run.input?.type
  const words = readMessageText(message)
  const isUsed =
    hasContent(message) && type && run.messages.length === 0 && isAnsweredInAdvance.get(type) !== false
  if (isUsed) return passReply(run, message)
  // A chat that was given back: the visitor wrote to people. The start of a preview is none.
  const isHandedBack = startFrom?.type === 'behind' || (startFrom?.type === 'group' && !isPreview(run))
  if (!isHandedBack || words === '') return
  run.transcript.unshift({ role: 'user', type: 'text', text: words })
  run.said.push({ role: 'user', text: words })
}

async function passReply(run: Execution, message: Message | null): Promise<void> {
  const target = run.waiting === null ? null : resolvePosition(currentFrame(run).flowIndex, run.waiting)
  await runBlocks(run, target, await replyToWaiting(run, message))
}

/** Runs the branch of a command, and comes back to the block that waits if the event says so. */
async function runCommand(run: Execution, command: string): Promise<TurnResult> {
  const event = findEvent(run, 'command', command)
  if (event === undefined) {
    return { rejection: { code: 'UNKNOWN_COMMAND', message: 'The bot has no event for this command' } }
  }
  const target = takeEdge(run, event.outgoingEdgeId)
  const position = run.waiting
  run.waiting = null
  const isAutomatic = target === null || event.options.resumeAfter === true
  if (position !== null && findWaitingBlock({ ...run, waiting: position }) !== null) {
    addReturnPoint(run, { kind: 'again', isAutomatic, position })
  }
  const first: BlockOutcome = target === null ? { kind: 'end' } : { kind: 'go', ...target }
  await runBlocks(run, null, first)
  return buildOutcome(run)
}

/** Only its call continues a `webhook` block. A preview has no result to call, so there a text stands for the call. */
function checkWebhook(run: Execution, message: Message | null): TurnRejection | null {
  const isCall = typeof message === 'object' && message?.type === 'webhook'
  const isCommand = typeof message === 'object' && message?.type === 'command'
  const isExpected = findWaitingBlock(run)?.type === 'webhook'
  const isTrial = isExpected && isPreview(run) && message !== null
  if (isCall === isExpected || isCommand || isTrial) return null
  const reason = isCall ? 'The chat does not wait for a webhook' : 'The chat waits for a webhook'
  return { rejection: { code: 'NOT_WAITING', message: reason } }
}

function isTimer(message: Message | null): boolean {
  return typeof message === 'object' && message?.type === 'timer'
}

/** Only its timer continues a `wait until` block. */
function checkTimer(run: Execution, message: Message | null): TurnRejection | null {
  if (isTimer(message) || findWaitingBlock(run)?.type !== 'wait until') return null
  if (typeof message === 'object' && message?.type === 'command') return null
  return { rejection: { code: 'NOT_WAITING', message: 'The chat waits for a time' } }
}

function checkStart(run: Execution): TurnRejection | null {
  const { startFrom } = run.state
  if (startFrom === undefined || startFrom.type === 'behind') return null
  const { flowIndex } = currentFrame(run)
  const isKnown =
    startFrom.type === 'group'
      ? flowIndex.groups.has(startFrom.groupId)
      : flowIndex.events.some((event) => event.id === startFrom.eventId)
  if (isKnown) return null
  return {
    rejection: { code: 'UNKNOWN_START', message: `The bot has no such ${startFrom.type} to start from` },
  }
}

function findStartTarget(run: Execution, startFrom: StartOptions['startFrom']): Target | null {
  const { flowIndex } = currentFrame(run)
  if (startFrom === undefined) return takeEdge(run, findStartEdge(flowIndex))
  if (startFrom.type === 'group') return resolvePosition(flowIndex, { groupId: startFrom.groupId })
  return takeEdge(run, flowIndex.events.find((event) => event.id === startFrom.eventId)?.outgoingEdgeId)
}

export function cleanMessage(run: Execution, message: Message | null | undefined): Message | null {
  if (message === null || message === undefined) return null
  const clean = (value: string): string => {
    const maximum = run.limits.messageCharacters
    if (value.length > maximum) log(run, 'error', `The message was cut to ${maximum} characters`)
    return storableText(cutText(value, maximum))
  }
  if (typeof message === 'string') return clean(message)
  if (message.type === 'webhook' || message.type === 'timer') return message
  if (message.type === 'command') return { ...message, command: clean(message.command) }
  if (message.type === 'audio') return { ...message, url: clean(message.url) }
  const attachedFileUrls = message.attachedFileUrls?.slice(0, MAX_ATTACHMENTS).map(clean)
  return { ...message, text: clean(message.text), ...(attachedFileUrls ? { attachedFileUrls } : {}) }
}

export async function buildOutcome(run: Execution, isRegistering = false): Promise<TurnOutcome> {
  const outcome = buildOutcomeWithoutTheme(run, isRegistering)
  const dynamicTheme = run.isAborted ? undefined : await readDynamicTheme(run)
  if (dynamicTheme !== undefined) outcome.dynamicTheme = dynamicTheme
  return outcome
}

/** Without parts that may run code of the bot. */
export function buildOutcomeWithoutTheme(run: Execution, isRegistering = false): TurnOutcome {
  const isOver = run.isAborted || (run.waitKind === null && !isRegistering)
  if (run.isAborted) run.input = undefined
  if (!isOver && !isRegistering) setIdleTimer(run)
  mergeVariablesIntoParents(run)
  for (const frame of run.frames) updateResult(run, frame)
  const first = run.frames[0] ?? currentFrame(run)
  const hasStarted = first.answerCount > 0
  rememberPreview(run)
  const outcome: TurnOutcome = {
    state: isOver ? null : toSessionState(run),
    messages: run.messages,
    logs: run.logs,
    answers: run.answers,
    variables: collectResultVariables(run, first),
    transcript: run.transcript,
    said: run.said,
    hasStarted,
    isCompleted: isOver && !run.isAborted && hasStarted,
    linkedResults: [...run.linkedResults.values()],
    uploads: run.uploads,
    sheetRows: run.sheetRows,
    hasCalledOut: run.spent.outboundCalls > 0,
  }
  if (run.input !== undefined) outcome.input = run.input
  if (run.actions.length > 0) outcome.clientSideActions = run.actions
  if (hasProgressBar(run) && !isRegistering) outcome.progress = progressOf(run)
  if (run.newFormat !== undefined) outcome.lastMessageNewFormat = run.newFormat
  if (!isOver && run.timer) outcome.timer = run.timer
  if (!isOver && run.isHandedOff) Object.assign(outcome, { handledBy: 'waiting', isHandedOff: true })
  return outcome
}

function timerOf({ timer }: Execution): Pick<SessionState, 'timer'> {
  if (timer === undefined) return {}
  const { id, kind, afterMs } = timer
  return { timer: { id, kind, ...(kind === 'idle' && { afterMs }) } }
}

/** Values that change with every answer come last: PostgreSQL logs a row from its first difference on. */
function toSessionState(run: Execution): SessionState {
  const frames = run.frames.map(
    (frame): Frame => ({
      botId: frame.botId,
      flowId: frame.flowId,
      returns: frame.returns,
      resultId: frame.resultId,
      isMerged: frame.isMerged,
      linkPosition: frame.linkPosition,
      merged: frame.merged,
      values: [...frame.values],
      answerCount: frame.answerCount,
    }),
  )
  const { textFormat: _, timer: __, ...session } = run.state
  const textFormat = run.format === 'markdown' ? { textFormat: run.format } : {}
  return Object.assign({}, session, textFormat, timerOf(run), { frames, waiting: run.waiting })
}
