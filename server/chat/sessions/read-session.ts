import { and, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { BotGrant } from '../../access/index.ts'
import type { ChatTools } from '../../chat-tools.ts'
import type { Contexts } from '../../context.ts'
import { topologyOf } from '../../db/citus/topology.ts'
import type { Database } from '../../db/client.ts'
import { sqlState } from '../../db/errors.ts'
import {
  botDrafts,
  botPublications,
  bots,
  chatMessages,
  chatSessions,
  chatTurns,
  resultAnswers,
  results,
  resultTranscripts,
} from '../../db/schema.ts'
import { expression, optional, selectRows } from '../../db/typed-select.ts'
import { isBotVisible } from '../../db/visible-bots.ts'
import { convert } from '../../documents/conversion/index.ts'
import {
  countDraftCharacters,
  type Draft,
  parseDraft,
  readGrantedDraft,
  type Version,
} from '../../documents/drafts.ts'
import { isServedAt } from '../../hosts/domains.ts'
import type { Answer, Bubble, Flow, TranscriptEntry } from '../engine/types.ts'
import {
  botOfSession,
  type ChatEntry,
  decodeTranscript,
  decodeTurns,
  decompressTurn,
  type StoredTurn,
} from './codec.ts'
import { sessionQueries, turnAgeMs } from './session-queries.ts'

/* Reads for turns of a chat: the session and its flow, and earlier turns. */

/** Bots by their public id, as last seen. The lookup of the bot checks the id again. */
const botIdsByPublicId = new LRUCache<string, string>({ max: 10_000 })

/** Returns a published bot by its public id, and the earlier result if the caller named one of this bot. */
export async function findPublished(
  db: Database,
  tools: ChatTools,
  publicId: string,
  resultId: string | undefined,
) {
  const lookups = sessionQueries(db)
  const lookup = { publicId, resultId: resultId ?? '' }
  const known = botIdsByPublicId.get(publicId)
  let row = known === undefined ? undefined : await lookups.start({ botId: known, ...lookup })
  if (!row) {
    const [holder] = await lookups.holder({ publicId })
    if (!holder || holder.botId === known) return undefined
    row = await lookups.start({ botId: holder.botId, ...lookup })
    if (!row) return undefined
    botIdsByPublicId.set(publicId, holder.botId)
  }
  const flow = await loadPublication(db, tools, row.botId, row.publicationId)
  return flow ? { flow, ...row } : undefined
}

/** Returns a session that has not expired, with its flow. The flow of a preview is the current draft. */
export async function findSession(db: Database, tools: ChatTools, sessionId: string, now: Date) {
  const botId = botOfSession(sessionId)
  if (botId === undefined) return undefined
  const row = await sessionQueries(db).readSession({ botId, sessionId, now: now.toISOString() })
  if (!row) return undefined
  const flow =
    row.publicationId === null
      ? await readDraftFlow(db, row.botId)
      : await loadPublication(db, tools, row.botId, row.publicationId)
  return flow ? { flow, ...row } : undefined
}

/** Returns a session for its visitor. A host of bots serves only sessions of its own bots. */
export async function findVisitorSession(
  { db, chat, now, visitedDomain }: Pick<Contexts['anyone'], 'db' | 'chat' | 'now' | 'visitedDomain'>,
  sessionId: string,
) {
  const session = await findSession(db, chat, sessionId, now)
  return session && (await isServedAt(db, visitedDomain, session.botId)) ? session : undefined
}

/**
 * Runs the lookup of every turn for a session that does not exist, and fails if the schema or the cluster cannot
 * respond. An unavailable node of a cluster does not count: it stops only chats of its own bots.
 */
export async function tryChat(db: Database) {
  const nobodys = { botId: '', sessionId: '', now: new Date(0).toISOString() }
  await sessionQueries(db)
    .readSession(nobodys)
    .catch((error) => {
      if (!topologyOf(db).runsTurnsOnNodes || /^(0A|42)/.test(sqlState(error) ?? '')) throw error
      // Reads a table that every node has: this fails too while the extension of the cluster is not upgraded.
      return db.$client.query('SELECT 1 FROM users LIMIT 1')
    })
}

export type Session = NonNullable<Awaited<ReturnType<typeof findSession>>>

/** Returns the age of the turn that a session was read after; undefined if another turn has followed. */
export async function readTurnAge(db: Database, { botId, sessionId, revision }: Session) {
  const [row] = await selectRows(
    db,
    { turnAge: turnAgeMs },
    (list) => sql`
      SELECT ${list} FROM ${chatSessions}
      WHERE bot_id = ${botId} AND id = ${sessionId} AND revision = ${revision}`,
  )
  return row?.turnAge
}

/** Returns the session that last wrote to a result of the granted bot. */
export async function findSessionOfResult(
  db: Database,
  { bot }: BotGrant,
  resultId: string,
): Promise<string | null> {
  const [row] = await db
    .select({ sessionId: results.lastChatSessionId })
    .from(results)
    .where(and(eq(results.botId, bot.id), eq(results.id, resultId)))
  return row?.sessionId ?? null
}

/**
 * Returns the target of a bot link in a live chat: the live publication of a bot of the same workspace, and its flow.
 */
export async function findLinkedPublication(
  db: Database,
  tools: ChatTools,
  botId: string,
  workspaceId: string,
) {
  const row = await sessionQueries(db).linked({ botId, workspaceId })
  if (!row) return null
  const flow = await loadPublication(db, tools, botId, row.publicationId)
  return flow && { flow, publicationId: row.publicationId }
}

/** Returns the flow of a publication, and caches it for later turns. */
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
  tools.flows.set(publicationId, flow, { size: countDraftCharacters(row) + 1_000 })
  return flow
}

