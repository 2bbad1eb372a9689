import assert from 'node:assert/strict'
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
import { Api, type BotCreate, type BotUpdateV5, type HttpResponse } from './generated/api'

const current: BotCreate = currentDocument
const legacy: BotUpdateV5 = legacyDocument

const connect = (token: string) =>
  new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${token}` } } }).v1
const api = connect(token)

/** Returns the error of a call that is rejected. */
const refusal = <Body extends object>(call: Promise<HttpResponse<unknown, Body>>) =>
  call.then(
    () => assert.fail('It succeeded'),
    (refused: HttpResponse<unknown, Body>) => refused,
  )

const madeWorkspace = await api.createWorkspace({ name: 'Acme' })
assert.equal(madeWorkspace.status, 201)
const { workspace } = madeWorkspace.data
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(workspace.plan === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const madeFolder = await api.createFolder({ workspaceId, folder: { name: 'Quotes' } })
assert.equal(madeFolder.status, 201)
const folderId: string = madeFolder.data.folder.id
console.log('create a folder')

const madeBot = await api.createBot({ workspaceId, bot: { ...current, folderId } })
assert.equal(madeBot.status, 201)
const { bot } = madeBot.data
assert(bot.version === '6.1')
assert.deepEqual(flowOf(bot), flowOf(current))
const block = bot.groups[0]?.blocks[2]
assert(block?.type === 'choice input')
assert.equal(block.items[0]?.content, 'Beagle')
console.log('create a bot from a document')

const change = { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt } as const
const renamed = await api.updateBot(bot.id, { bot: change })
assert.equal(renamed.status, 200)
assert.equal(renamed.data.bot.name, 'Quote')
assert.deepEqual(flowOf(renamed.data.bot), flowOf(current))
console.log('update in current shape')

const late = await refusal(api.updateBot(bot.id, { bot: change }))
assert.equal(late.status, 409)
assert(late.error.code === 'CONFLICT')
console.log('meet a 409')

const converted = await api.updateBot(bot.id, { bot: legacy })
assert(converted.data.bot.version === '5')
assert.deepEqual(flowOf(converted.data.bot), flowOf(legacy))
console.log('update in legacy shape')

const published = await api.publishBot(bot.id)
assert.equal(published.status, 200)
assert.equal(published.data.message, 'success')
console.log('publish')

const live = await api.getPublishedBot(bot.id)
assert(live.data.publishedBot.version === '5')
assert.equal(live.data.publishedBot.botId, bot.id)
assert.deepEqual(flowOf(live.data.publishedBot), flowOf(legacy))
console.log('read the published bot')

const nameless = await refusal(api.createWorkspace({ name: '' }))
assert.equal(nameless.status, 400)
assert(nameless.error.code === 'BAD_REQUEST')
assert.deepEqual(nameless.error.issues[0]?.path, ['body', 'name'])
console.log('meet a 400')

const refused = await refusal(connect(guestToken).publishBot(bot.id))
assert.equal(refused.status, 403)
assert(refused.error.code === 'FORBIDDEN')
console.log('meet a 403')

const missing = await refusal(api.getBot('unknown'))
assert.equal(missing.status, 404)
assert(missing.error.code === 'NOT_FOUND')
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const page = await api.listResults(answeredBotId, { limit: 2, cursor })
  assert.equal(page.status, 200)
  found.push(...page.data.results.map(({ id }) => id))
  cursor = page.data.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

assert.equal((await api.deleteBot(bot.id)).status, 200)
assert.equal((await refusal(api.getBot(bot.id))).status, 404)
assert.equal((await api.deleteFolder(folderId)).status, 200)
assert.equal((await api.deleteWorkspace(workspaceId)).status, 200)
console.log('delete')
