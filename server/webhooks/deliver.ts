import { setTimeout as delay } from 'node:timers/promises'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { OutboundClient, OutboundReply } from '../chat/tools/outbound.ts'
import { type Database, databaseError, statements } from '../db/client.ts'
import { webhookDeliveries as deliveries, webhookEndpoints as endpoints } from '../db/schema.ts'
import { expression, prepareSelect, type RowOf } from '../db/selection.ts'
import { deliveryIsDue } from './outbox.ts'
import { signatureHeaders } from './signature.ts'

/*
 * Sends events, in every process. A delivery is taken by moving the time at which it is due: when its sender dies, it
 * is due again then. The clock is the database's, so that processes with different ones agree. One subject has its
 * events sent one after the other; an endpoint that fails is left alone for a while, and delays nobody.
 */

const SECOND = 1000
const HOUR = 3600 * SECOND

/** How long after each failed attempt the next one is made; after the last one the delivery has failed. */
const SCHEDULE = [
  5 * SECOND,
  300 * SECOND,
  HOUR / 2,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

const TIMEOUT = 15 * SECOND
/** How long a delivery that is being sent belongs to its sender. */
const LEASE = 60 * SECOND
const STOP_WAIT = 2 * SECOND
/** Of one endpoint and of all, in this process. */
const AT_ONCE_EACH = 4
const AT_ONCE = 64
/** An endpoint that failed so often in a row is left alone for a while. */
const MANY_FAILURES = 10
const PAUSE = 60 * SECOND
/** The longest time that a receiver may ask to be left alone for. */
const LONGEST_WAIT = 24 * HOUR
/** An endpoint that failed for so long is disabled. */
const PATIENCE = 5 * 24 * HOUR

const shape = {
  at: expression(sql`now()`, 'timestamptz'),
  delivery: {
    botId: deliveries.botId,
    endpointId: deliveries.endpointId,
    subject: deliveries.subject,
    seq: deliveries.seq,
    id: deliveries.id,
    type: deliveries.type,
    data: deliveries.data,
    createdAt: deliveries.createdAt,
    attempts: deliveries.attempts,
  },
  endpoint: {
    url: endpoints.url,
    generation: endpoints.generation,
    rotatesUntil: endpoints.rotatesUntil,
    failingSince: endpoints.failingSince,
  },
}

type Due = RowOf<typeof shape>
type Delivery = Due['delivery']

/** Nothing of the same subject is in front of it. */
const isFirst = sql`NOT EXISTS (
  SELECT FROM ${deliveries} b WHERE b.bot_id = d.bot_id AND b.endpoint_id = d.endpoint_id AND b.subject = d.subject
    AND b.seq < d.seq AND b.next_attempt_at IS NOT NULL)`

const dueStatements = statements((db, named) => ({
  // Tests have the endpoint in place of a bot, and go also to one that is told nothing else.
  due: prepareSelect(
    db,
    named('webhooks_due'),
    shape,
    (list) => sql`
      SELECT ${list} FROM ${endpoints}
      CROSS JOIN LATERAL (
        (SELECT d.* FROM ${deliveries} d
          WHERE ${endpoints.isEnabled} AND coalesce(${endpoints.pausedUntil} <= now(), true)
            AND d.endpoint_id = ${endpoints.id} AND d.next_attempt_at <= now() AND d.bot_id <> ${endpoints.id}
            AND ${isFirst}
          ORDER BY d.next_attempt_at, d.id LIMIT ${sql.raw(String(AT_ONCE_EACH))})
        UNION ALL
        (SELECT d.* FROM ${deliveries} d
          WHERE d.bot_id = ${endpoints.id} AND d.endpoint_id = ${endpoints.id} AND d.next_attempt_at <= now()
          LIMIT 1)
      ) AS ${deliveries}
      WHERE ${endpoints.id} <> ALL(${sql.placeholder('busy')}::text[])
      ORDER BY random() LIMIT ${sql.placeholder('limit')}::int`,
  ),
}))

/** What this process has done, for its metrics. */
export const sent = { delivered: 0, failed: 0, underWay: 0, lastDelay: 0 }

/** What is posted, byte for byte. */
export function payloadOf({ type, createdAt, data }: Pick<Delivery, 'type' | 'createdAt' | 'data'>): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${createdAt.toISOString()}","data":${data.text}}`
}

