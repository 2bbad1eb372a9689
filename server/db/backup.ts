import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { connectTo, lockSchema, migrateDatabase, newestMigration, withoutLimits } from './migrate.ts'

/*
 * A backup is a compressed SQL script as pg_dump would write it: one COPY block per table, of one moment. It
 * has no schema in it, only the name of the newest migration, so it can be restored into every later release
 * and into every version of PostgreSQL.
 *
 *   -- Backup of the bot builder service: {"migration":"0003_draft_updated_at","createdAt":"..."}
 *   COPY "users" ("id", ...) FROM stdin;
 *   ...
 *   \.
 *   -- End of the backup: {"rows":{"users":1,...},"sha256":"..."}
 */

const BEGINNING = '-- Backup of the bot builder service: '
const END = '-- End of the backup: '

/** Nodes of a cluster have no moment in common, but each has one on one connection; elsewhere nobody reads it. */
const oneMomentPerNode = 'SET LOCAL citus.max_adaptive_executor_pool_size = 1'

export interface Backup {
  /** The newest migration of the database that was backed up. */
  migration: string
  /** ISO 8601. */
  createdAt: string
  /** Rows by table. */
  rows: Record<string, number>
}

/** What a person can mend: the file or the database is not what it should be. */
class BackupError extends Error {}

/**
 * Writes everything that the database holds at this moment into a new file, beside writers, and reads the
 * file back. Of a cluster the rows of a bot are of one moment. An interrupted backup leaves no file of that name.
 * `progress` gets a line now and then.
 */
