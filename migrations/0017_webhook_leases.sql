ALTER TABLE "webhook_deliveries" ADD COLUMN IF NOT EXISTS "leased_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("bot_id","endpoint_id","subject","seq") WHERE next_attempt_at IS NOT NULL;--> statement-breakpoint
-- Each row is written twice more soon after it came.
ALTER TABLE "webhook_deliveries" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
