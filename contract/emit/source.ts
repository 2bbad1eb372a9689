import { errors, issueCodes } from '../errors.ts'
import { besides, events, information, operations } from '../index.ts'
import type { DocumentSource } from '../kit/emit/openapi.ts'
import { text } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { type Operation, tags } from '../operation.ts'
import { exampleIds } from '../shared.ts'
import { introduction } from './introduction.ts'
import { permissionOf, publishedScopeOf } from './permission.ts'

const signatureHeaders = z.object({
  'webhook-id': text(64).meta({
    description: 'Id of the delivery, the same in every attempt: treat a second one as a repeat.',
    example: exampleIds.webhookDelivery,
  }),
  'webhook-timestamp': text(20).meta({
    description: 'Time of this attempt, in whole seconds since 1970.',
    example: '1772713860',
  }),
  'webhook-signature': text(200).meta({
    description:
      'Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.',
    example: 'v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=',
  }),
})

/** The contract of this service, and the texts of its document beside the operations. */
export const source: DocumentSource<Operation> = {
  ...information,
  summary: 'Build, publish and run conversational bots.',
  introduction,
  about: {
    contact: {
      name: 'The maintainers',
      url: 'https://example.com/bot-builder-service',
      email: 'maintainers@example.com',
    },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    termsOfService: 'https://example.com/bot-builder-service/terms',
  },
  externalDocs: {
    description: 'Guides, and a reference with requests to try.',
    url: 'http://localhost:3000/docs',
  },
  operations,
  tags,
  tagGroups: [
    { name: 'Building', tags: ['workspaces', 'members', 'credentials', 'folders', 'bots', 'publishing'] },
    { name: 'Running', tags: ['results', 'analytics', 'chat', 'webhooks', 'events'] },
    { name: 'Access', tags: ['current-user', 'tokens'] },
  ],
  besides,
  events: {
    tag: {
      id: 'events',
      name: 'Events',
      description: 'Events that the service posts to the webhook endpoints of a workspace.',
    },
    headers: signatureHeaders,
    delivery:
      'Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.',
    byType: events,
  },
  errors,
  issueCodes,
  headers: {
    ResultsRemaining: {
      description:
        'Results of the range and status from the cursor on, including those of this part. `answerContains` and `variable` are applied later, so there can be fewer lines.',
      required: true,
      schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      example: 125_000,
    },
    FileName: {
      description: 'Name under which browsers save the file.',
      required: true,
      schema: { type: 'string', maxLength: 255, pattern: '^attachment; filename="[^"]+"$' },
      example: 'attachment; filename="results-01jr5x2e0p1y5s9x4n6q8r0t2w.csv"',
    },
  },
  permissionOf,
  scopeOf: publishedScopeOf,
  aboutTokens:
    'An access token of a user. The first start of the service prints one; the operation that creates tokens and the admin command create more.',
}
