/*
 * The statements of the service as a person would write them, for the servers that are compared with it. Every
 * one is named, which makes `pg` prepare it once per connection.
 */

const token = 't.id AS token_id, t.owner_user_id, t.expires_at, t.revoked_at, t.last_used_on'

const botHeader = `b.id, b.workspace_id, b.folder_id, b.name, b.icon, b.public_id, b.custom_domain, b.version,
  b.revision, b.selected_theme_template_id, b.results_table_preferences, b.is_closed, b.is_publicly_shared,
  b.messaging_credentials_id, b.risk_level, b.results_floor_at, b.created_at, b.updated_at, b.draft_updated_at,
  b.deleted_at`

const parts = 'd.groups, d.events, d.edges, d.variables, d.theme, d.settings'

export const grantBot = {
  name: 'grant_bot',
  text: `SELECT ${token}, ${botHeader}, m.role
    FROM api_tokens t
    LEFT JOIN bots b ON b.id = $1 AND b.deleted_at IS NULL
    LEFT JOIN workspace_members m ON m.workspace_id = b.workspace_id AND m.user_id = t.owner_user_id
    WHERE t.token_hash = $2`,
}

export const grantWorkspace = {
  name: 'grant_workspace',
  text: `SELECT ${token}, w.id, w.name, w.icon, w.plan, w.billing_id, w.settings, w.is_suspended, w.is_past_due,
      w.is_verified, w.chats_hard_limit, w.custom_chats_limit, w.custom_seats_limit, w.last_activity_at,
      w.inactive_first_email_sent_at, w.inactive_second_email_sent_at, w.created_at, w.updated_at, w.deleted_at,
      m.role
    FROM api_tokens t
    LEFT JOIN workspaces w ON w.id = $1 AND w.deleted_at IS NULL
    LEFT JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = t.owner_user_id
    WHERE t.token_hash = $2`,
}

export const draft = {
  name: 'draft',
  text: `SELECT ${parts} FROM bot_drafts d WHERE d.bot_id = $1`,
}

export const resultPage = {
  name: 'result_page',
  text: `SELECT r.id, r.created_at, r.variables, r.is_completed, r.has_started, r.last_chat_session_id, (
      SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
        'blockId', a.block_id, 'content', a.content, 'attachedFileUrls', a.attached_file_urls
      )) ORDER BY a.seq), '[]')
      FROM result_answers a WHERE a.bot_id = r.bot_id AND a.result_id = r.id
    ) AS answers
    FROM results r
    WHERE r.bot_id = $1 AND r.has_started AND NOT r.is_archived
      AND r.created_at > $2::timestamptz AND r.created_at >= $3::timestamptz AND r.created_at < $4::timestamptz
      AND (r.created_at, r.id) < ($5::timestamptz, $6)
    ORDER BY r.created_at DESC NULLS LAST, r.id DESC NULLS LAST LIMIT $7`,
}

const goodDays = `FROM bot_stats_daily WHERE bot_id = (SELECT $1::text) AND computed_epoch = epoch
  AND day >= (SELECT $3::date)`

const totals = `coalesce(sum(views), 0)::float8 AS views, coalesce(sum(starts), 0)::float8 AS starts,
  coalesce(sum(completions), 0)::float8 AS completions`

