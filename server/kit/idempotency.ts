import { createHash } from 'node:crypto'
import type express from 'express'
import type { CurrentState, Issue, IssueCode } from '../../contract/kit/errors.ts'
import { idempotencyKey } from '../../contract/kit/idempotency.ts'
import { minimumKeyOf, type Operation } from '../../contract/kit/operation.ts'
import { toIssues } from './issues/validation.ts'
import { addRequestParts, type RequestPart, takeRequestParts } from './request-parts.ts'
import type { AnyRespond, HttpResponse } from './response.ts'

/*
 * Requests with an idempotency key. The row of the key is the lock, and it is committed together with the changes of
 * the request: both exist or neither does. Only successful responses are stored; a rejected request changed nothing and
 * can be sent again, also corrected. A repeat is authorised anew before it gets here. The tables are those of the
 * service, which hands them over as a `KeyStore`.
 */

const NAME = 'Idempotency-Key'
const TYPE = 'Content-Type'

/** Thrown inside `transact`: rolls back the transaction and makes `result` its outcome. */
export class Rollback extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('rolled back')
    this.result = result
  }
}

/** Thrown by `enter` where the first request with a key is still running, in a transaction that has failed by that. */
export class Busy extends Error {}

/** The rows of keys, in the tables of a service. `Db` is its database, or a transaction. */
export interface KeyStore<Db> {
  /** Runs work in a transaction. A `Rollback` undoes it and is its outcome, any other error undoes it and is thrown. */
  transact<Value>(db: Db, work: (tx: Db) => Promise<Value>): Promise<Value>
  /** Inserts the row of a key, or returns the one that is there. Throws `Busy` if another transaction holds it. */
  enter(tx: Db, row: KeyRow): Promise<Earlier | undefined>
  /** Stores a response in the row; false if another process has taken the lease meanwhile. */
  keep(tx: Db, row: KeyRow, response: StoredResponse): Promise<boolean>
  /** Says why a response is not there any more, where the service deletes responses with their records. */
  deletedResponse?: { code: string; message: string }
  /** For operations that call other services, which no transaction can wait for. */
  leases?: KeyLeases<Db>
}

/** Rights of a process to run a request alone, which expire unless they are extended. */
export interface KeyLeases<Db> {
  newLeaseId(now: Date): string
  afterCommit(tx: Db, run: () => void): void
  /** Runs until the lease is given back; a failure only lets it expire. */
  startHeartbeat(beat: () => Promise<boolean>): () => Promise<void>
  extend(db: Db, row: KeyRow): Promise<boolean>
  /** Takes a lease that has expired; false if it has not. */
  takeOver(db: Db, row: KeyRow): Promise<boolean>
  release(db: Db, row: KeyRow): Promise<unknown>
}

/** The row of a key. */
export interface KeyRow extends Keyed {
  /** Id of the record that rows belong to; null for those of a user. */
  scope: string | null
  /** Id of the lease; null for a request that runs in one transaction. */
  leaseId: string | null
}

/** A successful response as the row of its key has it. */
export interface StoredResponse {
  status: number
  /** JSON of the headers. */
  headers: string
  /** Null where the body holds a secret. */
  body: Buffer | null
  /** JSON of the parts of the request that belong into the body; null for none. */
  requestParts: string | null
  madeId: string | null
  resultId: string | null
}

/** The whole row of a key, for a handler that inserts it together with its effect, in one statement. */
export type CompleteKey = KeyRow & StoredResponse

/** Data of the first request with a key. */
export interface Earlier {
  digest: Buffer
  leaseId: string | null
  /** Null while it runs. */
  status: number | null
  headers: string | null
  body: Buffer | null
  requestParts: string | null
  madeId: string | null
}

