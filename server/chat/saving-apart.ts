import { sql } from 'drizzle-orm'
import { prepareSql, prepareWrite, statements, type Transaction } from '../db/client.ts'
import { bots, chatSteps, resultAnswers, resultLogs, results, resultTranscripts } from '../db/schema.ts'
import { expression, prepareSelect, type RowOf } from '../db/selection.ts'
import { JsonText } from '../json/json-text.ts'
import { raiseEpochsOf } from '../results/stats-rollup.ts'
import { insertEvents } from '../webhooks/outbox.ts'
import type { toLogRows } from './client-logs.ts'
import type { KeptEntry } from './kept-transcripts.ts'
import { insertPreview, insertSession, overEarlierStep, updateSession } from './step-statements.ts'
import type { TranscriptEntry } from './types.ts'

/*
 * Writing one step of a chat on a cluster: a transaction of statements that each go to the node of one bot. Citus runs
 * the one statement of `step-statements.ts` in as many rounds as it has parts, and takes ten times as long.
 */

/** What all results of a step have in common, and its session. */
interface StepValues {
  sessionId: string
  botId: string
  resultId: string | null
  revision: number
  /** Null where the session keeps the step. */
  apartStep: Buffer | null
  expiresAt: string
  [name: string]: unknown
}

export interface ResultRow {
  bot_id: string
  id: string
  variables: unknown
  has_started: boolean
  is_completed: boolean
  waiting_block_id: string | null
  /** What was said in the step that makes it, where no answer has it. */
  transcript?: KeptEntry[]
}

export interface AnswerRow {
  bot_id: string
  result_id: string
  /** Its place among those of its result. */
  place: number
  block_id: string
  content: string
  files: string[] | undefined
  /** What was said in the step; with one answer of it. */
  transcript?: KeptEntry[]
}

/** What a step may have to tell of a result. */
export interface StepEvent {
  bot_id: string
  /** Id of the result. */
  subject: string
  place: number
  id: string
  type: 'result.started' | 'result.answered' | 'result.completed'
  /** What the step knows of the result. */
  data: object
}

export interface StepTold {
  workspaceId: string | undefined
  events: StepEvent[]
}

export interface StepRows {
  made: ResultRow[]
  changed: ResultRow[]
  answers: AnswerRow[]
  logs: ReturnType<typeof toLogRows>
  transcript: TranscriptEntry[]
}

const botId = sql`${sql.placeholder('botId')}::text`
const resultId = sql`${sql.placeholder('resultId')}::text`
const now = sql`${sql.placeholder('now')}::timestamptz`
const expiresAt = sql`${sql.placeholder('expiresAt')}::timestamptz`
const variables = sql`${sql.placeholder('variables')}::json`
const hasStarted = sql`${sql.placeholder('hasStarted')}::boolean`
const isCompleted = sql`${sql.placeholder('isCompleted')}::boolean`
const waitingBlockId = sql`${sql.placeholder('waitingBlockId')}::text`
const waitsUntil = sql`CASE WHEN ${waitingBlockId} IS NOT NULL THEN ${expiresAt} END`

const writtenResult = sql`created_at, has_started, is_completed, waiting_block_id, waits_until`

const shape = {
  createdAt: results.createdAt,
  hasStarted: results.hasStarted,
  isCompleted: results.isCompleted,
  waitingBlockId: results.waitingBlockId,
  waitsUntil: results.waitsUntil,
}

type WrittenResult = RowOf<typeof shape>

