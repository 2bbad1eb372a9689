import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { BotGrant } from '../access/index.ts'
import { type Database, statements, transact } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { botBlockStatsDaily, botStatsDaily, publishedBots, resultAnswers, results } from '../db/schema.ts'
import { expression, optional, prepareSelect, selectRows } from '../db/typed-select.ts'
import { Rollback } from '../kit/idempotency.ts'
import type { Status } from './filter.ts'
import { gapsOf, givenRange, MAX_DIRECTLY_COUNTED_RESULTS, requestRollup, spanOf, startOf } from './stats.ts'
import type { TimeRange } from './time-range.ts'

/*
 * Counts how often each input was shown, and the outcomes. Each input that is shown either gets an answer, or its
 * result waits there: open until the chat can no longer be continued, then abandoned. So answers and positions of
 * waiting results are enough for all counts.
 *
 * Stored days (see `stats-epochs.ts`) include counts of their blocks under the same epoch, which every turn after the
 * end of the day raises. Nothing is written when a chat expires, so a day is counted only after the last of its chats
 * has expired.
 */

/** Number of days counted in one batch; other bots use the database between batches. */
const MAX_BATCH_DAYS = 100

const status = (result: string) =>
  sql.raw(`CASE WHEN NOT ${result}.has_started THEN 'seen'
    WHEN ${result}.is_completed THEN 'completed' ELSE 'started' END`)

/**
 * A row per answer, and one per result that waits, whose `waits_until` is there. Blocks of linked bots that merge their
 * results here are others, though copies of a bot have the same ids.
 */
const eventsBetween = (botId: SQL, begins: SQL, ends: SQL) => sql`
  SELECT e.block_id, e.waits_until, ${status('r')} AS status
  FROM ${results} r CROSS JOIN LATERAL (
    SELECT a.block_id, NULL::timestamptz AS waits_until
    FROM ${resultAnswers} a WHERE a.bot_id = ${botId} AND a.result_id = r.id
      AND coalesce(a.block_bot_id, a.bot_id) = a.bot_id
    UNION ALL
    SELECT r.waiting_block_id, r.waits_until WHERE r.waiting_block_id IS NOT NULL
      AND coalesce(r.waiting_block_bot_id, r.bot_id) = r.bot_id
  ) AS e
  WHERE r.bot_id = ${botId} AND r.has_started IN (true, false) AND NOT r.is_archived
    AND r.created_at >= ${begins} AND r.created_at < ${ends}`

const now = sql`${sql.placeholder('now')}::timestamptz`
const wanted = sql`${sql.placeholder('status')}::text`

const blockStatements = statements((db, named) => {
  const { botId, firstDay, endDay, from, to } = givenRange(db)
  const goodDays = sql`FROM ${botStatsDaily} WHERE bot_id = ${botId} AND blocks_epoch = epoch
    AND coalesce(blocks_settle_at, '-infinity') <= ${now} AND day >= ${firstDay} AND day < ${endDay}`
  return {
    count: prepareSelect(
      db,
      named('count_blocks'),
      {
        blockId: expression(sql`part.block_id`, 'text'),
        answered: expression(sql`sum(part.answered)`, 'float8'),
        left: expression(sql`sum(part.left)`, 'float8'),
        open: expression(sql`sum(part.open)`, 'float8'),
        counted: expression(sql`sum(part.counted)`, 'float8'),
      },
      (list) => sql`
      SELECT ${list} FROM (
        SELECT k.block_id, k.answered, k.waiting AS left, 0 AS open, 0 AS counted
        FROM ${botBlockStatsDaily} k
        WHERE k.bot_id = ${botId} AND k.day IN (SELECT day ${goodDays})
          AND (${wanted} IS NULL OR k.status = ${wanted})
        UNION ALL
        SELECT e.block_id, (e.waits_until IS NULL)::int, coalesce(e.waits_until <= ${now}, false)::int,
          coalesce(e.waits_until > ${now}, false)::int, 1
        FROM (SELECT count(*) AS days, min(day) AS first, max(day) AS last ${goodDays}) AS kept,
          LATERAL (${gapsOf(goodDays, { from, to })}) AS gap
          CROSS JOIN LATERAL (${eventsBetween(botId, sql`gap.begins`, sql`gap.ends`)}) AS e
        WHERE gap.begins < gap.ends AND (${wanted} IS NULL OR e.status = ${wanted})
      ) AS part GROUP BY part.block_id`,
    ),
  }
})

export interface BlockCounts {
  shown: number
  answered: number
  left: number
}

/** Counts how often each block was shown, and the outcomes, in chats that began within a range. */
export async function countBlocks(
  db: Database,
  grant: BotGrant,
  range: TimeRange,
  status: Status | null,
  now: Date,
): Promise<Map<string, BlockCounts>> {
  const values = { ...spanOf(db, grant, range, now), status, now: now.toISOString() }
  const rows = await blockStatements(db)
    .count(values)
    .catch(async (error) => {
      // So many that counting takes too long: only the background can help.
      if (sqlState(error) === '57014') await requestRollup(db, grant.bot.id, now, true)
      throw error
    })
  const counted = rows.reduce((sum, row) => sum + row.counted, 0)
  if (counted > MAX_DIRECTLY_COUNTED_RESULTS) await requestRollup(db, grant.bot.id, now)
  return new Map(
    rows.map(({ blockId, answered, left, open }) => [
      blockId,
      { shown: answered + left + open, answered, left },
    ]),
  )
}

