import pg from 'pg'
import { toIso } from './iso-time.ts'

/*
 * Every row of a page has a timestamp. The parser of pg supports formats that rarely occur, and takes four times as
 * long.
 */

const { TIMESTAMPTZ } = pg.types.builtins

/** Has moments read fast that PostgreSQL writes in UTC, and all others as before. */
export function readTimestampsFast() {
  const readAny: (text: string) => Date | number | null = pg.types.getTypeParser(TIMESTAMPTZ)
  pg.types.setTypeParser(TIMESTAMPTZ, (text) => readInUtc(text) ?? readAny(text))
}

/** Converts a timestamp from the format of PostgreSQL to that of `toIso`. */
export function timestampToIso(text: string): string {
  if (!isPlain(text)) return toIso(pg.types.getTypeParser(TIMESTAMPTZ)(text))
  const end = text.length - 3
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, Math.min(end, 23)).padEnd(3, '0')}Z`
}

/** True if the format is `2026-11-22 13:40:20+00` or `2026-11-22 13:40:20.123456+00`. */
function isPlain(text: string): boolean {
  return text[4] === '-' && text[10] === ' ' && text.length >= 22 && text.length <= 29 && text.endsWith('+00')
}

/** Without its microseconds. */
function readInUtc(text: string): Date | undefined {
  // The years up to 99 are others in JavaScript.
  if (!isPlain(text) || text.startsWith('00')) return undefined
  const end = text.length - 3
  const millisecond = (digit(text, 20, end) * 10 + digit(text, 21, end)) * 10 + digit(text, 22, end)
  return new Date(
    Date.UTC(
      number(text, 0) * 100 + number(text, 2),
      number(text, 5) - 1,
      number(text, 8),
      number(text, 11),
      number(text, 14),
      number(text, 17),
      millisecond,
    ),
  )
}

const ZERO = 48

/** 0 where the text has none any more. */
function digit(text: string, at: number, end: number): number {
  return at < end ? text.charCodeAt(at) - ZERO : 0
}

/** Reads a number of two digits. */
function number(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO
}
