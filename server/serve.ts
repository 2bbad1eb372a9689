import cluster from 'node:cluster'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { operations } from '../contract/index.ts'
import { createApp, type Phase } from './app.ts'
import { composeGreeting, type FirstSignIn, prepareDatabase } from './bootstrap.ts'
import { openTimers } from './chat/sessions/fire-timers.ts'
import { openChatTools } from './chat-tools.ts'
import { openBridge } from './chatwoot/bridge.ts'
import { currentTime } from './clock.ts'
import type { Config } from './config.ts'
import { openNodes } from './db/citus/nodes.ts'
import { detectCitus } from './db/citus/topology.ts'
import { connect } from './db/client.ts'
import { databaseOptions, locateDatabase, openStandby } from './db/configured.ts'
import { cursorKey } from './db/migrate.ts'
import { retryUntilReady } from './db/retry.ts'
import { SandboxMismatch } from './db/sandbox.ts'
import { refuseUsedPort, whyNotListening } from './http/port.ts'
import { newId } from './ids.ts'
import { startBackground } from './jobs/index.ts'
import { isEndless } from './kit/events.ts'
import { createServer, takesFileOf } from './kit/server.ts'
import { createLog, leave, onEndSignals, openSink } from './log.ts'
import { streamingClient } from './outbound/client.ts'
import type { Sandbox } from './sandbox/index.ts'
import { openSandboxMode, type SandboxMode } from './sandbox-mode/sandbox.ts'
import { createMessageQuota, createQuotas } from './shares/quotas.ts'
import { openSheetQueue } from './sheets/queue.ts'
import type { Telemetry } from './telemetry.ts'
import { openFileStore } from './uploads/open.ts'
import { startDeliveries } from './webhooks/deliver.ts'
import { deliveryIsDue } from './webhooks/outbox.ts'
import { onStop, waitUntilPrepared } from './workers/worker.ts'
import { openKeyring } from './workspaces/keyring.ts'

/** Minimum time for the database server to stop, in milliseconds. */
const DATABASE_STOP_MS = 5_000

/** Maximum wait at shutdown for requests that have not arrived completely, in milliseconds. */
const ARRIVAL_TIMEOUT_MS = 2_000

/** Maximum wait at shutdown for the last traces to be exported, in milliseconds. */
const TELEMETRY_STOP_TIMEOUT_MS = 1_000

/**
 * Runs a process that serves: database, listener, migrations. It listens before the database is ready, so that probes
 * see a process that waits instead of one that restarts. On a signal it fails readiness, finishes requests and closes
 * the pool; a second signal ends it immediately. A worker leaves migrations to the primary process, which also
 * signals it to stop.
 */
