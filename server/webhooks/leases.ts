import { type SQL, sql } from 'drizzle-orm'
import { prepareWrite, statements } from '../db/client.ts'
import {
  webhookDeliveries as deliveries,
  webhookEndpoints as endpoints,
  webhookEvents as events,
  workspaces,
} from '../db/schema.ts'
import { expression, optional, prepareSelect, type RowOf } from '../db/typed-select.ts'

/*
 * Deliveries are taken with a short lease, which the owning process extends: deliveries of a killed process are free a
 * few seconds later. Leases use the clock of the database, so that processes with different clocks agree. Endpoints and
 * deliveries are queried separately: on a cluster the tables of endpoints are on every node, and rows can be locked in
 * the other ones alone.
 */

/** Time for which a delivery belongs to its sender, in milliseconds. */
export const LEASE_TIMEOUT_MS = 5_000

/** Maximum number of due deliveries examined per endpoint and pass; more may be behind those that have to wait. */
const MAX_EXAMINED_DELIVERIES = 100

const endpointShape = {
  id: endpoints.id,
  url: endpoints.url,
  workspaceId: endpoints.workspaceId,
  secrets: endpoints.secrets,
  secretsKeyId: endpoints.secretsKeyId,
  rotatesUntil: endpoints.rotatesUntil,
  failures: endpoints.failures,
  /** Creator of the workspace: places are shared by creator, since one may have many workspaces with many endpoints. */
  owner: expression(
    sql`coalesce((SELECT w.created_by FROM ${workspaces} w WHERE w.id = ${endpoints.workspaceId}), ${endpoints.workspaceId})`,
    'text',
  ),
  isOpen: expression(
    sql`${endpoints.isEnabled} AND coalesce(${endpoints.pausedUntil} <= now(), true)`,
    'boolean',
  ),
}

const deliveryShape = {
  botId: deliveries.botId,
  endpointId: deliveries.endpointId,
  subject: deliveries.subject,
  seq: deliveries.seq,
  id: deliveries.id,
  type: deliveries.type,
  createdAt: deliveries.createdAt,
  /** With the one that it was taken for. */
  attempts: deliveries.attempts,
  /** Index in the schedule: attempts since the last manual redelivery. */
  turn: expression(sql`${deliveries.attempts} - coalesce(${deliveries.attemptsBefore}, 0)`, 'integer'),
  /** True if it was redelivered: a later one of its subject may be under way. */
  isAgain: expression(sql`${deliveries.attemptsBefore} IS NOT NULL`, 'boolean'),
  at: expression(sql`now()`, 'timestamptz'),
}

/** An endpoint to which something is due. One that is not open is sent test events alone. */
export type OpenEndpoint = RowOf<typeof endpointShape>
/** A delivery that this process has taken. */
export type Taken = RowOf<typeof deliveryShape>

/**
 * Key of a delivery and the attempt that it was taken for. Only the process that took this attempt may write its
 * outcome.
 */
export type Place = Pick<Taken, 'botId' | 'endpointId' | 'subject' | 'seq' | 'attempts'>

export interface Outcome extends Place {
  /** Milliseconds since 1970, by the database's clock; null where it is done with. */
  nextAttemptAt: number | null
  isDelivered: boolean
  lastStatus: number | null
  lastError: string | null
  lastDuration: number
}

const isLeaseOver = sql`coalesce(leased_until <= now(), true)`
const lease = sql`now() + ${sql.raw(`interval '${LEASE_TIMEOUT_MS} milliseconds'`)}`
const looked = sql.raw(String(MAX_EXAMINED_DELIVERIES))
const same = (other: string) => sql`${deliveries.botId} = ${sql.raw(other)}.bot_id
  AND ${deliveries.endpointId} = ${sql.raw(other)}.endpoint_id
  AND ${deliveries.subject} = ${sql.raw(other)}.subject AND ${deliveries.seq} = ${sql.raw(other)}.seq`

