import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { exampleIds, text } from '../shared.ts'
import { z } from '../zod.ts'

/** Tag of webhook events. With a tag of operations, generators would write two classes with one name. */
export const postedTags = {
  events: { name: 'Events', description: 'What the service posts to the webhook endpoints of a workspace.' },
}

const signatureHeaders = z.object({
  'webhook-id': text(64).meta({
    description: 'Id of the delivery, the same in every attempt: take a second one for a repeat.',
    example: exampleIds.webhookDelivery,
  }),
  'webhook-timestamp': text(20).meta({
    description: 'When this attempt was made, in whole seconds since 1970.',
    example: '1772713860',
  }),
  'webhook-signature': text(200).meta({
    description:
      'Signatures of `<webhook-id>.<webhook-timestamp>.<body>` as Standard Webhooks writes them, one for each valid secret, separated by a space.',
    example: 'v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=',
  }),
})

export function registerEvent(
  registry: OpenAPIRegistry,
  type: string,
  { when, body, example }: { when: string; body: z.ZodType; example: object },
) {
  const operationId = `on${type.replaceAll(/(?:^|\.)([a-z])/g, (_, first: string) => first.toUpperCase())}`
  registry.registerWebhook({
    method: 'post',
    path: type,
    operationId,
    tags: ['events'],
    'x-internal': false,
    summary: `Event \`${type}\``,
    description: `${when} Posted to the webhook endpoints of the workspace that want events of this type, at least once, and in order for one bot and for one result.`,
    security: [],
    request: {
      headers: signatureHeaders,
      body: {
        required: true,
        description: 'The event; the bytes as they are sent are what is signed.',
        content: {
          'application/json': {
            schema: body,
            examples: {
              event: {
                summary: when,
                value: { type, timestamp: '2026-03-05T12:31:00.000Z', data: example },
              },
            },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'The event was taken.' },
      '410': { description: 'The endpoint is gone: nothing is sent to it any more.' },
      '4XX': { description: 'It is sent again later.' },
    },
  } as unknown as Parameters<OpenAPIRegistry['registerWebhook']>[0])
}
