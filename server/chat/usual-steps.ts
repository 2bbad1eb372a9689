import pg from 'pg'
import type { EventType } from '../../contract/events.ts'
import { type Database, rootOf, statements } from '../db/client.ts'
import { databaseError } from '../db/errors.ts'
import { gather } from '../db/gather.ts'
import { lateBefore } from '../results/stats-epochs.ts'
import { idsBegin, isWanted, wakeAfter } from '../webhooks/outbox.ts'
import type { ResultRow, StepRows } from './saving-on-node.ts'
import { usualStatements } from './usual-statements.ts'

/*
 * The steps that nearly all are: the start of a chat with a new result, or one answer. Those of one bot that are to be
 * written at about the same time are written by one statement, since a statement costs more than what it writes. Of one
 * bot, so that no chat waits for what is done to another bot.
 */

interface UsualStep {
  kind: 'start' | 'answer' | 'answerTold'
  botId: string
  resultId: string
  values: Record<string, unknown> & { apartStep: Buffer | null }
  /** Whose endpoints are told, and what is at hand for that, as `eventsLeft` reads it. */
  told?: { workspaceId: string; atHand: unknown[] }
}

interface Told {
  workspaceId: string
  wantedEvents: string
  /** Whether an earlier step of the session has said that its result began. */
  wasAnswered: boolean
}

/** The most steps that one statement writes: `OWN_DIGITS` of the outbox tells the events of 32 apart. */
const MOST = 16

/**
 * Writes a step that is the start of a chat with a new result, or one answer. False where it is, or has, anything else,
 * and where it was not written. Not on a cluster.
 */
export async function writeUsual(
  db: Database,
  values: UsualStep['values'] & { botId: string; resultId: string | null; revision: number },
  { made, changed, answers, logs, transcript }: StepRows,
  told: Told | undefined,
  now: Date,
): Promise<boolean> {
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
    return write(db, { kind: 'start', botId, resultId, values: start })
  }
  const [answer, ...moreAnswers] = answers
  if (!answer || made.length + moreAnswers.length > 0) return false
  const given = {
    tells: told ? typesToTell(result, told) : '',
    lateBefore: lateBefore(now),
    blockId: answer.block_id,
    blockBotId: answer.block_bot_id,
    content: answer.content,
    answerSize: answer.size,
    files: answer.files,
    transcript: JSON.stringify(answer.transcript),
    ...own,
  }
  if (!told || given.tells === '') return write(db, { kind: 'answer', botId, resultId, values: given })
  const { workspaceId } = told
  const atHand = [resultId, values.sessionId, now, answer.block_id, answer.content, answer.files ?? null]
  const isWritten = await write(db, {
    kind: 'answerTold',
    botId,
    resultId,
    values: given,
    told: { workspaceId, atHand },
  })
  if (isWritten) wakeAfter(db)
  return isWritten
}

/** Types of events that a step with an answer may tell of what is wanted, by commas; empty where that is nothing. */
function typesToTell({ has_started, is_completed }: ResultRow, { wantedEvents, wasAnswered }: Told): string {
  const may: EventType[] = ['result.answered']
  if (has_started && !wasAnswered) may.push('result.started')
  if (is_completed) may.push('result.completed')
  return may.filter((type) => isWanted(type, wantedEvents)).join()
}

/** Within a transaction there is nothing to write it with. */
function write(db: Database, step: UsualStep): Promise<boolean> {
  return rootOf(db) === db ? gathering(db)(step) : writeAlone(db, step)
}

const gathering = statements((db) =>
  gather<UsualStep, boolean>(
    MOST,
    ({ kind, botId }) => `${kind} ${botId}`,
    (steps) => writeAll(db, steps),
  ),
)

/** Writes steps of one kind and one bot; whether each was written. */
function writeAll(db: Database, steps: readonly UsualStep[]): Promise<boolean>[] {
  // Of two steps of one result a statement would write one.
  const ofResults = new Map(steps.map((step) => [step.resultId, step]))
  const together = [...ofResults.values()]
  const written = writeGroup(db, together)
  return steps.map(async (step) => {
    const at = together.indexOf(step)
    return at < 0 ? writeAlone(db, step) : ((await written)[at] ?? false)
  })
}

/** Steps of different results. What keeps the database from writing one keeps it from writing any: each is on its own then. */
async function writeGroup(db: Database, steps: UsualStep[]): Promise<boolean[]> {
  try {
    return steps.length === 1 ? [await writeAlone(db, steps[0] as UsualStep)] : await writeTogether(db, steps)
  } catch (error) {
    if (steps.length === 1 || !(databaseError(error) instanceof pg.DatabaseError)) throw error
    return steps.map(() => false)
  }
}

async function writeAlone(db: Database, step: UsualStep): Promise<boolean> {
  const { kind, values } = step
  const { start, answer, answerTold, answerApart, answerApartTold } = usualStatements(db)
  const kept = { start, answer, answerTold }
  const apart = { start, answer: answerApart, answerTold: answerApartTold }
  const written = await (values.apartStep ? apart : kept)[kind]({ ...values, ...toTell([step]) })
  return written === 1
}

function writeTogether(db: Database, steps: UsualStep[]): Promise<boolean[]> {
  const [{ kind, botId }] = steps as [UsualStep]
  const { starts, answers, answersTold } = usualStatements(db)
  const given = steps.map(({ values }) => ({
    ...values,
    files: values.files ? JSON.stringify(values.files) : null,
  }))
  const write = { start: starts, answer: answers, answerTold: answersTold }[kind]
  return write(given, { botId, ...toTell(steps) })
}

/** What steps of one bot have at hand to tell; nothing where nobody is told. Their events share the beginning of an id. */
function toTell(steps: readonly UsualStep[]) {
  const workspaceId = steps[0]?.told?.workspaceId
  if (workspaceId === undefined) return {}
  const atHand = JSON.stringify(steps.map(({ told }) => told?.atHand))
  return { workspaceId, idsBegin: idsBegin(new Date()), atHand }
}
