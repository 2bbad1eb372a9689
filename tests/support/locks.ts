import { test } from '@jest/globals'
import type pg from 'pg'

/** A test with a trigger, which tables of a cluster do not have. */
export const testWithTrigger = process.env.CITUS === '1' ? test.skip : test

/** Returns the number of statements that wait for a lock, on any node of a cluster. */
export async function waitingForLocks(database: Pick<pg.Pool, 'query'>): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`
  const { rows } = await database.query(
    process.env.CITUS === '1'
      ? `SELECT sum(result::int)::int AS count FROM run_command_on_all_nodes($$${text}$$)`
      : text,
  )
  return rows[0].count
}
