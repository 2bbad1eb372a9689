import { sql } from 'drizzle-orm'
import { insertToken } from './access/tokens.ts'
import { type Database, transact } from './db/client.ts'
import { users } from './db/schema.ts'
import { newId } from './ids.ts'
import { insertWorkspace } from './workspaces/rows.ts'

/**
 * On an empty database: a first user with a workspace and a token, which is the only time that the token is
 * seen. Undefined when there are users already, also when another process has just made the first.
 */
export async function createFirstUser(db: Database, now: Date): Promise<{ token: string } | undefined> {
  return transact(db, async (tx) => {
    // The row that migrations are locked with; it is there in every database.
    await tx.execute(sql`SELECT id FROM schema_lock WHERE id = 'migrations' FOR UPDATE`)
    const [existing] = await tx.select({ id: users.id }).from(users).limit(1)
    if (existing) return undefined
    const userId = newId(now)
    await tx.insert(users).values({
      id: userId,
      email: 'admin@example.com',
      name: 'Administrator',
      createdAt: now,
      updatedAt: now,
    })
    const properties = { name: 'My workspace', icon: null, resultsRetentionDays: null }
    await insertWorkspace(tx, userId, properties, now)
    const first = { userId, name: 'First token', scopes: null, workspaceId: null }
    const made = await insertToken(tx, first, { by: null, operation: 'first start' }, now)
    return made && { token: made.token }
  })
}
