import { z } from '../kit/zod.ts'
import { boundedArray } from './bounded-array.ts'
import { comparisonOperator, logicalOperator } from './conditions.ts'
import {
  component,
  flag,
  id,
  list,
  name,
  number,
  oneOf,
  phrase,
  picture,
  prose,
  textList,
  url,
} from './fields.ts'
import { limits } from './limits.ts'
import { quickText } from './quick.ts'

const systemMessages = component('SystemMessages', 'Texts that replace the built-in ones of the chat.', {
  invalidMessage: prose(
    'Sent after an invalid answer.',
    'That does not look right. Could you try again?',
  ).optional(),
  botClosed: prose('Shown while the bot is closed.', 'This bot is closed for today.').optional(),
  networkErrorTitle: phrase('Title shown when the network fails.', 'Network error').optional(),
  networkErrorMessage: prose(
    'Text shown when the network fails.',
    'Please check your connection.',
  ).optional(),
  popupBlockedTitle: phrase('Title shown when the browser blocks a new window.', 'Window blocked').optional(),
  popupBlockedDescription: prose(
    'Text shown when the browser blocks a new window.',
    'The bot wants to open a new tab.',
  ).optional(),
  popupBlockedButtonLabel: phrase('Button that opens the blocked window.', 'Continue in new tab').optional(),
  fileUploadError: prose('Shown when an upload fails.', 'The upload failed. Please try again.').optional(),
  fileUploadSizeError: prose(
    'Shown when a file is too large. The chat replaces [[file]] and [[limit]].',
    '[[file]] is larger than [[limit]] MB.',
  ).optional(),
  messagingPictureChoiceSelectLabel: phrase(
    'Button below a picture choice on messaging channels.',
    'Select',
  ).optional(),
})

const rememberUser = component(
  'RememberUser',
  'Lets a returning visitor continue the earlier conversation.',
  {
    isEnabled: flag('True if the browser remembers the conversation. Default false.').optional(),
    storage: oneOf(
      ['session', 'local'],
      'Browser storage of the conversation: until the tab closes (session), or without end (local). Default session.',
    ).optional(),
  },
)

const general = component('GeneralSettings', 'Behaviour of the chat as a whole.', {
  language: z
    .string()
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$/, 'Expected a language tag such as de or pt-BR')
    .meta({
      maxLength: 80,
      description:
        'BCP 47 tag for built-in texts of the chat page and the service, and for numbers and dates in answers. Texts in systemMessages and labels of inputs replace the built-in ones. Default, also if the page lacks the language: the preferred language of the browser.',
      example: 'de',
    })
    .optional(),
  isBrandingEnabled: flag(
    'True if the chat page shows the name of the installation, where it has one. Default false.',
  ).optional(),
  isTypingEmulationEnabled: flag('Without effect, in older documents only. See typingEmulation.').optional(),
  isInputPrefillEnabled: flag(
    'True if inputs show the current value of their variable. Default false.',
  ).optional(),
  isHideQueryParamsEnabled: flag(
    'True if the page removes query parameters from the address after reading them. Default true.',
  ).optional(),
  isNewResultOnRefreshEnabled: flag(
    'Older documents only: the opposite of rememberUser.isEnabled, used if that is missing. Default true.',
  ).optional(),
  rememberUser: rememberUser.optional(),
  systemMessages: systemMessages.optional(),
})

const typingEmulation = component('TypingEmulation', 'Delays that make the bot appear to type.', {
  enabled: flag('True if the bot delays its messages. Default true.').optional(),
  speed: number('Typing speed in words per minute. Default 400.', {
    min: 0,
    max: 1_000_000,
    example: 400,
  }).optional(),
  maxDelay: number('Maximum delay before a message, in seconds. Default 3.', {
    min: 0,
    max: 86_400,
    example: 3,
  }).optional(),
  delayBetweenBubbles: number('Delay between two messages, in seconds. Default 0.', {
    min: 0,
    max: 5,
    example: 0.5,
  }).optional(),
  isDisabledOnFirstMessage: flag('True if the first message has no delay. Default true.').optional(),
})

