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
    'Sent after an answer that is not valid.',
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
    'Shown when a file is too large; [[file]] and [[limit]] are filled in.',
    '[[file]] is larger than [[limit]] MB.',
  ).optional(),
  messagingPictureChoiceSelectLabel: phrase(
    'Button below a picture choice on messaging channels.',
    'Select',
  ).optional(),
})

const rememberUser = component(
  'RememberUser',
  'Whether a returning visitor goes on with the earlier conversation.',
  {
    isEnabled: flag('Whether the conversation is remembered. Default false.').optional(),
    storage: oneOf(
      ['session', 'local'],
      'Browser storage that remembers it: until the tab closes, or for good. Default session.',
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
        'Language of the texts that the chat page and the service have of their own, and of numbers and dates in answers, as a BCP 47 tag. Default, also for a language that the page lacks: what the browser of the visitor asks for. Texts in systemMessages and labels of inputs replace those of the page and the service.',
      example: 'de',
    })
    .optional(),
  isBrandingEnabled: flag(
    'Whether the chat page shows the name of the installation, if it has one. Default false.',
  ).optional(),
  isTypingEmulationEnabled: flag('Older documents only and without effect: see typingEmulation.').optional(),
  isInputPrefillEnabled: flag(
    'Whether inputs show the value their variable has already. Default false.',
  ).optional(),
  isHideQueryParamsEnabled: flag(
    'Whether query parameters disappear from the address after they were read. Default true.',
  ).optional(),
  isNewResultOnRefreshEnabled: flag(
    'Older documents only: the opposite of rememberUser.isEnabled, read where that is absent. Default true.',
  ).optional(),
  rememberUser: rememberUser.optional(),
  systemMessages: systemMessages.optional(),
})

const typingEmulation = component('TypingEmulation', 'Pauses that make the bot look as if it were typing.', {
  enabled: flag('Whether the bot pauses before its messages. Default true.').optional(),
  speed: number('Typing speed in words per minute. Default 400.', {
    min: 0,
    max: 1_000_000,
    example: 400,
  }).optional(),
  maxDelay: number('Longest pause before a message, in seconds. Default 3.', {
    min: 0,
    max: 86_400,
    example: 3,
  }).optional(),
  delayBetweenBubbles: number('Pause between two messages, in seconds. Default 0.', {
    min: 0,
    max: 5,
    example: 0.5,
  }).optional(),
  isDisabledOnFirstMessage: flag('Whether the first message comes without a pause. Default true.').optional(),
})

const metadata = component('BotMetadata', 'What search engines and link previews show.', {
  title: name('Title of the page.', 'Book a demo').optional(),
  description: prose('Summary of the page.', 'Answer three questions and pick a date.').optional(),
  imageUrl: picture('Picture of link previews.', 'https://files.example.com/preview.png').optional(),
  favIconUrl: picture('Icon of the browser tab.', 'https://files.example.com/favicon.png').optional(),
  customHeadCode: quickText(limits.headCode)
    .meta({
      description:
        'HTML added to the head of the page, with scripts, on a host that serves chats alone. Elsewhere it is left out.',
      example: '<meta name="author" content="Ada">',
    })
    .optional(),
  tagManagerId: name(
    'Container id of the tag manager, which the page loads on a host that serves chats alone.',
    'GTM-ABC1234',
  ).optional(),
  allowIndexing: flag('Whether search engines may list the page.').optional(),
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
  'Which first messages start the bot on messaging channels.',
  {
    logicalOperator: logicalOperator.optional(),
    comparisons: list(startComparison, 'Comparisons with the first message.'),
  },
)

const messaging = component(
  'MessagingSettings',
  'Behaviour on messaging channels. Editors read it; this service has no such channel.',
  {
    isEnabled: flag('Whether the bot answers on the channel. Default false.').optional(),
    startCondition: startCondition.optional(),
    sessionExpiryTimeout: number('Hours after the last message until a conversation is over. Default 4.', {
      min: 0.01,
      max: 48,
      example: 4,
    }).optional(),
    errorAndMarketingStatusWebhookForwardUrl: quickText(limits.url)
      .regex(/^https?:\/\/\S+$/, 'Expected an http or https address')
      .meta({
        description: 'Address that delivery statuses are forwarded to, with the scheme http or https.',
        example: 'https://hooks.example.com/statuses',
        // Excludes U+0000, which no text may contain.
        pattern: '^https?://[^\\x00\\s]+$',
      })
      .optional(),
    isWebhookForwardingEnabled: flag(
      'Whether statuses are forwarded. Taken as true where only the address is present.',
    ).optional(),
    webhookForwardingEventTypes: boundedArray(z.enum(['all', 'errorStatuses', 'marketingStatuses']), {
      maximum: limits.entries,
    })
      .meta({ description: 'Kinds of status that are forwarded.', example: ['errorStatuses'] })
      .optional(),
  },
)

const publicShare = component('PublicShare', 'Whether everybody with an account may read the bot.', {
  isEnabled: flag('Whether the bot is shared. Default false.').optional(),
})

const security = component('SecuritySettings', 'Where the chat may be embedded.', {
  allowedOrigins: textList(
    'Origins of pages that may embed the chat. Absent or empty: any.',
    ['https://www.example.com'],
    quickText(limits.url),
  ).optional(),
})

const consent = component(
  'ConsentSettings',
  'Asks visitors before the page loads anything of others: trackers, widgets, head code and fonts.',
  {
    isRequired: flag(
      'Whether visitors are asked, and nothing is loaded before they agree. Default false.',
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

export const settings = component('Settings', 'How a bot behaves. The shape is the same in every version.', {
  general: general.optional(),
  typingEmulation: typingEmulation.optional(),
  metadata: metadata.optional(),
  messaging: messaging.optional(),
  publicShare: publicShare.optional(),
  security: security.optional(),
  consent: consent.optional(),
})
