import { type SQL, sql } from 'drizzle-orm'
import { prepareBatchedWrite } from '../../db/batched-query.ts'
import { statements } from '../../db/client.ts'
import { bots, chatSessions, chatTurns, resultAnswers, results } from '../../db/schema.ts'
import { enqueueEvents } from '../../webhooks/outbox.ts'
import { botId, floorOf, maxAnswers, savedAt, workspaceId } from './turn-statements.ts'

/*
 * Statements for batches of the most frequent turns, of one bot each. A statement of `turn-statements.ts` costs more,
 * since the database prepares for parts that these turns lack.
 */

/**
 * Enqueues the events of answers: a result began by one, has one, is completed by it. One row holds the data of all
 * turns in one text, and values that only the database knows; `expandOutboxRow` makes events of it later, since JSON
 * takes many times longer to write. `live` has the rows of results with their earlier flags, `place` and `tells`.
 */
const enqueueAnswers = sql`, queued AS (${enqueueEvents(
  sql`
    SELECT bot_id, ${sql.placeholder('idPrefix')}::text AS id,
      is_start::integer + is_answer::integer + is_completion::integer AS size,
      '{"turn":' || place || ',"createdAt":"' || created_at || '","hasStarted":' || has_started
        || ',"isCompleted":' || is_completed || ',"isStart":' || is_start || ',"isAnswer":' || is_answer
        || ',"isCompletion":' || is_completion || '}' AS event
    FROM (
      SELECT *, strpos(tells, 'result.started') > 0 AND NOT was_started AS is_start,
        strpos(tells, 'result.answered') > 0 AS is_answer,
        strpos(tells, 'result.completed') > 0 AND NOT was_completed AS is_completion
      FROM live OFFSET 0
    ) AS answered
    WHERE is_start OR is_answer OR is_completion`,
  workspaceId,
  (written) => sql`'{"turns":' || ${sql.placeholder('turns')}::text || ',"written":[' || ${written} || ']}'`,
)})`

