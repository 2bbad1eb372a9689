import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { openApiToBruno } from '@usebruno/converters'
import { parse } from 'yaml'
import { operationIds } from '../document.ts'
import { baseUrl, token } from '../support.ts'

interface Field {
  name: string
  value: string
  type?: 'path' | 'query'
  enabled: boolean
}

interface Item {
  name: string
  items?: Item[]
  request?: {
    method: string
    url: string
    headers: Field[]
    params: Field[]
    body: { mode: string; json: string | null }
  }
}

const document = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'))
const requests = requestsIn(openApiToBruno(document))
assert.equal(requests.length, operationIds.length)
console.log('have a request for every operation')

const optional = ['Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer', 'cursor']
for (const { name, headers, params } of requests) {
  const sent = [...headers, ...params].filter(({ enabled }) => enabled)
  assert.deepEqual([name, sent.filter((field) => optional.includes(field.name))], [name, []])
  const known = [...headers, ...params].filter((field) => optional.includes(field.name))
  assert.deepEqual([name, known.filter(({ value }) => value !== '')], [name, []])
}
console.log('send no optional header and no cursor')

for (const { name, body } of requests) {
  const text = body.mode === 'json' ? (body.json ?? '') : ''
  assert.doesNotMatch(text, /:\s*null\b/, name)
  if (body.mode === 'json') JSON.parse(text)
}
console.log('send no null that nobody filled in')

// As they come, but for ids of this service. The second one would be another request with a used key.
const create = requestNamed('Create a workspace')
const { workspace } = await send(create, {}, 201)
const other = await send(create, {}, 201)
assert.notEqual(other.workspace.id, workspace.id)
const workspaceId: string = workspace.id
const { folder } = await send(requestNamed('Create a folder'), { workspaceId }, 201)
const ids = { workspaceId, folderId: folder.id }
const { bot } = await send(requestNamed('Import a bot'), ids, 201)
const { updatedAt } = bot
await send(requestNamed('Update a bot'), { ...ids, botId: bot.id, updatedAt }, 200)
await send(requestNamed('List the results of a bot'), { botId: bot.id }, 200)
for (const id of [workspaceId, other.workspace.id]) {
  await send(requestNamed('Delete a workspace'), { workspaceId: id }, 200)
}
console.log('send requests as they come')

function requestsIn(one: Item): (NonNullable<Item['request']> & { name: string })[] {
  const { name, request, items = [] } = one
  return [...(request ? [{ name, ...request }] : []), ...items.flatMap(requestsIn)]
}

function requestNamed(start: string) {
  return requests.find(({ name }) => name.startsWith(start)) ?? assert.fail(`There is no ${start}`)
}

/** Sends what is enabled. Ids and times of examples give way to `known` ones. */
async function send(request: ReturnType<typeof requestNamed>, known: Record<string, string>, status: number) {
  const { method, url, headers, params, body } = request
  const path = url.replace('{{baseUrl}}', '').replaceAll(/:(\w+)/g, (_, name) => known[name] ?? name)
  const query = params.filter(({ enabled, type }) => enabled && type === 'query')
  const asked = new URLSearchParams(query.map(({ name, value }) => [name, value]))
  const sent = headers.filter(({ enabled }) => enabled).map(({ name, value }) => [name, value])
  const hasBody = body.mode === 'json'
  const text = JSON.stringify(
    JSON.parse(body.json ?? '{}', (key, value) =>
      key === 'parentFolderId' ? undefined : (known[key] ?? value),
    ),
  )
  const response = await fetch(`${baseUrl}${path}?${asked}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
      ...Object.fromEntries(sent),
    },
    ...(hasBody ? { body: text } : {}),
  })
  const answer = await response.text()
  assert.equal(response.status, status, `${request.name}: ${answer}`)
  return JSON.parse(answer)
}
