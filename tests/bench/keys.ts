import pg from 'pg'
import { databaseTime } from './database.ts'
import { operations } from './operations.ts'
import { serviceVariables } from './processes.ts'
import { type Contestant, describeRatios, once, speed, warmUp } from './rounds.ts'
import { seed } from './seed.ts'
import { openWorkbench } from './workbench.ts'

/*
 * Measures the cost of an idempotency key for a new bot of 27 KB: one service is loaded in alternation with and without
 * keys. CPU time is that of the service and of the database: for Linux. Run `npm run build` before. ROUNDS and
 * ROUND_MILLISECONDS change the duration.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 20)
const ROUND_MILLISECONDS = Number(process.env.ROUND_MILLISECONDS ?? 1_500)
const CONNECTIONS = 16
/** Results of a bot in the database, few of which would leave the seed waiting for days that are never counted. */
const RESULTS = 50_000

const { processes, receiver, server, close } = await openWorkbench()
try {
  await run()
} finally {
  await close()
}
process.exit()

async function run() {
  const url = await server.create()
  const main = ['--enable-source-maps', 'dist/server/main.js']
  const target = await processes.server('service', main, serviceVariables(url, receiver.host), {
    path: '/readyz',
  })
  const seeded = await seed(target, { url, receiver: receiver.host, connections: CONNECTIONS }, RESULTS)
  const database = new pg.Client(url)
  // A failed run stops the server before this connection; the reason of the failure must stay visible.
  database.on('error', () => {})
  await database.connect()
  const readDatabaseTime = await databaseTime(database)
  const client = processes.client()
  const contestant = (name: string): Contestant => {
    const operation = operations(seeded).find((one) => one.name === name)
    if (!operation) throw new Error(`This build has no ${name}`)
    return { target, request: operation.request(true), token: seeded.token }
  }
  const measure = async (one: Contestant) => {
    const before = readDatabaseTime()
    const round = await once(client, one, CONNECTIONS, ROUND_MILLISECONDS)
    const cpu = round.cpu + readDatabaseTime() - before
    // Writes that a round left to the database are charged to neither.
    await database.query('CHECKPOINT')
    return { speed: speed(round), cpu: cpu / round.requests }
  }
  const [plain, keyed] = [contestant('createBot'), contestant('createBotKeyed')]
  for (const one of [plain, keyed]) await warmUp(client, one, CONNECTIONS, 1_000)
  const rounds: { throughput: number; cpu: number }[] = []
  for (let at = 0; at < ROUNDS; at++) {
    // Each is first in turn.
    const early = at % 2 === 0 ? await measure(keyed) : undefined
    const without = await measure(plain)
    const withKey = early ?? (await measure(keyed))
    rounds.push({ throughput: withKey.speed / without.speed, cpu: withKey.cpu / without.cpu })
    process.stdout.write(
      `${without.speed.toFixed(0)} bots a second and ${without.cpu.toFixed(2)} ms without a key, ` +
        `${withKey.speed.toFixed(0)} and ${withKey.cpu.toFixed(2)} ms with one\n`,
    )
  }
  await database.end()
  process.stdout.write(
    `With a key to without: throughput ${describeRatios(rounds.map(({ throughput }) => throughput))}, ` +
      `CPU time ${describeRatios(rounds.map(({ cpu }) => cpu))}\n`,
  )
}
