import { z } from '../../kit/zod.ts'
import {
  component,
  flag,
  name,
  number,
  numberOrText,
  oneOf,
  phrase,
  picture,
  prose,
  reference,
  textList,
  variableReference,
} from '../fields.ts'
import { limits } from '../limits.ts'
import { quickText } from '../quick.ts'
import { block } from './block.ts'
import { numberUnits } from './number-units.ts'

/** Questions with one free answer. Questions that offer items are in choices.ts. */

const fileVisibility = z.enum(['Auto', 'Public', 'Private']).meta({
  id: 'FileVisibility',
  description:
    'Who may open an uploaded file: Public everybody with the address, Private members only, Auto as the installation decides. Default Auto.',
})

export const answerVariable = variableReference('that takes the answer').optional()

const inputLabels = component('InputLabels', 'Texts that an input shows.', {
  placeholder: phrase('Text in the empty field.', 'Type your answer...').optional(),
  button: phrase('Text of the button that sends the answer. Default Send.', 'Send').optional(),
})

const retryMessage = prose(
  'Sent after an answer that is not valid.',
  'This does not look right. Can you check it?',
).optional()

const textInput = block('TextInput', 'text input', 'Asks for a line or more of free text.', {
  options: component('TextInputOptions', 'How the text is asked for.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    isLong: flag('Whether the field has several lines. Default false.').optional(),
    inputMode: oneOf(
      ['text', 'decimal', 'numeric', 'tel', 'search', 'email', 'url'],
      'Which on-screen keyboard a touch device shows.',
    ).optional(),
    audioClip: component('AudioClipOptions', 'Answers by recording a sound.', {
      isEnabled: flag('Whether recording is offered. Default false.').optional(),
      saveVariableId: variableReference('that takes the address of the recording', 'varRecording').optional(),
      visibility: fileVisibility.optional(),
    }).optional(),
    attachments: component('AttachmentOptions', 'Files sent along with the text.', {
      isEnabled: flag('Whether files may be attached. Default false.').optional(),
      saveVariableId: variableReference('that takes the addresses of the files', 'varFiles').optional(),
      visibility: fileVisibility.optional(),
    }).optional(),
  }).optional(),
})

const numberInput = block('NumberInput', 'number input', 'Asks for a number within bounds.', {
  options: component('NumberInputOptions', 'Which numbers are accepted and how they are shown.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    min: numberOrText('Smallest accepted number; 0 is a bound too.', 0).optional(),
    max: numberOrText('Largest accepted number.', 120).optional(),
    step: numberOrText('Distance between accepted numbers, counted from min, else from 0.', 1).optional(),
    locale: name(
      'Language tag that numbers are read and shown in, of the form xx or xx-YY. Default: the language of the bot. The stored value is a plain number.',
      'en-GB',
    ).optional(),
    style: oneOf(
      ['decimal', 'currency', 'percent', 'unit'],
      'What the number stands for. Default decimal.',
    ).optional(),
    currency: name('ISO 4217 code, used with style currency.', 'EUR').optional(),
    unit: oneOf(numberUnits, 'Unit of measure, used with style unit.').optional(),
  }).optional(),
})

const emailInput = block('EmailInput', 'email input', 'Asks for an e-mail address.', {
  options: component('EmailInputOptions', 'How the address is asked for.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    retryMessageContent: retryMessage,
  }).optional(),
})

const urlInput = block('UrlInput', 'url input', 'Asks for a web address.', {
  options: component('UrlInputOptions', 'How the address is asked for.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    retryMessageContent: retryMessage,
  }).optional(),
})

const phoneNumberInput = block('PhoneNumberInput', 'phone number input', 'Asks for a phone number.', {
  options: component('PhoneNumberInputOptions', 'How the number is asked for.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    retryMessageContent: retryMessage,
    defaultCountryCode: name('ISO 3166 alpha-2 code of the country chosen at first.', 'FR').optional(),
  }).optional(),
})

const dateInput = block('DateInput', 'date input', 'Asks for a date or a range of dates.', {
  options: component('DateInputOptions', 'Which dates are accepted and how they are written.', {
    variableId: answerVariable,
    labels: component('DateInputLabels', 'Texts of a date input.', {
      button: phrase('Text of the button that sends the answer. Default Send.', 'Send').optional(),
      from: phrase('Label of the first date of a range.', 'From:').optional(),
      to: phrase('Label of the last date of a range.', 'To:').optional(),
      separator: phrase(
        'Word between the two dates in the answer; visitors see a dash in place of the default. Default to.',
        'to',
      ).optional(),
    }).optional(),
    hasTime: flag('Whether a time of day is asked too. Default false.').optional(),
    isRange: flag('Whether two dates are asked. Default false.').optional(),
    format: name(
      'Unicode date pattern (TR 35) of the answer. Default dd/MM/yyyy, with a time dd/MM/yyyy HH:mm.',
      'dd/MM/yyyy',
    ).optional(),
    min: name('Earliest accepted date, or a placeholder.', '2026-01-01').optional(),
    max: name('Latest accepted date, or a placeholder.', '2026-12-31').optional(),
  }).optional(),
})

const timeInput = block('TimeInput', 'time input', 'Asks for a time of day.', {
  options: component('TimeInputOptions', 'How the time is asked for.', {
    variableId: answerVariable,
    labels: component('TimeInputLabels', 'Texts of a time input.', {
      button: phrase('Text of the button that sends the answer. Default Send.', 'Send').optional(),
    }).optional(),
    format: name('Unicode date pattern (TR 35) of the answer. Default HH:mm.', 'HH:mm').optional(),
  }).optional(),
})

