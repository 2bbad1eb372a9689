import { stringify } from 'csv-stringify/sync'
import { and, eq } from 'drizzle-orm'
import type { BotGrant } from '../access/index.ts'
import { parseDraft, withDraft } from '../bots/drafts.ts'
import type { Database } from '../db/client.ts'
import { beginning, type Position } from '../db/page.ts'
import { botStatsDaily, resultAnswers } from '../db/schema.ts'
import { encode } from '../json/json-text.ts'
import { countBlocks } from './block-stats.ts'
import { ofStatus, type ResultFilter } from './filter.ts'
import { countTied, EXAMINED, lengthOf, partEnd, type ResultRow, resultRows, toResult } from './page.ts'
import { countResults } from './stats.ts'

interface Column {
  title: string
  value: (result: ParsedResult) => string
}

interface ParsedResult {
  id: string
  createdAt: Date
  isCompleted: boolean
  answers: Map<string, string>
  variables: Map<string, string>
}

export interface Part {
  /** How many results there are from its beginning on. */
  remaining: number
  /** Where the next one begins; undefined where this is the last one. */
  end: Position | undefined
  /** Read as they are asked for. */
  lines: AsyncIterable<string>
}

/**
 * A part of an export. Where it ends is known before it is read, so that whoever reads it in two attempts gets the
 * same results, but for those that were deleted in between.
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
  const before = from === beginning ? range : { from: range.from, to }
  const [stats, tied] = await Promise.all([
    countResults(db, grant, before, now),
    from === beginning ? 0 : countTied(db, grant, { range, status }, from),
  ])
  return ofStatus(stats, status).totalStarts + tied
}

/** How many results are read first, when it is not known how long they are. */
const FIRST_PAGE = 50

/** Characters of answers and variables that are read at once, as far as the results before tell. */
const LONGEST_PAGE = 8_000_000

/** The results of a part, so many at a time that memory depends neither on how many there are nor on how long they are. */
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
  let limit = FIRST_PAGE
  while (position) {
    const { rows, end } = await resultRows(db, grant, filter, position, limit)
    position = end && isWithin(end) ? end : undefined
    if (rows.length > 0)
      limit = Math.max(1, Math.min(EXAMINED, Math.floor((LONGEST_PAGE * rows.length) / lengthOf(rows))))
    yield rows.filter(isWithin)
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
  const columns = await columnsOf(db, grant, now)
  // The names go out with the first page, when it is known that results can be read.
  const lines = [columns.map(({ title }) => title)]
  for await (const page of pages) {
    lines.push(...page.map(parseResult).map((result) => columns.map(({ value }) => value(result))))
    if (lines.length > 0) yield toCsv(lines.splice(0))
  }
}

function toCsv(lines: string[][]): string {
  return stringify(lines, {
    record_delimiter: 'windows',
    // Each of them ends a row, or a cell, for some readers.
    quoted_match: /[\r\n;\t]/,
    cast: { string: guarded },
  })
}

/**
 * A text without formulas for whoever reads it: another separator than the comma, or a line break, may begin a cell for
 * some spreadsheets. Each part that would be a formula gets a quote in front, which spreadsheets take for "this is text".
 */
function guarded(text: string): string {
  const parts = text.replaceAll(/[^;,\t\r\n]+/g, (part) => (isFormula(part) ? `'${part}` : part))
  return /^[\t\r]/.test(text) ? `'${parts}` : parts
}

/**
 * Whether a spreadsheet would take the text for a formula, behind blanks and invisible characters too. A sign alone makes
 * none: numbers and phone numbers such as `-5`, `+33612345678` and `+1 (555) 123-4567` stay as they are. Digits with
 * nothing but dashes between them are a sum.
 */
function isFormula(part: string): boolean {
  const text = part.replace(/^[\s\p{Cf}\p{Cc}]+/u, '')
  if (!/^[=+\-@＝＋－＠]/.test(text)) return false
  if (/^[+-][\d .()]*$/.test(text)) return false
  return !/^[+-][\d .()-]*$/.test(text) || !/\d[ ()]+\d/.test(text)
}

