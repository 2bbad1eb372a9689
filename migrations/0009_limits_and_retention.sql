ALTER TABLE "chat_sessions" ADD COLUMN "client_logs" integer;--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "results_retention_days" integer;