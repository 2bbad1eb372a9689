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
    'Access to an uploaded file: Public for everybody with the address, Private for members only, Auto as the installation decides. Default Auto.',
})

export const answerVariable = variableReference('that stores the answer').optional()

const inputLabels = component('InputLabels', 'Texts that an input shows.', {
  placeholder: phrase('Text in the empty field.', 'Type your answer...').optional(),
  button: phrase('Text of the button that sends the answer. Default Send.', 'Send').optional(),
})

const retryMessage = prose(
  'Sent after an invalid answer.',
  'This does not look right. Can you check it?',
).optional()

const textInput = block('TextInput', 'text input', 'Asks for one or more lines of free text.', {
  options: component('TextInputOptions', 'Settings of a text input.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    isLong: flag('True if the field has several lines. Default false.').optional(),
    inputMode: oneOf(
      ['text', 'decimal', 'numeric', 'tel', 'search', 'email', 'url'],
      'On-screen keyboard of touch devices.',
    ).optional(),
    audioClip: component('AudioClipOptions', 'Lets visitors answer with a recording.', {
      isEnabled: flag('True if visitors can record. Default false.').optional(),
      saveVariableId: variableReference(
        'that stores the address of the recording',
        'varRecording',
      ).optional(),
      visibility: fileVisibility.optional(),
    }).optional(),
    attachments: component('AttachmentOptions', 'Lets visitors attach files to the text.', {
      isEnabled: flag('True if visitors can attach files. Default false.').optional(),
      saveVariableId: variableReference('that stores the addresses of the files', 'varFiles').optional(),
      visibility: fileVisibility.optional(),
    }).optional(),
  }).optional(),
})

const numberInput = block('NumberInput', 'number input', 'Asks for a number within bounds.', {
  options: component('NumberInputOptions', 'Accepted numbers and their format.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    min: numberOrText('Minimum of the number; 0 is a bound too.', 0).optional(),
    max: numberOrText('Maximum of the number.', 120).optional(),
    step: numberOrText('Distance between accepted numbers, counted from min, else from 0.', 1).optional(),
    locale: name(
      'Language tag for typed and displayed numbers, of the form xx or xx-YY. The stored value is a plain number. Default: the language of the bot.',
      'en-GB',
    ).optional(),
    style: oneOf(['decimal', 'currency', 'percent', 'unit'], 'Kind of number. Default decimal.').optional(),
    currency: name('ISO 4217 code, used with style currency.', 'EUR').optional(),
    unit: oneOf(numberUnits, 'Unit of measure, used with style unit.').optional(),
  }).optional(),
})

const emailInput = block('EmailInput', 'email input', 'Asks for an e-mail address.', {
  options: component('EmailInputOptions', 'Settings of an e-mail input.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    retryMessageContent: retryMessage,
  }).optional(),
})

const urlInput = block('UrlInput', 'url input', 'Asks for a web address.', {
  options: component('UrlInputOptions', 'Settings of a URL input.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    retryMessageContent: retryMessage,
  }).optional(),
})

const phoneNumberInput = block('PhoneNumberInput', 'phone number input', 'Asks for a phone number.', {
  options: component('PhoneNumberInputOptions', 'Settings of a phone number input.', {
    variableId: answerVariable,
    labels: inputLabels.optional(),
    retryMessageContent: retryMessage,
    defaultCountryCode: name('ISO 3166 alpha-2 code of the country selected at first.', 'FR').optional(),
  }).optional(),
})

const dateInput = block('DateInput', 'date input', 'Asks for a date or a range of dates.', {
  options: component('DateInputOptions', 'Accepted dates and their format.', {
    variableId: answerVariable,
    labels: component('DateInputLabels', 'Texts of a date input.', {
      button: phrase('Text of the button that sends the answer. Default Send.', 'Send').optional(),
      from: phrase('Label of the first date of a range.', 'From:').optional(),
      to: phrase('Label of the last date of a range.', 'To:').optional(),
      separator: phrase(
        'Word between the two dates in the answer. Visitors see a dash for the default. Default to.',
        'to',
      ).optional(),
    }).optional(),
    hasTime: flag('True if the input also asks for a time of day. Default false.').optional(),
    isRange: flag('True if the input asks for two dates. Default false.').optional(),
    format: name(
      'Unicode date pattern (TR 35) of the answer. Default dd/MM/yyyy, with a time dd/MM/yyyy HH:mm.',
      'dd/MM/yyyy',
    ).optional(),
    min: name('Earliest accepted date, or a placeholder.', '2026-01-01').optional(),
    max: name('Latest accepted date, or a placeholder.', '2026-12-31').optional(),
  }).optional(),
})

