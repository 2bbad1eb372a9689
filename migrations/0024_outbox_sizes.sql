ALTER TABLE "webhook_outbox" ADD COLUMN "size" integer;
