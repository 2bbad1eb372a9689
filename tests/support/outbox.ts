import type { Database } from '../../server/db/client.ts'
import { shareOut } from '../../server/webhooks/outbox.ts'

/** Shares out all that steps have left. */
export async function shareAll(db: Database) {
  let left = { after: '', isMoreLeft: true }
  while (left.isMoreLeft) left = await shareOut(db, left.after, 64)
}
