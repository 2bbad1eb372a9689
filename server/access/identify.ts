import { LRUCache } from 'lru-cache'
import type { Need } from '../../contract/operation.ts'
import type { Database } from '../db/client.ts'
import type { Credential } from './authenticate.ts'
import { type Authorization, authorize, type Refusal } from './index.ts'

/*
 * Who sends a request is found before its body is read, what they may do is said after it. Both take one
 * statement as a rule: where the address names the record, it is looked up with the token; where the body
 * does and the token was valid a moment ago, the token is looked up with the record.
 */

/** The sender of a request, as far as that is known before its body is. */
export interface Visitor {
  /** Absent for an operation that anyone may call. */
  tokenHash?: Buffer
  /** Absent where token and record are looked up together once the body has named the record. */
  authorization?: Authorization
}

const anybody: Visitor = { authorization: { caller: null, grant: undefined } }

/** Digests of tokens that were valid a moment ago, whose callers may have their bodies read. */
const recentCallers = new LRUCache<string, true>({ max: 10_000, ttl: 10_000 })

/**
 * The sender of a request, or why there is none. `credential` is absent where anyone may call; `id` is that of the record that the address names; absent
 * where it names none, or is wrong.
 */
export async function identify(
  db: Database,
  need: Need,
  credential: Credential | undefined,
  id: string | undefined,
  now: Date,
): Promise<Visitor | { refusal: Refusal }> {
  if (need.kind === 'anyone') return anybody
  if (!credential) throw new Error('Only where anyone may call is no token looked for')
  if ('issue' in credential) return { refusal: { code: 'UNAUTHORIZED', issues: [credential.issue] } }
  const tokenHash = credential.hash
  const isInBody = need.kind === 'workspace' && need.place === 'body'
  const key = isInBody ? tokenHash.toString('base64') : ''
  if (isInBody && recentCallers.has(key)) return { tokenHash }
  const authorization = await authorizeAt(db, need, tokenHash, id, now)
  if (authorization.caller === undefined) return authorization
  if (isInBody) recentCallers.set(key, true)
  return { tokenHash, authorization }
}

/** What a visitor may do. `id` is that of the record that the body names; absent where it names none, or is wrong. */
export async function permit(
  db: Database,
  need: Need,
  { tokenHash, authorization }: Visitor,
  id: string | undefined,
  now: Date,
): Promise<Authorization> {
  if (authorization && id === undefined) return authorization
  if (need.kind === 'anyone' || !tokenHash) throw new Error('Only a record of a caller is looked up')
  return authorizeAt(db, need, tokenHash, id, now)
}

/** Without the id of a record, only the caller can be told. */
function authorizeAt(
  db: Database,
  need: Exclude<Need, { kind: 'anyone' }>,
  tokenHash: Buffer,
  id: string | undefined,
  now: Date,
): Promise<Authorization> {
  const { scope } = need
  const asked = id === undefined && need.kind !== 'user' ? ({ kind: 'user', scope } as const) : need
  return authorize(db, asked, tokenHash, id ?? '', now)
}
