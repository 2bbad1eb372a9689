import { type SQL, sql } from 'drizzle-orm'
import type { SaveClientLogs } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { type Database, prepareWrite, sqlState, statements } from '../db/client.ts'
import {
  bots,
  chatSessions,
  chatSteps,
  resultAnswers,
  resultLogs,
  results,
  resultTranscripts,
} from '../db/schema.ts'
import { newIds } from '../ids.ts'
import { lateBefore, raiseEpochs } from '../results/stats-rollup.ts'
import { insertEvents, wakeAfter } from '../webhooks/outbox.ts'
import type { Session } from './store.ts'
import type { Answer, LogEntry, SessionState, StepOutcome } from './types.ts'

/*
 * Writing one step of a chat: one statement. A step is written as a whole or not at all, and only while the
 * session is at the revision that was read, and as members had left it then.
 */

/** How long a session can be continued, and asked for its last answer, after its last step. */
const SESSION_LIFETIME = 48 * 60 * 60 * 1000

const at = sql`${sql.placeholder('now')}::timestamptz`
const savedAt = sql`${sql.placeholder('savedAt')}::timestamptz`
const until = sql`${sql.placeholder('until')}::timestamptz`
const state = sql`${sql.placeholder('state')}::json`
const lastMessage = sql.placeholder('lastMessage')
const lastAnswer = sql`${sql.placeholder('lastAnswer')}::json`
const sessionId = sql.placeholder('sessionId')
const botId = sql.placeholder('botId')
const resultId = sql.placeholder('resultId')

/** A first step. Only a preview may begin again under the id that it has. */
const insertSession = sql`
  INSERT INTO ${chatSessions} (id, bot_id, publication_id, result_id, state, revision, last_message, last_answer,
    expires_at, created_at, updated_at)
  VALUES (${sessionId}, ${botId}, ${sql.placeholder('publicationId')}, ${resultId}, ${state}, 1, ${lastMessage},
    ${lastAnswer}, ${until}, ${at}, ${savedAt})
  ON CONFLICT (id) DO UPDATE SET state = excluded.state, revision = 1, claim = NULL,
    last_message = excluded.last_message, last_answer = excluded.last_answer, expires_at = excluded.expires_at,
    updated_at = excluded.updated_at
    WHERE ${chatSessions}.bot_id = excluded.bot_id AND ${chatSessions}.publication_id IS NULL
      AND excluded.publication_id IS NULL
  RETURNING id, revision`

const updateSession = sql`
  UPDATE ${chatSessions} SET state = ${state}, revision = revision + 1, result_id = ${resultId},
    last_message = ${lastMessage}, last_answer = ${lastAnswer}, expires_at = ${until}, updated_at = ${savedAt},
    steered = NULL
  WHERE id = ${sessionId} AND revision = ${sql.placeholder('revision')}
    AND steered::text IS NOT DISTINCT FROM ${sql.placeholder('steered')}::text
    AND (state IS NULL) = ${sql.placeholder('isEnded')}::boolean
  RETURNING id, revision`

const turns = sql`${sql.placeholder('turns')}::json`

/** A preview that begins again writes over its earlier steps. */
const withStep = (writtenSession: SQL) => sql`
  WITH session AS (${writtenSession}),
  step AS (
    INSERT INTO ${chatSteps} (bot_id, session_id, revision, turns)
    SELECT ${botId}, session.id, session.revision, ${turns} FROM session
    ON CONFLICT (bot_id, session_id, revision) DO UPDATE SET turns = excluded.turns
  )`

/** Results of days that may have been counted, of which this step changes what is counted. */
const changedLate = sql`
  SELECT live.bot_id, live.created_at FROM live
  LEFT JOIN ${results} before ON before.bot_id = live.bot_id AND before.id = live.id
  WHERE live.created_at < ${sql.placeholder('lateBefore')}::timestamptz
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
  AS r(bot_id text, id text, variables json, has_started boolean, is_completed boolean, waiting_block_id text)`

const waitsUntil = sql`CASE WHEN r.waiting_block_id IS NOT NULL THEN ${until} END`

const givenLogs = sql`json_to_recordset(${sql.placeholder('logs')}::json)
  AS l(id text, status text, description text, details text, context text)`

