import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connect, type Database, type DatabaseOptions } from './client.ts'
import { startEmbeddedPostgres } from './embedded/index.ts'
import { sandboxSearchPath } from './sandbox.ts'
import { preferStandby } from './standby.ts'

/** Milliseconds; reads fall back to the primary. */
const MAX_CONNECT_MS = 500

/** The address of the configured database, starting the embedded server where none is configured. */
export async function locateDatabase(
  config: Config,
  log: (message: string) => void,
  signal?: AbortSignal,
): Promise<{ url: string; stop: () => Promise<void> }> {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, stop: async () => {} }
  return startEmbeddedPostgres({ dataDirectory: config.DATA_DIR, log, signal })
}

export function databaseOptions(config: Config, url: string, log: Logger): DatabaseOptions {
  return {
    url,
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeout: config.DATABASE_CONNECT_TIMEOUT,
    statementTimeout: config.DATABASE_STATEMENT_TIMEOUT,
    lockTimeout: config.DATABASE_LOCK_TIMEOUT,
    namedStatements: config.DATABASE_NAMED_STATEMENTS,
    sessionSettings: config.DATABASE_SESSION_SETTINGS,
    searchPath: config.SANDBOX ? sandboxSearchPath : undefined,
    onError: (error) => log.warn({ err: error }, 'lost an idle connection to the database'),
  }
}

/** The standby, if one is configured: its reader, and its pool, which the caller has to end. */
export function openStandby(config: Config, primary: Database, log: Logger) {
  if (!config.DATABASE_READ_URL) return undefined
  const options = databaseOptions(config, config.DATABASE_READ_URL, log)
  const { pool } = connect({ ...options, connectTimeout: Math.min(options.connectTimeout, MAX_CONNECT_MS) })
  const namedStatements = config.DATABASE_NAMED_STATEMENTS
  return { pool, reads: preferStandby({ primary, standby: pool, log, namedStatements }) }
}
