import assert from 'node:assert/strict'
import { answeredBotId, currentDocument, flowOf, guestToken, legacyDocument, resultIds } from '../support.ts'
import { createBot, deleteBot, getBot, updateBot } from './generated/bots/bots'
import { createFolder, deleteFolder } from './generated/folders/folders'
import type { BotCreate, BotUpdateV5 } from './generated/model'
import { getPublishedBot, publishBot } from './generated/publishing/publishing'
import { listResults } from './generated/results/results'
import { createWorkspace, deleteWorkspace } from './generated/workspaces/workspaces'

const current: BotCreate = currentDocument
const legacy: BotUpdateV5 = legacyDocument

const madeWorkspace = await createWorkspace({ name: 'Acme' })
assert(madeWorkspace.status === 201)
const { workspace } = madeWorkspace.data
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(workspace.plan === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const madeFolder = await createFolder({ workspaceId, folder: { name: 'Quotes' } })
assert(madeFolder.status === 201)
const folderId: string = madeFolder.data.folder.id
console.log('create a folder')

const madeBot = await createBot({ workspaceId, bot: { ...current, folderId } })
assert(madeBot.status === 201)
const { bot } = madeBot.data
assert('groups' in bot && bot.version === '6.1')
assert.deepEqual(flowOf(bot), flowOf(current))
const block = bot.groups[0]?.blocks[2]
assert(block?.type === 'choice input')
assert.equal(block.items[0]?.content, 'Beagle')
console.log('create a bot from a document')

const renamed = await updateBot(bot.id, {
  bot: { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt },
})
assert(renamed.status === 200 && 'name' in renamed.data.bot)
assert.equal(renamed.data.bot.name, 'Quote')
assert.deepEqual(flowOf(renamed.data.bot), flowOf(current))
console.log('update in current shape')

const late = await updateBot(bot.id, {
  bot: { version: '6.1', name: 'Too late', updatedAt: bot.updatedAt },
})
assert(late.status === 409)
assert(late.data.code === 'CONFLICT')
console.log('meet a 409')

const converted = await updateBot(bot.id, { bot: legacy })
assert(converted.status === 200 && converted.data.bot.version === '5')
assert.deepEqual(flowOf(converted.data.bot), flowOf(legacy))
console.log('update in legacy shape')

const published = await publishBot(bot.id)
assert(published.status === 200)
assert.equal(published.data.message, 'success')
console.log('publish')

const live = await getPublishedBot(bot.id)
assert(live.status === 200 && live.data.publishedBot.version === '5')
assert.equal(live.data.publishedBot.botId, bot.id)
assert.deepEqual(flowOf(live.data.publishedBot), flowOf(legacy))
console.log('read the published bot')

const nameless = await createWorkspace({ name: '' })
assert(nameless.status === 400)
assert(nameless.data.code === 'BAD_REQUEST')
assert.deepEqual(nameless.data.issues[0]?.path, ['body', 'name'])
console.log('meet a 400')

const refused = await publishBot(bot.id, { headers: { Authorization: `Bearer ${guestToken}` } })
assert(refused.status === 403)
assert(refused.data.code === 'FORBIDDEN')
console.log('meet a 403')

const missing = await getBot('unknown')
assert(missing.status === 404)
assert(missing.data.code === 'NOT_FOUND')
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const page = await listResults(answeredBotId, { limit: 2, cursor })
  assert(page.status === 200)
  found.push(...page.data.results.map(({ id }) => id))
  cursor = page.data.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

assert.equal((await deleteBot(bot.id)).status, 200)
assert.equal((await getBot(bot.id)).status, 404)
assert.equal((await deleteFolder(folderId)).status, 200)
assert.equal((await deleteWorkspace(workspaceId)).status, 200)
console.log('delete')
