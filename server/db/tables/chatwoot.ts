import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core'
import { json, time } from './columns.ts'

/* Conversations of Chatwoot that bots answer in, keyed by bot. */

export const chatwootConversations = pgTable(
  'chatwoot_conversations',
  {
    botId: text('bot_id').notNull(),
    credentialsId: text('credentials_id').notNull(),
    /** Its number in the account. */
    conversationId: bigint('conversation_id', { mode: 'number' }).notNull(),
    workspaceId: text('workspace_id').notNull(),
    /** The chat that goes on; null between two chats. */
    sessionId: text('session_id'),
    /** The last status that it is known to have, in words of Chatwoot. */
    status: text('status').notNull(),
    /** Class of its channel there, such as `Channel::WebWidget`. */
    channel: text('channel').notNull(),
    whenOver: text('when_over', { enum: ['open', 'resolve', 'pending'] }).notNull(),
    whenReturned: text('when_returned', { enum: ['resume', 'restart'] }).notNull(),
    /** By the clock of Chatwoot, in seconds: the state of the conversation in which the chat began. */
    startedAt: doublePrecision('started_at').notNull(),
    /** By the same clock: when it last changed between the bot and people. */
    handedAt: doublePrecision('handed_at').notNull(),
    /** Position behind the last event of the session that was sent, and the number of messages sent of the next one. */
    sentRevision: integer('sent_revision').notNull(),
    sentOrdinal: integer('sent_ordinal').notNull(),
    sentParts: integer('sent_parts').notNull(),
    /** The last message that the bot wrote. */
    lastMessageId: bigint('last_message_id', { mode: 'number' }).notNull(),
    /**
     * Messages up to this one were written before it last changed between the bot and people: none changes that again.
     */
    handedAfter: bigint('handed_after', { mode: 'number' }).notNull(),
    /** True while the private note with the answers is still to be sent to the members. */
    isNoteDue: boolean('is_note_due').notNull(),
    /** Digest of the message that is being sent; it stays until the message is known to have arrived. */
    pending: text('pending'),
    pendingSince: time('pending_since'),
    /** Id of that message, as Chatwoot has sent it back. */
    confirmedId: bigint('confirmed_id', { mode: 'number' }),
    /** When the chat goes on without a message. */
    resumeAt: time('resume_at'),
    /** When there is something to do; null where there is nothing. */
    dueAt: time('due_at'),
    /** Counts events, so that a process that has done all sees that there are more. */
    changes: integer('changes').notNull(),
    /** Number of requests that failed in a row, and when the first one did. */
    failures: integer('failures').notNull(),
    failingSince: time('failing_since'),
    /** Lease of the process that works on it, see `db/lease.ts`. */
    leaseId: text('lease_id'),
    leasedUntil: time('leased_until'),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.credentialsId, table.conversationId] }),
    index('chatwoot_conversations_due').on(table.dueAt).where(sql`due_at IS NOT NULL`),
    index('chatwoot_conversations_session').on(table.botId, table.sessionId),
    index('chatwoot_conversations_age').on(table.updatedAt),
  ],
)

/** Events of conversations. They stay for a while without their content, so that a repeat is recognised. */
export const chatwootEvents = pgTable(
  'chatwoot_events',
  {
    botId: text('bot_id').notNull(),
    credentialsId: text('credentials_id').notNull(),
    conversationId: bigint('conversation_id', { mode: 'number' }).notNull(),
    /** The same for an event that comes again. */
    key: text('key').notNull(),
    /** Orders the events of a conversation; see `chatwoot/read-event.ts`. */
    ordinal: bigint('ordinal', { mode: 'number' }).notNull(),
    /** Null once it is done. */
    event: json('event'),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.credentialsId, table.conversationId, table.key] }),
    index('chatwoot_events_waiting')
      .on(table.botId, table.credentialsId, table.conversationId, table.ordinal)
      .where(sql`event IS NOT NULL`),
    index('chatwoot_events_age').on(table.createdAt),
  ],
)
