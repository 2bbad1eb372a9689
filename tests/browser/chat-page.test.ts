import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish, reportOf, transcriptOf } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'
import { everything, leadGeneration } from './bots.ts'
import { desktop, launch, newContext, phone, picture, watch, withBrowser } from './support.ts'

/*
 * The chat page in a real browser. Every page must stay on its own host, and say nothing in its console that a
 * test did not provoke.
 */

let app: App
let world: World
let browser: Browser
/** Errors that the pages of a test report by themselves. */
const complaints: string[] = []

async function open(path: string, options: BrowserContextOptions = desktop): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, ...options })
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(path)
  return page
}

const field = (page: Page) => page.locator('.field').first()
const said = (page: Page) => page.locator('.guest-text').allTextContents()
const ended = (page: Page) => page.getByText('The chat has ended.')

/** Waits until the bot shows this question. */
const asked = (page: Page, question: string) =>
  page.locator('.host-bubble', { hasText: question }).last().waitFor()

withBrowser('the chat page', () => {
  beforeAll(async () => {
    // Without a place for files, they are named by their addresses; see uploads.test.ts for the others.
    app = await startApp({ hasFiles: false })
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

  test('a visitor fills in a lead with the keyboard alone, and it is in the results', async () => {
    const made = await publish(app, world.here, leadGeneration)
    const page = await open(`/chat/${made.publicId}?Details=ignored`)
    expect(await page.title()).toBe('Paper Boat')
    expect(await page.locator('meta[name=description]').getAttribute('content')).toBe(
      'Tell us what you "need" <now>',
    )
    await page.getByRole('button', { name: 'Hello!' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await picture(page, 'lead-1-desktop')

    await focused(page, 'Hello!')
    await page.keyboard.press('Enter')
    await asked(page, 'What is your name?')
    expect(await page.getByRole('textbox', { name: 'What is your name?' }).count()).toBe(1)
    await page.keyboard.type('Ada Lovelace')
    await page.keyboard.press('Enter')
    await asked(page, 'Nice to meet you, Ada Lovelace')
    await page.keyboard.type('not an address')
    await page.keyboard.press('Enter')
    await asked(page, 'That does not look like an e-mail address')
    await page.keyboard.type('ADA@example.com')
    await page.keyboard.press('Enter')
    await asked(page, 'What are you looking for?')
    await picture(page, 'lead-2-desktop')
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await asked(page, 'Tell us a little more.')
    expect(await field(page).inputValue()).toBe('')
    await page.keyboard.type('Two lines,')
    await page.keyboard.press('Enter')
    await page.keyboard.type('"quoted" 🚤')
    await page.keyboard.press('Control+Enter')
    await ended(page).waitFor()
    await focused(page, 'Start over')
    await picture(page, 'lead-3-desktop')

    expect(await said(page)).toEqual([
      'Hello!',
      'Ada Lovelace',
      'not an address',
      'ada@example.com',
      'A website, An app',
      'Two lines,\n"quoted" 🚤',
    ])
    expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100')
    await checkReport(made)
  })

  async function focused(page: Page, name: string) {
    await page.locator(':focus', { hasText: name }).waitFor()
  }

  async function checkReport(made: Published) {
    const { member } = world.here
    const { results, stats, csv } = await reportOf(app, made, member)
    const contents = [
      'Hello!',
      'Ada Lovelace',
      'ada@example.com',
      'A website, An app',
      'Two lines,\n"quoted" 🚤',
    ]
    expect(results).toHaveLength(1)
    expect(results[0]).toMatchObject({ hasStarted: true, isCompleted: true })
    expect(results[0]?.answers.map(({ content }) => content)).toEqual(contents)
    expect(stats).toMatchObject({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
    const [line] = parse(csv, { columns: true }) as Record<string, string>[]
    expect(line).toMatchObject({
      Name: contents[1],
      Email: contents[2],
      Services: contents[3],
      Details: contents[4],
    })
    const transcript = await transcriptOf(app, made.id, results[0]?.id ?? '', member)
    expect(transcript.filter(({ role }) => role === 'user').map((entry) => entry.text)).toEqual([
      'Hello!',
      'Ada Lovelace',
      'not an address',
      ...contents.slice(2),
    ])
  }

  test('the chat page shows every input and bubble, with the theme of the bot', async () => {
    const made = await publish(app, world.here, everything)
    const page = await open(`/chat/${made.publicId}`, phone)
    await asked(page, 'The page computed 42.')
    await picture(page, 'all-01-phone')
    expect(await page.title()).toBe('Bot')
    expect(await page.locator('a[href^=javascript]').count()).toBe(0)
    expect(await page.locator('.host-bubble img[src=x]').count()).toBe(0)
    expect(await page.getByText('or <img src=x onerror=alert(1)>').count()).toBe(1)
    expect(await page.locator('a', { hasText: 'a link' }).getAttribute('rel')).toBe('noopener noreferrer')
    const styles = await page.evaluate(`({
      background: getComputedStyle(document.body).backgroundColor,
      bubble: getComputedStyle(document.querySelector('.host-bubble')).borderRadius,
      font: getComputedStyle(document.body).fontFamily,
      width: getComputedStyle(document.querySelector('main')).maxWidth,
    })`)
    expect(styles).toEqual({
      background: 'rgb(20, 33, 61)',
      bubble: '20px',
      font: 'Georgia, system-ui, sans-serif',
      width: '640px',
    })

    const send = () => page.locator('.answer button[type=submit]').click()
    const type = async (value: string) => {
      await field(page).fill(value)
      await send()
    }
    const count = (number: number) =>
      page
        .locator('.guest-bubble')
        .nth(number - 1)
        .waitFor()
    expect(await field(page).getAttribute('placeholder')).toBe('Short, please')
    await type('Ada')
    await page.getByText('From 1 to 20').waitFor()
    await picture(page, 'all-02-phone')
    await type('12,5')
    await page.locator('input[inputmode=email]').waitFor()
    await type('nobody')
    await asked(page, 'No, an address!')
    await type('ada@example.com')
    await page.locator('input[type=url]').waitFor()
    await type('example.com/me')
    await page.locator('input[type=tel]').waitFor()
    await type('06 12 34 56 78')
    await page.locator('input[type=date]').first().waitFor()
    await page.getByLabel('From').fill('2026-05-01')
    await page.getByLabel('To', { exact: true }).fill('2026-05-04')
    await picture(page, 'all-03-phone')
    await send()
    await page.locator('input[type=time]').waitFor()
    await type('10:30')
    await page.getByRole('radio', { name: '4 of 5' }).check()
    await picture(page, 'all-04-phone')
    await send()
    await page.getByRole('button', { name: '9', exact: true }).waitFor()
    await picture(page, 'all-05-phone')
    await page.getByRole('button', { name: '9', exact: true }).click()
    await page.getByRole('button', { name: 'Skip' }).waitFor()
    await picture(page, 'all-06-phone')
    await type('https://files.example/a.png https://files.example/b.png')
    await page.getByRole('searchbox').fill('APP')
    expect(await page.locator('.choice:visible').allTextContents()).toEqual(['Apple', 'Apple pie'])
    await picture(page, 'all-07-phone')
    await page.getByRole('button', { name: 'Apple pie' }).click()
    await page.getByRole('checkbox', { name: 'Hill' }).check()
    await picture(page, 'all-08-phone')
    await send()
    await page.getByRole('button', { name: 'Look at it: Boat' }).waitFor()
    await picture(page, 'all-09-phone')
    await page.setViewportSize(desktop.viewport)
    await picture(page, 'all-10-desktop')
    await page.getByRole('button', { name: 'Look at it: Boat' }).click()
    await asked(page, 'That was all, Ada.')
    await count(14)
    await ended(page).waitFor()
    await picture(page, 'all-11-desktop')
    expect(await said(page)).toEqual([
      'Ada',
      '12.5',
      'nobody',
      'ada@example.com',
      'example.com/me',
      '+33612345678',
      '01/05/2026 – 04/05/2026',
      '10:30',
      '4',
      '9',
      'https://files.example/a.png, https://files.example/b.png',
      'Apple pie',
      'Hill',
      'Look at it',
    ])

    // The code of the bot could not reach the page, which its author can read.
    expect(await page.title()).toBe('Bot')
    const { results } = await reportOf(app, made, world.here.member)
    const { logs } = await app.client.ok('listResultLogs', {
      as: world.here.member,
      params: { botId: made.id, resultId: results[0]?.id ?? '' },
    })
    expect(logs.map(({ description }) => description)).toEqual([
      'No file can be uploaded: the service has no place for files',
      'Code of the bot failed',
    ])
  })

  test('an answer whose request is lost is sent again and counts once', async () => {
    const flow = bot({ Start: [text('Name?'), ask('Name'), text('Hi {{Name}}.')] }, { variables: ['Name'] })
    const made = await publish(app, world.here, flow)
    const page = await open(`/chat/${made.publicId}`, { ...desktop, reducedMotion: 'reduce' })
    await asked(page, 'Name?')
    // First the request is lost, then its answer.
    let tries = 0
    await page.route('**/continueChat', async (route) => {
      tries += 1
      if (tries === 1) return route.abort()
      if (tries === 2) {
        await route.fetch()
        return route.abort()
      }
      return route.continue()
    })
    await field(page).fill('Ada')
    await page.keyboard.press('Enter')
    await asked(page, 'Hi Ada.')
    expect(tries).toBe(3)
    const { results, stats } = await reportOf(app, made, world.here.member)
    expect(results.map(({ answers }) => answers.length)).toEqual([1])
    expect(stats).toMatchObject({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
    expectLostRequests(2)
  })

  /** The browser itself says that a request failed. */
  function expectLostRequests(number: number) {
    const lost = complaints.filter((complaint) => complaint.includes('net::ERR_FAILED'))
    expect(lost).toHaveLength(number)
    complaints.splice(0, Infinity, ...complaints.filter((complaint) => !lost.includes(complaint)))
  }

  test('the page says that the service is away, and continues when the visitor asks', async () => {
    const flow = bot({ Start: [text('Name?'), ask('Name'), text('Hi {{Name}}.')] }, { variables: ['Name'] })
    const made = await publish(app, world.here, {
      ...flow,
      settings: { general: { systemMessages: { networkErrorTitle: 'Under water!' } } },
    })
    const page = await open(`/chat/${made.publicId}`)
    await asked(page, 'Name?')
    await page.clock.install()
    await page.route('**/continueChat', (route) => route.abort())
    await field(page).fill('Ada')
    await page.keyboard.press('Enter')
    const retry = page.getByRole('button', { name: 'Try again' })
    for (const waits = page.clock; !(await retry.isVisible()); ) await waits.runFor(1_000)
    await page.getByText('Under water!').waitFor()
    await page.unroute('**/continueChat')
    await page.clock.resume()
    await retry.click()
    await asked(page, 'Hi Ada.')
    await ended(page).waitFor()
    expectLostRequests(5)
  })

  test('a remembered visitor continues the same result until starting over', async () => {
    const flow = bot(
      { Start: [text('Name, {{Name}}?'), ask('Name'), text('More?'), ask('More'), text('Bye.')] },
      { variables: ['Name', 'More'], settings: { general: { rememberUser: { isEnabled: true } } } },
    )
    const made = await publish(app, world.here, flow)
    const page = await open(`/chat/${made.publicId}`)
    await asked(page, 'Name')
    await field(page).fill('Ada')
    await page.keyboard.press('Enter')
    await asked(page, 'More?')
    await page.reload()
    await asked(page, 'More?')
    expect((await reportOf(app, made, world.here.member)).stats).toMatchObject({ totalViews: 1 })
    await page.getByRole('button', { name: 'Start over' }).click()
    await asked(page, 'Name, ?')
    await field(page).fill('Bob')
    await page.keyboard.press('Enter')
    await asked(page, 'More?')
    const { results, stats } = await reportOf(app, made, world.here.member)
    expect(stats).toMatchObject({ totalViews: 2, totalStarts: 2 })
    expect(results.map(({ answers }) => answers.map(({ content }) => content))).toEqual([['Bob'], ['Ada']])
  })

  test('the page repeats startChat after Retry-After when too many requests arrive, and the chat then begins', async () => {
    const made = await publish(app, world.here, bot({ Start: [text('Hi')] }))
    const context = await newContext(browser, { baseURL: app.url, ...desktop })
    let tries = 0
    await context.route('**/startChat', (route) => {
      if (++tries > 2) return route.continue()
      const headers = { 'Retry-After': '1' }
      return route.fulfill({ status: 429, headers, json: { code: 'TOO_MANY_REQUESTS', issues: [] } })
    })
    const page = await context.newPage()
    await page.goto(`/chat/${made.publicId}`)
    await asked(page, 'Hi')
    await ended(page).waitFor()
    expect(tries).toBe(3)
    const { stats } = await reportOf(app, made, world.here.member)
    expect(stats).toMatchObject({ totalViews: 1 })
  })

  test('the page sends requests and opens pages for the bot', async () => {
    const flow = bot(
      {
        Start: [
          {
            type: 'Webhook',
            options: {
              isExecutedOnClient: true,
              webhook: { url: `${app.url}/livez`, method: 'GET' },
              responseVariableMapping: [{ id: 'm', variableId: 'v-State', bodyPath: 'data.status' }],
            },
          },
          text('The service is {{State}}.'),
          { type: 'Google Analytics', options: { trackingId: 'G-1', action: 'seen' } },
          ask(),
          { type: 'Redirect', options: { url: `${app.url}/readyz` } },
        ],
      },
      { variables: ['State'] },
    )
    const made = await publish(app, world.here, flow)
    const page = await open(`/chat/${made.publicId}`)
    await asked(page, 'The service is ok.')
    await field(page).fill('go')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/readyz')
    const { results } = await reportOf(app, made, world.here.member)
    const { logs } = await app.client.ok('listResultLogs', {
      as: world.here.member,
      params: { botId: made.id, resultId: results[0]?.id ?? '' },
    })
    expect(logs.map(({ description, status }) => `${status}: ${description}`).sort()).toEqual([
      'info: Not run on this host: Google Analytics',
      'info: Not run on this host: trackers and head code',
    ])
  })

  test('the page says that one of its files did not load, and loads it again', async () => {
    const made = await publish(app, world.here, bot({ Start: [text('Hi'), ask()] }))
    const context = await newContext(browser, { baseURL: app.url, ...desktop })
    let isBroken = true
    await context.route('**/theme.js', (route) => (isBroken ? route.abort() : route.continue()))
    const page = await context.newPage()
    await page.goto(`/chat/${made.publicId}?Name=Ada`)
    await page.getByText('The chat could not be loaded.').waitFor()
    isBroken = false
    await page.getByRole('link', { name: 'Try again' }).click()
    await asked(page, 'Hi')
    expect(await page.getByText('The chat could not be loaded.').count()).toBe(0)
  })

  test('a chat starts in spite of query parameters that are no variables', async () => {
    const flow = bot({ Start: [text('Hello {{Name}}.'), ask()] }, { variables: ['Name'] })
    const made = await publish(app, world.here, flow)
    const page = await open(`/chat/${made.publicId}?Name=Ada&${'x'.repeat(300)}=1&__proto__=2&=3&a=%00&%00=b`)
    const first = page.locator('.host-bubble:not(.typing), .failure').first()
    await first.waitFor()
    expect(await first.textContent()).toContain('Hello Ada.')
  })

  test('the chat continues where the page has found out more than the service accepts', async () => {
    const onPage = { isExecutedOnClient: true }
    const flow = bot(
      {
        Start: [
          ask(),
          {
            type: 'Webhook',
            options: {
              ...onPage,
              webhook: { url: `${app.url}/openapi-slim.yaml`, method: 'GET' },
              responseVariableMapping: [{ id: 'm', variableId: 'v-State', bodyPath: 'statusCode' }],
            },
          },
          text('Status {{State}}.'),
          {
            type: 'Set variable',
            options: { ...onPage, variableId: 'v-State', expressionToEvaluate: '"é".repeat(200000)' },
          },
          text('Then{{State}}.'),
        ],
      },
      { variables: ['State'] },
    )
    const made = await publish(app, world.here, flow)
    const page = await open(`/chat/${made.publicId}`)
    await field(page).fill('go')
    await page.keyboard.press('Enter')
    await ended(page).waitFor({ timeout: 60_000 })
    expect(await page.locator('.host-bubble .rich-text').allTextContents()).toEqual(['Status 0.', 'Then.'])
    const { results } = await reportOf(app, made, world.here.member)
    const { logs } = await app.client.ok('listResultLogs', {
      as: world.here.member,
      params: { botId: made.id, resultId: results[0]?.id ?? '' },
    })
    expect(logs).toMatchObject([
      { description: 'Too long for the service', details: expect.stringContaining('400002 bytes') },
      { description: 'Too long for the service' },
    ])
  })

  test('the page waits for a webhook, and continues after its call', async () => {
    const flow = bot(
      {
        Start: [
          text('Pay, please.'),
          {
            id: 'paid',
            type: 'webhook',
            options: { responseVariableMapping: [{ id: 'm', variableId: 'v-Sum', bodyPath: 'data.sum' }] },
          },
          text('You paid {{Sum}}.'),
        ],
      },
      { variables: ['Sum'] },
    )
    const made = await publish(app, world.here, flow)
    const page = await open(`/chat/${made.publicId}`)
    await asked(page, 'Pay, please.')
    await page.waitForResponse('**/continueChat')
    const { rows } = await app.pool.query('SELECT id FROM results WHERE bot_id = $1', [made.id])
    const resultId = rows[0].id as string
    await app.client.ok('executeWebhook', {
      as: world.here.member,
      params: { botId: made.id, blockId: 'paid', resultId },
      body: { sum: 12 },
    })
    await asked(page, 'You paid 12.')
    await ended(page).waitFor()
  })

  test('an embedded page reports that it is done', async () => {
    const waitForEvent = { isEnabled: true, name: 'picked', saveDataInVariableId: 'v-Seat' }
    const flow = bot(
      {
        Start: [
          { type: 'embed', content: { url: 'https://seats.example/plan', height: 200, waitForEvent } },
          text('You sit at {{Seat}}.'),
        ],
      },
      { variables: ['Seat'] },
    )
    const made = await publish(app, world.here, flow)
    const context = await newContext(browser, { baseURL: app.url })
    await context.route('https://seats.example/plan', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<button onclick="parent.postMessage({ name: 'picked', data: '12A' }, '*')">12A</button>`,
      }),
    )
    const page = await context.newPage()
    await page.goto(`/chat/${made.publicId}`)
    await page.frameLocator('iframe').getByRole('button', { name: '12A' }).click()
    await asked(page, 'You sit at 12A.')
    await ended(page).waitFor()
  })

  test('the page of an unknown, a closed and a forbidden bot says so', async () => {
    const unknown = await open('/chat/nobody-here')
    await unknown.getByRole('heading', { name: 'Chat not found' }).waitFor()
    await picture(unknown, 'unknown-desktop')
    const flow = bot({ Start: [text('Hi'), ask()] }, {})
    const settings = { general: { systemMessages: { botClosed: 'Back on Monday.' } } }
    const closed = await publish(app, world.here, { ...flow, settings })
    await app.client.ok('updateBot', {
      as: world.here.member,
      params: { botId: closed.id },
      body: { bot: { version: '6.1', isClosed: true } },
    })
    const page = await open(`/chat/${closed.publicId}`)
    await page.getByText('Back on Monday.').waitFor()
    // The page of the service itself is always allowed.
    const strict = { security: { allowedOrigins: ['https://example.com'] } }
    const own = await open(
      `/chat/${(await publish(app, world.here, { ...flow, settings: strict })).publicId}`,
    )
    await asked(own, 'Hi')
    // The browser itself logs rejected requests: the page, its chat, and the chat of the closed bot.
    const rejections = complaints.filter((complaint) => /status of 40[04]/.test(complaint))
    expect(rejections).toHaveLength(3)
    complaints.splice(0, Infinity, ...complaints.filter((complaint) => !rejections.includes(complaint)))
  })
})

test('the page and its files have the headers of any other response', async () => {
  const served = await startApp()
  try {
    const head = await fetch(`${served.url}/chat/nobody-here`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([404, ''])
    expect(head.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(head.headers.get('content-security-policy')).not.toMatch(/unsafe/)
    const file = await fetch(`${served.url}/chat/files/page.js`)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    const options = await fetch(`${served.url}/chat/nobody-here`, { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const post = await fetch(`${served.url}/chat/files/page.css`, { method: 'POST' })
    expect(post.status).toBe(405)
    expect((await fetch(`${served.url}/chat/files/page.html`)).status).toBe(404)
    expect((await fetch(`${served.url}/chat/Not-An-Id`)).status).toBe(404)
  } finally {
    await served.stop()
  }
})
