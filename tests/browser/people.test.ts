import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, type Part, text } from '../support/chat.ts'
import { publish } from '../support/chats.ts'
import { until } from '../support/process.ts'
import { makeWorld, type World } from '../support/world.ts'
import { launch, newContext, phone, watch, withBrowser } from './support.ts'

/* A visitor on the chat page, and a member who takes the chat, writes, and gives it back. */

let app: App
let world: World
let browser: Browser

withBrowser('the chat page', () => {
  beforeAll(async () => {
    app = await startApp()
    world = await makeWorld(app)
    browser = await launch()
  })

  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  test('the chat page shows messages of a member as they come, sends those of the visitor, and continues with the bot', async () => {
    const { member } = world.here
    const flow = bot(
      { Start: [text('Name?'), ask('Name'), text('Hello {{Name}}'), ask('Age')] },
      { variables: ['Name', 'Age'] },
    )
    const made = await publish(app, world.here, flow)
    const context = await newContext(browser, phone)
    const page = await context.newPage()
    const complaints: string[] = []
    watch(page, app.url, complaints)
    const started = page.waitForResponse((response) => response.url().includes('startChat'))
    await page.goto(`${app.url}/chat/${made.publicId}`)
    await started
    await page.getByText('Name?').waitFor()
    const { chats } = await app.client.ok('listChats', { as: member, params: { botId: made.id } })
    const chat = { as: member, params: { botId: made.id, sessionId: chats[0]?.sessionId ?? '' } }
    await app.client.ok('updateChat', { ...chat, body: { handledBy: 'member' } })

    await page.getByRole('textbox').fill('Is anybody there?')
    await page.keyboard.press('Enter')
    await page.locator('.guest-text', { hasText: 'Is anybody there?' }).waitFor()
    await app.client.ok('sendMessage', { ...chat, body: { text: 'Yes, **Ada** is', textFormat: 'markdown' } })
    await page.locator('.host-bubble strong', { hasText: 'Ada' }).waitFor()
    await page.getByRole('textbox').fill('Good')
    // Files may go to people, whose input has no variable for them.
    await page.locator('.attach input').setInputFiles({
      name: 'plan.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('plan'),
    })
    await page.locator('.file progress').waitFor({ state: 'detached' })
    await page.locator('.compact').click()
    await page.locator('.guest-text', { hasText: 'Good' }).waitFor()
    await page.locator('.guest-text', { hasText: 'plan.txt' }).waitFor()
    await app.client.ok('sendMessage', { ...chat, body: { text: 'Bye' } })
    await page.locator('.host-bubble', { hasText: 'Bye' }).waitFor()
    expect(await page.locator('.host-bubble', { hasText: 'Ada' }).count()).toBe(1)

    const read = page.waitForResponse(
      (response) => response.request().method() === 'GET' && /sessions\/[^/]+$/.test(response.url()),
    )
    await app.client.ok('updateChat', { ...chat, body: { handledBy: 'bot' } })
    await read
    await page.locator('.host-bubble', { hasText: 'Bye' }).waitFor()
    await page.getByRole('textbox').fill('Grace')
    await page.keyboard.press('Enter')
    await page.getByText('Hello Grace').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  }, 300_000)

  /** Opens a chat with these blocks, and names it as a member does. */
  async function open(blocks: Part[], first: string) {
    const { member } = world.here
    const made = await publish(app, world.here, bot({ Start: blocks }))
    const page = await (await newContext(browser, phone)).newPage()
    await page.goto(`${app.url}/chat/${made.publicId}`)
    await page.getByText(first).waitFor()
    const { chats } = await app.client.ok('listChats', { as: member, params: { botId: made.id } })
    return { page, chat: { as: member, params: { botId: made.id, sessionId: chats[0]?.sessionId ?? '' } } }
  }

  const readBy = (page: Page) =>
    page.waitForResponse(
      (response) => response.request().method() === 'GET' && /sessions\/[^/]+$/.test(response.url()),
    )

  test('the chat page keeps the unsent text of a visitor when a member takes the chat, and not as an answer for the bot', async () => {
    const { page, chat } = await open([text('Name?'), ask()], 'Name?')
    const field = page.getByRole('textbox')
    await field.fill('May I talk')
    for (const handledBy of ['waiting', 'member'] as const) {
      const read = readBy(page)
      await app.client.ok('updateChat', { ...chat, body: { handledBy } })
      await read
      await until('the words are there', async () => (await field.inputValue()) === 'May I talk')
    }
    await page.keyboard.type(' to you?')
    await page.keyboard.press('Enter')
    await page.locator('.guest-text', { hasText: 'May I talk to you?' }).waitFor()
    await field.fill('Thanks')
    const read = readBy(page)
    await app.client.ok('updateChat', { ...chat, body: { handledBy: 'bot' } })
    await read
    await until('the words are gone', async () => (await field.inputValue()) === '')
    await page.context().close()
  }, 300_000)

  test('the chat page lets a visitor write to a member who took the chat while the bot waited', async () => {
    const pause = { type: 'Wait', options: { secondsToWaitFor: '4', shouldPause: true } }
    const { page, chat } = await open([text('One moment'), pause, text('Later'), ask()], 'One moment')
    await app.client.ok('updateChat', { ...chat, body: { handledBy: 'member' } })
    await page.getByRole('textbox').fill('Is anybody there?')
    await page.keyboard.press('Enter')
    await page.locator('.guest-text', { hasText: 'Is anybody there?' }).waitFor()
    const { turns } = await app.client.ok('getChat', chat)
    expect(turns.at(-1)).toMatchObject({ role: 'user', text: 'Is anybody there?' })
    await page.context().close()
  }, 300_000)
})
