import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { MAX_OPENID_AT_ONCE, OPENID_MINUTES, type Openid, openOpenid } from '../../server/access/openid.ts'
import { setUserEnabled } from '../../server/access/users.ts'
import { createLog } from '../../server/log.ts'
import { type App, startApp } from '../support/app.ts'
import { type Account, client, startOpenidProvider } from '../support/openid-provider.ts'
import { newBrowser, pageTokenOf, signIn } from '../support/sign-in.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Sign-in at a real provider of OpenID Connect, and the attacks on it. */

let provider: Awaited<ReturnType<typeof startOpenidProvider>>
let app: App
let world: World

beforeAll(async () => {
  provider = await startOpenidProvider(() => `${app.url}/sign-in/openid/callback`)
  const { issuer } = provider
  const config = { OIDC_ISSUER: issuer, ...client, OIDC_ALLOWED_DOMAINS: ['example.com'] }
  app = await startApp({ config })
})
beforeEach(async () => {
  world = await makeWorld(app)
})
afterAll(async () => {
  await app.stop()
  provider.close()
})

type Browser = ReturnType<typeof newBrowser>

/** Goes to the provider; returns the address that it leads back to, which is not opened. */
async function comeBack(browser: Browser, account: Account | undefined, path = '/sign-in/openid') {
  provider.account = account
  const begun = await browser.get(path)
  expect(begun.status).toBe(303)
  const there = newBrowser(provider.issuer)
  let next = begun.location as string
  while (next.startsWith(provider.issuer) || next.startsWith('/')) {
    const { location, text } = await there.get(next.replace(provider.issuer, ''))
    if (location === null) throw new Error(text)
    next = location
  }
  expect(next).toMatch(`${app.url}/sign-in/openid/callback?`)
  return next.slice(app.url.length)
}

let people = 0
const newPerson = (more: Account = {}) => ({
  email: `person-${people++}-${world.stranger.id}@example.com`,
  email_verified: true,
  name: 'Grace Hopper',
  ...more,
})

const rowOf = async ({ email = '' }: Account) => {
  const { rows } = await app.pool.query('SELECT * FROM users WHERE email = lower($1)', [email])
  return rows[0]
}

/** Expects a page that says what is wrong, and a browser that is not signed in. */
async function expectRejected(browser: Browser, path: string, status: number, words: string) {
  const page = await browser.get(path)
  expect([page.status, page.text]).toEqual([status, expect.stringContaining(words)])
  expect(browser.jar.has('session')).toBe(false)
}

