import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Load, Outcome } from './load.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Usage of a process so far. */
export interface Usage {
  /** CPU time in milliseconds. */
  cpu: number
  /** Memory in bytes. */
  memory: number
}

/** A statement that a process sent to the database, with what it filled in. */
export interface Sent {
  text: string
  values: unknown[]
}

/** Loaded into every server of Node: reports on request the usage of the process and its workers. */
const reporter = `
  import cluster from 'node:cluster'
  const ask = (worker) =>
    new Promise((resolve) => {
      const hear = ({ used }) => {
        if (!used) return
        worker.off('message', hear)
        resolve(used)
      }
      worker.on('message', hear)
      worker.send('usage')
    })
  process.on('message', async (question) => {
    if (question !== 'usage') return
    const { user, system } = process.cpuUsage()
    const own = { cpu: (user + system) / 1000, memory: process.memoryUsage.rss() }
    // Said so that the service itself has nothing to do with it.
    if (cluster.isWorker) return process.send({ kind: 'collected', id: -1, used: own })
    const all = [own, ...(await Promise.all(Object.values(cluster.workers ?? {}).map(ask)))]
    const sum = (name) => all.reduce((total, used) => total + used[name], 0)
    process.send({ cpu: sum('cpu'), memory: sum('memory') })
  })
  // Until it listens, a worker lives by its channel alone.
  if (!cluster.isWorker) process.channel?.unref()`

/** Loaded into a server whose statements are wanted: tells those since it was last asked. */
const recorder = `
  import { createRequire } from 'node:module'
  const { Client } = createRequire(process.cwd() + '/package.json')('pg')
  const { query } = Client.prototype
  let sent = []
  Client.prototype.query = function (statement, ...rest) {
    const { text, values = rest[0] } = typeof statement === 'string' ? { text: statement } : statement
    sent.push({ text, values: Array.isArray(values) ? values : [] })
    return query.call(this, statement, ...rest)
  }
  process.on('message', (question) => {
    if (question !== 'statements') return
    process.send(sent)
    sent = []
  })`

/**
 * Milliseconds of CPU time so far, of all threads and of the one that runs JavaScript, what the kernel took of that, and
 * for how long that one had something to do and no core.
 */
export interface Threads {
  all: number
  main: number
  kernel: number
  waiting: number
}

/**
 * Samples of the thread that runs JavaScript, as V8 takes them (lines and columns from 0); functions with the ids of
 * those that they called.
 */
export type Profile = {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number }
  hitCount: number
  children?: number[]
}[]

/** Loaded into a server that is to be watched: takes samples from one question to the next. */
const profiler = `
  import { readFileSync } from 'node:fs'
  import { Session } from 'node:inspector/promises'
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  process.on('message', async (question) => {
    if (question === 'threads') {
      const { user, system } = process.cpuUsage()
      const [main, waiting] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map((time) => time / 1e6)
      // The fields after the name in brackets; times are in ticks, a hundred per second.
      const ticks = readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1].split(' ')[12]
      process.send({ all: (user + system) / 1000, main, kernel: 10 * Number(ticks), waiting })
    }
    if (question === 'watch') {
      await session.post('Profiler.start')
      process.send({})
    }
    if (question === 'watched') process.send((await session.post('Profiler.stop')).profile.nodes)
  })`

const preloaded = (script: string) => ['--import', `data:text/javascript,${encodeURIComponent(script)}`]

/** Variables of a measured service: a secret of its own, no limits, and access to the receiver, a `host:port`. */
export const serviceVariables = (databaseUrl: string, receiver: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  HOST: '127.0.0.1',
  RATE_LIMIT: 'off',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  OUTBOUND_ALLOWED_HOSTS: receiver,
})