const apartStatements = statements((db, named) => ({
  insertSession: prepareWrite(db, named('chat_insert_session'), insertSession),
  insertPreview: prepareWrite(db, named('chat_insert_preview'), insertPreview),
  updateSession: prepareWrite(db, named('chat_update_session'), updateSession),
  insertStep: prepareWrite(
    db,
    named('chat_insert_step'),
    sql`
      INSERT INTO ${chatSteps} (bot_id, session_id, revision, step)
      VALUES (${botId}, ${sql.placeholder('sessionId')}, ${sql.placeholder('next')}, ${sql.placeholder('apartStep')}::bytea)
      ${overEarlierStep}`,
  ),
  // Who deletes all results waits for it or is waited for, see `step-statements.ts`.
  floor: prepareSelect(
    db,
    named('chat_result_floor'),
    { floor: bots.resultsFloorAt },
    (list) => sql`SELECT ${list} FROM ${bots} WHERE ${bots.id} = ${botId} FOR KEY SHARE`,
  ),
  // What a result was, and how much of it there is.
  before: prepareSelect(
    db,
    named('chat_result_before'),
    {
      ...shape,
      answers: expression(
        sql`SELECT coalesce(max(a.seq) + 1, 0) FROM ${resultAnswers} a
          WHERE a.bot_id = ${botId} AND a.result_id = ${resultId}`,
        'integer',
      ),
      transcripts: expression(
        sql`SELECT count(*) FROM ${resultTranscripts} t WHERE t.bot_id = ${botId} AND t.result_id = ${resultId}`,
        'integer',
      ),
    },
    (list) => sql`
      SELECT ${list} FROM ${results} WHERE ${results.botId} = ${botId} AND ${results.id} = ${resultId}`,
  ),
  make: prepareSql(
    db,
    named('chat_make_result'),
    sql`
      INSERT INTO ${results} AS r (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
        waiting_block_id, waits_until, created_at, updated_at, transcript)
      VALUES (${botId}, ${resultId}, ${variables}, ${hasStarted}, ${isCompleted}, false, ${sql.placeholder('sessionId')},
        ${waitingBlockId}, ${waitsUntil}, ${sql.placeholder('createdAt')}::timestamptz, ${now},
        ${sql.placeholder('transcript')}::json)
      ON CONFLICT (bot_id, id) DO UPDATE SET variables = excluded.variables,
        has_started = r.has_started OR excluded.has_started, is_completed = r.is_completed OR excluded.is_completed,
        last_chat_session_id = excluded.last_chat_session_id, waiting_block_id = excluded.waiting_block_id,
        waits_until = excluded.waits_until, updated_at = excluded.updated_at
      RETURNING ${writtenResult}`,
  ),
  change: prepareSql(
    db,
    named('chat_change_result'),
    sql`
      UPDATE ${results} SET variables = ${variables}, has_started = has_started OR ${hasStarted},
        is_completed = is_completed OR ${isCompleted}, last_chat_session_id = ${sql.placeholder('sessionId')},
        waiting_block_id = ${waitingBlockId}, waits_until = ${waitsUntil}, updated_at = ${now}
      WHERE bot_id = ${botId} AND id = ${resultId}
      RETURNING ${writtenResult}`,
  ),
}))

/** Writes a step; false, and nothing is written, when the session has moved on since it was read. */
export async function writeApart(
  tx: Transaction,
  isFirst: boolean,
  values: StepValues,
  rows: StepRows,
  told: StepTold | undefined,
  at: Date,
): Promise<boolean> {
  const run = apartStatements(tx)
  const begin = values.resultId === null ? run.insertPreview : run.insertSession
  if ((await (isFirst ? begin : run.updateSession)(values)) !== 1) return false
  if (values.apartStep) await run.insertStep({ ...values, next: values.revision + 1 })
  const written: (Written | undefined)[] = []
  for (const row of rows.changed) written.push(await writeResult(tx, values, rows, row, false, at))
  for (const row of rows.made) written.push(await writeResult(tx, values, rows, row, true, at))
  const events = told ? eventsOf(told.events, written) : []
  if (told && events.length > 0) {
    await tx.execute(
      insertEvents(sql`
        SELECT ${told.workspaceId}::text AS workspace_id, h.bot_id, h.subject, h.place, h.id, h.type, h.data,
          ${at.toISOString()}::timestamptz AS at
        FROM json_to_recordset(${JSON.stringify(events)}::json)
          AS h(bot_id text, subject text, place integer, id text, type text, data json)`),
    )
  }
  return true
}

