import { randomBytes } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { type Database, statements, transact } from '../db/client.ts'
import { bots, chatSessions, results, uploads as table } from '../db/schema.ts'
import { prepareSelect, type RowOf } from '../db/typed-select.ts'
import { isBotVisible } from '../db/visible-bots.ts'
import { isResultUndeleted, isResultVisible } from '../db/visible-results.ts'
import { newId } from '../ids.ts'
import { FIRST_BYTES, mediaTypeOf } from './kinds.ts'
import type { FileStore } from './store.ts'

/*
 * Files of visitors. A row with an expiry is written before the first byte, so that no file is without one, even if a
 * process dies. A file that was used in an answer stays as long as the result.
 */

/** A file that does not arrive within this time never will: longer than an upload may take. */
const ARRIVAL_TIMEOUT_MS = 60 * 60 * 1000

/** Retention of a file that is not used in an answer. */
const UNUSED_FILE_RETENTION_MS = 24 * 60 * 60 * 1000

const MAX_FILES = 100

/** Owner of a file: the bot whose block takes it. In a linked bot that is not the bot of the session. */
export interface Owner {
  sessionId: string
  /** The bot that the chat began with. */
  sessionBotId: string
  botId: string
  /** Null in a preview. */
  resultId: string | null
}

export interface Upload {
  botId: string
  id: string
  name: string
}

/** Room for a file that is to arrive, until then. */
interface Reserved extends Upload {
  removeAt: Date
}

/** URL of a file. Its id has 208 random bits, so that the URL cannot be guessed. */
export function addressOf(publicUrl: string, { botId, id, name }: Upload): string {
  return `${publicUrl}/files/${botId}/${id}/${encodeURIComponent(name)}`
}

/**
 * Reserves space for a file of at most so many bytes; undefined if the chat has reached its maximum. Exact also for
 * concurrent files: each reservation locks the session.
 */
export async function reserve(
  db: Database,
  owner: Owner,
  file: { name: string; isPrivate: boolean; size: number; isGenerated?: boolean },
  maximumBytes: number,
  now: Date,
): Promise<Reserved | undefined> {
  const { botId, sessionId, resultId } = owner
  const removeAt = new Date(now.getTime() + ARRIVAL_TIMEOUT_MS)
  return transact(db, async (tx) => {
    await tx
      .select({ id: chatSessions.id })
      .from(chatSessions)
      .where(and(eq(chatSessions.botId, owner.sessionBotId), eq(chatSessions.id, sessionId)))
      .for('update')
    const [used] = await tx
      .select({ files: sql<number>`count(*)::int`, bytes: sql<number>`coalesce(sum(size), 0)::float8` })
      .from(table)
      .where(and(eq(table.botId, botId), eq(table.sessionId, sessionId)))
    if (!used || used.files >= MAX_FILES || used.bytes + file.size > maximumBytes) return undefined
    const id = newId(now) + randomBytes(16).toString('hex')
    await tx.insert(table).values({
      botId,
      id,
      sessionId,
      resultId,
      ...file,
      mediaType: 'application/octet-stream',
      isComplete: false,
      removeAt,
      createdAt: now,
    })
    return { botId, id, name: file.name, removeAt }
  })
}

/**
 * Reason why a file was not stored, through no failure of the service; `deleted`: its result or bot was deleted
 * meanwhile.
 */
export type Failure = 'too large' | 'incomplete' | 'empty' | 'deleted'

class UploadRejected extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure)
    this.failure = failure
  }
}

/** Stores the bytes of a file after its space is reserved. A failure leaves nothing behind. */
export async function receive(
  db: Database,
  files: FileStore,
  { botId, id, removeAt: reserved }: Reserved,
  bytes: AsyncIterable<Buffer>,
  maximumBytes: number,
  now: Date,
  /** The media type of a file that the service made; else the first bytes say it. */
  knownType?: string,
): Promise<{ size: number; mediaType: string } | Failure | { fault: unknown }> {
  let size = 0
  let first: Buffer = Buffer.alloc(0)
  let rejection: UploadRejected | undefined
  const reject = (failure: Failure) => {
    rejection ??= new UploadRejected(failure)
    return rejection
  }
  const counted = async function* () {
    try {
      for await (const piece of bytes) {
        size += piece.length
        if (size > maximumBytes) throw reject('too large')
        if (first.length < FIRST_BYTES) first = Buffer.concat([first, piece]).subarray(0, FIRST_BYTES)
        yield piece
      }
    } catch {
      // A caller that goes away ends the body with an error.
      throw reject('incomplete')
    }
    if (size === 0) throw reject('empty')
  }
  const isThis = and(eq(table.botId, botId), eq(table.id, id))
  try {
    await files.write(id, counted())
    const mediaType = knownType ?? mediaTypeOf(first)
    const removeAt = new Date(now.getTime() + UNUSED_FILE_RETENTION_MS)
    // The deletion of a result or a bot sets when its files are removed, and the row may be deleted by now.
    const isWanted = and(isThis, eq(table.isComplete, false), eq(table.removeAt, reserved))
    const { rowCount } = await db
      .update(table)
      .set({ size, mediaType, isComplete: true, removeAt })
      .where(isWanted)
    if (rowCount === 0) throw reject('deleted')
    return { size, mediaType }
  } catch (error) {
    // If this fails too, the background does it an hour later.
    await files.remove(id).then(
      () => db.delete(table).where(isThis),
      () => {},
    )
    // Stores wrap errors, so it is not the one that was thrown.
    return rejection?.failure ?? { fault: error }
  }
}

