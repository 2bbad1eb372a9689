import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { nodeOf, openNodes } from '../../server/db/citus/nodes.ts'
import { transact } from '../../server/db/client.ts'
import { startEmbeddedPostgres } from '../../server/db/embedded/index.ts'
import { createLog } from '../../server/log.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { freePort, until } from '../support/process.ts'
import { isPooled, serverUrl } from '../support/server.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * Queries that go directly to the nodes of a cluster. Without a cluster (CITUS=1) the database says that it is a node
 * of its own, or that its node is anywhere.
 */

const isCluster = process.env.CITUS === '1'
const testAnywhere = isCluster ? test.skip : test
/** A pooler has connections of its own. */
const testDirect = isCluster || isPooled() ? test.skip : test

let app: App
let site: Site
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  app = await startApp({ asOnCluster: true })
  site = (await makeWorld(app)).here
  if (isCluster) return
  await app.pool.query(
    'CREATE TABLE pg_dist_shard_placement (shardid bigint, shardstate integer, nodename text, nodeport integer)',
  )
  await app.pool.query('CREATE TABLE pg_dist_node (nodename text, nodeport integer, metadatasynced boolean)')
  await app.pool.query(
    `CREATE FUNCTION get_shard_id_for_distribution_column(text, text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`,
  )
})
beforeEach(async () => {
  const { port } = new URL(app.databaseUrl)
  if (!isCluster) await placeAt('127.0.0.1', Number(port || 5432))
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
  await app.stop()
})

async function placeAt(host: string, port: number, isSynced = true) {
  await app.pool.query('DELETE FROM pg_dist_shard_placement')
  await app.pool.query('DELETE FROM pg_dist_node')
  await app.pool.query('INSERT INTO pg_dist_node VALUES ($1, $2, $3)', [host, port, isSynced])
  await app.pool.query('INSERT INTO pg_dist_shard_placement VALUES (1, 1, $1, $2)', [host, port])
}

/** The app with nodes that it asks: what it has logged, and what is sent to the coordinator in a chat of two answers. */
function open(url = app.databaseUrl) {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  const limits = { connectTimeout: 10_000, statementTimeout: 60_000, lockTimeout: 60_000, onError: () => {} }
  const settings = { namedStatements: !isPooled(), sessionSettings: !isPooled() }
  const nodes = openNodes(app.db, { url, poolSize: 4, ...limits, ...settings }, log)
  ends.push(() => nodes.end())
  return lines
}

async function chat(flow = bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] })) {
  const made = await publish(app, site, flow)
  app.statements.length = 0
  const { sessionId } = await start(app, made)
  await reply(app, sessionId, 'one', 1)
  await reply(app, sessionId, 'two', 2)
  const { results } = await app.client.ok('listResults', { as: site.member, params: { botId: made.id } })
  expect(results).toMatchObject([{ isCompleted: true, answers: [{ content: 'one' }, { content: 'two' }] }])
  return app.statements.filter((text) => /\b(read|write)_(chat|published)_\w+/.test(text))
}

test('turns of chats run on a node, and not on the coordinator', async () => {
  const lines = open()
  expect(await chat()).toEqual([])
  expect(lines).toEqual([])
})

test('queries of a transaction stay in it', async () => {
  open()
  await transact(app.db, async (tx) => expect(await nodeOf(tx, site.draft.id)).toBe(tx))
  expect(await nodeOf(app.db, site.draft.id)).not.toBe(app.db)
})

testDirect('connections that the node has closed meanwhile are replaced', async () => {
  const lines = open()
  await chat()
  const { rows } = await app.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%write_chat_turn%' AND pid <> pg_backend_pid()`,
  )
  expect(rows.length).toBeGreaterThan(0)
  await until('they are gone', async () => {
    const { rows } = await app.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%write_chat_turn%' AND pid <> pg_backend_pid()`,
    )
    return rows.length === 0
  })
  expect(await chat()).toEqual([])
  expect(lines).toEqual([])
})

testAnywhere('the coordinator is used where a node cannot be reached, and that is logged once', async () => {
  await placeAt('127.0.0.1', await freePort())
  const lines = open()
  expect(await chat()).toHaveLength(6)
  expect(lines).toEqual(['the node cannot be asked: the coordinator is'])
})

// The other cluster accepts the password of this one.
const testWithPassword = new URL(serverUrl()).password ? testAnywhere : test.skip

testWithPassword(
  'the coordinator is used where the address of a node leads to another cluster (needs a password in DATABASE_URL)',
  async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'bot-builder-tests-'))
    const other = await startEmbeddedPostgres({ dataDirectory })
    ends.push(() => rm(dataDirectory, { recursive: true }))
    ends.push(() => other.stop())
    const { hostname, port } = new URL(other.url)
    const own = new URL(app.databaseUrl)
    const query = async (url: string, ...texts: string[]) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      for (const text of texts) await client.query(text)
      await client.end()
    }
    // The other server accepts the credentials of this one.
    await query(
      other.url,
      `DO $$ BEGIN CREATE ROLE ${own.username}; EXCEPTION WHEN duplicate_object THEN END $$`,
      `ALTER ROLE ${own.username} SUPERUSER LOGIN PASSWORD '${decodeURIComponent(own.password)}'`,
      `CREATE DATABASE ${own.pathname.slice(1)}`,
    )
    const there = new URL(app.databaseUrl)
    there.host = `${hostname}:${port}`
    await query(there.toString(), 'CREATE TABLE users (id text)', "INSERT INTO users VALUES ('somebody')")
    await placeAt(hostname, Number(port))
    const lines = open()
    expect(await chat()).toHaveLength(6)
    expect(lines).toEqual(['the node cannot be asked: the coordinator is'])
  },
)

testAnywhere('the coordinator is used for nodes that do not know the cluster', async () => {
  await placeAt('127.0.0.1', 5432, false)
  open()
  expect(await nodeOf(app.db, site.draft.id)).toBe(app.db)
})

testAnywhere('the coordinator is used for nodes of its own machine, where that is another one', async () => {
  await placeAt('localhost', 5432)
  open('postgres://bots@coordinator.example.com/bots')
  expect(await nodeOf(app.db, site.draft.id)).toBe(app.db)
})
