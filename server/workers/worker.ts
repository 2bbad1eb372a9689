import type { Registry } from 'prom-client'
import type { Snapshot, ToPrimary, ToWorker } from './messages.ts'

/* A worker's side of what it and the process that looks after it tell each other. */

type Order<Kind extends ToWorker['kind']> = Extract<ToWorker, { kind: Kind }>

function on<Kind extends ToWorker['kind']>(kind: Kind, act: (order: Order<Kind>) => void) {
  process.on('message', (order: ToWorker) => {
    if (order.kind === kind) act(order as Order<Kind>)
  })
}

const tell = (message: ToPrimary) => void process.send?.(message)

/** Resolves once the database can be served from, which the other process sees to. */
export function prepared(): Promise<void> {
  return new Promise((resolve) => on('prepared', () => resolve()))
}

export function onStop(stop: (wait: number, timeout: number) => void) {
  on('stop', ({ wait, timeout }) => stop(wait, timeout))
}

/** Hands out the metrics of this worker when asked; the function asks for those of all workers as one text. */
export function shareMetrics(registry: Registry): () => Promise<string> {
  const waiting = new Map<number, (text: string) => void>()
  let asked = 0
  on('collect', async ({ id }) => {
    tell({ kind: 'collected', id, metrics: (await registry.getMetricsAsJSON()) as Snapshot })
  })
  on('metrics', ({ id, text }) => {
    waiting.get(id)?.(text)
    waiting.delete(id)
  })
  return () =>
    new Promise((resolve) => {
      waiting.set(++asked, resolve)
      tell({ kind: 'scrape', id: asked })
    })
}
