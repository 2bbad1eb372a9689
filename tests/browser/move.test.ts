import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { storable } from '../support/chats.ts'
import { makeWorld, type Site } from '../support/world.ts'
import {
  desktop,
  gate,
  launch,
  newContext,
  phone,
  picture,
  violationsOn,
  watch,
  withBrowser,
} from './support.ts'

/* Members move their bots from another product. */

let app: App
let site: Site
let browser: Browser

withBrowser('the page for moving', () => {
  beforeAll(async () => {
    app = await startApp()
    site = (await makeWorld(app)).here
    browser = await launch()
  })

  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  test.each([
    ['desktop-light', desktop, 'light'],
    ['phone-dark', phone, 'dark'],
  ] as const)(
    'the page imports chosen and dropped files, and says whether each runs (%s)',
    async (name, options, colorScheme) => {
      const context = await newContext(browser, {
        baseURL: app.url,
        ...options,
        colorScheme,
      })
      await context.addInitScript({ content: `sessionStorage.setItem('token', '${site.member.token}')` })
      const page = await context.newPage()
      const complaints: string[] = []
      watch(page, app.url, complaints)
      await page.goto('/move')
      await page.getByRole('heading', { name: 'Move from Typebot' }).waitFor()
      await picture(page, `move-empty-${name}`)
      const { id: _, ...flow } = storable(
        bot({ Start: [text('Hello'), ask('Name')] }, { variables: ['Name'] }),
      )
      const exported = (more: object) => Buffer.from(JSON.stringify({ version: '6.1', ...flow, ...more }))
      const skipping = storable(bot({ Start: [text('Hello'), { type: 'payment input' }] }))
      const file = (fileName: string, buffer: Buffer) => ({
        name: fileName,
        mimeType: 'application/json',
        buffer,
      })
      await page.locator('input[type=file]').setInputFiles([
        file('good.json', exported({ name: 'Good bot' })),
        file(
          'skips.json',
          exported({
            groups: skipping.groups,
            events: skipping.events,
            edges: skipping.edges,
            name: 'Pay',
          }),
        ),
        file('none.json', Buffer.from('{')),
      ])
      const rows = page.getByRole('list', { name: 'Moved bots' }).locator('> li')
      await rows.nth(2).waitFor()
      expect(await rows.nth(0).textContent()).toContain('Good botRuns as it is')
      expect(await rows.nth(2).textContent()).toContain('Not imported')
      expect(await page.getByRole('status').textContent()).toContain('Not imported: 1')
      expect(await violationsOn(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
      await picture(page, `move-report-${name}`)
      await page.getByRole('link', { name: 'Good bot' }).click()
      await page.waitForURL('**/bots/*')
      expect(complaints).toEqual([])
      await context.close()
    },
  )

  test.each([
    ['the page for moving', '/move', async () => {}],
    [
      'the list of bots',
      '/bots',
      async (page: Page) => {
        await page.getByRole('button', { name: 'More actions' }).click()
        await page.getByRole('menuitem', { name: 'Import a file' }).click()
      },
    ],
  ])('files that %s gets while one is imported are imported after it', async (_, path, open) => {
    const context = await newContext(browser, { baseURL: app.url, ...desktop })
    await context.addInitScript({ content: `sessionStorage.setItem('token', '${site.member.token}')` })
    const page = await context.newPage()
    await page.goto(path)
    await open(page)
    const { open: goOn, passed } = gate()
    await page.route('**/v1/bots/import', async (route) => {
      await passed
      await route.continue()
    })
    const { id: __, ...flow } = storable(bot({ Start: [text('Hello')] }))
    const fileOf = (name: string) => ({
      name: `${name}.json`,
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({ version: '6.1', ...flow, name })),
    })
    const input = page.locator('input[type=file]')
    await input.setInputFiles([fileOf('First')])
    await page.getByText('Importing First.json').waitFor()
    await input.setInputFiles([fileOf('Second'), fileOf('Third')])
    // A file that is dropped on the page.
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(JSON.stringify({ version: '6.1', ...flow, name: 'Fourth' }))}], 'Fourth.json'))
      document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    })()`)
    goOn()
    const rows = page.getByRole('list', { name: /^(Moved bots|Imported files)$/ }).locator('> li')
    await rows.nth(3).waitFor()
    const names = await rows.allTextContents()
    expect(names.map((words) => /First|Second|Third|Fourth/.exec(words)?.[0])).toEqual([
      'First',
      'Second',
      'Third',
      'Fourth',
    ])
    await context.close()
  })
})
