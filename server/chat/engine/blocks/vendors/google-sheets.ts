/** Sheets of Google: rows are read as texts, and written as they are, never as formulas. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import {
  pick,
  pickList,
  type VendorRequest,
} from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import { asArray, asObjects, asString, filledText } from '../../../../json/access.ts'
import { accountOf } from '../../../../outbound/google-account.ts'
import { computeRemainingMilliseconds, type Execution, log, waitFor } from '../../execution.ts'
import type { SheetRow } from '../../types.ts'
import { setVariable } from '../../variables.ts'
import { failCall, type VendorCall } from './call.ts'
import { chooseRows } from './choose-rows.ts'
import { accessToken, forgetToken } from './google-token.ts'
import { reportFailure, reportStatus, sendRequest, type VendorReply } from './send.ts'
import { MAX_QUOTA_WAIT_MS, type Sender, type SheetWrite, writeTogether } from './sheet-batches.ts'
import { filterOf, matchRows, type Rows } from './sheet-filters.ts'

const TITLE_LIFETIME_MS = 60_000
const FIRST_BACKOFF_MS = 1_000

const MAX_CACHED_SHEET_CHARACTERS = 1_000_000
/** Titles of sheets by spreadsheet and sheet, since each look-up counts for the quota. */
export const titles = new LRUCache<string, { title: string; readAt: number }>({
  maxSize: MAX_CACHED_SHEET_CHARACTERS,
  sizeCalculation: ({ title }, key) => key.length + title.length,
})

export interface Table extends Rows {
  /** The title in quotes, as ranges have it. */
  range: string
}

export async function getFromSheet(run: Execution, made: VendorCall): Promise<void> {
  const { options } = made.call
  const extractions = asObjects(options.cellsToExtract).filter(
    ({ column }) => filledText(column) !== undefined,
  )
  if (extractions.length === 0)
    return failCall(run, made.block, 'Google Sheets: there are no cells to extract')
  const table = await readTable(run, made)
  if (table === null) return
  const found = chooseRows(run, matchRows(table, options), asString(options.totalRowsToExtract))
  if (found.length === 0) {
    log(run, 'info', "Couldn't find any rows matching the filter", {
      context: made.block.id,
      isInternal: true,
    })
    return
  }
  for (const { column, variableId } of extractions) {
    const index = columnIndex(run, made, table, asString(column) ?? '')
    if (index === undefined) continue
    const values = found.map(({ cells }) => cells[index] ?? '')
    setVariable(run, variableId, values.length === 1 ? values[0] : values)
  }
}

export async function insertIntoSheet(run: Execution, made: VendorCall): Promise<void> {
  const cells = cellsOf(made.call.options.cellsToInsert)
  if (cells.length === 0) return failCall(run, made.block, 'Google Sheets: there are no cells to insert')
  await writeTogether({ run, made, cells }, placeOf('insert', made), insertRows)
}

export async function insertRows(sender: Sender, writes: () => SheetWrite[]): Promise<number> {
  const table = await readTable(sender.run, sender.made, '!1:1')
  if (table === null) return READ_REQUESTS
  let sent: SheetWrite[] = []
  let isEmpty = false
  const refuse = () => markSent(sent, false)
  const response = await ask(
    sender.run,
    sender.made,
    async () => {
      const rows = writes().map((write) => ({ write, row: rowOf(write, table) }))
      const filled = rows.filter(({ row }) => row.some((cell) => cell !== null))
      sent = filled.map(({ write }) => write)
      markSent(sent, true)
      isEmpty = sent.length === 0
      if (isEmpty) return null
      await sender.beforeSend?.(sent)
      return {
        path: `/values/${encodeURIComponent(`${table.range}!A1`)}:append`,
        query: { valueInputOption: 'RAW', insertDataOption: 'INSERT_ROWS' },
        json: { values: filled.map(({ row }) => row) },
      }
    },
    refuse,
  )
  if (response === null && !isEmpty) return WRITE_REQUESTS
  // With an active filter the vendor writes nothing, and responds with 200.
  if (response !== null && pick(response.body, 'updates', 'updatedRows') !== sent.length) {
    reportFailure(sender.run, sender.made, 'No row was written: switch the filter of the sheet off')
    return WRITE_REQUESTS
  }
  for (const write of writes()) {
    logMissing(write, table)
    write.isOver = true
  }
  for (const { run, made } of sent)
    log(run, 'success', 'Google Sheets: a row was inserted', { context: made.block.id, isInternal: true })
  return WRITE_REQUESTS
}

function markSent(writes: readonly SheetWrite[], isSent: boolean) {
  for (const write of writes) write.isSent = isSent
}

