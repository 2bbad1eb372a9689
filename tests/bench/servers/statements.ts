/*
 * The statements of the service as a person would write them, for the servers that are compared with it. Every
 * one is named, which makes `pg` prepare it once per connection.
 */

const token =
  't.id AS token_id, t.owner_user_id, t.expires_at, t.revoked_at, t.last_used_on, t.scopes, t.workspace_id AS bound_to'

const botHeader = `b.id, b.workspace_id, b.folder_id, b.name, b.icon, b.public_id, b.custom_domain, b.version,
  b.revision, b.selected_theme_template_id, b.results_table_preferences, b.is_closed, b.is_publicly_shared,
  b.messaging_credentials_id, b.risk_level, b.results_floor_at, b.created_at, b.updated_at, b.draft_updated_at,
  b.deleted_at`

const parts = 'd.groups, d.events, d.edges, d.variables, d.theme, d.settings'

const workspace = `w.id, w.name, w.icon, w.plan, w.billing_id, w.settings, w.is_suspended, w.is_past_due, w.is_verified,
  w.chats_hard_limit, w.custom_chats_limit, w.custom_seats_limit, w.results_retention_days, w.last_activity_at,
  w.inactive_first_email_sent_at, w.inactive_second_email_sent_at, w.created_at, w.updated_at, w.deleted_at`

const grantedBot = (id: string) => `LEFT JOIN bots b ON b.id = ${id} AND b.deleted_at IS NULL
    LEFT JOIN workspace_members m ON m.workspace_id = b.workspace_id AND m.user_id = t.owner_user_id`

const grantedWorkspace = (id: string) => `LEFT JOIN workspaces w ON w.id = ${id} AND w.deleted_at IS NULL
    LEFT JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = t.owner_user_id`

const asked = `(SELECT $1::text[]), (SELECT $2::bytea[])`

export const grantBot = {
  name: 'grant_bot',
  text: `SELECT ${token}, ${botHeader}, m.role FROM api_tokens t ${grantedBot('$1')} WHERE t.token_hash = $2`,
}

export const grantWorkspace = {
  name: 'grant_workspace',
  text: `SELECT ${token}, ${workspace}, m.role FROM api_tokens t ${grantedWorkspace('$1')} WHERE t.token_hash = $2`,
}

/** Grants of several callers at once, each with its place in the lists. */
export const grantBotSeveral = {
  name: 'grant_bot_several',
  text: `SELECT asked.place, ${token}, ${botHeader}, m.role
    FROM unnest(${asked}) WITH ORDINALITY AS asked (id, hash, place)
    JOIN api_tokens t ON t.token_hash = asked.hash ${grantedBot('asked.id')}`,
}

export const grantWorkspaceSeveral = {
  name: 'grant_workspace_several',
  text: `SELECT asked.place, ${token}, ${workspace}, m.role
    FROM unnest(${asked}) WITH ORDINALITY AS asked (id, hash, place)
    JOIN api_tokens t ON t.token_hash = asked.hash ${grantedWorkspace('asked.id')}`,
}

export const draft = {
  name: 'draft',
  text: `SELECT ${parts} FROM bot_drafts d WHERE d.bot_id = $1`,
}

