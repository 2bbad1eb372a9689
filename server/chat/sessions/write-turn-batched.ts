import pg from 'pg'
import type { EventType } from '../../../contract/events.ts'
import { currentTime } from '../../clock.ts'
import { createBatcher } from '../../db/batcher.ts'
import { type Database, rootOf, statements } from '../../db/client.ts'
import { databaseError } from '../../db/errors.ts'
import { lateBefore } from '../../results/stats-epochs.ts'
import { idPrefix, isWanted, notifyAfterCommit } from '../../webhooks/outbox.ts'
import { batchedStatements } from './batched-statements.ts'
import type { ResultRow, TurnRows } from './write-turn-citus.ts'

/*
 * Writes the most frequent turns: the start of a chat with a new result, or one answer. One statement writes a batch
 * of them, or one alone, since it costs more than its rows. A batch has one bot only, so that no chat waits for another
 * bot. All other turns, and those that a batch did not write, go by `turn-statements.ts`.
 */

interface UsualStep {
  kind: 'start' | 'answer' | 'answerTold'
  botId: string
  resultId: string
  values: Record<string, unknown> & { apartStep: Buffer | null }
  /** The workspace of the endpoints, and the data of the events, as `expandOutboxRow` reads it. */
  told?: { workspaceId: string; turn: Record<string, unknown> }
}

interface Told {
  workspaceId: string
  subscribedEvents: string
  /** True if an earlier turn of the session has published that its result began. */
  wasAnswered: boolean
}

/** Maximum turns that one statement writes: `OWN_ID_DIGITS` of the outbox suffices for the event ids of 32. */
const MAX_BATCH_TURNS = 16

/**
 * Writes a turn that is the start of a chat with a new result, or one answer. Returns false if the turn is or has
 * anything else, or was not written. Not on a cluster.
 */
export async function writeTurnBatched(
  db: Database,
  values: UsualStep['values'] & { botId: string; resultId: string | null; revision: number },
  { made, changed, answers, logs, transcript }: TurnRows,
  told: Told | undefined,
  now: Date,
): Promise<boolean> {
  // A transaction cannot join a batch.
  if (rootOf(db) !== db) return false
  const [result, ...others] = [...made, ...changed]
  const { botId, resultId } = values
  if (!result || resultId === null || others.length + logs.length + transcript.length > 0) return false
  const own = {
    variables: JSON.stringify(result.variables),
    hasStarted: result.has_started,
    isCompleted: result.is_completed,
    waitingBlockId: result.waiting_block_id,
    waitingBlockBotId: result.waiting_block_bot_id,
    ...values,
  }
  if (values.revision === 0) {
    const isTold = told && (result.has_started || result.is_completed)
    if (changed.length + answers.length > 0 || values.apartStep || isTold) return false
    const start = { transcript: JSON.stringify(result.transcript), ...own }
    return gathering(db)({ kind: 'start', botId, resultId, values: start })
  }
  const [answer, ...moreAnswers] = answers
  if (!answer || made.length + moreAnswers.length > 0) return false
  const given = {
    tells: told ? possibleTypes(result, told) : '',
    lateBefore: lateBefore(now),
    blockId: answer.block_id,
    blockBotId: answer.block_bot_id,
    content: answer.content,
    answerSize: answer.size,
    files: answer.files,
    transcript: JSON.stringify(answer.transcript),
    ...own,
  }
  if (!told || given.tells === '') return gathering(db)({ kind: 'answer', botId, resultId, values: given })
  const { workspaceId } = told
  const { block_id: blockId, content, files } = answer
  const turn = { resultId, sessionId: values.sessionId, at: now, blockId, content, files }
  const isWritten = await gathering(db)({
    kind: 'answerTold',
    botId,
    resultId,
    values: given,
    told: { workspaceId, turn },
  })
  if (isWritten) notifyAfterCommit(db)
  return isWritten
}

/** Types of subscribed events that a turn with an answer may publish, by commas; empty where there are none. */
function possibleTypes(
  { has_started, is_completed }: ResultRow,
  { subscribedEvents, wasAnswered }: Told,
): string {
  const may: EventType[] = ['result.answered']
  if (has_started && !wasAnswered) may.push('result.started')
  if (is_completed) may.push('result.completed')
  return may.filter((type) => isWanted(type, subscribedEvents)).join()
}

const gathering = statements((db) =>
  createBatcher<UsualStep, boolean>(
    MAX_BATCH_TURNS,
    ({ kind, botId }) => `${kind} ${botId}`,
    (steps) => writeAll(db, steps),
  ),
)

/**
 * Writes turns of one kind and one bot; resolves with true for each turn that was written. Of several turns of one
 * result only the last is written. An error of one turn rolls back the batch.
 */
function writeAll(db: Database, steps: readonly UsualStep[]): Promise<boolean>[] {
  const ofResults = [...new Map(steps.map((step) => [step.resultId, step])).values()]
  const written = writeGroup(db, ofResults)
  return steps.map(async (step) => {
    const at = ofResults.indexOf(step)
    return at >= 0 && ((await written)[at] ?? false)
  })
}

async function writeGroup(db: Database, steps: readonly UsualStep[]): Promise<boolean[]> {
  const [{ kind, botId }] = steps as [UsualStep]
  const { starts, answers, answersTold } = batchedStatements(db)
  const given = steps.map(({ values }) => ({
    ...values,
    files: values.files ? JSON.stringify(values.files) : null,
  }))
  const write = { start: starts, answer: answers, answerTold: answersTold }[kind]
  try {
    return await write(given, { botId, ...toTell(steps) })
  } catch (error) {
    if (!(databaseError(error) instanceof pg.DatabaseError)) throw error
    return steps.map(() => false)
  }
}

/** Data of the events of a batch; empty where no endpoint subscribes. The ids of these events share their beginning. */
function toTell(steps: readonly UsualStep[]) {
  const workspaceId = steps[0]?.told?.workspaceId
  if (workspaceId === undefined) return {}
  const turns = JSON.stringify(steps.map(({ told }) => told?.turn))
  return { workspaceId, idPrefix: idPrefix(currentTime()), turns }
}
