import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { errors } from '../../contract/errors.ts'
import { operations } from '../../contract/index.ts'
import { classOf, methodsOf } from '../../contract/kit/emit/methods.ts'
import type { JsonObject } from '../../contract/kit/emit/schemas.ts'
import type { ErrorCode } from '../../contract/kit/errors.ts'
import type { Outcome } from '../../contract/kit/outcomes.ts'
import type { Operation } from '../../contract/operation.ts'
import * as sdk from '../../generated/client/index.js'
import { readOutcomes } from '../../server/sandbox-mode/outcomes.ts'
import { type App, startApp } from '../support/app.ts'
import { published } from '../support/published.ts'

/* The client package against every outcome of every operation, walked by the table that any client can walk. */

let app: App
const table = readOutcomes()
const entered = new Set<string>()

beforeAll(async () => {
  app = await startApp({ config: { SANDBOX: true } })
})
afterAll(() => app.stop())

type Call = (...args: unknown[]) => Promise<unknown> & AsyncIterable<unknown>

/** Calls a method of the client, and gives its error; undefined if it succeeded. */
async function errorOf(call: Call, args: unknown[], isStream: boolean): Promise<unknown> {
  try {
    if (isStream) for await (const _ of call(...args));
    else await call(...args)
    return undefined
  } catch (error) {
    return error
  }
}

function bodyOf({ response }: Outcome): unknown {
  return (typeof response === 'string' ? table.responses[response] : response)?.body
}

const methods = Object.entries(operations).flatMap(([id, operation]) =>
  methodsOf(id, operation as Operation, published as unknown as JsonObject),
)

test.each(methods)(
  '$resource.$name returns every outcome as its value or throws the class of its error',
  async (method) => {
    const { request, outcomes } = table.operations[method.id] ?? { outcomes: [] }
    const query = new URL(request?.target ?? '', app.url).searchParams
    // The stream of a session has no end, and no method: browsers have a class of their own for it.
    const hasStream = methods.some(({ id, call }) => id === method.id && call.events)
    for (const outcome of outcomes) {
      if (outcome.headers.Accept === 'text/event-stream' && !hasStream) continue
      const client = sdk.createClient({
        baseUrl: app.url,
        token: 'any',
        headers: method.call.events ? { Prefer: outcome.headers.Prefer } : { ...outcome.headers },
        maxRetries: 0,
      }) as unknown as Record<string, Record<string, Call>>
      const args = [
        ...method.ids.map(() => 'any'),
        ...(method.call.body ? [request?.body ?? {}] : []),
        ...(method.call.query ? [Object.fromEntries(query)] : []),
      ]
      const call = client[method.resource]?.[method.name] as Call
      const error = await errorOf(call, args, method.call.events === true)
      if (!outcome.code) {
        expect({ outcome: outcome.headers, error }).toEqual({ outcome: outcome.headers, error: undefined })
        continue
      }
      expect({ outcome: outcome.headers, error }).toMatchObject({ error: expect.any(sdk.ApiError) })
      const { status, code, issues } = error as sdk.ApiError
      expect({ status, code, issues }).toEqual({
        status: outcome.status,
        code: outcome.code,
        issues: (bodyOf(outcome) as { issues: unknown }).issues,
      })
      const { retryAfter, requestId } = error as sdk.ApiError
      expect(requestId).toMatch(/^[\w-]+$/)
      if (status === 429 || status === 503) expect(retryAfter).toBe(1)
      entered.add(`${code} ${(error as Error).constructor.name}`)
    }
  },
)

test('every code but that of a wrong method was thrown as an error of its class', () => {
  const codes = (Object.keys(errors) as ErrorCode[]).filter((code) => code !== 'METHOD_NOT_ALLOWED')
  expect([...entered].sort()).toEqual(codes.map((code) => `${code} ${classOf(code)}`).sort())
})
