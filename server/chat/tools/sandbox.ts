/**
 * The sandbox for code that bots bring along.
 *
 * Code runs in a WebAssembly engine inside a worker thread: it sees neither this process nor the network, and what
 * it does to its engine ends with the evaluation. An evaluation that does not stop by itself costs its thread, never
 * the event loop of the service.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { EvaluateReply, EvaluateRequest } from '../types.ts'
import type { Job, JobReply } from './sandbox-worker.ts'

export interface Sandbox {
  evaluate(request: EvaluateRequest): Promise<EvaluateReply>
  close(): Promise<void>
}

interface Waiting {
  job: Job
  expiresAt: number
  resolve(reply: EvaluateReply): void
}

interface Thread {
  worker: Worker
  isReady: boolean
  current: Waiting | null
  watchdog: NodeJS.Timeout | undefined
}

/** Beyond its time limit, code gets this long until its thread is given up. */
const graceMilliseconds = 250
const startMilliseconds = 15_000
const waitMilliseconds = 5_000
const maximumWaitingPerOwner = 200

const isSource = import.meta.url.endsWith('.ts')
const workerUrl = new URL(isSource ? './sandbox-worker.ts' : './sandbox-worker.js', import.meta.url)
/** In development and in tests the thread is TypeScript too, which a thread cannot start from by itself. */
const loadSource = `
  const url = ${JSON.stringify(workerUrl.href)}
  import('tsx/esm/api').then((tsx) => tsx.tsImport(url, url))`

/** Threads start with the first evaluations, and do not keep the process alive while they are idle. */
export function openSandbox(options: { threads?: number } = {}): Sandbox {
  const maximumThreads = options.threads ?? Math.max(1, Math.min(2, availableParallelism() - 1))
  const threads = new Set<Thread>()
  // In order of whose turn it is: one bot with much to evaluate delays another one by a single evaluation.
  const queues = new Map<string, Waiting[]>()
  let isClosed = false

  function evaluate(request: EvaluateRequest): Promise<EvaluateReply> {
    return new Promise((resolve) => {
      const queue = queues.get(request.owner) ?? []
      if (isClosed || queue.length >= maximumWaitingPerOwner) {
        resolve({ ok: false, reason: 'busy', message: 'Too much code is waiting to be run' })
        return
      }
      const job = {
        code: request.code,
        names: request.args.map((arg) => arg.name),
        values: JSON.stringify(request.args.map((arg) => arg.value ?? null)),
        milliseconds: request.milliseconds,
      }
      queue.push({ job, expiresAt: Date.now() + waitMilliseconds, resolve })
      queues.set(request.owner, queue)
      dispatch()
    })
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

  function takeNext(): Waiting | null {
    for (const [owner, queue] of queues) {
      const next = queue.shift()
      queues.delete(owner)
      if (queue.length > 0) queues.set(owner, queue)
      if (next === undefined) continue
      if (next.expiresAt >= Date.now()) return next
      next.resolve({ ok: false, reason: 'busy', message: 'The code waited too long to be run' })
    }
    return null
  }

  function idleThread(): Thread | null {
    for (const thread of threads) if (thread.isReady && thread.current === null) return thread
    const starting = [...threads].some((thread) => !thread.isReady)
    if (threads.size < maximumThreads && !starting) startThread()
    return null
  }

  function start(thread: Thread, waiting: Waiting): void {
    thread.current = waiting
    thread.worker.ref()
    thread.watchdog = setTimeout(() => {
      giveUp(thread, { ok: false, reason: 'time', message: `Stopped after ${waiting.job.milliseconds} ms` })
    }, waiting.job.milliseconds + graceMilliseconds)
    thread.worker.postMessage(waiting.job)
  }

  function startThread(): void {
    const resourceLimits = { maxOldGenerationSizeMb: 64 }
    const worker = isSource
      ? new Worker(loadSource, { eval: true, execArgv: [], resourceLimits })
      : new Worker(workerUrl, { execArgv: [], resourceLimits })
    const thread: Thread = { worker, isReady: false, current: null, watchdog: undefined }
    threads.add(thread)
    thread.watchdog = setTimeout(() => giveUp(thread), startMilliseconds)
    worker.on('message', (message: 'ready' | JobReply) => {
      if (message === 'ready') {
        clearTimeout(thread.watchdog)
        thread.isReady = true
        worker.unref()
      } else {
        finish(thread, message)
      }
      dispatch()
    })
    worker.on('error', (error) => giveUp(thread, { ok: false, reason: 'error', message: error.message }))
    worker.on('exit', () => giveUp(thread))
  }

  function finish(thread: Thread, reply: JobReply): void {
    clearTimeout(thread.watchdog)
    const waiting = thread.current
    thread.current = null
    thread.worker.unref()
    if (!reply.ok && reply.isBroken === true) giveUp(thread)
    waiting?.resolve(
      reply.ok ? readReply(reply.json) : { ok: false, reason: reply.reason, message: reply.message },
    )
  }

  function giveUp(thread: Thread, reply?: EvaluateReply): void {
    if (!threads.delete(thread)) return
    clearTimeout(thread.watchdog)
    thread.current?.resolve(reply ?? { ok: false, reason: 'busy', message: 'The sandbox stopped' })
    void thread.worker.terminate()
    // A sandbox that cannot even start must not be started for ever: what waits is told, the next one tries again.
    if (!thread.isReady) failAll('The sandbox could not be started')
    else if (!isClosed) dispatch()
  }

  function failAll(message: string): void {
    const waiting = [...queues.values()].flat()
    queues.clear()
    for (const each of waiting) each.resolve({ ok: false, reason: 'busy', message })
  }

  async function close(): Promise<void> {
    isClosed = true
    failAll('The sandbox is closed')
    const workers = [...threads].map((thread) => thread.worker)
    for (const thread of [...threads]) giveUp(thread)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }

  return { evaluate, close }
}

/** The code may have tampered with the wrapper around it, so the shape is not taken for granted. */
function readReply(json: string): EvaluateReply {
  try {
    const reply: unknown = JSON.parse(json)
    if (typeof reply === 'object' && reply !== null && 'value' in reply) {
      const assignments = 'assignments' in reply && Array.isArray(reply.assignments) ? reply.assignments : []
      return {
        ok: true,
        value: reply.value,
        assignments: assignments.filter((each) => typeof each?.name === 'string'),
      }
    }
  } catch {
    // Falls through to the failure below.
  }
  return { ok: false, reason: 'error', message: 'The result is not a value' }
}
