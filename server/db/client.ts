import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fillPlaceholders, is, Placeholder, type SQL } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import * as schema from './schema.ts'

// Documents stay text on their way out; see JsonText.
pg.types.setTypeParser(pg.types.builtins.JSON, (text) => text)

export type Database = NodePgDatabase<typeof schema> & { $client: pg.Pool }
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

export interface DatabaseOptions {
  url: string
  poolSize: number
  /** Milliseconds a request waits for a connection, a statement for its end, a row for its lock. */
  connectTimeout: number
  statementTimeout: number
  lockTimeout: number
  /**
   * Behind a pooler that hands out connections per transaction, statements cannot be named and time limits
   * cannot be set at connection; the pooler's database role has to carry them.
   */
  transactionPooler: boolean
  onError: (error: Error) => void
}

/** The pool and the Drizzle instance over it. The pool has to be ended by the caller. */
export function connect(options: DatabaseOptions): { db: Database; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeout,
    keepAlive: true,
    application_name: 'bot-builder-service',
    ...(options.transactionPooler
      ? {}
      : {
          statement_timeout: options.statementTimeout,
          lock_timeout: options.lockTimeout,
          idle_in_transaction_session_timeout: 10_000,
        }),
  })
  // Without these listeners the process ends when the server closes a connection: an idle one of the pool,
  // or one that a transaction holds between two statements, of which the next one then fails.
  pool.on('error', options.onError)
  pool.on('connect', (client) => {
    client.on('error', () => {})
    giveUp(client, options.statementTimeout + 1_500)
  })
  const db = drizzle(pool, { schema })
  if (options.transactionPooler) unnamed.add(db)
  return { db, pool }
}

/**
 * A frozen server cannot enforce its own limit, so the connection is given up when nothing came for a little
 * longer. The timer is the socket's: one for each query, as pg has it, keeps what the query read alive until
 * the whole heap is collected, which costs more than the query.
 */
function giveUp(client: pg.PoolClient, limit: number) {
  const { connection } = client as unknown as { connection: { stream: Socket } }
  connection.stream.setTimeout(limit, () => {
    const { readyForQuery } = client as unknown as { readyForQuery: boolean }
    if (!readyForQuery) connection.stream.destroy(new Error('Query read timeout'))
  })
}

const unnamed = new WeakSet<Database>()

/**
 * Statements that are prepared once per database. `build` gets the database and a function that turns a
 * name, unique over the project, into the one to prepare under.
 */
export function statements<Statements>(
  build: (db: Database, named: (name: string) => string) => Statements,
): (db: Database) => Statements {
  const built = new WeakMap<Database, Statements>()
  return (db) => {
    let found = built.get(db)
    if (!found) {
      // pg prepares anonymously under an empty name.
      found = build(db, (name) => (unnamed.has(db) ? '' : name))
      built.set(db, found)
    }
    return found
  }
}

const dialect = new PgDialect()

/**
 * Prepares a statement that is written in SQL, with placeholders, for `statements`. A placeholder is one
 * parameter, however often it occurs: Drizzle would send and PostgreSQL read its value as often.
 */
// biome-ignore lint/suspicious/noExplicitAny: as pg has it, where nobody says what the rows are
export function prepareSql<Row extends pg.QueryResultRow = any>(
  db: Database,
  name: string,
  statement: SQL,
): (values: Record<string, unknown>) => Promise<pg.QueryResult<Row>> {
  const query = dialect.sqlToQuery(statement)
  const params: unknown[] = []
  const text = query.sql.replaceAll(/\$(\d+)/g, (_, place) => {
    const param = query.params[place - 1]
    const known = params.findIndex(
      (other) => is(param, Placeholder) && is(other, Placeholder) && param.name === other.name,
    )
    return `$${known < 0 ? params.push(param) : known + 1}`
  })
  return (values) => db.$client.query({ name, text, values: fillPlaceholders(params, values) })
}

const MAXIMUM_ATTEMPTS = 4

/**
 * Runs `work` in one transaction, again when the database broke a deadlock or a serialisation conflict in
 * somebody else's favour. `work` must not have effects outside the transaction.
 */
export async function transact<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(db, work)
    } catch (error) {
      if (error instanceof Rollback) return error.result as T
      const code = sqlState(error)
      if ((code !== '40001' && code !== '40P01') || attempt === MAXIMUM_ATTEMPTS) throw error
      await delay(5 + Math.random() * 45)
    }
  }
}

/**
 * Drizzle's own transaction over a pool keeps the connection for good when `BEGIN` fails, and gives one back
 * that may still be busy when a statement ran out of time. So the connection is taken and given back here.
 */
async function attemptOnce<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await db.$client.connect()
  let isSound = false
  try {
    const result = await drizzle<typeof schema, pg.PoolClient>({ client }).transaction(work)
    isSound = true
    return result
  } catch (error) {
    isSound = error instanceof Rollback || databaseError(error) instanceof pg.DatabaseError
    throw error
  } finally {
    client.release(!isSound)
  }
}

/** Thrown inside `transact`: undoes what the transaction wrote and makes `result` its outcome. */
export class Rollback extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('rolled back')
    this.result = result
  }
}

/** SQLSTATE of a database error, also inside the error Drizzle wraps around it. */
export function sqlState(error: unknown): string | undefined {
  const cause = databaseError(error)
  return cause && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}

/** The error without Drizzle's wrapper, whose message holds every parameter of the statement. */
export function databaseError(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return error.cause instanceof Error && error.message.startsWith('Failed query') ? error.cause : error
}
