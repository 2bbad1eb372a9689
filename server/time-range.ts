import { DateTime } from 'luxon'
import type { timeFilters } from '../contract/shared.ts'

export type TimeFilter = (typeof timeFilters)[number]

/** A half-open range of time; null is open. */
export interface TimeRange {
  from: Date | null
  to: Date | null
}

/** The calendar days a filter means, seen at `now` in an IANA time zone. */
export function timeRange(filter: TimeFilter, timeZone: string, now: Date): TimeRange {
  if (filter === 'allTime') return { from: null, to: null }
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
