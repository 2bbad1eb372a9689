import { type Database, rootOf } from '../client.ts'

/*
 * A Citus cluster has the same tables as one PostgreSQL server, those of bots spread over its nodes. Every statement
 * works on both. Only where one that is fast on one server would go to several nodes are there two, and the one for
 * the cluster works on one server as well.
 */

const distributed = new WeakSet<Database>()

/** True if the tables of bots are distributed over the nodes of a cluster. */
export function isDistributed(db: Database): boolean {
  return distributed.has(rootOf(db))
}

/** Statements take the form for a cluster from now on; has to be called before the first one. */
export function treatAsDistributed(db: Database) {
  distributed.add(db)
}

/**
 * Looks whether the tables of bots are spread over several nodes; before the first statement of the service. `reads` is
 * what reads of a standby. Throws where the cluster lacks what `admin distribute` of this release gives it.
 */
export async function detectCitus(db: Database, reads = db) {
  const { rows: known } = await db.$client.query("SELECT to_regclass('pg_dist_partition') AS at")
  if (known[0].at === null) return
  const { rows } = await db.$client.query(
    "SELECT FROM pg_dist_partition WHERE logicalrelid = 'public.bots'::regclass AND partmethod = 'h'",
  )
  if (rows.length === 0) return
  const { rows: functions } = await db.$client.query("SELECT to_regproc('write_chat_turn') AS at")
  if (functions[0].at === null)
    throw new Error('The cluster lacks functions of this release: run admin distribute')
  treatAsDistributed(db)
  treatAsDistributed(reads)
}
