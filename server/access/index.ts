import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import type { Issue } from '../../contract/errors.ts'
import type { ErrorCode } from '../../contract/kit/errors.ts'
import type { Need, Role, Scope } from '../../contract/operation.ts'
import { prepareBatchedQuery } from '../db/batched-query.ts'
import { type Database, type StatementContext, statements } from '../db/client.ts'
import { createInternedRows } from '../db/interned-rows.ts'
import { toIso } from '../db/iso-time.ts'
import { apiTokens, bots, folders, webhookEndpoints, workspaceMembers, workspaces } from '../db/schema.ts'
import { type Expression, expression, optional, type RowOf } from '../db/typed-select.ts'
import { shownFolderId } from '../db/visible-bots.ts'
import { unauthorizedIssue } from '../kit/access.ts'

/*
 * The only policy code. A caller and a target become a grant, or the rejection that the operation declares. Query
 * functions require a grant in place of an id. One statement finds token, membership and record together.
 * Invariants: nothing about a record leaves this file before its role was compared, and only this file makes grants.
 */

declare const granted: unique symbol

export interface Caller {
  userId: string
  tokenId: string
  /** Scopes of the token; null for all. */
  scopes: readonly Scope[] | null
  /** The only workspace in which their token works; null where it is bound to none. */
  boundTo: string | null
  expiresAt: Date | null
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
  hasWebhooks: boolean
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
  /** True if its workspace has webhook endpoints. */
  hasWebhooks: boolean
}

type Grant = UserGrant | WorkspaceGrant | FolderGrant | BotGrant

export interface AccessRejection {
  code: Extract<ErrorCode, 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND'>
  issues: Issue[]
}

/**
 * The caller with a grant or a rejection. A rejection of the caller comes before any other check of a request. The
 * caller is null if the operation is public and the request has no token.
 */
export type Authorization =
  | { caller: undefined; rejection: AccessRejection }
  | { caller: Caller; rejection: AccessRejection }
  | { caller: Caller | null; grant: Grant | undefined }

const ranks: Record<Role, number> = { GUEST: 0, MEMBER: 1, ADMIN: 2 }

/** Decides for a record of the kind that `need` names; `id` is the record's. */
export async function decideAccess(
  db: Database,
  need: Exclude<Need, { kind: 'anyone' }>,
  tokenHash: string,
  id: string,
  now: Date,
): Promise<Authorization> {
  const found = need.kind === 'user' ? undefined : await lookups(db)[need.kind]({ tokenHash, id })
  // Without a record, the caller still has to be authenticated.
  const token = found?.token ?? (await lookups(db).user({ tokenHash, id }))?.token
  const tokenIssue = checkToken(token, now)
  if (!token || tokenIssue) {
    return { caller: undefined, rejection: { code: 'UNAUTHORIZED', issues: [tokenIssue as Issue] } }
  }
  const { id: tokenId, ownerUserId: userId, scopes, workspaceId: boundTo, expiresAt } = token
  const caller: Caller = { userId, tokenId, scopes, boundTo, expiresAt }
  touchLastUsed(db, token, now)
  const forbidden = (...issues: Issue[]) => ({ caller, rejection: { code: 'FORBIDDEN' as const, issues } })
  if (!hasScope(caller, need.scope)) return forbidden(missingScopeIssue(need.scope))
  if (need.kind === 'user') {
    if (need.isUnbound && boundTo !== null) return forbidden(boundTokenIssue)
    return { caller, grant: { caller } as UserGrant }
  }
  // The same whether or not a record of another workspace exists.
  if (!found) {
    const hasReason = boundTo !== null && need.missing === 'FORBIDDEN'
    return { caller, rejection: { code: need.missing, issues: hasReason ? [boundTokenIssue] : [] } }
  }
  const { record } = found
  const workspaceId = 'workspaceId' in record ? record.workspaceId : record.id
  // A token that is bound to a workspace has no role in any other.
  const isOutside = boundTo !== null && boundTo !== workspaceId
  const role = isOutside ? null : found.role
  const isShared =
    need.kind === 'bot' && need.publicShare && 'isPubliclyShared' in record && record.isPubliclyShared
  if (!isShared && isOutside) return forbidden(boundTokenIssue)
  if (!isShared && (role === null || ranks[role] < ranks[need.role])) {
    return role === null ? forbidden() : forbidden(roleTooLowIssue(role, need.role))
  }
  return {
    caller,
    grant: { caller, role, hasWebhooks: found.hasWebhooks, [need.kind]: record } as unknown as Grant,
  }
}

export function hasScope({ scopes }: Caller, scope: Scope | 'any'): boolean {
  return scopes === null || scope === 'any' || scopes.includes(scope)
}

function missingScopeIssue(scope: Scope | 'any'): Issue {
  const message = `This needs a token with the scope \`${scope}\``
  return { path: ['header', 'authorization'], code: 'missing_scope', message }
}

