import { text } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { anyObject, blockId, prose } from './fields.ts'

/* Content of a turn: bubbles, inputs and actions of the client. */

// Bubbles

const richText = z
  .object({
    type: z.enum(['richText']).meta({ description: 'A tree of nodes.' }),
    richText: z
      .array(z.unknown())
      .max(100_000)
      .meta({ description: 'The nodes; elements have `type` and `children`, leaves have `text`.' }),
  })
  .meta({ id: 'RichTextContent', description: 'A text as a tree of formatted nodes.' })

const markdown = z
  .object({
    type: z.enum(['markdown']).meta({ description: 'Markdown.' }),
    markdown: prose('The text in Markdown.', 'Hello **Ada**'),
  })
  .meta({ id: 'MarkdownContent', description: 'A text written in Markdown.' })

const textContent = z
  .discriminatedUnion('type', [richText, markdown])
  .meta({ id: 'TextContent', description: 'A text in the requested format.' })

function mediaBubble<const Type extends string>(type: Type, id: string, description: string) {
  return z
    .object({
      id: blockId,
      type: z.enum([type]).meta({ description: 'Kind of the bubble.' }),
      content: anyObject('The content of the block, with placeholders filled in.'),
    })
    .meta({ id, description })
}

export const bubble = z
  .discriminatedUnion('type', [
    z
      .object({
        id: blockId,
        type: z.enum(['text']).meta({ description: 'Kind of the bubble.' }),
        content: textContent,
      })
      .meta({ id: 'TextMessageBubble', description: 'A text message of the bot.' }),
    mediaBubble('image', 'ImageMessageBubble', 'A picture of the bot.'),
    mediaBubble('video', 'VideoMessageBubble', 'A video that the bot shows.'),
    mediaBubble('audio', 'AudioMessageBubble', 'A recording of the bot.'),
    mediaBubble('embed', 'EmbedMessageBubble', 'An embedded page of the bot.'),
  ])
  .meta({ id: 'MessageBubble', description: 'A message of the bot.' })

export const input = z
  .looseObject({
    id: blockId,
    type: text(255).meta({
      description: 'Type of the input block, such as `email input`.',
      example: 'email input',
    }),
    options: anyObject('Options of the block, with placeholders filled in.').optional(),
    items: z
      .array(anyObject('An item of the block.'))
      .max(1000)
      .optional()
      .meta({ description: 'The items that can be chosen.' }),
    prefilledValue: prose('Initial value of the input.', 'ada@example.com').optional(),
    upload: z
      .object({
        maximumSize: z
          .int()
          .min(1)
          .max(9_007_199_254_740_991)
          .meta({ description: 'Maximum bytes of a file.', format: 'int64', example: 10_485_760 }),
      })
      .optional()
      .meta({
        id: 'UploadLimits',
        description:
          'Limits of files that can be uploaded for the reply. Absent with an input for files if the installation stores none.',
      }),
    payment: z
      .object({
        id: text(255).meta({ description: 'Id of the payment at the provider.', example: 'cs_live_a1b2' }),
        url: text(2048).meta({
          format: 'uri',
          description:
            'Page on which the visitor pays: that of the provider, or one of this service with the form of the provider.',
          example: 'https://checkout.stripe.com/c/pay/cs_live_a1b2',
        }),
        amount: text(255).meta({ description: 'Amount with its currency, to show.', example: '€30.00' }),
      })
      .optional()
      .meta({
        id: 'ChatPayment',
        description:
          'The payment that the chat waits for. Continue the chat with any message, or with none, to check it. The chat continues once the service has read from the provider that the payment succeeded.',
      }),
    runtimeOptions: z
      .object({
        paymentIntentSecret: text(512).meta({
          description: 'Secret of the payment, for the form alone.',
          example: 'pi_a1b2_secret_c3d4',
        }),
        amountLabel: text(255).meta({ description: 'Amount with its currency, to show.', example: '€30.00' }),
        publicKey: text(2_000).meta({
          description: 'Public key of the account that is paid.',
          example: 'pk_live_example',
        }),
      })
      .optional()
      .meta({
        id: 'PaymentFormOptions',
        description:
          'Data with which a client shows the form of the provider itself. Absent if the visitor pays on the page of the provider: on the host of the members, and without a public key in the credentials.',
      }),
  })
  .meta({ id: 'ChatInput', description: 'The input block that waits for a reply.' })

// Actions

const actionProperties = {
  lastBubbleBlockId: text(255).optional().meta({
    description: 'Run the action after this bubble; absent means before all.',
    example: 'block-hello',
  }),
  expectsDedicatedReply: z
    .boolean()
    .optional()
    .meta({ description: 'True if the client must continue the chat with the outcome.' }),
}

const script = z
  .object({
    content: prose('The code.', 'console.log(name)'),
    isCode: z.boolean().optional().meta({ description: 'True if it is code rather than an expression.' }),
    isUnsafe: z.boolean().optional().meta({ description: 'True if the code comes from an unknown author.' }),
    args: z
      .array(
        z
          .object({
            id: text(255).meta({ description: 'Name of the parameter.', example: 'name' }),
            value: z.unknown().optional().meta({ description: 'Value of the argument.', example: 'Ada' }),
          })
          .meta({ id: 'ScriptArgument', description: 'An argument of a script.' }),
      )
      .max(5000)
      .meta({ description: 'The arguments.' }),
  })
  .meta({ id: 'ClientScript', description: 'Code for the client, with its arguments.' })