/** Reads the key of a request, if its operation takes one; adds issues of the key to `issues`. */
export function readKey(
  operation: Operation,
): (request: express.Request, issues: Issue[]) => string | undefined {
  const minimum = minimumKeyOf(operation)
  if (minimum === undefined) return () => undefined
  const schema = idempotencyKey(minimum)
  return (request, issues) => {
    // Sent twice, it has come together with a comma and a space, which no key has.
    const given = request.get(NAME)
    const read = schema.safeParse(given)
    if (!read.success) issues.push(...toIssues(read.error, ['header', NAME.toLowerCase()], schema, given))
    return read.data
  }
}

/** A request with a key. */
export interface Keyed {
  key: string
  digest: Buffer
  /** Null for one without a token. */
  userId: string | null
  now: Date
  /** The body, and the properties in it whose texts the handler has asked for. */
  sent: { bytes: Buffer; texts: Map<string, Buffer> }
}

/** Digest that identifies a request: method, path with query, and the bytes of the body. */
export function digestRequest({ method, url }: express.Request, body: Buffer): Buffer {
  return createHash('sha256').update(`${method} ${url}\n`).update(body).digest()
}

/**
 * Runs a request within the transaction that stores its response, or returns the response stored before. `scope` is
 * the id of the record that the row of the key belongs to, if there is one.
 */
export async function runKeyed<Db>(
  store: KeyStore<Db>,
  db: Db,
  request: Keyed,
  scope: string | null,
  respond: AnyRespond,
  run: (db: Db) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const row: KeyRow = { ...request, scope, leaseId: null }
  try {
    return await store.transact(db, async (tx) => {
      const earlier = await store.enter(tx, row)
      if (earlier) throw new Rollback(respondTo(request, earlier, respond, store.deletedResponse))
      const response = await run(tx)
      if (response.status >= 300) throw new Rollback(response)
      await store.keep(tx, row, toStoredResponse(response, request))
      return response
    })
  } catch (error) {
    if (error instanceof Busy) return inProgress(respond)
    throw error
  }
}

/**
 * Runs the outbound call of an operation once for the idempotency key of the request, or just runs it without a key.
 * `run` writes by `keep`, together with the result to store for the key: both are committed, or neither.
 */
export type Once<Db> = <Answer>(
  scope: string,
  run: (keep: Keep<Db, Answer>) => Promise<Answer>,
) => Promise<Answer>

/** `write` may be repeated, and is undone when it says false. */
type Keep<Db, Answer> = (answer: Answer, write: (db: Db) => Promise<boolean>) => Promise<boolean>

/**
 * Runs the writes of an operation with `preparesFirst` within the transaction of the idempotency key of the request,
 * which stores the result. Without a key it just runs.
 */
export type Within<Db> = <Answer>(run: (db: Db) => Promise<Answer>) => Promise<Answer>

/** A request that calls out and has no key. */
export function onceWithoutKey<Db>(db: Db): Once<Db> {
  return (_scope, run) => run((_answer, write) => write(db))
}

/**
 * Runs a request that calls out, which no transaction can wait for. It takes a lease first, and writes together with its
 * response if it still holds the lease: of two that ran it, because the first one seemed to have died, one writes.
 */
export function onceWith<Db>(store: KeyStore<Db>, db: Db, request: Keyed, respond: AnyRespond): Once<Db> {
  return async (scope, run) => {
    const { leases } = store
    if (!leases) throw new Error('An operation that calls out needs leases in the store of keys')
    const row: KeyRow = { ...request, scope, leaseId: leases.newLeaseId(request.now) }
    const earlier = await take(store, leases, db, row)
    if (earlier) return respondTo(request, earlier, respond, store.deletedResponse) as never
    const endHeartbeat = leases.startHeartbeat(() => leases.extend(db, row))
    let outcome: 'open' | 'kept' | 'lost' = 'open'
    try {
      const answer = await run((given, write) =>
        store.transact(db, async (tx) => {
          if (!(await write(tx))) throw new Rollback(false)
          if (await store.keep(tx, row, toStoredResponse(given as unknown as HttpResponse, request))) {
            leases.afterCommit(tx, () => {
              outcome = 'kept'
            })
            return true
          }
          outcome = 'lost'
          throw new Rollback(true)
        }),
      )
      return (outcome as string) === 'lost' ? (inProgress(respond) as never) : answer
    } finally {
      await endHeartbeat()
      // A request without a response can be sent again. If this fails, a repeat takes over a little later.
      if (outcome === 'open') await leases.release(db, row).catch(() => {})
    }
  }
}

