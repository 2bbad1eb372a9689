import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { webhookEndpoints } from '../db/schema.ts'
import { type Key, KeyProblem, type Keyring, seal, unseal } from '../workspaces/keyring.ts'
import { ENDPOINT_TYPE, ownerText } from '../workspaces/sealed-rows.ts'

/* Secrets of endpoints in the database: as ciphertext alone, as those of credentials. */

type Row = typeof webhookEndpoints.$inferSelect
type Stored = Pick<Row, 'id' | 'workspaceId' | 'secrets' | 'secretsKeyId'>

/** The secret of an endpoint and, where there was one, the one before. Throws `KeyProblem` where they cannot be read. */
export function openSecrets(row: Stored, keys: Key[]): string[] {
  const text = unseal(keys, { data: row.secrets, keyId: row.secretsKeyId }, ownerOf(row))
  return JSON.parse(text) as string[]
}

/** By their ciphertext, so that rotated or newly encrypted secrets are read again. */
const opened = new LRUCache<string, string[]>({ max: 1_000 })

export const unreadableSecret =
  'The secret of the endpoint cannot be decrypted: rotate it, or let the operator bring its key back'

/** The secrets that an event is signed with; undefined where they cannot be read, which the log says. */
export async function goodSecrets(
  row: Stored & Pick<Row, 'rotatesUntil'>,
  at: Date,
  keyring: Keyring,
  log: Logger,
): Promise<string[] | undefined> {
  const sealed = row.secrets.toString('base64')
  let secrets = opened.get(sealed)
  try {
    secrets ??= openSecrets(row, await keyring.read())
  } catch (error) {
    if (!(error instanceof KeyProblem)) throw error
    log.error({ err: error, endpointId: row.id }, 'the secret of a webhook endpoint cannot be read')
    return undefined
  }
  opened.set(sealed, secrets)
  const isRotating = row.rotatesUntil !== null && row.rotatesUntil > at
  return isRotating ? secrets : secrets.slice(0, 1)
}

export function sealSecrets(
  key: Key,
  owner: Pick<Row, 'id' | 'workspaceId'>,
  secrets: readonly string[],
): Pick<Row, 'secrets' | 'secretsKeyId'> {
  const { data, keyId } = seal(key, JSON.stringify(secrets), ownerOf(owner))
  return { secrets: data, secretsKeyId: keyId }
}

const ownerOf = ({ id, workspaceId }: Pick<Row, 'id' | 'workspaceId'>) =>
  ownerText({ workspaceId, id, type: ENDPOINT_TYPE })
