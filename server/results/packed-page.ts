import { type SQL, sql } from 'drizzle-orm'
import type { components } from '../../generated/openapi.ts'
import { momentToIso } from '../db/moments.ts'
import { newestFirst, type Position } from '../db/page.ts'
import { resultAnswers, results as table } from '../db/schema.ts'
import { expression, type RowOf } from '../db/selection.ts'
import { encodeString, JsonText, stored } from '../json/json-text.ts'

/*
 * A page of results in one text, with a character between any two of its pieces. Rows of many columns take the service
 * longer to read and to write than all else that it does for a page, and JSON of the answers takes the database longer to
 * make than they take to be found.
 */

const SEPARATOR = '\x1f'
const separator = sql.raw(`E'\\x1f'`)

/** What a statement reads of results, newest first, that are joined with `packedAnswers`. */
export const packedShape = {
  results: expression(sql`count(*)`, 'integer'),
  answers: expression(sql`coalesce(sum(answers.count), 0)`, 'integer'),
  text: expression(
    sql`coalesce(string_agg(concat_ws(${separator}, ${table.id}, ${table.createdAt}, ${table.isCompleted},
        coalesce(${table.lastChatSessionId}, ''), ${table.variables}, answers.count, answers.text), ${separator}
      ORDER BY ${sql.join(newestFirst(table.createdAt, table.id), sql`, `)}), '')`,
    'text',
  ),
}

/** The answers to each result of a bot. */
export const packedAnswers = (botId: SQL) => sql`LATERAL (
    SELECT count(*), string_agg(concat_ws(${separator}, a.block_id, a.content,
        coalesce(array_to_json(a.attached_file_urls)::text, '')), ${separator} ORDER BY a.seq) AS text
    FROM ${resultAnswers} a WHERE a.bot_id = ${botId} AND a.result_id = ${table.id}
  ) AS answers`

export interface ResultPage {
  results: components['schemas']['Result'][]
  /** Where the next one begins; undefined where this is the last one. */
  end: Position | undefined
}

/** Pieces of a result, and of an answer. */
const OF_RESULT = 6
const OF_ANSWER = 3

/**
 * At most `limit` of the started results that were packed, as `toResult` makes them. Undefined where the separator is in
 * something that was stored, so that no piece is what it seems.
 */
export function unpack(
  { results, answers, text }: RowOf<typeof packedShape>,
  botId: string,
  limit: number,
): ResultPage | undefined {
  const pieces = results === 0 ? [] : text.split(SEPARATOR)
  if (pieces.length !== results * OF_RESULT + answers * OF_ANSWER) return undefined
  const piece = (at: number) => pieces[at] as string
  const bot = encodeString(botId)
  const page: ResultPage = { results: [], end: undefined }
  let last = 0
  for (let at = 0; page.results.length < limit && at < pieces.length; ) {
    last = at
    const sessionId = piece(at + 3)
    const end = at + OF_RESULT + Number(piece(at + 5)) * OF_ANSWER
    let json = `{"id":${encodeString(piece(at))},"createdAt":"${momentToIso(piece(at + 1))}",\
"botId":${bot},"variables":${piece(at + 4)},"isCompleted":${piece(at + 2) === 't'},"hasStarted":true,\
"isArchived":false,"lastChatSessionId":${sessionId === '' ? 'null' : encodeString(sessionId)},"answers":[`
    for (at += OF_RESULT; at < end; at += OF_ANSWER) {
      const urls = piece(at + 2)
      json += `{"blockId":${encodeString(piece(at))},"content":${encodeString(piece(at + 1))}`
      json += `${urls === '' ? '' : `,"attachedFileUrls":${urls}`}}${at + OF_ANSWER < end ? ',' : ''}`
    }
    page.results.push(stored(new JsonText(`${json}]}`)))
  }
  if (results > limit) page.end = { id: piece(last), createdAt: new Date(momentToIso(piece(last + 1))) }
  return page
}
