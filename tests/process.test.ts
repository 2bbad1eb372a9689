import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import {
  endProcesses,
  freePort,
  isAlive,
  launch,
  launchAtTerminal,
  logOf,
  newDataFolder,
  postmasterOf,
  type Service,
  startService,
  statusOf,
  tokenIn,
  until,
} from './support/process.ts'
import { DatabaseProxy } from './support/proxy.ts'
import { runs } from './support/runs.ts'
import { createDatabase } from './support/server.ts'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const
type Signal = (typeof signals)[number]
/** One listener serves all of them, so one test tries all, and the others one each in `make test`. */
const oneOfSignals = (one: Signal) => runs<readonly Signal[]>([one], signals)

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

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
  body: any
}

async function call(
  { url, token }: Pick<Service, 'url' | 'token'>,
  path: string,
  init: RequestInit = {},
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { headers, ...init })
  return { status: response.status, body: await response.json() }
}

async function firstWorkspace(service: Pick<Service, 'url' | 'token'>): Promise<string> {
  const { body } = await call(service, '/v1/workspaces')
  return body.workspaces[0].id
}

describe('the first start', () => {
  test('on an empty data folder creates a user once, and prints the token once, apart from the log', async () => {
    const DATA_DIR = await newDataFolder()
    const first = await startService({ DATA_DIR })
    expect((await call(first, '/v1/workspaces')).body.workspaces).toHaveLength(1)
    first.signal('SIGTERM')
    const { code, stdout, stderr } = await first.ended
    expect(code).toBe(0)
    expect(stdout).not.toContain('botb_pat_')
    expect(tokenIn(stderr)).toBe(first.token)
    expect(await postmasterOf(DATA_DIR)).toBeUndefined()

    const second = await startService({ DATA_DIR })
    expect(second.errors()).toBe('')
    const known = { url: second.url, token: first.token }
    expect((await call(known, '/v1/workspaces')).body.workspaces).toHaveLength(1)
  })

  const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
  const hasCurl = spawnSync('curl', ['--version']).status === 0
  const terminalTest = hasTerminal && hasCurl ? test : test.skip
  terminalTest(
    'at a terminal shows a token, and a curl line that works when pasted (needs curl)',
    async () => {
      const { output } = launchAtTerminal({ DATABASE_URL: await emptyDatabase() })
      await until('it serves', () => /Stop: Ctrl-C\r?\n─+\r?\n/.test(output()))
      const token = tokenIn(output())
      expect(token).toBeDefined()
      expect(output()).toMatch(/: http:\/\/localhost:\d+\/docs\r?$/m)
      expect(output()).not.toContain('{"level"')
      expect(output()).toMatch(/^\d\d:\d\d:\d\d INFO {2}serving port=\d+ publicUrl=http/m)
      expect(output()).toMatch(/^Data: /m)
      expect(output()).toMatch(/^A sample bot, published: http.*\/chat\/welcome\r?$/m)
      const line = /^ {2}(curl .+?)\r?$/m.exec(output())?.[1] ?? ''
      const { stdout } = await promisify(execFile)('sh', ['-c', line])
      expect(JSON.parse(stdout).workspaces).toHaveLength(1)
    },
  )

  test('by three services at once on one empty database creates one user', async () => {
    const DATABASE_URL = await emptyDatabase()
    const services = await Promise.all([1, 2, 3].map(() => startService({ DATABASE_URL })))
    const tokens = services.flatMap(({ token }) => token ?? [])
    expect(tokens).toHaveLength(1)
    for (const { url } of services) {
      expect((await call({ url, token: tokens[0] }, '/v1/workspaces')).body.workspaces).toHaveLength(1)
    }
  })
})

