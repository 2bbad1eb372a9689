import type { components } from '../../../generated/openapi.ts'
import type { Contexts } from '../../context.ts'
import { livePublicationOf } from '../../results/block-stats.ts'
import { continueFlow, startFlow } from '../engine/engine.ts'
import { readMessageText } from '../engine/handle-reply.ts'
import type { TurnMemory } from '../engine/memory-budget.ts'
import type {
  Answer,
  Flow,
  Message,
  SessionState,
  StartOptions,
  StartResult,
  TranscriptEntry,
  TurnRejection,
  TurnResult,
} from '../engine/types.ts'
import { loadPublication, readPreviewFlow } from './read-session.ts'
import { toTurnResponse } from './run-turn.ts'
import { createSimulatedEffects, type Simulation } from './simulated-effects.ts'
import { createEffects } from './turn-effects.ts'

/* Runs a whole chat in one request by the engine of live chats, without sending or storing anything. */

/** Bounds of one simulation; everything beyond them is omitted. */
export const MAX_SIMULATED_WORK_MS = 2_000
export const MAX_SIMULATION_MS = 20_000
export const MAX_SIMULATED_BYTES = 8_000_000

type SimulatedChat = components['schemas']['SimulatedChat']

interface SimulatedState {
  flow: Flow
  /** Null for the draft. */
  publicationId: string | null
}

/** Finds a state of the flow of a bot: `draft`, `published`, or a publication by its id. */
export async function findState(
  { db, chat: tools, grant }: Contexts['bot'],
  state: string,
): Promise<SimulatedState | undefined> {
  if (state === 'draft') {
    const flow = await readPreviewFlow(db, grant)
    return flow && { flow, publicationId: null }
  }
  const publicationId = state === 'published' ? await livePublicationOf(db, grant) : state
  const flow = publicationId && (await loadPublication(db, tools, grant.bot.id, publicationId))
  return flow ? { flow, publicationId } : undefined
}

/** A rejection is that of the start, or of the reply at `index`. */
export type Simulated =
  | { rejection?: undefined; first: Exclude<StartResult, TurnRejection>; chat: SimulatedChat }
  | (TurnRejection & { index?: number })

export async function simulate(
  context: Contexts['bot'],
  memory: TurnMemory,
  { flow, publicationId }: SimulatedState,
  options: StartOptions,
  given: Simulation,
): Promise<Simulated> {
  const { bot } = context.grant
  const { config, now, publicUrl } = context
  const running = { botId: bot.id, workspaceId: bot.workspaceId, publicationId, resultId: null, memory }
  const answers: Answer[] = []
  const answersByResult = new Map<string, Answer[]>()
  const transcript: TranscriptEntry[] = []
  const world = createSimulatedEffects(given, {
    bot,
    config,
    publicUrl,
    live: createEffects(context, running),
    startsAt: given.startsAt === undefined ? now : new Date(given.startsAt),
    earlierAnswers: (resultId) => answersByResult.get(resultId) ?? [],
    earlierTranscript: () => transcript,
  })
  const startedAt = performance.now()
  let bytes = 0
  const take = (outcome: Exclude<TurnResult, TurnRejection>, body: object) => {
    answers.push(...outcome.answers)
    addAnswers(answersByResult, resultId, outcome.answers)
    for (const linked of outcome.linkedResults) addAnswers(answersByResult, linked.resultId, linked.answers)
    transcript.push(...outcome.transcript)
    bytes += sizeOf([body, outcome.answers, outcome.transcript, world.takeNewRequests()])
  }

  const resultId = world.effects.newId()
  const first = await startFlow(flow, { ...options, resultId }, world.effects)
  if (first.rejection) return first
  take(first, toTurnResponse(first, 1, true))
  const steps: SimulatedChat['steps'] = []
  let last: Exclude<TurnResult, TurnRejection> = first
  let isIncomplete = false
  for (const [index, reply] of given.replies.entries()) {
    const { state } = last
    if (state === null) break
    const elapsed = performance.now() - startedAt
    isIncomplete =
      bytes > MAX_SIMULATED_BYTES ||
      elapsed > MAX_SIMULATION_MS ||
      elapsed - world.waitedMilliseconds() > MAX_SIMULATED_WORK_MS
    if (isIncomplete) break
    await world.effects.yieldToOthers?.()
    world.beginStep(index + 1, state.waiting?.blockId, reply.at)
    const message = toMessage(last, reply.message)
    const format = { textBubbleContentFormat: options.textBubbleContentFormat }
    const outcome = await continueFlow(flow, state as SessionState, message, format, world.effects)
    if (outcome.rejection) return { ...outcome, index }
    const body = toTurnResponse(outcome, index + 2, true)
    steps.push(body)
    take(outcome, body)
    last = outcome
  }
  const chat = {
    publicationId,
    steps,
    isOver: last.state === null,
    isIncomplete,
    answers,
    variables: last.variables,
    transcript,
    ...world.report(),
  }
  return { first, chat }
}

/** The call of a webhook, for a chat that waits for one, comes as a text; no message says that a wait is over. */
function toMessage(
  { clientSideActions = [], timer }: Exclude<TurnResult, TurnRejection>,
  message: Message | null | undefined,
): Message | null | undefined {
  if (message === null || message === undefined) return timer?.kind === 'wait' ? { type: 'timer' } : message
  const isWaiting = clientSideActions.some(({ type }) => type === 'listenForWebhook')
  if (!isWaiting) return message
  return { type: 'webhook', body: readMessageText(message) }
}

function addAnswers(all: Map<string, Answer[]>, resultId: string, answers: readonly Answer[]) {
  all.set(resultId, [...(all.get(resultId) ?? []), ...answers])
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
