import { execFile } from 'node:child_process'
import { copyFile, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import {
  endProcesses,
  freePort,
  launch,
  launchBy,
  logOf,
  newDataFolder,
  type Program,
  postmasterOf,
  run,
  type Service,
  startService,
  statusOf,
  until,
} from './support/process.ts'
import { createDatabase } from './support/server.ts'

/* Several processes that share one port, and the one that looks after them. */

/** Secrets of endpoints are encrypted with it. */
const ENCRYPTION_KEY = Buffer.alloc(32, 'key').toString('base64')

const cleanUps: (() => Promise<unknown>)[] = []

afterEach(async () => {
  await endProcesses()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function emptyDatabase(): Promise<string> {
  const { url, drop } = await createDatabase('nothing')
  cleanUps.push(drop)
  return url
}

/** One request on a connection of its own, since connections are what workers are given in turn. */
async function call({ url, token }: Pick<Service, 'url' | 'token'>, path: string, body?: object) {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${token}`,
      connection: 'close',
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

async function workersOf({ pid }: Program): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']).catch(() => ({
    stdout: '',
  }))
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  return lines
    .filter(([, parent, ...words]) => Number(parent) === pid && words.join(' ').includes('server/main'))
    .map(([own]) => Number(own))
}

/** Returns true if a process is running, and is not just an entry of its parent. */
async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

const servingPids = (service: Program) =>
  new Set(
    logOf(service.output())
      .filter(({ msg }) => msg === 'serving')
      .map(({ pid }) => Number(pid)),
  )

async function startWorkers(number: number, variables: Record<string, string>) {
  const service = await startService({ WORKERS: String(number), ENCRYPTION_KEY, ...variables })
  await until('all workers serve', () => servingPids(service).size === number)
  return service
}

/** One metric of a scrape, by the beginning of its line. */
function metricOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

const requestsOf = (text: string, operation: string) =>
  metricOf(text, `http_request_duration_seconds_count{operation="${operation}",status="200"}`) ?? 0

async function scrape(service: Service): Promise<string> {
  const { status, text } = await call(service, '/metrics')
  expect(status).toBe(200)
  return text
}

describe('workers', () => {
  test('share a port, one database that was migrated once, and one count of all requests', async () => {
    const DATA_DIR = await newDataFolder()
    const service = await startWorkers(2, { DATA_DIR })
    const messages = logOf(service.output()).map(({ msg }) => String(msg))
    expect(messages.filter((message) => message.startsWith('Started PostgreSQL'))).toHaveLength(1)
    expect(service.errors().match(/botb_pat_/g)).toHaveLength(2)

    for (let again = 0; again < 6; again++) expect((await call(service, '/v1/workspaces')).status).toBe(200)
    const answering = () =>
      logOf(service.output()).filter(
        ({ operationId, status }) => operationId === 'listWorkspaces' && status === 200,
      )
    await until('the log has them all', () => answering().length === 6)
    expect(new Set(answering().map(({ pid }) => pid)).size).toBe(2)

    const text = await scrape(service)
    expect(requestsOf(text, 'listWorkspaces')).toBe(6)
    expect(metricOf(text, 'workers{state="answering"}')).toBe(2)
    expect(metricOf(text, 'workers{state="silent"}')).toBe(0)
    expect(metricOf(text, 'worker_restarts_total')).toBe(0)
    expect(text.match(/^# TYPE nodejs_eventloop_lag_seconds /gm)).toHaveLength(1)

    // A terminal tells all of them at once.
    const pids = [...servingPids(service)]
    for (const pid of pids) process.kill(pid, 'SIGINT')
    service.signal('SIGINT')
    expect(await service.ended).toMatchObject({ code: 0 })
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false])
    expect(await postmasterOf(DATA_DIR)).toBeUndefined()
  })

  test('that die are replaced, while the others serve, and their counters stay', async () => {
    const service = await startWorkers(2, { DATABASE_URL: await emptyDatabase() })
    for (let again = 0; again < 8; again++) await call(service, '/v1/workspaces')
    expect(requestsOf(await scrape(service), 'listWorkspaces')).toBe(8)

    const [victim = 0] = servingPids(service)
    process.kill(victim, 'SIGKILL')
    await until('another one serves', () => servingPids(service).size === 3)
    const { worker, signal } =
      logOf(service.output()).find(({ msg }) => msg === 'a worker ended and is replaced') ?? {}
    expect({ worker, signal }).toEqual({ worker: victim, signal: 'SIGKILL' })
    for (let again = 0; again < 4; again++) expect((await call(service, '/v1/workspaces')).status).toBe(200)
    const text = await scrape(service)
    expect(requestsOf(text, 'listWorkspaces')).toBe(12)
    expect(metricOf(text, 'worker_restarts_total')).toBe(1)
    expect(metricOf(text, 'workers{state="answering"}')).toBe(2)
    expect(await workersOf(service)).toHaveLength(2)
  })

  test('that cannot be replaced yet leave the others serving, until they can', async () => {
    const node = join(await newDataFolder(), 'node')
    await copyFile(process.execPath, node)
    const service = launchBy(node, { WORKERS: '2', DATABASE_URL: await emptyDatabase() })
    await until('all workers serve', () => servingPids(service).size === 2)
    // As while Node is being upgraded, or where the system has no room for one more process.
    await rename(node, `${node}-away`)
    const [victim = 0, other = 0] = servingPids(service)
    process.kill(victim, 'SIGKILL')
    const failed = () => logOf(service.output()).filter(({ err }) => (err as { code?: string })?.code)
    await until('it was tried twice', () => failed().length >= 2 || service.errors().includes('spawn'))
    expect(service.errors()).not.toContain('spawn')
    expect(await isRunning(other)).toBe(true)
    await rename(`${node}-away`, node)
    await until('another one serves', () => servingPids(service).size === 3)
    service.signal('SIGTERM')
    expect((await service.ended).code).toBe(0)
  })

  test('a stopped worker prevents neither the metrics of the others nor the end', async () => {
    const service = await startWorkers(2, {
      DATABASE_URL: await emptyDatabase(),
      SHUTDOWN_TIMEOUT: '3000',
    })
    for (let again = 0; again < 4; again++) await call(service, '/v1/workspaces')
    const before = requestsOf(await scrape(service), 'listWorkspaces')
    const pids = [...servingPids(service)]
    process.kill(pids[0] as number, 'SIGSTOP')
    // Every other connection is given to the one that stands still.
    const answers = [1, 2].map(() => call(service, '/metrics').then(({ text }) => text))
    const text = await Promise.any(answers)
    void Promise.allSettled(answers)
    expect(metricOf(text, 'workers{state="silent"}')).toBe(1)
    expect(requestsOf(text, 'listWorkspaces')).toBe(before)

    service.signal('SIGTERM')
    expect((await service.ended).code).toBe(1)
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false])
  })

  test('exit with their parent, however that ends', async () => {
    const DATABASE_URL = await emptyDatabase()
    const killed = await startWorkers(2, { DATABASE_URL })
    killed.signal('SIGKILL')
    const left = async () => (await Promise.all([...servingPids(killed)].map(isRunning))).some(Boolean)
    await until('no worker is left', async () => !(await left()))

    const hurried = await startWorkers(2, { DATABASE_URL, SHUTDOWN_DELAY: '60000' })
    const pids = [...servingPids(hurried)]
    hurried.signal('SIGTERM')
    await until('they stop', async () => (await statusOf(`${hurried.url}/readyz`)) === 503)
    hurried.signal('SIGTERM')
    expect((await hurried.ended).code).toBe(1)
    await until('no worker is left', async () => !(await Promise.all(pids.map(isRunning))).some(Boolean))
  })

  test('that cannot listen report that in one line, and leave no database running', async () => {
    const DATA_DIR = await newDataFolder()
    const first = await startService({ DATABASE_URL: await emptyDatabase() })
    const variables = { DATA_DIR, WORKERS: '3', PORT: new URL(first.url).port }
    const { code, stderr } = await launch(variables).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Cannot listen: .*EADDRINUSE.*\n$/)
    expect(await postmasterOf(DATA_DIR)).toBeUndefined()
  })

  test('post every event once', async () => {
    const received: string[] = []
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']))
      request.resume().on('end', () => response.end())
    }).listen(0, '127.0.0.1')
    cleanUps.push(() => new Promise((resolve) => receiver.close(resolve)))
    await new Promise((resolve) => receiver.once('listening', resolve))
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const service = await startWorkers(3, {
      DATABASE_URL: await emptyDatabase(),
      OUTBOUND_ALLOWED_HOSTS: host,
    })
    const workspaceId: string = (await call(service, '/v1/workspaces')).body.workspaces[0].id
    const endpoint = { url: `http://${host}/`, types: ['bot.created'] }
    const made = await call(service, `/v1/workspaces/${workspaceId}/webhookEndpoints`, endpoint)
    expect(made).toMatchObject({ status: 201 })
    const create = (_: unknown, number: number) =>
      call(service, '/v1/bots', { workspaceId, bot: { name: `bot ${number}` } })
    const statuses = (await Promise.all(Array.from({ length: 30 }, create))).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([201]))
    await until('all events came', () => new Set(received).size === 30)
    service.signal('SIGTERM')
    expect((await service.ended).code).toBe(0)
    expect(received).toHaveLength(30)
  })
})

