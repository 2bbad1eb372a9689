import type { Registry } from 'prom-client'
import type { Snapshot, ToPrimary, ToWorker } from './messages.ts'

/* The worker's side of the messages between it and the primary process. */

type Order<Kind extends ToWorker['kind']> = Extract<ToWorker, { kind: Kind }>

function on<Kind extends ToWorker['kind']>(kind: Kind, act: (order: Order<Kind>) => void) {
  process.on('message', (order: ToWorker) => {
    if (order.kind === kind) act(order as Order<Kind>)
  })
}

const tell = (message: ToPrimary) => void process.send?.(message)

/** Resolves once the primary process has prepared the database. */
export function waitUntilPrepared(): Promise<void> {
  return new Promise((resolve) => on('prepared', () => resolve()))
}

export function onStop(stop: (wait: number, timeout: number) => void) {
  on('stop', ({ wait, timeout }) => stop(wait, timeout))
}

/** Sends the metrics of this worker on request. The returned function requests those of all workers as one text. */
export function shareMetrics(registry: Registry): () => Promise<string> {
  const waiting = new Map<number, (text: string) => void>()
  let requestCount = 0
  on('collect', async ({ id }) => {
    tell({ kind: 'collected', id, metrics: (await registry.getMetricsAsJSON()) as Snapshot })
  })
  on('metrics', ({ id, text }) => {
    waiting.get(id)?.(text)
    waiting.delete(id)
  })
  return () =>
    new Promise((resolve) => {
      waiting.set(++requestCount, resolve)
      tell({ kind: 'scrape', id: requestCount })
    })
}