describe('configuration', () => {
  test('with errors is rejected with all of them, before anything starts', async () => {
    const DATA_DIR = await newDataFolder()
    const wrong = {
      PORT: 'http',
      DATABASE_POOL_SIZE: '0',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://host/db',
    }
    const { code, stdout, stderr } = await launch({ DATA_DIR, ...wrong }).ended
    expect(code).toBe(1)
    expect(stdout).toBe('')
    const lines = stderr.trimEnd().split('\n')
    expect(lines.map((line) => line.replace(/: Expected .+/, ''))).toEqual(
      ['PORT', 'DATABASE_URL', 'DATABASE_POOL_SIZE', 'LOG_LEVEL'].map((name) => `Configuration: ${name}`),
    )
  })

  test('with a port in use ends with one line that says so', async () => {
    const DATABASE_URL = await emptyDatabase()
    const first = await startService({ DATABASE_URL })
    const { code, stderr } = await launch({ DATABASE_URL, PORT: new URL(first.url).port }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Cannot listen: .*EADDRINUSE.*\n$/)
  })

  test.each([
    ['is a file', (folder: string) => join(folder, 'file'), 'is a file: set FILES_DIR to a folder'],
    ['cannot be made', () => '/proc/nowhere', 'no such folder can be made: set FILES_DIR to another one'],
  ])('with a FILES_DIR that %s ends with one line that says so', async (_, place, advice) => {
    const folder = await newDataFolder()
    await writeFile(join(folder, 'file'), 'text')
    const FILES_DIR = place(folder)
    for (const WORKERS of ['1', '2']) {
      const { code, stdout, stderr } = await launch({
        DATABASE_URL: await emptyDatabase(),
        FILES_DIR,
        WORKERS,
      }).ended
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^Files of visitors cannot be kept in [^\n]+\n$/)
      expect(stderr).toContain(advice)
      expect(stderr).toContain('or S3_ENDPOINT to an object store')
    }
  })

  test('with a port in use leaves no database running', async () => {
    const DATA_DIR = await newDataFolder()
    const first = await startService({ DATABASE_URL: await emptyDatabase() })
    const { code, stderr } = await launch({ DATA_DIR, PORT: new URL(first.url).port }).ended
    expect(code).toBe(1)
    expect(stderr).toContain('set PORT')
    expect(await postmasterOf(DATA_DIR)).toBeUndefined()
  })
})

async function newGate(): Promise<{ gate: DatabaseProxy; DATABASE_URL: string }> {
  const gate = new DatabaseProxy(new URL(await emptyDatabase()), await freePort())
  cleanUps.push(() => gate.shut())
  return { gate, DATABASE_URL: gate.url }
}

