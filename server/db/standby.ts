import { setTimeout as delay } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Logger } from 'pino'
import { type Database, databaseError, unname } from './client.ts'
import * as schema from './schema.ts'

/*
 * Reads that may come from a standby. Each asks the primary how far it is, and reads from the standby once that is as
 * far: so a read has whatever was acknowledged before it was asked for, by whichever process, and nobody has to note
 * who wrote what and when. Where the standby lags for longer than a moment, fails or is none, the primary is read.
 */

/** Milliseconds between looks at whether the standby is as far. */
const STEPS = [1, 2, 4, 8, 16]
/** For so many milliseconds the primary alone is asked, after the standby lagged, or did not work. */
const AFTER_LAG = 250
const AFTER_FAILURE = 2_000
/** How long the standby may take to say how far it is, in milliseconds. */
const PATIENCE = 500

/** Where reads of this process came from, for its metrics. */
export const standbyReads = { standby: 0, lagging: 0, failing: 0 }

type Ask = (...given: unknown[]) => Promise<pg.QueryResult>

export interface StandbyOptions {
  primary: Database
  standby: pg.Pool
  log: Logger
  namedStatements: boolean
}

/** A database for single statements that only read. What a standby refuses, such as a write, is done by the primary. */
export function preferStandby({ primary, standby, log, namedStatements }: StandbyOptions): Database {
  const positionOf = sharedPosition(primary.$client)
  let avoidedUntil = 0
  let avoidedFor: 'lagging' | 'failing' = 'failing'
  let isFailing = false

  function avoid(reason: typeof avoidedFor, milliseconds: number) {
    avoidedFor = reason
    avoidedUntil = performance.now() + milliseconds
  }

  function fail(error: unknown) {
    avoid('failing', AFTER_FAILURE)
    if (!isFailing) log.warn({ err: databaseError(error) }, 'the standby cannot be read: the primary is')
    isFailing = true
  }

  /** What the standby answers, if it is as far as the primary was. */
  async function askStandby(given: unknown[]): Promise<pg.QueryResult | undefined> {
    if (performance.now() < avoidedUntil) {
      standbyReads[avoidedFor]++
      return undefined
    }
    const position = await positionOf()
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
      const isThere = await hasReplayed(client, position)
      isSound = true
      if (!isThere) {
        standbyReads.lagging++
        avoid('lagging', AFTER_LAG)
        return undefined
      }
      const result = await (client.query as Ask)(...given)
      standbyReads.standby++
      if (isFailing) log.info('the standby is read again')
      isFailing = false
      return result
    } catch (error) {
      standbyReads.failing++
      // A statement that is refused says nothing about the standby: it must not run there, or something was in its way.
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
  if (!namedStatements) unname(db)
  return db
}

/** How far the primary is, at the moment of the question or later; asked once for all of one turn of the event loop. */
function sharedPosition(pool: pg.Pool): () => Promise<string> {
  let asked: Promise<string> | undefined
  return () => {
    asked ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      asked = undefined
      const { rows } = await pool.query('SELECT pg_current_wal_flush_lsn()::text AS position')
      return rows[0].position
    })
    return asked
  }
}

/** Whether a standby is so far, now or in a moment. */
async function hasReplayed(client: pg.PoolClient, position: string): Promise<boolean> {
  for (let step = 0; ; step++) {
    const asked = client.query({
      text: 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() >= $1::pg_lsn END AS is_there',
      values: [position],
    })
    const answer = await Promise.race([asked, delay(PATIENCE, undefined, { ref: false })])
    if (!answer) {
      asked.catch(() => {})
      throw new Error('The standby does not say how far it is')
    }
    const { is_there: isThere } = answer.rows[0]
    if (isThere === null) throw new Error('DATABASE_READ_URL leads to a server that is no standby')
    if (isThere) return true
    if (step === STEPS.length) return false
    await delay(STEPS[step])
  }
}
