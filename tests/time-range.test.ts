import { expect, test } from '@jest/globals'
import { MS_PER_HOUR } from '../server/durations.ts'
import { timeRange } from '../server/results/time-range.ts'

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

test('timeRange begins a day at its first instant in every zone from 2018 to 2027', () => {
  const wrong: string[] = []
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const dayOf = daysIn(zone)
    const offset = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    const offsetOf = (time: number) => offset.format(time).split(' ').at(-1)
    let before = offsetOf(Date.UTC(2018, 0, 1))
    for (let noon = Date.UTC(2018, 0, 8); noon < Date.UTC(2028, 0, 1); noon += 7 * 24 * MS_PER_HOUR) {
      const after = offsetOf(noon)
      if (after === before) continue
      before = after
      // The days of a week in which the clock changes, by steps of a quarter of an hour.
      let first = Number.NaN
      for (let time = noon - 8 * 24 * MS_PER_HOUR; time < noon + 24 * MS_PER_HOUR; time += MS_PER_HOUR / 4) {
        const isNew = dayOf(time) !== dayOf(time - MS_PER_HOUR / 4)
        if (isNew && dayOf(time) > dayOf(time - MS_PER_HOUR / 4)) first = time
        if (!(time - first > 4 * MS_PER_HOUR && time - first < 5 * MS_PER_HOUR)) continue
        const { from } = timeRange('today', zone, new Date(time))
        if (from?.getTime() !== first)
          wrong.push(`${zone} ${from?.toISOString()} ${new Date(first).toISOString()}`)
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
