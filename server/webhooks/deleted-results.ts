import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { eventTypes } from '../../contract/events.ts'
import type { Database } from '../db/client.ts'
import {
  bots,
  webhookDeliveries as deliveries,
  webhookEndpoints as endpoints,
  results,
  workspaces,
} from '../db/schema.ts'
import { selectRows } from '../db/typed-select.ts'
import { isBotVisible } from '../db/visible-bots.ts'
import { isResultUndeleted } from '../db/visible-results.ts'
import { DELETED } from '../results/erase.ts'
import type { Taken } from './leases.ts'

/*
 * No event of a deleted result is posted after `results.deleted`, even in a race. A sender first commits its lease,
 * and checks in a later statement that the result exists. And `results.deleted` waits while a delivery of a deleted
 * result is leased. So either the sender sees the deletion, or the deletion sees the lease. Nothing is posted to a
 * deleted endpoint, or to one of a deleted workspace.
 */

type Subject = Pick<Taken, 'botId' | 'subject'>

/** Events about one result; their subject is its id. */
const OF_RESULT: readonly string[] = eventTypes.filter((type) => /^(result|chat)\./.test(type))
/** Events after which a receiver gets nothing more of the deleted records. */
const OF_DELETION = ['results.deleted', 'bot.deleted']

/** Delay before a deletion is retried while its results are still being sent, in milliseconds. */
const RETRY_MS = 200

/** Those of the deliveries just leased that may be posted now. The others are done with, or due a little later. */
export async function postable<T extends Taken>(db: Database, leased: readonly T[]): Promise<readonly T[]> {
  const known = await knownAmong(db, new Set(leased.map(({ endpointId }) => endpointId)))
  const taken = leased.filter(({ endpointId }) => known.has(endpointId))
  await giveBack(
    db,
    leased.filter(({ endpointId }) => !known.has(endpointId)),
  )
  const ofResults = taken.filter(({ type }) => OF_RESULT.includes(type))
  const ofDeletions = taken.filter(({ type }) => OF_DELETION.includes(type))
  if (ofResults.length + ofDeletions.length === 0) return taken
  const dead = new Set(await deletedAmong(db, ofResults))
  const early = new Set<T>()
  const answers = new Map<string, Promise<boolean>>()
  for (const delivery of ofDeletions) {
    const key = `${delivery.botId} ${delivery.endpointId}`
    const answer = answers.get(key) ?? isSending(db, delivery)
    answers.set(key, answer)
    if (await answer) early.add(delivery)
  }
  await giveBack(db, [...dead], sql`next_attempt_at = NULL, last_error = ${DELETED}`)
  await giveBack(db, [...early], sql`next_attempt_at = now() + ${RETRY_MS} * interval '1 millisecond'`)
  return taken.filter((delivery) => !dead.has(delivery) && !early.has(delivery))
}

/** The endpoints that still exist in existing workspaces. */
async function knownAmong(db: Database, endpointIds: ReadonlySet<string>): Promise<Set<string>> {
  const rows = await db
    .select({ id: endpoints.id })
    .from(endpoints)
    .innerJoin(workspaces, and(eq(workspaces.id, endpoints.workspaceId), isNull(workspaces.deletedAt)))
    .where(inArray(endpoints.id, [...endpointIds]))
  return new Set(rows.map(({ id }) => id))
}

/** Those of which the result is deleted. */
async function deletedAmong<S extends Subject>(db: Database, deliveries: readonly S[]): Promise<S[]> {
  const found = new Set<string>()
  // Bot by bot, as a cluster stores them on different nodes.
  for (const botId of new Set(deliveries.map((delivery) => delivery.botId))) {
    const subjects = deliveries.flatMap((delivery) => (delivery.botId === botId ? delivery.subject : []))
    const alive = await selectRows(
      db,
      { id: results.id },
      (list) => sql`
        SELECT ${list} FROM ${results} JOIN ${bots} ON ${bots.id} = ${results.botId} AND ${isBotVisible()}
        WHERE ${results.botId} = ${botId} AND ${bots.id} = ${botId} AND ${results.id} = ANY(${sql.param(subjects)})
          AND ${isResultUndeleted}`,
    )
    for (const { id } of alive) found.add(`${botId} ${id}`)
  }
  return deliveries.filter(({ botId, subject }) => !found.has(`${botId} ${subject}`))
}

/** True if an event of a deleted result is being posted to the same endpoint. */
async function isSending(db: Database, { botId, endpointId }: Taken): Promise<boolean> {
  const leased = await selectRows(
    db,
    { botId: deliveries.botId, subject: deliveries.subject, type: deliveries.type },
    (list) => sql`
      SELECT ${list} FROM ${deliveries}
      WHERE bot_id = ${botId} AND endpoint_id = ${endpointId} AND leased_until > now()
        AND num_nulls(next_attempt_at) = 0`,
  )
  const ofResults = leased.filter(({ type }) => OF_RESULT.includes(type))
  return (await deletedAmong(db, ofResults)).length > 0
}

/** Ends leases without an attempt. A redelivery that was requested meanwhile counts from then on. */
export async function giveBack(
  db: Database,
  given: readonly Taken[],
  change = sql`next_attempt_at = d.next_attempt_at`,
) {
  if (given.length === 0) return
  const places = given.map(({ botId, endpointId, subject, seq, attempts }) => ({
    bot_id: botId,
    endpoint_id: endpointId,
    subject,
    seq,
    attempts,
  }))
  await db.execute(sql`
    UPDATE ${deliveries} d SET ${change}, leased_until = NULL, attempts = d.attempts - 1,
      last_attempt_at = CASE WHEN d.attempts > 1 THEN d.last_attempt_at END,
      attempts_before = least(d.attempts_before, d.attempts - 1)
    FROM json_to_recordset(${JSON.stringify(places)}::json)
      AS g(bot_id text, endpoint_id text, subject text, seq integer, attempts integer)
    WHERE d.bot_id = g.bot_id AND d.endpoint_id = g.endpoint_id AND d.subject = g.subject AND d.seq = g.seq
      AND d.attempts = g.attempts AND d.leased_until IS NOT NULL AND g.seq BETWEEN 0 AND 2147483647`)
}

/** True if the result of a delivery is deleted. */
export async function isOfDeleted(db: Database, delivery: Subject & { type: string }): Promise<boolean> {
  return OF_RESULT.includes(delivery.type) && (await deletedAmong(db, [delivery])).length > 0
}
