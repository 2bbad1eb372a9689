import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operations } from '../../contract/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { root } from '../../server/root.ts'
import { type App, startApp } from '../support/app.ts'
import type { Site } from '../support/world.ts'
import { makeWorld } from '../support/world.ts'

/*
 * Every parameter of a query changes some response: one that the contract adds fails here until a row shows what it
 * does, so that none is accepted and ignored.
 */

type Query = Record<string, string>

/** Two queries whose responses differ by this parameter alone, or the test that shows it. */
type Difference = [one: Query, other: Query] | { shownBy: [file: string, title: string] }

let app: App
let site: Site
beforeAll(async () => {
  app = await startApp()
  app.clock.set('2026-03-10T12:00:00.000Z')
  site = (await makeWorld(app)).here
  app.clock.set('2026-03-11T01:00:00.000Z')
})
afterAll(() => app.stop())

const range: Record<string, Difference> = {
  timeFilter: [{ timeFilter: 'allTime' }, { timeFilter: 'today' }],
  timeZone: [
    { timeFilter: 'today', timeZone: 'UTC' },
    { timeFilter: 'today', timeZone: 'America/Los_Angeles' },
  ],
  createdAfter: [{}, { createdAfter: '2026-03-10T12:00:01Z' }],
  createdBefore: [{}, { createdBefore: '2026-03-10T12:00:00Z' }],
  status: [{ status: 'started' }, { status: 'completed' }],
}

const filters: Record<string, Difference> = {
  ...range,
  answerContains: [{}, { answerContains: 'nobody said this' }],
  variable: [{}, { variable: 'Nobody:has this' }],
}

const people: Record<string, Difference> = {
  handledBy: [{ handledBy: 'member' }, { handledBy: 'waiting' }],
  assigneeId: [{}, { assigneeId: 'nobody' }],
}

const converted: Difference = {
  shownBy: ['tests/cases/publishing.ts', 'of a legacy version, converted'],
}

const differences: Record<string, Record<string, Difference>> = {
  listFolders: {
    workspaceId: [{ workspaceId: '$workspace' }, { workspaceId: 'other' }],
    parentFolderId: [{ workspaceId: '$workspace' }, { workspaceId: '$workspace', parentFolderId: '$folder' }],
  },
  getFolder: { workspaceId: [{}, { workspaceId: 'other' }] },
  deleteFolder: { workspaceId: [{ workspaceId: 'other' }, {}] },
  listBots: {
    workspaceId: [{ workspaceId: '$workspace' }, { workspaceId: 'other' }],
    folderId: [{ workspaceId: '$workspace' }, { workspaceId: '$workspace', folderId: '$folder' }],
  },
  getBot: { migrateToLatestVersion: [{}, { migrateToLatestVersion: 'true' }] },
  compareBot: {
    from: [
      { from: 'draft', to: 'published' },
      { from: 'published', to: 'published' },
    ],
    to: [
      { from: 'draft', to: 'draft' },
      { from: 'draft', to: 'published' },
    ],
  },
  getPublishedBot: { migrateToLatestVersion: converted },
  listResults: filters,
  deleteResults: {
    resultIds: { shownBy: ['tests/flows/deleted-results.test.ts', "'resultIds', 'createdBefore', 'all'"] },
    createdBefore: {
      shownBy: ['tests/flows/deleted-results.test.ts', "'resultIds', 'createdBefore', 'all'"],
    },
  },
  exportResults: {
    ...filters,
    format: [{}, { format: 'json' }],
    byteOrderMark: [{}, { byteOrderMark: 'true' }],
  },
  getStats: range,
  getBlockStats: { ...range },
  receiveChatwootEvent: {
    whenOver: { shownBy: ['tests/flows/chatwoot.test.ts', 'whenOver resolves or keeps a conversation'] },
    whenReturned: { shownBy: ['tests/flows/chatwoot.test.ts', 'whenReturned starts the bot anew'] },
    secret: { shownBy: ['tests/cases/chatwoot.ts', 'with another secret'] },
  },
  listSessionEvents: {
    after: {
      shownBy: ['tests/flows/session-events.test.ts', 'continues after the last event of its reader'],
    },
  },
  listChats: people,
  listWorkspaceChats: people,
  uploadFile: { fileName: { shownBy: ['tests/flows/uploads.test.ts', 'function upload('] } },
}

/** Pages have a story of their own: see the clients that know only the document. */
const ofPages = ['limit', 'cursor']

const parameters = Object.entries<Operation>(operations).flatMap(([id, { query }]) =>
  Object.keys((query as { shape?: object } | undefined)?.shape ?? {})
    .filter((name) => !ofPages.includes(name))
    .map((name) => [id, name] as const),
)

test.each(parameters)('%s has another response with %s', async (id, name) => {
  const difference = differences[id]?.[name]
  if (difference === undefined) throw new Error(`Add a row that shows what ${name} of ${id} changes`)
  if ('shownBy' in difference) {
    const [file, title] = difference.shownBy
    expect(readFileSync(new URL(file, root), 'utf8')).toContain(title)
    return
  }
  if (people[name] === difference) await takeChat()
  const [one, other] = [await answerTo(id, difference[0]), await answerTo(id, difference[1])]
  expect(other).not.toEqual(one)
  // It is the parameter that makes the difference.
  if (operations[id as keyof typeof operations].method === 'get')
    expect(await answerTo(id, difference[1])).toEqual(other)
})

async function takeChat() {
  const { id: botId, publicId } = site.published
  const { sessionId } = await app.client.ok('startChat', { params: { publicId } })
  const params = { botId, sessionId }
  await app.client.ok('updateChat', { as: site.admin, params, body: { handledBy: 'member' } })
}

async function answerTo(id: string, query: Query): Promise<string> {
  const { method, path } = operations[id as keyof typeof operations]
  const botId = id === 'getBot' ? site.legacy.id : site.published.id
  const real: Query = { $workspace: site.workspaceId, $folder: site.folder }
  const folderId = id === 'deleteFolder' ? site.deepFolder : site.folder
  const params: Query = { workspaceId: site.workspaceId, folderId, botId }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => params[key] ?? key)
  const values = Object.entries(query).map(([key, value]) => [key, real[value] ?? value])
  const address = `${filled}?${new URLSearchParams(values as [string, string][])}`
  const { status, text } = await app.client.send(method.toUpperCase(), address, { as: site.admin })
  return `${status} ${text}`
}
