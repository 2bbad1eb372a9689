import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../server/db/embedded/index.ts'
import {
  type Ended,
  freePort,
  launch,
  newDataFolder,
  type Program,
  postmasterOf,
  tokenIn,
  until,
} from '../support/process.ts'
import { DatabaseProxy } from '../support/proxy.ts'
import { hangUp, send } from './client.ts'

/* Several processes of the service on one database, each behind a proxy of its own, to be broken. */

/**
 * Loaded into a process: its clock, as far as the service looks at it, is wrong; at SIGUSR2 it goes back twenty
 * minutes.
 */
const otherClock = (milliseconds: number) =>
  `data:text/javascript,${encodeURIComponent(`
  const real = Date
  let off = ${milliseconds}
  process.on('SIGUSR2', () => (off -= 1_200_000))
  globalThis.Date = class Date extends real {
    constructor(...given) { given.length === 0 ? super(real.now() + off) : super(...given) }
    static now() { return real.now() + off }
  }
`)}`

/** The variables of a process whose clock is wrong by so many milliseconds. */
export function clockOff(milliseconds: number): Record<string, string> {
  return milliseconds === 0 ? {} : { NODE_OPTIONS: `--import=${otherClock(milliseconds)}` }
}

export class Member {
  program: Program | undefined
  private readonly logged: Program['output'][] = []
  constructor(
    readonly proxy: DatabaseProxy,
    private readonly variables: Record<string, string>,
    private readonly folder: string | undefined,
  ) {}

  get url() {
    return `http://127.0.0.1:${this.variables.PORT}`
  }

  /** Starts it and waits until it serves, which its log need not say. */
  async start(): Promise<void> {
    const program = launch(this.variables, this.folder)
    this.program = program
    this.logged.push(program.output)
    let early: Ended | undefined
    void program.ended.then((ended) => (early = ended))
    await until('it serves', async () => {
      return early !== undefined || (await send(this.url, 'GET', '/readyz')).status === 200
    })
    // A process that was killed meanwhile was killed on purpose.
    if (early?.code) throw new Error(`A process ended with ${early.code}: ${early.stderr || early.stdout}`)
  }

  /** The lines of its log. */
  log(): string[] {
    return this.logged.flatMap((output) => output().split('\n').filter(Boolean))
  }

  /** Ends it with SIGKILL. */
  async kill() {
    this.program?.signal('SIGCONT')
    this.program?.signal('SIGKILL')
    await this.program?.ended
  }
}

export interface Installation {
  members: Member[]
  /** Token of the first user. */
  token: string
  workspaceId: string
  database: pg.Pool
  stop(): Promise<void>
}

export interface InstallationOptions {
  databaseUrl: string
  processes?: number
  variables?: Record<string, string>
  /** Milliseconds by which the clock of each process is wrong. */
  clocks?: number[]
  /** The folder of another copy of the project. */
  folder?: string
  /** Token of the first user, if the database is not empty. */
  token?: string
}

/** Starts an installation. */
export async function install(options: InstallationOptions): Promise<Installation> {
  const { databaseUrl, processes = 2, clocks = [], folder } = options
  const members: Member[] = []
  for (let place = 0; place < processes; place++) {
    const proxy = new DatabaseProxy(new URL(databaseUrl))
    await proxy.open()
    const variables = {
      DATABASE_URL: proxy.url,
      PORT: String(await freePort()),
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'error',
      ...clockOff(clocks[place] ?? 0),
      ...options.variables,
    }
    members.push(new Member(proxy, variables, folder))
  }
  // The first one makes the tables and the user.
  const [first] = members as [Member]
  await first.start()
  const token = options.token ?? tokenIn(first.program?.errors() ?? '') ?? ''
  await Promise.all(members.slice(1).map((member) => member.start()))
  const { body } = await send(first.url, 'GET', '/v1/workspaces', {
    token,
    patience: 60_000,
  })
  const database = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  database.on('error', () => {})
  return {
    members,
    token,
    workspaceId: body.workspaces[0].id,
    database,
    async stop() {
      await Promise.all(members.map((member) => member.kill()))
      hangUp()
      await Promise.all(members.map(({ proxy }) => proxy.shut()))
      await database.end()
    },
  }
}

/** A database server of its own, to be killed, stopped and frozen. `endProcesses` ends it. */
export interface OwnServer {
  url: string
  folder: string
  signal(name: NodeJS.Signals): Promise<void>
  /** Stops all of it as it stands; gives what lets it go on. */
  freeze(): Promise<() => void>
  stop(): Promise<void>
}

/** Starts one; `folder` is the data folder of an earlier one. */
export async function ownServer(settings: Record<string, string> = {}, folder?: string): Promise<OwnServer> {
  folder ??= await newDataFolder()
  const server = await startEmbeddedPostgres({
    dataDirectory: folder,
    settings: { fsync: 'off', ...settings },
  })
  const home = folder
  const pid = async () => (await postmasterOf(home)) ?? 0
  return {
    url: server.url,
    folder: home,
    signal: async (name) => void process.kill(await pid(), name),
    async freeze() {
      const postmaster = String(await pid())
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', postmaster]).toString()
      const pids = [postmaster, ...children.trim().split(/\s+/)]
      spawnSync('kill', ['-STOP', ...pids])
      return () => void spawnSync('kill', ['-CONT', ...pids])
    },
    stop: () => server.stop(),
  }
}

/** Waits until a process serves again. */
export const ready = ({ url }: Pick<Member, 'url'>) =>
  until('it is ready', async () => (await send(url, 'GET', '/readyz')).status === 200)

export const projectFolder = fileURLToPath(new URL('../../', import.meta.url))
