/** Threads with a JavaScript engine each, and the code that waits for them. */
import type { Worker } from 'node:worker_threads'
import { openThreadClock, type ThreadClock } from './cpu-clock.ts'
import { startWorker } from './start-worker.ts'
import type { FromWorker, Job, JobOutcome } from './worker.ts'

export type Ran = JobOutcome | { outcome: 'busy'; message: string }

/** The bot that the code belongs to, and its workspace. */
export interface Owner {
  workspace: string
  bot: string
}

interface Waiting {
  owner: Owner
  job: Job
  expiresAt: number
  resolve(ran: Ran): void
}

export interface Pool {
  run(owner: Owner, job: Job): Promise<Ran>
  /** Adds the waiting code of another pool. */
  add(waiting: Waiting[]): void
  /** Removes the waiting code of this bot from the queue. */
  remove(owner: Owner): Waiting[]
  /** Resolves when all threads are ready, rejects when one cannot be started. */
  warm(): Promise<void>
  close(): Promise<void>
}

interface Thread {
  worker: Worker
  /** `null` until the thread is ready. */
  clock: ThreadClock | null
  current: Waiting | null
  watchdog: NodeJS.Timeout | undefined
}

/** CPU time of a new thread, which code has to pay for that costs one: with its engine it takes about this long. */
const THREAD_START_MS = 170
/** Beyond its time limit, code gets this much CPU time until its thread is given up. */
const graceMilliseconds = 250
/** Maximum checks on a thread that does not respond, even if it does not use its CPU. */
const MAX_CHECKS = 300
const checkMilliseconds = 50
const startMilliseconds = 60_000
/** Longer than a crowded machine needs for the code queued before: rejected code leaves a variable empty. */
const waitMilliseconds = 20_000
const MAX_WAITING_PER_BOT = 200

