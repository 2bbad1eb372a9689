import { type SQL, sql } from 'drizzle-orm'
import { prepareWrite, statements } from '../db/client.ts'
import { prepareTogether } from '../db/lookup.ts'
import {
  bots,
  chatSessions,
  chatSteps,
  resultAnswers,
  resultLogs,
  results,
  resultTranscripts,
} from '../db/schema.ts'
import { raiseEpochs } from '../results/stats-epochs.ts'
import { leaveEvents } from '../webhooks/outbox.ts'
import { givenLogs } from './client-logs.ts'
import type { StepEvent } from './saving-on-node.ts'

/* Writing one step of a chat in one statement; `saving.ts` says what it needs. */

const at = sql`${sql.placeholder('now')}::timestamptz`
/** By the clock of the database, which can say later how long ago that was, whatever process asks. */
const savedAt = sql`clock_timestamp()`
const expiresAt = sql`${sql.placeholder('expiresAt')}::timestamptz`
const endedAt = sql`${sql.placeholder('endedAt')}::timestamptz`
const state = sql`${sql.placeholder('state')}::json`
const lateBefore = sql`${sql.placeholder('lateBefore')}::timestamptz`
const lastMessage = sql.placeholder('lastMessage')
const lastAnswer = sql`${sql.placeholder('lastAnswer')}::json`
/** The step, where it is kept in the session or in a row of its own. */
const keptStep = sql`${sql.placeholder('keptStep')}::bytea`
const apartStep = sql`${sql.placeholder('apartStep')}::bytea`
const sessionId = sql.placeholder('sessionId')
const botId = sql.placeholder('botId')
const resultId = sql.placeholder('resultId')

const sessionValues = sql`
  INSERT INTO ${chatSessions} (id, bot_id, publication_id, result_id, state, revision, last_message, last_answer,
    ended_at, expires_at, created_at, updated_at, steps)
  VALUES (${sessionId}, ${botId}, ${sql.placeholder('publicationId')}, ${resultId}, ${state}, 1, ${lastMessage},
    ${lastAnswer}, ${endedAt}, ${expiresAt}, ${at}, ${savedAt}, ${keptStep})`

/** The first step of a chat. */
const insertSession = sql`${sessionValues} RETURNING id, revision`

/**
 * The first step of a preview, which alone may begin again under the id that it has. The key is named, since on a
 * cluster it has other columns.
 */
const insertPreview = sql`
  ${sessionValues}
  ON CONFLICT ON CONSTRAINT chat_sessions_pkey DO UPDATE SET state = excluded.state, revision = 1, claim = NULL,
    last_message = excluded.last_message, last_answer = excluded.last_answer, ended_at = excluded.ended_at,
    expires_at = excluded.expires_at, updated_at = excluded.updated_at
    WHERE ${chatSessions}.publication_id IS NULL AND excluded.publication_id IS NULL
  RETURNING id, revision`

const sessionUpdate = (condition = sql``) => sql`
  UPDATE ${chatSessions} SET state = ${state}, revision = revision + 1, result_id = ${resultId},
    last_message = ${lastMessage}, last_answer = ${lastAnswer}, ended_at = ${endedAt}, expires_at = ${expiresAt},
    updated_at = ${savedAt}, steered = NULL, steps = coalesce(${keptStep} || coalesce(steps, ''), steps)
  WHERE bot_id = ${botId} AND id = ${sessionId} AND revision = ${sql.placeholder('revision')}
    AND steered::text IS NOT DISTINCT FROM ${sql.placeholder('steered')}::text
    AND (state IS NULL) = ${sql.placeholder('isEnded')}::boolean ${condition}
  RETURNING id, revision`

const updateSession = sessionUpdate()

/** A preview that begins again writes over its earlier steps. */
const overEarlierStep = sql`ON CONFLICT (bot_id, session_id, revision) DO UPDATE SET step = excluded.step`

const withStep = (writtenSession: SQL, conflict = sql``) => sql`
  WITH session AS (${writtenSession}),
  step AS (
    INSERT INTO ${chatSteps} (bot_id, session_id, revision, step)
    SELECT ${botId}, session.id, session.revision, ${apartStep} FROM session WHERE ${apartStep} IS NOT NULL
    ${conflict}
  )`

