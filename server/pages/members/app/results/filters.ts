import type { ListResultsQuery } from '../../../../../generated/client/index.js'

/* The filters of results, as the address of the page has them. */

export interface Filters {
  period: string
  from: string
  to: string
  status: string
  words: string
  variable: string
  value: string
}

export const periods = {
  allTime: 'All time',
  today: 'Today',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
  monthToDate: 'This month',
  lastMonth: 'Last month',
  yearToDate: 'This year',
  between: 'Between two days',
}

export const statuses = { '': 'All chats', completed: 'Completed', started: 'Not completed' }

const defaults: Filters = {
  period: 'last30Days',
  from: '',
  to: '',
  status: '',
  words: '',
  variable: '',
  value: '',
}

export function readFilters(query: URLSearchParams): Filters {
  const given = Object.entries(defaults).map(([name, value]) => [name, query.get(name) ?? value])
  const filters = Object.fromEntries(given) as Filters
  return {
    ...filters,
    period: Object.hasOwn(periods, filters.period) ? filters.period : defaults.period,
    status: Object.hasOwn(statuses, filters.status) ? filters.status : '',
  }
}

/** The part of the address behind the path; filters that are as usual are left out. */
export function writeFilters(filters: Filters): string {
  const changed = Object.entries(filters).filter(([name, value]) => value !== defaults[name as keyof Filters])
  const query = new URLSearchParams(changed).toString()
  return query && `?${query}`
}

/** The first moment of a day, or of the one after; undefined where no such day is written. */
function dayStart(day: string, later = 0): string | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const start = new Date(year, month - 1, date + later)
  if (day === '' || Number.isNaN(start.getTime())) return undefined
  return start.getFullYear() > 9999 ? '9999-12-31T23:59:59.999Z' : start.toISOString()
}

/** The filters of statistics, which know time and state alone. */
export function rangeOf({ period, from, to, status }: Filters) {
  const between = { createdAfter: dayStart(from), createdBefore: dayStart(to, 1) }
  if (between.createdAfter && between.createdBefore && between.createdAfter >= between.createdBefore) {
    throw new Error('The last day is before the first day. Choose a later last day.')
  }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const range = period === 'between' ? between : { timeFilter: period, timeZone }
  return { ...range, status: status || undefined } as ListResultsQuery
}

export const isSearch = ({ words, variable }: Filters) => words !== '' || variable !== ''

export function queryOf(filters: Filters): ListResultsQuery {
  const { words, variable, value } = filters
  return {
    ...rangeOf(filters),
    answerContains: words || undefined,
    variable: variable ? `${variable}:${value}` : undefined,
  }
}
