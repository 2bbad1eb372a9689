import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { type Database, prepareWrite, statements } from '../../db/client.ts'
import { chatSessions } from '../../db/schema.ts'
import { prepareSelect } from '../../db/typed-select.ts'
import { newId } from '../../ids.ts'
import type { Session } from './read-session.ts'

/*
 * Lease of a turn: of all requests that run the same turn of a session, in any process, only one may call out. It
 * writes its claim into the session before its first call and replaces it every few seconds as a heartbeat. The
 * others wait for its answer. If the heartbeat stops, the process has died, and one of the others takes over.
 *
 * No clock is trusted: a claim is valid for its revision only, every claim replaces the one that was seen, and a
 * waiting request adds up the time in which it saw no other.
 */

const HEARTBEAT_INTERVAL_MS = 3_000
/** Several heartbeats, since a slow database delays them. */
const LEASE_TIMEOUT_MS = 15_000
const MAX_POLL_DELAY_MS = 500

const claimStatements = statements((db, named) => {
  const session = sql`bot_id = ${sql.placeholder('botId')} AND id = ${sql.placeholder('sessionId')}`
  return {
    read: prepareSelect(
      db,
      named('chat_read_claim'),
      { revision: chatSessions.revision, claim: chatSessions.claim, handledBy: chatSessions.handledBy },
      (list) => sql`SELECT ${list} FROM ${chatSessions} WHERE ${session}`,
    ),
    replace: prepareWrite(
      db,
      named('chat_replace_claim'),
      sql`UPDATE ${chatSessions} SET claim = ${sql.placeholder('next')}::text
        WHERE ${session} AND revision = ${sql.placeholder('revision')}
          AND (claim IS NOT DISTINCT FROM ${sql.placeholder('seen')}::text OR claim = ${sql.placeholder('next')}::text)`,
    ),
  }
})

/** The claim of one request to the turn that it runs. The caller has to call `end`. */
export class TurnLease {
  readonly #db: Database
  readonly #session: Pick<Session, 'botId' | 'sessionId' | 'revision'>
  /** The claim in the session row: that of another request, or the own one. */
  #seen: string | null
  #state: 'none' | 'held' | 'lost'
  #taking: Promise<boolean> | undefined
  /** Ends the heartbeat. Created on demand: few turns call out, and aborting one costs a tenth of a turn. */
  #ended: AbortController | undefined
  #beating: Promise<void> | undefined

  constructor(db: Database, session: Session) {
    this.#db = db
    this.#session = session
    this.#seen = session.claim
    this.#state = session.claim?.startsWith(`${session.revision}/`) ? 'lost' : 'none'
  }

  /** True if another request runs the turn. The outcome of this request is then ignored. */
  get isLost(): boolean {
    return this.#state === 'lost'
  }

  /** True if this request may call out. Only the first call queries the database. */
  async mayCallOut(): Promise<boolean> {
    if (this.#state === 'none') {
      this.#taking ??= this.#take()
      await this.#taking
    }
    return this.#state === 'held'
  }

  /**
   * Waits while another request runs the turn. `false`: that turn is written, or people handle the chat. `true`: it
   * never will be, and this request runs it.
   */
  async wait(): Promise<boolean> {
    let quiet = 0
    for (let pause = 20; ; pause = Math.min(pause * 2, MAX_POLL_DELAY_MS)) {
      await sleep(pause)
      quiet += pause
      const [row] = await claimStatements(this.#db).read({ ...this.#session })
      if (row?.revision !== this.#session.revision || row.handledBy !== null) return false
      if (row.claim !== this.#seen) quiet = 0
      this.#seen = row.claim
      if ((row.claim === null || quiet >= LEASE_TIMEOUT_MS) && (await this.#take())) return true
    }
  }

  /** Releases the turn unless it was written, which makes the claim invalid anyway. */
  async end(isWritten: boolean): Promise<void> {
    this.#ended?.abort()
    await this.#beating
    if (this.#state !== 'held' || isWritten) return
    // If this fails, a waiting request takes over all the same, a little later.
    await this.#replace(null).catch(() => false)
  }

  async #take(): Promise<boolean> {
    const isTaken = await this.#replace(this.#next())
    this.#state = isTaken ? 'held' : 'lost'
    if (isTaken && !this.#ended) {
      this.#ended = new AbortController()
      this.#beating = this.#beat(this.#ended.signal)
    }
    return isTaken
  }

  async #beat(signal: AbortSignal): Promise<void> {
    let next = this.#next()
    for (;;) {
      await sleep(HEARTBEAT_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      if (this.#state !== 'held') continue
      try {
        if (await this.#replace(next)) next = this.#next()
        else this.#state = 'lost'
      } catch {
        // The outcome of the write is unknown, so the next heartbeat writes the same value.
      }
    }
  }

  #next(): string {
    return `${this.#session.revision}/${newId(new Date())}`
  }

  async #replace(next: string | null): Promise<boolean> {
    const { botId, sessionId, revision } = this.#session
    const values = { botId, sessionId, revision, next, seen: this.#seen }
    const written = await claimStatements(this.#db).replace(values)
    if (written !== 1) return false
    this.#seen = next
    return true
  }
}