const metadata = component('BotMetadata', 'Texts and pictures for search engines and link previews.', {
  title: name('Title of the page.', 'Book a demo').optional(),
  description: prose('Summary of the page.', 'Answer three questions and pick a date.').optional(),
  imageUrl: picture('Picture of link previews.', 'https://files.example.com/preview.png').optional(),
  favIconUrl: picture('Icon of the browser tab.', 'https://files.example.com/favicon.png').optional(),
  customHeadCode: quickText(limits.headCode)
    .meta({
      description:
        'HTML for the head of the page; may contain scripts. The page adds it only on a host that serves chats alone.',
      example: '<meta name="author" content="Ada">',
    })
    .optional(),
  tagManagerId: name(
    'Container id of the tag manager. The page loads it only on a host that serves chats alone.',
    'GTM-ABC1234',
  ).optional(),
  allowIndexing: flag('True if search engines may list the page.').optional(),
})

const startComparison = component(
  'StartComparison',
  'Compares the first message of a conversation with a text.',
  {
    id: id('Id of the comparison.', 'cmpHello'),
    comparisonOperator: comparisonOperator.optional(),
    value: prose('The text to compare with.', 'hello').optional(),
  },
)

const startCondition = component(
  'StartCondition',
  'Selects the first messages that start the bot on messaging channels.',
  {
    logicalOperator: logicalOperator.optional(),
    comparisons: list(startComparison, 'Comparisons with the first message.'),
  },
)

const messaging = component(
  'MessagingSettings',
  'Behaviour on messaging channels. Editors read it; this service has no such channel.',
  {
    isEnabled: flag('True if the bot responds on the channel. Default false.').optional(),
    startCondition: startCondition.optional(),
    sessionExpiryTimeout: number('Hours after the last message until a conversation ends. Default 4.', {
      min: 0.01,
      max: 48,
      example: 4,
    }).optional(),
    errorAndMarketingStatusWebhookForwardUrl: quickText(limits.url)
      .regex(/^https?:\/\/\S+$/, 'Expected an http or https address')
      .meta({
        description: 'Target address for delivery statuses, with the scheme http or https.',
        example: 'https://hooks.example.com/statuses',
        // Excludes U+0000, which no text may contain.
        pattern: '^https?://[^\\x00\\s]+$',
      })
      .optional(),
    isWebhookForwardingEnabled: flag(
      'True if the channel forwards statuses. Also true if only the address is present.',
    ).optional(),
    webhookForwardingEventTypes: boundedArray(z.enum(['all', 'errorStatuses', 'marketingStatuses']), {
      maximum: limits.entries,
    })
      .meta({ description: 'Kinds of status to forward.', example: ['errorStatuses'] })
      .optional(),
  },
)

const publicShare = component('PublicShare', 'Lets every user with an account read the bot.', {
  isEnabled: flag('True if the bot is shared. Default false.').optional(),
})

const security = component('SecuritySettings', 'Restricts the pages that may embed the chat.', {
  allowedOrigins: textList(
    'Origins of pages that may embed the chat. If missing or empty, any page may.',
    ['https://www.example.com'],
    quickText(limits.url),
  ).optional(),
})

const consent = component(
  'ConsentSettings',
  'Asks visitors for consent before the page loads third-party code: trackers, widgets, head code and fonts.',
  {
    isRequired: flag(
      'True if the page asks visitors and loads none of these before they agree. Default false.',
    ).optional(),
    text: prose(
      'The question. Default: one in the language of the page.',
      'May we measure your visit?',
    ).optional(),
    acceptLabel: phrase('Button to agree.', 'Accept').optional(),
    declineLabel: phrase('Button to decline.', 'Decline').optional(),
    policyUrl: url(
      'Address of a page about privacy, linked beside the question.',
      'https://www.example.com/privacy',
    ).optional(),
  },
)

export const settings = component('Settings', 'Behaviour of a bot. All versions have the same shape.', {
  general: general.optional(),
  typingEmulation: typingEmulation.optional(),
  metadata: metadata.optional(),
  messaging: messaging.optional(),
  publicShare: publicShare.optional(),
  security: security.optional(),
  consent: consent.optional(),
})
