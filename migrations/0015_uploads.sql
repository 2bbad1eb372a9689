CREATE TABLE "uploads" (
	"bot_id" text NOT NULL,
	"id" text NOT NULL,
	"session_id" text NOT NULL,
	"result_id" text,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"size" bigint NOT NULL,
	"is_private" boolean NOT NULL,
	"is_complete" boolean NOT NULL,
	"remove_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "uploads_bot_id_id_pk" PRIMARY KEY("bot_id","id")
);
--> statement-breakpoint
CREATE INDEX "uploads_session" ON "uploads" USING btree ("bot_id","session_id");--> statement-breakpoint
CREATE INDEX "uploads_result" ON "uploads" USING btree ("bot_id","result_id");--> statement-breakpoint
CREATE INDEX "uploads_removal" ON "uploads" USING btree ("remove_at");