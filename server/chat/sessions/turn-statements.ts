import { type SQL, sql } from 'drizzle-orm'
import { prepareWrite, statements } from '../../db/client.ts'
import {
  bots,
  chatSessions,
  chatTurns,
  resultAnswers,
  resultLogs,
  results,
  resultTranscripts,
} from '../../db/schema.ts'
import { raiseEpochs } from '../../results/stats-epochs.ts'
import { enqueueEvents } from '../../webhooks/outbox.ts'
import type { TranscriptEntry } from '../engine/types.ts'
import { givenLogs, type toLogRows } from './client-logs.ts'
import type { EncodedEntry } from './codec.ts'

/* Writes one turn of a chat in one statement, with the parameters from `write-turn.ts`. */

export interface ResultRow {
  bot_id: string
  id: string
  variables: unknown
  has_started: boolean
  is_completed: boolean
  waiting_block_id: string | null
  /** The bot of that block where it is another one. */
  waiting_block_bot_id: string | null
  /** True if this turn creates the result. A result that was deleted since is not created again. */
  is_new: boolean
  /** Transcript of the turn that creates the result, if no answer carries it. */
  transcript?: EncodedEntry[]
}

export interface AnswerRow {
  bot_id: string
  result_id: string
  /** Its ordinal among the answers of its result in this turn. */
  ordinal: number
  block_id: string
  /** The bot of the block where that is another one than that of the result. */
  block_bot_id: string | null
  content: string
  /** Bytes of content and addresses of files. */
  size: number
  files: string[] | undefined
  /** Transcript of the turn; one of its answers carries it. */
  transcript?: EncodedEntry[]
}

/** An event of a result that a turn may publish. */
export interface TurnEventRow {
  bot_id: string
  /** Id of the result. */
  subject: string
  ordinal: number
  id: string
  type: 'result.started' | 'result.answered' | 'result.completed'
  /** The properties of the result that the turn knows. */
  data: object
}

export interface TurnRows {
  resultUpserts: ResultRow[]
  resultUpdates: ResultRow[]
  answers: AnswerRow[]
  logs: ReturnType<typeof toLogRows>
  transcript: TranscriptEntry[]
}

const turnTime = sql`${sql.placeholder('now')}::timestamptz`
/** The clock of the database, so that every process can later measure the age of the turn by it. */
export const savedAt = sql`clock_timestamp()`
const expiresAt = sql`${sql.placeholder('expiresAt')}::timestamptz`
const endedAt = sql`${sql.placeholder('endedAt')}::timestamptz`
const state = sql`${sql.placeholder('state')}::json`
const lateBefore = sql`${sql.placeholder('lateBefore')}::timestamptz`
const lastDigest = sql.placeholder('lastDigest')
/** The turn, stored in the session or in a row of its own. */
const inlineTurn = sql`${sql.placeholder('inlineTurn')}::bytea`
const separateTurn = sql`${sql.placeholder('separateTurn')}::bytea`
const sessionId = sql.placeholder('sessionId')
export const botId = sql.placeholder('botId')
const resultId = sql.placeholder('resultId')

const sessionRowInsertion = sql`
  INSERT INTO ${chatSessions} (id, bot_id, publication_id, result_id, state, revision, last_digest,
    ended_at, expires_at, created_at, updated_at, inline_turns)
  VALUES (${sessionId}, ${botId}, ${sql.placeholder('publicationId')}, ${resultId}, ${state}, 1, ${lastDigest},
    ${endedAt}, ${expiresAt}, ${turnTime}, ${savedAt}, ${inlineTurn})`

/** The first turn of a chat. */
const sessionInsertion = sql`${sessionRowInsertion} RETURNING id, revision`

/** The first turn of a preview, which alone may begin again under its id. */
const previewInsertion = sql`
  ${sessionRowInsertion}
  ON CONFLICT (bot_id, id) DO UPDATE SET state = excluded.state, revision = 1, lease_id = NULL,
    last_digest = excluded.last_digest, ended_at = excluded.ended_at,
    expires_at = excluded.expires_at, updated_at = excluded.updated_at
    WHERE ${chatSessions}.publication_id IS NULL AND excluded.publication_id IS NULL
  RETURNING id, revision`

