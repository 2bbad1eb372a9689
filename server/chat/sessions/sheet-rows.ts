import { and, eq, inArray, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Database, transact } from '../../db/client.ts'
import { dueAfter } from '../../db/due-after.ts'
import { resultLogs, results, sheetRows as table } from '../../db/schema.ts'
import { expression, optional, selectRows } from '../../db/typed-select.ts'
import { isResultVisible } from '../../db/visible-results.ts'
import { MS_PER_MINUTE } from '../../durations.ts'
import { JsonText } from '../../kit/json/json-text.ts'
import type { LogEntry, SheetRow, TurnOutcome } from '../engine/types.ts'
import { toLogRows } from './client-logs.ts'
import type { ExtraWrite } from './write-turn.ts'

/*
 * Rows of sheets that turns could not write, in a queue: written in the transaction of the turn, and removed with an
 * entry in the log of its result. `sheets/queue.ts` writes those that are due.
 */

/** Rows and bytes that wait. */
const MAX_QUEUED_ROWS_PER_BOT = 10_000
const MAX_QUEUED_BYTES_PER_BOT = 20_000_000
const MAX_QUEUED_ROWS_PER_WORKSPACE = 40_000
const MAX_QUEUED_BYTES_PER_WORKSPACE = 80_000_000
/** A larger row would not fit in a request with others. */
const MAX_QUEUED_ROW_BYTES = 1_000_000

/** The vendor ends a request after this time; until then a missing row may still appear. */
export const MAX_VENDOR_MS = 3 * MS_PER_MINUTE

interface Counts {
  rows: number
  bytes: number
  botRows: number
  botBytes: number
}

const COUNTS_LIFETIME_MS = 1_000

/** Rows that wait, by workspace and bot, with those that this process has queued since the count. */
const waitingCounts = new LRUCache<string, Promise<Counts>>({ max: 10_000, ttl: COUNTS_LIFETIME_MS })

interface Owner {
  botId: string
  workspaceId: string
}

/** Reserves room for a row in the queue. Returns the reason where there is none. */
export async function reserveSheetRow(
  db: Database,
  { botId, workspaceId }: Owner,
  bytes: number,
): Promise<string | undefined> {
  if (bytes > MAX_QUEUED_ROW_BYTES) return `the queue takes rows of ${MAX_QUEUED_ROW_BYTES} bytes at most`
  const key = JSON.stringify([workspaceId, botId])
  const counting = waitingCounts.get(key) ?? countRows(db, { botId, workspaceId })
  waitingCounts.set(key, counting, { noUpdateTTL: true })
  const counts = await counting.catch(() => undefined)
  if (counts === undefined) {
    if (waitingCounts.peek(key) === counting) waitingCounts.delete(key)
    return 'the rows that wait cannot be counted now'
  }
  if (counts.botRows >= MAX_QUEUED_ROWS_PER_BOT || counts.botBytes + bytes > MAX_QUEUED_BYTES_PER_BOT)
    return 'too many rows of the bot wait for the quota of their account'
  if (counts.rows >= MAX_QUEUED_ROWS_PER_WORKSPACE || counts.bytes + bytes > MAX_QUEUED_BYTES_PER_WORKSPACE)
    return 'too many rows of the workspace wait for the quota of their account'
  counts.rows += 1
  counts.botRows += 1
  counts.bytes += bytes
  counts.botBytes += bytes
  return undefined
}

async function countRows(db: Database, { botId, workspaceId }: Owner): Promise<Counts> {
  const isOfBot = sql`FILTER (WHERE bot_id = ${botId})`
  const [counts] = await selectRows(
    db,
    {
      rows: expression(sql`count(*)`, 'integer'),
      bytes: expression(sql`coalesce(sum(size), 0)`, 'float8'),
      botRows: expression(sql`count(*) ${isOfBot}`, 'integer'),
      botBytes: expression(sql`coalesce(sum(size) ${isOfBot}, 0)`, 'float8'),
    },
    (list) => sql`SELECT ${list} FROM ${table} WHERE workspace_id = ${workspaceId}`,
  )
  return counts ?? { rows: 0, bytes: 0, botRows: 0, botBytes: 0 }
}

