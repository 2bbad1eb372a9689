import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createSignInLink, MAX_MAILED_LINKS } from '../../server/access/sign-in-links.ts'
import { setUserEnabled } from '../../server/access/users.ts'
import { forgetEndedAccess } from '../../server/jobs/expiry.ts'
import { MAX_FORM_BYTES } from '../../server/pages/sign-in/browser.ts'
import { MAX_LINKS_PER_ADDRESS } from '../../server/pages/sign-in/index.ts'
import { type App, startApp } from '../support/app.ts'
import { startMailServer } from '../support/mail-server.ts'
import { until } from '../support/process.ts'
import { newBrowser, pageTokenOf, signIn } from '../support/sign-in.ts'
import { makeWorld, type World } from '../support/world.ts'

/* The ways in for people, and the attacks on them. A browser here is a jar of cookies. */

let app: App
let mailServer: Awaited<ReturnType<typeof startMailServer>>
let world: World

beforeAll(async () => {
  mailServer = await startMailServer()
  app = await startApp({ config: { SMTP_URL: mailServer.url } })
})
beforeEach(async () => {
  world = await makeWorld(app)
  mailServer.mails.length = 0
})
afterAll(async () => {
  await app.stop()
  mailServer.close()
})

type Browser = ReturnType<typeof newBrowser>

/** Asks for a link and returns its path, from the mail. */
async function askForLink(browser: Browser, email: string, returnTo?: string): Promise<string> {
  const before = mailServer.mails.length
  const form = { email, ...(returnTo === undefined ? {} : { returnTo }) }
  expect((await browser.send('/sign-in', { form })).location).toBe('/sign-in?sent')
  await until('the mail is there', async () => mailServer.mails.length > before)
  const text = (mailServer.mails.at(-1) as string).replaceAll('=\r\n', '')
  expect(text).toContain(`To: ${email}`)
  return (/\/sign-in\/links\/[\w-]+/.exec(text) as RegExpExecArray)[0]
}

async function printedLink(userId: string): Promise<string> {
  return `/sign-in/links/${await createSignInLink(app.db, userId, {}, app.clock.now())}`
}

/** The token of a page in a browser; undefined where it is not signed in. */
async function tokenIn(browser: Browser): Promise<string | undefined> {
  const { status, text } = await browser.send('/session/token')
  expect([200, 401]).toContain(status)
  return status === 200 ? JSON.parse(text).token : undefined
}

const statusWith = async (token = '') => (await app.client.call('getCurrentUser', { as: { token } })).status

