import pg from 'pg'
import type { EventType } from '../../../contract/events.ts'
import { currentTime } from '../../clock.ts'
import { createBatcher } from '../../db/batcher.ts'
import { topologyOf } from '../../db/citus/topology.ts'
import { type Database, rootOf, statements } from '../../db/client.ts'
import { databaseError } from '../../db/errors.ts'
import { computeCountedBefore } from '../../results/stats-epochs.ts'
import { idPrefix, isWanted, notifyAfterCommit } from '../../webhooks/outbox.ts'
import type { TimerToSet } from '../engine/types.ts'
import { batchedStatements, type sharedTypes } from './batched-statements.ts'
import type { ResultRow, TurnRows } from './turn-statements.ts'

/*
 * Writes the most frequent turns: the start of a chat with a new result, one answer, or none, as most of timers are.
 * One statement writes a batch of them, or one alone, since it costs more than its rows. A batch has one bot only, so
 * that no chat waits for another bot. All other turns, and those that a batch did not write, go by
 * `turn-statements.ts`.
 */

interface BatchedTurn {
  kind: 'start' | 'answer' | 'answerWithEvents' | 'unanswered' | 'unansweredWithEvents'
  botId: string
  workspaceId: string
  resultId: string
  values: Record<string, unknown>
  /** Results that were made before may have been counted. */
  lateBefore: string
  /** The data of the events, as `expandOutboxRow` reads it. */
  eventData?: Record<string, unknown>
}

type SharedName = keyof typeof sharedTypes

/** Values that every turn writes into its session. */
type ValuesOfSession = Record<
  'sessionId' | 'state' | 'inlineTurn' | 'now' | 'endedAt' | 'expiresAt',
  unknown
> &
  Record<string, unknown>

interface Subscription {
  subscribedEvents: string
  /** True if an earlier turn of the session took an answer, so that the start of its result is published. */
  hasEarlierAnswer: boolean
}

interface BatchOptions {
  workspaceId: string
  subscription: Subscription | undefined
  timer: TimerToSet | null | undefined
}

/** A turn with more is written alone: a batch of such would hold hundreds of megabytes, and fail for all. */
export const MAX_BATCHED_WRITE_BYTES = 100_000

/** Characters count as bytes, which is near enough. */
const bytesOf = (values: Record<string, unknown>) =>
  Object.values(values).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0),
    0,
  )

/** Maximum turns that one statement writes: `OWN_ID_DIGITS` of the outbox suffices for the event ids of 32. */
const MAX_BATCH_TURNS = 32

/**
 * Writes a turn that is the start of a chat with a new result, one answer, or no answer and maybe a timer. Returns false
 * if the turn is or has anything else, or was not written. Not on a cluster.
 */
