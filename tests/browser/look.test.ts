import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, type Part, set, text } from '../support/chat.ts'
import { logsOf, publish, reportOf } from '../support/chats.ts'
import { until } from '../support/process.ts'
import { makeWorld, type World } from '../support/world.ts'
import { drawing } from './bots.ts'
import { desktop, launch, newContext, phone, picture, watch, withBrowser } from './support.ts'

/*
 * Appearance and language of the chat page: languages, directions, colours, the part that stays in view, and the view
 * that code of a bot has of the page.
 */

let app: App
let world: World
let browser: Browser
const complaints: string[] = []

async function open(path: string, options: BrowserContextOptions = desktop): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(path)
  return page
}

async function openBot(
  groups: Record<string, Part[]>,
  more: Parameters<typeof bot>[1] = {},
  options?: BrowserContextOptions & { query?: string; name?: string },
): Promise<Page> {
  const made = await publish(app, world.here, bot(groups, more), options?.name)
  return open(`/chat/${made.publicId}${options?.query ?? ''}`, options)
}

const asked = (page: Page, question: string) =>
  page.locator('.host-bubble', { hasText: question }).last().waitFor()

/** Returns a style that may arrive a moment after the text that the test waited for. */
async function style(page: Page, selector: string, property: string) {
  await page.locator(selector).first().waitFor({ state: 'attached' })
  return page.evaluate(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`,
  )
}

/** Returns the contrast between a text and its background, as WCAG defines it. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
      const value = Number(part) / (color.startsWith('color(') ? 1 : 255)
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

withBrowser('the look of the chat page', () => {
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

  const greeting = { Start: [text('Hello!'), ask('Name')] }

  test('the page has the language of the bot, else of the browser, else English', async () => {
    const named = { variables: ['Name'], settings: { general: { language: 'pt-BR' } } }
    const seen = async (more: typeof named | { variables: string[] }, locale: string) => {
      const page = await openBot(greeting, more, { ...desktop, locale })
      await asked(page, 'Hello!')
      return [
        await page.evaluate('document.documentElement.lang'),
        await page.locator('.field').getAttribute('placeholder'),
        await page.locator('#restart').textContent(),
      ]
    }
    expect(await seen(named, 'ja-JP')).toEqual(['pt', 'Digite sua resposta…', 'Recomeçar'])
    expect(await seen({ variables: ['Name'] }, 'de-CH')).toEqual(['de', 'Antwort eingeben…', 'Neu beginnen'])
    expect(await seen({ variables: ['Name'] }, 'is-IS')).toEqual(['en', 'Type your answer…', 'Start over'])
    const unheard = { ...named, settings: { general: { language: 'tlh' } } }
    expect(await seen(unheard, 'fr-FR')).toEqual(['fr', 'Saisissez votre réponse…', 'Recommencer'])
  })

  test('texts of the bot replace those of the page', async () => {
    const settings = { general: { language: 'de', systemMessages: { networkErrorTitle: 'Unter Wasser!' } } }
    const page = await openBot(greeting, { variables: ['Name'], settings })
    await asked(page, 'Hello!')
    await page.clock.install()
    await page.route('**/continueChat', (route) => route.abort())
    await page.locator('.field').fill('Ada')
    await page.keyboard.press('Enter')
    const retry = page.getByRole('button', { name: 'Noch einmal versuchen' })
    for (const waits = page.clock; !(await retry.isVisible()); ) await waits.runFor(1_000)
    await page.getByText('Unter Wasser! Ihre Antwort ist noch nicht angekommen.').waitFor()
    expect(complaints.splice(0).filter((complaint) => !complaint.includes('net::ERR_FAILED'))).toEqual([])
  })

  test.each([
    ['', 'Dieser Bot ist geschlossen.'],
    ['Erst am Montag wieder.', 'Erst am Montag wieder.'],
  ])('a closed bot says so in its language (%s)', async (botClosed, expected) => {
    const settings = { general: { language: 'de', systemMessages: { botClosed } } }
    const made = await publish(app, world.here, bot(greeting, { variables: ['Name'], settings }))
    await app.client.ok('updateBot', {
      as: world.here.member,
      params: { botId: made.id },
      body: { bot: { version: '6.1', isClosed: true } },
    })
    const page = await open(`/chat/${made.publicId}`)
    await page.getByRole('heading', { name: 'Der Chat kann nicht weitergehen' }).waitFor()
    await page.getByText(expected).waitFor()
    expect(complaints.splice(0)).toHaveLength(1)
  })

  test('every bubble has the direction of its text', async () => {
    const groups = {
      Start: [
        text('مرحبًا! كيف يمكنني مساعدتك؟'),
        text('Hello! How can I help?'),
        { type: 'choice input', items: [{ id: 'he', content: 'שלום לך' }] },
        text('شكرًا'),
        ask('Name'),
      ],
    }
    const settings = { general: { language: 'ar' } }
    const page = await openBot(groups, { variables: ['Name'], settings }, phone)
    await asked(page, 'Hello!')
    const direction = (selector: string) => style(page, selector, 'direction')
    expect(await direction('html')).toBe('rtl')
    expect(await direction('.host-row:nth-child(1) .host-bubble')).toBe('rtl')
    expect(await direction('.host-row:nth-child(2) .host-bubble')).toBe('ltr')
    // The bot speaks from where lines begin.
    const box = await page.locator('.host-bubble').first().boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeGreaterThan(300)
    await picture(page, 'rtl-1-phone')
    await page.getByRole('button', { name: 'שלום לך' }).click()
    await asked(page, 'شكرًا')
    expect(await direction('.guest-bubble')).toBe('rtl')
    expect(await direction('.field')).toBe('rtl')
    await picture(page, 'rtl-2-phone')
    await page.locator('.field').fill('Ada')
    expect(await direction('.field')).toBe('ltr')

    const inEnglish = await openBot(groups, { variables: ['Name'] })
    await asked(inEnglish, 'Hello!')
    expect(await style(inEnglish, '.host-row:nth-child(1) .host-bubble', 'direction')).toBe('rtl')
    expect(await style(inEnglish, 'html', 'direction')).toBe('ltr')
    await picture(inEnglish, 'rtl-3-desktop')
  })

  test('dark themes make what the browser draws dark too', async () => {
    const seen = async (theme: object) => {
      const page = await openBot(greeting, { variables: ['Name'], theme })
      await asked(page, 'Hello!')
      return [await style(page, 'html', 'colorScheme'), await style(page, '.field', 'colorScheme')]
    }
    const dark = { type: 'Color', content: 'midnightblue' }
    expect(await seen({})).toEqual(['light', 'light'])
    expect(await seen({ general: { background: dark } })).toEqual(['dark', 'light'])
    const inputs = { backgroundColor: '#111' }
    expect(await seen({ general: { background: dark }, chat: { inputs } })).toEqual(['dark', 'dark'])
    const container = { backgroundColor: 'white', opacity: 0.95 }
    expect(await seen({ general: { background: dark }, chat: { container } })).toEqual(['light', 'light'])
    const glass = { backgroundColor: '#fff', opacity: 0.1 }
    expect(await seen({ general: { background: dark }, chat: { container: glass } })).toEqual([
      'dark',
      'light',
    ])
  })

  test('texts of the default theme stand out', async () => {
    const groups = {
      Start: [
        text('Hello!'),
        { type: 'choice input', items: [{ id: 'yes', content: 'Yes' }] },
        text('Bye.'),
        ask('Name'),
      ],
    }
    const page = await openBot(groups, { variables: ['Name'] })
    const ofPart = async (selector: string) => {
      const colors = [await style(page, selector, 'color'), await style(page, selector, 'backgroundColor')]
      return contrast(String(colors[0]), String(colors[1]))
    }
    await page.getByRole('button', { name: 'Yes' }).waitFor()
    expect(await ofPart('.host-bubble')).toBeGreaterThanOrEqual(4.5)
    expect(await ofPart('.choice.button')).toBeGreaterThanOrEqual(4.5)
    await page.getByRole('button', { name: 'Yes' }).click()
    await asked(page, 'Bye.')
    expect(await ofPart('.guest-bubble')).toBeGreaterThanOrEqual(4.5)
    expect(await ofPart('.field-row .button')).toBeGreaterThanOrEqual(4.5)
    const placeholder = await page.evaluate(
      `getComputedStyle(document.querySelector('.field'), '::placeholder').color`,
    )
    expect(contrast(String(placeholder), 'rgb(255, 255, 255)')).toBeGreaterThanOrEqual(4.5)
    await picture(page, 'default-theme')
  })

  const long = Array.from({ length: 30 }, (_, index) => text(`Line ${index}`))

  test('a scale has a bounded number of steps, wherever it starts', async () => {
    const groups = { Start: [{ type: 'rating input', options: { startsAt: -1_000, length: 5 } }] }
    const page = await openBot(groups)
    await page.locator('.rating-item').first().waitFor()
    const steps = await page.locator('.rating-item').allTextContents()
    expect([steps[0], steps.at(-1), steps.length]).toEqual(['-100', '5', 106])
  })

  test('the end stays in view when the window shrinks or turns, unless the person reads above', async () => {
    const page = await openBot({ Start: [...long, ask('Name')] }, { variables: ['Name'] }, phone)
    await page.locator('.field').waitFor()
    const distance = () =>
      page.evaluate(
        `(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.getElementById('scroller'))`,
      ) as Promise<number>
    /** The page has been laid out anew, and what listens for that has run. */
    const settled = () =>
      page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))))',
      )
    for (const viewport of [
      { width: 390, height: 400 },
      { width: 760, height: 390 },
      { width: 390, height: 760 },
    ]) {
      await page.setViewportSize(viewport)
      await settled()
      expect(await distance()).toBeLessThan(2)
    }
    await page.evaluate(`document.getElementById('scroller').scrollTo({ top: 0, behavior: 'instant' })`)
    await settled()
    await page.setViewportSize({ width: 390, height: 400 })
    await settled()
    expect(await page.evaluate(`document.getElementById('scroller').scrollTop`)).toBe(0)
  })

  test('a picture that does not load leaves its alternative text', async () => {
    const broken = `${app.url}/nothing-here.png`
    const groups = {
      Start: [
        { type: 'image', content: { url: broken, clickLink: { alt: 'Our office by the sea' } } },
        { type: 'image', content: { url: broken } },
        {
          type: 'picture choice input',
          items: [
            { id: 'a', title: 'Sea', pictureSrc: broken },
            { id: 'b', title: 'Hill', pictureSrc: drawing('#3d7a34', 'Hill') },
          ],
        },
      ],
    }
    const theme = { chat: { hostAvatar: { url: broken } } }
    const page = await openBot(groups, { theme }, phone)
    await page.getByText('Our office by the sea').waitFor()
    await page.getByText('Picture', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sea' }).waitFor()
    const spare = await page.evaluate<string>(`new URL('files/avatar.svg', document.baseURI).href`)
    await page.locator(`.host-avatar[src="${spare}"]`).first().waitFor()
    // Asked from here, since waiting within the page would evaluate text there, which its policy forbids.
    await until('all pictures are there', () =>
      page.evaluate<boolean>(
        `[...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0)`,
      ),
    )
    await picture(page, 'broken-pictures')
    // As when a stream shows bubbles before it is known whose picture stands beside them.
    await page.evaluate(
      `import(new URL('files/view.js', document.baseURI)).then(({ changeAvatars }) =>
        changeAvatars(document.querySelectorAll('.host-row'), { host: ${JSON.stringify(broken)} }))`,
    )
    await page.locator(`.host-avatar:not([src="${spare}"])`).first().waitFor({ state: 'detached' })
    expect(complaints.splice(0).filter((complaint) => !/status of 404/.test(complaint))).toEqual([])
  })

  test('a thick progress bar covers neither Send nor Start over', async () => {
    const settings = { general: { rememberUser: { isEnabled: true, storage: 'session' } } }
    for (const placement of ['Top', 'Bottom']) {
      const theme = { general: { progressBar: { isEnabled: true, placement, thickness: 40 } } }
      const page = await openBot(greeting, { variables: ['Name'], settings, theme })
      await asked(page, 'Hello!')
      await page.getByRole('button', { name: 'Send' }).click({ trial: true, timeout: 5_000 })
      await page.locator('#restart').click({ trial: true, timeout: 5_000 })
    }
  })

  test('the title is that of the page, else the name of the bot', async () => {
    const settings = { metadata: { title: '100%send% <off>' } }
    const titled = await openBot(greeting, { variables: ['Name'], settings }, { name: 'Boat & oar' })
    expect(await titled.title()).toBe('100%send% <off>')
    expect(await titled.locator('h1').textContent()).toBe('100%send% <off>')
    const named = await openBot(greeting, { variables: ['Name'] }, { name: 'Boat & oar' })
    expect(await named.title()).toBe('Boat & oar')
  })

  test('code of a bot sees the address of the page, and nothing of the page', async () => {
    const onPage = { isExecutedOnClient: true, isCode: true }
    const read = (variable: string, code: string) => set(variable, code, onPage)
    const variables = ['Search', 'Campaign', 'Path', 'Same', 'Title', 'Storage', 'Origin', 'Global', 'Timer']
    const page = await openBot(
      {
        Start: [
          read('Search', 'return window.location.search'),
          read('Campaign', `return new URLSearchParams(location.search).get('campaign')`),
          read('Path', 'const { pathname } = document.location; return pathname + self.location.hash'),
          read('Same', 'return String(location) === location.href && top.location.href === `` + location'),
          read('Title', `try { return parent.document.title } catch { return 'none of it' }`),
          read('Storage', `try { return localStorage.length } catch { return 'none' }`),
          read('Origin', 'return [window.origin, location.origin].join(` `)'),
          read('Global', 'window.kept = 7; return kept + window.kept + (this === window ? 1 : 0)'),
          read('Timer', `return new Promise((resolve) => window.setTimeout(() => resolve('rang'), 1))`),
          text(variables.map((name) => `${name}={{${name}}}`).join('; ')),
          ask('Search'),
        ],
      },
      { variables },
      { query: '?campaign=spring%20sale&x=1#top' },
    )
    await asked(page, 'Timer=')
    const said = await page.locator('.rich-text').first().textContent()
    const { pathname } = new URL(page.url())
    expect(said?.split('; ')).toEqual([
      'Search=?campaign=spring%20sale&x=1',
      'Campaign=spring sale',
      `Path=${pathname}#top`,
      'Same=true',
      'Title=none of it',
      'Storage=none',
      `Origin=null ${app.url}`,
      'Global=15',
      'Timer=rang',
    ])
    // The person does not see what came with the address any more.
    expect(new URL(page.url()).search).toBe('')
  })

  test.each([
    ['window.location.href', (url: string) => `window.location.href = '${url}'`],
    ['location', (url: string) => `location = '${url}'`],
    ['top.location', (url: string) => `"use strict"; window.top.location = '${url}'`],
    ['replace', (url: string) => `document.location.replace('${url}')`],
    ['a relative address', () => `location.assign('../readyz')`],
    ['open in the same tab', (url: string) => `open('${url}', '_self')`],
  ])('code of a bot goes to another page by %s', async (_name, code) => {
    const content = code(`${app.url}/readyz`)
    const page = await openBot({
      Start: [text('Bye.'), { type: 'Code', options: { content, isExecutedOnClient: true } }],
    })
    await page.waitForURL('**/readyz')
  })

  test('code of a bot cannot run code in the page by a redirect, nor flood the visitor with tabs', async () => {
    const content = [
      `location.href = 'javascript:document.title = "taken over"'`,
      `location.href = 'data:text/html,gone'`,
      `for (let count = 0; count < 5; count++) open('${app.url}/readyz?' + count)`,
    ].join('\n')
    const made = await publish(
      app,
      world.here,
      bot({
        Start: [
          { type: 'Code', options: { content, isExecutedOnClient: true } },
          { type: 'Code', options: { content: 'return }', isExecutedOnClient: true } },
          text('Still here.'),
          ask(),
        ],
      }),
    )
    const page = await open(`/chat/${made.publicId}`)
    await asked(page, 'Still here.')
    expect(await page.title()).toBe('Bot')
    const tabs = page.context().pages().length - 1
    expect(tabs + (await page.locator('.notice').count())).toBe(1)
    await page.locator('.field').fill('Yes')
    await page.keyboard.press('Enter')
    await page.getByText('The chat has ended.').waitFor()
    const { results } = await reportOf(app, made, world.here.member)
    const logs = await logsOf(app, made.id, results[0]?.id ?? '', world.here.member)
    expect(logs.map(({ details }) => details)).toEqual(["SyntaxError: Unexpected token '}'"])
  })
})
