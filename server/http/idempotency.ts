import { createHash } from 'node:crypto'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { type SQL, sql } from 'drizzle-orm'
import type express from 'express'
import type { Issue, IssueCode } from '../../contract/errors.ts'
import type { CurrentState } from '../../contract/kit/errors.ts'
import { idempotencyKey } from '../../contract/kit/idempotency.ts'
import { minimumKeyOf } from '../../contract/kit/operation.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Once } from '../context.ts'
import {
  afterCommit,
  type Database,
  prepareWrite,
  Rollback,
  statements,
  type Transaction,
  transact,
} from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { isLeaseOver, leaseEnd, startHeartbeat } from '../db/lease.ts'
import { shortenedLockTimeout } from '../db/pool.ts'
import {
  botIdempotencyKeys,
  botIdempotencyResponses,
  idempotencyKeys,
  idempotencyResponses,
} from '../db/schema.ts'
import { expression, optional, prepareSelect } from '../db/typed-select.ts'
import { newId } from '../ids.ts'
import { toIssues } from '../issues/validation.ts'
import type { JsonText } from '../json/json-text.ts'
import type { AnyReply, HttpResponse } from './response.ts'

/*
 * Requests with an idempotency key. The row of the key is the lock, and it is committed together with the changes of
 * the request: both exist or neither does. Only successful responses are stored; a rejected request changed nothing and
 * can be sent again, also corrected. A repeat is authorised anew before it gets here.
 */

const NAME = 'Idempotency-Key'
const TYPE = 'Content-Type'

/** Reads the key of a request, if its operation takes one; what is wrong with it is added to `issues`. */
export function readKey(
  operation: Operation,
): (request: express.Request, issues: Issue[]) => string | undefined {
  const minimum = minimumKeyOf(operation)
  if (minimum === undefined) return () => undefined
  const schema = idempotencyKey(minimum)
  return (request, issues) => {
    // Sent twice, it has come together with a comma and a space, which no key has.
    const read = schema.safeParse(request.get(NAME))
    if (!read.success) issues.push(...toIssues(read.error, ['header', NAME.toLowerCase()], schema))
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
}

/** Digest that identifies a request: method, path with query, and the bytes of the body. */
export function digestOf({ method, url, body }: express.Request): Buffer {
  const digest = createHash('sha256').update(`${method} ${url}\n`)
  if (Buffer.isBuffer(body)) digest.update(body)
  return digest.digest()
}

/** Milliseconds that a repeat waits for the first request: just until one that is about to end has ended. */
const LOCK_TIMEOUT_MS = 100

/**
 * Runs a request within the transaction that keeps its answer, or gives the answer that it got before. `botId` is
 * that of the bot it is about, if it is about one.
 */
export async function runKeyed(
  db: Database,
  request: Keyed,
  botId: string | null,
  reply: AnyReply,
  run: (db: Database) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await transact(db, async (tx) => {
      const earlier = await enter(tx, request, botId, null)
      if (earlier) throw new Rollback(answerTo(request, earlier, reply))
      const answer = await run(tx)
      if (answer.status >= 300) throw new Rollback(answer)
      await keep(tx, request, botId, null, answer)
      return answer
    })
  } catch (error) {
    if (error instanceof Busy) return inProgress(reply)
    throw error
  }
}

/**
 * Runs a request that calls out, which no transaction can wait for. It is claimed first, and writes together with its
 * answer if it holds the claim still: of two that ran it, because the first one seemed to have died, one writes.
 */
export function onceWith(db: Database, request: Keyed | undefined, reply: AnyReply): Once {
  return async (botId, run) => {
    if (!request) return run((_answer, write) => write(db))
    const claim = newId(request.now)
    const earlier = await take(db, request, botId, claim)
    if (earlier) return answerTo(request, earlier, reply) as never
    const values = valuesOf(request, botId, claim)
    const endHeartbeat = startHeartbeat(async () => (await keyStatements(db).bot.extend(values)) === 1)
    let outcome: 'open' | 'kept' | 'lost' = 'open'
    try {
      const answer = await run((given, write) =>
        transact(db, async (tx) => {
          if (!(await write(tx))) throw new Rollback(false)
          if (await keep(tx, request, botId, claim, given as unknown as HttpResponse)) {
            afterCommit(tx, () => {
              outcome = 'kept'
            })
            return true
          }
          outcome = 'lost'
          throw new Rollback(true)
        }),
      )
      return (outcome as string) === 'lost' ? (inProgress(reply) as never) : answer
    } finally {
      await endHeartbeat()
      // A request without a response can be sent again. If this fails, a repeat takes over a little later.
      if (outcome === 'open')
        await keyStatements(db)
          .bot.release(values)
          .catch(() => {})
    }
  }
}

