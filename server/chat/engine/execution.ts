/** Execution of one request: the state in a form to work with, and the output so far. */
import { setImmediate } from 'node:timers/promises'
import { cutText, storableText } from '../../json/access.ts'
import type { Upload } from '../../uploads/uploads.ts'
import {
  type Block,
  type FlowEvent,
  type FlowIndex,
  findBlock,
  followEdge,
  type Group,
  type Target,
} from './flow-index.ts'
import { defaultLimits, type Limits } from './limits.ts'
import type {
  Answer,
  Bubble,
  ClientSideAction,
  Effects,
  Frame,
  InputToShow,
  LinkedResult,
  LogEntry,
  Position,
  ReturnPoint,
  SessionState,
  SheetRow,
  TextFormat,
  TimerToSet,
  TranscriptEntry,
  TurnOptions,
  VariableValue,
  VisitorEntry,
} from './types.ts'

/** A bot that is running. See `Frame` for the fields that are stored. */
export interface LiveFrame extends Omit<Frame, 'values' | 'publicationId'> {
  flowId: string | null
  flowIndex: FlowIndex
  /** Values that differ from the ones the document starts with. */
  values: Map<string, VariableValue>
  /** Characters of all these values. */
  characters: number
}

export interface Execution {
  effects: Effects
  limits: Limits
  format: TextFormat
  startedAt: number
  /** CPU time of the process at that moment, in milliseconds. */
  cpuAtStart: number
  /** Time of the last yield to the event loop while blocks run. */
  yieldedAt: number
  state: Omit<SessionState, 'frames' | 'waiting'>
  frames: LiveFrame[]
  waiting: Position | null
  /** An input, a member, or an action or embed whose outcome the client has to send, keeps the chat open. */
  waitKind: 'input' | 'member' | 'action' | 'embed' | null
  timer: TimerToSet | undefined
  /** True if this turn hands the chat to the members. */
  isHandedOff: boolean
  messages: Bubble[]
  actions: ClientSideAction[]
  input: InputToShow | undefined
  logs: LogEntry[]
  newFormat: string | undefined
  answers: Answer[]
  transcript: TranscriptEntry[]
  said: VisitorEntry[]
  linkedResults: Map<string, LinkedResult>
  /** Files that are part of answers. */
  uploads: Upload[]
  /** Rows of sheets that are written later. */
  sheetRows: SheetRow[]
  spent: {
    blocks: number
    /** Milliseconds, as the next three. */
    evaluationMs: number
    waitingMs: number
    /** The part of waiting that was for quotas of sheets. */
    sheetsMs: number
    /** CPU time that others used while the turn waited. */
    cpuWhileWaitingMs: number
    outboundCalls: number
    tokens: number
    /** Characters, as the next one. */
    filledCharacters: number
    /** Looked through for Markdown. */
    formattedCharacters: number
    outputCharacters: number
  }
  /** Set once a limit is reached: the chat ends here. */
  isAborted: boolean
}

export function createExecution(
  options: TurnOptions,
  effects: Effects,
  session: Execution['state'],
): Execution {
  return {
    effects,
    limits: { ...defaultLimits, ...options.limits },
    format: options.textBubbleContentFormat ?? session.textFormat ?? 'richText',
    startedAt: performance.now(),
    cpuAtStart: readRecentCpuMilliseconds(),
    yieldedAt: performance.now(),
    state: session,
    frames: [],
    waiting: null,
    waitKind: null,
    timer: undefined,
    isHandedOff: false,
    messages: [],
    actions: [],
    input: undefined,
    logs: [],
    newFormat: undefined,
    answers: [],
    transcript: [],
    said: [],
    linkedResults: new Map(),
    uploads: [],
    sheetRows: [],
    spent: {
      blocks: 0,
      evaluationMs: 0,
      waitingMs: 0,
      sheetsMs: 0,
      cpuWhileWaitingMs: 0,
      outboundCalls: 0,
      tokens: 0,
      filledCharacters: 0,
      formattedCharacters: 0,
      outputCharacters: 0,
    },
    isAborted: false,
  }
}

/** `next` runs the next block, `go` another one, `end` ends the branch, `wait` ends the turn. */
export type BlockOutcome =
  | { kind: 'next' }
  | { kind: 'go'; group: Group; index: number }
  | { kind: 'end' }
  | { kind: 'wait' }

