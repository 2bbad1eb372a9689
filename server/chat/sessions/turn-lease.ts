import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { type Database, prepareWrite, statements } from '../../db/client.ts'
import { isLeaseOver, leaseEnd, startHeartbeat } from '../../db/lease.ts'
import { chatSessions } from '../../db/schema.ts'
import { expression, prepareSelect } from '../../db/typed-select.ts'
import { newId } from '../../ids.ts'
import type { Session } from './read-session.ts'
import { sessionChanges } from './write-turn.ts'

/*
 * Lease of a turn: of all requests that run the same turn of a session, in any process, only one may call out. It
 * writes the id of its lease into the session before its first call, and heartbeats extend it. The others wait for its
 * response. If the lease is over, the process has died, and one of the others takes it. It is valid for its revision
 * only.
 */

const MAX_POLL_DELAY_MS = 500

const leaseStatements = statements((db, named) => {
  const turn = sql`bot_id = ${sql.placeholder('botId')} AND id = ${sql.placeholder('sessionId')}
    AND revision = ${sql.placeholder('revision')}`
  const leaseId = sql`${sql.placeholder('leaseId')}::text`
  const isFree = sql`(lease_id IS NULL OR NOT starts_with(lease_id, revision::text || '/') OR ${isLeaseOver})`
  return {
    read: prepareSelect(
      db,
      named('chat_read_lease'),
      { isFree: expression(isFree, 'boolean'), handledBy: chatSessions.handledBy },
      (list) => sql`SELECT ${list} FROM ${chatSessions} WHERE ${turn}`,
    ),
    take: prepareWrite(
      db,
      named('chat_take_lease'),
      sql`UPDATE ${chatSessions} SET lease_id = ${leaseId}, leased_until = ${leaseEnd}
        WHERE ${turn} AND (${isFree} OR lease_id = ${leaseId})
          AND handled_by IS NOT DISTINCT FROM ${sql.placeholder('handledBy')}::text`,
    ),
    extend: prepareWrite(
      db,
      named('chat_extend_lease'),
      sql`UPDATE ${chatSessions} SET leased_until = ${leaseEnd} WHERE ${turn} AND lease_id = ${leaseId}`,
    ),
    check: prepareSelect(
      db,
      named('chat_hold_lease'),
      { revision: chatSessions.revision },
      (list) => sql`SELECT ${list} FROM ${chatSessions} WHERE ${turn} AND lease_id = ${leaseId}`,
    ),
    release: prepareWrite(
      db,
      named('chat_release_lease'),
      sql`UPDATE ${chatSessions} SET lease_id = NULL, leased_until = NULL WHERE ${turn} AND lease_id = ${leaseId}`,
    ),
  }
})

/** The lease of one request on the turn that it runs. The caller has to call `end`. */
export class TurnLease {
  readonly #db: Database
  readonly #turn: Pick<Session, 'botId' | 'sessionId' | 'revision'>
  /** Only the handler of the chat at the beginning of the turn may run it. */
  readonly #handledBy: Session['handledBy']
  /** Created on demand, as the heartbeat is: few turns call out. */
  #leaseId: string | undefined
  #state: 'none' | 'held' | 'elsewhere'
  #taking: Promise<boolean> | undefined
  #endHeartbeat: (() => Promise<void>) | undefined

  constructor(db: Database, { botId, sessionId, revision, leaseId, handledBy }: Session) {
    this.#db = db
    this.#turn = { botId, sessionId, revision }
    this.#handledBy = handledBy
    this.#state = leaseId?.startsWith(`${revision}/`) ? 'elsewhere' : 'none'
  }

  /** True if another request runs the turn. The outcome of this request is then ignored. */
  get isHeldElsewhere(): boolean {
    return this.#state === 'elsewhere'
  }

  /**
   * True if this request may call out. Each call looks again: a member may have taken the chat during the one before.
   */
  async takeOrCheck(): Promise<boolean> {
    if (this.#state === 'none') {
      this.#taking ??= this.#take()
      await this.#taking
    } else await this.#checkLease()
    return this.#state === 'held'
  }

  readonly #checkLease = async () => {
    if (this.#state !== 'held') return
    // A failed query does not end the lease, as with a heartbeat.
    const held = await leaseStatements(this.#db)
      .check(this.#values())
      .catch(() => [true])
    if (held.length === 0) this.#state = 'elsewhere'
  }

  /**
   * Waits while another request runs the turn. `false`: that turn is written, or the chat has changed hands. `true`: it
   * never will be, and this request runs it.
   */
  async wait(): Promise<boolean> {
    for (let pause = 20; ; pause = Math.min(pause * 2, MAX_POLL_DELAY_MS)) {
      await sleep(pause)
      const [row] = await leaseStatements(this.#db).read(this.#turn)
      if (!row || row.handledBy !== this.#handledBy) return false
      if (row.isFree && (await this.#take())) return true
    }
  }

  /** Releases the turn unless it was written, which makes the lease invalid anyway. */
  async end(isWritten: boolean): Promise<void> {
    sessionChanges.off(this.#turn.sessionId, this.#checkLease)
    await this.#endHeartbeat?.()
    if (this.#state !== 'held' || isWritten) return
    // If this fails, a waiting request takes over all the same, a little later.
    await leaseStatements(this.#db)
      .release(this.#values())
      .catch(() => 0)
  }

  async #take(): Promise<boolean> {
    const values = { ...this.#values(), handledBy: this.#handledBy }
    const isTaken = (await leaseStatements(this.#db).take(values)) === 1
    this.#state = isTaken ? 'held' : 'elsewhere'
    if (isTaken) {
      await this.#endHeartbeat?.()
      // A change by this process ends the stream immediately, one by another process at the next heartbeat.
      sessionChanges.off(this.#turn.sessionId, this.#checkLease).on(this.#turn.sessionId, this.#checkLease)
      this.#endHeartbeat = startHeartbeat(
        async () => (await leaseStatements(this.#db).extend(this.#values())) === 1,
        () => {
          this.#state = 'elsewhere'
        },
      )
    }
    return isTaken
  }

  #values() {
    this.#leaseId ??= `${this.#turn.revision}/${newId(new Date())}`
    return { ...this.#turn, leaseId: this.#leaseId }
  }
}
