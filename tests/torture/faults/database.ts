import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { finish, refusalsOf, startWriters, untilAllWrite, type Writer } from '../../support/ledger.ts'
import { freePort, launch, logOf, until } from '../../support/process.ts'
import { DatabaseProxy } from '../../support/proxy.ts'
import { createDatabase } from '../../support/server.ts'
import { type Answer, send } from '../client.ts'
import { stamped } from '../documents.ts'
import { type Installation, install, type OwnServer, ownServer } from '../installation.ts'
import { promise } from '../run.ts'
import {
  ask,
  type Fault,
  installed,
  newBot,
  onlyStatuses,
  rows,
  type Setting,
  slowest,
  some,
  tally,
  times,
  within,
} from './fault.ts'

/* The database stops, dies, freezes, is full, or has no time. */

/** An installation on a server of its own, for as long as `work` lasts. */
async function onOwnServer<T>(
  processes: number,
  variables: Record<string, string>,
  work: (installation: Installation, server: OwnServer) => Promise<T>,
): Promise<T> {
  const server = await ownServer()
  try {
    const installation = await install({ databaseUrl: server.url, processes, variables })
    try {
      return await work(installation, server)
    } finally {
      await installation.stop()
    }
  } finally {
    await server.stop()
  }
}

const acknowledgements = (writers: Writer[]) =>
  writers.reduce((sum, writer) => sum + writer.acknowledgements, 0)

/** Breaks the server again and again while writers write; afterwards nothing that was acknowledged is missing. */
async function underWriters(
  setting: Setting,
  faults: Record<string, (to: Installation, server: OwnServer) => Promise<unknown>>,
): Promise<string> {
  return onOwnServer(2, {}, async (to, server) => {
    const writers = (
      await Promise.all(
        to.members.map(({ url }, place) => startWriters({ url, token: to.token }, 4, `member-${place}`)),
      )
    ).flat()
    const late: number[] = []
    try {
      for (const [name, fault] of Object.entries(faults)) {
        await untilAllWrite(writers)
        const before = writers.map(({ lastRefusal }) => lastRefusal)
        await fault(to, server)
        await until('the loss is noticed', () =>
          writers.some(({ lastRefusal }, index) => lastRefusal > (before[index] ?? 0)),
        )
        const accepts = await accepting(server.url)
        await untilAllWrite(writers)
        const last = Math.max(...writers.map(({ lastRefusal }) => lastRefusal)) - accepts
        within(setting, last, 2_000, `After ${name}, the last refusal`)
        late.push(Math.max(0, Math.round(last)))
      }
      const others = refusalsOf(writers).filter((status) => status !== 503)
      promise(others.length === 0, `Besides 503, writers were answered ${others.join()}`)
    } finally {
      await Promise.all(writers.map((writer) => writer.stop()))
    }
    await finish(writers, server.url)
    return `${acknowledgements(writers)} acknowledged writes, none missing; refused up to ${late.join(', ')} ms after the database was there`
  })
}

/** Waits until the database takes connections; gives when it did. */
async function accepting(url: string): Promise<number> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('SELECT 1')
      await client.end()
      return performance.now()
    } catch {
      await sleep(5)
    }
  }
}

const restarts: Fault = {
  id: 'F1',
  what: 'the database restarts under load, fast and immediately',
  run: (setting) =>
    underWriters(setting, {
      'a fast restart': (_, server) => server.signal('SIGINT'),
      'an immediate restart': (_, server) => server.signal('SIGQUIT'),
    }),
}

