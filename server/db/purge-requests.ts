import type { Transaction } from './client.ts'
import { purges } from './schema.ts'

/** Requests the removal of rows of a bot, in the transaction that deletes them. */
export async function requestPurge(tx: Transaction, botId: string, now: Date) {
  await tx
    .insert(purges)
    .values({ botId, requestedAt: now })
    .onConflictDoUpdate({ target: purges.botId, set: { requestedAt: now } })
}
