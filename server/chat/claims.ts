import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { type Database, prepareWrite, statements } from '../db/client.ts'
import { chatSessions } from '../db/schema.ts'
import { prepareSelect } from '../db/selection.ts'
import { newId } from '../ids.ts'
import type { Session } from './store.ts'

/*
 * Of all requests that run the same step of a chat only one may call out, in whatever process they are. It writes
 * its claim into the session before its first call, and a new one every few seconds as a sign of life. The others
 * wait for its answer. When the sign stays away the process has died, and one of them takes over.
 *
 * No clock is trusted: a claim counts for its revision only, every claim replaces the one that was seen, and who
 * waits counts the time in which it saw no other.
 */

const BEAT = 3_000
/** Several beats, since a database that is slow holds them up. */
const QUIET = 15_000
const LONGEST_PAUSE = 500

const claimStatements = statements((db, named) => {
  const session = sql`bot_id = ${sql.placeholder('botId')} AND id = ${sql.placeholder('sessionId')}`
  return {
    read: prepareSelect(
      db,
      named('chat_read_claim'),
      { revision: chatSessions.revision, claim: chatSessions.claim },
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

/** The claim of one request to the step that it runs. `end` has to be called. */
export class Claim {
  readonly #db: Database
  readonly #session: Pick<Session, 'botId' | 'sessionId' | 'revision'>
  /** What the session holds: a claim of somebody, or the own one. */
  #seen: string | null
  #state: 'none' | 'held' | 'lost'
  #taking: Promise<boolean> | undefined
  /** Of the signs of life. Few steps call out, and to end one takes as long as a tenth of a step. */
  #ended: AbortController | undefined
  #beating: Promise<void> | undefined

  constructor(db: Database, session: Session) {
    this.#db = db
    this.#session = session
    this.#seen = session.claim
    this.#state = session.claim?.startsWith(`${session.revision}/`) ? 'lost' : 'none'
  }

  /** Whether another request runs the step. What this one has found out then does not count. */
  get isLost(): boolean {
    return this.#state === 'lost'
  }

  /** Whether this request may call out. Asks the database the first time only. */
  async mayCallOut(): Promise<boolean> {
    if (this.#state === 'none') {
      this.#taking ??= this.#take()
      await this.#taking
    }
    return this.#state === 'held'
  }

  /** Waits while another request runs the step. `false`: it is done. `true`: it never will, and this one runs it. */
  async wait(): Promise<boolean> {
    let quiet = 0
    for (let pause = 20; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      await sleep(pause)
      quiet += pause
      const [row] = await claimStatements(this.#db).read({ ...this.#session })
      if (row?.revision !== this.#session.revision) return false
      if (row.claim !== this.#seen) quiet = 0
      this.#seen = row.claim
      if ((row.claim === null || quiet >= QUIET) && (await this.#take())) return true
    }
  }

  /** Gives the step back unless it was written, in which case the claim does not count any more. */
  async end(isWritten: boolean): Promise<void> {
    this.#ended?.abort()
    await this.#beating
    if (this.#state !== 'held' || isWritten) return
    // Whoever waits takes over in any case, a little later.
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
      await sleep(BEAT, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      if (this.#state !== 'held') continue
      try {
        if (await this.#replace(next)) next = this.#next()
        else this.#state = 'lost'
      } catch {
        // Whether it was written is not known, so the same is tried again.
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
