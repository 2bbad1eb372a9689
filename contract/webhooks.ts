import { eventTypes } from './events.ts'
import { define, workspace } from './operation.ts'
import {
  cursor,
  exampleIds,
  limit,
  nextCursor,
  readOnly,
  recordId,
  successBody,
  successExample,
  text,
  timestamp,
} from './shared.ts'
import { z } from './zod.ts'

const workspaceId = recordId('Id of the workspace, as create and list answer it.', exampleIds.workspace)
const endpointId = recordId('Id of the endpoint, as create and list answer it.', exampleIds.webhookEndpoint)
const deliveryId = recordId(
  'Id of the delivery, which receivers get as `webhook-id`.',
  exampleIds.webhookDelivery,
)

const url = text(2048, 1)
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/]/, { error: 'Expected an http or https URL' })
  .refine((value) => URL.canParse(value), { error: 'Expected an http or https URL' })
  .meta({
    format: 'uri',
    minLength: 1,
    maxLength: 2048,
    description:
      'Where events are posted to. Private addresses are refused unless the installation allows them; redirects are not followed.',
    example: 'https://example.com/webhooks/bots',
  })

const eventType = z.enum(eventTypes).meta({
  id: 'EventType',
  description: 'What can happen. The list is open: later versions add types.',
})

const types = z
  .array(eventType)
  .min(1)
  .max(100)
  .nullable()
  .meta({
    description: 'Which events are sent; null means all, also those of later versions.',
    example: ['result.completed'],
  })

const description = text(255)
  .nullable()
  .meta({ description: 'What the endpoint is for, or null.', example: 'CRM' })

const isEnabled = z.boolean().meta({
  description:
    'Whether events are sent. What happens meanwhile is not kept; what was waiting already is sent once the endpoint is enabled again.',
  example: true,
})

const properties = {
  id: endpointId,
  workspaceId,
  url: text(2048).meta({
    description: 'Where events are posted to.',
    example: 'https://example.com/webhooks/bots',
  }),
  description,
  types,
  isEnabled,
  disabledReason: z.enum(['gone', 'failing']).nullable().meta({
    description:
      'Why the service disabled it: it answered 410 (`gone`), or failed for five days without a success (`failing`). Null otherwise.',
    example: null,
  }),
  failingSince: timestamp('Since when.').nullable().meta({
    description: 'Since when every attempt has failed; null while the last one succeeded.',
    example: null,
  }),
  createdAt: timestamp('When the endpoint was created.'),
  updatedAt: timestamp('When the endpoint was last changed.'),
}

const webhookEndpoint = z
  .object(properties)
  .meta({ id: 'WebhookEndpoint', description: 'An address that is told what happens, without its secret.' })

const secret = text(64).meta({
  description:
    'The key that signatures are made with, as Standard Webhooks writes it. It is shown only here.',
  example: 'whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0=',
})

const webhookEndpointWithSecret = z
  .object({ ...properties, secret })
  .meta({ id: 'WebhookEndpointWithSecret', description: 'An endpoint with a secret that was just made.' })

const endpointBody = z
  .object({ webhookEndpoint })
  .meta({ id: 'WebhookEndpointBody', description: 'One endpoint, without its secret.' })

const secretBody = z
  .object({ webhookEndpoint: webhookEndpointWithSecret })
  .meta({ id: 'WebhookEndpointWithSecretBody', description: 'One endpoint with its new secret.' })

const deliveryProperties = {
  id: deliveryId,
  type: text(100).meta({ description: 'The type of the event.', example: 'result.completed' }),
  status: z.enum(['pending', 'delivered', 'failed']).meta({
    description: 'Whether it is still to be sent, was taken, or was given up after the last attempt.',
    example: 'delivered',
  }),
  createdAt: timestamp('When the event happened.'),
  attempts: z.int().min(0).max(1000).meta({ description: 'How often it was sent.', example: 1 }),
  lastAttemptAt: timestamp('When it was last sent.')
    .nullable()
    .meta({ description: 'When it was last sent; null when never.' }),
  lastStatus: z
    .int()
    .min(100)
    .max(999)
    .nullable()
    .meta({ description: 'Status of the last answer; null where none came.', example: 200 }),
  lastError: text(500)
    .nullable()
    .meta({ description: 'Why no answer came; null where one did.', example: null }),
  lastDuration: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .nullable()
    .meta({ description: 'Milliseconds that the last attempt took.', example: 120 }),
  nextAttemptAt: timestamp('When it will be sent next.').nullable().meta({
    description: 'When it will be sent next; null when it is due now, or is not sent again.',
    example: null,
  }),
}