describe('a mailed link', () => {
  test('signs in its browser, with a cookie of its own, and leads back to the first page', async () => {
    const browser = newBrowser(app.url)
    const { email, id } = world.here.member
    const path = await askForLink(browser, email, '/bots/x?tab=flow')
    const page = await browser.get(path)
    expect([page.status, page.text.includes(email)]).toEqual([200, true])
    // Opening a link, as scanners of mails do, uses nothing up.
    await newBrowser(app.url).get(path)
    const done = await browser.send(path)
    expect([done.status, done.location]).toEqual([303, '/bots/x?tab=flow'])
    expect(done.headers.getSetCookie()[0]).toMatch(
      /^session=[\w-]{43}; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    )
    const token = await tokenIn(browser)
    const { user } = await app.client.ok('getCurrentUser', { as: { token: token as string } })
    expect(user.id).toBe(id)
    expect((await browser.get('/sign-in?returnTo=/bots/y')).location).toBe('/bots/y')
  })

  test('is rejected in another browser, not used up by that, and valid in its own', async () => {
    const browser = newBrowser(app.url)
    const path = await askForLink(browser, world.here.member.email)
    const other = newBrowser(app.url)
    await askForLink(other, world.here.guest.email)
    for (const thief of [other, newBrowser(app.url)]) {
      const page = await thief.get(path)
      expect([page.status, page.text.includes(world.here.member.email)]).toEqual([403, false])
      expect((await thief.send(path)).status).toBe(404)
      expect(await tokenIn(thief)).toBeUndefined()
    }
    expect((await browser.send(path)).status).toBe(303)
  })

  test('works once, also when it is sent twice at the same time', async () => {
    const browser = newBrowser(app.url)
    const path = await askForLink(browser, world.here.member.email)
    const statuses = await Promise.all([1, 2, 3].map(async () => (await browser.send(path)).status))
    expect(statuses.sort()).toEqual([303, 404, 404])
    expect((await browser.send(path)).status).toBe(404)
  })

  test('ends after 15 minutes', async () => {
    const browser = newBrowser(app.url)
    const path = await askForLink(browser, world.here.member.email)
    app.clock.advance(15 * 60_000)
    expect((await browser.get(path)).status).toBe(404)
    expect((await browser.send(path)).status).toBe(404)
  })

  test('is sent to no other address, and the response says nothing about that', async () => {
    const { member, guest } = world.here
    await setUserEnabled(app.db, guest.id, false, app.clock.now())
    const responses = []
    for (const email of [member.email, guest.email, 'nobody@example.com']) {
      const { status, location, text } = await newBrowser(app.url).send('/sign-in', { form: { email } })
      responses.push({ status, location, text })
    }
    expect(responses[1]).toEqual(responses[0])
    expect(responses[2]).toEqual(responses[0])
    await until('the mail is there', async () => mailServer.mails.length > 0)
    // In the order of their requests; what follows would be here.
    await askForLink(newBrowser(app.url), world.here.admin.email)
    expect(mailServer.mails).toHaveLength(2)
  })

  test('is sent to one user five times in 15 minutes, and no more', async () => {
    for (let at = 0; at < MAX_MAILED_LINKS; at++)
      await askForLink(newBrowser(app.url), world.here.member.email)
    await newBrowser(app.url).send('/sign-in', { form: { email: world.here.member.email } })
    await askForLink(newBrowser(app.url), world.here.admin.email)
    expect(mailServer.mails).toHaveLength(MAX_MAILED_LINKS + 1)
  })

  test('is rejected for a network that requests too many', async () => {
    const limited = await startApp({
      databaseUrl: app.databaseUrl,
      config: { SMTP_URL: mailServer.url, RATE_LIMIT: true, RATE_LIMIT_ADDRESS: 1_000 },
    })
    try {
      const form = { email: 'nobody@example.com' }
      const browser = newBrowser(limited.url)
      for (let at = 0; at < MAX_LINKS_PER_ADDRESS; at++)
        expect((await browser.send('/sign-in', { form })).status).toBe(303)
      const rejected = await browser.send('/sign-in', { form })
      expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '900'])
    } finally {
      await limited.stop()
    }
  })

  test('is not sent to an invalid address, and the page says so', async () => {
    const { status, text } = await newBrowser(app.url).send('/sign-in', { form: { email: '"><b>' } })
    expect(status).toBe(400)
    expect(text).toContain('value="&quot;&gt;&lt;b&gt;" aria-invalid="true" aria-describedby="error"')
  })
})

describe('a printed link', () => {
  test('works in any browser, once, for 15 minutes', async () => {
    const path = await printedLink(world.here.admin.id)
    const browser = newBrowser(app.url)
    expect((await browser.get(path)).status).toBe(200)
    expect((await browser.send(path)).location).toBe('/bots')
    expect(await tokenIn(browser)).toBeDefined()
    expect((await newBrowser(app.url).send(path)).status).toBe(404)
    const late = await printedLink(world.here.admin.id)
    app.clock.advance(15 * 60_000)
    expect((await newBrowser(app.url).send(late)).status).toBe(404)
  })

  test('replaces a session that an attacker put into the browser', async () => {
    const { cookie } = await signIn(app, world.stranger)
    const browser = newBrowser(app.url)
    browser.jar.set('session', cookie)
    await browser.send(await printedLink(world.here.admin.id))
    expect(browser.jar.get('session')).not.toBe(cookie)
    await expect(pageTokenOf(app, cookie)).rejects.toThrow()
    // A value that was never issued signs in no user.
    browser.jar.set('session', 'fixed')
    await browser.send(await printedLink(world.here.admin.id))
    expect(browser.jar.get('session')).not.toBe('fixed')
    const thief = newBrowser(app.url)
    thief.jar.set('session', 'fixed')
    expect(await tokenIn(thief)).toBeUndefined()
  })

  test('leads to no other site', async () => {
    const elsewhere = [
      '//elsewhere.example',
      'https://elsewhere.example',
      '/\\elsewhere.example',
      '/\t/elsewhere.example',
      '/..//elsewhere.example',
      '/./\\elsewhere.example',
      'javascript:alert(1)',
      'bots',
    ]
    const { cookie } = await signIn(app, world.here.admin)
    const browser = newBrowser(app.url)
    browser.jar.set('session', cookie)
    for (const returnTo of elsewhere) {
      const { location } = await browser.get(`/sign-in?returnTo=${encodeURIComponent(returnTo)}`)
      expect([returnTo, location]).toEqual([returnTo, '/bots'])
      const now = app.clock.now()
      const code = await createSignInLink(app.db, world.here.admin.id, { returnTo }, now)
      expect((await newBrowser(app.url).send(`/sign-in/links/${code}`)).location).toBe('/bots')
    }
  })
})

