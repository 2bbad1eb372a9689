import { createHash, randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { sqlState } from '../errors.ts'
import { lockSchema, migrateDatabase, newestMigration } from '../migrate.ts'
import * as schema from '../schema.ts'
import { beginWithoutLimits, connectTo } from '../session.ts'
import { type Backup, BackupError, BEGINNING, END, linesIn, partsOf, readBackup, SETTINGS } from './file.ts'

/**
 * A cluster has no snapshot across nodes, but one per node on one connection; without Citus the setting has no effect.
 */
const oneMomentPerNode = 'SET LOCAL citus.max_adaptive_executor_pool_size = 1'

/**
 * Writes the whole database, as of now, into a new file, beside writers, and reads the file back. On a cluster the rows
 * of each bot are from one snapshot. An interrupted backup leaves no file of that name. `progress` gets a line from
 * time to time.
 */
export async function backUp(
  url: string,
  file: string,
  progress: (line: string) => void,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Backup> {
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`
  await refuseExisting(file)
  const target = await open(partial, 'wx', 0o600).catch((error: Error) => {
    throw new BackupError(`Cannot write ${file}: ${error.message}`)
  })
  let client: pg.Client | undefined
  try {
    client = await connectTo(url)
    // Limits come back with the end of the transaction: a pooler hands the connection on.
    await client.query(`${beginWithoutLimits('REPEATABLE READ READ ONLY')}; ${oneMomentPerNode}`)
    const script = Readable.from(scriptOf(client, progress), { objectMode: false })
    // Higher levels compress a little more and take several times as long.
    await pipeline(script, createGzip({ level: 3 }), target.createWriteStream({ flush: true }), {
      signal,
    })
    progress(
      'Bytes of files of visitors are not in the backup: copy them from FILES_DIR, from DATA_DIR/files, or from the bucket',
    )
    progress('Reading the file back')
    const backup = await readBackup(partial)
    signal?.throwIfAborted()
    // Another backup of that name may have been faster.
    await refuseExisting(file)
    await rename(partial, file)
    await flushFolder(dirname(file))
    return backup
  } catch (error) {
    await target.close()
    await rm(partial, { force: true })
    throw error
  } finally {
    await client?.end()
  }
}

async function refuseExisting(file: string) {
  if (await stat(file).catch(() => undefined)) throw new BackupError(`${file} exists already`)
}

/** A renamed file is safe only when its folder is. Windows has no such thing. */
async function flushFolder(folder: string) {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

async function* scriptOf(client: pg.Client, progress: (line: string) => void): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  const hashed = (piece: string | Buffer) => {
    const bytes = Buffer.from(piece)
    digest.update(bytes)
    return bytes
  }
  const migration = await newestMigration(client)
  if (migration === undefined) throw new BackupError('The database is empty')
  const head = { migration, createdAt: new Date().toISOString() }
  yield hashed(`${BEGINNING}${JSON.stringify(head)}\n${SETTINGS}\n`)
  const rows: Record<string, number> = {}
  for (const table of await tablesOf(client)) {
    const names = table.columns.map(pg.escapeIdentifier).join(', ')
    const columns = `${pg.escapeIdentifier(table.name)} (${names})`
    yield hashed(`COPY ${columns} FROM stdin;\n`)
    const count = rowCounter(table.name, progress)
    // A SELECT, since a partitioned table cannot be copied otherwise, and a cluster would copy another snapshot.
    const source = `SELECT ${names} FROM ${pg.escapeIdentifier(table.name)}`
    for await (const piece of client.query(copyTo(`COPY (${source}) TO STDOUT`)) as AsyncIterable<Buffer>) {
      count.add(piece)
      yield hashed(piece)
    }
    rows[table.name] = count.end()
    yield hashed('\\.\n')
  }
  yield Buffer.from(`${END}${JSON.stringify({ rows, sha256: digest.digest('hex') })}\n`)
}

/** In COPY's text format a line is a row; a line break within a value is written as `\n`. */
function rowCounter(table: string, progress: (line: string) => void) {
  const ROWS_PER_REPORT = 250_000
  let rows = 0
  return {
    add(piece: Buffer) {
      const before = Math.floor(rows / ROWS_PER_REPORT)
      rows += linesIn(piece)
      if (Math.floor(rows / ROWS_PER_REPORT) > before) progress(`${table}: ${rows} rows so far`)
    },
    end() {
      progress(`${table}: ${rows} rows`)
      return rows
    },
  }
}

interface Table {
  name: string
  columns: string[]
}

const ownTables = (Object.values(schema) as unknown[]).filter((value) => is(value, PgTable)).map(getTableName)

/** Every table of the service, those first that others refer to. The schema names them: a database can have others. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { needs: string[] }>(
    `
    SELECT relname AS name,
      (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
       WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
      ARRAY(SELECT DISTINCT other.relname::text FROM pg_constraint JOIN pg_class other ON other.oid = confrelid
       WHERE conrelid = pg_class.oid AND contype = 'f' AND confrelid <> conrelid
         AND other.relnamespace = pg_class.relnamespace AND other.relname = ANY($1)) AS needs
    FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname = ANY($1)
    ORDER BY relname`,
    [ownTables],
  )
  const sorted = new Map<string, Table>()
  while (sorted.size < rows.length) {
    const free = rows.filter(({ name, needs }) => !sorted.has(name) && needs.every((one) => sorted.has(one)))
    if (free.length === 0) throw new Error('Tables refer to each other in a circle')
    for (const { needs: _, ...table } of free) sorted.set(table.name, table)
  }
  return [...sorted.values()]
}

/**
 * Restores a whole backup into an empty database, in one transaction, and brings the schema to this release. The file
 * is checked before the first row is written. Unless `isLive`, the copy has no effects outside by itself: the
 * original still posts pending events, and runs the turns of its timers.
 */
export async function restore(
  url: string,
  file: string,
  progress: (line: string) => void,
  { isLive = false, signal }: { isLive?: boolean; signal?: AbortSignal } = {},
): Promise<Backup> {
  progress('Checking the file')
  const backup = await readBackup(file)
  const client = await connectTo(url)
  try {
    const migrated = await newestMigration(client)
    if (migrated !== undefined && migrated !== backup.migration) {
      throw new BackupError(
        'The database was migrated already: restore into a new DATA_DIR or an empty database',
      )
    }
    await migrateDatabase(url, { last: backup.migration })
    // A service that starts meanwhile makes its first user under the same lock, or finds those of the backup.
    await lockSchema(client)
    await refuseRows(client)
    await load(client, file, progress, signal)
    if (!isLive) await silenceCopy(client, progress)
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
  await migrateDatabase(url)
  return backup
}

async function refuseRows(client: pg.Client) {
  for (const { name } of await tablesOf(client)) {
    const { rowCount } = await client.query(`SELECT FROM ${pg.escapeIdentifier(name)} LIMIT 1`)
    if (rowCount) {
      throw new BackupError(
        `The database holds something already (in ${name}): restore into a new DATA_DIR or an empty database`,
      )
    }
  }
}

async function load(
  client: pg.Client,
  file: string,
  progress: (line: string) => void,
  signal: AbortSignal | undefined,
) {
  const known = new Map((await tablesOf(client)).map(({ name, columns }) => [name, columns]))
  const parts = partsOf(file)
  let next = await parts.next()
  while (!next.done) {
    const part = next.value
    if (!('table' in part)) {
      next = await parts.next()
      continue
    }
    const { table, columns } = part
    const own = known.get(table)
    if (!own) {
      progress(`${table}: left out, since it is no table of the service`)
      next = await parts.next()
      continue
    }
    const strange = columns.find((column) => !own.includes(column))
    if (strange !== undefined) {
      throw new BackupError(`${file} has a column ${table}.${strange}, which its migration does not know`)
    }
    const count = rowCounter(table, progress)
    const lines = async function* () {
      for (next = await parts.next(); !next.done && 'lines' in next.value; next = await parts.next()) {
        count.add(next.value.lines)
        yield next.value.lines
      }
    }
    const names = columns.map(pg.escapeIdentifier).join(', ')
    const statement = `COPY ${pg.escapeIdentifier(table)} (${names}) FROM STDIN`
    const rows = Readable.from(lines(), { objectMode: false })
    await pipeline(rows, client.query(copyFrom(statement)), { signal }).catch((error: Error) => {
      if (!/^2200[78]$/.test(sqlState(error) ?? '')) throw error
      throw new BackupError(
        `${file} has a time that is not in ISO 8601, so day and month are not certain: ${error.message}`,
      )
    })
    count.end()
  }
}

/** In the transaction of the restore, so that no service finds an endpoint enabled or a conversation due. */
async function silenceCopy(client: pg.Client, progress: (line: string) => void) {
  const known = new Set((await tablesOf(client)).map(({ name }) => name))
  const change = async (table: string, statement: string) =>
    known.has(table) ? ((await client.query(statement)).rowCount ?? 0) : 0
  const disabled = await change(
    'webhook_endpoints',
    'UPDATE webhook_endpoints SET is_enabled = false WHERE is_enabled',
  )
  const pending = await change(
    'webhook_deliveries',
    `UPDATE webhook_deliveries SET next_attempt_at = NULL, last_error = 'Set aside by a restore'
     WHERE next_attempt_at IS NOT NULL`,
  )
  const unsent = await change('webhook_outbox', 'DELETE FROM webhook_outbox')
  await change('chatwoot_events', 'DELETE FROM chatwoot_events')
  // A chat without a conversation is not sent anywhere.
  const conversations = await change('chatwoot_conversations', 'DELETE FROM chatwoot_conversations')
  const rows = await change('sheet_rows', 'DELETE FROM sheet_rows')
  await change('sheet_accounts', 'DELETE FROM sheet_accounts')
  // A chat without its timer goes on with the next turn of its visitor.
  const timers = await change('chat_timers', 'DELETE FROM chat_timers')
  if (timers > 0) {
    progress(
      `Chats: ${timers} timers are left out, since the turns of the original run at their times. Restore with --live where this database takes its place`,
    )
  }
  if (rows > 0) {
    progress(
      `Sheets: ${rows} rows that waited are left out, since the original may still write them. Restore with --live where this database takes its place`,
    )
  }
  if (disabled + pending + unsent + conversations === 0) return
  progress(
    `Webhooks: ${disabled} endpoints are disabled, ${pending + unsent} pending deliveries set aside and ${conversations} conversations of Chatwoot left out, since the original may still post. Restore with --live where this database takes its place`,
  )
}
