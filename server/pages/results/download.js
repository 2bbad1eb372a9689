import { ask, ofBot } from './api.js'

/* Exports, in parts, so that a failed part is retried and nothing else is. */

const PART = 10_000

/**
 * Returns the lines of all results of a filter, as one file. `progress` receives the number of results read so far,
 * and the total.
 */
export async function readExport(botId, query, format, signal, progress) {
  const parts = []
  let total
  let columns
  for (let cursor = ''; cursor !== null; ) {
    const part = await ask(
      ofBot(botId, 'resultsExport'),
      { ...query, format, cursor, limit: PART },
      signal,
      read,
    )
    total ??= part.remaining
    const { head, lines } = format === 'csv' ? split(part.text) : { lines: part.text }
    columns ??= head
    if (columns !== head)
      throw new Error('The questions of the bot changed meanwhile; please download again.')
    // A blob need not be in memory.
    parts.push(new Blob(cursor === '' && head ? [head, lines] : [lines]))
    cursor = part.next
    progress(cursor === null ? total : Math.min(total, total - part.remaining + PART), total)
  }
  // Excel takes a file without a byte order mark for Latin 1.
  if (format === 'csv') parts.unshift('\ufeff')
  return new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' })
}

async function read(response) {
  const text = await response.text()
  const { headers } = response
  return { text, next: headers.get('Next-Cursor'), remaining: Number(headers.get('Results-Remaining')) }
}

/** Every part begins with the names of the columns, in which there may be line breaks between quotes. */
function split(text) {
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted
    else if (text[at] === '\n' && !isQuoted) return { head: text.slice(0, at + 1), lines: text.slice(at + 1) }
  }
  return { head: text, lines: '' }
}

/** Saves a file through the browser, which may let the reader choose a place. */
export function save(blob, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