const killed: Fault = {
  id: 'F8',
  what: 'the database is killed, and one of its processes',
  run: (setting) =>
    underWriters(setting, {
      'a killed server': (_, server) => server.signal('SIGKILL'),
      async 'a killed backend'(to) {
        const [{ pid }] = await rows(
          to,
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'bot-builder-service' LIMIT 1`,
        )
        process.kill(pid, 'SIGKILL')
      },
    }),
}

const awayAtStart: Fault = {
  id: 'F2',
  what: 'the database is not there at the start',
  async run(setting) {
    const base = await createDatabase('nothing')
    const gate = new DatabaseProxy(new URL(base.url))
    await gate.open()
    await gate.shut()
    const PORT = String(await freePort())
    const url = `http://127.0.0.1:${PORT}`
    const program = launch({ DATABASE_URL: gate.url, PORT, RATE_LIMIT: 'off' })
    try {
      const status = async (path: string) => (await send(url, 'GET', path)).status
      await until('it lives', async () => (await status('/livez')) === 200)
      await sleep(some(setting, 10_000, 1_000))
      promise((await status('/readyz')) === 503, '/readyz does not say that the database is away')
      onlyStatuses([await send(url, 'GET', '/v1/workspaces')], [503])
      const lines = logOf(program.output()).length
      promise(lines < 100, `${lines} lines were logged meanwhile`)
      await gate.open()
      const there = performance.now()
      await until('it is ready', async () => (await status('/readyz')) === 200)
      const took = performance.now() - there
      within(setting, took, 3_000, 'Getting ready')
      promise((await status('/livez')) === 200, '/livez failed')
      return `lived and refused; ready ${Math.round(took)} ms after the database; ${lines} lines of log`
    } finally {
      program.signal('SIGKILL')
      await program.ended
      await gate.shut()
      await base.drop()
    }
  },
}

/** Holds rows until `release`, on a connection of its own. */
async function hold(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query('BEGIN')
  await client.query(statement)
  return async () => {
    await client.query('ROLLBACK')
    await client.end()
  }
}

const exhausted: Fault = {
  id: 'F3',
  what: 'all connections are busy and 200 requests wait',
  run: (setting) =>
    installed(
      { processes: 1, variables: { DATABASE_LOCK_TIMEOUT: '60000', DATABASE_STATEMENT_TIMEOUT: '60000' } },
      async (to, { url }) => {
        const bots = await times(10, (place) => newBot(to, { name: `Held ${place}` }))
        const release = await hold(url, 'SELECT 1 FROM bots FOR UPDATE')
        const body = { bot: { version: '6.1', name: 'Late' } }
        const held = bots.map(({ id }) => ask(to, 0, 'PATCH', `/v1/bots/${id}`, body, { patience: 120_000 }))
        const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
        for (let count = 0; count < 10; ) {
          await sleep(20)
          count = (await rows(to, `${waiting} AND datname = current_database()`))[0].count
        }
        const refused = times(200, () => ask(to, 0, 'GET', '/v1/workspaces'))
        // Once they wait: until then it is the sending of 220 requests from one process that takes the time.
        await sleep(500)
        const probes: Answer[] = []
        for (let probe = 0; probe < 20; probe++) probes.push(await ask(to, 0, 'GET', '/livez'))
        const answers = await refused
        const refusals = Math.min(...answers.map(({ end }) => end))
        promise((probes.at(-1)?.end ?? 0) < refusals, 'The probes came after the refusals')
        onlyStatuses(answers, [503])
        onlyStatuses(probes, [200])
        within(setting, slowest(answers), 2_500, 'The slowest refusal')
        const probe = probes.map(({ start, end }) => end - start).sort((a, b) => a - b)[10] ?? 0
        within(setting, probe, 50, '/livez')
        await release()
        onlyStatuses(await Promise.all(held), [200])
        onlyStatuses(await times(50, () => ask(to, 0, 'GET', '/v1/workspaces')), [200])
        const mine = `datname = current_database() AND application_name = 'bot-builder-service'`
        const [{ all, busy }] = await rows(
          to,
          `SELECT count(*)::int AS all, count(*) FILTER (WHERE state <> 'idle')::int AS busy FROM pg_stat_activity WHERE ${mine}`,
        )
        promise(all <= 10, `${all} connections are open, of at most 10`)
        promise(busy === 0, `${busy} connections are not idle`)
        return `200 × 503, slowest after ${Math.round(slowest(answers))} ms; /livez ${Math.round(probe)} ms; ${all} connections, all idle`
      },
    ),
}

const lockedRow: Fault = {
  id: 'F4',
  what: 'the row of an update is locked',
  run: (setting) =>
    installed({ processes: 1 }, async (to, { url }) => {
      const { id } = await newBot(to, { name: 'Before' })
      const release = await hold(url, 'SELECT 1 FROM bots FOR UPDATE')
      const body = { bot: { version: '6.1', name: 'Late' } }
      const update = (headers = {}) => ask(to, 0, 'PATCH', `/v1/bots/${id}`, body, { headers })
      const answers: Answer[] = []
      for (const headers of [{}, { 'idempotency-key': 'locked' }, { 'if-match': '*' }])
        answers.push(await update(headers))
      answers.push(await ask(to, 0, 'DELETE', `/v1/bots/${id}`))
      onlyStatuses(answers, [409, 503])
      within(setting, slowest(answers), 2_500, 'The slowest refusal')
      // In a queue PostgreSQL counts anew for who comes to its head; the limit of the statement ends that.
      const queue = await times(8, () => update())
      onlyStatuses(queue, [409, 503])
      within(setting, slowest(queue), 5_500, 'The slowest refusal of a queue')
      await release()
      promise(
        (await ask(to, 0, 'GET', `/v1/bots/${id}`)).body.bot.name === 'Before',
        'A refused update was made',
      )
      onlyStatuses([await update({ 'idempotency-key': 'locked' })], [200])
      return `${tally(answers)}, slowest after ${Math.round(slowest(answers))} ms, of a queue of eight after ${Math.round(slowest(queue))} ms; done once the row was free`
    }),
}

const frozen: Fault = {
  id: 'F5',
  what: 'all of the database stands still',
  run: (setting) =>
    onOwnServer(1, {}, async (to, server) => {
      const ids = await times(6, async (place) => (await newBot(to, { name: `Bot ${place}` })).id)
      onlyStatuses(await times(40, () => ask(to, 0, 'GET', '/v1/workspaces')), [200])
      // Idle connections have to be found out too.
      await sleep(some(setting, 8_000, 1_000))
      const thaw = await server.freeze()
      const answers: Answer[] = []
      const probes: Answer[] = []
      try {
        for (let wave = 0; wave < some(setting, 3, 1); wave++) {
          const writing = ids.map((id, place) =>
            ask(to, 0, 'PATCH', `/v1/bots/${id}`, { bot: { version: '6.1', name: `Late ${wave} ${place}` } }),
          )
          const reading = times(20, () => ask(to, 0, 'GET', '/v1/workspaces'))
          probes.push(await ask(to, 0, 'GET', '/readyz'))
          answers.push(...(await Promise.all(writing)), ...(await reading))
        }
      } finally {
        thaw()
      }
      onlyStatuses([...answers, ...probes], [503])
      within(setting, slowest(answers), 7_000, 'The slowest refusal')
      within(setting, slowest(probes), 3_000, '/readyz')
      const there = performance.now()
      await until('it is ready', async () => (await ask(to, 0, 'GET', '/readyz')).status === 200)
      onlyStatuses(await times(20, () => ask(to, 0, 'GET', '/v1/workspaces')), [200])
      return `${tally(answers)}, slowest after ${Math.round(slowest(answers))} ms; /readyz after ${Math.round(slowest(probes))} ms; ready again after ${Math.round(performance.now() - there)} ms`
    }),
}

/** A file system of its own with so many megabytes; undefined where that may not be made. */
async function smallDisk(megabytes: number): Promise<{ path: string; remove(): Promise<void> } | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'bots-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', path], { stdio: 'pipe' })
  } catch {
    await rm(path, { recursive: true })
    return undefined
  }
  return {
    path,
    async remove() {
      // Whoever still has a file open lets it go with its process.
      execFileSync('umount', ['-l', path])
      await rm(path, { recursive: true, force: true })
    },
  }
}

