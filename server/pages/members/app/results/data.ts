import type { ListResultsQuery, ResultPage } from '../../../../../generated/client/index.js'
import { cellsOf, columnsOf, distinct, mergedBots, shownOf } from '../../../results/columns.js'
import { ApiError, client } from '../api.ts'
import { toMarked } from '../model/rich-text.ts'

/* Reads results and the names of their columns. */

export type Result = ResultPage['results'][number]

const PAGE_RESULTS = 100
/** Pages that are read at a time until one is not empty: a page may hold nothing although there is more. */
const MAX_EMPTY_PAGES = 12
/** As for exports. */
const MAX_LINKED_BOTS = 20
const MAX_EARLIER_PUBLICATIONS = 10
const EXPORT_RESULTS = 10_000

export interface Cell {
  text: string
  files: string[]
}

export interface Column {
  title: string
  /** Ids of its blocks, then of its variables. */
  ids: string[]
  /** Words of the bot before the question. */
  question: string | undefined
}

export interface Row {
  result: Result
  cells: Cell[]
}

export interface Table {
  columns: Column[]
  rows: Row[]
}

interface Flow {
  groups?: { blocks?: { id: string; type: string; content?: { richText?: unknown } }[] }[]
  variables?: { id: string; name: string }[]
}

export interface Flows {
  own: Flow[]
  earlier: Flow[]
  questions: Map<string, string>
}

const isMissing = (error: unknown) => error instanceof ApiError && [400, 403, 404].includes(error.status)

/** The published flow of a bot, those that merge their results into it, and the publications before. */
export async function readFlows(botId: string, signal: AbortSignal): Promise<Flows> {
  const own: Flow[] = []
  const ids = new Set([botId])
  // The set grows while it is walked, nearest bots first.
  for (const id of ids) {
    const flow = await readFlow(id, id === botId, signal)
    if (!flow) continue
    own.push(flow)
    for (const linked of mergedBots(flow)) if (ids.size <= MAX_LINKED_BOTS) ids.add(linked)
  }
  const earlier = await readEarlier(botId, signal)
  return { own, earlier, questions: questionsOf([...earlier].reverse().concat(own)) }
}

async function readFlow(botId: string, hasDraft: boolean, signal: AbortSignal): Promise<Flow | undefined> {
  try {
    const { publishedBot } = await client.publishedBots.get(
      botId,
      { migrateToLatestVersion: true },
      { signal },
    )
    return publishedBot as Flow
  } catch (error) {
    if (!isMissing(error)) throw error
    if (!hasDraft) return undefined
    return (await client.bots.get(botId, { migrateToLatestVersion: true }, { signal })).bot as Flow
  }
}

async function readEarlier(botId: string, signal: AbortSignal): Promise<Flow[]> {
  const page = await client.publications.list(botId, { limit: MAX_EARLIER_PUBLICATIONS + 1 }, { signal })
  const earlier = page.publications.filter(({ isLive }) => !isLive).slice(0, MAX_EARLIER_PUBLICATIONS)
  const read = async ({ id }: { id: string }) => {
    try {
      return (await client.publications.get(botId, id, { signal })).publication as Flow
    } catch (error) {
      // The installation may retain only some of them.
      if (isMissing(error)) return {}
      throw error
    }
  }
  return Promise.all(earlier.map(read))
}

/** The text before each input, by the id of the input. */
function questionsOf(flows: Flow[]): Map<string, string> {
  const questions = new Map<string, string>()
  for (const { blocks = [] } of flows.flatMap(({ groups = [] }) => groups)) {
    let lastText = ''
    for (const { id, type, content } of blocks) {
      if (type === 'text') lastText = toMarked(content?.richText).split('\n').at(-1) ?? ''
      else if (type.endsWith('input') || type === 'cards') {
        if (lastText) questions.set(id, lastText.replaceAll('**', ''))
        lastText = ''
      }
    }
  }
  return questions
}

export interface ReadResults {
  results: Result[]
  cursor: string | null
}

