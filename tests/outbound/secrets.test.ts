import { expect, test } from '@jest/globals'
import { withoutSecrets } from '../../server/outbound/secrets.ts'

test.each<[string, unknown]>([
  ['a key', { apiKey: 'sk-secret' }],
  ['a part of the credentials', { live: { secretKey: 'sk-secret' } }],
  ['a password that looks like an address', { password: 'word:sk-secret' }],
  ['a secret that another one is a part of', { apiKey: 'secret', secretKey: 'sk-secret' }],
])('texts of a service are shown without %s', (_, credentials) => {
  const given = Object.values(credentials as object).flatMap((value) =>
    typeof value === 'object' ? Object.values(value) : [value],
  )
  const words = withoutSecrets(credentials, `No such key: ${given.join(' and ')}!`)
  expect(words).not.toMatch(/sk-|word|secret/)
  expect(words).toMatch(/^No such key: …( and …)?!$/)
})

test('texts of a service keep its address and short texts', () => {
  const credentials = { baseUrl: 'https://llm.example.com', host: 'x.io' }
  const words = 'x.io and https://llm.example.com do not answer'
  expect(withoutSecrets(credentials, words)).toBe(words)
})
