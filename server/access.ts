import DataLoader from 'dataloader'
import { eq, getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
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
  const row = await lookups(db)[access.kind].load({ tokenHash, id })
  const refused = refusedToken(row, now)
  if (!row || refused) {
    return { caller: undefined, refusal: { code: 'UNAUTHORIZED', issues: [refused as Issue] } }
  }
  const caller = { userId: row.ownerUserId, tokenId: row.tokenId }
  await noteUse(db, row, now)
  if (access.kind === 'user') return { caller, grant: { caller } as UserGrant }
  const { role } = row
  if (row.id === null) return { caller, refusal: { code: access.missing, issues: [] } }
  decode[access.kind](row)
  const isShared = access.kind === 'bot' && access.publicShare && row.isPubliclyShared
  if (!isShared && (role === null || rank[role] < rank[access.role])) {
    return { caller, refusal: { code: 'FORBIDDEN', issues: [] } }
  }
  return { caller, grant: { caller, role, [access.kind]: row } as unknown as Grant }
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

/** What a request asks: whose token it is, and what its owner may do with the record of this id. */
interface Question {
  tokenHash: Buffer
  id: string
}

/** The most questions in one statement. */
const BATCH = 100

/**
 * Answers questions about one kind of record. Those of requests that come in the same turn of the event loop
 * are asked in one statement, since asking costs more than finding. Rows are taken as they come: every request
 * pays for these, and Drizzle looks at each cell anew.
 */
function lookup(
  db: Database,
  named: (name: string) => string,
  name: string,
  record?: { table: typeof workspaces | typeof folders | typeof bots; workspaceId: SQLWrapper },
) {
  const columns = record ? sql`${token}, ${workspaceMembers.role}, ${columnsOf(record.table)}` : token
  const isThere = record && 'deletedAt' in record.table ? sql`AND ${record.table.deletedAt} IS NULL` : sql``
  const withRecord = (join: SQL, id: SQLWrapper) =>
    record
      ? sql`${join} ${record.table} ON ${record.table.id} = ${id} ${isThere}
        LEFT JOIN ${workspaceMembers} ON ${workspaceMembers.workspaceId} = ${record.workspaceId}
          AND ${workspaceMembers.userId} = ${apiTokens.ownerUserId}`
      : sql``
  const one = prepareSql<Row>(
    db,
    named(`grant_${name}`),
    sql`SELECT ${columns} FROM ${apiTokens} ${withRecord(sql`LEFT JOIN`, sql.placeholder('id'))}
      WHERE ${apiTokens.tokenHash} = ${sql.placeholder('tokenHash')}`,
  )
  // The planner does not see how many there are: it would plan anew for every number of them.
  const several = prepareSql<Row & { place: number }>(
    db,
    named(`grant_${name}s`),
    sql`SELECT asked.place::integer, ${columns}
      FROM unnest((SELECT ${sql.placeholder('hashes')}::bytea[]), (SELECT ${sql.placeholder('ids')}::text[]))
        WITH ORDINALITY AS asked (token_hash, id, place)
      JOIN ${apiTokens} ON ${apiTokens.tokenHash} = asked.token_hash
      ${withRecord(sql`JOIN`, sql`asked.id`)}`,
  )
  const answer = async (question: Question) => (await one({ ...question })).rows[0]
  return new DataLoader<Question, Row | undefined>(
    async (questions) => {
      if (questions.length === 1) return [await answer(questions[0] as Question)]
      const { rows } = await several({
        hashes: questions.map(({ tokenHash }) => tokenHash),
        ids: questions.map(({ id }) => id),
      })
      const found = new Array<Row | undefined>(questions.length)
      for (const row of rows) found[row.place - 1] = row
      // What is not there is asked again alone, which tells whether it is the token or the record.
      return Promise.all(questions.map((question, at) => found[at] ?? answer(question)))
    },
    { cache: false, maxBatchSize: BATCH, batchScheduleFn: (ask) => setImmediate(ask) },
  )
}

const lookups = statements((db, named) => ({
  user: lookup(db, named, 'user'),
  workspace: lookup(db, named, 'workspace', { table: workspaces, workspaceId: workspaces.id }),
  folder: lookup(db, named, 'folder', { table: folders, workspaceId: folders.workspaceId }),
  bot: lookup(db, named, 'bot', { table: bots, workspaceId: bots.workspaceId }),
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
