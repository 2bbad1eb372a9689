import { type SQL, sql } from 'drizzle-orm'
import { prepareBatchedQuery } from '../../db/batched-query.ts'
import { nodeOf } from '../../db/citus/nodes.ts'
import { topologyOf } from '../../db/citus/topology.ts'
import { type Database, type StatementContext, statements } from '../../db/client.ts'
import { bots, chatSessions, publicIds, publishedBots, results, webhookEndpoints } from '../../db/schema.ts'
import { expression, optional, prepareSelect } from '../../db/typed-select.ts'
import { isBotVisible } from '../../db/visible-bots.ts'
import { isResultUndeleted, isResultVisible } from '../../db/visible-results.ts'

/*
 * Lookups of a turn. On a cluster the node of the bot runs a function (`migrations/distribute.sql`) for those that
 * every turn needs: Citus would plan a join anew each time, on two nodes.
 */

/** Not null: the statements below join published bots only. */
const livePublication = expression(sql`${publishedBots.publicationId}`, 'text')

/**
 * Types of events that endpoints of the workspace subscribe to, by commas, * for all; null where there are no
 * endpoints.
 */
const subscribedEvents = optional(
  expression(
    sql`SELECT string_agg(coalesce(array_to_string(${webhookEndpoints.types}, ','), '*'), ',')
      FROM ${webhookEndpoints}
      WHERE ${webhookEndpoints.workspaceId} = ${bots.workspaceId} AND ${webhookEndpoints.isEnabled}`,
    'text',
  ),
)

function prepareStartLookup(...[db, named]: StatementContext) {
  return prepareBatchedQuery(
    db,
    named,
    'chat_start',
    { publicId: 'text', botId: 'text', resultId: 'text' },
    {
      botId: bots.id,
      workspaceId: bots.workspaceId,
      subscribedEvents,
      isClosed: bots.isClosed,
      publicationId: livePublication,
      publishedAt: publishedBots.updatedAt,
      earlierResultId: optional(results.id),
      earlierVariables: optional(expression(sql`${results.variables}`, 'text')),
    },
    (list, batch) => sql`
      SELECT ${list} FROM ${batch}
      JOIN ${publicIds} ON ${publicIds.publicId} = batch."publicId" AND ${publicIds.botId} = batch."botId"
      JOIN ${bots} ON ${bots.id} = batch."botId" AND ${isBotVisible()}
      JOIN ${publishedBots} ON ${publishedBots.botId} = batch."botId" AND ${publishedBots.publicationId} IS NOT NULL
      LEFT JOIN ${results} ON ${results.botId} = batch."botId" AND ${results.id} = batch."resultId"
        AND ${isResultUndeleted}`,
  )
}

/**
 * Milliseconds since the last turn of a session was written, by the clock of the database, which also set that
 * timestamp.
 */
export const turnAgeMs = expression(
  sql`date_part('epoch', clock_timestamp() - ${chatSessions.updatedAt}) * 1000`,
  'float8',
)

/** The columns of a session that a turn reads, besides those of the bot. */
const sessionShape = {
  sessionId: chatSessions.id,
  resultId: chatSessions.resultId,
  // JSON; null once the chat is over.
  state: optional(expression(sql`${chatSessions.state}`, 'text')),
  revision: chatSessions.revision,
  leaseId: chatSessions.leaseId,
  // JSON; see `update-session.ts`.
  memberEdits: optional(expression(sql`${chatSessions.memberEdits}`, 'text')),
  isEnded: expression(sql`${chatSessions.state} IS NULL`, 'boolean'),
  lastDigest: chatSessions.lastDigest,
  // Null while the bot handles the chat.
  handledBy: chatSessions.handledBy,
  assigneeId: chatSessions.assigneeId,
  messageCount: chatSessions.messageCount,
  expiresAt: chatSessions.expiresAt,
  createdAt: chatSessions.createdAt,
  // Null for a preview.
  publicationId: chatSessions.publicationId,
}

/**
 * Finds the session by its key first, in a subquery: a planner that assumes an empty table would otherwise scan all
 * sessions that have not expired.
 */
const fromSession = (list: SQL, batch: SQL) => sql`
  SELECT ${list} FROM ${batch}
  CROSS JOIN LATERAL (
    SELECT * FROM ${chatSessions} s WHERE s.bot_id = batch."botId" AND s.id = batch."sessionId" OFFSET 0
  ) AS ${chatSessions}
  JOIN ${bots} ON ${bots.id} = batch."botId" AND ${isBotVisible()}
  WHERE ${chatSessions.expiresAt} > batch.now
    AND CASE WHEN ${chatSessions.resultId} IS NULL THEN true
      ELSE ${isResultVisible(sql`batch."botId"`, sql`${chatSessions.resultId}`)} END`

