import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'
import { desktop, launch, newContext, watch, withBrowser } from './support.ts'

/* Pages where the browser keeps nothing: it denies storage, has none, as in some apps, or has no room. */

const ofStorages = (property: string) =>
  `for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, ${property})`

const lacks = {
  denied: ofStorages(`{ get() { throw new DOMException('Denied', 'SecurityError') } }`),
  missing: ofStorages('{ value: null }'),
  full: `Storage.prototype.setItem = () => { throw new DOMException('Full', 'QuotaExceededError') }`,
}

let app: App
let world: World
let browser: Browser
const bots: Record<string, Published> = {}
const complaints: string[] = []

async function open(lack: keyof typeof lacks, path: string): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...desktop })
  await context.addInitScript(lacks[lack])
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(path)
  return page
}

withBrowser('where nothing can be kept', () => {
  beforeAll(async () => {
    app = await startApp()
    world = await makeWorld(app)
    for (const storage of ['local', 'session', undefined]) {
      const rememberUser = storage ? { isEnabled: true, storage } : { isEnabled: false }
      const settings = { general: { rememberUser }, typingEmulation: { enabled: false } }
      const flow = bot({ Start: [text('Name?'), ask('Name'), text('Hello {{Name}}'), ask('Name')] })
      bots[String(storage)] = await publish(app, world.here, { ...flow, settings }, `Kept ${storage}`)
    }
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  const each = Object.keys(lacks) as (keyof typeof lacks)[]

  test.each(each)('a chat continues, whether or not its bot remembers visitors (%s)', async (lack) => {
    for (const { publicId } of Object.values(bots)) {
      const page = await open(lack, `/chat/${publicId}`)
      await page.locator('.field').fill('Ada')
      await page.keyboard.press('Enter')
      await page.locator('.host-bubble', { hasText: 'Hello' }).waitFor()
    }
  })

  test.each(each)('the page of results keeps a token as long as it is open (%s)', async (lack) => {
    const page = await open(lack, '/results')
    await page.getByLabel('Access token').fill(world.here.member.token)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(/Showing|No results/).waitFor()
    await page.reload()
    await page.getByLabel('Access token').waitFor()
  })

  test.each(each)('the reference searches, sends and copies (%s)', async (lack) => {
    const page = await open(lack, '/docs/workspaces')
    await page.getByLabel('Access token').fill(world.here.admin.token)
    const operation = page.locator('#getWorkspace')
    await operation.locator('summary').first().click()
    await operation.getByLabel('workspaceId').fill(world.here.workspaceId)
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('.answer .status').waitFor()
    expect(await operation.locator('.answer').textContent()).toContain('200')
    await operation.getByRole('button', { name: 'Copy as curl' }).waitFor()
  })
})
