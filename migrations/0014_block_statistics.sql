CREATE TABLE "bot_block_stats_daily" (
	"bot_id" text NOT NULL,
	"day" date NOT NULL,
	"block_id" text NOT NULL,
	"status" text NOT NULL,
	"answered" integer NOT NULL,
	"waiting" integer NOT NULL,
	CONSTRAINT "bot_block_stats_daily_bot_id_day_block_id_status_pk" PRIMARY KEY("bot_id","day","block_id","status")
);
--> statement-breakpoint
ALTER TABLE "bot_stats_daily" ADD COLUMN "blocks_epoch" bigint;--> statement-breakpoint
ALTER TABLE "bot_stats_daily" ADD COLUMN "blocks_settle_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "waiting_block_id" text;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "waits_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "bot_stats_daily_blocks" ON "bot_stats_daily" USING btree ("bot_id","day") WHERE computed_epoch = epoch AND blocks_epoch IS DISTINCT FROM epoch;