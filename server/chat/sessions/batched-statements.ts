import { type SQL, sql } from 'drizzle-orm'
import { prepareBatchedWrite } from '../../db/batched-query.ts'
import { statements } from '../../db/client.ts'
import {
  bots,
  chatSessions,
  chatTimers,
  chatTurns,
  resultAnswers,
  results,
  resultTranscripts,
} from '../../db/schema.ts'
import { raiseEpochs } from '../../results/stats-epochs.ts'
import { enqueueEvents } from '../../webhooks/outbox.ts'
import { botId, floorOf, maxAnswers, savedAt, transcriptId, workspaceId } from './turn-statements.ts'

/*
 * Statements for batches of the most frequent turns, of one bot each. A statement of `turn-statements.ts` costs more,
 * since the database prepares for parts that these turns lack.
 */

/**
 * Enqueues the events of turns: a result began by one, has an answer, is completed by it. One row holds the data of all
 * turns in one text, and values that only the database knows; `expandOutboxRow` makes events of it later, since JSON
 * takes many times longer to write. `written` has the rows of results with their earlier flags, `ordinal` and
 * `eventTypes`.
 */
const batchedEventInsertion = sql`, queued AS (${enqueueEvents(
  sql`
    SELECT bot_id, ${sql.placeholder('idPrefix')}::text AS id,
      is_start::integer + is_answer::integer + is_completion::integer AS size,
      '{"turn":' || ordinal || ',"createdAt":"' || created_at || '","hasStarted":' || has_started
        || ',"isCompleted":' || is_completed || ',"isStart":' || is_start || ',"isAnswer":' || is_answer
        || ',"isCompletion":' || is_completion || '}' AS event
    FROM (
      SELECT *, strpos("eventTypes", 'result.started') > 0 AND NOT was_started AS is_start,
        strpos("eventTypes", 'result.answered') > 0 AS is_answer,
        strpos("eventTypes", 'result.completed') > 0 AND NOT was_completed AS is_completion
      FROM written OFFSET 0
    ) AS answered
    WHERE is_start OR is_answer OR is_completion`,
  workspaceId,
  (written) => sql`'{"turns":' || ${sql.placeholder('turns')}::text || ',"written":[' || ${written} || ']}'`,
)})`

/** Parameters of every turn in a batch of one bot. */
export const sharedTypes = {
  sessionId: 'text',
  resultId: 'text',
  state: 'text',
  inlineTurn: 'bytea',
  now: 'timestamptz',
  endedAt: 'timestamptz',
  expiresAt: 'timestamptz',
  variables: 'text',
  hasStarted: 'boolean',
  isCompleted: 'boolean',
  waitingBlockId: 'text',
  waitingBlockBotId: 'text',
  transcript: 'text',
} as const

const startTypes = { ...sharedTypes, publicationId: 'text', lastDigest: 'text' } as const

/** Starts of chats without a remembered result: new results without answers. */
const startsSql = (batch: SQL) => sql`
  WITH batch AS MATERIALIZED (SELECT * FROM ${batch}),
  session AS (
    INSERT INTO ${chatSessions} (id, bot_id, publication_id, result_id, state, revision, last_digest,
      ended_at, expires_at, created_at, updated_at, inline_turns)
    SELECT "sessionId", ${botId}, "publicationId", "resultId", state::json, 1, "lastDigest",
      "endedAt", "expiresAt", now, ${savedAt}, "inlineTurn"
    FROM batch
  ), upserted AS (
    INSERT INTO ${results} (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      waiting_block_id, waiting_block_bot_id, waits_until, created_at, updated_at, transcript)
    SELECT ${botId}, "resultId", variables::json, "hasStarted", "isCompleted", false, "sessionId", "waitingBlockId",
      "waitingBlockBotId",
      CASE WHEN "waitingBlockId" IS NOT NULL THEN "expiresAt" END,
      greatest(now, b.results_floor_at + interval '1 millisecond'), now, transcript::json
    FROM (SELECT results_floor_at FROM ${bots} WHERE id = ${botId} FOR KEY SHARE) AS b, batch
  )
  SELECT ordinal FROM batch`

