import { existsSync } from 'node:fs'
import { describe, expect } from '@jest/globals'
import axe from 'axe-core'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

/*
 * A real browser for tests of pages. Without one these tests are skipped; CHROMIUM names one in an unusual place.
 */

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
const executablePath = candidates.find((path) => path !== undefined && existsSync(path))

if (!executablePath)
  process.stderr.write('No browser: install Chromium or set CHROMIUM to test the pages of the service\n')

export const withBrowser = executablePath ? describe : describe.skip

/** A person's browser, in which nothing is late before the test itself is: machines may be busy. */
export async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(240_000)
  return context
}

/** Root, as in containers, has no sandbox; the pages are our own. */
export function launch(): Promise<Browser> {
  // Recordings get a sound that the browser makes itself.
  const microphone = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...microphone] })
}

export const desktop = { viewport: { width: 1280, height: 800 } }

export const phone = {
  viewport: { width: 390, height: 760 },
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 2,
}

/** Notes what goes wrong on a page by itself, and requests to any other host than its own. */
export function watch(page: Page, own: string, complaints: string[]) {
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.origin !== own) complaints.push(`request: ${url}`)
  })
}

/** Delays everything that awaits `passed` until it is opened. */
export function gate() {
  let open: () => void = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

/** A picture for people to look at, where the environment names a folder for them. */
export async function picture(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  await page.waitForTimeout(400)
  await page.screenshot({ path: `${folder}/${name}.png` })
}

/**
 * Rules of axe that a page breaks, with its first elements that do. Its policy may reject inline scripts: the debugger
 * does not ask it.
 */
export async function violationsOn(page: Page): Promise<[rule: string, elements: string[]][]> {
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as axe.AxeResults
  return found.violations.map(({ id, nodes }) => [id, nodes.slice(0, 5).map(({ html }) => html)])
}

interface Look {
  viewport: { width: number; height: number }
  colorScheme: 'light' | 'dark'
  /** Ends the names of its pictures. */
  name: string
}

/** A page of the service that notes its complaints, perhaps in a browser that is signed in. */
export async function openPage(
  browser: Browser,
  url: string,
  { name, ...options }: Look,
  session?: { cookie: string },
) {
  const context = await newContext(browser, { baseURL: url, ...options })
  if (session) await context.addCookies([{ name: 'session', value: session.cookie, url }])
  const page = await context.newPage()
  const complaints: string[] = []
  watch(page, url, complaints)
  /** Takes a picture of the page, which fits the screen and breaks no rule of axe. */
  const look = async (what: string) => {
    await picture(page, `${what}-${name}`)
    expect([what, await violationsOn(page)]).toEqual([what, []])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
  }
  return { context, page, complaints, look }
}
