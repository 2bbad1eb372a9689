import { spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectTo } from '../session.ts'
import { adviceOn, makeFolder } from './data-folder.ts'
import {
  type Account,
  codeOf,
  environment,
  findPrograms,
  messageOf,
  run,
  runnablePrograms,
  serverAccount,
} from './programs.ts'

export interface EmbeddedOptions {
  /** The service's data folder (`DATA_DIR`). Everything of the server is in its subfolder `postgres`. */
  dataDirectory: string
  log?: (message: string) => void
  /** Further PostgreSQL settings. They count only when this call starts the server, not when it joins one. */
  settings?: Record<string, string>
  /**
   * Milliseconds for which failing attempts to start the server are repeated, since processes of a killed one may
   * take a while to exit. A process that restarts the server continues after that, with growing delays.
   */
  startTimeoutMs?: number
  /** Milliseconds between two of these attempts. */
  pause?: number
  /** Ends the wait for a server that does not start. */
  signal?: AbortSignal
}

export interface EmbeddedPostgres {
  /** URL of the database `bots`, password included: never log it. */
  url: string
  /** Releases the server. The last process to release it stops it, no matter which one started it. */
  stop(): Promise<void>
}

/**
 * Gives a PostgreSQL server on the data folder: the one that runs there, or else a new one. Any number of processes may
 * call this concurrently and all get the same server: a second service, an administration command.
 *
 * - Each caller holds a connection with a shared lock on the server until its `stop()` or its death. The last
 *   one to release it stops the server. After a `kill -9` of all its users it runs on and the next caller joins it.
 * - Until its release, a caller restarts a server that dies, on the same port, so pools recover by themselves. If
 *   that fails it tries again until its release: a full disk may be emptied hours later.
 * - One data folder belongs to one machine or container: the server cannot see a second one elsewhere.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const server = new Server(options)
  try {
    await server.prepare()
    await server.hold()
    return { url: server.url, stop: () => server.stop() }
  } catch (error) {
    const advice = adviceOn(String(codeOf(error)), options.dataDirectory)
    if (advice === undefined) throw error
    throw new Error(
      `The data folder ${options.dataDirectory} cannot be used by this account (${messageOf(error)}): ${advice}`,
    )
  }
}

/** The database of the service, and the name of the server's only user. */
const database = 'bots'

/** The advisory lock in database `postgres` that users of the server share, and that the last one takes alone. */
const usersLock = 1

/** Maximum delay between attempts to restart the server, in milliseconds: each attempt writes lines to `server.log`. */
const MAX_RESTART_DELAY_MS = 10_000

