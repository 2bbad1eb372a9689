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
import { createApiClient } from './generated/api'

const connect = (accessToken: string) =>
  createApiClient(baseUrl, { axiosConfig: { headers: { Authorization: `Bearer ${accessToken}` } } })
const client = connect(token)
const guest = connect(guestToken)

/** The status and body of a rejection. It throws the errors of axios. */
async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail('It succeeded'),
    (thrown: unknown) => thrown,
  )
  assert(isAxiosError(error) && error.response)
  return error.response
}

const { workspace } = await client.createWorkspace({ name: 'Acme' })
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(workspace.plan === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const { folder } = await client.createFolder({ workspaceId, folder: { name: 'Quotes' } })
console.log('create a folder')

const created = await client.createBot({ workspaceId, bot: { ...currentDocument, folderId: folder.id } })
assert('groups' in created.bot)
const { bot } = created
assert.deepEqual(flowOf(bot), flowOf(currentDocument))
console.log('create a bot from a document')

const params = { botId: bot.id }
const rename = { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt } as const
const renamed = await client.updateBot({ bot: rename }, { params })
assert('name' in renamed.bot)
assert.equal(renamed.bot.name, 'Quote')
assert.deepEqual(flowOf(renamed.bot), flowOf(currentDocument))
console.log('update in current shape')

const late = await refusal(client.updateBot({ bot: rename }, { params }))
assert.deepEqual([late.status, late.data.code], [409, 'CONFLICT'])
console.log('meet a 409')

const converted = await client.updateBot({ bot: legacyDocument }, { params })
assert.equal(converted.bot.version, '5')
assert.deepEqual(flowOf(converted.bot), flowOf(legacyDocument))
console.log('update in legacy shape')

assert.equal((await client.publishBot(undefined, { params })).message, 'success')
console.log('publish')

const { publishedBot } = await client.getPublishedBot({ params })
assert.deepEqual([publishedBot.version, publishedBot.botId], ['5', bot.id])
assert.deepEqual(flowOf(publishedBot), flowOf(legacyDocument))
console.log('read the published bot')

// Its own check would reject the name before it is sent.
const unchecked = createApiClient(baseUrl, {
  validate: 'response',
  axiosConfig: { headers: { Authorization: `Bearer ${token}` } },
})
const nameless = await refusal(unchecked.createWorkspace({ name: '' }))
assert.deepEqual([nameless.status, nameless.data.issues[0]?.path], [400, ['body', 'name']])
console.log('meet a 400')

const refused = await refusal(guest.publishBot(undefined, { params }))
assert.deepEqual([refused.status, refused.data.code], [403, 'FORBIDDEN'])
console.log('meet a 403')

const missing = await refusal(client.getBot({ params: { botId: 'unknown' } }))
assert.deepEqual([missing.status, missing.data.code], [404, 'NOT_FOUND'])
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const page = await client.listResults({ params: { botId: answeredBotId }, queries: { limit: 2, cursor } })
  found.push(...page.results.map(({ id }) => id))
  cursor = page.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

await client.deleteBot(undefined, { params })
assert.equal((await refusal(client.getBot({ params }))).status, 404)
await client.deleteFolder(undefined, { params: { folderId: folder.id } })
await client.deleteWorkspace(undefined, { params: { workspaceId } })
console.log('delete')
