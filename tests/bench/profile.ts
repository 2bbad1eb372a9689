import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type DatabaseServer, databaseTime, openDatabaseServer } from './database.ts'
import { type Measured, operations } from './operations.ts'
import { Processes, type Profile, serviceVariables, type Target, type Threads } from './processes.ts'
import { startReceiver } from './receiver.ts'
import { median, once, warmUp } from './rounds.ts'
import { type Seed, seed } from './seed.ts'

/*
 * Says of operations where the CPU time of a request goes: whose code takes it in the service, and how much the
 * database takes; and how much time passes for each, in which the thread that runs JavaScript is on a core, waits for
 * one that another process has, or has nothing to do. Each is loaded in turns with and without V8 taking samples: how
 * much it takes is measured without, and how that is divided comes from the samples. What a function of V8 or Node
 * does is counted for its caller.
 *
 * Words name the operations; without any, all are. For Linux, with a database on this machine.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const ROUND_MILLISECONDS = Number(process.env.ROUND_MILLISECONDS ?? 1_000)
const CONNECTIONS = 16
const RESULTS = Number(process.env.RESULTS ?? 100_000)

const wanted = process.argv.slice(2)

const owners = [
  'Ours',
  'zod',
  'Other libraries',
  'pg',
  "Node's JavaScript",
  'V8 beside it',
  'Kernel, libuv',
] as const
type Owner = (typeof owners)[number]
type Shares = Record<Owner, number>

const maps = new Map<string, SourceMap>()

/** The module that a function is written in; the build has joined many. What a library has built itself is its own. */
function moduleOf({ url, lineNumber, columnNumber }: Profile[number]['callFrame']): string {
  if (!url.includes('/dist/') || url.includes('/node_modules/')) return url
  let map = maps.get(url)
  if (!map) {
    map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')))
    maps.set(url, map)
  }
  const place = map.findEntry(lineNumber, columnNumber)
  return 'originalSource' in place ? place.originalSource : url
}

/** Returns the owner of a function; undefined for C++ of V8 and Node, which belongs to its caller. */
function ownerOf(frame: Profile[number]['callFrame']): Owner | 'nobody' | undefined {
  const { functionName, url } = frame
  if (functionName === '(idle)' || functionName === '(root)') return 'nobody'
  if (functionName === '(garbage collector)') return 'V8 beside it'
  // Nothing of JavaScript runs: what has come is read, and parsed as HTTP.
  if (functionName === '(program)') return 'Kernel, libuv'
  // The kernel measures the time of writes. In samples, a write that wakes another process lasts as long as this one
  // waits.
  if (url === '') return /^write/.test(functionName) ? 'nobody' : undefined
  if (url.startsWith('node:')) return "Node's JavaScript"
  const [, library] = /.*\/node_modules\/([^/]+)/.exec(moduleOf(frame)) ?? []
  if (library === undefined) return url.includes('/dist/') ? 'Ours' : 'nobody'
  if (library === 'zod') return 'zod'
  return /^pg|^postgres/.test(library) ? 'pg' : 'Other libraries'
}

/** Divides CPU time by owner, as the samples say for the thread of JavaScript outside of the kernel. */
function divide({ all, main, kernel }: Omit<Threads, 'waiting'>, nodes: Profile): Shares {
  const counts = new Map<Owner | 'nobody', number>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const visit = (node: Profile[number], caller: Owner | 'nobody') => {
    const owner = ownerOf(node.callFrame) ?? caller
    counts.set(owner, (counts.get(owner) ?? 0) + node.hitCount)
    for (const id of node.children ?? []) visit(byId.get(id) as Profile[number], owner)
  }
  visit(nodes[0] as Profile[number], 'nobody')
  counts.delete('nobody')
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const share = (owner: Owner) => ((counts.get(owner) ?? 0) / total) * (main - kernel)
  const shares = Object.fromEntries(owners.map((owner) => [owner, share(owner)])) as Shares
  // The other threads collect garbage and compile.
  shares['V8 beside it'] += all - main
  shares['Kernel, libuv'] += kernel
  return shares
}

const folder = await mkdtemp(join(tmpdir(), 'bots-profile-'))
const processes = new Processes(folder)
const receiver = await startReceiver()
let database: DatabaseServer | undefined

async function profile(target: Target, seeded: Seed, operation: Measured, ofDatabase: () => number) {
  const contestant = { target, request: operation.request(true), token: seeded.token }
  const load = () => once(client, contestant, CONNECTIONS, ROUND_MILLISECONDS)
  const rounds: number[][] = []
  await warmUp(client, contestant, CONNECTIONS, ROUND_MILLISECONDS)
  for (let round = 0; round < ROUNDS; round++) {
    const before = await target.threads()
    const database = ofDatabase()
    const { requests, seconds } = await load()
    const after = await target.threads()
    const ofDatabaseNow = ofDatabase() - database
    await target.watch()
    await load()
    const used = {
      all: after.all - before.all,
      main: after.main - before.main,
      kernel: after.kernel - before.kernel,
    }
    const shares = divide(used, await target.watched())
    const waiting = after.waiting - before.waiting
    const times = [used.all, ...owners.map((owner) => shares[owner]), ofDatabaseNow, waiting, 1_000 * seconds]
    rounds.push(times.map((milliseconds) => (1_000 * milliseconds) / requests))
  }
  return (rounds[0] as number[]).map((_, at) => median(rounds.map((times) => times[at] as number)).toFixed(0))
}

const client = processes.client()
try {
  database = await openDatabaseServer(folder)
  const url = await database.create()
  const variables = serviceVariables(url, receiver.host)
  const start = (name: string) =>
    processes.server(name, ['dist/server/main.js'], variables, { path: '/readyz', isProfiled: true })
  const filler = await start('filler')
  const given = { url, receiver: receiver.host, connections: CONNECTIONS }
  const seeded = await seed(filler, given, RESULTS)
  await filler.stop()

  const connection = new pg.Client({ connectionString: url })
  await connection.connect()
  const ofDatabase = await databaseTime(connection)
  await connection.end()
  const service = await start('service')
  const lines = [
    ['µs of CPU time per request', 'Service', ...owners, 'PostgreSQL', 'Waits for a core', 'Passes'],
    ['---', ...['', ...owners, '', '', ''].map(() => '--:')],
  ]
  for (const operation of operations(seeded)) {
    if (wanted.length > 0 && !wanted.includes(operation.name)) continue
    lines.push([operation.title, ...(await profile(service, seeded, operation, ofDatabase))])
  }
  process.stdout.write(`${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`)
} finally {
  receiver.stop()
  await processes.stop()
  await database?.remove()
  await rm(folder, { recursive: true, force: true })
}
process.exit()
