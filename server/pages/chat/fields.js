import { element, filled, newId } from './dom.js'
import { formOf, sendButton } from './forms.js'
import { filledIn, texts } from './texts.js'
import { attachmentsOf, recorderOf } from './uploads.js'

/* Inputs that are typed in: text and its kin, date, time, rating, addresses of files. */

const kinds = {
  'text input': { type: 'text', placeholder: texts.text },
  'number input': { type: 'text', inputmode: 'decimal', placeholder: texts.number },
  'email input': {
    type: 'email',
    inputmode: 'email',
    autocomplete: 'email',
    placeholder: texts.email,
  },
  'url input': { type: 'url', inputmode: 'url', autocomplete: 'url', placeholder: texts.url },
  'phone number input': {
    type: 'tel',
    inputmode: 'tel',
    autocomplete: 'tel',
    placeholder: texts.phone,
  },
}

export function textField(input, naming, submit, chat) {
  const { options } = input
  const { placeholder, ...kind } = kinds[input.type] ?? kinds['text input']
  const isLong = input.type === 'text input' && options.isLong === true
  const unit = input.type === 'number input' ? unitOf(options) : undefined
  const hint = input.type === 'number input' ? boundsOf(options) : undefined
  const hintId = hint && newId('hint')
  const field = element(isLong ? 'textarea' : 'input', {
    ...naming,
    ...(isLong ? { rows: 3 } : kind),
    class: 'field',
    dir: 'auto',
    inputmode: filled(options.inputMode) ?? kind.inputmode,
    placeholder: filled(options.labels?.placeholder) ?? placeholder,
    'aria-describedby': hintId,
    maxlength: 262_144,
  })
  field.value = filled(input.prefilledValue) ?? ''
  const files = attachmentsOf(input, chat)
  const recorder = recorderOf(input, submit, chat)
  const form = formOf(
    [
      element('div', { class: 'field-row' }, field, unit && element('span', { class: 'unit' }, unit), [
        ...(recorder?.buttons ?? []),
        sendButton(options.labels?.button),
      ]),
      hint && element('p', { class: 'hint', id: hintId }, hint),
      files?.element,
      recorder?.status,
    ],
    () => {
      if (files?.isBusy()) return
      const attached = files?.uploaded() ?? []
      if (attached.length === 0) {
        return field.value.trim() === '' ? field.focus() : submit(field.value, field.value)
      }
      const names = attached.map(({ name }) => name).join(', ')
      const said = field.value.trim() === '' ? names : `${field.value}\n${names}`
      submit({ type: 'text', text: field.value, attachedFileUrls: attached.map(({ url }) => url) }, said)
    },
  )
  if (isLong) {
    field.setAttribute('aria-keyshortcuts', 'Control+Enter')
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
    })
  }
  return form
}

/** The sign of the currency or unit that a number is in. */
function unitOf({ style, currency, unit, locale }) {
  if (style !== 'currency' && style !== 'unit' && style !== 'percent') return undefined
  try {
    const format = new Intl.NumberFormat(filled(locale), { style, currency, unit, unitDisplay: 'short' })
    const sign = format.formatToParts(0).filter(({ type }) => /currency|unit|percentSign/.test(type))
    return sign.map(({ value }) => value).join('')
  } catch {
    return undefined
  }
}

function boundsOf({ min, max }) {
  if (min && max) return filledIn(texts.range, { min, max })
  return min ? filledIn(texts.atLeast, { min }) : max ? filledIn(texts.atMost, { max }) : undefined
}

export function dateField({ options, prefilledValue }, naming, submit) {
  const type = options.hasTime === true ? 'datetime-local' : 'date'
  const iso = /^\d{4}-\d{2}-\d{2}/
  const bound = (value) => (iso.test(value ?? '') ? value : undefined)
  const field = (attributes) =>
    element('input', {
      type,
      class: 'field',
      min: bound(options.min),
      max: bound(options.max),
      ...attributes,
    })
  const isRange = options.isRange === true
  const [from, to] = isRange ? [newId('date'), newId('date')] : []
  const first = field(isRange ? { id: from } : naming)
  if (iso.test(prefilledValue ?? '')) first.value = prefilledValue
  const second = isRange ? field({ id: to }) : undefined
  const rows = isRange
    ? element(
        'div',
        { class: 'date-range', role: 'group', ...naming },
        element('label', { for: from }, filled(options.labels?.from) ?? texts.from, first),
        element('label', { for: to }, filled(options.labels?.to) ?? texts.to, second),
      )
    : first
  return formOf([element('div', { class: 'field-row' }, rows, sendButton(options.labels?.button))], () => {
    const empty = [first, second].find((one) => one && one.value === '')
    if (empty) return empty.focus()
    const separator = filled(options.labels?.separator) ?? 'to'
    const text = second ? `${first.value} ${separator} ${second.value}` : first.value
    submit(text, text.replaceAll('T', ' '))
  })
}

