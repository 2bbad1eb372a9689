/** Rows of sheets that turns left to the queue, written without a turn. */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { googleSheets } from '../../../../../contract/bot-document/blocks/vendors/google-sheets.ts'
import type { Action } from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import { filledText, type JsonObject } from '../../../../json/access.ts'
import { accountOf } from '../../../../outbound/google-account.ts'
import { trimSlashes } from '../../../../outbound/trim-slashes.ts'
import { createExecution, type Execution } from '../../execution.ts'
import type { Effects, LogEntry, SheetRow } from '../../types.ts'
import type { LastExchange, VendorCall } from './call.ts'
import { insertRows, readTable, rowOf, updateRows } from './google-sheets.ts'
import { inLine, type Sender, type SheetWrite } from './sheet-batches.ts'

/** Maximum duration of a batch. */
const MAX_BATCH_MS = 60_000

/**
 * `done`: it is written, or never can be, as its log says. `rejected`: the vendor rejects the request with it.
 * `lost`: it may or may not be written. `waiting`: it is not written.
 */
interface QueuedOutcome {
  fate: 'done' | 'rejected' | 'lost' | 'waiting'
  logs: LogEntry[]
}

export interface BatchOutcome {
  outcomes: QueuedOutcome[]
  /** The last failure of a request, in words for a log. */
  failure: LogEntry | undefined
  last: LastExchange
}

type Tools = Pick<Effects, 'now' | 'random' | 'httpRequest'>

/** Writes rows of one sheet and one kind. `beforeSend` records the rows whose outcome is unknown from then on. */
export async function writeQueuedRows<Row extends SheetRow>(
  tools: Tools,
  credentials: JsonObject,
  rows: readonly Row[],
  beforeSend: (rows: readonly Row[]) => Promise<void>,
): Promise<BatchOutcome> {
  const sender = senderOf(tools, credentials, rows)
  const writes = rows.map((row) => writeOf(tools, credentials, row))
  const rowsOf = new Map(writes.map((write, ordinal) => [write, rows[ordinal] as Row]))
  const openWrites = () => writes.filter(({ isOver }) => !isOver)
  const note = (sent: readonly SheetWrite[]) => beforeSend(sent.map((write) => rowsOf.get(write) as Row))
  const send = rows[0]?.kind === 'update' ? updateRows : insertRows
  await inLine(accountOf(credentials).key, () => send({ ...sender, beforeSend: note }, openWrites))
  const last = sender.made.last ?? {}
  return {
    outcomes: writes.map((write) => ({ fate: fateOf(write, last), logs: write.run.logs })),
    failure: sender.run.logs.at(-1),
    last,
  }
}

function fateOf({ isOver, isSent }: SheetWrite, { status, reason }: LastExchange): QueuedOutcome['fate'] {
  if (isOver) return 'done'
  if (!isSent || reason === 'refused') return 'waiting'
  if (status === undefined || status >= 500 || status < 400) return 'lost'
  // These are about the account or the sheet, not about a row.
  return [401, 403, 404, 408].includes(status) ? 'waiting' : 'rejected'
}

/** `equal`: there are some rows with these values, but fewer than these. `later`: this pass has not looked for it. */
export type Finding = 'there' | 'missing' | 'equal' | 'later'

/** Looks for rows in their sheet; `found` is null if it cannot be read. */
export async function findQueuedRows(
  tools: Tools,
  credentials: JsonObject,
  rows: readonly SheetRow[],
): Promise<{ found: Finding[] | null; failure: LogEntry | undefined; last: LastExchange }> {
  const { run, made } = senderOf(tools, credentials, rows)
  let found: Finding[] | null = null
  await inLine(accountOf(credentials).key, async () => {
    const table = await readTable(run, made)
    if (table === null) return 1
    const wanted = rows.map((row) => rowOf(writeOf(tools, credentials, row), table))
    found = await findRows(wanted, table.rows)
    return 1
  })
  return { found, failure: run.logs.at(-1), last: made.last ?? {} }
}