export interface Target {
  name: string
  port: number
  /** Milliseconds from its start to its first answer. */
  coldStart: number
  /** File with all output of the server, before and after this moment. */
  log: string
  usage(): Promise<Usage>
  /** Statements since the last call, of a server that is recorded. */
  statements(): Promise<Sent[]>
  /** Time of the threads of a watched server, and its work between two calls. */
  threads(): Promise<Threads>
  watch(): Promise<void>
  watched(): Promise<Profile>
  stop(): Promise<void>
}

interface ServerOptions {
  /** Path that responds with success once the server is ready; without one, any response counts. */
  path?: string
  cwd?: string
  isRecorded?: boolean
  isProfiled?: boolean
}

export class Processes {
  private readonly children = new Set<ChildProcess>()
  private readonly logs: FileHandle[] = []

  /** Writes the output of servers to files in this folder. */
  constructor(private readonly folder: string) {}

  /** Starts a server of Node and waits until it serves. */
  server(
    name: string,
    args: string[],
    variables: Record<string, string>,
    { isRecorded, isProfiled, ...options }: ServerOptions = {},
  ): Promise<Target> {
    const wanted = [reporter, ...(isRecorded ? [recorder] : []), ...(isProfiled ? [profiler] : [])]
    const scripts = wanted.flatMap(preloaded)
    return this.start(name, process.execPath, [...scripts, ...args], variables, options)
  }

  /** Starts a program that tells at `/usage` what it has used, and waits until it serves. */
  async program(name: string, file: string, variables: Record<string, string>): Promise<Target> {
    const target = await this.start(name, file, [], variables, { path: '/usage' })
    const usage = async () => {
      const response = await fetch(`http://127.0.0.1:${target.port}/usage`)
      return (await response.json()) as Usage
    }
    return { ...target, usage }
  }

  private async start(
    name: string,
    file: string,
    args: string[],
    variables: Record<string, string>,
    { path, cwd = root }: ServerOptions,
  ): Promise<Target> {
    const port = await freePort()
    const log = join(this.folder, `${name}.log`)
    const out = await open(log, 'a')
    this.logs.push(out)
    const { PATH, HOME, TMPDIR } = process.env
    const begun = performance.now()
    const child = spawn(file, args, {
      cwd,
      env: { PATH, HOME, TMPDIR, NODE_ENV: 'production', PORT: String(port), ...variables },
      stdio: ['ignore', out.fd, out.fd, 'ipc'],
    })
    this.children.add(child)
    for (const deadline = Date.now() + 120_000; ; await sleep(5)) {
      const response = await fetch(`http://127.0.0.1:${port}${path ?? '/'}`).catch(() => undefined)
      await response?.arrayBuffer()
      if (response && (path === undefined || response.ok)) break
      if (child.exitCode !== null || Date.now() > deadline) {
        // The file is deleted with its folder.
        const said = (await readFile(log, 'utf8')).slice(-2_000)
        throw new Error(`The server ${name} did not start:\n${said}`)
      }
    }
    return {
      name,
      port,
      coldStart: performance.now() - begun,
      log,
      usage: () => ask<Usage>(child, 'usage'),
      statements: () => ask<Sent[]>(child, 'statements'),
      threads: () => ask<Threads>(child, 'threads'),
      watch: () => ask<void>(child, 'watch'),
      watched: () => ask<Profile>(child, 'watched'),
      stop: () => end(child),
    }
  }

  /** Starts the client. */
  client(): (load: Load) => Promise<Outcome> {
    const file = fileURLToPath(new URL('load.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', file], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.children.add(child)
    return async (load) => {
      const outcome = await ask<Outcome | { error: string }>(child, load)
      if ('error' in outcome) throw new Error(`${load.method} ${load.target}: ${outcome.error}`)
      return outcome
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.children].map(end))
    await Promise.all(this.logs.map((log) => log.close()))
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exit
}

function ask<Answer>(child: ChildProcess, question: object | string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('A process of the benchmark ended'))
    child.once('exit', gone)
    child.once('message', (answer) => {
      child.off('exit', gone)
      resolve(answer as Answer)
    })
    child.send(question)
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
