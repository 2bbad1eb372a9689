import assert from 'node:assert/strict'
import { baseUrl } from '../support.ts'
import { apiClassOf, bodyOf, walk } from '../walk.ts'
import * as generated from './generated/api'

type Method = (...given: unknown[]) => Promise<unknown>
type ApiClass = new (basePath: string) => Record<string, Method>
const classes = generated as Record<string, unknown> as Record<string, ApiClass>

await walk(async (call, headers) => {
  const Api = classes[apiClassOf(call)]
  assert(Api)
  const api = Object.assign(new Api(baseUrl), { accessToken: 'any' })
  const method = api[call.operationId]
  assert(method)
  const { parameters, contentType, isBodyRequired } = call
  const inOrder = [
    ...parameters.map(({ isRequired, value }) => ({ isRequired, value })),
    ...(contentType === undefined ? [] : [{ isRequired: isBodyRequired, value: bodyOf(call) }]),
  ].sort((one, other) => Number(other.isRequired) - Number(one.isRequired))
  const error = await method
    .bind(api)(...inOrder.map(({ value }) => value), { headers })
    .then(
      () => assert.fail('It succeeded'),
      (thrown: unknown) => thrown,
    )
  if (!(error instanceof generated.HttpError)) throw error
  return { status: error.statusCode, body: error.body }
})