export async function serve(config: Config, sandbox: Sandbox, telemetry?: Telemetry): Promise<void> {
  const sink = openSink(cluster.isWorker)
  const log = createLog(config.LOG_LEVEL, sink)

  let isLocated = false
  let stopping: Promise<void> | undefined
  const calling = new AbortController()
  onEndSignals((isHasty) => {
    // Before everything is started: each part is stopped as soon as its start returns.
    if (!isLocated) calling.abort()
    else void stop(isHasty ? 0 : config.SHUTDOWN_DELAY, config.SHUTDOWN_TIMEOUT)
  }, quit)
  if (!cluster.isWorker) await refuseUsedPort(config)
  const files = await openFileStore(config).catch((error: Error) => leave(error.message))
  const database = await locateDatabase(config, (message) => log.info(message), calling.signal).catch(
    (error: Error) => leave(error.message),
  )
  isLocated = true
  if (calling.signal.aborted) {
    await database.stop()
    return sink.exit(0)
  }
  const { db, pool } = connect(databaseOptions(config, database.url, log))

  const standby = openStandby(config, db, log)
  const chat = openChatTools(config, sandbox)
  const keyring = openKeyring(config)
  let phase: Phase = 'starting'
  let sandboxMode: SandboxMode | undefined
  // Filled in before the phase admits a request.
  const key = Buffer.alloc(32)
  const services = {
    db,
    reads: standby?.reads ?? db,
    config,
    log,
    now: currentTime,
    cursorKey: key,
    chat: chat.tools,
    keyring,
    files,
    publicUrl: () => publicUrl,
    quotas: createQuotas({ config, log }),
    countMessage: createMessageQuota({ config }),
  }
  const app = createApp({ ...services, pool, phase: () => phase, sandbox: () => sandboxMode })
  const server = createServer(app, {
    newId,
    takesFile: takesFileOf(operations),
    requestTimeout: config.REQUEST_TIMEOUT,
    uploadTimeout: config.UPLOAD_TIMEOUT,
  })
  const isPrepared = cluster.isWorker ? waitUntilPrepared() : undefined
  let background: ReturnType<typeof startBackground> | undefined
  let deliveries: ReturnType<typeof startDeliveries> | undefined
  let timers: ReturnType<typeof openTimers> | undefined
  let bridge: ReturnType<typeof openBridge> | undefined
  let sheets: ReturnType<typeof openSheetQueue> | undefined
  let nodes: ReturnType<typeof openNodes> | undefined
  if (cluster.isWorker) onStop((wait, timeout) => void stop(wait, timeout))

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: config.PORT, host: config.HOST }, resolve)
  }).catch(async (error: Error) => {
    await Promise.all([pool.end(), standby?.pool.end()])
    await database.stop()
    leave(whyNotListening(error, config))
  })
  const { port } = server.address() as AddressInfo
  // Nothing is awaited between listening and here: no request comes earlier.
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${port}`

  // The first code of a bot must not wait for its thread. Without threads everything else works all the same.
  const isWarm = chat.warm().catch((error: Error) => log.error({ err: error }, 'code of bots cannot be run'))

  await isPrepared
  let first: FirstSignIn | undefined
  await retryUntilReady(
    log,
    () => phase !== 'starting',
    async () => {
      if (!cluster.isWorker) {
        first ??= await prepareDatabase({ config, db, url: database.url, log, publicUrl }).catch(
          leaveOnMismatch,
        )
      }
      await detectCitus(db, standby?.reads ?? db)
      if (config.DATABASE_NODES) nodes ??= openNodes(db, databaseOptions(config, database.url, log), log)
      key.set(await cursorKey(db))
      if (config.SANDBOX) sandboxMode ??= await openSandboxMode(db, files, keyring, runDueJobs)
      await isWarm
    },
  )
  if (phase === 'starting') {
    phase = 'serving'
    background = startBackground(db, log, files, config)
    timers = openTimers(services)
    timers.start()
    bridge = openBridge(services)
    bridge.start()
    sheets = openSheetQueue(services)
    sheets.start()
    const post = streamingClient({ allowedHosts: config.OUTBOUND_ALLOWED_HOSTS, keepAlive: true })
    deliveries = startDeliveries({ db, log, keyring, post })
    log.info({ port, publicUrl }, 'serving')
    files
      ?.check?.()
      .catch((err: Error) => log.warn({ err }, 'S3_ENDPOINT does not answer: files of visitors fail'))
    // Its check reports by itself that it cannot be read.
    standby?.reads.execute('SELECT 1').catch(() => {})
  }
  if (process.stdout.isTTY && !cluster.isWorker) sink.write(composeGreeting(config, publicUrl, first))

  async function leaveOnMismatch(error: unknown): Promise<never> {
    if (!(error instanceof SandboxMismatch)) throw error
    await database.stop()
    leave(error.message)
  }

  async function runDueJobs() {
    await background?.runDue()
    await timers?.runDue()
    await bridge?.runDue()
    await sheets?.runDue()
    deliveryIsDue.emit('due')
  }

  function stop(wait: number, timeout: number): Promise<void> {
    stopping ??= end(wait, timeout)
    return stopping
  }

  async function end(wait: number, timeout: number) {
    phase = 'draining'
    log.info('stopping')
    await delay(wait)
    const last = performance.now() + timeout
    // A part of the time is for the steps after the requests, which a database may delay.
    const forClosing = Math.min(5_000, timeout / 4)
    const isDrained = await inTime(drain(), timeout - forClosing)
    if (!isDrained) server.closeAllConnections()
    const areClosed = await inTime(close(), last - performance.now())
    // A server that was left running would occupy the folder, so this has time of its own.
    const isStopped = await inTime(database.stop(), Math.max(DATABASE_STOP_MS, last - performance.now()))
    const isClosed = areClosed && isStopped
    // The collector may be unavailable, which is no failure of the service.
    if (telemetry) await inTime(telemetry.stop(), TELEMETRY_STOP_TIMEOUT_MS)
    log.info(isDrained && isClosed ? 'stopped' : 'stopped before everything had ended')
    await sink.exit(isDrained && isClosed ? 0 : 1)
  }

  /** Waits for the requests under way. */
  async function drain() {
    const closed = new Promise((resolve) => server.close(resolve))
    const begun = performance.now()
    // To Node, a connection with half a request head is busy and stays so, because its timers end with the listener. A
    // request that is still arriving has not begun, and may never arrive.
    const isReal = (response: ServerResponse) =>
      !isEndless(response) && (response.req.complete || performance.now() - begun < ARRIVAL_TIMEOUT_MS)
    const closing = setInterval(() => {
      if (!server.responsesUnderWay().some(isReal)) server.closeAllConnections()
      else server.closeIdleConnections()
    }, 100)
    await closed
    clearInterval(closing)
  }

  async function close() {
    await Promise.all([background, deliveries, timers, bridge, sheets].map((each) => each?.stop()))
    await chat.close()
    await Promise.all([pool.end(), standby?.pool.end(), nodes?.end()])
  }

  /** Ends without the requests under way, and with the database server. */
  function quit() {
    // The supervisor of a worker ends it if needed: a terminal sends signals to all processes.
    if (cluster.isWorker) return
    if (!isLocated) process.exit(1)
    server.closeAllConnections()
    void inTime(database.stop(), DATABASE_STOP_MS).then(() => process.exit(1))
  }
}

/** True if `work` ends within this number of milliseconds. */
function inTime(work: Promise<void>, milliseconds: number): Promise<boolean> {
  return Promise.race([work.then(() => true), delay(milliseconds, false, { ref: false })])
}
