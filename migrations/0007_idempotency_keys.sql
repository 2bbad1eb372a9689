CREATE TABLE "bot_idempotency_keys" (
	"bot_id" text NOT NULL,
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"claim" text,
	"status" smallint,
	"headers" json,
	"body" "bytea",
	"made_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "bot_idempotency_keys_bot_id_user_id_key_pk" PRIMARY KEY("bot_id","user_id","key")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"claim" text,
	"status" smallint,
	"headers" json,
	"body" "bytea",
	"made_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
CREATE INDEX "bot_idempotency_keys_age" ON "bot_idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");