import { eq, getTableColumns, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { ErrorCode, Issue } from '../contract/errors.ts'
import type { Access, Role } from '../contract/operation.ts'
import { unauthorized } from './authenticate.ts'
import { type Database, prepareSql, statements } from './db/client.ts'
import { apiTokens, bots, folders, workspaceMembers, workspaces } from './db/schema.ts'

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
  const {
    rows: [row],
  } = await grantStatements(db)[access.kind]({ tokenHash, id })
  const refused = refusedToken(row, now)
  if (!row || refused) {
    return { caller: undefined, refusal: { code: 'UNAUTHORIZED', issues: [refused as Issue] } }
  }
  const caller = { userId: row.ownerUserId, tokenId: row.tokenId }
  await noteUse(db, row, now)
  if (access.kind === 'user') return { caller, grant: { caller } as UserGrant }
  const { role } = row
  if (row.id === null) return { caller, refusal: { code: access.missing, issues: [] } }
  const record = decode[access.kind](row)
  const isShared = access.kind === 'bot' && access.publicShare && (record as BotGrant['bot']).isPubliclyShared
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

/** Token, role and record side by side; all of a record is null when there is none. */
interface Row extends Token {
  role: Role | null
  id: string | null
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

const ofToken = sql`WHERE ${apiTokens.tokenHash} = ${sql.placeholder('tokenHash')}`

/** The record of an id, and what its workspace makes the caller. */
const withRecord = (table: typeof workspaces | typeof folders | typeof bots, workspaceId: SQLWrapper) => sql`
  SELECT ${token}, ${workspaceMembers.role}, ${columnsOf(table)} FROM ${apiTokens}
  LEFT JOIN ${table} ON ${table.id} = ${sql.placeholder('id')}
    ${'deletedAt' in table ? sql`AND ${table.deletedAt} IS NULL` : sql``}
  LEFT JOIN ${workspaceMembers} ON ${workspaceMembers.workspaceId} = ${workspaceId}
    AND ${workspaceMembers.userId} = ${apiTokens.ownerUserId}
  ${ofToken}`

/** Rows are taken as they come: every request pays for these, and Drizzle looks at each cell anew. */
const grantStatements = statements((db, named) => ({
  user: prepareSql<Row>(db, named('grant_user'), sql`SELECT ${token} FROM ${apiTokens} ${ofToken}`),
  workspace: prepareSql<Row>(db, named('grant_workspace'), withRecord(workspaces, workspaces.id)),
  folder: prepareSql<Row>(db, named('grant_folder'), withRecord(folders, folders.workspaceId)),
  bot: prepareSql<Row>(db, named('grant_bot'), withRecord(bots, bots.workspaceId)),
}))

const decode = { workspace: decoderOf(workspaces), folder: decoderOf(folders), bot: decoderOf(bots) }

/** Documents and large numbers are text in a row; all else is what it should be. */
function decoderOf(table: PgTable): (row: Row) => object {
  const columns = Object.entries(getTableColumns(table)).map(([key, column]) => {
    const isText = column.dataType === 'custom' || column.columnType === 'PgBigInt53'
    return { key, decode: isText ? (value: unknown) => column.mapFromDriverValue(value) : undefined }
  })
  return (row) => {
    const record: Record<string, unknown> = {}
    for (const { key, decode } of columns) {
      const value = (row as unknown as Record<string, unknown>)[key]
      record[key] = decode && value !== null ? decode(value) : value
    }
    return record
  }
}
