import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, platform, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../server/db/embedded.ts'
import type { Load, Outcome } from './load.ts'
import { bars, type Measured, operations } from './operations.ts'
import { Processes, type Target } from './processes.ts'
import { type Figures, type Line, type Report, toMarkdown, toSvg } from './report.ts'
import { type Seed, seed } from './seed.ts'

/*
 * Measures the service against a floor and against other frameworks that do the same, on one database with a
 * million results. The service is its built one. All servers run at once and are loaded in turn, round by round, so that whatever else the
 * machine does meets all of them. Writes results.json, results.md and results.svg beside this file.
 *
 * Words name the operations to measure; without any, all are. ROUNDS and ROUND_MILLISECONDS change how long.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const ROUND_MILLISECONDS = Number(process.env.ROUND_MILLISECONDS ?? 700)
const CONNECTIONS = 16
/** After so many milliseconds a run ends, whatever it has. */
const LIMIT = 10 * 60 * 1000

const wanted = process.argv.slice(2)
const say = (text: string) => process.stderr.write(`${text}\n`)

const folder = await mkdtemp(join(tmpdir(), 'bots-bench-'))
const processes = new Processes(folder)
let removeDatabase = async () => {}

async function cleanUp() {
  await processes.stop()
  await removeDatabase()
  await rm(folder, { recursive: true, force: true })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)))
}
const late = setTimeout(() => {
  say('The run takes too long and is given up.')
  void cleanUp().finally(() => process.exit(1))
}, LIMIT)

async function run() {
  const url = await openDatabase()
  say('Filling the database')
  const seeded = await seed(url)

  const start = performance.now()
  const service = await processes.server(
    'service',
    ['--enable-source-maps', 'dist/server/main.js'],
    { DATABASE_URL: url, HOST: '127.0.0.1', RATE_LIMIT: 'off' },
    '/readyz',
  )
  const coldStart = performance.now() - start
  const { memory: memoryAtRest } = await service.usage()

  const chat = await sampleChat(service, seeded, url)
  const others: Target[] = []
  for (const name of ['floor', 'fastify', 'hono', 'express']) {
    const file = `tests/bench/servers/${name}.ts`
    const variables = { DATABASE_URL: url, SAMPLE_CHAT: chat.sample }
    others.push(await processes.server(name, ['--import', 'tsx', file], variables))
  }

  const client = processes.client()
  const lines: Line[] = []
  for (const operation of operations(seeded, chat.sessionIds)) {
    if (wanted.length > 0 && !wanted.includes(operation.name)) continue
    const targets = [service, ...others].filter(
      ({ name }) => !operation.isChat || name === 'service' || name === 'floor',
    )
    const line = await measure(operation, targets, service, client, seeded.token)
    lines.push(line)
    const shown = Object.entries(line.servers).map(
      ([name, { throughputRatio, cpuRatio }]) =>
        `${name} ${throughputRatio.toFixed(2)}/${cpuRatio.toFixed(2)}`,
    )
    say(`${operation.title}: ${shown.join(', ')}`)
  }

  const report: Report = {
    machine: machine(),
    date: new Date().toISOString().slice(0, 10),
    rounds: ROUNDS,
    connections: CONNECTIONS,
    lines,
    growth: growthOf(lines),
    size: { coldStart, memoryAtRest, memoryUnderLoad: (await service.usage()).memory },
  }
  const markdown = toMarkdown(report)
  process.stdout.write(markdown)
  if (wanted.length > 0) return
  const write = (name: string, text: string) => writeFile(new URL(name, import.meta.url), text)
  await write('results.json', `${JSON.stringify(report, null, 2)}\n`)
  await write('results.md', markdown)
  await write('results.svg', toSvg(report))
}

