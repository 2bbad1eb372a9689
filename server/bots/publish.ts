import { randomBytes } from 'node:crypto'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Conditions } from '../../contract/operation.ts'
import { MAXIMUM_FINDINGS } from '../../contract/publications.ts'
import type { BotGrant } from '../access/index.ts'
import { type Database, Rollback, statements, type Transaction, transact } from '../db/client.ts'
import { botDrafts, botPublications, bots, publicIds, publishedBots } from '../db/schema.ts'
import { isStale } from '../entity-tags.ts'
import { newId } from '../ids.ts'
import { entryWith, newEntry } from '../workspaces/audit.ts'
import { typesOfCredentials } from '../workspaces/credentials.ts'
import { draftColumns, parseDraft } from './drafts.ts'
import { checkFlow, type Finding } from './flow-check.ts'
import { type BotRow, lockBot } from './rows.ts'

type Outcome = { findings: Finding[]; bot: BotRow } | { changed: true } | { stale: BotRow }

/** Publishes a granted bot, under a lock where it has no public id or an update came in between. `changed` when the bot is gone. */
export async function publish(
  db: Database,
  grant: BotGrant,
  conditions: Conditions,
  now: Date,
  service: { hasMail: boolean; hasFiles: boolean },
): Promise<Outcome> {
  if (grant.bot.publicId !== null) {
    const outcome = await publishDraft(db, grant, conditions, now, service)
    if (!('changed' in outcome)) return outcome
  }
  return transact(db, async (tx) => {
    await assignPublicId(tx, grant, conditions)
    const again = await publishDraft(tx, grant, conditions, now, service)
    if (!('findings' in again)) throw new Rollback(again)
    return again
  })
}

/**
 * Checks the draft, copies the revision that was checked and points the bot at the copy, with an entry in the
 * audit log, all in one statement. Gives what was found; `changed` when the draft changed meanwhile or the bot is gone, `stale` with the bot when it is in
 * another state than the conditions want.
 */
async function publishDraft(
  db: Database,
  { bot, caller }: BotGrant,
  conditions: Conditions,
  now: Date,
  service: { hasMail: boolean; hasFiles: boolean },
): Promise<Outcome> {
  const [found] = await db
    .select({ row: bots, draft: draftColumns, credentials: typesOfCredentials(bots.workspaceId) })
    .from(bots)
    .innerJoin(botDrafts, eq(botDrafts.botId, bots.id))
    .where(and(eq(bots.id, bot.id), isNull(bots.deletedAt)))
  if (!found) return { changed: true }
  const { row, draft } = found
  if (isStale(conditions, row)) return { stale: row }
  const credentials = new Map(Object.entries(JSON.parse(found.credentials) as Record<string, string>))
  const findings = checkFlow(parseDraft(row.version, draft), { ...service, credentials })
  const warnings = findings.slice(0, MAXIMUM_FINDINGS)
  const id = newId(now)
  // Locked together, header and draft cannot be of different revisions.
  const published = await db.execute(sql`
    WITH draft AS (
      SELECT b.id AS bot_id, b.revision, b.version, d.groups, d.events, d.edges, d.variables, d.theme, d.settings
      FROM ${bots} b JOIN ${botDrafts} d ON d.bot_id = b.id
      WHERE b.id = ${bot.id} AND b.revision = ${row.revision} AND b.deleted_at IS NULL
      FOR UPDATE OF b, d
    ), publication AS (
      INSERT INTO ${botPublications} (bot_id, id, source_revision, version, groups, events, edges, variables,
        theme, settings, warnings, published_by, created_at)
      SELECT bot_id, ${id}, revision, version, groups, events, edges, variables,
        theme, settings, ${JSON.stringify(warnings)}::json, ${caller.userId}, ${now.toISOString()}::timestamptz
      FROM draft
      RETURNING bot_id, id, created_at
    ), entry AS (
      ${entryWith(newEntry(bot.workspaceId, { by: caller, operation: 'publishBot' }, bot.id, now), sql`publication`)}
    )
    INSERT INTO ${publishedBots} (bot_id, id, publication_id, created_at, updated_at)
    SELECT bot_id, id, id, created_at, created_at FROM publication
    ON CONFLICT (bot_id) DO UPDATE
      SET publication_id = excluded.publication_id, updated_at = excluded.updated_at`)
  return published.rowCount === 1 ? { findings, bot: row } : { changed: true }
}

