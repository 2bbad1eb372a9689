import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '../db/client.ts'
import { isLeaseOver } from '../db/lease.ts'
import {
  apiTokens,
  botIdempotencyKeys,
  botIdempotencyResponses,
  botStatsHourly,
  browserSessions,
  chatMessages,
  chatSessions,
  chatTimers,
  chatTurns,
  chatwootConversations,
  chatwootEvents,
  deviceLogins,
  idempotencyKeys,
  idempotencyResponses,
  invitations,
  sheetAccounts,
  signInLinks,
  webhookDeliveries,
  webhookEvents,
} from '../db/schema.ts'
import { selectRows } from '../db/typed-select.ts'
import { MS_PER_DAY } from '../durations.ts'
import { hoursEnd } from '../results/stats-epochs.ts'
import { type DueRows, isListed, type Key, keysTable, removeByKeys, removeDue } from './due.ts'

/** An hour more than the seven days that are promised, since clocks differ. */
const KEYS_RETENTION_MS = 7 * MS_PER_DAY + MS_PER_DAY / 24
const DELIVERIES_RETENTION_MS = 30 * MS_PER_DAY
const ENDED_TOKENS_RETENTION_MS = 30 * MS_PER_DAY

/** Keys with their responses, which have the same primary key. */
const keyed = (
  name: string,
  keys: typeof idempotencyKeys | typeof botIdempotencyKeys,
  responses: typeof idempotencyResponses | typeof botIdempotencyResponses,
) => {
  const columns = (table: typeof keys | typeof responses): PgColumn[] =>
    'botId' in table ? [table.botId, table.userId, table.key] : [table.userId, table.key]
  const isSame = columns(keys).map((column, at) => sql`${column} = ${columns(responses)[at]}`)
  const due: DueRows = {
    name,
    table: keys,
    keys: columns(keys),
    age: keys.createdAt,
    bytes: sql`coalesce(pg_column_size(${keys.body}), 0) + coalesce((
      SELECT pg_column_size(${responses.body}) FROM ${responses} WHERE ${sql.join(isSame, sql` AND `)}), 0)`,
  }
  return async (db: Database, before: Date) =>
    removeDue(db, due, before, async (tx, batch) => {
      await removeByKeys(tx, responses, columns(responses), batch)
      await removeByKeys(tx, keys, columns(keys), batch)
    })
}

const forgetKeysOfUsers = keyed('keys', idempotencyKeys, idempotencyResponses)
const forgetKeysOfBots = keyed('keys of bots', botIdempotencyKeys, botIdempotencyResponses)

/**
 * Forgets one batch of idempotency keys of each kind, oldest first; true while there may be more that are old enough.
 */
export async function forgetKeys(db: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - KEYS_RETENTION_MS)
  return awaitBatches([forgetKeysOfUsers(db, before), forgetKeysOfBots(db, before)])
}

/** True while there may be more in some table. A failure in one does not stop the others. */
async function awaitBatches(batches: Promise<boolean>[]): Promise<boolean> {
  const outcomes = await Promise.allSettled(batches)
  if (outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value)) return true
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return false
}

const deliveries: DueRows = {
  name: 'deliveries',
  table: webhookDeliveries,
  keys: [
    webhookDeliveries.botId,
    webhookDeliveries.endpointId,
    webhookDeliveries.subject,
    webhookDeliveries.seq,
    webhookDeliveries.id,
  ],
  age: webhookDeliveries.createdAt,
  bytes: sql`coalesce((
    SELECT pg_column_size(e.data) FROM ${webhookEvents} e WHERE e.bot_id = ${webhookDeliveries.botId}
      AND e.subject = ${webhookDeliveries.subject} AND e.id = ${webhookDeliveries.id}), 0)`,
}

/**
 * Forgets one batch of deliveries that are old enough, whatever came of them; true while there may be more. An event
 * goes with the first of its deliveries: the others are as old, and go with the next batch.
 */
export function forgetDeliveries(db: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - DELIVERIES_RETENTION_MS)
  return removeDue(db, deliveries, before, async (tx, batch) => {
    const events = batch.map(([botId, , subject, , id]) => [botId, subject, id] as Key)
    await removeByKeys(
      tx,
      webhookEvents,
      [webhookEvents.botId, webhookEvents.subject, webhookEvents.id],
      events,
    )
    await removeByKeys(tx, webhookDeliveries, deliveries.keys, batch)
  })
}

/** Time for which expired sessions, links and invitations are retained, so that pages can say that they have ended. */
const ENDED_ACCESS_RETENTION_MS = MS_PER_DAY

const pageTokens: DueRows = {
  name: 'tokens of pages',
  table: apiTokens,
  keys: [apiTokens.id],
  age: apiTokens.expiresAt,
  condition: sql`${apiTokens.browserSessionId} IS NOT NULL`,
}
const endedAccess: DueRows[] = [
  pageTokens,
  {
    name: 'browser sessions',
    table: browserSessions,
    keys: [browserSessions.id],
    age: browserSessions.expiresAt,
  },
  { name: 'sign-in links', table: signInLinks, keys: [signInLinks.id], age: signInLinks.expiresAt },
  { name: 'invitations', table: invitations, keys: [invitations.id], age: invitations.expiresAt },
]

