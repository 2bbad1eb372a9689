import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { root } from '../root.ts'
import { type Database, sqlState } from './client.ts'
import { installationKeys } from './schema.ts'

/**
 * Brings the database to the newest migration. Safe when several processes start at once: a row lock lets
 * one of them work while the others wait. Ends with the first error of a migration; what committed before
 * it stays, and the next call goes on from there.
 */
export async function migrateDatabase(url: string): Promise<void> {
  const holder = await connectTo(url)
  try {
    await takeLock(holder)
    const worker = await connectTo(url)
    try {
      // A migration must not queue behind a long transaction while requests queue behind the migration.
      await worker.query("SET lock_timeout = '10s'")
      await migrate(drizzle(worker), { migrationsFolder: fileURLToPath(new URL('migrations/', root)) })
    } finally {
      await worker.end()
    }
    await holder.query('COMMIT')
  } finally {
    await holder.end()
  }
}

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  // Without a listener, a connection that is lost between two statements ends the process.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The lock is a row, held by an open transaction: it ends with its process and passes through poolers. */
async function takeLock(client: pg.Client) {
  for (;;) {
    try {
      await client.query('CREATE TABLE IF NOT EXISTS schema_lock (id text PRIMARY KEY)')
      await client.query("INSERT INTO schema_lock (id) VALUES ('migrations') ON CONFLICT DO NOTHING")
      break
    } catch (error) {
      // Two processes that create the table at once: one of them fails, although it was asked not to.
      if (!/^(23505|42710|42P07|XX000)$/.test(sqlState(error) ?? '')) throw error
    }
  }
  await client.query('BEGIN')
  await client.query("SELECT id FROM schema_lock WHERE id = 'migrations' FOR UPDATE")
}

/** The key of the installation that authenticates cursors, made by the first process that asks. */
export async function cursorKey(db: Database): Promise<Buffer> {
  await db
    .insert(installationKeys)
    .values({ name: 'cursor', key: randomBytes(32) })
    .onConflictDoNothing()
  const [row] = await db.select().from(installationKeys)
  if (!row) throw new Error('The key of the installation is missing')
  return row.key
}
