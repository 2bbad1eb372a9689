/** Date and time inputs: free text in, the format of the block out. No time zone is involved: what is said is kept. */
import { UTCDate } from '@date-fns/utc'
import type { ParsedComponents } from 'chrono-node'
// Alone, since all its languages together take long to load.
import * as chrono from 'chrono-node/en'
import { format as formatDate } from 'date-fns/format'
import type { Block } from '../flow.ts'
import { at, filledText } from '../loose.ts'
import { log, type Run } from '../run.ts'
import { fill } from '../variables.ts'
import { invalid, type ReadReply, understood } from './reading.ts'

/** Parsers of free text take long over long texts, and so does the reader of patterns. */
const maximumLength = 100

/** Fields as they were said, kept as an instant in UTC so that they can be compared and formatted. */
interface Moment {
  date: UTCDate
  hasTime: boolean
}

export const readDate: ReadReply = async (run, block, { text }) => {
  const { isRange, hasTime, labels, min, max } = block.options
  const usual = hasTime === true ? 'dd/MM/yyyy HH:mm' : 'dd/MM/yyyy'
  const format = filledText(block.options.format) ?? usual
  const separator = (await fill(run, filledText(at(labels, 'separator')) ?? 'to')).trim() || 'to'
  const moments = isRange === true ? readRange(run, text, separator, format) : [readMoment(run, text, format)]
  const earliest = await readBound(run, min, format)
  const latest = await readBound(run, max, format)
  const written: string[] = []
  for (const moment of moments) {
    if (moment === null) return invalid
    const time = hasTime === true ? moment.date.getTime() : startOfDay(moment.date)
    if (earliest !== null && time < (hasTime === true ? earliest.date.getTime() : startOfDay(earliest.date)))
      return invalid
    if (latest !== null && time > lastInstant(latest)) return invalid
    written.push(write(run, block, new UTCDate(time), usual))
  }
  return understood(written.join(` ${separator} `))
}

export const readTime: ReadReply = (run, block, { text }) => {
  const moment = readMoment(run, text, 'HH:mm')
  return moment?.hasTime ? understood(write(run, block, moment.date, 'HH:mm')) : invalid
}

/**
 * In the format of the block, a pattern as Unicode TR 35 has it with date-fns' additions (`do`, `PPP`): `d` is the day
 * of the month, `D` of the year. A pattern that means nothing is logged, and the usual one stands in.
 */
function write(run: Run, block: Block, date: UTCDate, usual: string): string {
  const pattern = filledText(block.options.format) ?? usual
  try {
    return formatDate(date, pattern.slice(0, maximumLength), {
      useAdditionalDayOfYearTokens: true,
      useAdditionalWeekYearTokens: true,
    })
  } catch (error) {
    const details = error instanceof Error ? error.message : undefined
    log(run, 'error', `"${pattern}" is no format of a date`, { details, context: block.id, isInternal: true })
    return formatDate(date, usual)
  }
}

function readRange(run: Run, text: string, separator: string, format: string): (Moment | null)[] {
  const end = text.toLowerCase().indexOf(` ${separator.toLowerCase()} `)
  if (end === -1) {
    const [found] = parserFor(format).parse(text.slice(0, maximumLength), reference(run))
    return found?.end ? [momentOf(found.start), momentOf(found.end)] : [null]
  }
  const from = readMoment(run, text.slice(0, end), format)
  const to = readMoment(run, text.slice(end + separator.length + 2), format)
  return from !== null && to !== null && from.date > to.date ? [null] : [from, to]
}

function readMoment(run: Run, text: string, format: string): Moment | null {
  if (text.length > maximumLength) return null
  const iso = /^\s*(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(text)
  if (iso !== null) {
    const [year, month, day, hour, minute, second] = iso.slice(1).map((part) => Number(part ?? 0))
    return checkedMoment([year, month, day, hour, minute, second], iso[4] !== undefined)
  }
  const [found] = parserFor(format).parse(text, reference(run))
  return found === undefined ? null : momentOf(found.start)
}

async function readBound(run: Run, bound: unknown, format: string): Promise<Moment | null> {
  return typeof bound === 'string' ? readMoment(run, await fill(run, bound), format) : null
}

/** Where the format has the day before the month, 3/4 is the third of April. */
function parserFor(format: string): chrono.Chrono {
  const day = format.search(/d/)
  const month = format.search(/[ML]/)
  return day !== -1 && month !== -1 && day < month ? chrono.GB : chrono.casual
}

function reference(run: Run): chrono.ParsingReference {
  return { instant: run.effects.now(), timezone: 0 }
}

function momentOf(found: ParsedComponents): Moment | null {
  const hasTime = found.isCertain('hour')
  const time = hasTime ? [found.get('hour'), found.get('minute'), found.get('second')] : [0, 0, 0]
  return checkedMoment([found.get('year'), found.get('month'), found.get('day'), ...time], hasTime)
}

/** `null` for a date that does not exist, such as 31 February. */
function checkedMoment(fields: (number | null | undefined)[], hasTime: boolean): Moment | null {
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
