import { endProcesses } from '../support/process.ts'
import { startTestServer } from '../support/server.ts'
import { deleteUnderKills } from './deletions.ts'
import { clusterFaults } from './faults/cluster.ts'
import { databaseFaults } from './faults/database.ts'
import { failover } from './faults/failover.ts'
import type { Fault } from './faults/fault.ts'
import { networkFaults } from './faults/network.ts'
import { processFaults } from './faults/processes.ts'
import { races } from './faults/races.ts'
import { runHistories } from './histories.ts'
import { payUnderKills } from './payments.ts'
import { talkUnderKills } from './people.ts'
import { findPlanted } from './planted.ts'
import { randomOf } from './random.ts'
import { retry, throughput } from './retries.ts'
import { holdStreams } from './streams.ts'
import { fireUnderKills } from './timers.ts'

/*
 * `make torture`: every fault of the list and what must come of it, then COUNT results that are deleted while they are
 * written, COUNT writes that are sent again and again, COUNT chats that members take while their visitors write, open
 * streams, COUNT timers that are due within MINUTES and COUNT chats that ask for payments with KILLS of processes, then
 * histories of a service that is broken on purpose, for MINUTES, WIDTH bots or chats at once. SEED brings a run back;
 * ONLY names some of it, such as "F1 F9 retries". With PLANTED=1, bugs that the histories have to find.
 */

const { SEED, MINUTES, WIDTH, COUNT, KILLS, ONLY = '', PLANTED, SCALE } = process.env
const seed = Number(SEED || Date.now() % 1_000_000)
/** Less than 1 does less of everything, and does not look at the time. */
const scale = Number(SCALE || 1)
const wanted = ONLY.split(/[ ,]+/).filter(Boolean)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

/** Faults of the list that this project does not run yet. */
const notRun: Record<string, string> = {
  F25: 'a replica that lags: tests/db/standby.test.ts pauses a real one under load',
  F27: 'a receiver of events that is slow or dead: tests/flows has its tests, nothing here breaks one for an hour',
}

const faults = [
  ...databaseFaults,
  ...processFaults,
  ...races,
  ...networkFaults,
  ...clusterFaults,
  failover,
].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))

/** Does one thing, and says what came of it. */
async function report(name: string, work: () => Promise<string>) {
  const start = performance.now()
  const line = (said: string) =>
    console.log(`${name} [${Math.round((performance.now() - start) / 1_000)} s]: ${said}`)
  try {
    line(await work())
  } catch (error) {
    process.exitCode = 1
    line(`FAILED: ${error instanceof Error ? error.stack : error}`)
  } finally {
    await endProcesses()
  }
}

async function histories(): Promise<string> {
  const { answers, counts, violation, log, took } = await runHistories({
    seed,
    milliseconds: Number(MINUTES || 10) * 60_000,
    processes: 5,
    width: Number(WIDTH || 3),
    isBroken: true,
  })
  if (violation) throw new Error(`${violation.stack}\n${log.join('\n')}`)
  const found = Object.entries(counts).map(([what, count]) => `${what} ${count}`)
  return `seed ${seed}: ${answers} answers of five processes in ${Math.round(took / 1_000)} s, no violation (${found.join(', ')})`
}

async function all() {
  for (const { id, what, run } of faults as Fault[]) {
    if (!isWanted(id)) continue
    await report(`${id} ${what}`, () => run({ random: randomOf(seed), scale, isTimed: scale === 1 }))
  }
  for (const [id, why] of Object.entries(notRun)) {
    if (isWanted(id)) console.log(`${id}: NOT RUN: ${why}`)
  }
  if (isWanted('deletions'))
    await report('deletions', () => deleteUnderKills({ total: Number(COUNT || 10_000) }, randomOf(seed)))
  if (isWanted('retries')) await report('retries', () => retry(seed, Number(COUNT || 5_000), randomOf(seed)))
  if (isWanted('throughput')) await report('throughput', () => throughput(3))
  if (isWanted('people'))
    await report('people', () =>
      talkUnderKills({ total: Number(COUNT || 300), width: Number(WIDTH || 12) }, randomOf(seed)),
    )
  if (isWanted('streams')) await report('streams', () => holdStreams(1_000))
  if (isWanted('timers')) {
    const amount = {
      total: Number(COUNT || 10_000),
      kills: Number(KILLS || 5),
      minutes: Number(MINUTES || 1),
    }
    await report('timers', () => fireUnderKills(amount, randomOf(seed)))
  }
  if (isWanted('payments')) {
    const amount = { total: Number(COUNT || 10_000), width: Number(WIDTH || 12), kills: Number(KILLS || 40) }
    await report('payments', () => payUnderKills(amount, randomOf(seed)))
  }
  if (isWanted('histories')) await report('histories', histories)
}

const server = await startTestServer()
console.log(`SEED=${seed}`)
// An interrupted run must not leave anything behind either.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    await endProcesses()
    await server.stop()
    process.exit(130)
  })
}
try {
  if (!PLANTED) await all()
  else if (!(await findPlanted(seed, wanted))) process.exitCode = 1
} finally {
  await endProcesses()
  await server.stop()
}
