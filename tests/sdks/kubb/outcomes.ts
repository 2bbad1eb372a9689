import assert from 'node:assert/strict'
import { baseUrl } from '../support.ts'
import { bodyOf, walk } from '../walk.ts'
import * as clients from './generated'
import { setConfig } from './generated/.kubb/fetch'

setConfig({ baseURL: baseUrl, headers: { 'Content-Type': 'application/json' } })

type Method = (...given: unknown[]) => Promise<{ status: number; data: unknown }>
const methods = clients as Record<string, unknown> as Record<string, Method>

await walk(async ({ operationId, pathParams, query, parameters, ...call }, headers) => {
  const method = methods[operationId]
  assert(method)
  const named = parameters.some((one) => one.in === 'header') ? {} : undefined
  const given = [bodyOf(call), query, named].filter((one) => one !== undefined)
  const { status, data } = await method(...Object.values(pathParams), ...given, { headers })
  return { status, body: data }
})
