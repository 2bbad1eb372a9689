import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { JsonText } from '../json/json-text.ts'

/**
 * The tables, in two kinds. Catalogue tables are small and have foreign keys among themselves. Bot tables
 * are keyed by the bot's id first and have none to each other, so that they can be distributed by it
 * (`migrations/distribute.sql`).
 * Ids are text made by the service; times are set by the service, never by the database.
 */

/** A `json` column: stored, read and sent as the text that was written, without parsing. */
const json = customType<{ data: JsonText; driverData: string | Buffer }>({
  dataType: () => 'json',
  toDriver: (value) => value.parameter,
  fromDriver: (value) => new JsonText(value),
})

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

// Catalogue tables

export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull(),
    name: text('name'),
    image: text('image'),
    /** Set while the user gets no tokens; those there were are revoked. */
    disabledAt: time('disabled_at'),
    /** True while nobody has proven to own the address: the user came by a link that an admin passed on. */
    isUnproven: boolean('is_unproven').notNull().default(false),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [uniqueIndex('users_email_key').on(table.email)],
)

export const workspaces = pgTable(
  'workspaces',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    icon: text('icon'),
    plan: text('plan').notNull().default('FREE'),
    billingId: text('billing_id'),
    settings: json('settings'),
    isSuspended: boolean('is_suspended').notNull().default(false),
    isPastDue: boolean('is_past_due').notNull().default(false),
    isVerified: boolean('is_verified').notNull().default(false),
    chatsHardLimit: integer('chats_hard_limit'),
    customChatsLimit: integer('custom_chats_limit'),
    customSeatsLimit: integer('custom_seats_limit'),
    /** After how many days results are deleted; null leaves it to the installation. */
    resultsRetentionDays: integer('results_retention_days'),
    lastActivityAt: time('last_activity_at'),
    inactiveFirstEmailSentAt: time('inactive_first_email_sent_at'),
    inactiveSecondEmailSentAt: time('inactive_second_email_sent_at'),
    /** Owner for the limit of workspaces per user; null if no longer known. */
    createdBy: text('created_by').references(() => users.id),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    /** Set when the workspace was deleted; the purge removes the row after its bots. */
    deletedAt: time('deleted_at'),
  },
  (table) => [
    index('workspaces_creator').on(table.createdBy),
    index('workspaces_deleted').on(table.id).where(sql`deleted_at IS NOT NULL`),
  ],
)

export const workspaceMembers = pgTable(
  'workspace_members',
  {
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    role: text('role', { enum: ['ADMIN', 'MEMBER', 'GUEST'] }).notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.userId] }),
    index('workspace_members_user').on(table.userId, table.workspaceId),
  ],
)

export const folders = pgTable(
  'folders',
  {
    id: text('id').primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    parentFolderId: text('parent_folder_id'),
    name: text('name').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    /**
     * Set when the folder was deleted. Its contents are shown in its parent, which is never deleted itself, until the
     * job of `jobs/folders.ts` has moved the rows there.
     */
    deletedAt: time('deleted_at'),
  },
  (table) => [
    foreignKey({
      name: 'folders_parent_folder_fk',
      columns: [table.parentFolderId],
      foreignColumns: [table.id],
    }),
    index('folders_list').on(
      table.workspaceId,
      table.parentFolderId,
      table.createdAt.desc(),
      table.id.desc(),
    ),
    index('folders_parent').on(table.parentFolderId),
    index('folders_deleted').on(table.workspaceId, table.parentFolderId).where(sql`deleted_at IS NOT NULL`),
  ],
)

/** Browsers in which users are signed in. */
export const browserSessions = pgTable(
  'browser_sessions',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** SHA-256 of the cookie. */
    cookieHash: bytea('cookie_hash').notNull(),
    /** The browser as it names itself. */
    userAgent: text('user_agent'),
    lastUsedOn: date('last_used_on', { mode: 'string' }),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('browser_sessions_cookie_hash_key').on(table.cookieHash),
    index('browser_sessions_user').on(table.userId, table.createdAt.desc(), table.id.desc()),
  ],
)