/** Threads start when they are first needed, and do not prevent the exit of the process while they are idle. */
export function openPool(maximumThreads: number, onKilled: (owner: Owner) => void): Pool {
  const threads = new Set<Thread>()
  // By workspace, then by bot, both in round-robin order: a workspace with much to evaluate delays another one by a
  // single evaluation, however many bots it has.
  const queues = new Map<string, Map<string, Waiting[]>>()
  const waitingForWarmth = new Set<{ resolve(): void; reject(error: Error): void }>()
  let isClosed = false

  function run(owner: Owner, job: Job): Promise<Ran> {
    return new Promise((resolve) => {
      const queue = queues.get(owner.workspace)?.get(owner.bot) ?? []
      const isFull = queue.length >= MAX_WAITING_PER_BOT
      if (isClosed || isFull) resolve({ outcome: 'busy', message: 'Too much code is waiting to be run' })
      else add([{ owner, job, expiresAt: performance.now() + waitMilliseconds, resolve }])
    })
  }

  function add(waiting: Waiting[]): void {
    for (const each of waiting) {
      const { workspace, bot } = each.owner
      const bots = queues.get(workspace) ?? new Map<string, Waiting[]>()
      queues.set(workspace, bots.set(bot, [...(bots.get(bot) ?? []), each]))
    }
    dispatch()
  }

  function remove({ workspace, bot }: Owner): Waiting[] {
    const bots = queues.get(workspace)
    const queue = bots?.get(bot) ?? []
    bots?.delete(bot)
    if (bots?.size === 0) queues.delete(workspace)
    return queue
  }

  function allWaiting(): Waiting[] {
    return [...queues.values()].flatMap((bots) => [...bots.values()].flat())
  }

  function dispatch(): void {
    while (queues.size > 0) {
      const thread = idleThread()
      if (thread === null) return
      const next = takeNext()
      if (next === null) return
      start(thread, next)
    }
  }

  /** Takes the next code in round-robin order: its workspace and its bot move to the end. */
  function takeNext(): Waiting | null {
    for (const [workspace, bots] of queues) {
      queues.delete(workspace)
      for (const [bot, queue] of bots) {
        const next = queue.shift()
        bots.delete(bot)
        if (queue.length > 0) bots.set(bot, queue)
        if (next === undefined) continue
        if (next.expiresAt >= performance.now()) {
          if (bots.size > 0) queues.set(workspace, bots)
          return next
        }
        next.resolve({ outcome: 'busy', message: 'The code waited too long to be run' })
      }
    }
    return null
  }

  function idleThread(): Thread | null {
    for (const thread of threads) if (thread.clock !== null && thread.current === null) return thread
    const starting = [...threads].some((thread) => thread.clock === null)
    if (threads.size < maximumThreads && !starting) startThread()
    return null
  }

  function start(thread: Thread, waiting: Waiting): void {
    thread.current = waiting
    thread.worker.ref()
    watch(thread, waiting)
    thread.worker.postMessage(waiting.job)
  }

  /** Stops the thread once it has used too much CPU time. Wall time does not count. */
  function watch(thread: Thread, { job: { milliseconds } }: Waiting): void {
    const limit = milliseconds + graceMilliseconds
    const worked = thread.clock?.start() ?? (() => limit)
    let checks = 0
    const check = () => {
      const left = limit - worked()
      checks += 1
      if (left > 0 && checks < MAX_CHECKS)
        thread.watchdog = setTimeout(check, Math.max(left, checkMilliseconds))
      else
        giveUp(thread, {
          outcome: 'failed',
          reason: 'time',
          message: `Stopped after ${milliseconds} ms`,
          milliseconds: limit,
        })
    }
    thread.watchdog = setTimeout(check, limit)
  }

  function startThread(): void {
    const worker = startWorker({ execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 64 } })
    const thread: Thread = { worker, clock: null, current: null, watchdog: undefined }
    threads.add(thread)
    thread.watchdog = setTimeout(() => giveUp(thread), startMilliseconds)
    worker.on('message', (message: FromWorker) => {
      if ('ready' in message) welcome(thread, message.ready)
      else finish(thread, message)
      dispatch()
    })
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : undefined
      giveUp(thread, { outcome: 'failed', reason, message: error.message, milliseconds: graceMilliseconds })
    })
    worker.on('exit', () => giveUp(thread))
  }

  function welcome(thread: Thread, name: string | null): void {
    clearTimeout(thread.watchdog)
    const areReady = [...threads].some((each) => each.clock !== null)
    thread.clock = openThreadClock(name)
    thread.worker.unref()
    // The time that the first thread took to start does not count as waiting.
    if (!areReady) for (const each of allWaiting()) each.expiresAt = performance.now() + waitMilliseconds
    if (waitingForWarmth.size > 0) startMissing()
  }

  function finish(thread: Thread, outcome: JobOutcome): void {
    clearTimeout(thread.watchdog)
    const waiting = thread.current
    if (outcome.outcome === 'failed' && outcome.isBroken === true) {
      giveUp(thread, outcome)
      return
    }
    thread.current = null
    thread.worker.unref()
    waiting?.resolve(outcome)
  }

  function giveUp(
    thread: Thread,
    ran: Exclude<Ran, { outcome: 'done' }> = { outcome: 'busy', message: 'The thread of the code ended' },
  ): void {
    if (!threads.delete(thread)) return
    clearTimeout(thread.watchdog)
    void thread.worker.terminate()
    const wasReady = thread.clock !== null
    thread.clock?.close()
    if (thread.current !== null) {
      onKilled(thread.current.owner)
      const isFailed = ran.outcome === 'failed'
      thread.current.resolve(isFailed ? { ...ran, milliseconds: ran.milliseconds + THREAD_START_MS } : ran)
    }
    if (isClosed) return
    // A thread that cannot start must not be started for ever: the queue is rejected, and the next request tries
    // again.
    if (!wasReady) failAll(`The sandbox could not be started: ${ran.message}`)
    // Immediately, so that the next code does not wait for it.
    else startMissing()
  }

  /** Starts threads one after the other: they delay each other otherwise, and the first one matters most. */
  function startMissing(): void {
    const isStarting = [...threads].some((thread) => thread.clock === null)
    if (!isStarting && threads.size < maximumThreads) startThread()
    else if (!isStarting) settleWarmth()
  }

  function settleWarmth(error?: Error): void {
    for (const each of waitingForWarmth) error === undefined ? each.resolve() : each.reject(error)
    waitingForWarmth.clear()
  }

  function warm(): Promise<void> {
    if (isClosed) return Promise.reject(new Error('The sandbox is closed'))
    return new Promise((resolve, reject) => {
      waitingForWarmth.add({ resolve, reject })
      startMissing()
    })
  }

  function failAll(message: string): void {
    const waiting = allWaiting()
    queues.clear()
    for (const each of waiting) each.resolve({ outcome: 'busy', message })
    settleWarmth(new Error(message))
  }

  async function close(): Promise<void> {
    isClosed = true
    failAll('The sandbox is closed')
    const workers = [...threads].map((thread) => thread.worker)
    for (const thread of [...threads]) giveUp(thread)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }

  return { run, add, remove, warm, close }
}
