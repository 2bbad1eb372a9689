import { and, asc, eq, gt, gte, lte, or, type SQL, sql } from 'drizzle-orm'
import { topologyOf } from '../db/citus/topology.ts'
import type { Database } from '../db/client.ts'
import { botStatsDaily, botStatsHourly, bots, results, statsRollups } from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../durations.ts'
import { countBetween, endOf, MAX_DIRECTLY_COUNTED_RESULTS, startOf } from './stats.ts'
import { computeDaysCountedBefore, dayOf, hourOf, MARGIN_MS } from './stats-epochs.ts'

/* Counts days and hours of bots with many results in the background. See `stats-epochs.ts`. */

/** Delay until a bot is checked again, and until another process takes over from one that died. */
const CHECK_INTERVAL_MS = 10 * 60 * 1000
const LEASE_TIMEOUT_MS = 60 * 1000

/** No correct clock sets a later due time: one was ahead, and may have counted the current day or hour. */
const MAX_DUE_IN_MS = MS_PER_HOUR

/** Number of days that one batch counts before the next bot, and maximum number of stored days per bot. */
const MAX_BATCH_DAYS = 100
const MAX_STORED_DAYS = 3_660

/**
 * Counts days and hours of the bot that has been due for longest. False when no bot is due. Safe in several
 * processes, and when one ends in the middle of it: at worst one is counted twice.
 */
export async function rollUpBatch(db: Database, at: Date): Promise<boolean> {
  // A day stored too early would stay wrong: it also has to be over by the clock of the database.
  const [clock] = await selectRows(
    db,
    { now: expression(sql`now()`, 'timestamptz') },
    (list) => sql`SELECT ${list}`,
  )
  const now = clock && clock.now < at ? clock.now : at
  const [due] = await db
    .select()
    .from(statsRollups)
    .where(or(lte(statsRollups.dueAt, now), gt(statsRollups.dueAt, new Date(now.getTime() + MAX_DUE_IN_MS))))
    .orderBy(asc(statsRollups.dueAt))
    .limit(1)
  if (!due) return false
  const own = eq(statsRollups.botId, due.botId)
  const dueAgain = (after: number) => ({ dueAt: new Date(now.getTime() + after) })
  const taken = await db
    .update(statsRollups)
    .set(dueAgain(LEASE_TIMEOUT_MS))
    .where(and(own, eq(statsRollups.dueAt, due.dueAt)))
  if (taken.rowCount === 0) return true
  if (due.dueAt > now) await dropEarly(db, due.botId, now)

  const range = await daysOf(db, due.botId, due.hasManyAnswers ? 0 : MAX_DIRECTLY_COUNTED_RESULTS, now)
  if (!range) {
    await db.delete(statsRollups).where(own)
    return true
  }
  const { first, last } = range
  await add(db, daily, due.botId, sql`${first}::date + n`, sql`${last}::date - ${first}::date`)
  const days = await toCount(db, daily, due.botId, first, last)
  for (const day of days) await countOne(db, daily, due.botId, day)
  if (topologyOf(db).hasHourlyCounts) await countHours(db, due.botId, Date.parse(last) + MS_PER_DAY, now)
  await db
    .update(statsRollups)
    .set(dueAgain(days.length < MAX_BATCH_DAYS ? CHECK_INTERVAL_MS : 0))
    .where(own)
  return true
}

/** Invalidates the counts of days and hours that are not over, which a clock that was ahead has made. */
async function dropEarly(db: Database, botId: string, now: Date) {
  const begins = [[daily, dayOf(now.getTime())] as const, [hourly, hourOf(now.getTime())] as const]
  for (const [{ table, at }, begin] of topologyOf(db).hasHourlyCounts ? begins : begins.slice(0, 1))
    await db
      .update(table)
      .set({ epoch: sql`${table.epoch} + 1` })
      .where(and(eq(table.botId, botId), gte(at, begin), eq(table.computedEpoch, table.epoch)))
}

interface Days {
  first: string
  last: string
}