describe('while the database is unavailable', () => {
  test('the service lives, is not ready, responds with 503, and serves as soon as it is back', async () => {
    const { gate, DATABASE_URL } = await newGate()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const program = launch({ DATABASE_URL, PORT: String(port) })
    await until('it lives', async () => (await statusOf(`${url}/livez`)) === 200)
    expect(await statusOf(`${url}/readyz`)).toBe(503)
    const rejected = await call({ url, token: undefined }, '/v1/workspaces')
    expect(rejected).toEqual({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable', issues: [] },
    })

    await gate.open()
    await until('it is ready', async () => (await statusOf(`${url}/readyz`)) === 200)
    const caller = { url, token: tokenIn(program.errors()) }
    expect((await call(caller, '/v1/workspaces')).status).toBe(200)

    await gate.shut()
    expect(await statusOf(`${url}/readyz`)).toBe(503)
    expect(await statusOf(`${url}/livez`)).toBe(200)
    expect((await call(caller, '/v1/workspaces')).status).toBe(503)

    await gate.open()
    await until('it is ready again', async () => (await statusOf(`${url}/readyz`)) === 200)
    expect((await call(caller, '/v1/workspaces')).status).toBe(200)
    program.signal('SIGTERM')
    expect((await program.ended).code).toBe(0)
  })

  test('and frozen, requests get a 503 without a long wait', async () => {
    const { gate, DATABASE_URL } = await newGate()
    await gate.open()
    const service = await startService({
      DATABASE_URL,
      DATABASE_STATEMENT_TIMEOUT: '300',
      DATABASE_CONNECT_TIMEOUT: '300',
    })
    // A busy machine may need more than one attempt to connect in that time.
    await until('it answers', async () => (await call(service, '/v1/workspaces')).status === 200)
    gate.freeze()
    expect((await call(service, '/v1/workspaces')).status).toBe(503)
    await gate.shut()
    await gate.open()
    await until('it is ready again', async () => (await statusOf(`${service.url}/readyz`)) === 200)
    expect((await call(service, '/v1/workspaces')).status).toBe(200)
  })

  /** Everything of the server in a data folder, stopped as it stands: connections are taken and nothing answers. */
  async function freezeServer(folder: string) {
    const postmaster = (await postmasterOf(folder)) ?? 0
    const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(postmaster)])
    const pids = [postmaster, ...stdout.trim().split(/\s+/).map(Number)]
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    // Backends may have ended meanwhile.
    return () => spawnSync('kill', ['-CONT', ...pids.map(String)])
  }

  const linuxTest = process.platform === 'linux' ? test : test.skip
  linuxTest(
    'and its server stopped after a burst and a rest, everything is told so (needs Linux)',
    async () => {
      const DATA_DIR = await newDataFolder()
      const service = await startService({
        DATA_DIR,
        DATABASE_STATEMENT_TIMEOUT: '1000',
        SHUTDOWN_TIMEOUT: '3000',
      })
      const ask = () => call(service, '/v1/workspaces').then(({ status }) => status)
      expect(new Set(await Promise.all(Array.from({ length: 40 }, ask)))).toEqual(new Set([200]))
      // Longer than a connection may be silent while it is asked: idle ones are none of these.
      await sleep(4_000)
      const thaw = await freezeServer(DATA_DIR)
      cleanUps.push(async () => thaw())
      const answers = await Promise.all([
        ...Array.from({ length: 20 }, ask),
        statusOf(`${service.url}/readyz`),
      ])
      expect(new Set(answers)).toEqual(new Set([503]))
      // A connection that did not respond is not used again.
      expect(new Set(await Promise.all(Array.from({ length: 20 }, ask)))).toEqual(new Set([503]))
      expect(await statusOf(`${service.url}/livez`)).toBe(200)
      thaw()
      await until('it is ready again', async () => (await statusOf(`${service.url}/readyz`)) === 200)
      expect(await ask()).toBe(200)

      const refreeze = await freezeServer(DATA_DIR)
      cleanUps.push(async () => refreeze())
      void ask().catch(() => {})
      service.signal('SIGTERM')
      // The database is not there to be told, so this is no good order, and no waiting either.
      expect((await service.ended).code).toBe(1)
      refreeze()
    },
  )

  test('and silent behind its connections, one request notices for all', async () => {
    const { gate, DATABASE_URL } = await newGate()
    await gate.open()
    const service = await startService({ DATABASE_URL, DATABASE_STATEMENT_TIMEOUT: '1000' })
    const ask = () => call(service, '/v1/workspaces').then(({ status }) => status)
    expect(new Set(await Promise.all(Array.from({ length: 40 }, ask)))).toEqual(new Set([200]))
    gate.freeze()
    await sleep(3_000)
    // Unless who looks for due deliveries has found out before.
    expect([200, 503]).toContain(await ask())
    // New connections come through, and of the old ones none is left.
    for (let again = 0; again < 12; again++) expect(await ask()).toBe(200)
  })

  test.each(signals)('%s ends the service in good order', async (signal) => {
    const port = await freePort()
    const DATABASE_URL = `postgres://nobody:secret@127.0.0.1:${await freePort()}/nothing`
    const program = launch({ DATABASE_URL, PORT: String(port) })
    await until('it lives', async () => (await statusOf(`http://127.0.0.1:${port}/livez`)) === 200)
    program.signal(signal)
    const { code, stdout, stderr } = await program.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain('secret')
  })
})

