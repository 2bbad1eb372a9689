import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { MAX_PAGE_TOKENS, MAX_SESSIONS, startBrowserSession } from '../../server/access/browser-sessions.ts'
import { createSignInLink } from '../../server/access/sign-in-links.ts'
import { setUserEnabled } from '../../server/access/users.ts'
import { transact } from '../../server/db/client.ts'
import { type App, startApp } from '../support/app.ts'
import type { Caller } from '../support/client.ts'
import { newBrowser, pageTokenOf, signIn } from '../support/sign-in.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Strangers at the doors: what they try, in two processes on one database, and what comes of it. */

let app: App
let other: App
let world: World

beforeAll(async () => {
  const config = { CORS_ORIGINS: ['https://editor.example.com'] }
  app = await startApp({ config })
  other = await startApp({ databaseUrl: app.databaseUrl, config })
  other.clock.now = app.clock.now
})
beforeEach(async () => {
  world = await makeWorld(app)
})
afterAll(async () => {
  await other.stop()
  await app.stop()
})

const statusWith = async (token: string, at = app) =>
  (await at.client.call('getCurrentUser', { as: { token } })).status

async function invite(email: string, as = world.here.admin) {
  const params = { workspaceId: world.here.workspaceId }
  return app.client.call('createInvitation', { as, params, body: { email, role: 'MEMBER' } })
}

describe('an address in another spelling', () => {
  test.each([
    ['in upper case', (address: string) => address.toUpperCase()],
    ['with the domain in its own script', (address: string) => address.replace('xn--bcher-kva', 'Bücher')],
    ['with wide letters', (address: string) => address.replace('example', 'ｅｘａｍｐｌｅ')],
  ])('%s is the same member', async (_, spell) => {
    const { member } = world.here
    const email = `${member.id}@xn--bcher-kva.example`
    await app.pool.query('UPDATE users SET email = $1 WHERE id = $2', [email, member.id])
    expect(spell(email)).not.toBe(email)
    const { status, body } = await invite(spell(email))
    expect([status, body.issues?.[0]?.code]).toEqual([409, 'conflict'])
  })

  test('replaces the invitation of the same address, so that there is one', async () => {
    const email = `grace-${world.stranger.id}@xn--bcher-kva.example`
    const { body: first } = await invite(email)
    const { body: second } = await invite(email.toUpperCase().replace('XN--BCHER-KVA', 'bücher'))
    expect(second.invitation.email).toBe(email)
    const path = new URL(first.link).pathname
    expect((await newBrowser(app.url).send(path, { form: {} })).status).toBe(404)
  })

  test.each([
    'grace@exаmple.com',
    'gräce@example.com',
    'grace@example.com.',
    '"grace"@example.com',
    'grace @example.com',
  ])('%s is no address of a user, or another one', async (email) => {
    const { status, body } = await invite(email)
    if (status === 400) return
    expect(body.invitation.email).toMatch(/@xn--/)
  })
})

describe('a code of a link', () => {
  test('that is guessed is not found, reveals nothing, and is rate limited by the network', async () => {
    const limited = await startApp({
      databaseUrl: app.databaseUrl,
      config: { RATE_LIMIT: true, RATE_LIMIT_ADDRESS: 10, RATE_LIMIT_SECONDS: 60 },
    })
    try {
      const browser = newBrowser(limited.url)
      const guesses = ['x', '%00', '..%2F..', "'%20OR%20''='", 'A'.repeat(43), '%E2%80%AE', 'A'.repeat(2_000)]
      const answered = []
      for (const path of ['/sign-in/links/', '/invitations/'])
        for (const code of guesses) answered.push((await browser.get(path + code)).status)
      expect(answered).toEqual([...Array(10).fill(404), ...Array(4).fill(429)])
      expect((await browser.send('/sign-in/links/x')).status).toBe(429)
    } finally {
      await limited.stop()
    }
  })

  test('from a link opens no invitation, and one from an invitation signs in no user', async () => {
    const code = await createSignInLink(app.db, world.here.admin.id, {}, app.clock.now())
    const { body } = await invite(`grace-${world.stranger.id}@example.com`)
    const invitation = body.link.split('/').at(-1)
    for (const path of [`/invitations/${code}`, `/sign-in/links/${invitation}`]) {
      const browser = newBrowser(app.url)
      expect((await browser.send(path, { form: {} })).status).toBe(404)
      expect(browser.jar.size).toBe(0)
    }
  })

  test('signs in one of many browsers that use it at once in two processes', async () => {
    const path = `/sign-in/links/${await createSignInLink(app.db, world.here.admin.id, {}, app.clock.now())}`
    const browsers = [app, other, app, other, app, other].map(({ url }) => newBrowser(url))
    const statuses = await Promise.all(browsers.map(async (browser) => (await browser.send(path)).status))
    expect(statuses.sort()).toEqual([303, 404, 404, 404, 404, 404])
    expect(browsers.filter(({ jar }) => jar.has('session'))).toHaveLength(1)
  })
})

