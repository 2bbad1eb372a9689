import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { templates } from '../../server/templates/index.ts'
import { type App, startApp } from '../support/app.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, watch, withBrowser } from './support.ts'

/* Tasks of members from the list of bots on: templates, results, tests of the draft, themes. */

let app: App
let site: Site
let browser: Browser
const complaints: string[] = []

async function open(path: string, options: BrowserContextOptions = desktop): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, locale: 'en-GB', ...options })
  await context.addInitScript({ content: `sessionStorage.setItem('token', '${site.member.token}')` })
  if (process.env.QUICK) context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(path)
  return page
}

async function expectAccessible(page: Page) {
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as axe.AxeResults
  expect(found.violations.map(({ id, nodes }) => [id, nodes.slice(0, 5).map(({ html }) => html)])).toEqual([])
}

const schemes = [
  ['desktop', desktop],
  ['phone', phone],
  ['dark', { ...desktop, colorScheme: 'dark' as const }],
] as const

withBrowser('tasks of members', () => {
  beforeAll(async () => {
    app = await startApp()
    site = (await makeWorld(app)).here
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

  test.each(schemes)('the dialog of templates shows a template as a chat, on %s', async (name, options) => {
    const page = await open('/bots', options)
    await page.getByRole('button', { name: 'New bot' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New bot' })
    await dialog.getByRole('button', { name: templates.at(-1)?.name }).waitFor()
    await expectAccessible(page)
    await picture(page, `templates-empty-${name}`)
    for (const { name: title } of name === 'desktop' ? templates : templates.slice(0, 2)) {
      await dialog.getByRole('button', { name: title, exact: true }).click()
      await dialog.getByRole('heading', { name: title }).waitFor()
      expect(await dialog.getByRole('region', { name: 'The beginning of a chat' }).textContent()).not.toMatch(
        /\{\{|undefined/,
      )
      await expectAccessible(page)
      await picture(page, `templates-${title}-${name}`)
    }
  })

  test('a bot is made from a template by keyboard alone', async () => {
    const page = await open('/bots')
    await page.getByRole('button', { name: 'New bot' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Quiz' }).waitFor()
    const focused = () => page.evaluate('document.activeElement.textContent')
    for (let presses = 0; (await focused()) !== '🧠Quiz' && presses < 30; presses += 1)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Quiz' }).waitFor()
    for (let presses = 0; (await focused()) !== 'Use this template' && presses < 30; presses += 1)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Quiz', level: 1 }).waitFor()
    await page.locator('[data-group=welcome]').waitFor()
    await picture(page, 'template-opened')
    await expectAccessible(page)
    const { bots } = await app.client.ok('listBots', {
      as: site.member,
      query: { workspaceId: site.workspaceId },
    })
    expect(bots.map((bot: { name: string }) => bot.name)).toContain('Quiz')
  })
})
