import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { root } from '../../server/root.ts'

/* Real documents, which are not part of the project: tests read them where they lie beside it. */

const folder = new URL('../shared/corpus/', root)

/** Empty where the documents are not there. */
export const corpusFiles = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
  : []

// biome-ignore lint/suspicious/noExplicitAny: documents of every version
export function readCorpus(file: string): any {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
}

/** Replies that take every way that a condition behind an input may have. */
const replies: Record<string, string[]> = {
  'text input': ['Ada', 'https://example.com'],
  'number input': ['5', '15', '25', '50', '150'],
  'email input': ['ada@example.com'],
  'url input': ['https://example.com'],
  'phone number input': ['+33612345678'],
  'date input': ['2024-05-01'],
  'time input': ['10:30'],
  'rating input': ['0', '7', '10'],
  'file input': ['https://files.example/a.png'],
}

/** The replies that an input of the corpus gets: its items, or texts by its type. */
export function repliesTo({ type, items = [] }: { type: string; items?: unknown }): string[] {
  const ids = (items as { id: string; paths?: { id: string }[] }[]).flatMap((item) =>
    item.paths?.length ? item.paths.map((path) => path.id) : [item.id],
  )
  return ids.length > 0 ? ids : (replies[type] ?? ['x'])
}
