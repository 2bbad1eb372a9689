import { createHook } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type OperationId, operations } from '../contract/index.ts'
import { minimumKeyOf } from '../contract/kit/operation.ts'
import type { Operation } from '../contract/operation.ts'
import { successCases } from './cases/index.ts'
import { type App, startApp } from './support/app.ts'
import type { Case } from './support/cases.ts'
import { newDataFolder } from './support/process.ts'
import { makeWorld } from './support/world.ts'

/*
 * While a transaction is open, a request waits for nothing but the database: a connection is held. Node says of every
 * file, name and connection that it begins to wait for.
 */

let app: App
beforeAll(async () => {
  // The key of credentials is in a file, and hosts of endpoints have names.
  app = await startApp({
    database: { poolSize: 2 },
    config: { DATA_DIR: await newDataFolder(), ENCRYPTION_KEY: undefined, DATABASE_URL: undefined },
  })
})
afterAll(() => app.stop())

const outside = new Set([
  'FILEHANDLE',
  'FILEHANDLECLOSEREQ',
  'FSREQCALLBACK',
  'FSREQPROMISE',
  'GETADDRINFOREQWRAP',
  'QUERYWRAP',
  'TCPCONNECTWRAP',
  'WORKER',
])

/** Returns the calls outside of the database that are awaited while a transaction is open. */
async function waitedFor(work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = []
  let open = 0
  const hook = createHook({
    init(_id, type) {
      if (open > 0 && outside.has(type)) seen.push(`${type} ${new Error().stack}`)
    },
  })
  // Connections of the pool are there before.
  await Promise.all([app.pool.query('SELECT pg_sleep(0.05)'), app.pool.query('SELECT pg_sleep(0.05)')])
  app.beforeStatement = async (text) => {
    if (/^begin\b/.test(text)) open++
    if (text === 'commit' || text === 'rollback') open--
  }
  hook.enable()
  try {
    await work()
  } finally {
    hook.disable()
    app.beforeStatement = undefined
  }
  return seen
}

test('the transaction of a test that reads a file is reported', async () => {
  const { readFile } = await import('node:fs/promises')
  const seen = await waitedFor(async () => {
    const connection = await app.pool.connect()
    await connection.query('begin isolation level read committed')
    await readFile('package.json')
    await connection.query('commit')
    connection.release()
  })
  expect(seen.length).toBeGreaterThan(0)
})

async function firstRequestOf(id: OperationId) {
  const [[, prepare]] = successCases(id) as [[string, Case]]
  return prepare(await makeWorld(app), app)
}

const keyed = (Object.keys(operations) as OperationId[]).filter(
  (id) => minimumKeyOf(operations[id] as Operation) !== undefined,
)

test.each(keyed)('%s with a key waits for nothing but the database in its transaction', async (id) => {
  const request = await firstRequestOf(id)
  const headers = { ...request.headers, 'Idempotency-Key': randomUUID() }
  const seen = await waitedFor(async () => {
    const answer = await app.client.call(id, { ...request, headers })
    expect(answer.status).toBe(operations[id].success.status)
  })
  expect(seen).toEqual([])
})

/** Writes outside of each other's transactions: each could be there without the others. */
async function unitsOf(work: () => Promise<unknown>): Promise<string[]> {
  const units: string[] = []
  let open = 0
  let isWritten = false
  app.beforeStatement = async (text) => {
    if (/^begin\b/.test(text)) {
      open++
      isWritten = false
    } else if (text === 'commit' || text === 'rollback') {
      open--
      isWritten = false
    } else if (isWrite(text) && !isWritten) {
      isWritten = open > 0
      units.push(text)
    }
  }
  try {
    await work()
  } finally {
    app.beforeStatement = undefined
  }
  return units
}

/** But when a token was used last, which no handler writes. */
const isWrite = (text: string) =>
  /\b(insert into|delete from|update "?\w+"?( \w+)? set)\b/i.test(text) && !text.includes('last_used_at')

test('two writes of which one could succeed alone are reported', async () => {
  const { here } = await makeWorld(app)
  const body = { workspaceId: here.workspaceId, folder: { name: 'A' } }
  const units = await unitsOf(async () => {
    await app.client.ok('createFolder', { as: here.admin, body })
    await app.client.ok('createFolder', { as: here.admin, body })
  })
  expect(units).toHaveLength(2)
  const mixed = await unitsOf(async () => {
    await app.client.ok('createFolder', { as: here.admin, body })
    await app.db.execute('UPDATE folders SET name = name')
  })
  expect(mixed).toHaveLength(2)
})

const writes = (Object.keys(operations) as OperationId[]).filter((id) => operations[id].method !== 'get')

/** A file arrives between its two writes, which nothing may hold open. The background removes what stays incomplete. */
const MOST_UNITS: Partial<Record<OperationId, number>> = { uploadFile: 2 }

test.each(writes)('%s without a key writes all in one statement or one transaction', async (id) => {
  const request = await firstRequestOf(id)
  const units = await unitsOf(async () => {
    expect((await app.client.call(id, request)).status).toBe(operations[id].success.status)
  })
  expect(units.slice(MOST_UNITS[id] ?? 1)).toEqual([])
})