const nextTypes = {
  ...sharedTypes,
  revision: 'integer',
  lastDigest: 'text',
  memberEdits: 'text',
  isEnded: 'boolean',
  separateTurn: 'bytea',
  answerSize: 'integer',
} as const

/** Types of events that the turn may publish, by commas. */
const withEventsTypes = { eventTypes: 'text' } as const

/**
 * Turns of existing results that have room for their answers, of which a condition is true. Rows are found by their keys
 * first and then by their `ctid`: a planner that assumes an empty table would scan all of it. A session that another
 * transaction has changed is left out; if a result was changed, a division by zero aborts the whole batch.
 */
const turnsSql = (batch: SQL, resultCondition: SQL, returned: SQL, more: SQL) => sql`
  WITH session AS (
    UPDATE ${chatSessions} s SET state = batch.state::json, revision = s.revision + 1, result_id = batch."resultId",
      last_digest = batch."lastDigest", ended_at = batch."endedAt",
      expires_at = batch."expiresAt", updated_at = ${savedAt}, member_edits = NULL,
      inline_turns = coalesce(batch."inlineTurn" || coalesce(s.inline_turns, ''), s.inline_turns)
    FROM ${batch}
    CROSS JOIN LATERAL (
      SELECT ctid AS session_ctid FROM ${chatSessions} WHERE bot_id = ${botId} AND id = batch."sessionId" OFFSET 0
    ) AS own
    CROSS JOIN LATERAL (
      SELECT ctid AS result_ctid, has_started AS was_started, is_completed AS was_completed,
        waiting_block_id AS was_waiting_block_id, waits_until AS was_waits_until FROM ${results}
      WHERE bot_id = ${botId} AND id = batch."resultId" AND ${resultCondition}
        AND NOT is_archived AND created_at > ${floorOf(sql`${botId}`)} AND answers_size + batch."answerSize" <= ${maxAnswers} OFFSET 0
    ) AS of_bot
    WHERE s.ctid = session_ctid AND s.bot_id = ${botId} AND s.id = batch."sessionId"
      AND s.revision = batch.revision AND s.member_edits::text IS NOT DISTINCT FROM batch."memberEdits"
      AND (s.state IS NULL) = batch."isEnded"
    RETURNING batch.*, of_bot.*
  ), separate_turn AS (
    INSERT INTO ${chatTurns} (bot_id, session_id, revision, turn)
    SELECT ${botId}, "sessionId", revision + 1, "separateTurn" FROM session WHERE "separateTurn" IS NOT NULL
  ), written AS (
    UPDATE ${results} o SET variables = session.variables::json,
      has_started = o.has_started OR session."hasStarted",
      is_completed = o.is_completed OR session."isCompleted",
      last_chat_session_id = session."sessionId", waiting_block_id = session."waitingBlockId",
      waiting_block_bot_id = session."waitingBlockBotId", answers_size = o.answers_size + session."answerSize",
      waits_until = CASE WHEN session."waitingBlockId" IS NOT NULL THEN session."expiresAt" END,
      updated_at = session.now
    FROM session
    WHERE o.ctid = result_ctid AND o.bot_id = ${botId} AND o.id = session."resultId"
    RETURNING o.bot_id, o.id, o.created_at, o.has_started, o.is_completed, was_started, was_completed,
      session.now, session.transcript ${returned}
  ) ${more}
  SELECT ordinal, 1 / ((SELECT count(*) FROM session) = (SELECT count(*) FROM written))::integer FROM session`

const ofEvents = sql`, session.ordinal, session."eventTypes"`

const answerTypes = {
  ...nextTypes,
  lateBefore: 'timestamptz',
  blockId: 'text',
  blockBotId: 'text',
  content: 'text',
  // JSON.
  files: 'text',
} as const