interface Sender {
  db: Database
  log: Logger
  /** The key of the installation, of which secrets are made. */
  key: Buffer
  post: OutboundClient
}

/**
 * Sends what is due until stopped; `stop` waits a moment for what is under way, the rest is sent again by others.
 * `interval`: how often the events of others are looked for, in milliseconds.
 */
export function startDeliveries(sender: Sender, interval = 1_000): { stop: () => Promise<void> } {
  const { db, log } = sender
  const underWay = new Map<string, number>()
  let total = 0

  async function look(): Promise<void> {
    const busy = [...underWay].flatMap(([id, number]) => (number >= AT_ONCE_EACH ? [id] : []))
    const due = await dueStatements(db).due({ busy, limit: AT_ONCE - total })
    for (const one of due) {
      const { endpointId } = one.delivery
      const number = underWay.get(endpointId) ?? 0
      if (number >= AT_ONCE_EACH) continue
      underWay.set(endpointId, number + 1)
      sent.underWay = ++total
      void deliver(sender, one)
        .catch((error) => log.warn({ err: databaseError(error) }, 'a delivery will be tried again'))
        .finally(() => {
          const left = (underWay.get(endpointId) ?? 1) - 1
          if (left === 0) underWay.delete(endpointId)
          else underWay.set(endpointId, left)
          sent.underWay = --total
          // What comes next for its subject, or for those that found the endpoint busy.
          deliveryIsDue.emit('due')
        })
    }
  }

  let isStopped = false
  // Said while a look is under way, it is not to be missed.
  let isDue = false
  let wake = () => {}
  const onDue = () => {
    isDue = true
    wake()
  }
  deliveryIsDue.on('due', onDue)

  /** Ends early once something is due. */
  function rest(): Promise<void> {
    if (isDue || isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, interval).unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const running = (async () => {
    while (!isStopped) {
      isDue = false
      try {
        if (total < AT_ONCE) await look()
      } catch (error) {
        log.warn({ err: databaseError(error) }, 'deliveries will be looked for again')
        isDue = false
      }
      await rest()
    }
    for (let waited = 0; total > 0 && waited < STOP_WAIT; waited += 20) await delay(20)
  })()

  return {
    async stop() {
      isStopped = true
      deliveryIsDue.off('due', onDue)
      wake()
      await running
    },
  }
}

const placeOf = ({ botId, endpointId, subject, seq }: Delivery) =>
  and(
    eq(deliveries.botId, botId),
    eq(deliveries.endpointId, endpointId),
    eq(deliveries.subject, subject),
    eq(deliveries.seq, seq),
  )

async function deliver({ db, log, key, post }: Sender, { at, delivery, endpoint }: Due): Promise<void> {
  const attempts = delivery.attempts + 1
  const until = new Date(at.getTime() + LEASE)
  const { rowCount } = await db
    .update(deliveries)
    .set({ attempts, nextAttemptAt: until, lastAttemptAt: at })
    .where(
      and(
        placeOf(delivery),
        eq(deliveries.attempts, delivery.attempts),
        sql`${deliveries.nextAttemptAt} <= ${at.toISOString()}::timestamptz`,
      ),
    )
  // Another process has it.
  if (rowCount === 0) return

  if (attempts === 1) sent.lastDelay = Math.max(0, at.getTime() - delivery.createdAt.getTime()) / SECOND
  const started = performance.now()
  const reply = await send({ key, post }, { at, delivery, endpoint })
  const lastDuration = Math.round(performance.now() - started)
  const isDelivered = reply.ok && reply.status >= 200 && reply.status < 300
  sent[isDelivered ? 'delivered' : 'failed']++
  const wait = SCHEDULE[attempts - 1]
  const answeredAt = at.getTime() + lastDuration
  const asked = isDelivered ? 0 : retryAfter(reply)
  const nextAttemptAt =
    isDelivered || wait === undefined
      ? null
      : new Date(answeredAt + Math.max(asked, wait * (0.9 + 0.2 * Math.random())))
  // Whoever asked for it to be sent again meanwhile, or took it over, is not overruled.
  await db
    .update(deliveries)
    .set({
      nextAttemptAt,
      isDelivered,
      lastStatus: reply.ok ? reply.status : null,
      lastError: reply.ok ? null : reply.message.slice(0, 500),
      lastDuration,
    })
    .where(and(placeOf(delivery), eq(deliveries.attempts, attempts), eq(deliveries.nextAttemptAt, until)))

  if (delivery.type === 'endpoint.test') return
  if (isDelivered) {
    if (endpoint.failingSince) await noteSuccess(db, delivery.endpointId)
    return
  }
  const isGone = reply.ok && reply.status === 410
  const pause = asked > 0 ? new Date(answeredAt + asked) : null
  const reason = await noteFailure(db, delivery.endpointId, at, isGone, pause)
  if (reason) log.warn({ endpointId: delivery.endpointId, reason }, 'webhook endpoint disabled')
}

async function send(
  { key, post }: Pick<Sender, 'key' | 'post'>,
  { at, delivery, endpoint }: Due,
): Promise<OutboundReply> {
  const { generation, rotatesUntil } = endpoint
  const generations = rotatesUntil && rotatesUntil > at ? [generation, generation - 1] : [generation]
  const body = payloadOf(delivery)
  return post({
    url: endpoint.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'bot-builder-service',
      // The receiver compares it with its own clock, not with that of the database.
      ...signatureHeaders(key, delivery.endpointId, generations, delivery.id, body, new Date()),
    },
    body,
    milliseconds: TIMEOUT,
    redirects: 'none',
  })
}

