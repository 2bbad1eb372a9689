/** Rows of sheets that turns left to the queue, written without a turn. */
import { randomUUID } from 'node:crypto'
import { googleSheets } from '../../../../../contract/bot-document/blocks/vendors/google-sheets.ts'
import type { Action } from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import { filledText, type JsonObject } from '../../../../json/access.ts'
import { accountOf } from '../../../../outbound/google-account.ts'
import { trimSlashes } from '../../../../outbound/trim-slashes.ts'
import { type Execution, newRun } from '../../execution.ts'
import type { Effects, LogEntry, SheetRow } from '../../types.ts'
import type { LastExchange, VendorCall } from './call.ts'
import { insertRows, readTable, rowOf, updateRows } from './google-sheets.ts'
import { inLine, type Sender, type SheetWrite } from './sheet-batches.ts'

/** Maximum duration of a batch. */
const MAX_BATCH_MS = 60_000

/**
 * `done`: it is written, or never can be, which its log says. `rejected`: the vendor refuses the request with it. `lost`: nobody
 * knows if it is written. `waiting`: it is not.
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

/** Writes rows of one sheet and one kind. `beforeSend` notes those whose outcome is unknown from then on. */
export async function writeQueued(
  tools: Tools,
  credentials: JsonObject,
  rows: readonly SheetRow[],
  beforeSend: (rows: readonly SheetRow[]) => Promise<void>,
): Promise<BatchOutcome> {
  const sender = senderOf(tools, credentials, rows)
  const writes = rows.map((row) => writeOf(tools, credentials, row))
  const rowsOf = new Map(writes.map((write, ordinal) => [write, rows[ordinal] as SheetRow]))
  const left = () => writes.filter(({ isOver }) => !isOver)
  const note = (sent: readonly SheetWrite[]) => beforeSend(sent.map((write) => rowsOf.get(write) as SheetRow))
  const send = rows[0]?.kind === 'update' ? updateRows : insertRows
  await inLine(accountOf(credentials).key, () => send({ ...sender, beforeSend: note }, left))
  const last = sender.made.last ?? {}
  return {
    outcomes: writes.map((write) => ({ fate: fateOf(write, last), logs: write.run.logs })),
    failure: sender.run.logs.at(-1),
    last,
  }
}

function fateOf({ isOver, isSent }: SheetWrite, { status }: LastExchange): QueuedOutcome['fate'] {
  if (isOver) return 'done'
  if (!isSent) return 'waiting'
  if (status === undefined || status >= 500 || status < 400) return 'lost'
  // These are about the account or the sheet, not about a row.
  return [401, 403, 404, 408].includes(status) ? 'waiting' : 'rejected'
}

/** Looks for rows in their sheet. `equal`: there are some with these values, but fewer than these. Null if it cannot be read. */
export async function lookForQueued(
  tools: Tools,
  credentials: JsonObject,
  rows: readonly SheetRow[],
): Promise<{ found: ('there' | 'missing' | 'equal')[] } | { found: null; failure: LogEntry | undefined }> {
  const { run, made } = senderOf(tools, credentials, rows)
  let found: ('there' | 'missing' | 'equal')[] | null = null
  await inLine(accountOf(credentials).key, async () => {
    const table = await readTable(run, made)
    if (table === null) return 1
    const wanted = rows.map((row) => rowOf(writeOf(tools, credentials, row), table))
    const columnsOf = (row: readonly (string | null)[]) =>
      row.flatMap((cell, column) => (cell === null ? [] : [column]))
    const keyOf = (row: readonly (string | null)[], columns: readonly number[]) =>
      JSON.stringify([columns, columns.map((column) => row[column] ?? '')])
    const keys = wanted.map((row) => keyOf(row, columnsOf(row)))
    const sets = [...new Map(wanted.map((row) => [columnsOf(row).join(), columnsOf(row)])).values()]
    const counts = countEach(table.rows.flatMap((row) => sets.map((columns) => keyOf(row, columns))))
    const pending = countEach(keys)
    found = keys.map((key) => {
      const count = counts.get(key) ?? 0
      if (count === 0) return 'missing'
      return count >= (pending.get(key) ?? 0) ? 'there' : 'equal'
    })
    return 1
  })
  return found === null ? { found, failure: run.logs.at(-1) } : { found }
}

function countEach(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

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
  return newRun({ limits: { milliseconds: MAX_BATCH_MS } }, tools as Effects, session)
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
