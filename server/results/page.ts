import { and, eq, sql } from 'drizzle-orm'
import type { BotGrant } from '../access/index.ts'
import { type Database, statements } from '../db/client.ts'
import { after, newestFirst, type Position } from '../db/page.ts'
import { resultAnswers, resultLogs, results as table } from '../db/schema.ts'
import { expression, prepareSelect, type RowOf } from '../db/selection.ts'
import type { TimeRange } from './time-range.ts'

/** A result with its answers. */
const resultShape = {
  id: table.id,
  createdAt: table.createdAt,
  variables: table.variables,
  isCompleted: table.isCompleted,
  hasStarted: table.hasStarted,
  lastChatSessionId: table.lastChatSessionId,
  answers: expression(
    sql`SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
        'blockId', a.block_id, 'content', a.content, 'attachedFileUrls', a.attached_file_urls
      )) ORDER BY a.seq), '[]')
      FROM ${resultAnswers} a WHERE a.bot_id = ${table.botId} AND a.result_id = ${table.id}`,
    'json',
  ),
}

export type ResultRow = RowOf<typeof resultShape>

/** Rows are taken as they come: what Drizzle does to each cell would be a tenth of the work for a page. */
const resultStatements = statements((db, named) => {
  const ofBot = sql`${table.botId} = ${sql.placeholder('botId')} AND NOT ${table.isArchived} AND ${inRange}`
  return {
    page: prepareSelect(
      db,
      named('result_page'),
      resultShape,
      (list) => sql`SELECT ${list} FROM ${table}
        WHERE ${ofBot} AND ${table.hasStarted} AND ${after(table.createdAt, table.id)}
        ORDER BY ${sql.join(newestFirst(table.createdAt, table.id), sql`, `)} LIMIT ${sql.placeholder('limit')}`,
    ),
    one: prepareSelect(
      db,
      named('result'),
      resultShape,
      (list) =>
        sql`SELECT ${list} FROM ${table} WHERE ${ofBot} AND ${table.id} = ${sql.placeholder('resultId')}`,
    ),
  }
})

/** Half-open, and only what was not deleted; see `rangeOf` for the placeholders. */
const inRange = sql`${table.createdAt} > ${sql.placeholder('floor')}::timestamptz
  AND ${table.createdAt} >= ${sql.placeholder('from')}::timestamptz
  AND ${table.createdAt} < ${sql.placeholder('to')}::timestamptz`

function rangeOf({ bot }: BotGrant, { from, to }: TimeRange) {
  return {
    floor: bot.resultsFloorAt?.toISOString() ?? '-infinity',
    from: from?.toISOString() ?? '-infinity',
    to: to?.toISOString() ?? 'infinity',
  }
}

/** Started results within a range after a position, newest first. */
export async function resultPage(
  db: Database,
  grant: BotGrant,
  range: TimeRange,
  { createdAt, id }: Position,
  limit: number,
): Promise<ResultRow[]> {
  return resultStatements(db).page({
    botId: grant.bot.id,
    // The position bounds the range too: of two bounds on the time PostgreSQL begins at either, and at the
    // looser one it would walk through all pages before this one.
    ...rangeOf(grant, { from: range.from, to: earlier(range.to, new Date(createdAt.getTime() + 1)) }),
    createdAt: createdAt.toISOString(),
    id,
    limit,
  })
}

function earlier(end: Date | null, other: Date): Date {
  return end !== null && end < other ? end : other
}

/** One result of the granted bot. */
export async function resultOf(db: Database, grant: BotGrant, resultId: string) {
  const everything = rangeOf(grant, { from: null, to: null })
  const [row] = await resultStatements(db).one({ botId: grant.bot.id, resultId, ...everything })
  return row
}

/** Logs of a result after a position, newest first. */
export function logPage(
  db: Database,
  { bot }: BotGrant,
  resultId: string,
  position: Position,
  limit: number,
) {
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
    .orderBy(...newestFirst(resultLogs.createdAt, resultLogs.id))
    .limit(limit)
}
