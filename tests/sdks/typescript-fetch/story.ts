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
  BotCreateFromJSON,
  BotsApi,
  BotToJSON,
  BotUpdateFromJSON,
  type BotV61,
  Configuration,
  FoldersApi,
  PublishedBotToJSON,
  PublishingApi,
  ResponseError,
  ResultsApi,
  WorkspacesApi,
} from './generated'

const connect = (accessToken: string) => new Configuration({ basePath: baseUrl, accessToken })
const bots = new BotsApi(connect(token))
const folders = new FoldersApi(connect(token))
const publishing = new PublishingApi(connect(token))
const workspaces = new WorkspacesApi(connect(token))

/** Returns a model as it is sent: without the keys that are undefined. */
const sent = (model: unknown) => JSON.parse(JSON.stringify(model))

/** The status, code and issues of a rejection, which is thrown as a response with its body unread. */
async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail('It succeeded'),
    (thrown: unknown) => thrown,
  )
  assert(error instanceof ResponseError)
  return { status: error.response.status, ...(await error.response.json()) }
}

const { workspace } = await workspaces.createWorkspace({ workspaceCreate: { name: 'Acme' } })
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(workspace.plan === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const newFolder = { workspaceId, folder: { name: 'Quotes' } }
const folderId: string = (await folders.createFolder({ createFolderBody: newFolder })).folder.id
console.log('create a folder')

const current = { ...BotCreateFromJSON(currentDocument), folderId }
const { bot } = await bots.createBot({ createBotBody: { workspaceId, bot: current } })
assert(bot.version === '6.1')
assert.deepEqual(flowOf(sent(BotToJSON(bot))), flowOf(currentDocument))
const block = (bot as BotV61).groups[0]?.blocks[2]
assert(block?.type === 'choice input')
assert.equal(block.items[0]?.content, 'Beagle')
console.log('create a bot from a document')

const botId = bot.id
const change = { bot: { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt } } as const
const renamed = await bots.updateBot({ botId, updateBotBody: change })
assert.equal(renamed.bot.name, 'Quote')
assert.deepEqual(flowOf(sent(BotToJSON(renamed.bot))), flowOf(currentDocument))
console.log('update in current shape')

const late = await refusal(bots.updateBot({ botId, updateBotBody: change }))
assert.deepEqual([late.status, late.code], [409, 'CONFLICT'])
console.log('meet a 409')

const legacy = { bot: BotUpdateFromJSON(legacyDocument) }
const converted = await bots.updateBot({ botId, updateBotBody: legacy })
assert(converted.bot.version === '5')
assert.deepEqual(flowOf(sent(BotToJSON(converted.bot))), flowOf(legacyDocument))
console.log('update in legacy shape')

assert.equal((await publishing.publishBot({ botId })).message, 'success')
console.log('publish')

const { publishedBot } = await publishing.getPublishedBot({ botId })
assert(publishedBot.version === '5' && publishedBot.botId === botId)
assert.deepEqual(flowOf(sent(PublishedBotToJSON(publishedBot))), flowOf(legacyDocument))
console.log('read the published bot')

const nameless = await refusal(workspaces.createWorkspace({ workspaceCreate: { name: '' } }))
assert.deepEqual([nameless.status, nameless.code], [400, 'BAD_REQUEST'])
assert.deepEqual(nameless.issues[0]?.path, ['body', 'name'])
console.log('meet a 400')

const refused = await refusal(new PublishingApi(connect(guestToken)).publishBot({ botId }))
assert.deepEqual([refused.status, refused.code], [403, 'FORBIDDEN'])
console.log('meet a 403')

const missing = await refusal(bots.getBot({ botId: 'unknown' }))
assert.deepEqual([missing.status, missing.code], [404, 'NOT_FOUND'])
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const page = await new ResultsApi(connect(token)).listResults({ botId: answeredBotId, limit: 2, cursor })
  found.push(...page.results.map(({ id }) => id))
  cursor = page.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

await bots.deleteBot({ botId })
assert.equal((await refusal(bots.getBot({ botId }))).code, 'NOT_FOUND')
await folders.deleteFolder({ folderId })
await workspaces.deleteWorkspace({ workspaceId })
console.log('delete')
