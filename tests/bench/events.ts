import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { databaseTime } from './database.ts'
import { operations } from './operations.ts'
import { serviceVariables } from './processes.ts'
import { type Contestant, describeRatios, once, speed, warmUp } from './rounds.ts'
import { seed } from './seed.ts'
import { openWorkbench } from './workbench.ts'

/*
 * Measures the cost of webhook events for a service that runs chats. Two services, each with a database of its own,
 * run the same chats of the same bot in alternation; only one of them has an endpoint. All that waits is deleted
 * after each round, so that neither pays for the other. CPU time is that of the service and of the database: for
 * Linux. Run `npm run build` before. ROUNDS and ROUND_MILLISECONDS change the duration.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 40)
const ROUND_MILLISECONDS = Number(process.env.ROUND_MILLISECONDS ?? 1_500)
const CONNECTIONS = 16
/** Pause before each round, in milliseconds. */
const PAUSE_BEFORE_ROUND_MS = 1_000
const RESULTS = 50_000

const say = (text: string) => process.stdout.write(`${text}\n`)

const { processes, receiver, server, close } = await openWorkbench()
try {
  await run()
} finally {
  await close()
}
process.exit()

/** A service with its database, and the request to it. */
async function openSide(name: string, isTold: boolean) {
  const url = await server.create()
  const variables = serviceVariables(url, receiver.host)
  const start = (name: string) =>
    processes.server(name, ['--enable-source-maps', 'dist/server/main.js'], variables, { path: '/readyz' })
  const filler = await start(`${name}-filler`)
  const seeded = await seed(filler, { url, receiver: receiver.host, connections: CONNECTIONS }, RESULTS)
  await filler.stop()
  const database = new pg.Client(url)
  // A failed run stops the server before this connection; the reason of the failure must stay visible.
  database.on('error', () => {})
  await database.connect()
  // Otherwise rows left by the seed would be vacuumed during the rounds of the service that was filled last.
  await database.query('VACUUM ANALYZE')
  if (!isTold) await database.query('DELETE FROM webhook_endpoints')
  // No second process: it would have nothing to do but to send what this one lets wait.
  const target = await start(name)
  const operation = operations(seeded).find(({ name }) => name === 'continueWatched')
  if (!operation) throw new Error('This build tells nobody')
  const contestant: Contestant = { target, request: operation.request(true), token: seeded.token }
  return { contestant, database }
}

async function run() {
  const quiet = await openSide('quiet', false)
  const told = await openSide('told', true)
  const client = processes.client()
  const ofDatabase = await databaseTime(told.database)
  const count = async (which: string) => {
    const { rows } = await told.database.query(`SELECT count(*)::integer AS n FROM ${which}`)
    return rows[0].n as number
  }
  const waiting = 'webhook_deliveries WHERE next_attempt_at IS NOT NULL'
  const delivered = 'webhook_deliveries WHERE is_delivered'
  const forgetWaiting = async () => {
    await told.database.query('DELETE FROM webhook_outbox')
    await told.database.query(
      'DELETE FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL AND leased_until IS NULL',
    )
    while ((await count(waiting)) > 0) await sleep(200)
    // Vacuum and writes that a round left to the database are charged to neither service.
    await told.database.query('VACUUM webhook_outbox, webhook_deliveries')
    await told.database.query('CHECKPOINT')
    await sleep(PAUSE_BEFORE_ROUND_MS)
  }
  const turn = async ({ contestant }: typeof quiet) => {
    const before = await count(delivered)
    const databaseBefore = ofDatabase()
    const round = await once(client, contestant, CONNECTIONS, ROUND_MILLISECONDS)
    const cpu = round.cpu + ofDatabase() - databaseBefore
    const sent = (await count(delivered)) - before
    await forgetWaiting()
    return { ...round, cpu: cpu / round.requests, sent }
  }
  for (const { contestant } of [quiet, told]) await warmUp(client, contestant, CONNECTIONS, 500)
  // Sent, not forgotten: the compiler has to get to the code that sends as well.
  while ((await count('webhook_outbox')) + (await count(waiting)) > 0) await sleep(200)
  await forgetWaiting()

  const ratios: { throughput: number; cpu: number }[] = []
  for (let at = 0; at < ROUNDS; at++) {
    // Each is first in turn.
    const early = at % 2 === 0 ? await turn(told) : undefined
    const off = await turn(quiet)
    const on = early ?? (await turn(told))
    ratios.push({ throughput: speed(on) / speed(off), cpu: off.cpu / on.cpu })
    say(
      `${speed(off).toFixed(0)} steps a second of which nobody is told, ${speed(on).toFixed(0)} of which an endpoint is; ` +
        `${on.sent} of ${on.requests} events were sent meanwhile`,
    )
  }
  await Promise.all([quiet.database.end(), told.database.end()])
  say(
    `On to off: throughput ${describeRatios(ratios.map(({ throughput }) => throughput))}, CPU time ${describeRatios(ratios.map(({ cpu }) => cpu))}`,
  )
}
