import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { information, operations } from '../../contract/index.ts'
import { type App, startApp } from '../support/app.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type World } from '../support/world.ts'
import { launch, newContext, phone, picture, withBrowser } from './support.ts'

/*
 * The pages of the reference in a real browser: complete, usable on a phone, and quiet. They ask no other host for
 * anything and have nothing to say in their console.
 */

const reference = JSON.parse(
  readFileSync(new URL('../../generated/reference/pages.json', import.meta.url), 'utf8'),
) as { pages: { name: string; title: string }[] }

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
  'people',
  'chatwoot',
  'authentication',
  'errors',
  'retries',
  'limits',
  'webhooks',
  'paging',
  'concurrent-edits',
  'legacy-bots',
  'moving',
  'moving-from-typebot',
  'clients',
  'command',
  'agents',
  'sandbox',
]

withBrowser('the reference', () => {
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
  ])('%s shows every guide and every operation, and nothing is truncated', async (name, options) => {
    const page = await open('/docs', options)
    await picture(page, `docs-${name}`)
    expect(await page.locator('section.guide').evaluateAll((all) => all.map(({ id }) => id))).toEqual([
      'top',
      ...guides,
      'reference',
    ])
    const hrefs = new Set(
      await page
        .locator('.guide a[href], nav a[href]')
        .evaluateAll((all) => all.map(({ href }) => String(href))),
    )
    expect(hrefs.size).toBeGreaterThan(Object.keys(operations).length)
    const pages = new Map<string, string>()
    const shown: string[] = []
    for (const href of hrefs) {
      const { origin, pathname, hash } = new URL(href)
      if (origin !== app.url) continue
      if (!pages.has(pathname)) {
        const response = await fetch(origin + pathname)
        expect([pathname, response.status]).toEqual([pathname, 200])
        pages.set(pathname, await response.text())
      }
      if (hash) expect([href, pages.get(pathname)?.split(`id="${hash.slice(1)}"`).length]).toEqual([href, 2])
      if (pages.get(pathname)?.includes(`class="operation" id="${hash.slice(1)}"`)) shown.push(hash.slice(1))
    }
    expect([...new Set(shown)].sort()).toEqual(Object.keys(operations).sort())
    for (const path of ['/docs', '/docs/bots', '/docs/errors', '/docs/changes']) {
      if (path !== '/docs') await page.goto(path)
      for (const details of await page.locator('.operation').all())
        await details.evaluate((element) => element.setAttribute('open', ''))
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        path,
        options.viewport.width,
      ])
    }
  })

  test('each resource has a page with a title and a preview for links', async () => {
    const titles = new Set<string>()
    for (const { name, title } of reference.pages) {
      const text = await (await fetch(`${app.url}/docs/${name}`)).text()
      expect(text).toContain(`<title>${title} - Bot builder service</title>`)
      const [, description = ''] = /<meta property="og:description" content="([^"]+)">/.exec(text) ?? []
      expect([name, description.length > 20]).toEqual([name, true])
      titles.add(title)
    }
    expect(titles.size).toBe(reference.pages.length)
  })

  test('a link of a guide opens the operation', async () => {
    const page = await open('/docs', desktop)
    await page.locator('.guide a[href="docs/bots#importBot"]').first().click()
    await page.getByText('Creates a bot from an exported document').waitFor()
    await expectBelowHeader(page, '#importBot')
  })

  test('an address opens its operation', async () => {
    const page = await open('/docs/results#listResults', desktop)
    await page.getByText('Pages join without gap or repeat while').waitFor()
    await expectBelowHeader(page, '#listResults')
  })

  test.each(['/bots#importBot', '#operations-bots-importBot', '#/bots/importBot'])(
    '%s is visible after a reload',
    async (place) => {
      const page = await open(`/docs${place}`, desktop)
      await page.getByText('Creates a bot from an exported document').waitFor()
      await page.reload()
      await page.getByText('Creates a bot from an exported document').waitFor()
      await expectBelowHeader(page, '#importBot')
    },
  )

  test('an invalid address leads to no operation, and the page works', async () => {
    const page = await open('/docs#%', desktop)
    await page.getByLabel('Search').fill('publish bot')
    await page.getByText(/^[1-9]\d* found/).waitFor()
  })

  test('the guides name the address that the page was loaded from', async () => {
    const page = await open('/docs', desktop)
    const snippet = page.locator('#first-steps pre').first()
    expect(await snippet.textContent()).toContain(`export URL=${app.url}\n`)
  })

  test('a request is sent with a token, and its response is shown', async () => {
    const page = await open('/docs/workspaces', desktop)
    await page.getByLabel('Access token').fill(world.here.admin.token)
    const operation = page.locator('#getWorkspace')
    await operation.locator('summary').click()
    await operation.getByLabel('workspaceId').fill(world.here.workspaceId)
    await operation.getByRole('button', { name: 'Send' }).click()
    const answer = operation.locator('.answer')
    await answer.locator('.status').waitFor()
    const text = await answer.textContent()
    await picture(page, 'docs-tried')
    expect(text).toContain('200')
    expect(text).toMatch(/Request id: [\w-]{10,}/)
    expect(text).toContain(`"id": "${world.here.workspaceId}"`)
    await page.reload()
    expect(await page.getByLabel('Access token').inputValue()).toBe(world.here.admin.token)
    const other = await page.context().newPage()
    await other.goto('/docs/workspaces')
    expect(await other.getByLabel('Access token').inputValue()).toBe('')
  })

  test('a body is sent as edited, and a rejection is shown', async () => {
    const page = await open('/docs/folders', desktop)
    await page.getByLabel('Access token').fill(world.here.admin.token)
    const operation = page.locator('#createFolder')
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

  test('a deletion without ids needs a confirmation, and is not sent without it', async () => {
    const page = await open('/docs/results#deleteResults', desktop)
    await page.getByLabel('Access token').fill(world.here.admin.token)
    const operation = page.locator('#deleteResults')
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

  test('a token with an invisible character is named, and an upload has a field for its file', async () => {
    const page = await open('/docs/chat', desktop)
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
    await page.goto('/docs/workspaces')
    const operation = page.locator('#createWorkspace')
    await operation.locator('summary').first().click()
    await operation.locator('.samples figure', { hasText: 'curl' }).getByRole('button').click()
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

  test('the response of an earlier Send does not replace that of a later one', async () => {
    const page = await open('/docs/workspaces', desktop)
    await page.getByLabel('Access token').fill(world.here.admin.token)
    const operation = page.locator('#getWorkspace')
    await operation.locator('summary').first().click()
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/v1/workspaces/slow', async (route) => {
      await isReleased
      await route.fulfill({ json: { from: 'the earlier one' } }).catch(() => {})
    })
    await page.route('**/v1/workspaces/fast', (route) => route.fulfill({ json: { from: 'the later one' } }))
    for (const workspaceId of ['slow', 'fast']) {
      await operation.getByLabel('workspaceId').fill(workspaceId)
      await operation.getByRole('button', { name: 'Send' }).click()
    }
    const answer = operation.locator('.answer')
    await answer.getByText('the later one').waitFor()
    release()
    await page.waitForTimeout(500)
    expect(await answer.textContent()).toContain('the later one')
    expect(await answer.textContent()).not.toContain('the earlier one')
  })

  test('a button that is pressed twice says Copied for a while, and a link opens what was closed again', async () => {
    const page = await open('/docs', { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] })
    const button = page.locator('#first-steps .copy').first()
    const label = await button.textContent()
    await button.click()
    await page.waitForTimeout(500)
    await button.click()
    await page.waitForTimeout(3_000)
    expect(await button.textContent()).toBe(label)
    await page.goto('/docs/workspaces#getWorkspace')
    const operation = page.locator('details#getWorkspace')
    const isOpen = async () => (await operation.getAttribute('open')) !== null
    expect(await isOpen()).toBe(true)
    await operation.locator('summary').first().click()
    expect(await isOpen()).toBe(false)
    await page.evaluate(`document.querySelector('a[href$="#getWorkspace"]').click()`)
    expect(await isOpen()).toBe(true)
  })

  test('the language of samples is chosen once for all operations and pages', async () => {
    const page = await open('/docs/bots#getBot', desktop)
    const shown = (id: string) =>
      page
        .locator(`#${id} .samples figure`)
        .evaluateAll((all) => all.filter(({ hidden }) => !hidden).map(({ dataset }) => dataset.language))
    expect(await shown('getBot')).toEqual(['curl'])
    const choice = page.locator('#getBot').getByLabel('Language of the samples')
    expect(await choice.locator('option').allTextContents()).toEqual([
      'curl',
      'fetch',
      'Client package',
      'Python package',
      'Python',
      'Go',
    ])
    await choice.selectOption('Python')
    expect(await shown('updateBot')).toEqual(['Python'])
    await picture(page, 'docs-samples')
    await page.goto('/docs/folders#getFolder')
    expect(await shown('getFolder')).toEqual(['Python'])
  })

  test('fields of responses unfold in place, level by level, with the keyboard', async () => {
    const page = await open('/docs/bots#getBot', desktop)
    const operation = page.locator('#getBot')
    const unfold = async (name: string) => {
      const button = operation
        .getByRole('button', { name: `Show the fields of ${name}`, exact: true })
        .first()
      await button.focus()
      await page.keyboard.press('Enter')
      await operation.locator('.nested').last().waitFor()
    }
    for (const name of ['Bot', 'BotV61', 'Group', 'Block', 'TextBubble']) await unfold(name)
    await operation
      .locator('.nested .nested .nested .nested .nested')
      .getByText('content', { exact: true })
      .first()
      .waitFor()
    await picture(page, 'docs-unfolded')
    const button = operation.getByRole('button', { name: 'Show the fields of Bot', exact: true }).first()
    await button.press('Enter')
    expect(await operation.locator('.nested').first().isVisible()).toBe(false)
    expect(await button.getAttribute('aria-expanded')).toBe('false')
  })

  test('JSON is shown in lines that fold, and copied as it is', async () => {
    const page = await open('/docs/bots#createBot', {
      ...desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const example = page.locator('#createBot .responses figure').first()
    const summary = example.locator('.json > details > summary')
    expect(await example.locator('.json .key').first().textContent()).toMatch(/^"\w+"$/)
    await summary.press('Enter')
    expect(await example.locator('.json .key').first().isVisible()).toBe(false)
    await example.getByRole('button', { name: 'Copy' }).click()
    await example.getByText('Copied').waitFor()
    expect(JSON.parse(String(await page.evaluate('navigator.clipboard.readText()')))).toHaveProperty('bot')
  })

  test('operations and schemas are found by their words, with the keyboard alone', async () => {
    const page = await open('/docs', desktop)
    await page.keyboard.press('/')
    await page.keyboard.type('publish bot')
    await page.getByText(/^\d+ found/).waitFor()
    const shown = () => page.locator('nav li a:visible').evaluateAll((all) => all.map(({ hash }) => hash))
    expect((await shown()).slice(0, 3)).toEqual(['#publishBot', '#unpublishBot', '#getPublishedBot'])
    await picture(page, 'docs-search')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/publishing#publishBot')
    await expectBelowHeader(page, '#publishBot')
    expect(await page.locator('#publishBot').getAttribute('open')).toBe('')
    await page.getByLabel('Search').fill('ChoiceInput')
    await page.locator('#results a', { hasText: 'ChoiceInput' }).first().waitFor()
    expect((await shown())[0]).toBe('#schema-ChoiceInput')
    await page.getByLabel('Search').press('Enter')
    await page.waitForURL('**/docs/schemas#schema-ChoiceInput')
    await page.locator('#schema-ChoiceInput').getByText('items').first().waitFor()
    await page.getByLabel('Search').fill('xylophone')
    await page.getByText('0 found').waitFor()
    expect(await shown()).toEqual([])
    await page.getByLabel('Search').press('Escape')
    expect((await shown()).length).toBeGreaterThan(Object.keys(operations).length)
  })

  test('every link of the guides for operators has a target', async () => {
    const path = '/docs/operating'
    const [, guides = ''] = (await (await fetch(app.url + path)).text()).split('<main>')
    const links = [...guides.matchAll(/href="(?!https:)([^"]+)"/g)].map(
      ([, link]) => new URL(String(link), app.url + path),
    )
    expect(links.length).toBeGreaterThan(10)
    for (const { pathname, hash, href } of links) {
      const text = await (await fetch(app.url + pathname)).text()
      expect([href, text.split(`id="${hash.slice(1)}"`).length]).toEqual([href, 2])
    }
  })

  test('programs find the guides as Markdown, with addresses of this service', async () => {
    const list = await (await fetch(`${app.url}/llms.txt`)).text()
    const links = [...list.matchAll(/\]\((\S+)\)/g)].map(([, link]) => String(link))
    expect(links.length).toBeGreaterThan(guides.length)
    for (const link of links) {
      const response = await fetch(link)
      expect([link, response.status]).toEqual([link, 200])
      if (!link.endsWith('.md')) continue
      expect(response.headers.get('content-type')).toMatch(/^text\/markdown/)
      const text = await response.text()
      expect(text).toMatch(/^# /)
      expect([link, /localhost:3000|\]\(#/.test(text)]).toEqual([link, false])
    }
  })

  test('the version links to the changelog', async () => {
    const page = await open('/docs/bots', desktop)
    await page.locator('.version', { hasText: information.version }).click()
    await page.getByRole('heading', { name: information.version, exact: true }).waitFor()
  })

  test('a link to a schema unfolds it', async () => {
    const page = await open('/docs#schema-TextBubble', desktop)
    await page.locator('#schema-TextBubble').getByText('content').first().waitFor()
    await page.locator('#schema-TextBubble a[href$="#schema-TextBubbleContent"]').click()
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
    'axe finds nothing serious on the reference (%s)',
    async (colorScheme, options) => {
      for (const place of ['', '/bots#updateBot', '/schemas#schema-BotV61', '/errors#response-Conflict']) {
        const page = await open(`/docs${place}`, { ...options, colorScheme })
        await page.locator('details[open].operation, details[open].entry, #first-steps').first().waitFor()
        const wide = options === phone ? 'phone' : 'desktop'
        await picture(page, `docs${place.replaceAll(/\W/g, '-')}-${wide}-${colorScheme}`)
        await page.evaluate(axe.source)
        const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as axe.AxeResults
        const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        expect([
          place,
          serious.map(({ id, nodes }) => [id, nodes.slice(0, 5).map(({ html }) => html)]),
        ]).toEqual([place, []])
      }
    },
  )

  test('the reference has less than 300 kB compressed in total, and less than half of that at first', async () => {
    const sizes = await Promise.all(
      [
        '/docs/bots',
        ...[
          'page.css',
          'reference.css',
          'early.js',
          'page.js',
          'json.js',
          'schemas.js',
          'search.js',
          'try.js',
        ].map((name) => `/docs/files/${name}`),
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
    await page.getByText('Contents', { exact: true }).click()
    await link.click()
    expect(await link.isVisible()).toBe(false)
    await expectBelowHeader(page, '#errors')
  })
})