/** From a moment on, of which the day is given too: days that are kept, and what lies between them. */
export const countResults = {
  name: 'count_results',
  text: `SELECT kept.views + counted.views AS views, kept.starts + counted.starts AS starts,
      kept.completions + counted.completions AS completed
    FROM (SELECT count(*) AS days, min(day) AS first, max(day) AS last, ${totals} ${goodDays}) AS kept, LATERAL (
      SELECT ${totals} FROM (
        SELECT $2::timestamptz AS begins, coalesce(kept.first::timestamp AT TIME ZONE 'UTC', 'infinity') AS ends
        UNION ALL
        SELECT (kept.last + 1)::timestamp AT TIME ZONE 'UTC', 'infinity' WHERE kept.days = kept.last - kept.first + 1
        UNION ALL
        SELECT between_days.* FROM (
          SELECT (day + 1)::timestamp AT TIME ZONE 'UTC',
            coalesce((lead(day) OVER (ORDER BY day))::timestamp AT TIME ZONE 'UTC', 'infinity') ${goodDays}
        ) AS between_days WHERE kept.days < kept.last - kept.first + 1
      ) AS gap
      CROSS JOIN LATERAL (
        SELECT count(*) AS views, count(*) FILTER (WHERE has_started) AS starts,
          count(*) FILTER (WHERE has_started AND is_completed) AS completions
        FROM results WHERE bot_id = (SELECT $1::text) AND has_started IN (true, false) AND NOT is_archived
          AND created_at >= gap.begins AND created_at < gap.ends
      ) AS part
      WHERE gap.begins < gap.ends
    ) AS counted`,
}

export const insertBot = {
  name: 'insert_bot',
  text: `WITH bot AS (
      INSERT INTO bots (id, workspace_id, folder_id, name, icon, public_id, custom_domain, version, revision,
        selected_theme_template_id, results_table_preferences, is_closed, is_publicly_shared,
        messaging_credentials_id, risk_level, results_floor_at, created_at, updated_at, draft_updated_at, deleted_at)
      VALUES ($1, $2, null, $3, null, null, null, '6.1', 1, null, null, false, false, null, null, null, $4, $4, $4, null)
      RETURNING id
    )
    INSERT INTO bot_drafts (bot_id, groups, events, edges, variables, theme, settings)
    SELECT id, $5::json, $6::json, $7::json, $8::json, $9::json, $10::json FROM bot`,
}

export const renameBot = {
  name: 'rename_bot',
  text: `WITH bot AS (
      UPDATE bots SET name = $1, version = $2, revision = $3, updated_at = $4
      WHERE id = $5 AND revision = $6 AND deleted_at IS NULL RETURNING id
    )
    SELECT ${parts} FROM bot JOIN bot_drafts d ON d.bot_id = bot.id`,
}

export const chatStart = {
  name: 'chat_start',
  text: `SELECT b.id, b.workspace_id, b.is_closed, pb.publication_id, pb.updated_at AS published_at,
      r.id AS result_id, r.variables AS result_variables
    FROM public_ids i
    JOIN bots b ON b.id = i.bot_id AND b.deleted_at IS NULL
    JOIN published_bots pb ON pb.bot_id = b.id AND pb.publication_id IS NOT NULL
    LEFT JOIN results r ON r.bot_id = b.id AND r.id = $2 AND NOT r.is_archived
      AND r.created_at > coalesce(b.results_floor_at, '-infinity')
    WHERE i.public_id = $1`,
}

export const chatResume = {
  name: 'chat_resume',
  text: `SELECT s.id AS session_id, s.result_id, s.state, s.revision, s.last_message, s.last_answer,
      s.publication_id, b.id, b.workspace_id
    FROM chat_sessions s
    JOIN bots b ON b.id = s.bot_id AND b.deleted_at IS NULL
    WHERE s.id = $1 AND s.expires_at > $2::timestamptz`,
}

