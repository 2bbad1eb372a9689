import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core'
import { json, time } from './columns.ts'

/* Results of bots and files of visitors. */

export const results = pgTable(
  'results',
  {
    botId: text('bot_id').notNull(),
    id: text('id').notNull(),
    variables: json('variables').notNull(),
    hasStarted: boolean('has_started').notNull().default(false),
    isCompleted: boolean('is_completed').notNull().default(false),
    /**
     * Set on a deleted result that was too large for immediate removal: it is hidden until `results/erase.ts` comes.
     */
    isArchived: boolean('is_archived').notNull().default(false),
    lastChatSessionId: text('last_chat_session_id'),
    /** The block that the chat waits at, and the end of the time for an answer; null for a chat that does not wait. */
    waitingBlockId: text('waiting_block_id'),
    /** The bot of that block where it is another one than this. */
    waitingBlockBotId: text('waiting_block_bot_id'),
    waitsUntil: time('waits_until'),
    /** Transcript from its creation, see `chat/sessions/codec.ts`. */
    transcript: json('transcript'),
    /** Bytes of all its answers, including those that were too many to be stored. */
    answersSize: bigint('answers_size', { mode: 'number' }).notNull().default(0),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.id] }),
    // Answers list (started only) and stats (all) from the index alone; is_completed comes last because an INCLUDE
    // clause is not portable to every database this schema runs on. Read backwards: the newest rows are added at the
    // end of those of a bot, so that pages are left full.
    index('results_by_time')
      .on(
        table.botId,
        table.hasStarted,
        table.createdAt.asc().nullsFirst(),
        table.id.asc().nullsFirst(),
        table.isCompleted,
      )
      .where(sql`NOT is_archived`),
  ],
)

export const resultAnswers = pgTable(
  'result_answers',
  {
    botId: text('bot_id').notNull(),
    resultId: text('result_id').notNull(),
    seq: integer('seq').notNull(),
    blockId: text('block_id').notNull(),
    /** The bot of the block where that is not the bot of the result: a linked bot that merges its results. */
    blockBotId: text('block_bot_id'),
    content: text('content').notNull(),
    attachedFileUrls: text('attached_file_urls').array(),
    createdAt: time('created_at').notNull(),
    /** Transcript of the turn that took the answer, see `chat/sessions/codec.ts`. */
    transcript: json('transcript'),
  },
  (table) => [primaryKey({ columns: [table.botId, table.resultId, table.seq] })],
)

/** Log entries of running chats, by the service or by a chat client. */
export const resultLogs = pgTable(
  'result_logs',
  {
    botId: text('bot_id').notNull(),
    resultId: text('result_id').notNull(),
    id: text('id').notNull(),
    status: text('status').notNull(),
    description: text('description').notNull(),
    details: text('details'),
    context: text('context'),
    createdAt: time('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.resultId, table.id] })],
)

/**
 * Transcripts of turns that neither created the result nor took an answer; `entries` is a list of transcript entries.
 * The id counts the rows, then the answers before: see `readTranscript` in `chat/sessions/read-session.ts`.
 */
export const resultTranscripts = pgTable(
  'result_transcripts',
  {
    botId: text('bot_id').notNull(),
    resultId: text('result_id').notNull(),
    id: text('id').notNull(),
    entries: json('entries').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.resultId, table.id] })],
)

/** Files that visitors uploaded; the bytes are in the store of files, under the id. See `uploads/uploads.ts`. */
export const uploads = pgTable(
  'uploads',
  {
    botId: text('bot_id').notNull(),
    /** Random enough that it cannot be guessed. */
    id: text('id').notNull(),
    sessionId: text('session_id').notNull(),
    /** Null in a preview. */
    resultId: text('result_id'),
    name: text('name').notNull(),
    /** Media type in responses. */
    mediaType: text('media_type').notNull(),
    /** In bytes; reserved until it has arrived. */
    size: bigint('size', { mode: 'number' }).notNull(),
    /** True if only members may read it. */
    isPrivate: boolean('is_private').notNull(),
    /** True if the service made it: a sound or a picture, which browsers show in place. */
    isGenerated: boolean('is_generated').notNull().default(false),
    /** False before it has arrived, and again while it is removed. */
    isComplete: boolean('is_complete').notNull(),
    /** From when on it is to be removed; null while a result has it. */
    removeAt: time('remove_at'),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.id] }),
    index('uploads_session').on(table.botId, table.sessionId),
    index('uploads_result').on(table.botId, table.resultId),
    index('uploads_removal').on(table.removeAt),
  ],
)

/** Deleted results of which copies may be left in sessions, deliveries and stored responses; see `results/erase.ts`. */
export const resultErasures = pgTable(
  'result_erasures',
  {
    botId: text('bot_id').notNull(),
    resultId: text('result_id').notNull(),
    /** Counts the passes that are done. */
    passes: smallint('passes').notNull().default(0),
    dueAt: time('due_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.resultId] }),
    index('result_erasures_due').on(table.dueAt),
  ],
)
