import { type ChildProcess, spawn } from 'node:child_process'
import { type FileHandle, open } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Load, Outcome } from './load.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What a process has used so far. */
export interface Usage {
  /** CPU time in milliseconds. */
  cpu: number
  /** Memory in bytes. */
  memory: number
}

/** Loaded into every server: tells what the process has used when it is asked. */
const reporter = `data:text/javascript,${encodeURIComponent(`
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send({ cpu: (user + system) / 1000, memory: process.memoryUsage.rss() })
  })
  process.channel?.unref()
`)}`

export interface Target {
  name: string
  port: number
  usage(): Promise<Usage>
}

export class Processes {
  private readonly children = new Set<ChildProcess>()
  private readonly logs: FileHandle[] = []

  /** What servers write goes to files in this folder. */
  constructor(private readonly folder: string) {}

  /** Starts a server and waits until it answers `path` with success, or with anything where there is none. */
  async server(
    name: string,
    args: string[],
    variables: Record<string, string>,
    path?: string,
  ): Promise<Target> {
    const port = await freePort()
    const log = await open(join(this.folder, `${name}.log`), 'a')
    this.logs.push(log)
    const { PATH, HOME, TMPDIR } = process.env
    const child = spawn(process.execPath, ['--import', reporter, ...args], {
      cwd: root,
      env: { PATH, HOME, TMPDIR, NODE_ENV: 'production', PORT: String(port), ...variables },
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
    })
    this.children.add(child)
    for (const deadline = Date.now() + 30_000; ; await sleep(5)) {
      const response = await fetch(`http://127.0.0.1:${port}${path ?? '/'}`).catch(() => undefined)
      await response?.arrayBuffer()
      if (response && (path === undefined || response.ok)) break
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`The server ${name} did not start: see ${join(this.folder, `${name}.log`)}`)
      }
    }
    return { name, port, usage: () => ask<Usage>(child, 'usage') }
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
    const ended = [...this.children].map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await exit
    })
    await Promise.all(ended)
    await Promise.all(this.logs.map((log) => log.close()))
  }
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