/** The publication that chats with the granted bot run; undefined while it is not published. */
export async function livePublicationOf(db: Database, { bot }: BotGrant): Promise<string | undefined> {
  const [row] = await db
    .select({ id: publishedBots.publicationId })
    .from(publishedBots)
    .where(eq(publishedBots.botId, bot.id))
  return row?.id ?? undefined
}

/**
 * Counts the blocks of days whose results are counted. False when there are no more. Safe in several processes: at
 * worst a day is counted twice.
 */
export async function rollUpBlocks(db: Database): Promise<boolean> {
  const days = await selectRows(
    db,
    { botId: botStatsDaily.botId, day: botStatsDaily.day },
    (list) => sql`
      SELECT ${list} FROM ${botStatsDaily}
      WHERE computed_epoch = epoch AND blocks_epoch IS DISTINCT FROM epoch AND coalesce(blocks_due_at <= now(), true)
      ORDER BY blocks_due_at NULLS FIRST, day LIMIT ${MAX_BATCH_DAYS}`,
  )
  let failure: unknown
  for (const { botId, day } of days) {
    // Due again later before the attempt, so that others precede one that fails or ends its process.
    const dueAt = sql`now() + ${RETRY_DELAY_SECONDS} * interval '1 second'`
    const own = and(eq(botStatsDaily.botId, botId), eq(botStatsDaily.day, day))
    await db.update(botStatsDaily).set({ blocksDueAt: dueAt }).where(own)
    await countDay(db, botId, day).catch((error) => {
      failure ??= error
    })
  }
  if (failure !== undefined) throw failure
  return days.length === MAX_BATCH_DAYS
}

/** Seconds until a day is tried again that could not be counted. */
const RETRY_DELAY_SECONDS = 60

interface Block {
  block_id: string
  status: string
  answered: number
  waiting: number
}

/** Hours of the first attempt at a day: a part that takes too long is halved, down to a second. */
const DAY_HOURS = 24
const MIN_PART_HOURS = 1 / 3_600

/** Counts one day, in parts if its answers are many, and stores the count if the epoch of the day is unchanged. */
async function countDay(db: Database, botId: string, day: string) {
  const own = and(eq(botStatsDaily.botId, botId), eq(botStatsDaily.day, day))
  const [before] = await db.select({ epoch: botStatsDaily.epoch }).from(botStatsDaily).where(own)
  if (!before) return
  const blocks = new Map<string, Block>()
  let settleAt: string | null = null
  for (let from = 0, hours = DAY_HOURS; from < DAY_HOURS; ) {
    const to = Math.min(from + hours, DAY_HOURS)
    const part = await countPart(db, botId, day, from, to).catch((error) => {
      if (sqlState(error) !== '57014' || hours <= MIN_PART_HOURS) throw error
      return undefined
    })
    if (!part) {
      hours /= 4
      continue
    }
    from = to
    if (part.settleAt && (!settleAt || new Date(part.settleAt) > new Date(settleAt))) settleAt = part.settleAt
    for (const block of JSON.parse(part.blocks) as Block[]) {
      const key = JSON.stringify([block.block_id, block.status])
      const { answered = 0, waiting = 0 } = blocks.get(key) ?? {}
      blocks.set(key, { ...block, answered: block.answered + answered, waiting: block.waiting + waiting })
    }
  }
  await transact(db, async (tx) => {
    const daysUpdate = await tx.execute(sql`
      UPDATE ${botStatsDaily} SET blocks_epoch = epoch, blocks_settle_at = ${settleAt}::timestamptz, blocks_due_at = NULL
      WHERE bot_id = ${botId} AND day = ${day} AND epoch = ${before.epoch}`)
    if (daysUpdate.rowCount === 0) throw new Rollback(undefined)
    await tx
      .delete(botBlockStatsDaily)
      .where(and(eq(botBlockStatsDaily.botId, botId), eq(botBlockStatsDaily.day, day)))
    await tx.execute(sql`
      INSERT INTO ${botBlockStatsDaily} (bot_id, day, block_id, status, answered, waiting)
      SELECT ${botId}, ${day}::date, block_id, status, answered, waiting
      FROM json_to_recordset(${JSON.stringify([...blocks.values()])}::json)
        AS b(block_id text, status text, answered integer, waiting integer)`)
  })
}

/** The blocks of some hours of a day. */
async function countPart(db: Database, botId: string, day: string, from: number, to: number) {
  const at = (hours: number) => sql`(${startOf(sql`${day}::date`)} + ${hours}::float8 * interval '1 hour')`
  const events = eventsBetween(sql`${botId}`, at(from), at(to))
  const [row] = await selectRows(
    db,
    {
      settleAt: optional(expression(sql`max(settle_at)`, 'text')),
      blocks: expression(
        sql`coalesce(json_agg(json_build_object('block_id', block_id,
          'status', status, 'answered', answered, 'waiting', waiting)), '[]')`,
        'text',
      ),
    },
    (list) => sql`
      SELECT ${list} FROM (
        SELECT block_id, status, count(*) FILTER (WHERE waits_until IS NULL) AS answered,
          count(waits_until) AS waiting, max(waits_until) AS settle_at
        FROM (${events}) AS event GROUP BY block_id, status
      ) AS block`,
  )
  return row
}
