import { and, eq, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { components } from '../../generated/openapi.ts'
import type { BotGrant } from '../access/index.ts'
import { prepareBatchedQuery } from '../db/batched-query.ts'
import { type Database, statements } from '../db/client.ts'
import { databaseError } from '../db/errors.ts'
import { toIso } from '../db/iso-time.ts'
import { after, MAX_PAGE_BYTES, newestFirst, type Position } from '../db/page.ts'
import { resultAnswers, resultLogs, results as table } from '../db/schema.ts'
import { expression, genericPlanParam, prepareSelect, type RowOf } from '../db/typed-select.ts'
import { asProperty } from '../kit/json/json-text.ts'
import type { ResultFilter } from './filter.ts'
import { packedResults, packedShape, type ResultPage, unpack } from './packed-page.ts'
import { inTurn } from './searches.ts'
import type { TimeRange } from './time-range.ts'

/** Maximum number of results that a page with a search examines, even if few match. The document says it too. */
export const MAX_EXAMINED_RESULTS = 800

/** Bytes of answers and variables that such a page examines: some tenths of a second of work. */
export const MAX_EXAMINED_BYTES = 24_000_000

/**
 * A result with its answers, whose query repeats the bot so that a cluster finds them on one node. Most answers are
 * two texts, of which PostgreSQL makes an object in half the time that it takes for values of any type.
 */
const resultShape = {
  id: table.id,
  createdAt: table.createdAt,
  variables: table.variables,
  isCompleted: table.isCompleted,
  hasStarted: table.hasStarted,
  lastChatSessionId: table.lastChatSessionId,
  answers: expression(
    sql`SELECT coalesce(json_agg(CASE WHEN a.attached_file_urls IS NULL
          THEN json_object(ARRAY['blockId', a.block_id, 'content', a.content])
          ELSE json_build_object(
            'blockId', a.block_id, 'content', a.content, 'attachedFileUrls', a.attached_file_urls) END
        ORDER BY a.seq), '[]')
      FROM ${resultAnswers} a WHERE a.bot_id = ${sql.placeholder('botId')} AND a.result_id = ${table.id}`,
    'json',
  ),
}

export type ResultRow = RowOf<typeof resultShape>

const status = sql`${sql.placeholder('status')}::text`
const sought = sql`${sql.placeholder('answerContains')}::text`
const variable = sql`${sql.placeholder('variable')}::text`
/** Letters with accents may come as one character or as two; texts that are sought come as one. */
const comparedContent = sql`CASE WHEN ${sought} ~ '[^\\x01-\\x7f]' THEN normalize(a.content) ELSE a.content END`
/** Values may have colons: the first one ends the name. */
const variableName = sql`split_part(${variable}, ':', 1)`
const variableValue = sql`substr(${variable}, strpos(${variable}, ':') + 1)`

/**
 * True if a result matches a filter. The conditions on answers and variables are aggregates: for an EXISTS the planner
 * would hash all answers of the bot.
 */
const isWanted = sql`(${status} IS NULL OR ${table.isCompleted} = (${status} = 'completed'))
  AND (${variable} IS NULL OR coalesce((
    SELECT bool_or(v.item->>'name' = ${variableName} AND CASE json_typeof(v.item->'value')
      WHEN 'array' THEN (
        SELECT bool_or(e.entry = ${variableValue})
        FROM json_array_elements_text(v.item->'value') AS e(entry)
      )
      ELSE v.item->>'value' = ${variableValue} END)
    FROM json_array_elements(${table.variables}) AS v(item)
  ), false))
  AND (${sought} IS NULL OR coalesce((
    SELECT bool_or(strpos(lower(${comparedContent}), lower(${sought})) > 0)
    FROM ${resultAnswers} a WHERE a.bot_id = ${sql.placeholder('botId')} AND a.result_id = ${table.id}
  ), false))`

const questionTypes = {
  botId: 'text',
  floor: 'timestamptz',
  from: 'timestamptz',
  to: 'timestamptz',
  createdAt: 'timestamptz',
  id: 'text',
  limit: 'integer',
} as const

/** A value of a question, as a statement has it. */
type Value = (name: keyof typeof questionTypes) => SQL

/** Results of a bot that are there, within a range. */
const ofBot = (value: Value) => sql`${table.botId} = ${value('botId')} AND NOT ${table.isArchived}
    AND ${table.createdAt} > ${value('floor')}
    AND ${table.createdAt} >= ${value('from')} AND ${table.createdAt} < ${value('to')}`

/** Those that are listed after a position. */
const isAfter = (value: Value) => sql`${table.hasStarted}
    AND (${table.createdAt}, ${table.id}) < (${value('createdAt')}, ${value('id')})`

const parameterOf: Value = (name) => sql`batch.${sql.identifier(name)}`

const examined = sql.raw(String(MAX_EXAMINED_RESULTS))
const maxExamined = sql.raw(String(MAX_EXAMINED_BYTES))
const maxPage = sql.raw(String(MAX_PAGE_BYTES))

/** Bytes of the answers of a result, computed without reading the long ones. */
const answerBytes = sql`(SELECT coalesce(sum(octet_length(a.content)
    + coalesce(octet_length(array_to_string(a.attached_file_urls, ',')), 0)), 0)
  FROM ${resultAnswers} a WHERE a.bot_id = ${sql.placeholder('botId')} AND a.result_id = ${table.id})`

/** Bytes that a filter looks through for a result. */
const lookedAtBytes = sql`CASE WHEN ${sought} IS NULL THEN 0 ELSE ${answerBytes} END
  + CASE WHEN ${variable} IS NULL THEN 0 ELSE octet_length(${table.variables}::text) END`

/** Rows are taken as they come: Drizzle would spend a tenth of the work for a page on mapping each cell. */
const resultStatements = statements((db, named) => {
  const given: Value = (name) => genericPlanParam(db, name, questionTypes[name])
  const inOrder = sql.join(newestFirst(table.createdAt, table.id), sql`, `)
  return {
    packed: prepareBatchedQuery(
      db,
      named,
      'result_page_packed',
      questionTypes,
      packedShape,
      (list, questions) =>
        sql`SELECT ${list} FROM ${questions} CROSS JOIN ${packedResults(
          parameterOf('botId'),
          sql`SELECT * FROM ${table} WHERE ${ofBot(parameterOf)} AND ${isAfter(parameterOf)}
          ORDER BY ${inOrder} LIMIT ${parameterOf('limit')}`,
        )}`,
    ),
    // Reads row by row until the page is full or large: PostgreSQL knows that a running count only grows, and stops at
    // the first result beyond. The last result that may be examined is always included, as the position of the next
    // page.
    search: prepareSelect(
      db,
      named('result_search'),
      {
        ...resultShape,
        isWanted: expression(sql`${table}.is_wanted`, 'boolean'),
        isLast: expression(sql`${table}.is_last`, 'boolean'),
        isFull: expression(sql`${table}.shown_bytes >= ${maxPage}`, 'boolean'),
      },
      (list) => sql`SELECT ${list} FROM (
          SELECT *, sum(own_bytes) OVER (ORDER BY ${inOrder} ROWS UNBOUNDED PRECEDING) AS shown_bytes FROM (
            SELECT ${table}.*, sized.own_bytes FROM (
              SELECT ${table}.*, sought.is_wanted FROM (
                SELECT * FROM (SELECT *, place = ${examined} OR examined_bytes >= ${maxExamined} AS is_last,
                  count(*) FILTER (WHERE examined_bytes - looked_at >= ${maxExamined})
                    OVER (ORDER BY ${inOrder} ROWS UNBOUNDED PRECEDING) AS results_beyond FROM (
                  SELECT *, row_number() OVER (ORDER BY ${inOrder} ROWS UNBOUNDED PRECEDING) AS place,
                    sum(looked_at) OVER (ORDER BY ${inOrder} ROWS UNBOUNDED PRECEDING) AS examined_bytes
                  FROM (
                    SELECT *, ${lookedAtBytes} AS looked_at FROM ${table}
                    WHERE ${ofBot(given)} AND ${isAfter(given)} ORDER BY ${inOrder} LIMIT ${examined}
                  ) AS ${table}
                ) AS ${table}) AS ${table} WHERE results_beyond < 1
              ) AS ${table} CROSS JOIN LATERAL (SELECT ${isWanted} AS is_wanted OFFSET 0) AS sought
              WHERE ${table}.is_last OR sought.is_wanted
              ORDER BY ${inOrder} LIMIT ${given('limit')}
            ) AS ${table} CROSS JOIN LATERAL (
              SELECT CASE WHEN is_wanted THEN octet_length(${table.variables}::text) + ${answerBytes} ELSE 0 END AS own_bytes OFFSET 0
            ) AS sized
          ) AS ${table}
        ) AS ${table} WHERE shown_bytes - own_bytes < ${maxPage} ORDER BY ${inOrder}`,
    ),
    // The last result that a part covers, and the one after it.
    part: prepareSelect(
      db,
      named('result_part'),
      { id: table.id, createdAt: table.createdAt },
      (list) => sql`SELECT ${list} FROM ${table}
        WHERE ${ofBot(given)} AND ${isAfter(given)} ORDER BY ${inOrder} OFFSET ${given('limit')} - 1 LIMIT 2`,
    ),
    tied: prepareSelect(
      db,
      named('results_tied'),
      { count: expression(sql`count(*)`, 'integer') },
      (list) => sql`SELECT ${list} FROM ${table}
        WHERE ${ofBot(given)} AND ${table.hasStarted}
          AND ${table.createdAt} = ${sql.placeholder('createdAt')}::timestamptz AND ${table.id} < ${sql.placeholder('id')}
          AND (${status} IS NULL OR ${table.isCompleted} = (${status} = 'completed'))`,
    ),
    one: prepareSelect(
      db,
      named('result'),
      resultShape,
      (list) =>
        sql`SELECT ${list} FROM ${table} WHERE ${ofBot(given)} AND ${table.id} = ${sql.placeholder('resultId')}`,
    ),
  }
})

/** Half-open, and only results that are not deleted. */
function rangeOf({ bot }: BotGrant, { from, to }: TimeRange) {
  return {
    floor: bot.resultsFloorAt?.toISOString() ?? '-infinity',
    from: from?.toISOString() ?? '-infinity',
    to: to?.toISOString() ?? 'infinity',
  }
}

/** A page of at most this many characters does not delay the other pages in its batch. */
const MAX_LIGHT_CHARACTERS = 64_000

/** Bots of which the last page was no longer. */
const lightBots = new LRUCache<string, true>({ max: 10_000 })

/** A page of started results that a filter wants after a position, newest first. */
export async function resultPage(
  db: Database,
  grant: BotGrant,
  filter: ResultFilter,
  position: Position,
  limit: number,
): Promise<ResultPage> {
  const { range, ...sought } = filter
  const isOfAll = Object.values(sought).every((value) => value === null)
  if (isOfAll && lightBots.has(grant.bot.id)) {
    const page = await packedPage(db, grant, range, position, limit)
    if (page) return page
  }
  const { rows, end } = await resultRows(db, grant, filter, position, limit)
  if (isOfAll && lengthOf(rows) <= MAX_LIGHT_CHARACTERS) lightBots.set(grant.bot.id, true)
  return { results: rows.map((row) => toResult(grant.bot.id, row)), end }
}

/**
 * The same of all results within a range, read together with other pages. Undefined if that fails or the page is
 * long: the database takes twice as long to pack long results as to send them.
 */
async function packedPage(
  db: Database,
  grant: BotGrant,
  range: TimeRange,
  position: Position,
  limit: number,
): Promise<ResultPage | undefined> {
  const { id } = grant.bot
  try {
    const packed = await resultStatements(db).packed(valuesOf(grant, range, position, limit + 1))
    if (!packed || packed.text.length + packed.variables.length > MAX_LIGHT_CHARACTERS) lightBots.delete(id)
    return packed && unpack(packed, id, limit)
  } catch (error) {
    lightBots.delete(id)
    if (databaseError(error) instanceof pg.DatabaseError) return undefined
    throw error
  }
}

/** Characters of the answers and variables. */
export function lengthOf(rows: readonly ResultRow[]): number {
  return rows.reduce((sum, { answers, variables }) => sum + answers.length + variables.length, 0)
}

/**
 * The same with one row per result. Fewer rows than `limit` do not mean the end: the number of examined results is
 * bounded.
 */
export async function resultRows(
  db: Database,
  grant: BotGrant,
  { range, ...sought }: ResultFilter,
  position: Position,
  limit: number,
): Promise<{ rows: ResultRow[]; end: Position | undefined }> {
  // One extra row shows if others follow.
  const values = { ...valuesOf(grant, range, position, limit + 1), ...sought }
  const found = await inTurn(grant.bot.workspaceId, () => resultStatements(db).search(values))
  const wanted = found.filter((row) => row.isWanted)
  const rows = wanted.slice(0, limit)
  if (wanted.length > limit) return { rows, end: rows.at(-1) }
  const last = found.at(-1)
  return { rows, end: last?.isLast || last?.isFull ? last : undefined }
}

function valuesOf(grant: BotGrant, range: TimeRange, { createdAt, id }: Position, limit: number) {
  return {
    botId: grant.bot.id,
    // The position bounds the range too: of two bounds on the time PostgreSQL begins at either, and at the
    // looser one it would walk through all pages before this one.
    ...rangeOf(grant, { from: range.from, to: earlier(range.to, new Date(createdAt.getTime() + 1)) }),
    createdAt: createdAt.toISOString(),
    id,
    limit,
  }
}

/** Returns the end of a part that covers `limit` results after a position; undefined if no results follow. */
export async function partEnd(
  db: Database,
  grant: BotGrant,
  { range }: ResultFilter,
  position: Position,
  limit: number,
): Promise<Position | undefined> {
  const [last, next] = await resultStatements(db).part(valuesOf(grant, range, position, limit))
  return next && last
}

/** Counts the results of a status that come after a position and share its timestamp. */
export async function countTied(
  db: Database,
  grant: BotGrant,
  { range, status }: Pick<ResultFilter, 'range' | 'status'>,
  { createdAt, id }: Position,
): Promise<number> {
  const values = {
    botId: grant.bot.id,
    ...rangeOf(grant, range),
    status,
    createdAt: createdAt.toISOString(),
    id,
  }
  const [row] = await resultStatements(db).tied(values)
  return row?.count ?? 0
}

function earlier(end: Date | null, other: Date): Date {
  return end !== null && end < other ? end : other
}

/** A result as callers see it. */
export function toResult(botId: string, row: ResultRow): components['schemas']['Result'] {
  return {
    id: row.id,
    createdAt: toIso(row.createdAt),
    botId,
    variables: asProperty(row.variables),
    isCompleted: row.isCompleted,
    hasStarted: row.hasStarted,
    isArchived: false,
    lastChatSessionId: row.lastChatSessionId,
    answers: asProperty(row.answers),
  }
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