/** Answers to results that no count of statistics includes yet. */
const answersSql = (batch: SQL, returned = sql``, more = sql``) =>
  turnsSql(
    batch,
    sql`created_at >= batch."lateBefore"`,
    sql`, session."blockId", session."blockBotId", session.content, session.files ${returned}`,
    sql`, answer AS (
    INSERT INTO ${resultAnswers} (bot_id, result_id, seq, block_id, block_bot_id, content, attached_file_urls,
      created_at, transcript)
    SELECT ${botId}, written.id, coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} e WHERE e.bot_id = ${botId} AND e.result_id = written.id
      ), 0), written."blockId", written."blockBotId", written.content,
      CASE WHEN written.files IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(written.files::json)) END, written.now,
      written.transcript::json
    FROM written
  ) ${more}`,
  )

const unansweredTypes = {
  ...nextTypes,
  timerId: 'text',
  timerAt: 'timestamptz',
  timerAfterMs: 'float8',
  isTimerOver: 'boolean',
} as const

/** Results of hours before it may be counted already; one for the whole batch. */
const countedBefore = sql`${sql.placeholder('countedBefore')}::timestamptz`

const changedLate = sql`
  SELECT bot_id, created_at FROM written
  WHERE created_at < ${countedBefore}
    AND (has_started, is_completed, waiting_block_id, waits_until) IS DISTINCT FROM
      (was_started, was_completed, was_waiting_block_id, was_waits_until)`

/**
 * Turns without an answer, as most of timers are: their results may be old, and they may set a timer anew or remove
 * it. Both lock rows of timers in the order in which heartbeats lock leased ones.
 */
const unansweredSql = (batch: SQL, returned = sql``, more = sql``) =>
  turnsSql(
    batch,
    sql`true`,
    sql`, o.waiting_block_id, o.waits_until, was_waiting_block_id, was_waits_until ${returned}`,
    sql`, ${raiseEpochs(changedLate, countedBefore)}, transcript AS (
    INSERT INTO ${resultTranscripts} (bot_id, result_id, id, entries)
    SELECT ${botId}, written.id, ${transcriptId}, written.transcript::json
    FROM written WHERE written.transcript IS NOT NULL
  ), timer AS (
    INSERT INTO ${chatTimers} (bot_id, session_id, id, workspace_id, due_at, is_paused, failures)
    SELECT ${botId}, "sessionId", "timerId", ${workspaceId},
      coalesce("timerAt", now() + "timerAfterMs" * interval '1 millisecond'), false, 0
    FROM session WHERE "timerId" IS NOT NULL ORDER BY "sessionId"
    ON CONFLICT (bot_id, session_id) DO UPDATE SET id = excluded.id, due_at = excluded.due_at, is_paused = false,
      failures = 0, lease_id = NULL, leased_until = NULL
  ), removed_timer AS (
    DELETE FROM ${chatTimers} t
    USING (SELECT "sessionId" FROM session WHERE "isTimerOver" ORDER BY "sessionId") AS last
    CROSS JOIN LATERAL (
      SELECT ctid AS timer_ctid FROM ${chatTimers} WHERE bot_id = ${botId} AND session_id = last."sessionId" OFFSET 0
    ) AS of_session
    WHERE t.ctid = timer_ctid AND t.bot_id = ${botId} AND t.session_id = last."sessionId"
  ) ${more}`,
  )

export const batchedStatements = statements((db, named) => ({
  start: prepareBatchedWrite(db, named('chat_batched_starts'), startTypes, startsSql),
  answer: prepareBatchedWrite(db, named('chat_batched_answers'), answerTypes, (batch) => answersSql(batch)),
  answerWithEvents: prepareBatchedWrite(
    db,
    named('chat_batched_answers_with_events'),
    { ...answerTypes, ...withEventsTypes },
    (batch) => answersSql(batch, ofEvents, batchedEventInsertion),
  ),
  unanswered: prepareBatchedWrite(db, named('chat_batched_unanswered'), unansweredTypes, (batch) =>
    unansweredSql(batch),
  ),
  unansweredWithEvents: prepareBatchedWrite(
    db,
    named('chat_batched_unanswered_with_events'),
    { ...unansweredTypes, ...withEventsTypes },
    (batch) => unansweredSql(batch, ofEvents, batchedEventInsertion),
  ),
}))
