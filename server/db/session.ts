import pg from 'pg'

/*
 * A database or a role can carry defaults for everything that a session may set. Statements, and the text of values,
 * must mean the same whatever these are.
 */

/**
 * Sent with the start of each connection: PgBouncer tracks these for each of its clients. `YMD` because every other
 * order would read `03/02/2026` without a word.
 */
const reportedSettings = { DateStyle: 'ISO, YMD', TimeZone: 'UTC', standard_conforming_strings: 'on' }

/** The other settings that statements rely on. Behind a pooler the role has to carry them. */
export const sessionSettings = {
  search_path: 'public',
  default_transaction_isolation: 'read committed',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  // By PostgreSQL's default, for disks that turn, whole tables are read where few rows are wanted.
  random_page_cost: '1.1',
}

/** Every time limit that a session may set in this version of PostgreSQL, but those for replication. */
const limits = `FROM pg_settings WHERE context = 'user' AND name ~ '^(?!wal_)[a-z_]+_timeout$' AND setting <> '0'`

/** Lifts the time limits that the pool sets no value for. */
export const liftOtherLimits = `SELECT set_config(name, '0', false) ${limits}
  AND name NOT IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`

const values = Object.entries(sessionSettings).map(([name, value]) => `('${name}', '${value}')`)

/** Sets everything until the end of the transaction, or of the connection. */
const setAll = (isLocal: boolean) => `
  SELECT set_config(name, value, ${isLocal}) FROM (VALUES ${values.join()}) AS wanted (name, value);
  SELECT set_config(name, '0', ${isLocal}) ${limits}`

/**
 * Begins a transaction that waits for others, and for its own work: a role may carry limits that are meant for requests.
 * Behind a pooler nothing else can set them for it alone.
 */
export const beginWithoutLimits = (isolation: string) => `BEGIN ISOLATION LEVEL ${isolation};${setAll(true)}`

type Connected = (error?: Error) => void

type StartUp = new (
  config?: pg.ClientConfig,
) => Omit<pg.Client, 'connect'> & {
  getStartupConf(): Record<string, string>
  connect(done: Connected): void
}

/**
 * A connection with its own settings. `settings` are sent with its start, which poolers reject; `statement` runs
 * before the connection counts as made.
 */
export function clientWith(settings: Record<string, string>, statement?: string): typeof pg.Client {
  class Client extends (pg.Client as unknown as StartUp) {
    constructor(config?: pg.ClientConfig) {
      super(config)
      // Without a listener, a connection that is lost while it is made ends the process.
      this.on('error', () => {})
    }

    override getStartupConf() {
      return { ...super.getStartupConf(), ...reportedSettings, ...settings }
    }

    // biome-ignore lint/suspicious/noExplicitAny: a promise without a callback, nothing with one, as pg has it
    override connect(done?: Connected): any {
      if (!done) {
        return new Promise<void>((resolve, reject) =>
          this.connect((error) => (error ? reject(error) : resolve())),
        )
      }
      super.connect((error) => {
        if (error || statement === undefined) return done(error)
        this.query(statement, (failure) => {
          if (failure) this.end().catch(() => {})
          done(failure ?? undefined)
        })
      })
    }
  }
  return Client as unknown as typeof pg.Client
}

const PlainClient = clientWith({})

/** A connection of its own without time limits, which the caller has to end. */
export async function connectTo(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new PlainClient({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    ...options,
  })
  // Without a listener, a connection that is lost between two statements ends the process.
  client.on('error', () => {})
  await client.connect()
  // A pooler names a process of its own, and would hand the settings on to others.
  const { processID } = client as unknown as { processID: number }
  try {
    const { rows } = await client.query(`SELECT pg_backend_pid() AS pid`)
    if (rows[0].pid === processID) await client.query(setAll(false))
    else pooled.add(client)
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

const pooled = new WeakSet<pg.Client>()

/** Runs a statement that no transaction takes. Between two of them a pooler gives the same connection as a rule. */
export async function runAlone(client: pg.Client, statement: string) {
  if (pooled.has(client)) await client.query(setAll(false))
  await client.query(statement)
  if (pooled.has(client)) await client.query('RESET ALL')
}
