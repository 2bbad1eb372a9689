/*
 * Code shared by the Fastify and the Hono server: it turns rows parsed by `pg` into the objects of responses, and
 * checks access on the row of the grant.
 */

// biome-ignore lint/suspicious/noExplicitAny: rows of any statement
export type Row = any

/** The reason to reject a caller; undefined for none. */
export function refusal(row: Row | undefined): 401 | 403 | 404 | undefined {
  if (!row || row.revoked_at || (row.expires_at && row.expires_at <= new Date())) return 401
  if (row.id === null) return 404
  if (row.role !== 'ADMIN' && row.role !== 'MEMBER') return 403
  return undefined
}

export function toBot(row: Row, draft: Row) {
  return {
    version: row.version,
    id: row.id,
    name: row.name,
    groups: draft.groups,
    events: draft.events,
    edges: draft.edges,
    variables: draft.variables,
    theme: draft.theme,
    settings: draft.settings,
    selectedThemeTemplateId: row.selected_theme_template_id ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    icon: row.icon ?? null,
    folderId: row.folder_id ?? null,
    publicId: row.public_id ?? null,
    customDomain: row.custom_domain ?? null,
    workspaceId: row.workspace_id,
    resultsTablePreferences: row.results_table_preferences ?? null,
    isArchived: false,
    isClosed: row.is_closed ?? false,
    messagingCredentialsId: row.messaging_credentials_id ?? null,
    riskLevel: row.risk_level ?? null,
  }
}

export function toWorkspace(row: Row) {
  return {
    id: row.id,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    name: row.name,
    icon: row.icon,
    plan: row.plan,
    billingId: row.billing_id,
    settings: row.settings,
    isSuspended: row.is_suspended,
    isPastDue: row.is_past_due,
    isVerified: row.is_verified,
    chatsHardLimit: row.chats_hard_limit,
    lastActivityAt: row.last_activity_at?.toISOString() ?? null,
    inactiveFirstEmailSentAt: row.inactive_first_email_sent_at?.toISOString() ?? null,
    inactiveSecondEmailSentAt: row.inactive_second_email_sent_at?.toISOString() ?? null,
    customChatsLimit: row.custom_chats_limit,
    customSeatsLimit: row.custom_seats_limit,
    resultsRetentionDays: row.results_retention_days,
  }
}

export function toResult(botId: string, row: Row) {
  return {
    id: row.id,
    createdAt: row.created_at.toISOString(),
    botId,
    variables: row.variables,
    isCompleted: row.is_completed,
    hasStarted: row.has_started,
    isArchived: false,
    lastChatSessionId: row.last_chat_session_id,
    answers: row.answers,
  }
}

/** A page of at most `limit` of the rows, of which there is one more when there is a next page. */
export function toPage(botId: string, rows: Row[], limit: number) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    results: page.map((row) => toResult(botId, row)),
    nextCursor: rows.length > limit ? `${last.created_at.getTime()}.${last.id}` : null,
  }
}

/** Until when results are looked for, and the time and id of the one that they come after. */
export function fromCursor(cursor: string | undefined): [string, string, string] {
  if (cursor === undefined) return ['infinity', '9999-12-31T23:59:59.999Z', '~']
  const [time, id = ''] = cursor.split('.')
  return [new Date(Number(time) + 1).toISOString(), new Date(Number(time)).toISOString(), id]
}

const SIX_DAYS_MS = 6 * 24 * 60 * 60 * 1000

export function startOf(timeFilter: string): string {
  if (timeFilter !== 'last7Days') return '-infinity'
  return new Date(new Date().setUTCHours(0, 0, 0, 0) - SIX_DAYS_MS).toISOString()
}
