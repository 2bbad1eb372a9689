import type { Services } from '../context.ts'
import { type LeaseWorker, openLeaseWorker } from '../db/lease-worker.ts'
import { isUnavailable } from '../db/unavailable.ts'
import { MS_PER_HOUR, MS_PER_MINUTE } from '../durations.ts'
import { createErrorLog } from '../repeated-errors.ts'
import { setStatus } from './api.ts'
import {
  abandon,
  change,
  extendLeases,
  hasEventForPeople,
  nextEvent,
  putOff,
  readLeased,
  release,
  type Taken,
  takeConversations,
} from './rows.ts'
import { goOn, Lost, Overdrawn, runEvent } from './run-event.ts'
import { type Step, sendNext } from './send.ts'

/*
 * Works on conversations of Chatwoot that are due, in every process. A lease keeps other processes away from one
 * conversation, so that its messages are answered one after the other, in their order.
 */

const MAX_CONVERSATIONS_AT_ONCE = 64
/** One workspace has so many beside others, since its Chatwoot may be slow. */
const WORKSPACE_SHARE = MAX_CONVERSATIONS_AT_ONCE / 4
/** Delay before a conversation is looked at again that could not be worked on. */
const RETRY_DELAY_MS = MS_PER_MINUTE
/** A conversation that fails this often is left to the members. */
const MAX_FAILURES = 8

export function openBridge(services: Services): LeaseWorker {
  const { db, log } = services
  const logError = createErrorLog(log)

  /** Sends pending messages, then resumes the chat, then takes the next event. */
  async function work(key: Taken, isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const row = await readLeased(db, key, key.leaseId)
      if (!row) return
      let step: Step = await sendNext(services, row)
      if (step === 'idle') {
        const { resumeInMs } = row
        const isToGoOn = resumeInMs !== null && resumeInMs <= 0 && !(await hasEventForPeople(db, row))
        const event = isToGoOn ? undefined : await nextEvent(db, row)
        if (isToGoOn) step = await goOn(services, row)
        else if (event) step = await runEvent(services, row, event)
        else if (resumeInMs !== null && row.failures > 0)
          step = (await change(db, row, { failures: 0, failingSince: null })) ? 'again' : 'lost'
        else if (resumeInMs !== null) step = { waitMs: Math.max(resumeInMs, 0) }
        else if (await release(db, row)) return
      }
      if (step === 'lost') return
      if (typeof step === 'object') return putOff(db, row, step.waitMs)
    }
    const row = await readLeased(db, key, key.leaseId)
    if (row) await putOff(db, row, 0)
  }

  async function run(key: Taken, isStopping: () => boolean): Promise<void> {
    try {
      await work(key, isStopping)
    } catch (error) {
      if (error instanceof Lost) return
      // The lease ends by itself.
      if (isUnavailable(error)) return logError(error, 'conversations of Chatwoot cannot be worked on now')
      const isOverdrawn = error instanceof Overdrawn
      if (!isOverdrawn) logError(error, 'a conversation of Chatwoot failed', { ...key })
      const later = isOverdrawn ? putOffOverdrawn(key) : putOffFailed(key)
      await later.catch((failure) => logError(failure, 'a conversation of Chatwoot cannot be put off'))
    }
  }

  async function putOffOverdrawn(key: Taken) {
    const row = await readLeased(db, key, key.leaseId)
    if (row) await putOff(db, row, MS_PER_HOUR)
  }

  /** Leaves a conversation to the members that fails whenever it is worked on. */
  async function putOffFailed(key: Taken) {
    const row = await readLeased(db, key, key.leaseId)
    if (!row) return
    const failures = row.failures + 1
    if (failures < MAX_FAILURES) {
      if (await change(db, row, { failures })) await putOff(db, row, RETRY_DELAY_MS)
      return
    }
    const outcome = await setStatus(services, row, 'open')
    if (outcome.ok) await change(db, row, { status: 'open' })
    log.error({ ...key, isOpened: outcome.ok }, 'a conversation of Chatwoot is left to the members')
    await abandon(db, row)
  }

  return openLeaseWorker<Taken>({
    keyOf: ({ botId, credentialsId, conversationId }) => [botId, credentialsId, conversationId].join(' '),
    freePlaces: (running) => Math.min(MAX_CONVERSATIONS_AT_ONCE - running, WORKSPACE_SHARE),
    minTaken: 1,
    async take(free, counts) {
      const rows = await takeConversations(db, services.now(), counts, WORKSPACE_SHARE, free)
      return { rows, isMoreLeft: rows.length === free }
    },
    extend: (taken) => extendLeases(db, taken),
    run,
    logFailure: (error) => logError(error, 'conversations of Chatwoot cannot be read now'),
  })
}
