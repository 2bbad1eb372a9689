import assert from 'node:assert/strict'
import { bodyOf, walk } from '../walk.ts'
import * as sdk from './generated'

const methods = sdk as Record<string, unknown> as Record<
  string,
  (...given: unknown[]) => Promise<{ status: number; data: unknown }>
>

await walk(async ({ operationId, pathParams, query, ...call }, headers) => {
  const method = methods[operationId]
  assert(method)
  const given = [bodyOf(call), query].filter((one) => one !== undefined)
  const { status, data } = await method(...Object.values(pathParams), ...given, { headers })
  return { status, body: data }
})