const fullDisk: Fault = {
  id: 'F18',
  what: 'the disk of the tables is full, then that of the write-ahead log',
  async run() {
    const disk = await smallDisk(48)
    if (!disk) return 'NOT RUN: no file system may be mounted here (needs root)'
    const seen: string[] = []
    try {
      await onOwnServer(1, {}, async (to, server) => {
        const { uid, gid } = await stat(join(server.folder, 'postgres/data'))
        const place = join(disk.path, 'tables')
        await mkdir(place)
        execFileSync('chown', ['-R', `${uid}:${gid}`, disk.path])
        await to.database.query(`CREATE TABLESPACE small LOCATION '${place}'`)
        const { id } = await newBot(to, { ...stamped('0'), name: 'Kept' })
        const tables = await rows(to, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
        for (const { tablename } of tables) {
          await to.database.query(`ALTER TABLE "${tablename}" SET TABLESPACE small`)
        }
        await to.database.query(
          `CREATE TABLE filler TABLESPACE small AS SELECT repeat(md5(n::text), 200) AS text FROM generate_series(1, 4000) n`,
        )
        const padding = Array.from({ length: 2_000 }, (_, n) => `${n * 7_919_111}`)
        const bot = { ...stamped('1'), theme: { padding } }
        const create = () => ask(to, 0, 'POST', '/v1/bots', { workspaceId: to.workspaceId, bot })
        const made: string[] = []
        let refused: Answer | undefined
        for (let attempt = 0; attempt < 20_000 && !refused; attempt++) {
          const answer = await create()
          if (answer.status === 201) made.push(answer.body.bot.id)
          else refused = answer
        }
        promise(refused, 'The disk was never full')
        const refusals = [refused, ...(await times(10, create))]
        onlyStatuses(refusals, [503])
        const reads = await Promise.all([
          ask(to, 0, 'GET', '/v1/workspaces'),
          ask(to, 0, 'GET', `/v1/bots/${id}`),
          ask(to, 0, 'GET', `/v1/bots/${made.at(-1)}`),
          ask(to, 0, 'GET', `/v1/bots?workspaceId=${to.workspaceId}`),
        ])
        onlyStatuses(reads, [200])
        await to.database.query('DROP TABLE filler')
        await until('there is room again', async () => (await create()).status === 201)
        for (const one of made) onlyStatuses([await ask(to, 0, 'GET', `/v1/bots/${one}`)], [200])
        seen.push(
          `tables full after ${made.length} bots: writes ${tally(refusals)}, reads 200; went on with room`,
        )
      })
    } finally {
      await disk.remove()
    }
    seen.push(await fullLog())
    return seen.join('; ')
  },
}

/** The server cannot go on without its log: it ends, comes back once there is room, and has lost nothing. */
async function fullLog(): Promise<string> {
  const disk = await smallDisk(80)
  if (!disk) return 'NOT RUN with a full log: no file system may be mounted here'
  // Made once as ever, and then its log is moved.
  const first = await ownServer()
  await first.stop()
  const data = join(first.folder, 'postgres/data')
  const { uid, gid } = await stat(data)
  const log = join(disk.path, 'pg_wal')
  await cp(join(data, 'pg_wal'), log, { recursive: true })
  await rm(join(data, 'pg_wal'), { recursive: true })
  await symlink(log, join(data, 'pg_wal'))
  execFileSync('chown', ['-R', `${uid}:${gid}`, disk.path])
  const server = await ownServer({ max_wal_size: '32MB', min_wal_size: '32MB' }, first.folder)
  try {
    const installation = await install({ databaseUrl: server.url, processes: 1 })
    try {
      const filler = join(disk.path, 'filler')
      const made: string[] = []
      const theme = { padding: Array.from({ length: 20_000 }, (_, n) => `${n * 7_919_111}`) }
      const create = () =>
        ask(installation, 0, 'POST', '/v1/bots', {
          workspaceId: installation.workspaceId,
          bot: { ...stamped('1'), theme },
        })
      await create()
      const free = Number(
        execFileSync('df', ['--output=avail', '-B1', disk.path]).toString().trim().split('\n')[1],
      )
      await writeFile(filler, Buffer.alloc(Math.max(0, free - 4096)))
      const refusals: Answer[] = []
      for (let attempt = 0; attempt < 2_000 && refusals.length < 5; attempt++) {
        const answer = await create()
        if (answer.status === 201) made.push(answer.body.bot.id)
        else refusals.push(answer)
      }
      onlyStatuses(refusals, [503])
      promise(refusals.length > 0, 'The log was never full')
      onlyStatuses([await ask(installation, 0, 'GET', '/livez')], [200])
      await rm(filler)
      await until('it writes again', async () => (await create()).status === 201)
      for (const id of made) onlyStatuses([await ask(installation, 0, 'GET', `/v1/bots/${id}`)], [200])
      return `log full after ${made.length} bots: ${tally(refusals)}, alive; ready again with room, none of them missing`
    } finally {
      await installation.stop()
    }
  } finally {
    await server.stop()
    await disk.remove()
  }
}

export const databaseFaults = [restarts, awayAtStart, exhausted, lockedRow, frozen, killed, fullDisk]
