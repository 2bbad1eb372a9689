import { sql } from 'drizzle-orm'
import { type Database, statements, transact } from '../db/client.ts'
import { nodeOf } from '../db/nodes.ts'
import { expression, optional, prepareSelect, type RowOf } from '../db/selection.ts'
import { newId } from '../ids.ts'
import { daysLateBefore } from '../results/stats-epochs.ts'
import { insertEvents } from '../webhooks/outbox.ts'
import type { toLogRows } from './client-logs.ts'
import type { KeptEntry } from './kept-transcripts.ts'
import type { TranscriptEntry } from './types.ts'

/*
 * Writing one step of a chat on a cluster: the node of the bot runs a function (`migrations/distribute.sql`) which does
 * what the one statement of `step-statements.ts` does. That statement Citus runs in as many rounds as it has parts, and of
 * a transaction of small ones it plans each on two nodes.
 */

/** What the session gets, by the names of the parameters below. */
interface StepValues {
  botId: string
  resultId: string | null
  [name: string]: unknown
}

export interface ResultRow {
  bot_id: string
  id: string
  variables: unknown
  has_started: boolean
  is_completed: boolean
  waiting_block_id: string | null
  /** The bot of that block where it is another one. */
  waiting_block_bot_id: string | null
  /** Whether the step makes it: one that was deleted since does not come back. */
  is_new: boolean
  /** What was said in the step that makes it, where no answer has it. */
  transcript?: KeptEntry[]
}

export interface AnswerRow {
  bot_id: string
  result_id: string
  /** Its place among those of its result. */
  place: number
  block_id: string
  /** The bot of the block where that is another one than that of the result. */
  block_bot_id: string | null
  content: string
  /** Bytes of content and addresses of files. */
  size: number
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
  workspaceId: string
  events: StepEvent[]
}

export interface StepRows {
  made: ResultRow[]
  changed: ResultRow[]
  answers: AnswerRow[]
  logs: ReturnType<typeof toLogRows>
  transcript: TranscriptEntry[]
}

/** What became of a result: all null where there is none, since it was deleted meanwhile. */
const written = {
  createdAt: optional(expression(sql`created_at`, 'timestamptz')),
  hasStarted: optional(expression(sql`has_started`, 'boolean')),
  isCompleted: optional(expression(sql`is_completed`, 'boolean')),
  // Before the step.
  hadStarted: optional(expression(sql`had_started`, 'boolean')),
  wasCompleted: optional(expression(sql`was_completed`, 'boolean')),
}

type Written = RowOf<typeof written> & { row: ResultRow }

const parameters = (...names: string[]) =>
  sql.join(
    names.map((name) => sql.placeholder(name)),
    sql`, `,
  )

const ofResult = parameters(
  'isNew',
  'variables',
  'hasStarted',
  'isCompleted',
  'waitingBlockId',
  'waitingBlockBotId',
  'transcript',
  'answers',
  'logs',
  'fullLogId',
  'turns',
  'now',
  'expiresAt',
  'lateBefore',
)

const nodeStatements = statements((db, named) => ({
  step: prepareSelect(
    db,
    named('chat_step_on_node'),
    { isWritten: expression(sql`is_written`, 'boolean'), ...written },
    (list) =>
      sql`SELECT ${list} FROM write_chat_step(${parameters(
        'botId',
        'sessionId',
        'publicationId',
        'resultId',
        'revision',
        'steered',
        'isEnded',
        'state',
        'lastMessage',
        'lastAnswer',
        'keptStep',
        'apartStep',
        'endedAt',
        // When the step is saved, which only a function of the release before is told.
        'now',
      )}, ${ofResult})`,
  ),
  result: prepareSelect(
    db,
    named('chat_result_on_node'),
    written,
    (list) => sql`
      SELECT ${list} FROM write_chat_result(${parameters('botId', 'resultId', 'sessionId')}, ${ofResult})`,
  ),
}))

/** Writes a step; false, and nothing is written, when the session has moved on since it was read. */
export async function writeOnNode(
  db: Database,
  values: StepValues,
  rows: StepRows,
  told: StepTold | undefined,
  at: Date,
): Promise<boolean> {
  const isOwn = ({ bot_id, id }: ResultRow) => bot_id === values.botId && id === values.resultId
  const all = [...rows.changed, ...rows.made]
  const own = all.find(isOwn)
  const linked = all.filter((row) => !isOwn(row))
  const writeOwn = (within: Database) =>
    nodeStatements(within).step({ steered: null, isEnded: null, ...values, ...givenOf(own, rows, at) })
  if (linked.length === 0 && !told?.events.length) {
    const [step] = await writeOwn(await nodeOf(db, values.botId))
    return step?.isWritten === true
  }
  return transact(db, async (tx) => {
    const [step] = await writeOwn(tx)
    if (!step?.isWritten) return false
    const known: Written[] = own ? [{ ...step, row: own }] : []
    const others = { ...rows, logs: [], transcript: [] }
    for (const row of linked) {
      const ids = { botId: row.bot_id, resultId: row.id, sessionId: values.sessionId }
      const [found] = await nodeStatements(tx).result({ ...values, ...ids, ...givenOf(row, others, at) })
      if (found) known.push({ ...found, row })
    }
    const events = told ? eventsOf(told.events, known) : []
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
  })
}

/** What the functions are given of a result; without one, nothing of it is written. */
function givenOf(row: ResultRow | undefined, rows: StepRows, at: Date) {
  const answers = rows.answers.filter(
    (answer) => answer.bot_id === row?.bot_id && answer.result_id === row.id,
  )
  return {
    isNew: row ? row.is_new : null,
    variables: row ? JSON.stringify(row.variables) : null,
    hasStarted: row?.has_started,
    isCompleted: row?.is_completed,
    waitingBlockId: row?.waiting_block_id,
    waitingBlockBotId: row?.waiting_block_bot_id,
    transcript: row?.transcript ? JSON.stringify(row.transcript) : null,
    answers: JSON.stringify(answers),
    logs: JSON.stringify(rows.logs),
    fullLogId: newId(at),
    turns: rows.transcript.length > 0 ? JSON.stringify(rows.transcript) : null,
    lateBefore: daysLateBefore(at),
  }
}

/** Those of the events that there are to tell, with what was found of their results. */
function eventsOf(events: StepEvent[], known: Written[]): StepEvent[] {
  return events.flatMap((event) => {
    const its = known.find(({ row }) => row.bot_id === event.bot_id && row.id === event.subject)
    if (!its?.createdAt) return []
    if (event.type === 'result.started' && its.hadStarted) return []
    if (event.type === 'result.completed' && its.wasCompleted) return []
    const { hasStarted, isCompleted, createdAt } = its
    return { ...event, data: { ...event.data, hasStarted, isCompleted, createdAt: createdAt.toISOString() } }
  })
}
