import { expect, test } from '@jest/globals'
import { operations } from '../../contract/index.ts'
import { minimumKeyOf } from '../../contract/kit/operation.ts'
import type { Operation } from '../../contract/operation.ts'

/* Responses to requests with an idempotency key are stored for repeats, so one that shows a secret has to say so. */

/** Names of texts in a value that are secrets by their name. */
function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string'
      ? [name].filter((one) => /^(secret|token|password|link)$|(Secret|Token|Password|Key)$/.test(one))
      : secretsIn(inner),
  )
}

test('every operation with a key whose response has a secret declares secretOf, so that it is not stored', () => {
  const keyed = Object.entries<Operation>(operations).filter(([, each]) => minimumKeyOf(each) !== undefined)
  const withSecret = keyed.filter(([, { success }]) => secretsIn(success.examples).length > 0)
  expect(withSecret.length).toBeGreaterThan(2)
  const missing = withSecret.filter(([, { success }]) => success.secretOf === undefined)
  expect(missing.map(([id]) => `give ${id} secretOf in its success`)).toEqual([])
})
