-- Spreads the tables over the nodes of a Citus cluster (13 or later). Run by `npm run admin distribute`, after the
-- migrations, on the coordinator; every statement can be run again, and passes over what is done already.

-- On a cluster turns enqueue no events. `npm run admin distribute` fans out those that are there before.
DO $$ BEGIN
  IF EXISTS (SELECT FROM webhook_outbox) THEN
    RAISE EXCEPTION 'The outbox still has events of chats: stop the service, and distribute again. A row of webhook_outbox that stays cannot be fanned out; its error is in the log of the service';
  END IF;
END $$;--> statement-breakpoint

-- Catalogue tables are small and rarely written: every node has a copy.
-- In the order of their foreign keys.
DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY[
  'users', 'workspaces', 'workspace_members', 'folders', 'browser_sessions', 'sign_in_links', 'invitations', 'device_logins', 'api_tokens',
  'credentials', 'public_ids', 'custom_domains', 'webhook_endpoints'
] LOOP
    IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass AND repmodel = 't') THEN
      PERFORM create_reference_table(name);
    END IF;
  END LOOP;
END $$;--> statement-breakpoint

-- Tables of bots: all rows of a bot are on one node.
SELECT create_distributed_table('bots', 'id', colocate_with => 'none')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'bots'::regclass AND partmethod = 'h');--> statement-breakpoint
DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY[
  'bot_drafts', 'bot_publications', 'published_bots', 'results', 'result_answers', 'result_logs', 'result_transcripts',
  'chat_sessions', 'chat_turns', 'chat_messages', 'chat_timers', 'chatwoot_conversations', 'chatwoot_events', 'sheet_rows', 'uploads', 'bot_stats_daily', 'bot_stats_hourly', 'bot_block_stats_daily',
  'stats_rollups', 'purges', 'result_erasures', 'bot_idempotency_keys', 'bot_idempotency_responses'
] LOOP
    IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass AND partmethod = 'h') THEN
      PERFORM create_distributed_table(name, 'bot_id', colocate_with => 'bots');
    END IF;
  END LOOP;
END $$;--> statement-breakpoint

-- The node of a bot runs each of these functions as a whole. `chat/sessions/session-queries.ts` calls those that
-- read for turns, `chat/sessions/write-turn-citus.ts` those that write them. A function whose parameters change gets another name, since
-- the release before still calls the old one.

