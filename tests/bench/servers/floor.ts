import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import { newId } from '../../../server/ids.ts'
import * as statements from './statements.ts'

/*
 * The floor: what the work costs with nothing around it. Bare `node:http`, the statements of the service by
 * name, its access check, documents passed through as text; no routes to look up beyond a switch, nothing
 * validated, no headers but the necessary ones, no log. A chat is not run: it writes and answers what the
 * service wrote and answered for the same message.
 */

pg.types.setTypeParser(pg.types.builtins.JSON, (text) => text)
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

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
  const [draft] = await query(statements.draft, [id])
  answer(response, `{"bot":${botText(row, draft)},"currentUserMode":"write"}`)
}

async function getWorkspace(request: IncomingMessage, response: ServerResponse, id: string) {
  const row = await granted(request, statements.grantWorkspace, id)
  answer(
    response,
    `{"workspace":{"id":"${row.id}","createdAt":"${row.created_at.toISOString()}","updatedAt":"${row.updated_at.toISOString()}","name":${json(row.name)},"icon":${json(row.icon)},"plan":"${row.plan}","billingId":${json(row.billing_id)},"settings":${row.settings},"isSuspended":${row.is_suspended},"isPastDue":${row.is_past_due},"isVerified":${row.is_verified},"chatsHardLimit":${row.chats_hard_limit},"lastActivityAt":${json(row.last_activity_at)},"inactiveFirstEmailSentAt":${json(row.inactive_first_email_sent_at)},"inactiveSecondEmailSentAt":${json(row.inactive_second_email_sent_at)},"customChatsLimit":${row.custom_chats_limit},"customSeatsLimit":${row.custom_seats_limit}},"currentUserMode":"write"}`,
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

const WEEK = 6 * 24 * 60 * 60 * 1000

async function getStats(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  search: URLSearchParams,
) {
  await granted(request, statements.grantBot, id)
  const today = new Date().setUTCHours(0, 0, 0, 0)
  const from = search.get('timeFilter') === 'last7Days' ? new Date(today - WEEK).toISOString() : '-infinity'
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
  await granted(request, statements.grantWorkspace, workspaceId)
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
  await query(statements.insertBot, [id, workspaceId, bot.name, now, ...Object.values(parts)])
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

/** What the service wrote and answered when a chat was started and continued. */
interface Sample {
  state: string
  start: { answer: Record<string, unknown>; variables: unknown; transcript: string }
  next: { answer: Record<string, unknown>; variables: unknown; transcript: string; blockId: string }
}

const sample = process.env.SAMPLE_CHAT ? (JSON.parse(process.env.SAMPLE_CHAT) as Sample) : undefined
const LIFETIME = 48 * 60 * 60 * 1000

async function startChat(request: IncomingMessage, response: ServerResponse, publicId: string) {
  if (!sample) throw new Error('There is no sample')
  JSON.parse(await textOf(request))
  const [row] = await query(statements.chatStart, [publicId, ''])
  const now = new Date()
  const resultId = newId(now)
  const sessionId = newId(now)
  const { answer: body, variables, transcript } = sample.start
  const result = { bot_id: row?.id, id: resultId, variables, has_started: false, is_completed: false }
  await query(statements.chatFirstStep, [
    sessionId,
    row?.id,
    row?.publication_id,
    resultId,
    sample.state,
    1,
    null,
    json(body),
    new Date(now.getTime() + LIFETIME),
    now,
    json([result]),
    '[]',
    '[]',
    '[]',
    `${now.toISOString().slice(0, 10)}T00:00:00.000Z`,
    transcript,
  ])
  answer(response, json({ ...body, sessionId, resultId }))
}

async function continueChat(request: IncomingMessage, response: ServerResponse, sessionId: string) {
  if (!sample) throw new Error('There is no sample')
  const { message } = JSON.parse(await textOf(request))
  const now = new Date()
  const [row] = await query(statements.chatResume, [sessionId, now])
  const { answer: body, variables, transcript, blockId } = sample.next
  const result = { bot_id: row?.id, id: row?.result_id, variables, has_started: true, is_completed: false }
  const said = { bot_id: row?.id, result_id: row?.result_id, place: 0, block_id: blockId, content: message }
  await query(statements.chatNextStep, [
    sessionId,
    row?.id,
    row?.publication_id,
    row?.result_id,
    // Read and written, as a chat that goes on does.
    json(JSON.parse(row?.state ?? '')),
    row?.revision,
    createHash('sha256').update(message).digest('base64url'),
    json(body),
    new Date(now.getTime() + LIFETIME),
    now,
    '[]',
    json([result]),
    json([said]),
    '[]',
    `${now.toISOString().slice(0, 10)}T00:00:00.000Z`,
    transcript,
  ])
  answer(response, json({ ...body, revision: Number(row?.revision) + 1 }))
}

async function saveLogs(request: IncomingMessage, response: ServerResponse, sessionId: string) {
  const { clientLogs } = JSON.parse(await textOf(request))
  const now = new Date()
  const [row] = await query(statements.chatResume, [sessionId, now])
  for (const log of clientLogs) {
    const values = [row?.id, row?.result_id, newId(now), 'error', log.description, log.details, null, now]
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
