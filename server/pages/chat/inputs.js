import { cards, choice, pictureChoice } from './choices.js'
import { dateField, timeField } from './dates.js'
import { fileField, textField } from './fields.js'
import { paymentField } from './payments.js'
import { ratingField } from './ratings.js'
import { texts } from './texts.js'
import { uploadField } from './uploads.js'

/*
 * Forms for the replies of the visitor. Every builder makes one form for an input block, and calls `submit` with the
 * message for the service and the text to show. The service decides if a reply is valid.
 */

const builders = {
  'text input': textField,
  'number input': textField,
  'email input': textField,
  'url input': textField,
  'phone number input': textField,
  'date input': dateField,
  'time input': timeField,
  'rating input': ratingField,
  'payment input': (input, ...rest) => (input.payment ? paymentField : textField)(input, ...rest),
  'file input': (input, ...rest) => (input.upload ? uploadField : fileField)(input, ...rest),
  'choice input': choice,
  'picture choice input': pictureChoice,
  cards,
}

/**
 * The form of an input. `question` is the id of the bubble with the question, by which the fields are named; `chat`
 * offers `signal`, which ends with the form, `texts` and `upload`.
 */
export function inputForm(input, question, submit, chat) {
  const build = builders[input.type] ?? textField
  const given = { ...input, options: input.options ?? {}, items: input.items ?? [] }
  const naming = question ? { 'aria-labelledby': question } : { 'aria-label': texts.yourAnswer }
  const form = build(given, naming, submit, chat)
  form.noValidate = true
  form.classList.add('input-form')
  return form
}