const sessionUpdate = sql`
  UPDATE ${chatSessions} SET state = ${state}, revision = revision + 1, result_id = ${resultId},
    last_digest = ${lastDigest}, ended_at = ${endedAt}, expires_at = ${expiresAt},
    updated_at = ${savedAt}, member_edits = NULL, inline_turns = coalesce(${inlineTurn} || coalesce(inline_turns, ''), inline_turns)
  WHERE bot_id = ${botId} AND id = ${sessionId} AND revision = ${sql.placeholder('revision')}
    AND member_edits::text IS NOT DISTINCT FROM ${sql.placeholder('memberEdits')}::text
    AND (state IS NULL) = ${sql.placeholder('isEnded')}::boolean
  RETURNING id, revision`

/** A preview that begins again overwrites its earlier turns. */
const overEarlierTurn = sql`ON CONFLICT (bot_id, session_id, revision) DO UPDATE SET turn = excluded.turn`

const withTurn = (writtenSession: SQL, conflict = sql``) => sql`
  WITH session AS (${writtenSession}),
  separate_turn AS (
    INSERT INTO ${chatTurns} (bot_id, session_id, revision, turn)
    SELECT ${botId}, session.id, session.revision, ${separateTurn} FROM session WHERE ${separateTurn} IS NOT NULL
    ${conflict}
  )`

/** Results of hours that may be counted already, of which this turn changes counted values. */
const updatedLate = sql`
  SELECT written.bot_id, written.created_at FROM written
  LEFT JOIN LATERAL (
    SELECT * FROM ${results} o WHERE o.bot_id = written.bot_id AND o.id = written.id LIMIT 1
  ) AS before ON true
  WHERE written.created_at < ${lateBefore}
    AND (
      (written.has_started, written.is_completed, written.waiting_block_id, written.waits_until) IS DISTINCT FROM
        (before.has_started, before.is_completed, before.waiting_block_id, before.waits_until)
      OR EXISTS (
        SELECT FROM json_to_recordset(${sql.placeholder('answers')}::json) AS a(bot_id text, result_id text)
        WHERE a.bot_id = written.bot_id AND a.result_id = written.id
      )
    )`

/** The log entry of a result whose answers are too long to store more. */
const FULL_RESULT_MESSAGE = 'The answers are too long: no more are stored with this result'

/** Results of a turn, from its parameters. */
const parameterRows = (
  name: 'resultUpserts' | 'resultUpdates',
) => sql`json_to_recordset(${sql.placeholder(name)}::json)
  AS r(bot_id text, id text, variables json, has_started boolean, is_completed boolean, waiting_block_id text,
    waiting_block_bot_id text, is_new boolean, transcript json)`

/** Answers of a turn, from their parameter. */
const givenAnswers = sql`json_to_recordset(${sql.placeholder('answers')}::json)
  AS a(bot_id text, result_id text, ordinal integer, block_id text, block_bot_id text, content text, size integer,
    files json, transcript json)`

/** Bytes of the answers of a turn to a result. */
const sizeOf = (result: string) => sql`coalesce((SELECT sum(a.size) FROM ${givenAnswers}
  WHERE a.bot_id = ${sql.raw(result)}.bot_id AND a.result_id = ${sql.raw(result)}.id), 0)`

/** A result whose answers exceed this stores no more answers. */
export const MAX_ANSWERS_BYTES = 8_000_000
export const maxAnswers = sql.raw(String(MAX_ANSWERS_BYTES))

/** Up to when results of a bot are deleted, although their rows may still be there. */
export const floorOf = (bot: SQL) =>
  sql`coalesce((SELECT results_floor_at FROM ${bots} WHERE id = ${bot}), '-infinity')`

/** The row of a result that a linked bot had before, which is locked; none where it was deleted. */
const isLinkedStill = sql`EXISTS (
  SELECT FROM ${results} e WHERE e.bot_id = r.bot_id AND e.id = r.id
    AND NOT e.is_archived AND e.created_at > coalesce(b.results_floor_at, '-infinity') FOR NO KEY UPDATE)`

