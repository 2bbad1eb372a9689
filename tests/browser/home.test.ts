import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { createFirstUser } from '../../server/bootstrap.ts'
import { type App, startApp } from '../support/app.ts'
import { runs } from '../support/runs.ts'
import { signIn } from '../support/sign-in.ts'
import { desktop, launch, openPage, phone, withBrowser } from './support.ts'

/* Pages for a browser that opens the address of the service. */

let app: App

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.stop())

test('the first page and its style load nothing from elsewhere, and nothing runs on it', async () => {
  const page = await fetch(app.url)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(await page.text()).not.toContain('<iframe')
  expect((await fetch(`${app.url}/`, { method: 'POST' })).status).toBe(405)
})

test('the first start publishes a sample bot, which the first page shows to people who are not signed in', async () => {
  const installation = await startApp()
  try {
    const { db, clock, url, client } = installation
    const first = await createFirstUser(db, clock.now())
    const as = { token: first?.token ?? '' }
    const page = await fetch(url)
    expect(page.headers.get('content-security-policy')).toContain("frame-src 'self'")
    expect(await page.text()).toContain('<iframe class="sample" src="chat/welcome"')
    const chat = await client.ok('startChat', { params: { publicId: 'welcome' } })
    expect(chat.input?.type).toBe('choice input')
    const { user, workspaces } = await client.ok('getCurrentUser', { as })
    const workspaceId = workspaces[0]?.id ?? ''
    const { entries } = await client.ok('listAuditLog', { as, params: { workspaceId } })
    expect(entries.map(({ operation }: { operation: string }) => operation)).toContain('first start')
    const { headers } = await signIn(installation, user)
    const own = await fetch(url, { headers, redirect: 'manual' })
    expect([own.status, own.headers.get('location')]).toEqual([302, `${url}/bots`])
    expect((await fetch(url, { headers: { Cookie: 'session=stale' }, redirect: 'manual' })).status).toBe(200)

    const { bots } = await client.ok('listBots', { as, query: { workspaceId } })
    expect(bots).toMatchObject([{ name: 'Welcome', publicId: 'welcome' }])
    await client.ok('deleteBot', { as, params: { botId: bots[0]?.id ?? '' } })
    const { workspace } = await client.ok('createWorkspace', { as, body: { name: 'Other' } })
    const bot = { name: 'Another', publicId: 'welcome' }
    const made = await client.ok('createBot', { as, body: { workspaceId: workspace.id, bot } })
    await client.ok('publishBot', { as, params: { botId: made.bot.id } })
    expect(await (await fetch(url)).text()).not.toContain('<iframe')
  } finally {
    await installation.stop()
  }
})

test('a browser gets a page for an unknown path, a program gets JSON', async () => {
  const get = async (path: string, accept: string) => {
    const response = await fetch(`${app.url}${path}`, { headers: { accept } })
    return [response.status, response.headers.get('content-type'), response.headers.get('vary')]
  }
  const html = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const path of ['/nothere', '/not/here/', '/docs/nothing']) {
    expect(await get(path, html)).toEqual([404, 'text/html; charset=utf-8', 'Accept, Accept-Language'])
    expect(await get(path, '*/*')).toEqual([404, 'application/json; charset=utf-8', 'Accept'])
  }
  for (const path of ['/v1/nothere', '/api/v1/nothere', '/files/a/b/c', '/mcp/x']) {
    expect((await get(path, html)).slice(0, 2)).toEqual([404, 'application/json; charset=utf-8'])
  }
  const page = await (await fetch(`${app.url}/not/here`, { headers: { accept: html } })).text()
  expect(page).toContain('href="../home.css"')
  const arabic = await fetch(`${app.url}/nothere`, { headers: { accept: html, 'accept-language': 'ar-EG' } })
  expect(arabic.headers.get('vary')).toBe('Accept, Accept-Language')
  const said = await arabic.text()
  expect(said).toContain('<html lang="ar" dir="rtl">')
  expect(said).toContain('<h1>لم يتم العثور على الصفحة')
})

test('the address of a page with a slash at the end leads to the one without, and keeps the query', async () => {
  const locationOf = async (path: string, method = 'GET') => {
    const response = await fetch(`${app.url}${path}`, { method, redirect: 'manual' })
    return [response.status, response.headers.get('location')?.replace(/^https?:\/\/[^/]+/, '')]
  }
  expect(await locationOf('/docs/')).toEqual([308, '/docs'])
  expect(await locationOf('/results/?a=b&c=%20', 'HEAD')).toEqual([308, '/results?a=b&c=%20'])
  expect(await locationOf('/chat/newsletter/?Name=Ada')).toEqual([308, '/chat/newsletter?Name=Ada'])
  expect(await locationOf('/chat/%2Felsewhere.example/')).toEqual([308, '/chat/%2Felsewhere.example'])
  for (const path of ['/v1/workspaces/', '/api/v1/x/', '/livez/'])
    expect((await locationOf(path))[0]).toBe(404)
  expect((await locationOf('/docs/', 'POST'))[0]).toBe(404)
})

withBrowser('the first page', () => {
  let browser: Browser

  beforeAll(async () => {
    await createFirstUser(app.db, app.clock.now())
    browser = await launch()
  })

  afterAll(() => browser.close())

  const looks = [
    ['phone-dark', phone, 'dark'],
    ['desktop-light', desktop, 'light'],
    ['desktop-dark', desktop, 'dark'],
    ['phone-light', phone, 'light'],
  ] as const
  const some = looks.slice(0, runs(1, looks.length))
  test.each(some)('every link of the first page has a target (%s)', async (name, options, colorScheme) => {
    const { context, page, complaints, look } = await openPage(browser, app.url, {
      name,
      ...options,
      colorScheme,
    })
    await page.goto('/')
    await page.frameLocator('.sample').getByText('What would you like to see?').waitFor()
    await look('home')
    const targets = await page.locator('a').evaluateAll((links) => links.map(({ href }) => href as string))
    expect(targets.length).toBeGreaterThan(8)
    const ids = await (await fetch(`${app.url}/docs`)).text()
    for (const target of new Set(targets)) {
      const { hash } = new URL(target)
      expect([target, (await fetch(target)).status]).toEqual([target, 200])
      if (hash) expect(ids).toContain(`id="${hash.slice(1)}"`)
    }
    expect(complaints).toEqual([])
    await context.close()
  })
})
