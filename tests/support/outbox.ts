import type { Database } from '../../server/db/client.ts'
import { type Left, shareOut } from '../../server/webhooks/outbox.ts'

/** Where sharing out begins. */
export const first: Left = { after: '', isMoreLeft: true }

/** Shares out all that steps have left. */
export async function shareAll(db: Database) {
  let left = first
  while (left.isMoreLeft) left = await shareOut(db, left, 64)
}
