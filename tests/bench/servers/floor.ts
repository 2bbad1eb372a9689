import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { continueFlow as runNext, startFlow as runStart } from '../../../server/chat/engine/engine.ts'
import type { Flow } from '../../../server/chat/engine/types.ts'
import { decodeState, newSessionId } from '../../../server/chat/sessions/codec.ts'
import { loadPublication } from '../../../server/chat/sessions/read-session.ts'
import { toTurnResponse } from '../../../server/chat/sessions/run-turn.ts'
import { createEffects } from '../../../server/chat/sessions/turn-effects.ts'
import { type TurnToWrite, writeTurn } from '../../../server/chat/sessions/write-turn.ts'
import { openChatTools } from '../../../server/chat-tools.ts'
import { readConfig } from '../../../server/config.ts'
import type { Database } from '../../../server/db/client.ts'
import * as schema from '../../../server/db/schema.ts'
import { newId } from '../../../server/ids.ts'
import { openSandbox } from '../../../server/sandbox/index.ts'
import * as statements from './statements.ts'

/*
 * The floor: what the work costs with nothing around it. Bare `node:http`, the statements of the service by
 * name, its access check, documents passed through as text; no routes to look up beyond a switch, nothing
 * validated, no headers but the necessary ones, no log. A chat is run by the engine of the service, and written by its
 * statement.
 */

pg.types.setTypeParser(pg.types.builtins.JSON, (text) => text)
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const db = drizzle(pool, { schema }) as Database

const read = readConfig(process.env)
if ('problems' in read) throw new Error(read.problems.join('\n'))
const { config } = read
const { tools } = openChatTools(config, openSandbox())

// biome-ignore lint/suspicious/noExplicitAny: rows of any statement
type Row = any

async function query(statement: { name: string; text: string }, values: unknown[]): Promise<Row[]> {
  return (await pool.query({ ...statement, values })).rows
}

async function granted(request: IncomingMessage, statement: { name: string; text: string }, id: string) {
  const hash = createHash('sha256')
    .update((request.headers.authorization ?? '').slice(7))
    .digest()
  const [row] = await query(statement, [id, hash])
  const isAllowed = row && row.revoked_at === null && row.id !== null && row.role === 'ADMIN'
  if (!isAllowed) throw new Error('The caller may not do this')
  return row
}

function answer(response: ServerResponse, body: string, status = 200) {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(Buffer.concat(chunks).toString()))
    request.on('error', reject)
  })
}

const json = (value: unknown) => JSON.stringify(value)

function botText(row: Row, draft: Row) {
  return `{"version":"${row.version}","id":"${row.id}","name":${json(row.name)},"groups":${draft.groups},"events":${draft.events},"edges":${draft.edges},"variables":${draft.variables},"theme":${draft.theme},"settings":${draft.settings},"selectedThemeTemplateId":${json(row.selected_theme_template_id)},"createdAt":"${row.created_at.toISOString()}","updatedAt":"${row.updated_at.toISOString()}","icon":${json(row.icon)},"folderId":${json(row.folder_id)},"publicId":${json(row.public_id)},"customDomain":${json(row.custom_domain)},"workspaceId":"${row.workspace_id}","resultsTablePreferences":${row.results_table_preferences},"isArchived":false,"isClosed":${row.is_closed},"messagingCredentialsId":${json(row.messaging_credentials_id)},"riskLevel":${row.risk_level}}`
}

async function getBot(request: IncomingMessage, response: ServerResponse, id: string) {
  const row = await granted(request, statements.grantBot, id)
  if (request.headers['if-none-match'] !== undefined) return response.writeHead(304).end()
  const [draft] = await query(statements.draft, [id])
  answer(response, `{"bot":${botText(row, draft)},"currentUserMode":"write"}`)
}

async function getWorkspace(request: IncomingMessage, response: ServerResponse, id: string) {
  const row = await granted(request, statements.grantWorkspace, id)
  answer(
    response,
    `{"workspace":{"id":"${row.id}","createdAt":"${row.created_at.toISOString()}","updatedAt":"${row.updated_at.toISOString()}","name":${json(row.name)},"icon":${json(row.icon)},"plan":"${row.plan}","billingId":${json(row.billing_id)},"settings":${row.settings},"isSuspended":${row.is_suspended},"isPastDue":${row.is_past_due},"isVerified":${row.is_verified},"chatsHardLimit":${row.chats_hard_limit},"lastActivityAt":${json(row.last_activity_at)},"inactiveFirstEmailSentAt":${json(row.inactive_first_email_sent_at)},"inactiveSecondEmailSentAt":${json(row.inactive_second_email_sent_at)},"customChatsLimit":${row.custom_chats_limit},"customSeatsLimit":${row.custom_seats_limit},"resultsRetentionDays":${row.results_retention_days}},"currentUserMode":"write"}`,
  )
}

