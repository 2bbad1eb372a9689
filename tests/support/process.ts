import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { builtOf } from './build.ts'

/*
 * The service as other people run it: a process of its own, with nothing but environment variables, standard
 * output and signals. Everything that is started here is ended by `endProcesses`.
 */

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Program {
  pid: number
  /** Everything written to standard output so far. */
  output: () => string
  /** Everything written to standard error so far. */
  errors: () => string
  signal: (name: NodeJS.Signals) => void
  /** Leaves standard output unread, as a reader does that stands still. */
  stopReading: () => void
  /** Reads again, without which `ended` does not come. */
  readOn: () => void
  ended: Promise<Ended>
}

export interface Service extends Program {
  url: string
  /** The token of the first user, when this start made it. */
  token: string | undefined
}

const programs = new Set<ChildProcess>()
const folders: string[] = []
const root = fileURLToPath(new URL('../../', import.meta.url))

type Variables = Record<string, string>

/** Runs one file of the project; of our own environment it sees only what finds programs. */
export function startProgram(file: string, words: string[], variables: Variables, folder = root): Program {
  // Another copy of the project runs from its sources, unless `file` names a built file.
  const program = file.endsWith('.js')
    ? [file]
    : folder === root
      ? [builtOf(file)]
      : ['--import', 'tsx', file]
  return startCommand(process.execPath, [...program, ...words], variables, folder)
}

/** Starts the service as at a terminal, which takes the program `script` of Linux. */
export function launchAtTerminal(variables: Variables): Program {
  const command = `${process.execPath} ${builtOf('server/main.ts')}`
  return startCommand('script', ['-qefc', command, '/dev/null'], { ...defaults, ...variables })
}

/** Variables of a program if all tests go through a pooler. */
const pooled: Variables = process.env.TEST_POOLED_URL
  ? { DATABASE_NAMED_STATEMENTS: 'false', DATABASE_SESSION_SETTINGS: 'false' }
  : {}

function startCommand(command: string, words: string[], variables: Variables, folder = root): Program {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(command, words, {
    cwd: folder,
    env: { PATH, HOME, TMPDIR, ...pooled, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  programs.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      programs.delete(child)
      resolve({ code, signal, stdout, stderr })
    })
  })
  return {
    pid: child.pid as number,
    output: () => stdout,
    errors: () => stderr,
    signal: (name) => child.kill(name),
    stopReading: () => child.stdout.pause(),
    readOn: () => child.stdout.resume(),
    ended,
  }
}

export function run(file: string, words: string[], variables: Variables): Promise<Ended> {
  return startProgram(file, words, variables).ended
}

/**
 * Starts the service without waiting for anything; on a free port by default. `folder` is that of
 * another copy of the project.
 */
export function launch(variables: Variables, folder?: string): Program {
  return startProgram('server/main.ts', [], { ...defaults, ...variables }, folder)
}

/** Starts the service with another copy of Node. */
export function launchBy(node: string, variables: Variables): Program {
  return startCommand(node, [builtOf('server/main.ts')], { ...defaults, ...variables })
}

const defaults: Variables = { PORT: '0', SHUTDOWN_DELAY: '0', RATE_LIMIT: 'off' }

/** Starts the service and waits until it serves. */
export async function startService(variables: Variables, folder?: string): Promise<Service> {
  const program = launch(variables, folder)
  let early: Ended | undefined
  void program.ended.then((ended) => (early = ended))
  await until('the service serves', () => early !== undefined || servingPort(program) !== undefined)
  if (early) throw new Error(`The service ended with ${early.code}: ${early.stderr || early.stdout}`)
  const url = `http://127.0.0.1:${servingPort(program)}`
  return { ...program, url, token: tokenIn(program.errors()) }
}

/** Returns the URL of the server in a data folder. */
export async function addressOf(folder: string): Promise<string> {
  const password = await readFile(join(folder, 'postgres/password'), 'utf8')
  const lines = (await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')
  return `postgres://bots:${password}@127.0.0.1:${lines[3]}/bots`
}

/** The port in the log line that says that the service serves. */
function servingPort(program: Program): number | undefined {
  const line = logOf(program.output()).find(({ msg }) => msg === 'serving')
  return line?.port as number | undefined
}

/** The lines of the log; what else is on standard output is for people. */
export function logOf(output: string): Record<string, unknown>[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** The token that a first start shows. */
export function tokenIn(output: string): string | undefined {
  return /^ {2}(botb_pat_\w+)\r?$/m.exec(output)?.[1]
}

/** Asks until the answer is yes. The limit only ends a test that hangs. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 240_000; !(await condition()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}`)
  }
}

/** The status of a response on a connection of its own; undefined if none comes. */
export async function statusOf(url: string): Promise<number | undefined> {
  const response = await fetch(url, { headers: { connection: 'close' } }).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.status
}

/**
 * A port for a process that may be started again: below those that systems give to connections, one of which could have
 * it by then.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 16_000 + Math.floor(Math.random() * 16_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

/** A data folder that goes with the tests, and with it the database server that was started in it. */
export async function newDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bots-process-'))
  folders.push(folder)
  return folder
}

/** Process id of the database server that runs in a data folder, if one does. */
export async function postmasterOf(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(text.split('\n')[0])
  if (!pid) return undefined
  if (process.platform !== 'linux') return isAlive(pid) ? pid : undefined
  // After a server was killed, its process id may belong to another program.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return command.includes(folder) ? pid : undefined
}

/** Ends whatever a test started, also after it failed. */
export async function endProcesses(): Promise<void> {
  await Promise.all([...programs].map(endProgram))
  for (const folder of folders.splice(0)) {
    const pid = await postmasterOf(folder)
    if (pid !== undefined) {
      process.kill(pid, 'SIGQUIT')
      await until('the database server is gone', async () => (await postmasterOf(folder)) === undefined)
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function endProgram(child: ChildProcess) {
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

interface Answer {
  /** Undefined where the connection broke. */
  status: number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
  body: any
}

/** Address and token of requests. */
export interface Caller {
  url: string
  token?: string
}

/** Sends a request to a process that may end at any moment. */
export async function call(
  { url, token }: Caller,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
  }
  try {
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  } catch {
    return { status: undefined, body: undefined }
  }
}
