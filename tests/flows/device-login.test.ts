import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { MAX_LOGINS_PER_NETWORK } from '../../contract/device-logins.ts'
import { MAX_WRONG_CODES } from '../../server/access/device-logins.ts'
import { setUserEnabled } from '../../server/access/users.ts'
import { forgetEndedAccess } from '../../server/jobs/expiry.ts'
import { type App, startApp } from '../support/app.ts'
import type { BodyOf } from '../support/client.ts'
import { newBrowser, signIn } from '../support/sign-in.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Logins of programs, the page on which people allow them, and the attacks on both, in two processes on one database. */

let app: App
let other: App
let world: World

beforeAll(async () => {
  app = await startApp()
  other = await startApp({ databaseUrl: app.databaseUrl })
})
beforeEach(async () => {
  world = await makeWorld(app)
})
afterAll(async () => {
  await other.stop()
  await app.stop()
})

const start = (body: Partial<BodyOf<'startDeviceLogin'>> = {}) =>
  app.client.ok('startDeviceLogin', { body: { name: 'bots on laptop', ...body } })

const ask = async (deviceCode: string, at = app) => {
  const { status, body } = await at.client.call('continueDeviceLogin', { body: { deviceCode } })
  return status === 200 ? body.status : status
}

/** A browser in which a user is signed in. */
async function browserOf(user: { id: string }, at = app) {
  const browser = newBrowser(at.url)
  browser.jar.set('session', (await signIn(app, user)).cookie)
  return browser
}

type Browser = Awaited<ReturnType<typeof browserOf>>

const enter = (browser: Browser, code: string) => browser.send('/device', { form: { code } })
const decide = (browser: Browser, code: string, decision: string) =>
  browser.send('/device', { form: { code, decision } })

const seconds = (count: number) => app.clock.advance(count * 1_000)

describe('a signed-in user', () => {
  test('sees the code and the request, and allows it', async () => {
    const browser = await browserOf(world.here.member)
    const { workspaceId } = world.here
    const login = await start({ scopes: ['read', 'results'], workspaceId, expiresInDays: 90 })
    expect(await ask(login.deviceCode)).toBe('pending')
    const form = await browser.get(`/device?code=${login.userCode}`)
    expect(form.text).toContain(`value="${login.userCode}"`)
    expect(form.text).not.toContain('bots on laptop')

    const page = await enter(browser, login.userCode.toLowerCase().replace('-', ' '))
    expect(page.status).toBe(200)
    const { workspace } = await app.client.ok('getWorkspace', {
      as: world.here.member,
      params: { workspaceId },
    })
    for (const shown of [
      `>${login.userCode}<`,
      'bots on laptop',
      world.here.member.email,
      'read everything but results and chats; read, export and delete results',
      workspace.name,
      '90 days',
    ])
      expect(page.text).toContain(shown)
    expect(page.text).not.toContain(login.deviceCode)

    expect((await decide(browser, login.userCode, 'allowed')).text).toContain('Access allowed')
    seconds(5)
    const answer = await app.client.ok('continueDeviceLogin', { body: { deviceCode: login.deviceCode } })
    const as = { token: answer.apiToken?.token as string }
    expect((await app.client.ok('getCurrentUser', { as })).user.id).toBe(world.here.member.id)
    const { entries } = await app.client.ok('listAuditLog', { as: world.here.admin, params: { workspaceId } })
    expect(entries[0]).toMatchObject({
      operation: 'allow device login',
      userId: world.here.member.id,
      recordId: answer.apiToken?.id,
    })
  })

  test('declines it, and the program gets no token then or later', async () => {
    const browser = await browserOf(world.here.member)
    const { deviceCode, userCode } = await start()
    await enter(browser, userCode)
    expect((await decide(browser, userCode, 'denied')).text).toContain('Access refused')
    const late = await decide(browser, userCode, 'allowed')
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('You have refused it already')])
    expect([await ask(deviceCode), await ask(deviceCode)]).toEqual(['denied', 404])
  })

  test('cannot allow a workspace without a role in it, existing or not', async () => {
    const browser = await browserOf(world.here.member)
    for (const workspaceId of [world.there.workspaceId, 'none']) {
      const { deviceCode, userCode } = await start({ workspaceId })
      const page = await enter(browser, userCode)
      expect(page.text).toContain('A workspace in which you have no role')
      expect(page.text).not.toContain('value="allowed"')
      expect((await decide(browser, userCode, 'allowed')).text).not.toContain('Access allowed')
      expect(await ask(deviceCode)).toBe('pending')
    }
  })

  test('sees the name of a program as text alone', async () => {
    const { userCode } = await start({ name: '<img src=x onerror=alert(1)>' })
    const { text } = await enter(await browserOf(world.here.member), userCode)
    expect(text).toContain('&lt;img')
    expect(text).not.toContain('<img')
    expect((await enter(await browserOf(world.here.member), '"><script>')).text).not.toContain('<script>')
  })
})

