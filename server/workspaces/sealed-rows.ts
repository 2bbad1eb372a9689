import { and, gt, ne, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { databaseError, sqlState } from '../db/errors.ts'
import { credentials, webhookEndpoints } from '../db/schema.ts'
import { type Key, KeyProblem, type Keyring, seal, unseal } from './keyring.ts'

/* Rows with an encrypted secret: the keys that they need, and the change to another key. */

/** A secret is bound to these: in another row it cannot be read. */
export function ownerText({
  workspaceId,
  id,
  type,
}: {
  workspaceId: string
  id: string
  type: string
}): string {
  return `${workspaceId}/${id}/${type}`
}

/** In place of the type that credentials have. */
export const ENDPOINT_TYPE = 'webhook endpoint'

const sealedTables = [
  {
    table: credentials,
    id: credentials.id,
    workspaceId: credentials.workspaceId,
    type: sql<string>`${credentials.type}`,
    data: credentials.data,
    keyId: credentials.keyId,
  },
  {
    table: webhookEndpoints,
    id: webhookEndpoints.id,
    workspaceId: webhookEndpoints.workspaceId,
    type: sql<string>`${ENDPOINT_TYPE}::text`,
    data: webhookEndpoints.secrets,
    keyId: webhookEndpoints.secretsKeyId,
  },
]

/** Ids of the keys that some secrets are encrypted with. */
export async function usedKeys(db: Database): Promise<Set<string>> {
  const used = new Set<string>()
  for (const { table, keyId } of sealedTables) {
    const rows = await db.selectDistinct({ keyId }).from(table)
    for (const row of rows) used.add(row.keyId)
  }
  return used
}

const MAX_BATCH_ROWS = 500

/** A row whose secret could not be encrypted anew, with the reason. */
export interface Unreadable {
  id: string
  workspaceId: string
  reason: string
}

/**
 * Encrypts all secrets again that were encrypted with another key than the first. Returns the names of secrets that
 * cannot be read or written, which stay as they are. Concurrent writers use the first key already. `goOn` is called
 * between batches.
 */
export async function encryptAnew(
  db: Database,
  [key, ...others]: Key[],
  goOn: () => Promise<unknown>,
): Promise<{ encrypted: number; unreadable: Unreadable[] }> {
  const outcome: { encrypted: number; unreadable: Unreadable[] } = { encrypted: 0, unreadable: [] }
  if (!key) return outcome
  for (const { table, ...columns } of sealedTables) {
    for (let last = ''; ; ) {
      await goOn()
      const rows = await db
        .select(columns)
        .from(table)
        .where(and(ne(columns.keyId, key.id), gt(columns.id, last)))
        .orderBy(columns.id)
        .limit(MAX_BATCH_ROWS)
      for (const row of rows) {
        const { id, workspaceId } = row
        last = id
        try {
          const sealed = { data: row.data, keyId: row.keyId }
          const text = unseal(others, sealed, ownerText(row))
          JSON.parse(text)
          const anew = seal(key, text, ownerText(row))
          const { rowCount } = await db.execute(sql`
            UPDATE ${table} SET ${sql.identifier(columns.data.name)} = ${anew.data},
              ${sql.identifier(columns.keyId.name)} = ${anew.keyId}
            WHERE id = ${id} AND workspace_id = ${workspaceId} AND ${columns.data} = ${sealed.data}`)
          outcome.encrypted += rowCount ?? 0
        } catch (error) {
          const isOfRow = error instanceof KeyProblem || error instanceof SyntaxError || sqlState(error)
          if (!isOfRow) throw error
          const reason = error instanceof SyntaxError ? 'They are no JSON' : databaseError(error)?.message
          outcome.unreadable.push({ id, workspaceId, reason: reason ?? '' })
        }
      }
      if (rows.length < MAX_BATCH_ROWS) break
    }
  }
  return outcome
}

/**
 * The key to encrypt with. In the data folder it is made when it is first needed, but not in place of one that was
 * lost.
 */
export async function currentKey(db: Database, { read, make }: Keyring): Promise<Key> {
  const [key] = await read()
  if (key) return key
  if (!make) {
    throw new KeyProblem('Nothing can be encrypted: the operator has to set ENCRYPTION_KEY')
  }
  const [lost] = await usedKeys(db)
  if (lost !== undefined) {
    // Another process created it since it was read.
    const [other] = await read()
    if (other) return other
    throw new KeyProblem(
      `The file encryption-key of the data folder is gone, with the key ${lost} in it: the operator has to bring it back, or to set ENCRYPTION_KEY`,
    )
  }
  const [newRow] = await make()
  if (!newRow) throw new KeyProblem('The encryption key could not be made')
  return newRow
}
