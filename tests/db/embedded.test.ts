import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { type EmbeddedOptions, startEmbeddedPostgres } from '../../server/db/embedded/index.ts'
import { findPrograms, makeLinks, run, runnablePrograms } from '../../server/db/embedded/programs.ts'

const asRoot = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }
const folders: string[] = []
const holders: { stop(): Promise<void> }[] = []
const children: ChildProcess[] = []

/** A data folder of its own for each test; as root in a folder that no other account may pass, which must do. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-test-'))
  folders.push(folder)
  return folder
}

let template: Promise<string> | undefined

/** A data folder in which a server was before: a copy, since to set one up takes a second and more. */
async function usedFolder(): Promise<string> {
  template ??= newFolder().then(async (folder) => {
    const server = await startEmbeddedPostgres({ dataDirectory: folder })
    await server.stop()
    return folder
  })
  const folder = await newFolder()
  // Files stay those of the account that the server runs as.
  await run('cp', ['-a', join(await template, 'postgres'), folder])
  return folder
}

async function start(dataDirectory: string, options: Omit<EmbeddedOptions, 'dataDirectory'> = {}) {
  const server = await startEmbeddedPostgres({ dataDirectory, ...options })
  holders.push(server)
  return server
}

async function query(server: { url: string }, text: string) {
  const client = new pg.Client({ connectionString: server.url })
  // A killed server ends connections that just close.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Returns the process id and the start time of the server. */
const identity = async (server: { url: string }) => {
  const [row] = await query(
    server,
    `select pg_postmaster_start_time()::text || current_setting('port') as one`,
  )
  return row.one as string
}

async function postmaster(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '')
  return Number(text.split('\n')[0]) || undefined
}

/** Returns true if a process is running; one that ended and waits for its parent is not. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return !/\) Z /.test(status)
}

/** Waits for something that must come; the time limit is the test's. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20)
}

/** Another process on the data folder: it starts or joins, prints its URL, and stops on demand or with this process. */
async function startElsewhere(folder: string, account: { uid?: number; gid?: number } = {}) {
  const program = `
    import { startEmbeddedPostgres } from ${JSON.stringify(pathToFileURL('server/db/embedded/index.ts').href)}
    const server = await startEmbeddedPostgres({ dataDirectory: ${JSON.stringify(folder)} })
    console.log(server.url)
    process.stdin.once('data', async () => { await server.stop(); process.exit() }).once('end', () => process.exit())
  `
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, {
    ...account,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  })
  children.push(child)
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  for await (const url of createInterface({ input: child.stdout })) {
    const kill = async () => {
      child.kill('SIGKILL')
      await ended
    }
    const stop = async () => {
      child.stdin.write('stop\n')
      await ended
    }
    return { url, kill, stop }
  }
  await ended
  throw new Error(errors)
}

afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.stop()
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

// A failed test may leave a server: end it at once (SIGQUIT), and it takes its children along.
afterAll(async () => {
  for (const folder of folders) {
    const pid = await postmaster(folder)
    if (pid && (await isAlive(pid))) {
      process.kill(pid, 'SIGQUIT')
      await until(async () => !(await isAlive(pid)))
    }
    await rm(folder, { recursive: true, force: true })
  }
})

