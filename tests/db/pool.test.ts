import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { until } from '../support/process.ts'
import { isPooled } from '../support/server.ts'
import { makeWorld } from '../support/world.ts'

/* State of a connection, which it lacks behind a pooler. */

const testDirect = isPooled() ? test.skip : test

let app: App
beforeAll(async () => {
  app = await startApp({ database: { poolSize: 1, connectTimeout: 8_000, lockTimeout: 8_000 } })
})
afterAll(() => app.stop())

async function lockTimeout(): Promise<number> {
  const { rows } = await app.pool.query(
    "SELECT setting::int AS milliseconds FROM pg_settings WHERE name = 'lock_timeout'",
  )
  return rows[0].milliseconds
}

testDirect(
  'a statement waits for a row as long as its wait for a connection has left, and the next one in full',
  async () => {
    const only = await app.pool.connect()
    const waiting = lockTimeout()
    await delay(4_500)
    only.release()
    const left = await waiting
    expect(left).toBeGreaterThanOrEqual(1_000)
    expect(left).toBeLessThanOrEqual(3_500)
    expect(await lockTimeout()).toBe(8_000)
  },
)

testDirect('a request with a key waits for a row as long as its wait for a connection has left', async () => {
  const { here, stranger } = await makeWorld(app)
  const seen: number[] = []
  app.beforeStatement = async (text, _values, send) => {
    if (!/insert into "workspace_members"/.test(text)) return
    const { rows } = await send("SELECT setting::int AS value FROM pg_settings WHERE name = 'lock_timeout'")
    seen.push(rows[0].value)
  }
  const only = await app.pool.connect()
  const creating = app.client.call('addMember', {
    as: here.admin,
    params: { workspaceId: here.workspaceId },
    body: { email: stranger.email, role: 'GUEST' },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  await until('the request waits', async () => app.pool.waitingCount === 1)
  // Somebody else is served between the look-up of the caller and the transaction.
  const other = app.pool.connect()
  only.release()
  const connection = await other
  await delay(4_500)
  connection.release()
  const created = await creating
  app.beforeStatement = undefined
  expect(created.status).toBe(201)
  expect(seen).toHaveLength(1)
  expect(seen[0]).toBeLessThanOrEqual(7_000)
})

testDirect('a failing prepared statement rejects its caller, and the next one runs', async () => {
  async function whoAsks(divisor: number) {
    const statement = { name: 'division', text: 'SELECT 6 / $1::integer AS value', values: [divisor] }
    return (await app.pool.query(statement)).rows
  }
  const error = await whoAsks(0).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ code: '22012', stack: expect.stringContaining('whoAsks') })
  expect(await whoAsks(2)).toEqual([{ value: 3 }])
  await expect(app.pool.query({ name: 'division', text: 'SELECT 1', values: [] })).rejects.toThrow(
    'Prepared statements must be unique',
  )
})

testDirect('a prepared statement has the columns of its own connection', async () => {
  const star = async () => {
    const { rows } = await app.pool.query({ name: 'star', text: 'SELECT * FROM star', values: [] })
    return rows
  }
  await app.pool.query('CREATE TABLE star AS SELECT 1 AS one, 2 AS two')
  expect(await star()).toEqual([{ one: 1, two: 2 }])
  expect(await star()).toEqual([{ one: 1, two: 2 }])
  for (const [change, rows] of [
    [`ALTER TABLE star ALTER one TYPE text`, [{ one: '1', two: 2 }]],
    [`ALTER TABLE star RENAME two TO three`, [{ one: '1', three: 2 }]],
    [`ALTER TABLE star DROP three`, [{ one: '1' }]],
  ] as const) {
    const connection = await app.pool.connect()
    await connection.query(change)
    // The pool opens another one.
    connection.release(true)
    expect(await star()).toEqual(rows)
  }
  await app.pool.query('DROP TABLE star')
})