/** The draft of a bot of this workspace, for links in a preview. */
export async function readLinkedDraft(
  db: Database,
  botId: string,
  workspaceId: string,
): Promise<Flow | null> {
  const [bot] = await db
    .select({ id: bots.id })
    .from(bots)
    .where(and(eq(bots.id, botId), eq(bots.workspaceId, workspaceId), isBotVisible()))
  return bot ? ((await readDraftFlow(db, botId)) ?? null) : null
}

export async function readDraftFlow(db: Database, botId: string): Promise<Flow | undefined> {
  const [row] = await db
    .select({ version: bots.version, draft: botDrafts })
    .from(bots)
    .innerJoin(botDrafts, eq(botDrafts.botId, bots.id))
    .where(eq(bots.id, botId))
  return row && toFlow(botId, row.version, row.draft)
}

/** The draft of a granted bot as a flow that runs. */
export async function readPreviewFlow(db: Database, grant: BotGrant): Promise<Flow | undefined> {
  const found = await readGrantedDraft(db, grant)
  return found && toFlow(found.bot.id, found.bot.version, found.draft)
}

/** A parsed document takes about so many for each character of its text. */
const BYTES_PER_FLOW_CHARACTER = 4

const flowBytes = new WeakMap<Flow, number>()

/** Returns about as many bytes as a flow takes in memory. */
export function bytesOfFlow(flow: Flow): number {
  return flowBytes.get(flow) ?? 0
}

function toFlow(botId: string, version: Version, draft: Draft): Flow {
  const flow = { ...convert(parseDraft(version, draft), '6.1'), id: botId }
  flowBytes.set(flow, BYTES_PER_FLOW_CHARACTER * countDraftCharacters(draft))
  return flow
}

// Earlier turns, for clients that come back and blocks that send them on

const MAX_TURNS_AT_ONCE = 1_000
/** Maximum characters of a chat in one read, for clients and for blocks. A single turn or answer is never cut. */
export const MAX_READ_CHARACTERS = 4_000_000

interface RevisionTurn extends Pick<StoredTurn, 'response'> {
  revision: number
  entries: ChatEntry[]
}

/** Returns the conversation up to the turn that was read, and the response of that turn. */
export async function readConversation(
  db: Database,
  session: Pick<Session, 'botId' | 'sessionId' | 'revision' | 'messageCount'>,
  { hasAuthors = false } = {},
) {
  const [stored, messages] = await Promise.all([
    readStoredTurns(db, session),
    session.messageCount === null ? [] : readMemberMessages(db, session, { hasAuthors }),
  ])
  // A message of a member comes after the turn that it names.
  const written = new Map<number, ChatEntry[]>()
  for (const { revision, turns } of messages) {
    const earlier = written.get(revision)
    if (earlier) earlier.push(...turns)
    else written.set(revision, turns)
  }
  const turns = stored.flatMap(({ revision, entries }) => [...entries, ...(written.get(revision) ?? [])])
  return { turns: turns.slice(-10_000), answer: stored.at(-1)?.response }
}

/** Returns the messages of members in a session after an ordinal, the last ones of very many. */
export async function readMemberMessages(
  db: Database,
  { botId, sessionId }: Pick<Session, 'botId' | 'sessionId'>,
  { after = 0, hasAuthors = false } = {},
): Promise<{ ordinal: number; revision: number; turns: ChatEntry[] }[]> {
  const rows = await selectRows(
    db,
    {
      ordinal: chatMessages.ordinal,
      revision: chatMessages.revision,
      userId: chatMessages.userId,
      bubbles: expression(sql`bubbles`, 'text'),
    },
    (list) => sql`
      SELECT ${list} FROM (
        SELECT *, sum(length(bubbles::text)) OVER (
          ORDER BY ordinal DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS newer FROM ${chatMessages}
        WHERE bot_id = ${botId} AND session_id = ${sessionId} AND ordinal > ${after}
      ) AS ${chatMessages} WHERE coalesce(newer, 0) < ${MAX_READ_CHARACTERS} ORDER BY ordinal`,
  )
  return rows.map(({ bubbles, userId, ...row }) => {
    const shown = JSON.parse(bubbles) as Bubble[]
    // Visitors do not learn who writes to them.
    const author = hasAuthors ? { userId } : {}
    return { ...row, turns: shown.map((message): ChatEntry => ({ role: 'member', message, ...author })) }
  })
}