type Cells = readonly (string | null)[]

/** Columns that some rows fill, with the number of these rows and of those in the sheet by their values. */
interface ColumnSet {
  columns: number[]
  firsts: Set<string>
  counts: Map<string, { pending: number; there: number }>
}

/** Each set is a pass over the sheet. */
const MAX_COLUMN_SETS = 20
const MAX_COUNTING_MS = 10

async function findRows(wanted: readonly Cells[], sheet: readonly Cells[]): Promise<Finding[]> {
  const sets = new Map<string, ColumnSet>()
  const found = wanted.map((row) => {
    const columns = row.flatMap((cell, column) => (cell === null ? [] : [column]))
    const name = columns.join()
    const set = sets.get(name) ?? { columns, firsts: new Set(), counts: new Map() }
    // Nothing of such a row can be in the sheet.
    if (columns.length === 0) return () => 'missing' as const
    if (!sets.has(name) && sets.size === MAX_COLUMN_SETS) return () => 'later' as const
    sets.set(name, set)
    const key = keyOf(row, columns)
    const count = set.counts.get(key) ?? { pending: 0, there: 0 }
    count.pending += 1
    set.counts.set(key, count)
    set.firsts.add(firstOf(row, columns))
    return () => {
      if (count.there === 0) return 'missing'
      return count.there >= count.pending ? 'there' : 'equal'
    }
  })
  let yieldedAt = performance.now()
  for (const { columns, firsts, counts } of sets.values()) {
    for (const row of sheet) {
      const count = firsts.has(firstOf(row, columns)) ? counts.get(keyOf(row, columns)) : undefined
      if (count !== undefined) count.there += 1
      if (performance.now() - yieldedAt < MAX_COUNTING_MS) continue
      await setImmediate()
      yieldedAt = performance.now()
    }
  }
  return found.map((finding) => finding())
}

const firstOf = (row: Cells, [column = 0]: readonly number[]) => row[column] ?? ''
const keyOf = (row: Cells, columns: readonly number[]) =>
  JSON.stringify(columns.map((column) => row[column] ?? ''))

function senderOf(tools: Tools, credentials: JsonObject, rows: readonly SheetRow[]): Sender {
  const [first] = rows
  if (first === undefined) throw new Error('A batch has at least one row')
  return { run: runOf(tools), made: { ...callOf(tools, credentials, first), last: {} } }
}

function writeOf(tools: Tools, credentials: JsonObject, row: SheetRow): SheetWrite {
  return {
    run: runOf(tools),
    made: callOf(tools, credentials, row),
    cells: row.cells,
    dueAt: 0,
    isOver: false,
    isSent: false,
  }
}

function runOf(tools: Tools): Execution {
  const session = {
    format: 1 as const,
    resultId: null,
    userId: '',
    device: 'desktop' as const,
    isProgressBarEnabled: false,
  }
  // Requests of sheets need nothing else of the effects of a turn.
  return createExecution({ limits: { milliseconds: MAX_BATCH_MS } }, tools as Effects, session)
}

function callOf(tools: Tools, credentials: JsonObject, row: SheetRow): VendorCall {
  const name = row.kind === 'update' ? 'Update a row' : 'Insert a row'
  const { spreadsheetId, sheetId, filter } = row
  return {
    row: googleSheets,
    action: googleSheets.actions[name] as Action,
    block: { id: row.blockId, type: 'Google Sheets', options: {} } as VendorCall['block'],
    call: {
      options: { spreadsheetId, sheetId, ...filter },
      credentials,
      base: trimSlashes(filledText(credentials.baseUrl) ?? googleSheets.base ?? ''),
      valueOf: () => undefined,
      visitorId: '',
      now: tools.now(),
      uuid: randomUUID,
    },
  }
}