/** From now on no chat can start; one statement with the entry in the audit log. Whether the bot was published. */
export async function unpublish(db: Database, { bot, caller }: BotGrant, now: Date): Promise<boolean> {
  const entry = newEntry(bot.workspaceId, { by: caller, operation: 'unpublishBot' }, bot.id, now)
  const { rowCount } = await db.execute(sql`
    WITH unpublished AS (
      UPDATE ${publishedBots} SET publication_id = NULL
      WHERE bot_id = ${bot.id} AND publication_id IS NOT NULL RETURNING bot_id
    ), entry AS (${entryWith(entry, sql`(SELECT 1) AS done`)})
    SELECT FROM unpublished`)
  return rowCount === 1
}

/** Locks a bot and gives it a public id made of its name, unless it has one. */
async function assignPublicId(tx: Transaction, grant: BotGrant, conditions: Conditions) {
  const current = await lockBot(tx, grant)
  if (!current) throw new Rollback({ changed: true })
  // Before the name is there, which is not part of the state that a caller is told.
  if (isStale(conditions, current)) throw new Rollback({ stale: current })
  if (current.publicId !== null) return
  const publicId = [...slug(current.name), randomTail()].join('-')
  await tx.insert(publicIds).values({ publicId, botId: current.id })
  // A new revision, or an update that began before would take it away again.
  const revision = sql`${bots.revision} + 1`
  await tx.update(bots).set({ publicId, revision }).where(eq(bots.id, current.id))
}

/** The words of a name in lower-case ASCII letters and digits. */
function slug(name: string): string[] {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
  return (plain.match(/[a-z0-9]+/g) ?? []).join('-').slice(0, 60).split('-').filter(Boolean)
}

/** 50 random bits, so that two bots of one name do not meet. */
function randomTail(): string {
  return BigInt(`0x${randomBytes(7).toString('hex')}`)
    .toString(36)
    .slice(0, 10)
    .padStart(10, '0')
}

const publishedStatements = statements((db, named) => ({
  now: db
    .select({
      id: publishedBots.id,
      publicationId: publishedBots.publicationId,
      createdAt: publishedBots.createdAt,
      updatedAt: publishedBots.updatedAt,
    })
    .from(publishedBots)
    .where(and(eq(publishedBots.botId, sql.placeholder('botId')), isNotNull(publishedBots.publicationId)))
    .prepare(named('published_now')),
  copy: db
    .select({
      id: publishedBots.id,
      publicationId: publishedBots.publicationId,
      createdAt: publishedBots.createdAt,
      updatedAt: publishedBots.updatedAt,
      version: botPublications.version,
      groups: botPublications.groups,
      events: botPublications.events,
      edges: botPublications.edges,
      variables: botPublications.variables,
      theme: botPublications.theme,
      settings: botPublications.settings,
    })
    .from(publishedBots)
    .innerJoin(
      botPublications,
      and(
        eq(botPublications.botId, publishedBots.botId),
        eq(botPublications.id, publishedBots.publicationId),
      ),
    )
    .where(eq(publishedBots.botId, sql.placeholder('botId')))
    .prepare(named('published_copy')),
}))

/** Which copy chats run, of a bot that is published. */
export async function publishedNow(db: Database, { bot }: BotGrant): Promise<Published | undefined> {
  const [row] = await publishedStatements(db).now.execute({ botId: bot.id })
  return row
}

export type Published = Pick<
  typeof publishedBots.$inferSelect,
  'id' | 'createdAt' | 'updatedAt' | 'publicationId'
>

/** The copy that chats run, of a bot that is published. */
export async function publishedCopy(db: Database, { bot }: BotGrant) {
  const [row] = await publishedStatements(db).copy.execute({ botId: bot.id })
  return row
}
