import { createHash } from 'node:crypto'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { logger } from 'hono/logger'
import { secureHeaders } from 'hono/secure-headers'
import pg from 'pg'
import { destination } from 'pino'
import { z } from 'zod'
import { newId } from '../../../server/ids.ts'
import { fromCursor, type Row, refusal, startOf, toBot, toPage, toWorkspace } from './model.ts'
import {
  botParams,
  create,
  listQuery,
  logs,
  rename,
  sessionParams,
  statsQuery,
  workspaceParams,
} from './schemas.ts'
import * as statements from './statements.ts'

/*
 * Hono with Zod for what comes in, on `pg` with statements as it sends them by default, unnamed. Like the
 * service it logs its requests, several lines at a time, and sends headers that protect browsers.
 */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const app = new Hono()
const log = destination({ sync: false, minLength: 8192 })
app.use(logger((line) => log.write(`${line}\n`)))
app.use(secureHeaders())
app.use(bodyLimit({ maxSize: 4 * 1024 * 1024 }))

const query = async ({ text }: { text: string }, values: unknown[]): Promise<Row[]> =>
  (await pool.query(text, values)).rows

class Refused extends Error {
  constructor(readonly status: 400 | 401 | 403 | 404) {
    super('Refused')
  }
}

app.onError((error, context) => {
  if (error instanceof z.ZodError) return context.json({ issues: error.issues }, 400)
  if (error instanceof Refused) return context.json({ message: error.message }, error.status)
  process.stderr.write(`${error.stack}\n`)
  return context.json({ message: 'Internal server error' }, 500)
})

async function granted(context: Context, statement: { text: string }, id: string): Promise<Row> {
  const token = /^Bearer (\S+)$/.exec(context.req.header('authorization') ?? '')?.[1] ?? ''
  const [row] = await query(statement, [id, createHash('sha256').update(token).digest()])
  const status = refusal(row)
  if (status) throw new Refused(status)
  return row
}

app.get('/v1/workspaces/:workspaceId', async (context) => {
  const { workspaceId } = workspaceParams.parse(context.req.param())
  const row = await granted(context, statements.grantWorkspace, workspaceId)
  return context.json({ workspace: toWorkspace(row), currentUserMode: 'write' })
})

app.get('/v1/bots/:botId', async (context) => {
  const { botId } = botParams.parse(context.req.param())
  const row = await granted(context, statements.grantBot, botId)
  const [draft] = await query(statements.draft, [botId])
  return context.json({ bot: toBot(row, draft), currentUserMode: 'write' })
})

app.get('/v1/bots/:botId/results', async (context) => {
  const { botId } = botParams.parse(context.req.param())
  const { limit, cursor } = listQuery.parse(context.req.query())
  await granted(context, statements.grantBot, botId)
  const range = ['-infinity', '-infinity']
  const rows = await query(statements.resultPage, [botId, ...range, ...fromCursor(cursor), limit + 1])
  return context.json(toPage(botId, rows, limit))
})

app.get('/v1/bots/:botId/analytics/stats', async (context) => {
  const { botId } = botParams.parse(context.req.param())
  const { timeFilter } = statsQuery.parse(context.req.query())
  await granted(context, statements.grantBot, botId)
  const [counts] = await query(statements.countResults, [botId, startOf(timeFilter), startOf(timeFilter)])
  const { views, starts, completed } = counts
  return context.json({ stats: { totalViews: views, totalStarts: starts, totalCompleted: completed } })
})

app.post('/v1/bots', async (context) => {
  const { workspaceId, bot } = create.parse(await context.req.json())
  const caller = await granted(context, statements.grantWorkspace, workspaceId)
  const now = new Date()
  const created = { id: newId(now), name: bot.name, version: '6.1', created_at: now, updated_at: now }
  const parts = [bot.groups, bot.events, bot.edges, bot.variables, bot.theme, bot.settings]
  const texts = parts.map((part) => JSON.stringify(part))
  const entry = [newId(now), caller.owner_user_id, caller.token_id]
  await query(statements.insertBot, [created.id, workspaceId, bot.name, now, ...texts, ...entry])
  return context.json({ bot: toBot({ ...created, workspace_id: workspaceId }, bot) }, 201)
})

app.patch('/v1/bots/:botId', async (context) => {
  const { botId } = botParams.parse(context.req.param())
  const { bot } = rename.parse(await context.req.json())
  for (;;) {
    const row = await granted(context, statements.grantBot, botId)
    const now = new Date(Math.max(Date.now(), row.updated_at.getTime() + 1))
    const revision = Number(row.revision)
    const values = [bot.name, bot.version, revision + 1, now, botId, revision]
    const [draft] = await query(statements.renameBot, values)
    if (draft) return context.json({ bot: toBot({ ...row, ...bot, updated_at: now }, draft) })
  }
})

app.post('/api/v2/sessions/:sessionId/clientLogs', async (context) => {
  const { sessionId } = sessionParams.parse(context.req.param())
  const { clientLogs } = logs.parse(await context.req.json())
  const now = new Date()
  const [row] = await query(statements.chatResume, [sessionId, now])
  if (!row) throw new Refused(400)
  for (const { status = 'error', description, details, context: place } of clientLogs) {
    const values = [row.id, row.result_id, newId(now), status, description, details, place, now, sessionId]
    await query(statements.insertLog, values)
  }
  return context.json({ message: 'success' })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
