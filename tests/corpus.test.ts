import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type App, startApp } from './support/app.ts'
import { anyBody } from './support/client.ts'
import { corpusFiles as files, readCorpus } from './support/corpus.ts'
import { makeWorld, type Site } from './support/world.ts'

/*
 * Real documents, which are not part of the project: where they lie beside it, each has to go in and come
 * out as it was, to the order of its keys.
 */

interface Document {
  version: '3' | '4' | '5' | '6' | '6.1'
  name: string
  groups: { blocks: unknown[] }[]
  [key: string]: unknown
}

const documents = files.map((name): [string, Document] => [name, readCorpus(name)])
const isCurrent = ({ version }: Document) => version === '6' || version === '6.1'
const current = documents.filter(([, document]) => isCurrent(document))
const legacy = documents.filter(([, document]) => !isCurrent(document))

const parts = ['groups', 'events', 'edges', 'variables', 'theme', 'settings'] as const

/** The text of each part that a document has, by its name. */
function textsOf(document: Record<string, unknown>, names: readonly string[] = parts) {
  return Object.fromEntries(names.map((name) => [name, JSON.stringify(document[name] ?? null)]))
}

/** The properties of a document that a bot takes; the rest belongs to where it came from. */
function bodyOf(document: Document) {
  return Object.fromEntries(
    ['version', 'name', 'icon', ...parts, 'selectedThemeTemplateId', 'resultsTablePreferences']
      .filter((name) => document[name] !== undefined)
      .map((name) => [name, document[name]]),
  )
}

let app: App
let site: Site
beforeAll(async () => {
  if (documents.length === 0) return
  app = await startApp()
  site = (await makeWorld(app)).here
})
afterAll(() => app?.stop())

// Lists of tests may not be empty, so without documents there is one test that says so.
const describeAll = documents.length > 0 ? describe : () => {}
if (documents.length === 0) test.skip('no documents are beside the project', () => {})

describeAll(`${current.length} documents of the current versions`, () => {
  test.each(current)('%s is created, read, published and read again unchanged', async (_, document) => {
    const body = anyBody({ workspaceId: site.workspaceId, bot: bodyOf(document) })
    const created = await app.client.call('createBot', { as: site.member, body })
    expect(created.body.issues).toBeUndefined()
    expect(created.status).toBe(201)
    const { bot } = created.body
    expect(textsOf(bot)).toEqual(textsOf(document))
    const asMember = { as: site.member, params: { botId: bot.id } }
    const read = await app.client.ok('getBot', asMember)
    expect(textsOf(read.bot)).toEqual(textsOf(document))
    expect(read.bot.version).toBe(document.version)
    await app.client.ok('publishBot', asMember)
    const { publishedBot, version } = await app.client.ok('getPublishedBot', asMember)
    expect(textsOf(publishedBot)).toEqual(textsOf(document))
    expect(version).toBe(document.version)
  })
})

describeAll(`${legacy.length} documents of the legacy versions`, () => {
  test.each(legacy)('%s is patched onto a bot in its own version and read unchanged', async (_, document) => {
    const { bot } = await app.client.ok('createBot', {
      as: site.member,
      body: { workspaceId: site.workspaceId, bot: {} },
    })
    const asMember = { as: site.member, params: { botId: bot.id } }
    const patched = await app.client.call('updateBot', {
      ...asMember,
      body: anyBody({ bot: bodyOf(document) }),
    })
    expect(patched.body.issues).toBeUndefined()
    expect(patched.status).toBe(200)
    const read = await app.client.ok('getBot', asMember)
    expect(textsOf(read.bot)).toEqual(textsOf(document))
    expect(read.bot.version).toBe(document.version)
    expect(patched.body.bot).toEqual(read.bot)
  })
})

describeAll(`${documents.length} documents of any version`, () => {
  test.each(documents)('%s is shown in the latest version, with all its blocks', async (_, document) => {
    const { bot } = await app.client.ok('createBot', {
      as: site.member,
      body: { workspaceId: site.workspaceId, bot: {} },
    })
    const asMember = { as: site.member, params: { botId: bot.id } }
    const change = await app.client.call('updateBot', {
      ...asMember,
      body: anyBody({ bot: bodyOf(document) }),
    })
    expect(change.status).toBe(200)
    const query = { migrateToLatestVersion: true }
    const shown = await app.client.ok('getBot', { ...asMember, query })
    expect(shown.bot.version).toBe('6.1')
    const isStart = (block: unknown) => (block as { type: string }).type === 'start'
    const expected = document.groups.flatMap(({ blocks }) => blocks).filter((block) => !isStart(block))
    expect(shown.bot.groups.flatMap(({ blocks }) => blocks ?? [])).toHaveLength(expected.length)
    expect((await app.client.ok('getBot', asMember)).bot.version).toBe(document.version)
  })
})
