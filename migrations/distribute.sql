-- Spreads the tables over the nodes of a Citus cluster (13 or later). Run by `npm run admin distribute`, after the
-- migrations, on the coordinator; every statement can be run again, and passes over what is done already.

-- Catalogue tables are small and rarely written: every node has a copy.
-- In the order of their foreign keys.
SELECT create_reference_table(name) FROM unnest(ARRAY[
  'users', 'workspaces', 'workspace_members', 'folders', 'api_tokens', 'credentials', 'public_ids', 'custom_domains',
  'webhook_endpoints'
]) AS name WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass);--> statement-breakpoint

-- Sessions are found by bot and id. Their id alone is still unique where a release before 1.1 writes beside this one,
-- and no such release runs on a cluster.
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conname = 'chat_sessions_pkey' AND array_length(conkey, 1) = 1) THEN
    ALTER TABLE chat_sessions DROP CONSTRAINT chat_sessions_pkey;
    ALTER TABLE chat_sessions ADD CONSTRAINT chat_sessions_pkey PRIMARY KEY (bot_id, id);
    CREATE INDEX chat_sessions_older ON chat_sessions (id);
  END IF;
END $$;--> statement-breakpoint
INSERT INTO ended_releases (release, ended_at) VALUES ('1.0', now()) ON CONFLICT DO NOTHING;--> statement-breakpoint

-- Tables of bots: all rows of a bot are on one node.
SELECT create_distributed_table('bots', 'id', colocate_with => 'none')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'bots'::regclass AND partmethod = 'h');--> statement-breakpoint
SELECT create_distributed_table(name, 'bot_id', colocate_with => 'bots') FROM unnest(ARRAY[
  'bot_drafts', 'bot_publications', 'published_bots', 'results', 'result_answers', 'result_logs', 'result_transcripts',
  'chat_sessions', 'chat_steps', 'uploads', 'bot_stats_daily', 'bot_block_stats_daily', 'stats_rollups', 'purges',
  'bot_idempotency_keys'
]) AS name WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass AND partmethod = 'h');--> statement-breakpoint

-- What is left stays on the coordinator: ended_releases, which a process reads at its start, audit_log and
-- idempotency_keys, which are written with changes of the catalogue, webhook_deliveries, which are looked for over all
-- bots every second and are gone soon, the keys of the installation, and what migrations are locked with.