export const resultPage = {
  name: 'result_page',
  text: `SELECT r.id, r.created_at, r.variables, r.is_completed, r.has_started, r.last_chat_session_id, (
      SELECT coalesce(json_agg(CASE WHEN a.attached_file_urls IS NULL
          THEN json_object(ARRAY['blockId', a.block_id, 'content', a.content])
          ELSE json_build_object(
            'blockId', a.block_id, 'content', a.content, 'attachedFileUrls', a.attached_file_urls) END
        ORDER BY a.seq), '[]')
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

const goodHours = `FROM bot_stats_hourly WHERE bot_id = (SELECT $1::text) AND computed_epoch = epoch
  AND hour >= greatest($2::timestamptz, date_trunc('day', now(), 'UTC') - interval '1 day',
    (kept.last + 1)::timestamp AT TIME ZONE 'UTC')`

/** From a moment on, of which the day is given too: days that are kept, hours behind them, and what lies between. */
export const countResults = {
  name: 'count_results',
  text: `SELECT kept.views + hourly.views + counted.views AS views, kept.starts + hourly.starts + counted.starts AS starts,
      kept.completions + hourly.completions + counted.completions AS completed
    FROM (SELECT count(*) AS days, min(day) AS first, max(day) AS last, ${totals} ${goodDays}) AS kept, LATERAL (
      SELECT coalesce(min(hour), 'infinity') AS first, ${totals} ${goodHours}
    ) AS hourly, LATERAL (
      SELECT ${totals} FROM (
        SELECT $2::timestamptz AS begins, coalesce(kept.first::timestamp AT TIME ZONE 'UTC', hourly.first) AS ends
        UNION ALL
        SELECT (kept.last + 1)::timestamp AT TIME ZONE 'UTC', hourly.first WHERE kept.days = kept.last - kept.first + 1
        UNION ALL
        SELECT between_days.* FROM (
          SELECT (day + 1)::timestamp AT TIME ZONE 'UTC',
            coalesce((lead(day) OVER (ORDER BY day))::timestamp AT TIME ZONE 'UTC', hourly.first) ${goodDays}
        ) AS between_days WHERE kept.days < kept.last - kept.first + 1
        UNION ALL
        SELECT between_hours.* FROM (
          SELECT hour + interval '1 hour', coalesce(lead(hour) OVER (ORDER BY hour), 'infinity') ${goodHours}
        ) AS between_hours
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

/** A bot, its draft and the entry in the audit log, whose id, user and token come last. */
export const insertBot = {
  name: 'insert_bot',
  text: `WITH workspace AS (
      SELECT id FROM workspaces WHERE id = $2 AND deleted_at IS NULL FOR KEY SHARE
    ), bot AS (
      INSERT INTO bots (id, workspace_id, folder_id, name, icon, public_id, custom_domain, version, revision,
        selected_theme_template_id, results_table_preferences, is_closed, is_publicly_shared,
        messaging_credentials_id, risk_level, results_floor_at, created_at, updated_at, draft_updated_at, deleted_at)
      SELECT $1, id, null, $3, null, null, null, '6.1', 1, null, null, false, false, null, null, null,
        $4::timestamptz, $4::timestamptz, $4::timestamptz, null FROM workspace
      RETURNING id
    ), entry AS (
      INSERT INTO audit_log (workspace_id, id, created_at, user_id, token_id, operation, record_id, outcome)
      SELECT $2, $11, $4::timestamptz, $12, $13, 'createBot', id, 'success' FROM bot
    )
    INSERT INTO bot_drafts (bot_id, groups, events, edges, variables, theme, settings)
    SELECT id, $5::json, $6::json, $7::json, $8::json, $9::json, $10::json FROM bot RETURNING bot_id`,
}

const renaming = `UPDATE bots SET name = $1, version = $2, revision = $3, updated_at = $4
  WHERE id = $5 AND revision = $6 AND deleted_at IS NULL RETURNING id`

export const renameBot = {
  name: 'rename_bot',
  text: `WITH bot AS (${renaming}) SELECT ${parts} FROM bot JOIN bot_drafts d ON d.bot_id = bot.id`,
}

/** The same where the draft is known. */
export const renameKnown = { name: 'rename_known', text: renaming }

export const chatStart = {
  name: 'chat_start',
  text: `SELECT b.id, b.workspace_id, b.is_closed, pb.publication_id, pb.updated_at AS published_at
    FROM public_ids i
    JOIN bots b ON b.id = i.bot_id AND b.deleted_at IS NULL
    JOIN published_bots pb ON pb.bot_id = b.id AND pb.publication_id IS NOT NULL
    WHERE i.public_id = $1`,
}

export const chatResume = {
  name: 'chat_resume',
  text: `SELECT s.id AS session_id, s.result_id, s.state, s.revision, s.member_edits, s.publication_id, b.id, b.workspace_id,
      coalesce(octet_length(s.inline_turns), 0) AS inline_turns_size
    FROM chat_sessions s
    JOIN bots b ON b.id = s.bot_id AND b.deleted_at IS NULL
    WHERE s.id = $1 AND s.expires_at > $2::timestamptz`,
}

/** A log entry of a client, which is counted. */
export const insertLog = {
  name: 'insert_log',
  text: `WITH counted AS (
      UPDATE chat_sessions SET client_logs = coalesce(client_logs, 0) + 1
      WHERE id = $9 AND bot_id = $1 AND coalesce(client_logs, 0) < 1000 RETURNING bot_id
    )
    INSERT INTO result_logs (bot_id, result_id, id, status, description, details, context, created_at)
    SELECT bot_id, $2, $3, $4, $5, $6, $7, $8 FROM counted`,
}