describe('a user who returns from the provider', () => {
  test('is created and signed in, and gets to the page they came from', async () => {
    const browser = newBrowser(app.url)
    const page = await browser.get('/sign-in?returnTo=/bots/x')
    const [, href] = /href="(sign-in\/openid[^"]*)"/.exec(page.text) as RegExpExecArray
    expect(page.text).toContain(`Continue with ${new URL(provider.issuer).host}`)
    const person = newPerson()
    const path = await comeBack(browser, person, `/${href}`)
    const done = await browser.get(path)
    expect([done.status, done.location]).toEqual([303, '/bots/x'])
    const [session] = done.headers.getSetCookie().filter((line) => line.startsWith('session='))
    expect(session).toMatch(/; HttpOnly; SameSite=Lax$/)
    expect(browser.jar.has('openid')).toBe(false)
    const token = JSON.parse((await browser.send('/session/token')).text).token
    const me = await app.client.ok('getCurrentUser', { as: { token } })
    expect(me).toMatchObject({ user: { email: person.email, name: 'Grace Hopper' }, workspaces: [] })
  })

  test('is the user with the address, whatever its case and the spelling of its domain', async () => {
    const { email } = world.here.member
    for (const given of [email, email.toUpperCase()]) {
      const browser = newBrowser(app.url)
      const done = await browser.get(await comeBack(browser, newPerson({ email: given })))
      expect(done.location).toBe('/bots')
      const { token } = await pageTokenOf(app, browser.jar.get('session') as string)
      const { user } = await app.client.ok('getCurrentUser', { as: { token } })
      expect(user.id).toBe(world.here.member.id)
    }
  })

  test('proves the address, which ends other sessions of its user', async () => {
    const { member } = world.here
    await app.pool.query('UPDATE users SET is_unproven = true WHERE id = $1', [member.id])
    const thief = await signIn(app, member)
    const login = await app.client.ok('startDeviceLogin', { body: { name: 'Theirs' } })
    const theirs = newBrowser(app.url)
    theirs.jar.set('session', thief.cookie)
    for (const decision of [undefined, 'allowed'])
      await theirs.send('/device', { form: { code: login.userCode, ...(decision && { decision }) } })
    const browser = newBrowser(app.url)
    await browser.get(await comeBack(browser, newPerson({ email: member.email })))
    await expect(pageTokenOf(app, thief.cookie)).rejects.toThrow()
    const { deviceCode } = login
    expect((await app.client.call('continueDeviceLogin', { body: { deviceCode } })).status).toBe(404)
    expect(await rowOf(member)).toMatchObject({ is_unproven: false })
  })

  test('replaces the session that was in the browser', async () => {
    const planted = await signIn(app, world.stranger)
    const browser = newBrowser(app.url)
    browser.jar.set('session', planted.cookie)
    await browser.get(await comeBack(browser, newPerson()))
    expect(browser.jar.get('session')).not.toBe(planted.cookie)
    await expect(pageTokenOf(app, planted.cookie)).rejects.toThrow()
  })

  test('finishes in either of two tabs, and the first that does ends the other', async () => {
    const browser = newBrowser(app.url)
    const person = newPerson()
    const first = await comeBack(browser, person)
    const second = await comeBack(browser, person, '/sign-in/openid?returnTo=/results')
    const secret = browser.jar.get('openid') as string
    expect((await browser.get(first)).location).toBe('/results')
    expect((await browser.get(second)).text).toContain('This sign-in has ended')
    browser.jar.set('openid', secret)
    expect((await browser.get(second)).location).toBe('/results')
  })

  test.each([
    ['an address that is not verified', { email_verified: false }, 'is not verified'],
    ['an address of which the provider says nothing', { email_verified: undefined }, 'is not verified'],
    ['an address that is verified by another word', { email_verified: 1 }, 'is not verified'],
    ['no address', { email: undefined }, 'is not verified'],
    ['an address of a foreign domain', { email: 'eve@elsewhere.example' }, 'may not sign in here'],
    ['an address of a domain that ends alike', { email: 'eve@not-example.com' }, 'may not sign in here'],
    ['an address of a domain below', { email: 'eve@sub.example.com' }, 'may not sign in here'],
    ['two addresses', { email: 'eve@example.com,eve@elsewhere.example' }, 'may not sign in here'],
    [
      'an address with a domain inside',
      { email: 'eve@elsewhere.example@example.com' },
      'may not sign in here',
    ],
    ['an address that looks alike', { email: 'eve@exаmple.com' }, 'may not sign in here'],
  ])('with %s is not signed in, and no user is created', async (_, account, words) => {
    const before = await app.pool.query('SELECT count(*) FROM users')
    const browser = newBrowser(app.url)
    await expectRejected(browser, await comeBack(browser, newPerson(account)), 403, words)
    expect((await app.pool.query('SELECT count(*) FROM users')).rows).toEqual(before.rows)
  })

  test('without consent at the provider sees a page that says so, without its words', async () => {
    const browser = newBrowser(app.url)
    const path = await comeBack(browser, undefined)
    expect(path).toContain('error=access_denied')
    await expectRejected(browser, path, 403, 'The provider did not sign you in')
    expect((await browser.get(path)).text).not.toContain('<b>')
  })

  test('as a disabled user is not signed in', async () => {
    const { member } = world.here
    await setUserEnabled(app.db, member.id, false, app.clock.now())
    const browser = newBrowser(app.url)
    await expectRejected(
      browser,
      await comeBack(browser, newPerson({ email: member.email })),
      403,
      'No active user',
    )
  })
})

