import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { BotGrant } from '../access/index.ts'
import { prepareBatchedQuery } from '../db/batched-query.ts'
import { topologyOf } from '../db/citus/topology.ts'
import { type Database, statements } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { botStatsDaily, botStatsHourly, results, statsRollups } from '../db/schema.ts'
import { expression, genericPlanParam, prepareSelect } from '../db/typed-select.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../durations.ts'
import { dayOf, hourOf, hoursFrom } from './stats-epochs.ts'
import type { TimeRange } from './time-range.ts'

/* Reads statistics: stored days and hours, and results outside them. See `stats-epochs.ts`. */

/** With more results than this, a bot is counted by day. */
export const MAX_DIRECTLY_COUNTED_RESULTS = 20_000

/** Counts from the index. Both values of `has_started` are named, so that it is walked in two ranges. */
export const countBetween = (botId: SQL, begins: SQL, ends: SQL) => sql`
  SELECT count(*) AS views, count(*) FILTER (WHERE has_started) AS starts,
    count(*) FILTER (WHERE has_started AND is_completed) AS completions
  FROM ${results} WHERE bot_id = ${botId} AND has_started IN (true, false) AND NOT is_archived
    AND created_at >= ${begins} AND created_at < ${ends}`

/** Parameters of a query in SQL: the bot, a range, and the days and hours within it. */
interface RangeParameters {
  botId: SQL
  from: SQL
  to: SQL
  firstDay: SQL
  endDay: SQL
  firstHour: SQL
  endHour: SQL
}

/** The same as parameters. */
export const givenRange = (db: Database): RangeParameters => ({
  botId: genericPlanParam(db, 'botId', 'text'),
  from: sql`${sql.placeholder('from')}::timestamptz`,
  to: sql`${sql.placeholder('to')}::timestamptz`,
  firstDay: genericPlanParam(db, 'firstDay', 'date'),
  endDay: genericPlanParam(db, 'endDay', 'date'),
  firstHour: genericPlanParam(db, 'firstHour', 'timestamptz'),
  endHour: genericPlanParam(db, 'endHour', 'timestamptz'),
})

/** When an hour ends that begins then. */
export const endOf = (hour: SQL) => sql`(${hour} + interval '1 hour')`

export const startOf = (day: SQL) => sql`(${day})::timestamp AT TIME ZONE 'UTC'`

/**
 * Gaps between stored days: from the beginning to the first valid day, and from the end of each to the next. Usually
 * only the last gap has results, and the others are empty.
 */
export const gapsOf = (goodDays: SQL, { from, to }: Pick<RangeParameters, 'from' | 'to'>) => sql`
  SELECT ${from} AS begins, coalesce(${startOf(sql`kept.first`)}, ${to}) AS ends
  UNION ALL
  SELECT ${startOf(sql`kept.last + 1`)}, ${to} WHERE kept.days = kept.last - kept.first + 1
  UNION ALL
  SELECT between_days.* FROM (
    SELECT ${startOf(sql`day + 1`)}, coalesce(${startOf(sql`lead(day) OVER (ORDER BY day)`)}, ${to}) ${goodDays}
  ) AS between_days WHERE kept.days < kept.last - kept.first + 1`

const total = (column: string) => sql.raw(`coalesce(sum(${column}), 0)::float8 AS ${column}`)
const totals = sql`${total('views')}, ${total('starts')}, ${total('completions')}`

/** In the place of hours where there are none: a cluster has their table only once it is distributed anew. */
const noHours =
  sql.raw(`(SELECT '' AS bot_id, NULL::timestamptz AS hour, 0 AS views, 0 AS starts, 0 AS completions,
  0 AS epoch, 0 AS computed_epoch) AS none`)

/**
 * Adds up valid days, valid hours after them, and results outside both, from one snapshot. Invariant: completed <=
 * starts <= views.
 */
function storedAndCounted(db: Database, range: RangeParameters): SQL {
  const { botId, firstDay, endDay, firstHour, endHour, from, to } = range
  const goodDays = sql`FROM ${botStatsDaily} WHERE bot_id = ${botId} AND computed_epoch = epoch
    AND day >= ${firstDay} AND day < ${endDay}`
  const goodHours = sql`FROM ${topologyOf(db).hasHourlyCounts ? botStatsHourly : noHours} WHERE bot_id = ${botId} AND computed_epoch = epoch
    AND hour >= greatest(${firstHour}, ${startOf(sql`kept.last + 1`)}) AND hour < ${endHour}`
  const toHours = { from, to: sql`coalesce(hourly.first, ${to})` }
  return sql`(
      SELECT count(*) AS days, min(day) AS first, max(day) AS last, ${totals} ${goodDays}
    ) AS kept CROSS JOIN LATERAL (
      SELECT min(hour) AS first, ${totals} ${goodHours}
    ) AS hourly CROSS JOIN LATERAL (
      SELECT ${totals}
      FROM (
        ${gapsOf(goodDays, toHours)}
        UNION ALL
        SELECT * FROM (
          SELECT ${endOf(sql`hour`)}, coalesce(lead(hour) OVER (ORDER BY hour), ${to}) ${goodHours}
        ) AS between_hours
      ) AS gap
      CROSS JOIN LATERAL (${countBetween(botId, sql`gap.begins`, sql`gap.ends`)}) AS part
      WHERE gap.begins < gap.ends
    ) AS counted`
}

const most = sql.raw(String(MAX_DIRECTLY_COUNTED_RESULTS))

