import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { finish, startWriters, untilAllWrite } from '../../support/ledger.ts'
import { run, startProgram, until } from '../../support/process.ts'
import { createDatabase } from '../../support/server.ts'
import { balance } from '../balancer.ts'
import { type Answer, send } from '../client.ts'
import { stamped } from '../documents.ts'
import { install, type Member } from '../installation.ts'
import { promise } from '../run.ts'
import {
  ask,
  type Fault,
  installed,
  newBot,
  onlyStatuses,
  some,
  tally,
  times,
  unhurried,
  within,
} from './fault.ts'

/* Processes of the service are killed, stopped, started at once, and kept short. */

const killedWhileWriting: Fault = {
  id: 'F7',
  what: 'a process is killed while it writes',
  run: (setting) =>
    installed({}, async (to, { url }) => {
      const [member] = to.members as [Member]
      const writers = await startWriters({ url: member.url, token: to.token }, some(setting, 20, 6))
      const kills = some(setting, 10, 2)
      try {
        for (let kill = 0; kill < kills; kill++) {
          await untilAllWrite(writers)
          await member.kill()
          await member.start()
        }
        await untilAllWrite(writers)
      } finally {
        await Promise.all(writers.map((writer) => writer.stop()))
      }
      await finish(writers, url)
      const all = writers.reduce((sum, { acknowledgements }) => sum + acknowledgements, 0)
      return `${writers.length} writers, ${kills} kills, ${all} acknowledged writes, none missing, nothing by halves`
    }),
}

const rolling: Fault = {
  id: 'F9',
  what: 'both processes are replaced in turn behind a balancer, under load',
  run: (setting) =>
    installed({ variables: { ...unhurried, SHUTDOWN_DELAY: '2000' } }, async (to) => {
      const balancer = await balance(to.members.map(({ url }) => url))
      const answers: Answer[] = []
      const exits: number[] = []
      let isOver = false
      const { id } = await newBot(to, { ...stamped('0'), publicId: 'rolled' })
      await ask(to, 0, 'POST', `/v1/bots/${id}/publish`, {})
      const requests: [string, string, unknown?][] = [
        ['POST', '/v1/folders', { workspaceId: to.workspaceId, folder: { name: 'Rolled' } }],
        ['GET', `/v1/bots/${id}`],
        [
          'PATCH',
          `/v1/bots/${id}`,
          { bot: { ...stamped('rolled'), theme: { stamp: 'rolled', padding: 'x'.repeat(20_000) } } },
        ],
        ['POST', '/api/v1/bots/rolled/startChat', {}],
      ]
      const working = times(8, async (place) => {
        for (let round = place; !isOver; round++) {
          const [method, path, body] = requests[round % requests.length] as (typeof requests)[number]
          answers.push(await send(balancer.url, method, path, { token: to.token, body, patience: 60_000 }))
        }
      })
      try {
        const rounds = some(setting, 5, 1)
        for (let round = 0; round < rounds; round++) {
          for (const member of to.members) {
            // A process is replaced only once the other one serves.
            await until('both are ready', async () => {
              const probes = await Promise.all(to.members.map(({ url }) => send(url, 'GET', '/readyz')))
              return probes.every(({ status }) => status === 200)
            })
            await sleep(500)
            const start = performance.now()
            member.program?.signal('SIGTERM')
            const ended = await member.program?.ended
            promise(ended?.code === 0, `A process ended with ${ended?.code}`)
            exits.push(performance.now() - start)
            await member.start()
          }
        }
      } finally {
        isOver = true
        await working
        await balancer.stop()
      }
      onlyStatuses(answers, [200, 201])
      within(setting, Math.max(...exits), 10_000, 'The longest end')
      return `${exits.length} replaced, longest end ${Math.round(Math.max(...exits))} ms; ${tally(answers)} at the balancer`
    }),
}

