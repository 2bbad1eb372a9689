/** Writes of many turns to one sheet, in few requests: each request counts for the quota of the account. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { asObject, filledText } from '../../../../json/access.ts'
import {
  computeRemainingMilliseconds,
  type Execution,
  log,
  spendOutboundCall,
  waitFor,
} from '../../execution.ts'
import type { SheetRow } from '../../types.ts'
import { failCall, type LastExchange, type VendorCall } from './call.ts'

/**
 * Maximum wait of a turn for quotas, over all its rows; rows that would wait longer are queued, and the turn goes on.
 */
export const MAX_QUOTA_WAIT_MS = 10_000
/** The vendor takes 60 requests of an account in a minute. */
const REQUEST_INTERVAL_MS = 1_000
/** The vendor rejects the whole request if one cell is longer. */
const MAX_CELL_CHARACTERS = 50_000
/** Several times as long as those of the vendor. */
const MAX_SHEET_ID_CHARACTERS = 200
export const MAX_SHEET_BATCH_WRITES = 500
/** The vendor advises against more than 2 MB. */
export const MAX_SHEET_BATCH_BYTES = 1_000_000

export interface SheetWrite {
  run: Execution
  made: VendorCall
  cells: { column: string; value: string }[]
  /** By `performance.now()`. */
  dueAt: number
  /** True once its turn has its outcome, or no longer waits. */
  isOver: boolean
  /** True while it is in a request that has no response. */
  isSent: boolean
  /** Entries for its log, where it failed but may be made later. */
  failure?: Execution['logs']
}

export interface Sender {
  run: Execution
  made: VendorCall
  /** Called with the writes of a request just before it is sent. */
  beforeSend?: (writes: readonly SheetWrite[]) => Promise<void>
}

/** Sends writes by the turn of one of them, and logs the outcome of each. Returns the number of requests. */
export type SendWrites = (sender: Sender, writes: () => SheetWrite[]) => Promise<number>

interface Batch {
  writes: SheetWrite[]
  bytes: number
  done: Promise<void>
}

/** Batches that have not begun, by sheet and kind of write. */
const open = new Map<string, Batch>()

interface Line {
  last: Promise<unknown>
  /** Time at which the next request is within the quota. */
  freeAt: number
}

/** One line for each account, which has one quota for all of its sheets. */
const lines = new LRUCache<string, Line>({ max: 10_000 })

/**
 * Writes immediately if the account has been idle for a second, else together with the rows that arrive meanwhile. A
 * turn that has waited for too long goes on, and its row is written later.
 */
export async function writeTogether(
  { run, made, cells }: Pick<SheetWrite, 'run' | 'made' | 'cells'>,
  { account, sheet, kind }: { account: string; sheet: string; kind: SheetRow['kind'] },
  send: SendWrites,
): Promise<void> {
  const write: SheetWrite = { run, made, cells, dueAt: 0, isOver: false, isSent: false }
  const { shareRequest } = run.effects
  if (cells.some(({ value }) => value.length > MAX_CELL_CHARACTERS)) {
    // The vendor would reject the rows of all others with it.
    const details = `A cell holds at most ${MAX_CELL_CHARACTERS} characters`
    return failCall(run, made.block, 'Google Sheets: the request failed', details, made.action.context)
  }
  const { spreadsheetId, sheetId } = made.call.options
  if ([spreadsheetId, sheetId].some((id) => String(id).length > MAX_SHEET_ID_CHARACTERS)) {
    const details = `The id of a spreadsheet or of a sheet has at most ${MAX_SHEET_ID_CHARACTERS} characters`
    return failCall(run, made.block, 'Google Sheets: the request failed', details, made.action.context)
  }
  // A simulated turn sends nothing, so it must not send for others.
  if (shareRequest === undefined) {
    write.dueAt = performance.now() + waitOf(run)
    await send(write, () => (write.isOver ? [] : [write]))
    return
  }
  const bytes = Buffer.byteLength(JSON.stringify(cells))
  if (!(await spendOutboundCall(run, 2 * bytes))) return
  // The turn may have waited for room.
  const waitMs = waitOf(run)
  // Behind the rows of this turn that wait already. An update may mean one of its inserts.
  const isBehind = waitMs === 0 ? run.sheetRows.length > 0 : kind === 'update' && hasInsert(write)
  if (isBehind && (await writeLater(write, kind))) return
  const startedAt = performance.now()
  write.dueAt = startedAt + waitMs
  const leaving = new AbortController()
  const late = () => sleep(waitMs, undefined, { signal: leaving.signal }).catch(() => {})
  let hasJoined = false
  const join = () => {
    hasJoined = true
    return Promise.race([joinBatch(write, bytes, account, sheet, send).done, late()])
  }
  await waitFor(run, shareRequest(join))
  leaving.abort()
  run.spent.sheetsMs += performance.now() - startedAt
  if (write.isOver && write.failure === undefined) return
  write.isOver = true
  if (hasJoined && (await writeLater(write, kind))) return
  if (write.failure !== undefined) {
    for (const { status, description, ...more } of write.failure) log(run, status, description, more)
    return
  }
  const unsent = hasJoined
    ? 'the quota of the account was used up for too long'
    : 'another request runs this turn'
  const details = write.isSent
    ? 'There was no response in time: it may have been written'
    : `Nothing was written: ${unsent}`
  failCall(run, made.block, 'Google Sheets: the request failed', details, made.action.context)
}