/** Claims a request for this process, or says what is there already. */
async function take(
  db: Database,
  request: Keyed,
  botId: string,
  claim: string,
): Promise<Earlier | undefined> {
  try {
    const earlier = await transact(db, (tx) => enter(tx, request, botId, claim))
    if (!earlier?.claim || !earlier.digest.equals(request.digest)) return earlier
    const taken = await keyStatements(db).bot.takeOver(valuesOf(request, botId, claim))
    return taken === 1 ? undefined : earlier
  } catch (error) {
    if (error instanceof Busy) return running
    throw error
  }
}

// The rows of the keys

/** Data of the first request with a key. */
interface Earlier {
  digest: Buffer
  claim: string | null
  /** Null while it runs. */
  status: number | null
  headers: JsonText | null
  body: Buffer | null
  madeId: string | null
  /** A large body, compressed. */
  large: Buffer | null
}

/** A first request that is still running. */
const running: Earlier = {
  digest: Buffer.alloc(0),
  claim: null,
  status: null,
  headers: null,
  body: null,
  madeId: null,
  large: null,
}

/** Thrown where the first request with a key is still running, in a transaction that has failed by that. */
class Busy extends Error {}

/** Writes the row of a key, or gives the one that is there. */
async function enter(
  tx: Transaction,
  request: Keyed,
  botId: string | null,
  claim: string | null,
): Promise<Earlier | undefined> {
  const { insert, find } = keyStatements(tx)[botId === null ? 'user' : 'bot']
  const values = valuesOf(request, botId, claim)
  await tx.$client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
  const written = await insert({ ...values, createdAt: request.now.toISOString() }).catch((error) => {
    throw sqlState(error) === '55P03' ? new Busy() : error
  })
  // Not the default of a connection whose limit was shortened for this request.
  await tx.$client.query(`set local lock_timeout = ${shortenedLockTimeout(tx.$client) ?? 'default'}`)
  if (written === 1) return undefined
  const [earlier] = await find(values)
  if (!earlier?.large) return earlier ?? running
  return { ...earlier, body: gunzipSync(earlier.large) }
}

/** Stores the response in the row of the key; false if another process has taken the lease meanwhile. */
async function keep(
  tx: Transaction,
  request: Keyed,
  botId: string | null,
  claim: string | null,
  { status, headers, body, mediaType, madeId, resultId }: HttpResponse,
): Promise<boolean> {
  const { keep: write, keepLarge } = keyStatements(tx)[botId === null ? 'user' : 'bot']
  const values = valuesOf(request, botId, claim)
  const bytes = madeId === undefined ? bytesOf(body) : null
  const isLarge = bytes !== null && bytes.length > MAX_ROW_BODY_BYTES
  const kept = await write({
    ...values,
    status,
    headers: JSON.stringify({ ...headers, [TYPE]: mediaType }),
    body: isLarge ? null : bytes,
    madeId: madeId ?? null,
    resultId: resultId ?? null,
  })
  if (kept !== 1) return false
  if (isLarge) await keepLarge({ ...values, body: gzipSync(bytes, { level: constants.Z_BEST_SPEED }) })
  return true
}

/** A larger response is compressed and stored apart from the row of its key. */
const MAX_ROW_BODY_BYTES = 64 * 1024

function bytesOf(body: HttpResponse['body']): Buffer {
  if (typeof body === 'string') return Buffer.from(body)
  if (Array.isArray(body)) return Buffer.concat(body)
  throw new Error('A stream cannot be kept')
}

function valuesOf({ userId, key, digest }: Keyed, botId: string | null, claim: string | null) {
  return { botId, userId: userId ?? '', key, digest, claim }
}

