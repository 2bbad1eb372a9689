import createClient from 'openapi-fetch'
import { baseUrl } from '../support.ts'
import { bodyOf, walk } from '../walk.ts'
import type { paths } from './generated/api'

const api = createClient<paths>({ baseUrl })

await walk(async ({ method, path, pathParams, query, ...call }, headers) => {
  const send = api.request as (
    method: string,
    path: string,
    options: object,
  ) => ReturnType<typeof api.request>
  const { response, error } = await send(method, path, {
    params: { path: pathParams, query },
    body: bodyOf(call),
    headers,
  })
  return { status: response.status, body: error }
})