/** Parameters of every turn in a batch of usual turns of one bot. */
const shared = {
  sessionId: 'text',
  resultId: 'text',
  state: 'text',
  keptStep: 'bytea',
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

const startTypes = { ...shared, publicationId: 'text', lastMessage: 'text' } as const

/** Starts of chats without a remembered result: new results, and no answers. */
const withNewResults = (asked: SQL) => sql`
  WITH asked AS MATERIALIZED (SELECT * FROM ${asked}),
  session AS (
    INSERT INTO ${chatSessions} (id, bot_id, publication_id, result_id, state, revision, last_message,
      ended_at, expires_at, created_at, updated_at, steps)
    SELECT "sessionId", ${botId}, "publicationId", "resultId", state::json, 1, "lastMessage",
      "endedAt", "expiresAt", now, ${savedAt}, "keptStep"
    FROM asked
  ), made AS (
    INSERT INTO ${results} (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      waiting_block_id, waiting_block_bot_id, waits_until, created_at, updated_at, transcript)
    SELECT ${botId}, "resultId", variables::json, "hasStarted", "isCompleted", false, "sessionId", "waitingBlockId",
      "waitingBlockBotId",
      CASE WHEN "waitingBlockId" IS NOT NULL THEN "expiresAt" END,
      greatest(now, b.results_floor_at + interval '1 millisecond'), now, transcript::json
    FROM (SELECT results_floor_at FROM ${bots} WHERE id = ${botId} FOR KEY SHARE) AS b, asked
  )
  SELECT place FROM asked`

const answerTypes = {
  ...shared,
  revision: 'integer',
  lastMessage: 'text',
  steered: 'text',
  isEnded: 'boolean',
  apartStep: 'bytea',
  lateBefore: 'timestamptz',
  blockId: 'text',
  blockBotId: 'text',
  content: 'text',
  answerSize: 'integer',
  // JSON.
  files: 'text',
} as const

const answerToldTypes = {
  ...answerTypes,
  /** Types of events that the turn may publish, by commas. */
  tells: 'text',
} as const

/**
 * Answers to existing results that no count of statistics includes yet, and that have room for them. Rows are found by their keys first and then by their `ctid`: a
 * planner that assumes an empty table would scan all of it. A session that another transaction has changed is left
 * out; if a result was changed, a division by zero aborts the whole batch.
 */
const withAnswers = (asked: SQL, ofEvents = sql``, more = sql``) => sql`
  WITH session AS (
    UPDATE ${chatSessions} s SET state = asked.state::json, revision = s.revision + 1, result_id = asked."resultId",
      last_message = asked."lastMessage", ended_at = asked."endedAt",
      expires_at = asked."expiresAt", updated_at = ${savedAt}, steered = NULL,
      steps = coalesce(asked."keptStep" || coalesce(s.steps, ''), s.steps)
    FROM ${asked}
    CROSS JOIN LATERAL (
      SELECT ctid AS session_place FROM ${chatSessions} WHERE bot_id = ${botId} AND id = asked."sessionId" OFFSET 0
    ) AS own
    CROSS JOIN LATERAL (
      SELECT ctid AS result_place, has_started AS was_started, is_completed AS was_completed FROM ${results}
      WHERE bot_id = ${botId} AND id = asked."resultId" AND created_at >= asked."lateBefore"
        AND created_at > ${floorOf(sql`${botId}`)} AND answers_size + asked."answerSize" <= ${maxAnswers} OFFSET 0
    ) AS of_bot
    WHERE s.ctid = session_place AND s.bot_id = ${botId} AND s.id = asked."sessionId"
      AND s.revision = asked.revision AND s.steered::text IS NOT DISTINCT FROM asked.steered
      AND (s.state IS NULL) = asked."isEnded"
    RETURNING asked.*, result_place, was_started, was_completed
  ), step AS (
    INSERT INTO ${chatTurns} (bot_id, session_id, revision, step)
    SELECT ${botId}, "sessionId", revision + 1, "apartStep" FROM session WHERE "apartStep" IS NOT NULL
  ), live AS (
    UPDATE ${results} o SET variables = session.variables::json,
      has_started = o.has_started OR session."hasStarted",
      is_completed = o.is_completed OR session."isCompleted",
      last_chat_session_id = session."sessionId", waiting_block_id = session."waitingBlockId",
      waiting_block_bot_id = session."waitingBlockBotId", answers_size = o.answers_size + session."answerSize",
      waits_until = CASE WHEN session."waitingBlockId" IS NOT NULL THEN session."expiresAt" END,
      updated_at = session.now
    FROM session
    WHERE o.ctid = result_place AND o.bot_id = ${botId} AND o.id = session."resultId"
    RETURNING o.bot_id, o.id, o.created_at, o.has_started, o.is_completed, was_started, was_completed,
      session."blockId", session."blockBotId", session.content, session.files, session.now, session.transcript ${ofEvents}
  ), answer AS (
    INSERT INTO ${resultAnswers} (bot_id, result_id, seq, block_id, block_bot_id, content, attached_file_urls,
      created_at, transcript)
    SELECT ${botId}, live.id, coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} e WHERE e.bot_id = ${botId} AND e.result_id = live.id
      ), 0), live."blockId", live."blockBotId", live.content,
      CASE WHEN live.files IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(live.files::json)) END, live.now,
      live.transcript::json
    FROM live
  ) ${more}
  SELECT place, 1 / ((SELECT count(*) FROM session) = (SELECT count(*) FROM live))::integer FROM session`

export const batchedStatements = statements((db, named) => ({
  starts: prepareBatchedWrite(db, named('chat_usual_starts'), startTypes, withNewResults),
  answers: prepareBatchedWrite(db, named('chat_usual_answers'), answerTypes, (asked) => withAnswers(asked)),
  answersTold: prepareBatchedWrite(db, named('chat_usual_answers_told'), answerToldTypes, (asked) =>
    withAnswers(asked, sql`, session.place, session.tells`, enqueueAnswers),
  ),
}))
