import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/*
 * A backup is a compressed SQL script as pg_dump would write it: one COPY block per table, of one moment. It
 * has no schema in it, only the name of the newest migration, so it can be restored into every later release
 * and into every version of PostgreSQL.
 *
 *   -- Backup of the bot builder service: {"migration":"0003_draft_updated_at","createdAt":"..."}
 *   SET client_encoding = 'UTF8'; ...
 *   COPY "users" ("id", ...) FROM stdin;
 *   ...
 *   \.
 *   -- End of the backup: {"rows":{"users":1,...},"sha256":"..."}
 *
 * To restore it, the file is data: no statement of it is run, only tables and columns are read from it.
 */

export const BEGINNING = '-- Backup of the bot builder service: '
export const END = '-- End of the backup: '

/** The text of the rows is written so, and read so by any other program that runs the script. */
export const SETTINGS =
  "SET client_encoding = 'UTF8'; SET DateStyle = 'ISO, YMD'; SET standard_conforming_strings = on;"

const COPY = /^COPY "(\w+)" \(("\w+"(?:, "\w+")*)\) FROM stdin;$/

export interface Backup {
  /** The newest migration of the database that was backed up. */
  migration: string
  /** ISO 8601. */
  createdAt: string
  /** Rows by table. */
  rows: Record<string, number>
}

/** An error that the operator can fix: the file or the database is not as expected. */
export class BackupError extends Error {}

/** Reads a whole backup and checks that it is complete and as it was written. */
export async function readBackup(file: string): Promise<Backup> {
  const counted: Record<string, number> = {}
  let head: Omit<Backup, 'rows'> | undefined
  for await (const part of partsOf(file)) {
    if ('head' in part) head = part.head
    else if ('table' in part) counted[part.table] ??= 0
    else if ('lines' in part) counted[part.of] = (counted[part.of] ?? 0) + linesIn(part.lines)
    else if (head && part.isSound && JSON.stringify(part.rows) === JSON.stringify(counted)) {
      return { ...head, rows: counted }
    }
  }
  throw notComplete(file)
}

type Part =
  | { head: { migration: string; createdAt: string } }
  | { table: string; columns: string[] }
  /** Rows of a table, each a whole line. */
  | { lines: Buffer; of: string }
  /** `isSound` where the bytes before it have the digest that it names. */
  | { rows: Record<string, number>; isSound: boolean }

export async function* partsOf(file: string): AsyncGenerator<Part> {
  const digest = createHash('sha256')
  let table: string | undefined
  let isFirst = true
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
      const [, name, columns = ''] = COPY.exec(line) ?? []
      if (at === 0 && isFirst && line.startsWith(BEGINNING)) {
        yield { head: readNote(line.slice(BEGINNING.length), file) }
      } else if (name !== undefined) {
        table = name
        yield { table, columns: columns.slice(1, -1).split('", "') }
      } else if (line !== SETTINGS) throw notComplete(file)
      at = end
      isFirst = false
    }
  }
}

const notComplete = (file: string) => new BackupError(`${file} is not a complete backup of this service`)

function readNote(text: string, file: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw notComplete(file)
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

export function linesIn(piece: Buffer): number {
  let lines = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++
  return lines
}
