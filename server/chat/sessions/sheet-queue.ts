import { setTimeout as delay } from 'node:timers/promises'
import type { Services } from '../../context.ts'
import { startHeartbeat } from '../../db/lease.ts'
import { isUnavailable } from '../../db/unavailable.ts'
import { MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../durations.ts'
import { newId } from '../../ids.ts'
import type { JsonObject } from '../../json/access.ts'
import { createErrorLog } from '../../repeated-errors.ts'
import { tryCredentials } from '../../workspaces/credentials.ts'
import { MAX_SHEET_BATCH_BYTES, MAX_SHEET_BATCH_WRITES } from '../engine/blocks/vendors/sheet-batches.ts'
import { type BatchOutcome, lookForQueued, writeQueued } from '../engine/blocks/vendors/sheet-queue.ts'
import type { LogEntry } from '../engine/types.ts'
import { extendAccounts, type Leased, releaseAccount, restAccount, takeAccount } from './sheet-accounts.ts'
import {
  type Account,
  type Candidate,
  dueAccounts,
  dueRows,
  finishRows,
  loadRows,
  MAX_VENDOR_MS,
  markSent,
  putOffRows,
  type QueuedRow,
} from './sheet-rows.ts'

/*
 * Writes rows of sheets that turns left to the queue, in every process. A lease keeps other processes away from an account,
 * since its quota is one. Each request has rows of one sheet. An insert is marked before it is sent: where the process
 * dies, or no response comes, the sheet is read before it is sent again.
 */

const MAX_ACCOUNTS_AT_ONCE = 8
/** One workspace has so many beside others. */
const WORKSPACE_SHARE = MAX_ACCOUNTS_AT_ONCE / 4
const POLL_INTERVAL_MS = 500
/** Accounts that another process has, or that rest, are not looked at for a while. */
const PASSED_OVER_MS = 1_000
/** A row that waits for longer is given up. */
const MAX_AGE_MS = 24 * MS_PER_HOUR
const FIRST_REST_MS = MS_PER_SECOND
const MAX_REST_MS = MS_PER_MINUTE
const FIRST_DELAY_MS = 5 * MS_PER_SECOND
const MAX_DELAY_MS = 15 * MS_PER_MINUTE

interface SheetQueue {
  /** Works until it is stopped. */
  start(): void
  /** Waits for the requests under way. */
  stop(): Promise<void>
  /** Writes all rows that are due now. */
  runDue(): Promise<void>
}

/** Rows of a batch are no longer what they were when it began. */
class Changed extends Error {}

export function openSheetQueue(services: Services): SheetQueue {
  const { db, log, chat } = services
  const logError = createErrorLog(log)
  const running = new Map<string, Leased>()
  const passedOver = new Map<string, { account: Account; until: number }>()
  const tools = { now: services.now, random: Math.random, httpRequest: chat.httpRequest }
  let isStopping = false

  /** Writes batch after batch, until nothing is due or the account has to rest. */
  async function work(leased: Leased): Promise<void> {
    while (!isStopping) {
      const batch = chooseBatch(await dueRows(db, leased))
      if (batch.length === 0) return releaseAccount(db, leased)
      const rows = await load(batch)
      if (rows.length === 0) continue
      const restMs = await writeRows(leased, rows).catch((error) => {
        if (error instanceof Changed) return 0
        throw error
      })
      if (restMs > 0) return restAccount(db, leased, restMs)
    }
    await restAccount(db, leased, 0)
  }

  async function load(batch: readonly Candidate[]): Promise<QueuedRow[]> {
    const loaded = await Promise.all(
      [...byBot(batch)].map(([botId, rows]) => loadRows(db, botId, idsOf(rows), MAX_AGE_MS)),
    )
    return loaded.flat()
  }

  /** Milliseconds for which the account has to rest. */
  async function writeRows(leased: Leased, rows: readonly QueuedRow[]): Promise<number> {
    const found = await tryCredentials(services, leased.workspaceId, leased.credentialsId)
    if (found === 'unreadable') return restOf(leased, 0)
    if (found?.type !== 'google sheets') {
      await finish(rows.map((row) => ({ ...row, logs: [failed(row, 'Credentials not found')] })))
      return 0
    }
    const credentials = found.data as JsonObject
    if (rows[0]?.isSent) return lookForRows(leased, credentials, rows)
    const marked = new Set<unknown>()
    const written = await writeQueued(tools, credentials, rows, async (sent) => {
      const fresh = rows.filter((row) => (sent as readonly unknown[]).includes(row) && !marked.has(row))
      for (const row of fresh) marked.add(row)
      let count = 0
      for (const [botId, ofBot] of byBot(fresh)) count += await markSent(db, botId, idsOf(ofBot))
      // Deleted meanwhile, or taken by a process that has found the lease over.
      if (count < fresh.length) throw new Changed()
    })
    return settle(leased, rows, written)
  }

  async function settle(
    leased: Leased,
    rows: readonly QueuedRow[],
    { outcomes, failure, last }: BatchOutcome,
  ): Promise<number> {
    const fates = rows.map((row, ordinal) => ({ row, ...(outcomes[ordinal] as (typeof outcomes)[number]) }))
    const withFate = (fate: string) => fates.flatMap((each) => (each.fate === fate ? [each.row] : []))
    const isSingle = fates.filter(({ fate }) => fate === 'rejected').length === 1
    const { status } = last
    const isBusy = status === undefined || status === 429 || status >= 500
    await finish(
      fates.flatMap(({ row, fate, logs }) => {
        if (fate === 'done') return [{ ...row, logs: logs.map((entry) => ofBlock(row, entry)) }]
        const isOver = row.isOld || (fate === 'rejected' && isSingle)
        if (!isOver) return []
        return [{ ...row, logs: [fate === 'lost' ? unknown(row, failure) : failed(row, failure)] }]
      }),
    )
    const left = (fate: string) => withFate(fate).filter(({ isOld }) => !isOld)
    if (!isSingle) await split(left('rejected'), { delayMs: 0, isSent: false })
    // An update may be made twice.
    const [lost, lostUpdates] = [left('lost'), left('lost').filter(({ kind }) => kind === 'update')]
    await split(
      lost.filter(({ kind }) => kind === 'insert'),
      { delayMs: MAX_VENDOR_MS, isSent: true },
    )
    await split(lostUpdates, { delayMs: delayOf(lostUpdates), isSent: false })
    const waiting = left('waiting')
    await putOff(waiting, { delayMs: isBusy ? 0 : delayOf(waiting), isSent: false })
    if (lost.length + waiting.length === 0) leased.failures = 0
    return lost.length + waiting.length > 0 && isBusy ? restOf(leased, last.retryAfterMs ?? 0) : 0
  }

  /** Decides about inserts of which nobody knows if they are written. */
  async function lookForRows(leased: Leased, credentials: JsonObject, rows: readonly QueuedRow[]) {
    const { found, ...more } = await lookForQueued(tools, credentials, rows)
    if (found === null) {
      const failure = 'failure' in more ? more.failure : undefined
      await finish(rows.flatMap((row) => (row.isOld ? [{ ...row, logs: [unknown(row, failure)] }] : [])))
      const left = rows.filter(({ isOld }) => !isOld)
      await putOff(left, { delayMs: delayOf(left), isSent: true })
      return restOf(leased, 0)
    }
    await finish(
      rows.flatMap((row, ordinal) => {
        const equal = { description: 'The sheet has a row with the same values' }
        if (found[ordinal] === 'equal') return [{ ...row, logs: [unknown(row, equal)] }]
        return found[ordinal] === 'there' ? [{ ...row, logs: [isThere(row)] }] : []
      }),
    )
    await putOff(
      rows.filter((_, ordinal) => found[ordinal] === 'missing'),
      { delayMs: 0, isSent: false },
    )
    return 0
  }

  async function finish(rows: readonly (QueuedRow & { logs: LogEntry[] })[]) {
    for (const [botId, ofBot] of byBot(rows)) await finishRows(db, botId, ofBot, services.now())
  }

  async function putOff(
    rows: readonly Pick<QueuedRow, 'botId' | 'id'>[],
    change: Parameters<typeof putOffRows>[3],
  ) {
    for (const [botId, ofBot] of byBot(rows)) await putOffRows(db, botId, idsOf(ofBot), change)
  }

  /** Sends rows in smaller batches from now on, so that one that cannot be written keeps none of the others. */
  async function split(rows: readonly QueuedRow[], change: { delayMs: number; isSent: boolean }) {
    await putOff(rows, { ...change, maxBatch: Math.ceil(rows.length / 2) })
  }

  async function run(account: Account) {
    const leased = await takeAccount(db, account, newId(services.now()))
    if (!leased) {
      passedOver.set(nameOf(account), { account, until: performance.now() + PASSED_OVER_MS })
      return
    }
    running.set(nameOf(account), leased)
    try {
      await work(leased)
    } catch (error) {
      // The lease ends by itself.
      if (isUnavailable(error)) return logError(error, 'rows of sheets cannot be written now')
      logError(error, 'rows of sheets cannot be written', { ...account })
      await restAccount(db, leased, MAX_REST_MS).catch(() => {})
    } finally {
      running.delete(nameOf(account))
    }
  }

  async function takeSome(): Promise<Account[]> {
    for (const [name, { until }] of passedOver) if (until <= performance.now()) passedOver.delete(name)
    const counts = new Map<string, number>()
    const count = (id: string) => counts.set(id, (counts.get(id) ?? 0) + 1).get(id) ?? 0
    for (const { workspaceId } of running.values()) count(workspaceId)
    const free = MAX_ACCOUNTS_AT_ONCE - running.size
    if (free <= 0) return []
    const others = [...running.values(), ...[...passedOver.values()].map(({ account }) => account)]
    const due = await dueAccounts(db, others, MAX_ACCOUNTS_AT_ONCE)
    return due.filter(({ workspaceId }) => count(workspaceId) <= WORKSPACE_SHARE).slice(0, free)
  }

  function start(accounts: readonly Account[]): Promise<unknown> {
    return Promise.all(
      accounts.map((account) => run(account).catch((error) => logError(error, 'accounts cannot be leased'))),
    )
  }

  const endHeartbeat = startHeartbeat(async () => {
    await extendAccounts(db, [...running.values()])
    return true
  })

  async function runUntilStopped() {
    while (!isStopping) {
      try {
        void start(await takeSome())
      } catch (error) {
        logError(error, 'rows of sheets cannot be read now')
      }
      await delay(POLL_INTERVAL_MS, undefined, { ref: false })
    }
  }

  let loop: Promise<void> | undefined
  return {
    start() {
      loop = runUntilStopped()
    },
    async runDue() {
      for (;;) {
        const taken = await takeSome()
        if (taken.length === 0 && running.size === 0) return
        await start(taken)
      }
    },
    async stop() {
      isStopping = true
      await loop
      while (running.size > 0) await delay(50)
      await endHeartbeat()
    },
  }
}

const nameOf = ({ workspaceId, credentialsId }: Account) => `${workspaceId} ${credentialsId}`
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

function byBot<Row extends { botId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(row.botId, [...(groups.get(row.botId) ?? []), row])
  return groups
}

/**
 * Rows of the sheet that waits longest which go out in one request: inserts first, since updates may mean their rows. Those
 * that are looked for are looked for together, since they may be equal.
 */
function chooseBatch(due: readonly Candidate[]): Candidate[] {
  const [oldest] = due
  if (oldest === undefined) return []
  const isLike = (names: (keyof Candidate)[], one: Candidate) => (other: Candidate) =>
    names.every((name) => one[name] === other[name])
  const ofSheet = due.filter(isLike(['spreadsheetId', 'sheetId', 'isSent'], oldest))
  const first = ofSheet.find(({ kind }) => kind === 'insert') ?? oldest
  const alike = first.isSent ? ofSheet : ofSheet.filter(isLike(['kind', 'maxBatch'], first))
  const maxRows = first.isSent ? MAX_SHEET_BATCH_WRITES : (first.maxBatch ?? MAX_SHEET_BATCH_WRITES)
  let bytes = 0
  return alike.slice(0, maxRows).filter(({ size }, ordinal) => {
    bytes += size
    return ordinal === 0 || bytes <= MAX_SHEET_BATCH_BYTES
  })
}

/** Longer each time, and as long as the vendor says at least. */
function restOf(leased: Leased, retryAfterMs: number): number {
  const restMs = Math.min(FIRST_REST_MS * 2 ** leased.failures, MAX_REST_MS) * (0.5 + Math.random() / 2)
  leased.failures = Math.min(leased.failures + 1, 10)
  return Math.max(restMs, retryAfterMs)
}

function delayOf(rows: readonly { failures: number }[]): number {
  const failures = Math.max(0, ...rows.map((row) => row.failures))
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(failures, 10), MAX_DELAY_MS)
}

type Words = { description: string; details?: string | undefined }

const ofBlock = (row: QueuedRow, entry: LogEntry): LogEntry => ({ ...entry, context: row.blockId })

function entryOf(row: QueuedRow, status: LogEntry['status'], description: string, words?: Words): LogEntry {
  const details =
    words && (words.details === undefined ? words.description : `${words.description}: ${words.details}`)
  return { status, description, context: row.blockId, isInternal: true, ...(details && { details }) }
}

const failed = (row: QueuedRow, failure?: Words | string) =>
  entryOf(
    row,
    'error',
    'Google Sheets: the row was not written',
    typeof failure === 'string' ? { description: failure } : failure,
  )
const unknown = (row: QueuedRow, failure?: Words) =>
  entryOf(row, 'error', 'Google Sheets: it is unknown whether the row was written', failure)
const isThere = (row: QueuedRow) =>
  entryOf(row, 'success', 'Google Sheets: the row is in the sheet', {
    description: 'The request that wrote it had no response',
  })
