import { type Database, rootOf } from '../client.ts'

/*
 * A Citus cluster has the same tables as one PostgreSQL server, those of bots spread over its nodes. Every statement
 * works on both. Only where one that is fast on one server would go to several nodes are there two, and the one for
 * the cluster works on one server as well. `topologyOf` names the reasons.
 */

interface Topology {
  /** Turns and their lookups run on the node of the bot, as functions of `migrations/distribute.sql`. */
  runsTurnsOnNodes: boolean
  /** One statement can look up several bots: a cluster would send it to several nodes. */
  canBatchBots: boolean
  /** The planner need not see the id of a bot: a cluster routes by it. */
  canHideParameters: boolean
  /** A statement can insert what it reads, and limit its updates: a cluster takes a round for each part. */
  canWriteByQuery: boolean
  /** Rows of the catalogue can be locked within other statements, and shared: a cluster has them on every node. */
  canShareCatalogueLocks: boolean
  /** Turns enqueue their events in `webhook_outbox`: on a cluster they insert deliveries immediately. */
  hasOutbox: boolean
  /** Statistics count by hours, too: a cluster counts days alone. */
  hasHourlyCounts: boolean
}

const server: Topology = {
  runsTurnsOnNodes: false,
  canBatchBots: true,
  canHideParameters: true,
  canWriteByQuery: true,
  canShareCatalogueLocks: true,
  hasOutbox: true,
  hasHourlyCounts: true,
}

const cluster: Topology = {
  runsTurnsOnNodes: true,
  canBatchBots: false,
  canHideParameters: false,
  canWriteByQuery: false,
  canShareCatalogueLocks: false,
  hasOutbox: false,
  hasHourlyCounts: false,
}

/** Capabilities of the database: one server, or a cluster. */
export const topologyOf = (db: Database): Topology => (isDistributed(db) ? cluster : server)

const distributed = new WeakSet<Database>()

/** True if the tables of bots are distributed over the nodes of a cluster. */
export function isDistributed(db: Database): boolean {
  return distributed.has(rootOf(db))
}

/** Statements take the form for a cluster from now on; has to be called before the first one. */
export function treatAsDistributed(db: Database) {
  distributed.add(db)
}

/** Returns true once `admin distribute` has spread its first table, after which no fan-out can run. */
export const isBeingDistributed = (db: Database) => isSpread(db, 'users')

/** Returns true if a table is on all nodes, whole or in shards. */
async function isSpread(db: Database, table: 'users' | 'bots'): Promise<boolean> {
  const { rows: known } = await db.$client.query("SELECT to_regclass('pg_dist_partition') AS at")
  if (known[0].at === null) return false
  const { rows } = await db.$client.query(
    "SELECT FROM pg_dist_partition WHERE logicalrelid = $1::regclass AND (partmethod = 'h' OR repmodel = 't')",
    [`public.${table}`],
  )
  return rows.length > 0
}

/**
 * Detects tables of bots on several nodes; before the first statement of the service. `reads` is the database of
 * reads, maybe of a standby. Throws if the cluster lacks parts that `admin distribute` of this release creates.
 */
export async function detectCitus(db: Database, reads = db) {
  if (!(await isSpread(db, 'bots'))) {
    if (await isBeingDistributed(db))
      throw new Error('The tables were not distributed to the end: run admin distribute again')
    return
  }
  const { rows: functions } = await db.$client.query("SELECT to_regproc('write_chat_turn') AS at")
  if (functions[0].at === null)
    throw new Error('The cluster lacks functions of this release: run admin distribute')
  treatAsDistributed(db)
  treatAsDistributed(reads)
}
