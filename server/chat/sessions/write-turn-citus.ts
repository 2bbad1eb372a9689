import { sql } from 'drizzle-orm'
import { nodeOf } from '../../db/citus/nodes.ts'
import { type Database, statements, transact } from '../../db/client.ts'
import { expression, optional, prepareSelect, type RowOf } from '../../db/typed-select.ts'
import { newId } from '../../ids.ts'
import { computeDaysCountedBefore } from '../../results/stats-epochs.ts'
import { insertEvents } from '../../webhooks/outbox.ts'
import type { ResultRow, TurnEventRow, TurnRows } from './turn-statements.ts'

/*
 * Writes one turn of a chat on a cluster. The node of the bot runs a function (`migrations/distribute.sql`) which
 * does the same as the one statement of `turn-statements.ts`. Citus would run that statement in as many rounds as it
 * has parts, and would plan each statement of a transaction of small ones on two nodes.
 */

/** Values of the session row, by the names of the parameters below. */
interface TurnValues {
  botId: string
  resultId: string | null
  [name: string]: unknown
}

export interface TurnWebhooks {
  workspaceId: string
  events: TurnEventRow[]
}

/** State of a result after the write; all null if it does not exist, since it was deleted meanwhile. */
const written = {
  createdAt: optional(expression(sql`created_at`, 'timestamptz')),
  hasStarted: optional(expression(sql`has_started`, 'boolean')),
  isCompleted: optional(expression(sql`is_completed`, 'boolean')),
  // Before the turn.
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
  turn: prepareSelect(
    db,
    named('chat_turn_on_node'),
    { isWritten: expression(sql`is_written`, 'boolean'), ...written },
    (list) =>
      sql`SELECT ${list} FROM write_chat_turn(${parameters(
        'botId',
        'sessionId',
        'publicationId',
        'resultId',
        'revision',
        'memberEdits',
        'isEnded',
        'state',
        'lastDigest',
        'inlineTurn',
        'separateTurn',
        'endedAt',
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

/** Writes a turn. Returns false, and writes nothing, if the session has moved on since it was read. */
export async function writeTurnOnCitus(
  db: Database,
  values: TurnValues,
  rows: TurnRows,
  webhooks: TurnWebhooks | undefined,
  at: Date,
): Promise<boolean> {
  const isOwn = ({ bot_id, id }: ResultRow) => bot_id === values.botId && id === values.resultId
  const all = [...rows.resultUpdates, ...rows.resultUpserts]
  const own = all.find(isOwn)
  const linked = all.filter((row) => !isOwn(row))
  const writeOwn = (within: Database) =>
    nodeStatements(within).turn({ memberEdits: null, isEnded: null, ...values, ...givenOf(own, rows, at) })
  if (linked.length === 0 && !webhooks?.events.length) {
    const [turn] = await writeOwn(await nodeOf(db, values.botId))
    return turn?.isWritten === true
  }
  return transact(db, async (tx) => {
    const [turn] = await writeOwn(tx)
    if (!turn?.isWritten) return false
    const known: Written[] = own ? [{ ...turn, row: own }] : []
    const others = { ...rows, logs: [], transcript: [] }
    for (const row of linked) {
      const ids = { botId: row.bot_id, resultId: row.id, sessionId: values.sessionId }
      const [found] = await nodeStatements(tx).result({ ...values, ...ids, ...givenOf(row, others, at) })
      if (found) known.push({ ...found, row })
    }
    const events = webhooks ? eventsOf(webhooks.events, known) : []
    if (webhooks && events.length > 0) {
      await insertEvents(
        tx,
        webhooks.workspaceId,
        sql`
          SELECT h.bot_id, h.subject, h.ordinal, h.id, h.type, h.data, ${at.toISOString()}::timestamptz AS at
          FROM json_to_recordset(${JSON.stringify(events)}::json)
            AS h(bot_id text, subject text, ordinal integer, id text, type text, data json)`,
      )
    }
    return true
  })
}

/** Parameters of the functions for one result; without a result nothing of it is written. */
function givenOf(row: ResultRow | undefined, rows: TurnRows, at: Date) {
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
    lateBefore: computeDaysCountedBefore(at),
  }
}

/** Returns the events that are due, completed with the values found in their results. */
function eventsOf(events: TurnEventRow[], known: Written[]): TurnEventRow[] {
  return events.flatMap((event) => {
    const its = known.find(({ row }) => row.bot_id === event.bot_id && row.id === event.subject)
    if (!its?.createdAt) return []
    if (event.type === 'result.started' && its.hadStarted) return []
    if (event.type === 'result.completed' && its.wasCompleted) return []
    const { hasStarted, isCompleted, createdAt } = its
    return { ...event, data: { ...event.data, hasStarted, isCompleted, createdAt: createdAt.toISOString() } }
  })
}
