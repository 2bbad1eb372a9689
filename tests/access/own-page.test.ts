import { expect, test } from '@jest/globals'
import { isOfOwnPage, missingSetting } from '../../server/pages/sign-in/browser.ts'

/* Pages that may send forms and ask for tokens: those of the service, by names that it has. */

const config = { OWN_HOSTS: ['intern.example.net'] }
/** A request; behind a proxy that is trusted, Express takes `forwardedHost` for its host. */
const sent = (origin: string, host: string, site?: string, forwardedHost = host) =>
  ({ headers: { origin, host, ...(site && { 'sec-fetch-site': site }) }, host: forwardedHost }) as never

test.each([
  ['http://bots.example.com:3000', 'http://bots.example.com:3000', true],
  ['http://bots.example.com:3000', 'http://localhost:8080', true],
  ['http://bots.example.com:3000', 'http://192.168.1.5:3000', true],
  ['http://bots.example.com:3000', 'http://[::1]:3000', true],
  ['http://bots.example.com:3000', 'http://bots', true],
  ['http://bots.example.com:3000', 'http://intern.example.net', true],
  ['http://bots.example.com:3000', 'http://bots.example.com:8080', true],
  // A foreign host name that resolves to the machine.
  ['http://localhost:3000', 'http://evil.example:3000', false],
  ['http://bots.example.com:3000', 'http://evil.example', false],
  ['https://bots.example.com', 'https://bots.example.com', true],
  ['https://bots.example.com', 'http://localhost:3000', false],
  ['https://bots.example.com', 'http://intern.example.net', false],
])('a service at %s accepts a form of the page at %s: %s', (publicUrl, origin, isTaken) => {
  const { host } = new URL(origin)
  expect(isOfOwnPage(sent(origin, host), publicUrl, config)).toBe(isTaken)
  expect(isOfOwnPage(sent(origin, host, 'cross-site'), publicUrl, config)).toBe(false)
})

test('a service rejects a form of another page of the same machine', () => {
  expect(isOfOwnPage(sent('http://localhost:1', 'localhost:2'), 'http://localhost:2', config)).toBe(false)
})

test.each([
  ['http://localhost:3000', 'http://bots.shop.example', 'bots.shop.example', undefined, true],
  // A proxy with TLS that keeps the host.
  ['http://localhost:3000', 'https://bots.shop.example', 'bots.shop.example', 'same-origin', false],
  ['https://bots.example.com', 'https://bots.shop.example', 'bots.shop.example', 'same-origin', false],
])(
  'a service at %s that rejects its own page at %s names the setting',
  (publicUrl, origin, host, site, hasOwnHosts) => {
    expect(isOfOwnPage(sent(origin, host, site), publicUrl, config)).toBe(false)
    const words = missingSetting(sent(origin, host, site), publicUrl)
    expect(words).toContain(
      `PUBLIC_URL is not the address of this page. If people open the service at ${origin}, set PUBLIC_URL=${origin}`,
    )
    expect(words?.includes('OWN_HOSTS=bots.shop.example')).toBe(hasOwnHosts)
  },
)

test.each([
  ['https://evil.example', 'bots.example.com', 'cross-site'],
  ['https://evil.example', 'bots.example.com', undefined],
  ['https://evil.example', 'evil.example', 'same-site'],
  ['null', 'bots.example.com', undefined],
  ['', 'bots.example.com', 'same-origin'],
])('missingSetting names no setting for a foreign page at %s, sent to %s as %s', (origin, host, site) => {
  expect(missingSetting(sent(origin, host, site), 'https://bots.example.com')).toBeUndefined()
})

test('a service behind a proxy that replaces the host names the origin only where the proxy forwards it', () => {
  const origin = 'https://bots.shop.example'
  const wordsWith = (forwardedHost?: string) =>
    missingSetting(sent(origin, 'localhost:3000', 'same-origin', forwardedHost), 'http://localhost:3000')
  expect(wordsWith('bots.shop.example')).toContain(`PUBLIC_URL=${origin}`)
  expect(wordsWith()).toBe(
    'PUBLIC_URL is not the address of this page. Set PUBLIC_URL to the address at which people open the service',
  )
})