export async function backUp(url: string, file: string, progress: (line: string) => void): Promise<Backup> {
  const partial = `${file}.partial`
  if (await stat(file).catch(() => undefined)) throw new BackupError(`${file} exists already`)
  const target = await open(partial, 'w', 0o600).catch((error: Error) => {
    throw new BackupError(`Cannot write ${file}: ${error.message}`)
  })
  let client: pg.Client | undefined
  try {
    client = await connectTo(url)
    // Limits come back with the end of the transaction: a pooler hands the connection on.
    await client.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${withoutLimits}; ${oneMomentPerNode}`,
    )
    const script = Readable.from(scriptOf(client, progress), { objectMode: false })
    // What is compressed most in little time; the rest would take several times as long.
    await pipeline(script, createGzip({ level: 3 }), target.createWriteStream({ flush: true }))
    progress(
      'Bytes of files of visitors are not in the backup: copy them from DATA_DIR/files, or from the bucket',
    )
    progress('Reading the file back')
    const backup = await readBackup(partial)
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
  yield hashed(`${BEGINNING}${JSON.stringify(head)}\nSET client_encoding = 'UTF8';\n`)
  const rows: Record<string, number> = {}
  for (const table of await tablesOf(client)) {
    const names = table.columns.map(pg.escapeIdentifier).join(', ')
    const columns = `${pg.escapeIdentifier(table.name)} (${names})`
    yield hashed(`COPY ${columns} FROM stdin;\n`)
    const count = rowCounter(table.name, progress)
    // What a statement reads: a partitioned table cannot be copied else, and one of a cluster is of another moment then.
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
  const EVERY = 250_000
  let rows = 0
  return {
    add(piece: Buffer) {
      const before = Math.floor(rows / EVERY)
      rows += linesIn(piece)
      if (Math.floor(rows / EVERY) > before) progress(`${table}: ${rows} rows so far`)
    },
    end() {
      progress(`${table}: ${rows} rows`)
      return rows
    },
  }
}

function linesIn(piece: Buffer): number {
  let lines = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++
  return lines
}

interface Table {
  name: string
  columns: string[]
}

/** Every table of the service, those first that others refer to. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { needs: string[] }>(`
    SELECT relname AS name,
      (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
       WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
      ARRAY(SELECT DISTINCT other.relname::text FROM pg_constraint JOIN pg_class other ON other.oid = confrelid
       WHERE conrelid = pg_class.oid AND contype = 'f' AND confrelid <> conrelid) AS needs
    FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'schema_lock'
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
    ORDER BY relname`)
  const sorted = new Map<string, Table>()
  while (sorted.size < rows.length) {
    const free = rows.filter(({ name, needs }) => !sorted.has(name) && needs.every((one) => sorted.has(one)))
    if (free.length === 0) throw new Error('Tables refer to each other in a circle')
    for (const { needs: _, ...table } of free) sorted.set(table.name, table)
  }
  return [...sorted.values()]
}

/** Reads a whole backup and checks that it is complete and as it was written. */
export async function readBackup(file: string): Promise<Backup> {
  const counted: Record<string, number> = {}
  let head: Omit<Backup, 'rows'> | undefined
  for await (const part of partsOf(file)) {
    if ('head' in part) head = part.head
    else if ('table' in part) counted[part.table] = 0
    else if ('lines' in part) counted[part.of] = (counted[part.of] ?? 0) + linesIn(part.lines)
    else if (head && part.isSound && JSON.stringify(part.rows) === JSON.stringify(counted)) {
      return { ...head, rows: counted }
    }
  }
  throw new BackupError(`${file} is not a complete backup of this service`)
}

type Part =
  | { head: { migration: string; createdAt: string } }
  | { table: string; statement: string }
  /** Rows of a table, each a whole line. */
  | { lines: Buffer; of: string }
  /** `isSound` where the bytes before it have the digest that it names. */
  | { rows: Record<string, number>; isSound: boolean }

async function* partsOf(file: string): AsyncGenerator<Part> {
  const digest = createHash('sha256')
  let table: string | undefined
  for await (const block of blocksOf(file)) {
    for (let at = 0; at < block.length; ) {
      if (table !== undefined) {
        const isOver = block.toString('latin1', at, at + 3) === '\\.\n'
        const last = isOver ? at : block.indexOf('\n\\.\n', at)
        const end = isOver ? at + 3 : last < 0 ? block.length : last + 1
        digest.update(block.subarray(at, end))
        if (isOver) table = undefined
        else yield { lines: block.subarray(at, end), of: table }
        at = end
        continue
      }
      const end = block.indexOf(10, at) + 1
      const line = block.toString('utf8', at, end - 1)
      if (line.startsWith(END)) {
        const { rows, sha256 } = readNote(line.slice(END.length), file)
        return yield { rows, isSound: sha256 === digest.digest('hex') }
      }
      digest.update(block.subarray(at, end))
      if (line.startsWith(BEGINNING)) yield { head: readNote(line.slice(BEGINNING.length), file) }
      else if (line.startsWith('COPY "')) {
        table = line.slice('COPY "'.length, line.indexOf('" ('))
        yield { table, statement: line.slice(0, -1) }
      }
      at = end
    }
  }
}

function readNote(text: string, file: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw new BackupError(`${file} is not a complete backup of this service`)
  }
}

/** The decompressed file, in pieces that end with a line. */
async function* blocksOf(file: string): AsyncGenerator<Buffer> {
  const unzipped = createGunzip()
  const reading = pipeline(createReadStream(file), unzipped).catch(() => {})
  let rest: Buffer[] = []
  try {
    for await (const piece of unzipped as AsyncIterable<Buffer>) {
      const end = piece.lastIndexOf(10) + 1
      if (end > 0) {
        yield Buffer.concat([...rest, piece.subarray(0, end)])
        rest = []
      }
      if (end < piece.length) rest.push(piece.subarray(end))
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR'
    throw new BackupError(isMissing ? `Cannot read ${file}: ${message}` : `${file} is damaged: ${message}`)
  } finally {
    unzipped.destroy()
    await reading
  }
}

/**
 * Brings everything of a backup into a database that holds nothing yet, in one transaction, and the schema
 * to this release. The file is checked before the first row is written.
 */
export async function restore(url: string, file: string, progress: (line: string) => void): Promise<Backup> {
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
    await migrateDatabase(url, backup.migration)
    // A service that starts meanwhile makes its first user under the same lock, or finds those of the backup.
    await lockSchema(client)
    await refuseRows(client)
    await load(client, file, progress)
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

/** Tables that are not of the service were in its database when it was backed up, and need not be in this one. */
async function load(client: pg.Client, file: string, progress: (line: string) => void) {
  const known = new Set((await tablesOf(client)).map(({ name }) => name))
  const parts = partsOf(file)
  let next = await parts.next()
  while (!next.done) {
    const part = next.value
    if (!('table' in part)) {
      next = await parts.next()
      continue
    }
    if (!known.has(part.table)) {
      progress(`${part.table}: left out, since it is no table of the service`)
      next = await parts.next()
      continue
    }
    const count = rowCounter(part.table, progress)
    const lines = async function* () {
      for (next = await parts.next(); !next.done && 'lines' in next.value; next = await parts.next()) {
        count.add(next.value.lines)
        yield next.value.lines
      }
    }
    await pipeline(Readable.from(lines(), { objectMode: false }), client.query(copyFrom(part.statement)))
    count.end()
  }
}