describe('starting and stopping', () => {
  test('a first start makes a secure server, stopping leaves nothing, a second start finds the data', async () => {
    const folder = await newFolder()
    await mkdir(join(folder, 'postgres.init-interrupted/data'), { recursive: true })
    const messages: string[] = []
    const server = await start(folder, {
      settings: { work_mem: '7MB' },
      log: (message) => messages.push(message),
    })
    const names = ['fsync', 'full_page_writes', 'synchronous_commit', 'max_connections', 'work_mem']
    const [settings] = await query(
      server,
      `select ${[
        ...names,
        'listen_addresses',
        'unix_socket_directories',
        'server_encoding',
        'password_encryption',
      ]
        .map((name) => `current_setting('${name}') as ${name}`)
        .join()}, lower('ÄÉ') as lowered, datlocale from pg_database where datname = current_database()`,
    )
    expect(settings).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      max_connections: '200',
      work_mem: '7MB',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      server_encoding: 'UTF8',
      password_encryption: 'scram-sha-256',
      lowered: 'äé',
      datlocale: 'C.UTF-8',
    })
    const rules = await query(server, `select distinct auth_method from pg_hba_file_rules`)
    expect(rules).toEqual([{ auth_method: 'scram-sha-256' }])

    const password = new URL(server.url).password
    const file = join(folder, 'postgres/password')
    expect(await readFile(file, 'utf8')).toBe(password)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(file)).uid).toBe(process.getuid?.())
    expect(messages.join() + (await readFile(join(folder, 'postgres/server.log'), 'utf8'))).not.toContain(
      password,
    )
    const wrong = server.url.replace(password, 'wrong')
    await expect(query({ url: wrong }, 'select 1')).rejects.toMatchObject({ code: '28P01' })

    await query(server, 'create table kept as select 42 as answer')
    const pid = (await postmaster(folder)) as number
    await server.stop()
    await until(async () => !(await isAlive(pid)))
    expect(await postmaster(folder)).toBeUndefined()
    expect(await readdir(folder)).toEqual(['postgres'])

    const again = await start(folder)
    expect(again.url).toBe(server.url)
    expect(await query(again, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('the last user to close stops the server, whoever started it', async () => {
    const folder = await usedFolder()
    const first = await start(folder)
    const pid = (await postmaster(folder)) as number
    const second = await startElsewhere(folder)
    expect(await identity(second)).toBe(await identity(first))
    await first.stop()
    await first.stop()
    const third = await start(folder)
    expect(await postmaster(folder)).toBe(pid)
    await third.stop()
    expect(await isAlive(pid)).toBe(true)
    await second.stop()
    await until(async () => !(await isAlive(pid)))
  })

  test('five processes that start at once on a new folder share one server', async () => {
    const folder = await newFolder()
    const servers = await Promise.all(Array.from({ length: 5 }, () => startElsewhere(folder)))
    const identities = await Promise.all(servers.map(identity))
    expect(new Set(identities).size).toBe(1)
    expect(new Set(servers.map((server) => server.url)).size).toBe(1)
    expect(await readdir(folder)).toEqual(['postgres'])
    const pid = (await postmaster(folder)) as number
    await Promise.all(servers.map((server) => server.stop()))
    await until(async () => !(await isAlive(pid)))
  })

  test('a start beside a stop gets a server that stays', async () => {
    const folder = await usedFolder()
    const visitor = async (seconds: number) => {
      for (let round = 0; round < 8; round++) {
        const server = await start(folder)
        expect(await query(server, `select 1 as one from pg_sleep(${seconds})`)).toEqual([{ one: 1 }])
        await server.stop()
      }
    }
    await Promise.all([visitor(0.01), visitor(0.05), visitor(0.13)])
    expect(await postmaster(folder)).toBeUndefined()
  })
})