/** Results of hours that may have been counted, of which this step changes what is counted. */
const changedLate = sql`
  SELECT live.bot_id, live.created_at FROM live
  LEFT JOIN LATERAL (
    SELECT * FROM ${results} o WHERE o.bot_id = live.bot_id AND o.id = live.id LIMIT 1
  ) AS before ON true
  WHERE live.created_at < ${lateBefore}
    AND (
      (live.has_started, live.is_completed, live.waiting_block_id, live.waits_until) IS DISTINCT FROM
        (before.has_started, before.is_completed, before.waiting_block_id, before.waits_until)
      OR EXISTS (
        SELECT FROM json_to_recordset(${sql.placeholder('answers')}::json) AS a(bot_id text, result_id text)
        WHERE a.bot_id = live.bot_id AND a.result_id = live.id
      )
    )`

/** Results of a step, as they are given to it. */
const given = (name: 'made' | 'changed') => sql`json_to_recordset(${sql.placeholder(name)}::json)
  AS r(bot_id text, id text, variables json, has_started boolean, is_completed boolean, waiting_block_id text,
    transcript json)`

const waitsUntil = sql`CASE WHEN r.waiting_block_id IS NOT NULL THEN ${expiresAt} END`

/*
 * A new result holds its bot, so that who deletes all results waits for it or is waited for, and its time is
 * above the floor that is left, whatever the clocks of processes say. The planner takes what is given for a hundred
 * results, for which it would read some thousands of bots or results from end to end: so each bot is looked up apart, and
 * the result that changes by parameters.
 */
const withResult = (writtenSession: SQL, more = sql``) => sql`
  ${withStep(writtenSession)},
  made AS (
    INSERT INTO ${results} (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      waiting_block_id, waits_until, created_at, updated_at, transcript)
    SELECT r.bot_id, r.id, r.variables, r.has_started, r.is_completed, false, session.id, r.waiting_block_id,
      ${waitsUntil}, greatest(${at}, b.results_floor_at + interval '1 millisecond'), ${at}, r.transcript
    FROM session, ${given('made')}
    CROSS JOIN LATERAL (SELECT results_floor_at FROM ${bots} WHERE id = r.bot_id FOR KEY SHARE) AS b
    ON CONFLICT (bot_id, id) DO UPDATE SET variables = excluded.variables,
      has_started = ${results}.has_started OR excluded.has_started,
      is_completed = ${results}.is_completed OR excluded.is_completed,
      last_chat_session_id = excluded.last_chat_session_id, waiting_block_id = excluded.waiting_block_id,
      waits_until = excluded.waits_until, updated_at = excluded.updated_at
    RETURNING bot_id, id, created_at, has_started, is_completed, waiting_block_id, waits_until
  ), changed AS (
    UPDATE ${results} o SET variables = r.variables, has_started = o.has_started OR r.has_started,
      is_completed = o.is_completed OR r.is_completed, last_chat_session_id = session.id,
      waiting_block_id = r.waiting_block_id, waits_until = ${waitsUntil}, updated_at = ${at}
    FROM session, ${given('changed')}
    WHERE o.bot_id = ${botId} AND o.id = ${resultId} AND o.bot_id = r.bot_id AND o.id = r.id
    RETURNING o.bot_id, o.id, o.created_at, o.has_started, o.is_completed, o.waiting_block_id, o.waits_until
  ), live AS (
    SELECT * FROM made UNION ALL SELECT * FROM changed
  ), ${raiseEpochs(changedLate, lateBefore)}, answers AS (
    INSERT INTO ${resultAnswers} (bot_id, result_id, seq, block_id, content, attached_file_urls, created_at, transcript)
    SELECT live.bot_id, live.id, a.place + coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} e WHERE e.bot_id = live.bot_id AND e.result_id = live.id
      ), 0), a.block_id, a.content,
      CASE WHEN a.files IS NULL THEN NULL ELSE ARRAY(SELECT json_array_elements_text(a.files)) END, ${at}, a.transcript
    FROM json_to_recordset(${sql.placeholder('answers')}::json)
      AS a(bot_id text, result_id text, place integer, block_id text, content text, files json, transcript json)
    JOIN live ON live.bot_id = a.bot_id AND live.id = a.result_id
  ), logs AS (
    INSERT INTO ${resultLogs} (bot_id, result_id, id, status, description, details, context, created_at)
    SELECT live.bot_id, live.id, l.id, l.status, l.description, l.details, l.context, ${at}
    FROM live, ${givenLogs}
    WHERE live.bot_id = ${botId} AND live.id = ${resultId}
  ), transcript AS (
    INSERT INTO ${resultTranscripts} (bot_id, result_id, id, entries)
    SELECT live.bot_id, live.id, lpad((
        SELECT count(*) FROM ${resultTranscripts} e WHERE e.bot_id = live.bot_id AND e.result_id = live.id
      )::text, 10, '0') || '.' || coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} e WHERE e.bot_id = live.bot_id AND e.result_id = live.id
      ), 0), t.entries
    FROM live, json_to_recordset(${sql.placeholder('transcript')}::json) AS t(entries json)
    WHERE live.bot_id = ${botId} AND live.id = ${resultId}
  ) ${more}
  SELECT id FROM session`

