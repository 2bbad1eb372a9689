import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Frame, Locator, Page, Route } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish, storable } from '../support/chats.ts'
import { anyBody, type Caller } from '../support/client.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, violationsOn, watch, withBrowser } from './support.ts'

/* Two members in the inbox, one on a phone, and a visitor on the chat page or on a site that embeds it, all at once. */

let app: App
let here: Site
let made: Published
let browser: Browser
let site: Server
let siteHtml = ''
const complaints: string[] = []

const groups = {
  Start: [
    text('Name?'),
    ask('Name'),
    { type: 'handoff', options: { message: 'One moment, {{Name}}' } },
    text('Back with the bot'),
    ask('Age'),
    text('Bye, {{Name}}'),
  ],
  Offers: [text('Our offers'), ask('Offer')],
}

withBrowser('the inbox of members', () => {
  beforeAll(async () => {
    app = await startApp()
    here = (await makeWorld(app)).here
    made = await publish(app, here, bot(groups, { variables: ['Name', 'Age', 'Offer'] }), 'Helpdesk')
    site = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end(siteHtml)
    })
    await new Promise<void>((resolve) => site.listen(0, resolve))
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    await app.pool.query('UPDATE chat_sessions SET ended_at = now(), handled_by = NULL, state = NULL')
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    site?.closeAllConnections()
    await new Promise((resolve) => site?.close(resolve))
    await app?.stop()
  })

  async function openAs({ token }: Caller, path: string, options: BrowserContextOptions = desktop) {
    const context = await newContext(browser, { baseURL: app.url, locale: 'en-GB', ...options })
    await context.addInitScript({ content: `sessionStorage.setItem('token', '${token}')` })
    if (process.env.QUICK) context.setDefaultTimeout(12_000)
    const page = await context.newPage()
    watch(page, app.url, complaints)
    await page.goto(path)
    return page
  }

  const openInbox = (caller: Caller = here.member, options?: BrowserContextOptions) =>
    openAs(caller, `/bots/inbox?workspace=${here.workspaceId}`, options)

  async function openVisitor(options: BrowserContextOptions = phone) {
    const page = await (await newContext(browser, options)).newPage()
    watch(page, app.url, complaints)
    await page.goto(`${app.url}/chat/${made.publicId}`)
    await page.getByText('Name?').waitFor()
    return page
  }

  /** Writes as the visitor, and waits for the words of an answer. */
  async function write(chat: Page | Frame, words: string, answer?: string) {
    await chat.getByRole('textbox').fill(words)
    await chat.getByRole('textbox').press('Enter')
    await chat.locator('.guest-text', { hasText: words }).waitFor()
    if (answer) await chat.getByText(answer).waitFor()
  }

  const logOf = (page: Page): Locator => page.getByRole('log', { name: 'Transcript' })

  test('a visitor is handed over, one of two members takes the chat and talks, and gives it back', async () => {
    const visitor = await openVisitor()
    const first = await openInbox()
    const second = await openAs(here.admin, `/bots/${made.id}/chats`, { ...phone, colorScheme: 'dark' })
    await first.getByText('0 chats waiting').waitFor()
    await second.getByText('0 chats waiting').waitFor()
    await picture(first, 'inbox-empty')

    await write(visitor, 'Ada', 'One moment, Ada')
    await first.getByText('1 chat waiting').waitFor()
    expect(await first.title()).toBe('(1) Chats')
    await second.getByText('1 chat waiting').waitFor()
    await picture(second, 'inbox-list-phone-dark')
    expect(await violationsOn(second)).toEqual([])
    await first.getByRole('link', { name: 'Helpdesk' }).click()
    await second.getByRole('link', { name: 'Helpdesk' }).first().click()
    await logOf(first).getByText('One moment, Ada').waitFor()
    await second.getByText('Waiting for a member').waitFor()

    await first.getByRole('button', { name: 'Take', exact: true }).click()
    await first.getByText('You handle this chat').waitFor()
    await second.getByText(/^Ada.* handles this chat$/).waitFor()
    await first.getByRole('textbox').pressSequentially('Hello')
    await visitor.locator('.typing-row').waitFor()
    await visitor.getByRole('log').getByText('Someone is typing…').waitFor()
    await second.getByText(/^Ada.* is typing …$/).waitFor()
    await picture(visitor, 'typing-visitor-phone')
    await picture(second, 'typing-member-phone-dark')
    expect(await violationsOn(visitor)).toEqual([])
    expect(await violationsOn(second)).toEqual([])
    expect(await first.getByText(/is typing …$/).count()).toBe(0)
    // Nothing is typed on.
    await visitor.locator('.typing-row').waitFor({ state: 'detached' })
    await second.getByText(/is typing …$/).waitFor({ state: 'detached' })
    await first.getByRole('textbox').fill('Hello **Ada**')
    await visitor.locator('.typing-row').waitFor()
    await first.keyboard.press('Enter')
    await visitor.locator('.host-bubble strong', { hasText: 'Ada' }).waitFor()
    expect(await visitor.locator('.typing-row').count()).toBe(0)
    await write(visitor, 'Hello yourself')
    for (const page of [first, second]) await logOf(page).getByText('Hello yourself').waitFor()
    await first.locator('input[type=file]').setInputFiles({
      name: 'plan.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('plan'),
    })
    await first.getByText('plan.txt').waitFor()
    await second.getByRole('textbox').fill('I am here')
    await second.getByRole('textbox').press('Enter')
    await second.getByRole('textbox').pressSequentially('too')
    await picture(first, 'inbox-desktop')
    await picture(second, 'inbox-phone-dark')
    expect(await violationsOn(first)).toEqual([])
    expect(await violationsOn(second)).toEqual([])
    await second.getByRole('button', { name: 'Send' }).click()
    await visitor.getByText(/I am here\s+too/).waitFor()
    await first.getByRole('button', { name: 'Send' }).click()
    await visitor.getByText('plan.txt').waitFor()

    await second.getByRole('button', { name: 'Close the chat' }).click()
    await second.getByText('With members').waitFor()
    await first.getByRole('button', { name: 'Give back' }).click()
    await first.getByRole('dialog').getByRole('button', { name: 'Give back' }).click()
    await visitor.getByText('Back with the bot').waitFor()
    await first.getByText('The bot handles this chat').waitFor()
    expect(await first.title()).toBe('Chats')
    await write(visitor, '36', 'Bye, Ada')
    await first.getByText('The chat is over').waitFor()
  })

  test('the inbox tells the slower of two members who take a chat at once, and gives a chat back at a group', async () => {
    const visitor = await openVisitor()
    const pages = [await openInbox(), await openInbox(here.admin, { ...desktop, colorScheme: 'dark' })]
    await write(visitor, 'Grace', 'One moment, Grace')
    for (const page of pages) {
      await page.getByRole('link', { name: 'Helpdesk' }).click()
      await page.getByRole('button', { name: 'Take', exact: true }).click({ trial: true })
    }
    // Both requests are sent before either page learns of the other one.
    const held = pages.map((page) =>
      page.route('**/v1/bots/*/chats/*', async (route) => {
        if (route.request().method() === 'PATCH') await bothSent
        await route.continue()
      }),
    )
    await Promise.all(held)
    let send: () => void = () => {}
    const bothSent = new Promise<void>((resolve) => {
      send = resolve
    })
    for (const page of pages) await page.getByRole('button', { name: 'Take', exact: true }).click()
    send()
    const late = await Promise.race(
      pages.map(async (page) => {
        await page.getByText('Somebody else was faster').waitFor()
        return page
      }),
    )
    // The browser says so too.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')])
    const [winner] = pages.filter((page) => page !== late) as [Page]
    await winner.getByText('You handle this chat').waitFor()
    await late.getByText(/^Ada.* handles this chat$/).waitFor()
    await late.getByRole('button', { name: 'Take over' }).waitFor()
    await picture(late, 'inbox-late-desktop-dark')
    // The chat continues in its own publication, and the live one has no group of this name.
    const live = storable(bot({ Start: groups.Start }, { variables: ['Name', 'Age'] }))
    const draft = { version: '6.1' as const, groups: live.groups, edges: live.edges }
    const as = here.member
    const params = { botId: made.id }
    await app.client.ok('updateBot', { as, params, body: anyBody({ bot: draft }) })
    await app.client.ok('publishBot', { as, params })
    await winner.getByRole('button', { name: 'Give back' }).click()
    await winner.getByLabel('The bot goes on').selectOption('Offers')
    await picture(winner, 'inbox-give-back')
    expect(await violationsOn(winner)).toEqual([])
    await winner.getByRole('dialog').getByRole('button', { name: 'Give back' }).click()
    await visitor.getByText('Our offers').waitFor()
  })

  test('a message that is rejected after the chat was given back stays in the field, with its files and the reason', async () => {
    const visitor = await openVisitor()
    await write(visitor, 'Ada', 'One moment, Ada')
    const page = await openInbox(here.member, { ...desktop, colorScheme: 'dark' })
    await page.getByRole('link', { name: 'Helpdesk' }).click()
    await page.getByRole('button', { name: 'Take', exact: true }).click()
    const attach = (name: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })
    await page.getByText('You handle this chat').waitFor()
    await attach('plan.txt')
    await page.getByRole('button', { name: 'Remove plan.txt' }).waitFor()
    await page.getByRole('textbox').fill('Here is the plan')

    const { rows } = await app.pool.query("SELECT id FROM chat_sessions WHERE handled_by = 'member'")
    const params = { botId: made.id, sessionId: String(rows[0]?.id) }
    const giveBack = () => app.client.ok('updateChat', { as: here.admin, params, body: { handledBy: 'bot' } })
    await page.route('**/messages', async (route) => {
      await giveBack()
      await page.getByText('The bot handles this chat', { exact: true }).waitFor()
      await route.continue()
    })
    const rejection = page.waitForEvent('console')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').getByText('The bot handles the chat again').waitFor()
    await rejection
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')])
    expect(await page.getByRole('textbox').inputValue()).toBe('Here is the plan')
    await page.getByRole('button', { name: 'Remove plan.txt' }).waitFor()
    await picture(page, 'inbox-unsent-desktop-dark')
    expect(await violationsOn(page)).toEqual([])
    // A look at the list loses nothing either.
    await page.getByRole('button', { name: 'Close the chat' }).click()
    await page.goBack()
    expect(await page.getByRole('textbox').inputValue()).toBe('Here is the plan')

    await page.unroute('**/messages')
    await page.getByRole('button', { name: 'Take', exact: true }).click()
    await page.getByText('You handle this chat').waitFor()
    // The next files are chosen in the moment in which the chat is given back.
    await page.route('**/uploads?*', async (route) => {
      await giveBack()
      await route.continue()
    })
    const secondRejection = page.waitForEvent('console')
    await attach('map.txt')
    await page.getByRole('alert').getByText('The bot handles the chat again').waitFor()
    await secondRejection
    expect(complaints.splice(0)).toEqual([expect.stringContaining('400')])
    await page.unroute('**/uploads?*')
    await page.getByRole('button', { name: 'Take', exact: true }).click()
    await page.getByText('You handle this chat').waitFor()
    await page.getByRole('button', { name: 'Remove map.txt' }).waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    for (const words of ['Here is the plan', 'plan.txt', 'map.txt']) await visitor.getByText(words).waitFor()
    await page.getByRole('list', { name: 'Files to send' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('textbox').inputValue()).toBe('')
  })

  test('a message to people who give the chat back meanwhile is in the field of the visitor again', async () => {
    const visitor = await openVisitor()
    await write(visitor, 'Ada', 'One moment, Ada')
    const { rows } = await app.pool.query("SELECT id FROM chat_sessions WHERE handled_by = 'waiting'")
    const params = { botId: made.id, sessionId: String(rows[0]?.id) }
    const giveBack = async (route: Route) => {
      await app.client.ok('updateChat', { as: here.admin, params, body: { handledBy: 'bot' } })
      await route.continue()
    }
    await visitor.route('**/continueChat', giveBack, { times: 1 })
    await visitor.getByRole('textbox').fill('Hello yourself')
    await visitor.getByRole('textbox').press('Enter')
    await visitor.getByText('Back with the bot').waitFor()
    await visitor.getByRole('textbox').waitFor()
    expect(await visitor.getByRole('textbox').inputValue()).toBe('Hello yourself')
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')])
    await picture(visitor, 'unsent-visitor-phone')
    await write(visitor, '36', 'Bye, Ada')
  })

  test('those who have waited longest come first, and all others can be shown', async () => {
    const visitor = await openVisitor()
    await write(visitor, 'Ada', 'One moment, Ada')
    await app.pool.query(`
      INSERT INTO chat_sessions
      SELECT (json_populate_record(c, json_build_object('id', c.id || n, 'handled_since', c.handled_since - make_interval(mins => n),
        'last_message', json_build_object('role', 'user', 'text', 'Number ' || n)))).*
      FROM chat_sessions c, generate_series(1, 305) n WHERE c.handled_by = 'waiting'`)
    const page = await openInbox(here.member, { ...phone, colorScheme: 'light' })
    await page.getByText('At least 300 chats waiting').waitFor()
    const links = page.locator('.inbox-link')
    expect(await links.first().textContent()).toContain('Number 305')
    expect(await links.count()).toBe(300)
    await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded()
    await picture(page, 'inbox-more-phone')
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('306 chats waiting').waitFor()
    expect(await links.count()).toBe(306)
    expect(await links.last().textContent()).not.toContain('Number')
    await openAs(here.member, `/bots/${made.id}/chats`).then((ofBot) =>
      ofBot.locator('.inbox-link').first().getByText('Number 305').waitFor(),
    )
    await app.pool.query("DELETE FROM chat_sessions WHERE last_message ->> 'text' LIKE 'Number %'")
  })

  test('a chat whose member has left waits for another one', async () => {
    const visitor = await openVisitor()
    await write(visitor, 'Ada', 'One moment, Ada')
    await app.pool.query(
      "UPDATE chat_sessions SET handled_by = 'member', assignee_id = $1 WHERE handled_by = 'waiting'",
      [here.guest.id],
    )
    const page = await openInbox()
    await page.getByText('1 chat waiting').waitFor()
    const waiting = page.getByRole('heading', { name: 'Waiting' }).locator('..')
    await waiting.getByRole('link', { name: 'Helpdesk' }).click()
    await page.getByRole('button', { name: 'Take over' }).click()
    await page.getByText('You handle this chat').waitFor()
    await page.getByText('0 chats waiting').waitFor()
  })

  test('a chat that is handled by an agent of Chatwoot says so', async () => {
    const visitor = await openVisitor()
    await write(visitor, 'Ada', 'One moment, Ada')
    await app.pool.query("UPDATE chat_sessions SET handled_by = 'member' WHERE handled_by = 'waiting'")
    const page = await openInbox()
    await page.getByRole('link', { name: 'Helpdesk' }).click()
    await page.getByText('An agent of Chatwoot handles this chat', { exact: true }).waitFor()
    await page.getByText('An agent of Chatwoot', { exact: true }).waitFor()
  })

  test('a visitor on an embedding site sees the messages of members, and the keyboard is enough for all of it', async () => {
    siteHtml = `<!doctype html><html lang="en"><title>A shop</title><bot-standard></bot-standard>
      <script src="${app.url}/embed.js"></script>
      <script>Bot.initStandard({ bot: '${made.publicId}' })</script>`
    const shop = await (await newContext(browser, desktop)).newPage()
    await shop.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
    const frame = await (await shop.locator('bot-standard iframe').elementHandle())?.contentFrame()
    if (!frame) throw new Error('The site shows no chat')
    await write(frame, 'Joan', 'One moment, Joan')

    const page = await openInbox()
    await page.getByText('1 chat waiting').waitFor()
    await page.getByRole('link', { name: 'Helpdesk' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Take', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('You handle this chat').waitFor()
    await page.getByRole('textbox').focus()
    await page.keyboard.type('Hello')
    await frame.locator('.typing-row').waitFor()
    await picture(shop, 'typing-visitor-embedded')
    // Typing ends once the text is deleted.
    for (let at = 0; at < 5; at++) await page.keyboard.press('Backspace')
    await frame.locator('.typing-row').waitFor({ state: 'detached' })
    await page.keyboard.type('Hello')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('Joan')
    await page.keyboard.press('Enter')
    await frame.locator('.host-bubble', { hasText: 'Hello' }).waitFor()
    await write(frame, 'Hi')
    await logOf(page).getByText('Hi', { exact: true }).waitFor()
    await picture(shop, 'inbox-visitor-embedded')
    for (let at = 0; at < 12; at++) {
      if ((await page.evaluate('document.activeElement?.textContent')) === 'Give back') break
      await page.keyboard.press('Shift+Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Give back' }).focus()
    await page.keyboard.press('Enter')
    await frame.getByText('Back with the bot').waitFor()
  })
})
