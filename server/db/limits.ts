import { sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import { type Database, IDLE_IN_TRANSACTION_TIMEOUT_MS } from './client.ts'
import { sessionSettings } from './session.ts'
import { expression, selectRows } from './typed-select.ts'

type Limits = Pick<
  Config,
  | 'DATABASE_SESSION_SETTINGS'
  | 'DATABASE_STATEMENT_TIMEOUT'
  | 'DATABASE_LOCK_TIMEOUT'
  | 'DATABASE_POOL_SIZE'
  | 'WORKERS'
>

/** The default search path begins with a schema of the name of the role, which there is as a rule not. */
const valueInPlace = sql`CASE name WHEN 'search_path' THEN coalesce(current_schema(), '') ELSE current_setting(name) END`

/**
 * Returns conflicts between settings of the database and the configuration, one sentence each: time limits that the
 * role has to carry if connections do not set them, other settings that statements rely on, and the number of
 * connections.
 */
export async function limitsInPlace(db: Database, config: Limits): Promise<string[]> {
  const [row] = await selectRows(
    db,
    {
      role: expression(sql`quote_ident(current_user)`, 'text'),
      statement_timeout: expression(sql`current_setting('statement_timeout')`, 'text'),
      lock_timeout: expression(sql`current_setting('lock_timeout')`, 'text'),
      idle_in_transaction_session_timeout: expression(
        sql`current_setting('idle_in_transaction_session_timeout')`,
        'text',
      ),
      places: expression(
        sql`current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int`,
        'integer',
      ),
    },
    (list) => sql`SELECT ${list}`,
  )
  if (!row) return []
  if (config.DATABASE_SESSION_SETTINGS) {
    const wanted = config.WORKERS * config.DATABASE_POOL_SIZE
    if (wanted <= row.places) return []
    return [
      `DATABASE_POOL_SIZE and WORKERS ask for ${wanted} connections, of which the database has ${row.places}: raise its max_connections, or lower one of the two`,
    ]
  }
  const limits = [
    ['statement_timeout', config.DATABASE_STATEMENT_TIMEOUT],
    ['lock_timeout', config.DATABASE_LOCK_TIMEOUT],
    ['idle_in_transaction_session_timeout', IDLE_IN_TRANSACTION_TIMEOUT_MS],
  ] as const
  const missing = limits
    .filter(([name]) => row[name] === '0')
    .map(
      ([name, milliseconds]) =>
        `The database has no ${name}, and connections set none: ALTER ROLE ${row.role} SET ${name} = ${milliseconds}, then let the pooler connect anew`,
    )
  const settings = await selectRows(
    db,
    { name: expression(sql`name`, 'text'), value: expression(valueInPlace, 'text') },
    (list) => sql`SELECT ${list} FROM unnest(${sql.param(Object.keys(sessionSettings))}::text[]) AS name`,
  )
  const wanted: Record<string, string> = sessionSettings
  const wrong = settings
    .filter(({ name, value }) => value !== wanted[name])
    .map(
      ({ name, value }) =>
        `The database has ${name} = ${value}, and connections set none: ALTER ROLE ${row.role} SET ${name} = '${wanted[name]}', then let the pooler connect anew`,
    )
  return [...missing, ...wrong]
}
