/** Dates and times in the words and the order of a language. */
import { comparableWords, type DateWords, dateWordsOf } from './date-words.ts'

/** Parts of a date, a time or both that a text contains. */
export interface DateFields {
  year?: number
  month?: number
  day?: number
  hour?: number
  minute?: number
  second?: number
}

/**
 * The order is that of a format, for numbers alone: a year of four digits in front of it or `isLanguageOrder` goes
 * over `isWhole`: the text has no words but those of the date. `isNamed`: it names the month.
 */
export function readFields(
  text: string,
  language: string,
  today: Date,
  formatOrder: string[] | undefined,
  isOwnFormat: boolean,
): { fields: DateFields; isWhole: boolean; isNamed: boolean } | null {
  const words = dateWordsOf(language)
  if (words === undefined) return null
  const timed = takeTime(comparableWords(text), words)
  const date = readDay(timed.rest, words, today, (numbers) => {
    // A placeholder shows the format, so the format takes precedence over the short dates of the language.
    const isShort = numbers.length === 3 && numbers.every((number) => number.length < 3)
    const isEnglish = language.toLowerCase().startsWith('en')
    return isShort && !isOwnFormat && !isEnglish ? words.order : (formatOrder ?? words.order)
  })
  if (date === null && timed.time === undefined) return null
  return {
    fields: { ...date?.fields, ...timed.time },
    isWhole: isLiteral(date?.rest ?? timed.rest, words),
    isNamed: date?.isNamed ?? false,
  }
}

/** As `16:45:30`, `4:45 pm`, `16h45`, `16 Uhr`, `午後4時45分`. */
function takeTime(text: string, words: DateWords) {
  const clock = words.hasPointInTimes
    ? /(?<![\d.:])(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?![.:]?\d)/
    : /(?<![\d.:])(\d{1,2}):(\d{2})(?::(\d{2}))?(?![.:]?\d)/
  const units =
    /(?<!\d)(\d{1,2}) ?(?:h|uhr|[時时點点시]|ч|год|godz|saat)(?!\p{L}) ?(?:(\d{1,2})(?!\d) ?(?:[分분]|min|m)?(?!\p{L}))? ?(?:(\d{1,2}) ?[秒초])?/u
  // Signs of East Asia are written without blanks, so a letter may follow them.
  const dense = /(\d{1,2}) ?[時时點点시] ?(?:(\d{1,2}) ?[分분])? ?(?:(\d{1,2}) ?[秒초])?/
  const hourAlone = /(?<!\d)(\d{1,2})(?!\d)/
  const period = words.dayPeriods.find(([word]) => indexOfWord(text, word) !== -1)
  const found =
    clock.exec(text) ??
    dense.exec(text) ??
    units.exec(text) ??
    (period && besidePeriod(text, period[0], hourAlone))
  if (!found) return { time: undefined, rest: text }
  const [all, hour = '', minute = '0', second = '0'] = found
  let rest = `${text.slice(0, found.index)} ${text.slice(found.index + all.length)}`
  let hours = Number(hour)
  if (period !== undefined && hours <= 12) {
    rest = withoutWord(rest, period[0])
    hours = (hours % 12) + period[1]
  }
  return { time: { hour: hours, minute: Number(minute), second: Number(second) }, rest: rest.trim() }
}

function besidePeriod(text: string, word: string, hour: RegExp): RegExpExecArray | null {
  const at = text.indexOf(word)
  if (at < 0) return null
  const from = Math.max(0, at - 3)
  const before = /\d{1,2} ?$/.exec(text.slice(from, at))
  const end = at + word.length
  if (before === null && !/^ ?\d{1,2}(?!\d)/.test(text.slice(end, end + 4))) return null
  const start = before === null ? at : from + before.index
  const found = hour.exec(text.slice(start))
  if (found !== null) found.index += start
  return found
}

