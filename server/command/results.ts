import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { Readable } from 'node:stream'
import { writeWhole } from './folder.ts'
import { createProgress, fail, type Io } from './io.ts'
import type { Service } from './profiles.ts'

/*
 * Exports results in parts. The parts so far and the cursor of the next one lie beside the file until it is complete,
 * so that an interrupted export goes on with the same command.
 */

/** Results in one part. */
const PART_RESULTS = 5_000

export interface ExportFilters {
  format: 'csv' | 'jsonl'
  timeFilter?: string
  createdAfter?: string
  createdBefore?: string
  status?: string
}

interface Position {
  botId: string
  filters: ExportFilters
  /** The names of the columns, of a CSV. */
  header: string
  cursor: string
  bytes: number
}

/** Exports to a file, and returns its bytes. */
export async function exportToFile(
  io: Io,
  { client }: Service,
  botId: string,
  file: string,
  filters: ExportFilters,
  partResults = PART_RESULTS,
): Promise<{ file: string; bytes: number; isResumed: boolean }> {
  const partial = `${file}.part`
  const positionFile = `${file}.part.json`
  const earlier = readPosition(positionFile, partial, botId, filters)
  if (earlier) truncateSync(partial, earlier.bytes)
  else rmSync(partial, { force: true })
  let cursor = earlier?.cursor
  let bytes = earlier?.bytes ?? 0
  let header = earlier?.header
  let progress: ReturnType<typeof createProgress> | undefined
  do {
    const query = { ...filters, limit: partResults, cursor }
    const response = (await client.results.export(botId, query as never)) as unknown as Response
    const left = Number(response.headers.get('results-remaining') ?? 0)
    progress ??= createProgress(io, Math.ceil(left / partResults) + 1, 'parts')
    const text = await response.text()
    const isLater = bytes > 0 && filters.format === 'csv'
    const columns = filters.format === 'csv' ? firstRecord(text) : ''
    header ??= columns
    if (columns !== header)
      fail('The columns changed during the export; remove the .part files and start again')
    // Every part of a CSV names the columns.
    const piece = Buffer.from(isLater ? text.slice(columns.length) : text)
    appendFileSync(partial, piece)
    bytes += piece.length
    cursor = response.headers.get('next-cursor') ?? undefined
    if (cursor !== undefined)
      writeWhole(positionFile, JSON.stringify({ botId, filters, header, cursor, bytes }))
    progress.advance()
  } while (cursor !== undefined)
  progress.end()
  renameSync(partial, file)
  rmSync(positionFile, { force: true })
  return { file, bytes, isResumed: earlier !== undefined }
}

/** The first record of a CSV with the end of its line, which quoted fields may have too. */
function firstRecord(text: string): string {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    else if (text[at] === '\n' && !isQuoted) return text.slice(0, at + 1)
  }
  return text
}

function readPosition(
  positionFile: string,
  partial: string,
  botId: string,
  filters: ExportFilters,
): Position | undefined {
  if (!existsSync(positionFile) || !existsSync(partial)) return undefined
  try {
    const position = JSON.parse(readFileSync(positionFile, 'utf8')) as Position
    const isSame = position.botId === botId && JSON.stringify(position.filters) === JSON.stringify(filters)
    const hasBytes = readFileSync(partial).length >= position.bytes
    return isSame && hasBytes ? position : undefined
  } catch {
    return undefined
  }
}

/** Exports to standard output. */
export async function exportToOutput(io: Io, { client }: Service, botId: string, filters: ExportFilters) {
  const response = (await client.results.export(botId, filters as never)) as unknown as Response
  if (!response.body) fail('The service sent no results')
  for await (const piece of Readable.fromWeb(response.body as never)) io.stdout.write(piece)
}