CREATE OR REPLACE FUNCTION read_published_bot(p_bot_id text, p_public_id text, p_result_id text)
RETURNS TABLE (
  bot_id text, workspace_id text, has_webhooks boolean, is_closed boolean, publication_id text, published_at timestamptz,
  earlier_result_id text, earlier_variables json
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_floor timestamptz;
BEGIN
  SELECT b.id, b.workspace_id, b.is_closed, b.results_floor_at INTO bot_id, workspace_id, is_closed, v_floor
  FROM bots b WHERE b.id = p_bot_id AND b.deleted_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  -- A separate query: a node that was reached through another one cannot join tables of bots with those on every
  -- node.
  PERFORM FROM workspaces w WHERE w.id = read_published_bot.workspace_id AND w.deleted_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT p.publication_id, p.updated_at INTO publication_id, published_at
  FROM published_bots p WHERE p.bot_id = p_bot_id AND p.publication_id IS NOT NULL;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM FROM public_ids p WHERE p.public_id = p_public_id AND p.bot_id = p_bot_id;
  IF NOT FOUND THEN RETURN; END IF;
  IF p_result_id <> '' THEN
    SELECT r.id, r.variables INTO earlier_result_id, earlier_variables FROM results r
    WHERE r.bot_id = p_bot_id AND r.id = p_result_id AND NOT r.is_archived AND r.created_at > coalesce(v_floor, '-infinity');
  END IF;
  has_webhooks := EXISTS (
    SELECT FROM webhook_endpoints e WHERE e.workspace_id = read_published_bot.workspace_id AND e.is_enabled);
  RETURN NEXT;
END $$;--> statement-breakpoint

CREATE OR REPLACE FUNCTION read_chat_session(p_bot_id text, p_id text, p_now timestamptz)
RETURNS TABLE (
  id text, bot_id text, workspace_id text, has_webhooks boolean, publication_id text, result_id text, state json,
  revision integer, lease_id text, member_edits json, last_digest text, handled_by text, assignee_id text, message_count integer,
  expires_at timestamptz, created_at timestamptz, inline_turns_size integer, updated_at timestamptz,
  typing_until timestamptz
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  SELECT c.id, c.bot_id, c.publication_id, c.result_id, c.state, c.revision, c.lease_id, c.member_edits, c.last_digest,
    c.handled_by, c.assignee_id, c.message_count, c.expires_at, c.created_at, coalesce(octet_length(c.inline_turns), 0), c.updated_at,
    c.typing_until
  INTO id, bot_id, publication_id, result_id, state, revision, lease_id, member_edits, last_digest,
    handled_by, assignee_id, message_count, expires_at, created_at, inline_turns_size, updated_at, typing_until
  FROM chat_sessions c WHERE c.bot_id = p_bot_id AND c.id = p_id AND c.expires_at > p_now;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT b.workspace_id INTO workspace_id FROM bots b WHERE b.id = p_bot_id AND b.deleted_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM FROM workspaces w WHERE w.id = read_chat_session.workspace_id AND w.deleted_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  -- A chat is over once its result is deleted.
  IF result_id IS NOT NULL THEN
    PERFORM FROM results r JOIN bots b ON b.id = r.bot_id WHERE r.bot_id = p_bot_id AND b.id = p_bot_id
      AND r.id = read_chat_session.result_id AND NOT r.is_archived AND r.created_at > coalesce(b.results_floor_at, '-infinity');
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  has_webhooks := EXISTS (
    SELECT FROM webhook_endpoints e WHERE e.workspace_id = read_chat_session.workspace_id AND e.is_enabled);
  RETURN NEXT;
END $$;--> statement-breakpoint

CREATE OR REPLACE FUNCTION write_chat_result(
  p_bot_id text, p_id text, p_session_id text, p_is_new boolean, p_variables json, p_has_started boolean,
  p_is_completed boolean, p_waiting_block_id text, p_waiting_block_bot_id text, p_transcript json, p_answers json,
  p_logs json, p_full_log_id text, p_turns json, p_now timestamptz, p_expires_at timestamptz, p_late_before timestamptz,
  OUT created_at timestamptz, OUT has_started boolean, OUT is_completed boolean,
  OUT had_started boolean, OUT was_completed boolean
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_before record;
  v_after record;
  v_entry record;
  v_seq integer;
  v_turns bigint;
  v_made_at timestamptz;
  v_floor timestamptz;
  v_size bigint := 0;
  v_waits_until timestamptz := CASE WHEN p_waiting_block_id IS NOT NULL THEN p_expires_at END;
BEGIN
  SELECT r.has_started, r.is_completed, r.waiting_block_id, r.waits_until INTO v_before
  FROM results r WHERE r.bot_id = p_bot_id AND r.id = p_id;
  SELECT coalesce(sum(a.size), 0) INTO v_size FROM json_to_recordset(p_answers) AS a(size bigint);

  IF p_is_new THEN
    -- A deletion of all results and this row wait for each other, and its timestamp is above the floor that a
    -- deletion leaves.
    SELECT greatest(p_now, b.results_floor_at + interval '1 millisecond'), coalesce(b.results_floor_at, '-infinity')
    INTO v_made_at, v_floor FROM bots b WHERE b.id = p_bot_id FOR KEY SHARE;
    IF NOT FOUND THEN RETURN; END IF;
    INSERT INTO results AS r (bot_id, id, variables, has_started, is_completed, is_archived, last_chat_session_id,
      waiting_block_id, waiting_block_bot_id, waits_until, created_at, updated_at, transcript, answers_size)
    VALUES (p_bot_id, p_id, p_variables, p_has_started, p_is_completed, false, p_session_id,
      p_waiting_block_id, p_waiting_block_bot_id, v_waits_until, v_made_at, p_now, p_transcript, v_size)
    ON CONFLICT (bot_id, id) DO UPDATE SET variables = excluded.variables,
      has_started = r.has_started OR excluded.has_started, is_completed = r.is_completed OR excluded.is_completed,
      last_chat_session_id = excluded.last_chat_session_id, waiting_block_id = excluded.waiting_block_id,
      waiting_block_bot_id = excluded.waiting_block_bot_id, waits_until = excluded.waits_until,
      updated_at = excluded.updated_at, answers_size = r.answers_size + excluded.answers_size
      WHERE NOT r.is_archived AND r.created_at > v_floor
    RETURNING r.created_at, r.has_started, r.is_completed, r.waiting_block_id, r.waits_until, r.answers_size
    INTO v_after;
    IF NOT FOUND THEN RETURN; END IF;
  ELSE
    UPDATE results r SET variables = p_variables, has_started = r.has_started OR p_has_started,
      is_completed = r.is_completed OR p_is_completed, last_chat_session_id = p_session_id,
      waiting_block_id = p_waiting_block_id, waiting_block_bot_id = p_waiting_block_bot_id,
      waits_until = v_waits_until, updated_at = p_now, answers_size = r.answers_size + v_size
    WHERE r.bot_id = p_bot_id AND r.id = p_id AND NOT r.is_archived AND r.created_at > coalesce(
      (SELECT b.results_floor_at FROM bots b WHERE b.id = p_bot_id), '-infinity')
    RETURNING r.created_at, r.has_started, r.is_completed, r.waiting_block_id, r.waits_until, r.answers_size
    INTO v_after;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;

  IF json_array_length(p_answers) > 0 OR p_turns IS NOT NULL THEN
    SELECT coalesce(max(a.seq) + 1, 0) INTO v_seq FROM result_answers a WHERE a.bot_id = p_bot_id AND a.result_id = p_id;
  END IF;
  FOR v_entry IN SELECT * FROM json_to_recordset(p_answers)
    AS a(ordinal integer, block_id text, block_bot_id text, content text, files text[], transcript json)
    WHERE v_after.answers_size <= 8000000
  LOOP
    INSERT INTO result_answers (bot_id, result_id, seq, block_id, block_bot_id, content, attached_file_urls, created_at,
      transcript)
    VALUES (p_bot_id, p_id, v_seq + v_entry.ordinal, v_entry.block_id, v_entry.block_bot_id, v_entry.content,
      v_entry.files, p_now, v_entry.transcript);
  END LOOP;
  IF v_after.answers_size > 8000000 AND v_after.answers_size - v_size <= 8000000 THEN
    INSERT INTO result_logs (bot_id, result_id, id, status, description, created_at)
    VALUES (p_bot_id, p_id, p_full_log_id, 'error',
      'The answers are too long: no more are stored with this result', p_now);
  END IF;
  FOR v_entry IN SELECT * FROM json_to_recordset(p_logs)
    AS l(id text, status text, description text, details text, context text)
  LOOP
    INSERT INTO result_logs (bot_id, result_id, id, status, description, details, context, created_at)
    VALUES (p_bot_id, p_id, v_entry.id, v_entry.status, v_entry.description, v_entry.details, v_entry.context, p_now);
  END LOOP;
  IF p_turns IS NOT NULL THEN
    SELECT coalesce(split_part(max(t.id), '.', 1)::bigint + 1, 0) INTO v_turns FROM result_transcripts t WHERE t.bot_id = p_bot_id AND t.result_id = p_id;
    INSERT INTO result_transcripts (bot_id, result_id, id, entries)
    VALUES (p_bot_id, p_id, lpad(v_turns::text, 10, '0') || '.' || v_seq, p_turns);
  END IF;

  -- A day that may be counted already, of which this turn changes counted values.
  IF v_after.created_at < p_late_before AND (json_array_length(p_answers) > 0
    OR (v_after.has_started, v_after.is_completed, v_after.waiting_block_id, v_after.waits_until) IS DISTINCT FROM
      (v_before.has_started, v_before.is_completed, v_before.waiting_block_id, v_before.waits_until))
  THEN
    INSERT INTO bot_stats_daily AS d (bot_id, day) VALUES (p_bot_id, (v_after.created_at AT TIME ZONE 'UTC')::date)
    ON CONFLICT (bot_id, day) DO UPDATE SET epoch = d.epoch + 1;
  END IF;

  created_at := v_after.created_at;
  has_started := v_after.has_started;
  is_completed := v_after.is_completed;
  had_started := coalesce(v_before.has_started, false);
  was_completed := coalesce(v_before.is_completed, false);
END $$;--> statement-breakpoint

CREATE OR REPLACE FUNCTION write_chat_turn(
  p_bot_id text, p_session_id text, p_publication_id text, p_result_id text, p_revision integer, p_member_edits text,
  p_is_ended boolean, p_state json, p_last_digest text, p_inline_turn bytea, p_separate_turn bytea,
  p_ended_at timestamptz,
  p_is_new boolean, p_variables json, p_has_started boolean, p_is_completed boolean, p_waiting_block_id text,
  p_waiting_block_bot_id text, p_transcript json, p_answers json, p_logs json, p_full_log_id text, p_turns json,
  p_now timestamptz, p_expires_at timestamptz, p_late_before timestamptz,
  OUT is_written boolean, OUT created_at timestamptz, OUT has_started boolean, OUT is_completed boolean,
  OUT had_started boolean, OUT was_completed boolean
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- By the clock of the database. No part of the statements, which must not be volatile.
  v_saved_at timestamptz := clock_timestamp();
BEGIN
  IF p_revision > 0 THEN
    UPDATE chat_sessions c SET state = p_state, revision = c.revision + 1, result_id = p_result_id,
      last_digest = p_last_digest, ended_at = p_ended_at, expires_at = p_expires_at,
      updated_at = v_saved_at, member_edits = NULL, inline_turns = coalesce(p_inline_turn || coalesce(c.inline_turns, ''), c.inline_turns)
    WHERE c.bot_id = p_bot_id AND c.id = p_session_id AND c.revision = p_revision
      AND c.member_edits::text IS NOT DISTINCT FROM p_member_edits AND (c.state IS NULL) = p_is_ended;
  ELSIF p_result_id IS NOT NULL THEN
    INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, last_digest,
      ended_at, expires_at, created_at, updated_at, inline_turns)
    VALUES (p_session_id, p_bot_id, p_publication_id, p_result_id, p_state, 1, p_last_digest,
      p_ended_at, p_expires_at, p_now, v_saved_at, p_inline_turn);
  ELSE
    -- A preview alone may begin again under the id that it has.
    INSERT INTO chat_sessions AS c (id, bot_id, publication_id, result_id, state, revision, last_digest,
      ended_at, expires_at, created_at, updated_at, inline_turns)
    VALUES (p_session_id, p_bot_id, p_publication_id, p_result_id, p_state, 1, p_last_digest,
      p_ended_at, p_expires_at, p_now, v_saved_at, p_inline_turn)
    ON CONFLICT (bot_id, id) DO UPDATE SET state = excluded.state, revision = 1, lease_id = NULL,
      last_digest = excluded.last_digest, ended_at = excluded.ended_at,
      expires_at = excluded.expires_at, updated_at = excluded.updated_at
      WHERE c.publication_id IS NULL AND excluded.publication_id IS NULL;
  END IF;
  is_written := FOUND;
  IF NOT is_written THEN RETURN; END IF;

  IF p_separate_turn IS NOT NULL THEN
    INSERT INTO chat_turns (bot_id, session_id, revision, turn)
    VALUES (p_bot_id, p_session_id, p_revision + 1, p_separate_turn)
    ON CONFLICT (bot_id, session_id, revision) DO UPDATE SET turn = excluded.turn;
  END IF;
  IF p_is_new IS NOT NULL THEN
    SELECT r.* INTO created_at, has_started, is_completed, had_started, was_completed
    FROM write_chat_result(p_bot_id, p_result_id, p_session_id, p_is_new, p_variables, p_has_started, p_is_completed,
      p_waiting_block_id, p_waiting_block_bot_id, p_transcript, p_answers, p_logs, p_full_log_id, p_turns, p_now, p_expires_at, p_late_before) r;
  END IF;
END $$;--> statement-breakpoint

SELECT create_distributed_function(called.oid::regprocedure, 'p_bot_id', colocate_with => 'bots', force_delegation => true)
FROM pg_proc called WHERE proname IN (
  'read_published_bot', 'read_chat_session', 'write_chat_result', 'write_chat_turn'
) AND pg_function_is_visible(oid)
  AND NOT EXISTS (SELECT FROM pg_dist_object WHERE objid = called.oid AND distribution_argument_index IS NOT NULL);--> statement-breakpoint

-- All other tables stay on the coordinator: audit_log,
-- idempotency_keys and idempotency_responses, which are written with changes of the catalogue; webhook_deliveries,
-- which are searched over all bots every second and soon purged, and webhook_events beside them; webhook_outbox, which
-- stays empty; the keys of the installation; and the locks of migrations.
