import { anyone, define } from './operation.ts'
import { exampleIds, recordId, successBody, successExample, text } from './shared.ts'
import { z } from './zod.ts'

const clientLog = z
  .strictObject({
    description: text(10_000).meta({ description: 'What happened.', example: 'Could not load the script' }),
    status: text(10_000).optional().meta({
      description: 'Kind of the entry, such as `error`, `success` or `info`; `error` when absent.',
      example: 'error',
    }),
    details: text(10_000).optional().meta({
      description: 'More about it; kept up to 1,000 characters.',
      example: 'net::ERR_BLOCKED_BY_CLIENT',
    }),
    context: text(10_000)
      .optional()
      .meta({ description: 'Where it happened.', example: 'While executing the script' }),
  })
  .meta({ id: 'ClientLog', description: 'One entry of the log of a chat client.' })

export const chat = define({
  saveClientLogs: {
    method: 'post',
    path: '/api/v2/sessions/{sessionId}/clientLogs',
    tag: 'chat',
    summary: 'Save log entries of a chat client',
    description:
      'Stores what a chat client noticed while it ran a bot, with the result of the chat. Needs no token: whoever has the id of the session may write. An unknown session is invalid input.',
    access: anyone,
    params: z.object({ sessionId: recordId('Id of the chat session.', exampleIds.session) }),
    body: z
      .strictObject({
        clientLogs: z.array(clientLog).max(100).meta({ description: 'The entries, in order.' }),
      })
      .meta({ id: 'SaveClientLogsBody', description: 'Entries of the log of a chat client.' }),
    requestExamples: {
      one: {
        summary: 'One entry',
        value: {
          clientLogs: [
            {
              description: 'Could not load the script',
              status: 'error',
              details: 'net::ERR_BLOCKED_BY_CLIENT',
              context: 'While executing the script',
            },
          ],
        },
      },
    },
    success: {
      status: 200,
      description: 'The entries are saved.',
      body: successBody,
      examples: successExample,
    },
  },
})
