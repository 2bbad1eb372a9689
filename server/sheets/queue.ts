import type { LastExchange } from '../chat/engine/blocks/vendors/call.ts'
import { MAX_SHEET_BATCH_BYTES, MAX_SHEET_BATCH_WRITES } from '../chat/engine/blocks/vendors/sheet-batches.ts'
import {
  type BatchOutcome,
  findQueuedRows,
  writeQueuedRows,
} from '../chat/engine/blocks/vendors/write-queued-rows.ts'
import type { LogEntry } from '../chat/engine/types.ts'
import {
  type Candidate,
  dueAccounts,
  dueRows,
  finishRows,
  loadRows,
  MAX_VENDOR_MS,
  markSent,
  oldRows,
  putOffRows,
  putOffUpdates,
  type QueuedRow,
  sheetsWithInserts,
} from '../chat/sessions/sheet-rows.ts'
import type { Services } from '../context.ts'
import { isOfRows } from '../db/errors.ts'
import { type LeaseWorker, openLeaseWorker } from '../db/lease-worker.ts'
import { isUnavailable } from '../db/unavailable.ts'
import { MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../durations.ts'
import { newId } from '../ids.ts'
import type { JsonObject } from '../json/access.ts'
import { withInstalledClient } from '../outbound/google-account.ts'
import { createErrorLog } from '../repeated-errors.ts'
import { tryCredentials } from '../workspaces/credentials.ts'
import {
  type AccountLease,
  busyAccounts,
  extendAccounts,
  releaseAccount,
  restAccount,
  takeAccount,
} from './accounts.ts'

/*
 * Writes rows of sheets that turns left to the queue, in every process. A lease keeps other processes away from an
 * account, since its quota is one. Each request has rows of one sheet. An insert is marked before it is sent: if the
 * process dies, or no response comes, the sheet is read before it is sent again.
 */

const MAX_ACCOUNTS_AT_ONCE = 8
/** One workspace has so many beside others. */
const WORKSPACE_SHARE = MAX_ACCOUNTS_AT_ONCE / 4
/** A row that waits for longer is given up, attempted or not. */
const MAX_AGE_MS = 24 * MS_PER_HOUR
/** The next attempt of an older row is its last one. */
const LAST_ATTEMPT_AGE_MS = 23 * MS_PER_HOUR
const FIRST_REST_MS = MS_PER_SECOND
const MAX_REST_MS = MS_PER_MINUTE
const FIRST_DELAY_MS = 5 * MS_PER_SECOND
const MAX_DELAY_MS = 15 * MS_PER_MINUTE

/** The rows of a batch have changed since it began. */
class BatchChanged extends Error {}

export function openSheetQueue(services: Services): LeaseWorker {
  const { db, log, chat } = services
  const logError = createErrorLog(log)
  const tools = { now: services.now, random: Math.random, httpRequest: chat.httpRequest }

  /** Writes batch after batch, until nothing is due or the account has to rest. */
  async function work(leased: AccountLease, isStopping: () => boolean): Promise<void> {
    await giveUp(leased)
    while (!isStopping()) {
      const blocked = await sheetsWithInserts(db, leased)
      const batch = chooseBatch(await dueRows(db, leased, blocked))
      if (batch.length === 0) {
        await putOffUpdates(db, leased, blocked, FIRST_DELAY_MS)
        return releaseAccount(db, leased)
      }
      const restMs = await writeBatch(leased, batch)
      if (restMs > 0) return restAccount(db, leased, restMs)
    }
    await restAccount(db, leased, 0)
  }

  /** Removes rows whose time is over. */
  async function giveUp(leased: AccountLease) {
    for (;;) {
      const old = await oldRows(db, leased, MAX_AGE_MS)
      if (old.length === 0) return
      const words = 'It has waited for a day'
      const given = old.map((row) => ({
        ...row,
        logs: [row.isSent ? unknownEntry(row, { description: words }) : failureEntry(row, words)],
      }))
      try {
        await finish(given)
      } catch (error) {
        if (!isOfRows(error)) throw error
        // The other rows are written all the same.
        return logError(error, 'a row of a sheet cannot be given up')
      }
    }
  }

  async function writeBatch(leased: AccountLease, batch: readonly Candidate[]): Promise<number> {
    try {
      const rows = await load(batch)
      return rows.length === 0 ? 0 : await writeRows(leased, rows)
    } catch (error) {
      if (error instanceof BatchChanged) return 0
      // Others may be written before its next attempt, which is after the vendor has ended this one.
      if (!isUnavailable(error)) await putOff(batch, { delayMs: MAX_DELAY_MS })
      throw error
    }
  }

  async function load(batch: readonly Candidate[]): Promise<QueuedRow[]> {
    const loaded = await Promise.all(
      [...byBot(batch)].map(([botId, rows]) => loadRows(db, botId, idsOf(rows), LAST_ATTEMPT_AGE_MS)),
    )
    return loaded.flat()
  }

  /** Milliseconds for which the account has to rest. */
  async function writeRows(leased: AccountLease, rows: readonly QueuedRow[]): Promise<number> {
    const found = await tryCredentials(services, leased.workspaceId, leased.credentialsId)
    if (found === 'unreadable') return extendRest(leased, 0)
    if (found?.type !== 'google sheets') {
      await finish(rows.map((row) => ({ ...row, logs: [failureEntry(row, 'Credentials not found')] })))
      return 0
    }
    const credentials = withInstalledClient(found.data as JsonObject, services.config)
    if (rows[0]?.isSent) return lookForRows(leased, credentials, rows)
    let isRetry = false
    const written = await writeQueuedRows(tools, credentials, rows, async (sent) => {
      const marked: Pick<QueuedRow, 'botId' | 'id'>[] = []
      for (const [botId, ofBot] of byBot(sent)) {
        for (const id of await markSent(db, botId, idsOf(ofBot), isRetry)) marked.push({ botId, id })
      }
      isRetry = true
      if (marked.length === sent.length) return
      // Some are deleted, or taken by a process that has found the lease over. The others are not sent.
      for (const [botId, ofBot] of byBot(marked))
        await putOffRows(db, botId, idsOf(ofBot), { delayMs: 0, isSent: false })
      throw new BatchChanged()
    })
    return settle(leased, rows, written)
  }

  async function settle(
    leased: AccountLease,
    rows: readonly QueuedRow[],
    { outcomes, failure, last }: BatchOutcome,
  ): Promise<number> {
    const fates = rows.map((row, ordinal) => ({ row, ...(outcomes[ordinal] as (typeof outcomes)[number]) }))
    const withFate = (fate: string) => fates.flatMap((each) => (each.fate === fate ? [each.row] : []))
    const isSingle = fates.filter(({ fate }) => fate === 'rejected').length === 1
    const isOver = (row: QueuedRow, fate: string) =>
      row.isOld || (fate === 'rejected' && isSingle) || (fate === 'waiting' && isFinal(last))
    await finish(
      fates.flatMap(({ row, fate, logs }) => {
        if (fate === 'done') return [{ ...row, logs: logs.map((entry) => withBlock(row, entry)) }]
        if (!isOver(row, fate)) return []
        return [{ ...row, logs: [fate === 'lost' ? unknownEntry(row, failure) : failureEntry(row, failure)] }]
      }),
    )
    const remainingOf = (fate: string) => withFate(fate).filter((row) => !isOver(row, fate))
    if (!isSingle) await halveBatches(remainingOf('rejected'), { delayMs: 0, isSent: false })
    // An update may be made twice.
    const [lost, lostUpdates] = [
      remainingOf('lost'),
      remainingOf('lost').filter(({ kind }) => kind === 'update'),
    ]
    await halveBatches(
      lost.filter(({ kind }) => kind === 'insert'),
      { delayMs: MAX_VENDOR_MS, isSent: true },
    )
    await halveBatches(lostUpdates, { delayMs: delayOf(lostUpdates), isSent: false })
    const waiting = remainingOf('waiting')
    await putOff(waiting, { delayMs: isBusy(last) ? 0 : delayOf(waiting), isSent: false })
    if (lost.length + waiting.length === 0) leased.failures = 0
    return lost.length + waiting.length > 0 && isBusy(last) ? extendRest(leased, last.retryAfterMs ?? 0) : 0
  }

  /** Settles inserts whose outcome is unknown. */
  async function lookForRows(leased: AccountLease, credentials: JsonObject, rows: readonly QueuedRow[]) {
    const { found, failure, last } = await findQueuedRows(tools, credentials, rows)
    if (found === null) {
      const isOver = ({ isOld }: QueuedRow) => isOld || isFinal(last)
      await finish(rows.filter(isOver).map((row) => ({ ...row, logs: [unknownEntry(row, failure)] })))
      const left = rows.filter((row) => !isOver(row))
      await putOff(left, { delayMs: delayOf(left), isSent: true })
      return isBusy(last) ? extendRest(leased, last.retryAfterMs ?? 0) : 0
    }
    await finish(
      rows.flatMap((row, ordinal) => {
        const equal = { description: 'The sheet has a row with the same values' }
        if (found[ordinal] === 'equal') return [{ ...row, logs: [unknownEntry(row, equal)] }]
        return found[ordinal] === 'there' ? [{ ...row, logs: [foundEntry(row)] }] : []
      }),
    )
    await putOff(
      rows.filter((_, ordinal) => found[ordinal] === 'missing'),
      { delayMs: 0, isSent: false },
    )
    return 0
  }

  async function finish(
    rows: readonly (Pick<QueuedRow, 'botId' | 'id' | 'resultId'> & { logs: LogEntry[] })[],
  ) {
    let failure: unknown
    for (const [botId, ofBot] of byBot(rows)) {
      const finishSome = (some: typeof ofBot) => finishRows(db, botId, some, services.now())
      await finishSome(ofBot).catch(async (error) => {
        if (!isOfRows(error)) throw error
        // A row that fails does not stop the others.
        for (const row of ofBot) {
          await finishSome([row]).catch((cause) => {
            failure = cause
          })
        }
      })
    }
    if (failure !== undefined) throw failure
  }

  async function putOff(
    rows: readonly Pick<QueuedRow, 'botId' | 'id'>[],
    change: Parameters<typeof putOffRows>[3],
  ) {
    for (const [botId, ofBot] of byBot(rows)) await putOffRows(db, botId, idsOf(ofBot), change)
  }

  /** Sends rows in smaller batches from now on, so that one that cannot be written does not stop the others. */
  async function halveBatches(rows: readonly QueuedRow[], change: { delayMs: number; isSent: boolean }) {
    await putOff(rows, { ...change, maxBatch: Math.ceil(rows.length / 2) })
  }

  async function run(leased: AccountLease, isStopping: () => boolean) {
    try {
      await work(leased, isStopping)
    } catch (error) {
      // The lease ends by itself.
      if (isUnavailable(error)) return logError(error, 'rows of sheets cannot be written now')
      const { workspaceId, credentialsId } = leased
      logError(error, 'rows of sheets cannot be written', { workspaceId, credentialsId })
      await restAccount(db, leased, MAX_REST_MS).catch(() => {})
    }
  }

  async function take(free: number, counts: Map<string, number>) {
    const due = await dueAccounts(db, await busyAccounts(db), counts, WORKSPACE_SHARE, free)
    const taken: AccountLease[] = []
    for (const account of due) {
      const leased = await takeAccount(db, account, newId(services.now()))
      if (leased) taken.push(leased)
    }
    return { rows: taken, isMoreLeft: taken.length === free }
  }

  return openLeaseWorker<AccountLease>({
    keyOf: ({ workspaceId, credentialsId }) => `${workspaceId} ${credentialsId}`,
    freePlaces: (running) => MAX_ACCOUNTS_AT_ONCE - running,
    minTaken: 1,
    take,
    extend: (leased) => extendAccounts(db, leased),
    run,
    logFailure: (error) => logError(error, 'rows of sheets cannot be read now'),
  })
}

/** True if the vendor takes nothing of the account for a while. */
function isBusy({ status, reason }: LastExchange): boolean {
  if (status === undefined) return !isFinal({ reason })
  return status === 429 || status >= 500
}

/** True if another attempt would fail in the same way: the sheet is too large, or its address is rejected. */
const isFinal = ({ reason }: LastExchange) => reason === 'refused' || reason === 'size'

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

function byBot<Row extends { botId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(row.botId, [...(groups.get(row.botId) ?? []), row])
  return groups
}

/**
 * Rows of the sheet that waits longest which go out in one request. Those that are looked for are looked for together,
 * since they may be equal.
 */
function chooseBatch(due: readonly Candidate[]): Candidate[] {
  const [oldest] = due
  if (oldest === undefined) return []
  const isLike = (names: (keyof Candidate)[], one: Candidate) => (other: Candidate) =>
    names.every((name) => one[name] === other[name])
  const ofSheet = due.filter(isLike(['spreadsheetId', 'sheetId', 'kind', 'isSent'], oldest))
  const alike = oldest.isSent ? ofSheet : ofSheet.filter(isLike(['maxBatch'], oldest))
  const maxRows = oldest.isSent ? MAX_SHEET_BATCH_WRITES : (oldest.maxBatch ?? MAX_SHEET_BATCH_WRITES)
  let bytes = 0
  return alike.slice(0, maxRows).filter(({ size }, ordinal) => {
    bytes += size
    return ordinal === 0 || bytes <= MAX_SHEET_BATCH_BYTES
  })
}

/** Longer each time, and as long as the vendor says at least. */
function extendRest(leased: AccountLease, retryAfterMs: number): number {
  const restMs = Math.min(FIRST_REST_MS * 2 ** leased.failures, MAX_REST_MS) * (0.5 + Math.random() / 2)
  leased.failures = Math.min(leased.failures + 1, 10)
  return Math.max(restMs, retryAfterMs)
}

function delayOf(rows: readonly { failures: number }[]): number {
  const failures = Math.max(0, ...rows.map((row) => row.failures))
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(failures, 10), MAX_DELAY_MS)
}

type Words = { description: string; details?: string | undefined }

const withBlock = (row: QueuedRow, entry: LogEntry): LogEntry => ({ ...entry, context: row.blockId })

function entryOf(
  row: { blockId: string },
  status: LogEntry['status'],
  description: string,
  words?: Words,
): LogEntry {
  const details =
    words && (words.details === undefined ? words.description : `${words.description}: ${words.details}`)
  return { status, description, context: row.blockId, isInternal: true, ...(details && { details }) }
}

const failureEntry = (row: { blockId: string }, failure?: Words | string) =>
  entryOf(
    row,
    'error',
    'Google Sheets: the row was not written',
    typeof failure === 'string' ? { description: failure } : failure,
  )
const unknownEntry = (row: { blockId: string }, failure?: Words) =>
  entryOf(row, 'error', 'Google Sheets: it is unknown whether the row was written', failure)
const foundEntry = (row: QueuedRow) =>
  entryOf(row, 'success', 'Google Sheets: the row is in the sheet', {
    description: 'The request that wrote it had no response',
  })
