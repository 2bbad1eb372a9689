import { createHash } from 'node:crypto'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import pg from 'pg'
import { destination } from 'pino'
import { newId } from '../../../server/ids.ts'
import { fromCursor, type Row, refusal, startOf, toBot, toPage, toWorkspace } from './model.ts'
import * as statements from './statements.ts'

/*
 * Fastify with schemas for everything that goes in and out, on `pg` with named statements. Like the service
 * it logs its requests, several lines at a time, and sends headers that protect browsers.
 */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const app = Fastify({
  bodyLimit: 4 * 1024 * 1024,
  logger: { stream: destination({ sync: false, minLength: 8192 }) },
})

const protection = {
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Cache-Control': 'no-store',
}
app.addHook('onRequest', (_request, reply, done) => {
  reply.headers(protection)
  done()
})

const query = async (statement: { name: string; text: string }, values: unknown[]): Promise<Row[]> =>
  (await pool.query({ ...statement, values })).rows

async function granted(
  request: FastifyRequest,
  reply: FastifyReply,
  statement: { name: string; text: string },
  id: string,
): Promise<Row> {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const [row] = await query(statement, [id, createHash('sha256').update(token).digest()])
  const status = refusal(row)
  if (status) {
    await reply.code(status).send({ message: 'Refused' })
    return undefined
  }
  return row
}

const id = { type: 'string', minLength: 1, maxLength: 64, pattern: '^[\\w-]+$' }
const nullableText = { type: ['string', 'null'] }
const flag = { type: 'boolean' }
const any = {}
const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const loose = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
})
const list = (items: object) => ({ type: 'array', items })

const bot = object({
  version: { type: 'string' },
  id,
  name: { type: 'string' },
  groups: any,
  events: any,
  edges: any,
  variables: any,
  theme: any,
  settings: any,
  selectedThemeTemplateId: nullableText,
  createdAt: { type: 'string' },
  updatedAt: { type: 'string' },
  icon: nullableText,
  folderId: nullableText,
  publicId: nullableText,
  customDomain: nullableText,
  workspaceId: id,
  resultsTablePreferences: any,
  isArchived: flag,
  isClosed: flag,
  messagingCredentialsId: nullableText,
  riskLevel: { type: ['number', 'null'] },
})

const workspace = object({
  id,
  createdAt: { type: 'string' },
  updatedAt: { type: 'string' },
  name: { type: 'string' },
  icon: nullableText,
  plan: { type: 'string' },
  billingId: nullableText,
  settings: any,
  isSuspended: flag,
  isPastDue: flag,
  isVerified: flag,
  chatsHardLimit: { type: ['integer', 'null'] },
  lastActivityAt: nullableText,
  inactiveFirstEmailSentAt: nullableText,
  inactiveSecondEmailSentAt: nullableText,
  customChatsLimit: { type: ['integer', 'null'] },
  customSeatsLimit: { type: ['integer', 'null'] },
  resultsRetentionDays: { type: ['integer', 'null'] },
})

const result = object({
  id,
  createdAt: { type: 'string' },
  botId: id,
  variables: list(object({ id, name: { type: 'string' }, value: any })),
  isCompleted: flag,
  hasStarted: flag,
  isArchived: flag,
  lastChatSessionId: nullableText,
  answers: list(
    object({ blockId: id, content: { type: 'string' }, attachedFileUrls: list({ type: 'string' }) }, [
      'blockId',
      'content',
    ]),
  ),
})

const block = loose({ id, type: { type: 'string' } })
const group = loose({ id, title: { type: 'string' }, graphCoordinates: any, blocks: list(block) })
const document = {
  groups: list(group),
  events: list(loose({ id, type: { type: 'string' } })),
  edges: list(loose({ id, from: { type: 'object' }, to: { type: 'object' } })),
  variables: list(loose({ id, name: { type: 'string' } })),
  theme: { type: 'object' },
  settings: { type: 'object' },
}

const botParams = object({ botId: id })
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 50 }
const timeFilter = { type: 'string', enum: ['today', 'last7Days', 'allTime'], default: 'allTime' }

app.get<{ Params: { workspaceId: string } }>(
  '/v1/workspaces/:workspaceId',
  {
    schema: {
      params: object({ workspaceId: id }),
      response: { 200: object({ workspace, currentUserMode: { type: 'string' } }) },
    },
  },
  async (request, reply) => {
    const row = await granted(request, reply, statements.grantWorkspace, request.params.workspaceId)
    return row ? { workspace: toWorkspace(row), currentUserMode: 'write' } : reply
  },
)

