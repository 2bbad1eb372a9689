import assert from 'node:assert/strict'
import { isAxiosError } from 'axios'
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
  BotsApi,
  type BotUpdateV5,
  Configuration,
  type ConflictErrorBody,
  FoldersApi,
  type ForbiddenErrorBody,
  type NotFoundErrorBody,
  PublishingApi,
  ResultsApi,
  WorkspacesApi,
} from './generated'

const current: BotCreate = currentDocument
const legacy: BotUpdateV5 = legacyDocument

const connect = (accessToken: string) => new Configuration({ basePath: baseUrl, accessToken })
const bots = new BotsApi(connect(token))
const folders = new FoldersApi(connect(token))
const publishing = new PublishingApi(connect(token))
const results = new ResultsApi(connect(token))
const workspaces = new WorkspacesApi(connect(token))

/** The status and body of a rejection, which is thrown with a body of no type. */
async function refusal<Body>(call: Promise<unknown>): Promise<{ status: number; body: Body }> {
  const error = await call.then(
    () => assert.fail('It succeeded'),
    (thrown: unknown) => thrown,
  )
  assert(isAxiosError(error) && error.response)
  return { status: error.response.status, body: error.response.data }
}

const { workspace } = (await workspaces.createWorkspace({ workspaceCreate: { name: 'Acme' } })).data
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(workspace.plan === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const newFolder = { workspaceId, folder: { name: 'Quotes' } }
const folderId: string = (await folders.createFolder({ createFolderBody: newFolder })).data.folder.id
console.log('create a folder')

const newBot = { workspaceId, bot: { ...current, folderId } }
const { bot } = (await bots.createBot({ createBotBody: newBot })).data
assert(bot.version === '6.1')
assert.deepEqual(flowOf(bot), flowOf(current))
const block = bot.groups[0]?.blocks[2]
assert(block?.type === 'choice input')
assert.equal(block.items[0]?.content, 'Beagle')
console.log('create a bot from a document')

const botId = bot.id
const change = { bot: { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt } } as const
const renamed = (await bots.updateBot({ botId, updateBotBody: change })).data
assert.equal(renamed.bot.name, 'Quote')
assert.deepEqual(flowOf(renamed.bot), flowOf(bot))
console.log('update in current shape')

const late = await refusal<ConflictErrorBody>(bots.updateBot({ botId, updateBotBody: change }))
assert.deepEqual([late.status, late.body.code], [409, 'CONFLICT'])
console.log('meet a 409')

const converted = (await bots.updateBot({ botId, updateBotBody: { bot: legacy } })).data
assert(converted.bot.version === '5')
assert.deepEqual(flowOf(converted.bot), flowOf(legacy))
console.log('update in legacy shape')

assert.equal((await publishing.publishBot({ botId })).data.message, 'success')
console.log('publish')

const { publishedBot } = (await publishing.getPublishedBot({ botId })).data
assert(publishedBot.version === '5' && publishedBot.botId === botId)
assert.deepEqual(flowOf(publishedBot), flowOf(legacy))
console.log('read the published bot')

const nameless = await refusal<BadRequestErrorBody>(
  workspaces.createWorkspace({ workspaceCreate: { name: '' } }),
)
assert.deepEqual([nameless.status, nameless.body.code], [400, 'BAD_REQUEST'])
assert.deepEqual(nameless.body.issues[0]?.path, ['body', 'name'])
console.log('meet a 400')

const guest = new PublishingApi(connect(guestToken))
const refused = await refusal<ForbiddenErrorBody>(guest.publishBot({ botId }))
assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
console.log('meet a 403')

const missing = await refusal<NotFoundErrorBody>(bots.getBot({ botId: 'unknown' }))
assert.deepEqual([missing.status, missing.body.code], [404, 'NOT_FOUND'])
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const page = (await results.listResults({ botId: answeredBotId, limit: 2, cursor })).data
  found.push(...page.results.map(({ id }) => id))
  cursor = page.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

await bots.deleteBot({ botId })
assert.equal((await refusal<NotFoundErrorBody>(bots.getBot({ botId }))).body.code, 'NOT_FOUND')
await folders.deleteFolder({ folderId })
await workspaces.deleteWorkspace({ workspaceId })
console.log('delete')
