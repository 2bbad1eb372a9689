import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { operations } from '../../contract/index.ts'
import { createApp, type Phase } from '../../server/app.ts'
import { openTimers } from '../../server/chat/sessions/fire-timers.ts'
import { openChatTools } from '../../server/chat-tools.ts'
import { openBridge } from '../../server/chatwoot/bridge.ts'
import { currentTime } from '../../server/clock.ts'
import { type Config, readConfig } from '../../server/config.ts'
import { detectCitus, treatAsDistributed } from '../../server/db/citus/topology.ts'
import { connect, type Database, type DatabaseOptions } from '../../server/db/client.ts'
import { cursorKey } from '../../server/db/migrate.ts'
import { newId } from '../../server/ids.ts'
import { createServer, takesFileOf } from '../../server/kit/server.ts'
import { createLog } from '../../server/log.ts'
import { root } from '../../server/root.ts'
import { openSandbox } from '../../server/sandbox/index.ts'
import type { SandboxMode } from '../../server/sandbox-mode/sandbox.ts'
import { createMessageQuota, createQuotas } from '../../server/shares/quotas.ts'
import { openSheetQueue } from '../../server/sheets/queue.ts'
import { openFolder } from '../../server/uploads/folder.ts'
import type { FileStore } from '../../server/uploads/store.ts'
import { type Keyring, openKeyring } from '../../server/workspaces/keyring.ts'
import { type Client, createClient } from './client.ts'
import { createDatabase, isPooled } from './server.ts'

/** The whole service in this process, on a database of its own, with everything it does in reach. */
export interface App extends Watched {
  /** Calls operations and holds every answer against the published document. */
  client: Client
  /** URL of the app, without a slash at the end. */
  url: string
  server: Server
  db: Database
  pool: pg.Pool
  databaseUrl: string
  clock: Clock
  /** Every line that was logged, parsed. */
  logs: Record<string, unknown>[]
  keyring: Keyring
  /** Store of the files of visitors; null if the app has none. */
  files: FileStore | null
  filesFolder: string
  setPhase(phase: Phase): void
  /** As if no chat had run in this process yet. */
  forgetFlows(): void
  timers: ReturnType<typeof openTimers>
  /** Works on all conversations of Chatwoot for which there is something to do. */
  bridge: ReturnType<typeof openBridge>
  /** Writes the rows of sheets that wait and are due. */
  sheets: ReturnType<typeof openSheetQueue>
  /** Makes all timers of chats due, and runs their turns. */
  fireTimers(): Promise<void>
  stop(): Promise<void>
}

export interface Sent {
  text: string
  values: unknown[]
}

interface Watched {
  /** Every statement that was sent, hence every round trip to the database. Empty it to count anew. */
  statements: string[]
  /** The same with their values, of an app that works as on a cluster; others would keep every document. */
  sent: Sent[] | undefined
  /**
   * Run before every statement that is sent, with its text, its values and what sends others over the same connection:
   * lets a test be faster than a request. A statement whose error it throws fails with that.
   */
  beforeStatement:
    | ((text: string, values: unknown[], send: pg.PoolClient['query']) => Promise<unknown>)
    | undefined
}

export interface StartOptions {
  /** An existing database, which `stop` leaves alone; absent makes a new one. */
  databaseUrl?: string
  database?: Partial<DatabaseOptions>
  config?: Partial<Config>
  /** Database for the reads of results; the app's own if absent. */
  reads?: (db: Database) => Database
  /** The key of cursors, for a test whose database does not have it. */
  cursorKey?: Buffer
  /** Milliseconds in which a request must arrive. */
  requestTimeout?: number
  /** The same for a file. */
  uploadTimeout?: number
  /** Milliseconds after which a file has to come at a least speed. */
  uploadGrace?: number
  /** Milliseconds in which something of an answer must be read. */
  readTimeout?: number
  /** Absent keeps files in a folder of its own. */
  files?: FileStore
  hasFiles?: false
  /** Statements as they are sent to a cluster, whatever the database is. */
  asOnCluster?: true
  /** Serves a sandbox, with the clock of the machine and its offset. */
  sandbox?: () => SandboxMode
}

/** Time as the service sees it. It stands at a fixed moment and ticks a millisecond with every look. */
class Clock {
  private time = Date.parse('2026-03-10T12:00:00.000Z')

  now = (): Date => new Date(this.time++)

  set(moment: string) {
    this.time = Date.parse(moment)
  }

  advance(milliseconds: number) {
    this.time += milliseconds
  }
}

/** Functions that the nodes of a cluster run as a whole. They work on a single server too. */
export const nodeFunctions = readFileSync(new URL('migrations/distribute.sql', root), 'utf8')
  .split('--> statement-breakpoint')
  .filter((text) => text.includes('CREATE OR REPLACE FUNCTION'))

