import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { ErrorCode, Issue } from '../../contract/errors.ts'
import type { Access, Role } from '../../contract/operation.ts'
import { type Database, statements } from '../db/client.ts'
import { prepareLookup } from '../db/lookup.ts'
import { apiTokens, bots, folders, workspaceMembers, workspaces } from '../db/schema.ts'
import { unauthorized } from './authenticate.ts'

/*
 * The only policy code. A caller and a target become a grant, which query functions ask for instead of an
 * id, or the refusal the operation declares. One statement finds token, membership and record together.
 * What must stay true: nothing about a record leaves this file before its role was compared, and only
 * this file makes grants.
 */

declare const granted: unique symbol

export interface Caller {
  userId: string
  tokenId: string
}

export interface UserGrant {
  readonly [granted]: 'user'
  caller: Caller
}

export interface WorkspaceGrant {
  readonly [granted]: 'workspace'
  caller: Caller
  role: Role
  workspace: typeof workspaces.$inferSelect
}

export interface FolderGrant {
  readonly [granted]: 'folder'
  caller: Caller
  role: Role
  folder: typeof folders.$inferSelect
}

export interface BotGrant {
  readonly [granted]: 'bot'
  caller: Caller
  /** Null for a caller who sees the bot only because it is shared publicly. */
  role: Role | null
  bot: typeof bots.$inferSelect
}

export type Grant = UserGrant | WorkspaceGrant | FolderGrant | BotGrant

export interface Refusal {
  code: Extract<ErrorCode, 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND'>
  issues: Issue[]
}

/** Who calls, and whether they may; a refusal of the caller comes before everything else about a request. */
export type Authorization =
  | { caller: undefined; refusal: Refusal }
  | { caller: Caller; grant: Grant }
  | { caller: Caller; refusal: Refusal }

const rank: Record<Role, number> = { GUEST: 0, MEMBER: 1, ADMIN: 2 }

/** Decides for a record of the kind that `access` names; `id` is the record's. */
export async function authorize(
  db: Database,
  access: Exclude<Access, { kind: 'anyone' }>,
  tokenHash: Buffer,
  id: string,
  now: Date,
): Promise<Authorization> {
  const record = access.kind === 'user' ? undefined : await lookups(db)[access.kind]({ tokenHash, id })
  // Where there is no record, there still is a caller, or none.
  const row = record ?? (await lookups(db).user({ tokenHash, id }))
  const refused = refusedToken(row, now)
  if (!row || refused) {
    return { caller: undefined, refusal: { code: 'UNAUTHORIZED', issues: [refused as Issue] } }
  }
  const caller = { userId: row.ownerUserId, tokenId: row.tokenId }
  await noteUse(db, row, now)
  if (access.kind === 'user') return { caller, grant: { caller } as UserGrant }
  if (!record) return { caller, refusal: { code: access.missing, issues: [] } }
  const { role } = record
  decode[access.kind](record)
  const isShared = access.kind === 'bot' && access.publicShare && record.isPubliclyShared
  if (!isShared && (role === null || rank[role] < rank[access.role])) {
    return { caller, refusal: { code: 'FORBIDDEN', issues: [] } }
  }
  return { caller, grant: { caller, role, [access.kind]: record } as unknown as Grant }
}

interface Token {
  tokenId: string
  ownerUserId: string
  expiresAt: Date | null
  revokedAt: Date | null
  /** A day in UTC. */
  lastUsedOn: string | null
}

/** Token, role and record side by side. */
interface Row extends Token {
  /** Null for who is not a member of the record's workspace. */
  role: Role | null
  /** Of a bot. */
  isPubliclyShared?: boolean
}

function refusedToken(token: Token | undefined, now: Date): Issue | undefined {
  if (!token) return unauthorized('unknown', 'The token is not known')
  if (token.revokedAt) return unauthorized('revoked', 'The token was revoked')
  if (token.expiresAt && token.expiresAt <= now) return unauthorized('expired', 'The token has expired')
  return undefined
}

/** The day a token was last used, written once a day. */
async function noteUse(db: Database, token: Token, now: Date) {
  const today = now.toISOString().slice(0, 10)
  if (token.lastUsedOn !== null && token.lastUsedOn >= today) return
  await db.update(apiTokens).set({ lastUsedOn: today }).where(eq(apiTokens.id, token.tokenId))
}

const token = sql`${apiTokens.id} AS "tokenId", ${apiTokens.ownerUserId} AS "ownerUserId",
  ${apiTokens.expiresAt} AS "expiresAt", ${apiTokens.revokedAt} AS "revokedAt",
  ${apiTokens.lastUsedOn}::text AS "lastUsedOn"`

const columnsOf = (table: PgTable) =>
  sql.join(
    Object.entries(getTableColumns(table)).map(([key, column]) => sql`${column} AS ${sql.identifier(key)}`),
    sql`, `,
  )

/** Whose token it is, and with a table, which record has the id and what the owner's role in its workspace is. */
function grantLookup(
  db: Database,
  named: (name: string) => string,
  name: string,
  table?: typeof workspaces | typeof folders | typeof bots,
) {
  const owner = sql`JOIN ${apiTokens} ON ${apiTokens.tokenHash} = asked."tokenHash"`
  return prepareLookup<{ tokenHash: Buffer; id: string }, Row>(
    db,
    named,
    name,
    { tokenHash: 'bytea', id: 'text' },
    (asked) => {
      if (!table) return sql`SELECT asked.place, ${token} FROM ${asked} ${owner}`
      return sql`
        SELECT asked.place, ${token}, ${workspaceMembers.role}, ${columnsOf(table)} FROM ${asked} ${owner}
        JOIN ${table} ON ${table.id} = asked.id ${'deletedAt' in table ? sql`AND ${table.deletedAt} IS NULL` : sql``}
        LEFT JOIN ${workspaceMembers} ON ${workspaceMembers.userId} = ${apiTokens.ownerUserId}
          AND ${workspaceMembers.workspaceId} = ${'workspaceId' in table ? table.workspaceId : table.id}`
    },
  )
}

const lookups = statements((db, named) => ({
  user: grantLookup(db, named, 'grant_user'),
  workspace: grantLookup(db, named, 'grant_workspace', workspaces),
  folder: grantLookup(db, named, 'grant_folder', folders),
  bot: grantLookup(db, named, 'grant_bot', bots),
}))

const decode = { workspace: decoderOf(workspaces), folder: decoderOf(folders), bot: decoderOf(bots) }

/** Makes the record of a row in place: documents and large numbers are text in it, all else is what it should be. */
function decoderOf(table: PgTable): (row: Row) => void {
  const columns = Object.entries(getTableColumns(table)).filter(
    ([, { dataType, columnType }]) => dataType === 'custom' || columnType === 'PgBigInt53',
  )
  return (row) => {
    const record = row as unknown as Record<string, unknown>
    for (const [key, column] of columns) {
      if (record[key] !== null) record[key] = column.mapFromDriverValue(record[key])
    }
  }
}
