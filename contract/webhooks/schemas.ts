import { eventTypes } from '../events.ts'
import { recordId, text, timestamp } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { exampleIds } from '../shared.ts'

export const workspaceId = recordId(
  'Id of the workspace, as create and list return it.',
  exampleIds.workspace,
)
export const endpointId = recordId(
  'Id of the endpoint, as create and list return it.',
  exampleIds.webhookEndpoint,
)
export const deliveryId = recordId(
  'Id of the delivery, which receivers get as `webhook-id`.',
  exampleIds.webhookDelivery,
)

export const url = text(2048, 1)
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/]/, { error: 'Expected an http or https URL' })
  .refine((value) => URL.canParse(value), { error: 'Expected an http or https URL', abort: true })
  .refine((value) => !/^\w+:\/\/[^/?#]*@/.test(value), {
    error: 'Expected a URL without user name and password; verify the signature of events instead',
  })
  .meta({
    format: 'uri',
    minLength: 1,
    maxLength: 2048,
    description:
      'URL that events are posted to. Private addresses are rejected unless the installation allows them; redirects are not followed.',
    example: 'https://example.com/webhooks/bots',
  })

const eventType = z.enum(eventTypes).meta({
  id: 'EventType',
  description: 'Type of an event. The list is open: later versions add types.',
})

export const types = z
  .array(eventType)
  .min(1)
  .max(100)
  .nullable()
  .meta({
    description: 'Types of the events that are sent; null means all, also those of later versions.',
    example: ['result.completed'],
  })

export const description = text(255)
  .nullable()
  .meta({ description: 'Purpose of the endpoint, or null.', example: 'CRM' })

export const isEnabled = z.boolean().meta({
  description:
    'True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again.',
  example: true,
})

const properties = {
  id: endpointId,
  workspaceId,
  url: text(2048).meta({
    description: 'URL that events are posted to.',
    example: 'https://example.com/webhooks/bots',
  }),
  description,
  types,
  isEnabled,
  disabledReason: text(20).nullable().meta({
    description:
      'Reason why the service disabled it: it returned 410 (`gone`), or failed for five days without a success (`failing`). Null otherwise.',
    example: null,
  }),
  failingSince: timestamp('Start of the failures.').nullable().meta({
    description: 'Start of the failures: every attempt since has failed. Null while the last one succeeded.',
    example: null,
  }),
  createdAt: timestamp('When the endpoint was created.'),
  updatedAt: timestamp('When the endpoint was last changed.'),
}

export const webhookEndpoint = z
  .object(properties)
  .meta({ id: 'WebhookEndpoint', description: 'An address that receives events, without its secret.' })

export const secret = text(64).meta({
  description: 'The key of the signatures, in the form of Standard Webhooks. It is shown only here.',
  example: 'whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0=',
})

const webhookEndpointWithSecret = z
  .object({ ...properties, secret })
  .meta({ id: 'WebhookEndpointWithSecret', description: 'A new endpoint with its secret.' })

export const endpointBody = z
  .object({ webhookEndpoint })
  .meta({ id: 'WebhookEndpointBody', description: 'One endpoint, without its secret.' })

export const createdBody = z
  .object({ webhookEndpoint: webhookEndpointWithSecret })
  .meta({ id: 'WebhookEndpointWithSecretBody', description: 'A new endpoint with its secret.' })

export const rotatedBody = z
  .object({
    endpointId,
    secret,
    previousSecretExpiresAt: timestamp(
      'End of the previous secret, 24 hours from now; until then events are signed with both.',
    ),
  })
  .meta({ id: 'RotatedWebhookSecret', description: 'The new secret of an endpoint, shown this once.' })

const deliveryProperties = {
  id: deliveryId,
  type: text(100).meta({ description: 'The type of the event.', example: 'result.completed' }),
  status: z.enum(['pending', 'delivered', 'failed']).meta({
    description:
      '`pending`: still to be sent. `delivered`: accepted. `failed`: given up after the last attempt.',
    example: 'delivered',
  }),
  createdAt: timestamp('Time of the event.'),
  attempts: z
    .int()
    .min(0)
    .max(1000)
    .meta({ description: 'Number of attempts; this only grows.', example: 1 }),
  lastAttemptAt: timestamp('When it was last sent.')
    .nullable()
    .meta({ description: 'When it was last sent; null when never.' }),
  lastStatus: z
    .int()
    .min(100)
    .max(999)
    .nullable()
    .meta({ description: 'Status of the last response; null if none came.', format: 'int32', example: 200 }),
  lastError: text(500).nullable().meta({
    description: 'Reason why no response came; null if one did, also a redirect, which is not followed.',
    example: null,
  }),
  lastDuration: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .nullable()
    .meta({ description: 'Milliseconds that the last attempt took.', format: 'int32', example: 120 }),
  nextAttemptAt: timestamp('When it will be sent next.').nullable().meta({
    description: 'When it will be sent next; null when it is due now, or is not sent again.',
    example: null,
  }),
}

export const webhookDelivery = z
  .object(deliveryProperties)
  .meta({ id: 'WebhookDelivery', description: 'An event on its way to an endpoint.' })

export const deliveryBody = z
  .object({
    webhookDelivery: z
      .object({
        ...deliveryProperties,
        payload: z.record(text(100), z.unknown()).meta({
          description: 'The body that is posted, as an object.',
          // An empty schema means the same, but adds a level in generated clients.
          additionalProperties: true,
          maxProperties: 100,
          example: { type: 'result.completed' },
        }),
      })
      .meta({ id: 'WebhookDeliveryWithPayload', description: 'A delivery with its payload.' }),
  })
  .meta({ id: 'WebhookDeliveryBody', description: 'One delivery with its payload.' })

export const exampleEndpoint = {
  id: exampleIds.webhookEndpoint,
  workspaceId: exampleIds.workspace,
  url: 'https://example.com/webhooks/bots',
  description: 'CRM',
  types: ['result.completed'],
  isEnabled: true,
  disabledReason: null,
  failingSince: null,
  createdAt: '2026-03-04T10:15:30.120Z',
  updatedAt: '2026-03-04T10:15:30.120Z',
}

export const exampleSecret = 'whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0='

export const exampleDelivery = {
  id: exampleIds.webhookDelivery,
  type: 'result.completed',
  status: 'delivered',
  createdAt: '2026-03-05T12:31:00.000Z',
  attempts: 1,
  lastAttemptAt: '2026-03-05T12:31:00.080Z',
  lastStatus: 200,
  lastError: null,
  lastDuration: 120,
  nextAttemptAt: null,
}
