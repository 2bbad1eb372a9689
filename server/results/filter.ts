import type { Issue } from '../../contract/errors.ts'
import type { GetStats, ListResults } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { type TimeRange, timeRange } from './time-range.ts'

export type Status = NonNullable<GetStats['query']['status']>

/** Named one by one: a filter that statistics take too does not compile until it has its place below. */
type RangeName = 'timeFilter' | 'timeZone' | 'createdAfter' | 'createdBefore'
type RangeQuery = Pick<GetStats['query'], RangeName>
type UnreadOfStats = Exclude<keyof GetStats['query'], RangeName | 'status'>

/** Filter of results; null means any. */
export interface ResultFilter {
  range: TimeRange
  status: Status | null
  answerContains: string | null
  /** Name and value with a colon between. */
  variable: string | null
}

type FilterQuery = Omit<ListResults['query'], 'limit' | 'cursor'>

/** The time that the filters of a query leave, or the one that leaves none of it. */
export function readRange(
  { timeFilter, timeZone, createdAfter, createdBefore }: RangeQuery & Partial<Record<UnreadOfStats, never>>,
  now: Date,
): { range: TimeRange } | { issue: Issue } {
  const days = timeRange(timeFilter, timeZone, now)
  const after = createdAfter === undefined ? null : new Date(createdAfter)
  const before = createdBefore === undefined ? null : new Date(createdBefore)
  const contradiction = (name: string, way: string): { issue: Issue } => {
    const message = `The range does not overlap timeFilter=${timeFilter}: send ${way} ${name} or another timeFilter`
    return { issue: { path: ['query', name], code: 'invalid_value', message } }
  }
  if (after && days.to && after >= days.to) return contradiction('createdAfter', 'an earlier')
  if (before && days.from && before <= days.from) return contradiction('createdBefore', 'a later')
  return {
    range: {
      from: after && days.from && after < days.from ? days.from : (after ?? days.from),
      to: before && days.to && before > days.to ? days.to : (before ?? days.to),
    },
  }
}

/** A filter that the contract adds does not compile until `readFilter` reads it. */
type Unread = Exclude<keyof FilterQuery, keyof RangeQuery | 'status' | 'answerContains' | 'variable'>

export function readFilter(
  { status, answerContains, variable, ...query }: FilterQuery & Record<Unread, never>,
  now: Date,
): { filter: ResultFilter } | { issue: Issue } {
  const read = readRange(query, now)
  if ('issue' in read) return read
  return {
    filter: {
      range: read.range,
      status: status ?? null,
      answerContains: answerContains?.normalize() ?? null,
      variable: variable ?? null,
    },
  }
}

/** Values of the filter that a cursor is bound to. */
export function scopeOf(query: FilterQuery): string[] {
  const { timeFilter, timeZone, ...others } = query
  // All filters: only the parameters that move within the list or change its form are left out.
  const moving = ['limit', 'cursor', 'format', 'byteOrderMark']
  const given = Object.entries(others)
    .filter(([name]) => !moving.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return [
    timeFilter,
    timeZone,
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])),
  ]
}

type Stats = components['schemas']['Stats']

/** Chats of one status are all of them started, and all or none of them completed. */
export function ofStatus(stats: Stats, status: Status | null): Stats {
  const { totalStarts, totalCompleted } = stats
  switch (status) {
    case null:
      return stats
    case 'started':
      return {
        totalViews: totalStarts - totalCompleted,
        totalStarts: totalStarts - totalCompleted,
        totalCompleted: 0,
      }
    case 'completed':
      return { totalViews: totalCompleted, totalStarts: totalCompleted, totalCompleted }
  }
}
