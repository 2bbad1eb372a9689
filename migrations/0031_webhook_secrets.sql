ALTER TABLE "webhook_endpoints" ADD COLUMN "secrets" "bytea";--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "secrets_key_id" text;