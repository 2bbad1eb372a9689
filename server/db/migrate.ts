import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import type pg from 'pg'
import type { Logger } from 'pino'
import { root } from '../root.ts'
import type { Database } from './client.ts'
import { sqlState } from './errors.ts'
import { enoughLocks, growingTables, lostBySplitting, onPartitions, splitTable } from './partitions.ts'
import { installationKeys } from './schema.ts'
import { beginWithoutLimits, connectTo, runAlone } from './session.ts'

/**
 * Brings the database to the newest migration, each in a transaction of its own. Safe when several processes start
 * concurrently: with a row lock one of them works while the others wait. Ends with the first error of a migration;
 * earlier migrations stay committed, and the next call continues after them. `last` names the migration to stop
 * after, for data of an older release; a database that has more already stays as it is. `folder` has the migrations.
 */
export async function migrateDatabase(
  url: string,
  { last, log, folder = ownFolder }: { last?: string; log?: Logger; folder?: string } = {},
): Promise<void> {
  const migrations = await readMigrations(folder, last)
  const named = { application_name: 'bot-builder-service migration' }
  const holder = await connectTo(url, named)
  let waits: { stop: () => void } | undefined
  try {
    await requireUnicode(holder)
    await lockSchema(holder, 'migrations', log)
    const worker = await connectTo(url, named)
    waits = log && watchWaits(url, worker, log)
    try {
      await worker.query('CREATE SCHEMA IF NOT EXISTS drizzle')
      await worker.query(
        'CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)',
      )
      for (;;) {
        const next = await firstMissing(worker, migrations)
        if (!next) break
        if (!next.sql.some(isConcurrent)) {
          await applyAtOnce(worker, next)
          continue
        }
        // The release before waits for the other lock with an open snapshot, for which building an index would wait.
        await holder.query('COMMIT')
        await lockSchema(holder, 'indexes')
        if ((await firstMissing(worker, migrations)) === next) await applyOneByOne(worker, next)
        await holder.query('COMMIT')
        await lockSchema(holder)
      }
    } finally {
      await worker.end()
    }
    await holder.query('COMMIT')
  } finally {
    waits?.stop()
    await holder.end()
  }
}

/** Any other encoding lacks characters that people write, and functions that statements use. */
async function requireUnicode(client: pg.Client) {
  const { rows } = await client.query('SHOW server_encoding')
  const [{ server_encoding: encoding }] = rows
  if (encoding === 'UTF8') return
  throw new Error(
    `The database has the encoding ${encoding}, which lacks characters that people write: make one with ENCODING 'UTF8' and TEMPLATE template0`,
  )
}

/** Delay before a start first logs that it waits for others, and interval of further messages, in milliseconds. */
const FIRST_WAIT_MS = 2_000
const NEXT_WAIT_MS = 30_000

/** Sessions without the text of their statements, which may contain texts of users. */
const session = `json_build_object('pid', a.pid, 'user', a.usename, 'application', a.application_name,
  'address', a.client_addr, 'state', a.state, 'since', a.xact_start)`