const impatient: Fault = {
  id: 'F10',
  what: 'a second SIGTERM while a request waits',
  run: (setting) => {
    const variables = { DATABASE_LOCK_TIMEOUT: '60000', DATABASE_STATEMENT_TIMEOUT: '60000' }
    return installed({ processes: 1, variables }, async (to, { url }) => {
      const { id } = await newBot(to, { name: 'Before' })
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      await client.query('BEGIN')
      await client.query('SELECT 1 FROM bots FOR UPDATE')
      const waiting = ask(to, 0, 'PATCH', `/v1/bots/${id}`, { bot: { version: '6.1', name: 'After' } })
      for (let count = 0; count < 1; await sleep(20)) {
        const text = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
        count = (await client.query(text)).rows.length
      }
      const [member] = to.members as [Member]
      member.program?.signal('SIGTERM')
      await until('it stops', async () => (await send(member.url, 'GET', '/readyz')).status !== 200)
      const start = performance.now()
      member.program?.signal('SIGTERM')
      const ended = await member.program?.ended
      const took = performance.now() - start
      promise(ended?.code === 1, `After two signals it ended with ${ended?.code}`)
      within(setting, took, 1_000, 'An end at once')
      const { status } = await waiting
      promise(status === undefined, `Of a process that ended at once came ${status}`)
      await client.query('ROLLBACK')
      const { rows } = await client.query('SELECT name FROM bots')
      promise(rows[0].name === 'Before', 'What was under way was written all the same')
      await client.end()
      return `ended with 1 after ${Math.round(took)} ms; its request got no answer and wrote nothing`
    })
  },
}

const frozenEnd: Fault = {
  id: 'F10',
  what: 'an end while nothing comes from the database',
  run: (setting) =>
    installed({ processes: 1, variables: { SHUTDOWN_TIMEOUT: '4000' } }, async (to) => {
      const [member] = to.members as [Member]
      onlyStatuses(await times(20, () => ask(to, 0, 'GET', '/v1/workspaces')), [200])
      member.proxy.freeze()
      const waiting = times(5, () => ask(to, 0, 'GET', '/v1/workspaces'))
      await sleep(200)
      const start = performance.now()
      member.program?.signal('SIGTERM')
      const ended = await member.program?.ended
      const took = performance.now() - start
      promise(ended?.code !== 0, 'It ended in good order though its database was silent')
      within(setting, took, 5_500, 'The end')
      await waiting
      return `ended with ${ended?.code} after ${Math.round(took)} ms`
    }),
}

const migrations: Fault = {
  id: 'F17',
  what: 'five processes migrate at once, and one is killed at it',
  async run(setting) {
    const { url, drop } = await createDatabase('nothing')
    try {
      const variables = { DATABASE_URL: url }
      for (let kill = 0; kill < some(setting, 4, 1); kill++) {
        const program = startProgram('server/admin.ts', ['migrate'], variables)
        await sleep(400 + setting.random.below(1_500))
        program.signal('SIGKILL')
        await program.ended
      }
      const ended = await times(5, () => run('server/admin.ts', ['migrate'], variables))
      for (const { code, stderr } of ended) promise(code === 0, `A migration ended with ${code}: ${stderr}`)
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      const { rows } = await client.query('SELECT hash FROM drizzle.__drizzle_migrations')
      await client.end()
      promise(rows.length === 1, `${rows.length} migrations were made of 1`)
    } finally {
      await drop()
    }
    return '5 × exit 0 after kills, and made once'
  },
}

/** Resident memory of a process, in megabytes, and how many files it has open; Linux only. */
export const memoryOf = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) / 256
export const filesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

const littleMemory: Fault = {
  id: 'F23',
  what: 'little memory, under a mixed load',
  run: (setting) =>
    installed({ processes: 1, variables: { NODE_OPTIONS: '--max-old-space-size=256' } }, async (to) => {
      const [member] = to.members as [Member]
      const pid = member.program?.pid ?? 0
      const { id } = await newBot(to, { ...stamped('0'), publicId: 'memory' })
      await ask(to, 0, 'POST', `/v1/bots/${id}/publish`, {})
      const padding = Array.from({ length: 10_000 }, (_, n) => `${n * 7_919_111}`)
      const samples: number[] = []
      const answers: Answer[] = []
      let isOver = false
      const working = times(8, async (place) => {
        for (let round = 0; !isOver; round++) {
          const what = (round + place) % 4
          if (what === 0)
            answers.push(
              await ask(to, 0, 'PATCH', `/v1/bots/${id}`, {
                bot: { ...stamped(`${round}`), theme: { stamp: '', padding } },
              }),
            )
          else if (what === 1) answers.push(await ask(to, 0, 'GET', `/v1/bots/${id}`))
          else if (what === 2) answers.push(await ask(to, 0, 'POST', '/api/v1/bots/memory/startChat', {}))
          else answers.push(await ask(to, 0, 'GET', `/v1/bots/${id}/results`))
          if (answers.length > 1_000) onlyStatuses(answers.splice(0), [200])
        }
      })
      const seconds = some(setting, 120, 10)
      for (let second = 0; second < seconds; second++) {
        await sleep(1_000)
        samples.push(memoryOf(pid))
      }
      isOver = true
      await working
      onlyStatuses(answers, [200])
      const median = (from: number, to: number) =>
        samples.slice(samples.length * from, samples.length * to).sort((a, b) => a - b)[
          Math.floor((samples.length * (to - from)) / 2)
        ] ?? 0
      const [early, late] = [median(0.25, 0.5), median(0.75, 1)]
      promise(late < early * 1.25 + 20, `Memory grew from ${Math.round(early)} MB to ${Math.round(late)} MB`)
      return `${seconds} s; ${Math.round(early)} MB in the second quarter, ${Math.round(late)} MB in the last`
    }),
}

