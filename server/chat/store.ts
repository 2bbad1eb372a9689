import { and, desc, eq, isNull, lte, sql } from 'drizzle-orm'
import type { components } from '../../generated/openapi.ts'
import { type BotGrant, isWatched } from '../access/index.ts'
import { type Draft, parseDraft, type Version, withDraft } from '../bots/drafts.ts'
import { convert } from '../conversion/index.ts'
import { type Database, statements } from '../db/client.ts'
import { prepareLookup } from '../db/lookup.ts'
import {
  botDrafts,
  botPublications,
  bots,
  chatSessions,
  chatSteps,
  publicIds,
  publishedBots,
  resultAnswers,
  results,
  resultTranscripts,
} from '../db/schema.ts'
import { expression, optional } from '../db/selection.ts'
import type { ChatTools } from './tools/index.ts'
import type { Answer, Flow, TranscriptEntry } from './types.ts'

/* What a step of a chat reads: the session and its flow, and what earlier steps left. */

/** Of bots that are published: the statements below join no others. */
const livePublication = expression(sql`${publishedBots.publicationId}`, 'text')

const sessionLookups = statements((db, named) => ({
  start: prepareLookup(
    db,
    named,
    'chat_start',
    { publicId: 'text', resultId: 'text' },
    {
      botId: bots.id,
      workspaceId: bots.workspaceId,
      isWatched: isWatched(bots.workspaceId),
      isClosed: bots.isClosed,
      publicationId: livePublication,
      publishedAt: publishedBots.updatedAt,
      earlierResultId: optional(results.id),
      earlierVariables: optional(expression(sql`${results.variables}`, 'text')),
    },
    (list, asked) => sql`
      SELECT ${list} FROM ${asked}
      JOIN ${publicIds} ON ${publicIds.publicId} = asked."publicId"
      JOIN ${bots} ON ${bots.id} = ${publicIds.botId} AND ${bots.deletedAt} IS NULL
      JOIN ${publishedBots} ON ${publishedBots.botId} = ${bots.id} AND ${publishedBots.publicationId} IS NOT NULL
      LEFT JOIN ${results} ON ${results.botId} = ${bots.id} AND ${results.id} = asked."resultId"
        AND NOT ${results.isArchived} AND ${results.createdAt} > coalesce(${bots.resultsFloorAt}, '-infinity')`,
  ),
  resume: prepareLookup(
    db,
    named,
    'chat_resume',
    { sessionId: 'text', now: 'timestamptz' },
    {
      sessionId: chatSessions.id,
      botId: bots.id,
      workspaceId: bots.workspaceId,
      isWatched: isWatched(bots.workspaceId),
      resultId: chatSessions.resultId,
      // JSON; null once the chat is over.
      state: optional(expression(sql`${chatSessions.state}`, 'text')),
      revision: chatSessions.revision,
      claim: chatSessions.claim,
      // JSON; see `steering.ts`.
      steered: optional(expression(sql`${chatSessions.steered}`, 'text')),
      isEnded: expression(sql`${chatSessions.state} IS NULL`, 'boolean'),
      updatedAt: chatSessions.updatedAt,
      lastMessage: chatSessions.lastMessage,
      lastAnswer: optional(expression(sql`${chatSessions.lastAnswer}`, 'text')),
      // Null for a preview.
      publicationId: chatSessions.publicationId,
    },
    (list, asked) => sql`
      SELECT ${list} FROM ${asked}
      JOIN ${chatSessions} ON ${chatSessions.id} = asked."sessionId" AND ${chatSessions.expiresAt} > asked.now
      JOIN ${bots} ON ${bots.id} = ${chatSessions.botId} AND ${bots.deletedAt} IS NULL`,
  ),
  linked: prepareLookup(
    db,
    named,
    'chat_linked_bot',
    { botId: 'text', workspaceId: 'text' },
    { publicationId: livePublication },
    (list, asked) => sql`
      SELECT ${list} FROM ${asked}
      JOIN ${bots} ON ${bots.id} = asked."botId" AND ${bots.workspaceId} = asked."workspaceId"
        AND ${bots.deletedAt} IS NULL
      JOIN ${publishedBots} ON ${publishedBots.botId} = ${bots.id} AND ${publishedBots.publicationId} IS NOT NULL`,
  ),
}))

/** A published bot by its public id, and the result to go on with when the caller named one of this bot. */
export async function findPublished(
  db: Database,
  tools: ChatTools,
  publicId: string,
  resultId: string | undefined,
) {
  const row = await sessionLookups(db).start({ publicId, resultId: resultId ?? '' })
  const flow = row && (await loadPublication(db, tools, row.botId, row.publicationId))
  return flow ? { ...row, flow } : undefined
}

/**
 * A session that can still be continued or asked, with its flow. The flow of a preview is the draft as it
 * is now.
 */
