import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../server/db/embedded/index.ts'
import { distribute, migrateDatabase } from '../../server/db/migrate.ts'
import { buildChanged } from './build.ts'
import { type Pooler, startPooler } from './pooler.ts'

/*
 * The PostgreSQL server under the tests: that of DATABASE_URL, or one of our own in a temporary folder; with POOLER=1
 * through a PgBouncer of our own.
 * `startTestServer` runs once for all test files and leaves its address in the environment; every file
 * makes databases of its own with `createDatabase`, as copies of a migrated template.
 */

const SERVER = 'TEST_SERVER_URL'
const POOLED = 'TEST_POOLED_URL'
const PREFIX = 'TEST_DATABASE_PREFIX'

/**
 * Starts the server, migrates the template and builds the service, for tests that start processes. `stop` drops every
 * database that was made of the template.
 */
export async function startTestServer(): Promise<{ stop(): Promise<void> }> {
  await buildChanged()
  const server = process.env.DATABASE_URL ? foreignServer(process.env.DATABASE_URL) : await ownServer()
  const prefix = `test_${randomBytes(4).toString('hex')}_`
  process.env[SERVER] = server.url
  process.env[PREFIX] = prefix
  let pooler: Pooler | undefined
  let stopped: Promise<void> | undefined
  // An interruption and the end of the tests may both ask.
  const stop = () => {
    stopped ??= Promise.resolve(pooler?.stop())
      .then(() => dropAll(prefix))
      .finally(() => server.stop())
    return stopped
  }
  try {
    await makeTemplate(`${prefix}template`)
    if (process.env.POOLER) {
      pooler = await startPooler(server.url, 20)
      process.env[POOLED] = pooler.through(server.url)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { stop }
}

async function makeTemplate(name: string) {
  await onServer(`CREATE DATABASE ${name}`)
  if (isCluster) {
    const all = await nodes()
    for (const url of all) await onNode(url, name, 'CREATE EXTENSION citus')
    const template = new pg.Client({ connectionString: addressOf(SERVER, name) })
    await template.connect()
    for (const [place, url] of all.entries()) {
      const { hostname, port } = new URL(url)
      const add = place === 0 ? 'citus_set_coordinator_host' : 'citus_add_node'
      await template.query(`SELECT ${add}($1, $2)`, [hostname, port])
    }
    await template.end()
  }
  await migrateDatabase(addressOf(SERVER, name))
  if (!isCluster) return
  await distribute(addressOf(SERVER, name))
  // Its own workers would be in the way of copies.
  await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
}

async function dropAll(prefix: string) {
  const made = await onServer(`SELECT datname FROM pg_database WHERE datname LIKE '${prefix}%'`)
  for (const { datname } of made) await onServer(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
}

function foreignServer(url: string) {
  return { url, stop: async () => {} }
}

async function ownServer() {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'bot-builder-tests-'))
  // Nothing here has to survive a crash of the machine.
  const settings = { fsync: 'off', full_page_writes: 'off' }
  const { url, stop } = await startEmbeddedPostgres({ dataDirectory, settings })
  return {
    url,
    async stop() {
      await stop()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** A new database: migrated and empty of rows, or with nothing in it at all. */
export async function createDatabase(content: 'migrated' | 'nothing' = 'migrated'): Promise<TestDatabase> {
  const name = `${environment(PREFIX)}${randomBytes(6).toString('hex')}`
  const template = content === 'migrated' ? ` TEMPLATE ${environment(PREFIX)}template` : ''
  await onServer(`CREATE DATABASE ${name}${template}`)
  // Settings that connections through a pooler cannot make for themselves. A test that installs the service goes
  // without.
  const limits =
    isPooled() && content === 'migrated' ? { lock_timeout: 2_000, statement_timeout: 60_000 } : {}
  for (const [limit, value] of Object.entries(limits)) {
    await onServer(`ALTER DATABASE ${name} SET ${limit} = ${value}`)
  }
  return {
    url: addressOf(isPooled() ? POOLED : SERVER, name),
    drop: async () => {
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

/** The server itself, whatever tests reach their databases through. */
export const serverUrl = () => environment(SERVER)

/** True if tests reach their databases through a pooler (`POOLER=1`). */
export const isPooled = () => process.env[POOLED] !== undefined

function addressOf(server: string, database: string): string {
  const url = new URL(environment(server))
  url.pathname = `/${database}`
  return url.toString()
}

/** `CITUS=1`: DATABASE_URL is the coordinator of a Citus cluster, and its database knows the other nodes. */
const isCluster = process.env.CITUS === '1'

/** The addresses of all nodes, the coordinator first. */
async function nodes(): Promise<string[]> {
  const url = environment(SERVER)
  if (!isCluster) return [url]
  const found = await onNode(
    url,
    undefined,
    "SELECT nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid",
  )
  return found.map(({ nodename, nodeport }) => {
    const node = new URL(url)
    node.host = `${nodename}:${nodeport}`
    return node.toString()
  })
}

/** On a cluster a database is one on every node, under the same name. */
async function onServer(statement: string) {
  const answers = []
  for (const url of await nodes()) answers.push(await onNode(url, undefined, statement))
  return answers[0] ?? []
}

/** Runs one statement at a server, in another of its databases where one is named. */
export async function onNode(url: string, database: string | undefined, statement: string) {
  const address = new URL(url)
  if (database !== undefined) address.pathname = `/${database}`
  const client = new pg.Client({ connectionString: address.toString() })
  // The statement reports a server that is killed meanwhile.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

function environment(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: this test belongs to the project "service"`)
  return value
}