async function noteSuccess(db: Database, endpointId: string) {
  await db
    .update(endpoints)
    .set({ failures: 0, failingSince: null, pausedUntil: null })
    .where(and(eq(endpoints.id, endpointId), isNotNull(endpoints.failingSince)))
}

/** Milliseconds that a receiver asks to be left alone for: `Retry-After`, in seconds or as a date. */
function retryAfter(reply: OutboundReply): number {
  const given = reply.ok ? reply.headers['retry-after'] : undefined
  if (given === undefined) return 0
  const wait = /^\d{1,9}$/.test(given) ? Number(given) * SECOND : Date.parse(given) - Date.now()
  return Math.min(Math.max(wait, 0), LONGEST_WAIT) || 0
}

/** Why the endpoint is disabled now, if it is. `pause`: until when its receiver asks to be left alone. */
async function noteFailure(
  db: Database,
  endpointId: string,
  at: Date,
  isGone: boolean,
  pause: Date | null,
): Promise<'gone' | 'failing' | undefined> {
  const [row] = await db
    .update(endpoints)
    .set({
      failures: sql`${endpoints.failures} + 1`,
      failingSince: sql`coalesce(${endpoints.failingSince}, ${at.toISOString()}::timestamptz)`,
      pausedUntil: sql`greatest(${endpoints.pausedUntil}, ${pause?.toISOString() ?? null}::timestamptz,
        CASE WHEN ${endpoints.failures} + 1 >= ${MANY_FAILURES}
          THEN ${new Date(at.getTime() + PAUSE).toISOString()}::timestamptz END)`,
    })
    .where(eq(endpoints.id, endpointId))
    .returning({ failingSince: endpoints.failingSince })
  const isFailing = row?.failingSince && at.getTime() - row.failingSince.getTime() >= PATIENCE
  const reason = isGone ? 'gone' : isFailing ? 'failing' : undefined
  if (!reason) return undefined
  const { rowCount } = await db
    .update(endpoints)
    .set({ isEnabled: false, disabledReason: reason })
    .where(and(eq(endpoints.id, endpointId), eq(endpoints.isEnabled, true)))
  return rowCount === 1 ? reason : undefined
}
