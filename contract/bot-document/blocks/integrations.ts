import { z } from '../../kit/zod.ts'
import {
  component,
  flag,
  id,
  list,
  numberOrText,
  oneOf,
  phrase,
  picture,
  prose,
  reference,
  textList,
  url,
  variableReference,
} from '../fields.ts'
import { limits } from '../limits.ts'
import { quickText } from '../quick.ts'
import { block } from './block.ts'

/** Built-in integrations with the same shape in every version. */

const addresses = quickText(limits.phrase)

const emailBlock = block('EmailBlock', 'Email', 'Sends an e-mail to one or more recipients.', {
  options: component('EmailOptions', 'E-mail to send. All texts may hold placeholders.', {
    credentialsId: reference(
      'Id of the credentials of the mail account, or default for the mailer of the installation. The block sends nothing if the workspace lacks the credentials.',
      'default',
    ).optional(),
    isCustomBody: flag(
      'True if the e-mail has `body` instead of all answers and variables. Default true if there is a body.',
    ).optional(),
    isBodyCode: flag('True if the body is HTML. Default false.').optional(),
    recipients: textList('Addresses of the recipients.', ['sales@example.com'], addresses).optional(),
    cc: textList('Addresses that get a copy.', ['team@example.com'], addresses).optional(),
    bcc: textList('Addresses that get a hidden copy.', ['archive@example.com'], addresses).optional(),
    subject: phrase('Subject.', 'New lead: {{Name}}').optional(),
    body: prose('Body.', '{{Name}} asks for a demo.').optional(),
    replyTo: phrase('Address for replies.', '{{Email}}').optional(),
    attachmentsVariableId: variableReference(
      'that holds the addresses of files to attach',
      'varFiles',
    ).optional(),
  }).optional(),
})

const chatwootBlock = block(
  'ChatwootBlock',
  'Chatwoot',
  'Opens the widget of Chatwoot. Works only on a host that serves chats alone.',
  {
    options: component('ChatwootOptions', 'The Chatwoot widget and the identity of the visitor.', {
      task: oneOf(['Show widget', 'Close widget'], 'Task of the block. Default Show widget.').optional(),
      baseUrl: url('Address of the Chatwoot installation.', 'https://app.chatwoot.com').optional(),
      websiteToken: phrase('Token of the widget.', 'bX7cPq2LkD').optional(),
      user: component(
        'ChatwootUser',
        'The visitor as Chatwoot shows them; all texts may hold placeholders.',
        {
          id: phrase('Id of the visitor.', '{{User ID}}').optional(),
          email: phrase('E-mail address.', '{{Email}}').optional(),
          name: phrase('Name.', '{{Name}}').optional(),
          avatarUrl: picture('Address of a picture.').optional(),
          phoneNumber: phrase('Phone number.', '{{Phone}}').optional(),
        },
      ).optional(),
    }).optional(),
  },
)

const googleAnalyticsBlock = block(
  'GoogleAnalyticsBlock',
  'Google Analytics',
  'Sends an event to Google Analytics. Works only on a host that serves chats alone.',
  {
    options: component('GoogleAnalyticsOptions', 'Event to send; all texts may hold placeholders.', {
      trackingId: phrase('Measurement id.', 'G-ABC1234567').optional(),
      category: phrase('Category of the event.', 'Bot').optional(),
      action: phrase('Name of the event.', 'lead').optional(),
      label: phrase('Label of the event.', 'Campaign A').optional(),
      value: numberOrText('Value of the event.', 10).optional(),
      sendTo: phrase('Destination of the event.', 'AW-123/abc').optional(),
    }).optional(),
  },
)

const pixelBlock = block(
  'PixelBlock',
  'Pixel',
  'Sends an event to the Meta pixel. Works only on a host that serves chats alone.',
  {
    options: component('PixelOptions', 'Pixel and the event to send.', {
      pixelId: phrase('Id of the pixel.', '123456789012345').optional(),
      isInitSkip: flag('True if the page has loaded the pixel already. Default false.').optional(),
      eventType: oneOf(
        [
          'Lead',
          'Contact',
          'CompleteRegistration',
          'Schedule',
          'SubmitApplication',
          'ViewContent',
          'AddPaymentInfo',
          'AddToCart',
          'AddToWishlist',
          'CustomizeProduct',
          'Donate',
          'FindLocation',
          'InitiateCheckout',
          'Purchase',
          'Search',
          'StartTrial',
          'Subscribe',
          'Custom',
        ],
        'Standard event, or Custom for the event in `name`. If missing, the block sends only the page view.',
      ).optional(),
      name: phrase('Name of the event, with eventType Custom.', 'BookedDemo').optional(),
      params: list(
        component('PixelParameter', 'A parameter of the event.', {
          id: id('Id of the entry.', 'prmValue'),
          key: phrase('Name of the parameter.', 'currency').optional(),
          value: z
            .unknown()
            .meta({ description: 'Value of the parameter: any JSON value.', example: 'EUR' })
            .optional(),
        }),
        'Parameters of the event.',
      ).optional(),
    }).optional(),
  },
)

export const integrations = [emailBlock, chatwootBlock, googleAnalyticsBlock, pixelBlock] as const