/** Logs the processes that hold the locks a connection waits for. Failures are ignored, since it only observes. */
function watchWaits(url: string, worker: pg.Client, log: Logger) {
  const { processID } = worker as unknown as { processID: number }
  let saidAt = Number.NEGATIVE_INFINITY
  const timer = setInterval(async () => {
    if (performance.now() - saidAt < NEXT_WAIT_MS) return
    const client = await connectTo(url).catch(() => undefined)
    const found = await client
      ?.query(
        `SELECT ${session} AS holder FROM unnest(pg_blocking_pids($1)) AS blocking (pid) JOIN pg_stat_activity a USING (pid)`,
        [processID],
      )
      .catch(() => undefined)
    await client?.end().catch(() => {})
    if (!found?.rows.length) return
    saidAt = performance.now()
    log.warn({ holders: found.rows.map(({ holder }) => holder) }, 'the migration waits for a lock of others')
  }, FIRST_WAIT_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

const ownFolder = fileURLToPath(new URL('migrations/', root))

async function readMigrations(folder: string, last: string | undefined): Promise<MigrationMeta[]> {
  const { entries } = await readJournal(folder)
  const end = last === undefined ? entries.length - 1 : entries.findIndex(({ tag }) => tag === last)
  if (end < 0) {
    throw new Error(
      `This release does not know the migration ${last}: the data are of a newer release, or of a build before 1.0.0, which no release reads`,
    )
  }
  return readMigrationFiles({ migrationsFolder: folder }).slice(0, end + 1)
}

async function firstMissing(worker: pg.Client, migrations: MigrationMeta[]) {
  const { rows } = await worker.query('SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations')
  const newest = Number(rows[0].newest ?? 0)
  if (newest > 0 && newest < (migrations[0]?.folderMillis ?? 0)) {
    throw new Error(
      'The database was made by a build before 1.0.0, which no release migrates: use an empty database, or another DATA_DIR',
    )
  }
  return migrations.find(({ folderMillis }) => folderMillis > newest)
}

/** Those of a migration as this database takes them, each once those before it were run. */
async function* statementsOf(worker: pg.Client, { sql }: MigrationMeta): AsyncGenerator<string> {
  for (const statement of sql) yield* await onPartitions(worker, statement)
}

async function applyAtOnce(worker: pg.Client, migration: MigrationMeta) {
  await inTransaction(worker, async () => {
    for await (const statement of statementsOf(worker, migration)) await worker.query(statement)
    await note(worker, migration)
  })
}

/**
 * Applies a migration that builds indexes while the tables are written to, which is not possible in a transaction. An
 * interrupted migration begins anew, so each of its statements skips what exists.
 */
async function applyOneByOne(worker: pg.Client, migration: MigrationMeta) {
  for await (const statement of statementsOf(worker, migration)) {
    if (isConcurrent(statement)) await changeIndex(worker, statement)
    else await inTransaction(worker, () => worker.query(statement))
  }
  await note(worker, migration)
}

async function changeIndex(worker: pg.Client, statement: string) {
  // One that was not built to its end is there as well, and finds nothing.
  const name = /CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS "(\w+)"/.exec(statement)?.[1]
  if (name !== undefined) {
    const { rows } = await worker.query(
      'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
      [name],
    )
    if (rows.length > 0) await runAlone(worker, `DROP INDEX CONCURRENTLY "${name}"`)
  }
  await runAlone(worker, statement)
}

const isConcurrent = (statement: string) => /\bINDEX CONCURRENTLY\b/.test(statement)

/** Maximum number of times a transaction is retried after a deadlock. */
const MAX_DEADLOCK_RETRIES = 10

/**
 * A migration must not queue behind a long transaction while requests queue behind the migration. The limit ends with
 * the transaction: a pooler hands the connection on. Requests of the release before lock the same tables in another
 * order.
 */
async function inTransaction(worker: pg.Client, work: () => Promise<unknown>) {
  for (let deadlocks = 0; ; deadlocks++) {
    try {
      await worker.query(`${beginWithoutLimits('READ COMMITTED')}; SET LOCAL lock_timeout = '10s'`)
      await work()
      await worker.query('COMMIT')
      return
    } catch (error) {
      if (sqlState(error) !== '40P01' || deadlocks === MAX_DEADLOCK_RETRIES) throw error
      await worker.query('ROLLBACK')
    }
  }
}

async function note(worker: pg.Client, { hash, folderMillis }: MigrationMeta) {
  await worker.query('INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)', [
    hash,
    folderMillis,
  ])
}

interface Journal {
  entries: { tag: string; when: number }[]
}

async function readJournal(folder = ownFolder): Promise<Journal> {
  return JSON.parse(await readFile(join(folder, 'meta/_journal.json'), 'utf8'))
}

/**
 * Distributes the tables over the nodes of a Citus cluster, of which `url` is the coordinator. Skips distributed
 * tables, so it can be called again, and has to be after an upgrade.
 */
export async function distribute(url: string): Promise<void> {
  const text = await readFile(join(ownFolder, 'distribute.sql'), 'utf8')
  const client = await connectTo(url)
  try {
    for (const statement of text.split('--> statement-breakpoint')) await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * Splits the growing tables into partitions by bot, each in a transaction of its own, and returns those that it split.
 * Access to a table waits meanwhile. `progress` gets a line for each.
 */
export async function partition(url: string, progress: (line: string) => void): Promise<string[]> {
  const holder = await connectTo(url)
  try {
    const { rows } = await holder.query("SELECT to_regclass('pg_dist_partition') AS at")
    if (rows[0].at !== null)
      throw new Error('A Citus cluster spreads the tables itself: see admin distribute')
    const { rows: limits } = await holder.query(
      "SELECT current_setting('max_locks_per_transaction')::int AS most",
    )
    if (limits[0].most < enoughLocks) {
      progress(
        `Set max_locks_per_transaction of PostgreSQL to ${enoughLocks}: it is ${limits[0].most}, and a chat locks partitions`,
      )
    }
    const lost = await lostBySplitting(holder, growingTables)
    if (lost.length > 0) {
      throw new Error(
        `The tables would lose what they have beside their rows: drop it, run this again, and make it anew: ${lost.join('; ')}`,
      )
    }
    await lockSchema(holder)
    const worker = await connectTo(url)
    const split: string[] = []
    try {
      for (const table of growingTables) {
        await inTransaction(worker, async () => {
          const done = await splitTable(worker, table)
          progress(done ? `${table}: ${done.rows} rows` : `${table}: has partitions already`)
          if (done) split.push(table)
        })
        // Analyses the table as a whole, which nothing else does: autovacuum handles partitions only.
        await runAlone(worker, `VACUUM (ANALYZE) ${table}`)
      }
    } finally {
      await worker.end()
    }
    await holder.query('COMMIT')
    return split
  } finally {
    await holder.end()
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

/**
 * Begins a transaction with the exclusive right to change the schema and create the first user. The lock is a row: it
 * ends with its process and passes through poolers. Waiting processes poll, and hold no transaction in between.
 */
export async function lockSchema(
  client: pg.Client,
  id: 'migrations' | 'indexes' = 'migrations',
  log?: Logger,
) {
  let sayAt = performance.now() + FIRST_WAIT_MS
  for (;;) {
    try {
      await client.query('CREATE TABLE IF NOT EXISTS schema_lock (id text PRIMARY KEY)')
      await client.query('INSERT INTO schema_lock (id) VALUES ($1) ON CONFLICT DO NOTHING', [id])
      break
    } catch (error) {
      // If two processes create the table concurrently, one fails in spite of IF NOT EXISTS.
      if (!/^(23505|42710|42P07|55P03|XX000)$/.test(sqlState(error) ?? '')) throw error
    }
  }
  for (;;) {
    await client.query(beginWithoutLimits('READ COMMITTED'))
    // Without parameters: a statement with parameters stays open after its rows are read, and so does its snapshot.
    const { rows } = await client.query(
      `SELECT id FROM schema_lock WHERE id = '${id}' FOR UPDATE SKIP LOCKED`,
    )
    if (rows.length > 0) return
    // The process with the lock may build an index, which waits for all transactions that were reading at its start.
    await client.query('ROLLBACK')
    if (log && performance.now() > sayAt) {
      sayAt = performance.now() + NEXT_WAIT_MS
      const { rows: holders } = await client.query(
        `SELECT ${session} AS holder FROM pg_locks l JOIN pg_stat_activity a USING (pid)
         WHERE l.relation = 'schema_lock'::regclass AND l.mode = 'RowShareLock' AND a.pid <> pg_backend_pid()`,
      )
      log.warn(
        { holders: holders.map(({ holder }) => holder) },
        'the start waits for the migration of another process',
      )
    }
    await delay(100)
  }
}

/** The key of the installation that authenticates cursors; the first process that needs it creates it. */
export async function cursorKey(db: Database): Promise<Buffer> {
  await db
    .insert(installationKeys)
    .values({ name: 'cursor', key: randomBytes(32) })
    .onConflictDoNothing()
  const [row] = await db.select().from(installationKeys)
  if (!row) throw new Error('The key of the installation is missing')
  return row.key
}
