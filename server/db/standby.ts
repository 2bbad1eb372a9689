import { setTimeout as delay } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Logger } from 'pino'
import { type Database, disableStatementNames } from './client.ts'
import { databaseError } from './errors.ts'
import * as schema from './schema.ts'

/*
 * Reads from a standby. Each read first gets the position of the primary, and uses the standby once that has replayed
 * it. So a read sees every write that was acknowledged before it, by any process, and no writes have to be tracked. If
 * the standby lags for long, fails or does not exist, the primary is read.
 */

/** Delays between checks of the standby's position, in milliseconds. */
const CHECK_DELAYS_MS = [1, 2, 4, 8, 16]
/** Time for which only the primary is read after the standby lagged or failed, in milliseconds. */
const LAGGING_PAUSE_MS = 250
const FAILING_PAUSE_MS = 2_000
/** Maximum wait for the position of the standby, in milliseconds. */
const POSITION_TIMEOUT_MS = 500

/** Number of reads of this process by source, for its metrics. */
export const standbyReads = { standby: 0, lagging: 0, failing: 0 }

type Ask = (...given: unknown[]) => Promise<pg.QueryResult>

export interface StandbyOptions {
  primary: Database
  standby: pg.Pool
  log: Logger
  namedStatements: boolean
}

/** A database for single read statements. Statements that a standby rejects, such as writes, run on the primary. */
export function preferStandby({ primary, standby, log, namedStatements }: StandbyOptions): Database {
  const positionOf = sharedPosition(primary.$client)
  /** The timeline on which a connection was found to lead to a standby of the primary. */
  const known = new WeakMap<pg.PoolClient, number>()
  let avoidedUntil = 0
  let avoidedFor: 'lagging' | 'failing' = 'failing'
  let isFailing = false

  function avoid(reason: typeof avoidedFor, milliseconds: number) {
    avoidedFor = reason
    avoidedUntil = performance.now() + milliseconds
  }

  function fail(error: unknown) {
    avoid('failing', FAILING_PAUSE_MS)
    if (!isFailing) log.warn({ err: databaseError(error) }, 'the standby cannot be read: the primary is')
    isFailing = true
  }

  /** Runs a statement on the standby, if it has replayed the position of the primary. */
  async function askStandby(given: unknown[]): Promise<pg.QueryResult | undefined> {
    if (performance.now() < avoidedUntil) {
      standbyReads[avoidedFor]++
      return undefined
    }
    const { position, timeline } = await positionOf()
    let client: pg.PoolClient
    try {
      client = await standby.connect()
    } catch (error) {
      standbyReads.failing++
      fail(error)
      return undefined
    }
    let isSound = false
    try {
      if (known.get(client) !== timeline) {
        await requireSameLog(primary.$client, client, timeline)
        known.set(client, timeline)
      }
      const isThere = await hasReplayed(client, position)
      isSound = true
      if (!isThere) {
        standbyReads.lagging++
        avoid('lagging', LAGGING_PAUSE_MS)
        return undefined
      }
      const result = await (client.query as Ask)(...given)
      standbyReads.standby++
      if (isFailing) log.info('the standby is read again')
      isFailing = false
      return result
    } catch (error) {
      standbyReads.failing++
      // A rejected statement is no sign of a broken standby: it must not run there, or a conflict stopped it.
      isSound &&= error instanceof pg.DatabaseError && !/^(08|57P|53)/.test(error.code ?? '')
      if (!isSound) fail(error)
      return undefined
    } finally {
      client.release(!isSound)
    }
  }

  const client = {
    query: async (...given: unknown[]) =>
      (await askStandby(given)) ?? (primary.$client.query as Ask)(...given),
  }
  const db = drizzle({ client: client as unknown as pg.Pool, schema })
  if (!namedStatements) disableStatementNames(db)
  return db
}

/** A position in the log of the primary. It says nothing about the log of another server, or on another timeline. */
interface Position {
  position: string
  timeline: number
}

/**
 * Returns the position of the primary, at the time of the call or later; calls in one turn of the event loop share it.
 */
function sharedPosition(pool: pg.Pool): () => Promise<Position> {
  let running: Promise<Position> | undefined
  return () => {
    running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      running = undefined
      const { rows } = await pool.query(
        'SELECT lsn::text AS position, left(pg_walfile_name(lsn), 8) AS timeline FROM pg_current_wal_flush_lsn() AS lsn',
      )
      return { position: rows[0].position, timeline: Number.parseInt(rows[0].timeline, 16) }
    })
    return running
  }
}

/** Throws unless a connection leads to a standby that replays the log of the primary. */
async function requireSameLog(primary: pg.Pool, client: pg.PoolClient, timeline: number) {
  const [ours, theirs] = await Promise.all([
    primary.query('SELECT system_identifier::text AS id FROM pg_control_system()'),
    client.query(`
      SELECT pg_is_in_recovery() AS is_standby, system_identifier::text AS id,
        greatest(timeline_id, min_recovery_end_timeline, (SELECT max(received_tli) FROM pg_stat_wal_receiver)) AS timeline
      FROM pg_control_system(), pg_control_checkpoint(), pg_control_recovery()`),
  ])
  const { is_standby: isStandby, id, timeline: followed } = theirs.rows[0]
  if (!isStandby) throw new Error('DATABASE_READ_URL leads to a server that is no standby')
  if (id !== ours.rows[0].id)
    throw new Error('DATABASE_READ_URL leads to a standby of another database server')
  if (followed === timeline) return
  throw new Error(
    `DATABASE_READ_URL leads to a standby on timeline ${followed} and DATABASE_URL to a server on timeline ${timeline}`,
  )
}

/** True if a standby has replayed a position, or does within the delays. */
async function hasReplayed(client: pg.PoolClient, position: string): Promise<boolean> {
  for (let step = 0; ; step++) {
    const replayQuery = client.query({
      text: 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() >= $1::pg_lsn END AS is_there',
      values: [position],
    })
    const answer = await Promise.race([replayQuery, delay(POSITION_TIMEOUT_MS, undefined, { ref: false })])
    if (!answer) {
      replayQuery.catch(() => {})
      throw new Error('The standby does not say how far it is')
    }
    const { is_there: isThere } = answer.rows[0]
    if (isThere === null) throw new Error('DATABASE_READ_URL leads to a server that is no standby')
    if (isThere) return true
    if (step === CHECK_DELAYS_MS.length) return false
    await delay(CHECK_DELAYS_MS[step])
  }
}
