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
import { createApiClient, type Schemas } from './generated/api'

const current: Schemas.BotCreate = currentDocument
const legacy: Schemas.BotUpdateV5 = legacyDocument

/** The generated client leaves the sending to the program. */
const connect = (accessToken: string) =>
  createApiClient(
    {
      fetch: ({ method: name, url, urlSearchParams, parameters }) => {
        const method = name.toUpperCase()
        url.search = String(urlSearchParams ?? '')
        const headers = { ...parameters?.header, Authorization: `Bearer ${accessToken}` }
        if (parameters?.body === undefined) return fetch(url, { method, headers })
        return fetch(url, {
          method,
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(parameters.body),
        })
      },
    },
    baseUrl,
  )
const api = connect(token)
const guestApi = connect(guestToken)

/** Parameters in headers and the query are required although each may be absent. */
const header = {}
const query = {}

/** The whole response, rejected or not, in place of an exception. */
const whole = { withResponse: true, throwOnStatusError: false } as const

const { workspace } = await api.post('/v1/workspaces', { header, body: { name: 'Acme' } })
const name: string = workspace.name
assert.equal(name, 'Acme')
assert(workspace.plan === 'FREE' && workspace.settings === null)
console.log('create a workspace')

const workspaceId = workspace.id
const { folder } = await api.post('/v1/folders', {
  header,
  body: { workspaceId, folder: { name: 'Quotes' } },
})
console.log('create a folder')

const newBot = { workspaceId, bot: { ...current, folderId: folder.id } }
const made = await api.post('/v1/bots', { header, body: newBot })
assert('bot' in made && 'groups' in made.bot && made.bot.version === '6.1')
const { bot } = made
assert.deepEqual(flowOf(bot), flowOf(current))
const block = bot.groups[0]?.blocks[2]
assert(block?.type === 'choice input')
assert.equal(block.items[0]?.content, 'Beagle')
console.log('create a bot from a document')

const path = { botId: bot.id }
const change = { version: '6.1', name: 'Quote', updatedAt: bot.updatedAt } as const
const renamed = await api.patch('/v1/bots/{botId}', { path, header, body: { bot: change } })
assert('groups' in renamed.bot)
assert.equal(renamed.bot.name, 'Quote')
assert.deepEqual(flowOf(renamed.bot), flowOf(bot))
console.log('update in current shape')

const late = await api.patch('/v1/bots/{botId}', { path, header, body: { bot: change }, ...whole })
assert(late.status === 409)
assert.equal(late.data.code, 'CONFLICT')
console.log('meet a 409')

const converted = await api.patch('/v1/bots/{botId}', { path, header, body: { bot: legacy } })
assert('groups' in converted.bot && converted.bot.version === '5')
assert.deepEqual(flowOf(converted.bot), flowOf(legacy))
console.log('update in legacy shape')

assert.equal((await api.post('/v1/bots/{botId}/publish', { path, header })).message, 'success')
console.log('publish')

const { publishedBot } = await api.get('/v1/bots/{botId}/publishedBot', { path, header, query })
assert(publishedBot.version === '5' && publishedBot.botId === bot.id)
assert.deepEqual(flowOf(publishedBot), flowOf(legacy))
console.log('read the published bot')

const nameless = await api.post('/v1/workspaces', { header, body: { name: '' }, ...whole })
assert(nameless.status === 400)
assert.equal(nameless.data.code, 'BAD_REQUEST')
assert.deepEqual(nameless.data.issues[0]?.path, ['body', 'name'])
console.log('meet a 400')

const refused = await guestApi.post('/v1/bots/{botId}/publish', { path, header, ...whole })
assert(refused.status === 403)
assert.equal(refused.data.code, 'FORBIDDEN')
console.log('meet a 403')

const missing = await api.get('/v1/bots/{botId}', { path: { botId: 'unknown' }, header, query, ...whole })
assert(missing.status === 404)
assert.equal(missing.data.code, 'NOT_FOUND')
console.log('meet a 404')

const found: string[] = []
let cursor: string | undefined
do {
  const next = { limit: 2, ...(cursor && { cursor }) }
  const page = await api.get('/v1/bots/{botId}/results', { path: { botId: answeredBotId }, query: next })
  found.push(...page.results.map(({ id }) => id))
  cursor = page.nextCursor ?? undefined
} while (cursor)
assert.deepEqual(found, resultIds)
console.log('page through results')

assert.equal((await api.delete('/v1/bots/{botId}', { path, header })).message, 'success')
assert.equal((await api.get('/v1/bots/{botId}', { path, header, query, ...whole })).status, 404)
await api.delete('/v1/folders/{folderId}', { path: { folderId: folder.id }, header, query })
assert.equal(
  (await api.delete('/v1/workspaces/{workspaceId}', { path: { workspaceId }, header })).message,
  'Workspace deleted',
)
console.log('delete')