/** Links that sign in once. */
export const signInLinks = pgTable(
  'sign_in_links',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** SHA-256 of the code in the link. */
    codeHash: bytea('code_hash').notNull(),
    /** SHA-256 of the cookie of the browser that asked for a mailed link; null for a printed one. */
    browserHash: bytea('browser_hash'),
    /** The path to go to afterwards. */
    returnTo: text('return_to'),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('sign_in_links_code_hash_key').on(table.codeHash),
    index('sign_in_links_user').on(table.userId),
  ],
)

/** Roles that wait for the person with an address. An accepted or revoked invitation has no row. */
export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    role: text('role', { enum: ['ADMIN', 'MEMBER', 'GUEST'] }).notNull(),
    /** SHA-256 of the code in the link that the admin sees. */
    codeHash: bytea('code_hash').notNull(),
    /** SHA-256 of the code in the mailed link, which proves the address; null where none was mailed. */
    mailedCodeHash: bytea('mailed_code_hash'),
    invitedBy: text('invited_by')
      .notNull()
      .references(() => users.id),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('invitations_address_key').on(table.workspaceId, table.email),
    uniqueIndex('invitations_code_hash_key').on(table.codeHash),
    uniqueIndex('invitations_mailed_code_hash_key').on(table.mailedCodeHash),
    index('invitations_list').on(table.workspaceId, table.createdAt.desc(), table.id.desc()),
  ],
)

