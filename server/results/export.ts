import { stringify } from 'csv-stringify/sync'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { BotGrant } from '../access/index.ts'
import type { Database } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { firstPosition, type Position } from '../db/page.ts'
import { botStatsDaily, resultAnswers } from '../db/schema.ts'
import { encode } from '../kit/json/json-text.ts'
import { countBlocks } from './block-stats.ts'
import { blockKey, type Column, columnsOf, type ResultColumns, readFlows } from './columns.ts'
import { ofStatus, type ResultFilter } from './filter.ts'
import {
  countTied,
  lengthOf,
  MAX_EXAMINED_RESULTS,
  partEnd,
  type ResultRow,
  resultRows,
  toResult,
} from './page.ts'
import { countResults, requestRollup } from './stats.ts'

export interface Part {
  /** Number of results from its beginning on. */
  remaining: number
  /** Position of the next part; undefined for the last one. */
  end: Position | undefined
  /** Read when the caller consumes them. */
  lines: AsyncIterable<string>
}

/**
 * A part of an export. Its end is determined before it is read, so that two attempts return the same results, except
 * for those that were deleted in between.
 */
export async function exportPart(
  db: Database,
  grant: BotGrant,
  filter: ResultFilter,
  from: Position,
  { format, limit }: { format: 'csv' | 'jsonl'; limit?: number | undefined },
  now: Date,
): Promise<Part> {
  const [remaining, end] = await Promise.all([
    countFrom(db, grant, filter, from, now),
    limit === undefined ? undefined : partEnd(db, grant, filter, from, limit),
  ])
  const pages = pagesOf(db, grant, filter, from, end)
  return {
    remaining,
    end,
    lines: format === 'csv' ? csvLines(db, grant, pages, now) : jsonLines(grant, pages),
  }
}

async function countFrom(
  db: Database,
  grant: BotGrant,
  { range, status }: ResultFilter,
  from: Position,
  now: Date,
): Promise<number> {
  const to = range.to && range.to < from.createdAt ? range.to : from.createdAt
  const before = from === firstPosition ? range : { from: range.from, to }
  const [stats, tied] = await Promise.all([
    countResults(db, grant, before, now),
    from === firstPosition ? 0 : countTied(db, grant, { range, status }, from),
  ])
  return ofStatus(stats, status).totalStarts + tied
}

/** Number of results in the first read, when their lengths are unknown. */
const FIRST_PAGE_RESULTS = 50

/** Maximum characters of answers and variables per read, estimated from earlier results. */
const MAX_PAGE_CHARACTERS = 8_000_000

/** Maximum characters of an export that become text in one piece: some ten milliseconds of work. */
const MAX_PIECE_CHARACTERS = 1_000_000

/** Rows in pieces that are short enough to become text without a break. */
export function* piecesOf(rows: ResultRow[]): Generator<ResultRow[]> {
  let piece: ResultRow[] = []
  let length = 0
  for (const row of rows) {
    piece.push(row)
    length += lengthOf([row])
    if (length < MAX_PIECE_CHARACTERS) continue
    yield piece
    piece = []
    length = 0
  }
  yield piece
}

/** The results of a part, in pages, so that memory depends on neither their number nor their length. */
async function* pagesOf(
  db: Database,
  grant: BotGrant,
  { range, ...sought }: ResultFilter,
  from: Position,
  last: Position | undefined,
): AsyncGenerator<ResultRow[]> {
  const filter = { ...sought, range: last ? { from: last.createdAt, to: range.to } : range }
  const isWithin = ({ createdAt, id }: Position) =>
    last === undefined || createdAt > last.createdAt || id >= last.id
  let position: Position | undefined = from
  let limit = FIRST_PAGE_RESULTS
  while (position) {
    const { rows, end } = await resultRows(db, grant, filter, position, limit)
    position = end && isWithin(end) ? end : undefined
    if (rows.length > 0)
      limit = Math.max(
        1,
        Math.min(MAX_EXAMINED_RESULTS, Math.floor((MAX_PAGE_CHARACTERS * rows.length) / lengthOf(rows))),
      )
    yield* piecesOf(rows.filter(isWithin))
  }
}

