import { expect, test } from '@jest/globals'
import { MS_PER_HOUR } from '../../server/durations.ts'
import { readRange } from '../../server/results/filter.ts'
import { type TimeFilter, timeRange } from '../../server/results/time-range.ts'
import { ofEachKind, runs } from '../support/runs.ts'

/** Calendar days of a zone, as the platform says, and not the library that the service uses. */
function daysIn(zone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return (time) => format.format(time)
}

/** The ends of the weeks from 2018 to 2027 in which the clock of a zone changes, each with its offset then. */
function changesIn(zone: string): [at: number, offset: string | undefined][] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  const offsetOf = (time: number) => format.format(time).split(' ').at(-1)
  const changes: [number, string | undefined][] = []
  let before = offsetOf(Date.UTC(2018, 0, 1))
  for (let noon = Date.UTC(2018, 0, 8); noon < Date.UTC(2028, 0, 1); noon += 7 * 24 * MS_PER_HOUR) {
    const after = offsetOf(noon)
    if (after !== before) changes.push([noon, after])
    before = after
  }
  return changes
}

/** The first day of each filter and the one that follows its last, by the calendar alone. */
function rangesOf(day: string): [filter: TimeFilter, start: string, end?: string][] {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const of = (...given: [number, number, number]) => new Date(Date.UTC(...given)).toISOString().slice(0, 10)
  return [
    ['last7Days', of(year, month - 1, date - 6)],
    ['last30Days', of(year, month - 1, date - 29)],
    ['monthToDate', of(year, month - 1, 1)],
    ['lastMonth', of(year, month - 2, 1), of(year, month - 1, 1)],
    ['yearToDate', of(year, 0, 1)],
  ]
}

/** In every zone a day begins at a multiple of a quarter of an hour. */
function isStartOf(day: string, at: Date | null, dayOf: (time: number) => string): boolean {
  return at !== null && dayOf(at.getTime()) === day && dayOf(at.getTime() - MS_PER_HOUR / 4) < day
}

test('timeRange begins every range at the first instant of its day while the clock of a zone changes', () => {
  const wrong: string[] = []
  const zones = ofEachKind(Intl.supportedValuesOf('timeZone'), changesIn)
  for (const zone of zones) {
    const dayOf = daysIn(zone)
    for (const [noon] of changesIn(zone).slice(-runs(4, 100))) {
      // The days of a week in which the clock changes, by steps of a quarter of an hour.
      let first = Number.NaN
      let day = dayOf(noon - 8 * 24 * MS_PER_HOUR)
      for (let time = noon - 8 * 24 * MS_PER_HOUR; time < noon + 24 * MS_PER_HOUR; time += MS_PER_HOUR / 4) {
        const dayBefore = day
        day = dayOf(time)
        if (day > dayBefore) first = time
        if (time - first !== 4.5 * MS_PER_HOUR) continue
        const { from } = timeRange('today', zone, new Date(time))
        if (from?.getTime() !== first)
          wrong.push(`${zone} ${from?.toISOString()} ${new Date(first).toISOString()}`)
        for (const [filter, start, end] of rangesOf(day)) {
          const { from, to } = timeRange(filter, zone, new Date(time))
          if (!isStartOf(start, from, dayOf) || (end !== undefined && !isStartOf(end, to, dayOf)))
            wrong.push(`${zone} ${filter} ${from?.toISOString()} ${to?.toISOString()}`)
        }
      }
    }
  }
  expect(wrong).toEqual([])
})

test('timeRange counts the first hour of a day that begins twice', () => {
  const first = new Date('2026-11-01T04:00:00.000Z')
  for (const filter of ['today', 'monthToDate'] as const) {
    expect(timeRange(filter, 'America/Havana', new Date('2026-11-01T18:00:00Z')).from).toEqual(first)
  }
  expect(timeRange('lastMonth', 'America/Havana', new Date('2026-11-05T18:00:00Z')).to).toEqual(first)
})

test.each([
  [
    { timeFilter: 'last7Days', createdBefore: '2020-01-01T00:00:00Z' },
    'createdBefore',
    'a later createdBefore',
  ],
  [
    { timeFilter: 'lastMonth', createdAfter: '2026-03-01T00:00:00Z' },
    'createdAfter',
    'an earlier createdAfter',
  ],
])('readRange rejects %p, and says what to send', (given, name, way) => {
  const query = { timeZone: 'UTC', ...given } as Parameters<typeof readRange>[0]
  expect(readRange(query, new Date('2026-03-03T12:00:00.000Z'))).toEqual({
    issue: {
      path: ['query', name],
      code: 'invalid_value',
      message: `The range does not overlap timeFilter=${given.timeFilter}: send ${way} or another timeFilter`,
    },
  })
})
