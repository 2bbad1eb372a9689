import { LRUCache } from 'lru-cache'
import type { Need } from '../../contract/operation.ts'
import type { Database } from '../db/client.ts'
import type { Credential } from '../kit/access.ts'
import { type AccessRejection, type Authorization, decideAccess } from './index.ts'

/*
 * Authenticates a request before its body is read and authorises it afterwards, usually with one statement for both:
 * the record is looked up with the token. If only the body names the record, the record that this token named last is
 * looked up as a guess.
 */

/** The sender of a request, and what they may do with the record that was looked up with their token. */
export interface Sender {
  authorization: Authorization
  /** Absent for an operation that anyone may call. */
  tokenHash?: string
  /** The id of the record; absent where none was looked up. */
  id?: string | undefined
}

const anybody: Sender = { authorization: { caller: null, grant: undefined } }

/** By digest of a token, the record that a body named last. */
const lastNamedRecord = new LRUCache<string, string>({ max: 10_000 })

/**
 * The sender of a request, or the reason that there is none. `credential` is absent if anyone may call. `id` is the
 * record in the address; absent if the address names none or is invalid.
 */
export async function authenticate(
  db: Database,
  need: Need,
  credential: Credential | undefined,
  id: string | undefined,
  now: Date,
): Promise<Sender | { rejection: AccessRejection }> {
  if (need.kind === 'anyone') return anybody
  if (!credential) throw new Error('Only where anyone may call is no token looked for')
  if ('issue' in credential) return { rejection: { code: 'UNAUTHORIZED', issues: [credential.issue] } }
  const tokenHash = credential.hash
  const isInBody = need.kind === 'workspace' && need.idIn === 'body'
  const likelyId = isInBody ? lastNamedRecord.get(tokenHash) : id
  const authorization = await lookUpAuthorization(db, need, tokenHash, likelyId, now)
  return authorization.caller === undefined ? authorization : { authorization, tokenHash, id: likelyId }
}

/** Authorises a sender. `id` is the id of the record in the body; undefined if the body has none or an invalid one. */
export async function authorise(
  db: Database,
  need: Need,
  { tokenHash, authorization, id: lookedUpId }: Sender,
  id: string | undefined,
  now: Date,
): Promise<Authorization> {
  if (id === undefined || id === lookedUpId) return authorization
  if (need.kind === 'anyone' || !tokenHash) throw new Error('Only a record of a caller is looked up')
  const permitted = await lookUpAuthorization(db, need, tokenHash, id, now)
  if ('grant' in permitted) lastNamedRecord.set(tokenHash, id)
  return permitted
}

/** Without the id of a record, finds only the caller. */
function lookUpAuthorization(
  db: Database,
  need: Exclude<Need, { kind: 'anyone' }>,
  tokenHash: string,
  id: string | undefined,
  now: Date,
): Promise<Authorization> {
  const { scope } = need
  const needOfRecord = id === undefined && need.kind !== 'user' ? ({ kind: 'user', scope } as const) : need
  return decideAccess(db, needOfRecord, tokenHash, id ?? '', now)
}