describe('attacks on device logins', () => {
  test('a browser that is not signed in is led to the sign-in, and back with the code', async () => {
    const { userCode, deviceCode } = await start()
    const browser = newBrowser(app.url)
    const to = `/sign-in?returnTo=${encodeURIComponent(`/device?code=${userCode}`)}`
    expect((await browser.get(`/device?code=${userCode}`)).location).toBe(to)
    expect((await decide(browser, userCode, 'allowed')).location).toBe(to)
    expect(await ask(deviceCode)).toBe('pending')
  })

  test('a user who has entered as many wrong codes as the table says gets 429 in all processes, also for right ones', async () => {
    const browsers = [await browserOf(world.here.member), await browserOf(world.here.member, other)]
    const { userCode } = await start()
    const guesses = ['BBBB-BBBB', '', 'x'.repeat(5_000), '%', 'AEIO-UAEI', '12345678']
    for (let at = 0; at < MAX_WRONG_CODES; at++)
      expect((await enter(browsers[at % 2] as Browser, guesses[at % guesses.length] as string)).status).toBe(
        404,
      )
    const rejected = await enter(await browserOf(world.here.member), userCode)
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '600'])
    expect((await enter(await browserOf(world.here.admin), userCode)).status).toBe(200)
    const { userCode: later } = await start()
    seconds(599)
    expect((await enter(browsers[0] as Browser, later)).status).toBe(429)
    seconds(1)
    expect((await enter(browsers[0] as Browser, (await start()).userCode)).status).toBe(200)
  })

  test('right codes use up no guesses, and concurrent guesses are as many as the table says', async () => {
    const browsers = [await browserOf(world.here.member), await browserOf(world.here.member, other)]
    for (let at = 0; at <= MAX_WRONG_CODES; at++)
      expect((await enter(browsers[at % 2] as Browser, (await start()).userCode)).status).toBe(200)
    const answers = await Promise.all(
      Array.from({ length: MAX_WRONG_CODES + 6 }, (_, at) => enter(browsers[at % 2] as Browser, 'BBBB-BBBB')),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(MAX_WRONG_CODES)
    expect(statuses.filter((status) => status === 429)).toHaveLength(6)
  })

  test('a network starts as many logins as the table says in all processes, and other networks still can', async () => {
    const config = {
      RATE_LIMIT: true,
      RATE_LIMIT_ADDRESS: 1_000,
      RATE_LIMIT_CONCURRENT: 1_000,
      TRUST_PROXY: 1,
    }
    const limited = [
      await startApp({ databaseUrl: app.databaseUrl, config }),
      await startApp({ databaseUrl: app.databaseUrl, config }),
    ]
    try {
      const startFrom = async (network: string, at: number) => {
        const response = await fetch(`${limited[at % 2]?.url}/v1/deviceLogins`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': network },
          body: JSON.stringify({ name: 'bots on laptop' }),
        })
        return {
          status: response.status,
          headers: response.headers,
          body: (await response.json()) as { issues: unknown },
        }
      }
      for (let at = 0; at < MAX_LOGINS_PER_NETWORK; at++)
        expect((await startFrom('192.0.2.7', at)).status).toBe(200)
      const rejected = await startFrom('192.0.2.7', 1)
      expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '600'])
      expect(rejected.body.issues).toEqual([
        { path: [], code: 'rate_exceeded', message: expect.stringContaining('50 logins in 10 minutes') },
      ])
      expect((await startFrom('192.0.2.8', 0)).status).toBe(200)
      const { rows } = await app.pool.query('SELECT to_jsonb(d) AS row FROM device_logins d')
      expect(JSON.stringify(rows)).not.toContain('192.0.2')
      for (const { clock } of limited) clock.advance(600_000)
      expect((await startFrom('192.0.2.7', 0)).status).toBe(200)
    } finally {
      for (const one of limited) await one.stop()
    }
  })

  test('a link with a code uses up no guesses and reserves nothing', async () => {
    const browser = await browserOf(world.here.member)
    for (let at = 0; at <= MAX_WRONG_CODES; at++) await browser.get('/device?code=BBBB-BBBB')
    const { userCode } = await start()
    await browser.get(`/device?code=${userCode}`)
    expect((await enter(await browserOf(world.here.admin), userCode)).status).toBe(200)
  })

  test('guessed codes of programs are not found, and are limited by the network', async () => {
    const config = { RATE_LIMIT: true, RATE_LIMIT_ADDRESS: 10, RATE_LIMIT_SECONDS: 60 }
    const limited = await startApp({ databaseUrl: app.databaseUrl, config })
    try {
      const answers = []
      for (let at = 0; at < 12; at++) answers.push(await ask('A'.repeat(43), limited))
      expect(answers).toEqual([...Array(10).fill(404), 429, 429])
    } finally {
      await limited.stop()
    }
  })

  test('no decision is accepted late, and no token is fetched late', async () => {
    const browser = await browserOf(world.here.member)
    const [forgotten, allowed] = [await start(), await start()]
    await enter(browser, forgotten.userCode)
    await enter(browser, allowed.userCode)
    await decide(browser, allowed.userCode, 'allowed')
    seconds(600)
    expect((await decide(browser, forgotten.userCode, 'allowed')).status).toBe(404)
    expect([await ask(forgotten.deviceCode), await ask(allowed.deviceCode)]).toEqual([404, 404])
    seconds(1)
    while (await forgetEndedAccess(app.db, app.clock.now()));
    const { rows } = await app.pool.query('SELECT FROM device_logins WHERE expires_at < $1', [
      app.clock.now(),
    ])
    expect(rows).toEqual([])
  })

  test('a decision that is sent again changes nothing and shows the same page, also after the program has its token', async () => {
    const browser = await browserOf(world.here.member)
    const { deviceCode, userCode } = await start()
    await enter(browser, userCode)
    const first = await decide(browser, userCode, 'allowed')
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('Access allowed')])
    const again = async () => {
      const { status, text } = await decide(browser, userCode, 'allowed')
      expect([status, text]).toEqual([200, first.text])
    }
    await again()
    const opposite = await decide(browser, userCode, 'denied')
    expect([opposite.status, opposite.text]).toEqual([409, expect.stringContaining('revoke the token')])
    expect(await ask(deviceCode)).toBe('allowed')
    await again()
    expect((await enter(browser, userCode)).text).toBe(first.text)
    expect(await ask(deviceCode)).toBe(404)
    const { apiTokens } = await app.client.ok('listTokens', { as: world.here.member })
    expect(apiTokens.filter(({ name }) => name === 'bots on laptop')).toHaveLength(1)
    // Only to the person who decided, and as long as the code works.
    expect((await decide(await browserOf(world.here.admin), userCode, 'allowed')).status).toBe(404)
    seconds(600)
    expect((await decide(browser, userCode, 'allowed')).status).toBe(404)
  })

  test('the browser of another user can neither see nor decide a code that one has entered', async () => {
    const { deviceCode, userCode } = await start()
    const mine = await browserOf(world.here.member)
    await enter(mine, userCode)
    const foreign = await browserOf(world.there.admin)
    const page = await enter(foreign, userCode)
    expect([page.status, page.text.includes('bots on laptop')]).toEqual([404, false])
    expect((await decide(foreign, userCode, 'denied')).status).toBe(404)
    expect((await decide(mine, userCode, 'allowed')).status).toBe(200)
    expect(await ask(deviceCode)).toBe('allowed')
  })

  test.each([
    ['of another site', { Origin: 'https://elsewhere.example' }],
    ['of no site', { Origin: 'null' }],
    ['of a site that looks alike', { Origin: 'http://127.0.0.1.elsewhere.example' }],
    ['that the browser marks', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('a form %s is rejected', async (_, headers) => {
    const browser = await browserOf(world.here.member)
    const { deviceCode, userCode } = await start()
    await enter(browser, userCode)
    const form = { code: userCode, decision: 'allowed' }
    expect((await browser.send('/device', { form, headers })).status).toBe(403)
    expect(await ask(deviceCode)).toBe('pending')
  })

  test("a form of the service's own page at an unknown address is rejected with the name of the setting", async () => {
    const behind = await startApp({
      databaseUrl: app.databaseUrl,
      config: { PUBLIC_URL: 'https://bots.example.com' },
    })
    try {
      const browser = newBrowser(behind.url)
      const headers = { Accept: 'text/html,*/*;q=0.8' }
      const page = await browser.send('/device', { form: { code: 'BBBB-BBBB' }, headers })
      expect([page.status, page.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
      expect(page.text).toContain(`PUBLIC_URL=${behind.url}`)
      expect(behind.logs.map(({ setting }) => setting)).toContainEqual(expect.stringContaining('PUBLIC_URL='))
      const token = await browser.send('/session/token')
      expect(JSON.parse(token.text).issues[0].message).toContain(`PUBLIC_URL=${behind.url}`)
      const foreign = { ...headers, Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' }
      expect((await browser.send('/device', { form: {}, headers: foreign })).text).not.toContain('PUBLIC_URL')
    } finally {
      await behind.stop()
    }
  })

  test('a program that polls too often gets nothing, and waits five seconds longer each time', async () => {
    const browser = await browserOf(world.here.member)
    const { deviceCode, userCode } = await start()
    const askWhole = () => app.client.ok('continueDeviceLogin', { body: { deviceCode } })
    expect(await askWhole()).toEqual({ status: 'pending', interval: 5 })
    await enter(browser, userCode)
    await decide(browser, userCode, 'allowed')
    seconds(4)
    expect(await askWhole()).toEqual({ status: 'slowDown', interval: 10 })
    seconds(9)
    expect(await askWhole()).toEqual({ status: 'slowDown', interval: 15 })
    for (let early = 0; early < 12; early++) expect(await ask(deviceCode)).toBe('slowDown')
    expect(await askWhole()).toEqual({ status: 'slowDown', interval: 60 })
    seconds(60)
    expect(await ask(deviceCode)).toBe('allowed')
  })

  test('programs that poll at once in two processes get one token together', async () => {
    const browser = await browserOf(world.here.member)
    const { deviceCode, userCode } = await start()
    await enter(browser, userCode)
    await decide(browser, userCode, 'allowed')
    const answers = await Promise.all([app, other, app, other, app].map((at) => ask(deviceCode, at)))
    expect(answers.sort()).toEqual([404, 404, 404, 404, 'allowed'])
    const { apiTokens } = await app.client.ok('listTokens', { as: world.here.member })
    expect(apiTokens.filter(({ name }) => name === 'bots on laptop')).toHaveLength(1)
  })

  test('users who enter or decide at once in two processes have one decision', async () => {
    const { deviceCode, userCode } = await start()
    const [mine, foreign] = [await browserOf(world.here.member), await browserOf(world.there.admin, other)]
    const entered = await Promise.all([enter(mine, userCode), enter(foreign, userCode)])
    expect(entered.map(({ status }) => status).sort()).toEqual([200, 404])
    const owner = entered[0]?.status === 200 ? mine : foreign
    const decided = await Promise.all(
      ['allowed', 'denied', 'allowed', 'denied'].map((one) => decide(owner, userCode, one)),
    )
    expect(decided.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409])
    const decision = await ask(deviceCode)
    const title = decision === 'allowed' ? 'Access allowed' : 'Access refused'
    expect(decided.every(({ text }) => text.includes(title))).toBe(true)
  })

  test('a user who is disabled after allowing grants no token', async () => {
    const browser = await browserOf(world.there.member)
    const { deviceCode, userCode } = await start()
    await enter(browser, userCode)
    await decide(browser, userCode, 'allowed')
    await setUserEnabled(app.db, world.there.member.id, false, app.clock.now())
    // Nor once the user is enabled again.
    await setUserEnabled(app.db, world.there.member.id, true, app.clock.now())
    expect(await ask(deviceCode)).toBe(404)
  })

  test('the database has neither the code of the program nor a token', async () => {
    const browser = await browserOf(world.here.member)
    const { deviceCode, userCode } = await start()
    await enter(browser, userCode)
    await decide(browser, userCode, 'allowed')
    const { rows } = await app.pool.query('SELECT to_jsonb(d) AS row FROM device_logins d')
    expect(JSON.stringify(rows)).not.toContain(deviceCode)
    expect(JSON.stringify(rows)).not.toContain('botb_pat_')
  })
})