const waitsUntil = sql`CASE WHEN r.waiting_block_id IS NOT NULL THEN ${expiresAt} END`

/** The id of a further part of the transcript of a result: the number of the part, and of the answers before it. */
export const transcriptId = sql`lpad(coalesce((
        SELECT split_part(max(e.id), '.', 1)::bigint + 1 FROM ${resultTranscripts} e
        WHERE e.bot_id = written.bot_id AND e.result_id = written.id
      ), 0)::text, 10, '0') || '.' || coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} e WHERE e.bot_id = written.bot_id AND e.result_id = written.id
      ), 0)`

/*
 * A new result locks its bot, so that it and a deletion of all results wait for each other. Its timestamp is above
 * the floor that the deletion leaves, whatever the clocks of processes say.
 *
 * The planner expects a hundred rows from the given JSON, for which it would scan thousands of bots or results. So
 * each bot is looked up by itself, and the result that changes by parameters.
 */
const withResult = (writtenSession: SQL, more = sql``) => sql`
  ${withTurn(writtenSession)},
  upserted AS (
    INSERT INTO ${results} (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      waiting_block_id, waiting_block_bot_id, waits_until, created_at, updated_at, transcript, answers_size)
    SELECT r.bot_id, r.id, r.variables, r.has_started, r.is_completed, false, session.id, r.waiting_block_id,
      r.waiting_block_bot_id, ${waitsUntil}, greatest(${turnTime}, b.results_floor_at + interval '1 millisecond'), ${turnTime},
      r.transcript, ${sizeOf('r')}
    FROM session, ${parameterRows('resultUpserts')}
    CROSS JOIN LATERAL (SELECT results_floor_at FROM ${bots} WHERE id = r.bot_id FOR KEY SHARE) AS b
    WHERE CASE WHEN r.is_new THEN true ELSE ${isLinkedStill} END
    ON CONFLICT (bot_id, id) DO UPDATE SET variables = excluded.variables,
      has_started = ${results}.has_started OR excluded.has_started,
      is_completed = ${results}.is_completed OR excluded.is_completed,
      last_chat_session_id = excluded.last_chat_session_id, waiting_block_id = excluded.waiting_block_id,
      waiting_block_bot_id = excluded.waiting_block_bot_id, waits_until = excluded.waits_until,
      updated_at = excluded.updated_at, answers_size = ${results}.answers_size + excluded.answers_size
      WHERE NOT ${results}.is_archived AND ${results}.created_at > ${floorOf(sql`${results}.bot_id`)}
    RETURNING bot_id, id, created_at, has_started, is_completed, waiting_block_id, waits_until, answers_size
  ), updated AS (
    UPDATE ${results} o SET variables = r.variables, has_started = o.has_started OR r.has_started,
      is_completed = o.is_completed OR r.is_completed, last_chat_session_id = session.id,
      waiting_block_id = r.waiting_block_id, waiting_block_bot_id = r.waiting_block_bot_id,
      waits_until = ${waitsUntil}, updated_at = ${turnTime}, answers_size = o.answers_size + ${sizeOf('r')}
    FROM session, ${parameterRows('resultUpdates')}
    WHERE o.bot_id = ${botId} AND o.id = ${resultId} AND o.bot_id = r.bot_id AND o.id = r.id
      AND NOT o.is_archived AND o.created_at > ${floorOf(sql`${botId}`)}
    RETURNING o.bot_id, o.id, o.created_at, o.has_started, o.is_completed, o.waiting_block_id, o.waits_until,
      o.answers_size
  ), written AS (
    SELECT * FROM upserted UNION ALL SELECT * FROM updated
  ), ${raiseEpochs(updatedLate, lateBefore)}, answers AS (
    INSERT INTO ${resultAnswers} (bot_id, result_id, seq, block_id, block_bot_id, content, attached_file_urls,
      created_at, transcript)
    SELECT written.bot_id, written.id, a.ordinal + coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} e WHERE e.bot_id = written.bot_id AND e.result_id = written.id
      ), 0), a.block_id, a.block_bot_id, a.content,
      CASE WHEN a.files IS NULL THEN NULL ELSE ARRAY(SELECT json_array_elements_text(a.files)) END, ${turnTime}, a.transcript
    FROM ${givenAnswers}
    JOIN written ON written.bot_id = a.bot_id AND written.id = a.result_id AND written.answers_size <= ${maxAnswers}
  ), full_log AS (
    INSERT INTO ${resultLogs} (bot_id, result_id, id, status, description, created_at)
    SELECT written.bot_id, written.id, ${sql.placeholder('fullLogId')}::text, 'error', ${sql.raw(`'${FULL_RESULT_MESSAGE}'`)}, ${turnTime}
    FROM written WHERE written.answers_size > ${maxAnswers} AND written.answers_size - ${sizeOf('written')} <= ${maxAnswers}
  ), logs AS (
    INSERT INTO ${resultLogs} (bot_id, result_id, id, status, description, details, context, created_at)
    SELECT written.bot_id, written.id, l.id, l.status, l.description, l.details, l.context, ${turnTime}
    FROM written, ${givenLogs}
    WHERE written.bot_id = ${botId} AND written.id = ${resultId}
  ), transcript AS (
    INSERT INTO ${resultTranscripts} (bot_id, result_id, id, entries)
    SELECT written.bot_id, written.id, ${transcriptId}, t.entries
    FROM written, json_to_recordset(${sql.placeholder('transcript')}::json) AS t(entries json)
    WHERE written.bot_id = ${botId} AND written.id = ${resultId}
  ) ${more}
  SELECT id FROM session`

