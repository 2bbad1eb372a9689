import assert from 'node:assert/strict'
import { baseUrl } from '../support.ts'
import { apiClassOf, givenTo, walk } from '../walk.ts'
import * as generated from './generated'

type Method = (given?: object) => Promise<unknown>
type ApiClass = new (configuration: generated.Configuration) => Record<string, Method>
const classes = generated as Record<string, unknown> as Record<string, ApiClass>

await walk(async (call, headers) => {
  const Api = classes[apiClassOf(call)]
  assert(Api)
  const api = new Api(new generated.Configuration({ basePath: baseUrl, headers }))
  const error = await api[call.operationId]?.(givenTo(call)).then(
    () => assert.fail('It succeeded'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof generated.ResponseError)) throw error
  return { status: error.response.status, body: await error.response.json() }
})
