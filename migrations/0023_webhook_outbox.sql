CREATE TABLE "webhook_outbox" (
	"bot_id" text NOT NULL,
	"written_at" timestamp with time zone NOT NULL,
	"id" text NOT NULL,
	"endpoint_ids" text[] NOT NULL,
	"events" json NOT NULL,
	CONSTRAINT "webhook_outbox_bot_id_written_at_id_pk" PRIMARY KEY("bot_id","written_at","id")
);