export const workspaceId = sql`${sql.placeholder('workspaceId')}::text`

/** The JSON of an event as far as the turn knows it, without its end. */
export const eventPrefix = ({ subject, ordinal, id, type, data }: TurnEventRow, at: Date) =>
  JSON.stringify({ subject, ordinal, id, type, at, data }).slice(0, -2)

/** The properties of a result that only the database knows; they end the JSON of an event. */
const eventSuffix = sql`
  ',"hasStarted":' || written.has_started::text || ',"isCompleted":' || written.is_completed::text
    || ',"createdAt":"' || to_char(written.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}}'`

/**
 * Enqueues the events of a turn that are due, each with the properties of its result. The turn that changes a flag of
 * a result publishes that change.
 */
const eventInsertion = sql`, queued AS (${enqueueEvents(
  sql`
    SELECT t.bot_id, t.id, 1 AS size, t.known || ${eventSuffix} AS event
    FROM json_to_recordset(${sql.placeholder('events')}::json)
      AS t(bot_id text, subject text, id text, type text, known text)
    JOIN written ON written.bot_id = t.bot_id AND written.id = t.subject
    WHERE CASE WHEN t.type = 'result.answered' THEN written.answers_size <= ${maxAnswers} ELSE NOT EXISTS (
      SELECT FROM ${results} before WHERE before.bot_id = written.bot_id AND before.id = written.id
        AND CASE t.type WHEN 'result.started' THEN before.has_started ELSE before.is_completed END) END`,
  workspaceId,
)})`

const withoutResult = (writtenSession: SQL) =>
  sql`${withTurn(writtenSession, overEarlierTurn)} SELECT id FROM session`

export const turnStatements = statements((db, named) => ({
  first: prepareWrite(db, named('chat_first_turn'), withResult(sessionInsertion)),
  firstWithoutResult: prepareWrite(db, named('chat_first_turn_bare'), withoutResult(previewInsertion)),
  next: prepareWrite(db, named('chat_next_turn'), withResult(sessionUpdate)),
  nextWithoutResult: prepareWrite(db, named('chat_next_turn_bare'), withoutResult(sessionUpdate)),
  firstWithEvents: prepareWrite(
    db,
    named('chat_first_turn_with_events'),
    withResult(sessionInsertion, eventInsertion),
  ),
  nextWithEvents: prepareWrite(
    db,
    named('chat_next_turn_with_events'),
    withResult(sessionUpdate, eventInsertion),
  ),
}))