/** What a step made of a result. */
interface Written {
  row: ResultRow
  before: WrittenResult | undefined
  after: WrittenResult
}

/** Writes a result and what the step adds to it; undefined where it was deleted meanwhile. */
async function writeResult(
  tx: Transaction,
  values: StepValues,
  rows: StepRows,
  row: ResultRow,
  isMade: boolean,
  at: Date,
): Promise<Written | undefined> {
  const run = apartStatements(tx)
  const key = { botId: row.bot_id, resultId: row.id }
  const [before] = await run.before(key)
  const floor = isMade ? (await run.floor({ botId: row.bot_id }))[0]?.floor : undefined
  const written = await run[isMade ? 'make' : 'change']({
    ...values,
    ...key,
    variables: JSON.stringify(row.variables),
    hasStarted: row.has_started,
    isCompleted: row.is_completed,
    waitingBlockId: row.waiting_block_id,
    transcript: row.transcript ? JSON.stringify(row.transcript) : null,
    createdAt: new Date(Math.max(at.getTime(), floor ? floor.getTime() + 1 : 0)).toISOString(),
  })
  const [found] = written.rows
  if (!found) return undefined
  const after = toWritten(found)
  const answers = rows.answers.filter((answer) => answer.bot_id === row.bot_id && answer.result_id === row.id)
  if (answers.length > 0) {
    await tx.insert(resultAnswers).values(
      answers.map((answer) => ({
        ...key,
        seq: answer.place + (before?.answers ?? 0),
        blockId: answer.block_id,
        content: answer.content,
        attachedFileUrls: answer.files,
        createdAt: at,
        transcript: answer.transcript && new JsonText(JSON.stringify(answer.transcript)),
      })),
    )
  }
  const isOwn = row.bot_id === values.botId && row.id === values.resultId
  if (isOwn && rows.logs.length > 0) {
    await tx.insert(resultLogs).values(rows.logs.map((log) => ({ ...log, ...key, createdAt: at })))
  }
  if (isOwn && rows.transcript.length > 0) {
    const id = `${String(before?.transcripts ?? 0).padStart(10, '0')}.${before?.answers ?? 0}`
    const entries = new JsonText(JSON.stringify(rows.transcript))
    await tx.insert(resultTranscripts).values({ ...key, id, entries })
  }
  const isChanged = answers.length > 0 || !isSame(before, after)
  if (isChanged) await raiseEpochsOf(tx, row.bot_id, [after.createdAt], at)
  return { row, before, after }
}

function toWritten(row: Record<string, unknown>): WrittenResult {
  return {
    createdAt: row.created_at as Date,
    hasStarted: row.has_started as boolean,
    isCompleted: row.is_completed as boolean,
    waitingBlockId: row.waiting_block_id as string | null,
    waitsUntil: row.waits_until as Date | null,
  }
}

function isSame(before: WrittenResult | undefined, after: WrittenResult): boolean {
  return (
    before !== undefined &&
    before.hasStarted === after.hasStarted &&
    before.isCompleted === after.isCompleted &&
    before.waitingBlockId === after.waitingBlockId &&
    before.waitsUntil?.getTime() === after.waitsUntil?.getTime()
  )
}

/** Those of the events that there are to tell, with what was found of their results. */
function eventsOf(events: StepEvent[], written: (Written | undefined)[]): StepEvent[] {
  return events.flatMap((event) => {
    const its = written.find((other) => other?.row.bot_id === event.bot_id && other.row.id === event.subject)
    if (!its) return []
    const { before, after } = its
    if (event.type === 'result.started' && before?.hasStarted) return []
    if (event.type === 'result.completed' && before?.isCompleted) return []
    const { hasStarted, isCompleted, createdAt } = after
    return { ...event, data: { ...event.data, hasStarted, isCompleted, createdAt: createdAt.toISOString() } }
  })
}
