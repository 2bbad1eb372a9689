import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { finish, refusalsOf, startWriters, untilAllWrite } from './support/ledger.ts'
import {
  addressOf,
  endProcesses,
  freePort,
  newDataFolder,
  postmasterOf,
  startService,
  until,
} from './support/process.ts'
import { runs } from './support/runs.ts'
import { createDatabase } from './support/server.ts'

/* Something is killed while writers write, who note what was acknowledged. */

const cleanUps: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  await endProcesses()
})

test('a service that is killed while it writes loses no acknowledged write', async () => {
  const database = await createDatabase('nothing')
  cleanUps.push(database.drop)
  const variables = { DATABASE_URL: database.url, PORT: String(await freePort()) }
  let service = await startService(variables)
  const writers = await startWriters(service, 6)
  cleanUps.push(() => Promise.all(writers.map((writer) => writer.stop())))
  for (let kill = 0; kill < runs(2, 4); kill++) {
    await untilAllWrite(writers)
    service.signal('SIGKILL')
    await service.ended
    service = await startService(variables)
  }
  await untilAllWrite(writers)
  await finish(writers, database.url)
  // Connections break, and while it starts again it says so.
  expect([undefined, 503]).toEqual(expect.arrayContaining(refusalsOf(writers)))
})

async function oneBackend(folder: string): Promise<number> {
  const client = new pg.Client({ connectionString: await addressOf(folder) })
  await client.connect()
  const { rows } = await client.query(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'bot-builder-service' LIMIT 1`,
  )
  await client.end()
  return rows[0].pid
}

test('a database that is killed or restarted while it writes loses no acknowledged write', async () => {
  const DATA_DIR = await newDataFolder()
  const service = await startService({ DATA_DIR })
  const writers = await startWriters(service, 6)
  cleanUps.push(() => Promise.all(writers.map((writer) => writer.stop())))
  const faults = [
    async () => process.kill((await postmasterOf(DATA_DIR)) ?? 0, 'SIGKILL'),
    // One killed backend takes all others along, since it may have spoilt what they share.
    async () => process.kill(await oneBackend(DATA_DIR), 'SIGKILL'),
    // A fast and an immediate stop, as an administrator would ask for.
    async () => process.kill((await postmasterOf(DATA_DIR)) ?? 0, 'SIGINT'),
    async () => process.kill((await postmasterOf(DATA_DIR)) ?? 0, 'SIGQUIT'),
  ]
  for (const fault of faults) {
    await untilAllWrite(writers)
    await fault()
    await until('the loss is noticed', () => writers.some(({ refusals }) => refusals.size > 0))
    await untilAllWrite(writers)
    // The service never went away, so nothing but 503 may have been answered in between.
    expect(refusalsOf(writers)).toEqual([503])
    for (const writer of writers) writer.refusals.clear()
  }
  await finish(writers, await addressOf(DATA_DIR))
  service.signal('SIGTERM')
  expect((await service.ended).code).toBe(0)
})
