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
import {
  type BadRequestErrorBody,
  type BotCreate,
  type BotUpdateV5,
  type ConflictErrorBody,
  createBot,
  createFolder,
  createWorkspace,
  deleteBot,
  deleteFolder,
  deleteWorkspace,
  type ForbiddenErrorBody,
  getBot,
  getPublishedBot,
  listResults,
  type NotFoundErrorBody,
  publishBot,
  updateBot,
} from './generated'
import { setConfig } from './generated/.kubb/fetch'

const current: BotCreate = currentDocument
const legacy: BotUpdateV5 = legacyDocument

// It sends JSON without saying so.
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
setConfig({ baseURL: baseUrl, headers })

/** The status and body of a rejection, which is returned as if it were a success. */
async function refusal<Body>(call: Promise<{ status: number; data: unknown }>) {
  const { status, data } = await call
  assert(status >= 400)
  return { status, body: data as Body }
}

const { workspace } = (await createWorkspace({ name: 'Acme' })).data
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(workspace.plan === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const folderId: string = (await createFolder({ workspaceId, folder: { name: 'Quotes' } })).data.folder.id
console.log('create a folder')

const { bot } = (await createBot({ workspaceId, bot: { ...current, folderId } })).data
assert(bot.version === '6.1')
assert.deepEqual(flowOf(bot), flowOf(current))
const block = bot.groups[0]?.blocks[2]
assert(block?.type === 'choice input')
assert.equal(block.items[0]?.content, 'Beagle')
console.log('create a bot from a document')

const change = { bot: { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt } } as const
const renamed = (await updateBot(bot.id, change)).data
assert.equal(renamed.bot.name, 'Quote')
assert.deepEqual(flowOf(renamed.bot), flowOf(bot))
console.log('update in current shape')

const late = await refusal<ConflictErrorBody>(updateBot(bot.id, change))
assert.deepEqual([late.status, late.body.code], [409, 'CONFLICT'])
console.log('meet a 409')

const converted = (await updateBot(bot.id, { bot: legacy })).data
assert(converted.bot.version === '5')
assert.deepEqual(flowOf(converted.bot), flowOf(legacy))
console.log('update in legacy shape')

assert.equal((await publishBot(bot.id)).data.message, 'success')
console.log('publish')

const { publishedBot } = (await getPublishedBot(bot.id)).data
assert(publishedBot.version === '5' && publishedBot.botId === bot.id)
assert.deepEqual(flowOf(publishedBot), flowOf(legacy))
console.log('read the published bot')

const nameless = await refusal<BadRequestErrorBody>(createWorkspace({ name: '' }))
assert.deepEqual([nameless.status, nameless.body.code], [400, 'BAD_REQUEST'])
assert.deepEqual(nameless.body.issues[0]?.path, ['body', 'name'])
console.log('meet a 400')

const asGuest = { headers: { ...headers, Authorization: `Bearer ${guestToken}` } }
const refused = await refusal<ForbiddenErrorBody>(publishBot(bot.id, undefined, asGuest))
assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
console.log('meet a 403')

const missing = await refusal<NotFoundErrorBody>(getBot('unknown'))
assert.deepEqual([missing.status, missing.body.code], [404, 'NOT_FOUND'])
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const page = (await listResults(answeredBotId, { limit: 2, cursor })).data
  found.push(...page.results.map(({ id }) => id))
  cursor = page.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

assert.equal((await deleteBot(bot.id)).data.message, 'success')
assert.equal((await refusal<NotFoundErrorBody>(getBot(bot.id))).body.code, 'NOT_FOUND')
await deleteFolder(folderId)
assert.equal((await deleteWorkspace(workspaceId)).status, 200)
console.log('delete')
