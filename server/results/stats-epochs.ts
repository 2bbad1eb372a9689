import { type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../db/client.ts'
import { botStatsDaily, botStatsHourly } from '../db/schema.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../durations.ts'

/*
 * Statistics are counted from the index of the results. For bots with many results, days that are over (in UTC) are
 * counted once, in the background, and stored in `bot_stats_daily`, and until a day is stored its hours that are over
 * in `bot_stats_hourly`. Reads are exact at every time:
 *
 * - A day or an hour is stored with the epoch under which it was counted, and is good only while that is its epoch.
 *   A change of a result of one that is over raises the epoch in the same transaction, and adds the row where
 *   there is none, so the row need not exist when the change begins.
 * - The background reads the epoch, counts, and writes the count only where the epoch is still that one. A
 *   raised epoch is locked until the change is committed, so a count without the change is either not
 *   written or not good any more.
 * - A read adds up the good days within its range, and the good hours behind the last of them, and counts the
 *   rest from the index, in one statement. So no count has to be stored, nor at a certain time.
 *
 * Results of the hour that goes on, and of the one before it for a while, touch nothing of this. A result below the
 * floor of a bot (`results_floor_at`, which only rises) is in no range, so its removal raises no epoch.
 *
 * Hours are counted and read until the end of the day after theirs, their epochs are raised for a day more, and they
 * are removed a day after that. Clocks differ by less than a day: so every change of an hour that is read has raised
 * its epoch. And none is added again once it was removed, with the first epoch, under which another process may have
 * counted it before.
 *
 * The functions of a cluster raise days alone: there no hour is stored or read.
 */

/**
 * Processes may disagree on when a day is over, and a request is written later than it came. So a day or an hour is
 * counted an hour after its end, and its epoch raised from half an hour after it on: the difference of clocks and the
 * length of requests may add up to half an hour.
 */
export const MARGIN_MS = 30 * 60 * 1000

export const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Returns the beginning of the hour that contains a time. */
export const hourOf = (time: number) => new Date(Math.floor(time / MS_PER_HOUR) * MS_PER_HOUR).toISOString()

/** Results before this time are of days that may have been counted. */
export function computeDaysCountedBefore(now: Date): string {
  return `${dayOf(now.getTime() - MARGIN_MS)}T00:00:00.000Z`
}

/** Results before this time are of hours that may have been counted. Not on a cluster. */
export function computeCountedBefore(now: Date): string {
  return hourOf(now.getTime() - MARGIN_MS)
}

/** When the first hour begins that is counted or read: that of the day before. */
export function hoursFrom(now: Date): string {
  return hourOf(Date.parse(dayOf(now.getTime())) - MS_PER_DAY)
}

/** Hours before it are removed. */
export function hoursEnd(now: Date): Date {
  return new Date(Date.parse(hoursFrom(now)) - 2 * MS_PER_DAY)
}

/**
 * Parts of a statement that raise the epochs of the days and hours of `rows`, which have a `bot_id` and a `created_at`
 * and were made before `before`, which is `lateBefore`.
 */
export function raiseEpochs(rows: SQL, before: SQL): SQL {
  const today = sql`date_trunc('day', ${before}, 'UTC')`
  // In one order, so that transactions that raise several do not deadlock.
  return sql`
    late AS (${rows}),
    late_days AS (
      INSERT INTO ${botStatsDaily} (bot_id, day)
      SELECT DISTINCT bot_id, (created_at AT TIME ZONE 'UTC')::date AS day FROM late WHERE created_at < ${today}
      ORDER BY bot_id, day
      ON CONFLICT (bot_id, day) DO UPDATE SET epoch = ${botStatsDaily}.epoch + 1
    ),
    late_hours AS (
      INSERT INTO ${botStatsHourly} (bot_id, hour)
      SELECT DISTINCT bot_id, date_trunc('hour', created_at, 'UTC') AS hour FROM late
      WHERE created_at >= ${today} - interval '48 hours'
      ORDER BY bot_id, hour
      ON CONFLICT (bot_id, hour) DO UPDATE SET epoch = ${botStatsHourly}.epoch + 1
    )`
}

/** Raises the epochs of the days of results of one bot that were made at these times. On a cluster. */
export async function raiseEpochsOf(tx: Transaction, botId: string, times: Date[], now: Date) {
  const late = times.filter((time) => time < new Date(computeDaysCountedBefore(now)))
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
