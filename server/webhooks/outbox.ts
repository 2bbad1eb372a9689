import { EventEmitter } from 'node:events'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { EventType } from '../../contract/events.ts'
import type { components } from '../../generated/openapi.ts'
import type { BotGrant, WorkspaceGrant } from '../access/index.ts'
import { topologyOf } from '../db/citus/topology.ts'
import { afterCommit, type Database, statements, type Transaction, transact } from '../db/client.ts'
import { isOfRows, sqlState } from '../db/errors.ts'
import { memoizeOn } from '../db/interned-rows.ts'
import { BATCH_DIVISOR, createPassedOver } from '../db/passed-over.ts'
import { bots, webhookDeliveries, webhookEndpoints, webhookEvents, webhookOutbox } from '../db/schema.ts'
import { expression, prepareSelect } from '../db/typed-select.ts'
import { isResultVisible } from '../db/visible-results.ts'
import { newId } from '../ids.ts'

/*
 * Transactional outbox: events are inserted in the transaction that causes them, so that both exist or neither does.
 * Without subscribed endpoints nothing is written and no statement runs. Turns of chats, which are many, write few
 * rows of events, and senders fan them out to the endpoints. All other events are inserted for each endpoint
 * directly. The data of an event is stored once for all endpoints.
 */

const due = sql`'epoch'::timestamptz`

/** Ids of the endpoints that want an event `h`, of those `e` that a condition is true of. */
const endpointsFor = (condition: SQL) => sql`ARRAY(
  SELECT e.id FROM ${webhookEndpoints} e WHERE ${condition} AND (e.types IS NULL OR h.type = ANY(e.types)))`

/**
 * Inserts the rows of `happened`: `bot_id`, `subject`, `ordinal` (their order for one subject, from 0, each once), `id`,
 * `type`, `data`, `at` and `endpoint_ids`, those that want it. Two statements, of which the first is a part of a WITH.
 */
const storedEvents = sql`
  INSERT INTO ${webhookEvents} (bot_id, subject, id, data)
  SELECT bot_id, subject, id, data FROM happened WHERE endpoint_ids <> '{}'
  ON CONFLICT DO NOTHING`
const deliveriesOfEvents = sql`
  INSERT INTO ${webhookDeliveries} (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
  SELECT h.bot_id, e.id, h.subject, h.ordinal + coalesce((
      SELECT max(d.seq) + 1 FROM ${webhookDeliveries} d
      WHERE d.bot_id = h.bot_id AND d.endpoint_id = e.id AND d.subject = h.subject
    ), 0), h.id, h.type, octet_length(h.data::text), h.at, ${due}
  FROM happened h CROSS JOIN LATERAL unnest(h.endpoint_ids) AS e(id)`

/**
 * Inserts events for the enabled endpoints of a workspace; `happened` reads no `endpoint_ids`. A cluster would take as
 * many rounds as the statement has parts, since every node has the endpoints: they are read first there.
 */
export async function insertEvents(tx: Database, workspaceId: string, happened: SQL) {
  const isEnabled = sql`e.workspace_id = ${workspaceId} AND e.is_enabled`
  let wanted = endpointsFor(isEnabled)
  if (!topologyOf(tx).canWriteByQuery) {
    const { rows } = await tx.execute(sql`SELECT e.id, e.types FROM ${webhookEndpoints} e WHERE ${isEnabled}`)
    if (rows.length === 0) return
    const found = sql`json_to_recordset(${JSON.stringify(rows)}::json)`
    wanted = sql`ARRAY(
      SELECT e.id FROM ${found} AS e(id text, types text[]) WHERE e.types IS NULL OR h.type = ANY(e.types))`
  }
  await tx.execute(sql`
    WITH happened AS MATERIALIZED (
      SELECT h.*, ${wanted} AS endpoint_ids FROM (${happened}) h
    ), stored AS (${storedEvents})
    ${deliveriesOfEvents}`)
}

/**
 * Inserts events of turns of one workspace into the outbox, a row for each bot, as a part of a statement. `happened`
 * reads rows of `bot_id`, `id`, `size` (the number of events) and `event`, a text of JSON; `events` makes the column of
 * such texts joined by commas. The row comes after those that are there, whatever the clock of another server says.
 */