/** The closed days of a bot that can be stored; undefined if the bot is deleted or has at most `few` results. */
async function daysOf(db: Database, botId: string, few: number, now: Date): Promise<Days | undefined> {
  const last = dayOf(Date.parse(computeDaysCountedBefore(new Date(now.getTime() - MARGIN_MS))) - MS_PER_DAY)
  const visible = sql`FROM ${results} r WHERE r.bot_id = ${botId} AND NOT r.is_archived
    AND r.created_at > coalesce(b.results_floor_at, '-infinity')`
  const first = sql`greatest(
    (least(
      (SELECT min(r.created_at) ${visible} AND r.has_started),
      (SELECT min(r.created_at) ${visible} AND NOT r.has_started)
    ) AT TIME ZONE 'UTC')::date,
    (b.results_floor_at AT TIME ZONE 'UTC')::date + 1,
    ${last}::date - ${sql.raw(String(MAX_STORED_DAYS))}
  )`
  const [row] = await selectRows(
    db,
    { first: expression(first, 'text') },
    (list) => sql`
      SELECT ${list} FROM ${bots} b WHERE b.id = ${botId} AND b.deleted_at IS NULL AND (
        SELECT count(*) FROM (SELECT ${visible} AND r.has_started IN (true, false) LIMIT ${few + 1}) AS visible
      ) > ${few}`,
  )
  return row && { ...row, last }
}

/** Counts the hours of days that cannot be stored yet. The first one begins at `begin`, in milliseconds. */
async function countHours(db: Database, botId: string, begin: number, now: Date) {
  const [first, last] = [hourOf(begin), hourOf(now.getTime() - 2 * MARGIN_MS - MS_PER_HOUR)]
  const more = (Date.parse(last) - begin) / MS_PER_HOUR
  await add(db, hourly, botId, sql`${first}::timestamptz + n * interval '1 hour'`, sql`${more}::integer`)
  for (const hour of await toCount(db, hourly, botId, first, last)) await countOne(db, hourly, botId, hour)
}

/** Tables of daily and hourly counts; `at` is the column of the time of a row. */
const daily = {
  table: botStatsDaily,
  at: botStatsDaily.day,
  begins: startOf(sql`${botStatsDaily.day}`),
  ends: startOf(sql`${botStatsDaily.day} + 1`),
}
const hourly = {
  table: botStatsHourly,
  at: botStatsHourly.hour,
  begins: sql`${botStatsHourly.hour}`,
  ends: endOf(sql`${botStatsHourly.hour}`),
}
type Kept = typeof daily | typeof hourly

/** Adds the rows of days or hours, each made of `n` from 0 to `most`, that are not there. */
async function add(db: Database, { table, at }: Kept, botId: string, nth: SQL, most: SQL) {
  // Locks the bot, so that no row is added to one that is being deleted.
  await db.execute(sql`
    INSERT INTO ${table} (bot_id, ${sql.identifier(at.name)})
    SELECT bot.id, ${nth}
    FROM (SELECT id FROM ${bots} WHERE id = ${botId} AND deleted_at IS NULL FOR SHARE) AS bot,
      generate_series(0, ${most}) AS n
    ON CONFLICT (bot_id, ${sql.identifier(at.name)}) DO NOTHING`)
}

async function toCount(db: Database, { table, at }: Kept, botId: string, first: string, last: string) {
  const rows = await db
    .select({ at })
    .from(table)
    .where(
      sql`bot_id = ${botId} AND ${at} BETWEEN ${first} AND ${last} AND (computed_epoch = epoch) IS NOT TRUE`,
    )
    .orderBy(asc(at))
    .limit(MAX_BATCH_DAYS)
  return rows.map((row) => row.at)
}

async function countOne(db: Database, { table, at, begins, ends }: Kept, botId: string, time: string) {
  const { botId: ofBot, epoch } = table
  const counted = countBetween(sql`${botId}`, begins, ends)
  const [row] = await selectRows(
    db,
    {
      epoch,
      views: expression(sql`counted.views`, 'float8'),
      starts: expression(sql`counted.starts`, 'float8'),
      completions: expression(sql`counted.completions`, 'float8'),
    },
    (list) => sql`
      SELECT ${list} FROM ${table} CROSS JOIN LATERAL (${counted}) AS counted
      WHERE ${ofBot} = ${botId} AND ${at} = ${time}`,
  )
  if (!row) return
  const { epoch: computedEpoch, ...counts } = row
  await db
    .update(table)
    .set({ ...counts, computedEpoch })
    .where(and(eq(ofBot, botId), eq(at, time), eq(epoch, computedEpoch)))
}
