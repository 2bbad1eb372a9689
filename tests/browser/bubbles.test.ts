import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, type Part, text } from '../support/chat.ts'
import { publish } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'
import { drawing } from './bots.ts'
import { desktop, launch, newContext, phone, watch, withBrowser } from './support.ts'

/* Bubbles of the chat page in a real browser. */

let app: App
let world: World
let browser: Browser
const complaints: string[] = []

async function show(parts: Part[], theme: object = {}, options = desktop): Promise<Page> {
  const settings = { typingEmulation: { enabled: false } }
  const made = await publish(app, world.here, bot({ Start: [...parts, ask()] }, { theme, settings }))
  const context = await newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(`/chat/${made.publicId}`)
  await page.locator('.field').waitFor()
  return page
}

withBrowser('bubbles of the chat page', () => {
  beforeAll(async () => {
    app = await startApp()
    world = await makeWorld(app)
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

  test('one avatar stands beside each group of bubbles', async () => {
    const hostAvatar = { isEnabled: true, url: drawing('#333a66', 'A') }
    const page = await show([text('One'), text('Two'), ask(), text('Three'), text('Four')], {
      chat: { hostAvatar },
    })
    await page.locator('.field').fill('Go on')
    await page.keyboard.press('Enter')
    await page.locator('.host-bubble', { hasText: 'Four' }).waitFor()
    expect(await page.locator('.host-avatar').count()).toBe(4)
    expect(await page.locator('.host-avatar:visible').count()).toBe(2)
  })

  test('a video fills its bubble at 16:9', async () => {
    for (const options of [phone, desktop]) {
      const url = `${app.url}/nothing.mp4`
      const page = await show([{ type: 'video', content: { url, type: 'url' } }], {}, options)
      const [bubble, video] = [
        await page.locator('.video-bubble').boundingBox(),
        await page.locator('.video-bubble video').boundingBox(),
      ]
      expect((bubble?.width ?? 0) - (video?.width ?? 9e9)).toBeLessThan(12)
      expect((video?.width ?? 0) / (video?.height ?? 1)).toBeCloseTo(16 / 9, 1)
      // The file is not there.
      expect(complaints.splice(0).filter((complaint) => !/404/.test(complaint))).toEqual([])
    }
  })

  test('a node of rich text whose type is the name of a property of every object is plain', async () => {
    const types = ['constructor', 'toString', '__proto__', 'p']
    const richText = types.map((type) => ({ type, children: [{ text: `${type}.` }] }))
    const page = await show([{ type: 'text', content: { richText } }])
    expect(await page.locator('.rich-text').textContent()).toBe(types.map((type) => `${type}.`).join(''))
  })
})