describe('a callback', () => {
  test('signs in no user when it comes from another browser, with or without an attempt of its own', async () => {
    const owner = newBrowser(app.url)
    const person = newPerson()
    const path = await comeBack(owner, person)
    const victim = newBrowser(app.url)
    await expectRejected(victim, path, 400, 'began in another browser')
    await comeBack(victim, newPerson())
    await expectRejected(victim, path, 400, 'began in another browser')
    expect(await rowOf(person)).toBeUndefined()
    expect((await owner.get(path)).status).toBe(303)
  })

  test('that comes again, also at the same time, signs in at most once', async () => {
    const browser = newBrowser(app.url)
    const path = await comeBack(browser, newPerson())
    const secret = browser.jar.get('openid') as string
    const statuses = await Promise.all([1, 2, 3].map(async () => (await browser.get(path)).status))
    // The provider may revoke what it gave when the code comes again.
    expect([303, 400]).toContain(Math.min(...statuses))
    expect(statuses.filter((status) => status !== 400).length).toBeLessThanOrEqual(1)
    browser.jar.delete('session')
    browser.jar.delete('openid')
    await expectRejected(browser, path, 400, 'was finished already')
    // The provider gives nothing for a code that was used, even where the cookie was kept.
    browser.jar.set('openid', secret)
    await expectRejected(browser, path, 400, 'was finished already')
  })

  test('that comes late signs in no user', async () => {
    const browser = newBrowser(app.url)
    const path = await comeBack(browser, newPerson())
    app.clock.advance(OPENID_MINUTES * 60_000)
    await expectRejected(browser, path, 400, `longer than ${OPENID_MINUTES} minutes`)
  })

  test('with a forged or missing state signs in no user, and sends the provider nothing', async () => {
    const browser = newBrowser(app.url)
    const path = await comeBack(browser, newPerson())
    const url = new URL(path, app.url)
    const state = url.searchParams.get('state') as string
    const [time, random, mark] = state.split('.') as [string, string, string]
    const later = (Number.parseInt(time, 36) + 1).toString(36)
    const forged = [
      '',
      'x',
      '.',
      '..',
      `${later}.${random}.${mark}`,
      `${time}.${random}.${mark.slice(1)}`,
      `${state}x`,
    ]
    provider.paths.length = 0
    for (const value of forged) {
      url.searchParams.set('state', value)
      await expectRejected(browser, url.pathname + url.search, 400, 'This sign-in has ended')
    }
    await expectRejected(browser, '/sign-in/openid/callback', 400, 'This sign-in has ended')
    expect(provider.paths).toEqual([])
  })

  test.each([
    ['a code of another attempt', { code: undefined }],
    ['a code that is none', { code: 'none' }],
    ['another issuer', { iss: 'https://elsewhere.example' }],
  ])('with %s signs in no user', async (_, change) => {
    const browser = newBrowser(app.url)
    const other = new URL(await comeBack(browser, newPerson()), app.url)
    const url = new URL(await comeBack(browser, newPerson()), app.url)
    for (const [name, value] of Object.entries(change)) {
      url.searchParams.set(name, value ?? (other.searchParams.get(name) as string))
    }
    await expectRejected(browser, url.pathname + url.search, 400, 'This sign-in has ended')
  })

  test('leads to no other site, whatever the start or the cookie says', async () => {
    const elsewhere = [
      '//elsewhere.example',
      'https://elsewhere.example',
      '/\\elsewhere.example',
      'javascript:alert(1)',
    ]
    for (const returnTo of elsewhere) {
      const browser = newBrowser(app.url)
      const query = new URLSearchParams({ returnTo, redirect_uri: 'https://elsewhere.example' })
      const path = await comeBack(browser, newPerson(), `/sign-in/openid?${query}`)
      const [secret] = (browser.jar.get('openid') as string).split('.')
      browser.jar.set('openid', `${secret}.${Buffer.from(returnTo).toString('base64url')}`)
      expect([returnTo, (await browser.get(path)).location]).toEqual([returnTo, '/bots'])
    }
  })
})

test('secrets, codes and tokens are in no line of the log, and errors are logged with a reason', async () => {
  const browser = newBrowser(app.url)
  const url = new URL(await comeBack(browser, newPerson()), app.url)
  await browser.get(url.pathname + url.search)
  const log = JSON.stringify(app.logs)
  for (const secret of [client.OIDC_CLIENT_SECRET, url.searchParams.get('code') as string]) {
    expect(log).not.toContain(secret)
  }
})

test('without allowed domains only existing users sign in', async () => {
  const { issuer } = provider
  const closed = await startApp({
    databaseUrl: app.databaseUrl,
    config: { OIDC_ISSUER: issuer, ...client, PUBLIC_URL: app.url },
  })
  try {
    for (const [account, location] of [
      [newPerson(), null],
      [newPerson({ email: world.here.member.email }), '/bots'],
    ] as const) {
      const browser = newBrowser(closed.url)
      const done = await browser.get(await comeBack(browser, account))
      expect([done.location, browser.jar.has('session')]).toEqual([location, location !== null])
    }
  } finally {
    await closed.stop()
  }
})

test('a provider that is unavailable, or none, gives a clear page, and works again without a restart', async () => {
  const other = await startOpenidProvider(() => `${app.url}/sign-in/openid/callback`)
  const config = { OIDC_ISSUER: `${other.issuer}/realm`, ...client, PUBLIC_URL: app.url }
  const service = await startApp({ databaseUrl: app.databaseUrl, config })
  try {
    const browser = newBrowser(service.url)
    for (const close of [() => {}, other.close]) {
      close()
      const page = await browser.get('/sign-in/openid')
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60'])
      expect(page.text).toContain('Sign-in is not available')
      expect(browser.jar.size).toBe(0)
    }
    expect((await browser.get('/sign-in')).status).toBe(200)
  } finally {
    await service.stop()
  }
})

test('as many sign-ins wait for the provider as the table says, and one more is rejected', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const OIDC_ISSUER = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const openid = openOpenid(
    { OIDC_ISSUER, ...client, OIDC_ALLOWED_DOMAINS: [] },
    createLog('silent', { write: () => {} }),
  ) as Openid
  const begin = () => openid.begin('secret', app.url, app.clock.now())
  const waiting = Array.from({ length: MAX_OPENID_AT_ONCE }, begin)
  expect(await begin()).toBe('unavailable')
  silent.closeAllConnections()
  silent.close()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['unavailable']))
})

test('without a provider there is no button and no page', async () => {
  const plain = await startApp({ databaseUrl: app.databaseUrl })
  try {
    const browser = newBrowser(plain.url)
    expect((await browser.get('/sign-in')).text).not.toContain('Continue with')
    for (const path of ['/sign-in/openid', '/sign-in/openid/callback?code=x&state=y'])
      expect((await browser.get(path)).status).toBe(404)
  } finally {
    await plain.stop()
  }
})
