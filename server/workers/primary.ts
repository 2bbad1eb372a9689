import cluster, { type Address, type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { composeGreeting, type FirstSignIn, prepareDatabase } from '../bootstrap.ts'
import type { Config } from '../config.ts'
import { connect } from '../db/client.ts'
import { databaseOptions, locateDatabase } from '../db/configured.ts'
import { retryUntilReady } from '../db/retry.ts'
import { refuseUsedPort } from '../http/port.ts'
import { createLog, leave, onEndSignals, openSink } from '../log.ts'
import { createGatherer, sendTo } from './cluster-metrics.ts'
import type { ToPrimary } from './messages.ts'

/** Minimum lifetime of a worker after which its end does not suggest that the next one ends as well. */
const MIN_STABLE_LIFETIME_MS = 60_000

/** Minimum time for the database server to stop. */
const DATABASE_STOP_MS = 5_000

/** Maximum delay before a worker that ended is replaced. */
const MAX_RESTART_DELAY_MS = 30_000

/**
 * Runs the primary process: migrates the database once, starts `WORKERS` processes that serve one port, replaces
 * those that end, gathers their metrics, and stops them when it ends itself.
 */
export async function lookAfterWorkers(config: Config): Promise<void> {
  const sink = openSink(true)
  const log = createLog(config.LOG_LEVEL, sink)
  // An embedded database that is started here is found running by the workers.
  let isLocated = false
  const calling = new AbortController()
  onEndSignals((isHasty) => {
    if (!isLocated) calling.abort()
    else void stop(isHasty ? 0 : config.SHUTDOWN_DELAY)
  }, quit)
  await refuseUsedPort(config)
  const database = await locateDatabase(config, (message) => log.info(message), calling.signal).catch(
    (error: Error) => leave(error.message),
  )
  isLocated = true
  if (calling.signal.aborted) {
    await database.stop()
    return sink.exit(0)
  }
  const { db, pool } = connect({ ...databaseOptions(config, database.url, log), poolSize: 1 })

  const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  const gatherer = createGatherer(workers)
  const serving = new Set<Worker>()
  let isListening = false
  let isPrepared = false
  let isStopping = false
  let failures = 0

  function start(): Worker {
    const born = performance.now()
    const worker = cluster.fork()
    worker.on('message', (message: ToPrimary) => gatherer.hear(worker, message))
    worker.on('listening', () => {
      serving.add(worker)
      if (isPrepared) sendTo(worker, { kind: 'prepared' })
    })
    const replace = (why: object) => {
      if (isStopping || !isListening) return
      gatherer.bury(worker)
      failures = performance.now() - born > MIN_STABLE_LIFETIME_MS ? 0 : failures + 1
      const pause = Math.min(MAX_RESTART_DELAY_MS, 50 * 2 ** failures)
      log.error({ ...why, pause }, 'a worker ended and is replaced')
      setTimeout(() => isStopping || start(), pause)
    }
    worker.on('exit', (code, signal) => {
      serving.delete(worker)
      replace({ worker: worker.process.pid, code, signal })
    })
    worker.on('error', (err) => {
      if (!isListening) throw err
      // A worker that could not be started has no exit event. All other errors end it, and the exit event follows.
      if (worker.process.pid === undefined) replace({ err })
    })
    return worker
  }

  // The others share the address of the first one: if it cannot listen, none of them can.
  const address = await new Promise<Address | undefined>((resolve) => {
    const first = start()
    first.once('listening', resolve)
    first.once('exit', () => resolve(undefined))
  })
  if (!address) {
    if (isStopping) return
    // The worker has already logged the reason.
    isStopping = true
    await pool.end()
    await database.stop()
    return sink.exit(1)
  }
  isListening = true
  for (let number = 1; number < config.WORKERS && !isStopping; number++) start()
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${address.port}`
  let first: FirstSignIn | undefined
  await retryUntilReady(
    log,
    () => isStopping,
    async () => {
      first = await prepareDatabase({ config, db, url: database.url, log, publicUrl })
    },
  )
  isPrepared = true
  for (const worker of serving) sendTo(worker, { kind: 'prepared' })
  if (process.stdout.isTTY) sink.write(composeGreeting(config, publicUrl, first))

  async function stop(wait: number) {
    isStopping = true
    log.info('stopping')
    const last = performance.now() + wait + config.SHUTDOWN_TIMEOUT
    // The rest is for the steps after the workers.
    const timeout = config.SHUTDOWN_TIMEOUT * 0.8
    const codes = workers().map((worker) => {
      const isServing = serving.has(worker)
      const code = new Promise<number>((resolve) => {
        // One that did not serve yet had nothing to end.
        worker.once('exit', (code) => resolve(isServing ? code : 0))
      })
      if (isServing) sendTo(worker, { kind: 'stop', wait, timeout })
      else worker.process.kill('SIGKILL')
      return code
    })
    const ended = await Promise.race([
      Promise.all(codes),
      delay(wait + config.SHUTDOWN_TIMEOUT * 0.85, undefined, { ref: false }),
    ])
    for (const worker of workers()) worker.process.kill('SIGKILL')
    const closing = Promise.all(codes)
      .then(() => pool.end())
      .then(() => true)
    const inTime = (work: Promise<boolean>, milliseconds: number) =>
      Promise.race([work, delay(milliseconds, false, { ref: false })])
    const areClosed = await inTime(closing, last - performance.now())
    const stopping = database.stop().then(() => true)
    const isStopped = await inTime(stopping, Math.max(DATABASE_STOP_MS, last - performance.now()))
    const isGood = areClosed && isStopped && ended?.every((code) => code === 0)
    log.info(isGood ? 'all workers stopped' : 'stopped before everything had ended')
    await sink.exit(isGood ? 0 : 1)
  }

  /** Ends immediately, and stops the database server. */
  function quit() {
    for (const worker of workers()) worker.process.kill('SIGKILL')
    if (!isLocated) process.exit(1)
    const stopping = database.stop().catch(() => {})
    void Promise.race([stopping, delay(DATABASE_STOP_MS)]).then(() => process.exit(1))
  }
}
