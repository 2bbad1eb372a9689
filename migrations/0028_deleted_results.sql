CREATE TABLE "result_erasures" (
	"bot_id" text NOT NULL,
	"result_id" text NOT NULL,
	"passes" smallint DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "result_erasures_bot_id_result_id_pk" PRIMARY KEY("bot_id","result_id")
);
--> statement-breakpoint
ALTER TABLE "bot_idempotency_keys" ADD COLUMN "result_id" text;--> statement-breakpoint
ALTER TABLE "bot_stats_daily" ADD COLUMN "blocks_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "result_answers" ADD COLUMN "block_bot_id" text;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "waiting_block_bot_id" text;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "answers_size" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stats_rollups" ADD COLUMN "has_many_answers" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "result_erasures_due" ON "result_erasures" USING btree ("due_at");