import { and, eq, isNull, sql } from 'drizzle-orm'
import type { ErrorCode, Issue } from '../contract/errors.ts'
import type { Access, Role } from '../contract/operation.ts'
import { unauthorized } from './authenticate.ts'
import { type Database, statements } from './db/client.ts'
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
  const [row] = await find[access.kind](db, tokenHash, id)
  const refused = refusedToken(row?.token, now)
  if (!row || refused) {
    return { caller: undefined, refusal: { code: 'UNAUTHORIZED', issues: [refused as Issue] } }
  }
  const caller = { userId: row.token.ownerUserId, tokenId: row.token.id }
  await noteUse(db, row.token, now)
  if (access.kind === 'user') return { caller, grant: { caller } as UserGrant }
  const { record, role } = row as { record: object | null; role: Role | null }
  if (!record) return { caller, refusal: { code: access.missing, issues: [] } }
  const isShared = access.kind === 'bot' && access.publicShare && (record as BotGrant['bot']).isPubliclyShared
  if (!isShared && (role === null || rank[role] < rank[access.role])) {
    return { caller, refusal: { code: 'FORBIDDEN', issues: [] } }
  }
  return { caller, grant: { caller, role, [access.kind]: record } as unknown as Grant }
}

type Token = Pick<
  typeof apiTokens.$inferSelect,
  'id' | 'ownerUserId' | 'expiresAt' | 'revokedAt' | 'lastUsedOn'
>

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
  await db.update(apiTokens).set({ lastUsedOn: today }).where(eq(apiTokens.id, token.id))
}

const token = {
  id: apiTokens.id,
  ownerUserId: apiTokens.ownerUserId,
  expiresAt: apiTokens.expiresAt,
  revokedAt: apiTokens.revokedAt,
  lastUsedOn: apiTokens.lastUsedOn,
}

const grantStatements = statements((db, named) => ({
  user: db
    .select({ token })
    .from(apiTokens)
    .where(eq(apiTokens.tokenHash, sql.placeholder('tokenHash')))
    .prepare(named('grant_user')),
  workspace: db
    .select({ token, record: workspaces, role: workspaceMembers.role })
    .from(apiTokens)
    .leftJoin(workspaces, and(eq(workspaces.id, sql.placeholder('id')), isNull(workspaces.deletedAt)))
    .leftJoin(
      workspaceMembers,
      and(
        eq(workspaceMembers.workspaceId, workspaces.id),
        eq(workspaceMembers.userId, apiTokens.ownerUserId),
      ),
    )
    .where(eq(apiTokens.tokenHash, sql.placeholder('tokenHash')))
    .prepare(named('grant_workspace')),
  folder: db
    .select({ token, record: folders, role: workspaceMembers.role })
    .from(apiTokens)
    .leftJoin(folders, eq(folders.id, sql.placeholder('id')))
    .leftJoin(
      workspaceMembers,
      and(
        eq(workspaceMembers.workspaceId, folders.workspaceId),
        eq(workspaceMembers.userId, apiTokens.ownerUserId),
      ),
    )
    .where(eq(apiTokens.tokenHash, sql.placeholder('tokenHash')))
    .prepare(named('grant_folder')),
  bot: db
    .select({ token, record: bots, role: workspaceMembers.role })
    .from(apiTokens)
    .leftJoin(bots, and(eq(bots.id, sql.placeholder('id')), isNull(bots.deletedAt)))
    .leftJoin(
      workspaceMembers,
      and(
        eq(workspaceMembers.workspaceId, bots.workspaceId),
        eq(workspaceMembers.userId, apiTokens.ownerUserId),
      ),
    )
    .where(eq(apiTokens.tokenHash, sql.placeholder('tokenHash')))
    .prepare(named('grant_bot')),
}))

interface Row {
  token: Token
  record?: object | null
  role?: Role | null
}

const find: Record<Grant[typeof granted], (db: Database, tokenHash: Buffer, id: string) => Promise<Row[]>> = {
  user: (db, tokenHash) => grantStatements(db).user.execute({ tokenHash }),
  workspace: (db, tokenHash, id) => grantStatements(db).workspace.execute({ tokenHash, id }),
  folder: (db, tokenHash, id) => grantStatements(db).folder.execute({ tokenHash, id }),
  bot: (db, tokenHash, id) => grantStatements(db).bot.execute({ tokenHash, id }),
}
