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
import { folders, workspaces } from './catalogue.ts'
import { json, keyedRequest, keyedResponse, time } from './columns.ts'

/* Bots with their documents. */

// Bot tables

export const bots = pgTable(
  'bots',
  {
    id: text('id').primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    folderId: text('folder_id').references(() => folders.id),
    name: text('name').notNull(),
    icon: text('icon'),
    publicId: text('public_id'),
    customDomain: text('custom_domain'),
    version: text('version', { enum: ['3', '4', '5', '6', '6.1'] }).notNull(),
    /** Counts the changes of the columns that updates write; every update is a compare-and-swap on it. */
    revision: bigint('revision', { mode: 'number' }).notNull(),
    selectedThemeTemplateId: text('selected_theme_template_id'),
    resultsTablePreferences: json('results_table_preferences'),
    isClosed: boolean('is_closed').notNull().default(false),
    /** Follows `settings.publicShare.isEnabled`, so that the access check need not read the settings. */
    isPubliclyShared: boolean('is_publicly_shared').notNull().default(false),
    messagingCredentialsId: text('messaging_credentials_id'),
    riskLevel: doublePrecision('risk_level'),
    /** Results up to this time are deleted, even if the purge has not removed their rows. */
    resultsFloorAt: time('results_floor_at'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    /**
     * Timestamp of the last change to the draft, rather than to the header alone: shows if a cached draft is current.
     */
    draftUpdatedAt: time('draft_updated_at'),
    /** Set when the bot was deleted; from then on it is not found. */
    deletedAt: time('deleted_at'),
  },
  (table) => [
    index('bots_list')
      .on(table.workspaceId, table.createdAt.desc(), table.id.desc())
      .where(sql`deleted_at IS NULL`),
    index('bots_folder_list')
      .on(table.workspaceId, table.folderId, table.createdAt.desc(), table.id.desc())
      .where(sql`deleted_at IS NULL`),
    index('bots_folder').on(table.folderId),
    index('bots_deleted').on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
)

/** The parts of a flow document, one column each, so that a change of one does not rewrite the others. */
const documentParts = () => ({
  groups: json('groups').notNull(),
  /** Null in the versions before 6. */
  events: json('events'),
  edges: json('edges').notNull(),
  variables: json('variables').notNull(),
  theme: json('theme').notNull(),
  settings: json('settings').notNull(),
})

export const botDrafts = pgTable('bot_drafts', {
  botId: text('bot_id').primaryKey(),
  ...documentParts(),
})

/** Copies that were published. A row is immutable except for `restoredAt`. */
export const botPublications = pgTable(
  'bot_publications',
  {
    botId: text('bot_id').notNull(),
    id: text('id').notNull(),
    /** The revision of the draft that was copied. */
    sourceRevision: bigint('source_revision', { mode: 'number' }).notNull(),
    version: text('version', { enum: ['3', '4', '5', '6', '6.1'] }).notNull(),
    ...documentParts(),
    /** Findings of the check of the flow at its publication. */
    warnings: json('warnings').notNull(),
    publishedBy: text('published_by').notNull(),
    createdAt: time('created_at').notNull(),
    /** When it was last made the draft again, so that it is never removed. */
    restoredAt: time('restored_at'),
  },
  (table) => [primaryKey({ columns: [table.botId, table.id] })],
)

/** The live publication of each bot; no row while the bot is not published. */
export const publishedBots = pgTable('published_bots', {
  botId: text('bot_id').primaryKey(),
  id: text('id').notNull(),
  publicationId: text('publication_id'),
  createdAt: time('created_at').notNull(),
  updatedAt: time('updated_at').notNull(),
})

/** Requests with a key that are about one bot. */
export const botIdempotencyKeys = pgTable(
  'bot_idempotency_keys',
  {
    botId: text('bot_id').notNull(),
    ...keyedRequest(),
    /** The result in the response; the response is deleted with it. */
    resultId: text('result_id'),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.userId, table.key] }),
    index('bot_idempotency_keys_result').on(table.botId, table.resultId).where(sql`result_id IS NOT NULL`),
    index('bot_idempotency_keys_age').on(table.createdAt),
  ],
)

/** Large responses of requests that are about one bot. */
export const botIdempotencyResponses = pgTable(
  'bot_idempotency_responses',
  { botId: text('bot_id').notNull(), ...keyedResponse() },
  (table) => [primaryKey({ columns: [table.botId, table.userId, table.key] })],
)

/** Bots of which something is to be removed in the background: deleted results, or all of a deleted bot. */
export const purges = pgTable(
  'purges',
  {
    botId: text('bot_id').primaryKey(),
    requestedAt: time('requested_at').notNull(),
    /** Rows that its next batch removes at most, once a batch took longer than a statement may. */
    batchRows: integer('batch_rows'),
    /** Set while its last batch has failed otherwise: all others go first. */
    failedAt: time('failed_at'),
  },
  (table) => [
    index('purges_queue').on(table.failedAt.asc().nullsFirst(), table.requestedAt),
    index('purges_age').on(table.requestedAt),
  ],
)
