CREATE INDEX CONCURRENTLY IF NOT EXISTS "chat_sessions_live" ON "chat_sessions" USING btree ("bot_id","created_at" NULLS FIRST) WHERE ended_at IS NULL AND result_id IS NOT NULL;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "chat_sessions_by_time";