export const apiTokens = pgTable(
  'api_tokens',
  {
    id: text('id').primaryKey(),
    /** SHA-256 of the whole token; the token itself is nowhere. */
    tokenHash: bytea('token_hash').notNull(),
    ownerUserId: text('owner_user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    hint: text('hint').notNull(),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    lastUsedOn: date('last_used_on', { mode: 'string' }),
    /** Scopes of the token; null for all, including future ones. */
    scopes: text('scopes', { enum: ['read', 'write', 'results', 'chat-admin'] }).array(),
    /** The only workspace in which the token works, if there is one. It outlives the workspace, as bound as before. */
    workspaceId: text('workspace_id'),
    /** The browser session of a page's token, which goes with it; null for all others. */
    browserSessionId: text('browser_session_id').references(() => browserSessions.id, {
      onDelete: 'cascade',
    }),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    index('api_tokens_browser_session').on(table.browserSessionId).where(sql`browser_session_id IS NOT NULL`),
    uniqueIndex('api_tokens_token_hash_key').on(table.tokenHash),
    index('api_tokens_owner').on(table.ownerUserId, table.id.desc()),
  ],
)

/** Keys and accounts of outside services. Their secrets are encrypted, see `workspaces/credentials.ts`. */
export const credentials = pgTable(
  'credentials',
  {
    id: text('id').primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    type: text('type').notNull(),
    name: text('name').notNull(),
    /** Nonce, ciphertext and tag. */
    data: bytea('data').notNull(),
    /** The key of the installation that encrypted it. */
    keyId: text('key_id').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [index('credentials_list').on(table.workspaceId, table.createdAt.desc(), table.id.desc())],
)

/** Owners of public ids. The primary key decides when two bots claim one at once. */
export const publicIds = pgTable(
  'public_ids',
  { publicId: text('public_id').primaryKey(), botId: text('bot_id').notNull() },
  (table) => [index('public_ids_bot').on(table.botId)],
)

/** Owners of domains, in lower case. */
export const customDomains = pgTable(
  'custom_domains',
  { domain: text('domain').primaryKey(), botId: text('bot_id').notNull() },
  (table) => [index('custom_domains_bot').on(table.botId)],
)

/** Random keys of the installation, shared by all its processes; made at the first start. */
export const installationKeys = pgTable('installation_keys', {
  name: text('name').primaryKey(),
  key: bytea('key').notNull(),
})

/** A request with an idempotency key and the answer it got, written in the transaction of what it did. */
const keyedRequest = () => ({
  /** Empty where the request needs no token. */
  userId: text('user_id').notNull(),
  key: text('key').notNull(),
  /** SHA-256 of method, path and body. */
  digest: bytea('digest').notNull(),
  /** Lease of the process that runs a request with outbound calls, until it is done; see `http/idempotency.ts`. */
  claim: text('claim'),
  /** End of that lease, see `db/lease.ts`. */
  claimedUntil: time('claimed_until'),
  /** The response; null before there is one. The body is also null where it holds a secret, or is too large. */
  status: smallint('status'),
  headers: json('headers'),
  body: bytea('body'),
  /** Id of what was made, where the answer holds its secret. */
  madeId: text('made_id'),
  createdAt: time('created_at').notNull(),
})

/** Requests with a key that are not about one bot. */
export const idempotencyKeys = pgTable('idempotency_keys', keyedRequest(), (table) => [
  primaryKey({ columns: [table.userId, table.key] }),
  index('idempotency_keys_age').on(table.createdAt),
])

/** A response that is too large for the row of its key, compressed with gzip. */
const keyedResponse = () => ({
  userId: text('user_id').notNull(),
  key: text('key').notNull(),
  body: bytea('body').notNull(),
})

/** Large responses of requests that are not about one bot. */
export const idempotencyResponses = pgTable('idempotency_responses', keyedResponse(), (table) => [
  primaryKey({ columns: [table.userId, table.key] }),
])

/** Audit log of a workspace. Rows are append-only, and outlive the records they refer to. */
export const auditLog = pgTable(
  'audit_log',
  {
    workspaceId: text('workspace_id').notNull(),
    id: text('id').notNull(),
    createdAt: time('created_at').notNull(),
    /** Null for whoever runs the service. */
    userId: text('user_id'),
    tokenId: text('token_id'),
    operation: text('operation').notNull(),
    recordId: text('record_id').notNull(),
    outcome: text('outcome').notNull(),
    details: json('details'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index('audit_log_list').on(table.workspaceId, table.createdAt.desc(), table.id.desc()),
  ],
)

/** Addresses that receive the events of a workspace. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: text('id').primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    url: text('url').notNull(),
    description: text('description'),
    /** Null for all. */
    types: text('types').array(),
    /** Encrypted: a list as JSON of the secret and, after a rotation, the one before. */
    secrets: bytea('secrets').notNull(),
    /** The key of the installation that encrypted them. */
    secretsKeyId: text('secrets_key_id').notNull(),
    /** Until when the secret before is good too. */
    rotatesUntil: time('rotates_until'),
    isEnabled: boolean('is_enabled').notNull().default(true),
    disabledReason: text('disabled_reason', { enum: ['gone', 'failing'] }),
    /** Failures of all deliveries since the last success. */
    failures: integer('failures').notNull().default(0),
    failingSince: time('failing_since'),
    /** Until when nothing is sent, after many failures in a row. */
    pausedUntil: time('paused_until'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [index('webhook_endpoints_workspace').on(table.workspaceId, table.id.desc())],
)

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
    /** Counts the changes of what an update writes, whoever makes them; every update is a compare-and-swap on it. */
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
     * Null for changes before this column existed.
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
    /** When it was last made the draft again, which keeps it for good. */
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

export const results = pgTable(
  'results',
  {
    botId: text('bot_id').notNull(),
    id: text('id').notNull(),
    variables: json('variables').notNull(),
    hasStarted: boolean('has_started').notNull().default(false),
    isCompleted: boolean('is_completed').notNull().default(false),
    isArchived: boolean('is_archived').notNull().default(false),
    lastChatSessionId: text('last_chat_session_id'),
    /** The block that the chat waits at, and until when it can be answered; null where it does not wait. */
    waitingBlockId: text('waiting_block_id'),
    /** The bot of that block where it is another one than this. */
    waitingBlockBotId: text('waiting_block_bot_id'),
    waitsUntil: time('waits_until'),
    /** Transcript from its creation, see `chat/sessions/codec/transcript.ts`. */
    transcript: json('transcript'),
    /** Bytes of all answers that were given to it, those included that were too many to be stored. */
    answersSize: bigint('answers_size', { mode: 'number' }).notNull().default(0),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.id] }),
    // Answers list (started only) and stats (all) from the index alone; is_completed comes last because
    // an INCLUDE clause is not portable to every database this schema runs on.
    // Read backwards: what is newest is added at the end of what a bot has, so that pages are left full.
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
    /** Transcript of the turn that took the answer, see `chat/sessions/codec/transcript.ts`. */
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
 * The id counts the rows, then the answers before: see `transcriptOf` in `chat/sessions/read-session.ts`.
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

export const chatSessions = pgTable(
  'chat_sessions',
  {
    /** Begins with the bot's, see `chat/sessions/session-ids.ts`. */
    id: text('id').notNull(),
    botId: text('bot_id').notNull(),
    /** The publication the chat started with and stays with; null for a preview of the draft. */
    publicationId: text('publication_id'),
    /** Null while the chat has no result: only registered, or a preview. */
    resultId: text('result_id'),
    /** Null once the chat is over; the row stays a while for logs and repeated requests. */
    state: json('state'),
    /** Counts the steps; every step is a compare-and-swap on it. */
    revision: integer('revision').notNull(),
    /** Lease on the turn after a revision, see `chat/sessions/turn-lease.ts`; null until that turn calls out. */
    claim: text('claim'),
    /** End of that lease, see `db/lease.ts`. */
    claimedUntil: time('claimed_until'),
    /** Changes by members since the last turn, see `chat/sessions/update-session.ts`. */
    steered: json('steered'),
    /** Digest of the last reply, or the beginning of it, for a request that is sent again. */
    lastMessage: text('last_message'),
    /** Number of log entries saved by its client; null for none. */
    clientLogs: integer('client_logs'),
    /** Its first steps, as far as there is room; `chatTurns` has the others. See `chat/sessions/codec/turn.ts`. */
    steps: bytea('steps'),
    /** The handler in place of the bot; null while the bot handles the chat. */
    handledBy: text('handled_by', { enum: ['waiting', 'member'] }),
    /** The user who handles it. */
    assigneeId: text('assignee_id'),
    handledSince: time('handled_since'),
    /** Input and actions that the client shows again when the bot goes on; see `chat/sessions/handling.ts`. */
    awaited: json('awaited'),
    /** Number of messages of members, of which the last has this ordinal; null for none. */
    messageCount: integer('message_count'),
    /** Time when the chat ended. */
    endedAt: time('ended_at'),
    /** In whole hours while the chat goes on, so that most steps change nothing that an index has. */
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.id] }),
    index('chat_sessions_expiry').on(table.expiresAt),
    // Finds all sessions of a deleted result. Steps leave both columns as they are.
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

/** Steps of a chat that its session has not, for clients that come back or ask again; they go with it. */
export const chatTurns = pgTable(
  'chat_turns',
  {
    botId: text('bot_id').notNull(),
    sessionId: text('session_id').notNull(),
    revision: integer('revision').notNull(),
    /** Transcript and answers of the turn, see `chat/sessions/codec/turn.ts`. */
    step: bytea('step').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.sessionId, table.revision] })],
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

