import { describe, expect, test } from '@jest/globals'
import { toJson, withExactNumbers } from '../../server/kit/json/exact-numbers.ts'
import { parseJson } from '../../server/kit/json-body.ts'

/** Returns the issues of a body; undefined if it may continue to its schema. */
function issuesOf(value: unknown) {
  const parsed = parseJson(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))
  return 'issues' in parsed ? parsed.issues.map(({ path, code }) => `${path.join('.')}: ${code}`) : undefined
}

const numbers = (count: number) => Array.from({ length: count }, () => 1)

describe('a body of many values', () => {
  // Beside those that are counted: the body, and what holds them.
  test.each([
    ['in one list', (count: number) => numbers(count - 1)],
    ['in a list at the end of an object', (count: number) => ({ a: 1, list: numbers(count - 3) })],
    ['in a list at the start of an object', (count: number) => ({ list: numbers(count - 3), a: 1 })],
    ['in lists of lists', (count: number) => [numbers(1_000), numbers(count - 1_003)]],
    [
      'in objects',
      (count: number) => Array.from({ length: Math.floor((count - 1) / 3) }, () => ({ a: 1, b: 2 })),
    ],
  ])('%s is rejected from the first value that is too many', (_, make) => {
    expect(issuesOf(make(299_998))).toBeUndefined()
    expect(issuesOf(make(300_000))).toBeUndefined()
    expect(issuesOf(make(300_001))).toEqual(['body: too_many_values'])
    expect(issuesOf(make(600_001))).toEqual(['body: too_many_values'])
  })
})

test('parseJson keeps numbers of any length where requested, and rejects them elsewhere', () => {
  const body = '{"id":12345678901234567890,"big":1e999,"n":1}'
  expect(issuesOf(body)).toEqual(['body.id: invalid_number', 'body.big: invalid_number'])
  const parsed = parseJson(Buffer.from(body), true)
  expect('value' in parsed && toJson(parsed.value)).toBe(body)
})

test.each([
  ['0', '1', '-1.5', '123456789012345', '5e-324', '0.30000000000000004'],
  ['-0', '0.0', '1.0', '1.50', '-1.10', '1e3', '1E3', '0.0000001', '1e999'],
  ['1234567890123456', '9007199254740993', '12345678901234567890', '0.1234567890123456789'],
])('withExactNumbers and toJson preserve the digits of numbers: %s and more', (...texts) => {
  for (const text of texts) {
    const json = `{"a":[${text}],"b":"${text} \\" ${text}","__proto__":${text}}`
    expect(toJson(withExactNumbers(json, JSON.parse(json)))).toBe(json)
  }
})