const workspaceId = sql`${sql.placeholder('workspaceId')}::text`

/** The text of an event as far as a step knows it, in JSON without its end. */
export const knownText = ({ subject, place, id, type, data }: StepEvent, at: Date) =>
  JSON.stringify({ subject, place, id, type, at, data }).slice(0, -2)

/** What only the database knows of a result, which comes last in the text of an event. */
const endOfText = sql`
  ',"hasStarted":' || live.has_started::text || ',"isCompleted":' || live.is_completed::text
    || ',"createdAt":"' || to_char(live.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}}'`

/**
 * What a step tells the endpoints of the workspace: the events that it may have, each with what it knows of its result.
 * That a result began or is completed is told by the step that makes it so.
 */
const told = sql`, told AS (${leaveEvents(
  sql`
    SELECT t.bot_id, t.id, 1 AS size, t.known || ${endOfText} AS event
    FROM json_to_recordset(${sql.placeholder('events')}::json)
      AS t(bot_id text, subject text, id text, type text, known text)
    JOIN live ON live.bot_id = t.bot_id AND live.id = t.subject
    WHERE t.type = 'result.answered' OR NOT EXISTS (
      SELECT FROM ${results} before WHERE before.bot_id = live.bot_id AND before.id = live.id
        AND CASE t.type WHEN 'result.started' THEN before.has_started ELSE before.is_completed END)`,
  workspaceId,
)})`

const variables = sql`${sql.placeholder('variables')}::json`
const hasStarted = sql`${sql.placeholder('hasStarted')}::boolean`
const isCompleted = sql`${sql.placeholder('isCompleted')}::boolean`
const waitingBlockId = sql`${sql.placeholder('waitingBlockId')}::text`
const waitsForReply = sql`CASE WHEN ${waitingBlockId} IS NOT NULL THEN ${expiresAt} END`
const transcript = sql`${sql.placeholder('transcript')}::json`

/*
 * The steps that nearly all are, in statements of their own: for the one above the database makes ready for what these have not.
 */

const keepingStep = (writtenSession: SQL) => sql`WITH session AS (${writtenSession})`

/** The start of a chat that nobody remembers: a result of its own, which is new, and no answer. */
const withNewResult = sql`
  ${keepingStep(insertSession)},
  made AS (
    INSERT INTO ${results} (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      waiting_block_id, waits_until, created_at, updated_at, transcript)
    SELECT ${botId}, ${resultId}, ${variables}, ${hasStarted}, ${isCompleted}, false, session.id, ${waitingBlockId},
      ${waitsForReply}, greatest(${at}, b.results_floor_at + interval '1 millisecond'), ${at}, ${transcript}
    FROM session CROSS JOIN (SELECT results_floor_at FROM ${bots} WHERE id = ${botId} FOR KEY SHARE) AS b
  )
  SELECT id FROM session`

/**
 * One answer to a result that is there and that nobody has counted yet. Where the result is not like that, nothing is
 * written.
 */
const withAnswer = (write: typeof withStep, more = sql``) => sql`
  ${write(
    sessionUpdate(sql`AND EXISTS (
      SELECT FROM ${results} WHERE bot_id = ${botId} AND id = ${resultId}
        AND created_at >= ${lateBefore})`),
  )},
  live AS (
    UPDATE ${results} o SET variables = ${variables},
      has_started = o.has_started OR ${hasStarted},
      is_completed = o.is_completed OR ${isCompleted},
      last_chat_session_id = session.id, waiting_block_id = ${waitingBlockId},
      waits_until = ${waitsForReply}, updated_at = ${at}
    FROM session WHERE o.bot_id = ${botId} AND o.id = ${resultId}
    RETURNING o.bot_id, o.id, o.created_at, o.has_started, o.is_completed
  ), answer AS (
    INSERT INTO ${resultAnswers} (bot_id, result_id, seq, block_id, content, attached_file_urls, created_at, transcript)
    SELECT bot_id, id, coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} WHERE bot_id = ${botId} AND result_id = ${resultId}
      ), 0), ${sql.placeholder('blockId')}, ${sql.placeholder('content')}, ${sql.placeholder('files')}::text[], ${at},
      ${transcript}
    FROM live
  ) ${more}
  SELECT id FROM session`

