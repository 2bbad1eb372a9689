import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { OperationId } from '../../contract/index.ts'
import type { Database, Transaction } from '../db/client.ts'
import { encoderOf, listsOf } from '../db/insert-columns.ts'
import { after, firstPosition, newestFirst, type Position } from '../db/page.ts'
import { auditLog as table, users, workspaceMembers, workspaces } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { JsonText } from '../kit/json/json-text.ts'

/*
 * Audit log of workspaces. An entry is inserted in the transaction of its cause, or within its one statement, so that
 * both exist or neither does. Entries are never changed or removed here.
 */

/** The actor and the action; `by` is null for the operator of the service. */
export interface AuditAction {
  by: { userId: string; tokenId: string | null } | null
  operation: OperationId | `admin ${string}` | 'first start' | 'accept invitation' | 'allow device login'
}

export type AuditEntry = typeof table.$inferSelect

/** An entry of something that is done to a record. */
export function newEntry(
  workspaceId: string,
  { by, operation }: AuditAction,
  recordId: string,
  now: Date,
  details?: Record<string, unknown>,
): AuditEntry {
  return {
    workspaceId,
    id: newId(now),
    createdAt: now,
    userId: by?.userId ?? null,
    tokenId: by?.tokenId ?? null,
    operation,
    recordId,
    outcome: 'success',
    details: details ? new JsonText(JSON.stringify(details)) : null,
  }
}

/** Writes an entry in the transaction of its cause. */
export async function writeEntry(tx: Transaction, entry: AuditEntry) {
  await tx.insert(table).values(entry)
}

/** Columns of an entry, for statements that write several rows. */
export const entryColumns = getTableColumns(table)

const encode = encoderOf(entryColumns)

/**
 * The part of a statement that writes an entry together with its cause: one for each row of `cause`, which has the
 * columns that are not in the entry.
 */
export function auditCte(entry: AuditEntry, cause: SQL, given: Record<string, SQL> = {}): SQL {
  const encoded = encode(entry, {})
  const { names, values } = listsOf(entryColumns, (name) => given[name] ?? sql`${encoded[name]}`)
  return sql`INSERT INTO ${table} (${names}) SELECT ${values} FROM ${cause}`
}

/**
 * Part of a statement that writes an entry about a token into the workspace that it is bound to, or into those that its
 * owner has created. So adding a member to a workspace reveals no tokens of theirs. `tokens` has the rows of tokens
 * with owner_user_id, workspace_id and id.
 */
export function tokenEntries(deed: AuditAction, tokens: SQL, now: Date): SQL {
  const given = { workspaceId: sql`m.workspace_id`, recordId: sql`t.id` }
  const cause = sql`${tokens} t JOIN ${workspaceMembers} m ON m.user_id = t.owner_user_id
    AND (t.workspace_id IS NULL OR t.workspace_id = m.workspace_id)
    JOIN ${workspaces} w ON w.id = m.workspace_id
    AND (t.workspace_id IS NOT NULL OR coalesce(w.created_by = t.owner_user_id, true))`
  return auditCte(newEntry('', deed, '', now), cause, given)
}

const shown = {
  id: table.id,
  createdAt: table.createdAt,
  userId: table.userId,
  email: users.email,
  tokenId: table.tokenId,
  operation: table.operation,
  recordId: table.recordId,
  outcome: table.outcome,
  details: table.details,
}

/** Entries of a workspace after a position, newest first. */
export function auditPage(
  db: Database,
  { workspace }: { workspace: { id: string } },
  position: Position,
  limit: number,
) {
  return db
    .select(shown)
    .from(table)
    .leftJoin(users, eq(users.id, table.userId))
    .where(and(eq(table.workspaceId, workspace.id), after(table.createdAt, table.id, position)))
    .orderBy(...newestFirst(table.createdAt, table.id))
    .limit(limit)
}

/** Number of entries per read. */
const PAGE_ENTRIES = 1_000

/** All of them, also of a workspace that was deleted. */
export async function* allEntries(db: Database, workspaceId: string) {
  for (let position = firstPosition; ; ) {
    const page = await auditPage(db, { workspace: { id: workspaceId } }, position, PAGE_ENTRIES)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE_ENTRIES) return
    position = last
  }
}
