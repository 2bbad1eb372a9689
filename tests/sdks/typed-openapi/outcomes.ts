import assert from 'node:assert/strict'
import { baseUrl } from '../support.ts'
import { walk } from '../walk.ts'
import { createApiClient } from './generated/api'

const api = createApiClient(
  {
    fetch: ({ method: name, url, urlSearchParams, parameters }) => {
      url.search = String(urlSearchParams ?? '')
      const body = parameters?.body
      const headers = {
        ...parameters?.header,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      }
      return fetch(url, { method: name.toUpperCase(), headers, body: JSON.stringify(body) })
    },
  },
  baseUrl,
)

type Send = (path: string, given: object) => Promise<{ status: number; data: unknown }>
const methods = api as unknown as Record<string, Send>

await walk(async ({ method, path, pathParams, query, body }, header) => {
  const send = methods[method]?.bind(api)
  assert(send)
  const whole = { withResponse: true, throwOnStatusError: false } as const
  const { status, data } = await send(path, { path: pathParams, query, header, body, ...whole })
  return { status, body: data }
})
