import assert from 'node:assert/strict'
import { isAxiosError } from 'axios'
import { baseUrl } from '../support.ts'
import { bodyOf, walk } from '../walk.ts'
import { createApiClient } from './generated/api'

const client = createApiClient(baseUrl)

type Method = (...given: unknown[]) => Promise<unknown>
const methods = client as unknown as Record<string, Method>

await walk(async ({ operationId, method, pathParams, query, ...call }, headers) => {
  const send = methods[operationId]
  assert(send)
  const options = { params: pathParams, queries: query, headers }
  const given = method === 'get' ? [options] : [bodyOf(call), options]
  const error = await send(...given).then(
    () => assert.fail('It succeeded'),
    (thrown: unknown) => thrown,
  )
  if (!isAxiosError(error)) throw error
  return { status: error.response?.status, body: error.response?.data }
})
