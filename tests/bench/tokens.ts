import { insertToken } from '../../server/access/tokens.ts'
import { connect } from '../../server/db/client.ts'
import { migrateDatabase } from '../../server/db/migrate.ts'
import { users } from '../../server/db/schema.ts'
import { newId } from '../../server/ids.ts'

/** Tokens of as many users, in the database that this fills. */
export async function makeTokens(url: string, count: number): Promise<string[]> {
  await migrateDatabase(url)
  const { db, pool } = connect({
    url,
    poolSize: 1,
    connectTimeout: 5_000,
    statementTimeout: 60_000,
    lockTimeout: 5_000,
    namedStatements: true,
    sessionSettings: true,
    onError: () => {},
  })
  const now = new Date()
  const tokens: string[] = []
  for (let at = 0; at < count; at++) {
    const id = newId(now)
    await db.insert(users).values({ id, email: `user-${at}@example.com`, createdAt: now, updatedAt: now })
    const wish = { userId: id, name: 'Benchmark', scopes: null, workspaceId: null }
    const made = await insertToken(db, wish, { by: null, operation: 'first start' }, now)
    if (!made) throw new Error('A user that was just made is not disabled')
    tokens.push(made.token)
  }
  await pool.end()
  return tokens
}