const LIMIT = 50

async function listResults(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  search: URLSearchParams,
) {
  await granted(request, statements.grantBot, id)
  const [time, last] = search.get('cursor')?.split('.') ?? []
  const from = time === undefined ? '9999-12-31T23:59:59.999Z' : new Date(Number(time)).toISOString()
  const to = time === undefined ? 'infinity' : new Date(Number(time) + 1).toISOString()
  const values = [id, '-infinity', '-infinity', to, from, last ?? '~', LIMIT + 1]
  const rows = await query(statements.resultPage, values)
  const page = rows.slice(0, LIMIT)
  const texts = page.map(
    (row) =>
      `{"id":"${row.id}","createdAt":"${row.created_at.toISOString()}","botId":"${id}","variables":${row.variables},"isCompleted":${row.is_completed},"hasStarted":${row.has_started},"isArchived":false,"lastChatSessionId":${json(row.last_chat_session_id)},"answers":${row.answers}}`,
  )
  const end = page.at(-1)
  const next = rows.length > LIMIT && end ? `"${end.created_at.getTime()}.${end.id}"` : 'null'
  answer(response, `{"results":[${texts.join(',')}],"nextCursor":${next}}`)
}

const SIX_DAYS_MS = 6 * 24 * 60 * 60 * 1000

async function getStats(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  search: URLSearchParams,
) {
  await granted(request, statements.grantBot, id)
  const today = new Date().setUTCHours(0, 0, 0, 0)
  const from =
    search.get('timeFilter') === 'last7Days' ? new Date(today - SIX_DAYS_MS).toISOString() : '-infinity'
  const [row] = await query(statements.countResults, [id, from, from])
  answer(
    response,
    `{"stats":{"totalViews":${row?.views},"totalStarts":${row?.starts},"totalCompleted":${row?.completed}}}`,
  )
}

const absent = {
  selected_theme_template_id: null,
  icon: null,
  folder_id: null,
  public_id: null,
  custom_domain: null,
  results_table_preferences: null,
  is_closed: false,
  messaging_credentials_id: null,
  risk_level: null,
}

async function createBot(request: IncomingMessage, response: ServerResponse) {
  const { workspaceId, bot } = JSON.parse(await textOf(request))
  const by = await granted(request, statements.grantWorkspace, workspaceId)
  const now = new Date()
  const parts = {
    groups: json(bot.groups),
    events: json(bot.events),
    edges: json(bot.edges),
    variables: json(bot.variables),
    theme: json(bot.theme),
    settings: json(bot.settings),
  }
  const id = newId(now)
  const entry = [newId(now), by.owner_user_id, by.token_id]
  await query(statements.insertBot, [id, workspaceId, bot.name, now, ...Object.values(parts), ...entry])
  const row = {
    ...absent,
    version: '6.1',
    id,
    name: bot.name,
    workspace_id: workspaceId,
    created_at: now,
    updated_at: now,
  }
  answer(response, `{"bot":${botText(row, parts)}}`, 201)
}

async function renameBot(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
  const { bot } = JSON.parse(await textOf(request))
  for (;;) {
    const row = await granted(request, statements.grantBot, id)
    const revision = Number(row.revision)
    const now = new Date(Math.max(Date.now(), row.updated_at.getTime() + 1))
    const values = [bot.name, bot.version, revision + 1, now, id, revision]
    const [draft] = await query(statements.renameBot, values)
    // Another request was faster.
    if (!draft) continue
    return answer(response, `{"bot":${botText({ ...row, ...bot, updated_at: now }, draft)}}`)
  }
}

const effects = (running: Parameters<typeof createEffects>[1], now: Date) =>
  createEffects(
    { db, config, now, chat: tools, files: null, publicUrl: () => '' } as unknown as Parameters<
      typeof createEffects
    >[0],
    running,
  )