export const enqueueEvents = (
  happened: SQL,
  workspaceId: SQL,
  events = (joined: SQL) => sql`'{"events":[' || ${joined} || ']}'`,
) => sql`
  INSERT INTO ${webhookOutbox} (bot_id, written_at, id, endpoint_ids, size, events)
  SELECT h.bot_id, greatest(clock_timestamp(), (
      SELECT max(o.written_at) + interval '1 microsecond' FROM ${webhookOutbox} o
      WHERE o.bot_id = h.bot_id AND o.written_at > now()
    )), min(h.id), ARRAY(SELECT e.id ${enabledOf(workspaceId)}), sum(h.size),
    (${events(sql`string_agg(h.event, ',')`)})::json
  FROM (${happened}) h
  GROUP BY h.bot_id
  HAVING EXISTS (SELECT ${enabledOf(workspaceId)})`

const enabledOf = (workspaceId: SQL) =>
  sql`FROM ${webhookEndpoints} e WHERE e.workspace_id = ${workspaceId} AND e.is_enabled`

/** Digits by which the ids of events of one batch of turns differ: three ids for each turn, counted from 3. */
const OWN_ID_DIGITS = 2

/** Common prefix of such ids. */
export const idPrefix = (now: Date) => newId(now).slice(0, -OWN_ID_DIGITS)

/**
 * The events of a row `t` of the outbox: `events`, or those of a batch of turns. A batch has `turns`, with the data
 * of the service, and `written`, with the data that only the database has of each written turn: `turn` is its number
 * in `turns`.
 */
export const expandOutboxRow = sql`(
  SELECT * FROM json_to_recordset(t.events->'events')
    AS o(subject text, ordinal integer, id text, type text, data json, at timestamptz)
  UNION ALL
  SELECT "resultId" #>> '{}', event.ordinal,
    t.id || lpad((3 * turn + event.ordinal)::text, ${sql.raw(String(OWN_ID_DIGITS))}, '0'), event.type,
    ('{"id":' || "resultId" || ',"botId":' || to_json(t.bot_id) || ',"lastChatSessionId":' || "sessionId"
      || event.answers || ',"hasStarted":' || "hasStarted" || ',"isCompleted":' || "isCompleted" || ',"createdAt":"'
      || to_char("createdAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}')::json,
    turns.at
  FROM json_to_recordset(t.events->'written') AS written(turn integer, "createdAt" timestamptz,
    "hasStarted" boolean, "isCompleted" boolean, "isStart" boolean, "isAnswer" boolean, "isCompletion" boolean)
  JOIN ROWS FROM (json_to_recordset(t.events->'turns') AS ("resultId" json, "sessionId" json, at timestamptz,
    "blockId" json, content json, files json)) WITH ORDINALITY
    AS turns("resultId", "sessionId", at, "blockId", content, files, nth) ON turns.nth = written.turn
  CROSS JOIN LATERAL (VALUES
    (0, 'result.started', "isStart", ''),
    (1, 'result.answered', "isAnswer", ',"answers":[{"blockId":' || "blockId" || ',"content":' || content
      || coalesce(',"attachedFileUrls":' || files, '') || '}]'),
    (2, 'result.completed', "isCompletion", '')
  ) AS event(ordinal, type, is_due, answers)
  WHERE is_due
) AS e`

/** Maximum number of events per fan-out. */
export const MAX_FAN_OUT_EVENTS = 64
/** Maximum number of bots per fan-out. */
const MAX_FAN_OUT_BOTS = 32
/** Maximum bytes on disk of the rows of one fan-out; at least one row is fanned out. */
const MAX_FAN_OUT_BYTES = 4 * 1024 * 1024

const maxEvents = sql`${sql.placeholder('maxEvents')}::integer`
const limit = sql`${sql.placeholder('bots')}::integer`
/** Rows that failed on their own, by their ids: others go on without them. */
const isPassedOver = (id: SQL) => sql`${id} = ANY(${sql.placeholder('passedOver')}::text[])`

