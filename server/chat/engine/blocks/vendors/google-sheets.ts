/** Sheets of Google, by a service account: rows are read as texts, and written as they are, never as formulas. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import {
  pick,
  pickList,
  type VendorRequest,
} from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import {
  asArray,
  asObject,
  asObjects,
  asString,
  filledText,
  type JsonObject,
} from '../../../../json/access.ts'
import { accountOf, TOKEN_LIFETIME_SECONDS, tokenForm } from '../../../../outbound/google-account.ts'
import { type Execution, log, remainingMilliseconds, waitFor } from '../../execution.ts'
import { setVariable } from '../../variables.ts'
import { failCall, type VendorCall } from './call.ts'
import { chooseRows } from './choose-rows.ts'
import { reportFailure, reportStatus, sendRequest, type VendorReply } from './send.ts'

/** A token is renewed before it ends, so that none ends under way. */
const TOKEN_MARGIN_MS = 300_000
const TITLE_LIFETIME_MS = 60_000
/** A turn waits no longer for a quota of the vendor. */
const MAX_QUOTA_WAIT_MS = 20_000
const FIRST_BACKOFF_MS = 1_000

const MAX_CACHED_SHEET_CHARACTERS = 1_000_000
const cacheOptions = {
  maxSize: MAX_CACHED_SHEET_CHARACTERS,
  sizeCalculation: (value: object, key: string) => key.length + JSON.stringify(value).length,
}

export const tokens = new LRUCache<string, { token: string; renewAt: number }>(cacheOptions)
/** Titles of sheets by spreadsheet and sheet, since each look-up counts for the quota. */
export const titles = new LRUCache<string, { title: string; readAt: number }>(cacheOptions)

interface Table {
  /** The title in quotes, as ranges have it. */
  range: string
  header: string[]
  /** Below the header. */
  rows: string[][]
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
  const found = chooseRows(run, matching(table, options), asString(options.totalRowsToExtract))
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
  const table = await readTable(run, made, '!1:1')
  if (table === null) return
  const row: (string | null)[] = table.header.map(() => null)
  for (const { column, value } of cells) {
    const index = columnIndex(run, made, table, column)
    if (index !== undefined) row[index] = value
  }
  if (row.every((cell) => cell === null)) return
  const reply = await ask(run, made, {
    path: `/values/${encodeURIComponent(`${table.range}!A1`)}:append`,
    query: { valueInputOption: 'RAW', insertDataOption: 'INSERT_ROWS' },
    json: { values: [row] },
  })
  if (reply === null) return
  // With a filter switched on the vendor writes nothing, and answers 200.
  if (pick(reply.body, 'updates', 'updatedRows') !== 1) {
    return reportFailure(run, made, 'No row was written: switch the filter of the sheet off')
  }
  log(run, 'success', 'Google Sheets: a row was inserted', { context: made.block.id, isInternal: true })
}

export async function updateSheet(run: Execution, made: VendorCall): Promise<void> {
  const { options } = made.call
  const cells = cellsOf(options.cellsToUpsert)
  if (cells.length === 0) return failCall(run, made.block, 'Google Sheets: there are no cells to update')
  if (filterOf(options).length === 0) return failCall(run, made.block, 'Google Sheets: there is no filter')
  const table = await readTable(run, made)
  if (table === null) return
  const found = matching(table, options)
  if (found.length === 0) {
    const description = 'Could not find any row that matches the filter'
    log(run, 'info', description, { context: made.block.id, isInternal: true })
    return
  }
  const data = cells.flatMap(({ column, value }) => {
    const index = columnIndex(run, made, table, column)
    if (index === undefined) return []
    return found.map(({ number }) => ({
      range: `${table.range}!${columnName(index)}${number}`,
      values: [[value]],
    }))
  })
  if (data.length === 0) return
  const json = { valueInputOption: 'RAW', data }
  const reply = await ask(run, made, { path: '/values:batchUpdate', json })
  if (reply === null) return
  const description = `Google Sheets: ${found.length === 1 ? 'a row was' : `${found.length} rows were`} updated`
  log(run, 'success', description, { context: made.block.id, isInternal: true })
}

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

// Filters

interface Comparison {
  column: string | undefined
  operator: string | undefined
  value: string
}

/** The older reference cell is one comparison, and wins. */
function filterOf(options: JsonObject): Comparison[] {
  const { column, value } = asObject(options.referenceCell)
  if (filledText(column) !== undefined) {
    return [{ column: filledText(column), operator: 'Equal to', value: asString(value) ?? '' }]
  }
  return asObjects(asObject(options.filter).comparisons).map((comparison) => ({
    column: filledText(comparison.column),
    operator: filledText(comparison.comparisonOperator),
    value: asString(comparison.value) ?? '',
  }))
}

