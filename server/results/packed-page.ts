import { type SQL, sql } from 'drizzle-orm'
import type { components } from '../../generated/openapi.ts'
import { newestFirst, type Position } from '../db/page.ts'
import { resultAnswers, results as table } from '../db/schema.ts'
import { timestampToIso } from '../db/timestamps.ts'
import { expression, type RowOf } from '../db/typed-select.ts'
import { asProperty, encodeString, JsonText } from '../kit/json/json-text.ts'

/*
 * A page of results in two texts. Reading and writing rows of many columns is most of the work of the service for a
 * page, and JSON of the answers takes the database longer to make than the answers to find. So the database joins the
 * stored values with marks between, and escapes the whole for JSON in one call; the service replaces the marks.
 */

/** Not in JSON as it is. */
const SEPARATOR = '\x1f'
/**
 * Separators of two characters that JSON does not escape and that are never typed. Each answer has one of the first
 * two.
 */
const marks = { content: '\x7f1', withFiles: '\x7f2', files: '\x7f3', answer: '\x7f4', piece: '\x7f5' }

const literal = (text: string) => sql.raw(`'${text}'`)
const next = literal(marks.piece)
const order = sql`ORDER BY ${sql.join(newestFirst(table.createdAt, table.id), sql`, `)}`

/** Columns that a statement reads from `packedResults`. */
export const packedShape = {
  results: expression(sql`page.results`, 'integer'),
  answers: expression(sql`page.answers`, 'integer'),
  /** False where a result is long: its texts are not read, and the page is not complete. */
  isLight: expression(sql`page.is_light`, 'boolean'),
  variables: expression(sql`page.variables`, 'text'),
  /** All else, as a string in JSON. */
  text: expression(sql`page.text`, 'text'),
}

/** A hundred of these make a page that is not too long. */
const isShort = sql`${table.answersSize} + octet_length(${table.variables}::text) < 64000`

/** One row of the results of a bot from a query of their table, with the answers to each. */
export const packedResults = (botId: SQL, query: SQL) => sql`LATERAL (
    SELECT count(*) AS results, coalesce(sum(answers.count), 0) AS answers,
      coalesce(bool_and(${isShort}), true) AS is_light,
      coalesce(string_agg(CASE WHEN ${isShort} THEN ${table.variables}::text END, ${literal(SEPARATOR)} ${order}), '')
        AS variables,
      coalesce(to_json(string_agg(${table.id} || ${next} || ${table.createdAt}::text || ${next}
        || CASE WHEN ${table.isCompleted} THEN 'true' ELSE 'false' END || ${next}
        || coalesce(${table.lastChatSessionId}, '') || ${next}
        || coalesce(answers.text, ''), ${next} ${order}))::text, '""') AS text
    FROM (${query}) AS ${table} CROSS JOIN LATERAL (
      SELECT count(*), string_agg(a.block_id || CASE WHEN a.attached_file_urls IS NULL
          THEN ${literal(marks.content)} || a.content
          ELSE ${literal(marks.withFiles)} || a.content
            || ${literal(marks.files)} || array_to_json(a.attached_file_urls)::text
          END, ${literal(marks.answer)} ORDER BY a.seq) AS text
      FROM ${resultAnswers} a WHERE a.bot_id = ${botId} AND a.result_id = ${table.id} AND ${isShort}
    ) AS answers
  ) AS page`

export interface ResultPage {
  results: components['schemas']['Result'][]
  /** Position of the next page; undefined for the last one. */
  end: Position | undefined
}

/** Pieces of a result. */
const PIECES = 5

/**
 * At most `limit` of the packed results, as `toResult` makes them, including the blanks that PostgreSQL writes into
 * JSON: both ways give the same bytes. Undefined if a stored value has a mark, so that no piece is certain: the marks
 * are then more than were put.
 */
export function unpack(
  { results, answers, isLight, variables, text }: RowOf<typeof packedShape>,
  botId: string,
  limit: number,
): ResultPage | undefined {
  if (!isLight) return undefined
  const page: ResultPage = { results: [], end: undefined }
  if (results === 0) return page
  const alone = replaceMarks(text.slice(1, -1), marks.content, '", "content" : "')
  const withFiles = replaceMarks(alone.text, marks.withFiles, '", "content" : "')
  const all = replaceMarks(withFiles.text, marks.answer, '"}, {"blockId" : "')
  const pieces = all.text.split(marks.piece)
  const variablesOf = variables.split(SEPARATOR)
  if (pieces.length !== results * PIECES || variablesOf.length !== results) return undefined
  let firstAnswers = 0
  for (let at = PIECES - 1; at < pieces.length; at += PIECES) if (pieces[at] !== '') firstAnswers++
  if (alone.count + withFiles.count !== answers || all.count !== answers - firstAnswers) return undefined
  const hasFiles = withFiles.count > 0
  if (hasFiles && text.split(marks.files).length - 1 !== withFiles.count) return undefined

  const piece = (at: number) => pieces[at] as string
  const bot = encodeString(botId)
  for (let nth = 0; nth < results && nth < limit; nth++) {
    const at = nth * PIECES
    const sessionId = piece(at + 3)
    const list = piece(at + 4) === '' ? '' : `{"blockId" : "${piece(at + 4)}"}`
    const json = `{"id":"${piece(at)}","createdAt":"${timestampToIso(piece(at + 1))}","botId":${bot},\
"variables":${variablesOf[nth]},"isCompleted":${piece(at + 2)},"hasStarted":true,"isArchived":false,\
"lastChatSessionId":${sessionId === '' ? 'null' : `"${sessionId}"`},"answers":[${hasFiles ? showFiles(list) : list}]}`
    page.results.push(asProperty(new JsonText(json)))
  }
  if (results > limit) {
    const last = (limit - 1) * PIECES
    page.end = { id: JSON.parse(`"${piece(last)}"`), createdAt: new Date(timestampToIso(piece(last + 1))) }
  }
  return page
}

/** A text with its marks replaced, and their number. */
function replaceMarks(text: string, mark: string, by: string): { text: string; count: number } {
  const filled = text.replaceAll(mark, by)
  return { text: filled, count: (filled.length - text.length) / (by.length - mark.length) }
}

/** Addresses of files are JSON already, and were escaped as if they were a text: no bare quote is before their end. */
function showFiles(answers: string): string {
  const [before, ...withFiles] = answers.split(marks.files)
  return withFiles.reduce((shown, text) => {
    const end = text.indexOf(']"') + 1
    return `${shown}", "attachedFileUrls" : ${JSON.parse(`"${text.slice(0, end)}"`)}${text.slice(end + 1)}`
  }, before as string)
}