/*
 * A new result holds its bot, so that who deletes all results waits for it or is waited for, and its time is
 * above the floor that is left, whatever the clocks of processes say.
 */
const withResult = (writtenSession: SQL, more = sql``) => sql`
  ${withStep(writtenSession)},
  made AS (
    INSERT INTO ${results} (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      waiting_block_id, waits_until, created_at, updated_at)
    SELECT r.bot_id, r.id, r.variables, r.has_started, r.is_completed, false, session.id, r.waiting_block_id,
      ${waitsUntil}, greatest(${at}, b.results_floor_at + interval '1 millisecond'), ${at}
    FROM session, ${given('made')}
    JOIN ${bots} b ON b.id = r.bot_id
    FOR KEY SHARE OF b
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
    WHERE o.bot_id = r.bot_id AND o.id = r.id
    RETURNING o.bot_id, o.id, o.created_at, o.has_started, o.is_completed, o.waiting_block_id, o.waits_until
  ), live AS (
    SELECT * FROM made UNION ALL SELECT * FROM changed
  ), late AS (${raiseEpochs(changedLate)}), answers AS (
    INSERT INTO ${resultAnswers} (bot_id, result_id, seq, block_id, content, attached_file_urls, created_at)
    SELECT live.bot_id, live.id, a.place + coalesce((
        SELECT max(seq) + 1 FROM ${resultAnswers} e WHERE e.bot_id = live.bot_id AND e.result_id = live.id
      ), 0), a.block_id, a.content,
      CASE WHEN a.files IS NULL THEN NULL ELSE ARRAY(SELECT json_array_elements_text(a.files)) END, ${at}
    FROM json_to_recordset(${sql.placeholder('answers')}::json)
      AS a(bot_id text, result_id text, place integer, block_id text, content text, files json)
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
      )::text, 10, '0'), t.entries
    FROM live, json_to_recordset(${sql.placeholder('transcript')}::json) AS t(entries json)
    WHERE live.bot_id = ${botId} AND live.id = ${resultId}
  ) ${more}
  SELECT id FROM session`

