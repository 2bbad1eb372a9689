import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { emit } from '../contract/emit/emit.ts'
import { withGenerators } from '../contract/emit/generators.ts'
import * as schema from '../server/db/schema.ts'
import { root } from '../server/root.ts'
import { published } from './support/published.ts'
import { runs } from './support/runs.ts'

const emitted = await emit()

test.each(Object.keys(emitted))('%s is what the contract emits', (path) => {
  const isFresh = readFileSync(new URL(path, root), 'utf8') === emitted[path]
  expect(isFresh ? 'fresh' : `${path} is out of date: run \`make generate\` and commit the result`).toBe(
    'fresh',
  )
})

test('the guide of clients has the generators of tests/sdks/README.md', () => {
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const guide = read('contract/guides/clients.md')
  expect(guide).toBe(withGenerators(guide, read('tests/sdks/README.md')))
  expect(guide.split('\n').filter((line) => line.startsWith('| ')).length).toBeGreaterThan(8)
})

test('generated/ has no file that the contract no longer emits', () => {
  const files = readdirSync(new URL('generated/', root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => relative(fileURLToPath(root), join(entry.parentPath, entry.name)))
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((path) => !(path in emitted))).toEqual([])
})

// The committed files were emitted by another process, so `make test` sees a difference already.
runs(test.skip, test)('emitting twice gives the same', async () => {
  expect(await emit()).toEqual(emitted)
})

test('the migrations bring a database to server/db/schema.ts', async () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'))
  const { tag } = read('migrations/meta/_journal.json').entries.at(-1)
  const last = read(`migrations/meta/${tag.split('_')[0]}_snapshot.json`)
  const missing = await generateMigration(last, generateDrizzleJson(schema, last.id))
  const hint = 'run `make migration name=what_it_does` and commit the result, for:'
  expect(missing.length === 0 ? [] : [hint, ...missing]).toEqual([])
})

test('the page shows every kind of bubble that a chat sends', () => {
  const page = readFileSync(new URL('server/pages/chat/bubbles.js', root), 'utf8')
  const kinds = Object.keys(published.components.schemas.MessageBubble?.discriminator?.mapping ?? {})
  expect(kinds.length).toBeGreaterThan(4)
  const missing = kinds.filter((kind) => !page.includes(`type === '${kind}'`))
  expect(missing.map((kind) => `show '${kind}' in contentOf of server/pages/chat/bubbles.js`)).toEqual([])
})
