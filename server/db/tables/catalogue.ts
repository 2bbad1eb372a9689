import { sql } from 'drizzle-orm'
import {
  boolean,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { bytea, json, keyedRequest, keyedResponse, time } from './columns.ts'

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
    /** True until the user has proven to own the address: the user came by a link that an admin passed on. */
    isUnproven: boolean('is_unproven').notNull().default(false),
    /** Codes of programs that the user entered wrongly, until the time at which they are counted anew. */
    wrongCodes: integer('wrong_codes').notNull().default(0),
    wrongCodesEndAt: time('wrong_codes_end_at'),
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
    /** Days after which results are deleted; null for the setting of the installation. */
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
    /** SHA-256 of the cookie of the browser that requested a mailed link; null for a printed one. */
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

/** Logins of programs that wait for a person to allow them in a browser. */
export const deviceLogins = pgTable(
  'device_logins',
  {
    id: text('id').primaryKey(),
    /** SHA-256 of the code that the program has. */
    deviceCodeHash: bytea('device_code_hash').notNull(),
    /** The short code that the person compares, without its hyphen. */
    userCode: text('user_code').notNull(),
    /** Name, scopes, workspace and days of the token that is wanted. */
    name: text('name').notNull(),
    scopes: text('scopes', { enum: ['read', 'write', 'results', 'chat-admin'] }).array(),
    workspaceId: text('workspace_id'),
    expiresInDays: integer('expires_in_days'),
    /** The first user who entered the code; no other user can decide. */
    userId: text('user_id').references(() => users.id),
    decision: text('decision', { enum: ['allowed', 'denied'] }),
    /** Set once the program knows the decision, so that the page can still show it. */
    usedAt: time('used_at'),
    /** Keyed digest of the network that started the login; null where networks are not counted. */
    network: bytea('network'),
    intervalSeconds: integer('interval_seconds').notNull(),
    polledAt: time('polled_at'),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('device_logins_device_code_hash_key').on(table.deviceCodeHash),
    uniqueIndex('device_logins_user_code_key').on(table.userCode),
    index('device_logins_user').on(table.userId).where(sql`user_id IS NOT NULL`),
    index('device_logins_network').on(table.network, table.expiresAt).where(sql`network IS NOT NULL`),
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

/** Owners of public ids. The primary key decides between bots that claim one concurrently. */
export const publicIds = pgTable(
  'public_ids',
  { publicId: text('public_id').primaryKey(), botId: text('bot_id').notNull() },
  (table) => [index('public_ids_bot').on(table.botId)],
)

/** Owners of domains, in lower case. */
export const customDomains = pgTable(
  'custom_domains',
  { domain: text('domain').primaryKey(), botId: text('bot_id').notNull() },
  (table) => [
    index('custom_domains_bot').on(table.botId),
    index('custom_domains_host').on(sql`split_part(${table.domain}, '/', 1)`),
  ],
)

/** Random keys of the installation, shared by all its processes; made at the first start. */
export const installationKeys = pgTable('installation_keys', {
  name: text('name').primaryKey(),
  key: bytea('key').notNull(),
})

/** Requests with a key that are not about one bot. */
export const idempotencyKeys = pgTable('idempotency_keys', keyedRequest(), (table) => [
  primaryKey({ columns: [table.userId, table.key] }),
  index('idempotency_keys_age').on(table.createdAt),
])

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
    /** Null for the operator. */
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