const fewFiles: Fault = {
  id: 'F24',
  what: 'few file descriptors',
  run: () =>
    installed({ processes: 1 }, async (to) => {
      const [member] = to.members as [Member]
      const pid = member.program?.pid ?? 0
      execFileSync('prlimit', ['--pid', String(pid), '--nofile=256:256'])
      const { hostname, port } = new URL(member.url)
      const sockets: Socket[] = []
      for (let socket = 0; socket < 600; socket++) {
        sockets.push(connect(Number(port), hostname).on('error', () => {}))
      }
      await sleep(1_000)
      const crowded = await times(20, () =>
        ask(to, 0, 'GET', '/v1/workspaces', undefined, { patience: 3_000 }),
      )
      onlyStatuses(crowded, [200, 503, undefined])
      for (const socket of sockets) socket.destroy()
      await until('it serves again', async () => {
        return (await ask(to, 0, 'GET', '/v1/workspaces', undefined, { patience: 3_000 })).status === 200
      })
      onlyStatuses(await times(20, () => ask(to, 0, 'GET', '/v1/workspaces')), [200])
      promise(pid === member.program?.pid && (await ask(to, 0, 'GET', '/livez')).status === 200, 'It crashed')
      return `with 600 connections of 256: ${tally(crowded)}; served again without a restart`
    }),
}

const backup: Fault = {
  id: 'F28',
  what: 'a backup under load, restored elsewhere',
  run: () =>
    installed({}, async (to, { url }) => {
      const folder = await mkdtemp(join(tmpdir(), 'bots-backup-'))
      const other = await createDatabase('nothing')
      const [member] = to.members as [Member]
      const writers = await startWriters({ url: member.url, token: to.token }, 6)
      try {
        await untilAllWrite(writers)
        const known = writers.flatMap(({ created }) => [...created])
        const file = join(folder, 'backup.sql.gz')
        const made = await run('server/admin.ts', ['backup', file], { DATABASE_URL: url })
        promise(made.code === 0, `The backup ended with ${made.code}: ${made.stderr}`)
        const restored = await run('server/admin.ts', ['restore', file], { DATABASE_URL: other.url })
        promise(restored.code === 0, `The restore ended with ${restored.code}: ${restored.stderr}`)
        await Promise.all(writers.map((writer) => writer.stop()))
        const copy = await installOnCopy(other.url, to.token)
        try {
          for (const { id, stamp } of known) {
            const { status, body } = await send(copy.url, 'GET', `/v1/bots/${id}`, { token: to.token })
            promise(status === 200 && body.bot.name === stamp, `The copy answers ${status} for ${stamp}`)
          }
        } finally {
          await copy.stop()
        }
        return `${known.length} bots of before the backup are in the copy, which serves`
      } finally {
        await Promise.all(writers.map((writer) => writer.stop()))
        await rm(folder, { recursive: true })
        await other.drop()
      }
    }),
}

/** A process on a database that has a first user already. */
async function installOnCopy(databaseUrl: string, token: string) {
  const installation = await install({ databaseUrl, processes: 1, token })
  const [member] = installation.members as [Member]
  return { url: member.url, stop: () => installation.stop() }
}

export const processFaults = [
  killedWhileWriting,
  rolling,
  impatient,
  frozenEnd,
  migrations,
  littleMemory,
  fewFiles,
  backup,
]