app.get<{ Params: { botId: string } }>(
  '/v1/bots/:botId',
  { schema: { params: botParams, response: { 200: object({ bot, currentUserMode: { type: 'string' } }) } } },
  async (request, reply) => {
    const row = await granted(request, reply, statements.grantBot, request.params.botId)
    if (!row) return reply
    const [draft] = await query(statements.draft, [row.id])
    return { bot: toBot(row, draft), currentUserMode: 'write' }
  },
)

app.get<{ Params: { botId: string }; Querystring: { limit: number; cursor?: string } }>(
  '/v1/bots/:botId/results',
  {
    schema: {
      params: botParams,
      querystring: object({ limit, cursor: { type: 'string', maxLength: 200 } }, []),
      response: { 200: object({ results: list(result), nextCursor: nullableText }) },
    },
  },
  async (request, reply) => {
    const row = await granted(request, reply, statements.grantBot, request.params.botId)
    if (!row) return reply
    const { limit, cursor } = request.query
    const range = ['-infinity', '-infinity']
    const rows = await query(statements.resultPage, [row.id, ...range, ...fromCursor(cursor), limit + 1])
    return toPage(row.id, rows, limit)
  },
)

const count = { type: 'integer' }

app.get<{ Params: { botId: string }; Querystring: { timeFilter: string } }>(
  '/v1/bots/:botId/analytics/stats',
  {
    schema: {
      params: botParams,
      querystring: object({ timeFilter }, []),
      response: {
        200: object({ stats: object({ totalViews: count, totalStarts: count, totalCompleted: count }) }),
      },
    },
  },
  async (request, reply) => {
    const row = await granted(request, reply, statements.grantBot, request.params.botId)
    if (!row) return reply
    const from = startOf(request.query.timeFilter)
    const [counts] = await query(statements.countResults, [row.id, from, from])
    const { views, starts, completed } = counts
    return { stats: { totalViews: views, totalStarts: starts, totalCompleted: completed } }
  },
)

app.post<{ Body: { workspaceId: string; bot: Row } }>(
  '/v1/bots',
  {
    schema: {
      body: object({
        workspaceId: id,
        bot: object({ name: { type: 'string', minLength: 1, maxLength: 255 }, ...document }),
      }),
      response: { 201: object({ bot }) },
    },
  },
  async (request, reply) => {
    const { workspaceId, bot } = request.body
    const row = await granted(request, reply, statements.grantWorkspace, workspaceId)
    if (!row) return reply
    const now = new Date()
    const created = { id: newId(now), name: bot.name, version: '6.1', created_at: now, updated_at: now }
    const parts = [bot.groups, bot.events, bot.edges, bot.variables, bot.theme, bot.settings]
    const texts = parts.map((part) => JSON.stringify(part))
    const entry = [newId(now), row.owner_user_id, row.token_id]
    await query(statements.insertBot, [created.id, workspaceId, bot.name, now, ...texts, ...entry])
    reply.code(201)
    return { bot: toBot({ ...created, workspace_id: workspaceId }, bot) }
  },
)

app.patch<{ Params: { botId: string }; Body: { bot: { version: string; name: string } } }>(
  '/v1/bots/:botId',
  {
    schema: {
      params: botParams,
      body: object({
        bot: object({
          version: { enum: ['6', '6.1'] },
          name: { type: 'string', minLength: 1, maxLength: 255 },
        }),
      }),
      response: { 200: object({ bot }) },
    },
  },
  async (request, reply) => {
    const { name, version } = request.body.bot
    for (;;) {
      const row = await granted(request, reply, statements.grantBot, request.params.botId)
      if (!row) return reply
      const now = new Date(Math.max(Date.now(), row.updated_at.getTime() + 1))
      const revision = Number(row.revision)
      const values = [name, version, revision + 1, now, row.id, revision]
      const [draft] = await query(statements.renameBot, values)
      if (draft) return { bot: toBot({ ...row, name, version, updated_at: now }, draft) }
    }
  },
)

const text = { type: 'string', maxLength: 10_000 }

app.post<{ Params: { sessionId: string }; Body: { clientLogs: Row[] } }>(
  '/api/v2/sessions/:sessionId/clientLogs',
  {
    schema: {
      params: object({ sessionId: id }),
      body: object({
        clientLogs: {
          ...list(object({ description: text, status: text, details: text, context: text }, ['description'])),
          maxItems: 100,
        },
      }),
      response: { 200: object({ message: { type: 'string' } }) },
    },
  },
  async (request, reply) => {
    const { sessionId } = request.params
    const now = new Date()
    const [row] = await query(statements.chatResume, [sessionId, now])
    if (!row) return reply.code(400).send({ message: 'There is no such session' })
    for (const { status = 'error', description, details, context } of request.body.clientLogs) {
      const values = [
        row.id,
        row.result_id,
        newId(now),
        status,
        description,
        details,
        context,
        now,
        sessionId,
      ]
      await query(statements.insertLog, values)
    }
    return { message: 'success' }
  },
)

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
