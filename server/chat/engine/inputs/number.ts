/** Number and rating inputs. */

import { filledText, type JsonObject } from '../../../json/access.ts'
import type { Execution } from '../execution.ts'
import { readLanguage } from '../language.ts'
import { fillNumber } from '../variables.ts'
import { formOf, type NumberForm, readDecimal } from './number-text.ts'
import { invalidReading, type ReadReply, toReading } from './reading.ts'

/** A number of more digits stays as it was typed, because it would be rounded. */
const MAX_EXACT_DIGITS = 15

/**
 * The number that the text begins with, as the locale of the input writes it, whatever follows ("24 years"). It is
 * stored as a plain decimal number. Numbers with leading zeros stay as they are.
 */
export const readNumber: ReadReply = async (run, block, { text }) => {
  const number = readDecimal(text, formOfInput(run, block.options))
  if (number === null || !(await isWithin(run, block.options, number))) return invalidReading
  const isExact = number.replace(/\D/g, '').length <= MAX_EXACT_DIGITS
  return toReading(isExact && !number.startsWith('0') ? String(Number(number)) : number)
}

/** Any whole step of the scale, from its start to its length. */
export const readRating: ReadReply = async (run, block, { text }) => {
  const number = readDecimal(text, null)
  const isAlone = number !== null && /^[+-]?[\p{Nd}.,٫]+$/u.test(text.trim())
  const max = (await fillNumber(run, block.options.length)) ?? 10
  // A row of icons has no zeroth one.
  const first = block.options.buttonType === 'Icons' ? 1 : await fillNumber(run, block.options.startsAt)
  const min = Math.min(first ?? 0, max)
  if (!isAlone || !(await isWithin(run, { min, max, step: 1 }, number))) return invalidReading
  return toReading(String(Number(number)))
}

function formOfInput(run: Execution, { locale, style, currency, unit }: JsonObject): NumberForm | null {
  const language = filledText(locale) ?? readLanguage(run)
  if (language === undefined) return formOf('en', { style, currency, unit }, false)
  return formOf(language, { style, currency, unit }, true) ?? formOf('en', {}, false)
}

/** Bounds hold exactly, 0 too. Steps count from the smallest number, else from 0, as in HTML. */
async function isWithin(run: Execution, bounds: JsonObject, number: string): Promise<boolean> {
  const [min, max, step] = [
    await fillNumber(run, bounds.min),
    await fillNumber(run, bounds.max),
    await fillNumber(run, bounds.step),
  ]
  const all = [number, min ?? 0, max ?? 0, step ?? 0].map((value) => toParts(String(value)))
  const scale = Math.max(...all.map((parts) => parts.scale))
  const [value = 0n, least = 0n, most = 0n, distance = 0n] = all.map(
    (parts) => parts.digits * 10n ** BigInt(scale - parts.scale),
  )
  if ((min !== undefined && value < least) || (max !== undefined && value > most)) return false
  return distance <= 0n || (value - least) % distance === 0n
}

/** A decimal number as digits and the number of decimal places. */
function toParts(number: string): { digits: bigint; scale: number } {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${whole.replace(/\D/g, '')}${fraction}`) * (whole.startsWith('-') ? -1n : 1n)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}