const paymentAddress = component('PaymentAddress', 'Billing address of the payer.', {
  country: phrase('Country.', 'France').optional(),
  line1: phrase('First line.', '12 rue des Lilas').optional(),
  line2: phrase('Second line.', 'Building B').optional(),
  city: phrase('City.', 'Lyon').optional(),
  state: phrase('State or region.', 'Rhône').optional(),
  postalCode: phrase('Postal code.', '69003').optional(),
})

const paymentInput = block(
  'PaymentInput',
  'payment input',
  'Asks for a payment, on the page of the provider or in its form. The chat goes on once the service has read from the provider that the payment succeeded. Chats need credentials of type stripe; previews use test keys alone.',
  {
    options: component('PaymentInputOptions', 'What is paid and to whom.', {
      variableId: answerVariable,
      provider: oneOf(['Stripe'], 'Payment provider. Default Stripe.').optional(),
      labels: component('PaymentInputLabels', 'Texts of a payment input.', {
        button: phrase('Text of the button that leads to the payment. Default Pay.', 'Pay').optional(),
        success: phrase('The answer after the payment. Default Success.', 'Paid, thank you!').optional(),
      }).optional(),
      additionalInformation: component(
        'PaymentInformation',
        'Who pays for what; all texts may hold placeholders.',
        {
          description: prose('What is paid for.', 'Ticket {{Ticket}}').optional(),
          name: phrase('Name of the payer.', '{{Name}}').optional(),
          email: phrase('E-mail address of the payer.', '{{Email}}').optional(),
          phoneNumber: phrase('Phone number of the payer.', '{{Phone}}').optional(),
          address: paymentAddress.optional(),
        },
      ).optional(),
      credentialsId: reference('Id of the credentials of the provider.', 'crdStripe').optional(),
      currency: name('ISO 4217 code. Default USD.', 'EUR').optional(),
      amount: name(
        'Amount in the currency, with a point before decimals; may hold placeholders.',
        '30.00',
      ).optional(),
      retryMessageContent: retryMessage,
    }).optional(),
  },
)

const ratingInput = block('RatingInput', 'rating input', 'Asks for a rating on a scale.', {
  options: component('RatingInputOptions', 'Which scale is shown.', {
    variableId: answerVariable,
    buttonType: oneOf(
      ['Icons', 'Numbers'],
      'What the steps of the scale look like. Default Numbers.',
    ).optional(),
    length: number(
      'Last step of the scale. Default 10. Only whole steps from the first to the last are accepted.',
      { min: 0, max: 1_000, example: 5 },
    ).optional(),
    startsAt: numberOrText('First step of the scale. Default 0.', 1).optional(),
    labels: component('RatingInputLabels', 'Texts of a rating input.', {
      left: phrase('Text at the low end.', 'Not at all').optional(),
      right: phrase('Text at the high end.', 'Very much').optional(),
      button: phrase('Text of the button that sends the answer. Default Send.', 'Send').optional(),
    }).optional(),
    customIcon: component('RatingIcon', 'An own icon for the steps.', {
      isEnabled: flag('Whether the own icon is used. Default false.').optional(),
      svg: picture(
        'The icon as SVG source.',
        '<svg viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></svg>',
      ).optional(),
    }).optional(),
    isOneClickSubmitEnabled: flag('Whether a click on a step sends the answer. Default false.').optional(),
  }).optional(),
})

const fileInputLabels = component('FileInputLabels', 'Texts of a file input.', {
  placeholder: prose('Text in the drop area.', 'Click to upload or drop files here').optional(),
  button: phrase('Text of the button that uploads.', 'Upload').optional(),
  clear: phrase('Text of the button that removes the chosen files.', 'Clear').optional(),
  skip: phrase('Text of the button that goes on without files.', 'Skip').optional(),
  success: component('FileInputSuccessLabels', 'Texts shown after an upload.', {
    single: phrase('Text after one file.', 'File uploaded').optional(),
    multiple: phrase('Text after several files.', '{total} files uploaded').optional(),
  }).optional(),
})

const allowedFileTypes = component('AllowedFileTypes', 'Restricts which files are accepted.', {
  isEnabled: flag('Whether the restriction holds. Default false.').optional(),
  types: textList(
    'Accepted extensions or MIME types.',
    ['.pdf', 'image/png'],
    quickText(limits.name),
  ).optional(),
})

const fileInputOptions = {
  variableId: answerVariable,
  isRequired: flag('Whether a file must be given. Default true.').optional(),
  isMultipleAllowed: flag('Whether several files may be given. Default false.').optional(),
  labels: fileInputLabels.optional(),
  allowedFileTypes: allowedFileTypes.optional(),
  capture: oneOf(
    ['environment', 'user'],
    'Which camera a phone opens: away from the visitor, or towards.',
  ).optional(),
  visibility: fileVisibility.optional(),
}

const fileInput = block('FileInput', 'file input', 'Asks for one file or several.', {
  options: component('FileInputOptions', 'Which files are accepted.', fileInputOptions).optional(),
})

const legacyFileInput = block('LegacyFileInput', 'file input', 'Asks for files, in versions 3, 4 and 5.', {
  options: component('LegacyFileInputOptions', 'Which files are accepted, with a size limit of its own.', {
    ...fileInputOptions,
    sizeLimit: number('Largest accepted file, in megabytes.', {
      min: 0,
      max: 1_000_000,
      example: 10,
    }).optional(),
  }).optional(),
})

export const inputs = [
  textInput,
  numberInput,
  emailInput,
  urlInput,
  phoneNumberInput,
  dateInput,
  timeInput,
  paymentInput,
  ratingInput,
] as const

export const fileInputs = { current: fileInput, legacy: legacyFileInput } as const