/** What a step tells the endpoints of the workspace: of each result that it began, answered or completed. */
const told = sql`, told AS (${insertEvents(sql`
    SELECT ${sql.placeholder('workspaceId')}::text AS workspace_id, h.bot_id, h.id AS subject, h.place,
      i.id, h.type, (h.data || CASE WHEN h.answers IS NULL THEN '{}' ELSE jsonb_build_object('answers', h.answers) END)::json AS data, ${at} AS at
    FROM (
      SELECT row_number() OVER () AS number, live.bot_id, live.id, kind.place, kind.type, kind.answers, jsonb_build_object(
          'id', live.id, 'botId', live.bot_id, 'hasStarted', live.has_started, 'isCompleted', live.is_completed,
          'createdAt', to_char(live.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'lastChatSessionId', ${sessionId}::text
        ) AS data
      FROM live
      LEFT JOIN ${results} before ON before.bot_id = live.bot_id AND before.id = live.id
      CROSS JOIN LATERAL (
        SELECT 0 AS place, 'result.started' AS type, NULL::jsonb AS answers
        WHERE live.has_started AND before.has_started IS NOT TRUE
        UNION ALL
        SELECT 1, 'result.answered', jsonb_agg(json_strip_nulls(json_build_object(
          'blockId', a.block_id, 'content', a.content, 'attachedFileUrls', a.files)) ORDER BY a.place)
        FROM json_to_recordset(${sql.placeholder('answers')}::json)
          AS a(bot_id text, result_id text, place integer, block_id text, content text, files json)
        WHERE a.bot_id = live.bot_id AND a.result_id = live.id HAVING count(*) > 0
        UNION ALL
        SELECT 2, 'result.completed', NULL WHERE live.is_completed AND before.is_completed IS NOT TRUE
      ) kind
    ) h
    JOIN json_array_elements_text(${sql.placeholder('eventIds')}::json) WITH ORDINALITY AS i(id, number) USING (number)
  `)})`

const bare = (writtenSession: SQL) => sql`${withStep(writtenSession)} SELECT id FROM session`

const stepStatements = statements((db, named) => ({
  first: prepareWrite(db, named('chat_first_step'), withResult(insertSession)),
  firstWithoutResult: prepareWrite(db, named('chat_first_step_bare'), bare(insertSession)),
  next: prepareWrite(db, named('chat_next_step'), withResult(updateSession)),
  nextWithoutResult: prepareWrite(db, named('chat_next_step_bare'), bare(updateSession)),
  firstTold: prepareWrite(db, named('chat_first_step_told'), withResult(insertSession, told)),
  nextTold: prepareWrite(db, named('chat_next_step_told'), withResult(updateSession, told)),
}))

/** Log entries of clients that a session may have. */
export const MAXIMUM_CLIENT_LOGS = 1_000

const logCount = sql`coalesce(client_logs, 0) + json_array_length(${sql.placeholder('logs')}::json)`

const logStatements = statements((db, named) => ({
  insert: prepareWrite(
    db,
    named('insert_logs'),
    sql`
      INSERT INTO ${resultLogs} (bot_id, result_id, id, status, description, details, context, created_at)
      SELECT ${botId}, ${resultId}, l.id, l.status, l.description, l.details, l.context, ${at} FROM ${givenLogs}`,
  ),
  insertOfClient: prepareWrite(
    db,
    named('insert_client_logs'),
    sql`
      WITH counted AS (
        UPDATE ${chatSessions} SET client_logs = ${logCount}
        WHERE id = ${sessionId} AND bot_id = ${botId} AND ${logCount} <= ${sql.raw(String(MAXIMUM_CLIENT_LOGS))}
        RETURNING bot_id
      ), written AS (
        INSERT INTO ${resultLogs} (bot_id, result_id, id, status, description, details, context, created_at)
        SELECT counted.bot_id, ${resultId}, l.id, l.status, l.description, l.details, l.context, ${at}
        FROM counted, ${givenLogs}
      )
      SELECT bot_id FROM counted`,
  ),
}))

const DETAILS_LENGTH = 1_000

/** Adds what a client noticed to the result of its session; false when the session would have too many entries. */
export async function insertClientLogs(
  db: Database,
  session: { sessionId: string; botId: string; resultId: string },
  logs: SaveClientLogs['body']['clientLogs'],
  now: Date,
): Promise<boolean> {
  if (logs.length === 0) return true
  const given = logs.map(({ status = 'error', details, ...log }) => ({
    ...log,
    status,
    details: details === undefined ? undefined : [...details].slice(0, DETAILS_LENGTH).join(''),
  }))
  const rows = JSON.stringify(toLogRows(given, now))
  const counted = await logStatements(db).insertOfClient({ ...session, now: now.toISOString(), logs: rows })
  return counted === 1
}

/** As a block writes it, or a client, whose words for the status are its own. */
type Log = Omit<LogEntry, 'isInternal' | 'status'> & { status: string }

/** Adds logs to a result, in the order in which they are given. */
export async function insertLogs(
  db: Database,
  botId: string,
  resultId: string,
  logs: readonly Log[],
  now: Date,
): Promise<void> {
  if (logs.length === 0) return
  const given = toLogRows(logs, now)
  await logStatements(db).insert({ botId, resultId, now: now.toISOString(), logs: JSON.stringify(given) })
}

/** Logs as `givenLogs` reads them; their ids keep their order. */
function toLogRows(logs: readonly Log[], now: Date) {
  const ids = newIds(logs.length, now)
  return logs.map(({ status, description, details, context }, place) => ({
    id: ids[place],
    status,
    description,
    details,
    context,
  }))
}

export interface Step {
  session: { id: string; botId: string; publicationId: string | null }
  /** Whose endpoints are told of results; undefined where nobody is. */
  watchedWorkspaceId: string | undefined
  /** The session as it was read; absent for the first step of a session. */
  read?: Pick<Session, 'steered' | 'isEnded'>
  /** The revision the step was made on; 0 for the first step of a session. */
  revision: number
  /** The result the step belongs to; null for a preview and for a session that is only registered. */
  resultId: string | null
  /** Whether the result has to be made, rather than found. */
  isNewResult: boolean
  outcome: StepOutcome
  lastMessage: string | null
  lastAnswer: string
}

/** Runs the write of a step, together with what else belongs to it. */
export type KeepStep = (write: (db: Database) => Promise<boolean>) => Promise<boolean>

/**
 * Writes a step: the session, its result with answers, transcript and logs, and results of linked bots.
 * False when the session has moved on since it was read.
 */
export async function saveStep(
  db: Database,
  step: Step,
  now: Date,
  keep: KeepStep = (write) => write(db),
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await keep((within) => writeStep(within, step, now))
    } catch (error) {
      const code = sqlState(error)
      // Another session of one remembered result took the same number, and is through now; or somebody who
      // deletes several results waited for this step, and it for them.
      if (code !== '23505' && code !== '40P01') throw error
      if (attempt === 20) return false
    }
  }
}

