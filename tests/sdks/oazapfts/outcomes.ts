import assert from 'node:assert/strict'
import { baseUrl } from '../support.ts'
import { bodyOf, walk } from '../walk.ts'
import * as api from './generated/api'

api.defaults.baseUrl = baseUrl

type Method = (...given: unknown[]) => Promise<{ status: number; data: unknown }>
const methods = api as Record<string, unknown> as Record<string, Method>

await walk(async ({ operationId, parameters, ...call }, headers) => {
  const method = methods[operationId]
  assert(method)
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ value }) => value)
  const body = call.contentType === undefined ? [] : [bodyOf(call)]
  const optional = parameters.filter(({ isRequired }) => !isRequired)
  const options =
    optional.length > 0 ? [Object.fromEntries(optional.map(({ name, value }) => [name, value]))] : []
  const { status, data } = await method(...required, ...body, ...options, { headers })
  return { status, body: data }
})
