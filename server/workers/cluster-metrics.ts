import type { Worker } from 'node:cluster'
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { Snapshot, ToPrimary, ToWorker } from './messages.ts'

/** Maximum time for a worker to send its metrics: a stopped one never does. */
const METRICS_TIMEOUT_MS = 1_000

/**
 * Adds up the metrics of all workers (gauges by their `aggregator`). The last values of workers that have died, or do
 * not respond, stay in the sums: a falling sum looks like a counter that was reset, and counts twice.
 */
export function createGatherer(workers: () => Worker[]) {
  const own = new Registry()
  const states = new Gauge({
    name: 'workers',
    help: 'Processes that serve the port, by whether they handed out their metrics; only with WORKERS above 1.',
    labelNames: ['state'],
    registers: [own],
  })
  const replaced = new Counter({
    name: 'worker_restarts_total',
    help: 'Workers that ended and were replaced; only with WORKERS above 1.',
    registers: [own],
  })
  const last = new Map<number, Snapshot>()
  const endedSnapshots: Snapshot[] = []
  let requestCount = 0
  let running: Promise<string> | undefined
  const answers = new Map<string, (metrics: Snapshot) => void>()

  async function ask(worker: Worker, id: number): Promise<Snapshot | undefined> {
    const key = `${id} ${worker.id}`
    let timer: NodeJS.Timeout | undefined
    const answer = new Promise<Snapshot | undefined>((resolve) => {
      answers.set(key, resolve)
      timer = setTimeout(resolve, METRICS_TIMEOUT_MS, undefined)
      sendTo(worker, { kind: 'collect', id })
    })
    return answer.finally(() => {
      clearTimeout(timer)
      answers.delete(key)
    })
  }

  async function gather(): Promise<string> {
    const id = ++requestCount
    const all = workers()
    const given = await Promise.all(all.map((worker) => ask(worker, id)))
    const answering = given.filter((snapshot) => snapshot !== undefined)
    states.set({ state: 'answering' }, answering.length)
    states.set({ state: 'silent' }, all.length - answering.length)
    const silent = all
      .filter((_, place) => !given[place])
      .map((worker) => countersOf(last.get(worker.id) ?? []))
    all.forEach((worker, place) => {
      const snapshot = given[place]
      // A worker that ended meanwhile is already in `endedSnapshots`.
      if (snapshot && !worker.isDead()) last.set(worker.id, snapshot)
    })
    const snapshots = [...answering, ...silent, ...endedSnapshots, (await own.getMetricsAsJSON()) as Snapshot]
    const text = await AggregatorRegistry.aggregate(snapshots).metrics()
    const dead = endedSnapshots.length
    if (dead > 1) endedSnapshots.splice(0, dead, await sumOf(endedSnapshots.slice()))
    return text
  }

  return {
    /** Handles a message of a worker. */
    hear(worker: Worker, message: ToPrimary) {
      if (message.kind === 'collected') {
        answers.get(`${message.id} ${worker.id}`)?.(message.metrics)
        return
      }
      // Concurrent requests share one response.
      running ??= gather().finally(() => {
        running = undefined
      })
      void running.then((text) => sendTo(worker, { kind: 'metrics', id: message.id, text }))
    },
    /** Retains the counters of a worker that has died. */
    bury(worker: Worker) {
      replaced.inc()
      const snapshot = last.get(worker.id)
      last.delete(worker.id)
      if (snapshot) endedSnapshots.push(countersOf(snapshot))
    },
  }
}

async function sumOf(snapshots: Snapshot[]): Promise<Snapshot> {
  return (await AggregatorRegistry.aggregate(snapshots).getMetricsAsJSON()) as Snapshot
}

/** Retains counters and histograms, which only grow, and drops gauges. */
function countersOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}

export function sendTo(worker: Worker, message: ToWorker) {
  // It may have ended at this very moment.
  if (worker.isConnected()) worker.send(message, () => {})
}