const keyStatements = statements((db, named) => {
  const of = (
    name: string,
    table: typeof idempotencyKeys | typeof botIdempotencyKeys,
    responses: typeof idempotencyResponses | typeof botIdempotencyResponses,
  ) => {
    const hasBot = table === botIdempotencyKeys
    const names = sql.raw(hasBot ? 'bot_id, user_id, key' : 'user_id, key')
    const scope: SQL = hasBot
      ? sql`${sql.placeholder('botId')}, ${sql.placeholder('userId')}, ${sql.placeholder('key')}`
      : sql`${sql.placeholder('userId')}, ${sql.placeholder('key')}`
    const claim = sql`${sql.placeholder('claim')}::text`
    const isRunning = sql`(${names}) = (${scope}) AND status IS NULL`
    const isHeld = sql`${isRunning} AND claim IS NOT DISTINCT FROM ${claim}`
    return {
      insert: prepareWrite(
        db,
        named(`${name}_insert`),
        sql`INSERT INTO ${table} (${names}, digest, claim, claimed_until, created_at)
          VALUES (${scope}, ${sql.placeholder('digest')}, ${claim},
            CASE WHEN ${claim} IS NOT NULL THEN ${leaseEnd} END, ${sql.placeholder('createdAt')}::timestamptz)
          ON CONFLICT DO NOTHING`,
      ),
      find: prepareSelect(
        db,
        named(`${name}_find`),
        {
          digest: table.digest,
          claim: table.claim,
          status: table.status,
          headers: table.headers,
          body: table.body,
          madeId: table.madeId,
          large: optional(
            expression(sql`(SELECT r.body FROM ${responses} r WHERE (${names}) = (${scope}))`, 'bytea'),
          ),
        },
        (list) => sql`SELECT ${list} FROM ${table} WHERE (${names}) = (${scope})`,
      ),
      keepLarge: prepareWrite(
        db,
        named(`${name}_keep_large`),
        sql`INSERT INTO ${responses} (${names}, body) VALUES (${scope}, ${sql.placeholder('body')})`,
      ),
      keep: prepareWrite(
        db,
        named(`${name}_keep`),
        sql`UPDATE ${table} SET claim = NULL, claimed_until = NULL, status = ${sql.placeholder('status')},
          headers = ${sql.placeholder('headers')}::json, body = ${sql.placeholder('body')},
          made_id = ${sql.placeholder('madeId')}${hasBot ? sql`, result_id = ${sql.placeholder('resultId')}` : sql``}
          WHERE ${isHeld}`,
      ),
      extend: prepareWrite(
        db,
        named(`${name}_extend`),
        sql`UPDATE ${table} SET claimed_until = ${leaseEnd} WHERE ${isHeld}`,
      ),
      takeOver: prepareWrite(
        db,
        named(`${name}_take_over`),
        sql`UPDATE ${table} SET claim = ${claim}, claimed_until = ${leaseEnd} WHERE ${isRunning} AND ${isLeaseOver}`,
      ),
      release: prepareWrite(db, named(`${name}_release`), sql`DELETE FROM ${table} WHERE ${isHeld}`),
    }
  }
  return {
    user: of('key', idempotencyKeys, idempotencyResponses),
    bot: of('bot_key', botIdempotencyKeys, botIdempotencyResponses),
  }
})

// Answers

/** The response to a repeat of an earlier request with the same key. */
function answerTo({ digest }: Keyed, earlier: Earlier, reply: AnyReply): HttpResponse {
  if (earlier === running) return inProgress(reply)
  if (!earlier.digest.equals(digest)) {
    return reply.fail('IDEMPOTENCY_MISMATCH', [issue('reused', 'This key belongs to another request')])
  }
  const { status, headers, body, madeId } = earlier
  if (status === null) return inProgress(reply)
  if (body === null && madeId === null) {
    const message =
      'The response was deleted together with the result of the chat; send a new key to start another one'
    return reply.fail('CONFLICT', [issue('result_deleted', message)])
  }
  if (body === null) {
    const current = madeId === null ? undefined : { id: madeId }
    const message = 'The answer held a secret, which is not stored'
    return reply.fail('CONFLICT', [issue('already_created', message, current)])
  }
  const { [TYPE]: mediaType, ...rest } = JSON.parse(headers?.text ?? '{}') as Record<string, string>
  return { status, headers: { ...rest, 'Idempotent-Replayed': 'true' }, mediaType, body: [body] }
}

function inProgress(reply: AnyReply): HttpResponse {
  return reply.fail('CONFLICT', [issue('in_progress', 'A request with this key is still running')])
}

function issue(code: IssueCode, message: string, current?: CurrentState): Issue {
  return { path: ['header', NAME.toLowerCase()], code, message, ...(current && { current }) }
}