/** A database of our own: on the server of DATABASE_URL, or on an embedded one. */
async function openDatabase(): Promise<string> {
  if (!process.env.DATABASE_URL) {
    // As the service starts it, except that checkpoints do not fall into the middle of a round.
    const settings = { max_wal_size: '8GB', checkpoint_timeout: '1h' }
    const { url, stop } = await startEmbeddedPostgres({ dataDirectory: folder, settings })
    removeDatabase = stop
    return url
  }
  const name = `bench_${Date.now()}`
  const server = async (statement: string) => {
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await server(`CREATE DATABASE ${name}`)
  removeDatabase = () => server(`DROP DATABASE ${name} WITH (FORCE)`)
  const url = new URL(process.env.DATABASE_URL)
  url.pathname = `/${name}`
  return url.toString()
}

/** Runs one chat on the service, and gives copies of its session and what the floor needs to imitate it. */
async function sampleChat(service: Target, { publicId }: Seed, url: string) {
  const call = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as { sessionId: string; input: { id: string } }
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const written = async (sessionId: string) => {
    const { rows } = await client.query(
      `SELECT s.state, r.variables, (
        SELECT t.entries FROM result_transcripts t WHERE t.bot_id = r.bot_id AND t.result_id = r.id
        ORDER BY t.id DESC LIMIT 1
      ) AS transcript
      FROM chat_sessions s JOIN results r ON r.bot_id = s.bot_id AND r.id = s.result_id WHERE s.id = $1`,
      [sessionId],
    )
    const { state, variables, transcript } = rows[0]
    return { state: JSON.stringify(state), variables, transcript: JSON.stringify(transcript) }
  }
  try {
    const first = await call(`/api/v1/bots/${publicId}/startChat`, {})
    const afterStart = await written(first.sessionId)
    const second = await call(`/api/v1/sessions/${first.sessionId}/continueChat`, {
      message: 'Good, thank you',
    })
    const afterReply = await written(first.sessionId)
    const sample = {
      state: afterStart.state,
      start: { ...afterStart, answer: first },
      next: { ...afterReply, answer: second, blockId: first.input.id },
    }
    // More than a session may have are saved, so that each begins far below none.
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO chat_sessions
        (id, bot_id, publication_id, result_id, state, revision, client_logs, expires_at, created_at, updated_at)
      SELECT 'bench-' || n, bot_id, publication_id, result_id, state, revision, -1000000000, expires_at,
        created_at, updated_at
      FROM chat_sessions, generate_series(1, $2::int) n WHERE id = $1 RETURNING id`,
      [first.sessionId, CONNECTIONS],
    )
    return { sessionIds: rows.map(({ id }) => id), sample: JSON.stringify(sample) }
  } finally {
    await client.end()
  }
}

interface Round extends Outcome {
  cpu: number
}

async function measure(
  operation: Measured,
  targets: Target[],
  service: Target,
  client: (load: Load) => Promise<Outcome>,
  token: string,
): Promise<Line> {
  const once = async (target: Target, milliseconds: number): Promise<Round> => {
    const before = await target.usage()
    const outcome = await client({
      ...operation.request(target === service),
      port: target.port,
      connections: CONNECTIONS,
      milliseconds,
      headers: { Authorization: `Bearer ${token}` },
    })
    const after = await target.usage()
    return { ...outcome, cpu: after.cpu - before.cpu }
  }
  // Long enough for the compiler to get to the code that counts.
  for (const target of targets) await once(target, 3 * ROUND_MILLISECONDS)
  const rounds: Record<string, Round>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const done: Record<string, Round> = {}
    // Another one begins in every round.
    for (let at = 0; at < targets.length; at++) {
      const target = targets[(at + round) % targets.length] as Target
      done[target.name] = await once(target, ROUND_MILLISECONDS)
    }
    rounds.push(done)
  }
  const servers = targets.map(({ name }) => [name, figuresOf(name, rounds)])
  return {
    operation: operation.name,
    title: operation.title,
    bar: bars[operation.kind],
    servers: Object.fromEntries(servers),
  }
}

const speed = ({ requests, seconds }: Round) => requests / seconds
const cpuTime = ({ cpu, requests }: Round) => cpu / requests

function figuresOf(name: string, rounds: Record<string, Round>[]): Figures {
  const own = rounds.map((round) => round[name] as Round)
  const floor = rounds.map((round) => round.floor as Round)
  const against = (ratio: (mine: Round, floors: Round) => number) =>
    median(own.map((round, at) => ratio(round, floor[at] as Round)))
  const latencies = own.flatMap((round) => round.latencies).sort((a, b) => a - b)
  const quantile = (part: number) => latencies[Math.floor((latencies.length - 1) * part)] as number
  return {
    requestsPerSecond: median(own.map(speed)),
    p50: quantile(0.5),
    p99: quantile(0.99),
    cpu: median(own.map(cpuTime)),
    throughputRatio: against((mine, floors) => speed(mine) / speed(floors)),
    cpuRatio: against((mine, floors) => cpuTime(floors) / cpuTime(mine)),
  }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

/** How much slower the service is with more data, by requests per second. */
function growthOf(lines: Line[]): Report['growth'] {
  const speedOf = (operation: string) =>
    lines.find((line) => line.operation === operation)?.servers.service?.requestsPerSecond ?? Number.NaN
  const compare = (title: string, small: string, large: string, bar: number) => ({
    title,
    ratio: speedOf(small) / speedOf(large),
    bar,
  })
  return [
    compare('Page at depth 500,000 to first page', 'listFirst', 'listDeep', 1.2),
    compare('Stats, all time, of 1,000,000 results to 1,000', 'statsSmall', 'statsAll', 3),
    compare('Stats, 7 days, of 1,000,000 results to all of 1,000', 'statsSmall', 'statsWeek', 3),
    compare('Rename of a 1 MB bot to a 5 KB bot', 'updateSmall', 'updateLarge', 2),
  ]
}

function machine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  return `${cpus().length} × ${cpu?.model.trim()}, ${memory} GB, ${platform()} ${release()}, Node ${process.version}`
}

try {
  await run()
} finally {
  clearTimeout(late)
  await cleanUp()
}
process.exit()
