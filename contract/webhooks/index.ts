import { cursor, limit, nextCursor, readOnly, successBody, successExample } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { define, workspace } from '../operation.ts'
import { exampleIds } from '../shared.ts'
import {
  createdBody,
  deliveryBody,
  deliveryId,
  description,
  endpointBody,
  endpointId,
  exampleDelivery,
  exampleEndpoint,
  exampleSecret,
  isEnabled,
  rotatedBody,
  types,
  url,
  webhookDelivery,
  webhookEndpoint,
  workspaceId,
} from './schemas.ts'

const one = { one: { summary: 'One endpoint', value: { webhookEndpoint: exampleEndpoint } } }

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
    description: 'Returns the endpoints that receive the events of the workspace, newest first.',
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
      'Adds an address that receives the events of the workspace from now on, signed as Standard Webhooks says. No other response shows the secret. A workspace has at most 20 endpoints.',
    preparesFirst: true,
    access: workspace('ADMIN'),
    isAudited: true,
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
      body: createdBody,
      location: '/v1/workspaces/{webhookEndpoint.workspaceId}/webhookEndpoints/{webhookEndpoint.id}',
      secretOf: 'webhookEndpoint.id',
      examples: {
        shown: {
          summary: 'With its secret',
          value: { webhookEndpoint: { ...exampleEndpoint, secret: exampleSecret } },
        },
      },
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
    isConditional: true,
    success: { status: 200, description: 'The endpoint as it is now.', body: endpointBody, examples: one },
  },
  updateWebhookEndpoint: {
    method: 'patch',
    path: `${endpoints}/{endpointId}`,
    tag: 'webhooks',
    summary: 'Update a webhook endpoint',
    description:
      'Changes the given properties and keeps the rest. Enabling an endpoint or giving it another address sends its waiting deliveries within seconds. Another address enables an endpoint that the service disabled.',
    preparesFirst: true,
    access: workspace('ADMIN'),
    isAudited: true,
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
      .meta({ id: 'WebhookEndpointUpdate', description: 'Changes; absent properties stay as they are.' }),
    requestExamples: { pause: { summary: 'Pause', value: { isEnabled: false } } },
    isConditional: true,
    success: { status: 200, description: 'The endpoint as it is now.', body: endpointBody, examples: one },
  },
  deleteWebhookEndpoint: {
    method: 'delete',
    path: `${endpoints}/{endpointId}`,
    tag: 'webhooks',
    summary: 'Delete a webhook endpoint',
    description: 'Deletes an endpoint with its deliveries. Waiting deliveries are not sent.',
    access: workspace('ADMIN'),
    isAudited: true,
    params: endpointParams,
    isConditional: true,
    success: {
      status: 200,
      description: 'The endpoint is deleted.',
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
      'Queues an event of type `endpoint.test` for the endpoint and returns the delivery, even if the endpoint is disabled or subscribes to other types. Get the delivery shortly after to see its outcome. An endpoint that is not enabled gets one attempt.',
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
      'Creates a new secret and shows it this once. For 24 hours events are signed with both, so that receivers can change over. Only two are ever in use: one that was already replaced ends at once.',
    preparesFirst: true,
    access: workspace('ADMIN'),
    isAudited: true,
    params: endpointParams,
    success: {
      status: 200,
      description: 'The new secret, shown this once.',
      body: rotatedBody,
      secretOf: 'endpointId',
      examples: {
        shown: {
          summary: 'The new secret',
          value: {
            endpointId: exampleIds.webhookEndpoint,
            secret: exampleSecret,
            previousSecretExpiresAt: '2026-03-05T10:15:30.120Z',
          },
        },
      },
    },
  },
  listWebhookDeliveries: {
    method: 'get',
    path: `${endpoints}/{endpointId}/deliveries`,
    tag: 'webhooks',
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Returns sent and waiting deliveries, newest first. Deliveries are retained for 30 days.',
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
      'Queues the same event under the same `webhook-id` once more, whatever its outcome, with all its attempts. If an attempt is under way, it is sent after that one. Get the delivery to see its outcome. An endpoint that is not enabled gets only test events again. An event of a deleted result is not sent again: that is a conflict.',
    access: workspace('ADMIN'),
    params: deliveryParams,
    errors: ['CONFLICT'],
    errorExamples: {
      CONFLICT: {
        summary: 'Its result was deleted',
        issues: [
          {
            path: ['path', 'deliveryId'],
            code: 'result_deleted',
            message: 'The result of this event was deleted, so it is not sent again',
          },
        ],
      },
    },
    success: {
      status: 200,
      description: 'The delivery is pending again.',
      body: successBody,
      examples: successExample,
    },
  },
})
