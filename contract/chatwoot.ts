import { credentialData, secret, serviceAddress } from './credential-data.ts'
import { recordId, successBody, successExample, text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { anyone, define } from './operation.ts'
import { exampleIds } from './shared.ts'

/* Bots as agent bots of Chatwoot, on every channel of its inboxes. */

export const chatwootData = credentialData(
  'ChatwootData',
  'An agent bot of a Chatwoot installation. It writes to the conversations of its inboxes.',
  {
    baseUrl: serviceAddress(
      'Address of the installation. The token is sent to no other address. Private addresses work only if the installation of this service allows them.',
      'https://chatwoot.example.com',
    ),
    accountId: z
      .int()
      .min(1)
      .max(9_007_199_254_740_991)
      .meta({ format: 'int64', description: 'Number of the account in Chatwoot.', example: 1 }),
    accessToken: secret('Access token of the agent bot.', 'chatwoot-token-example'),
    secret: secret(
      'Secret with which the agent bot signs its events. A Chatwoot before 4.13 signs none: choose a long random text, and put it into the address of the events.',
      'chatwoot-secret-example',
    ).min(16, { error: 'Expected at least 16 characters' }),
  },
)

export const chatwoot = define({
  receiveChatwootEvent: {
    method: 'post',
    path: '/api/v1/bots/{botId}/chatwoot/{credentialsId}',
    tag: 'chat',
    summary: 'Receive an event of Chatwoot',
    description:
      'Receives the events of an agent bot of Chatwoot, with credentials of the type `chatwoot`. The published bot answers in the conversations of its inboxes, on all their channels. The service stores an event and responds at once; a repeated event counts once. Each event needs a signature in `X-Chatwoot-Signature`, made with the secret of the credentials, and an `X-Chatwoot-Timestamp` at most 5 minutes old. Or it has that secret as `secret`. Others are forbidden and change nothing. Messages of members and of the bot itself change only the handling of a chat. A conversation has at most 500 waiting events.',
    access: anyone,
    params: z.object({
      botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot),
      credentialsId: recordId('Id of credentials of the type `chatwoot`.', exampleIds.credentials),
    }),
    query: z.strictObject({
      whenOver: z.enum(['open', 'resolve', 'pending']).optional().meta({
        description:
          'Handling of a conversation whose chat is over: `open` (the default) hands it to the members, `resolve` resolves it, `pending` leaves it to the bot, which then starts anew.',
        example: 'resolve',
      }),
      whenReturned: z.enum(['resume', 'restart']).optional().meta({
        description:
          'Position from which the bot continues when members give a conversation back: `resume` (the default) where it was, `restart` at its start.',
        example: 'restart',
      }),
      secret: secret(
        'The secret of the credentials, for a Chatwoot that does not sign its events.',
        'chatwoot-secret-example',
      ).optional(),
    }),
    body: z.record(text(255), z.unknown()).meta({
      id: 'ChatwootEvent',
      description: 'An event as Chatwoot sends it to agent bots.',
      maxProperties: 5000,
      example: { event: 'message_created', message_type: 'incoming' },
    }),
    requestExamples: {
      message: {
        summary: 'A visitor has written',
        value: {
          event: 'message_created',
          id: 4711,
          content: 'Hello',
          message_type: 'incoming',
          private: false,
          sender: { id: 12, name: 'Ada', email: 'ada@example.com', type: 'contact' },
          account: { id: 1, name: 'Acme' },
          conversation: {
            id: 42,
            status: 'pending',
            channel: 'Channel::WebWidget',
          },
        },
      },
    },
    success: {
      status: 200,
      description: 'The event is stored, or needs nothing.',
      body: successBody,
      examples: successExample,
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    errorExamples: {
      FORBIDDEN: {
        summary: 'The signature is wrong',
        issues: [
          {
            path: ['header', 'x-chatwoot-signature'],
            code: 'invalid_value',
            message: 'The signature is not that of the body with the secret of the credentials',
          },
        ],
      },
    },
  },
})
