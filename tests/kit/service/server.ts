import { createHash, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import express from 'express'
import type pg from 'pg'
import type { Logger } from 'pino'
import {
  type AccessChecks,
  type AccessRejection,
  readBearer,
  type Sender,
  unauthorizedIssue,
} from '../../../server/kit/access.ts'
import { Busy, type KeyStore, Rollback } from '../../../server/kit/idempotency.ts'
import { createLimits, type LimitSettings } from '../../../server/kit/limits.ts'
import { sendProblem } from '../../../server/kit/response.ts'
import { unknownRoute } from '../../../server/kit/route-issues.ts'
import { createRouter } from '../../../server/kit/router.ts'
import { createServer } from '../../../server/kit/server.ts'
import type { Db, Grant } from './context.ts'
import { type Operation, operations, type Role, scopeOf, scopes } from './contract.ts'
import { handlers as usualHandlers } from './handlers.ts'

/* The library as a server: its tables, its users, its handlers. The kit has the rest. */

const tables = `
  CREATE TABLE shelves (id text PRIMARY KEY, name text NOT NULL, version int NOT NULL DEFAULT 1,
    owner text NOT NULL, readers text[] NOT NULL DEFAULT '{}');
  CREATE TABLE books (shelf_id text NOT NULL REFERENCES shelves, isbn text NOT NULL, title text NOT NULL,
    PRIMARY KEY (shelf_id, isbn));
  CREATE TABLE keys (user_id text, key text, digest bytea NOT NULL, status int, headers text, body bytea,
    request_parts text,
    PRIMARY KEY (user_id, key));`

export async function createTables(db: Db) {
  await db.query(tables)
}

export interface LibraryOptions {
  pool: pg.Pool
  log: Logger
  limits?: Partial<LimitSettings>
  requestTimeout?: number
  handlers?: Partial<typeof usualHandlers>
  keys?: KeyStore<Db>
}

/** For simplicity, a token is the name of its user, with a scope behind it or with all. */
const tokens = ['ada', 'ben', 'cleo'].flatMap((user) => [user, ...scopes.map((scope) => `${user}.${scope}`)])
const digestOf = (token: string) => createHash('sha256').update(token).digest('hex')
const tokenByHash = new Map(tokens.map((token) => [digestOf(token), token]))

export function createLibrary({
  pool,
  log,
  limits,
  requestTimeout = 30_000,
  handlers,
  keys = keyStore(pool),
}: LibraryOptions): Server {
  const app = express().disable('x-powered-by').disable('etag')
  const settings: LimitSettings = {
    RATE_LIMIT: true,
    RATE_LIMIT_TOKEN: 1_000,
    RATE_LIMIT_ADDRESS: 1_000,
    RATE_LIMIT_CONCURRENT: 20,
    RATE_LIMIT_SECONDS: 2,
    RATE_LIMIT_DELAY: 0,
    CONCURRENT_REQUESTS: 100,
    REQUEST_QUEUE_LENGTH: 100,
    REQUEST_QUEUE_TIMEOUT: 5_000,
    TRUST_PROXY: false,
    ...limits,
  }
  app.use((_request, response, next) => {
    response.locals.requestId = randomUUID()
    response.setHeader('X-Request-Id', response.locals.requestId)
    next()
  })
  app.use(
    createRouter<Db>(
      operations,
      { ...usualHandlers, ...handlers },
      {
        db: pool,
        now: () => new Date(),
        log,
        limits: createLimits({ config: settings, log }),
        access: accessOn(pool),
        keys,
        contextOf: ({ db, grant }) => ({ db, grant }),
        explain: (code, { path }) =>
          code === 'NOT_FOUND'
            ? {
                path: ['path', String(/\{(\w+)\}[^{]*$/.exec(path)?.[1])],
                code: 'unknown_record',
                message: 'There is no such record',
              }
            : {
                path: ['path', 'shelfId'],
                code: 'no_role',
                message: 'Only the owner of the shelf may do this',
              },
        publicUrl: () => 'http://localhost',
        bodyTimeout: 5_000,
      },
    ),
  )
  app.use((request, response) => sendProblem(response, 'NOT_FOUND', [unknownRoute(request.url, operations)]))
  app.use(((thrown: Error & { code?: string }, _request, response, _next) => {
    log.error({ err: thrown }, 'request failed')
    const isAway = thrown.code === 'ECONNREFUSED' || thrown.code?.startsWith('57') === true
    sendProblem(response, isAway ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR')
  }) satisfies express.ErrorRequestHandler)
  return createServer(app, { requestTimeout, newId: () => randomUUID() })
}

/** Finds the sender of a request, and the rights on the shelf that it names. */
function accessOn(db: Db): AccessChecks {
  async function authorise(operation: Operation, token: string, id: string | undefined) {
    const [userId = '', scope] = token.split('.')
    const caller = { userId, tokenId: token }
    const { access } = operation
    const needed = scopeOf(operation)
    if (scope !== undefined && scope !== needed) {
      const message = `This needs a token with the scope ${needed}`
      const issue = { path: ['header', 'authorization'], code: 'missing_scope', message }
      return { caller, rejection: { code: 'FORBIDDEN' as const, issues: [issue] } }
    }
    if (access.kind === 'user' || id === undefined) return { caller, grant: { userId } satisfies Grant }
    const { rows } = await db.query('SELECT * FROM shelves WHERE id = $1', [id])
    const [shelf] = rows
    const role: Role | undefined =
      shelf?.owner === userId ? 'OWNER' : shelf?.readers.includes(userId) ? 'READER' : undefined
    const reject = (code: AccessRejection['code']) => ({ caller, rejection: { code, issues: [] } })
    if (role === undefined) return reject(access.missing)
    if (access.role === 'OWNER' && role !== 'OWNER') return reject('FORBIDDEN')
    return { caller, grant: { userId, shelf } satisfies Grant }
  }
  return {
    readCredential(request) {
      const bearer = readBearer(request)
      return 'issue' in bearer ? bearer : { hash: digestOf(bearer.token) }
    },
    async authenticate(operation, credential, id) {
      const issue =
        credential && 'issue' in credential
          ? credential.issue
          : unauthorizedIssue('unknown', 'There is no such token')
      const token = credential && 'hash' in credential ? tokenByHash.get(credential.hash) : undefined
      if (token === undefined) return { rejection: { code: 'UNAUTHORIZED', issues: [issue] } }
      const authorization = await authorise(operation as Operation, token, id)
      return { authorization, id } satisfies Sender
    },
    // No body names a shelf.
    authorise: async (_operation, { authorization }) => authorization,
  }
}

export function keyStore(pool: pg.Pool): KeyStore<Db> {
  return {
    async transact(_db, work) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const value = await work(client)
        await client.query('COMMIT')
        return value
      } catch (error) {
        await client.query('ROLLBACK')
        if (error instanceof Rollback) return error.result as never
        throw error
      } finally {
        client.release()
      }
    },
    async enter(tx, { userId, key, digest }) {
      await tx.query("SET LOCAL lock_timeout = '100ms'")
      const written = await tx
        .query('INSERT INTO keys VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [userId, key, digest])
        .catch((error) => {
          throw error.code === '55P03' ? new Busy() : error
        })
      if (written.rowCount === 1) return undefined
      const { rows } = await tx.query('SELECT * FROM keys WHERE user_id = $1 AND key = $2', [userId, key])
      return { ...rows[0], requestParts: rows[0].request_parts, leaseId: null, madeId: null }
    },
    async keep(tx, { userId, key }, { status, headers, body, requestParts }) {
      const sent = [userId, key, status, headers, body, requestParts]
      await tx.query(
        'UPDATE keys SET status = $3, headers = $4, body = $5, request_parts = $6 WHERE user_id = $1 AND key = $2',
        sent,
      )
      return true
    },
  }
}