export const insertLog = {
  name: 'insert_log',
  text: `INSERT INTO result_logs (bot_id, result_id, id, status, description, details, context, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
}

const insertSession = `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, last_message,
    last_answer, expires_at, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5::json, $6, $7, $8::json, $9::timestamptz, $10::timestamptz, $10::timestamptz)
  ON CONFLICT (id) DO UPDATE SET state = excluded.state, revision = 1, last_message = excluded.last_message,
    last_answer = excluded.last_answer, expires_at = excluded.expires_at, updated_at = excluded.updated_at
    WHERE chat_sessions.bot_id = excluded.bot_id AND chat_sessions.publication_id IS NULL
      AND excluded.publication_id IS NULL
  RETURNING id`

const updateSession = `UPDATE chat_sessions SET state = $5::json, revision = $6 + 1, result_id = $4, last_message = $7,
    last_answer = $8::json, expires_at = $9::timestamptz, updated_at = $10::timestamptz
  WHERE id = $1 AND revision = $6 AND bot_id = $2 AND publication_id = $3 RETURNING id`

const step = (session: string) => `WITH session AS (${session}),
  made AS (
    INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      created_at, updated_at)
    SELECT r.bot_id, r.id, r.variables, r.has_started, r.is_completed, false, session.id, $10::timestamptz,
      $10::timestamptz
    FROM session, json_to_recordset($11::json)
      AS r(bot_id text, id text, variables json, has_started boolean, is_completed boolean)
    ON CONFLICT (bot_id, id) DO UPDATE SET variables = excluded.variables,
      has_started = results.has_started OR excluded.has_started,
      is_completed = results.is_completed OR excluded.is_completed,
      last_chat_session_id = excluded.last_chat_session_id, updated_at = excluded.updated_at
    RETURNING bot_id, id, created_at, has_started, is_completed
  ), changed AS (
    UPDATE results o SET variables = r.variables, has_started = o.has_started OR r.has_started,
      is_completed = o.is_completed OR r.is_completed, last_chat_session_id = session.id,
      updated_at = $10::timestamptz
    FROM session, json_to_recordset($12::json)
      AS r(bot_id text, id text, variables json, has_started boolean, is_completed boolean)
    WHERE o.bot_id = r.bot_id AND o.id = r.id
    RETURNING o.bot_id, o.id, o.created_at, o.has_started, o.is_completed
  ), live AS (
    SELECT * FROM made UNION ALL SELECT * FROM changed
  ), late AS (
    INSERT INTO bot_stats_daily (bot_id, day)
    SELECT DISTINCT live.bot_id, (live.created_at AT TIME ZONE 'UTC')::date AS day FROM live
    LEFT JOIN results before ON before.bot_id = live.bot_id AND before.id = live.id
    WHERE live.created_at < $15::timestamptz
      AND (live.has_started, live.is_completed) IS DISTINCT FROM (before.has_started, before.is_completed)
    ORDER BY bot_id, day
    ON CONFLICT (bot_id, day) DO UPDATE SET epoch = bot_stats_daily.epoch + 1
  ), answers AS (
    INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, attached_file_urls, created_at)
    SELECT live.bot_id, live.id, a.place + coalesce((
        SELECT max(seq) + 1 FROM result_answers e WHERE e.bot_id = live.bot_id AND e.result_id = live.id
      ), 0), a.block_id, a.content,
      CASE WHEN a.files IS NULL THEN NULL ELSE ARRAY(SELECT json_array_elements_text(a.files)) END,
      $10::timestamptz
    FROM json_to_recordset($13::json)
      AS a(bot_id text, result_id text, place integer, block_id text, content text, files json)
    JOIN live ON live.bot_id = a.bot_id AND live.id = a.result_id
  ), logs AS (
    INSERT INTO result_logs (bot_id, result_id, id, status, description, details, context, created_at)
    SELECT live.bot_id, live.id, l.id, l.status, l.description, l.details, l.context, $10::timestamptz
    FROM live, json_to_recordset($14::json)
      AS l(id text, status text, description text, details text, context text)
    WHERE live.bot_id = $2 AND live.id = $4
  ), transcript AS (
    INSERT INTO result_transcripts (bot_id, result_id, id, entries)
    SELECT live.bot_id, live.id, lpad((
        SELECT count(*) FROM result_transcripts e WHERE e.bot_id = live.bot_id AND e.result_id = live.id
      )::text, 10, '0'), $16::json
    FROM live WHERE live.bot_id = $2 AND live.id = $4
  )
  SELECT id FROM session`

export const chatFirstStep = { name: 'chat_first_step', text: step(insertSession) }
export const chatNextStep = { name: 'chat_next_step', text: step(updateSession) }
