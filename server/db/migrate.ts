import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
 * it stays, and the next call goes on from there. `last` names the migration to stop after, for data of an
 * older release; a database that has more already stays as it is.
 */
export async function migrateDatabase(url: string, last?: string): Promise<void> {
  const holder = await connectTo(url)
  try {
    await lockSchema(holder)
    const worker = await connectTo(url)
    try {
      // A migration must not queue behind a long transaction while requests queue behind the migration. The limit
      // ends with the transaction, which the migrator takes for its own: a pooler hands the connection on.
      await worker.query(`BEGIN; ${withoutLimits}; SET LOCAL lock_timeout = '10s'`)
      await withMigrations(last, (migrationsFolder) => migrate(drizzle(worker), { migrationsFolder }))
    } finally {
      await worker.end()
    }
    await holder.query('COMMIT')
  } finally {
    await holder.end()
  }
}

const folder = fileURLToPath(new URL('migrations/', root))

interface Journal {
  entries: { tag: string; when: number }[]
}

async function readJournal(): Promise<Journal> {
  return JSON.parse(await readFile(join(folder, 'meta/_journal.json'), 'utf8'))
}

/** Drizzle runs all that a folder lists, so to stop early it gets a folder that lists fewer. */
async function withMigrations(last: string | undefined, work: (folder: string) => Promise<void>) {
  if (last === undefined) return work(folder)
  const journal = await readJournal()
  const end = journal.entries.findIndex(({ tag }) => tag === last)
  if (end < 0) throw new Error(`This release does not know the migration ${last}: it is older than the data`)
  const copy = await mkdtemp(join(tmpdir(), 'bots-migrations-'))
  try {
    await cp(folder, copy, { recursive: true })
    const entries = journal.entries.slice(0, end + 1)
    await writeFile(join(copy, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }))
    await work(copy)
  } finally {
    await rm(copy, { recursive: true })
  }
}

/** Throws unless the database has all migrations of this release, or those of a newer one. */
export async function requireMigrations(db: Database): Promise<void> {
  const newest = (await readJournal()).entries.at(-1)
  const { rows: known } = await db.$client.query("SELECT to_regclass('drizzle.__drizzle_migrations') AS at")
  const { rows } = known[0].at
    ? await db.$client.query('SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations')
    : { rows: [] }
  if (Number(rows[0]?.newest ?? 0) >= (newest?.when ?? 0)) return
  throw new Error('The database lacks migrations of this release: `admin migrate` makes them')
}

/** The name of the newest migration that the database has; undefined where it has none. */
export async function newestMigration(client: pg.Client): Promise<string | undefined> {
  const { rows: known } = await client.query("SELECT to_regclass('drizzle.__drizzle_migrations') AS at")
  if (known[0].at === null) return undefined
  const { rows } = await client.query('SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations')
  if (rows[0].newest === null) return undefined
  const entry = (await readJournal()).entries.find(({ when }) => when === Number(rows[0].newest))
  if (!entry) throw new Error('The database was migrated by a newer release than this one')
  return entry.tag
}

/** A connection of its own, which the caller has to end. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  })
  // Without a listener, a connection that is lost between two statements ends the process.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A role may carry limits that are meant for requests: a migration waits for others, and for its own work. */
const withoutLimits =
  'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'

/**
 * Begins a transaction that is alone at the schema and at making the first user. The lock is a row: it ends
 * with its process and passes through poolers.
 */
export async function lockSchema(client: pg.Client) {
  for (;;) {
    try {
      await client.query('CREATE TABLE IF NOT EXISTS schema_lock (id text PRIMARY KEY)')
      await client.query("INSERT INTO schema_lock (id) VALUES ('migrations') ON CONFLICT DO NOTHING")
      break
    } catch (error) {
      // Two processes that create the table at once: one of them fails, although it was asked not to.
      if (!/^(23505|42710|42P07|55P03|XX000)$/.test(sqlState(error) ?? '')) throw error
    }
  }
  await client.query(`BEGIN; ${withoutLimits}`)
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