export async function findSession(db: Database, tools: ChatTools, sessionId: string, now: Date) {
  const row = await sessionLookups(db).resume({ sessionId, now: now.toISOString() })
  if (!row) return undefined
  const flow =
    row.publicationId === null
      ? await draftFlow(db, row.botId)
      : await loadPublication(db, tools, row.botId, row.publicationId)
  return flow ? { ...row, flow } : undefined
}

export type Session = NonNullable<Awaited<ReturnType<typeof findSession>>>

/** The session that wrote last to a result of the granted bot. */
export async function sessionOf(db: Database, { bot }: BotGrant, resultId: string): Promise<string | null> {
  const [row] = await db
    .select({ sessionId: results.lastChatSessionId })
    .from(results)
    .where(and(eq(results.botId, bot.id), eq(results.id, resultId)))
  return row?.sessionId ?? null
}

/** What a bot link leads to in a live chat: the live publication of a bot of the same workspace, and its flow. */
export async function findLinked(db: Database, tools: ChatTools, botId: string, workspaceId: string) {
  const row = await sessionLookups(db).linked({ botId, workspaceId })
  if (!row) return null
  const flow = await loadPublication(db, tools, botId, row.publicationId)
  return flow && { flow, publicationId: row.publicationId }
}

/** The flow of a publication: from memory, where it stays for the steps that follow. */
export async function loadPublication(
  db: Database,
  tools: ChatTools,
  botId: string,
  publicationId: string,
): Promise<Flow | null> {
  const cached = tools.flows.get(publicationId)
  if (cached) return cached
  const [row] = await db
    .select()
    .from(botPublications)
    .where(and(eq(botPublications.botId, botId), eq(botPublications.id, publicationId)))
  if (!row) return null
  const flow = toFlow(botId, row.version, row)
  const size = row.groups.text.length + row.edges.text.length + row.variables.text.length + 1_000
  tools.flows.set(publicationId, flow, { size })
  return flow
}

/** The draft of a bot of this workspace, for links in a preview. */
export async function linkedDraft(db: Database, botId: string, workspaceId: string): Promise<Flow | null> {
  const [bot] = await db
    .select({ id: bots.id })
    .from(bots)
    .where(and(eq(bots.id, botId), eq(bots.workspaceId, workspaceId), isNull(bots.deletedAt)))
  return bot ? ((await draftFlow(db, botId)) ?? null) : null
}

export async function draftFlow(db: Database, botId: string): Promise<Flow | undefined> {
  const [row] = await db
    .select({ version: bots.version, draft: botDrafts })
    .from(bots)
    .innerJoin(botDrafts, eq(botDrafts.botId, bots.id))
    .where(eq(bots.id, botId))
  return row && toFlow(botId, row.version, row.draft)
}

/** The draft of a granted bot as a flow that runs. */
export async function previewFlow(db: Database, grant: BotGrant): Promise<Flow | undefined> {
  const found = await withDraft(db, grant)
  return found && toFlow(found.bot.id, found.bot.version, found.draft)
}

function toFlow(botId: string, version: Version, draft: Draft): Flow {
  return { ...convert(parseDraft(version, draft), '6.1'), id: botId }
}

// What earlier steps left, for clients that come back and blocks that send it on

const maximumSteps = 1_000

/** What was said in a chat, up to the step that was read. */
export async function turnsOf(db: Database, { botId, sessionId, revision }: Session) {
  const rows = await db
    .select({ turns: chatSteps.turns })
    .from(chatSteps)
    .where(
      and(eq(chatSteps.botId, botId), eq(chatSteps.sessionId, sessionId), lte(chatSteps.revision, revision)),
    )
    .orderBy(desc(chatSteps.revision))
    .limit(maximumSteps)
  return rows
    .reverse()
    .flatMap(({ turns }) => JSON.parse(turns.text) as components['schemas']['ChatTurn'][])
    .slice(-10_000)
}

export async function answersOf(db: Database, botId: string, resultId: string): Promise<Answer[]> {
  const rows = await db
    .select({
      blockId: resultAnswers.blockId,
      content: resultAnswers.content,
      attachedFileUrls: resultAnswers.attachedFileUrls,
    })
    .from(resultAnswers)
    .where(and(eq(resultAnswers.botId, botId), eq(resultAnswers.resultId, resultId)))
    .orderBy(resultAnswers.seq)
  return rows.map(({ attachedFileUrls, ...answer }) =>
    attachedFileUrls === null ? answer : { ...answer, attachedFileUrls },
  )
}

export async function transcriptOf(
  db: Database,
  botId: string,
  resultId: string,
): Promise<TranscriptEntry[]> {
  const rows = await db
    .select({ entries: resultTranscripts.entries })
    .from(resultTranscripts)
    .where(and(eq(resultTranscripts.botId, botId), eq(resultTranscripts.resultId, resultId)))
    .orderBy(resultTranscripts.id)
  return rows.flatMap(({ entries }) => JSON.parse(entries.text) as TranscriptEntry[])
}
