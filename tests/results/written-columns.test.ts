import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { getTableColumns } from 'drizzle-orm'
import { results } from '../../server/db/schema.ts'
import { root } from '../../server/root.ts'

/*
 * A turn is written by one of three texts of SQL: alone, in a batch, or on a cluster. A column that one of them forgets
 * would be empty in some results and not in others.
 */

const texts = {
  alone: 'server/chat/sessions/turn-statements.ts',
  'in a batch': 'server/chat/sessions/batched-statements.ts',
  'on a cluster': 'migrations/distribute.sql',
}

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Columns that each INSERT of results lists. */
function insertedBy(text: string): string[][] {
  const found = text.matchAll(/INSERT INTO (?:\$\{results\}|results AS r) \(([^)]+)\)/g)
  return [...found].map(([, list]) => String(list).split(/,\s*/))
}

/** Columns that each UPDATE of the results of turns sets. */
function changedBy(text: string): string[][] {
  const found = text.matchAll(
    /UPDATE (?:\$\{results\}|results) \w SET (variables = [^;]+?)\n\s*(?:FROM|WHERE)/g,
  )
  return [...found].map(([, list]) =>
    [...String(list).matchAll(/\b([a-z_]+) = /g)].map(([, name]) => String(name)),
  )
}

const insertedAlone = insertedBy(read(texts.alone))[0] ?? []
const changedAlone = changedBy(read(texts.alone))[0] ?? []

/** A deletion sets the first one, and a start in a batch has no answers. */
const others = { later: ['is_archived'], ofAnswers: ['answers_size'] }

describe.each(Object.entries(texts))('results of turns that are written %s (%s)', (way, path) => {
  const text = read(path)

  test('are inserted with every column of the table', () => {
    const columns = Object.values(getTableColumns(results)).map(({ name }) => name)
    const lists = insertedBy(text)
    expect(lists).toHaveLength(1)
    const missing = columns.filter((name) => !lists[0]?.includes(name))
    expect(missing.map((name) => `insert ${name} in ${path}`)).toEqual(
      way === 'in a batch' ? others.ofAnswers.map((name) => `insert ${name} in ${path}`) : [],
    )
  })

  test('are changed in the same columns', () => {
    const lists = changedBy(text)
    expect(lists.length).toBeGreaterThan(0)
    for (const list of lists) expect([...list].sort()).toEqual([...changedAlone].sort())
  })
})

test('a later turn changes every column that the first one inserts, but those that never change', () => {
  const fixed = ['bot_id', 'id', 'created_at', 'transcript', ...others.later]
  expect(insertedAlone.filter((name) => !changedAlone.includes(name)).sort()).toEqual(fixed.sort())
})