/** Stores a file that the service made; a text says why it could not. */
export async function storeGenerated(
  db: Database,
  files: FileStore,
  owner: Owner,
  file: { name: string; mediaType: string; bytes: Uint8Array },
  maximumBytes: number,
  now: Date,
): Promise<Upload | string> {
  const size = file.bytes.length
  if (files.hasRoom && !(await files.hasRoom(size))) return 'The disk of the service has too little room left'
  const details = { name: file.name, isPrivate: false, size, isGenerated: true }
  const upload = await reserve(db, owner, details, maximumBytes, now)
  if (!upload) return 'The chat has as many files as it may'
  const whole = async function* () {
    yield Buffer.from(file.bytes)
  }
  const received = await receive(db, files, upload, whole(), size, now, file.mediaType)
  return typeof received === 'object' && 'size' in received ? upload : 'The file could not be kept'
}

/** An upload with its media type and its number of bytes. */
export interface FoundUpload extends Upload {
  mediaType: string
  size: number
}

/** A file that can be used: it has arrived, and is not to be removed yet. */
const isThere = (now: Date) =>
  sql`${table.isComplete} AND (${table.removeAt} IS NULL OR ${table.removeAt} > ${now.toISOString()}::timestamptz)`

/** The uploads of a chat among some addresses, by these. */
export async function uploadsAmong(
  db: Database,
  publicUrl: string,
  sessionId: string,
  addresses: readonly string[],
  now: Date,
): Promise<Map<string, FoundUpload>> {
  const named = addresses.flatMap((address) => {
    const [, botId, id] = /\/files\/([\w-]{1,64})\/([a-z\d]{58})\/[^/]+$/.exec(address) ?? []
    return botId && id ? [{ address, botId, id }] : []
  })
  if (named.length === 0) return new Map()
  const rows = await db
    .select({
      botId: table.botId,
      id: table.id,
      name: table.name,
      mediaType: table.mediaType,
      size: table.size,
    })
    .from(table)
    .where(
      sql`${table.botId} = ANY(${sql.param(named.map(({ botId }) => botId))})
        AND ${table.id} = ANY(${sql.param(named.map(({ id }) => id))})
        AND ${table.sessionId} = ${sessionId} AND ${isThere(now)}`,
    )
  const known = new Map(rows.map((row) => [`${row.botId}/${row.id}`, row]))
  return new Map(
    named.flatMap(({ address, botId, id }) => {
      const row = known.get(`${botId}/${id}`)
      return row && isSameAddress(address, addressOf(publicUrl, row)) ? [[address, row] as const] : []
    }),
  )
}

/** True if two URLs are the same, regardless of percent-encoding. */
function isSameAddress(one: string, other: string): boolean {
  const plain = (address: string) => decodeURIComponent(new URL(address).href).normalize('NFC')
  try {
    return one === other || plain(one) === plain(other)
  } catch {
    return false
  }
}

/**
 * Retains files of an answer for as long as the result exists. Called in the transaction of the turn, which locks the
 * result: a concurrent deletion finds them, or they stay unused files.
 */
export async function keepUploads(tx: Database, sessionId: string, kept: readonly Upload[]): Promise<void> {
  for (const { botId, id } of kept) {
    await tx.execute(sql`
      UPDATE ${table} SET remove_at = NULL
      WHERE bot_id = ${botId} AND id = ${id} AND session_id = ${sessionId} AND is_complete
        AND ${isResultVisible(sql`${botId}`, sql`${table.resultId}`)}`)
  }
}

const served = {
  mediaType: table.mediaType,
  size: table.size,
  isPrivate: table.isPrivate,
  isGenerated: table.isGenerated,
  name: table.name,
}

export type ServedFile = RowOf<typeof served>

const serving = statements((db, named) => ({
  find: prepareSelect(
    db,
    named('served_file'),
    served,
    (list) => sql`
      SELECT ${list} FROM ${table} JOIN ${bots} ON ${bots.id} = ${table.botId} AND ${isBotVisible()}
      LEFT JOIN ${results} ON ${results.botId} = ${table.botId} AND ${results.id} = ${table.resultId}
        AND ${isResultUndeleted}
      WHERE ${table.botId} = ${sql.placeholder('botId')} AND ${table.id} = ${sql.placeholder('id')}
        AND ${table.isComplete}
        AND (${table.removeAt} IS NULL OR ${table.removeAt} > ${sql.placeholder('now')}::timestamptz)
        AND (${table.resultId} IS NULL OR ${results.id} IS NOT NULL)`,
  ),
}))

/** A file as it is served: not of a bot or a result that is deleted. */
export async function findUpload(
  db: Database,
  { botId, id, name }: Upload,
  now: Date,
): Promise<ServedFile | undefined> {
  const [row] = await serving(db).find({ botId, id, now: now.toISOString() })
  return row?.name === name ? row : undefined
}
