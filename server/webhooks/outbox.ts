import { EventEmitter } from 'node:events'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { EventType } from '../../contract/events.ts'
import type { components } from '../../generated/openapi.ts'
import type { BotGrant, WorkspaceGrant } from '../access/index.ts'
import { afterCommit, type Database, transact } from '../db/client.ts'
import { bots, webhookDeliveries, webhookEndpoints } from '../db/schema.ts'
import { newId } from '../ids.ts'

/*
 * What happened is written together with what it says, for each endpoint that wants to be told: it is there exactly
 * when that is. Where nobody is told, nothing is written, and no statement is spent on it.
 */

const due = sql`'epoch'::timestamptz`

/**
 * Writes events in one statement with their cause. `happened` reads rows of `workspace_id`, `bot_id`, `subject`,
 * `place` (their order for one subject, from 0, each once), `id`, `type`, `data` and `at`.
 */
export const insertEvents = (happened: SQL) => sql`
  INSERT INTO ${webhookDeliveries} (bot_id, endpoint_id, subject, seq, id, type, data, created_at, next_attempt_at)
  SELECT h.bot_id, e.id, h.subject, h.place + coalesce((
      SELECT max(d.seq) + 1 FROM ${webhookDeliveries} d
      WHERE d.bot_id = h.bot_id AND d.endpoint_id = e.id AND d.subject = h.subject
    ), 0), h.id, h.type, h.data, h.at, ${due}
  FROM (${happened}) h
  JOIN ${webhookEndpoints} e ON e.workspace_id = h.workspace_id AND e.is_enabled
    AND (e.types IS NULL OR h.type = ANY(e.types))`

interface Event {
  type: EventType
  workspaceId: string
  botId: string
  data: object
}

/**
 * Does what is told, and tells it in the same transaction. `eventOf` says what there is to tell of the outcome, if
 * anything. The bot is locked first, so that its events are numbered in the order in which they are committed.
 */
export async function telling<Outcome>(
  db: Database,
  grant: BotGrant | WorkspaceGrant,
  now: Date,
  work: (db: Database) => Promise<Outcome>,
  eventOf: (outcome: Outcome) => Event | undefined,
): Promise<Outcome> {
  if (!grant.isWatched) return work(db)
  return transact(db, async (tx) => {
    if ('bot' in grant)
      await tx.select({ id: bots.id }).from(bots).where(eq(bots.id, grant.bot.id)).for('update')
    const outcome = await work(tx)
    const event = eventOf(outcome)
    if (!event) return outcome
    const { type, workspaceId, botId, data } = event
    await tx.execute(
      insertEvents(sql`
        SELECT ${workspaceId}::text AS workspace_id, ${botId}::text AS bot_id, ${botId}::text AS subject, 0 AS place,
          ${newId(now)}::text AS id, ${type}::text AS type, ${JSON.stringify(data)}::json AS data,
          ${now.toISOString()}::timestamptz AS at`),
    )
    wakeAfter(tx)
    return outcome
  })
}

/** What happened to a bot, as its endpoints are told. */
export function botEvent(type: EventType, bot: typeof bots.$inferSelect): Event {
  const { id, workspaceId, folderId, name, version, publicId } = bot
  const data = {
    id,
    workspaceId,
    folderId,
    name,
    version,
    publicId,
    createdAt: bot.createdAt.toISOString(),
    updatedAt: bot.updatedAt.toISOString(),
  } satisfies components['schemas']['BotEventData']
  return { type, workspaceId, botId: id, data }
}

/** Deliveries begin at once in the process in which something happened; others find it when they look. */
export const deliveryIsDue = new EventEmitter<{ due: [] }>()

/** Wakes the sender of this process once what was written is committed. */
export function wakeAfter(db: Database) {
  afterCommit(db, () => deliveryIsDue.emit('due'))
}
