import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

/* Counts of results by day and hour. */

/**
 * Statistics of one closed day (in UTC) of a bot with many results. A row is valid only while `computedEpoch` equals
 * `epoch`; every change to a result of a closed day raises `epoch`.
 */
export const botStatsDaily = pgTable(
  'bot_stats_daily',
  {
    botId: text('bot_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    views: integer('views').notNull().default(0),
    starts: integer('starts').notNull().default(0),
    completions: integer('completions').notNull().default(0),
    epoch: bigint('epoch', { mode: 'number' }).notNull().default(0),
    computedEpoch: bigint('computed_epoch', { mode: 'number' }),
    /** The epoch under which its blocks were counted, and when the last of its chats that waited is over. */
    blocksEpoch: bigint('blocks_epoch', { mode: 'number' }),
    blocksSettleAt: time('blocks_settle_at'),
    /** When its blocks are due to be counted: moved on before each attempt, so that others precede one that fails. */
    blocksDueAt: time('blocks_due_at'),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.day] }),
    index('bot_stats_daily_blocks')
      .on(table.botId, table.day)
      .where(sql`computed_epoch = epoch AND blocks_epoch IS DISTINCT FROM epoch`),
  ],
)

/** The same of hours, by when they begin, of days that are not closed for long: see `results/stats-epochs.ts`. */
export const botStatsHourly = pgTable(
  'bot_stats_hourly',
  {
    botId: text('bot_id').notNull(),
    hour: timestamp('hour', { withTimezone: true, precision: 3, mode: 'string' }).notNull(),
    views: integer('views').notNull().default(0),
    starts: integer('starts').notNull().default(0),
    completions: integer('completions').notNull().default(0),
    epoch: bigint('epoch', { mode: 'number' }).notNull().default(0),
    computedEpoch: bigint('computed_epoch', { mode: 'number' }),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.hour] }),
    // Only for queries with the same condition: hours of one bot are found by their key, whatever the statistics of
    // the table.
    index('bot_stats_hourly_age').on(table.hour).where(sql`views >= 0`),
  ],
)

/** Statistics of the blocks of one closed day, by the status of the results; a part of `botStatsDaily`. */
export const botBlockStatsDaily = pgTable(
  'bot_block_stats_daily',
  {
    botId: text('bot_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    blockId: text('block_id').notNull(),
    status: text('status', { enum: ['seen', 'started', 'completed'] }).notNull(),
    answered: integer('answered').notNull(),
    /** Number of results that waited there when their chat ended. */
    waiting: integer('waiting').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.day, table.blockId, table.status] })],
)

/** Bots with enough results to be counted by day in the background, and the next time for that. */
export const statsRollups = pgTable('stats_rollups', {
  botId: text('bot_id').primaryKey(),
  dueAt: time('due_at').notNull(),
  /** True if its answers took too long to count in a request: they are counted by day even with few results. */
  hasManyAnswers: boolean('has_many_answers').notNull().default(false),
})
