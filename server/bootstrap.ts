import { sql } from 'drizzle-orm'
import { insertToken } from './access/tokens.ts'
import { type Database, transact } from './db/client.ts'
import { users } from './db/schema.ts'
import { insertWorkspace } from './handlers/workspaces.ts'
import { newId } from './ids.ts'

/**
 * On an empty database: a first user with a workspace, and a token where there is somebody to see it. Undefined
 * when there are users already, also when another process has just made the first.
 */
export async function createFirstUser(
  db: Database,
  now: Date,
  wantsToken: boolean,
): Promise<{ email: string; token: string | undefined } | undefined> {
  return transact(db, async (tx) => {
    // The row that migrations are locked with; it is there in every database.
    await tx.execute(sql`SELECT id FROM schema_lock WHERE id = 'migrations' FOR UPDATE`)
    const [existing] = await tx.select({ id: users.id }).from(users).limit(1)
    if (existing) return undefined
    const userId = newId(now)
    const email = 'admin@example.com'
    await tx.insert(users).values({
      id: userId,
      email,
      name: 'Administrator',
      createdAt: now,
      updatedAt: now,
    })
    await insertWorkspace(tx, userId, 'My workspace', null, now)
    if (!wantsToken) return { email, token: undefined }
    const { token } = await insertToken(tx, userId, 'First token', undefined, now)
    return { email, token }
  })
}
