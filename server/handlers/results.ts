import { and, desc, eq, sql } from 'drizzle-orm'
import type { ResultsHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { BotGrant } from '../access/index.ts'
import { requestPurge } from '../background/purge.ts'
import { transcriptOf } from '../chat/store.ts'
import type { Contexts } from '../context.ts'
import { type Database, prepareSql, statements, transact } from '../db/client.ts'
import { after, beginning, cut, newestFirst, type Position, readCursor, writeCursor } from '../db/page.ts'
import { bots, resultAnswers, resultLogs, resultTranscripts, results as table } from '../db/schema.ts'
import { JsonText, stored } from '../json/json-text.ts'
import { exportLines } from '../results/export.ts'
import { lateBefore, raiseEpochs } from '../results/stats-rollup.ts'
import { type TimeRange, timeRange } from '../results/time-range.ts'

export const results: ResultsHandlers<Contexts> = {
  async listResults({ query }, reply, { db, grant, now, cursorKey }) {
    const scope = ['results', grant.bot.id, query.timeFilter, query.timeZone]
    const from =
      query.cursor === undefined ? { position: beginning } : readCursor(cursorKey, scope, query.cursor)
    if ('issue' in from) return reply.fail('BAD_REQUEST', [from.issue])
    const range = timeRange(query.timeFilter, query.timeZone, now)
    const { page, last } = cut(await resultPage(db, grant, range, from.position, query.limit), query.limit)
    return reply.ok({
      results: page.map((row) => toResult(grant.bot.id, row)),
      nextCursor: last ? writeCursor(cursorKey, scope, last) : null,
    })
  },

  async deleteResults({ query }, reply, { db, grant, now }) {
    if (query.resultIds === undefined) await deleteAll(db, grant, now)
    else await deleteSome(db, grant, [...new Set(query.resultIds.split(','))], now)
    return reply.ok({ message: 'success' })
  },

  async getResult({ params }, reply, { db, grant }) {
    const row = await resultOf(db, grant, params.resultId)
    return row ? reply.ok({ result: toResult(grant.bot.id, row) }) : reply.fail('NOT_FOUND')
  },

  async getTranscript({ params }, reply, { db, grant }) {
    if (!(await resultOf(db, grant, params.resultId))) return reply.fail('NOT_FOUND')
    return reply.ok({ transcript: await transcriptOf(db, grant.bot.id, params.resultId) })
  },

  async listResultLogs({ params, query }, reply, { db, grant, cursorKey }) {
    const scope = ['logs', grant.bot.id, params.resultId]
    const from =
      query.cursor === undefined ? { position: beginning } : readCursor(cursorKey, scope, query.cursor)
    if ('issue' in from) return reply.fail('BAD_REQUEST', [from.issue])
    if (!(await resultOf(db, grant, params.resultId))) return reply.fail('NOT_FOUND')
    const rows = await logsOf(db, grant, params.resultId, from.position, query.limit)
    const { page, last } = cut(rows, query.limit)
    return reply.ok({
      logs: page.map(({ botId: _, createdAt, ...log }) => ({ ...log, createdAt: createdAt.toISOString() })),
      nextCursor: last ? writeCursor(cursorKey, scope, last) : null,
    })
  },

  async exportResults({ query }, reply, { db, grant, now }) {
    return reply.ok(exportLines(db, grant, timeRange(query.timeFilter, query.timeZone, now)))
  },
}

/** A result as a page reads it: with its answers, and documents as the text they are. */
export interface ResultRow {
  id: string
  createdAt: Date
  variables: string
  isCompleted: boolean
  hasStarted: boolean
  lastChatSessionId: string | null
  answers: string
}

/** Rows are taken as they come: what Drizzle does to each cell would be a tenth of the work for a page. */
const resultStatements = statements((db, named) => {
  const columns = sql`${table.id}, ${table.createdAt} AS "createdAt", ${table.variables},
    ${table.isCompleted} AS "isCompleted", ${table.hasStarted} AS "hasStarted",
    ${table.lastChatSessionId} AS "lastChatSessionId", (
      SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
        'blockId', a.block_id, 'content', a.content, 'attachedFileUrls', a.attached_file_urls
      )) ORDER BY a.seq), '[]')
      FROM ${resultAnswers} a WHERE a.bot_id = ${table.botId} AND a.result_id = ${table.id}
    ) AS answers`
  const ofBot = sql`${table.botId} = ${sql.placeholder('botId')} AND NOT ${table.isArchived} AND ${inRange}`
  return {
    page: prepareSql<ResultRow>(
      db,
      named('result_page'),
      sql`SELECT ${columns} FROM ${table}
        WHERE ${ofBot} AND ${table.hasStarted} AND ${after(table.createdAt, table.id)}
        ORDER BY ${sql.join(newestFirst(table.createdAt, table.id), sql`, `)} LIMIT ${sql.placeholder('limit')}`,
    ),
    one: prepareSql<ResultRow>(
      db,
      named('result'),
      sql`SELECT ${columns} FROM ${table} WHERE ${ofBot} AND ${table.id} = ${sql.placeholder('resultId')}`,
    ),
  }
})

/** Half-open, and only what was not deleted; see `rangeOf` for the placeholders. */
export const inRange = sql`${table.createdAt} > ${sql.placeholder('floor')}::timestamptz
  AND ${table.createdAt} >= ${sql.placeholder('from')}::timestamptz
  AND ${table.createdAt} < ${sql.placeholder('to')}::timestamptz`

export function rangeOf({ bot }: BotGrant, { from, to }: TimeRange) {
  return {
    floor: bot.resultsFloorAt?.toISOString() ?? '-infinity',
    from: from?.toISOString() ?? '-infinity',
    to: to?.toISOString() ?? 'infinity',
  }
}

export async function resultPage(
  db: Database,
  grant: BotGrant,
  range: TimeRange,
  { createdAt, id }: Position,
  limit: number,
): Promise<ResultRow[]> {
  const { rows } = await resultStatements(db).page({
    botId: grant.bot.id,
    // The position bounds the range too: of two bounds on the time PostgreSQL begins at either, and at the
    // looser one it would walk through all pages before this one.
    ...rangeOf(grant, { from: range.from, to: earlier(range.to, new Date(createdAt.getTime() + 1)) }),
    createdAt: createdAt.toISOString(),
    id,
    limit: limit + 1,
  })
  return rows
}

function earlier(end: Date | null, other: Date): Date {
  return end !== null && end < other ? end : other
}

async function resultOf(db: Database, grant: BotGrant, resultId: string) {
  const everything = rangeOf(grant, { from: null, to: null })
  const { rows } = await resultStatements(db).one({ botId: grant.bot.id, resultId, ...everything })
  return rows[0]
}

async function logsOf(db: Database, { bot }: BotGrant, resultId: string, position: Position, limit: number) {
  return db
    .select()
    .from(resultLogs)
    .where(
      and(
        eq(resultLogs.botId, bot.id),
        eq(resultLogs.resultId, resultId),
        after(resultLogs.createdAt, resultLogs.id, position),
      ),
    )
    .orderBy(desc(resultLogs.createdAt), desc(resultLogs.id))
    .limit(limit + 1)
}

function toResult(botId: string, row: ResultRow): components['schemas']['Result'] {
  return {
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    botId,
    variables: stored(new JsonText(row.variables)),
    isCompleted: row.isCompleted,
    hasStarted: row.hasStarted,
    isArchived: false,
    lastChatSessionId: row.lastChatSessionId,
    answers: stored(new JsonText(row.answers)),
  }
}

/** Moves the floor under which results do not exist, which takes the same time for one as for millions. */
async function deleteAll(db: Database, { bot }: BotGrant, now: Date) {
  await transact(db, async (tx) => {
    // It never sinks, whatever the clocks of two processes say: what was deleted would come back.
    const floor = sql`greatest(${bots.resultsFloorAt}, ${now.toISOString()}::timestamptz)`
    await tx.update(bots).set({ resultsFloorAt: floor }).where(eq(bots.id, bot.id))
    await requestPurge(tx, bot.id, now)
  })
}

async function deleteSome(db: Database, { bot }: BotGrant, ids: string[], now: Date) {
  const named = sql`bot_id = ${bot.id} AND result_id = ANY(${sql.param(ids)})`
  await db.execute(sql`
    WITH answers AS (DELETE FROM ${resultAnswers} WHERE ${named}),
    logs AS (DELETE FROM ${resultLogs} WHERE ${named}),
    transcripts AS (DELETE FROM ${resultTranscripts} WHERE ${named}),
    doomed AS (
      SELECT id FROM ${table} WHERE bot_id = ${bot.id} AND id = ANY(${sql.param(ids)}) ORDER BY id FOR UPDATE
    ),
    removed AS (
      DELETE FROM ${table} WHERE bot_id = ${bot.id} AND id = ANY(ARRAY(SELECT id FROM doomed))
      RETURNING bot_id, created_at
    )
    ${raiseEpochs(sql`SELECT bot_id, created_at FROM removed WHERE created_at < ${lateBefore(now)}::timestamptz`)}`)
}