/** Anybody can start these, so they are not retained. */
const endedLogins: DueRows = {
  name: 'device logins',
  table: deviceLogins,
  keys: [deviceLogins.id],
  age: deviceLogins.expiresAt,
}

/** Forgets one batch of each kind of access that has ended by itself; true while there may be more. */
export async function forgetEndedAccess(db: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - ENDED_ACCESS_RETENTION_MS)
  return awaitBatches([
    ...endedAccess.map((due) => removeDue(db, due, before)),
    removeDue(db, endedLogins, now),
  ])
}

/** Longer than any repeat of an event takes, and than any chat. */
const CHATWOOT_EVENTS_RETENTION_MS = 7 * MS_PER_DAY
const CHATWOOT_CONVERSATIONS_RETENTION_MS = 40 * MS_PER_DAY

const conversations: DueRows = {
  name: 'conversations of Chatwoot',
  table: chatwootConversations,
  keys: [
    chatwootConversations.botId,
    chatwootConversations.credentialsId,
    chatwootConversations.conversationId,
  ],
  age: chatwootConversations.updatedAt,
}

const conversationEvents: DueRows = {
  name: 'events of Chatwoot',
  table: chatwootEvents,
  keys: [
    chatwootEvents.botId,
    chatwootEvents.credentialsId,
    chatwootEvents.conversationId,
    chatwootEvents.key,
  ],
  age: chatwootEvents.createdAt,
  bytes: sql`coalesce(pg_column_size(${chatwootEvents.event}), 0)`,
}

/** Forgets one batch of conversations of Chatwoot and of their events; true while there may be more. */
export async function forgetConversations(db: Database, now: Date): Promise<boolean> {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  return awaitBatches([
    removeDue(db, conversationEvents, before(CHATWOOT_EVENTS_RETENTION_MS)),
    removeDue(db, conversations, before(CHATWOOT_CONVERSATIONS_RETENTION_MS)),
  ])
}

const sheetAccountsAtRest: DueRows = {
  name: 'accounts of sheets',
  table: sheetAccounts,
  keys: [sheetAccounts.workspaceId, sheetAccounts.credentialsId],
  age: sheetAccounts.restsUntil,
  condition: isLeaseOver,
}

/** Deletes one batch of accounts without rows; true while there may be more. */
export function forgetSheetAccounts(db: Database, now: Date): Promise<boolean> {
  return removeDue(db, sheetAccountsAtRest, new Date(now.getTime() - MS_PER_DAY))
}

const endedTokens: DueRows[] = [
  { name: 'tokens', table: apiTokens, keys: [apiTokens.id], age: apiTokens.expiresAt },
  { name: 'revoked tokens', table: apiTokens, keys: [apiTokens.id], age: apiTokens.revokedAt },
]

/** Forgets one batch of tokens that expired or were revoked long ago; true while there may be more. */
export function forgetTokens(db: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - ENDED_TOKENS_RETENTION_MS)
  return awaitBatches(endedTokens.map((due) => removeDue(db, due, before)))
}

const hours: DueRows = {
  name: 'hours',
  table: botStatsHourly,
  keys: [botStatsHourly.botId, botStatsHourly.hour],
  age: botStatsHourly.hour,
  // The condition of the index.
  condition: sql`${botStatsHourly.views} >= 0`,
}

/** Deletes one batch of hourly counts whose days are stored. */
export function forgetHours(db: Database, now: Date): Promise<boolean> {
  return removeDue(db, hours, hoursEnd(now))
}

const sessions: DueRows = {
  name: 'sessions',
  table: chatSessions,
  keys: [chatSessions.botId, chatSessions.id],
  age: chatSessions.expiresAt,
  bytes: sql`coalesce(pg_column_size(${chatSessions.state}), 0) + coalesce(pg_column_size(${chatSessions.inlineTurns}), 0)
    + coalesce((
      SELECT sum(pg_column_size(s.turn)) FROM ${chatTurns} s
      WHERE s.bot_id = ${chatSessions.botId} AND s.session_id = ${chatSessions.id}), 0)`,
}

/** Removes a batch of expired chat sessions; true while there may be more. */
export function removeSessions(db: Database, now: Date): Promise<boolean> {
  return removeDue(db, sessions, now, (tx, batch) => removeExpired(tx, batch, now.toISOString()))
}

/** Removes sessions with their steps, as far as they are still expired. */
async function removeExpired(tx: Transaction, batch: readonly Key[], now: string) {
  const bots = sql.param(batch.map(([botId]) => botId))
  // A cluster returns columns as they are, and no JSON of them.
  const removedSessions = await selectRows(
    tx,
    { botId: chatSessions.botId, id: chatSessions.id },
    (list) => sql`
      DELETE FROM ${chatSessions} USING ${keysTable(sessions.keys, batch)}
      WHERE ${chatSessions.botId} = ANY(${bots}::text[]) AND ${isListed(sessions.keys)}
        AND ${chatSessions.expiresAt} < ${now}::timestamptz
      RETURNING ${list}`,
  )
  const keys = removedSessions.map(({ botId, id }) => [botId, id])
  for (const table of [chatTurns, chatMessages, chatTimers]) {
    await removeByKeys(tx, table, [table.botId, table.sessionId], keys)
  }
}
