/** E-mail, phone and URL inputs. */
import type { CountryCode } from 'libphonenumber-js'
import { valueAt } from '../../../json/access.ts'
import { waitFor } from '../execution.ts'
import { invalidReading, type ReadReply, toReading } from './reading.ts'

export const readEmail: ReadReply = (_run, _block, { text }) => {
  const address = text.trim().toLowerCase()
  return isEmailAddress(address) ? toReading(address) : invalidReading
}

/** Finding numbers takes longer than the text is long. */
const MAX_SENTENCE_CHARACTERS = 250

/**
 * The international form of the first number in the text. Numbers without a country code belong to the default
 * country.
 */
export const readPhone: ReadReply = async (run, block, { text }) => {
  // Loaded for the first such input: it is every sixth module of the service.
  const { findPhoneNumbersInText, isSupportedCountry } = await waitFor(run, import('libphonenumber-js'))
  const country = valueAt(block.options, 'defaultCountryCode')
  const defaultCountry = typeof country === 'string' ? country.toUpperCase() : ''
  const [found] = findPhoneNumbersInText(
    text.slice(0, MAX_SENTENCE_CHARACTERS),
    isSupportedCountry(defaultCountry) ? (defaultCountry as CountryCode) : undefined,
  )
  return found === undefined ? invalidReading : toReading(found.number.number)
}

/** A web address with or without its protocol, as it was typed. `mailto:` and the like are addresses of no page. */
export const readUrl: ReadReply = (_run, _block, { text }) => {
  const typed = text.trim()
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`
  const isOtherScheme = /^[a-z][a-z\d+-]*:(?!\/\/)/i.test(typed)
  if (typed === '' || typed.length > 2_048 || /\s/.test(typed) || isOtherScheme || !URL.canParse(full)) {
    return invalidReading
  }
  const { protocol, hostname } = new URL(full)
  const isWeb = protocol === 'http:' || protocol === 'https:'
  // URL reads `13/06` as the machine 0.0.0.13.
  const isMachine = /^(\d{1,3}\.){3}\d{1,3}$/.test(hostname) && typed.includes(hostname)
  const isHost = isMachine || /\.(?!\d+$)[a-z\d-]{2,}$/.test(hostname)
  return isWeb && isHost && !hostname.includes('..') ? toReading(typed) : invalidReading
}

/** The usual form of an address: no quoted names, no comments, a domain with a dot. */
export function isEmailAddress(address: string): boolean {
  const at = address.lastIndexOf('@')
  const name = address.slice(0, at)
  const domain = address.slice(at + 1)
  if (at < 1 || address.length > 254 || name.length > 64 || domain.length > 253) return false
  const isName = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]+$/u.test(name) && !/^\.|\.\.|\.$/.test(name)
  const labels = domain.split('.')
  const areLabels = labels.every((label) => /^[\p{L}\p{N}-]{1,63}$/u.test(label) && !/^-|-$/.test(label))
  return isName && areLabels && labels.length > 1 && /^[\p{L}]{2,}$|^xn--/u.test(labels.at(-1) ?? '')
}
