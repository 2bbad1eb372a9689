import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { root } from '../server/root.ts'
import { mistakesIn } from './support/migration-rules.ts'

const folder = new URL('migrations/', root)
const names = readdirSync(folder).filter((name) => /^\d{4}_.*\.sql$/.test(name))

describe('migrations lock nothing for long, and leave the schema that the earlier release needs', () => {
  test.each(names)('%s', (name) => {
    expect(mistakesIn(readFileSync(new URL(name, folder), 'utf8'))).toEqual([])
  })
})

describe('rejected migrations', () => {
  test.each([
    ['CREATE INDEX "a" ON "bots" ("name");', 'an index is built concurrently'],
    ['CREATE UNIQUE INDEX "a" ON "bots" ("name");', 'an index is built concurrently'],
    ['CREATE INDEX CONCURRENTLY "a" ON "bots" ("name");', 'begins anew where it was interrupted'],
    [
      'ALTER TABLE "bots" ADD COLUMN "a" text;--> statement-breakpoint\nCREATE INDEX CONCURRENTLY IF NOT EXISTS "a" ON "bots" ("a");',
      'begins anew where it was interrupted',
    ],
    ['ALTER TABLE "bots" DROP COLUMN "name";', 'what the release before uses goes a release later'],
    [
      'ALTER TABLE "bots" RENAME COLUMN "name" TO "title";',
      'what the release before uses goes a release later',
    ],
    ['DROP TABLE "bots";', 'what the release before uses goes a release later'],
    [
      'ALTER TABLE "bots" ALTER COLUMN "name" SET DATA TYPE varchar(10);',
      'a changed type rewrites the table',
    ],
    ['ALTER TABLE "bots" ALTER COLUMN "icon" SET NOT NULL;', 'reads the whole table under a lock'],
    ['ALTER TABLE "bots" ADD COLUMN "a" text NOT NULL;', 'the release before does not write it'],
    [
      'ALTER TABLE "bots" ADD CONSTRAINT "a" FOREIGN KEY ("b") REFERENCES "c"("id");',
      'reads the whole table',
    ],
    ['ALTER TABLE "bots" ADD COLUMN "a" timestamptz DEFAULT now();', 'times and ids are made by the service'],
    [
      'ALTER TABLE "bots" ADD COLUMN "a" text GENERATED ALWAYS AS (name) STORED;',
      'ids and values are made by',
    ],
    ['UPDATE "bots" SET "name" = \'a\';', 'rows are changed in the background'],
    ['CREATE TABLE "a" ("id" bigserial PRIMARY KEY);', 'ids and values are made by the service'],
    [
      'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;',
      'the database runs no code of its own',
    ],
    ["SET lock_timeout = '10s';", 'a setting of the session leaks through a pooler'],
    ['SELECT pg_advisory_lock(1);', 'advisory locks do not work through poolers'],
  ])('%s', (migration, mistake) => {
    expect(mistakesIn(migration).join('\n')).toContain(mistake)
  })

  test.each([
    'CREATE TABLE "a" ("id" text PRIMARY KEY, "b" text NOT NULL);--> statement-breakpoint\nCREATE INDEX "b" ON "a" USING btree ("b");',
    'ALTER TABLE "bots" ADD COLUMN "a" text;',
    'ALTER TABLE "bots" ADD COLUMN "a" integer DEFAULT 0 NOT NULL;',
    '-- UPDATE would be one\nALTER TABLE "bots" SET (fillfactor = 90);',
    'DROP INDEX CONCURRENTLY IF EXISTS "a";--> statement-breakpoint\nCREATE INDEX CONCURRENTLY IF NOT EXISTS "b" ON "bots" ("a");',
  ])('%s is accepted', (migration) => {
    expect(mistakesIn(migration)).toEqual([])
  })
})
