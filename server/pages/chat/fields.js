import { element, newId, nonEmptyText } from './dom.js'
import { formOf, sendButton } from './forms.js'
import { boundsOf, shownNumber, typedNumber, unitOf } from './numbers.js'
import { countryChoice } from './phone.js'
import { recorderOf } from './recorder.js'
import { texts } from './texts.js'
import { attachmentsOf } from './uploads.js'

/* Inputs that are typed in: text and its kin, addresses of files. */

const kinds = {
  'text input': { type: 'text', placeholder: texts.text },
  'number input': { type: 'text', inputmode: 'decimal', placeholder: texts.number },
  'email input': {
    // Chromium rewrites domains with other letters in fields of the type `email`.
    type: 'text',
    inputmode: 'email',
    autocapitalize: 'off',
    spellcheck: 'false',
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
  const isNumber = input.type === 'number input'
  const unit = isNumber ? unitOf(options) : undefined
  const hint = isNumber ? boundsOf(options) : undefined
  // The decimal keyboard of iPhones has no minus.
  const inputmode = isNumber && Number(options.min) < 0 ? 'text' : kind.inputmode
  const hintId = hint && newId('hint')
  const field = element(isLong ? 'textarea' : 'input', {
    ...naming,
    ...(isLong ? { rows: 3 } : kind),
    class: 'field text-field',
    dir: 'auto',
    inputmode: nonEmptyText(options.inputMode) ?? inputmode,
    placeholder: nonEmptyText(options.labels?.placeholder) ?? placeholder,
    'aria-describedby': hintId,
    maxlength: 200_000,
  })
  const prefilled = nonEmptyText(input.prefilledValue) ?? ''
  field.value = isNumber ? typedNumber(prefilled, options) : prefilled
  const country = input.type === 'phone number input' ? countryChoice(options) : undefined
  const files = attachmentsOf(input, chat)
  const recorder = recorderOf(input, submit, chat)
  const form = formOf(
    [
      element(
        'div',
        { class: files || recorder ? 'field-row tools' : 'field-row' },
        country?.element,
        field,
        [
          unit && element('span', { class: 'unit' }, unit),
          files?.button,
          ...(recorder?.buttons ?? []),
          sendButton(options.labels?.button, { isCompact: true }),
        ],
      ),
      hint && element('p', { class: 'hint', id: hintId }, hint),
      files?.element,
      recorder?.status,
    ],
    () => {
      if (files?.isBusy()) return files.focusFailed()
      const attached = files?.uploaded() ?? []
      if (attached.length === 0) {
        if (field.value.trim() === '' && recorder?.isActive()) return recorder.finish()
        if (field.value.trim() === '') return field.focus()
        const typed = country ? country.complete(field.value) : field.value
        return submit(typed, typed, { reword: isNumber ? (text) => shownNumber(text, options) : undefined })
      }
      const names = attached.map(({ name }) => name).join(', ')
      const textWithNames = field.value.trim() === '' ? names : `${field.value}\n${names}`
      submit(
        { type: 'text', text: field.value, attachedFileUrls: attached.map(({ url }) => url) },
        textWithNames,
      )
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

/** A field for addresses of files, if the installation stores no uploads. */
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
    nonEmptyText(options.labels?.skip) ?? texts.skip,
  )
  return formOf(
    [
      element('div', { class: 'field-row' }, field, [
        options.isRequired === false && skip,
        sendButton(options.labels?.button, { isCompact: true }),
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