export function rowOf({ cells }: SheetWrite, { header }: Table): (string | null)[] {
  const row: (string | null)[] = header.map(() => null)
  for (const { column, value } of cells) {
    const index = header.indexOf(column.trim())
    if (index >= 0) row[index] = value
  }
  return row
}

function logMissing({ run, made, cells }: SheetWrite, table: Table) {
  for (const { column } of cells) columnIndex(run, made, table, column)
}

export async function updateSheet(run: Execution, made: VendorCall): Promise<void> {
  const { options } = made.call
  const cells = cellsOf(options.cellsToUpsert)
  if (cells.length === 0) return failCall(run, made.block, 'Google Sheets: there are no cells to update')
  if (filterOf(options).length === 0) return failCall(run, made.block, 'Google Sheets: there is no filter')
  await writeTogether({ run, made, cells }, placeOf('update', made), updateRows)
}

/** Sends as many requests as the changes of all writes need. */
export async function updateRows(sender: Sender, writes: () => SheetWrite[]): Promise<number> {
  const table = await readTable(sender.run, sender.made)
  let requests = READ_REQUESTS
  let rest = table
  while (rest !== null && writes().length > 0) {
    requests += 1
    rest = await updateSome(sender, writes, rest)
  }
  return requests
}

/** Makes the changes of the first writes. Returns the sheet as they leave it; null if they could not be made. */
async function updateSome(sender: Sender, writes: () => SheetWrite[], table: Table): Promise<Table | null> {
  let { changes, rows } = await findChanges(writes(), table)
  const mark = (isSent: boolean) =>
    markSent(
      changes.map(({ write }) => write),
      isSent,
    )
  const response = await ask(
    sender.run,
    sender.made,
    async () => {
      // Turns that no longer wait change nothing, also not the rows that others find.
      if (changes.some(({ write }) => write.isOver)) ({ changes, rows } = await findChanges(writes(), table))
      // Some may no longer wait.
      changes = changes.filter(({ write }) => !write.isOver)
      const data = changes.flatMap((change) => change.data)
      if (data.length === 0) return null
      mark(true)
      return { path: '/values:batchUpdate', json: { valueInputOption: 'RAW', data } }
    },
    () => mark(false),
  )
  if (response === null && changes.some(({ data }) => data.length > 0)) return null
  for (const { write, found, data } of changes) {
    const { run, made } = write
    const more = { context: made.block.id, isInternal: true }
    if (found === 0) log(run, 'info', 'Could not find any row that matches the filter', more)
    else logMissing(write, table)
    if (data.length > 0)
      log(run, 'success', `Google Sheets: ${found === 1 ? 'a row was' : `${found} rows were`} updated`, more)
    write.isOver = true
  }
  return { ...table, rows }
}

const MAX_MATCHING_MS = 10
/**
 * Cells that one request changes. A write that finds more is not made; those that share a request and find more share
 * several.
 */
const MAX_CHANGED_CELLS = 10_000

/**
 * Cells that each write changes, in rows as those before it leave them, until a request is full. Others have the thread
 * in between.
 */
async function findChanges(writes: SheetWrite[], table: Table) {
  const rows = table.rows.map((row) => [...row])
  const changes: { write: SheetWrite; found: number; data: object[] }[] = []
  let yieldedAt = performance.now()
  let cellsLeft = MAX_CHANGED_CELLS
  for (const write of writes) {
    const found = matchRows({ ...table, rows }, write.made.call.options)
    const cells = found.length * write.cells.length
    if (cells > MAX_CHANGED_CELLS) {
      reportFailure(write.run, write.made, `Too many cells change at once: ${MAX_CHANGED_CELLS} may`)
      write.isOver = true
      continue
    }
    // Those behind it find the rows as it leaves them, so that they wait with it.
    if (cells > cellsLeft) break
    cellsLeft -= cells
    const data = write.cells.flatMap(({ column, value }) => {
      const index = table.header.indexOf(column.trim())
      if (index < 0) return []
      return found.map(({ cells, number }) => {
        cells[index] = value
        return { range: `${table.range}!${columnName(index)}${number}`, values: [[value]] }
      })
    })
    changes.push({ write, found: found.length, data })
    if (performance.now() - yieldedAt < MAX_MATCHING_MS) continue
    await setImmediate()
    yieldedAt = performance.now()
  }
  return { changes, rows }
}

/** Requests of a batch: the head or the rows of the sheet, then the write. */
const READ_REQUESTS = 1
const WRITE_REQUESTS = 2

const placeOf = (kind: SheetRow['kind'], made: VendorCall) => ({
  kind,
  account: accountOf(made.call.credentials).key,
  sheet: `${kind} ${titleKey(made)}`,
})