/** Writes the rows that a turn leaves to the queue. */
export function sheetRowWrites(
  { botId, workspaceId, resultId }: Owner & { resultId: string | null },
  { sheetRows }: Pick<TurnOutcome, 'sheetRows'>,
): ExtraWrite[] {
  if (sheetRows.length === 0 || resultId === null) return []
  const rows = sheetRows.map(({ cells, filter, isSent, ...row }) => {
    const words = { cells: JSON.stringify(cells), filter: filter && JSON.stringify(filter) }
    // An update that was made may be made again.
    const isUnknown = isSent && row.kind === 'insert'
    return {
      ...row,
      botId,
      workspaceId,
      resultId,
      cells: new JsonText(words.cells),
      filter: words.filter === null ? null : new JsonText(words.filter),
      size: Buffer.byteLength(words.cells + (words.filter ?? '') + row.spreadsheetId + row.sheetId),
      dueAt: dueAfter(isUnknown ? MAX_VENDOR_MS : 0) as unknown as Date,
      isSent: isUnknown,
      failures: 0,
      createdAt: sql`now()` as unknown as Date,
    }
  })
  return [(tx) => tx.insert(table).values(rows)]
}

/** Account of a workspace. */
export interface Account {
  workspaceId: string
  credentialsId: string
}

const isOfAccount = ({ workspaceId, credentialsId }: Account) =>
  sql`workspace_id = ${workspaceId} AND credentials_id = ${credentialsId}`

const keysOf = (accounts: readonly Account[]) =>
  sql.param(accounts.map(({ workspaceId, credentialsId }) => `${workspaceId} ${credentialsId}`))

/**
 * Accounts with due rows except `held`, longest waiting first, and of the workspaces in `counts` no more than their
 * share.
 */
export function dueAccounts(
  db: Database,
  held: readonly Account[],
  counts: ReadonlyMap<string, number>,
  share: number,
  limit: number,
): Promise<Account[]> {
  const { workspaceId, credentialsId } = table
  const running = [...counts].flatMap(([id, count]) => Array<string>(count).fill(id))
  // A cluster ranks only collected rows.
  return selectRows(
    db,
    { workspaceId, credentialsId },
    (list) => sql`
      WITH due AS MATERIALIZED (
        SELECT workspace_id, credentials_id, min(due_at) AS since FROM ${table}
        WHERE due_at <= now() AND workspace_id || ' ' || credentials_id <> ALL(${keysOf(held)}::text[])
        GROUP BY workspace_id, credentials_id
      ), ranked AS (
        SELECT *, row_number() OVER (PARTITION BY workspace_id ORDER BY since, credentials_id)
          + cardinality(array_positions(${sql.param(running)}::text[], workspace_id)) AS rank FROM due
      )
      SELECT ${list} FROM ranked "sheet_rows" WHERE rank <= ${share} ORDER BY since LIMIT ${limit}`,
  )
}

/** A row without its words. */
export interface Candidate {
  botId: string
  id: string
  spreadsheetId: string
  sheetId: string
  kind: SheetRow['kind']
  size: number
  isSent: boolean
  maxBatch: number | null
}

const MAX_CANDIDATES = 2_000

/** Sheet of an account. */
export interface Sheet {
  spreadsheetId: string
  sheetId: string
}

/** Sheets of an account with inserts in the queue, due or not. */
export function sheetsWithInserts(db: Database, account: Account): Promise<Sheet[]> {
  return db
    .selectDistinct({ spreadsheetId: table.spreadsheetId, sheetId: table.sheetId })
    .from(table)
    .where(and(isOfAccount(account), eq(table.kind, 'insert')))
}

/** Updates of these sheets. */
const isUpdateOf = (sheets: readonly Sheet[]) => {
  const keys = sheets.map(({ spreadsheetId, sheetId }) => `${spreadsheetId} ${sheetId}`)
  return sql`(kind = 'update' AND spreadsheet_id || ' ' || sheet_id = ANY(${sql.param(keys)}::text[]))`
}

/** Rows of an account that are due, those first that have waited longest, but no updates of some sheets. */
export function dueRows(db: Database, account: Account, blocked: readonly Sheet[]): Promise<Candidate[]> {
  const { botId, id, spreadsheetId, sheetId, kind, size, isSent } = table
  return selectRows(
    db,
    { botId, id, spreadsheetId, sheetId, kind, size, isSent, maxBatch: optional(table.maxBatch) },
    (list) => sql`
      SELECT ${list} FROM ${table}
      WHERE ${isOfAccount(account)} AND due_at <= now() AND NOT ${isUpdateOf(blocked)}
      ORDER BY due_at, id LIMIT ${MAX_CANDIDATES}`,
  )
}

/** Delays updates that wait for inserts of their sheets, whose rows they may mean. */
export async function putOffUpdates(
  db: Database,
  account: Account,
  blocked: readonly Sheet[],
  delayMs: number,
) {
  if (blocked.length === 0) return
  await db
    .update(table)
    .set({ dueAt: dueAfter(delayMs) as unknown as Date })
    .where(and(isOfAccount(account), sql`due_at <= now()`, isUpdateOf(blocked)))
}

