import { LRUCache } from 'lru-cache'
import { DateTime } from 'luxon'
import type { timeFilters } from '../../contract/shared.ts'

export type TimeFilter = (typeof timeFilters)[number]

/** A half-open range of time; null is open. */
export interface TimeRange {
  from: Date | null
  to: Date | null
}

const known = new LRUCache<string, TimeRange>({ max: 1_000 })

/** In every time zone a day begins at a multiple of this from its beginning in UTC. */
const MS_PER_QUARTER_HOUR = 15 * 60 * 1000

/** The calendar days a filter means, seen at `now` in an IANA time zone. */
export function timeRange(filter: TimeFilter, timeZone: string, now: Date): TimeRange {
  if (filter === 'allTime') return { from: null, to: null }
  const key = `${filter} ${timeZone} ${Math.floor(now.getTime() / MS_PER_QUARTER_HOUR)}`
  let range = known.get(key)
  if (!range) {
    range = calculate(filter, timeZone, now)
    known.set(key, range)
  }
  return range
}

function calculate(filter: Exclude<TimeFilter, 'allTime'>, timeZone: string, now: Date): TimeRange {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const since = (start: DateTime): TimeRange => ({ from: firstInstantOf(start), to: null })
  const month = today.startOf('month')
  switch (filter) {
    case 'today':
      return since(today)
    case 'last7Days':
      return since(today.minus({ days: 6 }))
    case 'last30Days':
      return since(today.minus({ days: 29 }))
    case 'monthToDate':
      return since(month)
    case 'lastMonth':
      return { ...since(month.minus({ months: 1 })), to: firstInstantOf(month) }
    case 'yearToDate':
      return since(today.startOf('year'))
  }
}

/**
 * Returns the first instant of a calendar day. If the clock is put back from 01:00 to 00:00, that is the first 00:00.
 * If it is put forward from 00:00, the day begins later.
 */
function firstInstantOf(day: DateTime): Date {
  let start = day.startOf('day')
  const isOfDay = (time: DateTime) => time.toISODate() === day.toISODate()
  for (let at = start.minus(MS_PER_QUARTER_HOUR); isOfDay(at); at = at.minus(MS_PER_QUARTER_HOUR)) start = at
  return start.toJSDate()
}
