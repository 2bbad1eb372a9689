import { element, nonEmptyText } from './dom.js'
import { texts } from './texts.js'

/* The country of a phone number: visitors see which one is assumed, and can choose another. */

const { lang } = document.documentElement

/** `complete` puts the calling code before a number that has none. */
export function countryChoice({ defaultCountryCode }) {
  const assumed = [nonEmptyText(defaultCountryCode)?.toUpperCase(), regionOf(navigator.language)]
  const select = element('select', {
    class: 'country',
    'aria-label': texts.country,
    autocomplete: 'tel-country-code',
    hidden: true,
  })
  let codes = {}
  // Only chats with an input for phone numbers need the list; without it the service assumes the country of the bot.
  import('./calling-codes.js').then(({ callingCodes }) => {
    codes = callingCodes
    const country = assumed.find((one) => Object.hasOwn(codes, one ?? ''))
    select.append(...optionsOf(codes, country === undefined))
    select.value = country ?? ''
    select.hidden = false
  })
  return {
    element: select,
    complete(number) {
      const typed = number.trim()
      const code = codes[select.value]
      return code === undefined || /^(\+|00)/.test(typed) ? number : `+${code} ${typed}`
    },
  }
}

function optionsOf(codes, hasEmpty) {
  const names = new Intl.DisplayNames(lang, { type: 'region' })
  const countries = Object.entries(codes)
    .map(([country, code]) => ({ country, code, name: names.of(country) ?? country }))
    .sort((one, other) => one.name.localeCompare(other.name, lang))
    .map(({ country, code, name }) => element('option', { value: country }, `${name} +${code}`))
  return hasEmpty ? [element('option', { value: '' }, '+'), ...countries] : countries
}

function regionOf(language) {
  try {
    return new Intl.Locale(language).region
  } catch {
    return undefined
  }
}
