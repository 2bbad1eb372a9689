import { webhookEndpoints } from '../../server/db/schema.ts'
import { sealSecrets } from '../../server/webhooks/secrets.ts'
import { newSecret } from '../../server/webhooks/signature.ts'
import { currentKey } from '../../server/workspaces/sealed-rows.ts'
import type { App } from './app.ts'

/** Adds webhook endpoints, each with a secret of its own, without the bounds of `createWebhookEndpoint`. */
export async function addEndpoints(
  { db, keyring }: App,
  workspaceId: string,
  endpoints: readonly { id: string; url: string; types?: string[] | null }[],
) {
  const key = await currentKey(db, keyring)
  const now = new Date()
  await db.insert(webhookEndpoints).values(
    endpoints.map((endpoint) => ({
      ...endpoint,
      ...sealSecrets(key, { id: endpoint.id, workspaceId }, [newSecret()]),
      workspaceId,
      createdAt: now,
      updatedAt: now,
    })),
  )
}
