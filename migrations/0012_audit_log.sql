CREATE TABLE "audit_log" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"user_id" text,
	"token_id" text,
	"operation" text NOT NULL,
	"record_id" text NOT NULL,
	"outcome" text NOT NULL,
	"details" json,
	CONSTRAINT "audit_log_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "audit_log_list" ON "audit_log" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);