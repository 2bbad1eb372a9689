import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { inputTypes } from '../contract/bot-document/catalogue.ts'
import { emit } from '../contract/emit/emit.ts'
import { withGenerators } from '../contract/emit/generators.ts'
import { loadsCode } from '../server/bots/checks/pages.ts'
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

/** Kinds of a union of the document that a file of the chat page does not know. */
function unknownTo(file: string, kinds: Iterable<string>, piece: (kind: string) => string) {
  const page = readFileSync(new URL(`server/pages/chat/${file}`, root), 'utf8')
  const all = [...kinds]
  expect(all.length).toBeGreaterThan(4)
  return all.filter((kind) => !page.includes(piece(kind)))
}

const kindsOf = (component: string) =>
  Object.keys(published.components.schemas[component]?.discriminator?.mapping ?? {})

test('the page shows every kind of bubble that a chat sends', () => {
  const missing = unknownTo('bubbles.js', kindsOf('MessageBubble'), (kind) => `type === '${kind}'`)
  expect(missing.map((kind) => `show '${kind}' in contentOf of server/pages/chat/bubbles.js`)).toEqual([])
})

test('the page has a form for every type of input', () => {
  const missing = unknownTo('inputs.js', inputTypes, (type) =>
    type.includes(' ') ? `\n  '${type}': ` : `\n  ${type},`,
  )
  // Without one the visitor gets a field for text.
  expect(missing.map((type) => `add '${type}' to builders of server/pages/chat/inputs.js`)).toEqual([])
})

test('the page performs every action that a chat requests', () => {
  const own = unknownTo('actions.js', kindsOf('ClientSideAction'), (kind) => `case '${kind}'`)
  const missing = unknownTo('trackers.js', own, (kind) => `\n  ${kind}: `)
  expect(missing.map((kind) => `perform '${kind}' in server/pages/chat/actions.js`)).toEqual([])
})

test('the check requires a host of chats for every block whose action the page takes for a tracker', () => {
  const trackers = unknownTo('actions.js', kindsOf('ClientSideAction'), (kind) => `case '${kind}'`)
  // It is sent at the start, and belongs to no block.
  const kinds = trackers.filter((kind) => kind !== 'startPropsToInject')
  const named = new Set([...loadsCode].map((type) => String(type).replaceAll(' ', '').toLowerCase()))
  const missing = kinds.filter((kind) => !named.has(kind.toLowerCase()))
  expect(missing.map((kind) => `name the block of '${kind}' in loadsCode of bots/checks/pages.ts`)).toEqual(
    [],
  )
})