/**
 * True of every number. The planner expects next to no rows of a range, and a hundred or more without, for which it
 * would read all deliveries instead of looking up each.
 */
const few = (number: string) => sql`${sql.raw(number)} BETWEEN 0 AND 2147483647`

/** True while a later delivery of the subject is leased. */
const hasLaterLeased = (other: string) => sql`EXISTS (
  SELECT FROM ${deliveries} o
  WHERE o.bot_id = ${sql.raw(other)}.bot_id AND o.endpoint_id = ${sql.raw(other)}.endpoint_id
    AND o.subject = ${sql.raw(other)}.subject AND o.seq > ${sql.raw(other)}.seq
    AND num_nulls(o.next_attempt_at) = 0 AND o.leased_until > now())`

/** Places as one parameter, JSON of `Place[]`. */
const given = (name: string, more = sql``) => sql`(
  SELECT "botId" AS bot_id, "endpointId" AS endpoint_id, p.* FROM json_to_recordset(${sql.placeholder(name)}::json)
    AS p("botId" text, "endpointId" text, subject text, seq integer, attempts integer ${more})
    WHERE ${few('p.seq')}) AS given`

/*
 * If no rows were due at the last ANALYZE, the planner takes all indexes of due rows for equally good, and may read
 * every due row through any of them. So the condition of each index follows from no other condition, and is repeated
 * word for word.
 */

/** Tests that wait for an endpoint, which they have in place of a bot. */
const testsOf = (endpointId: SQL) => sql`(
  SELECT * FROM ${deliveries} d
  WHERE d.bot_id = ${endpointId} AND num_nulls(d.next_attempt_at, NULLIF(d.bot_id = d.endpoint_id, false)) = 0 OFFSET 0)`