describe('after a kill -9', () => {
  test('after a kill -9 of the process that started it, the server runs on and is joined', async () => {
    const folder = await usedFolder()
    const killed = await startElsewhere(folder)
    const before = await identity(killed)
    await killed.kill()
    const server = await start(folder)
    expect(await identity(server)).toBe(before)
    const pid = (await postmaster(folder)) as number
    await server.stop()
    await until(async () => !(await isAlive(pid)))
  })

  test('after a kill -9 of the server, its users restart it under the same URL with all committed data', async () => {
    const folder = await usedFolder()
    const server = await start(folder)
    const other = await startElsewhere(folder)
    await query(server, 'create table kept as select generate_series(1, 1000) as id')
    const pid = (await postmaster(folder)) as number
    const kept = [{ count: 1000 }]
    const rowsOf = (user: { url: string }) =>
      query(user, 'select count(*)::int from kept').catch(() => undefined)
    process.kill(pid, 'SIGKILL')
    await until(async () => (await rowsOf(server)) !== undefined)
    expect(await rowsOf(server)).toEqual(kept)
    await server.stop()
    // The other one may still have been on its way back, and then starts the server itself.
    await until(async () => (await rowsOf(other)) !== undefined)
    expect(await rowsOf(other)).toEqual(kept)
    await other.stop()
    expect(await postmaster(folder)).toBeUndefined()
  })

  test('after a kill -9 of both, with a stranger under the old process id, a new start repairs the folder', async () => {
    const folder = await usedFolder()
    const killed = await startElsewhere(folder)
    await query(killed, 'create table kept as select 42 as answer')
    const pid = (await postmaster(folder)) as number
    await killed.kill()
    process.kill(pid, 'SIGKILL')
    await until(async () => !(await isAlive(pid)))
    const data = join(folder, 'postgres/data')
    const { uid, gid } = await stat(data)
    const stranger = spawn('sleep', ['600'], { uid, gid })
    children.push(stranger)
    const file = join(data, 'postmaster.pid')
    await writeFile(file, (await readFile(file, 'utf8')).replace(String(pid), String(stranger.pid)))
    const server = await start(folder)
    expect(await query(server, 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(await isAlive(stranger.pid as number)).toBe(true)
  })
})

describe('a server that cannot start again', () => {
  /** A server that was killed, and of which a file is away until `repair`. */
  async function broken(options: Pick<EmbeddedOptions, 'startTimeoutMs' | 'pause'>) {
    const folder = await usedFolder()
    const messages: string[] = []
    const server = await start(folder, { ...options, log: (message) => messages.push(message) })
    const file = join(folder, 'postgres/data/postgresql.conf')
    await rename(file, `${file}.away`)
    process.kill((await postmaster(folder)) as number, 'SIGKILL')
    const attempts = async () =>
      (await readFile(join(folder, 'postgres/server.log'), 'utf8')).split('postgresql.conf').length - 1
    const told = (text: string) => messages.filter((message) => message.startsWith(text)).length
    return { folder, server, messages, told, attempts, repair: () => rename(`${file}.away`, file) }
  }

  test('is started again by its user until it runs, stays held, and its error is logged once', async () => {
    const { folder, server, messages, told, attempts, repair } = await broken({
      startTimeoutMs: 2_000,
      pause: 50,
    })
    await until(async () => told('PostgreSQL does not start') > 0)
    const before = await attempts()
    await until(async () => (await attempts()) >= before + 3)
    await repair()
    const leases = () => query(server, `select from pg_locks where locktype = 'advisory'`).catch(() => [])
    await until(async () => (await leases()).length > 0)
    const complaints = messages.filter((message) => /^(Waiting|PostgreSQL)/.test(message))
    expect(complaints).toEqual([...new Set(complaints)])
    expect(told('Started PostgreSQL')).toBe(2)
    const back = await identity(server)
    await start(folder).then((other) => other.stop())
    expect(await identity(server)).toBe(back)
    await server.stop()
    expect(await postmaster(folder)).toBeUndefined()
  })

  test('its user can stop while it waits for the next attempt', async () => {
    const { server, told, repair } = await broken({ pause: 1_000_000_000 })
    await until(async () => told('Waiting for PostgreSQL') > 0)
    await server.stop()
    await repair()
    expect(told('PostgreSQL does not start')).toBe(0)
    expect(told('Started PostgreSQL')).toBe(1)
  })
})

test('a server whose folder was moved is stopped all the same, and a start in the new folder names the old process', async () => {
  const folder = await usedFolder()
  const server = await start(folder)
  const pid = (await postmaster(folder)) as number
  const moved = `${folder}-moved`
  folders.push(moved)
  await rename(folder, moved)
  await expect(start(moved, { startTimeoutMs: 500 })).rejects.toThrow(
    new RegExp(`shared memory block .* by the process ${pid} .*kill -INT ${pid}`),
  )
  await server.stop()
  await until(async () => !(await isAlive(pid)))
  await start(moved).then((again) => again.stop())
})

test('users who close at the same time leave no server', async () => {
  const folder = await usedFolder()
  for (let round = 0; round < 5; round++) {
    const users = await Promise.all(Array.from({ length: 4 }, () => start(folder)))
    const pid = (await postmaster(folder)) as number
    await Promise.all(users.map((user) => user.stop()))
    await until(async () => !(await isAlive(pid)))
  }
})

describe('rejections', () => {
  test.each([
    ['a file', (folder: string) => join(folder, 'file'), /is a file: set DATA_DIR to a folder/],
    ['in a file', (folder: string) => join(folder, 'file/x/y'), /is a file: set DATA_DIR to a folder/],
    ['where no folder can be', () => '/proc/nowhere/x', /no such folder can be made: set DATA_DIR/],
    ['a name that is too long', (folder: string) => join(folder, 'x'.repeat(300)), /set DATA_DIR/],
  ])('a data folder that is %s is rejected at once, with the way out', async (_, place, message) => {
    const folder = await newFolder()
    await writeFile(join(folder, 'file'), 'text')
    const began = performance.now()
    await expect(start(place(folder))).rejects.toThrow(message)
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  test('a database that this account may not write to is rejected at once, with the way out', async () => {
    const folder = await usedFolder()
    const home = join(folder, 'postgres')
    if (asRoot) await run('chown', ['-R', `${nobody.uid}:${nobody.gid}`, folder])
    await rm(join(home, 'server.log'))
    await chmod(home, 0o500)
    try {
      await expect(startElsewhere(folder, asRoot ? nobody : {})).rejects.toThrow(
        /PostgreSQL does not start in .*server\.log.*: this account may not write there: set DATA_DIR to/,
      )
    } finally {
      await chmod(home, 0o700)
    }
  })

  test('data of another major version of PostgreSQL are rejected', async () => {
    const folder = await usedFolder()
    await writeFile(join(folder, 'postgres/data/PG_VERSION'), '17\n')
    await expect(start(folder)).rejects.toThrow(
      /^The data in .* was written by PostgreSQL 17 and this release brings PostgreSQL 18: .* DATABASE_URL .*$/,
    )
    expect(await postmaster(folder)).toBeUndefined()
  })

  test('a machine without a PostgreSQL build is rejected', async () => {
    const arch = process.arch
    Object.defineProperty(process, 'arch', { value: 'abacus' })
    try {
      await expect(start(await newFolder())).rejects.toThrow(
        /^No PostgreSQL for \w+-abacus .* DATABASE_URL .*$/,
      )
    } finally {
      Object.defineProperty(process, 'arch', { value: arch })
    }
  })
})

describe('the programs of PostgreSQL', () => {
  /**
   * A copy of the installed programs without the links that a postinstall script makes, as `--ignore-scripts` leaves
   * it.
   */
  async function unlinkedCopy(folder: string) {
    const { native, version } = await findPrograms()
    const copy = join(folder, 'native')
    await cp(native, copy, { recursive: true, verbatimSymlinks: true })
    const links = JSON.parse(await readFile(join(copy, 'pg-symlinks.json'), 'utf8')) as { target: string }[]
    for (const { target } of links) await rm(join(folder, target))
    return { copy, version, links }
  }
  const runs = (native: string) => run(join(native, 'bin/postgres'), ['--version'])

  test('have the library links that npm left out', async () => {
    const { copy, links } = await unlinkedCopy(await newFolder())
    expect(links.length).toBeGreaterThan(0)
    await expect(runs(copy)).rejects.toMatchObject({ code: 127 })
    await makeLinks(copy)
    await makeLinks(copy)
    expect((await runs(copy)).stdout).toContain('(PostgreSQL) 18')
  })

  const rootTest = asRoot ? test : test.skip
  rootTest('are copied to where the other account reaches them (needs root)', async () => {
    const { copy, version } = await unlinkedCopy(await newFolder())
    const spare = await newFolder()
    await chmod(spare, 0o755)
    const found = await runnablePrograms(copy, version, nobody, spare)
    expect(found).toBe(join(spare, `postgresql-${version}`))
    expect((await run(join(found, 'bin/postgres'), ['--version'], nobody)).stdout).toContain(
      '(PostgreSQL) 18',
    )
    expect(await runnablePrograms(copy, version, nobody, spare)).toBe(found)
    expect(await readdir(spare)).toHaveLength(1)
  })

  rootTest(
    'run for an ordinary user, who is told when the data folder is out of reach (needs root)',
    async () => {
      const folder = await newFolder()
      await chown(folder, nobody.uid, nobody.gid)
      const server = await startElsewhere(folder, nobody)
      expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
      expect((await stat(join(folder, 'postgres'))).mode & 0o777).toBe(0o700)
      expect((await stat(join(folder, 'postgres/data'))).uid).toBe(nobody.uid)
      // Root joins a server of another account, and leaves its files to that account when it starts it itself.
      const joined = await start(folder)
      expect(await identity(joined)).toBe(await identity(server))
      await server.stop()
      await joined.stop()
      expect(await postmaster(folder)).toBeUndefined()
      await start(folder).then((started) => started.stop())
      await startElsewhere(folder, nobody).then((started) => started.stop())

      const closed = join(await newFolder(), 'data')
      await expect(startElsewhere(closed, nobody)).rejects.toThrow(
        /The data folder .* cannot be used by this account .*: set DATA_DIR .* or DATABASE_URL/,
      )
    },
  )
})
