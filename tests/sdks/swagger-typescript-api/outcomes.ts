import assert from 'node:assert/strict'
import { baseUrl } from '../support.ts'
import { bodyOf, walk } from '../walk.ts'
import { Api, type HttpResponse } from './generated/api'

const { v1, api } = new Api({ baseUrl })

type Method = (...given: unknown[]) => Promise<HttpResponse<unknown, unknown>>
const methods = { ...v1, ...api } as Record<string, unknown> as Record<string, Method>

await walk(async ({ operationId, pathParams, query, ...call }, headers) => {
  const method = methods[operationId]
  assert(method)
  // Without a format it does not read errors of operations that answer no JSON.
  const given = [query, bodyOf(call)].filter((one) => one !== undefined)
  const { status, error } = await method(...Object.values(pathParams), ...given, {
    headers,
    format: 'json',
  }).then(
    () => assert.fail('It succeeded'),
    (refused: HttpResponse<unknown, unknown>) => refused,
  )
  return { status, body: error }
})
