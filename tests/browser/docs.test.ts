import { get, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { operations } from '../../contract/index.ts'
import { type App, startApp } from '../support/app.ts'
import { runs } from '../support/runs.ts'
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
  await page.locator('main .copy').first().waitFor()
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
  'files',
  'authentication',
  'errors',
  'retries',
  'limits',
  'webhooks',
  'paging',
  'concurrent-edits',
  'legacy-bots',
  'moving',
  'clients',
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
    expect(await page.locator('.operation').count()).toBe(Object.keys(operations).length)
    expect(await page.locator('section.guide').evaluateAll((all) => all.map(({ id }) => id))).toEqual(guides)
    const hrefs = await page
      .locator('.guide a[href^="#"], nav a[href^="#"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') as string))
    expect(hrefs.length).toBeGreaterThan(Object.keys(operations).length)
    const targets = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => `#${id}`))
    expect(hrefs.filter((href) => targets.filter((target) => target === href).length !== 1)).toEqual([])
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
      await page.reload()
      await page.getByText('Creates a bot from an exported document').waitFor()
      await expectBelowHeader(page, '#operations-bots-importBot')
    },
  )

  test('an address that is not valid names no place, and the page works', async () => {
    const page = await open('/docs#%', desktop)
    await page.getByLabel('Search').fill('publish bot')
    await page.getByText('3 found').waitFor()
  })

  test('the guides name the address that the page came from', async () => {
    const page = await open('/docs', desktop)
    const snippet = page.locator('#first-steps pre').first()
    expect(await snippet.textContent()).toContain(`export URL=${app.url}\n`)
  })

  test('a request is tried with a token, and its answer is shown', async () => {
    const page = await open('/docs', desktop)
    await page.getByLabel('Access token').fill(world.here.admin.token)
    const operation = page.locator('#operations-workspaces-getWorkspace')
    await operation.locator('summary').click()
    await operation.getByLabel('workspaceId').fill(world.here.workspaceId)
    await operation.getByRole('button', { name: 'Send' }).click()
    const answer = operation.locator('.answer')
    await answer.locator('.status').waitFor()
    const text = await answer.textContent()
    expect(text).toContain('200')
    expect(text).toMatch(/Request id: [\w-]{10,}/)
    expect(text).toContain(`"id": "${world.here.workspaceId}"`)
    await page.reload()
    expect(await page.getByLabel('Access token').inputValue()).toBe(world.here.admin.token)
    const other = await page.context().newPage()
    await other.goto('/docs')
    expect(await other.getByLabel('Access token').inputValue()).toBe('')
  })

  test('a body is sent as it was changed, and a refusal is shown', async () => {
    const page = await open('/docs', desktop)
    await page.getByLabel('Access token').fill(world.here.admin.token)
    const operation = page.locator('#operations-folders-createFolder')
    await operation.locator('summary').click()
    const body = operation.getByLabel('Body to send')
    const status = operation.locator('.answer .status')
    await body.fill(JSON.stringify({ workspaceId: world.here.workspaceId, folder: { name: 'Tried' } }))
    await operation.getByRole('button', { name: 'Send' }).click()
    await status.getByText('201').waitFor()
    await body.fill('{}')
    await operation.getByRole('button', { name: 'Send' }).click()
    await status.getByText('400').waitFor()
    // The browser says so too.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('400')])
  })

  test('a deletion without ids is asked for once more, and not sent where the reader declines', async () => {
    const page = await open('/docs#operations-results-deleteResults', desktop)
    await page.getByLabel('Access token').fill(world.here.admin.token)
    const operation = page.locator('#operations-results-deleteResults')
    expect(await operation.locator('figure', { hasText: 'curl' }).textContent()).toContain('?resultIds=')
    await operation.getByLabel('botId').fill(world.here.draft.id)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'DELETE' && sent.push(request.url()))
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.message())
      return asked.length === 1 ? dialog.dismiss() : dialog.accept()
    })
    await operation.getByRole('button', { name: 'Send' }).click()
    expect(asked).toEqual(['Without resultIds or createdBefore this deletes everything. Continue?'])
    expect(sent).toEqual([])
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('.answer .status', { hasText: '200' }).waitFor()
    expect(sent).toHaveLength(1)
  })

  test('a token with a character that nobody sees is named, and an upload has a field for its file', async () => {
    const page = await open('/docs#operations-uploads-uploadFile', desktop)
    await page.getByLabel('Access token').fill('botb_pat_\u200b')
    await page.getByText('The token has a character that cannot be in it (U+200B).').waitFor()
    const operation = page.locator('.operation', { has: page.locator('input[type=file]') })
    const upload = operation.first()
    await upload.evaluate((details) => details.setAttribute('open', ''))
    await upload.getByLabel('sessionId').fill('x')
    await upload.getByLabel('fileName').fill('plan.pdf')
    await upload.getByRole('button', { name: 'Send', exact: true }).click()
    await upload.getByText('Choose a file to send.').waitFor()
  })

  test('samples, snippets and what is tried are copied', async () => {
    const page = await open('/docs', { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] })
    const copied = () => page.evaluate('navigator.clipboard.readText()')
    await page.locator('#first-steps .copy').first().click()
    await page.locator('#first-steps').getByText('Copied').waitFor()
    expect(await copied()).toContain(`export URL=${app.url}\n`)
    const operation = page.locator('#operations-workspaces-createWorkspace')
    await operation.locator('summary').click()
    await operation.locator('figure', { hasText: 'curl' }).getByRole('button').click()
    await operation.getByText('Copied').waitFor()
    expect(await copied()).toContain('curl -X POST "$URL/v1/workspaces"')
    await operation.getByLabel('Body to send').fill(`{"name": "It's"}`)
    await page.getByLabel('Access token').fill('secret')
    await operation.getByRole('button', { name: 'Copy as curl' }).click()
    await operation.locator('.as-curl', { hasText: 'Copied' }).waitFor()
    const line = String(await copied())
    expect(line).toContain(`'${app.url}/v1/workspaces'`)
    expect(line).toContain(`-d '{"name": "It'\\''s"}'`)
    expect(line).toContain('Bearer $TOKEN')
    expect(line).not.toContain('secret')
  })

  test('operations are found by their words, with the keyboard alone', async () => {
    const page = await open('/docs', desktop)
    await page.keyboard.press('/')
    await page.keyboard.type('publish bot')
    const shown = () => page.locator('nav li a:visible').evaluateAll((all) => all.map(({ hash }) => hash))
    expect(await shown()).toEqual([
      '#operations-publishing-publishBot',
      '#operations-publishing-unpublishBot',
      '#operations-publishing-getPublishedBot',
    ])
    expect(await page.locator('#found').textContent()).toBe('3 found')
    await page.keyboard.press('Enter')
    await expectBelowHeader(page, '#operations-publishing-publishBot')
    expect(await page.locator('#operations-publishing-publishBot').getAttribute('open')).toBe('')
    await page.getByLabel('Search').fill('xylophone')
    expect(await shown()).toEqual([])
    await page.getByLabel('Search').press('Escape')
    expect((await shown()).length).toBeGreaterThan(Object.keys(operations).length)
  })

  test('a link to a schema unfolds it', async () => {
    const page = await open('/docs#schema-TextBubble', desktop)
    await page.locator('#schema-TextBubble').getByText('content').first().waitFor()
    await page.locator('#schema-TextBubble a[href="#schema-TextBubbleContent"]').click()
    await page.locator('#schema-TextBubbleContent').getByText('richText').first().waitFor()
  })

  // Axe takes seconds to look at all of it.
  const looks = [
    ['light', desktop],
    ['dark', phone],
    ['dark', desktop],
    ['light', phone],
  ] as const
  test.each(looks.slice(0, runs(2, looks.length)))(
    'axe finds nothing serious (%s)',
    async (colorScheme, options) => {
      const page = await open('/docs#operations-bots-updateBot', { ...options, colorScheme })
      await page.locator('#schema-BotV61').evaluate((schema) => schema.setAttribute('open', ''))
      await page.locator('#response-Conflict').evaluate((response) => response.setAttribute('open', ''))
      await page.evaluate(axe.source)
      const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as axe.AxeResults
      const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(serious.map(({ id, nodes }) => [id, nodes.slice(0, 5).map(({ html }) => html)])).toEqual([])
    },
  )

  test('is under 300 kB compressed, all told, and less than half of that', async () => {
    const sizes = await Promise.all(
      [
        '/docs',
        ...['page.css', 'reference.css', 'early.js', 'page.js', 'try.js'].map(
          (name) => `/docs/files/${name}`,
        ),
      ].map(async (path) => {
        const headers = { 'Accept-Encoding': 'br' }
        const response = await new Promise<IncomingMessage>((resolve) =>
          get(`${app.url}${path}`, { headers }, resolve),
        )
        let size = 0
        for await (const chunk of response) size += (chunk as Buffer).length
        expect([path, response.statusCode, response.headers['content-encoding']]).toEqual([path, 200, 'br'])
        return size
      }),
    )
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(150_000)
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
    const link = page.locator('nav').getByRole('link', { name: 'Errors', exact: true })
    expect(await link.isVisible()).toBe(false)
    await page.getByText('Contents').click()
    await link.click()
    expect(await link.isVisible()).toBe(false)
    await expectBelowHeader(page, '#errors')
  })
})