function readDay(text: string, words: DateWords, today: Date, orderOf: (numbers: string[]) => string[]) {
  const relative = words.relative.find(([phrase]) => indexOfWord(text, phrase) !== -1)
  if (relative !== undefined) {
    const rest = withoutWord(text, relative[0])
    return /\d/.test(rest) ? null : { fields: dayAfter(today, relative[1]), rest, isNamed: false }
  }
  const fields: DateFields = {}
  let rest = text
  for (const [name, sign] of [
    ['year', /(\d{1,4}) ?[年년]/],
    ['month', /(\d{1,4}) ?[月월]/],
    ['day', /(\d{1,4}) ?[日号號일]/],
  ] as const) {
    const found = sign.exec(rest)
    if (found === null) continue
    fields[name] = Number(found[1])
    rest = `${rest.slice(0, found.index)} ${rest.slice(found.index + found[0].length)}`
  }
  const months =
    fields.month === undefined ? words.months.filter(([word]) => indexOfMonth(rest, word) !== -1) : []
  // Short names of one language may be both, such as `mar` for Tuesday and March.
  const isWeekday = (name: string) => words.weekdays.some(([word]) => word === name)
  const month = months.find(([word]) => !isWeekday(word)) ?? months[0]
  if (month !== undefined) {
    fields.month = month[1]
    rest = withoutWord(rest, rest.includes(`ב${month[0]}`) ? `ב${month[0]}` : month[0])
  }
  const weekday = words.weekdays.find(([word]) => indexOfWord(rest, word) !== -1)
  if (weekday !== undefined) rest = withoutWord(rest, weekday[0])
  const numbers = rest.match(/\d+/g) ?? []
  const names = month === undefined && fields.month === undefined ? orderOf(numbers) : ['day', 'year']
  const left = names.filter((name) => fields[name as keyof DateFields] === undefined)
  if (numbers.length > left.length || numbers.some((number) => number.length > 4)) return null
  // The one with four digits is the year, wherever it stands.
  const yearAt = numbers.findIndex((number) => number.length >= 3)
  const given = yearAt === 0 && left.length === 3 ? ['year', 'month', 'day'] : left
  const inOrder = given.filter((name) => name !== 'year' || (yearAt === -1 && numbers.length === left.length))
  for (const [index, number] of numbers.entries()) {
    const name = index === yearAt ? 'year' : inOrder.shift()
    if (name !== undefined) fields[name as keyof DateFields] = fullNumber(name, number)
  }
  rest = rest.replace(/\d+/g, ' ')
  if (numbers.length === 0 && Object.keys(fields).length === 0 && weekday !== undefined) {
    return { fields: dayAfter(today, (weekday[1] - today.getUTCDay() + 7) % 7), rest, isNamed: false }
  }
  if (fields.month === undefined || fields.day === undefined) return null
  const swapped = fields.month > 12 && fields.day <= 12 && month === undefined
  if (swapped) [fields.month, fields.day] = [fields.day, fields.month]
  fields.year ??= nearestYear(today, fields.month, fields.day)
  return { fields, rest, isNamed: month !== undefined }
}

function fullNumber(name: string, number: string): number {
  const value = Number(number)
  if (name !== 'year' || number.length > 2) return value
  return value < 50 ? 2000 + value : 1900 + value
}

function dayAfter(today: Date, days: number): DateFields {
  const date = new Date(today.getTime() + days * 86_400_000)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** The year that puts the day nearest to today. */
function nearestYear(today: Date, month: number, day: number): number {
  const year = today.getUTCFullYear()
  const distance = (each: number) => Math.abs(Date.UTC(each, month - 1, day) - today.getTime())
  return [year, year + 1, year - 1].sort((a, b) => distance(a) - distance(b))[0] ?? year
}

/** Words of these scripts stand alone; East Asian ones do not. */
const alphabetic = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]/u

function indexOfWord(text: string, word: string): number {
  if (!alphabetic.test(word) && !/^\d/.test(word)) return text.indexOf(word)
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + word.length]]
    if (!/[\p{L}\p{N}]/u.test(before) && !/\p{L}/u.test(after)) return at
    // Letters of the day period stand beside the hour, as in `4pm`.
    if (/\d/.test(before) && !/[\p{L}\p{N}]/u.test(after)) return at
  }
  return -1
}

/** Hebrew writes its preposition and the month together. */
function indexOfMonth(text: string, word: string): number {
  const at = indexOfWord(text, word)
  return at === -1 && /^\p{Script=Hebrew}/u.test(word) ? indexOfWord(text, `ב${word}`) : at
}

function withoutWord(text: string, word: string): string {
  const at = indexOfWord(text, word)
  return at === -1 ? text : `${text.slice(0, at)} ${text.slice(at + word.length)}`.trim()
}

function isLiteral(rest: string, words: DateWords): boolean {
  const left = rest.match(/[\p{L}]+/gu) ?? []
  return left.every((word) => words.literals.has(word))
}
