const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** A time such as "3 hours ago". */
export function agoOf(time: string): string {
  const seconds = (new Date(time).getTime() - performance.timeOrigin - performance.now()) / 1000
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit)
  }
  return 'just now'
}

export const dateOf = (time: string) => absolute.format(new Date(time))