describe('the embedded database server', () => {
  test.each(oneOfSignals('SIGTERM'))(
    'is stopped after %s, with workers too and whatever time is left',
    async (signal) => {
      const DATA_DIR = await newDataFolder()
      const all: Record<string, string>[] = [{ SHUTDOWN_TIMEOUT: '0' }, { WORKERS: '2' }, {}]
      for (const variables of all) {
        const service = await startService({ DATA_DIR, ...variables })
        service.signal(signal)
        await service.ended
        expect({ variables, pid: await postmasterOf(DATA_DIR) }).toEqual({ variables, pid: undefined })
      }
    },
  )

  test.each(oneOfSignals('SIGQUIT'))(
    'is stopped after a second %s, which ends the service at once',
    async (signal) => {
      const DATA_DIR = await newDataFolder()
      const service = await startService({ DATA_DIR, SHUTDOWN_DELAY: '60000' })
      service.signal('SIGTERM')
      await until('it stops', () => logOf(service.output()).some(({ msg }) => msg === 'stopping'))
      service.signal(signal)
      expect((await service.ended).code).toBe(1)
      await until('the server is gone', async () => (await postmasterOf(DATA_DIR)) === undefined)
    },
  )

  /** Requests of strangers that stay half sent: a part of a head, heads without the body, and a part of a body. */
  async function sendHalves({ url, token }: Service): Promise<Socket[]> {
    const { port } = new URL(url)
    const head =
      'POST /v1/folders HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 200\r\n'
    const file =
      'POST /api/v1/sessions/none/uploads?fileName=a.txt HTTP/1.1\r\nHost: here\r\nContent-Length: 200\r\n\r\nab'
    const halves = [
      'G',
      'GET /v1/workspaces HTTP/1.1\r\nHo',
      `${head}Authorization: Bearer wrong\r\n\r\n{"a`,
      file,
    ]
    if (token)
      halves.push(
        `${head}Authorization: Bearer ${token}\r\n\r\n`,
        `${head}Authorization: Bearer ${token}\r\n\r\n{"w`,
      )
    return Promise.all(
      halves.map(async (text) => {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
        await once(socket, 'connect')
        socket.write(text)
        return socket
      }),
    )
  }

  test.each(oneOfSignals('SIGHUP'))(
    'is stopped within three seconds of the last request after %s, beside half-sent requests of others',
    async (signal) => {
      const DATA_DIR = await newDataFolder()
      const took: number[] = []
      let token: string | undefined
      for (const hasStrangers of [false, true]) {
        const service = await startService({ DATA_DIR })
        token ??= service.token
        const sockets = hasStrangers ? await sendHalves({ ...service, token }) : []
        expect(await statusOf(`${service.url}/readyz`)).toBe(200)
        const begun = performance.now()
        service.signal(signal)
        const { code } = await service.ended
        took.push(performance.now() - begun)
        expect({ code, pid: await postmasterOf(DATA_DIR) }).toEqual({ code: 0, pid: undefined })
        for (const socket of sockets) socket.destroy()
      }
      // Beyond what the same end takes without strangers on this machine.
      const [alone = 0, withStrangers = 0] = took
      expect(withStrangers - alone).toBeLessThan(3_000)
    },
  )

  test('is not left running by a signal that comes while it starts', async () => {
    for (const pause of runs([300, 1_500], [300, 900, 1_500, 2_500])) {
      const DATA_DIR = await newDataFolder()
      const program = launch({ DATA_DIR })
      await sleep(pause)
      program.signal('SIGTERM')
      await program.ended
      expect({ pause, pid: await postmasterOf(DATA_DIR) }).toEqual({ pause, pid: undefined })
    }
  })
})