describe('a session', () => {
  test('issues tokens to pages of the service alone', async () => {
    const { headers } = await signIn(app, world.here.admin)
    const ask = (more: Record<string, string>) =>
      fetch(`${app.url}/session/token`, { method: 'POST', headers: { ...headers, ...more } })
    const own = { Origin: app.url }
    const headersOf: Record<string, string>[] = [
      {},
      { Origin: 'null' },
      { Origin: 'https://elsewhere.example' },
      { Origin: app.url.replace('http:', 'https:').replace(/:\d+$/, '') },
      { ...own, 'Sec-Fetch-Site': 'same-site' },
      { ...own, 'Sec-Fetch-Site': 'cross-site' },
      { ...own, 'Sec-Fetch-Site': 'none' },
    ]
    for (const forged of headersOf) {
      const response = await ask(forged)
      expect([forged, response.status]).toEqual([forged, 403])
      expect(((await response.json()) as { code: string }).code).toBe('FORBIDDEN')
      for (const path of ['/sign-out', '/sign-in', await printedLink(world.here.admin.id)]) {
        const posted = await fetch(`${app.url}${path}`, {
          method: 'POST',
          headers: { ...headers, ...forged },
        })
        expect([path, posted.status]).toEqual([path, 403])
      }
    }
    expect((await ask(own)).status).toBe(200)
    expect((await fetch(`${app.url}/session/token`, { headers })).status).toBe(405)
  })

  test('does not authenticate API requests by its cookie', async () => {
    const { headers } = await signIn(app, world.here.admin)
    expect((await fetch(`${app.url}/v1/currentUser`, { headers })).status).toBe(401)
  })

  test('has tokens of 15 minutes, and lasts 30 days', async () => {
    const { cookie } = await signIn(app, world.here.admin)
    const { token } = await pageTokenOf(app, cookie)
    expect(await statusWith(token)).toBe(200)
    app.clock.advance(15 * 60_000)
    expect(await statusWith(token)).toBe(401)
    app.clock.advance(29 * 24 * 60 * 60_000)
    expect(await statusWith((await pageTokenOf(app, cookie)).token)).toBe(200)
    app.clock.advance(24 * 60 * 60_000)
    await expect(pageTokenOf(app, cookie)).rejects.toThrow()
  })

  test('ends with its tokens at once in every process when the user signs out', async () => {
    const other = await startApp({ databaseUrl: app.databaseUrl })
    try {
      const browser = newBrowser(app.url)
      await browser.send(await printedLink(world.here.admin.id))
      const { cookie: kept } = await signIn(app, world.here.admin)
      const second = await pageTokenOf(app, kept)
      const token = (await tokenIn(browser)) as string
      const cookie = browser.jar.get('session') as string
      const there = () => other.client.call('getCurrentUser', { as: { token } })
      expect((await there()).status).toBe(200)
      const out = await browser.send('/sign-out')
      expect([out.status, out.location, browser.jar.has('session')]).toEqual([303, '/sign-in', false])
      expect([(await there()).status, await statusWith(token)]).toEqual([401, 401])
      await expect(pageTokenOf(app, cookie)).rejects.toThrow()
      // Another browser of the same user stays.
      expect(await statusWith(second.token)).toBe(200)
    } finally {
      await other.stop()
    }
  })

  test('issues no token to a page that asks for one while the user signs out', async () => {
    const { cookie, headers } = await signIn(app, world.here.admin)
    const own = { ...headers, Origin: app.url }
    const post = (path: string) =>
      fetch(`${app.url}${path}`, { method: 'POST', headers: own, redirect: 'manual' })
    const responses = await Promise.all(
      ['/session/token', '/sign-out', '/session/token', '/session/token'].map(post),
    )
    for (const response of responses.filter(({ status }) => status === 200)) {
      const { token } = (await response.json()) as { token: string }
      expect(await statusWith(token)).toBe(401)
    }
    await expect(pageTokenOf(app, cookie)).rejects.toThrow()
  })

  test('has the current roles of its user, so a removed member is rejected at the next request', async () => {
    const { member, admin, workspaceId } = world.here
    const { cookie } = await signIn(app, member)
    const as = await pageTokenOf(app, cookie)
    const read = async () => (await app.client.call('listBots', { as, query: { workspaceId } })).status
    expect(await read()).toBe(200)
    await app.client.ok('removeMember', { as: admin, params: { workspaceId, userId: member.id } })
    expect(await read()).toBe(403)
  })

  test('ends when its user is disabled, with links and tokens, and does not come back', async () => {
    const { member } = world.here
    const { cookie } = await signIn(app, member)
    const { token } = await pageTokenOf(app, cookie)
    const path = await printedLink(member.id)
    await setUserEnabled(app.db, member.id, false, app.clock.now())
    expect(await statusWith(token)).toBe(401)
    expect((await newBrowser(app.url).send(path)).status).toBe(404)
    await setUserEnabled(app.db, member.id, true, app.clock.now())
    await expect(pageTokenOf(app, cookie)).rejects.toThrow()
    expect((await newBrowser(app.url).send(path)).status).toBe(404)
  })
})

