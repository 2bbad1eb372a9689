CREATE TABLE IF NOT EXISTS "bot_idempotency_responses" (
	"bot_id" text NOT NULL,
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "bot_idempotency_responses_bot_id_user_id_key_pk" PRIMARY KEY("bot_id","user_id","key")
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "idempotency_responses" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "idempotency_responses_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
ALTER TABLE "purges" ADD COLUMN IF NOT EXISTS "batch_rows" integer;--> statement-breakpoint
ALTER TABLE "purges" ADD COLUMN IF NOT EXISTS "failed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "bots_deleted" ON "bots" USING btree ("deleted_at") WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "purges_queue" ON "purges" USING btree ("failed_at" NULLS FIRST,"requested_at");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "purges_age" ON "purges" USING btree ("requested_at");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "workspaces_deleted" ON "workspaces" USING btree ("id") WHERE deleted_at IS NOT NULL;