import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { json, time } from './columns.ts'

/* Events for webhook endpoints, keyed by bot. */

/**
 * Deliveries of events, one row per subscribed endpoint: written in the transaction that causes the event, sent in the
 * order of `seq` per subject. The key of a test event has the endpoint in place of a bot.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    botId: text('bot_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    /** Id of the bot, or of the result, whose events are sent in order. */
    subject: text('subject').notNull(),
    seq: integer('seq').notNull(),
    id: text('id').notNull(),
    type: text('type').notNull(),
    /** Bytes of the data, which `webhook_events` has. */
    size: integer('size').notNull(),
    createdAt: time('created_at').notNull(),
    /** Only grows, so that it identifies the attempt of an outcome. */
    attempts: integer('attempts').notNull().default(0),
    /** Number of attempts before a manual redelivery; null without one. */
    attemptsBefore: integer('attempts_before'),
    /** When it is due, as of when it is being sent too. Null once it is done with. */
    nextAttemptAt: time('next_attempt_at'),
    /** Until when it belongs to the process that is sending it, which puts that off while it lives. */
    leasedUntil: time('leased_until'),
    isDelivered: boolean('is_delivered').notNull().default(false),
    lastAttemptAt: time('last_attempt_at'),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    lastDuration: integer('last_duration'),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.endpointId, table.subject, table.seq] }),
    index('webhook_deliveries_due')
      .on(table.endpointId, table.nextAttemptAt, table.id)
      .where(sql`next_attempt_at IS NOT NULL`),
    // Finds earlier events of the same subject.
    index('webhook_deliveries_front')
      .on(table.botId, table.endpointId, table.subject, table.seq)
      .where(sql`num_nulls(next_attempt_at) = 0`),
    // Tests that wait, which have their endpoint in place of a bot.
    index('webhook_deliveries_tests')
      .on(table.botId)
      .where(sql`num_nulls(next_attempt_at, NULLIF(bot_id = endpoint_id, false)) = 0`),
    index('webhook_deliveries_list').on(table.endpointId, table.createdAt.desc(), table.id.desc()),
    index('webhook_deliveries_age').on(table.createdAt),
  ],
)

/** Data of events, once for all endpoints that want it; a delivery has the same key. It goes with its first delivery. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    botId: text('bot_id').notNull(),
    subject: text('subject').notNull(),
    id: text('id').notNull(),
    data: json('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.subject, table.id] })],
)

/** Events of turns, one row per statement that wrote some, until they are fanned out to endpoints. */
export const webhookOutbox = pgTable(
  'webhook_outbox',
  {
    botId: text('bot_id').notNull(),
    /** Taken while the results are locked, after that of earlier rows: it orders the events of one result. */
    writtenAt: timestamp('written_at', { withTimezone: true }).notNull(),
    /** Id of one of the events, or the prefix of the ids of a batch of turns. */
    id: text('id').notNull(),
    /** Endpoints of the workspace that were enabled when the events happened. */
    endpointIds: text('endpoint_ids').array().notNull(),
    /** Number of events. */
    size: integer('size').notNull(),
    /** `{events: [{subject, place, id, type, at, data}]}`, or `{turns, written}`, which `expandOutboxRow` expands. */
    events: json('events').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.writtenAt, table.id] })],
)
