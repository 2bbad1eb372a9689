import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { desktop, launch, newContext, phone, picture, watch, withBrowser } from './support.ts'

/* What somebody finds who opens the address of the service in a browser. */

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
  expect((await fetch(`${app.url}/`, { method: 'POST' })).status).toBe(405)
})

withBrowser('the first page', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launch()
  })

  afterAll(() => browser.close())

  test.each([
    ['desktop-light', desktop, 'light'],
    ['desktop-dark', desktop, 'dark'],
    ['phone-light', phone, 'light'],
    ['phone-dark', phone, 'dark'],
  ] as const)('every link leads somewhere (%s)', async (name, options, colorScheme) => {
    const complaints: string[] = []
    const context = await newContext(browser, { baseURL: app.url, ...options, colorScheme })
    const page = await context.newPage()
    watch(page, app.url, complaints)
    await page.goto('/')
    await picture(page, `home-${name}`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
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
