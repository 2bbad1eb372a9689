/** E-mail, phone and URL inputs. */
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'
import { at } from '../loose.ts'
import { invalid, type ReadReply, understood } from './reading.ts'

export const readEmail: ReadReply = (_run, _block, { text }) => {
  const address = text.trim().toLowerCase()
  return isEmailAddress(address) ? understood(address) : invalid
}

/** The international form. Numbers without a country code belong to the default country. */
export const readPhone: ReadReply = (_run, block, { text }) => {
  const country = at(block.options, 'defaultCountryCode')
  const defaultCountry = typeof country === 'string' ? country.toUpperCase() : ''
  const number = parsePhoneNumberFromString(text.slice(0, 100), {
    ...(isSupportedCountry(defaultCountry) ? { defaultCountry: defaultCountry as CountryCode } : {}),
    extract: false,
  })
  return number?.isValid() ? understood(number.number) : invalid
}

/** A web address with or without its protocol, as it was typed. */
export const readUrl: ReadReply = (_run, _block, { text }) => {
  const typed = text.trim()
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`
  if (typed === '' || /\s/.test(typed) || typed.length > 2_048 || !URL.canParse(full)) return invalid
  const { protocol, hostname } = new URL(full)
  const isWeb = protocol === 'http:' || protocol === 'https:'
  const isHost = /^(\d{1,3}\.){3}\d{1,3}$/.test(hostname) || /\.[a-z\d-]{2,}$/.test(hostname)
  return isWeb && isHost && !hostname.includes('..') ? understood(typed) : invalid
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