const timeInput = block('TimeInput', 'time input', 'Asks for a time of day.', {
  options: component('TimeInputOptions', 'Settings of a time input.', {
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
  'Asks for a payment, on the page of the provider or in its form. The chat continues once the service has read a successful payment from the provider. Chats need credentials of type stripe; previews use only test keys.',
  {
    options: component('PaymentInputOptions', 'Settings of a payment input.', {
      variableId: answerVariable,
      provider: oneOf(['Stripe'], 'Payment provider. Default Stripe.').optional(),
      labels: component('PaymentInputLabels', 'Texts of a payment input.', {
        button: phrase('Text of the button that leads to the payment. Default Pay.', 'Pay').optional(),
        success: phrase('The answer after the payment. Default Success.', 'Paid, thank you!').optional(),
      }).optional(),
      additionalInformation: component(
        'PaymentInformation',
        'Payer and purpose of the payment; all texts may hold placeholders.',
        {
          description: prose('Purpose of the payment.', 'Ticket {{Ticket}}').optional(),
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
  options: component('RatingInputOptions', 'Scale of a rating input.', {
    variableId: answerVariable,
    buttonType: oneOf(['Icons', 'Numbers'], 'Display of the steps of the scale. Default Numbers.').optional(),
    length: number(
      'Last step of the scale. Answers must be whole steps from the first to the last. Default 10.',
      { min: 0, max: 1_000, example: 5 },
    ).optional(),
    startsAt: numberOrText('First step of the scale. Default 0.', 1).optional(),
    labels: component('RatingInputLabels', 'Texts of a rating input.', {
      left: phrase('Text at the low end.', 'Not at all').optional(),
      right: phrase('Text at the high end.', 'Very much').optional(),
      button: phrase('Text of the button that sends the answer. Default Send.', 'Send').optional(),
    }).optional(),
    customIcon: component('RatingIcon', 'Custom icon of the steps.', {
      isEnabled: flag('True if the steps show the custom icon. Default false.').optional(),
      svg: picture(
        'The icon as SVG source.',
        '<svg viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></svg>',
      ).optional(),
    }).optional(),
    isOneClickSubmitEnabled: flag('True if a click on a step sends the answer. Default false.').optional(),
  }).optional(),
})

const fileInputLabels = component('FileInputLabels', 'Texts of a file input.', {
  placeholder: prose('Text in the drop area.', 'Click to upload or drop files here').optional(),
  button: phrase('Text of the button that uploads.', 'Upload').optional(),
  clear: phrase('Text of the button that removes the chosen files.', 'Clear').optional(),
  skip: phrase('Text of the button that continues without files.', 'Skip').optional(),
  success: component('FileInputSuccessLabels', 'Texts shown after an upload.', {
    single: phrase('Text after one file.', 'File uploaded').optional(),
    multiple: phrase('Text after several files.', '{total} files uploaded').optional(),
  }).optional(),
})

const allowedFileTypes = component('AllowedFileTypes', 'Restricts the accepted files.', {
  isEnabled: flag('True if the restriction applies. Default false.').optional(),
  types: textList(
    'Accepted extensions or MIME types.',
    ['.pdf', 'image/png'],
    quickText(limits.name),
  ).optional(),
})

const fileInputOptions = {
  variableId: answerVariable,
  isRequired: flag('True if the visitor must upload a file. Default true.').optional(),
  isMultipleAllowed: flag('True if visitors may upload several files. Default false.').optional(),
  labels: fileInputLabels.optional(),
  allowedFileTypes: allowedFileTypes.optional(),
  capture: oneOf(
    ['environment', 'user'],
    'Camera of a phone: at the back (environment) or at the front (user).',
  ).optional(),
  visibility: fileVisibility.optional(),
}

const fileInput = block('FileInput', 'file input', 'Asks for one file or several.', {
  options: component('FileInputOptions', 'Settings of a file input.', fileInputOptions).optional(),
})

const legacyFileInput = block('LegacyFileInput', 'file input', 'Asks for files, in versions 3, 4 and 5.', {
  options: component('LegacyFileInputOptions', 'Settings of a file input with a size limit of its own.', {
    ...fileInputOptions,
    sizeLimit: number('Maximum size of a file, in megabytes.', {
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
