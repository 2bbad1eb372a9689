CREATE TABLE "api_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"owner_user_id" text NOT NULL,
	"name" text NOT NULL,
	"hint" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_on" date,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
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
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "chat_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"bot_id" text NOT NULL,
	"publication_id" text,
	"result_id" text,
	"state" json,
	"revision" integer NOT NULL,
	"last_message" text,
	"last_answer" json,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "custom_domains" (
	"domain" text PRIMARY KEY NOT NULL,
	"bot_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "folders" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"parent_folder_id" text,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "installation_keys" (
	"name" text PRIMARY KEY NOT NULL,
	"key" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "public_ids" (
	"public_id" text PRIMARY KEY NOT NULL,
	"bot_id" text NOT NULL
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
	"requested_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "result_answers" (
	"bot_id" text NOT NULL,
	"result_id" text NOT NULL,
	"seq" integer NOT NULL,
	"block_id" text NOT NULL,
	"content" text NOT NULL,
	"attached_file_urls" text[],
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "result_answers_bot_id_result_id_seq_pk" PRIMARY KEY("bot_id","result_id","seq")
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
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "results_bot_id_id_pk" PRIMARY KEY("bot_id","id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"image" text,
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
	"last_activity_at" timestamp (3) with time zone,
	"inactive_first_email_sent_at" timestamp (3) with time zone,
	"inactive_second_email_sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_owner_user_id_users_id_fk" FOREIGN KEY ("owner_user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_parent_folder_fk" FOREIGN KEY ("parent_folder_id") REFERENCES "public"."folders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_members" ADD CONSTRAINT "workspace_members_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_members" ADD CONSTRAINT "workspace_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_tokens_token_hash_key" ON "api_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "api_tokens_owner" ON "api_tokens" USING btree ("owner_user_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "bots_list" ON "bots" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX "bots_folder_list" ON "bots" USING btree ("workspace_id","folder_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX "bots_folder" ON "bots" USING btree ("folder_id");--> statement-breakpoint
CREATE INDEX "chat_sessions_expiry" ON "chat_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "custom_domains_bot" ON "custom_domains" USING btree ("bot_id");--> statement-breakpoint
CREATE INDEX "folders_list" ON "folders" USING btree ("workspace_id","parent_folder_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "folders_parent" ON "folders" USING btree ("parent_folder_id");--> statement-breakpoint
CREATE INDEX "public_ids_bot" ON "public_ids" USING btree ("bot_id");--> statement-breakpoint
CREATE INDEX "results_list" ON "results" USING btree ("bot_id","has_started","created_at" DESC NULLS LAST,"id" DESC NULLS LAST,"is_completed") WHERE NOT is_archived;--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "workspace_members_user" ON "workspace_members" USING btree ("user_id","workspace_id");