export const nextBlock: BlockOutcome = { kind: 'next' }

const MAX_MS_BETWEEN_YIELDS = 10
/** A turn that has worked longer than this alternates with other such turns. */
const UNPACED_WORK_MS = 50
const MAX_LOG_ENTRIES = 100
/** Maximum bytes of a character in memory. */
export const BYTES_PER_CHARACTER = 2
const MAX_DETAILS_CHARACTERS = 1_000

/** The bot that is running now. */
export function currentFrame(run: Execution): LiveFrame {
  const frame = run.frames.at(-1)
  if (frame === undefined) throw new Error('A session has at least one bot')
  return frame
}

export function isPreview(run: Execution): boolean {
  return run.state.resultId === null
}

export function findWaitingBlock(run: Execution): Block | null {
  return run.waiting === null ? null : findBlock(currentFrame(run).flowIndex, run.waiting)
}

export function log(
  run: Execution,
  status: LogEntry['status'],
  description: string,
  more: { details?: unknown; context?: string; isInternal?: boolean } = {},
): void {
  if (run.logs.length >= MAX_LOG_ENTRIES) return
  const entry: LogEntry = {
    status,
    description: storableText(cutText(description, MAX_DETAILS_CHARACTERS)),
    isInternal: more.isInternal ?? false,
  }
  if (more.details !== undefined) {
    const details = typeof more.details === 'string' ? more.details : JSON.stringify(more.details)
    entry.details = storableText(cutText(details, MAX_DETAILS_CHARACTERS))
  }
  if (more.context !== undefined) entry.context = more.context
  run.logs.push(entry)
}

/** Ends the chat at the next block. Logs the reason once; the visitor sees it too. */
export function abortChat(run: Execution, description: string): void {
  if (run.isAborted) return
  run.isAborted = true
  // Must not be lost among the entries of a flow that logs in a loop.
  run.logs.splice(MAX_LOG_ENTRIES - 1)
  log(run, 'error', description)
}

export function computeRemainingMilliseconds(run: Execution): number {
  return run.limits.milliseconds - (performance.now() - run.startedAt)
}

export function readCpuMilliseconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Reading the CPU time takes longer than most turns, and many turns begin at once. */
const MAX_CPU_READING_AGE_MS = 20
let cpuReading = { at: Number.NEGATIVE_INFINITY, milliseconds: 0 }

function readRecentCpuMilliseconds(): number {
  const at = performance.now()
  if (at - cpuReading.at > MAX_CPU_READING_AGE_MS) cpuReading = { at, milliseconds: readCpuMilliseconds() }
  return cpuReading.milliseconds
}

/** Time that the service itself has worked on the turn so far, without the time it waited for others. */
export function readWorkMilliseconds(run: Execution): number {
  return performance.now() - run.startedAt - run.spent.waitingMs
}

/**
 * Checks the limits before each piece of work that a flow can repeat. Ends a chat whose turn has used up its time.
 * Yields to other requests of the process, which a long turn without any wait would block.
 */
export async function checkBudget(run: Execution): Promise<boolean> {
  if (computeRemainingMilliseconds(run) <= 0) {
    abortChat(run, `The chat was stopped: one turn took more than ${run.limits.milliseconds} ms`)
  } else if (hasWorkedTooLong(run)) {
    abortChat(
      run,
      `The chat was stopped: one turn needed more than ${run.limits.workMilliseconds} ms of work`,
    )
  }
  if (run.isAborted) return false
  if (performance.now() - run.yieldedAt >= MAX_MS_BETWEEN_YIELDS) {
    const { yieldToOthers } = run.effects
    if (yieldToOthers && readWorkMilliseconds(run) > UNPACED_WORK_MS) await waitFor(run, yieldToOthers())
    else await setImmediate()
    run.yieldedAt = performance.now()
  }
  return true
}

/** A process that got no processor for a while has not worked meanwhile. */
function hasWorkedTooLong(run: Execution): boolean {
  const { workMilliseconds } = run.limits
  if (readWorkMilliseconds(run) <= workMilliseconds) return false
  return readCpuMilliseconds() - run.cpuAtStart - run.spent.cpuWhileWaitingMs > workMilliseconds
}