const format = { textBubbleContentFormat: 'richText' } as const

async function startChat(request: IncomingMessage, response: ServerResponse, publicId: string) {
  JSON.parse(await textOf(request))
  const [row] = await query(statements.chatStart, [publicId])
  const flow = (await loadPublication(db, tools, row.id, row.publication_id)) as Flow
  const now = new Date()
  const [resultId, sessionId] = [newId(now), newSessionId(row.id, now)]
  const bot = { botId: row.id, workspaceId: row.workspace_id, publicationId: row.publication_id }
  const options = { resultId, ...format, isOnlyRegistering: false, isStreamEnabled: false }
  const outcome = await runStart(flow, options, effects({ ...bot, resultId }, now))
  if (outcome.rejection) throw new Error(outcome.rejection.message)
  const step = toTurnResponse(outcome, 1, false)
  const lastAnswer = json(step)
  const written: TurnToWrite = {
    session: { id: sessionId, ...bot },
    subscribedEvents: null,
    revision: 0,
    resultId,
    isNewResult: true,
    outcome,
    lastDigest: null,
    response: lastAnswer,
  }
  await writeTurn(db, written, now)
  const publishedAt = row.published_at.toISOString()
  const shown = { id: row.id, version: '6.1', ...outcome.bot, publishedAt }
  answer(response, json({ sessionId, resultId, bot: shown, ...step }))
}

async function continueChat(request: IncomingMessage, response: ServerResponse, sessionId: string) {
  const { message } = JSON.parse(await textOf(request))
  const now = new Date()
  const [row] = await query(statements.chatResume, [sessionId, now])
  const flow = (await loadPublication(db, tools, row.id, row.publication_id)) as Flow
  const state = decodeState({ state: row.state, botId: row.id, resultId: row.result_id })
  if (!state) throw new Error('The chat is over')
  const bot = { botId: row.id, workspaceId: row.workspace_id, publicationId: row.publication_id }
  const running = { ...bot, resultId: row.result_id, state, sessionId }
  const outcome = await runNext(flow, state, message, format, effects(running, now))
  if (outcome.rejection) throw new Error(outcome.rejection.message)
  const lastAnswer = json(toTurnResponse(outcome, row.revision + 1, false))
  const written: TurnToWrite = {
    session: { id: sessionId, ...bot },
    subscribedEvents: null,
    base: { memberEdits: row.member_edits, isEnded: false, inlineTurnsBytes: row.inline_turns_size },
    revision: row.revision,
    resultId: row.result_id,
    isNewResult: false,
    outcome,
    lastDigest: createHash('sha256').update(message).digest('base64url'),
    response: lastAnswer,
  }
  if (!(await writeTurn(db, written, now))) throw new Error('The chat has moved on')
  answer(response, lastAnswer)
}

async function saveLogs(request: IncomingMessage, response: ServerResponse, sessionId: string) {
  const { clientLogs } = JSON.parse(await textOf(request))
  const now = new Date()
  const [row] = await query(statements.chatResume, [sessionId, now])
  for (const log of clientLogs) {
    const entry = [newId(now), 'error', log.description, log.details, null, now]
    const values = [row?.id, row?.result_id, ...entry, sessionId]
    await query(statements.insertLog, values)
  }
  answer(response, '{"message":"success"}')
}

async function serve(request: IncomingMessage, response: ServerResponse) {
  const [path = '', search] = (request.url ?? '').split('?')
  const [, first, second, third, fourth, fifth] = path.split('/')
  const id = third ?? ''
  if (first === 'api') {
    if (fifth === 'startChat') return startChat(request, response, fourth ?? '')
    if (fifth === 'continueChat') return continueChat(request, response, fourth ?? '')
    return saveLogs(request, response, fourth ?? '')
  }
  if (second === 'workspaces') return getWorkspace(request, response, id)
  if (request.method === 'POST') return createBot(request, response)
  if (request.method === 'PATCH') return renameBot(request, response, id)
  if (fourth === 'results') return listResults(request, response, id, new URLSearchParams(search))
  if (fourth === 'analytics') return getStats(request, response, id, new URLSearchParams(search))
  return getBot(request, response, id)
}

createServer((request, response) => {
  serve(request, response).catch((error) => {
    process.stderr.write(`${error.stack}\n`)
    answer(response, '{}', 500)
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