export function timeField({ options }, naming, submit) {
  const field = element('input', { type: 'time', class: 'field', ...naming })
  return formOf([element('div', { class: 'field-row' }, field, sendButton(options.labels?.button))], () =>
    field.value === '' ? field.focus() : submit(field.value, field.value),
  )
}

/** One of a row of numbers or icons. With one-click submit they are buttons, otherwise radio buttons. */
export function ratingField({ options }, naming, submit) {
  const length = Math.min(Math.max(Number(options.length ?? 10), 1), 100)
  const areIcons = options.buttonType === 'Icons'
  // The contract does not bound it, and every step is an element.
  const start = areIcons ? 1 : Math.min(Math.max(Number(options.startsAt ?? 0), -100), length)
  const values = Array.from({ length: length - start + 1 }, (_, index) => start + index)
  const isOneClick = options.isOneClickSubmitEnabled === true
  const name = newId('rating')
  const scale = element(
    'div',
    {
      ...naming,
      role: isOneClick ? 'group' : 'radiogroup',
      class: `rating ${areIcons ? 'rating-icons' : 'rating-numbers'}`,
    },
    values.map((value) => {
      const face = areIcons ? iconOf(options.customIcon) : String(value)
      const label = areIcons ? filledIn(texts.rating, { value, length }) : undefined
      const send = () => submit(String(value), String(value))
      if (isOneClick)
        return element(
          'button',
          { type: 'button', class: 'rating-item', 'aria-label': label, onclick: send },
          face,
        )
      const radio = element('input', { type: 'radio', name, value, 'aria-label': label ?? String(value) })
      return element('label', { class: 'rating-item' }, radio, element('span', { 'aria-hidden': true }, face))
    }),
  )
  const { left, right } = options.labels ?? {}
  return formOf(
    [
      scale,
      (filled(left) || filled(right)) &&
        element(
          'div',
          { class: 'rating-labels' },
          element('span', {}, left ?? ''),
          element('span', {}, right ?? ''),
        ),
      !isOneClick && sendButton(options.labels?.button),
    ],
    () => {
      const chosen = scale.querySelector('input:checked')
      if (chosen) submit(chosen.value, chosen.value)
      else scale.querySelector('input')?.focus()
    },
  )
}

/** The star of the page, or the drawing of the bot: as a picture it cannot run code, whoever drew it. */
function iconOf(customIcon) {
  const svg = customIcon?.isEnabled === true ? filled(customIcon.svg) : undefined
  if (!svg) return element('span', { class: 'star' })
  return element('img', { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: '' })
}

/** Where the service has no place for files, they are named by where they lie. */
export function fileField({ options }, naming, submit) {
  const isMultiple = options.isMultipleAllowed === true
  const placeholder = isMultiple ? `https://… ${texts.onePerLine}` : 'https://…'
  const field = element(isMultiple ? 'textarea' : 'input', {
    ...naming,
    ...(isMultiple ? { rows: 3 } : { type: 'url' }),
    inputmode: 'url',
    dir: 'auto',
    class: 'field',
    placeholder,
    'aria-describedby': 'file-hint',
  })
  const skip = element(
    'button',
    { type: 'button', class: 'button button-quiet', onclick: () => submit(null, undefined) },
    filled(options.labels?.skip) ?? texts.skip,
  )
  return formOf(
    [
      element('div', { class: 'field-row' }, field, sendButton(options.labels?.button), [
        options.isRequired === false && skip,
      ]),
      element(
        'p',
        { class: 'hint', id: 'file-hint' },
        `${texts.noUploads} ${isMultiple ? texts.fileAddresses : texts.fileAddress}`,
      ),
    ],
    () => {
      const urls = field.value.split(/[\s,]+/).filter((url) => url !== '')
      if (urls.length === 0) return field.focus()
      submit({ type: 'text', text: urls.join(', '), attachedFileUrls: urls }, urls.join(', '))
    },
  )
}
