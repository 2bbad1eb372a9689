import { setTimeout as delay } from 'node:timers/promises'
import type { Services } from '../context.ts'
import { startHeartbeat } from '../db/lease.ts'
import { isUnavailable } from '../db/unavailable.ts'
import { MS_PER_HOUR, MS_PER_MINUTE } from '../durations.ts'
import { newId } from '../ids.ts'
import { createErrorLog } from '../repeated-errors.ts'
import { extendLeases, type Key, nextEvent, putOff, readLeased, release, takeConversations } from './rows.ts'
import { goOn, Lost, Overdrawn, runEvent } from './run-event.ts'
import { type Step, sendNext } from './send.ts'

/*
 * Works on conversations of Chatwoot that are due, in every process. A lease keeps other processes away from one
 * conversation, so that its messages are answered one after the other, in their order.
 */

const MAX_CONVERSATIONS_AT_ONCE = 64
/** One workspace has so many beside others, since its Chatwoot may be slow. */
const WORKSPACE_SHARE = MAX_CONVERSATIONS_AT_ONCE / 4
const POLL_INTERVAL_MS = 500
/** Delay before a conversation is looked at again that could not be worked on. */
const RETRY_DELAY_MS = MS_PER_MINUTE

interface Bridge {
  /** Works until it is stopped. */
  start(): void
  /** Waits for the conversations under way. */
  stop(): Promise<void>
  /** Works on all conversations that are due now. */
  runDue(): Promise<void>
}

export function openBridge(services: Services): Bridge {
  const { db, log } = services
  const claim = newId(services.now())
  const logError = createErrorLog(log)
  const running = new Map<Key, string>()
  let isStopping = false

  /** Sends what there is to send, then lets the chat go on, then takes the next event. */
  async function work(key: Key): Promise<void> {
    while (!isStopping) {
      const row = await readLeased(db, key, claim)
      if (!row) return
      let step: Step = await sendNext(services, row)
      if (step === 'idle' && row.resumeInMs !== null) {
        step = row.resumeInMs > 0 ? { waitMs: row.resumeInMs } : await goOn(services, row)
      } else if (step === 'idle') {
        const event = await nextEvent(db, row)
        if (event) step = await runEvent(services, row, event)
        else if (await release(db, row)) return
      }
      if (step === 'lost') return
      if (typeof step === 'object') return putOff(db, row, step.waitMs)
    }
    const row = await readLeased(db, key, claim)
    if (row) await putOff(db, row, 0)
  }

  async function run(key: Key): Promise<void> {
    try {
      await work(key)
    } catch (error) {
      if (error instanceof Lost) return
      // The lease ends by itself.
      if (isUnavailable(error)) return logError(error, 'conversations of Chatwoot cannot be worked on now')
      const waitMs = error instanceof Overdrawn ? MS_PER_HOUR : RETRY_DELAY_MS
      if (!(error instanceof Overdrawn)) logError(error, 'a conversation of Chatwoot failed', { ...key })
      const row = await readLeased(db, key, claim).catch(() => undefined)
      if (row) await putOff(db, row, waitMs).catch(() => {})
    }
  }

  async function takeSome(): Promise<(Key & { workspaceId: string })[]> {
    const counts = new Map<string, number>()
    for (const workspaceId of running.values()) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
    const full = [...counts].flatMap(([id, count]) => (count >= WORKSPACE_SHARE ? [id] : []))
    const free = Math.min(MAX_CONVERSATIONS_AT_ONCE - running.size, WORKSPACE_SHARE)
    return free > 0 ? takeConversations(db, claim, full, free) : []
  }

  /** Starts the work on conversations, and resolves when it is done. */
  function start(taken: readonly (Key & { workspaceId: string })[]): Promise<unknown> {
    return Promise.all(
      taken.map(async (key) => {
        running.set(key, key.workspaceId)
        await run(key)
        running.delete(key)
      }),
    )
  }

  const endHeartbeat = startHeartbeat(async () => {
    await extendLeases(db, claim, [...running.keys()])
    return true
  })

  async function runUntilStopped() {
    while (!isStopping) {
      try {
        void start(await takeSome())
      } catch (error) {
        logError(error, 'conversations of Chatwoot cannot be read now')
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
        if (running.size > 0) await delay(POLL_INTERVAL_MS)
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
