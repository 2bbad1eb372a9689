import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { Logger } from 'pino'
import { connect, type Database, type DatabaseOptions, disableStatementNames, statements } from '../client.ts'
import { databaseError } from '../errors.ts'
import * as schema from '../schema.ts'
import { expression, prepareSelect } from '../typed-select.ts'
import { isDistributed, treatAsDistributed } from './topology.ts'

/*
 * On a cluster a statement about one bot can go to the node of the bot, which saves the way through the coordinator.
 * Every node can run it. After a bot was moved, its old node only takes a little longer. If a node is unreachable, the
 * coordinator runs the statement.
 */

/** Time for which the node of a bot is cached, and for which a failed node is avoided, in milliseconds. */
const NODE_TTL_MS = 60_000
const FAILED_NODE_PAUSE_MS = 2_000
/** Maximum time to connect to a node, in milliseconds: the coordinator is the fallback. */
const MAX_CONNECT_MS = 500

type Ask = (...given: unknown[]) => Promise<pg.QueryResult>

const nodeStatements = statements((db, named) => ({
  place: prepareSelect(
    db,
    named('node_of_bot'),
    { address: expression(sql`p.nodename || ':' || p.nodeport`, 'text') },
    (list) => sql`
      SELECT ${list} FROM pg_dist_shard_placement p
      JOIN pg_dist_node n ON n.nodename = p.nodename AND n.nodeport = p.nodeport AND n.metadatasynced
      WHERE p.shardid = get_shard_id_for_distribution_column('bots', ${sql.placeholder('botId')}::text) AND p.shardstate = 1
      LIMIT 1`,
  ),
}))

const findNode = new WeakMap<Database, (botId: string) => Promise<Database>>()

/**
 * Returns the database for single statements about a bot: its node, or the given database if that is a single server, a
 * transaction, or one whose nodes are unknown.
 */
export async function nodeOf(db: Database, botId: string): Promise<Database> {
  return (await findNode.get(db)?.(botId)) ?? db
}

/**
 * Has statements of `nodeOf` go to the nodes of a cluster, of which `db` is the coordinator. The caller has to end it.
 */
export function openNodes(db: Database, options: DatabaseOptions, log: Logger): { end(): Promise<void> } {
  const pools: pg.Pool[] = []
  const nodes = new Map<string, Database>()

  function open(address: string): Database {
    const url = new URL(options.url)
    url.host = address
    const connectTimeout = Math.min(options.connectTimeout, MAX_CONNECT_MS)
    const { pool } = connect({ ...options, url: url.toString(), connectTimeout })
    pools.push(pool)
    const node = preferNode(db, pool, log.child({ node: address }))
    treatAsDistributed(node)
    if (!options.namedStatements) disableStatementNames(node)
    return node
  }

  if (isDistributed(db)) {
    const addresses = new LRUCache<string, string>({ max: 100_000, ttl: NODE_TTL_MS })
    findNode.set(db, async (botId) => {
      let address = addresses.get(botId)
      if (address === undefined) {
        const [place] = await nodeStatements(db).place({ botId })
        if (!place) return db
        address = place.address
        addresses.set(botId, address)
      }
      // That of the coordinator's machine, which is not this one.
      if (isLoopback(address) && !isLoopback(new URL(options.url).host)) return db
      let node = nodes.get(address)
      if (!node) {
        node = open(address)
        nodes.set(address, node)
      }
      return node
    })
  }
  return {
    async end() {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

const isLoopback = (host: string) => /^(localhost|127\.|\[?::1\b)/.test(host)

/** A database for single statements. They are done by the coordinator where the node cannot be connected to. */
function preferNode(coordinator: Database, node: pg.Pool, log: Logger): Database {
  const known = new WeakSet<pg.PoolClient>()
  let avoidedUntil = 0
  let isFailing = false

  function fail(error: unknown) {
    avoidedUntil = performance.now() + FAILED_NODE_PAUSE_MS
    if (!isFailing) log.warn({ err: databaseError(error) }, 'the node cannot be asked: the coordinator is')
    isFailing = true
  }

  /** A connection to the node; undefined if it is unavailable. */
  async function connectToNode(): Promise<pg.PoolClient | undefined> {
    if (performance.now() < avoidedUntil) return undefined
    let client: pg.PoolClient
    try {
      client = await node.connect()
    } catch (error) {
      fail(error)
      return undefined
    }
    if (known.has(client)) return client
    try {
      const [here, there] = await Promise.all([firstUser(coordinator.$client), firstUser(client)])
      if (here !== there) throw new Error('Its address leads to another cluster')
      known.add(client)
      if (isFailing) log.info('the node is asked again')
      isFailing = false
      return client
    } catch (error) {
      client.release(true)
      fail(error)
      return undefined
    }
  }

  async function query(...given: unknown[]): Promise<pg.QueryResult> {
    const client = await connectToNode()
    if (!client) return (coordinator.$client.query as Ask)(...given)
    let isSound = true
    try {
      return await (client.query as Ask)(...given)
    } catch (error) {
      isSound = error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')
      if (!isSound) fail(error)
      throw error
    } finally {
      client.release(!isSound)
    }
  }

  return drizzle({ client: { query } as unknown as pg.Pool, schema })
}

/** Every node has the users of the whole cluster, whose ids no other one has. */
async function firstUser(asked: pg.Pool | pg.PoolClient): Promise<string> {
  const { rows } = await asked.query('SELECT min(id) AS id FROM users')
  return rows[0].id
}
