CREATE TABLE IF NOT EXISTS "ended_releases" (
	"release" text PRIMARY KEY NOT NULL,
	"ended_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "chat_steps" ALTER COLUMN "turns" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_steps" ADD COLUMN IF NOT EXISTS "step" "bytea";--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN IF NOT EXISTS "transcript" json;--> statement-breakpoint
ALTER TABLE "result_answers" ADD COLUMN IF NOT EXISTS "transcript" json;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "chat_sessions_by_time" ON "chat_sessions" USING btree ("bot_id","created_at" NULLS FIRST,"id" NULLS FIRST) WHERE ended_at IS NULL AND result_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "results_by_time" ON "results" USING btree ("bot_id","has_started","created_at" NULLS FIRST,"id" NULLS FIRST,"is_completed") WHERE NOT is_archived;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "chat_sessions_open";--> statement-breakpoint
-- The id of a session begins with its bot's, and finds the row as fast.
DROP INDEX CONCURRENTLY IF EXISTS "chat_sessions_key";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "results_list";
