CREATE TABLE "bot_drafts" (
	"bot_id" text PRIMARY KEY NOT NULL,
	"groups" json NOT NULL,
	"events" json,
	"edges" json NOT NULL,
	"variables" json NOT NULL,
	"theme" json NOT NULL,
	"settings" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bot_idempotency_keys" (
	"bot_id" text NOT NULL,
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"lease_id" text,
	"leased_until" timestamp (3) with time zone,
	"status" smallint,
	"headers" json,
	"body" "bytea",
	"request_parts" json,
	"made_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"result_id" text,
	CONSTRAINT "bot_idempotency_keys_bot_id_user_id_key_pk" PRIMARY KEY("bot_id","user_id","key")
);
--> statement-breakpoint
CREATE TABLE "bot_idempotency_responses" (
	"bot_id" text NOT NULL,
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "bot_idempotency_responses_bot_id_user_id_key_pk" PRIMARY KEY("bot_id","user_id","key")
);
--> statement-breakpoint
CREATE TABLE "bot_publications" (
	"bot_id" text NOT NULL,
	"id" text NOT NULL,
	"source_revision" bigint NOT NULL,
	"version" text NOT NULL,
	"groups" json NOT NULL,
	"events" json,
	"edges" json NOT NULL,
	"variables" json NOT NULL,
	"theme" json NOT NULL,
	"settings" json NOT NULL,
	"warnings" json NOT NULL,
	"published_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"restored_at" timestamp (3) with time zone,
	CONSTRAINT "bot_publications_bot_id_id_pk" PRIMARY KEY("bot_id","id")
);
--> statement-breakpoint
CREATE TABLE "bots" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"folder_id" text,
	"name" text NOT NULL,
	"icon" text,
	"public_id" text,
	"custom_domain" text,
	"version" text NOT NULL,
	"revision" bigint NOT NULL,
	"selected_theme_template_id" text,
	"results_table_preferences" json,
	"is_closed" boolean DEFAULT false NOT NULL,
	"is_publicly_shared" boolean DEFAULT false NOT NULL,
	"messaging_credentials_id" text,
	"risk_level" double precision,
	"results_floor_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"draft_updated_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "published_bots" (
	"bot_id" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"publication_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "purges" (
	"bot_id" text PRIMARY KEY NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"batch_rows" integer,
	"failed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "api_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"owner_user_id" text NOT NULL,
	"name" text NOT NULL,
	"hint" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_on" date,
	"scopes" text[],
	"workspace_id" text,
	"browser_session_id" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"user_id" text,
	"token_id" text,
	"operation" text NOT NULL,
	"record_id" text NOT NULL,
	"outcome" text NOT NULL,
	"details" json,
	CONSTRAINT "audit_log_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "browser_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"cookie_hash" "bytea" NOT NULL,
	"user_agent" text,
	"last_used_on" date,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"data" "bytea" NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "custom_domains" (
	"domain" text PRIMARY KEY NOT NULL,
	"bot_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_logins" (
	"id" text PRIMARY KEY NOT NULL,
	"device_code_hash" "bytea" NOT NULL,
	"user_code" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[],
	"workspace_id" text,
	"expires_in_days" integer,
	"user_id" text,
	"decision" text,
	"used_at" timestamp (3) with time zone,
	"network" "bytea",
	"interval_seconds" integer NOT NULL,
	"polled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "folders" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"parent_folder_id" text,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"lease_id" text,
	"leased_until" timestamp (3) with time zone,
	"status" smallint,
	"headers" json,
	"body" "bytea",
	"request_parts" json,
	"made_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
CREATE TABLE "idempotency_responses" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "idempotency_responses_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
CREATE TABLE "installation_keys" (
	"name" text PRIMARY KEY NOT NULL,
	"key" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"mailed_code_hash" "bytea",
	"invited_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "public_ids" (
	"public_id" text PRIMARY KEY NOT NULL,
	"bot_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_links" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"browser_hash" "bytea",
	"return_to" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"image" text,
	"disabled_at" timestamp (3) with time zone,
	"is_unproven" boolean DEFAULT false NOT NULL,
	"wrong_codes" integer DEFAULT 0 NOT NULL,
	"wrong_codes_end_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"types" text[],
	"secrets" "bytea" NOT NULL,
	"secrets_key_id" text NOT NULL,
	"rotates_until" timestamp (3) with time zone,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"disabled_reason" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"paused_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspace_members" (
	"workspace_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "workspace_members_workspace_id_user_id_pk" PRIMARY KEY("workspace_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"icon" text,
	"plan" text DEFAULT 'FREE' NOT NULL,
	"billing_id" text,
	"settings" json,
	"is_suspended" boolean DEFAULT false NOT NULL,
	"is_past_due" boolean DEFAULT false NOT NULL,
	"is_verified" boolean DEFAULT false NOT NULL,
	"chats_hard_limit" integer,
	"custom_chats_limit" integer,
	"custom_seats_limit" integer,
	"results_retention_days" integer,
	"last_activity_at" timestamp (3) with time zone,
	"inactive_first_email_sent_at" timestamp (3) with time zone,
	"inactive_second_email_sent_at" timestamp (3) with time zone,
	"created_by" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "chat_messages" (
	"bot_id" text NOT NULL,
	"session_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"revision" integer NOT NULL,
	"user_id" text NOT NULL,
	"bubbles" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "chat_messages_bot_id_session_id_ordinal_pk" PRIMARY KEY("bot_id","session_id","ordinal")
);
--> statement-breakpoint
CREATE TABLE "chat_sessions" (
	"id" text NOT NULL,
	"bot_id" text NOT NULL,
	"publication_id" text,
	"result_id" text,
	"state" json,
	"revision" integer NOT NULL,
	"lease_id" text,
	"leased_until" timestamp (3) with time zone,
	"member_edits" json,
	"last_digest" text,
	"client_logs" integer,
	"inline_turns" "bytea",
	"handled_by" text,
	"assignee_id" text,
	"handled_since" timestamp (3) with time zone,
	"awaited" json,
	"last_message" json,
	"message_count" integer,
	"typing_until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "chat_sessions_bot_id_id_pk" PRIMARY KEY("bot_id","id")
);
--> statement-breakpoint
CREATE TABLE "chat_timers" (
	"bot_id" text NOT NULL,
	"session_id" text NOT NULL,
	"id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"is_paused" boolean NOT NULL,
	"failures" integer NOT NULL,
	"lease_id" text,
	"leased_until" timestamp (3) with time zone,
	CONSTRAINT "chat_timers_bot_id_session_id_pk" PRIMARY KEY("bot_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "chat_turns" (
	"bot_id" text NOT NULL,
	"session_id" text NOT NULL,
	"revision" integer NOT NULL,
	"turn" "bytea" NOT NULL,
	CONSTRAINT "chat_turns_bot_id_session_id_revision_pk" PRIMARY KEY("bot_id","session_id","revision")
);
--> statement-breakpoint
CREATE TABLE "chatwoot_conversations" (
	"bot_id" text NOT NULL,
	"credentials_id" text NOT NULL,
	"conversation_id" bigint NOT NULL,
	"workspace_id" text NOT NULL,
	"session_id" text,
	"status" text NOT NULL,
	"channel" text NOT NULL,
	"when_over" text NOT NULL,
	"when_returned" text NOT NULL,
	"started_at" double precision NOT NULL,
	"handed_at" double precision NOT NULL,
	"sent_revision" integer NOT NULL,
	"sent_ordinal" integer NOT NULL,
	"sent_parts" integer NOT NULL,
	"last_message_id" bigint NOT NULL,
	"handed_after" bigint NOT NULL,
	"is_note_due" boolean NOT NULL,
	"pending" text,
	"pending_since" timestamp (3) with time zone,
	"confirmed_id" bigint,
	"resume_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"changes" integer NOT NULL,
	"failures" integer NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"lease_id" text,
	"leased_until" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "chatwoot_conversations_bot_id_credentials_id_conversation_id_pk" PRIMARY KEY("bot_id","credentials_id","conversation_id")
);
--> statement-breakpoint
CREATE TABLE "chatwoot_events" (
	"bot_id" text NOT NULL,
	"credentials_id" text NOT NULL,
	"conversation_id" bigint NOT NULL,
	"key" text NOT NULL,
	"ordinal" bigint NOT NULL,
	"event" json,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "chatwoot_events_bot_id_credentials_id_conversation_id_key_pk" PRIMARY KEY("bot_id","credentials_id","conversation_id","key")
);
--> statement-breakpoint
CREATE TABLE "result_answers" (
	"bot_id" text NOT NULL,
	"result_id" text NOT NULL,
	"seq" integer NOT NULL,
	"block_id" text NOT NULL,
	"block_bot_id" text,
	"content" text NOT NULL,
	"attached_file_urls" text[],
	"created_at" timestamp (3) with time zone NOT NULL,
	"transcript" json,
	CONSTRAINT "result_answers_bot_id_result_id_seq_pk" PRIMARY KEY("bot_id","result_id","seq")
);
--> statement-breakpoint
CREATE TABLE "result_erasures" (
	"bot_id" text NOT NULL,
	"result_id" text NOT NULL,
	"passes" smallint DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "result_erasures_bot_id_result_id_pk" PRIMARY KEY("bot_id","result_id")
);
--> statement-breakpoint
CREATE TABLE "result_logs" (
	"bot_id" text NOT NULL,
	"result_id" text NOT NULL,
	"id" text NOT NULL,
	"status" text NOT NULL,
	"description" text NOT NULL,
	"details" text,
	"context" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "result_logs_bot_id_result_id_id_pk" PRIMARY KEY("bot_id","result_id","id")
);
--> statement-breakpoint
CREATE TABLE "result_transcripts" (
	"bot_id" text NOT NULL,
	"result_id" text NOT NULL,
	"id" text NOT NULL,
	"entries" json NOT NULL,
	CONSTRAINT "result_transcripts_bot_id_result_id_id_pk" PRIMARY KEY("bot_id","result_id","id")
);
--> statement-breakpoint
CREATE TABLE "results" (
	"bot_id" text NOT NULL,
	"id" text NOT NULL,
	"variables" json NOT NULL,
	"has_started" boolean DEFAULT false NOT NULL,
	"is_completed" boolean DEFAULT false NOT NULL,
	"is_archived" boolean DEFAULT false NOT NULL,
	"last_chat_session_id" text,
	"waiting_block_id" text,
	"waiting_block_bot_id" text,
	"waits_until" timestamp (3) with time zone,
	"transcript" json,
	"answers_size" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "results_bot_id_id_pk" PRIMARY KEY("bot_id","id")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"bot_id" text NOT NULL,
	"id" text NOT NULL,
	"session_id" text NOT NULL,
	"result_id" text,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"size" bigint NOT NULL,
	"is_private" boolean NOT NULL,
	"is_generated" boolean DEFAULT false NOT NULL,
	"is_complete" boolean NOT NULL,
	"remove_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "uploads_bot_id_id_pk" PRIMARY KEY("bot_id","id")
);
--> statement-breakpoint
CREATE TABLE "sheet_accounts" (
	"workspace_id" text NOT NULL,
	"credentials_id" text NOT NULL,
	"lease_id" text,
	"leased_until" timestamp (3) with time zone,
	"failures" integer NOT NULL,
	"rests_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sheet_accounts_workspace_id_credentials_id_pk" PRIMARY KEY("workspace_id","credentials_id")
);
--> statement-breakpoint
CREATE TABLE "sheet_rows" (
	"bot_id" text NOT NULL,
	"id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"result_id" text NOT NULL,
	"credentials_id" text NOT NULL,
	"spreadsheet_id" text NOT NULL,
	"sheet_id" text NOT NULL,
	"kind" text NOT NULL,
	"block_id" text NOT NULL,
	"cells" json NOT NULL,
	"filter" json,
	"size" integer NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"is_sent" boolean NOT NULL,
	"failures" integer NOT NULL,
	"max_batch" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sheet_rows_bot_id_id_pk" PRIMARY KEY("bot_id","id")
);
--> statement-breakpoint
CREATE TABLE "bot_block_stats_daily" (
	"bot_id" text NOT NULL,
	"day" date NOT NULL,
	"block_id" text NOT NULL,
	"status" text NOT NULL,
	"answered" integer NOT NULL,
	"waiting" integer NOT NULL,
	CONSTRAINT "bot_block_stats_daily_bot_id_day_block_id_status_pk" PRIMARY KEY("bot_id","day","block_id","status")
);
--> statement-breakpoint
CREATE TABLE "bot_stats_daily" (
	"bot_id" text NOT NULL,
	"day" date NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"starts" integer DEFAULT 0 NOT NULL,
	"completions" integer DEFAULT 0 NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"computed_epoch" bigint,
	"blocks_epoch" bigint,
	"blocks_settle_at" timestamp (3) with time zone,
	"blocks_due_at" timestamp (3) with time zone,
	CONSTRAINT "bot_stats_daily_bot_id_day_pk" PRIMARY KEY("bot_id","day")
);
--> statement-breakpoint
CREATE TABLE "bot_stats_hourly" (
	"bot_id" text NOT NULL,
	"hour" timestamp(3) with time zone NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"starts" integer DEFAULT 0 NOT NULL,
	"completions" integer DEFAULT 0 NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"computed_epoch" bigint,
	CONSTRAINT "bot_stats_hourly_bot_id_hour_pk" PRIMARY KEY("bot_id","hour")
);
--> statement-breakpoint
CREATE TABLE "stats_rollups" (
	"bot_id" text PRIMARY KEY NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"has_many_answers" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"bot_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"subject" text NOT NULL,
	"seq" integer NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"size" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempts_before" integer,
	"next_attempt_at" timestamp (3) with time zone,
	"leased_until" timestamp (3) with time zone,
	"is_delivered" boolean DEFAULT false NOT NULL,
	"last_attempt_at" timestamp (3) with time zone,
	"last_status" integer,
	"last_error" text,
	"last_duration" integer,
	CONSTRAINT "webhook_deliveries_bot_id_endpoint_id_subject_seq_pk" PRIMARY KEY("bot_id","endpoint_id","subject","seq")
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"bot_id" text NOT NULL,
	"subject" text NOT NULL,
	"id" text NOT NULL,
	"data" json NOT NULL,
	CONSTRAINT "webhook_events_bot_id_subject_id_pk" PRIMARY KEY("bot_id","subject","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_outbox" (
	"bot_id" text NOT NULL,
	"written_at" timestamp with time zone NOT NULL,
	"id" text NOT NULL,
	"endpoint_ids" text[] NOT NULL,
	"size" integer NOT NULL,
	"events" json NOT NULL,
	CONSTRAINT "webhook_outbox_bot_id_written_at_id_pk" PRIMARY KEY("bot_id","written_at","id")
);
--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_owner_user_id_users_id_fk" FOREIGN KEY ("owner_user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_browser_session_id_browser_sessions_id_fk" FOREIGN KEY ("browser_session_id") REFERENCES "public"."browser_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD CONSTRAINT "browser_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_logins" ADD CONSTRAINT "device_logins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_parent_folder_fk" FOREIGN KEY ("parent_folder_id") REFERENCES "public"."folders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_links" ADD CONSTRAINT "sign_in_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_members" ADD CONSTRAINT "workspace_members_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_members" ADD CONSTRAINT "workspace_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bot_idempotency_keys_result" ON "bot_idempotency_keys" USING btree ("bot_id","result_id") WHERE result_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "bot_idempotency_keys_age" ON "bot_idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "bots_list" ON "bots" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX "bots_folder_list" ON "bots" USING btree ("workspace_id","folder_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX "bots_folder" ON "bots" USING btree ("folder_id");--> statement-breakpoint
CREATE INDEX "bots_deleted" ON "bots" USING btree ("deleted_at") WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "purges_queue" ON "purges" USING btree ("failed_at" NULLS FIRST,"requested_at");--> statement-breakpoint
CREATE INDEX "purges_age" ON "purges" USING btree ("requested_at");--> statement-breakpoint
CREATE INDEX "api_tokens_browser_session" ON "api_tokens" USING btree ("browser_session_id") WHERE browser_session_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "api_tokens_token_hash_key" ON "api_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "api_tokens_owner" ON "api_tokens" USING btree ("owner_user_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "audit_log_list" ON "audit_log" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "browser_sessions_cookie_hash_key" ON "browser_sessions" USING btree ("cookie_hash");--> statement-breakpoint
CREATE INDEX "browser_sessions_user" ON "browser_sessions" USING btree ("user_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "credentials_list" ON "credentials" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "custom_domains_bot" ON "custom_domains" USING btree ("bot_id");--> statement-breakpoint
CREATE INDEX "custom_domains_host" ON "custom_domains" USING btree (split_part("domain", '/', 1));--> statement-breakpoint
CREATE UNIQUE INDEX "device_logins_device_code_hash_key" ON "device_logins" USING btree ("device_code_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "device_logins_user_code_key" ON "device_logins" USING btree ("user_code");--> statement-breakpoint
CREATE INDEX "device_logins_user" ON "device_logins" USING btree ("user_id") WHERE user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "device_logins_network" ON "device_logins" USING btree ("network","expires_at") WHERE network IS NOT NULL;--> statement-breakpoint
CREATE INDEX "folders_list" ON "folders" USING btree ("workspace_id","parent_folder_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "folders_parent" ON "folders" USING btree ("parent_folder_id");--> statement-breakpoint
CREATE INDEX "folders_deleted" ON "folders" USING btree ("workspace_id","parent_folder_id") WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_address_key" ON "invitations" USING btree ("workspace_id","email");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_code_hash_key" ON "invitations" USING btree ("code_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_mailed_code_hash_key" ON "invitations" USING btree ("mailed_code_hash");--> statement-breakpoint
CREATE INDEX "invitations_list" ON "invitations" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "public_ids_bot" ON "public_ids" USING btree ("bot_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_links_code_hash_key" ON "sign_in_links" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "sign_in_links_user" ON "sign_in_links" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_workspace" ON "webhook_endpoints" USING btree ("workspace_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "workspace_members_user" ON "workspace_members" USING btree ("user_id","workspace_id");--> statement-breakpoint
CREATE INDEX "workspaces_creator" ON "workspaces" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "workspaces_deleted" ON "workspaces" USING btree ("id") WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "chat_sessions_expiry" ON "chat_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "chat_sessions_result" ON "chat_sessions" USING btree ("bot_id","result_id") WHERE result_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "chat_sessions_live" ON "chat_sessions" USING btree ("bot_id","created_at" NULLS FIRST) WHERE ended_at IS NULL AND result_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "chat_sessions_handled" ON "chat_sessions" USING btree ("bot_id","handled_by","created_at" NULLS FIRST) WHERE handled_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX "chat_timers_due" ON "chat_timers" USING btree ("due_at") WHERE NOT is_paused;--> statement-breakpoint
CREATE INDEX "chatwoot_conversations_due" ON "chatwoot_conversations" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "chatwoot_conversations_session" ON "chatwoot_conversations" USING btree ("bot_id","session_id");--> statement-breakpoint
CREATE INDEX "chatwoot_conversations_age" ON "chatwoot_conversations" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "chatwoot_events_waiting" ON "chatwoot_events" USING btree ("bot_id","credentials_id","conversation_id","ordinal") WHERE event IS NOT NULL;--> statement-breakpoint
CREATE INDEX "chatwoot_events_age" ON "chatwoot_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "result_erasures_due" ON "result_erasures" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "results_by_time" ON "results" USING btree ("bot_id","has_started","created_at" NULLS FIRST,"id" NULLS FIRST,"is_completed") WHERE NOT is_archived;--> statement-breakpoint
CREATE INDEX "uploads_session" ON "uploads" USING btree ("bot_id","session_id");--> statement-breakpoint
CREATE INDEX "uploads_result" ON "uploads" USING btree ("bot_id","result_id");--> statement-breakpoint
CREATE INDEX "uploads_removal" ON "uploads" USING btree ("remove_at");--> statement-breakpoint
CREATE INDEX "sheet_accounts_age" ON "sheet_accounts" USING btree ("rests_until");--> statement-breakpoint
CREATE INDEX "sheet_rows_account" ON "sheet_rows" USING btree ("workspace_id","credentials_id","due_at");--> statement-breakpoint
CREATE INDEX "sheet_rows_result" ON "sheet_rows" USING btree ("bot_id","result_id");--> statement-breakpoint
CREATE INDEX "bot_stats_daily_blocks" ON "bot_stats_daily" USING btree ("bot_id","day") WHERE computed_epoch = epoch AND blocks_epoch IS DISTINCT FROM epoch;--> statement-breakpoint
CREATE INDEX "bot_stats_hourly_age" ON "bot_stats_hourly" USING btree ("hour") WHERE views >= 0;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("endpoint_id","next_attempt_at","id") WHERE next_attempt_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_front" ON "webhook_deliveries" USING btree ("bot_id","endpoint_id","subject","seq") WHERE num_nulls(next_attempt_at) = 0;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_tests" ON "webhook_deliveries" USING btree ("bot_id") WHERE num_nulls(next_attempt_at, NULLIF(bot_id = endpoint_id, false)) = 0;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_list" ON "webhook_deliveries" USING btree ("endpoint_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "webhook_deliveries_age" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
-- Room in each page for the next version of a row that every turn writes.
ALTER TABLE "chat_sessions" SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);--> statement-breakpoint
ALTER TABLE "results" SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "result_answers" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "result_transcripts" SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "chat_turns" SET (autovacuum_vacuum_scale_factor = 0.05);--> statement-breakpoint
-- Each row is written twice more soon after it came.
ALTER TABLE "webhook_deliveries" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);--> statement-breakpoint
-- Each row is leased within its page, without new entries of indexes, and removed soon after.
ALTER TABLE "chat_timers" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);--> statement-breakpoint
-- A table that is emptied again and again keeps its pages: without any, PostgreSQL plans to read all of it, also for
-- when it fills.
ALTER TABLE "chat_timers" SET (vacuum_truncate = false);--> statement-breakpoint
ALTER TABLE "webhook_outbox" SET (vacuum_truncate = false);
