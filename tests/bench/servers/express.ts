import { createHash } from 'node:crypto'
import { and, eq, gt, gte, isNull, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import express, { type ErrorRequestHandler, type Request } from 'express'
import helmet from 'helmet'
import pg from 'pg'
import { destination, pino } from 'pino'
import { z } from 'zod'
import { newId } from '../../../server/ids.ts'
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
import {
  answers,
  auditLog,
  bots,
  drafts,
  members,
  resultLogs,
  results,
  sessions,
  tokens,
  workspaces,
} from './tables.ts'

/*
 * Express with Zod and Drizzle: queries built for each request, documents parsed and written again. Like the
 * service it logs its requests, several lines at a time, and sends headers that protect browsers.
 */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const db = drizzle(pool)
const app = express()
const log = pino(destination({ sync: false, minLength: 8192 }))
app.use(helmet())
app.use((request, response, next) => {
  const start = performance.now()
  response.on('finish', () => {
    const { method, url } = request
    log.info({ method, url, status: response.statusCode, ms: performance.now() - start }, 'request')
  })
  next()
})
app.use(express.json({ limit: '4mb' }))

class Refused extends Error {
  constructor(readonly status: 400 | 401 | 403 | 404) {
    super('Refused')
  }
}

function hashOf(request: Request): Buffer {
  const token = /^Bearer (\S+)$/.exec(request.get('authorization') ?? '')?.[1] ?? ''
  return createHash('sha256').update(token).digest()
}

function check<Record>(
  row: { token: typeof tokens.$inferSelect; record: Record | null; role: string | null } | undefined,
): Record {
  if (!row || row.token.revokedAt || (row.token.expiresAt && row.token.expiresAt <= new Date())) {
    throw new Refused(401)
  }
  if (!row.record) throw new Refused(404)
  if (row.role !== 'ADMIN' && row.role !== 'MEMBER') throw new Refused(403)
  return row.record
}

async function grantedBot(request: Request, botId: string) {
  const [row] = await db
    .select({ token: tokens, record: bots, role: members.role })
    .from(tokens)
    .leftJoin(bots, and(eq(bots.id, botId), isNull(bots.deletedAt)))
    .leftJoin(members, and(eq(members.workspaceId, bots.workspaceId), eq(members.userId, tokens.ownerUserId)))
    .where(eq(tokens.tokenHash, hashOf(request)))
  return check(row)
}

async function grantedWorkspace(request: Request, workspaceId: string) {
  return check(await memberOf(request, workspaceId))
}

async function memberOf(request: Request, workspaceId: string) {
  const [row] = await db
    .select({ token: tokens, record: workspaces, role: members.role })
    .from(tokens)
    .leftJoin(workspaces, and(eq(workspaces.id, workspaceId), isNull(workspaces.deletedAt)))
    .leftJoin(members, and(eq(members.workspaceId, workspaces.id), eq(members.userId, tokens.ownerUserId)))
    .where(eq(tokens.tokenHash, hashOf(request)))
  return row
}

type Draft = Omit<typeof drafts.$inferSelect, 'botId'>

function toBot(
  {
    revision: _,
    isPubliclyShared: __,
    resultsFloorAt: ___,
    deletedAt: ____,
    ...bot
  }: typeof bots.$inferSelect,
  draft: Draft,
) {
  const { groups, events, edges, variables, theme, settings } = draft
  return { ...bot, groups, events, edges, variables, theme, settings, isArchived: false }
}

app.get('/v1/workspaces/:workspaceId', async (request, response) => {
  const { workspaceId } = workspaceParams.parse(request.params)
  const { deletedAt: _, ...workspace } = await grantedWorkspace(request, workspaceId)
  response.json({ workspace, currentUserMode: 'write' })
})

app.get('/v1/bots/:botId', async (request, response) => {
  const { botId } = botParams.parse(request.params)
  const bot = await grantedBot(request, botId)
  const [draft] = await db.select().from(drafts).where(eq(drafts.botId, botId))
  if (!draft) throw new Refused(404)
  response.json({ bot: toBot(bot, draft), currentUserMode: 'write' })
})

app.get('/v1/bots/:botId/results', async (request, response) => {
  const { botId } = botParams.parse(request.params)
  const { limit, cursor } = listQuery.parse(request.query)
  await grantedBot(request, botId)
  const [time, id] = cursor?.split('.') ?? []
  const after =
    time && sql`(${results.createdAt}, ${results.id}) < (${new Date(Number(time)).toISOString()}, ${id})`
  const page = await db
    .select()
    .from(results)
    .where(
      and(eq(results.botId, botId), results.hasStarted, sql`NOT ${results.isArchived}`, after || undefined),
    )
    .orderBy(sql`${results.createdAt} DESC NULLS LAST, ${results.id} DESC NULLS LAST`)
    .limit(limit + 1)
  const shown = page.slice(0, limit)
  const ids = shown.map((row) => row.id)
  const given = await db
    .select()
    .from(answers)
    .where(and(eq(answers.botId, botId), sql`${answers.resultId} = ANY(${sql.param(ids)})`))
    .orderBy(answers.resultId, answers.seq)
  const byResult = new Map<string, typeof given>()
  for (const answer of given) {
    const others = byResult.get(answer.resultId)
    if (others) others.push(answer)
    else byResult.set(answer.resultId, [answer])
  }
  const last = shown.at(-1)
  response.json({
    results: shown.map(({ updatedAt: _, ...row }) => ({
      ...row,
      answers: (byResult.get(row.id) ?? []).map(({ blockId, content, attachedFileUrls }) => ({
        blockId,
        content,
        attachedFileUrls: attachedFileUrls ?? undefined,
      })),
    })),
    nextCursor: page.length > limit && last ? `${last.createdAt.getTime()}.${last.id}` : null,
  })
})

const SIX_DAYS_MS = 6 * 24 * 60 * 60 * 1000

app.get('/v1/bots/:botId/analytics/stats', async (request, response) => {
  const { botId } = botParams.parse(request.params)
  const { timeFilter } = statsQuery.parse(request.query)
  await grantedBot(request, botId)
  const week = new Date(new Date().setUTCHours(0, 0, 0, 0) - SIX_DAYS_MS)
  const [stats] = await db
    .select({
      totalViews: sql`count(*)`.mapWith(Number),
      totalStarts: sql`count(*) FILTER (WHERE ${results.hasStarted})`.mapWith(Number),
      totalCompleted: sql`count(*) FILTER (WHERE ${results.isCompleted})`.mapWith(Number),
    })
    .from(results)
    .where(
      and(
        eq(results.botId, botId),
        sql`${results.hasStarted} IN (true, false)`,
        sql`NOT ${results.isArchived}`,
        timeFilter === 'last7Days' ? gte(results.createdAt, week) : undefined,
      ),
    )
  response.json({ stats })
})

app.post('/v1/bots', async (request, response) => {
  const { workspaceId, bot } = create.parse(request.body)
  const row = await memberOf(request, workspaceId)
  check(row)
  const { name, ...document } = bot
  const now = new Date()
  const created = {
    id: newId(now),
    workspaceId,
    name,
    version: '6.1',
    revision: 1,
    createdAt: now,
    updatedAt: now,
  }
  const [made] = await db.transaction(async (tx) => {
    const inserted = await tx.insert(bots).values(created).returning()
    await tx.insert(drafts).values({ botId: created.id, ...document })
    await tx.insert(auditLog).values({
      workspaceId,
      id: newId(now),
      createdAt: now,
      userId: row?.token.ownerUserId,
      tokenId: row?.token.id,
      operation: 'createBot',
      recordId: created.id,
      outcome: 'success',
    })
    return inserted
  })
  response.status(201).json({ bot: toBot(made as typeof bots.$inferSelect, document) })
})

app.patch('/v1/bots/:botId', async (request, response) => {
  const { botId } = botParams.parse(request.params)
  const { bot } = rename.parse(request.body)
  for (;;) {
    const current = await grantedBot(request, botId)
    const [row] = await db
      .update(bots)
      .set({
        ...bot,
        revision: current.revision + 1,
        updatedAt: new Date(Math.max(Date.now(), current.updatedAt.getTime() + 1)),
      })
      .where(and(eq(bots.id, botId), eq(bots.revision, current.revision), isNull(bots.deletedAt)))
      .returning()
    if (!row) continue
    const [draft] = await db.select().from(drafts).where(eq(drafts.botId, botId))
    return response.json({ bot: toBot(row, draft as Draft) })
  }
})

app.post('/api/v2/sessions/:sessionId/clientLogs', async (request, response) => {
  const { sessionId } = sessionParams.parse(request.params)
  const { clientLogs } = logs.parse(request.body)
  const now = new Date()
  const [session] = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), gt(sessions.expiresAt, now)))
  if (!session?.resultId) throw new Refused(400)
  const { botId, resultId } = session
  const counted = sql<number>`coalesce(${sessions.clientLogs}, 0) + ${clientLogs.length}`
  const { rowCount } = await db
    .update(sessions)
    .set({ clientLogs: counted })
    .where(and(eq(sessions.id, sessionId), eq(sessions.botId, botId), sql`${counted} <= 1000`))
  if (rowCount !== 1) throw new Refused(400)
  await db
    .insert(resultLogs)
    .values(
      clientLogs.map((log) => ({ botId, resultId, id: newId(now), createdAt: now, status: 'error', ...log })),
    )
  response.json({ message: 'success' })
})

app.use(((error, _request, response, _next) => {
  if (error instanceof z.ZodError) return response.status(400).json({ issues: error.issues })
  if (error instanceof Refused) return response.status(error.status).json({ message: error.message })
  process.stderr.write(`${error.stack}\n${error.cause}\n`)
  response.status(500).json({ message: 'Internal server error' })
}) satisfies ErrorRequestHandler)

app.listen(Number(process.env.PORT), '127.0.0.1')
