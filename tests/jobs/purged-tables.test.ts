import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as schema from '../../server/db/schema.ts'
import { root } from '../../server/root.ts'

/* A table that the schema adds is also purged: bot tables have no foreign keys that would say so. */

const code = ['jobs/purge.ts', 'jobs/deleted-records.ts', 'results/erase.ts'].map((path) => {
  const source = readFileSync(new URL(`server/${path}`, root), 'utf8')
  return source.slice(source.lastIndexOf('\nimport '))
})
const tables = (Object.entries(schema) as [string, unknown][]).filter((entry): entry is [string, PgTable] =>
  is(entry[1], PgTable),
)
const isPurged = (name: string) => new RegExp(`\\b${name}\\b`).test(code.join('\n'))

test('every table with rows of bots is named in the purge', () => {
  const ofBots = tables.filter(([, table]) => 'botId' in getTableColumns(table)).map(([name]) => name)
  expect(ofBots.length).toBeGreaterThan(20)
  expect(ofBots.filter((name) => !isPurged(name))).toEqual([])
})

test('every row that refers to a workspace is deleted with it, by the purge or by its foreign key', () => {
  const left = tables.filter(([name, table]) =>
    getTableConfig(table).foreignKeys.some(
      (key) =>
        key.reference().foreignTable === schema.workspaces && key.onDelete !== 'cascade' && !isPurged(name),
    ),
  )
  expect(left.map(([name]) => name)).toEqual([])
})