async function writeStep(db: Database, step: Step, now: Date): Promise<boolean> {
  const { session, outcome } = step
  const { first, firstTold, firstWithoutResult, next, nextTold, nextWithoutResult } = stepStatements(db)
  const isFirst = step.revision === 0
  const values = {
    sessionId: session.id,
    botId: session.botId,
    publicationId: session.publicationId,
    resultId: step.resultId,
    revision: step.revision,
    ...step.read,
    state: outcome.state === null ? null : JSON.stringify(outcome.state),
    lastMessage: step.lastMessage,
    lastAnswer: step.lastAnswer,
    turns: JSON.stringify(turnsOf(outcome)),
    now: now.toISOString(),
    savedAt: new Date().toISOString(),
    until: new Date(now.getTime() + SESSION_LIFETIME).toISOString(),
  }
  if (step.resultId === null) {
    return (await (isFirst ? firstWithoutResult : nextWithoutResult)(values)) === 1
  }

  const waiting = waitingResultOf(outcome.state)
  // Linked bots have results of their own, made when they first appear.
  const linked = outcome.linkedResults.map((result) => ({
    bot_id: result.botId,
    id: result.resultId,
    variables: result.variables,
    has_started: result.hasStarted,
    is_completed: result.isCompleted,
    waiting_block_id: waiting?.resultId === result.resultId ? waiting.blockId : null,
  }))
  const own = {
    bot_id: session.botId,
    id: step.resultId,
    variables: outcome.variables,
    has_started: outcome.hasStarted,
    is_completed: outcome.isCompleted,
    waiting_block_id: waiting?.resultId === step.resultId ? waiting.blockId : null,
  }
  const answers = [
    ...toAnswers(session.botId, step.resultId, outcome.answers),
    ...outcome.linkedResults.flatMap((result) => toAnswers(result.botId, result.resultId, result.answers)),
  ]
  const { transcript } = outcome
  const isTold = step.watchedWorkspaceId !== undefined
  const write = isTold ? (isFirst ? firstTold : nextTold) : isFirst ? first : next
  const written = await write({
    ...values,
    ...(isTold
      ? {
          workspaceId: step.watchedWorkspaceId,
          eventIds: JSON.stringify(newIds(3 * (1 + linked.length), now)),
        }
      : {}),
    lateBefore: lateBefore(now),
    made: JSON.stringify(step.isNewResult ? [own, ...linked] : linked),
    changed: JSON.stringify(step.isNewResult ? [] : [own]),
    answers: JSON.stringify(answers),
    logs: JSON.stringify(toLogRows(outcome.logs, now)),
    transcript: JSON.stringify(transcript.length === 0 ? [] : [{ entries: transcript }]),
  })
  if (written === 1 && isTold) wakeAfter(db)
  return written === 1
}

/** The block that a chat waits at and the result that its answer will go to; undefined where it does not wait. */
export function waitingResultOf(state: SessionState | null) {
  const frame = state?.frames.at(-1)
  const blockId = state?.waiting?.blockId
  if (!frame?.resultId || blockId === undefined) return undefined
  return { botId: frame.botId, resultId: frame.resultId, blockId }
}

/** What a step showed: what the person said to it, and what the bot said then. */
function turnsOf({ transcript, messages }: StepOutcome): components['schemas']['ChatTurn'][] {
  const said = transcript.filter(({ role }) => role === 'user')
  return [
    ...said.map(({ text, audio }) => ({ role: 'user' as const, text: text ?? audio ?? '' })),
    ...messages.map((message) => ({ role: 'bot' as const, message })),
  ]
}

function toAnswers(botId: string, resultId: string, answers: readonly Answer[]) {
  return answers.map((answer, place) => ({
    bot_id: botId,
    result_id: resultId,
    place,
    block_id: answer.blockId,
    content: answer.content,
    files: answer.attachedFileUrls,
  }))
}
