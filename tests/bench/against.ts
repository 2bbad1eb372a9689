import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isKnown } from './answers.ts'
import { type DatabaseServer, openDatabaseServer } from './database.ts'
import { type Measured, operations } from './operations.ts'
import { Processes, root, serviceVariables, type Target } from './processes.ts'
import { startReceiver } from './receiver.ts'
import { alternate, cpuTime, median, type Round, ratiosOf, speed, spread } from './rounds.ts'
import { type Seed, seed } from './seed.ts'

/*
 * Measures the service as it is built against a revision of it, which is built in a folder of its own, each on a
 * database of its own that was filled by the same program. Both run at once and are loaded in turn. Says of every
 * operation whether it became better or worse, or whether the difference is within the noise; ends with 1 where one
 * became worse.
 *
 * The first word is the revision, further ones name the operations to measure. ROUNDS and ROUND_MILLISECONDS change
 * how long.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 11)
const ROUND_MILLISECONDS = Number(process.env.ROUND_MILLISECONDS ?? 500)
const CONNECTIONS = 16
/** Less than this is nothing that anybody notices, however sure it is. */
const NOTICEABLE = 0.03

const [revision = 'HEAD', ...wanted] = process.argv.slice(2)
const say = (text: string) => process.stderr.write(`${text}\n`)

const folder = await mkdtemp(join(tmpdir(), 'bots-bench-'))
const before = join(folder, 'before')
const processes = new Processes(folder)
const receiver = await startReceiver()
let database: DatabaseServer | undefined

async function cleanUp() {
  receiver.stop()
  await processes.stop()
  await database?.remove()
  if (existsSync(before)) git('worktree', 'remove', '--force', before)
  await rm(folder, { recursive: true, force: true })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)))
}

function git(...words: string[]): string {
  return execFileSync('git', words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim()
}

/** Checks the revision out and builds it. */
async function build(): Promise<string> {
  const commit = git('rev-parse', '--verify', `${revision}^{commit}`)
  say(`Building ${commit.slice(0, 10)}`)
  git('worktree', 'add', '--quiet', '--detach', before, commit)
  const npm = (...words: string[]) =>
    execFileSync('npm', ['--silent', ...words], { cwd: before, stdio: 'inherit' })
  const lockOf = (place: string) => readFile(join(place, 'package-lock.json'), 'utf8')
  if ((await lockOf(before)) === (await lockOf(root))) {
    await symlink(join(root, 'node_modules'), join(before, 'node_modules'))
  } else npm('ci')
  npm('run', 'build')
  return commit.slice(0, 10)
}

interface Side {
  target: Target
  seeded: Seed
}

async function startSide(server: DatabaseServer, name: string, cwd: string): Promise<Side> {
  const url = await server.create()
  const variables = serviceVariables(url, receiver.host)
  const start = (name: string) =>
    processes.server(name, ['--enable-source-maps', 'dist/server/main.js'], variables, {
      path: '/readyz',
      cwd,
    })
  say(`Filling the database of ${name}`)
  const filler = await start(`${name}-filler`)
  const seeded = await seed(filler, { url, receiver: receiver.host, connections: CONNECTIONS })
  await filler.stop()
  return { target: await start(name), seeded }
}

type Verdict = 'better' | 'worse' | 'within the noise'

interface Change {
  ratio: number
  low: number
  high: number
  verdict: Verdict
}

/** Summarises ratios of now to before, one per round; above 1 is better. */
function changeOf(ratios: number[]): Change {
  const [low, high] = spread(ratios)
  const verdict: Verdict =
    low > 1 + NOTICEABLE ? 'better' : high < 1 - NOTICEABLE ? 'worse' : 'within the noise'
  return { ratio: median(ratios), low, high, verdict }
}

const shown = ({ ratio, low, high, verdict }: Change) =>
  `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)}) | ${verdict}`

async function run(): Promise<boolean> {
  const commit = await build()
  database = await openDatabaseServer(folder)
  const old = await startSide(database, 'before', before)
  const now = await startSide(database, 'now', root)
  const client = processes.client()
  const lines = [
    `Against ${commit}; ${ROUNDS} rounds in turn, ${CONNECTIONS} connections. Ratios are now to before, of throughput and of CPU`,
    'time per request; above 1 is better. In brackets what the median lies within, 98 times of 100.',
    '',
    '| Operation | Requests/s before | now | Throughput | | CPU ms before | now | CPU | |',
    '| --- | --: | --: | --: | --- | --: | --: | --: | --- |',
  ]
  let isWorse = false
  const earlier = new Map(operations(old.seeded).map((operation) => [operation.name, operation]))
  for (const operation of operations(now.seeded)) {
    if (wanted.length > 0 && !wanted.includes(operation.name)) continue
    const contestant = ({ target, seeded }: Side, { request }: Measured) => ({
      target,
      request: request(true),
      token: seeded.token,
    })
    const same = earlier.get(operation.name)
    const sides = [...(same ? [contestant(old, same)] : []), contestant(now, operation)]
    const [first] = sides
    if (!same || !first || !(await isKnown(first))) {
      lines.push(`| ${operation.title} | not there | | | | | | | |`)
      continue
    }
    const pace = { rounds: ROUNDS, milliseconds: ROUND_MILLISECONDS, connections: CONNECTIONS }
    const rounds = await alternate(client, sides, pace)
    const of = (name: string, figure: (round: Round) => number) =>
      rounds.map((round) => figure(round[name] as Round))
    const ratios = ratiosOf(rounds, 'now', 'before')
    const throughput = changeOf(ratios.throughput)
    const cpu = changeOf(ratios.cpu)
    isWorse ||= throughput.verdict === 'worse' || cpu.verdict === 'worse'
    const cells = [
      operation.title,
      median(of('before', speed)).toFixed(0),
      median(of('now', speed)).toFixed(0),
      shown(throughput),
      median(of('before', cpuTime)).toFixed(3),
      median(of('now', cpuTime)).toFixed(3),
      shown(cpu),
    ]
    lines.push(`| ${cells.join(' | ')} |`)
    say(lines.at(-1) as string)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  return isWorse
}

try {
  process.exitCode = (await run()) ? 1 : 0
} finally {
  await cleanUp()
}
process.exit()