/** Rows that the filter means, with their numbers in the sheet; all without a filter. */
function matching({ header, rows }: Table, options: JsonObject): { cells: string[]; number: number }[] {
  const comparisons = filterOf(options)
  const numbered = rows.map((cells, index) => ({ cells, number: index + 2 }))
  if (comparisons.length === 0) return numbered
  const isAll = asObject(options.filter).logicalOperator === 'AND'
  return numbered.filter(({ cells }) => {
    const holds = ({ column, operator, value }: Comparison): boolean => {
      const index = column === undefined ? -1 : header.indexOf(column.trim())
      return index >= 0 && operator !== undefined && compares(operator, cells[index] ?? '', value)
    }
    return isAll ? comparisons.every(holds) : comparisons.some(holds)
  })
}

/** Regular expressions hold for no row, as their authors could stop the service by one. */
function compares(operator: string, cell: string, value: string): boolean {
  const [loose, part] = [cell, value].map((words) => words.trim().toLowerCase().normalize()) as [
    string,
    string,
  ]
  switch (operator) {
    case 'Equal to':
      return cell.normalize() === value.normalize()
    case 'Not equal':
      return cell.normalize() !== value.normalize()
    case 'Contains':
      return loose.includes(part)
    case 'Does not contain':
      return !loose.includes(part)
    case 'Starts with':
      return loose.startsWith(part)
    case 'Ends with':
      return loose.endsWith(part)
    case 'Greater than':
      return numberOf(cell) > numberOf(value)
    case 'Greater or equal to':
      return numberOf(cell) >= numberOf(value)
    case 'Less than':
      return numberOf(cell) < numberOf(value)
    case 'Less or equal to':
      return numberOf(cell) <= numberOf(value)
    case 'Is set':
      return cell.length > 0
    case 'Is empty':
      return cell.length === 0
    default:
      return false
  }
}

const numberOf = (words: string) => (words.trim() === '' ? Number.NaN : Number(words))

// Requests

/** The sheet, or the part of it that a range behind its title names; null if it cannot be read. */
async function readTable(run: Execution, made: VendorCall, part = ''): Promise<Table | null> {
  const title = await sheetTitle(run, made)
  if (title === null) return null
  const range = `'${title.replaceAll("'", "''")}'`
  const query = { majorDimension: 'ROWS', valueRenderOption: 'FORMATTED_VALUE' }
  const path = `/values/${encodeURIComponent(range + part)}`
  const reply = await ask(run, made, { method: 'GET', path, query })
  if (reply === null) {
    // It may have been renamed.
    titles.delete(titleKey(made))
    return null
  }
  const [first = [], ...rest] = pickList(reply.body, 'values').map(asArray)
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
  const reply = await ask(run, made, { method: 'GET', path: '', query })
  if (reply === null) return null
  const wanted = String(made.call.options.sheetId)
  const sheets = pickList(reply.body, 'sheets').map((sheet) => pick(sheet, 'properties'))
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

/** A response below 400; null if there is none, which is in the log then. Quotas are waited for. */
async function ask(run: Execution, made: VendorCall, request: VendorRequest): Promise<VendorReply | null> {
  const startedAt = performance.now()
  const spreadsheet = encodeURIComponent(String(made.call.options.spreadsheetId))
  let isRenewed = false
  for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs *= 2) {
    const token = await accessToken(run, made)
    if (token === null) return null
    const headers = { authorization: `Bearer ${token}` }
    const path = `/v4/spreadsheets/${spreadsheet}${request.path}`
    const reply = await sendRequest(run, made, { ...request, path, headers })
    if (reply === null || reply.status < 400) return reply
    if (reply.status === 401 && !isRenewed) {
      isRenewed = true
      tokens.delete(accountOf(made.call.credentials).key)
      continue
    }
    // Beside others that were refused at the same time.
    const delayMs = backoffMs * (0.5 + run.effects.random())
    const isLate =
      performance.now() - startedAt + delayMs > Math.min(MAX_QUOTA_WAIT_MS, remainingMilliseconds(run))
    if ((reply.status !== 429 && reply.status !== 503) || isLate) {
      reportStatus(run, made, reply)
      return null
    }
    await waitFor(run, sleep(delayMs))
  }
}

async function accessToken(run: Execution, made: VendorCall): Promise<string | null> {
  const account = accountOf(made.call.credentials)
  const { tokenUri, key } = account
  const known = tokens.get(key)
  if (known !== undefined && performance.now() < known.renewAt) return known.token
  const form = tokenForm(account, made.call.now)
  if (form === null) {
    failCall(run, made.block, 'Google Sheets: the private key of the credentials cannot be used')
    return null
  }
  const atTokens = { ...made, call: { ...made.call, base: tokenUri } }
  const reply = await sendRequest(run, atTokens, { path: '', form })
  if (reply === null) return null
  const token = pick(reply.body, 'access_token')
  if (reply.status >= 400) {
    reportStatus(run, made, reply)
    return null
  }
  if (typeof token !== 'string') {
    failCall(run, made.block, 'No access token found in Sheets credentials')
    return null
  }
  const seconds = Number(pick(reply.body, 'expires_in') ?? TOKEN_LIFETIME_SECONDS)
  tokens.set(key, { token, renewAt: performance.now() + seconds * 1_000 - TOKEN_MARGIN_MS })
  return token
}
