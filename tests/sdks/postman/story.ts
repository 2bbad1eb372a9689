import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { operationIds } from '../document.ts'

interface Item {
  item?: Item[]
  request?: { method: string; url: { path: string[] } }
  response?: unknown[]
}

const collection: Item = JSON.parse(
  readFileSync(new URL('generated/collection.json', import.meta.url), 'utf8'),
)
const requests = requestsIn(collection)
assert.equal(requests.length, operationIds.length)
console.log('have a request for every operation')

for (const { request, response } of requests) assert(request && response?.length)
console.log('have an answer for every request')

function requestsIn(one: Item): Item[] {
  return [...(one.request ? [one] : []), ...(one.item ?? []).flatMap(requestsIn)]
}
