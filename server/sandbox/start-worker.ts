import { Worker, type WorkerOptions } from 'node:worker_threads'

const isSource = import.meta.url.endsWith('.ts')
const workerUrl = new URL(isSource ? './worker.ts' : './sandbox-worker.js', import.meta.url)
/** In development the thread is TypeScript too, which a thread cannot start from by itself. */
const loadSource = `
  const url = ${JSON.stringify(workerUrl.href)}
  import('tsx/esm/api').then((tsx) => tsx.tsImport(url, url))`

/** Starts a thread of the sandbox. Jest takes tests/support/start-worker.ts in place of this file. */
export function startWorker(options: WorkerOptions): Worker {
  return isSource ? new Worker(loadSource, { ...options, eval: true }) : new Worker(workerUrl, options)
}