/** Leases a request to this process, or returns the stored state of its key. */
async function take<Db>(
  store: KeyStore<Db>,
  leases: KeyLeases<Db>,
  db: Db,
  row: KeyRow,
): Promise<Earlier | undefined> {
  try {
    const earlier = await store.transact(db, (tx) => store.enter(tx, row))
    if (!earlier?.leaseId || !earlier.digest.equals(row.digest)) return earlier
    return (await leases.takeOver(db, row)) ? undefined : earlier
  } catch (error) {
    if (error instanceof Busy) return runningRequest
    throw error
  }
}

/** A first request that is still running. */
export const runningRequest: Earlier = {
  digest: Buffer.alloc(0),
  leaseId: null,
  status: null,
  headers: null,
  body: null,
  requestParts: null,
  madeId: null,
}

/** Returns the row of a key with the response of its request. */
export function toCompleteKey(request: Keyed, scope: string | null, response: HttpResponse): CompleteKey {
  return { ...request, scope, leaseId: null, ...toStoredResponse(response, request) }
}

function toStoredResponse(
  { status, headers, body, mediaType, madeId, resultId }: HttpResponse,
  { sent }: Keyed,
): StoredResponse {
  const stored = madeId === undefined ? takeRequestParts(bytesOf(body), sent.bytes, sent.texts) : undefined
  return {
    status,
    headers: JSON.stringify({ ...headers, [TYPE]: mediaType }),
    body: stored?.rest ?? null,
    requestParts: stored && stored.parts.length > 0 ? JSON.stringify(stored.parts) : null,
    madeId: madeId ?? null,
    resultId: resultId ?? null,
  }
}

function bytesOf(body: HttpResponse['body']): Buffer {
  if (typeof body === 'string') return Buffer.from(body)
  if (Array.isArray(body)) return Buffer.concat(body)
  throw new Error('A stream cannot be kept')
}

/** The response to a repeat of an earlier request with the same key. */
function respondTo(
  request: Keyed,
  earlier: Earlier,
  respond: AnyRespond,
  deletedResponse: KeyStore<never>['deletedResponse'] = noResponse,
): HttpResponse {
  if (earlier === runningRequest) return inProgress(respond)
  if (!earlier.digest.equals(request.digest)) {
    return respond.fail('IDEMPOTENCY_MISMATCH', [
      issue('reused', 'This key belongs to another request; send this one with a key of its own'),
    ])
  }
  const { status, headers, body, requestParts, madeId } = earlier
  if (status === null) return inProgress(respond)
  if (body === null && madeId === null) {
    return respond.fail('CONFLICT', [{ path, ...deletedResponse }])
  }
  if (body === null) {
    const current = madeId === null ? undefined : { id: madeId }
    const message = 'The response held a secret, which is not stored'
    return respond.fail('CONFLICT', [issue('already_created', message, current)])
  }
  const whole = addRequestParts(body, request.sent.bytes, JSON.parse(requestParts ?? '[]') as RequestPart[])
  const { [TYPE]: mediaType, ...rest } = JSON.parse(headers ?? '{}') as Record<string, string>
  return { status, headers: { ...rest, 'Idempotent-Replayed': 'true' }, mediaType, body: whole }
}

const path = ['header', NAME.toLowerCase()]
const noResponse = { code: 'unknown_record', message: 'The response was deleted; send a new key' }

function inProgress(respond: AnyRespond): HttpResponse {
  return respond.fail('CONFLICT', [issue('in_progress', 'A request with this key is still running')])
}

function issue(code: IssueCode, message: string, current?: CurrentState): Issue {
  return { path, code, message, ...(current && { current }) }
}