/** Returns the response of the turn that was read, as JSON; null if it is no longer stored. */
export async function readLastResponse(
  db: Database,
  session: Pick<Session, 'botId' | 'sessionId' | 'revision'>,
): Promise<string | null> {
  const [turn] = await readStoredTurns(db, session, session.revision)
  return turn ? JSON.stringify(turn.response) : null
}

/**
 * Returns the last turns of a session, from a revision on to the one that was read, from all places that store them.
 */
export async function readStoredTurns(
  db: Database,
  { botId, sessionId, revision }: Pick<Session, 'botId' | 'sessionId' | 'revision'>,
  from = 1,
): Promise<RevisionTurn[]> {
  const rows = await selectRows(
    db,
    {
      // Null for those that the session has itself.
      revision: optional(expression(sql`found.revision`, 'integer')),
      encoded: expression(sql`found.encoded`, 'bytea'),
    },
    (list) => sql`
      SELECT ${list} FROM (
        SELECT NULL::integer AS revision, inline_turns AS encoded FROM ${chatSessions}
        WHERE bot_id = ${botId} AND id = ${sessionId} AND inline_turns IS NOT NULL
        UNION ALL
        (SELECT revision, turn FROM (
          SELECT *, sum(octet_length(turn)) OVER (
            ORDER BY revision DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS newer FROM ${chatTurns}
          WHERE bot_id = ${botId} AND session_id = ${sessionId} AND revision BETWEEN ${from} AND ${revision}
          ORDER BY revision DESC LIMIT ${MAX_TURNS_AT_ONCE}
        ) AS last WHERE coalesce(newer, 0) < ${MAX_READ_CHARACTERS})
      ) AS found ORDER BY revision DESC NULLS LAST`,
  )
  let left = MAX_READ_CHARACTERS
  const turns = rows.flatMap(({ revision, encoded }): RevisionTurn[] => {
    if (left <= 0) return []
    if (revision === null) return decodeTurns(encoded).map(toRevisionTurn)
    const text = decompressTurn(encoded)
    left -= text.length
    return [toRevisionTurn(JSON.parse(text))]
  })
  return turns
    .filter((turn) => turn.revision >= from && turn.revision <= revision)
    .sort((one, other) => one.revision - other.revision)
}

function toRevisionTurn({ said, response }: StoredTurn): RevisionTurn {
  const shown = response.messages.map((message): ChatEntry => ({ role: 'bot', message }))
  return { revision: response.revision, entries: [...said, ...shown], response }
}

/** Returns the last answers of a result; of a very long chat only as many as a block can use. */
export async function readLastAnswers(db: Database, botId: string, resultId: string): Promise<Answer[]> {
  const { blockId, content, attachedFileUrls } = resultAnswers
  const rows = await selectRows(
    db,
    { blockId, content, attachedFileUrls },
    (list) => sql`
      SELECT ${list} FROM (
        SELECT *, sum(octet_length(content)) OVER (
          ORDER BY seq DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS later FROM ${resultAnswers} WHERE bot_id = ${botId} AND result_id = ${resultId}
      ) AS ${resultAnswers} WHERE coalesce(later, 0) < ${MAX_READ_CHARACTERS} ORDER BY seq`,
  )
  return rows.map(({ attachedFileUrls, ...answer }) =>
    attachedFileUrls === null ? answer : { ...answer, attachedFileUrls },
  )
}

/**
 * Returns the transcript of a chat: the part written with its result, the parts with answers, and the parts of turns
 * without answers, which say how many answers precede them. A transcript longer than `maxCharacters` ends early.
 */
export async function readTranscript(
  db: Database,
  botId: string,
  resultId: string,
  maxCharacters = Number.POSITIVE_INFINITY,
): Promise<TranscriptEntry[]> {
  const isOf = sql`bot_id = ${botId} AND result_id = ${resultId}`
  const rows = await selectRows(
    db,
    {
      entries: expression(sql`kept.entries`, 'text'),
      answer: optional(expression(sql`kept.answer`, 'text')),
    },
    (list) => sql`
      SELECT ${list} FROM (SELECT *, sum(length(entries::text) + coalesce(length(answer), 0)) OVER (
        ORDER BY answers, part, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS earlier FROM (
        SELECT -1 AS answers, 0 AS part, '' AS id, transcript AS entries, NULL AS answer FROM ${results}
        WHERE bot_id = ${botId} AND id = ${resultId}
        UNION ALL
        SELECT seq, 1, '', transcript, content FROM ${resultAnswers} WHERE ${isOf}
        UNION ALL
        SELECT coalesce(nullif(split_part(id, '.', 2), '')::integer, 0), 0, id, entries, NULL
        FROM ${resultTranscripts} WHERE ${isOf}
      ) AS part_of_chat WHERE part_of_chat.entries IS NOT NULL) AS kept
      WHERE coalesce(kept.earlier, 0) < ${maxCharacters}::float8 ORDER BY kept.answers, kept.part, kept.id`,
  )
  return rows.flatMap(({ entries, answer }) => decodeTranscript(entries, answer))
}
