import { element, newId, nonEmptyText } from './dom.js'
import { formOf, sendButton } from './forms.js'
import { texts } from './texts.js'

/* Inputs of dates and times. */

const iso = /^\d{4}-\d{2}-\d{2}/

/** Parts of a pattern that can be read back, with their matches: each from a given position on. */
const tokens = {
  yyyy: /\d{4}/y,
  MM: /\d{2}/y,
  M: /\d{1,2}/y,
  dd: /\d{2}/y,
  d: /\d{1,2}/y,
  HH: /\d{2}/y,
  H: /\d{1,2}/y,
  hh: /\d{2}/y,
  h: /\d{1,2}/y,
  mm: /\d{2}/y,
  ss: /\d{2}/y,
  a: /[AaPp]\.?[Mm]\.?/y,
}

/** A date or time as fields of the browser have it, of a text in the pattern or in ISO 8601; undefined for others. */
export function readDateValue(text, pattern, type) {
  const found = iso.test(text) ? isoPartsOf(text) : partsIn(text, pattern)
  if (!found) return undefined
  const { yyyy, H, mm = '00' } = found
  const two = (part) => String(part).padStart(2, '0')
  const date = yyyy === undefined ? undefined : `${yyyy}-${two(found.M ?? 1)}-${two(found.d ?? 1)}`
  const time = H === undefined ? undefined : `${two(H)}:${mm}`
  if (type === 'time') return time
  return type === 'date' || !date ? date : `${date}T${time ?? '00:00'}`
}

function isoPartsOf(text) {
  const [, yyyy, M, d, H, mm] = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}))?/.exec(text)
  return { yyyy, M, d, H, mm }
}

function partsIn(text, pattern) {
  const given = text.trim()
  const found = {}
  let at = 0
  for (const [part] of pattern.matchAll(/([A-Za-z])\1*|[^A-Za-z]/g)) {
    let length = part.length
    if (/[A-Za-z]/.test(part)) {
      if (!Object.hasOwn(tokens, part)) return undefined
      tokens[part].lastIndex = at
      found[part] = tokens[part].exec(given)?.[0]
      if (found[part] === undefined) return undefined
      length = found[part].length
    } else if (given[at] !== part) return undefined
    at += length
  }
  if (at !== given.length) return undefined
  const hour = found.HH ?? found.H ?? halfDay(found.hh ?? found.h, found.a)
  return { yyyy: found.yyyy, M: found.MM ?? found.M, d: found.dd ?? found.d, H: hour, mm: found.mm }
}

function halfDay(hour, half = '') {
  if (hour === undefined) return undefined
  return (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0)
}

export function dateField({ options, prefilledValue }, naming, submit) {
  const hasTime = options.hasTime === true
  const type = hasTime ? 'datetime-local' : 'date'
  const pattern = nonEmptyText(options.format) ?? (hasTime ? 'dd/MM/yyyy HH:mm' : 'dd/MM/yyyy')
  const bound = (value) => (iso.test(value ?? '') ? value : undefined)
  // Browsers show dates in the order of their own language, the bot repeats them in its format.
  const hintId = newId('hint')
  const field = (attributes) =>
    element('input', {
      type,
      class: 'field',
      min: bound(options.min),
      max: bound(options.max),
      'aria-describedby': hintId,
      ...attributes,
    })
  const isRange = options.isRange === true
  const [from, to] = isRange ? [newId('date'), newId('date')] : []
  const first = field(isRange ? { id: from } : naming)
  const second = isRange ? field({ id: to }) : undefined
  // Stored with `to` where the bot names no word; visitors see a dash, which every language has.
  const ownWord = nonEmptyText(options.labels?.separator)
  const word = ownWord ?? '–'
  const prefilled = isRange ? (prefilledValue ?? '').split(` ${ownWord ?? 'to'} `) : [prefilledValue ?? '']
  for (const [index, one] of [first, second].entries()) {
    const value = prefilled[index] && readDateValue(prefilled[index], pattern, type)
    if (one && value) one.value = value
  }
  const rows = isRange
    ? element(
        'div',
        { class: 'date-range', role: 'group', ...naming },
        element('label', { for: from }, nonEmptyText(options.labels?.from) ?? texts.from, first),
        element('label', { for: to }, nonEmptyText(options.labels?.to) ?? texts.to, second),
      )
    : first
  const row = element(
    'div',
    { class: 'field-row' },
    rows,
    sendButton(options.labels?.button, { isCompact: true }),
  )
  const hint = element('p', { class: 'hint', id: hintId, dir: 'ltr' }, pattern)
  return formOf([row, hint], () => {
    const empty = [first, second].find((one) => one && one.value === '')
    if (empty) return empty.focus()
    const text = second ? `${first.value} ${word} ${second.value}` : first.value
    const reword = second && !ownWord ? (read) => read.replace(' to ', ' – ') : undefined
    submit(text, text.replaceAll('T', ' '), { reword })
  })
}

export function timeField({ options, prefilledValue }, naming, submit) {
  const field = element('input', { type: 'time', class: 'field', ...naming })
  field.value = readDateValue(prefilledValue ?? '', nonEmptyText(options.format) ?? 'HH:mm', 'time') ?? ''
  const send = sendButton(options.labels?.button, { isCompact: true })
  return formOf([element('div', { class: 'field-row' }, field, send)], () =>
    field.value === '' ? field.focus() : submit(field.value, field.value),
  )
}
