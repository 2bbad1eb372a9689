/**
 * Date and time inputs: free text in, the format of the block out. No time zone is involved: the answer stays as it was
 * given.
 */
import { UTCDate } from '@date-fns/utc'
import type { ParsedComponents } from 'chrono-node'
// Alone, since all its languages together take long to load.
import * as chrono from 'chrono-node/en'
import { format as formatDate } from 'date-fns/format'
import { isValid } from 'date-fns/isValid'
import { parse as parseWithFormat } from 'date-fns/parse'
import { filledText, valueAt } from '../../../json/access.ts'
import { usualDateFormat } from '../date-formats.ts'
import { type Execution, log } from '../execution.ts'
import type { Block } from '../flow-index.ts'
import { readingLanguage } from '../language.ts'
import { fill } from '../variables.ts'
import { type DateFields, readFields } from './date-text.ts'
import { invalidReading, type ReadReply, toReading } from './reading.ts'

/** Parsers of free text take long over long texts, and so does the reader of patterns. */
const MAX_DATE_CHARACTERS = 100

/** The format of an input; true if the block names it. */
interface Pattern {
  format: string
  isOwn: boolean
}

const additionalTokens = { useAdditionalDayOfYearTokens: true, useAdditionalWeekYearTokens: true }

/** Fields of an answer, as an instant in UTC so that they can be compared and formatted. */
interface Moment {
  date: UTCDate
  hasTime: boolean
}

export const readDate: ReadReply = async (run, block, { text }) => {
  const { isRange, hasTime, labels, min, max } = block.options
  const usual = usualDateFormat(hasTime)
  const format = filledText(block.options.format) ?? usual
  const ownWord = (await fill(run, filledText(valueAt(labels, 'separator')) ?? '')).trim()
  const separator = ownWord || 'to'
  const pattern: Pattern = { format, isOwn: filledText(block.options.format) !== undefined }
  const moments =
    isRange === true ? readRange(run, text, separator, pattern) : [readMoment(run, text, pattern)]
  const earliest = await readBound(run, min, pattern)
  const latest = await readBound(run, max, pattern)
  const written: string[] = []
  for (const moment of moments) {
    if (moment === null) return invalidReading
    const time = hasTime === true ? moment.date.getTime() : startOfDay(moment.date)
    if (earliest !== null && time < (hasTime === true ? earliest.date.getTime() : startOfDay(earliest.date)))
      return invalidReading
    if (latest !== null && time > lastInstant(latest)) return invalidReading
    written.push(write(run, block, new UTCDate(time), usual))
  }
  // Visitors see a dash, which every language has.
  const shown = written.length > 1 && !ownWord ? { shown: written.join(' – ') } : {}
  return { ...toReading(written.join(` ${separator} `)), ...shown }
}

export const readTime: ReadReply = (run, block, { text }) => {
  const moment = readMoment(run, text, { format: 'HH:mm', isOwn: false }, true)
  return moment?.hasTime ? toReading(write(run, block, moment.date, 'HH:mm')) : invalidReading
}

/**
 * In the format of the block, a pattern as Unicode TR 35 has it with date-fns' additions (`do`, `PPP`): `d` is the day
 * of the month, `D` of the year. A pattern that means nothing is logged, and the usual one stands in.
 */
function write(run: Execution, block: Block, date: UTCDate, usual: string): string {
  const pattern = filledText(block.options.format) ?? usual
  try {
    return formatDate(date, pattern.slice(0, MAX_DATE_CHARACTERS), additionalTokens)
  } catch (error) {
    const details = error instanceof Error ? error.message : undefined
    log(run, 'error', `"${pattern}" is no format of a date`, { details, context: block.id, isInternal: true })
    return formatDate(date, usual)
  }
}

function readRange(run: Execution, text: string, separator: string, pattern: Pattern): (Moment | null)[] {
  const words = [separator.toLowerCase(), '-', '–']
  const word = words.find((each) => text.toLowerCase().includes(` ${each} `))
  if (word === undefined) {
    const [found] = parserFor(pattern.format).parse(text.slice(0, MAX_DATE_CHARACTERS), reference(run))
    return found?.end ? [timeOf(found.start), timeOf(found.end)] : [null]
  }
  const end = text.toLowerCase().indexOf(` ${word} `)
  const from = readMoment(run, text.slice(0, end), pattern)
  const to = readMoment(run, text.slice(end + word.length + 2), pattern)
  return from !== null && to !== null && from.date > to.date ? [null] : [from, to]
}

