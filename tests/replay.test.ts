import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type ErrorCode, errorBody, errors } from '../contract/errors.ts'
import { type OperationId, operations } from '../contract/index.ts'
import type { Operation } from '../contract/operation.ts'
import { cases } from './cases/index.ts'
import { type App, startApp } from './support/app.ts'
import { type Case, derivedCodes } from './support/cases.ts'
import type { Answer, CallOptions } from './support/client.ts'
import { codeOfResponse, endpoints } from './support/published.ts'
import { digestOf } from './support/rows.ts'
import { makeWorld } from './support/world.ts'

/*
 * Every answer that the published document promises, provoked for real: those of tests/cases, and those that
 * follow from an `ok` case by taking something away. The list to replay comes from the document, so a code
 * without a case fails here; the client refuses every answer that the document does not list.
 */

let app: App

beforeAll(async () => {
  app = await startApp({ config: { MAX_WORKSPACES_PER_USER: 3 }, database: { lockTimeout: 50 } })
})
afterAll(async () => app.stop())

describe.each(endpoints)('$operation.operationId', ({ operation }) => {
  const id = operation.operationId as OperationId
  const statuses = Object.entries(operation.responses)
  const codes = statuses.flatMap(([status, response]) => (status < '400' ? [] : [codeOfResponse(response)]))

  for (const outcome of ['ok', ...codes]) {
    const derived = derivations[outcome]
    if (derived) {
      test(outcome, () => derived(id), 120_000)
      continue
    }
    for (const [name, one] of casesOf(id, outcome)) {
      test(`${outcome} ${name}`.trim(), () => (outcome === 'ok' ? replayOk(id, one) : replayRefusal(id, outcome, one)))
    }
  }

  test('no case for a code that is not documented', () => {
    const documented = new Set(['ok', ...codes])
    const written = Object.keys(cases[id] ?? {})
    expect(written.filter((outcome) => !documented.has(outcome))).toEqual([])
  })
})

test('no case for an operation that is not documented', () => {
  const documented = endpoints.map(({ operation }) => operation.operationId)
  expect(Object.keys(cases).sort()).toEqual(documented.sort())
})
