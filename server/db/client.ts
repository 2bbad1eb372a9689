import { setTimeout as delay } from 'node:timers/promises'
import { is, Param, Placeholder, type SQL } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { Rollback } from '../kit/idempotency.ts'
import { databaseError, sqlState } from './errors.ts'
import { giveUpSilent, Pool } from './pool.ts'
import * as schema from './schema.ts'
import { clientWith, liftOtherLimits, sessionSettings } from './session.ts'
import { readTimestampsFast } from './timestamps.ts'

// Documents stay text on their way out; see JsonText.
pg.types.setTypeParser(pg.types.builtins.JSON, (text) => text)
readTimestampsFast()

export type Database = NodePgDatabase<typeof schema> & { $client: pg.Pool }

declare const inTransaction: unique symbol

/** A database of which every statement belongs to one transaction. */
export type Transaction = Database & { readonly [inTransaction]: true }

export interface DatabaseOptions {
  url: string
  poolSize: number
  /** Milliseconds a request waits for a connection, a statement for its end (0 without a limit), a row for its lock. */
  connectTimeout: number
  statementTimeout: number
  lockTimeout: number
  /** True if statements are prepared under names. Poolers in transaction mode support that from PgBouncer 1.21 on. */
  namedStatements: boolean
  /** True if connections set their time limits. Behind a pooler in transaction mode the role has to carry them. */
  sessionSettings: boolean
  /** Schemas in which names are looked up, if they are others than `public`. */
  searchPath?: string
  onError: (error: Error) => void
}

/** Maximum delay between two statements of a transaction, in milliseconds. */
export const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000

/** The pool and the Drizzle instance over it. The pool has to be ended by the caller. */
export function connect(options: DatabaseOptions): { db: Database; pool: pg.Pool } {
  const settings = {
    ...sessionSettings,
    ...(options.searchPath && { search_path: options.searchPath }),
    statement_timeout: String(options.statementTimeout),
    idle_session_timeout: '0',
  }
  const pool = new Pool({
    // Versions differ in the other time limits, and none takes an unknown one with the start of a connection.
    Client: options.sessionSettings ? clientWith(settings, liftOtherLimits) : clientWith({}),
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'bot-builder-service',
    ...(options.sessionSettings && {
      lock_timeout: options.lockTimeout,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    }),
  })
  // Without these listeners the process ends when the server closes a connection: an idle one of the pool,
  // or one that a transaction holds between two statements, of which the next one then fails.
  pool.on('error', options.onError)
  pool.on('connect', (client) => client.on('error', () => {}))
  if (options.statementTimeout > 0) giveUpSilent(pool, options.statementTimeout + 1_000)
  const db = drizzle(pool, { schema })
  if (!options.namedStatements) disableStatementNames(db)
  return { db, pool }
}

/** Maximum wait for a response of the database, in milliseconds: probes give up after three seconds. */
const PROBE_TIMEOUT_MS = 2_000

/** Returns a probe that is true if the database responds in time. Concurrent calls share one check. */
export function createProbe(ask: () => Promise<unknown>): () => Promise<boolean> {
  let running: Promise<boolean> | undefined
  return () => {
    running ??= Promise.race([
      ask().then(
        () => true,
        () => false,
      ),
      delay(PROBE_TIMEOUT_MS, false, { ref: false }),
    ]).finally(() => {
      running = undefined
    })
    return running
  }
}

const unnamed = new WeakSet<Database>()

/** Has statements on a database prepared without names. */
export function disableStatementNames(db: Database) {
  unnamed.add(db)
}

/**
 * Arguments for building statements: the database, and a function that makes the name of a prepared statement from a
 * name that is unique in the project.
 */
export type StatementContext = [db: Database, named: (name: string) => string]

/** Every call of `statements` adds its builder, so that a test can render them all. */
export const statementBuilders: ((...context: StatementContext) => unknown)[] = []

/** Statements that are prepared once per database. */
export function statements<Statements>(
  build: (...context: StatementContext) => Statements,
): (db: Database) => Statements {
  statementBuilders.push(build)
  const built = new WeakMap<Database, Statements>()
  return (db) => {
    let found = built.get(db)
    if (!found) {
      // pg prepares anonymously under an empty name.
      found = build(db, (name) => (unnamed.has(rootOf(db)) ? '' : name))
      built.set(db, found)
    }
    return found
  }
}

const dialect = new PgDialect()

/**
 * Renders a statement with its parameters. A placeholder is one parameter, however often it occurs: Drizzle would send
 * and PostgreSQL read its value as often.
 */
export function renderSql(statement: SQL): { text: string; params: unknown[] } {
  const query = dialect.sqlToQuery(statement)
  const params: unknown[] = []
  const text = query.sql.replaceAll(/\$(\d+)/g, (_, number) => {
    const param = query.params[number - 1]
    const known = params.findIndex(
      (other) => is(param, Placeholder) && is(other, Placeholder) && param.name === other.name,
    )
    return `$${known < 0 ? params.push(param) : known + 1}`
  })
  return { text, params }
}

/**
 * Prepares a statement that is written in SQL, with placeholders, for `statements`. The types of its rows are
 * unknown: `prepareSelect` in typed-select.ts gives them.
 */
