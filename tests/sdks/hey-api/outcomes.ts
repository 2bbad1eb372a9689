import assert from 'node:assert/strict'
import { baseUrl } from '../support.ts'
import { bodyOf, walk } from '../walk.ts'
import * as sdk from './generated'
import { client } from './generated/client.gen'

client.setConfig({ baseUrl, auth: 'any' })

const methods = sdk as Record<string, unknown> as Record<string, typeof sdk.listWorkspaces>

await walk(async ({ operationId, pathParams, query, ...call }, headers) => {
  const method = methods[operationId]
  assert(method)
  const options = { path: pathParams, query, body: bodyOf(call), headers } as object
  const { response, error } = await method(options)
  return { status: response?.status, body: error }
})