/**
 * Statistics of one closed day (in UTC) of a bot with many results. A row is valid only while `computedEpoch` equals
 * `epoch`; every change to a result of a closed day raises `epoch`.
 */
export const botStatsDaily = pgTable(
  'bot_stats_daily',
  {
    botId: text('bot_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    views: integer('views').notNull().default(0),
    starts: integer('starts').notNull().default(0),
    completions: integer('completions').notNull().default(0),
    epoch: bigint('epoch', { mode: 'number' }).notNull().default(0),
    computedEpoch: bigint('computed_epoch', { mode: 'number' }),
    /** The epoch under which its blocks were counted, and when the last of its chats that waited is over. */
    blocksEpoch: bigint('blocks_epoch', { mode: 'number' }),
    blocksSettleAt: time('blocks_settle_at'),
    /** When its blocks are due to be counted: moved on before each attempt, so that one that fails lets others go first. */
    blocksDueAt: time('blocks_due_at'),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.day] }),
    index('bot_stats_daily_blocks')
      .on(table.botId, table.day)
      .where(sql`computed_epoch = epoch AND blocks_epoch IS DISTINCT FROM epoch`),
  ],
)

/** The same of hours, by when they begin, of days that are not closed for long: see `results/stats-epochs.ts`. */
export const botStatsHourly = pgTable(
  'bot_stats_hourly',
  {
    botId: text('bot_id').notNull(),
    hour: timestamp('hour', { withTimezone: true, precision: 3, mode: 'string' }).notNull(),
    views: integer('views').notNull().default(0),
    starts: integer('starts').notNull().default(0),
    completions: integer('completions').notNull().default(0),
    epoch: bigint('epoch', { mode: 'number' }).notNull().default(0),
    computedEpoch: bigint('computed_epoch', { mode: 'number' }),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.hour] }),
    // For who says so alone: hours of one bot are found by their key, whatever is known of the table.
    index('bot_stats_hourly_age').on(table.hour).where(sql`views >= 0`),
  ],
)

