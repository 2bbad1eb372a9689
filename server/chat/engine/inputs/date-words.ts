/** The words that a language writes dates and times with, as `Intl` knows them. */
import { LRUCache } from 'lru-cache'
import { plainSigns } from './number-text.ts'

export interface DateWords {
  /** By the words, the longest first: months from 1 on, weekdays from 0 (Sunday) on, days from today on. */
  months: [word: string, month: number][]
  weekdays: [word: string, weekday: number][]
  relative: [phrase: string, days: number][]
  /** 0 before noon, 12 after it. */
  dayPeriods: [word: string, hours: 0 | 12][]
  /** Texts between the parts of a date. */
  literals: Set<string>
  /** As in `['day', 'month', 'year']`. */
  order: string[]
  /** `16.45` is a time where the language writes it so. */
  hasPointInTimes: boolean
}

/** Some 30 KB each. */
const MAX_LANGUAGES = 100

const known = new LRUCache<string, DateWords>({ max: MAX_LANGUAGES })

/** Undefined for a tag that is none. */
export function dateWordsOf(language: string): DateWords | undefined {
  try {
    const { language: code, region } = new Intl.Locale(language)
    const tag = region === undefined ? code : `${code}-${region}`
    const words = known.get(tag) ?? readWords(tag)
    known.set(tag, words)
    return words
  } catch {
    return undefined
  }
}

function readWords(tag: string): DateWords {
  const months = new Map<string, number>()
  const weekdays = new Map<string, number>()
  const dayPeriods = new Map<string, 0 | 12>([
    ['am', 0],
    ['pm', 12],
    ['오전', 0],
    ['오후', 12],
  ])
  const literals = new Set<string>(['h', 'uhr', 'st', 'nd', 'rd', 'th', 'er', 'den', 'the', 'o', 'a'])
  const options: Intl.DateTimeFormatOptions[] = [
    { month: 'long' },
    { month: 'short' },
    { weekday: 'long' },
    { weekday: 'short' },
    { day: 'numeric', month: 'long' },
    { day: 'numeric', month: 'short' },
    { dateStyle: 'full', timeStyle: 'short' },
    { dateStyle: 'long', timeStyle: 'medium' },
    { dateStyle: 'medium' },
    { hour: 'numeric', hour12: true },
  ]
  for (const option of options) {
    const format = new Intl.DateTimeFormat(tag, { ...option, calendar: 'gregory', timeZone: 'UTC' })
    for (let step = 0; step < 24; step += 1) {
      // Each month, each weekday and each hour is among these.
      const date = new Date(Date.UTC(2026, 0, 1 + 31 * step, step))
      for (const { type, value } of format.formatToParts(date)) {
        const word = comparableWords(value)
        if (/\d/.test(word) || !/\p{L}/u.test(word)) continue
        if (type === 'month') months.set(word, date.getUTCMonth() + 1)
        else if (type === 'weekday') weekdays.set(word, date.getUTCDay())
        else if (type === 'dayPeriod') dayPeriods.set(word, step < 12 ? 0 : 12)
        else if (type === 'literal') for (const each of word.split(' ')) literals.add(each)
      }
    }
  }
  const time = new Intl.DateTimeFormat(tag, { timeStyle: 'short', timeZone: 'UTC' }).format(0)
  const order = new Intl.DateTimeFormat(tag, { dateStyle: 'short', calendar: 'gregory', timeZone: 'UTC' })
    .formatToParts(0)
    .map(({ type }) => type)
    .filter((type) => /^(day|month|year)$/.test(type))
  return {
    months: longestFirst(months),
    weekdays: longestFirst(weekdays),
    relative: longestFirst(relativeDays(tag)),
    dayPeriods: longestFirst(dayPeriods),
    literals,
    order,
    hasPointInTimes: /\d\.\d/.test(plainSigns(time)),
  }
}

/** As "tomorrow", "in 3 days" and "2 weeks ago". */
function relativeDays(tag: string): Map<string, number> {
  const phrases = new Map<string, number>()
  const units = [
    ['week', 7, 8],
    ['day', 1, 31],
  ] as const
  for (const [unit, days, most] of units) {
    for (const numeric of ['always', 'auto'] as const) {
      const format = new Intl.RelativeTimeFormat(tag, { numeric })
      for (let count = -most; count <= most; count += 1) {
        const isWord = unit === 'week' && numeric === 'auto' && Math.abs(count) < 2
        if (!isWord) phrases.set(comparableWords(format.format(count, unit)), count * days)
      }
    }
  }
  return phrases
}

/** Without regard to case, accents and points; with ASCII digits and single blanks. */
export function comparableWords(text: string): string {
  return plainSigns(text)
    .replace(/[\u200c\u200d]/g, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .replaceAll('ı', 'i')
    .replace(/(\p{L})\./gu, '$1')
    .replace(/[,،、()]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function longestFirst<Value>(words: Map<string, Value>): [string, Value][] {
  return [...words].sort(([a], [b]) => b.length - a.length)
}