function roleTooLowIssue(role: Role, needed: Role): Issue {
  const message = `This needs the role ${needed} in the workspace; yours is ${role}`
  return { path: ['header', 'authorization'], code: 'role_too_low', message }
}

const boundTokenIssue: Issue = {
  path: ['header', 'authorization'],
  code: 'bound_token',
  message: 'The token is bound to a workspace, and this is outside of it; send a token that is not bound',
}

const tokenColumns = {
  id: apiTokens.id,
  ownerUserId: apiTokens.ownerUserId,
  expiresAt: apiTokens.expiresAt,
  revokedAt: apiTokens.revokedAt,
  lastUsedOn: apiTokens.lastUsedOn,
  scopes: apiTokens.scopes,
  workspaceId: apiTokens.workspaceId,
}

type Token = Readonly<RowOf<typeof tokenColumns>>

export const unknownToken =
  'This service has no such token; check its address, or create another token at /account'
export const revokedToken = 'The token was revoked; sign in, or create another token'

function checkToken(token: Token | undefined, now: Date): Issue | undefined {
  if (!token) return unauthorizedIssue('unknown', unknownToken)
  if (token.revokedAt) return unauthorizedIssue('revoked', revokedToken)
  if (token.expiresAt && token.expiresAt <= now)
    return unauthorizedIssue('expired', 'The token has expired; sign in, or create another token')
  return undefined
}

/**
 * Day of the last use of tokens seen recently, by id of token. Entries expire, so that a write that failed is tried
 * again.
 */
const lastUseDays = new LRUCache<string, string>({ max: 10_000, ttl: 60_000 })

/**
 * Writes the day a token was last used, once a day, in the background: reads work while the database cannot write, and
 * a failed write is no loss.
 */
function touchLastUsed(db: Database, token: Token, now: Date) {
  const today = toIso(now).slice(0, 10)
  if (token.lastUsedOn === today) return
  if (lastUseDays.get(token.id) === today) return
  lastUseDays.set(token.id, today)
  db.update(apiTokens)
    .set({ lastUsedOn: today })
    .where(eq(apiTokens.id, token.id))
    .catch(() => {})
}

/** True if a workspace has enabled webhook endpoints. */
export function hasWebhooks(workspaceId: AnyPgColumn) {
  return expression(
    sql`EXISTS (SELECT FROM ${webhookEndpoints} WHERE ${webhookEndpoints.workspaceId} = ${workspaceId} AND ${webhookEndpoints.isEnabled})`,
    'boolean',
  )
}

const lookupTypes = { tokenHash: 'text', id: 'text' } as const
const joinTokens = sql`JOIN ${apiTokens} ON ${apiTokens.tokenHash} = decode(batch."tokenHash", 'hex')`

/** Finds a token, the record with the id, and the role of the token's owner in its workspace. */
function prepareGrantLookup<Table extends typeof workspaces | typeof folders | typeof bots>(
  [db, named]: StatementContext,
  name: string,
  table: Table,
  token: Expression<Token>,
  shown = {},
) {
  const isOfWorkspace = 'workspaceId' in table
  // Null for a caller who is not a member of the record's workspace.
  const shape = {
    token,
    role: optional(workspaceMembers.role),
    hasWebhooks: hasWebhooks(isOfWorkspace ? table.workspaceId : table.id),
    record: createInternedRows(getTableColumns(table), shown),
  }
  return prepareBatchedQuery(
    db,
    named,
    name,
    lookupTypes,
    shape,
    (list, batch) => sql`
      SELECT ${list} FROM ${batch} ${joinTokens}
      JOIN ${table} ON ${table.id} = batch.id AND ${table.deletedAt} IS NULL
      ${isOfWorkspace ? sql`JOIN ${workspaces} ON ${workspaces.id} = ${table.workspaceId} AND ${workspaces.deletedAt} IS NULL` : sql``}
      LEFT JOIN ${workspaceMembers} ON ${workspaceMembers.userId} = ${apiTokens.ownerUserId}
        AND ${workspaceMembers.workspaceId} = ${isOfWorkspace ? table.workspaceId : table.id}`,
  )
}

const lookups = statements((db, named) => {
  const token = createInternedRows(tokenColumns)
  return {
    user: prepareBatchedQuery(
      db,
      named,
      'grant_user',
      lookupTypes,
      { token },
      (list, batch) => sql`SELECT ${list} FROM ${batch} ${joinTokens}`,
    ),
    workspace: prepareGrantLookup([db, named], 'grant_workspace', workspaces, token),
    folder: prepareGrantLookup([db, named], 'grant_folder', folders, token, {
      parentFolderId: shownFolderId(folders.parentFolderId),
    }),
    bot: prepareGrantLookup([db, named], 'grant_bot', bots, token, {
      folderId: shownFolderId(bots.folderId),
    }),
  }
})
