import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { destination } from 'pino'
import { startBackground } from './background/index.ts'
import { createFirstUser } from './bootstrap.ts'
import { openChatTools } from './chat/tools/index.ts'
import { readConfig } from './config.ts'
import { connect, databaseError } from './db/client.ts'
import { databaseOptions, locateDatabase } from './db/configured.ts'
import { cursorKey, migrateDatabase } from './db/migrate.ts'
import { openFileStore } from './files/open.ts'
import { createApp, type Phase } from './http/app.ts'
import { createServer } from './http/server.ts'
import { createLog } from './log.ts'
import { startDeliveries } from './webhooks/deliver.ts'
import { usedKeys } from './workspaces/credentials.ts'
import { openKeyring } from './workspaces/keyring.ts'

/*
 * Starts the service: configuration, database, listening, migrations. It listens before the database
 * answers, so that probes see a process that waits instead of one that restarts. On SIGTERM or SIGINT
 * readiness fails first, then requests finish, then the pool closes; a second signal ends at once.
 */

function leave(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const read = readConfig(process.env)
if ('problems' in read) leave(read.problems.map((problem) => `Configuration: ${problem}`).join('\n'))
const { config } = read

// Lines are written several at once, and none waits for long.
const sink = destination({ sync: false, minLength: 8192, periodicFlush: 100 })
const log = createLog(config.LOG_LEVEL, sink)

const database = await locateDatabase(config, (message) => log.info(message)).catch((error: Error) =>
  leave(error.message),
)
const { db, pool } = connect(databaseOptions(config, database.url, log))

const chat = openChatTools(config)
const keyring = openKeyring(config)
const files = openFileStore(config)
let phase: Phase = 'starting'
// Filled in before the phase lets a request through.
const key = Buffer.alloc(32)
const app = createApp({
  db,
  pool,
  config,
  log,
  now: () => new Date(),
  cursorKey: key,
  chat: chat.tools,
  keyring,
  files,
  phase: () => phase,
  publicUrl: () => publicUrl,
})
const server = createServer(app, {
  requestTimeout: config.REQUEST_TIMEOUT,
  uploadTimeout: config.UPLOAD_TIMEOUT,
})
await new Promise<void>((resolve, reject) => {
  server.once('error', reject)
  server.listen({ port: config.PORT, host: config.HOST }, resolve)
}).catch(async (error: Error) => {
  await pool.end()
  await database.stop()
  leave(`Cannot listen: ${error.message}`)
})
const { port } = server.address() as AddressInfo
// Nothing is awaited between listening and here: no request comes earlier.
const publicUrl = config.PUBLIC_URL ?? `http://localhost:${port}`

let signals = 0
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    signals++
    if (signals > 1) process.exit(1)
    // A person at a terminal has no balancer that must notice first.
    void stop(signal === 'SIGINT' ? 0 : config.SHUTDOWN_DELAY)
  })
}

// The first code of a bot must not wait for its thread. Without threads everything else works all the same.
const isWarm = chat.warm().catch((error: Error) => log.error({ err: error }, 'code of bots cannot be run'))

let background: ReturnType<typeof startBackground> | undefined
let deliveries: ReturnType<typeof startDeliveries> | undefined
let attempts = 0
while (phase === 'starting') {
  try {
    await migrateDatabase(database.url)
    key.set(await cursorKey(db))
    await isWarm
    const first = await createFirstUser(db, new Date())
    if (first) welcome(first.token)
    await noteLostKeys()
    if (phase !== 'starting') break
    phase = 'serving'
    background = startBackground(db, log, files, config)
    deliveries = startDeliveries({ db, log, key, post: chat.tools.httpRequest })
    log.info({ port, publicUrl }, 'serving')
  } catch (error) {
    // Said now and then, since a database may be away for hours.
    if (attempts++ % 20 === 0) log.error({ err: databaseError(error) }, 'the database is not ready')
    await delay(1_000)
  }
}

/** What cannot be read now can be once its key is back, so nobody is kept from anything else. */
async function noteLostKeys() {
  const keys = await keyring.read().catch((err: Error) => {
    log.error({ err }, 'encryption keys cannot be read')
    return []
  })
  const lost = [...(await usedKeys(db))].filter((used) => !keys.some(({ id }) => id === used))
  if (lost.length > 0) log.error({ keys: lost }, 'credentials are encrypted with keys that are missing')
}

/** Told once, and apart from the log, which is kept. */
function welcome(token: string) {
  process.stderr.write(
    [
      '',
      'This is the first start. Your access token, shown only now:',
      '',
      `  ${token}`,
      '',
      'Try it:',
      '',
      `  curl -H 'Authorization: Bearer ${token}' ${publicUrl}/v1/workspaces`,
      '',
      `Guides and reference, with requests to try: ${publicUrl}/docs`,
      '',
      '',
    ].join('\n'),
  )
}

async function stop(wait: number) {
  phase = 'draining'
  log.info('stopping')
  await delay(wait)
  const end = performance.now() + config.SHUTDOWN_TIMEOUT
  // A part of the time is for what comes after the requests, which a database may keep waiting.
  const forClosing = Math.min(5_000, config.SHUTDOWN_TIMEOUT / 4)
  const isDrained = await inTime(drain(), config.SHUTDOWN_TIMEOUT - forClosing)
  if (!isDrained) server.closeAllConnections()
  const isClosed = await inTime(close(), end - performance.now())
  log.info(isDrained && isClosed ? 'stopped' : 'stopped before everything had ended')
  sink.flushSync()
  process.exit(isDrained && isClosed ? 0 : 1)
}

/** Lets the requests under way finish. */
async function drain() {
  const closed = new Promise((resolve) => server.close(resolve))
  // Connections become idle one by one as their requests finish.
  const closing = setInterval(() => server.closeIdleConnections(), 100)
  await closed
  clearInterval(closing)
}

async function close() {
  await Promise.all([background?.stop(), deliveries?.stop()])
  await chat.close()
  await pool.end()
  await database.stop()
}

/** Whether `work` ends within so many milliseconds. */
function inTime(work: Promise<void>, milliseconds: number): Promise<boolean> {
  return Promise.race([work.then(() => true), delay(milliseconds, false, { ref: false })])
}