const bare = (writtenSession: SQL) => sql`${withStep(writtenSession, overEarlierStep)} SELECT id FROM session`

/**
 * What usual steps tell: that its result began by an answer, that there was one, that it is completed by it. They leave
 * what is at hand, in one text for all of them, and of each that was written what only the database knows. `eventsLeft`
 * makes events of that once they are shared out: to write JSON takes many times longer, here and in the service. `live`
 * reads the rows of results, what they were before, the place of each step and what it may tell.
 */
const tellAnswers = (live: SQL) =>
  sql`, told AS (${leaveEvents(
    sql`
    SELECT bot_id, ${sql.placeholder('idsBegin')}::text AS id,
      starts::integer + answers::integer + completes::integer AS size,
      '[' || place || ',"' || created_at || '",' || has_started || ',' || is_completed || ',' || starts || ',' || answers
        || ',' || completes || ']' AS event
    FROM (
      SELECT *, strpos(tells, 'result.started') > 0 AND NOT was_started AS starts,
        strpos(tells, 'result.answered') > 0 AS answers,
        strpos(tells, 'result.completed') > 0 AND NOT was_completed AS completes
      FROM ${live} OFFSET 0
    ) AS answered
    WHERE starts OR answers OR completes`,
    workspaceId,
    // The build before takes the place for a number, and leaves a row where it is none to this one.
    (written) =>
      sql`'[{"place":"of steps","steps":' || ${sql.placeholder('atHand')}::text || ',"written":[' || ${written} || ']}]'`,
  )})`

const answerTold = tellAnswers(sql`(
      SELECT live.*, before.*, 1 AS place, ${sql.placeholder('tells')}::text AS tells
      FROM live CROSS JOIN (
        SELECT has_started AS was_started, is_completed AS was_completed FROM ${results}
        WHERE bot_id = ${botId} AND id = ${resultId}
      ) AS before
    ) AS live`)

/** Of the usual steps of one bot, which are written together: what is written of every one. */
const shared = {
  sessionId: 'text',
  resultId: 'text',
  state: 'text',
  lastAnswer: 'text',
  keptStep: 'bytea',
  now: 'timestamptz',
  endedAt: 'timestamptz',
  expiresAt: 'timestamptz',
  variables: 'text',
  hasStarted: 'boolean',
  isCompleted: 'boolean',
  waitingBlockId: 'text',
  transcript: 'text',
} as const

const startTypes = { ...shared, publicationId: 'text', lastMessage: 'text' } as const