const fanOutStatements = statements((db, named) => ({
  // Takes the first row of every bot, then the second of every bot, so that no bot waits behind all rows of another.
  // One process at a time fans out a bot, by locking its first row: two would give events of one result the same
  // numbers. A process that does not see yet that rows are deleted aborts by a division by zero.
  share: prepareSelect(
    db,
    named('webhooks_fan_out'),
    {
      events: expression(sql`(SELECT count(*) FROM happened)`, 'integer'),
      isCutInBytes: expression(sql`EXISTS (SELECT FROM part WHERE NOT fits)`, 'boolean'),
      after: expression(
        sql`CASE
          WHEN (SELECT count(bot_id) FROM waiting) = ${limit}
            OR EXISTS (SELECT FROM own WHERE bot_id NOT IN (SELECT bot_id FROM taken))
          THEN coalesce((SELECT max(bot_id) FROM taken), (SELECT max(bot_id) FROM waiting))
          ELSE '' END`,
        'text',
      ),
      isAlone: expression(
        sql`1 / ((SELECT count(*) FROM part WHERE fits) = (SELECT count(*) FROM taken))::integer = 1`,
        'boolean',
      ),
    },
    (list) => sql`
      WITH RECURSIVE bot AS (
        SELECT min(bot_id) AS bot_id FROM ${webhookOutbox} WHERE bot_id > ${sql.placeholder('from')}
        UNION ALL
        SELECT (SELECT min(o.bot_id) FROM ${webhookOutbox} o WHERE o.bot_id > bot.bot_id) FROM bot
        WHERE bot.bot_id IS NOT NULL
      ), waiting AS MATERIALIZED (
        SELECT bot_id FROM bot LIMIT ${limit}
      ), own AS MATERIALIZED (
        SELECT first.bot_id FROM waiting CROSS JOIN LATERAL (
          SELECT o.bot_id FROM ${webhookOutbox} o
          WHERE (o.bot_id, o.written_at, o.id) = (
            SELECT f.bot_id, f.written_at, f.id FROM ${webhookOutbox} f WHERE f.bot_id = waiting.bot_id
            ORDER BY f.written_at, f.id LIMIT 1)
          FOR UPDATE SKIP LOCKED
        ) AS first
        WHERE cardinality(${sql.placeholder('passedOver')}::text[]) = 0 OR EXISTS (
          SELECT FROM ${webhookOutbox} o WHERE o.bot_id = waiting.bot_id AND NOT ${isPassedOver(sql`o.id`)})
      ), part AS MATERIALIZED (
        SELECT row_ctid, earlier_bytes < ${MAX_FAN_OUT_BYTES} AS fits FROM (
          SELECT row_ctid, sum(size) OVER turns - size AS earlier, sum(bytes) OVER turns - bytes AS earlier_bytes
          FROM own CROSS JOIN LATERAL (
            SELECT o.ctid AS row_ctid, o.size,
              pg_column_size(o.events) AS bytes, row_number() OVER (ORDER BY o.written_at, o.id) AS nth
            FROM ${webhookOutbox} o WHERE o.bot_id = own.bot_id AND NOT ${isPassedOver(sql`o.id`)}
            ORDER BY o.written_at, o.id LIMIT ${maxEvents}
          ) AS numbered
          WINDOW turns AS (ORDER BY nth, bot_id)
        ) AS counted WHERE earlier < ${maxEvents}
      ), taken AS (
        DELETE FROM ${webhookOutbox} WHERE ctid = ANY(ARRAY(SELECT row_ctid FROM part WHERE fits)) RETURNING *
      ), happened AS MATERIALIZED (
        SELECT h.bot_id, h.subject, h.ordinal, h.id, h.type, h.data, h.at,
          ${endpointsFor(sql`e.id = ANY(h.endpoint_ids)`)} AS endpoint_ids
        FROM (
          SELECT t.endpoint_ids, t.bot_id, e.subject,
            row_number() OVER (PARTITION BY t.bot_id, e.subject ORDER BY t.written_at, t.id, e.ordinal)::integer - 1 AS ordinal,
            e.id, e.type, e.data, e.at
          FROM taken t CROSS JOIN LATERAL ${expandOutboxRow}
          WHERE ${isResultVisible(sql`t.bot_id`, sql`e.subject`)}
        ) AS h
      ), stored AS (${storedEvents}), shared AS (${deliveriesOfEvents})
      SELECT ${list}`,
  ),
  /** The row that is fanned out where no more than one is. */
  first: prepareSelect(
    db,
    named('webhooks_fan_out_first'),
    { id: webhookOutbox.id },
    (list) => sql`
      SELECT ${list} FROM ${webhookOutbox}
      WHERE bot_id > ${sql.placeholder('from')} AND NOT ${isPassedOver(sql`id`)}
      ORDER BY bot_id, written_at, id LIMIT 1`,
  ),
}))

/**
 * Fans out about `maxEvents` events of the outbox to the endpoints, beginning behind the bot `from`. Returns the bot to
 * continue behind ('' for the first), and whether more may be left. On a cluster turns enqueue no events.
 */
