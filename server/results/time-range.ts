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

/** Where a day begins is a multiple of this away from where it begins in UTC, in every time zone. */
const QUARTER_HOUR = 15 * 60 * 1000

/** The calendar days a filter means, seen at `now` in an IANA time zone. */
export function timeRange(filter: TimeFilter, timeZone: string, now: Date): TimeRange {
  if (filter === 'allTime') return { from: null, to: null }
  const key = `${filter} ${timeZone} ${Math.floor(now.getTime() / QUARTER_HOUR)}`
  let range = known.get(key)
  if (!range) {
    range = calculate(filter, timeZone, now)
    known.set(key, range)
  }
  return range
}

function calculate(filter: Exclude<TimeFilter, 'allTime'>, timeZone: string, now: Date): TimeRange {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const since = (start: DateTime): TimeRange => ({ from: start.startOf('day').toJSDate(), to: null })
  switch (filter) {
    case 'today':
      return since(today)
    case 'last7Days':
      return since(today.minus({ days: 6 }))
    case 'last30Days':
      return since(today.minus({ days: 29 }))
    case 'monthToDate':
      return since(today.startOf('month'))
    case 'lastMonth': {
      const month = today.startOf('month')
      return { from: month.minus({ months: 1 }).startOf('day').toJSDate(), to: month.toJSDate() }
    }
    case 'yearToDate':
      return since(today.startOf('year'))
  }
}
