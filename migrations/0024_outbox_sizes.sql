ALTER TABLE "webhook_outbox" ADD COLUMN "size" integer;--> statement-breakpoint
-- Rows are soon gone: to make them smaller takes longer than to write them.
ALTER TABLE "webhook_outbox" SET (toast_tuple_target = 8160);