function parseResult(row: ResultRow): ParsedResult {
  const answers = new Map<string, string>()
  for (const answer of JSON.parse(row.answers.text) as { blockId: string; content: string }[]) {
    const earlier = answers.get(answer.blockId)
    answers.set(answer.blockId, earlier === undefined ? answer.content : `${earlier}, ${answer.content}`)
  }
  const variables = new Map<string, string>()
  for (const { id, value } of JSON.parse(row.variables.text) as { id: string; value: unknown }[]) {
    variables.set(id, Array.isArray(value) ? value.map((item) => item ?? '').join(', ') : String(value))
  }
  return { id: row.id, createdAt: row.createdAt, isCompleted: row.isCompleted, answers, variables }
}

/**
 * What is known of every result, then the input blocks that were ever answered (those of the draft in their
 * order and by their titles, those that are gone by their ids), then the variables that no block fills.
 */
async function columnsOf(db: Database, grant: BotGrant, now: Date): Promise<Column[]> {
  const found = await withDraft(db, grant)
  const document = found && parseDraft(found.bot.version, found.draft)
  const variables = recordsOf(document?.variables)
  const names = new Map(variables.map(({ id, name }) => [String(id), String(name)]))
  const answered = await answeredBlocks(db, grant, now)
  const inputs: Column[] = []
  const filled = new Set<string>()
  for (const group of recordsOf(document?.groups)) {
    for (const block of recordsOf(group.blocks)) {
      const id = String(block.id)
      if (!answered.delete(id)) continue
      const variableId = (block.options as { variableId?: unknown } | undefined)?.variableId
      const name = typeof variableId === 'string' ? names.get(variableId) : undefined
      if (name !== undefined) filled.add(variableId as string)
      inputs.push(answerColumn(name ?? String(group.title), id))
    }
  }
  return distinct([
    { title: 'Result', value: ({ id }) => id },
    { title: 'Submitted at', value: ({ createdAt }) => createdAt.toISOString() },
    { title: 'Completed', value: ({ isCompleted }) => String(isCompleted) },
    ...inputs,
    ...[...answered].sort().map((id) => answerColumn(`Deleted block ${id}`, id)),
    ...[...names]
      .filter(([id]) => !filled.has(id))
      .map(([id, title]) => ({ title, value: (result: ParsedResult) => result.variables.get(id) ?? '' })),
  ])
}

function answerColumn(title: string, blockId: string): Column {
  return { title, value: ({ answers }) => answers.get(blockId) ?? '' }
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
}

/**
 * From the counts of whole days, so that the export of a bot with a million answers begins as soon as that of a small
 * one. Publications would not do: answers to linked bots are among these too. A bot of which no day is counted
 * has few results as a rule: all its answers are read, which takes less than to count them.
 */
async function answeredBlocks(db: Database, grant: BotGrant, now: Date): Promise<Set<string>> {
  const { botId, day, epoch, blocksEpoch } = botStatsDaily
  const [counted] = await db
    .select({ day })
    .from(botStatsDaily)
    .where(and(eq(botId, grant.bot.id), eq(blocksEpoch, epoch)))
    .limit(1)
  if (!counted) {
    const rows = await db
      .selectDistinct({ blockId: resultAnswers.blockId })
      .from(resultAnswers)
      .where(eq(resultAnswers.botId, grant.bot.id))
    return new Set(rows.map(({ blockId }) => blockId))
  }
  const counts = await countBlocks(db, grant, { from: null, to: null }, null, now)
  return new Set([...counts].flatMap(([id, { answered }]) => (answered > 0 ? [id] : [])))
}

/** Further columns of one title are numbered: `Title`, `Title (1)`, and so on, as in bodies and e-mails. */
function distinct(columns: Column[]): Column[] {
  const titles = new Set(columns.map(({ title }) => title))
  const seen = new Set<string>()
  return columns.map((column) => {
    let { title } = column
    // A number that makes the title of another column is passed over.
    for (let number = 1; seen.has(title) || (title !== column.title && titles.has(title)); number++)
      title = `${column.title} (${number})`
    seen.add(title)
    return { ...column, title }
  })
}
