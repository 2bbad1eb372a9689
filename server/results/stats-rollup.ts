import { and, asc, eq, lte, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { BotGrant } from '../access/index.ts'
import { type Database, sqlState, statements, type Transaction } from '../db/client.ts'
import { isDistributed } from '../db/distribution.ts'
import { prepareLookup } from '../db/lookup.ts'
import { botStatsDaily, bots, results, statsRollups } from '../db/schema.ts'
import { expression, prepareSelect, selectRows } from '../db/selection.ts'
import type { TimeRange } from './time-range.ts'

/*
 * Statistics are counted from the index of the results. For bots with many results, days that are over (in
 * UTC) are counted once, in the background, and kept in `bot_stats_daily`. What is read is exact at every
 * moment:
 *
 * - A day is kept with the epoch under which it was counted, and is good only while that is its epoch.
 *   Whoever changes a result of a day that is over raises the epoch in the same transaction.
 * - The background reads the epoch, counts, and writes the count only where the epoch is still that one. A
 *   raised epoch is locked until the change is committed, so a count without the change is either not
 *   written or not good any more.
 * - A read adds up the good days within its range and counts what lies between them from the index, in one
 *   statement. So no day has to be kept, and none in time.
 *
 * A result of today touches nothing of this. What is below the floor of a bot (`results_floor_at`, which
 * only rises) is in no range, so its removal raises no epoch.
 */

/** With more results than this, a bot is counted by day. */
export const MANY = 20_000

/** When a bot is looked at again: when all is well, and when the process that looked at it has died. */
const INTERVAL = 10 * 60 * 1000
const LEASE = 60 * 1000

/** How many days are counted before another bot has its turn, and how many are kept. */
const BATCH = 100
const KEPT_DAYS = 3_660

const DAY = 24 * 60 * 60 * 1000

/**
 * Processes may disagree on when a day is over, and a request is written later than it came. So a day is
 * counted an hour after its end, and its epoch raised from half an hour after it on: what clocks differ and
 * requests last may come to half an hour.
 */
const MARGIN = 30 * 60 * 1000

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** The moment before which results are of days that may have been counted. */
export function lateBefore(now: Date): string {
  return `${dayOf(now.getTime() - MARGIN)}T00:00:00.000Z`
}

/** Raises the epochs of the days of `rows`, which have a `bot_id` and a `created_at`. */
export function raiseEpochs(rows: SQL): SQL {
  // In one order, so that two who raise several do not wait for each other.
  return sql`
    INSERT INTO ${botStatsDaily} (bot_id, day)
    SELECT DISTINCT bot_id, (created_at AT TIME ZONE 'UTC')::date AS day FROM (${rows}) AS late
    ORDER BY bot_id, day
    ON CONFLICT (bot_id, day) DO UPDATE SET epoch = ${botStatsDaily}.epoch + 1`
}

/** The same for results of one bot that were made at these times. */
export async function raiseEpochsOf(tx: Transaction, botId: string, times: Date[], now: Date) {
  const late = times.filter((time) => time < new Date(lateBefore(now)))
  const days = [...new Set(late.map((time) => dayOf(time.getTime())))].sort()
  if (days.length === 0) return
  await tx
    .insert(botStatsDaily)
    .values(days.map((day) => ({ botId, day })))
    .onConflictDoUpdate({
      target: [botStatsDaily.botId, botStatsDaily.day],
      set: { epoch: sql`${botStatsDaily.epoch} + 1` },
    })
}

/** Counts from the index. Both values of `has_started` are named, so that it is walked in two ranges. */
const countBetween = (botId: SQL, begins: SQL, ends: SQL) => sql`
  SELECT count(*) AS views, count(*) FILTER (WHERE has_started) AS starts,
    count(*) FILTER (WHERE has_started AND is_completed) AS completions
  FROM ${results} WHERE bot_id = ${botId} AND has_started IN (true, false) AND NOT is_archived
    AND created_at >= ${begins} AND created_at < ${ends}`

// Reading

/**
 * A parameter of which the planner does not see the value: for a small bot it would otherwise make a plan of
 * its own for every read, which takes longer than the read. A cluster has to see whose rows are read.
 */
const hidden = (db: Database, name: string, type: 'text' | 'date') => {
  const value = sql`${sql.placeholder(name)}::${sql.raw(type)}`
  return isDistributed(db) ? value : sql`(SELECT ${value})`
}

/** What is asked about, as a statement has it: the bot, a range, and the days within it. */
interface Asked {
  botId: SQL
  from: SQL
  to: SQL
  firstDay: SQL
  endDay: SQL
}

/** The same as parameters. */
export const givenRange = (db: Database): Asked => ({
  botId: hidden(db, 'botId', 'text'),
  from: sql`${sql.placeholder('from')}::timestamptz`,
  to: sql`${sql.placeholder('to')}::timestamptz`,
  firstDay: hidden(db, 'firstDay', 'date'),
  endDay: hidden(db, 'endDay', 'date'),
})

export const startOf = (day: SQL) => sql`(${day})::timestamp AT TIME ZONE 'UTC'`

/**
 * What is not kept: from the beginning to the first good day, and from the end of each to the next one. Mostly
 * only the last of them has anything after it, and the others need not be looked at.
 */
export const gapsOf = (goodDays: SQL, { from, to }: Pick<Asked, 'from' | 'to'>) => sql`
  SELECT ${from} AS begins, coalesce(${startOf(sql`kept.first`)}, ${to}) AS ends
  UNION ALL
  SELECT ${startOf(sql`kept.last + 1`)}, ${to} WHERE kept.days = kept.last - kept.first + 1
  UNION ALL
  SELECT between_days.* FROM (
    SELECT ${startOf(sql`day + 1`)}, coalesce(${startOf(sql`lead(day) OVER (ORDER BY day)`)}, ${to}) ${goodDays}
  ) AS between_days WHERE kept.days < kept.last - kept.first + 1`

const total = (column: string) => sql.raw(`coalesce(sum(${column}), 0)::float8 AS ${column}`)
const totals = sql`${total('views')}, ${total('starts')}, ${total('completions')}`

/** What good days have and what is counted beside them, from one snapshot: completed <= starts <= views at every moment. */
function keptAndCounted({ botId, firstDay, endDay, ...range }: Asked): SQL {
  const goodDays = sql`FROM ${botStatsDaily} WHERE bot_id = ${botId} AND computed_epoch = epoch
    AND day >= ${firstDay} AND day < ${endDay}`
  return sql`(
      SELECT count(*) AS days, min(day) AS first, max(day) AS last, ${totals} ${goodDays}
    ) AS kept CROSS JOIN LATERAL (
      SELECT ${totals}
      FROM (${gapsOf(goodDays, range)}) AS gap
      CROSS JOIN LATERAL (${countBetween(botId, sql`gap.begins`, sql`gap.ends`)}) AS part
      WHERE gap.begins < gap.ends
    ) AS counted`
}

const most = sql.raw(String(MANY))

const ofBoth = {
  totalViews: expression(sql`kept.views + counted.views`, 'float8'),
  // A completion counts only with a start, whatever the rows say.
  totalStarts: expression(sql`kept.starts + counted.starts`, 'float8'),
  totalCompleted: expression(sql`kept.completions + counted.completions`, 'float8'),
  hasFew: expression(sql`counted.views <= ${most}`, 'boolean'),
}

const questionTypes = {
  botId: 'text',
  from: 'timestamptz',
  to: 'timestamptz',
  firstDay: 'text',
  endDay: 'text',
} as const

const asked: Asked = {
  botId: sql`asked."botId"`,
  from: sql`asked."from"`,
  to: sql`asked."to"`,
  firstDay: sql`asked."firstDay"::date`,
  endDay: sql`asked."endDay"::date`,
}

const readStatements = statements((db, named) => {
  const given = givenRange(db)
  return {
    /** For any bot. */
    count: prepareSelect(
      db,
      named('count_results'),
      {
        ...ofBoth,
        isFound: expression(
          sql`CASE WHEN counted.views > ${most} THEN NOT EXISTS (
          SELECT FROM ${statsRollups} WHERE bot_id = ${given.botId}
        ) ELSE false END`,
          'boolean',
        ),
        hasDays: expression(sql`kept.days > 0`, 'boolean'),
      },
      (list) => sql`SELECT ${list} FROM ${keptAndCounted(given)}`,
    ),
    /** For those of which few results are beside good days. */
    countBesideDays: prepareLookup(
      db,
      named,
      'count_results_beside_days',
      questionTypes,
      ofBoth,
      (list, questions) => sql`SELECT ${list} FROM ${questions} CROSS JOIN LATERAL ${keptAndCounted(asked)}`,
    ),
    /** For those that have few results. */
    countSmall: prepareLookup(
      db,
      named,
      'count_few_results',
      questionTypes,
      {
        totalViews: expression(sql`views`, 'float8'),
        totalStarts: expression(sql`starts`, 'float8'),
        totalCompleted: expression(sql`completions`, 'float8'),
        hasFew: expression(sql`views <= ${most}`, 'boolean'),
      },
      (list, questions) => sql`
        SELECT ${list} FROM ${questions}
        CROSS JOIN LATERAL (${countBetween(asked.botId, asked.from, asked.to)}) AS counted`,
    ),
  }
})

/**
 * Bots of which little had to be counted a moment ago: those that had few results, and no day that is kept, and those with
 * few beside such days. What requests of one turn ask about them is asked together. Both count right for every bot at any
 * time, only slowly for some. On a cluster the second is asked as if nothing was known.
 */
const quickBots = new LRUCache<string, 'countSmall' | 'countBesideDays'>({ max: 10_000, ttl: 10 * 60 * 1000 })

/** A range of the results of a bot that are there, and of the days within it, as statements take it. */
export function spanOf({ bot }: BotGrant, range: TimeRange) {
  const begin = Math.max(
    range.from?.getTime() ?? Number.NEGATIVE_INFINITY,
    // Times of results are whole milliseconds.
    bot.resultsFloorAt ? bot.resultsFloorAt.getTime() + 1 : Number.NEGATIVE_INFINITY,
  )
  return {
    botId: bot.id,
    from: Number.isFinite(begin) ? new Date(begin).toISOString() : '-infinity',
    firstDay: Number.isFinite(begin) ? dayOf(Math.ceil(begin / DAY) * DAY) : '-infinity',
    to: range.to?.toISOString() ?? 'infinity',
    endDay: range.to ? dayOf(range.to.getTime()) : 'infinity',
  }
}

/** The statistics of a bot's results within a range. */
export async function countResults(db: Database, grant: BotGrant, range: TimeRange, now: Date) {
  const { bot } = grant
  const values = spanOf(grant, range)
  const run = readStatements(db)
  try {
    const quick = quickBots.get(bot.id)
    if (quick !== undefined) {
      const { hasFew, totalViews, totalStarts, totalCompleted } = one(await run[quick](values))
      if (hasFew) return { totalViews, totalStarts, totalCompleted }
      quickBots.delete(bot.id)
    }
    const { isFound, hasFew, hasDays, ...stats } = one((await run.count(values))[0])
    if (hasFew && hasDays && !isDistributed(db)) quickBots.set(bot.id, 'countBesideDays')
    // Within a range, few results say nothing about the others.
    if (hasFew && !hasDays && range.from === null && range.to === null) quickBots.set(bot.id, 'countSmall')
    if (isFound) await requestRollup(db, bot.id, now)
    return stats
  } catch (error) {
    quickBots.delete(bot.id)
    // So many that counting takes too long: only the background can help.
    if (sqlState(error) === '57014') await requestRollup(db, bot.id, now)
    throw error
  }
}

/** What a statement over all rows gives is one row always. */
function one<Row>(row: Row | undefined): Row {
  if (!row) throw new Error('A count gave no row')
  return row
}

/** Has the days of a bot counted in the background, from now on. */
export async function requestRollup(db: Database, botId: string, now: Date) {
  await db.insert(statsRollups).values({ botId, dueAt: now }).onConflictDoNothing()
}

// In the background

/**
 * Counts days of the bot that has been due for longest. False when no bot is due. Safe in several processes
 * at once, and when one ends in the middle of it: at worst a day is counted twice.
 */
export async function rollUpBatch(db: Database, now: Date): Promise<boolean> {
  const [due] = await db
    .select()
    .from(statsRollups)
    .where(lte(statsRollups.dueAt, now))
    .orderBy(asc(statsRollups.dueAt))
    .limit(1)
  if (!due) return false
  const own = eq(statsRollups.botId, due.botId)
  const dueAgain = (after: number) => ({ dueAt: new Date(now.getTime() + after) })
  const taken = await db
    .update(statsRollups)
    .set(dueAgain(LEASE))
    .where(and(own, eq(statsRollups.dueAt, due.dueAt)))
  if (taken.rowCount === 0) return true

  const range = await daysOf(db, due.botId, now)
  if (!range) {
    await db.delete(statsRollups).where(own)
    return true
  }
  await addDays(db, due.botId, range)
  const days = await daysToCount(db, due.botId, range)
  for (const day of days) await countDay(db, due.botId, day)
  await db
    .update(statsRollups)
    .set(dueAgain(days.length < BATCH ? INTERVAL : 0))
    .where(own)
  return true
}

interface Days {
  first: string
  last: string
}

/** The days of a bot that are over and can be kept; none when the bot does not have many results, or is gone. */
async function daysOf(db: Database, botId: string, now: Date): Promise<Days | undefined> {
  const last = dayOf(Date.parse(lateBefore(new Date(now.getTime() - MARGIN))) - DAY)
  const visible = sql`FROM ${results} r WHERE r.bot_id = ${botId} AND NOT r.is_archived
    AND r.created_at > coalesce(b.results_floor_at, '-infinity')`
  const first = sql`greatest(
    (least(
      (SELECT min(r.created_at) ${visible} AND r.has_started),
      (SELECT min(r.created_at) ${visible} AND NOT r.has_started)
    ) AT TIME ZONE 'UTC')::date,
    (b.results_floor_at AT TIME ZONE 'UTC')::date + 1,
    ${last}::date - ${sql.raw(String(KEPT_DAYS))}
  )`
  const [row] = await selectRows(
    db,
    { first: expression(first, 'text') },
    (list) => sql`
      SELECT ${list} FROM ${bots} b WHERE b.id = ${botId} AND b.deleted_at IS NULL AND (
        SELECT count(*) FROM (SELECT ${visible} AND r.has_started IN (true, false) LIMIT ${MANY + 1}) AS visible
      ) > ${MANY}`,
  )
  return row && { ...row, last }
}

async function addDays(db: Database, botId: string, { first, last }: Days) {
  // With the bot locked, so that nothing is added to one that is deleted at this moment.
  await db.execute(sql`
    INSERT INTO ${botStatsDaily} (bot_id, day)
    SELECT bot.id, ${first}::date + n
    FROM (SELECT id FROM ${bots} WHERE id = ${botId} AND deleted_at IS NULL FOR SHARE) AS bot,
      generate_series(0, ${last}::date - ${first}::date) AS n
    ON CONFLICT (bot_id, day) DO NOTHING`)
}

async function daysToCount(db: Database, botId: string, { first, last }: Days): Promise<string[]> {
  const rows = await db
    .select({ day: botStatsDaily.day })
    .from(botStatsDaily)
    .where(
      sql`bot_id = ${botId} AND day BETWEEN ${first} AND ${last} AND (computed_epoch = epoch) IS NOT TRUE`,
    )
    .orderBy(asc(botStatsDaily.day))
    .limit(BATCH)
  return rows.map(({ day }) => day)
}

async function countDay(db: Database, botId: string, day: string) {
  const { botId: ofBot, day: ofDay, epoch } = botStatsDaily
  const counted = countBetween(sql`${botId}`, startOf(sql`${ofDay}`), startOf(sql`${ofDay} + 1`))
  const [row] = await selectRows(
    db,
    {
      epoch,
      views: expression(sql`counted.views`, 'float8'),
      starts: expression(sql`counted.starts`, 'float8'),
      completions: expression(sql`counted.completions`, 'float8'),
    },
    (list) => sql`
      SELECT ${list} FROM ${botStatsDaily} CROSS JOIN LATERAL (${counted}) AS counted
      WHERE ${ofBot} = ${botId} AND ${ofDay} = ${day}`,
  )
  if (!row) return
  const { epoch: computedEpoch, ...counts } = row
  await db
    .update(botStatsDaily)
    .set({ ...counts, computedEpoch })
    .where(and(eq(ofBot, botId), eq(ofDay, day), eq(epoch, computedEpoch)))
}
