import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openCredentials } from '../../server/workspaces/credentials.ts'
import { type App, startApp } from '../support/app.ts'
import { newBrowser, signIn } from '../support/sign-in.ts'
import { makeWorld, type Person, type Site } from '../support/world.ts'

/* Consent of a person to use their account of Google, and whatever others could send in their place. */

const SHEETS = 'https://www.googleapis.com/auth/spreadsheets'
const GMAIL = 'https://www.googleapis.com/auth/gmail.modify'

let app: App
let google: Server
let host: string
let here: Site
let there: Site
/** Codes that the double has issued, with their requests. Each is valid once. */
let codes: Map<string, URLSearchParams>
/** The response to the next request for tokens in place of the usual one. */
let failure: { status: number; body: object } | 'broken' | undefined
/** Scopes that the person has unticked. */
let unticked: string[]
let forms: URLSearchParams[]

beforeAll(async () => {
  google = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const form = new URLSearchParams(text)
    forms.push(form)
    if (failure === 'broken') return void request.socket.destroy()
    const send = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (failure) return send(failure.status, failure.body)
    const asked = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (
      !asked ||
      challenge !== asked.get('code_challenge') ||
      form.get('redirect_uri') !== asked.get('redirect_uri') ||
      form.get('client_id') !== 'the-client' ||
      form.get('client_secret') !== 'the-secret'
    )
      return send(400, { error: 'invalid_grant' })
    const scope = (asked.get('scope') ?? '')
      .split(' ')
      .filter((one) => !unticked.includes(one))
      .join(' ')
    const claims = Buffer.from(JSON.stringify({ email: 'ada@example.com' })).toString('base64url')
    send(200, { access_token: 'access', refresh_token: 'the-refresh', scope, id_token: `x.${claims}.x` })
  })
  await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(google.address() as AddressInfo).port}`
  app = await startApp({
    config: {
      OUTBOUND_ALLOWED_HOSTS: [host],
      GOOGLE_CLIENT_ID: 'the-client',
      GOOGLE_CLIENT_SECRET: 'the-secret',
      GOOGLE_TOKEN_URL: `http://${host}/token`,
    },
  })
})

afterAll(async () => {
  await app.stop()
  google.closeAllConnections()
  google.close()
})

beforeEach(async () => {
  ;({ here, there } = await makeWorld(app))
  codes = new Map()
  failure = undefined
  unticked = []
  forms = []
})

async function browserOf(person: Person) {
  const browser = newBrowser(app.url)
  browser.jar.set('session', (await signIn(app, person)).cookie)
  return browser
}

type Browser = Awaited<ReturnType<typeof browserOf>>

const startPath = (type = 'google sheets', more: Record<string, string> = {}) =>
  `/credentials/google?${new URLSearchParams({ workspaceId: here.workspaceId, type, ...more })}`

/** Continues at the page of the service, and agrees at Google: returns the path that Google sends the browser to. */
async function agree(browser: Browser, path = startPath()) {
  const { status, location } = await browser.send(path)
  expect(status).toBe(303)
  const asked = new URL(location ?? '')
  const code = `code${codes.size}${Math.random()}`
  codes.set(code, asked.searchParams)
  const state = asked.searchParams.get('state') ?? ''
  return { asked, state, code, path: callbackWith({ state, code }) }
}

const callbackWith = (query: Record<string, string>) =>
  `/credentials/google/callback?${new URLSearchParams(query)}`

const listed = async () =>
  (
    await app.client.ok('listCredentials', {
      as: here.member,
      params: { workspaceId: here.workspaceId },
    })
  ).credentials