/** Statistics of the blocks of one closed day, by the status of the results; a part of `botStatsDaily`. */
export const botBlockStatsDaily = pgTable(
  'bot_block_stats_daily',
  {
    botId: text('bot_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    blockId: text('block_id').notNull(),
    status: text('status', { enum: ['seen', 'started', 'completed'] }).notNull(),
    answered: integer('answered').notNull(),
    /** Number of results that waited there when their chat ended. */
    waiting: integer('waiting').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.day, table.blockId, table.status] })],
)

/** Bots whose results are many enough to be counted by day in the background, and when that is due again. */
export const statsRollups = pgTable('stats_rollups', {
  botId: text('bot_id').primaryKey(),
  dueAt: time('due_at').notNull(),
  /** True if its answers took too long to count in a request: they are counted by day even with few results. */
  hasManyAnswers: boolean('has_many_answers').notNull().default(false),
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

/**
 * Deliveries of events, one row per subscribed endpoint: written in the transaction that causes the event, sent in the
 * order of `seq` per subject. The key of a test event has the endpoint in place of a bot.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    botId: text('bot_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    /** Id of the bot, or of the result, whose events keep their order. */
    subject: text('subject').notNull(),
    seq: integer('seq').notNull(),
    id: text('id').notNull(),
    type: text('type').notNull(),
    /** Bytes of the data, which `webhook_events` has. */
    size: integer('size').notNull(),
    createdAt: time('created_at').notNull(),
    /** Only grows, so that it identifies the attempt of an outcome. */
    attempts: integer('attempts').notNull().default(0),
    /** Number of attempts before a manual redelivery; null without one. */
    attemptsBefore: integer('attempts_before'),
    /** When it is due, as of when it is being sent too. Null once it is done with. */
    nextAttemptAt: time('next_attempt_at'),
    /** Until when it belongs to the process that is sending it, which puts that off while it lives. */
    leasedUntil: time('leased_until'),
    isDelivered: boolean('is_delivered').notNull().default(false),
    lastAttemptAt: time('last_attempt_at'),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    lastDuration: integer('last_duration'),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.endpointId, table.subject, table.seq] }),
    index('webhook_deliveries_due')
      .on(table.endpointId, table.nextAttemptAt, table.id)
      .where(sql`next_attempt_at IS NOT NULL`),
    // Finds earlier events of the same subject.
    index('webhook_deliveries_front')
      .on(table.botId, table.endpointId, table.subject, table.seq)
      .where(sql`num_nulls(next_attempt_at) = 0`),
    // Tests that wait, which have their endpoint in place of a bot.
    index('webhook_deliveries_tests')
      .on(table.botId)
      .where(sql`num_nulls(next_attempt_at, NULLIF(bot_id = endpoint_id, false)) = 0`),
    index('webhook_deliveries_list').on(table.endpointId, table.createdAt.desc(), table.id.desc()),
    index('webhook_deliveries_age').on(table.createdAt),
  ],
)

/** Data of events, once for all endpoints that want it; a delivery has the same key. It goes with its first delivery. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    botId: text('bot_id').notNull(),
    subject: text('subject').notNull(),
    id: text('id').notNull(),
    data: json('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.subject, table.id] })],
)

/** Events of turns, one row per statement that wrote some, until they are fanned out to endpoints. */
export const webhookOutbox = pgTable(
  'webhook_outbox',
  {
    botId: text('bot_id').notNull(),
    /** Taken while the results are locked, after that of earlier rows: it orders the events of one result. */
    writtenAt: timestamp('written_at', { withTimezone: true }).notNull(),
    /** That of one of the events, or of those of usual steps what theirs begin with. */
    id: text('id').notNull(),
    /** Those of the workspace that were enabled then. */
    endpointIds: text('endpoint_ids').array().notNull(),
    /** Number of events. */
    size: integer('size').notNull(),
    /**
     * An array of `{subject, place, id, type, at, data}`, as `insertEvents` in `webhooks/outbox.ts` has them, or of one object
     * with what usual steps had at hand for theirs, as `eventsLeft` reads it.
     */
    events: json('events').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.writtenAt, table.id] })],
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
