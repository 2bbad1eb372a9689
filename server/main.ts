import cluster from 'node:cluster'
import { setFlagsFromString } from 'node:v8'
import { readConfig, wantsTelemetry } from './config.ts'
import { leave } from './log.ts'

/* Starts the service: this process serves by itself, or looks after the workers that do. */

// Under load V8 lets the heap grow to four times of its live size before it collects all: twice of it costs no
// measurable throughput, and makes the process a little smaller. Half as much again is less than the buffers of two
// hundred bodies, and makes it collect all the time while bots come in.
setFlagsFromString('--heap-growing-percent=100')

// Node has had this user agent since version 21. Without it pg looks for another way to detect its runtime, and loads
// all of `fetch` for that: 30 ms of every start, and more on a shared processor.
if (!('navigator' in globalThis)) Object.assign(globalThis, { navigator: { userAgent: 'Node.js/20' } })

const read = readConfig(process.env)
if ('problems' in read) leave(read.problems.map((problem) => `Configuration: ${problem}`).join('\n'))
const { config } = read

// The process that supervises workers does not load the service, and tracing is loaded only if it is configured.
if (config.WORKERS > 1 && cluster.isPrimary) {
  await (await import('./workers/primary.ts')).lookAfterWorkers(config)
} else {
  const telemetry = wantsTelemetry(process.env)
    ? (await import('./telemetry.ts')).startTelemetry()
    : undefined
  // Its thread takes half as long to start as everything else does to load: both run concurrently.
  const sandbox = (await import('./sandbox/index.ts')).openSandbox()
  sandbox.warm().catch(() => {})
  await (await import('./serve.ts')).serve(config, sandbox, telemetry)
}
