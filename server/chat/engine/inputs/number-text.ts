/** Numbers as people write them: signs, digits and grouping of a locale, with a currency or a unit around them. */
import { LRUCache } from 'lru-cache'

/** The signs that a locale writes numbers with. */
export interface NumberForm {
  /** Undefined where the locale is not known: then a single comma or point is the decimal sign. */
  group: string | undefined
  decimal: string
  /** Names and signs of the currency or unit that may stand before a number. */
  affixes: string[]
}

const MAX_NUMBER_CHARACTERS = 100
/** Some 500 bytes each. */
const MAX_FORMS = 500

const forms = new LRUCache<string, NumberForm>({ max: MAX_FORMS })

/** Null for an invalid locale. Names that are no currency or unit have no signs. */
export function formOf(
  locale: string,
  { style, currency, unit }: { style?: unknown; currency?: unknown; unit?: unknown },
  isLocaleKnown: boolean,
): NumberForm | null {
  if (locale.length > MAX_NUMBER_CHARACTERS || [currency, unit].some((each) => String(each).length > 50)) {
    return null
  }
  const key = JSON.stringify([locale, style, currency, unit, isLocaleKnown])
  const known = forms.get(key)
  if (known !== undefined) return known
  try {
    const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(-1234567.5)
    const partOf = (type: string) => parts.find((part) => part.type === type)?.value
    const form = {
      group: isLocaleKnown ? plainSigns(partOf('group') ?? ',') : undefined,
      decimal: partOf('decimal') ?? '.',
      affixes: affixesOf(locale, style, currency, unit),
    }
    forms.set(key, form)
    return form
  } catch {
    return null
  }
}

function affixesOf(locale: string, style: unknown, currency: unknown, unit: unknown): string[] {
  const options: Intl.NumberFormatOptions[] = []
  if (style === 'currency' && typeof currency === 'string') {
    for (const currencyDisplay of ['symbol', 'narrowSymbol', 'code', 'name'] as const) {
      options.push({ style, currency, currencyDisplay })
    }
  }
  if (style === 'unit' && typeof unit === 'string') {
    for (const unitDisplay of ['short', 'narrow', 'long'] as const) options.push({ style, unit, unitDisplay })
  }
  const affixes = new Set(['%'])
  for (const option of options) {
    try {
      const format = new Intl.NumberFormat(locale, option)
      for (const number of [1, 2, 5]) {
        for (const { type, value } of format.formatToParts(number)) {
          if (type === 'currency' || type === 'unit') affixes.add(plainSigns(value).trim().toLowerCase())
        }
      }
    } catch {
      // Not a currency or unit that is known.
    }
  }
  affixes.delete('')
  return [...affixes].sort((a, b) => b.length - a.length)
}

/** The number that the text begins with, as a plain decimal number, or null. */
export function readDecimal(text: string, form: NumberForm | null): string | null {
  const { sign, rest } = withoutPrefix(plainSigns(text.slice(0, MAX_NUMBER_CHARACTERS * 10)).trim(), form)
  const [body = ''] = /^[.,٫]?\d+(?:[.,٫٬'\s]\s*\d+)*/.exec(rest) ?? []
  const behind = rest.slice(body.length)
  if (body === '' || body.length > MAX_NUMBER_CHARACTERS || /^[.,٫٬'\s]+\d/.test(behind)) return null
  const isHexadecimal = body.endsWith('0') && /^x/i.test(behind)
  const compact = body.replace(/\s/g, '')
  const plain = (form && inLocale(compact, form)) ?? inAnyLocale(compact)
  const [exponent = ''] = /^e[+-]?\d{1,3}(?![\p{L}\d])/iu.exec(behind) ?? []
  if (plain === null || isHexadecimal || !Number.isFinite(Number(plain + exponent))) return null
  return `${sign}${plain}${exponent}`
}

/** Takes the sign and the currency or unit before a number away. Other words before it make it no number. */
function withoutPrefix(text: string, form: NumberForm | null): { sign: '' | '-'; rest: string } {
  let rest = text
  let sign: '' | '-' = ''
  for (let round = 0; round < 4; round += 1) {
    rest = rest.trimStart()
    const lower = rest.toLowerCase()
    const affix = form?.affixes.find((each) => lower.startsWith(each))
    const [currency] = /^\p{L}{0,3}\p{Sc}/u.exec(rest) ?? []
    if (/^[+-]/.test(rest)) {
      if (rest.startsWith('-')) sign = '-'
      rest = rest.slice(1)
    } else rest = rest.slice((affix ?? currency ?? '').length)
  }
  return { sign, rest }
}

/** As the locale groups, else as a plain number. Null for any other text. */
function inLocale(number: string, { group, decimal }: NumberForm): string | null {
  if (group === undefined) return null
  const [whole = '', fraction = '0', ...more] = number.split(decimal)
  const [first = '', ...groups] = whole.split(group)
  const isWhole = more.length === 0 && /^\d+$/.test(fraction)
  const isGrouped =
    /^[1-9]\d{0,2}$/.test(first) &&
    groups.every((digits) => /^\d{2,3}$/.test(digits)) &&
    groups.at(-1)?.length === 3
  if (isWhole && isGrouped) return number.replaceAll(group, '').replace(decimal, '.')
  if (isWhole && /^\d*$/.test(whole)) return number.replace(decimal, '.')
  return /^\d*\.\d+$/.test(number) ? number : null
}

/** With two signs the last is the decimal sign; one sign alone is, unless it stands there twice. */
function inAnyLocale(number: string): string | null {
  const signs = number.match(/\D/g) ?? []
  const last = signs.at(-1)
  if (last === undefined) return number
  const isDecimal = /[.,٫]/.test(last) && number.indexOf(last) === number.lastIndexOf(last)
  const [whole = '', fraction] = isDecimal ? number.split(last) : [number]
  const groups = new Set(isDecimal ? signs.slice(0, -1) : signs)
  if (groups.size > 1) return null
  if (groups.size === 1 && !/^[1-9]\d{0,2}(?:\D\d{2,3})*\D\d{3}$/.test(whole)) return null
  return whole.replace(/\D/g, '') + (fraction === undefined ? '' : `.${fraction}`)
}

/** With ASCII digits, signs and blanks, and without marks of the writing direction. */
export function plainSigns(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) - 0xfee0))
    .replace(/[\u2010-\u2015\u2212\ufe63]/g, '-')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/\u066a/g, '%')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/\p{Nd}/gu, (digit) => String(digitOf(digit)))
}

/** Ten digits of a script follow each other, from a code point that ends in 0 or 6 on; those of mathematics do not. */
function digitOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10
  const start = code & ~0xf
  return /\p{Nd}/u.test(String.fromCodePoint(start)) ? code - start : code - start - 6
}
