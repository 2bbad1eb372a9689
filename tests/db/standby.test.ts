import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { connect, type Database } from '../../server/db/client.ts'
import { migrateDatabase } from '../../server/db/migrate.ts'
import { preferStandby, standbyReads } from '../../server/db/standby.ts'
import { createLog } from '../../server/log.ts'
import { type App, startApp } from '../support/app.ts'
import { endProcesses, until } from '../support/process.ts'
import { canCopy, type Pair, startPair } from '../support/standby.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Reads of results from a real streaming standby: it is paused, killed and mistaken, and no read is ever too old. */

const standbyDescribe = canCopy ? describe : describe.skip

standbyDescribe('with a standby (skipped on Windows)', () => {
  let pair: Pair
  /** Two processes of one installation, as far as they know of each other. */
  let here: App
  let there: App
  let world: World
  const logs: Record<string, unknown>[] = []
  const pools: pg.Pool[] = []
  /** Statements that may be answered by the standby. */
  let asked = 0

  const limits = { connectTimeout: 60_000, statementTimeout: 60_000, lockTimeout: 60_000 }
  function open(url: string, primary: Database): Database {
    const options = { url, poolSize: 4, namedStatements: true, sessionSettings: true, onError: () => {} }
    const { pool } = connect({ ...options, ...limits })
    pools.push(pool)
    const log = createLog('info', { write: (line: string) => void logs.push(JSON.parse(line)) })
    const db = preferStandby({ primary, standby: pool, log, namedStatements: true })
    const { $client: client } = db
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    return Object.assign(db, {
      $client: Object.assign(client, {
        query: (...given: unknown[]) => {
          asked++
          return query(...given)
        },
      }),
    })
  }

  beforeAll(async () => {
    pair = await startPair()
    await migrateDatabase(pair.primaryUrl)
    const options = {
      databaseUrl: pair.primaryUrl,
      reads: (primary: Database) => open(pair.standbyUrl, primary),
    }
    here = await startApp(options)
    there = await startApp(options)
    world = await makeWorld(here)
  })
  afterAll(async () => {
    await here.stop()
    await there.stop()
    await Promise.all(pools.map((pool) => pool.end()))
    await pair.stop()
    await endProcesses()
  })
  beforeEach(async () => {
    await pair.resume()
    await pair.caughtUp()
    await until('the standby is read', async () => {
      const before = standbyReads.standby
      await stats(here)
      return standbyReads.standby > before
    })
    Object.assign(standbyReads, { standby: 0, lagging: 0, failing: 0 })
    asked = 0
    logs.length = 0
  })

  async function stats(app: App) {
    const { here: site } = world
    const answer = await app.client.call('getStats', {
      as: site.member,
      params: { botId: site.published.id },
    })
    expect(answer.status).toBe(200)
    return (answer.body as { stats: { totalViews: number; totalStarts: number } }).stats
  }

  async function startChat(app: App) {
    const answer = await app.client.call('startChat', {
      params: { publicId: world.here.published.publicId },
      body: {},
    })
    expect(answer.status).toBe(200)
  }

  test('a standby serves results, transcripts, logs, exports and statistics, and nothing else', async () => {
    const { here: site } = world
    const as = site.member
    const params = { botId: site.published.id, resultId: site.results[0] }
    const calls = [
      () => here.client.call('listResults', { as, params }),
      () => here.client.call('getResult', { as, params }),
      () => here.client.call('getTranscript', { as, params }),
      () => here.client.call('listResultLogs', { as, params }),
      () => here.client.call('getStats', { as, params }),
      () => here.client.call('getBlockStats', { as, params }),
      () => here.client.send('GET', `/v1/bots/${params.botId}/resultsExport`, { as }),
    ]
    for (const call of calls) {
      // It may lag for a moment on a busy machine.
      await until('it comes from the standby', async () => {
        const { standby } = standbyReads
        expect((await call()).status).toBe(200)
        return standbyReads.standby > standby
      })
    }
    const before = { ...standbyReads }
    expect((await here.client.call('getBot', { as, params })).status).toBe(200)
    expect((await here.client.call('listChats', { as, params })).status).toBe(200)
    expect(standbyReads).toEqual(before)
  })

  test('a read during a pause of the standby has the writes of all processes, and comes from the primary', async () => {
    await pair.pause()
    for (let again = 0; again < 5; again++) {
      const { totalViews } = await stats(there)
      await startChat(here)
      expect((await stats(there)).totalViews).toBe(totalViews + 1)
      expect((await stats(here)).totalViews).toBe(totalViews + 1)
    }
    expect(standbyReads.lagging).toBeGreaterThan(0)
    await pair.resume()
    await pair.caughtUp()
    await until('it is read again', async () => {
      const { standby } = standbyReads
      await stats(there)
      return standbyReads.standby > standby
    })
  })

  test('reads beside a standby that pauses under load are never older than acknowledged writes', async () => {
    let acknowledged = (await stats(here)).totalViews
    let isOver = false
    const writers = [here, there].map(async (app) => {
      while (!isOver) {
        await startChat(app)
        acknowledged++
      }
    })
    let reads = 1
    const stale: [number, number][] = []
    const readers = [here, there, here, there].map(async (app) => {
      while (!isOver) {
        const least = acknowledged
        const { totalViews } = await stats(app)
        reads++
        if (totalViews < least) stale.push([least, totalViews])
      }
    })
    for (let again = 0; again < 3; again++) {
      const before = standbyReads.standby
      await until('some come from it', () => standbyReads.standby > before + 20)
      const { lagging } = standbyReads
      await pair.pause()
      await until('some do not', () => standbyReads.lagging > lagging + 20)
      await pair.resume()
    }
    isOver = true
    await Promise.all([...writers, ...readers])
    expect(stale).toEqual([])
    // On a busy machine it may be too slow to say how far it is, which counts as failing; the read is answered all the
    // same.
    expect(asked).toBe(standbyReads.standby + standbyReads.lagging + standbyReads.failing)
    // A process with two reads at a time may check both in one statement.
    expect(asked).toBeLessThanOrEqual(reads)
    expect(asked).toBeGreaterThanOrEqual(reads / 2)
  })

  test('a standby that dies and comes back fails no read, and is logged once', async () => {
    await pair.killStandby()
    for (let again = 0; again < 10; again++) await stats(here)
    expect(standbyReads).toMatchObject({ standby: 0, failing: 10 })
    await pair.startStandby()
    await until('it is read again', async () => {
      await stats(here)
      return standbyReads.standby > 0
    })
    expect(logs.map(({ msg }) => msg)).toEqual([
      'the standby cannot be read: the primary is',
      'the standby is read again',
    ])
  })

  test('an address of the primary, or of no server, is logged, and the primary is read', async () => {
    for (const url of [pair.primaryUrl, 'postgres://nobody@127.0.0.1:1/nothing']) {
      logs.length = 0
      const reads = open(url, here.db)
      expect((await reads.$client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
      expect(logs).toHaveLength(1)
    }
    expect(standbyReads).toMatchObject({ standby: 0, failing: 2 })
  })

  test('a standby of another server is logged, and the primary is read', async () => {
    const other = await startApp()
    try {
      const reads = open(pair.standbyUrl, other.db)
      for (let time = 0; time < 3; time++) {
        const { rows } = await reads.$client.query(
          'SELECT system_identifier::text AS id FROM pg_control_system()',
        )
        const own = await other.pool.query('SELECT system_identifier::text AS id FROM pg_control_system()')
        expect(rows).toEqual(own.rows)
      }
      expect(standbyReads).toMatchObject({ standby: 0, failing: 3 })
      expect(logs).toMatchObject([
        { err: { message: 'DATABASE_READ_URL leads to a standby of another database server' } },
      ])
    } finally {
      await other.stop()
    }
  })

  test('the primary runs reads that the standby rejects', async () => {
    const reads = open(pair.standbyUrl, here.db)
    await reads.$client.query("INSERT INTO schema_lock (id) VALUES ('written through a standby')")
    const { rows } = await here.pool.query("DELETE FROM schema_lock WHERE id LIKE 'written%' RETURNING id")
    expect(rows).toHaveLength(1)
    await expect(reads.$client.query('SELECT nonsense')).rejects.toThrow(pg.DatabaseError)
    expect(logs).toEqual([])
  })
})