export function prepareSql(
  db: Database,
  name: string,
  statement: SQL,
): (values: Record<string, unknown>) => Promise<pg.QueryResult<Record<string, unknown>>> {
  const { text, params } = renderSql(statement)
  // Fills placeholders as Drizzle does, which inspects each of them anew every time.
  const fills = params.map((param) => {
    if (is(param, Placeholder)) return (values: Record<string, unknown>) => placeholderOf(values, param.name)
    if (!is(param, Param) || !is(param.value, Placeholder)) return () => param
    const { encoder, value } = param
    return (values: Record<string, unknown>) => encoder.mapToDriverValue(placeholderOf(values, value.name))
  })
  return (values) => db.$client.query({ name, text, values: fills.map((fill) => fill(values)) })
}

function placeholderOf(values: Record<string, unknown>, name: string): unknown {
  if (!(name in values)) throw new Error(`No value for placeholder "${name}" was provided`)
  return values[name]
}

/** Prepares a statement of which only the number of rows matters, those that it wrote; see `prepareSql`. */
export function prepareWrite(
  db: Database,
  name: string,
  statement: SQL,
): (values: Record<string, unknown>) => Promise<number> {
  const run = prepareSql(db, name, statement)
  return async (values) => (await run(values)).rowCount ?? 0
}

const MAX_TRANSACTION_ATTEMPTS = 4

/**
 * Runs `work` in one transaction, and again if the database aborted it in a deadlock or serialisation conflict. `work`
 * must not have effects outside the transaction; see `afterCommit`. Within a transaction it becomes a savepoint, which
 * can be undone alone.
 */
export async function transact<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const state = transactionStates.get(db)
  if (state) return runSavepoint(db as Transaction, state, work)
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(db, work)
    } catch (error) {
      if (error instanceof Rollback) return error.result as T
      if (!isSerialisation(error) || attempt === MAX_TRANSACTION_ATTEMPTS) throw error
      await delay(5 + Math.random() * 45)
    }
  }
}

function isSerialisation(error: unknown): boolean {
  const code = sqlState(error)
  return code === '40001' || code === '40P01'
}

/** State of the transaction that a database stands for. */
interface TransactionState {
  /** The database over the pool. */
  root: Database
  /** Number of savepoints so far. */
  savepointCount: number
  afterCommit: (() => void)[]
}

const transactionStates = new WeakMap<Database, TransactionState>()

/** One for each connection, so that its prepared statements are built once. */
const transactions = new WeakMap<pg.PoolClient, Transaction>()

function transactionOn(client: pg.PoolClient): Transaction {
  let tx = transactions.get(client)
  if (!tx) {
    tx = drizzle({ client, schema }) as unknown as Transaction
    transactions.set(client, tx)
  }
  return tx
}

/** The database a transaction belongs to. Caches belong to it. */
export function rootOf(db: Database): Database {
  return transactionStates.get(db)?.root ?? db
}

/** Runs work once the transaction is committed; immediately outside of a transaction. */
export function afterCommit(db: Database, work: () => void) {
  const state = transactionStates.get(db)
  if (state) state.afterCommit.push(work)
  else work()
}

/**
 * Drizzle's own transaction over a pool never releases the connection when `BEGIN` fails, and releases one that may
 * still be busy when a statement ran out of time. So the connection is taken and given back here.
 */
async function attemptOnce<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await db.$client.connect()
  const tx = transactionOn(client)
  const state: TransactionState = { root: db, savepointCount: 0, afterCommit: [] }
  let isSound = false
  try {
    transactionStates.set(tx, state)
    await client.query('begin isolation level read committed')
    const result = await work(tx)
    await commit(client)
    isSound = true
    for (const then of state.afterCommit) then()
    return result
  } catch (error) {
    isSound = error instanceof Rollback || databaseError(error) instanceof pg.DatabaseError
    if (isSound) await client.query('rollback').catch(() => (isSound = false))
    throw error
  } finally {
    client.release(!isSound)
  }
}

async function commit(client: pg.PoolClient) {
  const { command } = await client.query('commit').catch((error: unknown) => {
    const code = sqlState(error)
    // If the database rejects the commit, it is rolled back. If the response is lost, or a node of a cluster is, the
    // outcome is unknown.
    if (error instanceof pg.DatabaseError && code && !/^(08|57P|XX)/.test(code)) throw error
    throw new UnknownOutcome(error)
  })
  // The transaction failed before, and the error was caught: without this check it would pass for committed.
  if (command !== 'COMMIT') throw new Error('The transaction had failed before it was to be committed')
}

/** The connection was lost while a transaction was committed: it counts or it does not. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('The connection was lost during COMMIT', { cause })
  }
}

async function runSavepoint<T>(
  tx: Transaction,
  state: TransactionState,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const client = tx.$client
  const savepoint = `part_${++state.savepointCount}`
  const { length } = state.afterCommit
  await client.query(`savepoint ${savepoint}`)
  try {
    const result = await work(tx)
    await client.query(`release savepoint ${savepoint}`)
    return result
  } catch (error) {
    // The whole has to run again.
    if (isSerialisation(error)) throw error
    state.afterCommit.length = length
    if (error instanceof Rollback || databaseError(error) instanceof pg.DatabaseError) {
      await client.query(`rollback to savepoint ${savepoint}`)
    }
    if (error instanceof Rollback) return error.result as T
    throw error
  }
}
