CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_deliveries_front" ON "webhook_deliveries" USING btree ("bot_id","endpoint_id","subject","seq") WHERE num_nulls(next_attempt_at) = 0;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_deliveries_tests" ON "webhook_deliveries" USING btree ("bot_id") WHERE num_nulls(next_attempt_at, NULLIF(bot_id = endpoint_id, false)) = 0;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "webhook_deliveries_waiting";