export async function fanOut(
  db: Database,
  from: string,
  maxEvents: number,
): Promise<{ after: string; isMoreLeft: boolean }> {
  if (!topologyOf(db).hasOutbox) return { after: '', isMoreLeft: false }
  const state = memoizeOn(db, 'fan-out', () => ({ cut: 1, failed: createPassedOver<string>() }))
  const passedOver = state.failed.keys()
  const [bots, part] = [MAX_FAN_OUT_BOTS, maxEvents].map((number) => Math.ceil(number / state.cut)) as [
    number,
    number,
  ]
  try {
    const [shared] = await fanOutStatements(db).share({ from, maxEvents: part, bots, passedOver })
    if (!shared) return { after: '', isMoreLeft: false }
    const isCut = state.cut > 1
    state.cut = Math.max(1, state.cut / BATCH_DIVISOR)
    const { after, events, isCutInBytes } = shared
    return { after, isMoreLeft: isCut || isCutInBytes || after !== '' || from !== '' || events >= part }
  } catch (error) {
    // A fan-out that did not see that the rows were deleted is retried.
    if (!isOfRows(error) || sqlState(error) === '22012') throw error
    if (bots > 1 || part > 1) state.cut *= BATCH_DIVISOR
    else {
      const [first] = await fanOutStatements(db).first({ from, passedOver })
      if (first) state.failed.add(first.id)
      state.cut = 1
    }
    return { after: from, isMoreLeft: true }
  }
}

/** Fans out all rows of the outbox. */
export async function fanOutAll(db: Database) {
  let left = { after: '', isMoreLeft: true }
  while (left.isMoreLeft) left = await fanOut(db, left.after, MAX_FAN_OUT_EVENTS)
}

interface Event {
  type: EventType
  workspaceId: string
  botId: string
  data: object
  /** In place of the bot: its events come in one order. */
  subject?: string
}

/**
 * Runs work and inserts its events in the same transaction. `eventsOf` returns the events of the outcome in order, all
 * about one subject. The bot is locked first, so that its events are numbered in the order of commits.
 */
export async function withWebhookEvent<Outcome>(
  db: Database,
  grant: BotGrant | WorkspaceGrant,
  now: Date,
  work: (db: Database) => Promise<Outcome>,
  eventsOf: (outcome: Outcome) => Event | readonly Event[] | undefined,
): Promise<Outcome> {
  if (!grant.hasWebhooks) return work(db)
  return transact(db, async (tx) => {
    if ('bot' in grant)
      await tx.select({ id: bots.id }).from(bots).where(eq(bots.id, grant.bot.id)).for('update')
    const outcome = await work(tx)
    for (const event of [eventsOf(outcome) ?? []].flat()) await insertEvent(tx, event, now)
    return outcome
  })
}

/** Inserts an event for the endpoints of the workspace; the caller has locked the bot. */
export async function insertEvent(
  tx: Transaction,
  { type, workspaceId, botId, data, subject = botId }: Event,
  now: Date,
) {
  await insertEvents(
    tx,
    workspaceId,
    sql`
      SELECT ${botId}::text AS bot_id, ${subject}::text AS subject, 0 AS ordinal, ${newId(now)}::text AS id,
        ${type}::text AS type, ${JSON.stringify(data)}::json AS data, ${now.toISOString()}::timestamptz AS at`,
  )
  notifyAfterCommit(tx)
}

/** The event of a change to a bot. */
export function botEvent(type: EventType, bot: typeof bots.$inferSelect): Event {
  const { id, workspaceId, folderId, name, version, publicId } = bot
  const data = {
    id,
    workspaceId,
    folderId,
    name,
    version,
    publicId,
    createdAt: bot.createdAt.toISOString(),
    updatedAt: bot.updatedAt.toISOString(),
  } satisfies components['schemas']['BotEventData']
  return { type, workspaceId, botId: id, data }
}

/** Deliveries begin immediately in the process of the event; other processes find them by polling. */
export const deliveryIsDue = new EventEmitter<{ due: [] }>()

/**
 * True if an endpoint is subscribed to the type. `subscribedEvents`: types of events, separated by commas, * for all.
 */
export function isWanted(type: EventType, subscribedEvents: string): boolean {
  return subscribedEvents.includes('*') || subscribedEvents.includes(type)
}

/** Wakes the sender of this process once the events are committed. */
export function notifyAfterCommit(db: Database) {
  afterCommit(db, () => deliveryIsDue.emit('due'))
}