describe('stopping', () => {
  /** A service with an update under way that waits for a row until `release`. */
  async function withSlowRequest(variables: Record<string, string> = {}) {
    const DATABASE_URL = await emptyDatabase()
    const service = await startService({ DATABASE_URL, DATABASE_LOCK_TIMEOUT: '20000', ...variables })
    const workspaceId = await firstWorkspace(service)
    const created = await call(service, '/v1/bots', {
      method: 'POST',
      body: JSON.stringify({ workspaceId, bot: { name: 'before' } }),
    })
    const client = new pg.Client({ connectionString: DATABASE_URL })
    await client.connect()
    cleanUps.push(() => client.end())
    await client.query('BEGIN')
    await client.query('SELECT id FROM bots FOR UPDATE')
    const answer = call(service, `/v1/bots/${created.body.bot.id}`, {
      method: 'PATCH',
      body: JSON.stringify({ bot: { version: '6.1', name: 'after' } }),
    }).catch(() => undefined)
    await until('the update waits', async () => {
      const { rows } = await client.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      return rows.length > 0
    })
    const release = () => client.query('ROLLBACK')
    const nameOf = async () => {
      const { rows } = await client.query('SELECT name FROM bots WHERE id = $1', [created.body.bot.id])
      return rows[0].name
    }
    return { service, answer, release, nameOf }
  }

  test('fails readiness first, then refuses connections, and lets a request under way finish', async () => {
    const { service, answer, release, nameOf } = await withSlowRequest({ SHUTDOWN_DELAY: '1500' })
    expect(await statusOf(`${service.url}/readyz`)).toBe(200)
    service.signal('SIGTERM')
    const seen: (number | undefined)[] = []
    await until('nobody listens', async () => {
      seen.push(await statusOf(`${service.url}/readyz`))
      return seen.at(-1) === undefined
    })
    expect(seen).toContain(503)
    // Not ready, and after that not there; it never came back.
    expect([...new Set(seen.slice(seen.indexOf(503)))]).toEqual([503, undefined])
    await release()
    expect(await answer).toMatchObject({ status: 200, body: { bot: { name: 'after' } } })
    expect(await service.ended).toMatchObject({ code: 0 })
    expect(await nameOf()).toBe('after')
  })

  test('handles requests until it listens no more', async () => {
    const service = await startService({
      DATABASE_URL: await emptyDatabase(),
      SHUTDOWN_DELAY: '1500',
    })
    service.signal('SIGTERM')
    await until('it is not ready', async () => (await statusOf(`${service.url}/readyz`)) === 503)
    expect((await call(service, '/v1/workspaces')).status).toBe(200)
    expect((await service.ended).code).toBe(0)
  })

  // Two processes share their output, and the first to end leaves the other with writes that do not return.
  test.each([
    ['1', { code: 0, signal: null }],
    ['2', { code: null, signal: 'SIGKILL' }],
  ])('ends %s processes whose log has no reader', async (WORKERS, end) => {
    const service = await startService({ DATABASE_URL: await emptyDatabase(), WORKERS })
    service.stopReading()
    for (let round = 0; round < 40; round++) {
      await Promise.all(Array.from({ length: 40 }, () => statusOf(`${service.url}/${'long'.repeat(100)}`)))
    }
    const written = service.output().length
    service.signal('SIGTERM')
    await until('the process is gone', () => !isAlive(service.pid))
    service.readOn()
    expect(await service.ended).toMatchObject(end)
    // It logged more than was taken from it before it ended.
    expect(service.output().length).toBeGreaterThan(written)
    expect(service.output()).not.toContain('"msg":"stopped"')
  })

  test.each(oneOfSignals('SIGINT'))(
    'ends at once by a second %s, and leaves nothing half done',
    async (signal) => {
      const { service, answer, release, nameOf } = await withSlowRequest()
      service.signal(signal)
      await until('it stops', () => logOf(service.output()).some(({ msg }) => msg === 'stopping'))
      service.signal(signal)
      expect((await service.ended).code).not.toBe(0)
      expect(await answer).toBeUndefined()
      expect(await nameOf()).toBe('before')
      await release()
    },
  )

  test('aborts requests that take longer than allowed, and says so with its exit code', async () => {
    const { service, answer, release } = await withSlowRequest({
      SHUTDOWN_TIMEOUT: '200',
      DATABASE_LOCK_TIMEOUT: '2000',
    })
    service.signal('SIGTERM')
    expect(await answer).toBeUndefined()
    expect((await service.ended).code).toBe(1)
    await release()
  })
})

test('two services over one data folder share its database, whichever ends first', async () => {
  const DATA_DIR = await newDataFolder()
  const [one, two] = await Promise.all([startService({ DATA_DIR }), startService({ DATA_DIR })])
  const [token] = [one, two].flatMap((service) => service.token ?? [])
  expect([one.token, two.token].filter(Boolean)).toHaveLength(1)
  const [first, second] = [
    { ...one, token },
    { ...two, token },
  ]
  const workspaceId = await firstWorkspace(first)
  const create = (service: Service, name: string) =>
    call(service, '/v1/bots', { method: 'POST', body: JSON.stringify({ workspaceId, bot: { name } }) })
  const { body } = await create(first, 'made by the first')
  const seen = await call(second, `/v1/bots/${body.bot.id}`)
  expect(seen.body.bot.name).toBe('made by the first')

  first.signal('SIGTERM')
  expect((await first.ended).code).toBe(0)
  expect((await create(second, 'made by the second')).status).toBe(201)
  const third = { ...(await startService({ DATA_DIR })), token }
  second.signal('SIGKILL')
  await second.ended
  const { body: list } = await call(third, `/v1/bots?workspaceId=${workspaceId}`)
  expect(list.bots.map(({ name }: { name: string }) => name)).toEqual([
    'made by the second',
    'made by the first',
    // The sample of the first start.
    'Welcome',
  ])
  third.signal('SIGTERM')
  expect((await third.ended).code).toBe(0)
  expect(await postmasterOf(DATA_DIR)).toBeUndefined()
})
