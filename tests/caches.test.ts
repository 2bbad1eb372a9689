import { afterEach, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { json, pgTable } from 'drizzle-orm/pg-core'
import type { LRUCache } from 'lru-cache'
import { checks } from '../server/bots/check.ts'
import { titles } from '../server/chat/engine/blocks/vendors/google-sheets.ts'
import { tokens } from '../server/chat/engine/blocks/vendors/google-token.ts'
import { openChatTools } from '../server/chat-tools.ts'
import { readConfig } from '../server/config.ts'
import { createInternedRows } from '../server/db/interned-rows.ts'
import { conversions, latestPublication } from '../server/documents/drafts.ts'
import { JsonText } from '../server/kit/json/json-text.ts'
import { publishedFlows } from '../server/results/columns.ts'
import type { Sandbox } from '../server/sandbox/index.ts'
import { boundNamed } from './support/bounds.ts'

/* Caches hold as much as server/BOUNDS.md says, whatever is read, and let go what was used longest ago. */

const read = readConfig({})
if ('problems' in read) throw new Error(read.problems.join())
const { flows } = openChatTools(read.config, {} as Sandbox).tools

const caches: [name: string, cache: LRUCache<string, never>, add: (key: string, size: number) => void][] = [
  [
    'MAX_CACHED_CHECK_BYTES',
    checks as never,
    (key, size) => checks.set(key, { check: {} as never, size: size - 200 }),
  ],
  ['MAX_CACHED_FLOW_CHARACTERS', flows as never, (key, size) => flows.set(key, { id: key }, { size })],
  [
    'MAX_CACHED_LINKING_CHARACTERS',
    publishedFlows as never,
    (key, size) => publishedFlows.set(key, 'x'.repeat(size - 2) as never),
  ],
  [
    'MAX_CACHED_TOKEN_CHARACTERS',
    tokens as never,
    (key, size) => tokens.set(key, { token: 'x'.repeat(size - 1), renewAt: 0 }),
  ],
  [
    'MAX_CACHED_SHEET_CHARACTERS',
    titles as never,
    (key, size) => titles.set(key, { title: 'x'.repeat(size - 1), readAt: 0 }),
  ],
]

afterEach(() => {
  for (const [, cache] of caches) cache.clear()
  conversions.clear()
})

test.each(caches)(
  'a cache holds the %s of the table, and evicts the least recently used',
  (name, cache, add) => {
    const most = boundNamed(name)
    const part = Math.floor(most / 4)
    for (const key of ['a', 'b', 'c', 'd']) add(key, part)
    expect([...cache.keys()].sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(cache.calculatedSize).toBeLessThanOrEqual(most)
    cache.get('a')
    add('e', part)
    expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd', 'e'])
  },
)

test('conversions are cached until they have as many bytes as the table says', () => {
  const draftOf = (letter: string) => ({
    ...Object.fromEntries(
      ['groups', 'events', 'edges', 'variables'].map((name) => [name, new JsonText('[]')]),
    ),
    theme: new JsonText('{}'),
    settings: new JsonText(
      JSON.stringify({ long: letter.repeat(boundNamed('MAX_CONVERTED_BYTES') / 4 - 5_000) }),
    ),
  })
  const convert = (letter: string) => latestPublication(letter, '6', draftOf(letter) as never)
  const [a, b] = [convert('a'), convert('b')]
  expect([convert('a') === a, convert('b') === b]).toEqual([true, true])
  convert('c')
  expect([convert('b') === b, convert('a') === a]).toEqual([true, false])
})

test('rows are interned until they have as many characters as the table says', () => {
  const { column } = pgTable('t', { column: json('column') })
  const rows = createInternedRows({ column }, { column: sql`1` })
  const read = (letter: string) =>
    rows.decode?.(JSON.stringify([letter.repeat(boundNamed('MAX_INTERNED_CHARACTERS') / 2 - 20)]) as never)
  const [a, b] = [read('a'), read('b')]
  expect([read('a') === a, read('b') === b]).toEqual([true, true])
  read('c')
  expect([read('b') === b, read('a') === a]).toEqual([true, false])
})
