ALTER TABLE "chat_sessions" ADD COLUMN IF NOT EXISTS "ended_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "chat_sessions_key" ON "chat_sessions" USING btree ("bot_id","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "chat_sessions_open" ON "chat_sessions" USING btree ("bot_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE ended_at IS NULL AND result_id IS NOT NULL;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "chat_sessions_bot";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "chat_sessions_waiting";--> statement-breakpoint
-- Room in each page for the next version of a row that every step writes.
ALTER TABLE "chat_sessions" SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);--> statement-breakpoint
ALTER TABLE "results" SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "result_answers" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "result_transcripts" SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "chat_steps" SET (autovacuum_vacuum_scale_factor = 0.05);