const scriptHolder = z
  .object({ scriptToExecute: script })
  .meta({ id: 'ScriptHolder', description: 'A script for the client to run.' })

export function action<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  id: string,
  description: string,
  shape: Shape,
) {
  return z
    .object({
      ...actionProperties,
      type: z.enum([type]).meta({ description: 'Kind of the action.' }),
      ...shape,
    })
    .meta({ id, description })
}

export const clientSideAction = z
  .discriminatedUnion('type', [
    action('scriptToExecute', 'ScriptAction', 'Run a script on the client.', {
      scriptToExecute: script,
    }),
    action('setVariable', 'SetVariableAction', 'Compute a value and continue with it.', {
      setVariable: scriptHolder,
    }),
    action('chatwoot', 'ChatwootAction', 'Open or close the Chatwoot widget.', { chatwoot: scriptHolder }),
    action('zendesk', 'ZendeskAction', 'Open the Zendesk widget.', { zendesk: scriptHolder }),
    action('calendar', 'CalendarAction', 'Show a calendar, and continue with the date that was booked.', {
      calendar: z
        .object({
          url: text(262_144).meta({
            description:
              'Address of the page for a frame. It posts messages whose `originator` is `CAL`; `bookingSuccessfulV2` has the date as `data.startTime`.',
            example: 'https://app.cal.com/ada/30min/embed?embed=chat&embedType=inline',
          }),
        })
        .meta({ id: 'CalendarDetails', description: 'The calendar that the client shows.' }),
    }),
    action('redirect', 'RedirectAction', 'Open an address in the browser.', {
      redirect: z
        .object({
          url: text(262_144).meta({ description: 'The address.', example: 'https://example.com' }),
          isNewTab: z.boolean().optional().meta({ description: 'True to open a new tab.' }),
        })
        .meta({ id: 'RedirectDetails', description: 'The address to open.' }),
    }),
    action('wait', 'WaitAction', 'Wait before continuing.', {
      wait: z
        .object({
          secondsToWaitFor: z
            .number()
            .min(0)
            .max(86_400)
            .meta({ description: 'Delay in seconds, at most a day.', example: 2 }),
        })
        .meta({ id: 'WaitDetails', description: 'Delay before the client continues.' }),
    }),
    action('httpRequestToExecute', 'HttpRequestAction', 'Send a request and continue with the response.', {
      httpRequestToExecute: z
        .object({
          url: text(262_144).meta({ description: 'The address.', example: 'https://example.com/api' }),
          method: text(16).meta({ description: 'The method.', example: 'POST' }),
          headers: z
            .record(text(255), text(16_384))
            .meta({ description: 'The headers.', maxProperties: 100, example: {} }),
          body: prose('The body.', '{}').optional(),
        })
        .meta({ id: 'HttpRequestDetails', description: 'The HTTP request that the client sends.' }),
    }),
    action('googleAnalytics', 'GoogleAnalyticsAction', 'Send an event to Google Analytics.', {
      googleAnalytics: anyObject('Options of the block, with placeholders filled in.'),
    }),
    action('pixel', 'PixelAction', 'Send an event to the Meta pixel.', {
      pixel: anyObject('Options of the block, with placeholders filled in.'),
    }),
    action(
      'startPropsToInject',
      'StartPropertiesAction',
      'Load scripts and markup at the start of the chat.',
      {
        startPropsToInject: z
          .object({
            googleAnalyticsId: text(4096)
              .optional()
              .meta({ description: 'Measurement id of Google Analytics to load.', example: 'G-1234' }),
            pixelIds: z
              .array(text(4096))
              .max(1000)
              .optional()
              .meta({ description: 'Ids of the Meta pixels to load.', example: ['1234'] }),
            gtmId: text(4096)
              .optional()
              .meta({ description: 'Container id of the tag manager to load.', example: 'GTM-1234' }),
            customHeadCode: text(16_384).optional().meta({
              description: 'Markup for the head of the page.',
              example: '<meta name="a" content="b">',
            }),
          })
          .meta({
            id: 'StartProperties',
            description: 'Scripts and markup that the client loads when the chat begins.',
          }),
      },
    ),
    action(
      'listenForWebhook',
      'ListenForWebhookAction',
      'Wait until an outside call continues the chat.',
      {},
    ),
  ])
  .meta({ id: 'ClientSideAction', description: 'An action of the client.' })

export const chatLog = z
  .object({
    description: text(10_000).meta({
      description: 'Description of the event.',
      example: 'The mail was not sent',
    }),
    status: text(255)
      .optional()
      .meta({ description: 'Kind of the entry: `error`, `success` or `info`.', example: 'error' }),
    details: text(10_000).optional().meta({ description: 'Further details.', example: 'Connection refused' }),
    context: text(10_000)
      .optional()
      .meta({ description: 'Location of the event.', example: 'Group Welcome' }),
  })
  .meta({ id: 'ChatLog', description: 'A log entry of a turn.' })

export const dynamicTheme = z
  .object({
    hostAvatarUrl: text(262_144)
      .optional()
      .meta({ description: "URL of the bot's picture.", example: 'https://example.com/bot.png' }),
    guestAvatarUrl: text(262_144)
      .optional()
      .meta({ description: "URL of the visitor's picture.", example: 'https://example.com/ada.png' }),
    backgroundUrl: text(262_144)
      .optional()
      .meta({ description: 'URL of the background image.', example: 'https://example.com/back.png' }),
  })
  .meta({ id: 'DynamicTheme', description: 'Parts of the theme that depend on variables.' })
