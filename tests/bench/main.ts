import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, platform, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { compareAnswers } from './answers.ts'
import { type DatabaseServer, openDatabaseServer } from './database.ts'
import { bars, operations, peers, twoWorkers } from './operations.ts'
import { Processes, serviceVariables, type Target } from './processes.ts'
import { startReceiver } from './receiver.ts'
import { type Figures, type Line, type Ratio, type Report, toMarkdown, toSvg } from './report.ts'
import { alternate, cpuTime, median, quantile, type Round, ratiosOf, speed } from './rounds.ts'
import { startRust } from './rust.ts'
import { type Seed, seed } from './seed.ts'

/*
 * Measures the service against floors and against other frameworks that do the same, on one database with a
 * million results. The service is its built one. All servers run at once and are loaded in turn, round by round, so
 * that whatever else the machine does meets all of them, once they have been seen to answer the same. Writes
 * results.json, results.md and results.svg beside this file.
 *
 * Words name the operations to measure; without any, all are. ROUNDS and ROUND_MILLISECONDS change how long.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const ROUND_MILLISECONDS = Number(process.env.ROUND_MILLISECONDS ?? 700)
const CONNECTIONS = 16
/** After so many milliseconds a run ends, whatever it has. */
const RUN_TIMEOUT_MS = 30 * 60 * 1000

const wanted = process.argv.slice(2)
const say = (text: string) => process.stderr.write(`${text}\n`)

const folder = await mkdtemp(join(tmpdir(), 'bots-bench-'))
const processes = new Processes(folder)
const receiver = await startReceiver()
let database: DatabaseServer | undefined

async function cleanUp() {
  receiver.stop()
  await processes.stop()
  await database?.remove()
  await rm(folder, { recursive: true, force: true })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)))
}
const late = setTimeout(() => {
  say('The run takes too long and is given up.')
  void cleanUp().finally(() => process.exit(1))
}, RUN_TIMEOUT_MS)

async function run() {
  database = await openDatabaseServer(folder)
  const url = await database.create()
  const variables = serviceVariables(url, receiver.host)
  const startService = (name: string, { isRecorded = false, workers = 1 } = {}) => {
    const all = { ...variables, WORKERS: String(workers) }
    const args = ['--enable-source-maps', 'dist/server/main.js']
    return processes.server(name, args, all, { path: '/readyz', isRecorded })
  }

  say('Filling the database')
  const filler = await startService('filler')
  const seeded = await seed(filler, { url, receiver: receiver.host, connections: CONNECTIONS })
  await filler.stop()

  const service = await startService('service')
  const { memory: memoryAtRest } = await service.usage()
  const others: Target[] = [await startService(twoWorkers, { workers: 2 })]
  for (const name of ['floor', ...peers]) {
    const file = `tests/bench/servers/${name}.ts`
    others.push(await processes.server(name, ['--import', 'tsx', file], { DATABASE_URL: url }))
  }
  const record = () => startService('recorded', { isRecorded: true })
  const { targets: rust, missing } = await startRust(processes, { url, folder, record, seed: seeded })
  if (missing) say(missing)

  const lines = await measureAll(seeded, service, [...others, ...rust])
  const report: Report = {
    machine: machine(),
    date: new Date().toISOString().slice(0, 10),
    rounds: ROUNDS,
    connections: CONNECTIONS,
    missing,
    lines,
    growth: growthOf(lines),
    size: {
      coldStart: service.coldStart,
      memoryAtRest,
      memoryUnderLoad: (await service.usage()).memory,
    },
  }
  const markdown = toMarkdown(report)
  process.stdout.write(markdown)
  if (wanted.length > 0) return
  const write = (name: string, text: string) => writeFile(new URL(name, import.meta.url), text)
  await write('results.json', `${JSON.stringify(report, null, 2)}\n`)
  await write('results.md', markdown)
  await write('results.svg', toSvg(report))
}

async function measureAll(seeded: Seed, service: Target, others: Target[]): Promise<Line[]> {
  const client = processes.client()
  const lines: Line[] = []
  for (const operation of operations(seeded)) {
    if (wanted.length > 0 && !wanted.includes(operation.name)) continue
    const targets = [service, ...others.filter(({ name }) => operation.others.includes(name))]
    const contestants = targets.map((target) => ({
      target,
      request: operation.request(target === service || target.name === twoWorkers),
      token: seeded.token,
    }))
    await compareAnswers(operation.title, contestants)
    const rounds = await alternate(client, contestants, {
      rounds: ROUNDS,
      milliseconds: ROUND_MILLISECONDS,
      connections: CONNECTIONS,
    })
    const servers = targets.map(({ name }) => [name, figuresOf(name, rounds)] as const)
    lines.push({
      operation: operation.name,
      title: operation.title,
      bar: bars[operation.kind],
      servers: Object.fromEntries(servers),
      against: Object.fromEntries(
        targets.slice(1).map(({ name }) => [name, ratioOf(rounds, service.name, name)]),
      ),
    })
    const shown = servers.map(([name, { requestsPerSecond, cpu, toFloor }]) => {
      const ratios = toFloor ? ` (${toFloor.throughput.toFixed(2)}/${toFloor.cpu.toFixed(2)})` : ''
      return `${name} ${requestsPerSecond.toFixed(0)}/s ${cpu.toFixed(3)} ms${ratios}`
    })
    say(`${operation.title}: ${shown.join(', ')}`)
  }
  return lines
}

function figuresOf(name: string, rounds: Record<string, Round>[]): Figures {
  const own = rounds.map((round) => round[name] as Round)
  const latencies = own.flatMap((round) => round.latencies)
  return {
    requestsPerSecond: median(own.map(speed)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpu: median(own.map(cpuTime)),
    toFloor: rounds[0]?.floor ? ratioOf(rounds, name, 'floor') : null,
  }
}

function ratioOf(rounds: Record<string, Round>[], mine: string, theirs: string): Ratio {
  const { throughput, cpu } = ratiosOf(rounds, mine, theirs)
  return { throughput: median(throughput), cpu: median(cpu) }
}

/** Returns the slowdown of the service with more data or more work, by requests per second. */
function growthOf(lines: Line[]): Report['growth'] {
  const speedOf = (operation: string) =>
    lines.find((line) => line.operation === operation)?.servers.service?.requestsPerSecond ?? Number.NaN
  const compare = (title: string, small: string, large: string, bar?: number) => ({
    title,
    ratio: speedOf(small) / speedOf(large),
    bar: bar ?? null,
  })
  return [
    compare('Page at depth 500,000 to first page', 'listFirst', 'listDeep', 1.2),
    compare('Page of completed results to any', 'listFirst', 'listCompleted'),
    compare('Stats, all time, of 1,000,000 results to 1,000', 'statsSmall', 'statsAll', 3),
    compare('Stats, 7 days, of 1,000,000 results to all of 1,000', 'statsSmall', 'statsWeek', 3),
    compare('Rename of a 1 MB bot to a 5 KB bot', 'updateSmall', 'updateLarge', 2),
    compare('Create bot with an idempotency key to without', 'createBot', 'createBotKeyed'),
  ].filter(({ ratio }) => !Number.isNaN(ratio))
}

/** Processor, memory and system as everybody knows them. */
function machine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  const release = '/etc/os-release'
  const named = existsSync(release)
    ? /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync(release, 'utf8'))?.[1]
    : undefined
  return `${cpus().length} × ${cpu?.model.trim()}, ${memory} GB, ${named ?? platform()}, Node ${process.version}`
}

try {
  await run()
} finally {
  clearTimeout(late)
  await cleanUp()
}
process.exit()