test.each([
  ['google sheets', SHEETS],
  ['gmail', GMAIL],
])(
  'stores encrypted credentials of type %s, named after the account, for a member who agrees',
  async (type, scope) => {
    const browser = await browserOf(here.member)
    const { asked, path } = await agree(browser, startPath(type))
    expect(asked.origin + asked.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth')
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'the-client',
      redirect_uri: `${app.url}/credentials/google/callback`,
      access_type: 'offline',
      prompt: 'consent',
      code_challenge_method: 'S256',
    })
    expect(asked.searchParams.get('scope')?.split(' ')).toContain(scope)
    const page = await browser.get(path)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('ada@example.com')])
    expect(page.text).not.toMatch(/the-refresh|the-secret/)
    const [credentials, ...others] = await listed()
    expect([credentials, others]).toMatchObject([{ type, name: 'ada@example.com' }, []])
    const opened = await openCredentials(app.db, app.keyring, here.workspaceId, credentials?.id ?? '')
    // The client is that of the installation, whose secret may change.
    expect(opened?.data).toEqual({ oauth: { refreshToken: 'the-refresh' } })
    const { rows } = await app.pool.query('SELECT c::text AS text FROM credentials c')
    expect(JSON.stringify(rows)).not.toContain('the-refresh')
    expect(JSON.stringify(app.logs)).not.toMatch(/the-refresh|the-secret/)
  },
)

test('credentials of a consent get tokens by the client of the installation, at its address alone', async () => {
  const browser = await browserOf(here.member)
  await browser.get((await agree(browser)).path)
  const [stored] = await listed()
  failure = { status: 200, body: { access_token: 'a', expires_in: 3600 } }
  const { test: tested } = await app.client.ok('testCredentials', {
    as: here.member,
    params: { workspaceId: here.workspaceId, credentialsId: stored?.id ?? '' },
  })
  expect(tested.outcome).toBe('accepted')
  expect(Object.fromEntries(forms.at(-1) ?? [])).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'the-refresh',
    client_id: 'the-client',
    client_secret: 'the-secret',
  })
})

test.each([
  [{ refreshToken: 'r', tokenUri: 'https://thief.example/token' }, /beside `tokenUri`/],
  [{ refreshToken: 'r', clientId: 'c' }, /or neither of them/],
])('credentials cannot send the secret of the installation elsewhere: %j', async (oauth, reason) => {
  const { status, body } = await app.client.call('createCredentials', {
    as: here.member,
    params: { workspaceId: here.workspaceId },
    body: { type: 'google sheets', name: 'Thief', data: { oauth } } as never,
  })
  expect([status, body.issues]).toMatchObject([400, [{ message: expect.stringMatching(reason) }]])
})

test('replaces the data of credentials by a new consent, and keeps their id and their name', async () => {
  const browser = await browserOf(here.member)
  await browser.get((await agree(browser)).path)
  const [before] = await listed()
  const again = await agree(browser, startPath('google sheets', { credentialsId: before?.id ?? '' }))
  expect((await browser.get(again.path)).status).toBe(200)
  const after = await listed()
  expect(after).toHaveLength(1)
  expect(after[0]).toMatchObject({ id: before?.id, name: 'ada@example.com' })
  expect(after[0]?.updatedAt).not.toBe(before?.updatedAt)
})

describe('the page before Google', () => {
  test('names the workspace, the service and the credentials, and starts nothing', async () => {
    await app.pool.query('UPDATE workspaces SET name = $1 WHERE id = $2', ['<b>Acme</b>', here.workspaceId])
    const browser = await browserOf(here.member)
    const page = await browser.get(startPath())
    expect([page.status, page.location, browser.jar.has('google')]).toEqual([200, null, false])
    for (const words of ['&lt;b&gt;Acme&lt;/b&gt;', 'Google Sheets', 'spreadsheets', '<form method="post">'])
      expect(page.text).toContain(words)
    expect(page.text).not.toContain('Replaces')
    expect((await browser.get(startPath('gmail'))).text).toContain('send mails as you')
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://accounts.google.com;",
    )
  })

  test('names the credentials that a new consent replaces', async () => {
    const browser = await browserOf(here.member)
    await browser.get((await agree(browser)).path)
    const [stored] = await listed()
    const page = await browser.get(startPath('google sheets', { credentialsId: stored?.id ?? '' }))
    expect(page.text).toContain('<dt>Replaces</dt><dd>ada@example.com</dd>')
  })

  test('rejects a guest, a stranger, unknown credentials and types without a consent', async () => {
    for (const person of [here.guest, there.member]) {
      const browser = await browserOf(person)
      expect((await browser.get(startPath())).text).toMatch(/Your role cannot change credentials/)
      for (const method of ['GET', 'POST'] as const)
        expect((await browser.send(startPath(), { method })).status).toBe(403)
    }
    const browser = await browserOf(here.member)
    const missing = startPath('google sheets', { credentialsId: 'clnothing00000000000000000' })
    for (const method of ['GET', 'POST'] as const) {
      expect((await browser.send(missing, { method })).status).toBe(403)
      for (const path of [startPath('openai'), startPath('constructor'), '/credentials/google'])
        expect((await browser.send(path, { method })).status).toBe(400)
    }
    expect(browser.jar.has('google')).toBe(false)
  })

  test.each<Record<string, string>>([
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
  ])('leads to Google only by its own form, not with %j', async (headers) => {
    const browser = await browserOf(here.member)
    const { status, location } = await browser.send(startPath(), { headers })
    expect([status, location, browser.jar.has('google')]).toEqual([403, null, false])
  })
})