export async function writeTurnBatched(
  db: Database,
  values: ValuesOfSession & {
    botId: string
    resultId: string | null
    revision: number
    separateTurn: Buffer | null
  },
  { resultUpserts: upserted, resultUpdates: updated, answers, logs, transcript }: TurnRows,
  { workspaceId, subscription, timer }: BatchOptions,
  now: Date,
): Promise<boolean> {
  // A transaction cannot join a batch.
  if (rootOf(db) !== db || topologyOf(db).runsTurnsOnNodes) return false
  const [result, ...others] = [...upserted, ...updated]
  const { botId, resultId } = values
  if (!result || resultId === null || others.length + logs.length > 0) return false
  const [answer, ...moreAnswers] = answers
  const types = subscription ? possibleTypes(result, subscription, answer !== undefined) : ''
  const sharedValues = {
    variables: JSON.stringify(result.variables),
    hasStarted: result.has_started,
    isCompleted: result.is_completed,
    waitingBlockId: result.waiting_block_id,
    waitingBlockBotId: result.waiting_block_bot_id,
    eventTypes: types,
    ...values,
    // Complete by its type: the database would read a value that is missing as null.
  } satisfies Record<Exclude<SharedName, 'transcript'> | 'eventTypes', unknown>
  const common = { botId, workspaceId, resultId, lateBefore: computeCountedBefore(now) }
  if (values.revision === 0) {
    const hasEvents = subscription && (result.has_started || result.is_completed)
    if (updated.length + answers.length > 0 || values.separateTurn || hasEvents || timer !== undefined)
      return false
    const start = { transcript: JSON.stringify(result.transcript), ...sharedValues }
    if (bytesOf(start) > MAX_BATCHED_WRITE_BYTES) return false
    return turnBatcher(db)({ kind: 'start', values: start, ...common })
  }
  if (upserted.length + moreAnswers.length > 0) return false
  // Turns of timers set one anew or remove it; most other turns leave it as it is.
  if (answer && timer !== undefined) return false
  const turnValues = answer
    ? {
        lateBefore: common.lateBefore,
        blockId: answer.block_id,
        blockBotId: answer.block_bot_id,
        content: answer.content,
        answerSize: answer.size,
        files: answer.files ? JSON.stringify(answer.files) : null,
        transcript: JSON.stringify(answer.transcript),
        ...sharedValues,
      }
    : {
        answerSize: 0,
        transcript: transcript.length > 0 ? JSON.stringify(transcript) : null,
        timerId: timer?.id ?? null,
        timerAt: timer?.at ?? null,
        timerAfterMs: timer?.afterMs ?? 0,
        isTimerOver: timer === null,
        ...sharedValues,
      }
  if (bytesOf(turnValues) > MAX_BATCHED_WRITE_BYTES) return false
  const kind = answer ? ('answer' as const) : ('unanswered' as const)
  if (types === '') return turnBatcher(db)({ kind, values: turnValues, ...common })
  const { block_id: blockId, content, files } = answer ?? {}
  const eventData = { resultId, sessionId: values.sessionId, at: now, blockId, content, files }
  const isWritten = await turnBatcher(db)({
    kind: `${kind}WithEvents`,
    values: turnValues,
    eventData,
    ...common,
  })
  if (isWritten) notifyAfterCommit(db)
  return isWritten
}

/** Types of subscribed events that a turn may publish, by commas; empty where there are none. */
function possibleTypes(
  { has_started, is_completed }: ResultRow,
  { subscribedEvents, hasEarlierAnswer }: Subscription,
  hasAnswer: boolean,
): string {
  const may: EventType[] = []
  if (hasAnswer) may.push('result.answered')
  if (has_started && !hasEarlierAnswer) may.push('result.started')
  if (is_completed) may.push('result.completed')
  return may.filter((type) => isWanted(type, subscribedEvents)).join()
}

const turnBatcher = statements((db) =>
  createBatcher<BatchedTurn, boolean>(
    MAX_BATCH_TURNS,
    ({ kind, botId }) => `${kind} ${botId}`,
    (turns) => writeLastTurns(db, turns),
  ),
)

/**
 * Writes turns of one kind and one bot; resolves with true for each turn that was written. Of several turns of one
 * result only the last is written. An error of one turn rolls back the batch.
 */
function writeLastTurns(db: Database, turns: readonly BatchedTurn[]): Promise<boolean>[] {
  const ofResults = [...new Map(turns.map((turn) => [turn.resultId, turn])).values()]
  const written = writeGroup(db, ofResults)
  return turns.map(async (turn) => {
    const at = ofResults.indexOf(turn)
    return at >= 0 && ((await written)[at] ?? false)
  })
}

async function writeGroup(db: Database, turns: readonly BatchedTurn[]): Promise<boolean[]> {
  const [{ kind, botId, workspaceId }] = turns as [BatchedTurn]
  const write = batchedStatements(db)[kind]
  // Clocks differ: that of the latest counts.
  const countedBefore = turns
    .map((turn) => turn.lateBefore)
    .sort()
    .at(-1)
  try {
    return await write(
      turns.map(({ values }) => values),
      { botId, workspaceId, countedBefore, ...eventParameters(turns) },
    )
  } catch (error) {
    if (!(databaseError(error) instanceof pg.DatabaseError)) throw error
    return turns.map(() => false)
  }
}

/** Data of the events of a batch; empty where no endpoint subscribes. The ids of these events share their beginning. */
function eventParameters(turns: readonly BatchedTurn[]) {
  if (turns[0]?.eventData === undefined) return {}
  return {
    idPrefix: idPrefix(currentTime()),
    turns: JSON.stringify(turns.map(({ eventData: turn }) => turn)),
  }
}
