import { randomBytes } from 'node:crypto'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Conditions } from '../../contract/kit/operation.ts'
import type { BotGrant } from '../access/index.ts'
import { type AuditAction, auditCte, newEntry } from '../audit/log.ts'
import { type Database, rootOf, statements, type Transaction, transact } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { botDrafts, botPublications, bots, publicIds, publishedBots } from '../db/schema.ts'
import { isBotVisible } from '../db/visible-bots.ts'
import { newId } from '../ids.ts'
import { isStale } from '../kit/conditions.ts'
import type { FlowCheck } from './check.ts'
import type { Finding } from './flow-check.ts'
import { type BotRow, botStateTag, lockBot } from './rows.ts'

type Outcome = { bot: BotRow } | { stale: BotRow } | { changed: true } | { isDeleted: true }

/**
 * Copies the checked draft and points the bot at the copy, under a lock if the bot has no public id or was changed
 * meanwhile. Returns `changed` if the bot has another draft now; `stale` with the bot if its state does not match the
 * conditions.
 */
export async function publish(
  db: Database,
  grant: BotGrant,
  conditions: Conditions,
  checked: FlowCheck & { bot?: BotRow },
  now: Date,
): Promise<Outcome> {
  const { bot: seen, findings } = checked
  const deed: AuditAction = { by: grant.caller, operation: 'publishBot' }
  // Within a transaction a failure would roll back the earlier work.
  const isAlone = rootOf(db) === db
  if (isAlone && seen && seen.publicId !== null && !isStale(conditions, botStateTag(seen))) {
    const isCopied = await copyDraft(db, deed, seen, findings, now).catch((error) => {
      if (sqlState(error) !== '22012') throw error
    })
    if (isCopied) return { bot: seen }
  }
  return transact(db, async (tx) => {
    const current = await lockBot(tx, grant)
    if (!current) return { isDeleted: true }
    if (isStale(conditions, botStateTag(current))) return { stale: current }
    if (seen && !hasSameDraft(seen, current)) return { changed: true }
    const bot = current.publicId === null ? await assignPublicId(tx, current, now) : current
    await copyDraft(tx, deed, bot, findings, now)
    return { bot }
  })
}

function hasSameDraft(one: BotRow, other: BotRow): boolean {
  return one.draftUpdatedAt?.getTime() === other.draftUpdatedAt?.getTime() && one.version === other.version
}

/**
 * Copies the draft with one statement, including the entry in the audit log. False if the bot is deleted or at another
 * revision. The statement does not see a publication that was committed while it waited for the lock: if that one is
 * not older, a division by zero undoes all.
 */
export async function copyDraft(
  db: Database,
  deed: AuditAction,
  bot: BotRow,
  findings: readonly Finding[],
  now: Date,
): Promise<boolean> {
  const id = newId(now)
  // Header and draft are locked together, so that they cannot be of different revisions. The timestamp is later than
  // that of the last publication, even if the clocks of two processes differ: their order determines which is newer.
  const published = await db.execute(sql`
    WITH draft AS (
      SELECT b.id AS bot_id, b.revision, b.version, d.groups, d.events, d.edges, d.variables, d.theme, d.settings
      FROM ${bots} b JOIN ${botDrafts} d ON d.bot_id = b.id
      WHERE b.id = ${bot.id} AND b.revision = ${bot.revision} AND ${isBotVisible(sql`b`)}
      FOR UPDATE OF b, d
    ), publication AS (
      INSERT INTO ${botPublications} (bot_id, id, source_revision, version, groups, events, edges, variables,
        theme, settings, warnings, published_by, created_at)
      SELECT bot_id, ${id}, revision, version, groups, events, edges, variables,
        theme, settings, ${JSON.stringify(findings)}::json, ${deed.by?.userId ?? null},
        greatest(${now.toISOString()}::timestamptz, (
          SELECT max(created_at) + interval '1 millisecond' FROM ${botPublications} WHERE bot_id = ${bot.id}
        ), (
          SELECT updated_at + interval '1 millisecond' FROM ${publishedBots} WHERE bot_id = ${bot.id}
        ))
      FROM draft
      RETURNING bot_id, id, created_at
    ), entry AS (
      ${auditCte(newEntry(bot.workspaceId, deed, bot.id, now), sql`publication`)}
    ), live AS (
      INSERT INTO ${publishedBots} AS p (bot_id, id, publication_id, created_at, updated_at)
      SELECT bot_id, id, id, created_at, created_at FROM publication
      ON CONFLICT (bot_id) DO UPDATE
        SET publication_id = excluded.publication_id, updated_at = excluded.updated_at
        WHERE p.updated_at < excluded.updated_at
      RETURNING bot_id
    )
    SELECT 1 / (SELECT count(*) FROM live) FROM publication`)
  return published.rowCount === 1
}

/** From now on no chat can start. An entry in the audit log is written, and `wasPublished` said, where one could. */
export async function unpublish(
  db: Database,
  grant: BotGrant,
  conditions: Conditions,
  now: Date,
): Promise<{ bot: BotRow; wasPublished: boolean } | { stale: BotRow } | { isDeleted: true }> {
  return transact(db, async (tx) => {
    const bot = await lockBot(tx, grant)
    if (!bot) return { isDeleted: true }
    if (isStale(conditions, botStateTag(bot))) return { stale: bot }
    const deed = { by: grant.caller, operation: 'unpublishBot' } as const
    const { rowCount } = await tx.execute(sql`
      WITH unpublished AS (
        UPDATE ${publishedBots} SET publication_id = NULL
        WHERE bot_id = ${bot.id} AND publication_id IS NOT NULL RETURNING bot_id
      ), entry AS (${auditCte(newEntry(bot.workspaceId, deed, bot.id, now), sql`unpublished`)})
      SELECT FROM unpublished`)
    return { bot, wasPublished: rowCount === 1 }
  })
}

/**
 * Gives a locked bot a public id made of its name. That changes the bot: a write with an earlier entity tag is
 * rejected.
 */
async function assignPublicId(tx: Transaction, current: BotRow, now: Date): Promise<BotRow> {
  const publicId = [...slug(current.name), randomTail()].join('-')
  await tx.insert(publicIds).values({ publicId, botId: current.id })
  const updatedAt = new Date(Math.max(now.getTime(), current.updatedAt.getTime() + 1))
  const change = { publicId, updatedAt, revision: current.revision + 1 }
  await tx.update(bots).set(change).where(eq(bots.id, current.id))
  return { ...current, ...change }
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
      publicationId: botPublications.id,
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

/** Returns the publication that chats of a published bot run. */
export async function findPublication(db: Database, { bot }: BotGrant): Promise<Published | undefined> {
  const [row] = await publishedStatements(db).now.execute({ botId: bot.id })
  return row
}

export type Published = Pick<
  typeof publishedBots.$inferSelect,
  'id' | 'createdAt' | 'updatedAt' | 'publicationId'
>

/** The copy that chats run, of a bot that is published. */
export async function findPublishedCopy(db: Database, { bot }: BotGrant) {
  const [row] = await publishedStatements(db).copy.execute({ botId: bot.id })
  return row
}
