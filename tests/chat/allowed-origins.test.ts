import { expect, test } from '@jest/globals'
import { allowedOriginsOf, matchesOrigin } from '../../server/chat/sessions/origin-check.ts'

const isAllowed = (entries: unknown, origin: string) => {
  const allowed = allowedOriginsOf(entries)
  return allowed === undefined || matchesOrigin(allowed, origin)
}

test.each([
  ['https://shop.example/', 'https://shop.example'],
  ['HTTPS://Shop.Example', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
  ['http://shop.example:80/', 'http://shop.example'],
  [' https://shop.example ', 'https://shop.example'],
  ['https://müller.example', 'https://xn--mller-kva.example'],
  ['https://*.shop.example', 'https://a.shop.example'],
  ['https://*.shop.example/', 'https://a.b.shop.example'],
  ['https://*.shop.example:8443', 'https://a.shop.example:8443'],
  ['*', 'https://anywhere.example'],
])('an entry %j allows %s, however the origin is written', (entry, origin) => {
  expect(isAllowed([entry], origin)).toBe(true)
  expect(isAllowed(['https://other.example', entry], origin)).toBe(true)
})

test.each([
  ['https://shop.example', 'http://shop.example'],
  ['https://shop.example', 'https://shop.example:8443'],
  ['https://shop.example', 'https://a.shop.example'],
  ['https://*.shop.example', 'https://shop.example'],
  ['https://*.shop.example', 'https://evilshop.example'],
  ['https://*.shop.example', 'http://a.shop.example'],
  ['https://shop.example/page', 'https://shop.example'],
  ['shop.example', 'https://shop.example'],
  ['https://*', 'https://shop.example'],
])('an entry %j does not allow %s', (entry, origin) => {
  expect(isAllowed([entry], origin)).toBe(false)
})

test.each([[undefined], [null], [[]], ['https://shop.example']])(
  '%j is no list, so every page may',
  (entries) => {
    expect(isAllowed(entries, 'https://anywhere.example')).toBe(true)
  },
)
