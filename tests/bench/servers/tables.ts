import {
  bigint,
  boolean,
  customType,
  date,
  doublePrecision,
  integer,
  json,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'

/* The tables as the Express server declares them: documents as JSON that Drizzle parses and writes. */

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const tokens = pgTable('api_tokens', {
  id: text('id').primaryKey(),
  tokenHash: bytea('token_hash').notNull(),
  ownerUserId: text('owner_user_id').notNull(),
  expiresAt: time('expires_at'),
  revokedAt: time('revoked_at'),
  lastUsedOn: date('last_used_on', { mode: 'string' }),
})

export const members = pgTable('workspace_members', {
  workspaceId: text('workspace_id').notNull(),
  userId: text('user_id').notNull(),
  role: text('role').notNull(),
})

export const workspaces = pgTable('workspaces', {
  id: text('id').primaryKey(),
  createdAt: time('created_at').notNull(),
  updatedAt: time('updated_at').notNull(),
  name: text('name').notNull(),
  icon: text('icon'),
  plan: text('plan').notNull(),
  billingId: text('billing_id'),
  settings: json('settings'),
  isSuspended: boolean('is_suspended').notNull(),
  isPastDue: boolean('is_past_due').notNull(),
  isVerified: boolean('is_verified').notNull(),
  chatsHardLimit: integer('chats_hard_limit'),
  lastActivityAt: time('last_activity_at'),
  inactiveFirstEmailSentAt: time('inactive_first_email_sent_at'),
  inactiveSecondEmailSentAt: time('inactive_second_email_sent_at'),
  customChatsLimit: integer('custom_chats_limit'),
  customSeatsLimit: integer('custom_seats_limit'),
  resultsRetentionDays: integer('results_retention_days'),
  deletedAt: time('deleted_at'),
})

export const bots = pgTable('bots', {
  id: text('id').primaryKey(),
  workspaceId: text('workspace_id').notNull(),
  folderId: text('folder_id'),
  name: text('name').notNull(),
  icon: text('icon'),
  publicId: text('public_id'),
  customDomain: text('custom_domain'),
  version: text('version').notNull(),
  revision: bigint('revision', { mode: 'number' }).notNull(),
  selectedThemeTemplateId: text('selected_theme_template_id'),
  resultsTablePreferences: json('results_table_preferences'),
  isClosed: boolean('is_closed').notNull().default(false),
  isPubliclyShared: boolean('is_publicly_shared').notNull().default(false),
  messagingCredentialsId: text('messaging_credentials_id'),
  riskLevel: doublePrecision('risk_level'),
  resultsFloorAt: time('results_floor_at'),
  createdAt: time('created_at').notNull(),
  updatedAt: time('updated_at').notNull(),
  deletedAt: time('deleted_at'),
})

export const drafts = pgTable('bot_drafts', {
  botId: text('bot_id').primaryKey(),
  groups: json('groups').notNull(),
  events: json('events'),
  edges: json('edges').notNull(),
  variables: json('variables').notNull(),
  theme: json('theme').notNull(),
  settings: json('settings').notNull(),
})

export const results = pgTable('results', {
  botId: text('bot_id').notNull(),
  id: text('id').notNull(),
  variables: json('variables').notNull(),
  hasStarted: boolean('has_started').notNull(),
  isCompleted: boolean('is_completed').notNull(),
  isArchived: boolean('is_archived').notNull(),
  lastChatSessionId: text('last_chat_session_id'),
  createdAt: time('created_at').notNull(),
  updatedAt: time('updated_at').notNull(),
})

export const answers = pgTable('result_answers', {
  botId: text('bot_id').notNull(),
  resultId: text('result_id').notNull(),
  seq: integer('seq').notNull(),
  blockId: text('block_id').notNull(),
  content: text('content').notNull(),
  attachedFileUrls: text('attached_file_urls').array(),
})

export const sessions = pgTable('chat_sessions', {
  id: text('id').primaryKey(),
  botId: text('bot_id').notNull(),
  resultId: text('result_id'),
  clientLogs: integer('client_logs'),
  expiresAt: time('expires_at').notNull(),
})

export const resultLogs = pgTable('result_logs', {
  botId: text('bot_id').notNull(),
  resultId: text('result_id').notNull(),
  id: text('id').notNull(),
  status: text('status').notNull(),
  description: text('description').notNull(),
  details: text('details'),
  context: text('context'),
  createdAt: time('created_at').notNull(),
})

export const auditLog = pgTable('audit_log', {
  workspaceId: text('workspace_id').notNull(),
  id: text('id').notNull(),
  createdAt: time('created_at').notNull(),
  userId: text('user_id'),
  tokenId: text('token_id'),
  operation: text('operation').notNull(),
  recordId: text('record_id').notNull(),
  outcome: text('outcome').notNull(),
})
