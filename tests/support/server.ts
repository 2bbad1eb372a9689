import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../server/db/embedded.ts'
import { migrateDatabase } from '../../server/db/migrate.ts'
import { buildService } from './build.ts'
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
  await buildService()
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
    await onServer(`CREATE DATABASE ${prefix}template`)
    await migrateDatabase(addressOf(SERVER, `${prefix}template`))
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
  return {
    url: addressOf(isPooled() ? POOLED : SERVER, name),
    drop: async () => {
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

/** The server itself, whatever tests reach their databases through. */
export const serverUrl = () => environment(SERVER)

/** Whether tests reach their databases through a pooler (`POOLER=1`). */
export const isPooled = () => process.env[POOLED] !== undefined

function addressOf(server: string, database: string): string {
  const url = new URL(environment(server))
  url.pathname = `/${database}`
  return url.toString()
}

async function onServer(statement: string) {
  const client = new pg.Client({ connectionString: environment(SERVER) })
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
