import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createToken } from '../../server/access/bearer-tokens.ts'
import { startEmbeddedPostgres } from '../../server/db/embedded/index.ts'
import { Processes, type Target } from './processes.ts'
import { SMALL_READ, statusOf } from './requests.ts'
import { makeTokens } from './tokens.ts'

/*
 * Measures the benefit and the cost of the limits. Benefit: the time of one token's small reads, five in a second,
 * alone and beside 64 connections that send as fast as responses arrive. Cost: the CPU time of a small read with the
 * limits on and off. Run `npm run build` before. ROUNDS and ROUND_MILLISECONDS change the duration.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 4)
const ROUND_MILLISECONDS = Number(process.env.ROUND_MILLISECONDS ?? 6_000)
const NOISY_CONNECTIONS = 64

const micro = (milliseconds: number) => `${Math.round(milliseconds * 1000)} µs`
const say = (text: string) => process.stdout.write(`${text}\n`)

const folder = await mkdtemp(join(tmpdir(), 'bots-bench-'))
const processes = new Processes(folder)
const database = await startEmbeddedPostgres({ dataDirectory: folder })
try {
  await run()
} finally {
  await processes.stop()
  await database.stop()
  await rm(folder, { recursive: true, force: true })
}

async function run() {
  const [quiet, noisy] = await makeTokens(database.url, 2)
  if (!quiet || !noisy) throw new Error('There are no tokens')
  const start = (name: string, variables: Record<string, string>) => {
    const all = { DATABASE_URL: database.url, HOST: '127.0.0.1', ...variables }
    return processes.server(name, ['--enable-source-maps', 'dist/server/main.js'], all, { path: '/readyz' })
  }
  const limited = await start('limited', {})
  const madeUp = Array.from({ length: 1_000 }, () => createToken().token)
  await beside('a token over its limit', limited, quiet, [noisy])
  await beside('tokens that are made up', limited, quiet, madeUp)
  await cost(await start('off', { RATE_LIMIT: 'off' }), await start('wide', { RATE_LIMIT_TOKEN: '1000000' }))

  /** One connection, since how many requests share a look into the database would depend on their pace otherwise. */
  async function cost(off: Target, wide: Target) {
    const load = processes.client()
    const cpuOf = async ({ port, usage }: Target) => {
      const before = await usage()
      const { requests } = await load({
        port,
        connections: 1,
        milliseconds: ROUND_MILLISECONDS / 4,
        method: 'GET',
        target: SMALL_READ,
        headers: { Authorization: `Bearer ${quiet}` },
      })
      return ((await usage()).cpu - before.cpu) / requests
    }
    const without: number[] = []
    const ratios: number[] = []
    await cpuOf(off)
    await cpuOf(wide)
    for (let round = 0; round < ROUNDS * 4; round++) {
      // Each is first in turn.
      const early = round % 2 === 0 ? await cpuOf(wide) : undefined
      const plain = await cpuOf(off)
      without.push(plain)
      ratios.push((early ?? (await cpuOf(wide))) / plain)
    }
    const share = ((median(ratios) - 1) * 100).toFixed(1)
    say(`CPU of a small read: ${micro(median(without))} without limits, ${share} % more with them`)
  }
}

/** Measures the quiet token alone and beside the noise in turn, so that what the machine does meets both. */
async function beside(what: string, { port }: Target, quiet: string, tokens: string[]) {
  const alone: Reads = { times: [], refused: 0 }
  const amid: Reads = { times: [], refused: 0 }
  let answers: Record<string, number> = {}
  await read(port, quiet, 2_000, { times: [], refused: 0 })
  for (let round = 0; round < ROUNDS; round++) {
    await read(port, quiet, ROUND_MILLISECONDS, alone)
    const stop = makeNoise(port, tokens)
    await sleep(2_000)
    await read(port, quiet, ROUND_MILLISECONDS, amid)
    answers = await stop()
  }
  const [before, after] = [median(alone.times), median(amid.times)]
  say(
    `Beside ${what}: median ${micro(before)} alone, ${micro(after)} amid (${(after / before).toFixed(2)} times), ` +
      `99th percentile ${micro(percentile(alone.times, 0.99))} and ${micro(percentile(amid.times, 0.99))}; ` +
      `refused ${amid.refused} of ${amid.times.length}; the noise got in its last round ${JSON.stringify(answers)}`,
  )
}

interface Reads {
  /** Milliseconds of each request. */
  times: number[]
  refused: number
}

/** Sends five requests in a second on one connection. */
async function read(port: number, token: string, milliseconds: number, reads: Reads) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(200)) {
    const begun = performance.now()
    const status = await statusOf(agent, port, token)
    reads.times.push(performance.now() - begun)
    if (status !== 200) reads.refused++
  }
  agent.destroy()
}

/** Makes noise until stopped; then reports how often it got which status. */
function makeNoise(port: number, tokens: string[]) {
  const file = fileURLToPath(new URL('noise.ts', import.meta.url))
  const child = fork(file, [port, NOISY_CONNECTIONS, ...tokens].map(String), {
    execArgv: ['--import', 'tsx'],
  })
  return async () => {
    child.send('stop')
    const [answers] = await once(child, 'message')
    return answers as Record<string, number>
  }
}

function percentile(times: number[], share: number): number {
  const sorted = [...times].sort((left, right) => left - right)
  return sorted[Math.floor((sorted.length - 1) * share)] as number
}

function median(times: number[]): number {
  return percentile(times, 0.5)
}
