import { eq, sql } from 'drizzle-orm'
import { type Database, transact } from '../db/client.ts'
import { cursorKey } from '../db/migrate.ts'
import { installationKeys } from '../db/schema.ts'
import type { Keyring } from './keyring.ts'
import { encryptAnew, type Unreadable, usedKeys } from './sealed-rows.ts'

/**
 * Encrypts all credentials and secrets of webhook endpoints with a new key, or with the first of those that are set.
 * One process at a time does it: two would each put a key into the file that the other one does not know. Needs two
 * connections.
 */
export async function rotateKeys(
  db: Database,
  { read, add, dropUnused }: Keyring,
): Promise<{ key: string; encrypted: number; unreadable: Unreadable[] } | 'running' | 'no key'> {
  // The row is there from the first start on.
  await cursorKey(db)
  return transact(db, async (tx) => {
    // It is the lock, which ends with its process.
    const held = await tx
      .select({ name: installationKeys.name })
      .from(installationKeys)
      .where(eq(installationKeys.name, 'cursor'))
      .for('update', { skipLocked: true })
    if (held.length === 0) return 'running'
    const usedBefore = await usedKeys(db)
    const keys = add ? await add() : await read()
    const [key] = keys
    if (!key) return 'no key'
    // The transaction that has the lock may not be idle for long.
    const { encrypted, unreadable } = await encryptAnew(db, keys, () => tx.execute(sql`SELECT 1`))
    // A process that read the file before may write with a key that was used then, so such keys stay until the next
    // time.
    await dropUnused?.(new Set([...usedBefore, ...(await usedKeys(db))]))
    return { key: key.id, encrypted, unreadable }
  })
}