const waitOf = (run: Execution) =>
  Math.max(0, Math.min(MAX_QUOTA_WAIT_MS - run.spent.sheetsMs, computeRemainingMilliseconds(run)))

function hasInsert({ run, made }: SheetWrite): boolean {
  const { spreadsheetId, sheetId } = made.call.options
  return run.sheetRows.some(
    (row) =>
      row.kind === 'insert' && row.spreadsheetId === String(spreadsheetId) && row.sheetId === String(sheetId),
  )
}

/** Queues a row, or logs why the queue rejects it; false where the turn has no queue. */
async function writeLater(
  { run, made, cells, isSent }: SheetWrite,
  kind: SheetRow['kind'],
): Promise<boolean> {
  const { reserveSheetRow } = run.effects
  if (reserveSheetRow === undefined) return false
  const { credentialsId, filter, referenceCell } = made.call.options
  const spreadsheetId = String(made.call.options.spreadsheetId)
  const sheetId = String(made.call.options.sheetId)
  const words = { cells, filter: kind === 'update' ? asObject({ filter, referenceCell }) : null }
  const rejection = await reserveSheetRow(Buffer.byteLength(JSON.stringify(words) + spreadsheetId + sheetId))
  if (rejection !== undefined) {
    const details = `${isSent ? 'There was no response in time' : 'Nothing was written'}: ${rejection}`
    failCall(run, made.block, 'Google Sheets: the request failed', details, made.action.context)
    return true
  }
  run.sheetRows.push({
    id: run.effects.newId(),
    kind,
    blockId: made.block.id,
    credentialsId: filledText(credentialsId) ?? '',
    spreadsheetId,
    sheetId,
    ...words,
    isSent,
  })
  const reason = isSent ? 'There was no response in time' : 'The quota of the account is used up'
  log(run, 'info', 'Google Sheets: the row is written later', {
    context: made.block.id,
    details: reason,
    isInternal: true,
  })
  return true
}

/** True if writes that failed may be made later: the vendor is busy or away, or it is unknown if it has written them. */
export function isTransient({ isSent }: SheetWrite, { status, reason }: LastExchange): boolean {
  if (status !== undefined) return status >= 500 || (!isSent && (status === 429 || status === 408))
  return isSent || (reason !== 'refused' && reason !== 'size')
}

function joinBatch(
  write: SheetWrite,
  bytes: number,
  account: string,
  sheet: string,
  send: SendWrites,
): Batch {
  const known = open.get(sheet)
  if (known && known.writes.length < MAX_SHEET_BATCH_WRITES && known.bytes + bytes <= MAX_SHEET_BATCH_BYTES) {
    known.writes.push(write)
    known.bytes += bytes
    return known
  }
  const batch: Batch = { writes: [write], bytes, done: Promise.resolve() }
  open.set(sheet, batch)
  batch.done = inLine(account, () => {
    if (open.get(sheet) === batch) open.delete(sheet)
    return sendBatch(batch, send)
  })
  return batch
}

/** Runs work for an account after its earlier work, and no sooner than its quota permits. */
export function inLine(account: string, work: () => Promise<number>): Promise<void> {
  const line = lines.get(account) ?? { last: Promise.resolve(), freeAt: 0 }
  lines.set(account, line)
  const done = line.last.then(async () => {
    await sleep(Math.max(0, line.freeAt - performance.now()))
    const startedAt = performance.now()
    const requests = await work()
    line.freeAt = startedAt + requests * REQUEST_INTERVAL_MS
  })
  line.last = done.catch(() => {})
  return done
}

/** The turn that waits longest, which is there until the end, of those that are not with another request or a member. */
async function findSender(writes: SheetWrite[]): Promise<SheetWrite | undefined> {
  for (const write of writes.sort((one, other) => other.dueAt - one.dueAt)) {
    const { canCallOut } = write.run.effects
    if (canCallOut === undefined || (await canCallOut())) return write
  }
  return undefined
}

async function sendBatch({ writes }: Batch, send: SendWrites): Promise<number> {
  const openWrites = () => writes.filter(({ isOver }) => !isOver)
  const sender = await findSender(openWrites())
  if (sender === undefined) return 0
  const logs: Execution['logs'] = []
  // Failures of the requests are those of all writes, so they are logged apart.
  const run = {
    ...sender.run,
    logs,
    spent: { ...sender.run.spent, outboundCalls: 0 },
    startedAt: performance.now(),
    limits: { ...sender.run.limits, milliseconds: sender.dueAt - performance.now() },
  }
  const call = { ...sender.made, last: {} }
  const requests = await send({ run, made: call }, openWrites)
  for (const write of openWrites()) {
    write.isOver = true
    const failure = logs.map((entry) =>
      entry.context === call.block.id ? { ...entry, context: write.made.block.id } : entry,
    )
    if (isTransient(write, call.last)) write.failure = failure
    else for (const { status, description, ...more } of failure) log(write.run, status, description, more)
  }
  return requests
}