/** Connections of their own, as the app has them: for a reader, or another process. Their pool has to be ended. */
export function connectTo(url: string, options: Partial<DatabaseOptions> = {}) {
  return connect({
    url,
    poolSize: 10,
    // Long, so that nothing is rejected because the machine is busy; a test about a limit sets its own.
    connectTimeout: 60_000,
    statementTimeout: 60_000,
    lockTimeout: 60_000,
    namedStatements: !isPooled(),
    sessionSettings: !isPooled(),
    onError: () => {},
    ...options,
  })
}

/**
 * Starts the app. Call it once per file, in `beforeAll`, and `stop` in `afterAll`; tests keep apart by
 * making worlds of their own.
 */
export async function startApp(options: StartOptions = {}): Promise<App> {
  const database = options.databaseUrl
    ? { url: options.databaseUrl, drop: async () => {} }
    : await createDatabase()
  const { db, pool } = connectTo(database.url, options.database)
  const watched: Watched = {
    statements: [],
    sent: options.asOnCluster && [],
    beforeStatement: undefined,
  }
  pool.on('connect', (connection) => watch(connection, watched))

  if (options.asOnCluster) {
    if (process.env.CITUS !== '1') for (const text of nodeFunctions) await pool.query(text)
    treatAsDistributed(db)
  }
  // Some tests have no database to ask.
  else if (process.env.CITUS === '1') await detectCitus(db).catch(() => {})

  const logs: Record<string, unknown>[] = []
  const log = createLog('debug', { write: (line: string) => void logs.push(JSON.parse(line)) })
  const clock = new Clock()
  const read = readConfig({})
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  // Tests send faster than callers may; one about the limits switches them on, and none waits for rejections. The
  // key is theirs, so that none is made in a data folder.
  const ENCRYPTION_KEY = [Buffer.alloc(32, 'key')]
  const config = { ...read.config, RATE_LIMIT: false, RATE_LIMIT_DELAY: 0, ENCRYPTION_KEY, ...options.config }
  const chat = openChatTools(config, openSandbox())
  const filesFolder = await mkdtemp(join(tmpdir(), 'bots-files-'))
  const files = options.hasFiles === false ? null : (options.files ?? openFolder(filesFolder))
  const keyring = openKeyring(config)
  let phase: Phase = 'serving'
  const services = {
    db,
    reads: options.reads?.(db) ?? db,
    log,
    config,
    chat: chat.tools,
    keyring,
    files,
    now: options.sandbox ? currentTime : clock.now,
    cursorKey: options.cursorKey ?? (await cursorKey(db)),
    publicUrl: () => config.PUBLIC_URL ?? url,
    quotas: createQuotas({ config, log }),
    countMessage: createMessageQuota({ config }),
  }
  const service = createApp({ ...services, pool, sandbox: options.sandbox, phase: () => phase })
  const timers = openTimers(services)
  const bridge = openBridge(services)
  const sheets = openSheetQueue(services)
  const server = createServer(service, {
    newId,
    takesFile: takesFileOf(operations),
    requestTimeout: options.requestTimeout ?? 30_000,
    uploadTimeout: options.uploadTimeout,
    uploadGrace: options.uploadGrace,
    readTimeout: options.readTimeout,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(watched, {
    client: createClient(server, logs),
    url,
    server,
    db,
    pool,
    databaseUrl: database.url,
    clock,
    logs,
    keyring,
    files,
    filesFolder,
    timers,
    bridge,
    sheets,
    setPhase: (next: Phase) => {
      phase = next
    },
    forgetFlows() {
      chat.tools.flows.clear()
    },
    async fireTimers() {
      await pool.query("UPDATE chat_timers SET due_at = now() - interval '1 second' WHERE NOT is_paused")
      await timers.runDue()
    },
    async stop() {
      await Promise.all([timers.stop(), bridge.stop(), sheets.stop()])
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await chat.close()
      if (!pool.ended) await pool.end()
      await database.drop()
      await rm(filesFolder, { recursive: true, force: true })
    },
  })
}

type Query = (...parameters: unknown[]) => unknown

/** Notes the text of every statement that a connection sends, and lets a test come before it. */
function watch(connection: pg.PoolClient, watched: Watched) {
  const query = connection.query.bind(connection) as Query
  const send: Query = (statement, ...rest) => {
    const text = typeof statement === 'string' ? statement : (statement as { text: string }).text
    watched.statements.push(text)
    const [given] = rest
    const values = Array.isArray(given) ? given : (statement as { values?: unknown[] }).values
    watched.sent?.push({ text, values: values ?? [] })
    if (!watched.beforeStatement) return query(statement, ...rest)
    const callback = rest.at(-1)
    return watched.beforeStatement(text, values ?? [], query as pg.PoolClient['query']).then(
      () => query(statement, ...rest),
      (error) => {
        if (typeof callback !== 'function') throw error
        callback(error)
      },
    )
  }
  Object.assign(connection, { query: send })
}