describe('the callback of a consent', () => {
  async function expectNothing(sent: { status: number; text: string }, status: number, words: RegExp) {
    expect([sent.status, sent.text]).toEqual([status, expect.stringMatching(words)])
    expect(await listed()).toEqual([])
  }

  test('rejects a state that was used', async () => {
    const browser = await browserOf(here.member)
    const { path } = await agree(browser)
    const cookie = browser.jar.get('google') ?? ''
    expect((await browser.get(path)).status).toBe(200)
    expect(await listed()).toHaveLength(1)
    expect((await browser.get(path)).status).toBe(400)
    // With the cookie too, Google takes the code once.
    browser.jar.set('google', cookie)
    expect((await browser.get(path)).status).toBe(400)
    expect(await listed()).toHaveLength(1)
  })

  test('stores one of three simultaneous callbacks', async () => {
    const browser = await browserOf(here.member)
    const { path } = await agree(browser)
    const jar = new Map(browser.jar)
    const pages = await Promise.all(
      [1, 2, 3].map(() => {
        const one = newBrowser(app.url)
        for (const [name, value] of jar) one.jar.set(name, value)
        return one.get(path)
      }),
    )
    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
    expect(await listed()).toHaveLength(1)
  })

  test('rejects a state of eleven minutes ago', async () => {
    const browser = await browserOf(here.member)
    const { path } = await agree(browser)
    app.clock.advance(11 * 60_000)
    await expectNothing(await browser.get(path), 400, /has ended/)
    expect(forms).toEqual([])
  })

  test('rejects a state that was changed', async () => {
    const browser = await browserOf(here.member)
    const { state, code } = await agree(browser)
    const [text = '', signature = ''] = state.split('.')
    const attempt = JSON.parse(Buffer.from(text, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...attempt, workspaceId: there.workspaceId })).toString(
      'base64url',
    )
    for (const wrong of [`${forged}.${signature}`, text, '', `${text}.`, `.${signature}`, 'x', '.'])
      await expectNothing(await browser.get(callbackWith({ state: wrong, code })), 400, /has ended/)
    expect(forms).toEqual([])
  })

  test('rejects another browser of the same member', async () => {
    const { path } = await agree(await browserOf(here.member))
    await expectNothing(await (await browserOf(here.member)).get(path), 400, /another browser/)
    const second = await browserOf(here.member)
    await agree(second)
    await expectNothing(await second.get(path), 400, /another browser/)
    expect(forms).toEqual([])
  })

  test('rejects another user in the same browser', async () => {
    const browser = await browserOf(here.member)
    const { path } = await agree(browser)
    browser.jar.set('session', (await signIn(app, here.admin)).cookie)
    await expectNothing(await browser.get(path), 400, /another user/)
    browser.jar.delete('session')
    await expectNothing(await browser.get(path), 400, /has ended/)
    expect(forms).toEqual([])
  })

  test('rejects a code of another user', async () => {
    const browser = await browserOf(here.member)
    const { state } = await agree(browser)
    const other = await agree(
      await browserOf(there.member),
      `/credentials/google?${new URLSearchParams({ workspaceId: there.workspaceId, type: 'gmail' })}`,
    )
    // The verifier is that of the other attempt.
    await expectNothing(await browser.get(callbackWith({ state, code: other.code })), 400, /has ended/)
  })

  test('stores nothing for a person who declines, or does not agree to everything', async () => {
    const browser = await browserOf(here.member)
    const { state } = await agree(browser)
    await expectNothing(
      await browser.get(callbackWith({ state, error: 'access_denied' })),
      403,
      /did not agree/,
    )
    unticked = [SHEETS]
    await expectNothing(await browser.get((await agree(browser)).path), 403, /tick all boxes/)
  })

  test.each<[string, NonNullable<typeof failure>, number, RegExp]>([
    [
      'a client that Google does not know',
      { status: 401, body: { error: 'invalid_client' } },
      502,
      /GOOGLE_CLIENT_ID/,
    ],
    ['a Google that fails', { status: 500, body: {} }, 503, /does not respond.*Begin again/s],
    ['a Google that sends no response', 'broken', 503, /does not respond/],
    ['a response without tokens', { status: 200, body: {} }, 403, /tick all boxes/],
  ])('stores nothing for %s', async (_, given, status, words) => {
    const browser = await browserOf(here.member)
    const { path } = await agree(browser)
    failure = given
    await expectNothing(await browser.get(path), status, words)
  })

  test.each([
    ['temporarily_unavailable', 503, /does not respond.*Begin again/s],
    ['server_error', 503, /does not respond/],
    ['invalid_scope', 502, /GOOGLE_CLIENT_ID/],
    ['', 502, /GOOGLE_CLIENT_ID/],
  ])('logs the error "%s" of Google, and distinguishes it from a decline', async (error, status, words) => {
    const browser = await browserOf(here.member)
    const { state } = await agree(browser)
    await expectNothing(await browser.get(callbackWith({ state, error })), status, words)
    expect(app.logs).toContainEqual(expect.objectContaining({ level: 40, reason: error }))
    expect(browser.jar.has('google')).toBe(false)
  })

  test('stores nothing for a member who lost the role meanwhile', async () => {
    const browser = await browserOf(here.member)
    const { path } = await agree(browser)
    await app.pool.query('DELETE FROM workspace_members WHERE user_id = $1', [here.member.id])
    const page = await browser.get(path)
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('not stored')])
    expect(
      (await app.pool.query('SELECT FROM credentials WHERE workspace_id = $1', [here.workspaceId])).rowCount,
    ).toBe(0)
  })
})