describe('signing out', () => {
  test('in all browsers at the same time in two processes leaves no session and no token', async () => {
    const { admin } = world.here
    const cookies = await Promise.all([1, 2, 3, 4].map(async () => (await signIn(app, admin)).cookie))
    const tokens = await Promise.all(cookies.map(async (cookie) => (await pageTokenOf(app, cookie)).token))
    const as = { token: tokens[0] as string }
    const { browserSessions } = await app.client.ok('listBrowserSessions', { as })
    const revoke = (at: App, browserSessionId: string) =>
      at.client.call('revokeBrowserSession', { as: admin, params: { browserSessionId } })
    const statuses = await Promise.all(
      browserSessions
        .flatMap(({ id }) => [revoke(app, id), revoke(other, id)])
        .map(async (sent) => (await sent).status),
    )
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 404, 404, 404, 404])
    for (const token of tokens)
      expect([await statusWith(token), await statusWith(token, other)]).toEqual([401, 401])
    for (const cookie of cookies) await expect(pageTokenOf(app, cookie)).rejects.toThrow()
  })

  test('does not end the session of another browser, in both directions', async () => {
    const [mine, foreign] = [await signIn(app, world.here.admin), await signIn(app, world.here.member)]
    const { token } = await pageTokenOf(app, foreign.cookie)
    const { browserSessions } = await app.client.ok('listBrowserSessions', { as: { token } })
    const params = { browserSessionId: browserSessions[0]?.id as string }
    const as = await pageTokenOf(app, mine.cookie)
    expect((await app.client.call('revokeBrowserSession', { as, params })).status).toBe(404)
    expect(await statusWith(token)).toBe(200)
  })
})

describe('pages of other sites', () => {
  test.each(['/session/token', '/sign-out', '/sign-in', '/sign-in/links/x', '/invitations/x', '/device'])(
    'may not read or send %s, also where CORS allows them the API',
    async (path) => {
      const Origin = 'https://editor.example.com'
      const { headers } = await signIn(app, world.here.admin)
      for (const method of ['POST', 'OPTIONS', 'GET']) {
        const response = await fetch(`${app.url}${path}`, {
          method,
          headers: { ...headers, Origin },
          redirect: 'manual',
        })
        expect([method, response.headers.get('access-control-allow-origin')]).toEqual([method, null])
        if (method === 'POST') expect(response.status).toBe(403)
      }
    },
  )

  test('with several origins or hosts in their headers are rejected', async () => {
    const { headers } = await signIn(app, world.here.admin)
    for (const Origin of [
      `${app.url}, ${app.url}`,
      `${app.url}.elsewhere.example`,
      `${app.url}@elsewhere.example`,
      'file://',
      '',
    ]) {
      const response = await fetch(`${app.url}/session/token`, {
        method: 'POST',
        headers: { ...headers, Origin },
      })
      expect([Origin, response.status]).toEqual([Origin, 403])
    }
  })
})

test('cookies of one kind are not accepted for another, and malformed ones are ignored', async () => {
  const { cookie } = await signIn(app, world.here.admin)
  const { token } = world.here.admin
  const odd = [
    `sign-in=${cookie}`,
    `xsession=${cookie}`,
    `session = ${cookie}`,
    `session="${cookie}"`,
    `session=${token}`,
    'session=',
    '=;;=',
  ]
  for (const Cookie of odd) {
    const headers = { Cookie, Origin: app.url }
    const { status } = await fetch(`${app.url}/session/token`, { method: 'POST', headers })
    expect([Cookie, status]).toEqual([Cookie, 401])
  }
})

test('a user has as many sessions as the table says, and the next one ends the oldest', async () => {
  const { cookie: first } = await signIn(app, world.here.admin)
  const { cookie: second } = await signIn(app, world.here.admin)
  const { cookie: foreign } = await signIn(app, world.here.member)
  const browser = { cookie: undefined, userAgent: undefined }
  for (let at = 2; at < MAX_SESSIONS; at++)
    await transact(app.db, (tx) => startBrowserSession(tx, world.here.admin.id, browser, app.clock.now()))
  await pageTokenOf(app, first)
  await signIn(app, world.here.admin)
  await expect(pageTokenOf(app, first)).rejects.toThrow()
  for (const cookie of [second, foreign]) await pageTokenOf(app, cookie)
})

