import { apiKeyData } from '../../../credential-data.ts'
import { phrase, prose } from '../../fields.ts'
import { bearer, pick, responseMapping, vendor } from './vendor.ts'

export const chatNode = vendor({
  type: 'chat-node',
  prefix: 'ChatNode',
  title: 'ChatNode',
  base: 'https://api.public.chatnode.ai/v1',
  credentials: apiKeyData,
  exampleCredentials: { apiKey: 'cn-example' },
  options: {
    botId: phrase('Id of the bot at the vendor.', 'b1c2d3').optional(),
    threadId: phrase('Id of the thread.', '{{Thread}}').optional(),
    message: prose('Text for the bot; may hold placeholders.', '{{Question}}').optional(),
    responseMapping: responseMapping('With action Send Message: Message, Thread ID.'),
  },
  actions: {
    'Send Message': {
      required: {
        botId: 'ChatNode: nothing was sent, since botId is empty',
        message: 'ChatNode: nothing was sent, since message is empty',
      },
      items: ['Message', 'Thread ID'],
      timeoutMs: 60_000,
      request: ({ options: { botId = '', message, threadId }, credentials }) => ({
        path: `/${encodeURIComponent(botId)}`,
        headers: bearer(credentials.apiKey),
        json: { message, ...(threadId === undefined ? {} : { chat_session_id: threadId }) },
      }),
      read: (body) => ({
        items: { Message: pick(body, 'message'), 'Thread ID': pick(body, 'chat_session_id') },
      }),
      example: {
        options: { botId: 'b/1', message: 'Hello', threadId: 't1' },
        request: {
          path: '/b%2F1',
          headers: { authorization: 'Bearer cn-example' },
          body: { message: 'Hello', chat_session_id: 't1' },
        },
        response: { message: 'Good day', chat_session_id: 't2' },
        savedValues: { Message: 'Good day', 'Thread ID': 't2' },
      },
    },
  },
})
