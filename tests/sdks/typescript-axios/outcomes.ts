import assert from 'node:assert/strict'
import { isAxiosError } from 'axios'
import { baseUrl } from '../support.ts'
import { apiClassOf, givenTo, walk } from '../walk.ts'
import * as generated from './generated'

type Method = (...given: object[]) => Promise<unknown>
type ApiClass = new (configuration: generated.Configuration) => Record<string, Method>
const classes = generated as Record<string, unknown> as Record<string, ApiClass>
const configuration = new generated.Configuration({ basePath: baseUrl, accessToken: 'any' })

await walk(async (call, headers) => {
  const Api = classes[apiClassOf(call)]
  assert(Api)
  const api = new Api(configuration)
  const given = [givenTo(call), { headers }].filter((one) => one !== undefined)
  const error = await api[call.operationId]?.(...given).then(
    () => assert.fail('It succeeded'),
    (thrown: unknown) => thrown,
  )
  if (!isAxiosError(error)) throw error
  return { status: error.response?.status, body: error.response?.data }
})