/** Rows of an account that have waited for longer. */
export function oldRows(db: Database, account: Account, maxAgeMs: number) {
  return db
    .select({
      botId: table.botId,
      id: table.id,
      resultId: table.resultId,
      blockId: table.blockId,
      isSent: table.isSent,
    })
    .from(table)
    .where(and(isOfAccount(account), sql`created_at < ${dueAfter(-maxAgeMs)}`))
    .limit(MAX_CANDIDATES)
}

/** A row of the queue, with its content. */
export interface QueuedRow extends SheetRow {
  botId: string
  resultId: string
  failures: number
  /** True if it has waited for so long that it is given up. */
  isOld: boolean
}

/** Reads rows of a bot whose results exist, and drops the others. */
export async function loadRows(
  db: Database,
  botId: string,
  ids: readonly string[],
  maxAgeMs: number,
): Promise<QueuedRow[]> {
  const { id, resultId, credentialsId, spreadsheetId, sheetId, kind, blockId, cells, isSent, failures } =
    table
  const rows = await selectRows(
    db,
    {
      ...{ id, resultId, credentialsId, spreadsheetId, sheetId, kind, blockId, cells, isSent, failures },
      filter: optional(table.filter),
      isOld: expression(sql`created_at < ${dueAfter(-maxAgeMs)}`, 'boolean'),
    },
    (list) => sql`
      SELECT ${list} FROM ${table} WHERE bot_id = ${botId} AND id = ANY(${sql.param(ids)}::text[])
        AND ${isResultVisible(sql`${botId}`, sql`${table.resultId}`)} ORDER BY id`,
  )
  if (rows.length < ids.length) {
    const known = new Set(rows.map((row) => row.id))
    await removeRows(
      db,
      botId,
      ids.filter((each) => !known.has(each)),
    )
  }
  return rows.map(({ cells: words, filter, ...row }) => ({
    ...row,
    botId,
    cells: JSON.parse(words.text),
    filter: filter && JSON.parse(filter.text),
  }))
}

const isAmong = (botId: string, ids: readonly string[]) =>
  and(eq(table.botId, botId), inArray(table.id, [...ids]))

async function removeRows(db: Database, botId: string, ids: readonly string[]) {
  await db.delete(table).where(isAmong(botId, ids))
}

/**
 * Marks rows as sent, until their outcome is known: those that are not, or are again before a retry. Returns the ids of
 * those that it has marked.
 */
export async function markSent(
  db: Database,
  botId: string,
  ids: readonly string[],
  isRetry: boolean,
): Promise<string[]> {
  const marked = await db
    .update(table)
    .set({ isSent: true, dueAt: dueAfter(MAX_VENDOR_MS) as unknown as Date })
    .where(and(isAmong(botId, ids), eq(table.isSent, isRetry)))
    .returning({ id: table.id })
  return marked.map(({ id }) => id)
}

/** Changes rows of a bot that stay in the queue. */
export async function putOffRows(
  db: Database,
  botId: string,
  ids: readonly string[],
  { delayMs, isSent, maxBatch }: { delayMs: number; isSent?: boolean; maxBatch?: number },
) {
  await db
    .update(table)
    .set({
      dueAt: dueAfter(delayMs) as unknown as Date,
      failures: sql`failures + 1` as unknown as number,
      ...(isSent !== undefined && { isSent }),
      ...(maxBatch !== undefined && { maxBatch }),
    })
    .where(isAmong(botId, ids))
}

/** Removes rows of a bot that are done, with their entries in the logs of results that are there. */
export async function finishRows(
  db: Database,
  botId: string,
  rows: readonly { id: string; resultId: string; logs: readonly LogEntry[] }[],
  now: Date,
) {
  if (rows.length === 0) return
  await transact(db, async (tx) => {
    const resultIds = [...new Set(rows.map(({ resultId }) => resultId))]
    // A separate statement, which waits for a running deletion.
    const held = await tx
      .select({ id: results.id })
      .from(results)
      .where(and(eq(results.botId, botId), inArray(results.id, resultIds)))
      .orderBy(results.id)
      .for('key share')
    const known = new Set(held.map(({ id }) => id))
    await removeRows(
      tx,
      botId,
      rows.map(({ id }) => id),
    )
    const logs = rows.flatMap((row) =>
      known.has(row.resultId)
        ? toLogRows(row.logs, now).map((entry) => ({
            ...entry,
            botId,
            resultId: row.resultId,
            createdAt: now,
          }))
        : [],
    )
    if (logs.length > 0) await tx.insert(resultLogs).values(logs)
  })
}
