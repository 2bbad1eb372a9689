import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import {
  answeredBotId,
  baseUrl,
  currentDocument,
  flowOf,
  guestToken,
  legacyDocument,
  resultIds,
  token,
} from '../support.ts'
import type { components, paths } from './generated/api'

type Schemas = components['schemas']

const current: Schemas['BotCreate'] = currentDocument
const legacy: Schemas['BotUpdateV5'] = legacyDocument

const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
const guestApi = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${guestToken}` } })

const madeWorkspace = await api.POST('/v1/workspaces', { body: { name: 'Acme' } })
assert(madeWorkspace.data)
const { workspace } = madeWorkspace.data
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(workspace.plan === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const madeFolder = await api.POST('/v1/folders', { body: { workspaceId, folder: { name: 'Quotes' } } })
assert(madeFolder.data)
const folderId: string = madeFolder.data.folder.id
console.log('create a folder')

const madeBot = await api.POST('/v1/bots', { body: { workspaceId, bot: { ...current, folderId } } })
assert(madeBot.data)
const { bot } = madeBot.data
assert('groups' in bot && bot.version === '6.1')
assert.deepEqual(flowOf(bot), flowOf(current))
const block = bot.groups[0]?.blocks[2]
assert(block?.type === 'choice input')
assert.equal(block.items[0]?.content, 'Beagle')
console.log('create a bot from a document')

const path = { botId: bot.id }
const renamed = await api.PATCH('/v1/bots/{botId}', {
  params: { path },
  body: { bot: { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt } },
})
assert(renamed.data && 'name' in renamed.data.bot)
assert.equal(renamed.data.bot.name, 'Quote')
assert.deepEqual(flowOf(renamed.data.bot), flowOf(current))
console.log('update in current shape')

const late = await api.PATCH('/v1/bots/{botId}', {
  params: { path },
  body: { bot: { version: '6.1', name: 'Too late', updatedAt: bot.updatedAt } },
})
assert.equal(late.response.status, 409)
assert(late.error?.code === 'CONFLICT')
console.log('meet a 409')

const converted = await api.PATCH('/v1/bots/{botId}', { params: { path }, body: { bot: legacy } })
assert(converted.data?.bot.version === '5')
assert.deepEqual(flowOf(converted.data.bot), flowOf(legacy))
console.log('update in legacy shape')

const published = await api.POST('/v1/bots/{botId}/publish', { params: { path } })
assert.equal(published.data?.message, 'success')
console.log('publish')

const live = await api.GET('/v1/bots/{botId}/publishedBot', { params: { path } })
assert(live.data?.publishedBot.version === '5')
assert.equal(live.data.publishedBot.botId, bot.id)
assert.deepEqual(flowOf(live.data.publishedBot), flowOf(legacy))
console.log('read the published bot')

const nameless = await api.POST('/v1/workspaces', { body: { name: '' } })
assert.equal(nameless.response.status, 400)
assert(nameless.error?.code === 'BAD_REQUEST')
assert.deepEqual(nameless.error.issues[0]?.path, ['body', 'name'])
console.log('meet a 400')

const refused = await guestApi.POST('/v1/bots/{botId}/publish', { params: { path } })
assert.equal(refused.response.status, 403)
assert(refused.error?.code === 'FORBIDDEN')
console.log('meet a 403')

const missing = await api.GET('/v1/bots/{botId}', { params: { path: { botId: 'unknown' } } })
assert.equal(missing.response.status, 404)
assert(missing.error?.code === 'NOT_FOUND')
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const page = await api.GET('/v1/bots/{botId}/results', {
    params: { path: { botId: answeredBotId }, query: { limit: 2, cursor } },
  })
  assert(page.data)
  found.push(...page.data.results.map(({ id }) => id))
  cursor = page.data.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

assert.equal((await api.DELETE('/v1/bots/{botId}', { params: { path } })).data?.message, 'success')
assert.equal((await api.GET('/v1/bots/{botId}', { params: { path } })).error?.code, 'NOT_FOUND')
await api.DELETE('/v1/folders/{folderId}', { params: { path: { folderId } } })
const gone = await api.DELETE('/v1/workspaces/{workspaceId}', { params: { path: { workspaceId } } })
assert.equal(gone.response.status, 200)
console.log('delete')
