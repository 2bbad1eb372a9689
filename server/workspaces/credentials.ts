import { and, count, eq } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Conditions } from '../../contract/kit/operation.ts'
import type { components } from '../../generated/openapi.ts'
import type { WorkspaceGrant } from '../access/index.ts'
import { type AuditAction, newEntry, writeEntry } from '../audit/log.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { newestFirst } from '../db/page.ts'
import { credentials as table } from '../db/schema.ts'
import { digestRecordState } from '../entity-tags.ts'
import { newId } from '../ids.ts'
import { hasConditions, isStale } from '../kit/conditions.ts'
import { type Key, KeyProblem, type Keyring, seal, unseal } from './keyring.ts'
import { holdWorkspace, laterThan } from './rows.ts'
import { ownerText } from './sealed-rows.ts'

/*
 * Secrets of credentials are stored as ciphertext only, bound to workspace, id and type: copied into a row of another
 * workspace they cannot be decrypted.
 */

type Row = typeof table.$inferSelect
/** A row without its secrets. */
type Shown = Omit<Row, 'data' | 'keyId'>

const shown = {
  id: table.id,
  workspaceId: table.workspaceId,
  type: table.type,
  name: table.name,
  createdAt: table.createdAt,
  updatedAt: table.updatedAt,
}

export function credentialsOf(db: Database, { workspace }: WorkspaceGrant): Promise<Shown[]> {
  return db
    .select(shown)
    .from(table)
    .where(eq(table.workspaceId, workspace.id))
    .orderBy(...newestFirst(table.createdAt, table.id))
}

export async function findCredentials(
  db: Database,
  { workspace }: WorkspaceGrant,
  id: string,
): Promise<Shown | undefined> {
  const [row] = await db.select(shown).from(table).where(isIn(workspace.id, id))
  return row
}

/** Credentials that a workspace can have. */
const MAX_CREDENTIALS = 200

/** Stores new credentials; `full` if the workspace has the maximum number, `deleted` if it was deleted meanwhile. */
export async function insertCredentials(
  db: Database,
  key: Key,
  { workspace, caller }: WorkspaceGrant,
  { type, name, data }: components['schemas']['CredentialsCreate'],
  now: Date,
): Promise<Shown | 'full' | 'deleted'> {
  return transact(db, async (tx) => {
    // Serialises concurrent additions.
    if (!(await holdWorkspace(tx, workspace.id, 'no key update'))) return 'deleted'
    const [known] = await tx
      .select({ number: count() })
      .from(table)
      .where(eq(table.workspaceId, workspace.id))
    if ((known?.number ?? 0) >= MAX_CREDENTIALS) return 'full'
    const owner = { workspaceId: workspace.id, id: newId(now), type }
    const [row] = await tx
      .insert(table)
      .values({ ...owner, ...sealData(key, owner, data), name, createdAt: now, updatedAt: now })
      .returning(shown)
    const deed = { by: caller, operation: 'createCredentials' } as const
    await writeEntry(tx, newEntry(workspace.id, deed, owner.id, now, { type }))
    return row ?? 'deleted'
  })
}

/** Changes credentials of that type, with a key where there are data; undefined when they are not there any more. */
export async function updateCredentials(
  db: Database,
  key: Key | undefined,
  caller: AuditAction['by'],
  before: Shown,
  { name, data }: components['schemas']['CredentialsUpdate'],
  conditions: Conditions,
  now: Date,
): Promise<Shown | { stale: Shown } | undefined> {
  const { id, workspaceId, type } = before
  const isRenamed = name !== undefined && name !== before.name
  if (!isRenamed && !data) return isStale(conditions, credentialsState(before)) ? { stale: before } : before
  const secret = data && key && sealData(key, { id, workspaceId, type }, data)
  return transact(db, async (tx) => {
    const stale = await staleCredentials(tx, workspaceId, id, conditions)
    if (stale) return { stale }
    const [row] = await tx
      .update(table)
      .set({ ...(name === undefined ? {} : { name }), ...secret, updatedAt: laterThan(table.updatedAt, now) })
      .where(isIn(workspaceId, id))
      .returning(shown)
    if (!row) return undefined
    const deed = { by: caller, operation: 'updateCredentials' } as const
    const changed = [...(isRenamed ? ['name'] : []), ...(data ? ['data'] : [])]
    await writeEntry(tx, newEntry(workspaceId, deed, id, now, { type, changed }))
    return row
  })
}

/** The state that a condition of a write compares. */
export function credentialsState(row: Shown): string {
  return digestRecordState(row.id, row)
}

/** The credentials, locked, where they are in another state than the conditions want. */
async function staleCredentials(
  tx: Transaction,
  workspaceId: string,
  id: string,
  conditions: Conditions,
): Promise<Shown | undefined> {
  if (!hasConditions(conditions)) return undefined
  const [row] = await tx.select(shown).from(table).where(isIn(workspaceId, id)).for('update')
  return row && isStale(conditions, credentialsState(row)) ? row : undefined
}

export async function removeCredentials(
  db: Database,
  { workspace, caller }: WorkspaceGrant,
  id: string,
  conditions: Conditions,
  now: Date,
): Promise<Shown | { stale: Shown } | undefined> {
  return transact(db, async (tx) => {
    const stale = await staleCredentials(tx, workspace.id, id, conditions)
    if (stale) return { stale }
    const [row] = await tx.delete(table).where(isIn(workspace.id, id)).returning(shown)
    if (!row) return undefined
    const deed = { by: caller, operation: 'deleteCredentials' } as const
    await writeEntry(tx, newEntry(workspace.id, deed, id, now, { type: row.type }))
    return row
  })
}

/** The data of credentials of a workspace, for its bots. Undefined when there are none; `KeyProblem` when unreadable. */
export async function openCredentials(
  db: Database,
  keyring: Keyring,
  workspaceId: string,
  id: string,
): Promise<{ type: string; data: unknown } | undefined> {
  const [row] = await db.select().from(table).where(isIn(workspaceId, id))
  return row && { type: row.type, data: JSON.parse(unseal(await keyring.read(), row, ownerText(row))) }
}

/** As `openCredentials`, for callers that get no cause: the log has it. */
export async function tryCredentials(
  { db, keyring, log }: { db: Database; keyring: Keyring; log: Logger },
  workspaceId: string,
  id: string,
): Promise<{ type: string; data: unknown } | 'unreadable' | undefined> {
  try {
    return await openCredentials(db, keyring, workspaceId, id)
  } catch (error) {
    if (!(error instanceof KeyProblem)) throw error
    log.error({ err: error, credentialsId: id }, 'credentials cannot be read')
    return 'unreadable'
  }
}

/** Types of the credentials of a workspace by their ids. */
export async function credentialTypes(db: Database, workspaceId: string): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: table.id, type: table.type })
    .from(table)
    .where(eq(table.workspaceId, workspaceId))
  return new Map(rows.map(({ id, type }) => [id, type]))
}

function isIn(workspaceId: string, id: string) {
  return and(eq(table.workspaceId, workspaceId), eq(table.id, id))
}

type Owner = Pick<Row, 'workspaceId' | 'id' | 'type'>

function sealData(key: Key, owner: Owner, data: unknown): Pick<Row, 'data' | 'keyId'> {
  return seal(key, JSON.stringify(data), ownerText(owner))
}
