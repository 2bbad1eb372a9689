import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { operations } from '../../contract/index.ts'
import { type App, startApp } from '../support/app.ts'
import { makeWorld, type World } from '../support/world.ts'
import { launch, newContext, phone, withBrowser } from './support.ts'

/*
 * The reference page in a real browser: complete, usable on a phone, and quiet. It asks no other host for
 * anything and has nothing to say in its console.
 */

let app: App
let world: World
let browser: Browser
const complaints: string[] = []

const desktop = { viewport: { width: 1280, height: 900 } }
async function open(path: string, options: BrowserContextOptions): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, ...options })
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`console: ${message.text()}`)
    }
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.origin !== app.url) complaints.push(`request: ${url}`)
  })
  await page.goto(path)
  await page.locator('.opblock').first().waitFor()
  return page
}

/** That the element is where a reader looks first, and not beneath the header. Waits until scrolling has ended. */
async function expectBelowHeader(page: Page, selector: string) {
  const topOf = async (of: string) => (await page.locator(of).boundingBox())?.y ?? Number.NaN
  let before = Number.NaN
  for (let now = await topOf(selector); now !== before; now = await topOf(selector)) {
    before = now
    await page.waitForTimeout(100)
  }
  const header = await page.locator('body > header').boundingBox()
  expect(before).toBeGreaterThanOrEqual(header?.height ?? Number.NaN)
  expect(before).toBeLessThan(200)
}

const guides = [
  'first-steps',
  'flows',
  'embedding',
  'authentication',
  'errors',
  'retries',
  'limits',
  'paging',
  'concurrent-edits',
  'legacy-bots',
  'moving',
]

withBrowser('the reference page', () => {
  beforeAll(async () => {
    app = await startApp()
    world = await makeWorld(app)
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  test.each([
    ['a desktop', desktop],
    ['a phone', phone],
  ])('%s shows every guide and every operation, and nothing is cut off', async (_name, options) => {
    const page = await open('/docs', options)
    expect(await page.locator('.opblock').count()).toBe(Object.keys(operations).length)
    expect(await page.locator('section.guide').evaluateAll((all) => all.map(({ id }) => id))).toEqual(guides)
    for (const target of await page.locator('.guide a[href^="#"], nav a[href^="#"]').all()) {
      const href = (await target.getAttribute('href')) as string
      expect([href, await page.locator(`[id="${href.slice(1)}"]`).count()]).toEqual([href, 1])
    }
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBe(options.viewport.width)
  })

  test('a link of a guide opens the operation', async () => {
    const page = await open('/docs', desktop)
    await page.locator('a[href="#operations-bots-importBot"]').first().click()
    await page.getByText('Creates a bot from an exported document').waitFor()
    await expectBelowHeader(page, '#operations-bots-importBot')
  })

  test('an address opens the operation that it names', async () => {
    const page = await open('/docs#operations-results-listResults', desktop)
    await page.getByText('Pages join without gap or repeat while').waitFor()
    await expectBelowHeader(page, '#operations-results-listResults')
  })

  test.each(['#operations-bots-importBot', '#/bots/importBot'])(
    '%s is in sight after a reload',
    async (hash) => {
      const page = await open(`/docs${hash}`, desktop)
      await page.getByText('Creates a bot from an exported document').waitFor()
      expect(new URL(page.url()).hash).toBe('#/bots/importBot')
      await page.reload()
      await page.getByText('Creates a bot from an exported document').waitFor()
      await expectBelowHeader(page, '#operations-bots-importBot')
    },
  )

  test('the guides name the address that the page came from', async () => {
    const page = await open('/docs', desktop)
    const snippet = page.locator('#first-steps pre').first()
    expect(await snippet.textContent()).toContain(`export URL=${app.url}\n`)
  })

  test('a request is tried with a token, and its answer is shown', async () => {
    const page = await open('/docs', desktop)
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.locator('.auth-container input').fill(world.here.admin.token)
    await page.locator('.auth-container button[type=submit]').click()
    await page.locator('.btn-done').click()

    const operation = page.locator('#operations-workspaces-getWorkspace')
    await operation.locator('.opblock-summary-control').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.locator('input[placeholder=workspaceId]').fill(world.here.workspaceId)
    // The page fills in examples, of which the entity tags are those of another state.
    for (const tag of await operation.locator('input[placeholder^=If-]').all()) await tag.fill('')
    await operation.getByRole('button', { name: 'Execute' }).click()
    const answer = operation.locator('.live-responses-table')
    await answer.waitFor()
    expect(await answer.locator('.response-col_status').last().textContent()).toContain('200')
    expect(await answer.locator('.response-col_description').last().textContent()).toContain(
      world.here.workspaceId,
    )
  })

  test('dark and light follow the system until the reader chooses', async () => {
    const page = await open('/docs', { ...desktop, colorScheme: 'dark' })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(await ground()).toBe('rgb(28, 32, 34)')
    await page.getByRole('button', { name: 'Light' }).click()
    expect(await ground()).toBe('rgb(255, 255, 255)')
    await page.reload()
    expect(await ground()).toBe('rgb(255, 255, 255)')
    await page.getByRole('button', { name: 'Dark' }).waitFor()
  })

  test('the contents fold away on a phone', async () => {
    const page = await open('/docs', phone)
    const link = page.locator('nav').getByRole('link', { name: 'Errors' })
    expect(await link.isVisible()).toBe(false)
    await page.getByText('Contents').click()
    await link.click()
    expect(await link.isVisible()).toBe(false)
    await expectBelowHeader(page, '#errors')
  })
})
