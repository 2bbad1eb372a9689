import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { operations } from '../../contract/index.ts'
import { readConditions } from '../../server/kit/conditions.ts'
import fc from '../kit/fast-check.ts'
import { endpoints, parametersOf } from '../support/published.ts'

const getBot = endpoints.find(({ operation }) => operation.operationId === 'getBot')?.operation
const [header] = getBot ? parametersOf(getBot).filter(({ name }) => name === 'If-None-Match') : []
const pattern = new RegExp(String(header?.schema.pattern))

function isTaken(value: string): boolean {
  const issues: object[] = []
  const request = { headers: { 'if-none-match': value } } as unknown as IncomingMessage
  readConditions(operations.getBot, request, issues as never)
  return issues.length === 0
}

test('documented tags are accepted', () => {
  fc.assert(fc.property(fc.stringMatching(pattern), (value) => isTaken(value)))
})

test.each(['"a b"', 'a', '"a', '"a" "b"', '"\x7f"'])('%s is neither documented nor accepted', (value) => {
  expect([pattern.test(value), isTaken(value)]).toEqual([false, false])
})

test('the published bound of a conditional header is a quarter of that of all headers', () => {
  expect(isTaken(`"${'a'.repeat(16_000)}"`)).toBe(true)
  const unbounded = endpoints
    .flatMap(({ operation }) => parametersOf(operation))
    .filter(({ name }) => ['If-Match', 'If-None-Match', 'Prefer'].includes(name))
  expect(new Set(unbounded.map(({ name, schema }) => `${name} ${schema.maxLength}`))).toEqual(
    new Set(['If-None-Match 4096', 'If-Match 4096', 'Prefer 4096']),
  )
})