/** Waits for something that is not work on the turn: outside of this process, or a library that loads on first use. */
export async function waitFor<Value>(run: Execution, work: Promise<Value>): Promise<Value> {
  const startedAt = performance.now()
  const cpuBefore = readCpuMilliseconds()
  try {
    return await work
  } finally {
    run.spent.waitingMs += performance.now() - startedAt
    run.spent.cpuWhileWaitingMs += readCpuMilliseconds() - cpuBefore
  }
}

/**
 * Counts output before it is sent. False once the output exceeds the limit or a limit was hit before: it may be
 * incomplete.
 */
export function spendOutput(run: Execution, part: unknown): boolean {
  if (run.isAborted) return false
  run.spent.outputCharacters += JSON.stringify(part)?.length ?? 0
  if (run.spent.outputCharacters <= run.limits.outputCharacters) return true
  abortChat(run, `The chat was stopped: one turn sent more than ${run.limits.outputCharacters} characters`)
  return false
}

/**
 * Counts a call to the outside that sends so many bytes, with the memory that the turn occupies during the call.
 * False once the limit is exceeded, without room, and after the chat was cut, since its data may be incomplete then.
 */
export async function spendOutboundCall(run: Execution, bytes = 0): Promise<boolean> {
  if (run.isAborted) return false
  run.spent.outboundCalls += 1
  if (run.spent.outboundCalls > run.limits.outboundCalls) {
    log(run, 'error', `Not sent: one turn may call out ${run.limits.outboundCalls} times`)
    return false
  }
  const characters = run.frames.reduce((size, frame) => size + frame.characters, run.spent.outputCharacters)
  if (await reserveMemory(run, bytes, BYTES_PER_CHARACTER * characters)) return true
  log(run, 'error', `Not sent: ${noMemory}`)
  return false
}

/** The reason where `reserveMemory` says false. */
export const noMemory = 'the service has no room for what this turn holds while it waits, try again later'

/** Counts bytes that the block holds while it waits for others, until its end. False where there is no room in time. */
export async function reserveMemory(run: Execution, bytes: number, stateBytes = 0): Promise<boolean> {
  const { memory } = run.effects
  return (
    memory === undefined || waitFor(run, memory.take(bytes, computeRemainingMilliseconds(run), stateBytes))
  )
}

export function sendBubble(run: Execution, bubble: Bubble): void {
  if (!spendOutput(run, bubble)) return
  run.messages.push(bubble)
  run.effects.emit?.({ type: 'message', message: bubble })
}

export function sendAction(run: Execution, action: ClientSideAction): void {
  const last = run.messages.at(-1)
  const placed = last === undefined ? action : { ...action, lastBubbleBlockId: last.id }
  if (!spendOutput(run, placed)) return
  run.actions.push(placed)
  run.effects.emit?.({ type: 'action', action: placed })
}

/** Sends an action whose outcome the client has to send back. */
export function sendAwaitedAction(
  run: Execution,
  action: ClientSideAction,
  position: Position,
): BlockOutcome {
  sendAction(run, { ...action, expectsDedicatedReply: true })
  run.waiting = position
  run.waitKind = 'action'
  return { kind: 'wait' }
}

/** The target of an edge that the chat takes; `null` where it leads nowhere. */
export function takeEdge(run: Execution, edgeId: unknown): Target | null {
  const { botId, flowIndex } = currentFrame(run)
  const target = followEdge(flowIndex, edgeId)
  if (target !== null) run.effects.visit?.({ botId, edgeId: String(edgeId) })
  return target
}

/** Follows the edge of the block; without one, the next block runs. */
export function followBlockEdge(run: Execution, block: Block): BlockOutcome {
  const target = takeEdge(run, block.outgoingEdgeId)
  return target === null ? nextBlock : { kind: 'go', ...target }
}

/** Adds a return point to the running bot, and drops the oldest if there are too many. */
export function addReturnPoint(run: Execution, point: ReturnPoint): void {
  const { returns } = currentFrame(run)
  returns.push(point)
  if (returns.length > run.limits.returnPoints) returns.shift()
}

/** Returns the event of that type. Commands differ by their text. */
export function findEvent(run: Execution, type: string, command?: string): FlowEvent | undefined {
  const { flowIndex } = currentFrame(run)
  return flowIndex.events.find(
    (event) => event.type === type && (command === undefined || event.options.command === command),
  )
}
