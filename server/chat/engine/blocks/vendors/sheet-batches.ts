/** Writes of many turns to one sheet, in few requests: each request counts for the quota of the account. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Execution, log, mayCallOut, remainingMilliseconds, waitFor } from '../../execution.ts'
import { failCall, type VendorCall } from './call.ts'

/** A turn waits no longer for a quota of the vendor. */
export const MAX_QUOTA_WAIT_MS = 20_000
/** The vendor takes 60 requests of an account in a minute. */
const REQUEST_INTERVAL_MS = 1_000
/** The vendor refuses a request with a longer cell as a whole. */
const MAX_CELL_CHARACTERS = 50_000
export const MAX_SHEET_BATCH_WRITES = 500
/** The vendor advises against more than 2 MB. */
export const MAX_SHEET_BATCH_BYTES = 1_000_000

export interface SheetWrite {
  run: Execution
  made: VendorCall
  cells: { column: string; value: string }[]
  /** By `performance.now()`. */
  dueAt: number
  /** True once its turn has its outcome, or has gone on. */
  isOver: boolean
  /** True while it is in a request that has no response. */
  isSent: boolean
}

/** Sends writes by the turn of one of them, and logs the outcome of each. Returns the number of requests. */
export type SendWrites = (
  sender: { run: Execution; made: VendorCall },
  writes: () => SheetWrite[],
) => Promise<number>

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
 * Writes at once where the account has been quiet for a second, else together with the others that come meanwhile. A turn
 * that has waited for too long goes on, and its write is dropped unless it is on its way.
 */
export async function writeTogether(
  { run, made, cells }: Pick<SheetWrite, 'run' | 'made' | 'cells'>,
  { account, sheet }: { account: string; sheet: string },
  send: SendWrites,
): Promise<void> {
  const write: SheetWrite = { run, made, cells, dueAt: 0, isOver: false, isSent: false }
  const { shareRequest } = run.effects
  if (cells.some(({ value }) => value.length > MAX_CELL_CHARACTERS)) {
    // The vendor would refuse those of all others with it.
    const details = `A cell holds at most ${MAX_CELL_CHARACTERS} characters`
    return failCall(run, made.block, 'Google Sheets: the request failed', details, made.action.context)
  }
  // A simulated turn sends nothing, so it must not send for others.
  if (shareRequest === undefined) {
    write.dueAt = performance.now() + waitOf(run)
    await send(write, () => (write.isOver ? [] : [write]))
    return
  }
  const bytes = Buffer.byteLength(JSON.stringify(cells))
  if (!(await mayCallOut(run, 2 * bytes))) return
  // The turn may have waited for room.
  const waitMs = waitOf(run)
  write.dueAt = performance.now() + waitMs
  const leaving = new AbortController()
  const late = () => sleep(waitMs, undefined, { signal: leaving.signal }).catch(() => {})
  let hasJoined = false
  const join = () => {
    hasJoined = true
    return Promise.race([joinBatch(write, bytes, account, sheet, send).done, late()])
  }
  await waitFor(run, shareRequest(join))
  leaving.abort()
  if (write.isOver) return
  write.isOver = true
  const unsent = hasJoined
    ? 'the quota of the account was used up for too long'
    : 'another request runs this turn'
  const details = write.isSent
    ? 'There was no response in time: it may have been written'
    : `Nothing was written: ${unsent}`
  failCall(run, made.block, 'Google Sheets: the request failed', details, made.action.context)
}

const waitOf = (run: Execution) => Math.max(0, Math.min(MAX_QUOTA_WAIT_MS, remainingMilliseconds(run)))

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

/** Runs work for an account after what was there before, and no sooner than its quota has room. */
function inLine(account: string, work: () => Promise<number>): Promise<void> {
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
    const { holdsTurn } = write.run.effects
    if (holdsTurn === undefined || (await holdsTurn())) return write
  }
  return undefined
}

async function sendBatch({ writes }: Batch, send: SendWrites): Promise<number> {
  const left = () => writes.filter(({ isOver }) => !isOver)
  const sender = await findSender(left())
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
  const requests = await send({ run, made: sender.made }, left)
  for (const write of left()) {
    write.isOver = true
    for (const { status, description, ...more } of logs) {
      const isOfBlock = more.context === sender.made.block.id
      log(write.run, status, description, isOfBlock ? { ...more, context: write.made.block.id } : more)
    }
  }
  return requests
}