describe('under an https address with a path', () => {
  test('cookies are bound to the host and to TLS, and redirects stay below the path', async () => {
    const PUBLIC_URL = 'https://example.com/service'
    const secure = await startApp({ databaseUrl: app.databaseUrl, config: { PUBLIC_URL } })
    try {
      const browser = newBrowser(secure.url)
      const headers = { Origin: 'https://example.com' }
      const path = await printedLink(world.here.admin.id)
      expect((await browser.send(path)).status).toBe(403)
      const done = await browser.send(path, { headers })
      expect(done.location).toBe('/service/bots')
      expect(done.headers.getSetCookie()[0]).toMatch(
        /^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      )
      expect((await browser.get('/sign-in?returnTo=/other')).location).toBe('/service/bots')
      expect((await browser.get('/sign-in?returnTo=/service/bots/x')).location).toBe('/service/bots/x')
      // The name without the prefix, which another host of the domain could set, is not read.
      const other = newBrowser(secure.url)
      other.jar.set('session', browser.jar.get('__Host-session') as string)
      expect((await other.send('/session/token', { headers })).status).toBe(401)
      expect((await browser.send('/session/token', { headers })).status).toBe(200)
    } finally {
      await secure.stop()
    }
  })
})

test('a form has as many bytes as the table says, and one more is a 400', async () => {
  const padded = (bytes: number) => {
    const form = { email: world.here.admin.email, more: '' }
    const length = new URLSearchParams(form).toString().length
    return { ...form, more: 'x'.repeat(bytes - length) }
  }
  const statusOf = async (bytes: number) =>
    (await newBrowser(app.url).send('/sign-in', { form: padded(bytes) })).status
  expect([await statusOf(MAX_FORM_BYTES), await statusOf(MAX_FORM_BYTES + 1)]).toEqual([303, 400])
})

test('expired sessions, links and tokens of pages are removed a day later, and nothing else', async () => {
  const { cookie } = await signIn(app, world.here.admin)
  await pageTokenOf(app, cookie)
  await printedLink(world.here.admin.id)
  const left = async () => {
    const { rows } = await app.pool.query(
      `SELECT
      (SELECT count(*)::int FROM browser_sessions WHERE user_id = $1) AS sessions,
      (SELECT count(*)::int FROM sign_in_links WHERE user_id = $1) AS links,
      (SELECT count(*)::int FROM api_tokens WHERE owner_user_id = $1) AS tokens`,
      [world.here.admin.id],
    )
    return rows[0]
  }
  const forget = async (days: number) => {
    app.clock.advance(days * 24 * 60 * 60_000)
    while (await forgetEndedAccess(app.db, app.clock.now())) {}
    return left()
  }
  expect(await forget(0)).toEqual({ sessions: 1, links: 1, tokens: 2 })
  expect(await forget(2)).toEqual({ sessions: 1, links: 0, tokens: 1 })
  expect(await forget(30)).toEqual({ sessions: 0, links: 0, tokens: 1 })
})

test('without a mail server the page explains how to get a link, and has no field for an address', async () => {
  const plain = await startApp({ databaseUrl: app.databaseUrl })
  try {
    const { status, text } = await newBrowser(plain.url).get('/sign-in')
    expect([status, text.includes('admin -- user link'), text.includes('<form')]).toEqual([200, true, false])
  } finally {
    await plain.stop()
  }
})