export const leaseStatements = statements((db, named) => ({
  /** None of a deleted workspace. In no order, so that of many none is always the last. */
  open: prepareSelect(
    db,
    named('webhooks_open'),
    endpointShape,
    (list) => sql`
      SELECT ${list} FROM ${endpoints}
      LEFT JOIN LATERAL (
        SELECT true AS found FROM ${deliveries} d
        WHERE d.endpoint_id = ${endpoints.id} AND d.next_attempt_at <= now() AND ${endpointShape.isOpen.sql}
        ORDER BY d.next_attempt_at, d.id LIMIT 1
      ) AS due ON true
      LEFT JOIN LATERAL (
        SELECT true AS found FROM ${testsOf(sql`${endpoints.id}`)} AS t WHERE t.next_attempt_at <= now() LIMIT 1
      ) AS test ON true
      WHERE (due.found OR test.found)
        AND (SELECT home.deleted_at IS NULL FROM ${workspaces} home WHERE home.id = ${endpoints.workspaceId})
      ORDER BY random() LIMIT 1000`,
  ),
  // A delivery with an earlier one of its subject is moved behind that, once: otherwise all deliveries of an
  // unreachable endpoint would be examined each time. Deliveries are looked up by their key only: with an equality on
  // the endpoint the planner would read all of its deliveries. Only a manual redelivery can have a later delivery of
  // its subject under way, so later ones are read for these only. Events of a bot that follow one another without a gap
  // are taken together: the lock of the first one guards the others.
  take: prepareSelect(
    db,
    named('webhooks_take'),
    deliveryShape,
    (list) => sql`
      WITH wanted AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${sql.placeholder('wanted')}::json)
          AS w(id text, owner text, "isOpen" boolean, free integer, followers integer, room integer, "passedOver" text[])
      ), looked AS MATERIALIZED (
        SELECT d.*, first.at AS first_at, first.id AS first_id, first.seq AS first_seq
        FROM wanted CROSS JOIN LATERAL (
          (SELECT bot_id, endpoint_id, subject, seq, id, next_attempt_at, attempts_before, size FROM ${deliveries}
            WHERE wanted."isOpen" AND endpoint_id = wanted.id AND next_attempt_at <= now() AND bot_id <> wanted.id
              AND ${isLeaseOver} AND NOT coalesce(id = ANY(wanted."passedOver"), false)
            ORDER BY next_attempt_at, id LIMIT ${looked})
          UNION ALL
          (SELECT bot_id, endpoint_id, subject, seq, id, next_attempt_at, attempts_before, size FROM ${testsOf(sql`wanted.id`)} AS t
            WHERE next_attempt_at <= now() AND ${isLeaseOver} AND NOT coalesce(id = ANY(wanted."passedOver"), false) LIMIT ${looked})
        ) AS d
        LEFT JOIN LATERAL (
          SELECT b.next_attempt_at AS at, b.id, b.seq FROM ${deliveries} b
          WHERE b.bot_id = d.bot_id AND b.endpoint_id = d.endpoint_id AND b.subject = d.subject AND b.seq < d.seq
            AND num_nulls(b.next_attempt_at) = 0
          ORDER BY b.seq LIMIT 1
        ) AS first ON true
      ), taken AS MATERIALIZED (
        SELECT t.* FROM wanted CROSS JOIN LATERAL (
          SELECT ${deliveries.botId}, ${deliveries.endpointId}, ${deliveries.subject}, ${deliveries.seq},
            ${deliveries.size} AS bytes, looked.next_attempt_at, looked.id, wanted.owner, wanted.room, wanted.followers
          FROM looked JOIN ${deliveries} ON ${same('looked')}
          WHERE looked.endpoint_id IS NOT DISTINCT FROM wanted.id AND looked.first_at IS NULL
            AND coalesce(${deliveries.nextAttemptAt} <= now(), false) AND ${isLeaseOver}
            AND (${deliveries.attemptsBefore} IS NULL OR NOT ${hasLaterLeased('looked')})
          ORDER BY looked.next_attempt_at, looked.id LIMIT wanted.free
          FOR UPDATE OF ${deliveries} SKIP LOCKED
        ) AS t
      ), of_bots AS MATERIALIZED (
        SELECT looked.*, row_number() OVER (PARTITION BY bot_id, endpoint_id ORDER BY seq) - 1 AS ordinal
        FROM looked WHERE subject = bot_id AND attempts_before IS NULL
      ), fitting AS MATERIALIZED (
        SELECT * FROM (
          SELECT numbered.*,
            sum(bytes) OVER (PARTITION BY owner ORDER BY ordinal, nth, endpoint_id) - bytes AS earlier_bytes
          FROM (
            SELECT bot_id, endpoint_id, subject, seq, bytes, owner, room, 0 AS ordinal,
              row_number() OVER (PARTITION BY endpoint_id ORDER BY next_attempt_at, id) AS nth
            FROM taken
            UNION ALL
            SELECT o.bot_id, o.endpoint_id, o.subject, o.seq, o.size, owner, room, ordinal, o.seq
            FROM taken JOIN of_bots o ON o.bot_id = taken.bot_id AND o.endpoint_id = taken.endpoint_id
              AND o.subject = taken.subject AND o.first_seq = taken.seq AND o.seq = taken.seq + ordinal
              AND ordinal BETWEEN 1 AND taken.followers
          ) AS numbered
        ) AS added WHERE earlier_bytes < room
      ), behind AS (
        UPDATE ${deliveries} SET next_attempt_at = looked.first_at + interval '1 millisecond'
        FROM looked WHERE ${same('looked')} AND ${few('looked.first_seq')} AND ${few('looked.seq')}
          AND (looked.first_at, looked.first_id) > (${deliveries.nextAttemptAt}, looked.id)
          AND NOT EXISTS (
            SELECT FROM fitting f WHERE f.bot_id = looked.bot_id AND f.endpoint_id = looked.endpoint_id
              AND f.subject = looked.subject AND f.seq = looked.seq)
      )
      UPDATE ${deliveries}
      SET attempts = ${deliveries.attempts} + 1, last_attempt_at = now(), leased_until = ${lease}
      FROM fitting WHERE ${same('fitting')} AND ${few('fitting.seq')}
        AND coalesce(${deliveries.nextAttemptAt} <= now(), false) AND ${isLeaseOver}
      RETURNING ${list}`,
  ),
  // In a later statement than `take`, so that of two processes that take deliveries of one subject one sees the other.
  // By scalar queries: a join could be planned as one of all events.
  read: prepareSelect(
    db,
    named('webhooks_read'),
    {
      nth: expression(sql`given.nth`, 'integer'),
      isOvertaken: expression(
        sql`given.ordinal < (
          SELECT count(*) FROM ${deliveries} b
          WHERE b.bot_id = given.bot_id AND b.endpoint_id = given.endpoint_id AND b.subject = given.subject
            AND b.seq < given.seq AND num_nulls(b.next_attempt_at) = 0
        ) OR given."isAgain" AND ${hasLaterLeased('given')}`,
        'boolean',
      ),
      data: optional(
        expression(
          sql`CASE WHEN given."isFirst" THEN (SELECT e.data FROM ${events} e
            WHERE e.bot_id = given.bot_id AND e.subject = given.subject AND e.id = given.id) END`,
          'json',
        ),
      ),
    },
    (list) =>
      sql`SELECT ${list} FROM ${given('places', sql`, nth integer, ordinal integer, id text, "isAgain" boolean, "isFirst" boolean`)}`,
  ),
  /** Rows that `take` examines for one endpoint, for `probe`. */
  due: prepareSelect(
    db,
    named('webhooks_due'),
    {
      botId: deliveries.botId,
      subject: deliveries.subject,
      seq: deliveries.seq,
      endpointId: deliveries.endpointId,
      id: deliveries.id,
    },
    (list) => sql`
      SELECT ${list} FROM ${deliveries}
      WHERE endpoint_id = ${sql.placeholder('endpointId')} AND next_attempt_at <= now() AND ${isLeaseOver}
        AND NOT id = ANY(${sql.placeholder('passedOver')}::text[])
      ORDER BY next_attempt_at, id LIMIT ${looked}`,
  ),
  /** Writes a delivery as it is: fails where its row does. */
  probe: prepareWrite(
    db,
    named('webhooks_probe'),
    sql`UPDATE ${deliveries} SET leased_until = leased_until
      WHERE bot_id = ${sql.placeholder('botId')} AND endpoint_id = ${sql.placeholder('endpointId')}
        AND subject = ${sql.placeholder('subject')} AND seq = ${sql.placeholder('seq')}`,
  ),
  putOff: prepareWrite(
    db,
    named('webhooks_put_off'),
    sql`UPDATE ${deliveries} SET leased_until = ${lease} FROM ${given('places')}
      WHERE ${same('given')} AND ${deliveries.attempts} = given.attempts AND ${deliveries.leasedUntil} IS NOT NULL`,
  ),
  /**
   * A manual redelivery requested meanwhile makes it due again. The outcome of an attempt that another process took
   * over is ignored.
   */
  settle: prepareWrite(
    db,
    named('webhooks_settle'),
    sql`UPDATE ${deliveries} SET leased_until = NULL,
        is_delivered = given."isDelivered" AND ${deliveries.attemptsBefore} IS DISTINCT FROM ${deliveries.attempts},
        next_attempt_at = CASE WHEN ${deliveries.attemptsBefore} = ${deliveries.attempts} THEN 'epoch'
          ELSE to_timestamp(given."nextAttemptAt" / 1000.0) END,
        last_status = given."lastStatus", last_error = given."lastError", last_duration = given."lastDuration"
      FROM ${given(
        'outcomes',
        sql`, "nextAttemptAt" float8, "isDelivered" boolean, "lastStatus" integer, "lastError" text, "lastDuration" integer`,
      )}
      WHERE ${same('given')} AND ${deliveries.attempts} = given.attempts AND ${deliveries.leasedUntil} IS NOT NULL`,
  ),
}))
