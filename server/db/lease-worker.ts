import { setTimeout as delay } from 'node:timers/promises'
import { startHeartbeat } from './lease.ts'

/* Works on leased rows that are due, in every process, many beside each other. */

const POLL_INTERVAL_MS = 500
/** Interval while there are rows of workspaces that have their share. */
const SHARE_INTERVAL_MS = 50

interface LeasedWork<Row> {
  keyOf(row: Row): string
  /** Number of rows that may be taken beside those that are worked on. */
  freePlaces(running: number): number
  /** Minimum rows to lease together: a smaller batch costs more to lease than to work on. */
  minTaken: number
  /** Leases rows that are due. `counts` has the number of those that are worked on, by workspace. */
  take(free: number, counts: Map<string, number>): Promise<Taken<Row>>
  extend(rows: readonly Row[]): Promise<unknown>
  /** Never rejects. Ends soon once `isStopping` is true, with a lease that others can take. */
  run(row: Row, isStopping: () => boolean): Promise<void>
  /** Logs that rows cannot be taken. */
  logFailure(error: unknown): void
}

export interface Taken<Row> {
  rows: Row[]
  /** False if no other row was due. */
  isMoreLeft: boolean
}

export interface LeaseWorker {
  /** Works until it is stopped. */
  start(): void
  /** Waits for the rows that are worked on. */
  stop(): Promise<void>
  /** Works on all rows that are due now. */
  runDue(): Promise<void>
  /** Looks for free places immediately. */
  wake(): void
}

export function openLeaseWorker<Row extends { workspaceId: string }>(work: LeasedWork<Row>): LeaseWorker {
  const running = new Map<string, Row>()
  let isStopping = false
  let wake = () => {}

  function take(free: number): Promise<Taken<Row>> {
    const counts = new Map<string, number>()
    for (const { workspaceId } of running.values())
      counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
    return work.take(free, counts)
  }

  /** Starts the work on rows, and resolves when it is done. */
  function start(rows: readonly Row[]): Promise<unknown> {
    return Promise.all(
      rows.map(async (row) => {
        const key = work.keyOf(row)
        // The lease ended while this process still works on the row; leave it to a later pass.
        if (running.has(key)) return
        running.set(key, row)
        await work.run(row, () => isStopping)
        running.delete(key)
        wake()
      }),
    )
  }

  const endHeartbeat = startHeartbeat(async () => {
    if (running.size > 0) await work.extend([...running.values()])
    return true
  })

  /** Ends with any row that is done, which is too often to abort a timer of Node each time. */
  function waitForPlace() {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_INTERVAL_MS).unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function runUntilStopped() {
    while (!isStopping) {
      const free = work.freePlaces(running.size)
      if (running.size > 0 && free < work.minTaken) {
        await waitForPlace()
        continue
      }
      let pauseMs = POLL_INTERVAL_MS
      try {
        const { rows, isMoreLeft } = await take(free)
        void start(rows)
        if (isMoreLeft) pauseMs = rows.length > 0 ? 0 : SHARE_INTERVAL_MS
      } catch (error) {
        work.logFailure(error)
      }
      if (pauseMs > 0 && !isStopping) await delay(pauseMs, undefined, { ref: false })
    }
  }

  let loop: Promise<void> | undefined
  return {
    start() {
      loop = runUntilStopped()
    },
    async runDue() {
      for (;;) {
        const free = work.freePlaces(running.size)
        const rows = free > 0 ? (await take(free)).rows : []
        if (rows.length === 0 && running.size === 0) return
        await start(rows)
        if (running.size > 0) await waitForPlace()
      }
    },
    async stop() {
      isStopping = true
      await loop
      while (running.size > 0) await waitForPlace()
      await endHeartbeat()
    },
    wake: () => wake(),
  }
}