test.each(['GET', 'POST'] as const)(
  'leads a browser without a session to the sign-in and back (%s)',
  async (method) => {
    const { status, location } = await newBrowser(app.url).send(startPath(), { method })
    expect(status).toBe(303)
    const target = new URL(location ?? '', app.url)
    expect(target.pathname).toBe('/sign-in')
    expect(target.searchParams.get('returnTo')).toBe(startPath())
  },
)

test('leads to Google alone, whatever the address says', async () => {
  const browser = await browserOf(here.member)
  const path = startPath('google sheets', {
    redirect_uri: 'https://evil.test',
    returnTo: 'https://evil.test',
    state: 'x',
  })
  const { asked } = await agree(browser, path)
  expect(asked.origin).toBe('https://accounts.google.com')
  expect(asked.searchParams.getAll('redirect_uri')).toEqual([`${app.url}/credentials/google/callback`])
  const response = await browser.send(startPath(), { headers: { Host: 'evil.test' } })
  expect(new URL(response.location ?? '').searchParams.get('redirect_uri')).not.toContain('evil')
})

test('names the missing settings in an installation without a client, whose credentials page offers no consent', async () => {
  const other = await startApp()
  const { here: site } = await makeWorld(other)
  const browser = newBrowser(other.url)
  browser.jar.set('session', (await signIn(other, site.member)).cookie)
  const page = await browser.get(startPath())
  expect([page.status, page.text]).toEqual([404, expect.stringContaining('GOOGLE_CLIENT_ID')])
  expect((await browser.get('/credentials')).text).not.toContain('google-consent')
  await other.stop()
  expect((await newBrowser(app.url).get('/credentials')).text).toContain('<meta name="google-consent"')
})
