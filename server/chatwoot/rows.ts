import { and, asc, eq, getTableColumns, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import { dueEarlier } from '../chat/sessions/bridged.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { dueAfter } from '../db/due-after.ts'
import { isLeaseOver, leaseEnd } from '../db/lease.ts'
import { bots, chatwootEvents as events, chatwootConversations as table } from '../db/schema.ts'
import { isBotVisible } from '../db/visible-bots.ts'
import { newId } from '../ids.ts'
import { Rollback } from '../kit/idempotency.ts'
import { JsonText } from '../kit/json/json-text.ts'
import { digestOfText, type ReadEvent, type StoredEvent } from './read-event.ts'

/* Statements about conversations and their events. The holder of its lease works alone on a conversation. */

type Row = typeof table.$inferSelect

/** A leased conversation, with times by the clock of the database. */
export type Conversation = Row & Ages
interface Ages {
  pendingForMs: number | null
  failingForMs: number | null
  /** Until the chat goes on without a message; not positive once it does. */
  resumeInMs: number | null
}
export type Key = Pick<Row, 'botId' | 'credentialsId' | 'conversationId'>
/** A lease that was taken. */
export type Taken = Key & { workspaceId: string; leaseId: string }
type Changes = { [Name in keyof typeof table.$inferInsert]?: (typeof table.$inferInsert)[Name] | SQL }

const isOf = ({ botId, credentialsId, conversationId }: Key) =>
  and(
    eq(table.botId, botId),
    eq(table.credentialsId, credentialsId),
    eq(table.conversationId, conversationId),
  )

const isEventOf = ({ botId, credentialsId, conversationId }: Key) =>
  and(
    eq(events.botId, botId),
    eq(events.credentialsId, credentialsId),
    eq(events.conversationId, conversationId),
  )

/** Maximum number of events of a conversation that wait. */
const MAX_WAITING_EVENTS = 500
/** Time for which a conversation waits for an earlier message that comes later: Chatwoot promises no order. */
const SETTLE_MS = 300

export async function workspaceOfBot(db: Database, botId: string): Promise<string | undefined> {
  const [bot] = await db
    .select({ workspaceId: bots.workspaceId })
    .from(bots)
    .where(and(eq(bots.id, botId), isBotVisible()))
  return bot?.workspaceId
}

interface Received extends ReadEvent {
  botId: string
  credentialsId: string
  workspaceId: string
  whenOver: Conversation['whenOver']
  whenReturned: Conversation['whenReturned']
  /** The event as it is stored. */
  text: string
}

/** `ignored`: nothing of it has to be stored, as of a repeat. `full`: too many wait already. */
type Stored = 'stored' | 'ignored' | 'full'

/** Stores an event once. */
export function storeEvent(db: Database, given: Received, now: Date): Promise<Stored> {
  const { botId, credentialsId, conversationId, workspaceId, whenOver, whenReturned, channel } = given
  const key = { botId, credentialsId, conversationId }
  const due = {
    changes: sql`${table.changes} + 1`,
    // A cluster takes no function of the time there.
    dueAt: dueEarlier(sql`excluded.due_at`),
  }
  if (given.event.kind === 'echo') return confirmMessage(db, key, given.event)
  const { key: eventKey, ordinal, kind } = given.event
  return transact(db, async (tx): Promise<Stored> => {
    // Only messages begin a conversation with the bot.
    if (kind !== 'message') {
      const [known] = await tx.select({ botId: table.botId }).from(table).where(isOf(key))
      if (!known) return 'ignored'
    }
    const [added] = await tx
      .insert(events)
      .values({ ...key, key: eventKey, ordinal, event: new JsonText(given.text), createdAt: now })
      .onConflictDoNothing()
      .returning({ key: events.key })
    if (!added) return 'ignored'
    const waiting = await tx.$count(events, and(isEventOf(key), isNotNull(events.event)))
    if (waiting > MAX_WAITING_EVENTS) throw new Rollback('full')
    await tx
      .insert(table)
      .values({
        ...key,
        workspaceId,
        channel,
        whenOver,
        whenReturned,
        status: 'pending',
        startedAt: 0,
        handedAt: 0,
        sentRevision: 0,
        sentOrdinal: 0,
        sentParts: 0,
        lastMessageId: 0,
        handedAfter: 0,
        isNoteDue: false,
        changes: 1,
        failures: 0,
        dueAt: dueAfter(SETTLE_MS) as unknown as Date,
        updatedAt: now,
      })
      .onConflictDoUpdate({
        target: [table.botId, table.credentialsId, table.conversationId],
        set: { ...due, whenOver, whenReturned, channel, updatedAt: now },
      })
    return 'stored'
  })
}

/** Records that a message of the bot has arrived, unless that is recorded already. */
async function confirmMessage(
  db: Database,
  key: Key,
  { messageId, text }: { messageId: number; text: string },
): Promise<'ignored'> {
  await db
    .update(table)
    .set({ confirmedId: messageId, changes: sql`${table.changes} + 1`, dueAt: sql`now()` })
    .where(
      and(
        isOf(key),
        sql`substr(${table.pending}, 2) = ${digestOfText(text)} AND ${table.confirmedId} IS NULL
          AND ${table.lastMessageId} < ${messageId}`,
      ),
    )
  return 'ignored'
}

/**
 * Leases conversations that are due, the oldest first, each batch under one id. A workspace gets no more than its
 * share.
 */
export async function takeConversations(
  db: Database,
  now: Date,
  counts: Map<string, number>,
  share: number,
  limit: number,
): Promise<Taken[]> {
  const passedOver = [...counts].flatMap(([id, count]) => (count >= share ? [id] : []))
  const isDue = sql`${table.dueAt} <= now() AND ${isLeaseOver}`
  const { botId, credentialsId, conversationId, workspaceId } = table
  const shape = { botId, credentialsId, conversationId, workspaceId }
  const found = await db
    .select(shape)
    .from(table)
    .where(sql`${isDue} AND ${table.workspaceId} <> ALL(${sql.param(passedOver)}::text[])`)
    .orderBy(table.dueAt)
    .limit(limit)
  const shared = found.filter(({ workspaceId: id }) => {
    counts.set(id, (counts.get(id) ?? 0) + 1)
    return (counts.get(id) ?? 0) <= share
  })
  const taken = await Promise.all(
    shared.map(async (key) => {
      const leaseId = newId(now)
      const leased = await db
        .update(table)
        .set({ leaseId, leasedUntil: leaseEnd as unknown as Date })
        .where(and(isOf(key), isDue))
        .returning(shape)
      return leased.map((each) => ({ ...each, leaseId }))
    }),
  )
  return taken.flat()
}

/** Extends leases, which have an id each. */
export async function extendLeases(db: Database, taken: readonly Taken[]): Promise<void> {
  if (taken.length === 0) return
  await db
    .update(table)
    .set({ leasedUntil: leaseEnd as unknown as Date })
    .where(
      and(
        inArray(table.botId, [...new Set(taken.map(({ botId }) => botId))]),
        inArray(
          table.conversationId,
          taken.map(({ conversationId }) => conversationId),
        ),
        inArray(
          table.leaseId,
          taken.map(({ leaseId }) => leaseId),
        ),
      ),
    )
}

/** Reads a leased conversation; undefined once another process has it. */
export async function readLeased(db: Database, key: Key, leaseId: string): Promise<Conversation | undefined> {
  const millisecondsOf = (interval: SQL) =>
    sql<number | null>`(date_part('epoch', ${interval}) * 1000)::float8`
  const [row] = await db
    .select({
      ...getTableColumns(table),
      pendingForMs: millisecondsOf(sql`now() - ${table.pendingSince}`),
      failingForMs: millisecondsOf(sql`now() - ${table.failingSince}`),
      resumeInMs: millisecondsOf(sql`${table.resumeAt} - now()`),
    })
    .from(table)
    .where(and(isOf(key), eq(table.leaseId, leaseId)))
  return row
}

/** Changes a leased conversation; false once another process has it. */
export async function change(db: Database, row: Conversation, changes: Changes): Promise<boolean> {
  const changed = await db
    .update(table)
    .set(changes as object)
    .where(and(isOf(row), eq(table.leaseId, row.leaseId ?? '')))
    .returning({ botId: table.botId })
  return changed.length > 0
}

/** Ends the lease of a conversation with nothing to do; false if something has come meanwhile. */
export async function release(db: Database, row: Conversation): Promise<boolean> {
  const released = await db
    .update(table)
    .set({ leaseId: null, leasedUntil: null, dueAt: null, failures: 0, failingSince: null })
    .where(and(isOf(row), eq(table.leaseId, row.leaseId ?? ''), eq(table.changes, row.changes)))
    .returning({ botId: table.botId })
  return released.length > 0
}

/**
 * Ends the lease of a conversation that is due again later: immediately if an event has come meanwhile, unless it
 * fails.
 */
export async function putOff(db: Database, row: Conversation, milliseconds: number): Promise<void> {
  const isLater = sql`${table.changes} = ${row.changes} OR (${table.failures} > 0 AND ${table.confirmedId} IS NULL)`
  // Without a function of the time within CASE, as a cluster needs it.
  const atMost = sql`greatest(now(), CASE WHEN ${isLater} THEN 'infinity'::timestamptz END)`
  const dueAt = sql`least(${dueAfter(milliseconds)}, ${atMost})`
  await change(db, row, { leaseId: null, leasedUntil: null, dueAt })
}

/** The first event of a conversation that waits. */
export async function nextEvent(
  db: Database,
  row: Conversation,
): Promise<(StoredEvent & { key: string }) | undefined> {
  const [found] = await db
    .select({ key: events.key, event: events.event })
    .from(events)
    .where(and(isEventOf(row), isNotNull(events.event)))
    .orderBy(asc(events.ordinal), asc(events.createdAt))
    .limit(1)
  return found?.event ? { ...(JSON.parse(found.event.text) as StoredEvent), key: found.key } : undefined
}

/** Writes the progress of an event that is not done yet, so that a retry begins there. */
export async function saveEvent(db: Database, row: Key, event: StoredEvent & { key: string }): Promise<void> {
  await db
    .update(events)
    .set({ event: new JsonText(JSON.stringify(event)) })
    .where(and(isEventOf(row), eq(events.key, event.key), isNotNull(events.event)))
}

/** True if an event waits that is about the members of Chatwoot, or by them. */
export async function hasEventForPeople(db: Database, row: Conversation): Promise<boolean> {
  const isForPeople = sql`(${events.event} ->> 'kind' IN ('opened', 'agent', 'resolved')
    OR ${events.event} ->> 'status' <> 'pending' OR (${events.event} ->> 'hasAssignee')::boolean)`
  const found = await db
    .select({ key: events.key })
    .from(events)
    .where(and(isEventOf(row), isNotNull(events.event), isForPeople))
    .limit(1)
  return found.length > 0
}

/** Marks an event as done; false if it was already. */
export async function finish(
  tx: Transaction | Database,
  row: Key,
  { key }: { key: string },
): Promise<boolean> {
  const done = await tx
    .update(events)
    .set({ event: null })
    .where(and(isEventOf(row), eq(events.key, key), isNotNull(events.event)))
    .returning({ key: events.key })
  return done.length > 0
}

/** Drops the pending content of a conversation that cannot be written to. */
export async function abandon(db: Database, row: Conversation): Promise<void> {
  await transact(db, async (tx) => {
    await tx.update(events).set({ event: null }).where(isEventOf(row))
    await change(tx, row, {
      ...{ sessionId: null, dueAt: null, leaseId: null, leasedUntil: null, pending: null, confirmedId: null },
      ...{ isNoteDue: false, resumeAt: null, failures: 0, failingSince: null },
    })
  })
}