/** As ISO, in the language of the chat, or in English. */
function readMoment(run: Execution, text: string, pattern: Pattern, isTime = false): Moment | null {
  if (text.length > MAX_DATE_CHARACTERS) return null
  const iso = /^\s*(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(text)
  if (iso !== null) {
    const [year, month, day, hour, minute, second] = iso.slice(1).map((part) => Number(part ?? 0))
    return checkTime([year, month, day, hour, minute, second], iso[4] !== undefined)
  }
  const language = readingLanguage(run) ?? 'en'
  const dateFields = readFields(text, language, run.effects.now(), orderOf(pattern.format), pattern.isOwn)
  const own =
    dateFields && (dateFields.isWhole || dateFields.isNamed)
      ? timeOfFields(run, dateFields.fields, isTime)
      : null
  // English is read best by its own parser, which takes whole sentences.
  if (own !== null && !language.startsWith('en')) return own
  const [found] = parserFor(pattern.format).parse(text, reference(run))
  return (found === undefined ? null : timeOf(found.start)) ?? own
}

function timeOfFields(run: Execution, fields: DateFields, isTime: boolean): Moment | null {
  const hasTime = fields.hour !== undefined
  if (fields.day === undefined && !(isTime && hasTime)) return null
  const today = run.effects.now()
  const { year = today.getUTCFullYear(), month = today.getUTCMonth() + 1, day = today.getUTCDate() } = fields
  const { hour = 0, minute = 0, second = 0 } = fields
  return checkTime([year, month, day, hour, minute, second], hasTime)
}

/** The order of a format's parts; undefined for a format without a day or month. */
function orderOf(format: string): string[] | undefined {
  const places = [
    ['day', format.search(/d/)],
    ['month', format.search(/[ML]/)],
    ['year', format.search(/[yu]/)],
  ] as const
  if (places[0][1] === -1 || places[1][1] === -1) return undefined
  const last = (place: number) => (place === -1 ? format.length : place)
  return [...places].sort((a, b) => last(a[1]) - last(b[1])).map(([name]) => name)
}

async function readBound(run: Execution, bound: unknown, pattern: Pattern): Promise<Moment | null> {
  return typeof bound === 'string' ? readMoment(run, await fill(run, bound), pattern) : null
}

/** If the format puts the day before the month, 3/4 is the third of April. */
function parserFor(format: string): chrono.Chrono {
  const day = format.search(/d/)
  const month = format.search(/[ML]/)
  return day !== -1 && month !== -1 && day < month ? chrono.GB : chrono.casual
}

function reference(run: Execution): chrono.ParsingReference {
  return { instant: run.effects.now(), timezone: 0 }
}

function timeOf(found: ParsedComponents): Moment | null {
  const hasTime = found.isCertain('hour')
  const time = hasTime ? [found.get('hour'), found.get('minute'), found.get('second')] : [0, 0, 0]
  return checkTime([found.get('year'), found.get('month'), found.get('day'), ...time], hasTime)
}

/** `null` for a date that does not exist, such as 31 February. */
function checkTime(fields: (number | null | undefined)[], hasTime: boolean): Moment | null {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = fields.map((field) => field ?? 0)
  const date = new UTCDate(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60
  return isReal ? { date, hasTime } : null
}

function startOfDay(date: Date): number {
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
}

/** A bound without a time includes its whole day. */
function lastInstant(bound: Moment): number {
  return bound.hasTime ? bound.date.getTime() : startOfDay(bound.date) + 86_399_999
}

type Side = string | (string | null)[]

/**
 * Two sides of a comparison as milliseconds. Null: neither is a date, or only numbers are. A side is read in the formats
 * of the inputs that write it, else as ISO, else in the formats of the other side, else in the language of the bot.
 */
export function compareDates(
  run: Execution,
  sides: [Side, Side],
  formats: string[][],
): [number, number] | 'no date' | null {
  const read = sides.map((side, index) =>
    typeof side === 'string' ? readSide(run, side, formats[index] ?? [], formats[1 - index] ?? []) : null,
  )
  const isDate = read.map((date, index) => date !== null || (formats[index]?.length ?? 0) > 0)
  if (!isDate.includes(true)) return null
  const numbers = sides.map((side) => (typeof side === 'string' ? numberOf(side) : side.length))
  const [left, right] = read
  // Instants with an offset are compared as such; values written by an input have none, so the time on the clock
  // counts.
  if (left && right) {
    const hasInstants = left.instant !== undefined && right.instant !== undefined
    return hasInstants ? [Number(left.instant), Number(right.instant)] : [left.clock, right.clock]
  }
  const values = read.map((date, index) => (date ? (date.instant ?? date.clock) : numbers[index]))
  const [a, b] = values
  return a === undefined || b === undefined ? 'no date' : [a, b]
}

function numberOf(side: string): number | undefined {
  const trimmed = side.trim()
  const number = Number(trimmed)
  return trimmed === '' || trimmed.startsWith('+') || Number.isNaN(number) ? undefined : number
}

interface ReadDate {
  clock: number
  /** Absent where the text has no offset. */
  instant?: number
}

function readSide(run: Execution, side: string, own: string[], other: string[]): ReadDate | null {
  const text = side.trim()
  if (text.length > MAX_DATE_CHARACTERS) return null
  const inFormat = (formats: string[]) => {
    for (const format of formats) {
      const date = parseByFormat(text, format)
      if (date !== null) return { clock: date.getTime() }
    }
    return null
  }
  const written = inFormat(own)
  if (written !== null) return written
  if (numberOf(text) !== undefined) return null
  return readIso(text) ?? inFormat(other) ?? readWhole(run, text)
}

/** Null for a text of another form, and for a format that means nothing. */
function parseByFormat(text: string, format: string): Date | null {
  try {
    const date = parseWithFormat(text, format.slice(0, MAX_DATE_CHARACTERS), new UTCDate(0), additionalTokens)
    return isValid(date) ? date : null
  } catch {
    return null
  }
}

function readIso(text: string): ReadDate | null {
  const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(
    text,
  )
  if (iso === null) return null
  const [, day, time = '00:00', offset] = iso
  const clock = Date.parse(`${day}T${time}Z`)
  if (Number.isNaN(clock) || new Date(clock).toISOString().slice(0, 10) !== day) return null
  return offset === undefined ? { clock } : { clock, instant: Date.parse(`${day}T${time}${offset}`) }
}

function readWhole(run: Execution, text: string): ReadDate | null {
  const language = readingLanguage(run) ?? 'en'
  const dateFields = readFields(text, language, run.effects.now(), undefined, false)
  const moment = dateFields?.isWhole ? timeOfFields(run, dateFields.fields, false) : null
  if (moment !== null) return { clock: moment.date.getTime() }
  // Other forms that the platform reads, such as those of e-mails.
  const date = /\d{4}/.test(text) && /[-/.:]|\p{L}{3}/u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : { clock: date, instant: date }
}