/** Starts of chats, as one is. */
const withNewResults = (asked: SQL) => sql`
  WITH asked AS MATERIALIZED (SELECT * FROM ${asked}),
  session AS (
    INSERT INTO ${chatSessions} (id, bot_id, publication_id, result_id, state, revision, last_message, last_answer,
      ended_at, expires_at, created_at, updated_at, steps)
    SELECT "sessionId", ${botId}, "publicationId", "resultId", state::json, 1, "lastMessage", "lastAnswer"::json,
      "endedAt", "expiresAt", now, ${savedAt}, "keptStep"
    FROM asked
  ), made AS (
    INSERT INTO ${results} (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      waiting_block_id, waits_until, created_at, updated_at, transcript)
    SELECT ${botId}, "resultId", variables::json, "hasStarted", "isCompleted", false, "sessionId", "waitingBlockId",
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
  content: 'text',
  // JSON.
  files: 'text',
} as const

const answerToldTypes = {
  ...answerTypes,
  /** Types of events that it may tell, by commas. */
  tells: 'text',
} as const

/**
 * Answers of several chats, as one is. Rows are found by their keys first and then by their places, since a planner that
 * takes a table for empty would look through all of it. A session that somebody else has changed meanwhile is left out;
 * where that happens to a result, dividing by zero keeps all from being written.
 */
const withAnswers = (asked: SQL, ofEvents = sql``, more = sql``) => sql`
  WITH session AS (
    UPDATE ${chatSessions} s SET state = asked.state::json, revision = s.revision + 1, result_id = asked."resultId",
      last_message = asked."lastMessage", last_answer = asked."lastAnswer"::json, ended_at = asked."endedAt",
      expires_at = asked."expiresAt", updated_at = ${savedAt}, steered = NULL,
      steps = coalesce(asked."keptStep" || coalesce(s.steps, ''), s.steps)
    FROM ${asked}
    CROSS JOIN LATERAL (
      SELECT ctid AS session_place FROM ${chatSessions} WHERE bot_id = ${botId} AND id = asked."sessionId" OFFSET 0
    ) AS own
    CROSS JOIN LATERAL (
      SELECT ctid AS result_place, has_started AS was_started, is_completed AS was_completed FROM ${results}
      WHERE bot_id = ${botId} AND id = asked."resultId" AND created_at >= asked."lateBefore" OFFSET 0
    ) AS of_bot
    WHERE s.ctid = session_place AND s.bot_id = ${botId} AND s.id = asked."sessionId"
      AND s.revision = asked.revision AND s.steered::text IS NOT DISTINCT FROM asked.steered
      AND (s.state IS NULL) = asked."isEnded"
    RETURNING asked.*, result_place, was_started, was_completed
  ), step AS (
    INSERT INTO ${chatSteps} (bot_id, session_id, revision, step)
    SELECT ${botId}, "sessionId", revision + 1, "apartStep" FROM session WHERE "apartStep" IS NOT NULL
  ), live AS (
    UPDATE ${results} o SET variables = session.variables::json,
      has_started = o.has_started OR session."hasStarted",
      is_completed = o.is_completed OR session."isCompleted",
      last_chat_session_id = session."sessionId", waiting_block_id = session."waitingBlockId",
      waits_until = CASE WHEN session."waitingBlockId" IS NOT NULL THEN session."expiresAt" END,
      updated_at = session.now
    FROM session
    WHERE o.ctid = result_place AND o.bot_id = ${botId} AND o.id = session."resultId"
    RETURNING o.bot_id, o.id, o.created_at, o.has_started, o.is_completed, was_started, was_completed,
      session."blockId", session.content, session.files, session.now, session.transcript ${ofEvents}
  ), answer AS (
    INSERT INTO ${resultAnswers} (bot_id, result_id, seq, block_id, content, attached_file_urls, created_at, transcript)
    SELECT ${botId}, live.id, coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} e WHERE e.bot_id = ${botId} AND e.result_id = live.id
      ), 0), live."blockId", live.content,
      CASE WHEN live.files IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(live.files::json)) END, live.now,
      live.transcript::json
    FROM live
  ) ${more}
  SELECT place, 1 / ((SELECT count(*) FROM session) = (SELECT count(*) FROM live))::integer FROM session`

export const stepStatements = statements((db, named) => ({
  first: prepareWrite(db, named('chat_first_step'), withResult(insertSession)),
  firstWithoutResult: prepareWrite(db, named('chat_first_step_bare'), bare(insertPreview)),
  next: prepareWrite(db, named('chat_next_step'), withResult(updateSession)),
  nextWithoutResult: prepareWrite(db, named('chat_next_step_bare'), bare(updateSession)),
  firstTold: prepareWrite(db, named('chat_first_step_told'), withResult(insertSession, told)),
  nextTold: prepareWrite(db, named('chat_next_step_told'), withResult(updateSession, told)),
  start: prepareWrite(db, named('chat_usual_start'), withNewResult),
  answer: prepareWrite(db, named('chat_usual_answer'), withAnswer(keepingStep)),
  answerTold: prepareWrite(db, named('chat_usual_answer_told'), withAnswer(keepingStep, answerTold)),
  answerApart: prepareWrite(db, named('chat_usual_answer_apart'), withAnswer(withStep)),
  answerApartTold: prepareWrite(db, named('chat_usual_answer_apart_told'), withAnswer(withStep, answerTold)),
  starts: prepareTogether(db, named('chat_usual_starts'), startTypes, withNewResults),
  answers: prepareTogether(db, named('chat_usual_answers'), answerTypes, (asked) => withAnswers(asked)),
  answersTold: prepareTogether(db, named('chat_usual_answers_told'), answerToldTypes, (asked) =>
    withAnswers(asked, sql`, session.place, session.tells`, tellAnswers(sql`live`)),
  ),
}))