test('a session has as many tokens as the table says, and the next one replaces the oldest', async () => {
  const { cookie } = await signIn(app, world.here.admin)
  const tokens = []
  for (let at = 0; at < MAX_PAGE_TOKENS; at++) tokens.push((await pageTokenOf(app, cookie)).token)
  expect(await statusWith(tokens[0] as string)).toBe(200)
  await pageTokenOf(app, cookie)
  expect([await statusWith(tokens[0] as string), await statusWith(tokens[1] as string)]).toEqual([401, 200])
})

test('the matrix of sessions, links and invitations has no wrong entry', async () => {
  const { here, there, stranger, expired, revoked, unknown } = world
  const pageOf = async (person: { id: string }) => pageTokenOf(app, (await signIn(app, person)).cookie)
  const signedOut = await signIn(app, here.admin)
  const ended = await pageTokenOf(app, signedOut.cookie)
  const out = { ...signedOut.headers, Origin: app.url }
  await fetch(`${other.url}/sign-out`, { method: 'POST', headers: { ...out, Origin: other.url } })
  const disabled = await pageOf(there.guest)
  await setUserEnabled(app.db, there.guest.id, false, app.clock.now())
  const removed = await pageOf(there.member)
  await app.pool.query('DELETE FROM workspace_members WHERE user_id = $1', [there.member.id])
  const bound = (workspaceId: string) =>
    app.client.ok('createToken', { as: here.admin, body: { name: 'Bound', workspaceId } })
  const { apiToken: boundHere } = await bound(here.workspaceId)
  const { apiToken: readOnly } = await app.client.ok('createToken', {
    as: here.admin,
    body: { name: 'Reader', scopes: ['read'] },
  })
  const params = { workspaceId: here.workspaceId }
  const { body: made } = await invite(`grace-${stranger.id}@example.com`)
  const own = await app.client.ok('listBrowserSessions', { as: await pageOf(here.admin) })
  const sessionOfAdmin = own.browserSessions[0]?.id as string
  let invited = 0
  const operations = {
    getCurrentUser: (as: Caller) => app.client.call('getCurrentUser', { as }),
    listBrowserSessions: (as: Caller) => app.client.call('listBrowserSessions', { as }),
    'revokeBrowserSession of the admin': (as: Caller) =>
      app.client.call('revokeBrowserSession', { as, params: { browserSessionId: sessionOfAdmin } }),
    listInvitations: (as: Caller) => app.client.call('listInvitations', { as, params }),
    createInvitation: (as: Caller) =>
      app.client.call('createInvitation', {
        as,
        params,
        body: { email: `new-${invited++}-${stranger.id}@example.com`, role: 'GUEST' },
      }),
    'revokeInvitation of this workspace': (as: Caller) =>
      app.client.call('revokeInvitation', { as, params: { ...params, invitationId: made.invitation.id } }),
  }
  const nobody = [401, 401, 401, 401, 401, 401]
  const outsider = [200, 200, 404, 403, 403, 403]
  const rows: [string, Caller, number[]][] = [
    ['page of a member', await pageOf(here.member), outsider],
    ['page of a guest', await pageOf(here.guest), outsider],
    ['page of a stranger', await pageOf(stranger), outsider],
    ['page of an admin elsewhere', await pageOf(there.admin), outsider],
    ['page of a removed member', removed, outsider],
    ['page that was signed out', ended, nobody],
    ['page of a disabled user', disabled, nobody],
    ['token that has expired', expired, nobody],
    ['token that was revoked', revoked, nobody],
    ['token of nobody', unknown, nobody],
    ['token bound to the workspace', { token: boundHere.token }, [200, 403, 403, 200, 201, 200]],
    ['token that may only read', { token: readOnly.token }, [200, 200, 403, 200, 403, 403]],
    ['page of an admin', await pageOf(here.admin), [200, 200, 200, 200, 201, 404]],
  ]
  const found = []
  for (const [name, as] of rows) {
    const statuses = []
    for (const call of Object.values(operations)) statuses.push((await call(as)).status)
    found.push([name, statuses])
  }
  expect(found).toEqual(rows.map(([name, , statuses]) => [name, statuses]))
})

test('logs one line a minute for forms of unknown origins, whatever they name', async () => {
  const lines = () =>
    app.logs.filter(({ level, setting }) => level === 40 && String(setting).includes('PUBLIC_URL'))
  const before = lines().length
  for (const host of ['one.example', 'two.example', 'three.example']) {
    const headers = { Origin: `https://${host}`, 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' }
    const { status, text } = await newBrowser(app.url).send('/sign-out', { headers })
    expect([status, text.includes('PUBLIC_URL'), text.includes(host)]).toEqual([403, true, false])
  }
  expect(lines().length - before).toBe(1)
  expect(JSON.stringify(lines())).not.toContain('one.example')
})
