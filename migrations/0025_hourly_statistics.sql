CREATE TABLE "bot_stats_hourly" (
	"bot_id" text NOT NULL,
	"hour" timestamp(3) with time zone NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"starts" integer DEFAULT 0 NOT NULL,
	"completions" integer DEFAULT 0 NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"computed_epoch" bigint,
	CONSTRAINT "bot_stats_hourly_bot_id_hour_pk" PRIMARY KEY("bot_id","hour")
);
--> statement-breakpoint
CREATE INDEX "bot_stats_hourly_age" ON "bot_stats_hourly" USING btree ("hour") WHERE views >= 0;