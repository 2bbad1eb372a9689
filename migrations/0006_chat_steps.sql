CREATE TABLE "chat_steps" (
	"bot_id" text NOT NULL,
	"session_id" text NOT NULL,
	"revision" integer NOT NULL,
	"turns" json NOT NULL,
	CONSTRAINT "chat_steps_bot_id_session_id_revision_pk" PRIMARY KEY("bot_id","session_id","revision")
);
