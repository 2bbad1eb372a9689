import type { OperationId } from '../../contract/index.ts'
import type { components } from '../../generated/openapi.ts'
import type { Services } from '../context.ts'
import { readKey } from './credentials.ts'
import { refusedUrl } from './webhooks.ts'

type Preparation = (request: { body: unknown }, services: Services) => Promise<unknown>

/*
 * Operations look up names and read files here, before the transaction of a request with a key begins: it holds a
 * connection, and in it nothing but the database is waited for.
 */
export const preparations = {
  createWebhookEndpoint: async (request, services) => ({
    issue: await refusedUrl((request.body as { url: string }).url, services.config),
    key: await readKey(services),
  }),
  rotateWebhookSecret: async (_request, services) => {
    const key = await readKey(services)
    return { key, keys: key ? await services.keyring.read() : [] }
  },
  updateWebhookEndpoint: async (request, { config }) =>
    refusedUrl((request.body as { url?: string }).url, config),
  createCredentials: async (_request, services) => readKey(services),
  updateCredentials: async (request, services) =>
    (request.body as components['schemas']['CredentialsUpdate']).data && readKey(services),
} satisfies Partial<Record<OperationId, Preparation>>