test('workers wait for migrations with MIGRATE=false, and name what the database lacks', async () => {
  const DATABASE_URL = await emptyDatabase()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const variables = { DATABASE_URL, WORKERS: '2', PORT: String(port), MIGRATE: 'false' }
  const program = launch({ ...variables, DATABASE_SESSION_SETTINGS: 'false' })
  await until('it waits', () => program.output().includes('lacks migrations of this release'))
  expect(await statusOf(`${url}/livez`)).toBe(200)
  expect(await statusOf(`${url}/readyz`)).toBe(503)
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  cleanUps.push(() => client.end())
  const { rows } = await client.query("SELECT to_regclass('bots') AS bots")
  expect(rows).toEqual([{ bots: null }])

  const other = await run('server/admin.ts', ['user', 'list'], { DATABASE_URL, MIGRATE: 'false' })
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('admin migrate') })
  const { code, stdout } = await run('server/admin.ts', ['migrate'], { DATABASE_URL, MIGRATE: 'false' })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"migrated":true}\n' })
  await until('it is ready', async () => (await statusOf(`${url}/readyz`)) === 200)
  program.signal('SIGTERM')
  expect((await program.ended).code).toBe(0)
  const warnings = logOf(program.output()).filter(
    ({ level, msg }) => level === 40 && /ALTER ROLE \w+ SET \w+_timeout/.test(`${msg}`),
  )
  expect(warnings).toHaveLength(3)
})