function prepareSessionLookup(...[db, named]: StatementContext) {
  return prepareBatchedQuery(
    db,
    named,
    'chat_resume',
    { botId: 'text', sessionId: 'text', now: 'timestamptz' },
    {
      ...sessionShape,
      botId: bots.id,
      turnAge: turnAgeMs,
      workspaceId: bots.workspaceId,
      subscribedEvents,
      // In bytes.
      inlineTurnsBytes: expression(sql`coalesce(octet_length(${chatSessions.inlineTurns}), 0)`, 'integer'),
    },
    fromSession,
  )
}

/** The columns of a session that its followers read again and again. */
const followShape = {
  revision: sessionShape.revision,
  isEnded: sessionShape.isEnded,
  handledBy: sessionShape.handledBy,
  messageCount: sessionShape.messageCount,
  // Null unless a member is typing.
  typingForMs: optional(
    expression(
      sql`CASE WHEN ${chatSessions.typingUntil} > clock_timestamp()
        THEN date_part('epoch', ${chatSessions.typingUntil} - clock_timestamp()) * 1000 END`,
      'float8',
    ),
  ),
}

function prepareFollowLookup(...[db, named]: StatementContext) {
  return prepareBatchedQuery(
    db,
    named,
    'chat_follow',
    { botId: 'text', sessionId: 'text', now: 'timestamptz' },
    followShape,
    fromSession,
  )
}

/** On a cluster a node only knows if there are endpoints. */
const subscribedOnCitus = optional(expression(sql`CASE WHEN has_webhooks THEN '*' END`, 'text'))

const selectFromNode = (list: SQL) => sql`
      SELECT ${list} FROM read_chat_session(
        ${sql.placeholder('botId')}, ${sql.placeholder('sessionId')}, ${sql.placeholder('now')}) AS ${chatSessions}`

const nodeStatements = statements((db, named) => ({
  start: prepareSelect(
    db,
    named('chat_start_on_node'),
    {
      botId: expression(sql`bot_id`, 'text'),
      workspaceId: expression(sql`workspace_id`, 'text'),
      subscribedEvents: subscribedOnCitus,
      isClosed: expression(sql`is_closed`, 'boolean'),
      publicationId: expression(sql`publication_id`, 'text'),
      publishedAt: expression(sql`published_at`, 'timestamptz'),
      earlierResultId: optional(expression(sql`earlier_result_id`, 'text')),
      earlierVariables: optional(expression(sql`earlier_variables`, 'text')),
    },
    (list) => sql`
      SELECT ${list} FROM read_published_bot(
        ${sql.placeholder('botId')}, ${sql.placeholder('publicId')}, ${sql.placeholder('resultId')})`,
  ),
  resume: prepareSelect(
    db,
    named('chat_resume_on_node'),
    {
      ...sessionShape,
      botId: chatSessions.botId,
      // Always 0, so that callers which need the age query it: here it would come from the clock of the coordinator,
      // not of the node.
      turnAge: expression(sql`0`, 'float8'),
      workspaceId: expression(sql`workspace_id`, 'text'),
      subscribedEvents: subscribedOnCitus,
      inlineTurnsBytes: expression(sql`inline_turns_size`, 'integer'),
    },
    selectFromNode,
  ),
  follow: prepareSelect(db, named('chat_follow_on_node'), followShape, selectFromNode),
}))

async function startOnNode(db: Database, lookup: { publicId: string; botId: string; resultId: string }) {
  const [found] = await nodeStatements(await nodeOf(db, lookup.botId)).start(lookup)
  return found
}

async function readSessionOnNode(db: Database, lookup: { botId: string; sessionId: string; now: string }) {
  const [found] = await nodeStatements(await nodeOf(db, lookup.botId)).resume(lookup)
  return found
}

async function followOnNode(db: Database, lookup: { botId: string; sessionId: string; now: string }) {
  const [found] = await nodeStatements(await nodeOf(db, lookup.botId)).follow(lookup)
  return found
}

export const sessionQueries = statements((db, named) => ({
  ...(topologyOf(db).runsTurnsOnNodes
    ? {
        start: startOnNode.bind(null, db),
        readSession: readSessionOnNode.bind(null, db),
        follow: followOnNode.bind(null, db),
      }
    : {
        start: prepareStartLookup(db, named),
        readSession: prepareSessionLookup(db, named),
        follow: prepareFollowLookup(db, named),
      }),
  linked: prepareBatchedQuery(
    db,
    named,
    'chat_linked_bot',
    { botId: 'text', workspaceId: 'text' },
    { publicationId: livePublication },
    (list, batch) => sql`
      SELECT ${list} FROM ${batch}
      JOIN ${bots} ON ${bots.id} = batch."botId" AND ${bots.workspaceId} = batch."workspaceId"
        AND ${isBotVisible()}
      JOIN ${publishedBots} ON ${publishedBots.botId} = batch."botId" AND ${publishedBots.publicationId} IS NOT NULL`,
  ),
  holder: prepareSelect(
    db,
    named('chat_public_id'),
    { botId: publicIds.botId },
    (list) =>
      sql`SELECT ${list} FROM ${publicIds} WHERE ${publicIds.publicId} = ${sql.placeholder('publicId')}`,
  ),
}))
