import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, json, time } from './columns.ts'

/* Sessions of bots. */

export const chatSessions = pgTable(
  'chat_sessions',
  {
    /** Begins with the bot's, see `chat/sessions/codec.ts`. */
    id: text('id').notNull(),
    botId: text('bot_id').notNull(),
    /** The publication the chat started with and stays with; null for a preview of the draft. */
    publicationId: text('publication_id'),
    /** Null while the chat has no result: only registered, or a preview. */
    resultId: text('result_id'),
    /** Null once the chat is over; the row stays a while for logs and repeated requests. */
    state: json('state'),
    /** Counts the turns; every turn is a compare-and-swap on it. */
    revision: integer('revision').notNull(),
    /** Lease on the turn after a revision, see `chat/sessions/turn-lease.ts`; null until that turn calls out. */
    leaseId: text('lease_id'),
    /** End of that lease, see `db/lease.ts`. */
    leasedUntil: time('leased_until'),
    /** Changes by members since the last turn, see `chat/sessions/update-session.ts`. */
    memberEdits: json('member_edits'),
    /** Digest of the last reply, cut short, for a request that is sent again. */
    lastDigest: text('last_digest'),
    /** Number of log entries saved by its client; null for none. */
    clientLogs: integer('client_logs'),
    /** Its first turns, as far as there is room; `chatTurns` has the others. See `chat/sessions/codec.ts`. */
    inlineTurns: bytea('inline_turns'),
    /** The handler in place of the bot; null while the bot handles the chat. */
    handledBy: text('handled_by', { enum: ['waiting', 'member'] }),
    /** The user who handles it. */
    assigneeId: text('assignee_id'),
    handledSince: time('handled_since'),
    /** Input and actions that the client shows again when the bot goes on; see `chat/sessions/handling.ts`. */
    awaited: json('awaited'),
    /** The beginning of the last message while people handle the chat; see `chat/sessions/last-message.ts`. */
    lastMessage: json('last_message'),
    /** Number of messages of members, of which the last has this ordinal; null for none. */
    messageCount: integer('message_count'),
    /** Time until which the member who handles it counts as typing, by the clock of the database. */
    typingUntil: time('typing_until'),
    /** Time when the chat ended. */
    endedAt: time('ended_at'),
    /** In whole hours while the chat goes on, so that most turns change nothing that an index has. */
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.id] }),
    index('chat_sessions_expiry').on(table.expiresAt),
    // Finds all sessions of a deleted result. Turns leave both columns as they are.
    index('chat_sessions_result').on(table.botId, table.resultId).where(sql`result_id IS NOT NULL`),
    // Without `state`, which changes with every turn: each would be written into all indexes. Without the id, which is
    // long, and rarely needed to order sessions.
    index('chat_sessions_live')
      .on(table.botId, table.createdAt.asc().nullsFirst())
      .where(sql`ended_at IS NULL AND result_id IS NOT NULL`),
    // Turns leave its columns as they are, too.
    index('chat_sessions_handled')
      .on(table.botId, table.handledBy, table.createdAt.asc().nullsFirst())
      .where(sql`handled_by IS NOT NULL`),
  ],
)

/** Messages of members to visitors; they go with their session. */
export const chatMessages = pgTable(
  'chat_messages',
  {
    botId: text('bot_id').notNull(),
    sessionId: text('session_id').notNull(),
    ordinal: integer('ordinal').notNull(),
    /** The turn that it came after. */
    revision: integer('revision').notNull(),
    userId: text('user_id').notNull(),
    /** A list, as the visitor sees it. */
    bubbles: json('bubbles').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.sessionId, table.ordinal] })],
)

/**
 * The timer of a chat: something that the bot does at a time, even if its visitor has left. It is deleted with its
 * session.
 */
export const chatTimers = pgTable(
  'chat_timers',
  {
    botId: text('bot_id').notNull(),
    sessionId: text('session_id').notNull(),
    /** The state of the session has it too. A timer that it has not is obsolete. */
    id: text('id').notNull(),
    workspaceId: text('workspace_id').notNull(),
    /** By the clock of the database. */
    dueAt: time('due_at').notNull(),
    /** True while people handle the chat. */
    isPaused: boolean('is_paused').notNull(),
    /** Number of times that the turn of the timer failed. */
    failures: integer('failures').notNull(),
    /** Lease of the process that runs the turn, see `db/lease.ts`. */
    leaseId: text('lease_id'),
    leasedUntil: time('leased_until'),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.sessionId] }),
    index('chat_timers_due').on(table.dueAt).where(sql`NOT is_paused`),
  ],
)

/** Earlier turns of a chat that its session lacks, for clients that come back or repeat a request; deleted with it. */
export const chatTurns = pgTable(
  'chat_turns',
  {
    botId: text('bot_id').notNull(),
    sessionId: text('session_id').notNull(),
    revision: integer('revision').notNull(),
    /** Transcript and answers of the turn, see `chat/sessions/codec.ts`. */
    turn: bytea('turn').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.sessionId, table.revision] })],
)