/** Settings for a small machine. Settings that protect committed data (fsync and its relatives) stay on. */
const tuning = {
  max_connections: '200',
  shared_buffers: '128MB',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The service reports failed statements itself; here they would fill the disk and store texts of users.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

/** Clear of the ports that systems hand out for outgoing connections, so that a port is still free after a restart. */
const somePort = () => randomInt(15_000, 30_000)

class Server {
  private readonly home: string
  private readonly data: string
  private readonly log: (message: string) => void
  private readonly startTimeoutMs: number
  private readonly pause: number
  private account: Account
  private bin = ''
  private folder = ''
  private password = ''
  private port = 0
  private lease: pg.Client | undefined
  /**
   * Process id of the server that the lease belongs to. The data folder, if it was moved meanwhile, no longer names it.
   */
  private pid: number | undefined
  private mending: Promise<void> | undefined
  private stopped: Promise<void> | undefined
  private readonly stopping = new AbortController()

  constructor(private readonly options: EmbeddedOptions) {
    this.home = join(resolve(options.dataDirectory), 'postgres')
    this.data = join(this.home, 'data')
    this.log = options.log ?? (() => undefined)
    this.startTimeoutMs = options.startTimeoutMs ?? 30_000
    this.pause = options.pause ?? 250
  }

  get url(): string {
    return `postgres://${database}:${this.password}@127.0.0.1:${this.port}/${database}`
  }

  /** Creates the data when there is none yet, and rejects data of another major version. */
  async prepare(): Promise<void> {
    const { native, version } = await findPrograms()
    const major = version.split('.')[0]
    const found = (await this.dataVersion()) ?? major
    if (found !== major) {
      throw new Error(
        `The data in ${this.data} was written by PostgreSQL ${found} and this release brings PostgreSQL ${major}: write a backup with the release that made it (npm run --silent admin -- backup FILE), then set DATA_DIR to a new folder and restore it there (admin -- restore FILE), or set DATABASE_URL to a PostgreSQL ${found} server`,
      )
    }
    this.account = await serverAccount(this.data)
    const spare = this.account ? '/var/cache/bot-builder-service' : dirname(this.home)
    this.bin = join(await runnablePrograms(native, version, this.account, spare), 'bin')
    if ((await this.dataVersion()) === undefined) await this.create()
    this.password = await readFile(join(this.home, 'password'), 'utf8')
    this.folder = await realpath(this.data)
  }

  /** Joins the server, or starts it, and holds a lease on it until `stop()`. */
  async hold(wasThere = false): Promise<void> {
    this.lease = await this.join(wasThere)
    this.lease.once('end', () => {
      if (this.stopped) return
      this.log('The connection to PostgreSQL was lost; joining or starting it again')
      // Nothing but `stop()` ends it without a lease.
      this.mending = this.hold(true).catch(() => undefined)
    })
  }

  stop(): Promise<void> {
    this.stopped ??= this.release()
    return this.stopped
  }

  private async release(): Promise<void> {
    this.stopping.abort()
    await this.mending
    // From here on new processes wait for the lock, and then find the server stopped. A server that does not respond
    // has stopped, or another process is stopping it.
    const text = `select pg_advisory_unlock_shared(${usersLock}), pg_try_advisory_lock(${usersLock}) as last`
    let client = this.lease
    let answer = await client?.query(text).catch(() => undefined)
    if (!answer) {
      // The lease was lost, and the server may be there all the same.
      client = await this.connect().catch(() => undefined)
      answer = await client?.query(text).catch(() => undefined)
    }
    const { pid } = this
    if (answer?.rows[0].last && pid) {
      await this.run('pg_ctl', ['kill', 'INT', String(pid)], this.bin)
      // Waits for this one process: a newcomer may have the next server up within milliseconds.
      while (await this.isOurs(pid)) await sleep(10)
      this.log('Stopped PostgreSQL')
    }
    client?.end().catch(() => undefined)
  }

  /** `wasThere`: a server that was there already is not given up. */
  private async join(wasThere: boolean): Promise<pg.Client> {
    // Each message is logged once. Users of one server interfere with each other and get alternating errors.
    const messages = new Set<string>()
    const tell = (message: string) => {
      if (!messages.has(message)) this.log(message)
      messages.add(message)
    }
    let failure = ''
    let pause = this.pause
    const { signal } = this.options
    const isOver = () => this.stopped || signal?.aborted
    for (let deadline = performance.now() + this.startTimeoutMs; !isOver(); await this.wait(pause)) {
      try {
        const found = await this.find()
        if (!found?.alive) await this.start(found?.pid)
        return await this.adopt()
      } catch (error) {
        // 57P03: it is starting, or recovering from a crash for as long as that takes, or stopping.
        if (codeOf(error) === '57P03') deadline = performance.now() + this.startTimeoutMs
        // Waiting does not fix these failures.
        const advice = adviceOn(`${codeOf(error)} ${messageOf(error)}`, this.options.dataDirectory)
        if (advice !== undefined && !wasThere)
          throw new Error(`PostgreSQL does not start in ${this.home} (${messageOf(error)}): ${advice}`)
        tell(`Waiting for PostgreSQL: ${messageOf(error)}`)
        failure = `PostgreSQL does not start in ${this.home} (${messageOf(error)}): see server.log there, or set DATABASE_URL to a server of your own`
      }
      if (performance.now() < deadline) continue
      if (!wasThere) break
      tell(failure)
      pause = Math.min(pause * 2, MAX_RESTART_DELAY_MS)
    }
    throw new Error(failure || 'Interrupted')
  }

  /** A pause that `stop()` ends. */
  private async wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined)
  }

  /** Finds the server that runs on the data, by its own record. The record of a killed server does not count. */
  private async find() {
    const lines = (await readFile(join(this.data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    const pid = Number(lines[0])
    if (!(pid > 0)) return undefined
    return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready', alive: await this.isOurs(pid) }
  }

  /** Process ids are reused, in containers within seconds: where possible, the command of the process is checked. */
  private async isOurs(pid: number): Promise<boolean> {
    if (process.platform === 'linux') {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return command.split('\0').includes(`--bots.folder=${this.folder}`)
    }
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  /** Takes a lease on the server that runs on our folder, and makes sure that it has our database. */
  private async adopt(): Promise<pg.Client> {
    const client = await this.connect()
    try {
      await client.query(`select pg_advisory_lock_shared(${usersLock})`)
      const known = await client.query('select 1 from pg_database where datname = $1', [database])
      if (known.rowCount) return client
      await client.query(`create database ${database}`).catch((error) => {
        // Another process was faster: before the statement looked, or while it ran.
        if (!['42P04', '23505'].includes(String(codeOf(error)))) throw error
      })
      return client
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
  }

  /** Connects to the server that runs on our folder, and not to one that happens to have its port or process id. */
  private async connect(): Promise<pg.Client> {
    const found = await this.find()
    if (!found?.alive) throw new Error('it is not running')
    this.port = found.port
    const url = this.url.replace(/\/\w+$/, '/postgres')
    const client = await connectTo(url, { ssl: false, connectionTimeoutMillis: 5_000 })
    const { rows } = await client.query(`select current_setting('bots.folder', true) as folder`)
    if (rows[0].folder === this.folder) {
      this.pid = found.pid
      return client
    }
    client.end().catch(() => undefined)
    throw new Error(`port ${found.port} belongs to the server of another folder`)
  }

  /** Starts a server and waits until it takes connections. It sees to it by itself that it is the only one. */
  private async start(stalePid: number | undefined): Promise<void> {
    await this.sweep()
    // A restarted server on the same port keeps the pools of other processes usable.
    const before = await readFile(join(this.data, 'postmaster.opts'), 'utf8').catch(() => '')
    this.port ||= Number(/"--port=(\d+)"/.exec(before)?.[1] ?? somePort())
    const fixed = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: this.port }
    const settings = { ...tuning, ...this.options.settings, ...fixed, 'bots.folder': this.folder }
    const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
    const logFile = join(this.home, 'server.log')
    const log = await open(logFile, 'a', 0o600)
    const { size } = await log.stat()
    const child = spawn(join(this.bin, 'postgres'), ['-D', this.seen(this.data), ...args], {
      ...this.account,
      cwd: this.data,
      // A server never takes an ancestor for a rival. As a named ancestor, a foreign process with the process id of
      // the dead server does not prevent the start, while surviving processes of the dead server still do.
      env: { ...environment, PG_GRANDPARENT_PID: stalePid?.toString() },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
      windowsHide: true,
    })
    child.unref()
    try {
      let failure = ''
      child.once('error', (error) => (failure = error.message))
      child.once('exit', () => (failure ||= 'it ended at once'))
      for (; !failure; await sleep(20)) {
        const found = await this.find()
        if (found?.pid === child.pid && found?.ready)
          return this.log(`Started PostgreSQL on port ${this.port}`)
      }
      const logText = (await readFile(logFile)).subarray(size).toString()
      // A server that comes back must have its old port: pools know no other.
      if (!this.lease && logText.includes('could not bind')) this.port = somePort()
      const reason = /FATAL: +(.*)/.exec(logText)?.[1] ?? failure
      if (!stalePid || !reason.includes('shared memory block')) throw new Error(reason)
      // The folder was moved while a server ran on it, which goes by the former path.
      throw new Error(
        `${reason} by the process ${stalePid} or what it has left: end it with kill -INT ${stalePid}`,
      )
    } finally {
      await log.close()
    }
  }

  private async dataVersion(): Promise<string | undefined> {
    try {
      return (await readFile(join(this.data, 'PG_VERSION'), 'utf8')).trim()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }

  /** Works on a draft and renames it, so that an interruption leaves nothing half made and the fastest of many wins. */
  private async create(): Promise<void> {
    await makeFolder(dirname(this.home))
    const draft = await mkdtemp(`${this.home}.init-`)
    const [data, secret] = [join(draft, 'data'), join(draft, 'password')]
    try {
      await mkdir(data, { mode: 0o700 })
      await writeFile(secret, randomBytes(24).toString('hex'), { mode: 0o600 })
      if (this.account) {
        await chmod(draft, 0o711)
        for (const path of [data, secret]) await chown(path, this.account.uid, this.account.gid)
      }
      const access = `--username=${database} --pwfile=../password --auth=scram-sha-256 --no-instructions`
      const locale = '--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8'
      await this.run('initdb', ['-D', this.seen(data), ...`${access} ${locale}`.split(' ')], data)
      if (this.account) await chown(secret, 0, 0)
      await rename(draft, this.home)
      this.log(`Made a PostgreSQL data folder in ${this.home}`)
    } catch (error) {
      // Another process was faster, and may have deleted our draft.
      if ((await this.dataVersion()) !== undefined) return
      if (typeof codeOf(error) !== 'number') throw error
      const reason = /(?:FATAL|initdb(?:: error)?): +(.*)/.exec(messageOf(error))?.[1] ?? 'initdb failed'
      const advice = adviceOn(messageOf(error), this.options.dataDirectory)
      throw new Error(
        `PostgreSQL cannot set up its data in ${this.home} (${reason}): ${advice ?? 'set DATA_DIR to another folder, or DATABASE_URL to a server of your own'}`,
      )
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  /** Once there is data, drafts are those of interrupted processes or of slower ones. */
  private async sweep(): Promise<void> {
    const parent = dirname(this.home)
    for (const name of (await readdir(parent)).filter((name) => name.startsWith('postgres.init-'))) {
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined)
    }
  }

  private async run(program: string, args: string[], folder: string): Promise<void> {
    await run(join(this.bin, program), args, { ...this.account, cwd: folder, env: environment })
  }

  /**
   * The data folder as it is passed to server programs: for another account as the working folder, which it may use
   * even where it may not pass the folders above it (root's home directory).
   */
  private seen(data: string): string {
    return this.account && process.platform === 'linux' ? '/proc/self/cwd' : data
  }
}