export async function readResults(
  botId: string,
  query: ListResultsQuery,
  before: ReadResults | undefined,
  signal: AbortSignal,
): Promise<ReadResults> {
  let cursor = before?.cursor ?? undefined
  let found: Result[] = []
  for (let pages = 0; pages < MAX_EMPTY_PAGES && found.length === 0; pages += 1) {
    const page = await client.results.list(botId, { ...query, limit: PAGE_RESULTS, cursor }, { signal })
    found = page.results
    cursor = page.nextCursor ?? undefined
    if (!cursor) break
  }
  return { results: [...(before?.results ?? []), ...found], cursor: cursor ?? null }
}

/** The columns of the CSV, in its order. */
export function tableOf(results: Result[], flows: Flows): Table {
  const columns = columnsOf(flows.own, flows.earlier)
  const { shown, ofBlocks } = shownOf(results, columns)
  const questions = new Map<object, string>()
  for (const [blockId, column] of ofBlocks) {
    const question = flows.questions.get(blockId)
    if (question && !questions.has(column)) questions.set(column, question)
  }
  const ids = idsOf(ofBlocks, columns, flows)
  const titles = distinct(shown.map(({ title }) => title))
  const rows = results.map((result) => {
    const cells = cellsOf(result, { ...columns, ofBlocks })
    return { result, cells: shown.map((column) => contentOf(cells.get(column))) }
  })
  return {
    columns: shown.map((column, index) => ({
      title: titles[index] ?? '',
      ids: ids.get(column) ?? [],
      question: questions.get(column),
    })),
    rows,
  }
}

/** The ids by which documents name each column. */
function idsOf(
  ofBlocks: Map<string, object>,
  { ofVariable }: ReturnType<typeof columnsOf>,
  { own, earlier }: Flows,
): Map<object, string[]> {
  const ids = new Map<object, string[]>()
  const add = (column: object | undefined, id: string) => {
    if (column) ids.set(column, [...(ids.get(column) ?? []), id])
  }
  for (const [id, column] of ofBlocks) add(column, id)
  for (const variable of [...own, ...earlier].flatMap(({ variables = [] }) => variables))
    add(ofVariable(variable)?.column, variable.id)
  return ids
}

type Found = ReturnType<ReturnType<typeof cellsOf>['get']>

function contentOf(found: Found): Cell {
  const { answers = [], value } = found ?? {}
  if (value !== undefined) return { text: value, files: [] }
  // The text of an answer without words is the addresses of its files.
  const texts = answers
    .filter(({ content, attachedFileUrls = [] }) => content !== attachedFileUrls.join(', '))
    .map(({ content }) => content)
  return { text: texts.join(', '), files: answers.flatMap(({ attachedFileUrls = [] }) => attachedFileUrls) }
}

/** Reads all results of a filter as one file, in parts of which a failed one is sent again alone. */
export async function readExport(
  botId: string,
  query: ListResultsQuery,
  format: 'csv' | 'jsonl',
  signal: AbortSignal,
  onProgress: (words: string) => void,
): Promise<Blob> {
  const parts: BlobPart[] = []
  let head: string | undefined
  let total: number | undefined
  for (let cursor: string | undefined; ; ) {
    const range = { ...query, format, cursor, limit: EXPORT_RESULTS }
    const response = await client.results.export(botId, range, { signal })
    const text = await response.text()
    const remaining = Number(response.headers.get('Results-Remaining'))
    total ??= remaining
    const names = format === 'csv' ? headOf(text) : ''
    head ??= names
    if (head !== names) throw new Error('The questions of the bot changed meanwhile. Download again.')
    parts.push(new Blob([cursor === undefined ? text : text.slice(names.length)]))
    cursor = response.headers.get('Next-Cursor') ?? undefined
    const done = cursor ? Math.min(total, total - remaining + EXPORT_RESULTS) : total
    onProgress(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} results`)
    if (cursor === undefined) break
  }
  // Spreadsheets take a file without a byte order mark for Latin 1.
  if (format === 'csv') parts.unshift('\ufeff')
  return new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' })
}

/** The names of the columns, in which there may be line breaks between quotes. */
function headOf(text: string): string {
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted
    else if (text[at] === '\n' && !isQuoted) return text.slice(0, at + 1)
  }
  return text
}

export function saveFile(content: Blob, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