const webhookDelivery = z
  .object(deliveryProperties)
  .meta({ id: 'WebhookDelivery', description: 'An event on its way to an endpoint.' })

const deliveryBody = z
  .object({
    webhookDelivery: z
      .object({
        ...deliveryProperties,
        payload: z.record(text(100), z.unknown()).meta({
          description: 'The body that is posted, as an object.',
          example: { type: 'result.completed' },
        }),
      })
      .meta({ id: 'WebhookDeliveryWithPayload', description: 'A delivery with its payload.' }),
  })
  .meta({ id: 'WebhookDeliveryBody', description: 'One delivery with its payload.' })

const exampleEndpoint = {
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

const exampleSecret = 'whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0='

const exampleDelivery = {
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

const one = { one: { summary: 'One endpoint', value: { webhookEndpoint: exampleEndpoint } } }
const withSecret = {
  shown: {
    summary: 'With its secret',
    value: { webhookEndpoint: { ...exampleEndpoint, secret: exampleSecret } },
  },
}

const endpoints = '/v1/workspaces/{workspaceId}/webhookEndpoints' as const
const params = z.object({ workspaceId })
const endpointParams = z.object({ workspaceId, endpointId })
const deliveryParams = z.object({ workspaceId, endpointId, deliveryId })

export const webhooks = define({
  listWebhookEndpoints: {
    method: 'get',
    path: endpoints,
    tag: 'webhooks',
    summary: 'List the webhook endpoints of a workspace',
    description: 'Returns the endpoints that are told what happens in the workspace, newest first.',
    access: workspace('ADMIN'),
    params,
    success: {
      status: 200,
      description: 'The endpoints, newest first.',
      body: z
        .object({
          webhookEndpoints: z
            .array(webhookEndpoint)
            .max(100)
            .meta({ description: 'The endpoints, newest first.' }),
        })
        .meta({ id: 'WebhookEndpointList', description: 'The webhook endpoints of a workspace.' }),
      examples: { one: { summary: 'One endpoint', value: { webhookEndpoints: [exampleEndpoint] } } },
    },
  },
  createWebhookEndpoint: {
    method: 'post',
    path: endpoints,
    tag: 'webhooks',
    summary: 'Create a webhook endpoint',
    description:
      'Adds an address that every event of the workspace is posted to from now on, signed as Standard Webhooks says. This answer is the only one that shows the secret. A workspace has at most 20 endpoints.',
    access: workspace('ADMIN'),
    params,
    body: z
      .strictObject({
        url,
        description: description.optional(),
        types: types.optional(),
        isEnabled: isEnabled.optional(),
      })
      .meta({ id: 'WebhookEndpointCreate', description: 'The endpoint to create.' }),
    requestExamples: {
      completed: {
        summary: 'Completed results',
        value: { url: 'https://example.com/webhooks/bots', types: ['result.completed'] },
      },
    },
    success: {
      status: 201,
      description: 'The new endpoint with its secret, shown this once.',
      body: secretBody,
      location: '/v1/workspaces/{webhookEndpoint.workspaceId}/webhookEndpoints/{webhookEndpoint.id}',
      secretOf: 'webhookEndpoint.id',
      examples: withSecret,
    },
  },
  getWebhookEndpoint: {
    method: 'get',
    path: `${endpoints}/{endpointId}`,
    tag: 'webhooks',
    summary: 'Get a webhook endpoint',
    description: 'Returns one endpoint, without its secret.',
    access: workspace('ADMIN'),
    params: endpointParams,
    success: { status: 200, description: 'The endpoint.', body: endpointBody, examples: one },
  },
  updateWebhookEndpoint: {
    method: 'patch',
    path: `${endpoints}/{endpointId}`,
    tag: 'webhooks',
    summary: 'Update a webhook endpoint',
    description:
      'Changes what is given and keeps the rest. Enabling an endpoint that the service disabled sends what waits for it.',
    access: workspace('ADMIN'),
    params: endpointParams,
    body: z
      .strictObject({
        url: url.optional(),
        description: description.optional(),
        types: types.optional(),
        isEnabled: isEnabled.optional(),
        id: readOnly('id'),
        workspaceId: readOnly('id of the workspace'),
        disabledReason: readOnly('reason'),
        failingSince: readOnly('time'),
        createdAt: readOnly('time'),
        updatedAt: readOnly('time'),
      })
      .meta({ id: 'WebhookEndpointUpdate', description: 'What to change.' }),
    requestExamples: { pause: { summary: 'Pause', value: { isEnabled: false } } },
    success: { status: 200, description: 'The endpoint as it is now.', body: endpointBody, examples: one },
  },
  deleteWebhookEndpoint: {
    method: 'delete',
    path: `${endpoints}/{endpointId}`,
    tag: 'webhooks',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing is sent to it any more, also not what was waiting; its deliveries are removed.',
    access: workspace('ADMIN'),
    params: endpointParams,
    success: {
      status: 200,
      description: 'The endpoint is gone.',
      body: successBody,
      examples: successExample,
    },
  },
  testWebhookEndpoint: {
    method: 'post',
    path: `${endpoints}/{endpointId}/test`,
    tag: 'webhooks',
    summary: 'Send a test event',
    description:
      'Puts an event of type `endpoint.test` on its way to the endpoint, also where it is disabled or wants other types, and returns the delivery, which tells a moment later what came of it.',
    access: workspace('ADMIN'),
    params: endpointParams,
    success: {
      status: 200,
      description: 'The delivery of the test event.',
      body: deliveryBody,
      examples: {
        sent: {
          summary: 'On its way',
          value: {
            webhookDelivery: {
              ...exampleDelivery,
              type: 'endpoint.test',
              status: 'pending',
              attempts: 0,
              lastAttemptAt: null,
              lastStatus: null,
              lastDuration: null,
              payload: {
                type: 'endpoint.test',
                timestamp: '2026-03-05T12:31:00.000Z',
                data: { endpointId: exampleIds.webhookEndpoint },
              },
            },
          },
        },
      },
    },
  },
  rotateWebhookSecret: {
    method: 'post',
    path: `${endpoints}/{endpointId}/rotateSecret`,
    tag: 'webhooks',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Makes a new secret and shows it this once. For 24 hours events are signed with both, so that receivers can change over.',
    access: workspace('ADMIN'),
    params: endpointParams,
    success: {
      status: 200,
      description: 'The endpoint with its new secret, shown this once.',
      body: secretBody,
      secretOf: 'webhookEndpoint.id',
      examples: withSecret,
    },
  },
  listWebhookDeliveries: {
    method: 'get',
    path: `${endpoints}/{endpointId}/deliveries`,
    tag: 'webhooks',
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Returns what was sent and what waits, newest first. Deliveries are kept for 30 days.',
    access: workspace('ADMIN'),
    params: endpointParams,
    query: z.strictObject({ limit, cursor }),
    success: {
      status: 200,
      description: 'A page of deliveries, newest first.',
      body: z
        .object({
          webhookDeliveries: z
            .array(webhookDelivery)
            .max(100)
            .meta({ description: 'The deliveries, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'WebhookDeliveryPage', description: 'A page of deliveries.' }),
      examples: {
        one: { summary: 'One delivery', value: { webhookDeliveries: [exampleDelivery], nextCursor: null } },
      },
    },
  },
  getWebhookDelivery: {
    method: 'get',
    path: `${endpoints}/{endpointId}/deliveries/{deliveryId}`,
    tag: 'webhooks',
    summary: 'Get a webhook delivery',
    description: 'Returns one delivery with the payload that is posted.',
    access: workspace('ADMIN'),
    params: deliveryParams,
    success: {
      status: 200,
      description: 'The delivery with its payload.',
      body: deliveryBody,
      examples: {
        one: {
          summary: 'One delivery',
          value: { webhookDelivery: { ...exampleDelivery, payload: { type: 'result.completed' } } },
        },
      },
    },
  },
  redeliverWebhookDelivery: {
    method: 'post',
    path: `${endpoints}/{endpointId}/deliveries/{deliveryId}/redeliver`,
    tag: 'webhooks',
    summary: 'Send a delivery again',
    description:
      'Puts the same event under the same `webhook-id` on its way once more, whatever came of it before, with all its attempts.',
    access: workspace('ADMIN'),
    params: deliveryParams,
    success: {
      status: 200,
      description: 'The delivery, which is pending again.',
      body: deliveryBody,
      examples: {
        again: {
          summary: 'Pending again',
          value: {
            webhookDelivery: {
              ...exampleDelivery,
              status: 'pending',
              attempts: 0,
              payload: { type: 'result.completed' },
            },
          },
        },
      },
    },
  },
})
