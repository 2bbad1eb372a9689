import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { type SQL, sql } from 'drizzle-orm'
import {
  afterCommit,
  type Database,
  prepareWrite,
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
import {
  Busy,
  type CompleteKey,
  type Earlier,
  type KeyRow,
  type KeyStore,
  runningRequest,
} from '../kit/idempotency.ts'
import { JsonText } from '../kit/json/json-text.ts'

/* The rows of idempotency keys: by bot where a request is about one, by user elsewhere. */

/** Milliseconds that a repeat waits for the first request: just until one that is about to end has ended. */
const LOCK_TIMEOUT_MS = 100

/** A larger response is compressed and stored apart from the row of its key. */
const MAX_ROW_BODY_BYTES = 64 * 1024

export const keyStore: KeyStore<Database> = {
  transact,
  deletedResponse: {
    code: 'result_deleted',
    message:
      'The response was deleted together with the result of the chat; send a new key to start another one',
  },
  enter: (tx, row) => enter(tx as Transaction, row),
  async keep(tx, row, { body, ...response }) {
    const { keep, keepLarge } = statementsFor(tx, row)
    const values = valuesOf(row)
    const isLarge = body !== null && body.length > MAX_ROW_BODY_BYTES
    const rowCount = await keep({ ...values, ...response, body: isLarge ? null : body })
    if (rowCount !== 1) return false
    if (isLarge) await keepLarge({ ...values, body: gzipSync(body, { level: constants.Z_BEST_SPEED }) })
    return true
  },
  leases: {
    newLeaseId: newId,
    afterCommit: (tx, run) => afterCommit(tx as Transaction, run),
    startHeartbeat,
    extend: async (db, row) => (await statementsFor(db, row).extend(valuesOf(row))) === 1,
    takeOver: async (db, row) => (await statementsFor(db, row).takeOver(valuesOf(row))) === 1,
    release: (db, row) => statementsFor(db, row).release(valuesOf(row)),
  },
}

async function enter(tx: Transaction, row: KeyRow): Promise<Earlier | undefined> {
  const { insert, find } = statementsFor(tx, row)
  const values = valuesOf(row)
  await tx.$client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
  const written = await insert({ ...values, createdAt: row.now.toISOString() }).catch((error) => {
    throw sqlState(error) === '55P03' ? new Busy() : error
  })
  // Not the default of a connection whose limit was shortened for this request.
  await tx.$client.query(`set local lock_timeout = ${shortenedLockTimeout(tx.$client) ?? 'default'}`)
  if (written === 1) return undefined
  const [earlier] = await find(values)
  if (!earlier) return runningRequest
  const { headers, large, body, requestParts, ...rest } = earlier
  return {
    ...rest,
    headers: headers?.text ?? null,
    body: large ? gunzipSync(large) : body,
    requestParts: requestParts?.text ?? null,
  }
}

function valuesOf({ userId, key, digest, scope, leaseId }: KeyRow) {
  return { botId: scope, userId: userId ?? '', key, digest, leaseId }
}

/**
 * Returns all columns of the row of a key that is about no bot, for a handler that inserts it with its effect. Undefined
 * if the response has to be stored apart.
 */
export function toKeyColumns({
  userId,
  key,
  digest,
  leaseId,
  status,
  headers,
  body,
  requestParts,
  madeId,
  now,
}: CompleteKey): typeof idempotencyKeys.$inferSelect | undefined {
  if ((body?.length ?? 0) > MAX_ROW_BODY_BYTES) return undefined
  const response = {
    status,
    headers: new JsonText(headers),
    body,
    requestParts: requestParts === null ? null : new JsonText(requestParts),
    madeId,
  }
  return { userId: userId ?? '', key, digest, leaseId, leasedUntil: null, ...response, createdAt: now }
}

function statementsFor(db: Database, { scope }: KeyRow) {
  return keyStatements(db)[scope === null ? 'user' : 'bot']
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
    const leaseId = sql`${sql.placeholder('leaseId')}::text`
    const isRunning = sql`(${names}) = (${scope}) AND status IS NULL`
    const isHeld = sql`${isRunning} AND lease_id IS NOT DISTINCT FROM ${leaseId}`
    return {
      insert: prepareWrite(
        db,
        named(`${name}_insert`),
        sql`INSERT INTO ${table} (${names}, digest, lease_id, leased_until, created_at)
          VALUES (${scope}, ${sql.placeholder('digest')}, ${leaseId},
            CASE WHEN ${leaseId} IS NOT NULL THEN ${leaseEnd} END, ${sql.placeholder('createdAt')}::timestamptz)
          ON CONFLICT DO NOTHING`,
      ),
      find: prepareSelect(
        db,
        named(`${name}_find`),
        {
          digest: table.digest,
          leaseId: table.leaseId,
          status: table.status,
          headers: table.headers,
          body: table.body,
          requestParts: table.requestParts,
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
        sql`UPDATE ${table} SET lease_id = NULL, leased_until = NULL, status = ${sql.placeholder('status')},
          headers = ${sql.placeholder('headers')}::json, body = ${sql.placeholder('body')},
          request_parts = ${sql.placeholder('requestParts')}::json,
          made_id = ${sql.placeholder('madeId')}${hasBot ? sql`, result_id = ${sql.placeholder('resultId')}` : sql``}
          WHERE ${isHeld}`,
      ),
      extend: prepareWrite(
        db,
        named(`${name}_extend`),
        sql`UPDATE ${table} SET leased_until = ${leaseEnd} WHERE ${isHeld}`,
      ),
      takeOver: prepareWrite(
        db,
        named(`${name}_take_over`),
        sql`UPDATE ${table} SET lease_id = ${leaseId}, leased_until = ${leaseEnd} WHERE ${isRunning} AND ${isLeaseOver}`,
      ),
      release: prepareWrite(db, named(`${name}_release`), sql`DELETE FROM ${table} WHERE ${isHeld}`),
    }
  }
  return {
    user: of('key', idempotencyKeys, idempotencyResponses),
    bot: of('bot_key', botIdempotencyKeys, botIdempotencyResponses),
  }
})
