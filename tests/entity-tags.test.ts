import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { operations } from '../contract/index.ts'
import { readConditions } from '../server/http/conditions.ts'
import { endpoints, parametersOf } from './support/published.ts'

const getBot = endpoints.find(({ operation }) => operation.operationId === 'getBot')?.operation
const [header] = getBot ? parametersOf(getBot).filter(({ name }) => name === 'If-None-Match') : []
const pattern = new RegExp(String(header?.schema.pattern))

function isTaken(value: string): boolean {
  const issues: object[] = []
  const request = { headers: { 'if-none-match': value } } as unknown as IncomingMessage
  readConditions(operations.getBot, request, issues as never)
  return issues.length === 0
}

test('tags that the document allows are taken', () => {
  fc.assert(fc.property(fc.stringMatching(pattern), (value) => isTaken(value)))
})

test.each(['"a b"', 'a', '"a', '"a" "b"', '"\x7f"'])('%s is neither allowed nor taken', (value) => {
  expect([pattern.test(value), isTaken(value)]).toEqual([false, false])
})
