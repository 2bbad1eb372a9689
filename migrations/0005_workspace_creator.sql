ALTER TABLE "workspaces" ADD COLUMN "created_by" text;--> statement-breakpoint
-- Who has been in it since the moment it was made has made it; where that person has left, nobody knows.
UPDATE "workspaces" SET "created_by" = (
  SELECT "user_id" FROM "workspace_members" m
  WHERE m."workspace_id" = "workspaces"."id" AND m."created_at" = "workspaces"."created_at"
  ORDER BY m."role" <> 'ADMIN', m."user_id" LIMIT 1
) WHERE "deleted_at" IS NULL;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "workspaces_creator" ON "workspaces" USING btree ("created_by");