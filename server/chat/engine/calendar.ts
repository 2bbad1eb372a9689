/** Times that authors write into blocks, in the time zone that they name. */

import { DateTime } from 'luxon'
import { asObject, asObjects, asString, filledText } from '../../json/access.ts'

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Returns an IANA time zone; undefined for a name that is none. */
export function zoneOf(name: unknown): string | undefined {
  const zone = filledText(name)?.trim() ?? 'UTC'
  return DateTime.utc().setZone(zone).isValid ? zone : undefined
}

/** Returns the minutes of HH:MM since the beginning of its day; undefined for another text. */
export function minutesOf(text: unknown): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(asString(text)?.trim() ?? '') ?? []
  if (hours === undefined || minutes === undefined || Number(minutes) >= 60) return undefined
  const all = Number(hours) * 60 + Number(minutes)
  return all <= 24 * 60 ? all : undefined
}

/** True if office hours include this instant. Without times they always do. */
export function isOpen(officeHours: unknown, now: Date): boolean {
  const { times, timeZone } = asObject(officeHours)
  const openings = asObjects(times)
  if (openings.length === 0) return true
  const at = DateTime.fromJSDate(now, { zone: zoneOf(timeZone) ?? 'UTC' })
  const minute = at.hour * 60 + at.minute
  const today = DAYS[at.weekday - 1]
  const yesterday = DAYS[(at.weekday + 5) % 7]
  return openings.some(({ day, from, to }) => {
    const [begin, end] = [minutesOf(from), minutesOf(to)]
    if (begin === undefined || end === undefined) return false
    if (begin < end) return day === today && begin <= minute && minute < end
    return (day === today && begin <= minute) || (day === yesterday && minute < end)
  })
}

const dateAndTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

/** Returns the instant of a date, of a date with a time, or of the next HH:MM; undefined for another text. */
export function instantOf(text: string, timeZone: string, now: Date): Date | undefined {
  const minutes = minutesOf(text)
  if (minutes !== undefined) {
    const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
    const time = { hour: Math.floor(minutes / 60), minute: minutes % 60 }
    const next = [today, today.plus({ days: 1 })].map((day) => day.set(time).toJSDate())
    return next.find((each) => each > now)
  }
  if (!dateAndTime.test(text)) return undefined
  const read = DateTime.fromISO(text.replace(' ', 'T'), { zone: timeZone })
  if (!read.isValid) return undefined
  if (/(?:Z|[+-]\d{2}:?\d{2})$/.test(text.slice('2026-01-01'.length))) return read.toJSDate()
  // A clock that is put back shows it twice: the first one counts, whatever day it is now.
  const [first = read] = read.getPossibleOffsets().sort((one, other) => one.toMillis() - other.toMillis())
  return first.toJSDate()
}