/** Cells with a column and a value; empty ones are left as they are. */
function cellsOf(given: unknown): { column: string; value: string }[] {
  return asObjects(given).flatMap(({ column, value }) => {
    const [name, words] = [filledText(column), filledText(value)]
    return name === undefined || words === undefined ? [] : [{ column: name, value: words }]
  })
}

function columnIndex(
  run: Execution,
  made: VendorCall,
  { header }: Table,
  column: string,
): number | undefined {
  const index = header.indexOf(column.trim())
  if (index >= 0) return index
  failCall(
    run,
    made.block,
    `Google Sheets: the sheet has no column ${column}`,
    undefined,
    made.action.context,
  )
  return undefined
}

/** `A`, `Z`, `AA`. */
export function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : `${columnName(Math.floor(index / 26) - 1)}${last}`
}

// Requests

/** The sheet, or the part of it that a range behind its title names; null if it cannot be read. */
export async function readTable(run: Execution, made: VendorCall, part = ''): Promise<Table | null> {
  const title = await sheetTitle(run, made)
  if (title === null) return null
  const range = `'${title.replaceAll("'", "''")}'`
  const query = { majorDimension: 'ROWS', valueRenderOption: 'FORMATTED_VALUE' }
  const path = `/values/${encodeURIComponent(range + part)}`
  const response = await ask(run, made, { method: 'GET', path, query })
  if (response === null) {
    // It may have been renamed.
    titles.delete(titleKey(made))
    return null
  }
  const [first = [], ...rest] = pickList(response.body, 'values').map(asArray)
  const header = first.map((cell) => String(cell).trim())
  const named = header.filter((name) => name !== '')
  const twice = named.find((name, index) => named.indexOf(name) !== index)
  if (named.length > 0 && twice === undefined) {
    return { range, header, rows: rest.map((row) => row.map(String)) }
  }
  const problem =
    twice === undefined ? 'The first row has no titles of columns' : `Two columns have the title ${twice}`
  reportFailure(run, made, problem)
  return null
}

const titleKey = ({ call }: VendorCall) =>
  JSON.stringify([
    accountOf(call.credentials).key,
    call.base,
    call.options.spreadsheetId,
    call.options.sheetId,
  ])

async function sheetTitle(run: Execution, made: VendorCall): Promise<string | null> {
  const known = titles.get(titleKey(made))
  if (known !== undefined && performance.now() - known.readAt < TITLE_LIFETIME_MS) return known.title
  const query = { fields: 'properties.title,sheets(properties(sheetId,title,gridProperties))' }
  const response = await ask(run, made, { method: 'GET', path: '', query })
  if (response === null) return null
  const wanted = String(made.call.options.sheetId)
  const sheets = pickList(response.body, 'sheets').map((sheet) => pick(sheet, 'properties'))
  const title = pick(
    sheets.find((sheet) => String(pick(sheet, 'sheetId')) === wanted),
    'title',
  )
  if (typeof title !== 'string') {
    reportFailure(run, made, `The spreadsheet has no sheet ${wanted}`)
    return null
  }
  titles.set(titleKey(made), { title, readAt: performance.now() })
  return title
}

/**
 * A response below 400; null if there is none, which is in the log then. Quotas are waited for. A function makes the
 * request anew for each attempt, or says that there is none left.
 */
async function ask(
  run: Execution,
  made: VendorCall,
  given: VendorRequest | (() => VendorRequest | null | Promise<VendorRequest | null>),
  refuse = () => {},
): Promise<VendorReply | null> {
  const startedAt = performance.now()
  const spreadsheet = encodeURIComponent(String(made.call.options.spreadsheetId))
  let isRenewed = false
  for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs *= 2) {
    const token = await accessToken(run, made, 'No access token found in Sheets credentials')
    if (token === null) return null
    const request = typeof given === 'function' ? await given() : given
    if (request === null) return null
    const headers = { authorization: `Bearer ${token}` }
    const path = `/v4/spreadsheets/${spreadsheet}${request.path}`
    const response = await sendRequest(run, made, { ...request, path, headers })
    if (response === null || response.status < 400) return response
    if (response.status === 401 && !isRenewed) {
      isRenewed = true
      forgetToken(made)
      continue
    }
    // The random factor keeps it apart from others that were rejected at the same time.
    const delayMs = Math.max(backoffMs * (0.5 + run.effects.random()), response.retryAfterMs)
    const isLate =
      performance.now() - startedAt + delayMs > Math.min(MAX_QUOTA_WAIT_MS, computeRemainingMilliseconds(run))
    const isRejected = response.status === 429 || response.status === 503
    if (isRejected) refuse()
    if (!isRejected || isLate) {
      reportStatus(run, made, response)
      return null
    }
    await waitFor(run, sleep(delayMs))
  }
}