const ofBoth = {
  totalViews: expression(sql`kept.views + hourly.views + counted.views`, 'float8'),
  // A completion counts only with a start, whatever the rows say.
  totalStarts: expression(sql`kept.starts + hourly.starts + counted.starts`, 'float8'),
  totalCompleted: expression(sql`kept.completions + hourly.completions + counted.completions`, 'float8'),
  hasFew: expression(sql`counted.views <= ${most}`, 'boolean'),
}

const questionTypes = {
  botId: 'text',
  from: 'timestamptz',
  to: 'timestamptz',
  firstDay: 'text',
  endDay: 'text',
  firstHour: 'timestamptz',
  endHour: 'timestamptz',
} as const

const rangeParameters: RangeParameters = {
  botId: sql`batch."botId"`,
  from: sql`batch."from"`,
  to: sql`batch."to"`,
  firstDay: sql`batch."firstDay"::date`,
  endDay: sql`batch."endDay"::date`,
  firstHour: sql`batch."firstHour"`,
  endHour: sql`batch."endHour"`,
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
        hasKept: expression(sql`kept.days > 0 OR hourly.first IS NOT NULL`, 'boolean'),
      },
      (list) => sql`SELECT ${list} FROM ${storedAndCounted(db, given)}`,
    ),
    /** For those of which few results are beside good days and hours. */
    countBesideKept: prepareBatchedQuery(
      db,
      named,
      'count_results_beside_kept',
      questionTypes,
      ofBoth,
      (list, questions) =>
        sql`SELECT ${list} FROM ${questions} CROSS JOIN LATERAL ${storedAndCounted(db, rangeParameters)}`,
    ),
    /** For those that have few results. */
    countSmall: prepareBatchedQuery(
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
        CROSS JOIN LATERAL (${countBetween(rangeParameters.botId, rangeParameters.from, rangeParameters.to)}) AS counted`,
    ),
  }
})

/**
 * Bots with little to count at the last read: those with few results and no stored days, and those with few results
 * beside the stored days. Requests on them in one turn of the event loop are batched. Both queries are correct for
 * every bot, only slow for some. On a cluster the second query reads as if no days were stored.
 */
const quickBots = new LRUCache<string, 'countSmall' | 'countBesideKept'>({ max: 10_000, ttl: 10 * 60 * 1000 })

/** A range of the results of a bot that are there, and of the days and hours within it, as statements take it. */
export function spanOf(db: Database, { bot }: BotGrant, range: TimeRange, now: Date) {
  const begin = Math.max(
    range.from?.getTime() ?? Number.NEGATIVE_INFINITY,
    // Times of results are whole milliseconds.
    bot.resultsFloorAt ? bot.resultsFloorAt.getTime() + 1 : Number.NEGATIVE_INFINITY,
  )
  // The current time span is never read from storage: a clock that was ahead may have counted it.
  const end = Math.min(range.to?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime())
  return {
    botId: bot.id,
    from: Number.isFinite(begin) ? new Date(begin).toISOString() : '-infinity',
    firstDay: Number.isFinite(begin) ? dayOf(Math.ceil(begin / MS_PER_DAY) * MS_PER_DAY) : '-infinity',
    to: range.to?.toISOString() ?? 'infinity',
    endDay: dayOf(end),
    firstHour: topologyOf(db).hasHourlyCounts
      ? hourOf(Math.max(begin + MS_PER_HOUR - 1, Date.parse(hoursFrom(now))))
      : 'infinity',
    endHour: hourOf(end),
  }
}

/** The statistics of a bot's results within a range. */
export async function countResults(db: Database, grant: BotGrant, range: TimeRange, now: Date) {
  const { bot } = grant
  const values = spanOf(db, grant, range, now)
  const run = readStatements(db)
  try {
    const quick = quickBots.get(bot.id)
    if (quick !== undefined) {
      const { hasFew, totalViews, totalStarts, totalCompleted } = firstRow(await run[quick](values))
      if (hasFew) return { totalViews, totalStarts, totalCompleted }
      quickBots.delete(bot.id)
    }
    const { isFound, hasFew, hasKept, ...stats } = firstRow((await run.count(values))[0])
    if (hasFew && hasKept && topologyOf(db).hasHourlyCounts) quickBots.set(bot.id, 'countBesideKept')
    // Within a range, few results say nothing about the others.
    if (hasFew && !hasKept && range.from === null && range.to === null) quickBots.set(bot.id, 'countSmall')
    if (isFound) await requestRollup(db, bot.id, now)
    return stats
  } catch (error) {
    quickBots.delete(bot.id)
    // So many that counting takes too long: only the background can help.
    if (sqlState(error) === '57014') await requestRollup(db, bot.id, now)
    throw error
  }
}

/** Returns the row of an aggregate query, which always has exactly one. */
function firstRow<Row>(row: Row | undefined): Row {
  if (!row) throw new Error('A count gave no row')
  return row
}

/**
 * Makes the background count the days of a bot from now on; `hasManyAnswers` also if it has few results, whose
 * answers took a request too long to count.
 */
export async function requestRollup(db: Database, botId: string, now: Date, hasManyAnswers = false) {
  const insertion = db.insert(statsRollups).values({ botId, dueAt: now, hasManyAnswers })
  await (hasManyAnswers
    ? insertion.onConflictDoUpdate({ target: statsRollups.botId, set: { hasManyAnswers } })
    : insertion.onConflictDoNothing())
}
