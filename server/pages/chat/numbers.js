import { nonEmptyText } from './dom.js'
import { filledIn, texts } from './texts.js'

/* Numbers as the options of a number input have them: in a locale, with the sign of a currency or unit. */

const plain = /^-?\d+(\.\d+)?$/

function formatOf({ locale }, options) {
  try {
    return new Intl.NumberFormat(nonEmptyText(locale)?.replace('_', '-'), {
      maximumFractionDigits: 20,
      ...options,
    })
  } catch {
    return undefined
  }
}

/** The sign of the currency or unit that a number is in. */
export function unitOf(options) {
  const { style, currency, unit } = options
  if (style !== 'currency' && style !== 'unit' && style !== 'percent') return undefined
  const parts = formatOf(options, { style, currency, unit, unitDisplay: 'short' })?.formatToParts(0) ?? []
  const sign = parts.filter(({ type }) => /currency|unit|percentSign/.test(type))
  return sign.map(({ value }) => value).join('')
}

/** A plain number as it is typed in the locale, or the text where it is none. */
export function typedNumber(text, options) {
  if (!plain.test(text) || !nonEmptyText(options.locale)) return text
  return formatOf(options, { useGrouping: false })?.format(text) ?? text
}

/** A plain number as it is shown to the visitor who gave it. */
export function shownNumber(text, options) {
  if (!plain.test(text) || !nonEmptyText(options.locale)) return text
  return formatOf(options, {})?.format(text) ?? text
}

const isGiven = (bound) => bound !== undefined && bound !== null && bound !== ''

export function boundsOf(options) {
  const [min, max] = [options.min, options.max].map((bound) =>
    isGiven(bound) ? typedNumber(String(bound), options) : undefined,
  )
  if (min !== undefined && max !== undefined) return filledIn(texts.range, { min, max })
  if (min !== undefined) return filledIn(texts.atLeast, { min })
  return max === undefined ? undefined : filledIn(texts.atMost, { max })
}
