import type { Issue } from '../../contract/errors.ts'
import type { WebhooksHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'
import { entityTag } from '../entity-tags.ts'
import { findRejection } from '../outbound/client.ts'
import { payloadOf } from '../webhooks/bodies.ts'
import {
  type DeliveryRow,
  deleteEndpoint,
  deliveryOf,
  deliveryPage,
  type EndpointRow,
  endpointOf,
  endpointState,
  endpointsOf,
  type FullDelivery,
  insertEndpoint,
  insertTest,
  redeliver,
  rotateSecret,
  updateEndpoint,
} from '../webhooks/endpoints.ts'
import { openSecrets } from '../webhooks/secrets.ts'
import { newSecret } from '../webhooks/signature.ts'
import { readKey } from './credentials.ts'

const tooManyEndpoints: Issue = {
  path: ['path', 'workspaceId'],
  code: 'quota_exceeded',
  message: 'The workspace has 20 webhook endpoints, which is the maximum; delete one first',
}

export const webhooks: WebhooksHandlers<Contexts> = {
  async listWebhookEndpoints(_request, respond, { db, grant }) {
    return respond.ok({ webhookEndpoints: (await endpointsOf(db, grant)).map(toEndpoint) })
  },

  async createWebhookEndpoint({ body }, respond, context) {
    const { grant, now, within } = context
    const issue = await checkUrl(body.url, context)
    if (issue) return respond.fail('BAD_REQUEST', [issue])
    const key = await readKey(context)
    if (!key) return respond.fail('SERVICE_UNAVAILABLE', [noKey])
    const secret = newSecret()
    return within(async (db) => {
      const row = await insertEndpoint(db, grant, body, key, secret, now)
      if (row === 'full') return respond.fail('FORBIDDEN', [tooManyEndpoints])
      if (row === 'deleted') return respond.fail('NOT_FOUND')
      return respond.ok({ webhookEndpoint: { ...toEndpoint(row), secret } })
    })
  },

  async getWebhookEndpoint({ params, conditions }, respond, { db, grant }) {
    const row = await endpointOf(db, grant, params.endpointId)
    if (!row) return respond.fail('NOT_FOUND')
    const etag = tagOf(row)
    return respond.notModified(conditions, etag) ?? respond.ok({ webhookEndpoint: toEndpoint(row) }, etag)
  },

  async updateWebhookEndpoint({ params, body, conditions }, respond, context) {
    const { grant, now, within } = context
    const { url, description, types, isEnabled } = body
    const issue = await checkUrl(url, context)
    return within(async (db) => {
      if (!(await endpointOf(db, grant, params.endpointId))) return respond.fail('NOT_FOUND')
      if (issue) return respond.fail('BAD_REQUEST', [issue])
      const change = {
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(types === undefined ? {} : { types }),
        ...(isEnabled === undefined ? {} : { isEnabled }),
      }
      const outcome = await updateEndpoint(db, grant, params.endpointId, change, conditions, now)
      if (!outcome) return respond.fail('NOT_FOUND')
      if ('stale' in outcome) return respond.preconditionFailed(conditions, tagOf(outcome.stale))
      return respond.ok({ webhookEndpoint: toEndpoint(outcome) }, tagOf(outcome))
    })
  },

  async deleteWebhookEndpoint({ params, conditions }, respond, { db, grant, now }) {
    const outcome = await deleteEndpoint(db, grant, params.endpointId, conditions, now)
    if (!outcome) return respond.fail('NOT_FOUND')
    if (outcome !== true) return respond.preconditionFailed(conditions, tagOf(outcome.stale))
    return respond.ok({ message: 'success' })
  },

  async testWebhookEndpoint({ params }, respond, { db, grant, now }) {
    const endpoint = await endpointOf(db, grant, params.endpointId)
    if (!endpoint) return respond.fail('NOT_FOUND')
    return respond.ok({ webhookDelivery: withPayload(await insertTest(db, endpoint, now)) })
  },

  async rotateWebhookSecret({ params }, respond, context) {
    const { grant, now, keyring, slot, within } = context
    const { endpointId } = params
    const key = await readKey(context)
    if (!key) return respond.fail('SERVICE_UNAVAILABLE', [noKey])
    const keys = await slot.releaseDuring(() => keyring.read())
    const secret = newSecret()
    const open = (row: EndpointRow) => openSecrets(row, keys)
    return within(async (db) => {
      const rotated = await rotateSecret(db, grant, endpointId, key, secret, open, now)
      if (!rotated) return respond.fail('NOT_FOUND')
      return respond.ok({
        endpointId,
        secret,
        previousSecretExpiresAt: rotated.rotatesUntil.toISOString(),
      })
    })
  },

  async listWebhookDeliveries({ params, query }, respond, { db, grant, cursorKey }) {
    const scope = ['webhook deliveries', grant.workspace.id, params.endpointId]
    const list = await readPage(cursorKey, scope, query, (position, limit) =>
      deliveryPage(db, grant, params.endpointId, position, limit),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    // A delivery proves that the endpoint exists; only an empty page needs a query.
    if (list.page.length === 0 && !(await endpointOf(db, grant, params.endpointId))) {
      return respond.fail('NOT_FOUND')
    }
    return respond.ok({ webhookDeliveries: list.page.map(toDelivery), nextCursor: list.nextCursor })
  },

  async getWebhookDelivery({ params }, respond, { db, grant }) {
    const row = await deliveryOf(db, grant, params.endpointId, params.deliveryId)
    return row ? respond.ok({ webhookDelivery: withPayload(row) }) : respond.fail('NOT_FOUND')
  },

  async redeliverWebhookDelivery({ params }, respond, { db, grant }) {
    const isDue = await redeliver(db, grant, params.endpointId, params.deliveryId)
    if (isDue === undefined) return respond.fail('NOT_FOUND')
    if (isDue === 'deleted') {
      const message = 'The result of this event was deleted, so it is not sent again'
      return respond.fail('CONFLICT', [{ path: ['path', 'deliveryId'], code: 'result_deleted', message }])
    }
    return isDue ? respond.ok({ message: 'success' }) : respond.fail('BAD_REQUEST', [notEnabled])
  },
}

const noKey: Issue = {
  path: [],
  code: 'no_encryption_key',
  message:
    'This installation has no key to encrypt the secret with: the operator has to set ENCRYPTION_KEY, or finds the cause in the log',
}

const notEnabled: Issue = {
  path: ['path', 'endpointId'],
  code: 'invalid_value',
  message: 'The endpoint is not enabled, so nothing is sent to it: enable it first',
}

/** Looks up the host of an address before a transaction begins; returns an issue of the address. */
async function checkUrl(
  url: string | undefined,
  { config, slot }: Contexts['anyone'],
): Promise<Issue | undefined> {
  if (url === undefined) return undefined
  const message = await slot.releaseDuring(() =>
    findRejection(url, { allowedHosts: config.OUTBOUND_ALLOWED_HOSTS }),
  )
  if (message === undefined) return undefined
  return {
    path: ['body', 'url'],
    code: 'private_address',
    message: `${message}; the operator allows hosts with OUTBOUND_ALLOWED_HOSTS`,
  }
}

function tagOf(row: EndpointRow): string {
  return entityTag(endpointState(row), null)
}

type Endpoint = components['schemas']['WebhookEndpoint']

function toEndpoint(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    url: row.url,
    description: row.description,
    // Only types of the contract are written.
    types: row.types as Endpoint['types'],
    isEnabled: row.isEnabled,
    disabledReason: row.disabledReason,
    failingSince: row.failingSince?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

function toDelivery(row: DeliveryRow): components['schemas']['WebhookDelivery'] {
  const { nextAttemptAt: next } = row
  return {
    id: row.id,
    type: row.type,
    status: row.isDelivered ? 'delivered' : next === null ? 'failed' : 'pending',
    createdAt: row.createdAt.toISOString(),
    attempts: row.attempts,
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    lastStatus: row.lastStatus,
    lastError: row.lastError,
    lastDuration: row.lastDuration,
    // A delivery due immediately has the epoch as its time, or a slightly later one behind another delivery.
    nextAttemptAt: next && next > row.createdAt ? next.toISOString() : null,
  }
}

function withPayload(row: FullDelivery): components['schemas']['WebhookDeliveryWithPayload'] {
  return { ...toDelivery(row), payload: JSON.parse(payloadOf(row, row.data)) }
}