async function* jsonLines({ bot }: BotGrant, pages: AsyncIterable<ResultRow[]>): AsyncGenerator<string> {
  for await (const page of pages) {
    // Stored documents may have line feeds between their parts, and nowhere else.
    const lines = page.map((row) =>
      [encode(toResult(bot.id, row))]
        .flat()
        .join('')
        .replaceAll(/[\r\n]/g, ''),
    )
    if (lines.length > 0) yield lines.map((line) => `${line}\n`).join('')
  }
}

async function* csvLines(
  db: Database,
  grant: BotGrant,
  pages: AsyncIterable<ResultRow[]>,
  now: Date,
): AsyncGenerator<string> {
  const columns = columnsOf(await readFlows(db, grant))
  const deletedColumns = await addDeletedBlocks(db, grant, columns, now)
  const shown = [...columns.questions, ...deletedColumns, ...columns.others]
  // Column titles are sent with the first page, once the results are known to be readable.
  const lines = [distinct(['Result', 'Submitted at', 'Completed', ...shown.map(({ title }) => title)])]
  for await (const page of pages) {
    const botsOfAnswers = await readBotsOfAnswers(db, grant, page)
    for (const row of page) {
      const cells = cellsOf(row, grant.bot.id, columns, botsOfAnswers.get(row.id))
      lines.push([
        row.id,
        row.createdAt.toISOString(),
        String(row.isCompleted),
        ...shown.map((column) => cells.get(column) ?? ''),
      ])
    }
    if (lines.length > 0) yield toCsv(lines.splice(0))
  }
}

function toCsv(lines: string[][]): string {
  return stringify(lines, {
    record_delimiter: 'windows',
    // Each of them ends a row, or a cell, for some readers.
    quoted_match: /[\r\n;\t]/,
    cast: { string: guardFormulas },
  })
}

/**
 * A text without formulas for any reader: another separator than the comma, or a line break, may begin a cell for some
 * spreadsheets. Each part that would be a formula gets a quote in front, which spreadsheets take for "this is text".
 */
function guardFormulas(text: string): string {
  const parts = text.replaceAll(/[^;,\t\r\n]+/g, (part) => (isFormula(part) ? `'${part}` : part))
  return /^[\t\r]/.test(text) ? `'${parts}` : parts
}

/**
 * True if a spreadsheet would take the text for a formula, also after blanks and invisible characters. A sign alone
 * makes none: numbers and phone numbers such as `-5`, `+33612345678` and `+1 (555) 123-4567` stay as they are. Digits
 * with only dashes between them are a sum.
 */
function isFormula(part: string): boolean {
  const text = part.replace(/^[\s\p{Cf}\p{Cc}]+/u, '')
  if (!/^[=+\-@＝＋－＠]/.test(text)) return false
  if (/^[+-][\d .()]*$/.test(text)) return false
  return !/^[+-][\d .()-]*$/.test(text) || !/\d[ ()]+\d/.test(text)
}

/** The bots of the answers of results, in their order, of those results that have answers to linked bots. */
async function readBotsOfAnswers(
  db: Database,
  { bot }: BotGrant,
  page: readonly ResultRow[],
): Promise<Map<string, string[]>> {
  if (page.length === 0) return new Map()
  const { botId, resultId, blockBotId, seq } = resultAnswers
  const rows = await db
    .select({
      resultId,
      botIds: sql<string[]>`array_agg(coalesce(${blockBotId}, ${botId}) ORDER BY ${seq})`,
    })
    .from(resultAnswers)
    .where(
      and(
        eq(botId, bot.id),
        inArray(
          resultId,
          page.map(({ id }) => id),
        ),
      ),
    )
    .groupBy(resultId)
    .having(sql`bool_or(${blockBotId} IS NOT NULL)`)
  return new Map(rows.map((row) => [row.resultId, row.botIds]))
}

