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
import { BotsApi, FoldersApi, HttpError, PublishingApi, ResultsApi, WorkspacesApi } from './generated/api'

const connect = <Api extends { accessToken: string | (() => string) }>(
  Class: new (basePath: string) => Api,
  accessToken: string,
): Api => Object.assign(new Class(baseUrl), { accessToken })
const bots = connect(BotsApi, token)
const folders = connect(FoldersApi, token)
const publishing = connect(PublishingApi, token)
const results = connect(ResultsApi, token)
const workspaces = connect(WorkspacesApi, token)

/** The status and body of a rejection, which has no type. */
async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail('It succeeded'),
    (thrown: unknown) => thrown,
  )
  assert(error instanceof HttpError)
  return { status: error.statusCode, ...error.body }
}

const { workspace } = (await workspaces.createWorkspace({ name: 'Acme' })).body
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(String(workspace.plan) === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const newFolder = { workspaceId, folder: { name: 'Quotes' } }
const folderId: string = (await folders.createFolder(newFolder)).body.folder.id
console.log('create a folder')

const current = { ...currentDocument, folderId }
const { bot } = (await bots.createBot({ workspaceId, bot: current })).body
assert.equal(bot.version, '6.1')
assert.deepEqual(sent(bot), flowOf(currentDocument))
console.log('create a bot from a document')

// A union is one class, whose enums are those of the last branch, so values are written as texts.
const rename = { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt } as never
const renamed = (await bots.updateBot(bot.id, { bot: rename })).body.bot
assert.equal(renamed.name, 'Quote')
assert.deepEqual(sent(renamed), flowOf(currentDocument))
console.log('update in current shape')

const late = await refusal(bots.updateBot(bot.id, { bot: rename }))
assert.deepEqual([late.status, late.code], [409, 'CONFLICT'])
console.log('meet a 409')

const converted = (await bots.updateBot(bot.id, { bot: legacyDocument as never })).body.bot
assert.equal(converted.version, '5')
assert.deepEqual(sent(converted), flowOf(legacyDocument))
console.log('update in legacy shape')

assert.equal((await publishing.publishBot(bot.id)).body.message, 'success')
console.log('publish')

const live = (await publishing.getPublishedBot(bot.id)).body.publishedBot
assert.deepEqual([live.version, live.botId], ['5', bot.id])
assert.deepEqual(sent(live), flowOf(legacyDocument))
console.log('read the published bot')

const nameless = await refusal(workspaces.createWorkspace({ name: '' }))
assert.deepEqual([nameless.status, nameless.issues[0].path], [400, ['body', 'name']])
console.log('meet a 400')

const refused = await refusal(connect(PublishingApi, guestToken).publishBot(bot.id))
assert.deepEqual([refused.status, refused.code], [403, 'FORBIDDEN'])
console.log('meet a 403')

assert.equal((await refusal(bots.getBot('unknown'))).status, 404)
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const page = (await results.listResults(answeredBotId, 2, cursor)).body
  found.push(...page.results.map(({ id }) => id))
  cursor = page.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

await bots.deleteBot(bot.id)
assert.equal((await refusal(bots.getBot(bot.id))).status, 404)
await folders.deleteFolder(folderId)
await workspaces.deleteWorkspace(workspaceId)
console.log('delete')

function sent(model: object) {
  return JSON.parse(JSON.stringify(flowOf(model)))
}