/** The cells of a result: the final value of a variable, or all answers if it equals the last of them. */
function cellsOf(
  row: ResultRow,
  ownId: string,
  columns: ResultColumns,
  botIds: readonly string[] | undefined,
): Map<Column, string> {
  const answers = new Map<Column, string[]>()
  const given = JSON.parse(row.answers.text) as { blockId: string; content: string }[]
  for (const [index, { blockId, content }] of given.entries()) {
    const column = columns.ofBlocks.get(blockKey(botIds?.[index] ?? ownId, blockId))
    if (!column) continue
    const earlier = answers.get(column)
    if (earlier) earlier.push(content)
    else answers.set(column, [content])
  }
  const cells = new Map([...answers].map(([column, contents]) => [column, contents.join(', ')]))
  const own = new Set<Column>()
  for (const { id, name, value } of JSON.parse(row.variables.text) as Held[]) {
    const found = columns.ofVariable(id, name)
    // A variable of an earlier name gives way to the one that has the column now.
    if (!found || (own.has(found.column) && !found.isOwn)) continue
    if (found.isOwn) own.add(found.column)
    const text = Array.isArray(value) ? value.map((item) => item ?? '').join(', ') : String(value)
    if (answers.get(found.column)?.at(-1) !== text) cells.set(found.column, text)
  }
  return cells
}

interface Held {
  id: string
  name: string
  value: unknown
}

/**
 * Gives a column to each answered block that is in no flow any more. Returns those that are shown only for these
 * blocks.
 */
async function addDeletedBlocks(
  db: Database,
  grant: BotGrant,
  { ofBlocks, ofEarlierBlocks, questions, others }: ResultColumns,
  now: Date,
): Promise<Column[]> {
  const shown = new Set([...questions, ...others])
  const deletedColumns = (await answeredBlocks(db, grant, now)).filter(({ key }) => !ofBlocks.has(key))
  const columns = deletedColumns
    .sort((one, other) => (one.blockId < other.blockId ? -1 : 1))
    .map(({ key, blockId }) => {
      const column = ofEarlierBlocks.get(key) ?? { title: `Deleted block ${blockId}` }
      ofBlocks.set(key, column)
      return column
    })
  return columns.filter((column) => !shown.has(column))
}

/**
 * From the counts of whole days, so that the export of a bot with a million answers begins as soon as that of a small
 * one; these lack answers to linked bots. A bot without a counted day usually has few results: all its answers are
 * read, which is faster than to count them.
 */
async function answeredBlocks(
  db: Database,
  grant: BotGrant,
  now: Date,
): Promise<{ key: string; blockId: string }[]> {
  const { botId, day, epoch, blocksEpoch } = botStatsDaily
  const [counted] = await db
    .select({ day })
    .from(botStatsDaily)
    .where(and(eq(botId, grant.bot.id), eq(blocksEpoch, epoch)))
    .limit(1)
  if (!counted) {
    const rows = await db
      .selectDistinct({ blockId: resultAnswers.blockId, blockBotId: resultAnswers.blockBotId })
      .from(resultAnswers)
      .where(eq(resultAnswers.botId, grant.bot.id))
      .catch(async (error) => {
        // So many answers that only the background can count them.
        if (sqlState(error) === '57014') await requestRollup(db, grant.bot.id, now, true)
        throw error
      })
    return rows.map(({ blockId, blockBotId }) => ({
      blockId,
      key: blockKey(blockBotId ?? grant.bot.id, blockId),
    }))
  }
  const counts = await countBlocks(db, grant, { from: null, to: null }, null, now)
  return [...counts].flatMap(([blockId, { answered }]) =>
    answered > 0 ? [{ blockId, key: blockKey(grant.bot.id, blockId) }] : [],
  )
}

/** Further columns of one title are numbered: `Title`, `Title (1)`, and so on, as in bodies and e-mails. */
function distinct(given: string[]): string[] {
  const titles = new Set(given)
  const seen = new Set<string>()
  return given.map((wanted) => {
    let title = wanted
    // A number that makes the title of another column is passed over.
    for (let number = 1; seen.has(title) || (title !== wanted && titles.has(title)); number++)
      title = `${wanted} (${number})`
    seen.add(title)
    return title
  })
}
